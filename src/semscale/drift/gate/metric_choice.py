"""Choice of the metrics that a gate tests, and their margins."""

import math
from collections.abc import Iterable, Mapping

from semscale.drift.directions import Direction
from semscale.drift.gate.settings import GateSettings, check_margin
from semscale.drift.limits.slices import each_slice
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import TEXT_METRICS, usual_metrics
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH, SIDE_BY_SIDE
from semscale.errors import InputError
from semscale.messages import did_you_mean, unknown_name

_DIFFERENCE = "_difference"
_ASKED_WITH = {
    REFERENCE_MATCH.name: "references, with --reference COLUMN",
    SIDE_BY_SIDE.name: "a judge, with --judge-model NAME",
}


def chosen_metrics(comparison: Comparison, settings: GateSettings) -> tuple[str, ...]:
    """Return the names of the metrics that are tested.

    Raises:
        UnknownNameError: the settings name a metric that was not measured.
        InputError: the settings name the difference of a missing field, no drift can reach a margin, or no
            metric can be tested.
    """
    measured = comparison.metrics
    for material in (settings.material, *(own.material for _, own in each_slice(settings.slices))):
        for name, margin in material.items():
            check_measured(comparison, name, "material")
            check_margin(name, margin, measured[name].span)
    _check_directions(comparison, settings.fields)
    if settings.metrics is not None:
        for name in settings.metrics:
            check_measured(comparison, name, "metrics")
        return settings.metrics
    usual = tuple(name for name, metric in measured.items() if metric.is_usual)
    if not usual:
        raise InputError(
            f"the gate tests {', '.join(usual_metrics())} and fields, and none was measured: name metrics "
            f"out of {', '.join(measured)}"
        )
    return usual


def check_measured(comparison: Comparison, name: str, asked_by: str) -> None:
    """Check that a metric was measured.

    Args:
        comparison: the comparison.
        name: name of the metric.
        asked_by: the setting that needs it, for messages.

    Raises:
        UnknownNameError: the metric was not measured.
        InputError: the metric is the difference of a missing field.
    """
    if name in comparison.metrics:
        return
    if name in TEXT_METRICS:
        raise InputError(
            f"{asked_by} asks for {name}, which was not measured: measure it, or name one of "
            f"{', '.join(comparison.metrics)}"
        )
    if name in _ASKED_WITH:
        raise InputError(f"{asked_by} asks for {name}, which was not measured: give {_ASKED_WITH[name]}")
    if name.endswith(_DIFFERENCE):
        raise missing_field(comparison, name.removesuffix(_DIFFERENCE), f"{asked_by}, {name}")
    raise unknown_name("metric", name, list(comparison.metrics))


def missing_field(comparison: Comparison, field: str, asked_by: str) -> InputError:
    """Build the error for a numeric field that the runs lack; its message names the fields that they have."""
    there = [metric.unit for metric in comparison.metrics.values() if metric.unit]
    known = f"there is {', '.join(there)}{did_you_mean(field, there)}"
    remedy = known if there else "there is no numeric field: record runs with it"
    return InputError(f"{asked_by} needs the numeric field {field!r}, which the runs lack; {remedy}")


def _check_directions(comparison: Comparison, fields: Mapping[str, Direction]) -> None:
    """Check that fields were measured in the direction that the settings give."""
    for field, direction in fields.items():
        name = f"{field}_difference"
        if name not in comparison.metrics:
            raise missing_field(comparison, field, "fields (--direction)")
        found = comparison.metrics[name].direction
        if found != direction:
            raise InputError(
                f"fields, {field} must be {found}, as it was measured, got {direction}: measure with "
                f"DriftMeter(fields={{{field!r}: {direction!r}}})"
            )


def margins(
    comparison: Comparison, settings: GateSettings, names: Iterable[str], group: tuple[str, str] | None = None
) -> Mapping[str, float]:
    """Return each metric's margin, the smallest material drift, in the metric's own unit.

    Similarities and length move when a text is only worded otherwise, so that their margin includes a share
    of the noise. In other metrics a drift is material from a share of the worst case on, whatever the noise.

    Args:
        comparison: the comparison.
        settings: settings of the gate.
        names: of the metrics.
        group: kind and name of a group, which may be a slice with margins of its own; ``None`` for all items.
    """
    noise = {
        name: comparison.noise_rms(name) if _moves_with_wording(comparison, name) else None for name in names
    }
    return _limits(comparison, settings, noise, group)


def tolerances(
    comparison: Comparison, settings: GateSettings, names: Iterable[str], group: tuple[str, str] | None = None
) -> Mapping[str, float]:
    """Return the drift below which each metric must be shown to lie: its margin, or a share of the noise.

    Args:
        comparison: the comparison.
        settings: settings of the gate.
        names: of the metrics.
        group: as for ``margins``.
    """
    noise = {name: comparison.noise_rms(name) for name in names}
    return _limits(comparison, settings, noise, group)


def _limits(
    comparison: Comparison,
    settings: GateSettings,
    noise: Mapping[str, float | None],
    group: tuple[str, str] | None,
) -> dict[str, float]:
    own = {} if group is None else dict(each_slice(settings.slices))
    material = {**settings.material, **(own[group].material if group in own else {})}
    return {
        name: material[name] if name in material else _usual_limit(comparison, settings, name, rms)
        for name, rms in noise.items()
    }


def _usual_limit(comparison: Comparison, settings: GateSettings, name: str, noise: float | None) -> float:
    usual = comparison.metrics[name].usual_margin
    return settings.margin(_worst_case(comparison, name), noise=noise) if usual is None else usual


def _moves_with_wording(comparison: Comparison, name: str) -> bool:
    return comparison.metrics[name].is_similarity or name == "length"


def _worst_case(comparison: Comparison, name: str) -> float:
    """Give the worst case of a metric, of which its margin is a share: its greatest loss.

    Models such as e5 find any two texts alike. A similarity's worst case is therefore at most twice the loss
    of unrelated outputs, so that its margin is at most a tenth of that loss with the usual share of .05.
    """
    metric, unrelated = comparison.metrics[name], comparison.floors.get(name, math.nan)
    if not metric.is_similarity or not unrelated > 0:
        return metric.span
    return min(metric.span, 2 * unrelated)
