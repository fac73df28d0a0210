"""The gate: decides whether a candidate is worse than the baseline by more than a margin and chance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil

import numpy as np

from semscale.drift.gate.cautions import gate_cautions
from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    DriftTest,
    GateDecision,
    Outcome,
    SequenceTest,
    deciding_bound,
)
from semscale.drift.gate.hard_limits import check_hard_limits
from semscale.drift.gate.mean_drifts import Group, mean_drifts
from semscale.drift.gate.metric_choice import chosen_metrics, margins
from semscale.drift.gate.sequence import sequence_cautions, sequence_tests, series_before
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.signature import gate_signature
from semscale.drift.gate.thresholds import (
    check_thresholds,
    read_slice_thresholds,
    read_thresholds,
    threshold_cautions,
)
from semscale.drift.limits.slices import each_slice, slice_members
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.losses import mean_loss
from semscale.errors import UnknownNameError
from semscale.history.stored_comparison import StoredComparison
from semscale.messages import unknown_name
from semscale.stats.intervals.paired_bootstrap import PairedMean
from semscale.stats.tests.items_needed import needed_for_significance, needed_for_width
from semscale.stats.tests.multiple_testing import adjusted
from semscale.types import Floats


@dataclass(frozen=True)
class _Question:
    """One metric over all items or one group, with its margin and the bootstrap's result."""

    metric: str
    group: Group | None
    losses: Floats
    noise: float | None
    margin: float
    found: PairedMean


def decide(
    comparison: Comparison,
    settings: GateSettings | None = None,
    *,
    earlier: Sequence[StoredComparison] = (),
) -> GateDecision:
    """Decide whether a candidate is worse than the baseline.

    Every metric is tested over all items, and in every group of the kinds in ``by``. A test fails if its
    drift is *significant* (the one-sided p-value of "no drift", adjusted for the number of tests, is below
    alpha) and *material* (the mean drift is at least the margin). It passes if it does not fail, at least 10
    items have a value, and the drift's interval is entirely below the margin; where all items have the same
    drift, this drift. Otherwise it is undecided and states how many items would decide it if mean and spread
    stayed the same.

    Hard limits count items, without statistics: those that lost their outputs, most of them or a field, and
    those with other numbers, as far as no rerun of the baseline does the same. A must-pass item fails if it
    breaks a limit, or loses more than any rerun by the margin.

    The gate fails if a test, a threshold, a hard limit or a must-pass item fails. Otherwise it is undecided
    if a test over all items is undecided, and passes if none is. Undecided groups are reported, but do not
    make the gate undecided.

    With ``over_runs`` the significance of metrics over all items comes from all runs against this baseline,
    by a betting e-process against "on average at most the mean loss of reruns plus the margin". Half of it
    bets on the mean losses of the runs, half on this run's items (``stats.tests.betting.run_evidence``), so
    that it detects a lasting drift as well as a single very bad run. The gate may run every day: over any
    number of days the chance of a false alarm is at most alpha, Holm-adjusted for the number of metrics.
    These tests have the raw and adjusted p-value of the sequence; whether the drift is material still depends
    on this run alone. Tests of groups are the same as without ``over_runs``.

    Args:
        comparison: a candidate measured against the baseline.
        settings: settings of the gate.
        earlier: comparisons from the history; only those with the same baseline and signature count, without
            those of this candidate.

    Raises:
        UnknownNameError: a metric, a kind of groups, a slice, a must-pass item or a threshold does not exist.
        InputError: a metric or field was not measured, or thresholds contradict each other.
    """
    settings = settings or GateSettings()
    names = chosen_metrics(comparison, settings)
    thresholds = read_thresholds(comparison, settings.thresholds)
    of_slices = read_slice_thresholds(comparison, settings.slices)
    questions = _questions(comparison, settings, names)
    sequence: tuple[SequenceTest, ...] = ()
    cautions = threshold_cautions(comparison, (*thresholds, *chain.from_iterable(of_slices.values())))
    if settings.over_runs:
        series, unlike = series_before(comparison, earlier)
        cautions += unlike
        sequence = sequence_tests(comparison, series, margins(comparison, settings, names), settings)
        cautions += sequence_cautions(comparison, sequence, settings)
    tests = _tests(questions, {test.metric: test for test in sequence}, settings)
    checks = check_thresholds(comparison, thresholds, of_slices)
    hard = check_hard_limits(comparison, settings, names)
    return GateDecision(
        outcome=_overall(tests, hard.hold and all(check.passed for check in checks)),
        tests=tests,
        thresholds=checks,
        sequence=sequence,
        cautions=(*hard.cautions, *cautions, *gate_cautions(comparison, tests, settings)),
        signature=gate_signature(comparison.signature, settings),
        settings=settings,
        limits=hard.limits,
        must_pass=hard.must_pass,
    )


def group_members(
    comparison: Comparison, kinds: Sequence[str]
) -> dict[Group | None, np.typing.NDArray[np.bool_]]:
    """Return the members of each test: all items (``None``), and the items of each group of some kinds.

    Raises:
        UnknownNameError: no item belongs to a group of this kind.
    """
    n = len(comparison.baseline.items)
    members: dict[Group | None, np.typing.NDArray[np.bool_]] = {None: np.ones(n, dtype=bool)}
    for kind in kinds:
        groups = comparison.members(kind)
        if not groups:
            known = comparison.baseline.group_kinds
            if not known:
                raise UnknownNameError(
                    f"by asks for groups of {kind!r}, and no item belongs to any: leave it out"
                )
            raise unknown_name("kind of groups", kind, known)
        members |= {(kind, name): of_group for name, of_group in groups.items()}
    return members


def tested_members(
    comparison: Comparison, settings: GateSettings
) -> dict[Group | None, np.typing.NDArray[np.bool_]]:
    """Return the members of each test: ``group_members``, and slices with margins of their own.

    Raises:
        UnknownNameError: a kind of groups or a slice does not exist.
    """
    members = group_members(comparison, settings.by)
    slices = slice_members(comparison, settings.slices)
    return members | {group: slices[group] for group, own in each_slice(settings.slices) if own.material}


def _questions(comparison: Comparison, settings: GateSettings, names: Sequence[str]) -> list[_Question]:
    members = tested_members(comparison, settings)
    limits = {group: margins(comparison, settings, names, group) for group in members}
    # r replicates give no p-value below 1 / (r + 1), which must be small enough for the strictest test.
    # Without a rerun the p-value is the t-test's.
    finest = ceil(2 * len(names) * len(members) / settings.alpha) if comparison.reruns else 0
    found = mean_drifts(comparison, names, members, settings.plan(), finest=finest)
    expected = {name: comparison.expected(name) for name in names}
    return [
        _Question(
            name,
            group,
            comparison.losses(name)[inside],
            mean_loss(expected[name][inside]) if comparison.reruns else None,
            limits[group][name],
            found[name, group],
        )
        for group, inside in members.items()
        for name in names
    ]


def _tests(
    questions: Sequence[_Question], sequence: Mapping[str, SequenceTest], settings: GateSettings
) -> tuple[DriftTest, ...]:
    """Answer every question; those over all items by the sequence if there is one."""
    by_sequence = [question.group is None and question.metric in sequence for question in questions]
    p_values = np.array([_p_value(question) for question in questions])
    corrected = adjusted(np.where(by_sequence, np.nan, p_values), settings.correction)
    n_tests = int((~np.isnan(corrected)).sum())
    tests = []
    for place, question in enumerate(questions):
        raw, p_adjusted = float(p_values[place]), float(corrected[place])
        if by_sequence[place]:
            test = sequence[question.metric]
            raw, p_adjusted = 1 / max(test.evidence[-1], 1.0), test.p_adjusted
        alpha = None if by_sequence[place] else settings.alpha / max(n_tests, 1)
        tests.append(_tested(question, raw, p_adjusted, alpha, settings))
    return tuple(tests)


def _p_value(question: _Question) -> float:
    """Return the greater p-value of t-test and bootstrap, or without a rerun the t-test's alone.

    Without a rerun, drifts are losses, which are never negative, so "no drift" means that all of them are 0.
    The bootstrap-t allows for rare negative values that were not seen: with 26 of 30 items at the worst loss
    its p-value was .02.
    """
    return question.found.p_by_t if question.noise is None else question.found.p_value


def _tested(
    question: _Question, p_value: float, p_adjusted: float, single_alpha: float | None, settings: GateSettings
) -> DriftTest:
    drift = question.found.mean
    is_significant = bool(p_adjusted < settings.alpha)
    is_material = bool(drift.value >= question.margin)
    if is_significant and is_material:
        outcome = Outcome.FAIL
    elif not is_material and drift.n >= FEWEST_TO_PASS and deciding_bound(drift) < question.margin:
        outcome = Outcome.PASS
    else:
        outcome = Outcome.UNDECIDED
    needed = None
    if outcome is Outcome.UNDECIDED:
        needed = _needed(question, is_material=is_material, single_alpha=single_alpha, settings=settings)
    return DriftTest(
        metric=question.metric,
        group=question.group,
        loss=mean_loss(question.losses),
        drift=drift,
        noise=question.noise,
        margin=question.margin,
        p_value=p_value,
        p_adjusted=p_adjusted,
        is_significant=is_significant,
        is_material=is_material,
        outcome=outcome,
        n_needed=needed,
    )


def _needed(
    question: _Question, *, is_material: bool, single_alpha: float | None, settings: GateSettings
) -> int | None:
    """Return how many items would decide the test, never fewer than the present ones, which did not."""
    found = question.found
    if found.mean.n < 2:  # noqa: PLR2004 - no spread
        return None
    if is_material:
        if single_alpha is None:  # more runs would decide here, not more items
            return None
        needed, fewest = needed_for_significance(found.mean.value, found.sd, single_alpha), 0
    else:
        gap = question.margin - found.mean.value
        needed, fewest = needed_for_width(gap, found.sd, settings.interval), FEWEST_TO_PASS
    return None if needed is None else max(needed, fewest, found.mean.n + 1)


def _overall(tests: Sequence[DriftTest], thresholds_hold: bool) -> Outcome:
    if not thresholds_hold or any(test.outcome is Outcome.FAIL for test in tests):
        return Outcome.FAIL
    if any(test.outcome is Outcome.UNDECIDED for test in tests if test.group is None):
        return Outcome.UNDECIDED
    return Outcome.PASS
