"""What the calls of a study took."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class RunFacts:
    """What a run took, and how it ended.

    Attributes:
        model: name of the model that answered.
        calls: calls that this run sent; replies from the ledger need none.
        tokens: of these calls' prompts and replies.
        money: what they cost; ``None`` where no price is known.
        currency: of the money.
        form: in which the model decided; ``None`` where it did not.
        not_taken: why forms of decisions were not taken, by their names.
        stopped: why not everything was asked, or ``None``.
        left_out: parameters that the model refused, so that it was asked without them.
        by_model: the same for each model, where several were asked; empty otherwise.
    """

    model: str
    calls: int = 0
    tokens: int = 0
    money: float | None = None
    currency: str | None = None
    form: str | None = None
    not_taken: Mapping[str, str] = field(default_factory=dict)
    stopped: str | None = None
    left_out: tuple[str, ...] = ()
    by_model: tuple["RunFacts", ...] = ()

    @classmethod
    def joined(cls, parts: Sequence["RunFacts"]) -> "RunFacts":
        """Sum up what several models took; money only where it is known of all of them in one currency.

        Args:
            parts: of each model, at least one.

        Example:
            >>> both = RunFacts.joined([RunFacts("a", calls=2, money=1.0), RunFacts("b", calls=3)])
            >>> both.model, both.calls, both.money
            ('a, b', 5, None)
        """
        if len(parts) == 1:
            return parts[0]
        money = [each.money for each in parts if each.money is not None]
        is_known = len(money) == len(parts) and len({each.currency for each in parts}) == 1
        stopped = [f"{each.model}: {each.stopped}" for each in parts if each.stopped is not None]
        return cls(
            ", ".join(each.model for each in parts),
            sum(each.calls for each in parts),
            sum(each.tokens for each in parts),
            sum(money) if is_known else None,
            parts[0].currency if is_known else None,
            stopped="; ".join(stopped) or None,
            by_model=tuple(parts),
        )

    @property
    def each(self) -> tuple["RunFacts", ...]:
        """Facts of each model; of the only one where there are no several."""
        return self.by_model or (self,)
