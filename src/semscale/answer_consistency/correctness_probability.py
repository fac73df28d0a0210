"""The probability that an answer is right, from its consistency and from some labelled answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypedDict

import numpy as np
import polars as pl

from semscale.answer_consistency.labels import (
    EnsembleName,
    FewestLabels,
    LabelCounts,
    read_labels,
    rows_with_value,
)
from semscale.answer_consistency.measure_areas import MeasureAreas, measure_areas
from semscale.errors import InputError
from semscale.stats.calibration.acceptance import Triage, triage
from semscale.stats.calibration.calibration_error import CalibrationFigures, calibration_figures
from semscale.stats.calibration.calibrators import CurveName, ProbabilityCurve, cross_fitted, fit_curve
from semscale.stats.calibration.ensembles import (
    filled_scores,
    labelled_rows,
    nested_scores,
    tune_weights,
    weighted_mean,
)
from semscale.stats.calibration.folds import stratified_folds
from semscale.stats.intervals.estimates import Estimate
from semscale.types import Floats, Integers, Mask, ObjectArray

DECISIONS = ("accept", "review", "abstain")
"""Decisions about an answer."""


class LabelledMeasures(NamedTuple):
    """Measures and nulls of m items, shape (m,) each, and their labels, shape (m,)."""

    values: Mapping[str, Floats]
    labels: Floats


@dataclass(frozen=True)
class CorrectnessProbability:
    """The probability that each of n answers is right, and a decision about it.

    With labels of one kind only there are thresholds, which need no curve; P(correct) is not known.

    Attributes:
        scores: shape (n,), what the curve and the decisions are of; NaN without a consistency.
        fitted: the curve of all labels; ``None`` where these are of one kind.
        figures: calibration of the probabilities, each from a curve that was fitted without the item;
            ``None`` without a curve.
        labels: right and wrong ones, of the items that the curve and the thresholds rest on.
        triage: the thresholds of the decisions, with the error rates that hold for them.
        comparison: how often a right answer has the higher value than a wrong one (area under the ROC curve),
            for each measure and each null of the texts' lengths, with DeLong's intervals.
        measure: which measure the curve is of.
        curve: ``platt`` or ``isotonic``; ``None`` where all labels are of one kind.
        interval: coverage of the intervals of P(correct) and of the figures.
        weights: of each measure in the ensemble that the curve is of; empty where it is of one measure.
        filled: in an ensemble, for each measure the answers that lack it, and for which its mean over the
            other answers counts; measures that lack none are left out.
    """

    scores: Floats
    fitted: ProbabilityCurve | None
    figures: CalibrationFigures | None
    labels: LabelCounts
    triage: Triage
    comparison: MeasureAreas
    measure: str
    curve: str | None
    interval: float = 0.95
    weights: Mapping[str, float] = field(default_factory=dict)
    filled: Mapping[str, int] = field(default_factory=dict)

    @property
    def areas(self) -> Mapping[str, Estimate]:
        """The area of each measure and null, on the labelled answers that have it."""
        return self.comparison.own

    @property
    def probability(self) -> Floats:
        """P(correct), shape (n,); NaN without a consistency, and where all labels are of one kind."""
        return (
            np.full(len(self.scores), np.nan) if self.fitted is None else self.fitted.probability(self.scores)
        )

    @property
    def low(self) -> Floats:
        """Lower ends of the intervals of P(correct), at each answer's score, shape (n,); NaN likewise."""
        return self._bounds[0]

    @property
    def high(self) -> Floats:
        """Upper ends of these intervals, shape (n,)."""
        return self._bounds[1]

    @property
    def decision(self) -> tuple[str | None, ...]:
        """``accept``, ``review`` or ``abstain`` for each answer; ``None`` without a consistency."""
        return tuple(_decisions(self.scores, self.triage).tolist())

    @property
    def shares(self) -> dict[str, float]:
        """For each decision its share of the answers that have a consistency, 0 to 1."""
        accepts, gives_up = _settled(self.scores, self.triage)
        accepted, given_up = int(accepts.sum()), int((gives_up & ~accepts).sum())
        n = int((~np.isnan(self.scores)).sum())
        counts = (accepted, n - accepted - given_up, given_up)
        return {name: count / max(n, 1) for name, count in zip(DECISIONS, counts, strict=True)}

    def some(self, rows: Integers | slice) -> "CorrectnessProbability":
        """Keep some of the answers; everything that is said of all stays."""
        return replace(self, scores=self.scores[rows])

    @property
    def _bounds(self) -> tuple[Floats, Floats]:
        unknown = np.full(len(self.scores), np.nan)
        return (unknown, unknown) if self.fitted is None else self.fitted.bounds(self.scores, self.interval)


class CorrectnessSettings(TypedDict, total=False):
    """Settings of ``estimate_correctness``, as others pass them on."""

    curve: CurveName
    ensemble: EnsembleName
    error_rate: float
    lost_rate: float
    confidence: float
    interval: float
    seed: int


def estimate_correctness(  # noqa: PLR0913 - what is promised, and how the curve is made
    measures: Mapping[str, Floats],
    correct: object,
    *,
    nulls: Mapping[str, Floats] | None = None,
    labelled: LabelledMeasures | None = None,
    curve: CurveName = "platt",
    ensemble: EnsembleName = "none",
    error_rate: float = 0.05,
    lost_rate: float = 0.2,
    confidence: float = 0.95,
    interval: float = 0.95,
    seed: int = 0,
) -> CorrectnessProbability:
    """Estimate the probability that each answer is right, and decide: accept, review or abstain.

    Args:
        measures: of n items, each of shape (n,); the first one counts.
        correct: shape (n,): true or 1 for right, false or 0 for wrong, missing where nobody has checked. The
            items that were checked must be a random sample of all.
        nulls: figures that any measure should beat, each of shape (n,).
        labelled: measures and nulls of the labelled items, which are compared; where they are given,
            ``measures`` may have the first one alone if there is no ensemble.
        curve: ``platt`` (few labels) or ``isotonic`` (a few hundred).
        ensemble: ``none``: the first measure counts. ``mean``: the plain mean of all measures. ``tuned``:
            their mean with weights that a random half of the labels tunes; curve, figures and thresholds are
            then of the other half, so that they hold.
        error_rate: share of wrong answers that is allowed among accepted ones.
        lost_rate: share of right answers that is allowed among those given up.
        confidence: with which both hold together.
        interval: coverage of the intervals of P(correct) and of the figures.
        seed: of folds and intervals.

    Raises:
        InputError: another length, a cell that is neither, or fewer than 20 labels; for tuned weights fewer
            than 80 labels, or fewer than 10 of a kind.
    """
    n, labels = len(next(iter(measures.values()))), read_labels(correct)
    if len(labels) != n:
        raise InputError(f"correct must have {n} rows as the items have, got {len(labels)}")
    needed, counts = (
        FewestLabels.for_ensemble(ensemble),
        LabelCounts.of(labels[rows_with_value(measures, ensemble)]),
    )
    if not needed.are_met(counts):
        raise InputError(
            f"correct must label at least {needed.total} items that have a consistency{needed.kinds}, got "
            f"{counts}{needed.remedy}"
        )
    ensembles = {} if ensemble == "none" else _ensembles(measures, labels, ensemble, seed=seed)
    known = np.flatnonzero(~np.isnan(labels))
    if labelled is None:
        values = {name: column[known] for name, column in {**measures, **(nulls or {})}.items()}
        labelled = LabelledMeasures(values, labels[known])
    compared = {**labelled.values, **{name: column[known] for name, column in ensembles.items()}}
    comparison = measure_areas(compared, labelled.labels, interval=interval)
    main, scores, weights, labels = _scores(measures, labels, ensemble, seed)
    fitted = _fitted(scores, labels, curve, interval=interval, seed=seed)
    promised = triage(scores, labels, error_rate=error_rate, lost_rate=lost_rate, confidence=confidence)
    return CorrectnessProbability(
        scores=scores,
        fitted=fitted.curve,
        figures=fitted.figures,
        labels=LabelCounts.of(labels[~np.isnan(scores)]),
        triage=promised,
        comparison=comparison,
        measure=main,
        curve=None if fitted.curve is None else curve,
        interval=interval,
        weights=weights,
        filled={} if ensemble == "none" else _filled(measures),
    )


class _Fitted(NamedTuple):
    curve: ProbabilityCurve | None
    figures: CalibrationFigures | None


def _fitted(scores: Floats, labels: Floats, curve: CurveName, *, interval: float, seed: int) -> _Fitted:
    """Fit a curve and say how well it holds; nothing is known where labels are of one kind."""
    if not LabelCounts.of(labels[~np.isnan(scores)]).are_of_both_kinds:
        return _Fitted(None, None)
    honest = cross_fitted(scores, labels, curve, seed=seed)
    return _Fitted(
        fit_curve(scores, labels, curve), calibration_figures(honest, labels, interval=interval, seed=seed)
    )


def _scores(
    measures: Mapping[str, Floats], labels: Floats, ensemble: EnsembleName, seed: int
) -> tuple[str, Floats, dict[str, float], Floats]:
    """Give what the curve is of: its name, its values, the weights, and the labels that did not make them."""
    if ensemble == "none":
        main = next(iter(measures))
        return main, measures[main], {}, labels
    columns = np.stack(list(measures.values()))
    if ensemble == "mean":
        equal = dict.fromkeys(measures, 1 / len(measures))
        return "ensemble_mean", weighted_mean(columns), equal, labels
    known = labelled_rows(columns, labels)
    tuning = known[stratified_folds(labels[known], folds=2, seed=seed) == 1]
    tuned = tune_weights(filled_scores(columns)[:, tuning], labels[tuning], seed=seed)
    rest = labels.copy()
    rest[tuning] = np.nan
    weights = dict(zip(measures, tuned.weights.tolist(), strict=True))
    return "ensemble_tuned", weighted_mean(columns, tuned.weights), weights, rest


def _ensembles(
    measures: Mapping[str, Floats], labels: Floats, ensemble: EnsembleName, *, seed: int
) -> dict[str, Floats]:
    """Give the plain mean, and values of tuned weights by nested cross-validation."""
    columns = np.stack(list(measures.values()))
    values = {"ensemble_mean": weighted_mean(columns)}
    if ensemble == "tuned":
        values["ensemble_tuned"] = nested_scores(columns, labels, seed=seed)
    return values


def _filled(measures: Mapping[str, Floats]) -> dict[str, int]:
    """Count for each measure the items that lack it and have another one; not for one that no item has."""
    missing = {name: np.isnan(values) for name, values in measures.items()}
    scored = ~np.all(list(missing.values()), axis=0)
    counts = {name: int((gone & scored).sum()) for name, gone in missing.items() if not gone.all()}
    return {name: n for name, n in counts.items() if n}


def _decisions(scores: Floats, promised: Triage) -> ObjectArray:
    """Decide item by item, shape (n,); what neither threshold settles is reviewed."""
    found: ObjectArray = np.full(len(scores), "review", dtype=object)
    accepts, gives_up = _settled(scores, promised)
    found[gives_up] = "abstain"
    found[accepts] = "accept"
    found[np.isnan(scores)] = None
    return found


def _settled(scores: Floats, promised: Triage) -> tuple[Mask, Mask]:
    """Which items are accepted or given up by their score, shape (n,) each; those without one are neither."""
    accept, abstain = promised.accept.value, promised.abstain.value
    return (
        scores >= (np.inf if accept is None else accept),
        scores <= (-np.inf if abstain is None else abstain),
    )


def correctness_frame(
    correctness: CorrectnessProbability, start: int = 0, stop: int | None = None
) -> pl.DataFrame:
    """Lay items out as a table: ``probability_correct`` with its interval, ``decision``; missing is null.

    Args:
        correctness: of n items.
        start: the first of them that is laid out.
        stop: the one after the last; all unless given.
    """
    some = correctness.some(slice(start, stop))
    columns = {
        "probability_correct": some.probability,
        "probability_correct_low": some.low,
        "probability_correct_high": some.high,
    }
    return pl.DataFrame(
        [
            *(pl.Series(name, values, nan_to_null=True) for name, values in columns.items()),
            pl.Series("decision", list(some.decision), dtype=pl.String),
        ]
    )
