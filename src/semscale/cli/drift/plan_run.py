"""Runs of ``semscale drift plan``: estimate how far items differ, and plan the gate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.cli.drift.command_options import PlanOptions
from semscale.cli.drift.meter import drift_meter
from semscale.cli.drift.run_lookup import BASELINE, run_of
from semscale.cli.drift.settings import as_number, gate_settings, named_number
from semscale.cli.progress import progress_bars
from semscale.drift.gate.check import check_gate
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.comparison import Comparison
from semscale.drift.sizing.plan import GatePlan, plan_gate
from semscale.errors import InputError
from semscale.history.runs import Run
from semscale.history.stored_comparison import StoredComparison

if TYPE_CHECKING:
    from semscale.history.history import History

_RECENT = 60  # comparisons that a plan takes the spread from: more would change it little


def plan_from_history(options: PlanOptions) -> GatePlan:
    """Plan from the stored comparisons, or from a rerun.

    Raises:
        InputError: there is neither, or a setting that cannot be used.
    """
    settings = gate_settings(options.gate, options.seed, options.measuring.fields)
    options.outputs.check()
    drift = read_drifts(options.drift or [])
    with options.history.open() as history:
        baseline = run_of(history, BASELINE, options.history.dataset)
        check_gate(baseline, settings)
        source = _source(options, history, baseline, settings)
    return plan_gate(source, n_items=options.items, settings=settings, power=options.power, drift=drift)


def _source(
    options: PlanOptions, history: "History", baseline: Run, settings: GateSettings
) -> Comparison | list[StoredComparison]:
    """Prefer two or more comparisons, then a rerun, which needs the model, then a single comparison."""
    kept = history.comparisons(baseline_id=baseline.id)[-_RECENT:]
    reruns = history.reruns(baseline.id)
    if len(kept) > 1 or (kept and not reruns):
        return [replace(each, scores=history.scores(each.id)) for each in kept]
    if not reruns:
        raise InputError(
            "a plan needs to know how far items differ: record a rerun of the baseline (semscale drift "
            "record OUTPUTS --rerun-of baseline), or gate a candidate first"
        )
    *others, latest = reruns
    with progress_bars() as progress:
        meter = drift_meter(options.measuring, options.embedder, options.seed, settings.fields)
        return compare(baseline, latest, reruns=others, meter=meter, progress=progress)


def read_drifts(written: Sequence[str]) -> float | Mapping[str, float] | None:
    """Read drifts to plan for: one number for all metrics, or some by metric.

    Raises:
        InputError: one is neither, or a number for all stands beside others.

    Example:
        >>> read_drifts(["0.1"]), read_drifts(["match=0.1"]), read_drifts([])
        (0.1, {'match': 0.1}, None)
    """
    if not written:
        return None
    for_all = [number for number in map(as_number, written) if number is not None]
    by_metric = [named for named in map(named_number, written) if named is not None]
    if len(written) == 1 and for_all:
        return for_all[0]
    if len(by_metric) < len(written):
        raise InputError(
            f"drift must be one number, or METRIC=NUMBER for each metric, got {', '.join(written)!r:.60}"
        )
    return dict(by_metric)
