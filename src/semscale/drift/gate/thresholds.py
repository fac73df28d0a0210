"""Absolute thresholds for a candidate's mean, such as ``min_match`` or ``max_avg_credit_drift``."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from semscale.drift.gate.decision import ThresholdCheck
from semscale.drift.gate.metric_choice import check_measured, missing_field
from semscale.drift.limits.slices import Group, Slices, each_slice
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import TEXT_METRICS, Metric
from semscale.drift.measure.quality_metrics import QUALITY_METRICS
from semscale.drift.metrics import mean_loss
from semscale.errors import InputError
from semscale.messages import unknown_name

_SIDES: dict[str, Literal["min", "max"]] = {"min": "min", "max": "max"}
_ROUNDING = 1e-12
_FIELD_ALIAS = {"credit": "credits"}  # Athena's name uses the singular


@dataclass(frozen=True)
class Threshold:
    """A limit for a metric's mean, stated as a similarity for similarities and as a loss for other metrics.

    Attributes:
        name: name in the settings.
        metric: the metric.
        side: ``min``: the mean must be at least the limit; ``max``: at most.
        limit: the limit.
    """

    name: str
    metric: Metric
    side: Literal["min", "max"]
    limit: float

    def holds(self, value: float) -> bool:
        """Tell whether a mean, in the terms of the limit, keeps it; NaN does not."""
        within = value - self.limit if self.side == "min" else self.limit - value
        return bool(within >= -_ROUNDING)


def read_thresholds(comparison: Comparison, limits: Mapping[str, float]) -> tuple[Threshold, ...]:
    """Parse thresholds from their names and limits.

    Args:
        comparison: the comparison, for the measured metrics.
        limits: limits by name: ``min_`` or ``max_`` and a metric, with similarities as such (``min_match:
            0.8``); or Athena's ``max_avg_<field>_drift``, in which ``credit`` is the field ``credits``.

    Raises:
        UnknownNameError: a name is unknown.
        InputError: a metric or field was not measured, no mean can have a limit, or limits contradict each
            other.
    """
    found = tuple(_read(comparison, name, limit) for name, limit in limits.items())
    for threshold in found:
        _check_range(threshold)
    _check_contradictions(found)
    return found


def read_slice_thresholds(comparison: Comparison, slices: Slices) -> dict[Group, tuple[Threshold, ...]]:
    """Parse the thresholds of each slice; see ``read_thresholds``."""
    return {group: read_thresholds(comparison, own.thresholds) for group, own in each_slice(slices)}


def check_thresholds(
    comparison: Comparison,
    thresholds: tuple[Threshold, ...],
    of_slices: Mapping[Group, tuple[Threshold, ...]] | None = None,
) -> tuple[ThresholdCheck, ...]:
    """Check the candidate's means against the thresholds of all items, and of slices over their items."""
    checks = [_check(comparison, threshold) for threshold in thresholds]
    for group, own in (of_slices or {}).items():
        checks += [_check(comparison, threshold, group) for threshold in own]
    return tuple(checks)


def _check(comparison: Comparison, threshold: Threshold, group: Group | None = None) -> ThresholdCheck:
    name = threshold.metric.name
    signed = threshold.metric.is_signed
    values = comparison.quality[name].candidate if signed else comparison.losses(name)
    mean = mean_loss(values if group is None else values[comparison.members(group[0])[group[1]]])
    value = mean if signed else threshold.metric.in_its_terms(mean)
    holds = threshold.holds(value)
    return ThresholdCheck(threshold.name, threshold.metric.name, threshold.limit, value, holds, group)


def threshold_cautions(comparison: Comparison, thresholds: tuple[Threshold, ...]) -> list[str]:
    """Return cautions about useless thresholds: none can fail them, random text passes, or reruns fail."""
    return [
        f"{threshold.name} {threshold.limit:g} {said}"
        for threshold in thresholds
        for said in [_says_nothing(comparison, threshold)]
        if said is not None
    ]


def _says_nothing(comparison: Comparison, threshold: Threshold) -> str | None:
    """Return why a threshold is useless; ``None`` if it is not."""
    metric = threshold.metric
    if metric.is_signed:
        return _fails_baseline(comparison, threshold)
    floor, noise = comparison.floors.get(metric.name), comparison.noise(metric.name)
    best, worst = metric.in_its_terms(0.0), metric.in_its_terms(metric.span)
    kind = "similarity" if metric.is_similarity else "loss"
    if threshold.holds(best) and threshold.holds(worst):
        return f"cannot fail: the worst {kind} of {metric.name} in this data is {worst:g}"
    if threshold.holds(worst):
        return f"lets the worst pass, a {kind} of {worst:g}: against drift take {metric.side}_{metric.name}"
    compares = metric.is_similarity or metric.unit  # counts and silence cannot recognise another item's text
    if compares and floor is not None and threshold.holds(metric.in_its_terms(floor)):
        return (
            "lets text pass that has nothing to do with the item: such text has "
            f"{metric.in_its_terms(floor):.3g} on average"
        )
    if noise is not None and not math.isnan(noise) and not threshold.holds(metric.in_its_terms(noise)):
        return (
            f"fails the baseline's own reruns, which have {metric.in_its_terms(noise):.3g} on average: "
            "an unchanged model would fail it, too"
        )
    return None


def _fails_baseline(comparison: Comparison, threshold: Threshold) -> str | None:
    mean = mean_loss(comparison.quality[threshold.metric.name].baseline)
    if threshold.holds(mean):
        return None
    return f"fails the baseline itself, which has {mean:.3g} on average"


def _read(comparison: Comparison, name: str, limit: float) -> Threshold:
    side, _, about = name.partition("_")
    field = about.removeprefix("avg_").removesuffix("_drift")
    if side == "max" and about == f"avg_{field}_drift" and field:
        names = [f"{field}_difference", f"{_FIELD_ALIAS.get(field, field)}_difference"]
        known = next((metric for metric in names if metric in comparison.metrics), None)
        if known is None:
            raise missing_field(comparison, _FIELD_ALIAS.get(field, field), name)
        return Threshold(name, comparison.metrics[known], "max", limit)
    if side in _SIDES:
        if about in {*TEXT_METRICS, *QUALITY_METRICS} or about.endswith("_difference"):
            check_measured(comparison, about, name)
        if about in comparison.metrics:
            return Threshold(name, comparison.metrics[about], _SIDES[side], limit)
    known_names = [f"{metric.side}_{metric.name}" for metric in comparison.metrics.values()]
    raise unknown_name("threshold", name, known_names)


def _check_range(threshold: Threshold) -> None:
    """Refuse limits that no mean can have; limits of a field may exceed the range of the data."""
    best, worst = threshold.metric.in_its_terms(0.0), threshold.metric.in_its_terms(threshold.metric.span)
    low, high = min(best, worst), max(best, worst)  # scores of a signed metric are 0 to 1, too
    if threshold.metric.unit:
        high = np.inf
    if not low <= threshold.limit <= high:
        span = f"{low:g} to {high:g}" if np.isfinite(high) else f"at least {low:g}"
        raise InputError(
            f"{threshold.name} must lie within what {threshold.metric.name} can be, {span}, "
            f"got {threshold.limit:g}"
        )


def _check_contradictions(thresholds: tuple[Threshold, ...]) -> None:
    for place, one in enumerate(thresholds):
        for other in thresholds[:place]:
            if one.metric.name != other.metric.name:
                continue
            low, high = (one, other) if one.side == "min" else (other, one)
            twice = one.side == other.side and one.limit != other.limit
            if twice or (one.side != other.side and low.limit > high.limit):
                raise InputError(
                    f"{other.name} {other.limit:g} and {one.name} {one.limit:g} contradict each other: "
                    f"keep one limit for {one.metric.name}"
                )
