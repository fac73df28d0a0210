"""The probability that an answer is right, from its consistency and from some labelled answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypedDict

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.renamed_settings import old_names
from semscale.stats.calibration.acceptance import Triage, triage
from semscale.stats.calibration.calibration_error import CalibrationFigures, calibration_figures
from semscale.stats.calibration.calibrators import CurveName, cross_fitted, fit_curve
from semscale.stats.calibration.ensembles import (
    FEWEST_TUNING,
    filled_scores,
    nested_scores,
    tune_weights,
    weighted_mean,
)
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.roc_areas import roc_area
from semscale.store.columns import as_list, is_missing
from semscale.types import Floats

EnsembleName = Literal["none", "mean", "tuned"]
"""What the curve is of: the first measure, the plain mean of all, or their mean with tuned weights."""
FEWEST_LABELS = 20
"""Labelled answers of each kind, right and wrong together, that a curve is fitted to."""
DECISIONS = ("accept", "review", "abstain")
"""Decisions about an answer."""

_RIGHT = frozenset({"1", "1.0", "true", "yes", "right", "correct"})
_WRONG = frozenset({"0", "0.0", "false", "no", "wrong", "incorrect"})


@dataclass(frozen=True)
class CorrectnessProbability:
    """The probability that each of n answers is right, and a decision about it.

    Attributes:
        probability: shape (n,), P(correct), of a curve fitted to all labels; NaN without a consistency.
        decision: n of ``accept``, ``review``, ``abstain``; ``None`` without a consistency.
        figures: calibration of the probabilities, each from a curve that was fitted without the item.
        triage: the thresholds of the decisions, with the error rates that hold for them.
        areas: how often a right answer has the higher value than a wrong one (area under the ROC curve),
            for each measure and each null of the texts' lengths, with DeLong's intervals.
        measure: which measure the curve is of.
        curve: ``platt`` or ``isotonic``.
        interval: coverage of the figures' intervals.
        weights: of each measure in the ensemble that the curve is of; empty where it is of one measure.
    """

    probability: Floats
    decision: tuple[str | None, ...]
    figures: CalibrationFigures
    triage: Triage
    areas: Mapping[str, Estimate]
    measure: str
    curve: str
    interval: float = 0.95
    weights: Mapping[str, float] = field(default_factory=dict)

    @property
    def shares(self) -> dict[str, float]:
        """For each decision its share of the answers that have a consistency, 0 to 1."""
        decided = [decision for decision in self.decision if decision is not None]
        return {name: decided.count(name) / max(len(decided), 1) for name in DECISIONS}


@dataclass(frozen=True)
class LabelCounts:
    """How many answers are labelled right, and how many wrong.

    Example:
        >>> counts = LabelCounts.of(np.array([1.0, 0.0, np.nan, 1.0]))
        >>> str(counts), counts.are_enough
        ('2 right and 1 wrong', False)
    """

    right: int
    wrong: int

    @classmethod
    def of(cls, labels: Floats) -> Self:
        """Count labels as ``read_labels`` gives them, shape (n,)."""
        return cls(int((labels == 1).sum()), int((labels == 0).sum()))

    def added(self, other: "LabelCounts") -> "LabelCounts":
        """Count both together."""
        return LabelCounts(self.right + other.right, self.wrong + other.wrong)

    @property
    def are_enough(self) -> bool:
        """Whether a curve can be fitted: at least 20 labels, of both kinds."""
        return self.right + self.wrong >= FEWEST_LABELS and self.right > 0 and self.wrong > 0

    def __str__(self) -> str:
        return f"{self.right:,} right and {self.wrong:,} wrong"


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
        curve: ``platt`` (few labels) or ``isotonic`` (a few hundred).
        ensemble: ``none``: the first measure counts. ``mean``: the plain mean of all measures. ``tuned``:
            their mean with weights that a random half of the labels tunes; curve, figures and thresholds are
            then of the other half, so that they hold.
        error_rate: share of wrong answers that is allowed among accepted ones.
        lost_rate: share of right answers that is allowed among those given up.
        confidence: with which both hold together.
        interval: coverage of the intervals of the figures.
        seed: of folds and intervals.

    Raises:
        InputError: another length, a cell that is neither, fewer than 20 labels, or labels of one kind only.
    """
    n, labels = len(next(iter(measures.values()))), read_labels(correct)
    if len(labels) != n:
        raise InputError(f"correct must have {n} rows as the items have, got {len(labels)}")
    areas = {name: _area(values, labels, interval) for name, values in {**measures, **(nulls or {})}.items()}
    if ensemble != "none":
        areas |= _ensemble_areas(measures, labels, ensemble, interval=interval, seed=seed)
    main, scores, weights, labels = _scores(measures, labels, ensemble, seed)
    counts = LabelCounts.of(labels[~np.isnan(scores)])
    if not counts.are_enough:
        raise InputError(
            f"correct must label at least {FEWEST_LABELS} items that have a consistency, some of them right "
            f"and some wrong, got {counts}"
        )
    honest = cross_fitted(scores, labels, curve, seed=seed)
    promised = triage(scores, labels, error_rate=error_rate, lost_rate=lost_rate, confidence=confidence)
    return CorrectnessProbability(
        probability=fit_curve(scores, labels, curve).probability(scores),
        decision=_decisions(scores, promised),
        figures=calibration_figures(honest, labels, interval=interval, seed=seed),
        triage=promised,
        areas=areas,
        measure=main,
        curve=curve,
        interval=interval,
        weights=weights,
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
    known = np.flatnonzero(~np.isnan(labels) & ~np.isnan(columns).all(axis=0))
    tuning = np.random.default_rng(seed).permutation(known)[: len(known) // 2]
    tuned = tune_weights(filled_scores(columns)[:, tuning], labels[tuning], seed=seed)
    rest = labels.copy()
    rest[tuning] = np.nan
    weights = dict(zip(measures, tuned.weights.tolist(), strict=True))
    return "ensemble_tuned", weighted_mean(columns, tuned.weights), weights, rest


def _ensemble_areas(
    measures: Mapping[str, Floats], labels: Floats, ensemble: EnsembleName, *, interval: float, seed: int
) -> dict[str, Estimate]:
    """Give the areas of the plain mean, and of tuned weights by nested cross-validation."""
    if ensemble not in {"mean", "tuned"}:
        raise unknown_name("ensemble", str(ensemble), ("none", "mean", "tuned"))
    columns = np.stack(list(measures.values()))
    areas = {"ensemble_mean": _area(weighted_mean(columns), labels, interval)}
    if ensemble == "tuned":
        n = int((~np.isnan(labels) & ~np.isnan(columns).all(axis=0)).sum())
        if n < 2 * FEWEST_TUNING:
            raise InputError(
                f"a tuned ensemble needs at least {2 * FEWEST_TUNING} labels: one half tunes, the other half "
                f"promises; got {n}: take the plain mean (ensemble mean)"
            )
        areas["ensemble_tuned"] = _area(nested_scores(columns, labels, seed=seed), labels, interval)
    return areas


__getattr__ = old_names(
    __name__,
    Trust="CorrectnessProbability",
    TrustSettings="CorrectnessSettings",
    estimate_trust="estimate_correctness",
    trust_frame="correctness_frame",
)


def read_labels(cells: object, first: int = 0) -> Floats:
    """Read which answers are right: 1, 0, and NaN where that is not known.

    Args:
        cells: shape (n,).
        first: place of the first of them among all items, from 0.

    Raises:
        InputError: a cell that says neither; its place is named.

    Example:
        >>> read_labels([True, "wrong", None, 1.0]).tolist()
        [1.0, 0.0, nan, 1.0]
    """
    return np.array(
        [_label(cell, place) for place, cell in enumerate(as_list(cells, "correct"), first)], np.float64
    )


def _label(cell: Any, place: int) -> float:  # noqa: ANN401 - any cell
    word = "" if is_missing(cell) else str(cell).strip().casefold()
    if not word:
        return np.nan
    if word not in _RIGHT | _WRONG:
        raise InputError(
            f"correct must be 1, true, right or correct, or 0, false, wrong or incorrect, or empty, "
            f"got {str(cell)[:40]!r} at {place} (from 0)"
        )
    return float(word in _RIGHT)


def _decisions(scores: Floats, promised: Triage) -> tuple[str | None, ...]:
    """Decide item by item; what neither threshold settles is reviewed."""
    accept, abstain = promised.accept.value, promised.abstain.value
    return tuple(
        None
        if np.isnan(score)
        else "accept"
        if accept is not None and score >= accept
        else "abstain"
        if abstain is not None and score <= abstain
        else "review"
        for score in scores.tolist()
    )


def _area(values: Floats, labels: Floats, interval: float) -> Estimate:
    right, wrong = (values[(labels == side) & ~np.isnan(values)] for side in (1, 0))
    return roc_area(right, wrong, interval=interval)


def correctness_frame(
    correctness: CorrectnessProbability, start: int = 0, stop: int | None = None
) -> pl.DataFrame:
    """Lay items out as a table: ``probability_correct`` and ``decision``; what is missing is null.

    Args:
        correctness: of n items.
        start: the first of them that is laid out.
        stop: the one after the last; all unless given.
    """
    rows = slice(start, stop)
    return pl.DataFrame(
        [
            pl.Series("probability_correct", correctness.probability[rows], nan_to_null=True),
            pl.Series("decision", list(correctness.decision[rows]), dtype=pl.String),
        ]
    )
