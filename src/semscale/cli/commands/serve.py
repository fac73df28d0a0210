"""The command ``semscale serve``: embeddings and instruments over HTTP."""

from semscale.cli.options.groups import grouped
from semscale.cli.options.serving import ServeOptions


@grouped
def serve(options: ServeOptions) -> None:
    """Answer requests over HTTP: embeddings as OpenAI's interface has them, ratings, matches, consistency.

    [bold]semscale serve --port 8000[/bold]

    To be reached from other machines (--host 0.0.0.0), it needs a token in the variable SEMSCALE_TOKEN.
    The first Ctrl-C or SIGTERM finishes what was accepted, a second one stops at once.
    """
    from semscale.cli.runs.serving import run_server

    run_server(options)
