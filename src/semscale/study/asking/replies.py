"""What came back from the personas of a study."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from semscale.chat.costs.prices import Price
from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.outcomes import RequestOutcome
from semscale.study.asking.interviews import ReplyKey, Stop


@dataclass(frozen=True)
class Heard:
    """What came back for one stop.

    Attributes:
        prompt: hash of what was sent, 40 hex digits; of the first call where a decision takes several.
        outcomes: of its calls.
        decision: the answer to a decision; ``None`` for other kinds.
    """

    prompt: str
    outcomes: tuple[RequestOutcome, ...]
    decision: DecisionAnswer | None = None

    @property
    def text(self) -> str | None:
        """The reply's text; ``None`` without one, and for a decision."""
        reply = self.outcomes[0].reply
        return None if reply is None or self.decision is not None else reply.text


@dataclass(frozen=True)
class StudyReplies:
    """Everything that the personas replied, and what tells what it cost.

    Attributes:
        heard: by what it is about.
        stops: for each interview of a persona, all its stops; the samples of a persona stand together.
        no_decisions: why no decision was asked for; ``None`` where they were.
        price: of the model's tokens; ``None`` if unknown.
    """

    heard: Mapping[ReplyKey, Heard]
    stops: Sequence[Sequence[Stop]]
    no_decisions: str | None = None
    price: Price | None = None

    @property
    def left_out(self) -> tuple[str, ...]:
        """Parameters that the model refused, so that it was asked without them."""
        outcomes = (outcome for heard in self.heard.values() for outcome in heard.outcomes)
        return tuple(
            sorted({name for each in outcomes if each.reply is not None for name in each.reply.left_out})
        )
