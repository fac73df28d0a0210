"""The commands ``semscale serve`` and ``semscale mcp``: instruments over HTTP, and as tools of an agent."""

import logging
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from semscale.chat.settings import Budget
from semscale.cli.options import Without, command, refuse_stated
from semscale.cli.process import say
from semscale.cli.shared import CallOptions, ChatOptions, EmbedderOptions
from semscale.errors import InputError
from semscale.serving.requests import ServiceLimits
from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.serving.judging import JudgeCalls

LISTENING, JOBS, TABLES = "Listening", "Jobs", "Tables"


class ServeOptions(Settings):
    """All options of ``semscale serve``.

    Raises:
        InputError: a value out of range.
    """

    host: Annotated[str, Field(description="Address to listen on."), Option(LISTENING, "HOST")] = "127.0.0.1"
    port: Annotated[
        int, Field(description="Port to listen on; 0 for any free one."), Option(LISTENING, "PORT")
    ] = 8000
    log_level: Annotated[
        Literal["debug", "info", "warning", "error"],
        Field(description="Lowest level of messages to print."),
        Option(LISTENING),
    ] = "info"
    limits: ServiceLimits
    jobs: Annotated[
        Path | None,
        Field(description="Folder for the files of jobs; without it there are no jobs."),
        Option(JOBS, "FOLDER"),
    ] = None
    part_rows: Annotated[
        int,
        Field(description="Rows per part of a job; a part is stored when it is finished."),
        Option(JOBS, rare=True),
    ] = 5_000
    embedder: Annotated[EmbedderOptions, Without("device", "base_url", "key_variable", "cache")]
    chat: ChatOptions
    calls: Annotated[CallOptions, Without("dry_run")]

    def model_post_init(self, _context: object) -> None:
        """Refuse options of calls without a chat model, and a chat model without a cap.

        A project's file cannot open a route that spends money, so it takes effect only with the option.
        """
        if not self.chat.is_stated:
            refuse_stated("--chat-model NAME", self.chat, self.calls)
            return
        if self.calls.budget == Budget():
            raise InputError(
                "--chat-model needs a cap on what all requests together may spend: add --max-cost MONEY, "
                "--max-calls NUMBER or --max-total-tokens NUMBER"
            )


@command
def serve(options: ServeOptions) -> None:
    """Answer requests over HTTP: embeddings (as OpenAI's API), ratings, matches, consistency and verdicts.

    [bold]semscale serve --port 8000[/bold]

    By default, ratings use e5-small and all else all-MiniLM-L6-v2; --embedder sets one model for
    everything. For requests from other machines (--host 0.0.0.0), set a token in the variable
    SEMSCALE_TOKEN. The first Ctrl-C or SIGTERM finishes accepted requests, a second one stops at once.

    With --chat-model there is a route that judges answers; --max-cost or another cap limits what all its
    requests together spend until the service ends.
    """
    from semscale.extras import require

    model = options.embedder
    if model.engine not in ("openvino", "torch"):
        raise InputError("engine", f"must be openvino or torch, got {model.engine!r}")
    require("serve")
    from semscale.cli.progress import progress_bars
    from semscale.embedding.loading import load_embedder
    from semscale.serving.application import application
    from semscale.serving.batching import WORKERS
    from semscale.serving.middleware import access_token
    from semscale.serving.models import model_names
    from semscale.serving.server import listen, run_service
    from semscale.serving.service import Service

    logging.basicConfig(format="%(asctime)s %(levelname)s %(name)s %(message)s")
    logging.getLogger("semscale").setLevel(options.log_level.upper())
    token = access_token(options.host)
    # Before a port is opened, so that nobody is sent to a service whose model does not exist. Models are
    # compiled and run for the first time afterwards.
    with progress_bars() as progress:
        embedders = {
            name: load_embedder(
                name, precision=model.precision, engine=model.engine, cache=False, progress=progress
            )
            for name in dict.fromkeys(model_names(model.name))
        }
    service = Service(
        embedders.__getitem__,
        options.limits,
        model=model.name,
        workers=WORKERS if model.engine == "openvino" else 1,
        judge=_judge(options.chat, options.calls) if options.chat.is_stated else None,
    )
    if options.jobs is not None:
        service.open_jobs(options.jobs, options.part_rows)
    app = application(service, token=token)
    with listen(options.host, options.port) as listener:
        _say(f"listening on {_address(options.host, listener.getsockname()[1])} (what it answers: /docs)")
        run_service(app, service, listener, _say)


class McpOptions(Settings):
    """All options of ``semscale mcp``.

    Raises:
        InputError: a value out of range.
    """

    limits: Annotated[
        ServiceLimits,
        Without(*ServiceLimits.model_fields.keys() - {"max_texts", "max_characters"}),
    ]
    folder: Annotated[
        Path | None,
        Field(description="Folder whose tables the tools may read, and write new ones to."),
        Option(TABLES, "FOLDER"),
    ] = None
    embedder: EmbedderOptions
    chat: ChatOptions
    calls: Annotated[CallOptions, Without("dry_run")]

    def model_post_init(self, _context: object) -> None:
        """Refuse options of calls without the chat model that they belong to."""
        if self.chat.model is None:
            refuse_stated("--chat-model NAME", self.chat, self.calls)


@command
def mcp(options: McpOptions) -> None:
    """Offer the instruments to an agent as tools of the Model Context Protocol.

    [bold]semscale mcp[/bold]

    An agent's program starts this command and talks to it over standard input and output; its configuration
    names the command. Models are loaded when a tool first needs them. The end of the input or Ctrl-C ends
    the command.

    With --folder there are tools for the tables of that folder. With --chat-model there is a tool that judges
    answers; --max-cost limits what all its calls cost together.
    """
    from semscale.extras import require

    require("mcp")
    from semscale.serving.agent_server import agent_server, serve_standard_streams
    from semscale.serving.tools import agent_tools, load_once

    model = options.embedder
    if model.engine == "api":
        model.loading(None)  # asks for trust in the endpoint now, as an agent's program cannot answer later
    load = load_once(lambda name: model.load(None, default=name))
    judge = None if options.chat.model is None else _judge(options.chat, options.calls)
    if sys.stdin.isatty():
        _say("waiting for an agent on standard input; Ctrl-C ends")
    tools = agent_tools(
        lambda name: load(model.name or name), options.limits, judge=judge, folder=options.folder
    )
    serve_standard_streams(agent_server(tools))


def _judge(chat: ChatOptions, calls: CallOptions) -> "JudgeCalls":
    """Return the calls of a judge.

    The weights of a local model may have to be downloaded, which an agent's program does not wait for. An
    endpoint is checked at once, so that not each call fails.

    Raises:
        InputError: the endpoint's key is missing, or the budget needs the model's price.
    """
    from semscale.chat.loading import is_local
    from semscale.serving.judging import JudgeCalls

    if chat.base_url is None and is_local(str(chat.model)):
        return JudgeCalls(chat.load, calls.running())
    model = chat.load()
    calls.runner(model)
    return JudgeCalls(lambda: model, calls.running())


def _say(line: str) -> None:
    """Print a line at once, as whoever started the service may wait for it."""
    say(line)
    sys.stderr.flush()


def _address(host: str, port: int) -> str:
    return f"http://[{host.strip('[]')}]:{port}" if ":" in host else f"http://{host}:{port}"
