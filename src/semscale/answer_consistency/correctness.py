"""The probability that an answer is right, from its consistency and labels of some answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Self, Unpack, cast

import numpy as np
import polars as pl

from semscale.answer_consistency.samples import read_labels
from semscale.answer_consistency.settings import CorrectnessKeywords, CorrectnessSettings
from semscale.errors import InputError
from semscale.messages import unknown_name
from semscale.settings import takes
from semscale.stats.acceptance import Triage, triage
from semscale.stats.calibration import (
    FEWEST_OF_EACH,
    FEWEST_TUNING,
    CalibrationFigures,
    CurveName,
    ProbabilityCurve,
    calibration_figures,
    cross_fitted,
    fill_scores,
    fit_curve,
    out_of_fold_scores,
    rows_with_label,
    stratified_folds,
    tune_weights,
    weighted_mean,
)
from semscale.stats.correlations import roc_area
from semscale.stats.intervals import Estimate
from semscale.types import Floats, Integers, Mask

DECISIONS = ("accept", "review", "abstain")
"""Decisions about an answer."""
FEWEST_LABELS = 20
"""Least number of labelled answers, right and wrong together, for a curve."""


class LabelledMeasures(NamedTuple):
    """Measures and baselines of m items, each of shape (m,), and their labels, shape (m,)."""

    values: Mapping[str, Floats]
    labels: Floats


@dataclass(frozen=True)
class CorrectnessProbability:
    """The probability that each of n answers is right, and a decision about it.

    If all labels are right, or all wrong, there are thresholds, which need no curve, but P(correct) is
    unknown.

    Attributes:
        scores: shape (n,), scores for the curve and the decisions; NaN without a consistency.
        fitted: curve fitted to all labels; ``None`` if these are of one kind.
        figures: calibration of the probabilities, each from a curve that was fitted without the item;
            ``None`` without a curve.
        labels: number of right and wrong labels behind the curve and the thresholds.
        triage: thresholds of the decisions, with their guaranteed error rates.
        comparison: area under the ROC curve (how often a right answer has a higher value than a wrong one) of
            each measure and each baseline of the texts' lengths, with DeLong's intervals.
        measure: the measure of the curve.
        curve: ``platt`` or ``isotonic``; ``None`` if all labels are of one kind.
        interval: nominal coverage of the intervals of P(correct) and of the figures.
        weights: weight of each measure in the ensemble; empty without an ensemble.
        filled: in an ensemble, number of answers by measure whose missing value is replaced by the measure's
            mean; complete measures are left out.
    """

    scores: Floats
    fitted: ProbabilityCurve | None
    figures: CalibrationFigures | None
    labels: "LabelCounts"
    triage: Triage
    comparison: "MeasureAreas"
    measure: str
    curve: str | None
    interval: float = 0.95
    weights: Mapping[str, float] = field(default_factory=dict)
    filled: Mapping[str, int] = field(default_factory=dict)

    @property
    def areas(self) -> Mapping[str, Estimate]:
        """Area under the ROC curve of each measure and baseline, on the labelled answers with a value."""
        return self.comparison.separate

    @property
    def probability(self) -> Floats:
        """P(correct), shape (n,), 0 to 1; NaN without a consistency, or if all labels are of one kind."""
        if self.fitted is None:
            return np.full(len(self.scores), np.nan)
        return self.fitted.probability(self.scores)

    @property
    def low(self) -> Floats:
        """Lower ends of the intervals of P(correct), shape (n,), 0 to 1; NaN where P(correct) is NaN."""
        return self._bounds[0]

    @property
    def high(self) -> Floats:
        """Upper ends of the intervals of P(correct), shape (n,), 0 to 1; NaN where P(correct) is NaN."""
        return self._bounds[1]

    @property
    def decision(self) -> tuple[str | None, ...]:
        """``accept``, ``review`` or ``abstain`` for each answer; ``None`` without a consistency."""
        accepts, abstains = self._settled
        decisions = np.full(len(self.scores), "review", dtype=object)
        decisions[abstains] = "abstain"
        decisions[accepts] = "accept"
        decisions[np.isnan(self.scores)] = None
        return tuple(decisions.tolist())

    @property
    def shares(self) -> dict[str, float]:
        """Share of each decision among the answers with a consistency, 0 to 1."""
        accepts, abstains = self._settled
        accepted, abstained = int(accepts.sum()), int((abstains & ~accepts).sum())
        n = int((~np.isnan(self.scores)).sum())
        counts = (accepted, n - accepted - abstained, abstained)
        return {name: count / max(n, 1) for name, count in zip(DECISIONS, counts, strict=True)}

    def some(self, rows: Integers | slice) -> "CorrectnessProbability":
        """Select some of the answers; the figures remain those of all answers."""
        return replace(self, scores=self.scores[rows])

    @property
    def _bounds(self) -> tuple[Floats, Floats]:
        unknown = np.full(len(self.scores), np.nan)
        return (unknown, unknown) if self.fitted is None else self.fitted.bounds(self.scores, self.interval)

    @property
    def _settled(self) -> tuple[Mask, Mask]:
        """Masks of the items that are accepted, and that are rejected, each of shape (n,)."""
        accept, abstain = self.triage.accept.value, self.triage.abstain.value
        return (
            self.scores >= (np.inf if accept is None else accept),
            self.scores <= (-np.inf if abstain is None else abstain),
        )


@takes(CorrectnessSettings)
def estimate_correctness(
    measures: Mapping[str, Floats],
    correct: object,
    *,
    nulls: Mapping[str, Floats] | None = None,
    labelled: LabelledMeasures | None = None,
    **settings: Unpack[CorrectnessKeywords],
) -> CorrectnessProbability:
    """Estimate the probability that each answer is right, and decide: accept, review or abstain.

    With tuned weights, a random half of the labels tunes them; curve, figures and thresholds come from the
    other half, so that they are unbiased.

    Args:
        measures: measures of n items, each of shape (n,); without an ensemble, the first one is used.
        correct: shape (n,): true or 1 for right, false or 0 for wrong, missing if not checked. The checked
            items must be a random sample of all.
        nulls: baselines, each of shape (n,).
        labelled: measures and baselines of the labelled items, for the comparison; with it, ``measures``
            needs only the first measure without an ensemble.
        settings: fields of ``CorrectnessSettings``.

    Raises:
        InputError: lengths differ, an invalid label, or fewer than 20 labels; for tuned weights fewer than 80
            labels, or fewer than 10 of a kind.
    """
    chosen = CorrectnessSettings(**settings)
    ensemble, seed = chosen.ensemble, chosen.seed
    n, labels = len(next(iter(measures.values()))), read_labels(correct)
    if len(labels) != n:
        raise InputError("correct", f"must have {n} rows as the items have, got {len(labels)}")
    needed = FewestLabels.for_ensemble(ensemble)
    counts = LabelCounts.count(labels[rows_with_value(measures, ensemble)])
    if not needed.are_met(counts):
        raise InputError(
            "correct",
            f"must label at least {needed.total} items that have a consistency{needed.kinds}, got "
            f"{counts}{needed.remedy}",
        )
    known = np.flatnonzero(~np.isnan(labels))
    if labelled is None:
        values = {name: column[known] for name, column in {**measures, **(nulls or {})}.items()}
        labelled = LabelledMeasures(values, labels[known])
    main, scores = next(iter(measures.items()))
    weights: dict[str, float] = {}
    ensembles: dict[str, Floats] = {}
    if ensemble != "none":
        main = f"ensemble_{ensemble}"
        scores, weights, labels, ensembles = _ensemble_scores(measures, labels, ensemble, seed)
    compared = {**labelled.values, **{name: column[known] for name, column in ensembles.items()}}
    comparison = measure_areas(compared, labelled.labels, interval=chosen.interval)
    counts = LabelCounts.count(labels[~np.isnan(scores)])
    fitted = figures = None
    if counts.are_of_both_kinds:
        curve = cast(CurveName, chosen.curve)
        honest = cross_fitted(scores, labels, curve, seed=seed)
        fitted = fit_curve(scores, labels, curve)
        figures = calibration_figures(honest, labels, interval=chosen.interval, seed=seed)
    return CorrectnessProbability(
        scores=scores,
        fitted=fitted,
        figures=figures,
        labels=counts,
        triage=triage(
            scores,
            labels,
            error_rate=chosen.error_rate,
            lost_rate=chosen.lost_rate,
            confidence=chosen.confidence,
        ),
        comparison=comparison,
        measure=main,
        curve=None if fitted is None else chosen.curve,
        interval=chosen.interval,
        weights=weights,
        filled={} if ensemble == "none" else _count_missing(measures),
    )


def _ensemble_scores(
    measures: Mapping[str, Floats], labels: Floats, ensemble: str, seed: int
) -> tuple[Floats, dict[str, float], Floats, dict[str, Floats]]:
    """Combine measures with equal or with tuned weights.

    Returns:
        The scores, the weight of each measure, the labels that did not tune them, and columns to compare with
        single measures. With tuned weights these are nested, so that no label is compared with a value that
        it tuned.
    """
    columns = np.stack(list(measures.values()))
    mean = weighted_mean(columns)
    if ensemble == "mean":
        return mean, dict.fromkeys(measures, 1 / len(measures)), labels, {"ensemble_mean": mean}
    known = rows_with_label(columns, labels)
    tuning = known[stratified_folds(labels[known], folds=2, seed=seed) == 1]
    tuned = tune_weights(fill_scores(columns)[:, tuning], labels[tuning], seed=seed)
    rest = labels.copy()
    rest[tuning] = np.nan
    weights = dict(zip(measures, tuned.weights.tolist(), strict=True))
    compared = {"ensemble_mean": mean, "ensemble_tuned": out_of_fold_scores(columns, labels, seed=seed)}
    return weighted_mean(columns, tuned.weights), weights, rest, compared


def _count_missing(measures: Mapping[str, Floats]) -> dict[str, int]:
    """Count by measure the items that lack it and have another one, without measures that no item has."""
    missing = {name: np.isnan(values) for name, values in measures.items()}
    scored = ~np.all(list(missing.values()), axis=0)
    counts = {name: int((absent & scored).sum()) for name, absent in missing.items() if not absent.all()}
    return {name: n for name, n in counts.items() if n}


def correctness_frame(
    correctness: CorrectnessProbability, start: int = 0, stop: int | None = None
) -> pl.DataFrame:
    """Return a table of items: ``probability_correct`` with its interval, and ``decision``; null if missing.

    Args:
        correctness: correctness of n items.
        start: position of the first item.
        stop: position after the last item; all by default.
    """
    some = correctness.some(slice(start, stop))
    return pl.DataFrame(
        [
            pl.Series("probability_correct", some.probability, nan_to_null=True),
            pl.Series("probability_correct_low", some.low, nan_to_null=True),
            pl.Series("probability_correct_high", some.high, nan_to_null=True),
            pl.Series("decision", list(some.decision), dtype=pl.String),
        ]
    )


@dataclass(frozen=True)
class MeasureAreas:
    """Areas under the ROC curve of several measures.

    Attributes:
        separate: area of each measure on the labelled answers with a value; NaN if these are of one kind.
        n: number of these answers, by measure.
        common: area of each measure on the labelled answers with all measures, for comparisons on the same
            answers; empty if equal to ``separate``.
        n_common: number of labelled answers with all measures, except measures that no labelled answer has.
    """

    separate: Mapping[str, Estimate]
    n: Mapping[str, int]
    common: Mapping[str, Estimate] = field(default_factory=dict)
    n_common: int = 0

    @property
    def compared(self) -> Mapping[str, Estimate]:
        """The areas to compare measures by, on common answers if these are of both kinds."""
        is_known = any(not np.isnan(area.value) for area in self.common.values())
        return self.common if is_known else self.separate


def measure_areas(measures: Mapping[str, Floats], labels: Floats, *, interval: float = 0.95) -> MeasureAreas:
    """Estimate for each measure how often a right answer has a higher value than a wrong one.

    Args:
        measures: measures of n answers, each of shape (n,), NaN where missing.
        labels: shape (n,), 1 right, 0 wrong, NaN unknown.
        interval: nominal coverage of DeLong's intervals.

    Examples:
        >>> nan = np.nan
        >>> areas = measure_areas(
        ...     {"a": np.array([0.1, 0.9, 0.2, 0.8]), "b": np.array([0.3, 0.4, nan, nan])},
        ...     np.array([0.0, 1, 1, 0]),
        ... )
        >>> areas.separate["a"].value, areas.n["b"], areas.n_common, areas.common["a"].value
        (0.75, 2, 2, 1.0)
    """
    is_known = {name: ~np.isnan(labels) & ~np.isnan(values) for name, values in measures.items()}
    n = {name: int(rows.sum()) for name, rows in is_known.items()}
    separate = {name: _area(values, labels, interval) for name, values in measures.items()}
    known = [rows for name, rows in is_known.items() if n[name]]
    if not known:
        return MeasureAreas(separate, n)
    have_all = np.all(known, axis=0)
    n_common = int(have_all.sum())
    if set(n.values()) <= {0, n_common}:
        return MeasureAreas(separate, n, n_common=n_common)
    common_labels = np.where(have_all, labels, np.nan)
    common = {name: _area(values, common_labels, interval) for name, values in measures.items()}
    return MeasureAreas(separate, n, common, n_common)


def _area(values: Floats, labels: Floats, interval: float) -> Estimate:
    right, wrong = (values[(labels == side) & ~np.isnan(values)] for side in (1, 0))
    return roc_area(right, wrong, interval=interval)


@dataclass(frozen=True)
class LabelCounts:
    """Counts of right and wrong labels.

    Examples:
        >>> str(LabelCounts.count(np.array([1.0, 0.0, np.nan, 1.0])))
        '2 right and 1 wrong'
    """

    right: int
    wrong: int

    @classmethod
    def count(cls, labels: Floats) -> Self:
        """Count labels from ``read_labels``, shape (n,)."""
        return cls(int((labels == 1).sum()), int((labels == 0).sum()))

    @property
    def total(self) -> int:
        """Number of all labels."""
        return self.right + self.wrong

    @property
    def are_of_both_kinds(self) -> bool:
        """Return whether some are right and some wrong, as a curve requires."""
        return self.right > 0 and self.wrong > 0

    def plus(self, other: "LabelCounts") -> "LabelCounts":
        """Return the sum of both counts."""
        return LabelCounts(self.right + other.right, self.wrong + other.wrong)

    def __str__(self) -> str:
        return f"{self.right:,} right and {self.wrong:,} wrong"


@dataclass(frozen=True)
class FewestLabels:
    """Least number of labels for P(correct).

    Tuned weights need 40 labels and 5 of each kind, one for each fold. They are tuned on half of the labels,
    so twice as many are required.

    Attributes:
        total: number of right and wrong labels together.
        of_each: number of each kind; 0 if labels of one kind are enough.

    Examples:
        >>> FewestLabels.for_ensemble("tuned")
        FewestLabels(total=80, of_each=10)
    """

    total: int
    of_each: int

    @classmethod
    def for_ensemble(cls, ensemble: str) -> Self:
        """Return the least number of labels for an ensemble.

        Raises:
            InputError: there is no such ensemble.
        """
        if ensemble not in {"none", "mean", "tuned"}:
            raise unknown_name("ensemble", str(ensemble), ("none", "mean", "tuned"))
        return cls(2 * FEWEST_TUNING, 2 * FEWEST_OF_EACH) if ensemble == "tuned" else cls(FEWEST_LABELS, 0)

    def are_met(self, counts: LabelCounts) -> bool:
        """Return whether there are enough labels."""
        return counts.total >= self.total and min(counts.right, counts.wrong) >= self.of_each

    @property
    def kinds(self) -> str:
        """Required numbers of right and wrong labels, as words after a number; empty for any."""
        if not self.of_each:
            return ""
        return f", {self.of_each} or more of them right and {self.of_each} or more wrong"

    @property
    def remedy(self) -> str:
        """Remedy for too few labels, for the end of a message; empty if only more labels help."""
        return "" if not self.of_each else "; label more, or take the plain mean (ensemble mean)"


@dataclass(frozen=True)
class TooFewLabels:
    """Labels of answers with a value, if they are too few for P(correct)."""

    counts: LabelCounts
    needed: FewestLabels


def rows_with_value(measures: Mapping[str, Floats], ensemble: str) -> Mask:
    """Return which items have a value of the first measure, or of any measure for an ensemble.

    Args:
        measures: measures of n items, each of shape (n,), NaN where missing.
        ensemble: name of the ensemble.
    """
    columns = np.stack(list(measures.values())[: 1 if ensemble == "none" else None])
    has_value: Mask = np.any(~np.isnan(columns), axis=0)
    return has_value
