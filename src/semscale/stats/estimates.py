"""What is estimated about many ratings: figures with intervals, as a whole and by group."""

from dataclasses import dataclass
from typing import Literal

Method = Literal["bootstrap", "linearized"]
"""``bootstrap``: percentile interval over resampled clusters. ``linearized``: normal interval, Taylor variance."""


@dataclass(frozen=True)
class Estimate:
    """A figure with its interval.

    Attributes:
        value: the figure itself.
        low: lower end of the interval, NaN where there is none (fewer than two clusters).
        high: upper end, NaN likewise.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class GroupEstimate:
    """All figures about one group of ratings.

    Attributes:
        group: the group's name; ``None`` for everything, or for rows whose group is missing.
        n: rows that count: scored, and with a weight.
        left_out: rows that do not count, by reason (a status, ``no-weight``, ``no-respondent``).
        effective_n: Kish's effective sample size, ``sum(w) ** 2 / sum(w ** 2)``; equals n without weights.
        mean: expected value on the scale; ``None`` as all other figures where no row counts.
        top_2_box: mass on the two highest points; ``None`` for scales with fewer than 4 points, where the
            boxes would overlap.
        bottom_2_box: mass on the two lowest points, likewise.
        net: top-2-box minus bottom-2-box, likewise.
        nps: mass on 9 and 10 minus mass on 0 to 6, -1 to 1; ``None`` unless the values are 0 to 10.
        pmf: mass of each point; empty where no row counts.
    """

    group: str | None
    n: int
    left_out: dict[str, int]
    effective_n: float
    mean: Estimate | None
    top_2_box: Estimate | None
    bottom_2_box: Estimate | None
    net: Estimate | None
    nps: Estimate | None
    pmf: tuple[Estimate, ...]


@dataclass(frozen=True)
class Estimates:
    """Figures about all ratings, and about each group.

    Attributes:
        overall: everything together.
        groups: in order of first appearance; empty unless groups were asked for.
        interval: coverage that the intervals aim at, such as 0.95.
        method: how the intervals were made.
        seed: of the bootstrap; ``None`` where nothing is random.
        replicates: of the bootstrap; 0 where there are none.
        clustered: whether respondents were resampled as a whole, instead of single rows.
    """

    overall: GroupEstimate
    groups: tuple[GroupEstimate, ...]
    interval: float
    method: Method
    seed: int | None
    replicates: int
    clustered: bool = False
