"""Options of every command that asks a chat model: how fast, how much at most, and where replies are kept."""

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.model import option

if TYPE_CHECKING:
    from semscale.chat.budget import Budget
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.forecast import Forecast
    from semscale.chat.ledger.ledger import Ledger
    from semscale.chat.limits import Limits
    from semscale.chat.runner import Runner
    from semscale.judging.asking import Running

_CALLS = "Calls"

Concurrency = Annotated[
    int, option(_CALLS, "--concurrency", "Calls at once, of each model.", shown=True, metavar="NUMBER")
]
PerMinute = Annotated[
    float | None, option(_CALLS, "--per-minute", "Calls a minute, of each model.", metavar="NUMBER")
]
MaxCalls = Annotated[int | None, option(_CALLS, "--max-calls", "Stop after so many calls.", metavar="NUMBER")]
MaxCost = Annotated[float | None, option(_CALLS, "--max-cost", "Stop before more is spent.", metavar="MONEY")]
LedgerFile = Annotated[
    str | None,
    option(_CALLS, "--ledger", "File that keeps replies; Semscale's own unless given.", metavar="FILE"),
]
DryRun = Annotated[bool, option(_CALLS, "--dry-run", "Say what it would take, and ask nobody.")]


@dataclass(frozen=True)
class CallSettings:
    """How fast a command asks, how much at most, and where it keeps replies.

    Attributes:
        concurrency: calls at once, of each model.
        per_minute: calls a minute, of each model.
        calls: most calls that are sent, of all models together.
        money: most that is spent, in the currency of the price table.
        ledger_file: file that keeps replies; Semscale's own unless given.
    """

    concurrency: int = 16
    per_minute: float | None = None
    calls: int | None = None
    money: float | None = None
    ledger_file: str | None = None

    def running(self) -> "Running":
        """How a judge's calls are made."""
        from semscale.judging.asking import Running

        return Running(limits=self._limits, budget=self._budget, ledger=self._ledger)

    def runner(self, model: "ChatModel") -> "Runner":
        """What sends requests to a model."""
        from semscale.chat.runner import Runner

        return Runner(model, limits=self._limits, budget=self._budget, ledger=self._ledger)

    def forecasts(
        self, works: "Mapping[str, Callable[[Ledger], Coroutine[object, object, Forecast]]]"
    ) -> "dict[str, Forecast]":
        """Say what asking each model would take, beside the replies that the ledger has.

        Args:
            works: by the model's name, a function that counts its requests beside a ledger.
        """
        from semscale.chat.ledger.ledger import Ledger
        from semscale.chat.runner import run_apart

        ledger = Ledger(self.ledger_file)
        try:
            return {name: run_apart(work(ledger)) for name, work in works.items()}
        finally:
            ledger.close()

    @property
    def _limits(self) -> "Limits":
        from semscale.chat.limits import Limits

        return Limits(concurrency=self.concurrency, requests_per_minute=self.per_minute)

    @property
    def _budget(self) -> "Budget":
        from semscale.chat.budget import Budget

        return Budget(calls=self.calls, money=self.money)

    @property
    def _ledger(self) -> str | bool:
        return True if self.ledger_file is None else self.ledger_file
