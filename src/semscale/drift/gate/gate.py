"""The gate: decides whether a candidate is worse than the baseline by more than a margin and chance."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from semscale.drift.gate.cautions import gate_cautions
from semscale.drift.gate.chance import chance_test
from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    DriftTest,
    GateDecision,
    Outcome,
    SequenceTest,
)
from semscale.drift.gate.equivalence import DriftBound, equivalence
from semscale.drift.gate.families import adjusted_in_families
from semscale.drift.gate.hard_limits import check_hard_limits
from semscale.drift.gate.left_out_metrics import left_out_cautions, split_metrics
from semscale.drift.gate.mean_drifts import mean_drifts
from semscale.drift.gate.metric_choice import chosen_metrics, margins, tolerances
from semscale.drift.gate.passing import PassTest, shift_bound
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.signature import gate_signature
from semscale.drift.gate.tested_members import tested_members
from semscale.drift.gate.thresholds import (
    check_thresholds,
    read_slice_thresholds,
    read_thresholds,
    threshold_cautions,
)
from semscale.drift.limits.slices import Group
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.shifts import shifts_by_role
from semscale.drift.metrics import mean_loss
from semscale.drift.nights.counted_nights import earlier_nights
from semscale.drift.nights.night_drifts import EarlierNights
from semscale.drift.nights.sequence import sequence_cautions, sequence_tests
from semscale.drift.nights.series import series_before
from semscale.drift.quality.changes import with_changes
from semscale.drift.sizing.sizes_needed import items_to_pass, reruns_needed
from semscale.history.stored_comparison import StoredComparison
from semscale.stats.drift_tests import ExchangeTest, needed_for_significance
from semscale.stats.intervals import MeanEstimate
from semscale.types import Mask


@dataclass(frozen=True)
class _Question:
    """One metric over all items or one group, with its limits and what was found."""

    metric: str
    group: Group | None
    loss: float
    noise: float | None
    margin: float
    mean: MeanEstimate
    chance: ExchangeTest
    passing: PassTest


def decide(
    comparison: Comparison,
    settings: GateSettings | None = None,
    *,
    earlier: Sequence[StoredComparison] = (),
) -> GateDecision:
    """Decide whether a candidate is worse than the baseline.

    Every metric is tested over all items, and in every group of the kinds in ``by``. A test fails if its
    drift is *significant* (the p-value of "the candidate is like the baseline and its reruns",
    ``chance_test``, adjusted within its family of tests, is below alpha) and *material* (the mean drift is at
    least the margin). It passes if it does not fail, at least 10 items have a value, and the drift is shown
    to lie below the tolerance, the margin or a share of the noise: a one-sided upper bound of the mean does
    (``equivalence``; earlier nights help to estimate the spread), or, where outputs are lost as well as
    gained, that of the shift (``PassTest``). Otherwise it is undecided and states how many items would decide
    it if mean and spread stayed the same. Without a rerun only numbers of outputs and silence can fail; other
    metrics pass or are undecided, as nothing tells their drift from chance.

    Hard limits count items, without statistics: those that lost their outputs, most of them or a field, and
    those with other numbers, as far as no rerun of the baseline does the same. A must-pass item fails if it
    breaks a limit, or loses more than its reruns by the margin and more than chance explains.

    The gate fails if a test, a threshold, a hard limit or a must-pass item fails. Otherwise it is undecided
    if a test over all items is undecided, or a limit has items of which nothing is known, and passes if not.
    Undecided groups are reported, but do not make the gate undecided. Metrics of guards are left out where
    these do not read the baseline's language (``split_metrics``).

    With ``over_runs`` the significance of metrics over all items comes from all runs against this baseline,
    by bets on their items against "no drift" (``sequence_tests``), so that it detects a lasting drift as well
    as a single very bad run. The gate may run every day: over any number of days the chance of a false alarm
    is at most alpha, Holm-adjusted for the number of metrics. These tests have the raw and adjusted p-value
    of the sequence; whether the drift is material still depends on this run alone. Tests of groups are the
    same as without ``over_runs``.

    Args:
        comparison: a candidate measured against the baseline.
        settings: settings of the gate.
        earlier: comparisons from the history, best with their scores; only those with the same baseline and
            signature count, without those of this candidate. For the noise count those of the baseline's
            model that did not fail (``counted_nights``), unless ``noise_history`` is off.

    Raises:
        UnknownNameError: a metric, a kind of groups, a slice, a must-pass item or a threshold does not exist.
        InputError: a metric or field was not measured, or thresholds contradict each other.
    """
    settings = settings or GateSettings()
    names, left_out = split_metrics(comparison, chosen_metrics(comparison, settings))
    thresholds = read_thresholds(comparison, settings.thresholds)
    of_slices = read_slice_thresholds(comparison, settings.slices)
    series, unlike = series_before(comparison, earlier)
    nights = earlier_nights(comparison, series) if settings.noise_history else EarlierNights()
    questions = _questions(comparison, settings, names, nights)
    sequence: tuple[SequenceTest, ...] = ()
    cautions = threshold_cautions(comparison, (*thresholds, *chain.from_iterable(of_slices.values())))
    if settings.over_runs:
        cautions += unlike
        sequence = sequence_tests(comparison, series, margins(comparison, settings, names), settings)
        cautions += sequence_cautions(comparison, sequence, settings)
    by_metric = {test.metric: test for test in sequence}
    tests = _tests(questions, by_metric, settings, len(comparison.reruns))
    tests = with_changes(comparison, tests, tested_members(comparison, settings), settings.alpha)
    checks = check_thresholds(comparison, thresholds, of_slices)
    hard = check_hard_limits(comparison, settings, names)
    return GateDecision(
        outcome=_overall(
            tests, hard.hold and all(check.passed for check in checks), is_checked=hard.is_checked
        ),
        tests=tests,
        thresholds=checks,
        sequence=sequence,
        cautions=(
            *comparison.cautions,
            *hard.cautions,
            *left_out_cautions(comparison, left_out),
            *cautions,
            *gate_cautions(comparison, tests, settings),
        ),
        signature=gate_signature(comparison.signature, settings, nights.name),
        settings=settings,
        limits=hard.limits,
        must_pass=hard.must_pass,
        nights=nights,
    )


def _questions(
    comparison: Comparison, settings: GateSettings, names: Sequence[str], nights: EarlierNights
) -> list[_Question]:
    members = tested_members(comparison, settings)
    limits = {group: margins(comparison, settings, names, group) for group in members}
    tolerated = {group: tolerances(comparison, settings, names, group) for group in members}
    found = mean_drifts(comparison, names, members, settings.plan())
    losses = {name: comparison.mean_losses(name) for name in names}
    expected = {name: comparison.expected(name) for name in names}
    tests = _PassTests(comparison, names, settings.alpha, nights)
    return [
        _Question(
            metric=name,
            group=group,
            loss=mean_loss(losses[name][inside]),
            noise=mean_loss(expected[name][inside]) if comparison.rerun_losses(name) else None,
            margin=limits[group][name],
            mean=found[name, group].mean,
            chance=chance_test(comparison, name, inside),
            passing=tests.of(name, inside, tolerated[group][name]),
        )
        for group, inside in members.items()
        for name in names
    ]


class _PassTests:
    """The tests that decide whether metrics pass.

    The outputs that a field lacks are not in its shift, so it counts only beside the number of outputs.
    """

    def __init__(
        self, comparison: Comparison, names: Sequence[str], alpha: float, nights: EarlierNights
    ) -> None:
        with_shift = names if "output_count" in names else ()
        self._alpha, self._nights = alpha, nights
        self._drifts = {name: comparison.drifts_by_role(name) for name in names}
        self._shifts = {name: shifts_by_role(comparison, name) for name in with_shift}

    def of(self, name: str, inside: Mask, tolerance: float) -> PassTest:
        drifts, shifts = self._drifts[name][inside], self._shifts.get(name)
        drift = equivalence(drifts, tolerance, self._alpha, self._nights.of(name, inside))
        shift = None if shifts is None else shift_bound(shifts[inside], tolerance, self._alpha)
        return PassTest(mean_loss(drifts[:, 0]), drift, tolerance, shift)


def _tests(
    questions: Sequence[_Question],
    sequence: Mapping[str, SequenceTest],
    settings: GateSettings,
    reruns: int,
) -> tuple[DriftTest, ...]:
    """Answer every question; those over all items by the sequence if there is one."""
    asked = [(question.metric, question.group) for question in questions]
    chances = [question.chance for question in questions]
    corrected = adjusted_in_families(asked, chances, settings.correction, settings.alpha)
    n_overall = sum(question.group is None for question in questions)
    tests = []
    for question, p_adjusted in zip(questions, corrected.tolist(), strict=True):
        if question.group is None and question.metric in sequence:
            over_runs = sequence[question.metric]
            test = _tested(question, over_runs.p_value, over_runs.p_adjusted, None, settings)
        else:
            single = settings.alpha / n_overall
            test = _tested(question, question.chance.p_value, p_adjusted, single, settings)
        tests.append(_with_reruns_needed(test, question, reruns, settings.alpha))
    return tuple(tests)


def _with_reruns_needed(test: DriftTest, question: _Question, reruns: int, alpha: float) -> DriftTest:
    if test.outcome is not Outcome.UNDECIDED or test.drift.n < FEWEST_TO_PASS:
        return test

    def needed(mean: float, found: DriftBound, tolerance: float, level: float) -> int | None:
        return reruns_needed(mean, found, test.drift.n, reruns=reruns, tolerance=tolerance, alpha=level)

    return replace(test, reruns_needed=question.passing.fewest(needed, alpha))


def _tested(
    question: _Question, p_value: float, p_adjusted: float, single_alpha: float | None, settings: GateSettings
) -> DriftTest:
    drift, passing = question.mean, question.passing
    is_significant = bool(p_adjusted < settings.alpha)
    is_material = bool(drift.value >= question.margin)
    if is_significant and is_material:
        outcome = Outcome.FAIL
    elif drift.n >= FEWEST_TO_PASS and passing.passes:
        outcome = Outcome.PASS
    else:
        outcome = Outcome.UNDECIDED
    needed = None
    if outcome is Outcome.UNDECIDED:
        needed = _needed(question, is_material=is_material, single_alpha=single_alpha, settings=settings)
    return DriftTest(
        metric=question.metric,
        group=question.group,
        loss=question.loss,
        drift=drift,
        noise=question.noise,
        margin=question.margin,
        p_value=p_value,
        p_adjusted=p_adjusted,
        is_significant=is_significant,
        is_material=is_material,
        outcome=outcome,
        n_needed=needed,
        tolerance=passing.tolerance,
        bound=passing.drift.bound,
        p_equivalence=passing.drift.p_value,
        nights_as_reruns=passing.drift.of_nights / (drift.n - 1) if drift.n > 1 else 0.0,
        shift=None if passing.shift is None else passing.shift.found,
    )


def _needed(
    question: _Question, *, is_material: bool, single_alpha: float | None, settings: GateSettings
) -> int | None:
    """Return how many items would decide the test, never fewer than the present ones, which did not."""
    drift, passing = question.mean, question.passing
    if drift.n < 2:  # noqa: PLR2004 - no spread
        return None
    to_pass = passing.fewest(items_to_pass, settings.alpha)
    if to_pass is not None or drift.value < passing.tolerance:
        needed, fewest = to_pass, FEWEST_TO_PASS
    elif is_material and single_alpha is not None and not math.isnan(question.chance.p_value):
        needed, fewest = needed_for_significance(drift.value, passing.drift.sd, single_alpha), 0
    else:  # more runs or a rerun would decide here, not more items
        return None
    return None if needed is None else max(needed, fewest, drift.n + 1)


def _overall(tests: Sequence[DriftTest], holds: bool, *, is_checked: bool) -> Outcome:
    if not holds or any(test.outcome is Outcome.FAIL for test in tests):
        return Outcome.FAIL
    if not is_checked or any(test.outcome is Outcome.UNDECIDED for test in tests if test.group is None):
        return Outcome.UNDECIDED
    return Outcome.PASS
