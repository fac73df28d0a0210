"""The probability that an answer is right, from its consistency and from some labelled answers."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self, cast

import numpy as np
import polars as pl

from semscale.answer_consistency.samples import read_labels
from semscale.answer_consistency.settings import CorrectnessSettings
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
    filled_scores,
    fit_curve,
    labelled_rows,
    nested_scores,
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
"""Labelled answers, right and wrong together, that a curve is fitted to."""


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
        measure: the measure of the curve.
        curve: ``platt`` or ``isotonic``; ``None`` where all labels are of one kind.
        interval: coverage of the intervals of P(correct) and of the figures.
        weights: of each measure in the ensemble that the curve is of; empty where it is of one measure.
        filled: in an ensemble, for each measure the answers that lack it, and for which its mean over the
            other answers counts; measures that lack none are left out.
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
        """The area of each measure and null, on the labelled answers that have it."""
        return self.comparison.separate

    @property
    def probability(self) -> Floats:
        """P(correct), shape (n,); NaN without a consistency, and where all labels are of one kind."""
        if self.fitted is None:
            return np.full(len(self.scores), np.nan)
        return self.fitted.probability(self.scores)

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
        accepts, abstains = self._settled
        decisions = np.full(len(self.scores), "review", dtype=object)
        decisions[abstains] = "abstain"
        decisions[accepts] = "accept"
        decisions[np.isnan(self.scores)] = None
        return tuple(decisions.tolist())

    @property
    def shares(self) -> dict[str, float]:
        """For each decision its share of the answers that have a consistency, 0 to 1."""
        accepts, abstains = self._settled
        accepted, abstained = int(accepts.sum()), int((abstains & ~accepts).sum())
        n = int((~np.isnan(self.scores)).sum())
        counts = (accepted, n - accepted - abstained, abstained)
        return {name: count / max(n, 1) for name, count in zip(DECISIONS, counts, strict=True)}

    def some(self, rows: Integers | slice) -> "CorrectnessProbability":
        """Select some of the answers; the figures of all stay."""
        return replace(self, scores=self.scores[rows])

    @property
    def _bounds(self) -> tuple[Floats, Floats]:
        unknown = np.full(len(self.scores), np.nan)
        return (unknown, unknown) if self.fitted is None else self.fitted.bounds(self.scores, self.interval)

    @property
    def _settled(self) -> tuple[Mask, Mask]:
        """Masks of the items accepted and given up by their score, shape (n,) each."""
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
    **settings: Any,
) -> CorrectnessProbability:
    """Estimate the probability that each answer is right, and decide: accept, review or abstain.

    With tuned weights, a random half of the labels tunes them; curve, figures and thresholds are then of the
    other half, so that they hold.

    Args:
        measures: of n items, each of shape (n,); the first one counts.
        correct: shape (n,): true or 1 for right, false or 0 for wrong, missing where it was not checked. The
            items that were checked must be a random sample of all.
        nulls: figures that any measure should beat, each of shape (n,).
        labelled: measures and nulls of the labelled items, which are compared; with them ``measures`` may
            have the first one alone if there is no ensemble.
        settings: fields of ``CorrectnessSettings``.

    Raises:
        InputError: another length, a cell that is neither, or fewer than 20 labels; for tuned weights fewer
            than 80 labels, or fewer than 10 of a kind.
    """
    chosen = CorrectnessSettings(**settings)
    ensemble, seed = chosen.ensemble, chosen.seed
    n, labels = len(next(iter(measures.values()))), read_labels(correct)
    if len(labels) != n:
        raise InputError(f"correct must have {n} rows as the items have, got {len(labels)}")
    needed = FewestLabels.for_ensemble(ensemble)
    counts = LabelCounts.count(labels[rows_with_value(measures, ensemble)])
    if not needed.are_met(counts):
        raise InputError(
            f"correct must label at least {needed.total} items that have a consistency{needed.kinds}, got "
            f"{counts}{needed.remedy}"
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
        filled={} if ensemble == "none" else _filled(measures),
    )


def _ensemble_scores(
    measures: Mapping[str, Floats], labels: Floats, ensemble: str, seed: int
) -> tuple[Floats, dict[str, float], Floats, dict[str, Floats]]:
    """Combine measures with equal or with tuned weights.

    Returns:
        The values that the curve is of, the weight of each measure, the labels that did not tune them, and
        columns to compare with single measures: those of tuned weights are nested, so that no label counts
        for a value that it tuned.
    """
    columns = np.stack(list(measures.values()))
    mean = weighted_mean(columns)
    if ensemble == "mean":
        return mean, dict.fromkeys(measures, 1 / len(measures)), labels, {"ensemble_mean": mean}
    known = labelled_rows(columns, labels)
    tuning = known[stratified_folds(labels[known], folds=2, seed=seed) == 1]
    tuned = tune_weights(filled_scores(columns)[:, tuning], labels[tuning], seed=seed)
    rest = labels.copy()
    rest[tuning] = np.nan
    weights = dict(zip(measures, tuned.weights.tolist(), strict=True))
    compared = {"ensemble_mean": mean, "ensemble_tuned": nested_scores(columns, labels, seed=seed)}
    return weighted_mean(columns, tuned.weights), weights, rest, compared


def _filled(measures: Mapping[str, Floats]) -> dict[str, int]:
    """Count for each measure the items that lack it and have another one; not for one that no item has."""
    missing = {name: np.isnan(values) for name, values in measures.items()}
    scored = ~np.all(list(missing.values()), axis=0)
    counts = {name: int((absent & scored).sum()) for name, absent in missing.items() if not absent.all()}
    return {name: n for name, n in counts.items() if n}


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
        separate: of each measure on the labelled answers that have it; NaN where these are of one kind.
        n: of each measure, how many these are.
        common: of each measure on the labelled answers that have all measures, so that measures are compared
            on the same answers; empty where ``separate`` is that already.
        n_common: labelled answers that have all measures. A measure that no labelled answer has does not
            count here.
    """

    separate: Mapping[str, Estimate]
    n: Mapping[str, int]
    common: Mapping[str, Estimate] = field(default_factory=dict)
    n_common: int = 0

    @property
    def compared(self) -> Mapping[str, Estimate]:
        """The areas to compare measures by: on common answers where these are of both kinds."""
        is_known = any(not np.isnan(area.value) for area in self.common.values())
        return self.common if is_known else self.separate


def measure_areas(measures: Mapping[str, Floats], labels: Floats, *, interval: float = 0.95) -> MeasureAreas:
    """Estimate how often a right answer has the higher value than a wrong one, for each measure.

    Args:
        measures: of n answers, each of shape (n,), NaN where there is none.
        labels: shape (n,), 1 right, 0 wrong, NaN not known.
        interval: coverage of DeLong's intervals.

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
    """Counts of answers that are labelled right, and wrong.

    Examples:
        >>> str(LabelCounts.count(np.array([1.0, 0.0, np.nan, 1.0])))
        '2 right and 1 wrong'
    """

    right: int
    wrong: int

    @classmethod
    def count(cls, labels: Floats) -> Self:
        """Count labels as ``read_labels`` gives them, shape (n,)."""
        return cls(int((labels == 1).sum()), int((labels == 0).sum()))

    @property
    def total(self) -> int:
        """Both together."""
        return self.right + self.wrong

    @property
    def are_of_both_kinds(self) -> bool:
        """Tell whether some are right and some wrong, which a curve needs."""
        return self.right > 0 and self.wrong > 0

    def added(self, other: "LabelCounts") -> "LabelCounts":
        """Count both together."""
        return LabelCounts(self.right + other.right, self.wrong + other.wrong)

    def __str__(self) -> str:
        return f"{self.right:,} right and {self.wrong:,} wrong"


@dataclass(frozen=True)
class FewestLabels:
    """Number of labels that P(correct) needs.

    Tuned weights need 40 labels and 5 of each kind, one for each fold. One half of all labels tunes them, and
    the other half promises, so that all have to be twice as many.

    Attributes:
        total: right and wrong together.
        of_each: of each kind; 0 where thresholds need only one.

    Examples:
        >>> FewestLabels.for_ensemble("tuned")
        FewestLabels(total=80, of_each=10)
    """

    total: int
    of_each: int

    @classmethod
    def for_ensemble(cls, ensemble: str) -> Self:
        """Give the number of labels that an ensemble needs.

        Raises:
            InputError: there is no such ensemble.
        """
        if ensemble not in {"none", "mean", "tuned"}:
            raise unknown_name("ensemble", str(ensemble), ("none", "mean", "tuned"))
        return cls(2 * FEWEST_TUNING, 2 * FEWEST_OF_EACH) if ensemble == "tuned" else cls(FEWEST_LABELS, 0)

    def are_met(self, counts: LabelCounts) -> bool:
        """Tell whether there are as many."""
        return counts.total >= self.total and min(counts.right, counts.wrong) >= self.of_each

    @property
    def kinds(self) -> str:
        """Numbers of them that must be right and wrong, in words after a number; empty for any."""
        if not self.of_each:
            return ""
        return f", {self.of_each} or more of them right and {self.of_each} or more wrong"

    @property
    def remedy(self) -> str:
        """Remedy where there are fewer, for the end of a message; empty where only labels help."""
        return "" if not self.of_each else "; label more, or take the plain mean (ensemble mean)"


@dataclass(frozen=True)
class TooFewLabels:
    """Labels of answers with a value, where they are fewer than P(correct) needs."""

    counts: LabelCounts
    needed: FewestLabels


def rows_with_value(measures: Mapping[str, Floats], ensemble: str) -> Mask:
    """Tell which items have a value of the first measure, or of any measure for an ensemble.

    Args:
        measures: of n items, each of shape (n,), NaN where there is none.
        ensemble: its name.
    """
    columns = np.stack(list(measures.values())[: 1 if ensemble == "none" else None])
    has_value: Mask = np.any(~np.isnan(columns), axis=0)
    return has_value
