"""A judge's verdicts on the outputs of two runs: wins, ties and losses."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.stats.intervals import IntervalPlan, MeanEstimate, estimate_mean
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.judging.comparing import PairVerdicts

WON, TIED, LOST = 1.0, 0.5, 0.0
"""Points of an item for the candidate."""


@dataclass(frozen=True)
class WinRecord:
    """How a candidate did beside a baseline.

    Attributes:
        wins: items in which the candidate was better, both orders taken together.
        ties: items in which neither was.
        losses: items in which it was worse.
        share: mean of its points: 1 for a win, a half for a tie.
        first_place: mean points of what stood first, 0.5 without position bias.
    """

    wins: int
    ties: int
    losses: int
    share: MeanEstimate
    first_place: MeanEstimate


@dataclass(frozen=True)
class JudgedRuns:
    """A judge's verdicts on a candidate and a baseline.

    Attributes:
        points: shape (n,), the candidate's points in each item; NaN where neither run has an output, and
            without a verdict in both orders.
        verdicts: on the items in which both have an output.
    """

    points: Floats
    verdicts: "PairVerdicts"

    @property
    def n_unjudged(self) -> int:
        """Pairs of outputs without a verdict in both orders."""
        return int(np.isnan(self.verdicts.points).sum())

    def summarize(self, plan: IntervalPlan) -> WinRecord:
        """Count wins, ties and losses.

        Args:
            plan: how intervals are made.
        """
        known = self.points[~np.isnan(self.points)]
        wins, losses = int((known > TIED).sum()), int((known < TIED).sum())
        bounds = (LOST, WON)
        return WinRecord(
            wins,
            len(known) - wins - losses,
            losses,
            estimate_mean(self.points, bounds=bounds, plan=plan),
            estimate_mean(self.verdicts.first_place, bounds=bounds, plan=plan),
        )
