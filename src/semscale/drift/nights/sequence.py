"""Tests of a gate over many runs, which stay valid however often they are repeated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from scipy.special import ndtri

from semscale.drift.gate.decision import EVIDENCE_PARTS, SequenceTest
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.metrics import Metric
from semscale.drift.metrics import mean_loss
from semscale.history.runs import named
from semscale.history.stored_comparison import StoredComparison
from semscale.stats.drift_tests import conformal_p_values, p_value_evidence, run_evidence
from semscale.stats.significance import adjusted
from semscale.types import Floats

_PARTS_OF_MEANS = 2
"""Equal parts of alpha where means alone are known: one for what is allowed, one for the bets."""


@dataclass(frozen=True)
class _OverRuns:
    """One metric over runs.

    Attributes:
        losses: mean loss of each run.
        runs: for each run the losses of its items as shares of the worst case, or its mean alone.
        allowed: the greatest mean loss that is no drift.
        span: the metric's worst case.
        least: smallest value that there can be, as a share.
        items: for each run the losses of its items, shape (n,), or ``None`` if its mean alone is known.
    """

    losses: tuple[float, ...]
    runs: tuple[Floats, ...]
    allowed: float
    span: float
    least: float = 0.0
    items: tuple[Floats | None, ...] = ()

    def evidence(self) -> Floats:
        """Return the evidence after each run: the greater of two bettors' capital so far."""
        return np.maximum(self._beyond_allowed(), self._beyond_earlier_runs())

    def _beyond_allowed(self) -> Floats:
        """Bet that the runs lose more than allowed; 1 where nothing is known of what is allowed."""
        if not self.allowed / self.span > self.least:
            return np.ones(len(self.runs))
        runs = [np.clip(run, self.least, 1 + abs(self.least)) for run in self.runs]
        return run_evidence(runs, self.allowed / self.span, least=self.least)

    def _beyond_earlier_runs(self) -> Floats:
        """Bet that runs lose more than those before them at the same items, if two or more are known."""
        known = [place for place, values in enumerate(self.items) if values is not None]
        evidence = np.ones(len(self.runs))
        if len(known) > 1:
            p_values = conformal_p_values(np.array([self.items[place] for place in known], dtype=np.float64))
            evidence[known[1:]] = p_value_evidence(p_values[1:].tolist())
        return np.maximum.accumulate(evidence)


def sequence_tests(
    comparison: Comparison,
    series: Sequence[StoredComparison],
    margins: Mapping[str, float],
    settings: GateSettings,
) -> tuple[SequenceTest, ...]:
    """Test every metric over all runs, with the candidate's as the last.

    The hypothesis is "no drift": the candidate's mean loss is what baseline and reruns lose among each
    other. Whether a drift is material is asked elsewhere. Each run is judged by its items' losses less what
    reruns lose there. All runs are held against the same reruns, so that what is allowed includes how far
    chance may have made these lose too little: an upper bound at half of alpha. Without a rerun the margin is
    allowed, as nothing is known of the noise. A quarter of alpha is for these bets.

    The last quarter is for bets on another question, whether a run loses more than the runs before it at the
    same items (``conformal_p_values``): if nothing changed, the latest is as likely as any to be the worst.
    That needs neither a bound nor a rerun, and finds a drift that sets in after some runs far sooner; but one
    that was there from the first run on is seen by the first question alone.

    Args:
        comparison: the candidate's comparison.
        series: earlier comparisons, from ``series_before``; those with scores reveal more.
        margins: margin of every tested metric.
        settings: settings of the gate.
    """
    asked = {
        name: _over_runs(comparison, series, name, margin, settings.alpha / 2 / len(margins))
        for name, margin in margins.items()
    }
    return _tested(asked, settings, EVIDENCE_PARTS)


def _over_runs(
    comparison: Comparison, series: Sequence[StoredComparison], name: str, margin: float, alpha: float
) -> _OverRuns:
    """Lay out one metric over all runs, centred at each item by what the reruns lose there."""
    expected, span = comparison.expected(name), comparison.metrics[name].span
    losses = comparison.mean_losses(name)
    noise = mean_loss(expected)
    shift = np.nan_to_num(noise - expected, nan=0.0)
    runs = [_items_of(kept, name, shift) for kept in series]
    means = (*(_mean_of(kept, name) for kept in series), mean_loss(losses))
    items = (*(kept.scores.get(name) for kept in series), losses)
    return _OverRuns(
        losses=means,
        runs=tuple(run / span for run in (*runs, losses + shift)),
        allowed=noise + (reference_error(comparison, name, alpha) if comparison.reruns else margin),
        span=span,
        least=(float(min(shift.min(initial=0.0), 0.0)) + comparison.metrics[name].bounds[0]) / span,
        items=items,
    )


def _items_of(kept: StoredComparison, name: str, shift: Floats) -> Floats:
    """Return an earlier run's losses, centred; its mean alone if its scores are not known."""
    if name in kept.scores:
        return kept.scores[name] + shift
    return np.array([stored_loss(kept, name)])


def _mean_of(kept: StoredComparison, name: str) -> float:
    return mean_loss(kept.scores[name]) if name in kept.scores else stored_loss(kept, name)


def reference_error(comparison: Comparison, name: str, alpha: float) -> float:
    """Bound how much too little the reruns may lose by chance, with a one-sided error of ``alpha``.

    The normal bound, and Bernstein's term for losses that are rare: ``span * ln(1 / alpha) / (3 N)`` with N
    outcomes of n items in all runs of the baseline's model.
    """
    n = max(int((~np.isnan(comparison.drifts(name))).sum()), 1)
    spread = float(np.sqrt(comparison.reference_variance(name) / n))
    rare = comparison.metrics[name].span * log(1 / alpha) / (3 * n * (1 + len(comparison.reruns)))
    return float(-ndtri(alpha)) * spread + rare


def evidence_of_runs(
    asked: Mapping[str, tuple[Sequence[float], float, Metric]],
    settings: GateSettings,
    *,
    latest: Mapping[str, Floats] | None = None,
) -> tuple[SequenceTest, ...]:
    """Test the runs' mean losses in several metrics, with Holm's correction for their number.

    Args:
        asked: for each metric the runs' mean losses in the order of time, NaN for a run without one; the
            allowed mean; and the metric.
        settings: settings of the gate, for its alpha.
        latest: losses of the latest run's items by metric, if known; they reveal a single bad run, which
            means alone cannot.
    """
    laid_out = {}
    for name, (losses, allowed, metric) in asked.items():
        runs = [np.array([loss]) for loss in losses]
        if runs and latest and name in latest:
            runs[-1] = latest[name]
        least, span = metric.bounds
        shares = tuple(run / span for run in runs)
        laid_out[name] = _OverRuns(tuple(losses), shares, allowed, span, least / span)
    return _tested(laid_out, settings, _PARTS_OF_MEANS)


def _tested(asked: Mapping[str, _OverRuns], settings: GateSettings, parts: int) -> tuple[SequenceTest, ...]:
    """Adjust the p-values; the bets have one of so many equal parts of alpha."""
    evidence = {name: one.evidence() for name, one in asked.items()}
    p_values = np.array(
        [min(1.0, parts / float(found[-1])) if len(found) else 1.0 for found in evidence.values()]
    )
    corrected = adjusted(p_values, "holm")
    return tuple(
        SequenceTest(
            metric=name,
            losses=tuple(float(loss) for loss in asked[name].losses),
            allowed=asked[name].allowed,
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
        items = np.ones(int((~np.isnan(comparison.mean_losses(test.metric))).sum()))
        allowed = test.allowed / comparison.metrics[test.metric].span
        worst = run_evidence([items] * len(test.losses), allowed)[-1] if allowed > 0 else 1.0
        if max(worst, *test.evidence) <= EVIDENCE_PARTS * len(tests) / settings.alpha:
            short.append(test.metric)
    if not short:
        return []
    n = max(len(test.losses) for test in tests)
    return [
        f"runs against this baseline so far: {n}; even the worst could not be significant over so few in "
        f"{named(short)}: set a threshold for a single bad run, such as min_match"
    ]


def stored_loss(kept: StoredComparison, metric: str) -> float:
    """Return a stored comparison's mean loss over all items; NaN if it lacks the metric."""
    found = (figure.loss for figure in kept.figures if figure.metric == metric and figure.group is None)
    return next(found, float("nan"))
