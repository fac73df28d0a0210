"""Options of every command that asks a chat model: pace, caps, and where replies are kept."""

from collections.abc import Callable, Coroutine, Mapping
from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import CALLS, option, setting

if TYPE_CHECKING:
    from semscale.chat.budget import Budget
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.forecast import Forecast
    from semscale.chat.ledger.ledger import Ledger
    from semscale.chat.pacing import Limits
    from semscale.chat.runner import Runner, Running


@option_group
class CallOptions:
    """Pace and caps of calls, and where replies are kept.

    Attributes:
        concurrency: calls at once, of each model; so many are sent again after a kill.
        per_minute: calls a minute, of each model.
        timeout: seconds after which a call without a reply fails, and is repeated.
        give_up_after: seconds without any reply after which the run ends; 300 unless given, or twice the
            timeout if that is longer, and 30 where the endpoint was never reached.
        max_calls: most calls that are sent, of all models together.
        max_total_tokens: most tokens of prompts and replies, of all models together.
        max_cost: most that is spent, in the currency of the price table.
        ledger: file or server that keeps replies; Semscale's own file unless given.
        dry_run: whether nobody is asked.
    """

    concurrency: Annotated[
        int,
        setting(CALLS, "Calls at once, of each model; a kill -9 loses these, and they are sent again."),
    ] = 16
    per_minute: Annotated[float | None, option(CALLS, "Calls a minute, of each model.", "NUMBER")] = None
    timeout: Annotated[
        float,
        setting(
            CALLS,
            "Longest wait for a reply; the call is then repeated.",
            "SECONDS",
        ),
    ] = 120.0
    give_up_after: Annotated[
        float | None,
        option(
            CALLS,
            "End after so long without any reply; 300 unless given (twice --timeout if that is longer), and "
            "30 where nobody was ever reached.",
            "SECONDS",
        ),
    ] = None
    max_calls: Annotated[int | None, option(CALLS, "Stop after so many calls.", "NUMBER")] = None
    max_total_tokens: Annotated[
        int | None, option(CALLS, "Stop before more tokens, of prompts and replies, are spent.", "NUMBER")
    ] = None
    max_cost: Annotated[float | None, option(CALLS, "Stop before more is spent.", "MONEY")] = None
    ledger: Annotated[
        str | None,
        option(
            CALLS,
            "SQLite file, or URL of a PostgreSQL database, that keeps replies; SEMSCALE_LEDGER or Semscale's "
            "own file unless given.",
            "FILE|URL",
        ),
    ] = None
    dry_run: Annotated[bool, option(CALLS, "Say how many calls it would take, and ask nobody.")] = False

    def running(self, ledger: "Ledger | None" = None) -> "Running":
        """How calls are made.

        Args:
            ledger: that is open; the options' own unless given.
        """
        from semscale.chat.runner import Running

        return Running(limits=self._limits, budget=self._budget, ledger=ledger or self._place)

    def open_ledger(self) -> "Ledger":
        """Open the ledger that keeps replies."""
        from semscale.chat.ledger.ledger import Ledger

        return Ledger(self.ledger)

    def runner(self, model: "ChatModel") -> "Runner":
        """The runner that sends requests to a model."""
        from semscale.chat.runner import Runner

        return Runner(model, limits=self._limits, budget=self._budget, ledger=self._place)

    def forecasts(
        self, works: "Mapping[str, Callable[[Ledger], Coroutine[object, object, Forecast]]]"
    ) -> "dict[str, Forecast]":
        """Forecast the calls to each model, without those whose replies the ledger has.

        Args:
            works: by the model's name, a function that forecasts its requests with a ledger.
        """
        from semscale.chat.runner import run_apart

        ledger = self.open_ledger()
        try:
            return {name: run_apart(work(ledger)) for name, work in works.items()}
        finally:
            ledger.close()

    @property
    def _limits(self) -> "Limits":
        from semscale.chat.pacing import Limits

        return Limits(
            concurrency=self.concurrency,
            requests_per_minute=self.per_minute,
            timeout=self.timeout,
            give_up_after=self.give_up_after,
        )

    @property
    def _budget(self) -> "Budget":
        from semscale.chat.budget import Budget

        return Budget(calls=self.max_calls, tokens=self.max_total_tokens, money=self.max_cost)

    @property
    def _place(self) -> str | bool:
        return True if self.ledger is None else self.ledger
