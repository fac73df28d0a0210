"""Check of a gate's settings against a baseline, before anything is measured."""

from collections.abc import Mapping

import numpy as np

from semscale.drift.gate.metric_choice import chosen_metrics
from semscale.drift.gate.settings import GateSettings
from semscale.drift.gate.tested_members import tested_members
from semscale.drift.gate.thresholds import read_slice_thresholds, read_thresholds
from semscale.drift.limits.must_pass import check_ids
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.indexed_baseline import IndexedBaseline
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.metrics import Metric
from semscale.history.runs import Run
from semscale.signature import Signature


def check_gate(baseline: Run, settings: GateSettings, further: Mapping[str, Metric] | None = None) -> None:
    """Check that a baseline has the metrics, groups and fields that a gate's settings need.

    Args:
        baseline: the approved run.
        settings: settings of the gate.
        further: metrics that references or a judge will give.

    Raises:
        UnknownNameError: a metric, a kind of groups, a slice, a must-pass item or a threshold does not exist.
        InputError: the baseline lacks a field, no drift can reach a margin, or thresholds contradict each
            other.

    Example:
        >>> from semscale.history.items import Item, Output
        >>> run = Run("exam", "m", (Item("1", (Output("Good."),)),))
        >>> check_gate(run, GateSettings(thresholds={"max_avg_credit_drift": 0.5}))
        Traceback (most recent call last):
        semscale.errors.InputError: max_avg_credit_drift needs the numeric field 'credits', ...
    """
    metrics = IndexedBaseline(baseline, (), sort=False, better=settings.fields).metrics
    nothing = MeasuredRun(
        {**metrics, **(further or {})}, {}, np.array([], dtype=object), (), Signature.of("drift")
    )
    unmeasured = Comparison(baseline, baseline, nothing)
    chosen_metrics(unmeasured, settings)
    tested_members(unmeasured, settings)
    read_thresholds(unmeasured, settings.thresholds)
    read_slice_thresholds(unmeasured, settings.slices)
    check_ids(baseline, settings.must_pass)
