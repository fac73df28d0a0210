"""What the calls of a study took."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

_CAP = re.compile(r"the cap of \S+ \w+")
_SPENT = re.compile(r"(?<=has no room for the next call): [^;]*")


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
        return cls(
            ", ".join(each.model for each in parts),
            sum(each.calls for each in parts),
            sum(each.tokens for each in parts),
            sum(money) if is_known else None,
            parts[0].currency if is_known else None,
            stopped=_stopped(parts),
            by_model=tuple(parts),
        )

    @property
    def each(self) -> tuple["RunFacts", ...]:
        """Facts of each model; of the only one where there are no several."""
        return self.by_model or (self,)


def _stopped(parts: Sequence[RunFacts]) -> str | None:
    """Say why not everything was asked of which models; a cap that several reached is named once.

    Example:
        >>> cap = "the cap of 9 tokens has no room for the next call"
        >>> _stopped([RunFacts("a", stopped=f"{cap}: 4 spent"), RunFacts("b", stopped=f"{cap}: 8 spent")])
        'a and b: the cap of 9 tokens has no room for the next call'
    """
    reasons: dict[str, list[RunFacts]] = {}
    for each in parts:
        if each.stopped is not None:
            reasons.setdefault(_cap_in(each.stopped), []).append(each)
    said = [
        f"{_listed([each.model for each in found])}: {_joined_reason(found)}" for found in reasons.values()
    ]
    return "; ".join(said) or None


def _listed(names: Sequence[str]) -> str:
    """Join names as a sentence does.

    Example:
        >>> _listed(["a"]), _listed(["a", "b", "c"])
        ('a', 'a, b and c')
    """
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _joined_reason(found: Sequence[RunFacts]) -> str:
    """Give the reason of one model as it is; of several that of the first, without what it has spent."""
    reason = str(found[0].stopped)
    return reason if len(found) == 1 else _SPENT.sub("", reason)


def _cap_in(reason: str) -> str:
    """Name the cap that a reason is about, without the part of one model; another reason as it is."""
    named = _CAP.match(reason)
    return reason if named is None else named.group()
