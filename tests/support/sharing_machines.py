"""Processes that share a ledger or a history on a server, as machines do; modules are imported once."""

import multiprocessing
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from random import Random

FORKED = multiprocessing.get_context("forkserver") if hasattr(os, "fork") else None
_NEEDED = ["openai", "aiohttp", "pg8000", "sqlalchemy.dialects.postgresql.pg8000", "alembic.operations"]
_NEEDED += ["semscale.chat.runner", "semscale.chat.endpoint", "semscale.chat.stored_calls"]
_NEEDED += ["semscale.cli.main", "semscale.cli.drift.commands", "semscale.cli.drift.recording", "polars"]
_NEEDED += ["semscale.report.drift_history", "semscale.report.terminal", "semscale.store.reading"]
_NEEDED += ["semscale.history.history"]
_LONGEST = 300


class Machine:
    """A process that waits for its turn, does something, and gives back what came of it."""

    def __init__(self, work: Callable[..., object], *arguments: object) -> None:
        self._turn, self._found = FORKED.Event(), FORKED.Queue()
        self.process = FORKED.Process(target=_work, args=(self._turn, self._found, work, *arguments))
        self.process.start()

    def begin(self) -> None:
        """Let it begin."""
        self._turn.set()

    def result(self) -> object:
        """Wait for what came of it."""
        result = self._found.get(timeout=_LONGEST)
        self.process.join(_LONGEST)
        return result

    def end(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.join()
        self.process.close()
        self._found.close()


def _work(turn, result, work, *arguments) -> None:
    turn.wait(_LONGEST)
    result.put(work(*arguments))


@contextmanager
def machines(*works: tuple) -> Iterator[list[Machine]]:
    """Processes for functions with their arguments, which end with the block."""
    FORKED.set_forkserver_preload(_NEEDED)
    started = []
    try:
        started += [Machine(*work) for work in works]
        yield started
    finally:
        for item in started:
            item.end()


def ask(url: str, ledger: str, name: str, prompts: list[str], concurrency: int) -> tuple[int, int, int]:
    """Ask all prompts in an order of one's own; the endpoint knows the calls by their key.

    Returns:
        How many outcomes came, how many of them are no echo of their prompt, and how many calls were sent.
    """
    from semscale.chat import Request, load_chat_model
    from semscale.chat.runner import Runner
    from semscale.chat.settings import Limits

    os.environ["OPENAI_API_KEY"] = f"key-of-{name}"
    limits = Limits(concurrency=concurrency)
    runner = Runner(load_chat_model("m", base_url=url), limits=limits, ledger=ledger)
    shuffled = list(prompts)
    Random(name).shuffle(shuffled)
    outcomes = runner.run([Request.of(prompt) for prompt in shuffled])
    texts = [item.reply.text if item.reply else "" for item in outcomes]
    wrong = sum(text != f"echo: {prompt}" for prompt, text in zip(shuffled, texts, strict=True))
    return len(outcomes), wrong, runner.spent.calls


def command(*arguments: str) -> tuple[int, str]:
    """Run Semscale's program; give its exit code and its errors."""
    from semscale.cli.main import main

    with redirect_stdout(StringIO()), redirect_stderr(StringIO()) as errors:
        return main(list(arguments)), errors.getvalue()
