"""Which metrics a gate tests, and from what drift on each of them matters."""

from collections.abc import Iterable, Mapping

from semscale.drift.gate.settings import GateSettings, check_margin
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import TEXT_METRICS, usual_metrics
from semscale.errors import InputError
from semscale.messages import unknown_name

_DIFFERENCE = "_difference"


def chosen_metrics(comparison: Comparison, settings: GateSettings) -> tuple[str, ...]:
    """Name the metrics that are tested.

    Raises:
        UnknownNameError: a metric that was not measured is asked for.
        InputError: the difference of a field that there is not, a margin that no drift can reach, or nothing
            that could be tested.
    """
    measured = comparison.metrics
    for name, margin in settings.material.items():
        check_measured(comparison, name, "material")
        check_margin(name, margin, measured[name].span)
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
    """See that a metric was measured.

    Args:
        comparison: what was measured.
        name: of the metric.
        asked_by: the setting that asks for it, for the message.

    Raises:
        UnknownNameError: it was not measured.
        InputError: it is the difference of a field that there is not.
    """
    if name in comparison.metrics:
        return
    if name in TEXT_METRICS:
        raise InputError(
            f"{asked_by} asks for {name}, which was not measured: measure it, or name one of "
            f"{', '.join(comparison.metrics)}"
        )
    if name.endswith(_DIFFERENCE):
        raise missing_field(comparison, name.removesuffix(_DIFFERENCE), f"{asked_by}, {name}")
    raise unknown_name("metric", name, list(comparison.metrics))


def missing_field(comparison: Comparison, field: str, asked_by: str) -> InputError:
    """Build the error for a numeric field that the runs do not have; it names those they have."""
    there = [metric.unit for metric in comparison.metrics.values() if metric.unit]
    remedy = f"there is {', '.join(there)}" if there else "there is no numeric field: record runs with it"
    return InputError(f"{asked_by} needs the numeric field {field!r}, which the runs lack; {remedy}")


def margins(comparison: Comparison, settings: GateSettings, names: Iterable[str]) -> Mapping[str, float]:
    """Give the drift from which on each metric matters, in the metric's own unit."""
    return {
        name: settings.material.get(
            name, settings.margin(comparison.metrics[name].span, noise=comparison.noise_size(name))
        )
        for name in names
    }
