"""Summary of systems that a judge compared: records, pairs, and who is best."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import combinations
from typing import Any

import numpy as np

from semscale.errors import InputError
from semscale.judging.comparing.sides import SidesSummary, SystemPairs, side_by_side
from semscale.judging.side_by_side import TIE
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.stats.intervals.means import MeanEstimate, estimate_mean

_ALIKE = 1e-9  # chances that differ by rounding alone


@dataclass(frozen=True)
class HeadToHead:
    """Two systems side by side.

    Attributes:
        first: number of the one, from 0.
        second: number of the other.
        wins: questions on which the first was better, both orders taken together.
        ties: questions on which neither was.
        losses: questions on which the first was worse.
        n_unjudged: questions without a verdict in both orders.
        n_moved: questions whose verdict changes with the order.
        win_rate: mean points of the first, 1 for a win and a half for a tie, 0 to 1.
    """

    first: int
    second: int
    wins: int
    ties: int
    losses: int
    n_unjudged: int
    n_moved: int
    win_rate: MeanEstimate


@dataclass(frozen=True, repr=False)
class SystemComparison(Presentable):
    """Systems compared by a judge.

    Attributes:
        source: what the table is called.
        systems: names of the k systems, with their columns.
        sides: records, strengths and position bias.
        duels: one for every two systems.
        counts: rows by status; ``scored`` were compared.
        plan: how intervals are made.
        created: when.
    """

    source: str
    systems: Mapping[str, str]
    sides: SidesSummary
    duels: tuple[HeadToHead, ...]
    counts: Mapping[str, int]
    plan: IntervalPlan
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        best = f", best={self.names[self.sides.best]!r}" if self.sides.best is not None else ""
        return f"SystemComparison(source={self.source!r}, systems={self.names}{best})"

    @property
    def names(self) -> list[str]:
        """The systems' names, in their order."""
        return list(self.systems)

    @property
    def signature(self) -> Signature:
        """What the judge applied, and how intervals were made."""
        return self.sides.pairs.judged.signature.with_settings("estimate", self.plan.settings)

    @property
    def not_told_apart(self) -> tuple[str, ...]:
        """Systems whose difference to the best one may be chance."""
        if self.sides.best is None:
            return ()
        over = enumerate(zip(self.names, self.sides.over_best, strict=True))
        return tuple(
            name
            for place, (name, chance) in over
            if chance is not None and not self.sides.is_told_apart(place)
        )

    @property
    def as_good(self) -> tuple[str, ...]:
        """Systems that are exactly as good as the best one."""
        over = zip(self.names, self.sides.over_best, strict=True)
        return tuple(name for name, chance in over if chance is not None and abs(chance.value - TIE) < _ALIKE)

    @property
    def stopped(self) -> str | None:
        """Why not every pair was asked about, or ``None``."""
        return self.sides.pairs.judged.stopped

    @property
    def failed(self) -> str | None:
        """Why no pair has a verdict; ``None`` where one has, or where nobody was asked."""
        judged = self.sides.pairs.judged
        if judged.n_asked == 0 or not np.isnan(judged.orders).all():
            return None
        if judged.unfinished.all():
            return None
        return max(judged.reasons, key=lambda reason: judged.reasons[reason], default=None)

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON."""
        names, sides = self.names, self.sides
        systems = [
            {
                "name": name,
                "column": self.systems[name],
                "wins": None if record is None else record.wins,
                "ties": None if record is None else record.ties,
                "losses": None if record is None else record.losses,
                "share": None if record is None else record.share,
                "preferred": None if record is None else record.chance,
                "over_best": over,
            }
            for name, record, over in zip(names, sides.records, sides.over_best, strict=True)
        ]
        duels = [
            {
                "first": names[duel.first],
                "second": names[duel.second],
                "wins": duel.wins,
                "ties": duel.ties,
                "losses": duel.losses,
                "n_unjudged": duel.n_unjudged,
                "n_moved": duel.n_moved,
                "win_rate": duel.win_rate,
            }
            for duel in self.duels
        ]
        return {
            "instrument": "judge compare",
            "source": self.source,
            "created": self.created,
            "counts": self.counts,
            "interval": self.plan.interval,
            "best": None if sides.best is None else names[sides.best],
            "not_told_apart": self.not_told_apart,
            "stopped": self.stopped,
            "systems": systems,
            "pairs": duels,
            "side_by_side": sides.record(),
            "signature": self.signature,
        }


def compared(
    source: str,
    systems: Mapping[str, str],
    pairs: SystemPairs,
    counts: Mapping[str, int],
    plan: IntervalPlan,
) -> SystemComparison:
    """Sum verdicts on pairs of systems up.

    Args:
        source: what the table is called.
        systems: names of the systems with their columns.
        pairs: with the verdicts.
        counts: rows by status.
        plan: how intervals are made.
    """
    names = list(systems)
    sides = side_by_side(pairs, names, plan)
    duels = tuple(_duel(pairs, one, other, plan) for one, other in combinations(range(len(names)), 2))
    return SystemComparison(source, dict(systems), sides, duels, dict(counts), plan)


def _duel(pairs: SystemPairs, first: int, second: int, plan: IntervalPlan) -> HeadToHead:
    mine = (pairs.first == first) & (pairs.second == second)
    points, orders = pairs.points[mine], pairs.judged.orders[mine]
    wins, losses = int((points > TIE).sum()), int((points < TIE).sum())
    n_unjudged = int(np.isnan(points).sum())
    return HeadToHead(
        first,
        second,
        wins,
        len(points) - wins - losses - n_unjudged,
        losses,
        n_unjudged,
        int(((orders[:, 0] != orders[:, 1]) & ~np.isnan(points)).sum()),
        estimate_mean(points, bounds=(0.0, 1.0), plan=plan),
    )


def system_names(a: str | None, b: str | None, systems: Sequence[str]) -> dict[str, str]:
    """Name the systems of a command: columns ``a`` and ``b``, and ``NAME=COLUMN`` for each further one.

    Raises:
        InputError: fewer than two, one without a column, or one name or column twice.

    Example:
        >>> system_names("old", "new", [])
        {'old': 'old', 'new': 'new'}
        >>> system_names(None, None, ["small=answer_1", "large=answer_2"])
        {'small': 'answer_1', 'large': 'answer_2'}
    """
    named = [(column, column) for column in (a, b) if column is not None]
    for written in systems:
        name, _, column = written.partition("=")
        if not name.strip() or not column.strip():
            raise InputError(f"--system must be NAME=COLUMN, got {written!r}")
        named.append((name.strip(), column.strip()))
    if len(named) < 2:  # noqa: PLR2004 - the fewest that can be compared
        raise InputError("name two systems or more, with --a COLUMN and --b COLUMN or --system NAME=COLUMN")
    for place, what in enumerate(("name", "column")):
        found = [pair[place] for pair in named]
        twice = next((each for number, each in enumerate(found) if each in found[:number]), None)
        if twice is not None:
            raise InputError(f"each system needs a {what} of its own, got {twice!r} twice")
    return dict(named)
