"""The decision of the gate: pass, fail or undecided.

Every metric is tested over all items, and in each group of the kinds in ``by``. The drift of an item is the
candidate's mean loss^p against the other runs, minus the mean loss^p among these (``comparison.run_drifts``).
The power p is 2 for similarities, as a different wording changes every item's loss, and 1 for other metrics.
A drift is *significant* if chance does not explain it: the p-value of ``exchange_test``, corrected for all
metrics by ``joint_p_values``, is below alpha. A test

- *fails* if the mean drift is significant and at least the margin. For similarities it must exceed the margin
  by .1 times the noise, divided by the number of reruns: each run has a style, so that one pair of runs can
  be more alike than others, and the noise of few reruns is uncertain;
- *passes* if it does not fail, at least 10 items have a value, and the upper bound of the mean drift
  (``drift_bounds``) lies below the margin. A significant loss of content that no other content replaces does
  not pass below a default margin: the user decides whether it matters, by approving the run or by stating a
  margin;
- is *undecided* otherwise.

Example: five items, a candidate, a baseline and a rerun. The candidate contradicts both others in .6 of the
outputs of three items, and nothing else differs. At these items the drift of the candidate is .6 - 0 = .6.
That of each of the others is (.6 + 0) / 2 - .6 = -.3:

>>> losses = np.zeros((5, 3, 3))
>>> losses[:3, 0, 1:] = losses[:3, 1:, 0] = 0.6
>>> drifts = run_drifts(losses)
>>> drifts[0].round(3).tolist()
[0.6, -0.3, -0.3]

The sum 1.8 is reached only if the candidate is the different run at all three items: p = (1/3)^3 / 2 = .0185
< .05. The mean, 1.8 / 5 = .36, exceeds the margin of contradictions, .11. If no other metric is tested, the
gate fails:

>>> round(exchange_test(drifts), 4), round(float(drifts[:, 0].mean()), 3)
(0.0185, 0.36)

Without a rerun of the baseline, drift cannot be distinguished from the noise of the model. Then only metrics
of quality, measured with references or a judge, can fail. The margin of each metric is fixed
(``metrics.TEXT_METRICS``); the margin of added content is at least a share of the noise. Hard limits
(``hard_limits``), thresholds and must-pass items are not statistical. The gate fails if any of these or a
test fails, or if a person has rejected the outputs (``with_rejection``). It is undecided if a test over all
items is undecided, or if items break a limit within its default allowance. Otherwise it passes.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product

import numpy as np

from semscale.drift.comparison import Comparison, baseline_metrics, run_drifts
from semscale.drift.exchange_test import correct_by_holm, drift_bounds, exchange_test, joint_p_values
from semscale.drift.hard_limits import BrokenItems, broken_items, check_limits
from semscale.drift.metrics import (
    CONTENT_METRICS,
    MARGIN,
    QUALITY_METRICS,
    TEXT_METRICS,
    Metric,
    mean_loss,
    metric_label,
)
from semscale.drift.settings import LIMITS, GateSettings, Group
from semscale.errors import InputError, UnknownNameError
from semscale.history.runs import Rejection, Run, list_names, short_hash
from semscale.history.stored_comparison import GateCheck, Outcome
from semscale.messages import did_you_mean, shorten, unknown_name
from semscale.signature import Signature
from semscale.types import Floats, Mask

DECISION = 4
"""Version of the decision rule; it increases when a formula of drift, test or limit changes."""

FEWEST_TO_PASS = 10
"""Least number of items with a value for a test to pass."""

_NOISE_DOUBT = 0.1  # uncertainty of the noise of one rerun, as a share of it
_ROUNDING = 1e-12
_RESERVED = set("|:")  # characters with a meaning in a signature


class Change(StrEnum):
    """Change of a metric."""

    BETTER = "better"
    SLIGHTLY_BETTER = "better, below the margin"
    WORSE = "worse"
    SLIGHTLY_WORSE = "worse, below the margin"
    NONE = "no difference"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class MetricTest:
    """Test of a metric over all items or a group.

    Attributes:
        metric: name of the metric.
        group: kind and name of the group; ``None`` for all items.
        n: number of items with a value.
        n_left_out: number of items without a value.
        loss: mean loss of the candidate against baseline and reruns.
        noise: mean loss among baseline and reruns; ``None`` without a rerun.
        drift: mean drift, as defined in the module's docstring, in the unit of the loss to its power.
        low: one-sided 95 % lower bound of the mean drift; NaN with fewer than two items.
        high: one-sided 95 % upper bound; a pass requires it to be below the margin.
        margin: the smallest drift that matters.
        p_value: p-value of the exchange test; NaN without items.
        p_adjusted: the p-value, corrected for the number of metrics.
        outcome: outcome of the test.
        change: change of the metric.
        is_content_lost: true if more content was lost than chance explains and other content replaces, and no
            margin is stated.
        is_tested: false for a metric that the gate does not test, whose outcome does not count.
    """

    metric: str
    group: Group | None
    n: int
    n_left_out: int
    loss: float
    noise: float | None
    drift: float
    low: float
    high: float
    margin: float
    p_value: float
    p_adjusted: float
    outcome: Outcome
    change: Change
    is_content_lost: bool = False
    is_tested: bool = True

    @property
    def in_margins(self) -> float:
        """Drift as a multiple of the margin; minus infinity without a drift."""
        return -math.inf if math.isnan(self.drift) else self.drift / self.margin

    @property
    def urgency(self) -> tuple[int, bool, float]:
        """Sort key: failed, undecided, passed; tests over all items first; then by drift in margins."""
        order = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.PASS).index(self.outcome)
        return order, self.group is not None, -self.in_margins

    def sentence(self, metric: Metric) -> str:
        """State the change of the metric in a sentence without a full stop."""
        return change_sentence(metric, self.group, self.noise, self.loss, self.size)

    @property
    def size(self) -> str:
        """The drift and the margin, for a sentence."""
        return size_of(self.drift, self.margin)


def change_sentence(metric: Metric, group: Group | None, noise: float | None, loss: float, size: str) -> str:
    """State the change of a metric in a sentence without a full stop.

    Args:
        metric: the metric.
        group: kind and name of the group; ``None`` for all items.
        noise: mean loss among baseline and reruns; ``None`` if unknown.
        loss: mean loss of the candidate.
        size: its drift and margin, from ``size_of``.

    Examples:
        >>> change_sentence(TEXT_METRICS["contradictions"], None, 0.16, 0.36, "")
        'contradictions rose from 16 % to 36 % of outputs'
    """
    where = "" if group is None else f" in {' '.join(group)}"
    if metric.affected:
        rise = "" if noise is None else f"from {100 * noise:.0f} % "
        return f"{metric.label}{where} rose {rise}to {100 * loss:.0f} % of {metric.affected}"
    before, after = (metric.to_value(value) for value in (noise or 0.0, loss))
    verb = "fell" if after < before else "rose"
    start = "" if noise is None else f"from {before:.2f} "
    unit = f" {metric.unit}" if metric.unit else ""
    return f"{metric.label}{where} {verb} {start}to {after:.2f}{unit} ({size})"


def size_of(drift: float, margin: float) -> str:
    """State a drift and its margin.

    Examples:
        >>> size_of(0.152, 0.067)
        'drift 0.152, margin 0.067'
    """
    digits = max(0, 1 - math.floor(math.log10(margin)))
    return f"drift {drift:.{digits}f}, margin {margin:.{digits}f}"


@dataclass(frozen=True)
class GateDecision:
    """Decision of the gate on a candidate.

    Attributes:
        outcome: the decision.
        tests: tests of each metric, over all items and in each group.
        limits: checks of the hard limits.
        thresholds: checks of the absolute thresholds.
        must_pass: checks of the must-pass items.
        reasons: reasons of the failure, as sentences without full stops, the most serious first.
        cautions: sentences that qualify the decision.
        signature: settings of measurement and decision.
        settings: settings of the gate.
        rejections: the rejection of these outputs by a person, as a failed check; empty without one.
    """

    outcome: Outcome
    tests: tuple[MetricTest, ...]
    limits: tuple[GateCheck, ...]
    thresholds: tuple[GateCheck, ...]
    must_pass: tuple[GateCheck, ...]
    reasons: tuple[str, ...]
    cautions: tuple[str, ...]
    signature: Signature
    settings: GateSettings = field(default_factory=GateSettings)
    rejections: tuple[GateCheck, ...] = ()

    @property
    def overall(self) -> tuple[MetricTest, ...]:
        """Tests over all items, in the order of the metrics."""
        return tuple(test for test in self.tests if test.group is None)

    @property
    def broken_limits(self) -> tuple[GateCheck, ...]:
        """Hard limits that are broken."""
        return tuple(check for check in self.limits if not check.passed)

    @property
    def undecided_limits(self) -> tuple[GateCheck, ...]:
        """Hard limits that some items break, within the default allowance."""
        return tuple(check for check in self.limits if check.outcome is Outcome.UNDECIDED)

    @property
    def slightly_worse(self) -> tuple[MetricTest, ...]:
        """Tests with a drift below the margin that chance does not explain.

        Groups are listed only for metrics that did not become worse over all items.
        """
        worse = [test for test in self.tests if test.change in {Change.WORSE, Change.SLIGHTLY_WORSE}]
        overall = {test.metric for test in worse if test.group is None}
        return tuple(
            test
            for test in worse
            if test.change is Change.SLIGHTLY_WORSE and (test.group is None or test.metric not in overall)
        )

    @property
    def lost_content(self) -> tuple[MetricTest, ...]:
        """Tests over all items that do not pass because content was lost, the greatest loss first."""
        lost = [test for test in self.slightly_worse if test.is_content_lost and test.group is None]
        return tuple(sorted(lost, key=lambda test: test.urgency))

    @property
    def failed_items(self) -> tuple[GateCheck, ...]:
        """Must-pass items that became worse."""
        return tuple(check for check in self.must_pass if not check.passed)


def with_rejection(decision: GateDecision, rejection: Rejection | None) -> GateDecision:
    """Let a gate fail if a person has rejected the outputs.

    Args:
        decision: the decision about the figures.
        rejection: the rejection that is in force; ``None`` without one.
    """
    if rejection is None:
        return decision
    until = "" if rejection.expires is None else f" until {rejection.expires:%Y-%m-%d %H:%M} UTC"
    by, why = (" ".join(text.split()) for text in (rejection.by, rejection.why))
    sentence = f"{by} rejected these outputs on {rejection.rejected:%Y-%m-%d}{until}: {why}"
    check = GateCheck("rejection", by, Outcome.FAIL, sentence)
    return replace(
        decision,
        outcome=Outcome.FAIL,
        reasons=(sentence, *decision.reasons),
        rejections=(check,),
    )


def decide(comparison: Comparison, settings: GateSettings | None = None) -> GateDecision:
    """Decide whether a candidate is worse than the baseline, by the rules in the module's docstring.

    Args:
        comparison: a candidate measured against the baseline.
        settings: settings of the gate.

    Raises:
        UnknownNameError: a metric, a kind of groups, a slice, a must-pass item or a threshold does not exist.
        InputError: a metric or field was not measured, thresholds contradict each other, or reruns that the
            settings count were left out.
    """
    settings = settings or GateSettings()
    if settings.deterministic and any(not copy.stands_out for copy in comparison.copies):
        raise InputError(
            "deterministic", "counts equal reruns, which were left out: compare(..., deterministic=True)"
        )
    names = metrics_to_test(comparison.metrics, settings)
    check_names(comparison.baseline, settings, comparison.matching.lost + comparison.matching.changed)
    thresholds = check_thresholds(comparison, settings)
    names, left_out = _without_unread(comparison, names)
    tests = metric_tests(comparison, settings, names)
    broken = broken_items(comparison)
    limits = check_limits(comparison, settings, broken)
    must_pass = _check_must_pass(comparison, settings, names, broken)
    reasons = (
        *(check.sentence for check in limits if not check.passed),
        *(check.sentence for check in must_pass if not check.passed),
        *(
            test.sentence(comparison.metrics[test.metric])
            for test in sorted(tests, key=lambda test: test.urgency)
            if test.outcome is Outcome.FAIL
        ),
        *(check.sentence for check in thresholds if not check.passed),
    )
    outcome = Outcome.PASS
    if reasons:
        outcome = Outcome.FAIL
    elif any(test.outcome is Outcome.UNDECIDED for test in tests if test.group is None) or any(
        check.outcome is Outcome.UNDECIDED for check in limits
    ):
        outcome = Outcome.UNDECIDED
    return GateDecision(
        outcome,
        tests,
        limits,
        thresholds,
        must_pass,
        reasons,
        (
            *comparison.cautions,
            *left_out,
            *_limit_cautions(limits),
            *threshold_cautions(comparison, read_thresholds(comparison.metrics, settings.thresholds)),
        ),
        _signature(decision_signature(comparison), settings),
        settings,
    )


def metric_tests(
    comparison: Comparison, settings: GateSettings, names: Sequence[str]
) -> tuple[MetricTest, ...]:
    """Test metrics over all items and in each group.

    P-values over all items are corrected jointly by ``joint_p_values``, as metrics depend on each other. The
    groups of a kind share no items and are corrected by Holm within each metric. A group's p-value is at
    least that of its metric over all items, so groups do not weaken the tests over all items. Without a
    rerun, only metrics of quality are tested, as a judge or a reference can prefer either run.
    """
    members = group_members(comparison, settings)
    drifts = {name: comparison.drifts_by_run(name) for name in names}
    with_noise = [name for name in names if comparison.reruns or name in QUALITY_METRICS]
    p_values = {
        (name, group): exchange_test(drifts[name][inside]) if name in with_noise else 1.0
        for group, inside in members.items()
        for name in names
    }
    overall = dict.fromkeys(names, 1.0) | _correct_p_values({name: drifts[name] for name in with_noise})
    adjusted: dict[tuple[str, Group | None], float] = {(name, None): p for name, p in overall.items()}
    for name, kind in product(names, dict.fromkeys(group[0] for group in members if group)):
        groups = [group for group in members if group and group[0] == kind]
        corrected = correct_by_holm([p_values[name, group] for group in groups])
        adjusted |= {(name, group): max(p, overall[name]) for group, p in zip(groups, corrected, strict=True)}
    return tuple(
        _test(
            comparison,
            settings,
            name,
            group,
            members[group],
            drifts[name][members[group]],
            (p_values[name, group], adjusted[name, group]),
        )
        for group in members
        for name in names
    )


def _correct_p_values(drifts: Mapping[str, Floats]) -> dict[str, float]:
    """Correct the p-values of metrics; those of a judge, which compares no rerun, separately."""
    families: dict[int, list[str]] = {}
    for name, of_metric in drifts.items():
        families.setdefault(of_metric.shape[1], []).append(name)
    corrected: dict[str, float] = {}
    for names in families.values():
        p_values = joint_p_values([drifts[name] for name in names])
        corrected |= {name: min(1.0, len(families) * p) for name, p in zip(names, p_values, strict=True)}
    return corrected


def _test(
    comparison: Comparison,
    settings: GateSettings,
    name: str,
    group: Group | None,
    inside: Mask,
    drifts: Floats,
    p_values: tuple[float, float],
) -> MetricTest:
    known = ~np.isnan(drifts[:, 0])
    n, drift = int(known.sum()), mean_loss(drifts[:, 0])
    low, high = drift_bounds(drifts[:, 0])
    margin = margin_of(comparison, settings, name, group)
    is_worse = p_values[1] < settings.alpha and drift > 0
    is_lost = (
        is_worse
        and drift < margin
        and _margin_setting(settings, name, group) is None
        and _is_content_lost(comparison, name, inside, settings.alpha)
    )
    outcome = Outcome.UNDECIDED
    if is_worse and drift >= margin + _noise_doubt(comparison, name) - _ROUNDING:
        outcome = Outcome.FAIL
    elif n >= FEWEST_TO_PASS and high < margin and not is_lost:
        outcome = Outcome.PASS
    return MetricTest(
        metric=name,
        group=group,
        n=n,
        n_left_out=len(known) - n,
        loss=mean_loss(comparison.mean_losses(name)[inside]),
        noise=mean_loss(comparison.noise_losses(name)[inside]) if comparison.reruns else None,
        drift=drift,
        low=low,
        high=high,
        margin=margin,
        p_value=p_values[0],
        p_adjusted=p_values[1],
        outcome=outcome,
        change=_change(
            comparison,
            name,
            inside,
            outcome,
            margin,
            settings.alpha,
            is_slight=is_worse and drift < margin,
        ),
        is_content_lost=is_lost,
    )


def _noise_doubt(comparison: Comparison, name: str) -> float:
    """Return the drift beyond the margin that a fail needs, as the noise of few reruns is uncertain."""
    metric = comparison.metrics[name]
    if metric.power == 1 or not comparison.reruns:
        return 0.0
    return _NOISE_DOUBT * (comparison.noise(name, metric.power) or 0.0) / len(comparison.reruns)


def _is_content_lost(comparison: Comparison, name: str, inside: Mask, alpha: float) -> bool:
    """Return true if a drift beyond chance is a loss of content that no other content replaces."""
    if name not in CONTENT_METRICS:
        return False
    replacing = CONTENT_METRICS[name]
    if replacing is None or replacing not in comparison.metrics:
        return True
    net = comparison.drifts_by_run(name)[inside] - comparison.drifts_by_run(replacing)[inside]
    return mean_loss(net[:, 0]) > 0 and exchange_test(net) < alpha


def _change(
    comparison: Comparison,
    name: str,
    inside: Mask,
    outcome: Outcome,
    margin: float,
    alpha: float,
    *,
    is_slight: bool,
) -> Change:
    """Return the change of a metric; only quality and fields with a direction can improve."""
    if outcome is Outcome.FAIL:
        return Change.WORSE
    if is_slight:
        return Change.SLIGHTLY_WORSE
    metric = comparison.metrics[name]
    if metric.name in QUALITY_METRICS or metric.direction != "either":
        losses = np.nan_to_num(comparison.pair_losses[name][inside], nan=0.0)
        gains = run_drifts(losses.transpose(0, 2, 1), metric.power)
        gain = float(gains[:, 0].mean())
        if gain > 0 and exchange_test(gains) < alpha:
            return Change.BETTER if gain >= margin else Change.SLIGHTLY_BETTER
    return Change.NONE if outcome is Outcome.PASS else Change.UNDECIDED


def margin_of(comparison: Comparison, settings: GateSettings, name: str, group: Group | None = None) -> float:
    """Return the margin of a metric, in its unit: the slice's, the settings', or the metric's default.

    The default margin is fixed, or at least a share of the noise; see ``Metric.noise_share``.
    """
    stated = _margin_setting(settings, name, group)
    if stated is not None:
        return stated
    metric = comparison.metrics[name]
    noise = comparison.noise(name, metric.power) if metric.noise_share else None
    return max(metric.margin, metric.noise_share * (noise or 0.0))


def _margin_setting(settings: GateSettings, name: str, group: Group | None) -> float | None:
    """Return the margin that the slice or the settings state; ``None`` for the metric's default."""
    for of_slice, own in settings.groups:
        if of_slice == group and name in own.margins:
            return own.margins[name]
    return settings.margins.get(name)


def group_members(comparison: Comparison, settings: GateSettings) -> dict[Group | None, Mask]:
    """Return the items of each test: all items, groups of the kinds in ``by``, and slices with margins."""
    members: dict[Group | None, Mask] = {None: np.ones(len(comparison.baseline.items), dtype=bool)}
    for kind in settings.by:
        members |= {(kind, name): inside for name, inside in comparison.members(kind).items()}
    for group, own in settings.groups:
        if own.margins:
            members[group] = comparison.members(group[0])[group[1]]
    return members


_MEASURED_WITH = {
    "reference_match": "references, with --reference COLUMN",
    "side_by_side": "a judge, with --judge-model NAME",
}


def check_settings(
    baseline: Run, settings: GateSettings, further: Mapping[str, Metric] | None = None
) -> tuple[str, ...]:
    """Check that a baseline has the metrics, groups, items and fields named in the settings.

    Args:
        baseline: the approved run.
        settings: settings of the gate.
        further: metrics that references or a judge will provide.

    Returns:
        Names of the metrics to test.

    Raises:
        UnknownNameError: a metric, a kind of groups, a slice, a must-pass item or a threshold does not exist.
        InputError: the baseline lacks a field, no drift can reach a margin, or thresholds contradict each
            other.

    Examples:
        >>> from semscale.history.items import Item, Output
        >>> run = Run("exam", "m", (Item("1", (Output("Good."),)),))
        >>> check_settings(run, GateSettings(thresholds={"max_avg_credits_drift": 0.5}))
        Traceback (most recent call last):
        semscale.errors.InputError: max_avg_credits_drift needs the numeric field 'credits', ...
    """
    metrics = {**baseline_metrics(baseline, settings.fields)[0], **(further or {})}
    names = metrics_to_test(metrics, settings)
    check_names(baseline, settings)
    for thresholds in (settings.thresholds, *(own.thresholds for _, own in settings.groups)):
        read_thresholds(metrics, thresholds)
    return names


def metrics_to_test(metrics: Mapping[str, Metric], settings: GateSettings) -> tuple[str, ...]:
    """Return the names of the metrics that are tested.

    Raises:
        UnknownNameError: the settings name a metric that was not measured.
        InputError: the settings name the difference of a missing field, or no drift can reach a margin.
    """
    for margins in (settings.margins, *(own.margins for _, own in settings.groups)):
        for name, margin in margins.items():
            span = _require_metric(metrics, name, "margins").span
            if margin >= span:
                raise InputError(
                    f"margins.{name}",
                    f"must be below {span:g}, the metric's worst case, got {margin:g}: name "
                    f"the smallest drift that matters, such as {0.05 * span:g}",
                )
    for name, direction in settings.fields.items():
        metric = _require_metric(metrics, f"{name}_difference", "fields (--direction)")
        if metric.direction != direction:
            raise InputError(
                f"settings:fields.{name}",
                f"must be {metric.direction}, as it was measured, got {direction}: measure "
                f"with DriftMeter(fields={{{name!r}: {direction!r}}})",
            )
    if settings.metrics is not None:
        return tuple(_require_metric(metrics, name, "metrics").name for name in settings.metrics)
    return tuple(name for name, metric in metrics.items() if metric.is_usual)


def _require_metric(metrics: Mapping[str, Metric], name: str, setting: str) -> Metric:
    """Return a metric; refuse a name that was not measured."""
    if name in metrics:
        return metrics[name]
    if name in _MEASURED_WITH:
        raise InputError(setting, f"asks for {name}, which was not measured: give {_MEASURED_WITH[name]}")
    if name.endswith("_difference"):
        raise _missing_field(metrics, name.removesuffix("_difference"), setting)
    raise UnknownNameError(setting, f": {unknown_name('metric', name, list(metrics))}")


def _missing_field(metrics: Mapping[str, Metric], name: str, setting: str) -> InputError:
    present = list(dict.fromkeys(metric.unit for metric in metrics.values() if metric.unit))
    known = f"there is {', '.join(present)}{did_you_mean(name, present)}"
    remedy = known if present else "there is no numeric field: record runs with it"
    return InputError(setting, f"needs the numeric field {name!r}, which the runs do not have; {remedy}")


def check_names(baseline: Run, settings: GateSettings, lacking: Sequence[str] = ()) -> None:
    """Check that a baseline has the groups and must-pass items named in the settings.

    Args:
        baseline: the approved run.
        settings: settings of the gate.
        lacking: ids of further items that the candidate lacks.

    Raises:
        UnknownNameError: a group or item does not exist.
    """
    for kind, asked_by in (
        *((kind, "by") for kind in settings.by),
        *((kind, "slices") for kind in settings.slices),
    ):
        if kind not in baseline.group_kinds:
            if not baseline.group_kinds:
                raise UnknownNameError(asked_by, f": no item has groups, got {kind!r}; leave it out")
            raise UnknownNameError(
                asked_by, f": {unknown_name('kind of groups', kind, baseline.group_kinds)}"
            )
    for (kind, name), _ in settings.groups:
        names = sorted({item.groups[kind] for item in baseline.items if kind in item.groups})
        if name not in names:
            raise UnknownNameError("slices", f": {unknown_name(kind, name, names)}")
    known = {*(item.id for item in baseline.items), *lacking}
    for name in settings.must_pass:
        if name not in known:
            hint = did_you_mean(name, known) or "; take an id of the baseline"
            raise UnknownNameError(
                "must_pass", f"names {shorten(name)}, which is the id of no item of the baseline{hint}"
            )


@dataclass(frozen=True)
class Threshold:
    """Limit of a metric's mean: of the similarity for similarities, of the loss for other metrics.

    Attributes:
        name: name in the settings.
        metric: the metric.
        is_least: true if the mean must be at least the limit; false if at most.
        limit: the limit.
    """

    name: str
    metric: Metric
    is_least: bool
    limit: float

    def admits(self, value: float) -> bool:
        """Return true if a mean satisfies the threshold; false for NaN."""
        within = value - self.limit if self.is_least else self.limit - value
        return bool(within >= -_ROUNDING)


def read_thresholds(metrics: Mapping[str, Metric], limits: Mapping[str, float]) -> tuple[Threshold, ...]:
    """Read thresholds from their names and limits.

    Args:
        metrics: the measured metrics.
        limits: limits by name: ``min_`` or ``max_`` and a metric, where limits of similarities are
            similarities (``min_match: 0.8``); or ``max_avg_<field>_drift``.

    Raises:
        UnknownNameError: a name is unknown.
        InputError: a metric or field was not measured, no mean can have a limit, or limits contradict each
            other.
    """
    thresholds = tuple(_read_threshold(metrics, name, limit) for name, limit in limits.items())
    for index, threshold in enumerate(thresholds):
        ends = threshold.metric.to_value(0.0), threshold.metric.to_value(threshold.metric.span)
        low, high = min(ends), math.inf if threshold.metric.unit else max(ends)
        if not low <= threshold.limit <= high:
            possible = f"{low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}"
            raise InputError(
                f"{threshold.name} must lie within the range of {threshold.metric.name}, {possible}, got "
                f"{threshold.limit:g}"
            )
        for other in thresholds[:index]:
            if _contradict(threshold, other):
                raise InputError(
                    f"{other.name} {other.limit:g} and {threshold.name} {threshold.limit:g} contradict each "
                    f"other: keep one limit for {threshold.metric.name}"
                )
    return thresholds


def _contradict(first: Threshold, second: Threshold) -> bool:
    if first.metric.name != second.metric.name:
        return False
    if first.is_least == second.is_least:
        return first.limit != second.limit
    least, most = (first, second) if first.is_least else (second, first)
    return least.limit > most.limit


def _read_threshold(metrics: Mapping[str, Metric], name: str, limit: float) -> Threshold:
    side, _, about = name.partition("_")
    of_field = about.removeprefix("avg_").removesuffix("_drift")
    if side == "max" and of_field and about == f"avg_{of_field}_drift":
        metric = metrics.get(f"{of_field}_difference")
        if metric is None:
            raise _missing_field(metrics, of_field, name)
        return Threshold(name, metric, is_least=False, limit=limit)
    if side in {"min", "max"}:
        if about in {*TEXT_METRICS, *QUALITY_METRICS} or about.endswith("_difference"):
            _require_metric(metrics, about, name)
        if about in metrics:
            return Threshold(name, metrics[about], is_least=side == "min", limit=limit)
    known_names = [f"{metric.side}_{metric.name}" for metric in metrics.values()]
    raise UnknownNameError("thresholds", f": {unknown_name('threshold', name, known_names)}")


def check_thresholds(comparison: Comparison, settings: GateSettings) -> tuple[GateCheck, ...]:
    """Check the candidate's means against the thresholds, over all items and in slices."""
    return tuple(
        _check_threshold(comparison, threshold, group)
        for group, limits in (
            (None, settings.thresholds),
            *((group, own.thresholds) for group, own in settings.groups),
        )
        for threshold in read_thresholds(comparison.metrics, limits)
    )


def _check_threshold(comparison: Comparison, threshold: Threshold, group: Group | None) -> GateCheck:
    name, is_quality = threshold.metric.name, threshold.metric.name in comparison.quality
    values = comparison.quality[name][0] if is_quality else comparison.losses(name)
    mean = mean_loss(values if group is None else values[comparison.members(group[0])[group[1]]])
    value = mean if is_quality else threshold.metric.to_value(mean)
    where = "" if group is None else f" in {' '.join(group)}"
    return GateCheck(
        "threshold",
        threshold.name,
        Outcome.PASS if threshold.admits(value) else Outcome.FAIL,
        f"{metric_label(name)}{where} is {value:.3g} ({threshold.name} {threshold.limit:g})",
        group=group,
        value=value,
        allowed=threshold.limit,
        metric=name,
    )


def threshold_cautions(comparison: Comparison, thresholds: Iterable[Threshold]) -> Iterator[str]:
    """Yield a caution for each threshold that every run passes, or that unchanged runs fail."""
    for threshold in thresholds:
        reason = _reason_against(comparison, threshold)
        if reason is not None:
            yield f"{threshold.name} {threshold.limit:g} {reason}"


def _reason_against(comparison: Comparison, threshold: Threshold) -> str | None:
    """Return the reason why a threshold is useless; ``None`` if it is useful."""
    metric = threshold.metric
    if metric.name in comparison.quality:
        mean = mean_loss(comparison.quality[metric.name][1])
        return (
            None if threshold.admits(mean) else f"fails the baseline itself, which has {mean:.3g} on average"
        )
    worst, kind = metric.to_value(metric.span), "similarity" if metric.is_similarity else "loss"
    if threshold.admits(worst):
        if threshold.admits(metric.to_value(0.0)):
            return f"cannot fail: the worst {kind} of {metric.name} in this data is {worst:g}"
        return f"admits the worst {kind}, {worst:g}: to find drift, use {metric.side}_{metric.name}"
    floor, noise = comparison.floors.get(metric.name), comparison.noise(metric.name)
    compares_texts = metric.is_similarity or metric.unit  # counts cannot recognise another item's text
    if compares_texts and floor is not None and threshold.admits(metric.to_value(floor)):
        return f"lets unrelated text pass: such text has {metric.to_value(floor):.3g} on average"
    if noise is not None and not math.isnan(noise) and not threshold.admits(metric.to_value(noise)):
        return (
            f"fails the baseline's own reruns, which have {metric.to_value(noise):.3g} on average: an "
            "unchanged model would fail it, too"
        )
    return None


def _check_must_pass(
    comparison: Comparison, settings: GateSettings, names: Sequence[str], broken: Mapping[str, BrokenItems]
) -> tuple[GateCheck, ...]:
    """Check must-pass items.

    An item fails if the candidate lacks it, or if it breaks an active limit. An item without outputs fails
    even if a rerun also lost its outputs. With a rerun, an item also fails if its drift in a tested metric is
    at least the margin, and greater than the drift of any other run at any item.
    """
    if not settings.must_pass:
        return ()
    matching = comparison.matching
    lacking = dict.fromkeys(matching.lost, "the candidate does not have it") | dict.fromkeys(
        matching.changed, "the candidate had other inputs"
    )
    positions = {item.id: index for index, item in enumerate(comparison.baseline.items)}
    drifts = {name: comparison.drifts_by_run(name) for name in names}
    in_force = [name for name in broken if not isinstance({**LIMITS, **settings.limits}[name], str)]
    checks = []
    for item in settings.must_pass:
        if item in lacking:
            checks.append(_must_pass_check(item, (lacking[item],)))
            continue
        index = positions[item]
        reasons = [
            f"limit {name}"
            for name in in_force
            if broken[name].broken[index] or (name == "silenced" and broken[name].excused[index])
        ]
        for name in names if comparison.reruns else ():
            margin = min(
                margin_of(comparison, settings, name, group)
                for group in (None, *comparison.baseline.items[index].groups.items())
            )
            drift, others = drifts[name][index, 0], drifts[name][:, 1:]
            if drift >= margin - _ROUNDING and drift > np.nanmax(others):
                reasons.append(
                    f"{comparison.metrics[name].label} drifted by {drift:.3f} (margin {margin:.3f})"
                )
        checks.append(_must_pass_check(item, tuple(reasons)))
    return tuple(checks)


def _must_pass_check(item: str, reasons: tuple[str, ...]) -> GateCheck:
    """Check a must-pass item; ``reasons`` describe what became worse."""
    outcome, change = (
        (Outcome.FAIL, f"became worse: {'; '.join(reasons)}")
        if reasons
        else (Outcome.PASS, "did not become worse")
    )
    return GateCheck("must_pass", item, outcome, f"must-pass item {item} {change}", reasons=reasons)


def _without_unread(comparison: Comparison, names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Drop metrics of guards that cannot read the outputs, with a caution for each.

    Guards read only English. If fewer than 10 items have a value, and these have no loss, the metric is
    dropped. Items without an output in either run are ignored.
    """
    tested, cautions = [], []
    n_answered = sum(
        bool(before.outputs_with_text and after.outputs_with_text)
        for before, after in zip(comparison.baseline.items, comparison.candidate.items, strict=True)
    )
    for name in names:
        losses = comparison.losses(name)
        n = int((~np.isnan(losses)).sum())
        if (
            comparison.metrics[name].needs_english
            and n < min(FEWEST_TO_PASS, n_answered)
            and not np.nansum(losses)
        ):
            cautions.append(
                f"{comparison.metrics[name].label}: left out of the decision, as guards read English alone "
                f"and {n or 'none'} of {len(losses)} items {'has' if n == 1 else 'have'} a value; let people "
                "or a judge check it"
            )
        else:
            tested.append(name)
    return tuple(tested), tuple(cautions)


def _limit_cautions(limits: Iterable[GateCheck]) -> Iterator[str]:
    for check in limits:
        if check.excused:
            does = "breaks" if len(check.excused) == 1 else "break"
            yield (
                f"limit {check.name}: {list_names(check.excused)} {does} it, but so does a rerun of the "
                "baseline: excluded"
            )


def decision_signature(comparison: Comparison) -> Signature:
    """Add the decision rule to a measurement's signature: its version and table of metrics."""
    known = {**TEXT_METRICS, **QUALITY_METRICS}.values()
    table = [[metric.name, metric.power, metric.margin, metric.noise_share] for metric in known]
    rule = f"{DECISION}#{short_hash([MARGIN, FEWEST_TO_PASS, _NOISE_DOUBT, *table])}"
    return comparison.signature.plus(Signature.of("gate", decision=rule))


def _signature(measured: Signature, settings: GateSettings) -> Signature:
    """Add the gate's settings to the signature of measurement and rule; an existing name gets a prefix."""
    limits = {**LIMITS, **settings.limits}
    slices = [("/".join(group), own.model_dump()) for group, own in settings.groups]
    values = {
        "metrics": _join_names(settings.metrics or ()),
        "by": _join_names(settings.by),
        "alpha": settings.alpha,
        "margins": _numbers(settings.margins),
        "thresholds": _numbers(settings.thresholds),
        "limits": _numbers({name: value for name, value in limits.items() if not isinstance(value, str)}),
        "must_pass": short_hash(list(settings.must_pass)) if settings.must_pass else None,
        "slices": f"{len(slices)}#{short_hash(sorted(slices))}" if slices else None,
        "undecided": settings.undecided,
    }
    present = {name for name, _ in measured.fields}
    own = {f"gate_{name}" if name in present else name: value for name, value in values.items()}
    return measured.plus(Signature.of("gate", **own))


def _numbers(limits: Mapping[str, float]) -> str | None:
    return _join_names(f"{name}={limit:.12g}" for name, limit in sorted(limits.items()))


def _join_names(names: Iterable[str]) -> str | None:
    """Join names into one line, or their hash if they contain characters that a signature reserves."""
    text = ",".join(names)
    return (short_hash(text) if _RESERVED & set(text) else text) or None
