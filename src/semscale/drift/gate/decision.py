"""The gate's decision with its tests and thresholds."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.drift.nights.night_drifts import EarlierNights
from semscale.signature import Signature
from semscale.stats.intervals import MeanEstimate


class Outcome(StrEnum):
    """The outcome of a test or of the gate."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    UNDECIDED = "undecided"


class MetricChange(StrEnum):
    """What became of a metric."""

    BETTER = "better"
    WORSE = "worse"
    NONE = "none"
    NOT_WORSE = "not worse"
    UNKNOWN = "unknown direction"
    UNDECIDED = "undecided"


FEWEST_TO_PASS = 10
"""Items with a value that a test needs to pass: of fewer that did not change, most others may have."""


@dataclass(frozen=True)
class MeanShift:
    """How much more or less the candidate has: outputs, or a field's total, for each output of an item.

    Attributes:
        mean: mean shift over the items, above 0 where the candidate has more.
        bound: upper confidence bound of its size; NaN if unknown.
        p_value: p-value of "its size is at least what is tolerated"; NaN if unknown.
    """

    mean: float
    bound: float
    p_value: float


@dataclass(frozen=True)
class DriftTest:
    """The test of one metric over all items or one group.

    Attributes:
        metric: name of the metric.
        group: kind and name of the group, such as ``("exercise", "6715")``; ``None`` for all items.
        loss: mean loss of the candidate.
        drift: mean drift with its interval.
        noise: mean loss of the baseline's reruns; ``None`` without a rerun.
        margin: the smallest material drift.
        p_value: one-sided p-value of "no drift"; NaN if nothing can be tested.
        p_adjusted: the p-value corrected for the number of tests.
        is_significant: whether ``p_adjusted`` is below alpha.
        is_material: whether the mean drift is at least the margin.
        outcome: the test's outcome.
        n_needed: number of items that would decide the test if mean and spread stayed the same; ``None`` if
            it is decided, if no number would decide it, or if one item has no spread.
        reruns_needed: number of further reruns that would decide it likewise; ``None`` as for ``n_needed``.
        tolerance: drift below which it must be shown to lie to pass: the margin, or a share of the noise.
        bound: one-sided upper confidence bound of the mean drift; NaN if unknown.
        p_equivalence: one-sided p-value of "the drift is at least the tolerance"; NaN if unknown.
        change: what became of the metric; ``None`` before anybody has said so.
        nights_as_reruns: how many further runs the earlier nights are worth in the estimate of the spread.
        shift: the mean shift; ``None`` where the metric has none, or it is not known.
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
    reruns_needed: int | None = None
    tolerance: float = math.nan
    bound: float = math.nan
    p_equivalence: float = math.nan
    change: MetricChange | None = None
    nights_as_reruns: float = 0.0
    shift: MeanShift | None = None

    @property
    def passed_by_shift(self) -> bool:
        """Whether it passed though its drift alone was not shown to be small."""
        is_shown = self.bound < self.tolerance or self.shift is None
        return self.outcome is Outcome.PASS and not is_shown

    @property
    def has_few_items(self) -> bool:
        """Whether some items have a value, but fewer than a test needs to pass."""
        return 0 < self.drift.n < FEWEST_TO_PASS

    @property
    def urgency(self) -> tuple[int, bool, float]:
        """Sorts tests: failed, undecided, passed; those over all items first; then by drift in margins."""
        order = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.PASS).index(self.outcome)
        return order, self.group is not None, -in_margins(self.drift.value, self.margin)


@dataclass(frozen=True)
class ThresholdCheck:
    """The check of a candidate's mean against an absolute threshold.

    Attributes:
        name: name of the threshold in the settings, such as ``min_bertscore_f1``.
        metric: name of the metric.
        limit: the threshold.
        value: the candidate's mean as a similarity or loss, like the threshold; NaN without a value.
        passed: whether the mean keeps the threshold; a candidate without a value does not pass.
        group: kind and name of the slice whose items the mean is of; ``None`` for all items.
    """

    name: str
    metric: str
    limit: float
    value: float
    passed: bool
    group: tuple[str, str] | None = None


EVIDENCE_PARTS = 4
"""Equal parts of alpha over runs: two for how far chance may mislead reruns, one for each of two bets."""


@dataclass(frozen=True)
class SequenceTest:
    """The test of one metric over all runs against one baseline; it may be repeated after every run.

    Attributes:
        metric: name of the metric.
        losses: mean loss of each run in the order of time; the candidate's is the last.
        allowed: the greatest mean loss that is no drift: the mean loss of reruns plus the margin.
        evidence: after each run, the greatest e-value so far against "at most ``allowed`` on average", or
            against "no more than the runs before".
        p_adjusted: anytime-valid p-value, corrected for the number of metrics.
        is_significant: whether ``p_adjusted`` is below alpha.
    """

    metric: str
    losses: tuple[float, ...]
    allowed: float
    evidence: tuple[float, ...]
    p_adjusted: float
    is_significant: bool

    @property
    def p_value(self) -> float:
        """Anytime-valid p-value after the latest run, not corrected: the evidence is one part of alpha's."""
        return min(1.0, EVIDENCE_PARTS / self.latest_evidence)

    def significant_since(self, alpha: float) -> int:
        """Return the number of the first run, from 1 on, after which the corrected p-value is below alpha.

        Args:
            alpha: level of all metrics together; the latest run's correction is that of every run.
        """
        correction = self.p_adjusted / self.p_value
        early = sum(correction * min(1.0, EVIDENCE_PARTS / one) >= alpha for one in self.evidence)
        return min(early + 1, len(self.evidence))

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
    """The gate's decision about one candidate.

    Attributes:
        outcome: the decision.
        tests: one test for every metric and group.
        thresholds: checks of the absolute thresholds in the settings.
        sequence: tests over all runs, if the settings ask for them.
        cautions: sentences that a reader must know, such as that random text passes a threshold.
        signature: settings of measurement and decision.
        settings: settings of the gate.
        limits: checks of the hard limits.
        must_pass: checks of the must-pass items.
        nights: earlier nights from which the noise was estimated, too.
    """

    outcome: Outcome
    tests: tuple[DriftTest, ...]
    thresholds: tuple[ThresholdCheck, ...]
    sequence: tuple[SequenceTest, ...]
    cautions: tuple[str, ...]
    signature: Signature
    settings: GateSettings = field(default_factory=GateSettings)
    limits: tuple[LimitCheck, ...] = ()
    must_pass: tuple[MustPassCheck, ...] = ()
    nights: EarlierNights = field(default_factory=EarlierNights)

    @property
    def overall(self) -> tuple[DriftTest, ...]:
        """Tests over all items, in the order of the metrics."""
        return tuple(test for test in self.tests if test.group is None)

    @property
    def broken_limits(self) -> tuple[LimitCheck, ...]:
        """The hard limits that do not hold."""
        return tuple(check for check in self.limits if not check.passed)

    @property
    def failed_items(self) -> tuple[MustPassCheck, ...]:
        """The must-pass items that became worse."""
        return tuple(check for check in self.must_pass if not check.passed)

    @property
    def n_needed(self) -> int | None:
        """Items that would decide every undecided test over all items; ``None`` if no number would."""
        return items_needed([test for test in self.overall if test.outcome is Outcome.UNDECIDED])


MOST_TIMES = 100
"""Times the items of a dataset beyond which no number of items is recommended: nobody gathers so many."""


def is_out_of_reach(needed: int, n: int) -> bool:
    """Tell whether a test needs more items than a dataset of n items can be expected to give.

    Example:
        >>> is_out_of_reach(751_349, 30), is_out_of_reach(133, 30)
        (True, False)
    """
    return needed > MOST_TIMES * n


def items_needed(tests: Sequence[DriftTest]) -> int | None:
    """Give the number of items that would decide all of some undecided tests; ``None`` if none would."""
    needed = [test.n_needed for test in tests]
    return None if not needed or None in needed else max(n for n in needed if n is not None)


def deciding_bound(drift: MeanEstimate) -> float:
    """Give what must lie below the margin for a test to pass: the upper end of the drift's interval.

    Where all items have the same drift, it is this drift. Its exact interval would leave every clean run
    undecided in metrics that hardly ever occur, such as silence.
    """
    return drift.value if drift.method == "exact" else drift.high


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
