"""Fitting of a calibration to labelled texts, with its error by cross-validation."""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import compress
from typing import Any, Self

import numpy as np

from semscale.errors import InputError
from semscale.rating.calibration import (
    Calibration,
    CalibrationSummary,
    CurvePoint,
    HonestError,
    LabelSource,
    MeanBin,
    RatingQuality,
    familiarity_of,
    text_hash,
)
from semscale.rating.gaussian_process import REFITS, GaussianProcess, Predictors, fit_gaussian_process
from semscale.rating.human import human_pmfs, human_table
from semscale.rating.label_progress import LabelProgress, progress_from
from semscale.rating.settings import check_human_range
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.calibration import FOLDS, log_scores, random_folds, ranked_probability_scores
from semscale.stats.correlations import Resampling, ks_similarity_estimate, pearson, pearson_estimate
from semscale.stats.further_labels import ExpectedWidth
from semscale.stats.intervals import Estimate, IntervalPlan, estimate_mean, mean_of_known
from semscale.stats.sampling import SampleDesign
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, Mask, Statuses, are_scored

FEWEST_LABELS = 10
"""Least number of labelled texts for a calibration."""
FEWEST_GROUPS = 3
"""Least number of groups for a calibration that leaves out whole groups."""
FEWEST_LEARNT_FROM = 6
"""Least number of distinct texts in the smallest fit of the folds; ten texts without groups leave eight."""

_MANY_TEXTS = 10**9  # to rate, as their number is not known

_CURVE_SHARES = (0.25, 0.5)
_CURVE_DRAWS = 2
_CURVE_FEWEST = 8
_CURVE_TIMES = (1, 2, 4)
_MOST_BINS, _FEWEST_IN_BIN = 10, 5


@dataclass(frozen=True)
class LabelledTexts:
    """Texts that people rated, in their order.

    Attributes:
        texts: n texts; any cells before ``with_ratings`` selects those that have a rating.
        answers: shape (n, raters), NaN where missing; each row has at least one.
        groups: shape (n,), group numbers; ``None`` without groups.
        human_range: lowest and highest value that people could give; the scale's own by default.
        source: name of the input.
        left_out: numbers of labelled texts without a rating, by status.
    """

    texts: Sequence[Any]
    answers: Floats
    groups: Integers | None
    human_range: tuple[float, float] | None
    source: str
    left_out: Mapping[str, int] = field(default_factory=dict)

    def with_ratings(self, status: Statuses) -> Self:
        """Select the texts that have a rating, and count the others by status."""
        scored = are_scored(status)
        return replace(
            self,
            texts=list(compress(self.texts, scored)),
            answers=self.answers[scored],
            groups=None if self.groups is None else self.groups[scored],
            left_out={str(reason): n for reason, n in Counter(status[~scored].tolist()).items()},
        )


def collect_labelled_texts(
    texts: object,
    ratings: object,
    *,
    by: object = None,
    human_range: tuple[float, float] | None = None,
    source: str = "texts in memory",
) -> LabelledTexts:
    """Select the texts that people rated.

    Args:
        texts: shape (n,).
        ratings: shape (n,): for each text a number, a list of numbers, or missing.
        by: shape (n,), names of groups; rows without a name form one.
        human_range: lowest and highest value that people could give.
        source: name of the input.

    Raises:
        InputError: lengths differ, a rating is not a number, or a wrong range.

    Examples:
        >>> labelled = collect_labelled_texts(["good", "bad", "so"], [5, None, [3, 4]])
        >>> labelled.texts, labelled.answers.tolist()
        (['good', 'so'], [[5.0, nan], [3.0, 4.0]])
    """
    check_human_range(human_range)
    cells, answers = as_list(texts, "texts"), human_table(ratings)
    names = None if by is None else as_names(by, "by")
    for name, column in (("ratings", answers), ("by", names)):
        if column is not None and len(column) != len(cells):
            raise InputError(name, f"must have {len(cells)} rows, as many as texts, got {len(column)}")
    is_labelled = np.asarray(~np.isnan(answers).all(axis=1))
    groups = None
    if names is not None:
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        groups = np.array([numbers[name] for name in names], dtype=np.int64)[is_labelled]
    return LabelledTexts(
        list(compress(cells, is_labelled)), answers[is_labelled], groups, human_range, source
    )


@dataclass(frozen=True)
class Sample:
    """Measurements of n labelled texts, to fit a process to.

    Attributes:
        predictors: predictors of the texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that folds never split; equal texts by default.
        seed: seed of folds and draws.
    """

    predictors: Predictors
    human: Floats
    groups: Integers | None = None
    seed: int = 0

    @cached_property
    def together(self) -> Integers:
        """Numbers of the sets that folds never split, shape (n,): groups, or equal texts."""
        return self.predictors.distinct if self.groups is None else self.groups

    def folds(self, folds: int = FOLDS) -> list[Mask]:
        """Divide the texts at random: masks (n,) of the texts of each fold."""
        fold = random_folds(len(self.human), groups=self.together, folds=folds, seed=self.seed)
        return [fold == part for part in np.unique(fold)]

    def training_masks(self) -> list[Mask]:
        """Mark the texts (n,) that each fold may be predicted from: not in it, nor equal to one in it."""
        return [self.predictors.without(inside) for inside in self.folds()]

    def fit(self) -> GaussianProcess:
        """Fit a process to all texts, and again without each of 20 parts of them."""
        return fit_gaussian_process(self.predictors, self.human, self.folds(REFITS))

    def predict(self, known: Sequence[Mask]) -> Floats:
        """Predict each fold by a fit to its known texts, shape (n, k)."""
        pmf = np.empty_like(self.human)
        for inside, rows in zip(self.folds(), known, strict=True):
            fitted = fit_gaussian_process(self.predictors.rows(rows), self.human[rows], ())
            pmf[inside] = fitted.pmf(self.predictors.rows(inside))
        return pmf

    def score_predictions(self, pmf: Floats) -> tuple[float, float]:
        """Return the mean ranked probability score of predictions (n, k), and their correlation."""
        values = self.predictors.values
        error = float(ranked_probability_scores(pmf, self.human).mean())
        return error, pearson(pmf @ values, self.human @ values)


def fit_calibration(
    labelled: LabelledTexts,
    predictors: Predictors,
    scale: Scale,
    *,
    ratings: Signature,
    interval: float = 0.95,
    seed: int = 0,
) -> CalibrationSummary:
    """Fit a calibration to all labels, and measure its quality on other texts by cross-validation.

    Args:
        labelled: n texts with people's answers.
        predictors: predictors of the same texts.
        scale: scale of the ratings.
        ratings: signature of the rater.
        interval: nominal coverage of the intervals, between 0 and 1.
        seed: seed of folds, draws and intervals.

    Raises:
        InputError: answers outside the scale, fewer than 10 different labelled texts or two distinct labels,
            fewer than 3 groups, or groups so uneven that too few texts are outside one of them.
    """
    values = scale.values
    human = human_masses(labelled.answers, values, labelled.human_range)
    sample = Sample(predictors, human, labelled.groups, seed)
    _check_enough(labelled, sample)
    known = sample.training_masks()
    new_pmf = sample.predict(known)
    is_repeated = len(np.unique(predictors.distinct)) < len(predictors)
    clusters = sample.together if labelled.groups is not None or is_repeated else None
    how = Resampling(clusters=clusters, weights=None, interval=interval, seed=seed)
    pmfs = {
        "calibrated": new_pmf,
        "as rated": predictors.pmf,
        "equal shares": np.full_like(human, 1 / scale.n_points),
    }
    qualities = {name: rating_quality(pmf, human, values, how) for name, pmf in pmfs.items()}
    after, before = (ranked_probability_scores(pmf, human) for pmf in (new_pmf, predictors.pmf))
    plan = IntervalPlan(interval=interval, seed=seed)
    gain = estimate_mean(before - after, bounds=(-1.0, 1.0), clusters=clusters, plan=plan)
    has_interval = bool(np.isfinite([gain.low, gain.high]).all())
    calibration = Calibration(
        sample.fit(),
        familiarity_of(predictors.units),
        ratings,
        scale.language,
        LabelSource(
            n=len(human),
            n_answers=int((~np.isnan(labelled.answers)).sum()),
            hash=answers_hash(labelled.texts, labelled.answers),
            human_range=labelled.human_range,
            grouped=labelled.groups is not None,
            seed=seed,
            texts=tuple(sorted({text_hash(text) for text in labelled.texts})),
        ),
        HonestError(
            float(after.mean()),
            float(before.mean()),
            gain.low if has_interval else None,
            gain.high if has_interval else None,
            pearson_low=_finite(qualities["calibrated"].pearson.low),
            rated_pearson_high=_finite(qualities["as rated"].pearson.high),
        ),
    )
    return CalibrationSummary(
        calibration=calibration,
        scale=scale,
        left_out=dict(labelled.left_out),
        qualities=qualities,
        points_used=int((human > 0).any(axis=0).sum()),
        human_spread=float((human @ values).std()),
        curve=learning_curve(sample, known, new_pmf),
        progress=_progress(sample, new_pmf, qualities["calibrated"].pearson, how),
        gain=Estimate(gain.value, gain.low, gain.high),
        interval=interval,
        source=labelled.source,
        created=datetime.now(UTC),
    )


def _progress(sample: Sample, pmf: Floats, r: Estimate, how: Resampling) -> LabelProgress:
    """Decide whether the labels are enough, from predictions of each text without its label, shape (n, k)."""
    values = sample.predictors.values
    low, high = float(values[0]), float(values[-1])
    width = ExpectedWidth.from_labels(
        pmf @ values,
        np.clip(sample.human @ values, low, high),
        bounds=(low, high),
        design=SampleDesign(clusters=how["clusters"]),
        interval=how["interval"],
    )
    width = None if width is None else replace(width, n_items=_MANY_TEXTS)
    return progress_from(len(pmf), r, width, high - low)


def _finite(end: float) -> float | None:
    return float(end) if np.isfinite(end) else None


def human_masses(answers: Floats, values: Floats, human_range: tuple[float, float] | None) -> Floats:
    """Convert people's answers to shares of the scale's points, shape (n, k).

    Args:
        answers: shape (n, raters), NaN where missing.
        values: shape (k,), of the scale's points.
        human_range: lowest and highest value that people could give; the scale's own by default.

    Raises:
        InputError: answers outside the scale or the range.
    """
    masses = human_pmfs(answers, values, human_range)
    if masses is None:
        known = answers[~np.isnan(answers)]
        problem = (
            f"labels must lie on the scale's {values[0]:g} to {values[-1]:g}, but range from {known.min():g} "
            f"to {known.max():g}: state the lowest and the highest value of the human scale"
        )
        raise InputError(f"{problem} by `human_range`")
    return masses


def answers_hash(texts: Sequence[str], answers: Floats) -> str:
    """Hash texts with their answers, 8 hexadecimal digits.

    Examples:
        >>> len(answers_hash(["good"], np.array([[5.0]])))
        8
    """
    content = hashlib.sha256()
    for text, row in zip(texts, answers, strict=True):
        answered = " ".join(f"{answer:.12g}" for answer in row[~np.isnan(row)])
        content.update(f"{len(text)} {text} {answered}\n".encode("utf-8", "surrogatepass"))
    return content.hexdigest()[:8]


def _check_enough(labelled: LabelledTexts, sample: Sample) -> None:
    means = sample.human @ sample.predictors.values
    n, different = len(means), len(set(labelled.texts))
    left_out = ", ".join(f"{count} {status}" for status, count in labelled.left_out.items())
    without = f" ({left_out} left out)" if left_out else ""
    if different < FEWEST_LABELS:
        kind = "different labelled" if different < n else "labelled"
        raise InputError(
            "labels",
            f": a calibration needs at least {FEWEST_LABELS} {kind} texts that have a rating, got "
            f"{different}{without}; label {FEWEST_LABELS - different} more",
        )
    if np.ptp(means) < 1e-9:
        raise InputError(
            "labels",
            f": all {n} labelled texts have the label {means[0]:g}{without}; a calibration needs at "
            "least two different labels: label texts of another kind",
        )
    if sample.groups is None:
        return
    if (m := len(np.unique(sample.groups))) < FEWEST_GROUPS:
        raise InputError(
            "by",
            f": a calibration that leaves whole groups out needs {FEWEST_GROUPS} groups or more, got {m}; "
            "label texts of more groups, or leave the column out",
        )
    if (fewest := fewest_learnt_from(sample)) < FEWEST_LEARNT_FROM:
        raise InputError(
            "by",
            f": the groups are too few or too uneven: without the texts of some groups, only {fewest} "
            f"texts are left to fit to, and {FEWEST_LEARNT_FROM} are needed; label more texts of the small "
            "groups, or leave the column out",
        )


def fewest_learnt_from(sample: Sample) -> int:
    """Count the distinct texts of the smallest fit in the folds."""
    distinct = sample.predictors.distinct
    return min(len(np.unique(distinct[rows])) for rows in sample.training_masks())


def learning_curve(sample: Sample, known: Sequence[Mask], new_pmf: Floats) -> tuple[CurvePoint, ...]:
    """Test fits to a quarter, a half and all of the labels outside each fold.

    Each text is predicted by fits without its fold, so all sizes are tested on the same texts. Errors for all
    labels, twice and four times as many are extrapolated by a + b / n.

    Args:
        sample: n labelled texts.
        known: masks (n,) of the texts outside each fold.
        new_pmf: shape (n, k), predictions from all of these.

    Returns:
        Measured points, then forecasts; empty if fewer than two sizes have 8 labels.
    """
    names = np.unique(sample.together, return_inverse=True)[1]
    rng = np.random.default_rng(sample.seed)
    points = []
    for share in _CURVE_SHARES:
        tests = []
        for _ in range(_CURVE_DRAWS):
            parts = [rows & (_shuffle_groups(names, rows, rng) <= share) for rows in known]
            if min(part.sum() for part in parts) < _CURVE_FEWEST:
                break
            n = float(np.mean([part.sum() for part in parts]))
            tests.append((n, *sample.score_predictions(sample.predict(parts))))
        if tests:
            n, rps, r = mean_of_known(np.array(tests), axis=0)
            points.append(CurvePoint(round(n), float(rps), float(r), is_forecast=False))
    whole = round(float(np.mean([rows.sum() for rows in known])))
    points.append(CurvePoint(whole, *sample.score_predictions(new_pmf), is_forecast=False))
    if len(points) == 1:
        return ()
    sizes = np.array([float(point.n) for point in points])
    errors = np.array([point.ranked_probability for point in points])
    for n in (times * len(sample.human) for times in _CURVE_TIMES):
        points.append(CurvePoint(n, extrapolate(sizes, errors, n), float("nan"), is_forecast=True))
    return tuple(points)


def _shuffle_groups(names: Integers, rows: Mask, rng: np.random.Generator) -> Floats:
    """Return random positions of group names, shape (n,), above 0 to 1."""
    present = np.unique(names[rows])
    by_name = np.full(names.max() + 1, np.inf)
    by_name[present] = (rng.permutation(len(present)) + 0.5) / len(present)
    positions: Floats = by_name[names]
    return positions


def extrapolate(sizes: Floats, errors: Floats, n: int) -> float:
    """Extrapolate the error to n labels by least squares of a + b / n with a and b at least 0.

    Examples:
        >>> round(extrapolate(np.array([10.0, 20.0]), np.array([0.3, 0.2]), 40), 6)
        0.15
    """
    inverse = 1 / sizes
    slope = np.cov(inverse, errors, bias=True)[0, 1] / inverse.var()
    slope = min(max(float(slope), 0.0), float(errors.mean() / inverse.mean()))
    return float(errors.mean() - slope * inverse.mean()) + slope / n


def rating_quality(pmf: Floats, human: Floats, values: Floats, how: Resampling) -> RatingQuality:
    """Compare ratings with people's answers.

    Args:
        pmf: shape (n, k), ratings.
        human: shape (n, k), shares of people's answers.
        values: shape (k,), of the scale's points.
        how: clusters and coverage of the intervals; weights are not used.
    """
    means, humans = pmf @ values, human @ values
    plan = IntervalPlan(interval=how["interval"], seed=how["seed"])
    rps, log = ranked_probability_scores(pmf, human), log_scores(pmf, human)
    estimates = (
        estimate_mean(scores, bounds=(0.0, float(most)), clusters=how["clusters"], plan=plan)
        for scores, most in ((rps, 1.0), (log, max(log.max(), 1.0)))
    )
    ranked, logs = (Estimate(mean.value, mean.low, mean.high) for mean in estimates)
    return RatingQuality(
        pearson=pearson_estimate(means, humans, **how),
        ks_similarity=ks_similarity_estimate(pmf, human, **how),
        ranked_probability=ranked,
        log_score=logs,
        spread=float(means.std()),
        bins=mean_bins(means, humans),
    )


def mean_bins(rated: Floats, human: Floats) -> tuple[MeanBin, ...]:
    """Put texts into bins of similar size by their ratings, with at least 5 texts if possible.

    Args:
        rated: shape (n,), means of ratings.
        human: shape (n,), people's means.

    Examples:
        >>> mean_bins(np.array([1.0, 2.0]), np.array([2.0, 4.0]))
        (MeanBin(rated=1.5, human=3.0, n=2),)
    """
    order = np.argsort(rated, kind="stable")
    bins = max(1, min(_MOST_BINS, len(rated) // _FEWEST_IN_BIN))
    return tuple(
        MeanBin(float(rated[rows].mean()), float(human[rows].mean()), len(rows))
        for rows in np.array_split(order, bins)
        if len(rows)
    )
