"""A gate on the mean score of a judge or a panel: passed, failed or undecided."""

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from semscale.settings import Option, Settings

if TYPE_CHECKING:
    from semscale.stats.intervals import MeanEstimate

_GATE = "Gate"


class ScoreGate(Settings):
    """Settings of the gate.

    Raises:
        InputError: a limit out of range.
    """

    fail_under: Annotated[
        float | None,
        Field(
            ge=0,
            le=1,
            description="Lowest mean score that passes, from 0 to 1 (exit code 1 below it).",
        ),
        Option(_GATE, "SCORE"),
    ] = None
    decide_by: Annotated[
        Literal["estimate", "interval"],
        Field(
            description="Figure that --fail-under compares: estimate, or interval, which is undecided around "
            "the limit."
        ),
        Option(_GATE, "FIGURE", rare=True),
    ] = "estimate"

    def decide(self, mean: "MeanEstimate", n: int) -> "GateVerdict | None":
        """Decide on the mean score of n rows; ``None`` without a limit.

        A row without a score is neither left out nor counted as 0: the mean passes if it would pass with 0
        for all of them, and fails if it would fail with 1.

        Args:
            mean: mean of the rows with a score, 0 to 1, with its interval.
            n: number of all rows.
        """
        if self.fail_under is None:
            return None
        low, high = mean.value, mean.value
        if self.decide_by == "interval":
            low, high = mean.low, mean.high
        scored = mean.n / n if n else 0.0
        # With an unscored share u, the mean of all rows lies between (1 - u) low and (1 - u) high + u.
        least, most = scored * low, scored * high + 1 - scored
        outcome = GateOutcome.UNDECIDED
        if mean.n and least >= self.fail_under - _ROUNDING:
            outcome = GateOutcome.PASSED
        elif mean.n and most < self.fail_under - _ROUNDING:
            outcome = GateOutcome.FAILED
        return GateVerdict(self.fail_under, self.decide_by, outcome, mean, n - mean.n, least, most)


_ROUNDING = 1e-9  # sums of tenths
_NEAR = 0.01  # difference from the limit that two digits may hide


class GateOutcome(StrEnum):
    """Outcome of the gate."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class GateVerdict:
    """Decision of the gate.

    Attributes:
        fail_under: the lowest mean score that passes.
        decide_by: what was compared with it, ``estimate`` or ``interval``.
        outcome: the outcome.
        mean: mean of the rows with a score.
        n_unscored: number of rows without a score.
        least: mean of all rows if rows without a score had 0; the lower end of its interval if that decides,
            NaN if a single score has none.
        most: mean of all rows if they had 1; likewise the upper end.
    """

    fail_under: float
    decide_by: str
    outcome: GateOutcome
    mean: "MeanEstimate"
    n_unscored: int
    least: float
    most: float

    @property
    def reason(self) -> str:
        """The decision and what it rests on, in one sentence.

        Examples:
            >>> from semscale.stats.intervals import MeanEstimate
            >>> mean = MeanEstimate(0.9, 0.8, 0.96, 40, 10, 40, "bootstrap")
            >>> ScoreGate(fail_under=0.8).decide(mean, 50).reason.partition(";")[0]
            'undecided: 10 of 50 rows have no score'
            >>> ScoreGate(fail_under=0.8).decide(mean, 40).reason
            'passed: the mean score 0.90 [0.80, 0.96] is at least 0.80'
        """
        limit, n = _format_score(self.fail_under), self.mean.n + self.n_unscored
        if not self.mean.n:
            return f"{self.outcome}: none of {n:,} rows has a score"
        has_bounds = not math.isnan(self.least)  # a single score has no interval
        if self.outcome is GateOutcome.UNDECIDED and self.n_unscored and has_bounds:
            mean = "the interval of the mean" if self.decide_by == "interval" else "the mean"
            have, them = ("has", "it") if self.n_unscored == 1 else ("have", "them")
            return (
                f"undecided: {self.n_unscored:,} of {n:,} rows {have} no score; with scores from 0 to 1 for "
                f"{them}, {mean} can reach from {self.least:.2f} to {self.most:.2f}, and the limit is {limit}"
            )
        is_near = abs(self.mean.value - self.fail_under) < _NEAR
        mean = f"the mean score {_format_score(self.mean.value) if is_near else f'{self.mean.value:.2f}'}"
        if self.mean.method is not None:
            mean += f" [{self.mean.low:.2f}, {self.mean.high:.2f}]"
        if self.outcome is GateOutcome.UNDECIDED:
            if self.mean.method is None:
                return f"undecided: {mean} is of a single row and has no interval"
            return f"undecided: {limit} lies within the interval of {mean}"
        relation = "is at least" if self.outcome is GateOutcome.PASSED else "is below"
        any_score = ", whatever the scores of the other rows" if self.n_unscored else ""
        return f"{self.outcome}: {mean} {relation} {limit}{any_score}"

    def record(self) -> dict[str, Any]:
        """Return the decision by name, for JSON."""
        return {
            "fail_under": self.fail_under,
            "decide_by": self.decide_by,
            "outcome": str(self.outcome),
            "n_unscored": self.n_unscored,
            "reason": self.reason,
        }


def _format_score(value: float) -> str:
    """Write a score with two digits, or with as many as it needs up to four.

    Examples:
        >>> _format_score(0.8), _format_score(0.7996), _format_score(0.825)
        ('0.80', '0.7996', '0.825')
    """
    text = f"{value:.4f}"
    return text[:4] + text[4:].rstrip("0")
