"""What the gate decided, and by which tests."""

import math
from dataclasses import dataclass, field
from enum import StrEnum

from semscale.drift.gate.settings import GateSettings
from semscale.signature import Signature
from semscale.stats.intervals.means import MeanEstimate


class Outcome(StrEnum):
    """What a test or the gate came to."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class DriftTest:
    """One metric's test, over all items or one group.

    Attributes:
        metric: its name.
        group: kind and name, such as ``("exercise", "6715")``; ``None`` for all items.
        loss: mean loss of the candidate.
        drift: mean drift with its interval.
        noise: mean loss of the baseline's reruns; ``None`` without one.
        margin: drift from which on it is material.
        p_value: one-sided, of no drift; NaN where nothing can be tested.
        p_adjusted: the same after correction for the number of tests.
        is_significant: whether ``p_adjusted`` lies below alpha.
        is_material: whether the mean drift is at least the margin.
        outcome: what it came to.
        n_needed: items that would decide it if mean and spread stayed as they are; ``None`` where it is
            decided, or no number would.
    """

    metric: str
    group: tuple[str, str] | None
    loss: float
    drift: MeanEstimate
    noise: float | None
    margin: float
    p_value: float
    p_adjusted: float
    is_significant: bool
    is_material: bool
    outcome: Outcome
    n_needed: int | None = None

    @property
    def urgency(self) -> tuple[int, bool, float]:
        """Sorts tests: failed, undecided, passed; those over all items first; then by drift in margins."""
        order = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.PASS).index(self.outcome)
        return order, self.group is not None, -in_margins(self.drift.value, self.margin)


@dataclass(frozen=True)
class ThresholdCheck:
    """An absolute threshold held against the candidate's mean.

    Attributes:
        name: as the settings have it, such as ``min_bertscore_f1``.
        metric: what it is about.
        limit: the threshold.
        value: the candidate's mean, in the threshold's own terms; NaN where it has none.
        passed: whether it holds; a candidate without a value does not pass.
    """

    name: str
    metric: str
    limit: float
    value: float
    passed: bool


@dataclass(frozen=True)
class SequenceTest:
    """One metric over all runs against one baseline, valid whenever one looks.

    Attributes:
        metric: its name.
        losses: each run's mean loss, in the order of time, the candidate's last.
        allowed: mean loss up to which nothing is wrong: what reruns lose, and the margin.
        evidence: after each run, the greatest e-value so far against "at most ``allowed`` on average".
        p_adjusted: anytime-valid p-value, ``min(1, 1 / evidence)``, corrected for the number of metrics.
        is_significant: whether it lies below alpha.
    """

    metric: str
    losses: tuple[float, ...]
    allowed: float
    evidence: tuple[float, ...]
    p_adjusted: float
    is_significant: bool

    @property
    def mean_loss(self) -> float:
        """Mean of all runs' losses; NaN without a run."""
        return sum(self.losses) / len(self.losses) if self.losses else math.nan

    @property
    def latest_evidence(self) -> float:
        """Evidence after the latest run; NaN without a run."""
        return self.evidence[-1] if self.evidence else math.nan


@dataclass(frozen=True)
class GateDecision:
    """What the gate decided about one candidate.

    Attributes:
        outcome: the decision.
        tests: of every metric and group.
        thresholds: absolute ones that were set.
        sequence: tests over all runs, where these were asked for.
        cautions: what a reader must know, such as a threshold that random text passes.
        signature: how it was measured and decided.
        settings: of the gate.
    """

    outcome: Outcome
    tests: tuple[DriftTest, ...]
    thresholds: tuple[ThresholdCheck, ...]
    sequence: tuple[SequenceTest, ...]
    cautions: tuple[str, ...]
    signature: Signature
    settings: GateSettings = field(default_factory=GateSettings)

    @property
    def overall(self) -> tuple[DriftTest, ...]:
        """Tests over all items, in the order of the metrics."""
        return tuple(test for test in self.tests if test.group is None)

    @property
    def n_needed(self) -> int | None:
        """Items that would decide every undecided test over all items; ``None`` where no number would."""
        needed = [test.n_needed for test in self.overall if test.outcome is Outcome.UNDECIDED]
        return None if not needed or None in needed else max(n for n in needed if n is not None)


def in_margins(drift: float, margin: float) -> float:
    """Give a drift as a multiple of its margin.

    Args:
        drift: mean drift; NaN where there is none.
        margin: drift from which on it is material, at least 0.

    Returns:
        Minus infinity without a drift. Of a margin of 0 a drift of 0 is none, and any other infinitely many.

    Example:
        >>> in_margins(0.5, 0.25), in_margins(0.0, 0.0), in_margins(-0.1, 0.0), in_margins(math.nan, 0.1)
        (2.0, 0.0, -inf, -inf)
    """
    if math.isnan(drift):
        return -math.inf
    if margin > 0:
        return drift / margin
    return math.copysign(math.inf, drift) if drift else 0.0
