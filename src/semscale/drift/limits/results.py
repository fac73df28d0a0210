"""What checking hard limits and must-pass items came to."""

from dataclasses import dataclass, field
from enum import StrEnum

from semscale.drift.limits.kinds import LIMITS, most_allowed
from semscale.drift.limits.totals import CHANCE, LostTotal


class LimitOutcome(StrEnum):
    """What a hard limit came to."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True)
class LimitCheck:
    """The check of one hard limit, over all items or those of one slice.

    Attributes:
        name: one of ``LIMITS``.
        allowed: the setting: items that may break it, a share of them if it is below 1.
        n: number of items that can break it.
        items: ids of the items that break it.
        excused: ids of the items that would, but a rerun of the baseline does, too.
        group: kind and name of the slice with this limit; ``None`` where it is that of all other items.
        outside: kinds and names of the slices with limits of their own of this name, where ``group`` is
            ``None``.
        lost_share: the setting of this name.
        total: where the limit is that of a total, what the candidate has of it: ``n`` is then the total of
            baseline and reruns, and ``items`` those in which every other run has more, if any is lost in all.
        p_value: probability that an unchanged model does as badly; ``None`` where that is not asked.
        n_unchecked: number of further items that could break it, but of which nothing is known.
    """

    name: str
    allowed: float
    n: int
    items: tuple[str, ...] = ()
    excused: tuple[str, ...] = ()
    group: tuple[str, str] | None = None
    lost_share: float = 0.5
    outside: tuple[tuple[str, str], ...] = ()
    total: LostTotal | None = None
    p_value: float | None = None
    n_unchecked: int = 0

    @property
    def n_broken(self) -> int:
        """How many items break it; of a total, how many outputs or numbers are lost."""
        return len(self.items) if self.total is None else self.total.n_lost

    @property
    def exceeded(self) -> bool:
        """Whether more items break it than are allowed, or more of a total is lost."""
        if self.total is not None:
            return self.total.exceeds(self.allowed)
        return len(self.items) > most_allowed(self.allowed, self.n)

    @property
    def passed(self) -> bool:
        """Whether it is not exceeded, or no more than chance explains; also where nothing was checked."""
        by_chance = self.p_value is not None and not self.p_value < CHANCE
        return by_chance or not self.exceeded

    @property
    def outcome(self) -> LimitOutcome:
        """What it came to: it passes only if something could break it, and all of that was looked at."""
        if not self.passed:
            return LimitOutcome.FAIL
        return LimitOutcome.PASS if self.n and not self.n_unchecked else LimitOutcome.NOT_CHECKED

    @property
    def about(self) -> str:
        """The items that can break it, in words."""
        return LIMITS[self.name].about

    @property
    def broken(self) -> str:
        """What became of the items that break it, in words."""
        return LIMITS[self.name].said(self.lost_share)


@dataclass(frozen=True)
class MustPassCheck:
    """The check of one item that must not become worse.

    Attributes:
        id: the item's.
        reasons: what became worse, each in words; none if nothing did.
    """

    id: str
    reasons: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """Whether nothing became worse."""
        return not self.reasons
