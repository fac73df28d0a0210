"""Tests of a gate over many runs, which stay valid however often they are repeated."""

from collections.abc import Mapping, Sequence

import numpy as np

from semscale.drift.gate.decision import SequenceTest
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.losses import mean_loss
from semscale.history.runs import named, short_id
from semscale.history.stored_comparison import StoredComparison
from semscale.stats.tests.betting import run_evidence
from semscale.stats.tests.multiple_testing import adjusted
from semscale.types import Floats

_SAME_OUTPUTS = "compared again later with the same outputs, which count once"


def one_series(
    comparisons: Sequence[StoredComparison], *, baseline_id: str, signature: str
) -> tuple[list[StoredComparison], list[str]]:
    """Select the comparisons that form one series: one baseline, one signature, each candidate once.

    If a candidate was compared several times, the last comparison counts. The same outputs of the same model
    are one candidate, such as those of a job that was started again.

    Returns:
        The series in the order of time, and lines that count the comparisons left out by reason, with their
        runs.
    """
    in_time = sorted(comparisons, key=lambda kept: kept.compared)
    last = {kept.outputs_key: kept for kept in in_time if _fits(kept, baseline_id, signature)}
    left_out: dict[str, list[str]] = {}
    series = []
    for kept in in_time:
        if kept.baseline_id != baseline_id:
            left_out.setdefault("made with another baseline", []).append(kept.candidate_id)
        elif kept.signature != signature:
            left_out.setdefault("measured otherwise", []).append(kept.candidate_id)
        elif (counted := last[kept.outputs_key]).id != kept.id:
            is_run = kept.candidate_id == counted.candidate_id
            why = "compared again later" if is_run else _SAME_OUTPUTS
            left_out.setdefault(why, []).append(kept.candidate_id)
        else:
            series.append(kept)
    return series, [_left_out_line(ids, why) for why, ids in left_out.items()]


def _left_out_line(ids: list[str], why: str) -> str:
    runs, single = named(dict.fromkeys(map(short_id, ids))), len(ids) == 1
    counted = f"1 comparison of {runs} is" if single else f"{len(ids):,} comparisons of {runs} are"
    return f"{counted} left out, because {'it was' if single else 'they were'} {why}"


def _fits(kept: StoredComparison, baseline_id: str, signature: str) -> bool:
    return kept.baseline_id == baseline_id and kept.signature == signature


def series_before(
    comparison: Comparison, earlier: Sequence[StoredComparison]
) -> tuple[list[StoredComparison], list[str]]:
    """Select the earlier comparisons of the same series, without those of the same candidate.

    Earlier runs of the same model with the same outputs are the same candidate, too.

    Returns:
        The series in the order of time, and lines that count the comparisons left out by reason, with their
        runs.
    """
    candidate = comparison.candidate
    baseline_id, signature = comparison.baseline.id, str(comparison.signature)
    this = candidate.model, comparison.outputs_digest
    again, others = [], []
    for kept in earlier:
        if kept.outputs_key == this and _fits(kept, baseline_id, signature):
            again.append(kept.candidate_id)
        else:
            others.append(kept)
    series, cautions = one_series(
        [kept for kept in others if kept.candidate_id != candidate.id],
        baseline_id=baseline_id,
        signature=signature,
    )
    same = [id_ for id_ in again if id_ != candidate.id]
    return series, cautions + ([_left_out_line(same, _SAME_OUTPUTS)] if same else [])


def sequence_tests(
    comparison: Comparison,
    series: Sequence[StoredComparison],
    margins: Mapping[str, float],
    settings: GateSettings,
) -> tuple[SequenceTest, ...]:
    """Test every metric over all runs, with the candidate's as the last.

    Args:
        comparison: the candidate's comparison.
        series: earlier comparisons, from ``series_before``.
        margins: margin of every tested metric.
        settings: settings of the gate.
    """
    tests = {}
    for name, margin in margins.items():
        this = mean_loss(comparison.losses(name))
        noise = comparison.noise(name)
        allowed = margin + (0.0 if noise is None else noise)
        losses = (*(stored_loss(kept, name) for kept in series), this)
        tests[name] = (losses, allowed, comparison.metrics[name].span)
    return evidence_of_runs(tests, settings, latest={name: comparison.losses(name) for name in tests})


def evidence_of_runs(
    asked: Mapping[str, tuple[Sequence[float], float, float]],
    settings: GateSettings,
    *,
    latest: Mapping[str, Floats] | None = None,
) -> tuple[SequenceTest, ...]:
    """Test the runs' mean losses in several metrics, with Holm's correction for their number.

    Args:
        asked: for each metric the runs' mean losses in the order of time, NaN for a run without one; the
            allowed mean; and the metric's worst case.
        settings: settings of the gate, for its alpha.
        latest: losses of the latest run's items by metric, if known; they reveal a single bad run, which
            means alone cannot.
    """
    evidence = {
        name: run_evidence(_shares(losses, span), _shares((latest or {}).get(name, ()), span), allowed / span)
        if allowed == allowed and len(losses)  # noqa: PLR0124 - NaN if reruns have no value
        else np.ones(len(losses))
        for name, (losses, allowed, span) in asked.items()
    }
    p_values = np.array(
        [1.0 / max(1.0, float(found[-1]) if len(found) else 1.0) for found in evidence.values()]
    )
    corrected = adjusted(p_values, "holm")
    return tuple(
        SequenceTest(
            metric=name,
            losses=tuple(float(loss) for loss in asked[name][0]),
            allowed=asked[name][1],
            evidence=tuple(float(value) for value in found),
            p_adjusted=float(p_adjusted),
            is_significant=bool(p_adjusted < settings.alpha),
        )
        for (name, found), p_adjusted in zip(evidence.items(), corrected, strict=True)
    )


def sequence_cautions(
    comparison: Comparison, tests: Sequence[SequenceTest], settings: GateSettings
) -> list[str]:
    """Return a caution about metrics in which so few runs cannot be significant, however bad they are."""
    short = []
    for test in tests:
        items = np.ones(int((~np.isnan(comparison.losses(test.metric))).sum()))
        allowed = test.allowed / comparison.metrics[test.metric].span
        worst = run_evidence(np.ones(len(test.losses)), items, allowed)[-1] if allowed > 0 else 1.0
        if worst <= len(tests) / settings.alpha:
            short.append(test.metric)
    if not short:
        return []
    n = max(len(test.losses) for test in tests)
    return [
        f"runs against this baseline so far: {n}; even the worst could not be significant over so few in "
        f"{named(short)}: set a threshold for a single bad run, such as min_match"
    ]


def _shares(losses: Sequence[float] | Floats, span: float) -> Floats:
    """Return losses as shares of the worst case, 0 to 1."""
    return np.clip(np.asarray(losses, dtype=np.float64) / span, 0.0, 1.0)


def stored_loss(kept: StoredComparison, metric: str) -> float:
    """Return a stored comparison's mean loss over all items; NaN if it lacks the metric."""
    found = (figure.loss for figure in kept.figures if figure.metric == metric and figure.group is None)
    return next(found, float("nan"))
