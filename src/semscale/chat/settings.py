"""Settings of calls, from which options and docs derive: their parameters, pace and spending."""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from semscale.chat.messages import Request, Usage
from semscale.settings import Option, Settings

CALLS, CHAT = "Calls", "Chat model"
"""Titles of the options' panels in the help."""

_SILENCE = 300.0
_UNREACHED = 30.0


class Limits(Settings):
    """Limits of concurrent calls, of requests and tokens per minute, and of waits for a reply.

    Raises:
        InputError: a limit is not above 0.

    Examples:
        >>> Limits().longest_silence, Limits(timeout=400.0).longest_silence
        (300.0, 800.0)
    """

    concurrency: Annotated[
        int,
        Field(ge=1, description="Concurrent calls to each model."),
        Option(CALLS, rare=True, configurable=True),
    ] = 16
    requests_per_minute: Annotated[
        float | None,
        Field(gt=0, description="Calls per minute to each model."),
        Option(CALLS, "NUMBER", name="--per-minute", rare=True, configurable=True),
    ] = None
    tokens_per_minute: Annotated[
        float | None,
        Field(
            gt=0,
            description="Tokens of prompts and replies per minute: estimated before a call, then corrected.",
        ),
    ] = None
    timeout: Annotated[
        float,
        Field(gt=0, description="Seconds to wait for a reply before the call is repeated."),
        Option(CALLS, "SECONDS", rare=True, configurable=True),
    ] = 120.0
    give_up_after: Annotated[
        float | None,
        Field(
            gt=0,
            description="Give up after this many seconds without a reply (default: 300, or twice --timeout).",
        ),
        Option(CALLS, "SECONDS", rare=True, configurable=True),
    ] = None

    @property
    def longest_silence(self) -> float:
        """Seconds without any reply after which a run stops: enough for most servers to restart.

        Twice the timeout if that is longer, so that each call is tried at least twice.
        """
        return self.give_up_after or max(_SILENCE, 2 * self.timeout)

    @property
    def longest_unreached(self) -> float:
        """Seconds after which a run stops if no call has ever reached the endpoint."""
        return self.give_up_after or _UNREACHED


@dataclass
class Spent:
    """Calls, tokens and money that were spent.

    Attributes:
        calls: number of sent calls, including retries.
        usage: tokens of prompts and replies.
        money: cost; ``None`` if the price is unknown.
        replies: number of received replies, including replies from the ledger.
    """

    calls: int
    usage: Usage
    money: float | None
    replies: int = 0

    def plus(self, other: "Spent") -> "Spent":
        """Return the sum with later spending."""
        known = self.money is not None and other.money is not None
        return Spent(
            self.calls + other.calls,
            self.usage.plus(other.usage),
            (self.money or 0.0) + (other.money or 0.0) if known else None,
            self.replies + other.replies,
        )


class Budget(Settings):
    """Limits of a run's spending; replies from the ledger cost nothing.

    Raises:
        InputError: a cap is below 0.
    """

    calls: Annotated[
        int | None,
        Field(ge=0, description="Maximum number of calls."),
        Option(CALLS, "NUMBER", name="--max-calls", rare=True, configurable=True),
    ] = None
    tokens: Annotated[
        int | None,
        Field(ge=0, description="Maximum number of tokens of prompts and replies."),
        Option(CALLS, "NUMBER", name="--max-total-tokens", rare=True, configurable=True),
    ] = None
    money: Annotated[
        float | None,
        Field(ge=0, description="Maximum cost, in the currency of the prices."),
        Option(CALLS, "MONEY", name="--max-cost", configurable=True),
    ] = None
    whole: Annotated[
        "Budget | None",
        Field(description="The full budget if this is a remainder or a part of one, for messages."),
    ] = None
    earlier: Annotated[Spent | None, Field(description="Earlier spending of this part.")] = None
    sharers: Annotated[
        str | None,
        Field(description="The equal parts, for messages, such as 3 judges; none if this is no part."),
    ] = None

    def after(self, spent: Spent) -> "Budget":
        """Return the rest of the budget after spending."""
        return Budget(
            calls=None if self.calls is None else max(self.calls - spent.calls, 0),
            tokens=None if self.tokens is None else max(self.tokens - spent.usage.tokens, 0),
            money=None if self.money is None else max(self.money - (spent.money or 0.0), 0.0),
            whole=self.whole or self,
            earlier=spent if self.earlier is None else self.earlier.plus(spent),
            sharers=self.sharers,
        )

    def divide(self, parts: int, sharers: str) -> "Budget":
        """Return an equal part of the budget.

        Args:
            parts: number of parts, at least 1.
            sharers: name of those who get the parts, in the plural.

        Examples:
            >>> part = Budget(calls=10).divide(3, "judges")
            >>> part.calls, part.whole.calls, part.sharers
            (3, 10, '3 judges')
            >>> part.divide(2, "rounds").sharers
            '2 rounds of each of 3 judges'
        """
        if parts == 1:
            return self
        among = f"{parts:,} {sharers}"
        return Budget(
            calls=None if self.calls is None else self.calls // parts,
            tokens=None if self.tokens is None else self.tokens // parts,
            money=None if self.money is None else self.money / parts,
            whole=self.whole or self,
            sharers=among if self.sharers is None else f"{among} of each of {self.sharers}",
        )


class AskSettings(Settings):
    """Parameters of requests; ``None`` for the model's default.

    Raises:
        InputError: a number is out of range.
    """

    temperature: Annotated[
        float | None,
        Field(description="Temperature of the replies (default: the model's)."),
        Option(CHAT, name="--chat-temperature", rare=True),
    ] = None
    system: Annotated[
        str | None,
        Field(description="Instructions sent before every prompt."),
        Option(CHAT, "TEXT", name="--system-prompt", rare=True),
    ] = None
    max_tokens: Annotated[
        int | None, Field(description="Maximum number of tokens of a reply."), Option(CHAT, rare=True)
    ] = None

    def model_post_init(self, _context: object) -> None:
        """Check the numbers by a request."""
        self.request("checked", 0)

    def request(self, prompt: str, sample: int) -> Request:
        """Build the request of a prompt; each sample number is a separate call."""
        parameters = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return Request.of(prompt, system=self.system, sample=sample, **parameters)

    @property
    def given(self) -> dict[str, object]:
        """Settings that are not ``None``, by name."""
        return self.model_dump(exclude_none=True)
