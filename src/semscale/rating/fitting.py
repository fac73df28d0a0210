"""Fitting of a calibration to labelled texts, with an honest account of its quality."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import compress
from typing import Any, Self, TypedDict

import numpy as np
from scipy.special import stdtrit

from semscale.errors import InputError
from semscale.rating.calibration import (
    REFITS,
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
from semscale.rating.calibrators import (
    METHODS,
    Calibrator,
    MethodName,
    Predictors,
    calibrator_of,
    fit_calibrator,
)
from semscale.rating.cells import check_human_range
from semscale.rating.human import human_table, laid_on
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.agreement.correlations import ks_similarity_estimate, pearson, pearson_estimate
from semscale.stats.agreement.panels import mean_defined
from semscale.stats.calibration.folds import folds_of
from semscale.stats.calibration.proper_scores import log_scores, ranked_probability_scores
from semscale.stats.intervals.coefficients import Resampling
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.stats.intervals.resampling import check_interval, check_seed
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, Mask, Statuses, are_scored

FEWEST_LABELS = 10
"""Labelled texts that a calibration needs."""
FEWEST_GROUPS = 3
"""Groups that a calibration needs where whole groups are left out."""
FEWEST_LEARNT_FROM = 6
"""Distinct texts of the smallest fit in the nested folds: as many as ten texts without groups leave."""
PREFERRED: MethodName = "ridge"
FEWEST_FOR_STEPS = 100
"""Distinct texts from which ``isotonic`` may be chosen: with fewer, its level steps lose the ranking."""
CHANCE = 0.05
"""Probability at most that a method no better than ``ridge`` is taken in its place."""

_CURVE_SHARES = (0.25, 0.5)
_CURVE_DRAWS = 2
_CURVE_FEWEST = 8
_CURVE_TIMES = (1, 2, 4)
_MOST_BINS, _FEWEST_IN_BIN = 10, 5


class LabelSettings(TypedDict, total=False):
    """Settings of a calibration.

    Attributes:
        human_range: lowest and highest value that people could give; the scale's own unless given.
        by: shape (n,), names of groups, such as surveys or products; whole groups are then left out for the
            choice and the error, so that both hold for texts of a new group. Rows without a name form one.
        interval: coverage that the intervals aim at, between 0 and 1; .95 unless given.
        seed: of folds, draws and intervals; 0 unless given.
        source: where the texts come from, such as the name of a file.
    """

    human_range: tuple[float, float] | None
    by: object
    interval: float
    seed: int
    source: str


@dataclass(frozen=True)
class LabelledTexts:
    """Texts that people rated, in their order.

    Attributes:
        texts: n texts; any cells before ``with_ratings`` selects those that have a rating.
        answers: shape (n, raters), NaN where there is none; each row has at least one.
        groups: shape (n,), numbers of groups; ``None``: each text by itself.
        human_range: lowest and highest value that people could give; the scale's own unless given.
        source: where they come from.
        left_out: labelled texts that have no rating, by status.
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


def labelled_texts(texts: object, ratings: object, settings: LabelSettings) -> LabelledTexts:
    """Select the texts that people rated.

    Args:
        texts: shape (n,).
        ratings: shape (n,): for each text a number, a list of numbers, or missing.
        settings: of the calibration.

    Raises:
        InputError: lengths differ, a rating is no number, or a setting is out of range.

    Example:
        >>> labelled = labelled_texts(["good", "bad", "so"], [5, None, [3, 4]], {})
        >>> labelled.texts, labelled.answers.tolist()
        (['good', 'so'], [[5.0, nan], [3.0, 4.0]])
    """
    check_interval(settings.get("interval", 0.95))
    check_seed(settings.get("seed", 0))
    human_range = settings.get("human_range")
    check_human_range(human_range)
    cells, answers = as_list(texts, "texts"), human_table(ratings)
    if len(answers) != len(cells):
        raise InputError(f"ratings must have {len(cells)} rows, as many as texts, got {len(answers)}")
    is_labelled = np.asarray(~np.isnan(answers).all(axis=1))
    groups = None
    if settings.get("by") is not None:
        names = as_names(settings["by"], "by")
        if len(names) != len(cells):
            raise InputError(f"by must have {len(cells)} rows, as many as texts, got {len(names)}")
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
        groups = np.array([numbers[name] for name in names], dtype=np.int64)[is_labelled]
    return LabelledTexts(
        texts=list(compress(cells, is_labelled)),
        answers=answers[is_labelled],
        groups=groups,
        human_range=human_range,
        source=settings.get("source", "texts in memory"),
    )


def fit_calibration(  # noqa: PLR0913 - texts, what was measured of them, and settings
    labelled: LabelledTexts,
    predictors: Predictors,
    scale: Scale,
    *,
    ratings: Signature,
    interval: float = 0.95,
    seed: int = 0,
) -> CalibrationSummary:
    """Choose a method by cross-validation, fit it to all labels, and say how good it is on other texts.

    Args:
        labelled: n texts with people's answers.
        predictors: of the same texts.
        scale: on which they are rated.
        ratings: signature of the rater.
        interval: coverage that the intervals aim at, between 0 and 1.
        seed: of folds, draws and intervals.

    Raises:
        InputError: answers outside the scale, fewer than 10 different labelled texts or two distinct labels,
            fewer than 3 groups, or groups so uneven that too few texts are outside one of them.
    """
    human = human_masses(labelled.answers, scale.values, labelled.human_range)
    _check_enough(labelled, human @ scale.values)
    groups = labelled.groups
    if groups is not None:
        _check_even(fewest_learnt_from(predictors, groups=groups, seed=seed))
    method, errors = choose_method(predictors, human, groups=groups, seed=seed)
    nested_pmf, chosen = nested_predictions(predictors, human, groups=groups, seed=seed)
    repeated = predictors.distinct if len(np.unique(predictors.distinct)) < len(predictors) else None
    clusters = repeated if groups is None else groups
    how = Resampling(clusters=clusters, weights=None, interval=interval, seed=seed)
    equal = np.full_like(human, 1 / scale.n_points)
    qualities = {"calibrated": nested_pmf, "as rated": predictors.pmf, "equal shares": equal}
    after, before = (ranked_probability_scores(pmf, human) for pmf in (nested_pmf, predictors.pmf))
    plan = IntervalPlan(interval=interval, seed=seed)
    gain = estimate_mean(before - after, bounds=(-1.0, 1.0), clusters=clusters, plan=plan)
    has_interval = bool(np.isfinite([gain.low, gain.high]).all())
    quality = {name: rating_quality(pmf, human, scale.values, how) for name, pmf in qualities.items()}
    calibration = Calibration(
        method,
        fit_calibrator(method, predictors, human),
        familiarity_of(predictors.units),
        ratings,
        scale.language,
        LabelSource(
            n=len(human),
            n_answers=int((~np.isnan(labelled.answers)).sum()),
            hash=answers_hash(labelled.texts, labelled.answers),
            human_range=labelled.human_range,
            grouped=groups is not None,
            seed=seed,
            texts=tuple(sorted({text_hash(text) for text in labelled.texts})),
        ),
        HonestError(
            float(after.mean()),
            float(before.mean()),
            gain.low if has_interval else None,
            gain.high if has_interval else None,
            pearson_low=_finite(quality["calibrated"].pearson.low),
            rated_pearson_high=_finite(quality["as rated"].pearson.high),
        ),
        fit_without_parts(method, predictors, human, groups=groups, seed=seed),
    )
    return CalibrationSummary(
        calibration=calibration,
        scale=scale,
        left_out=dict(labelled.left_out),
        qualities=quality,
        points_used=int((human > 0).any(axis=0).sum()),
        human_spread=float((human @ scale.values).std()),
        errors=errors,
        chosen_in_folds=dict(Counter(chosen)),
        curve=learning_curve(nested_pmf, chosen, predictors, human, groups=groups, seed=seed),
        gain=Estimate(gain.value, gain.low, gain.high),
        interval=interval,
        source=labelled.source,
        created=datetime.now(UTC),
    )


def human_masses(answers: Floats, values: Floats, human_range: tuple[float, float] | None) -> Floats:
    """Lay people's answers on the scale's points, shape (n, k).

    Args:
        answers: shape (n, raters), NaN where there is none.
        values: shape (k,), of the scale's points.
        human_range: lowest and highest value that people could give; the scale's own unless given.

    Raises:
        InputError: answers outside the scale or the range.
    """
    masses = laid_on(answers, values, human_range)
    if masses is None:
        known = answers[~np.isnan(answers)]
        problem = (
            f"labels must lie on the scale's {values[0]:g} to {values[-1]:g}, but go from {known.min():g} to "
            f"{known.max():g}: give the lowest and the highest value that people could choose"
        )
        raise InputError(f"{problem} in human_range", in_shell=f"{problem} by --human-range LOW HIGH")
    return masses


def answers_hash(texts: Sequence[str], answers: Floats) -> str:
    """Hash texts with their answers, 8 hexadecimal digits.

    Example:
        >>> len(answers_hash(["good"], np.array([[5.0]])))
        8
    """
    content = hashlib.sha256()
    for text, row in zip(texts, answers, strict=True):
        answered = " ".join(f"{answer:.12g}" for answer in row[~np.isnan(row)])
        content.update(f"{len(text)} {text} {answered}\n".encode("utf-8", "surrogatepass"))
    return content.hexdigest()[:8]


def _check_enough(labelled: LabelledTexts, means: Floats) -> None:
    n, different = len(means), len(set(labelled.texts))
    left_out = ", ".join(f"{count} {status}" for status, count in labelled.left_out.items())
    without = f" ({left_out} left out)" if left_out else ""
    if different < FEWEST_LABELS:
        kind = "different labelled" if different < n else "labelled"
        raise InputError(
            f"labels: a calibration needs {FEWEST_LABELS} {kind} texts with a rating or more, got {different}"
            f"{without}; label {FEWEST_LABELS - different} more"
        )
    if np.ptp(means) < 1e-9:  # noqa: PLR2004
        raise InputError(
            f"labels: all {n} labelled texts have the label {means[0]:g}{without}; a calibration needs at "
            "least two different labels: label texts of another kind"
        )
    if labelled.groups is not None and (m := len(np.unique(labelled.groups))) < FEWEST_GROUPS:
        raise InputError(
            f"by: a calibration that leaves whole groups out needs {FEWEST_GROUPS} groups or more, got {m}; "
            "label texts of more groups, or leave the column out"
        )


def _check_even(fewest: int) -> None:
    if fewest < FEWEST_LEARNT_FROM:
        raise InputError(
            f"by: the groups are too few or too uneven: without the texts of some, only {fewest} are left to "
            f"learn from, and {FEWEST_LEARNT_FROM} are needed; label more texts of the small groups, or "
            "leave the column out"
        )


def choose_method(
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    methods: Sequence[MethodName] = tuple(METHODS),
    seed: int = 0,
) -> tuple[MethodName, dict[MethodName, float]]:
    """Choose a method by its cross-validated ranked probability score.

    ``ridge`` shrinks itself towards the zero-shot rating, and differences between methods are mostly chance
    with few labels. It is therefore left only for the method with the lowest error, and only where the
    difference is above the t quantile of ``CHANCE``, shared among the methods that ``ridge`` is compared
    with, times its standard error: over groups where there are some, and over distinct texts otherwise.
    ``isotonic`` is not taken with fewer than 100 distinct texts.

    Args:
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that are left out whole.
        methods: to choose from.
        seed: of the folds.

    Returns:
        ``ridge``, or the method with the lowest error where chance is no explanation; and the mean ranked
        probability score of each method, on texts that it was not fitted to.

    References:
        Sharing a probability of error among comparisons: Dunn (1961), doi 10.1080/01621459.1961.10482090.
    """
    together = predictors.distinct if groups is None else groups
    fold = folds_of(len(predictors), groups=together, seed=seed)
    scores = {
        method: ranked_probability_scores(cross_predicted(method, predictors, human, fold), human)
        for method in methods
    }
    errors = {method: float(score.mean()) for method, score in scores.items()}
    has_steps = len(np.unique(predictors.distinct)) >= FEWEST_FOR_STEPS
    allowed = [method for method in methods if method != "isotonic" or has_steps]
    best = min(allowed, key=lambda method: errors[method])
    if PREFERRED not in scores:
        return best, errors
    excess = scores[PREFERRED] - scores[best]
    is_clear = excess.mean() > _largest_by_chance(excess, together, len(allowed) - 1)
    return best if is_clear else PREFERRED, errors


def cross_predicted(method: MethodName, predictors: Predictors, human: Floats, fold: Integers) -> Floats:
    """Masses (n, k) of each text by a fit to the other folds.

    Args:
        method: which one.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        fold: shape (n,), as ``folds_of`` gives them; a text that is in several is not learnt from for any.
    """
    pmf = np.empty_like(human)
    for part in np.unique(fold):
        inside = fold == part
        known = predictors.without(inside)
        fitted = fit_calibrator(method, predictors.rows(known), human[known])
        pmf[inside] = fitted.pmf(predictors.rows(inside))
    return pmf


def nested_predictions(
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    methods: Sequence[MethodName] = tuple(METHODS),
    seed: int = 0,
) -> tuple[Floats, tuple[MethodName, ...]]:
    """Predict each fold by the method that was chosen and fitted without it, as a new text would be.

    Args:
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that are left out whole.
        methods: to choose from.
        seed: of the folds.

    Returns:
        Masses, shape (n, k), and the method that each fold chose.
    """
    pmf, chosen = np.empty_like(human), []
    for inside in outer_folds(predictors, groups, seed):
        outside = predictors.without(inside)
        known, answers = predictors.rows(outside), human[outside]
        inner = None if groups is None else groups[outside]
        method, _ = choose_method(known, answers, groups=inner, methods=methods, seed=seed)
        chosen.append(method)
        pmf[inside] = fit_calibrator(method, known, answers).pmf(predictors.rows(inside))
    return pmf, tuple(chosen)


def outer_folds(predictors: Predictors, groups: Integers | None, seed: int) -> Iterator[Mask]:
    """Mark the texts (n,) of each fold that is predicted by a choice and a fit without it.

    Args:
        predictors: of n texts.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the folds.
    """
    together = predictors.distinct if groups is None else groups
    fold = folds_of(len(predictors), groups=together, seed=seed + 1)
    for part in np.unique(fold):
        yield fold == part


def fewest_learnt_from(predictors: Predictors, *, groups: Integers | None = None, seed: int = 0) -> int:
    """Count the distinct texts of the smallest fit that ``nested_predictions`` makes.

    Args:
        predictors: of n texts.
        groups: shape (n,), groups that are left out whole.
        seed: of the folds.
    """
    together = predictors.distinct if groups is None else groups
    fewest = len(predictors)
    for inside in outer_folds(predictors, groups, seed):
        outside = predictors.without(inside)
        if not outside.any():
            return 0
        known = predictors.rows(outside)
        inner = folds_of(len(known), groups=together[outside], seed=seed)
        for part in np.unique(inner):
            learnt = known.distinct[known.without(inner == part)]
            fewest = min(fewest, len(np.unique(learnt)))
    return fewest


def grouped_standard_error(differences: Floats, groups: Integers) -> float:
    """Standard error of a mean whose items vary by groups: from the sums of deviations in each group.

    Args:
        differences: shape (n,).
        groups: shape (n,), at least two.

    References:
        Sarndal, Swensson and Wretman (1992), Model Assisted Survey Sampling, section 4.2.

    Example:
        >>> single = grouped_standard_error(np.array([0.0, 0.0, 2.0, 2.0]), np.arange(4))
        >>> pairs = grouped_standard_error(np.array([0.0, 0.0, 2.0, 2.0]), np.array([0, 0, 1, 1]))
        >>> round(single, 4), pairs
        (0.5774, 1.0)
    """
    numbers = np.unique(groups, return_inverse=True)[1]
    sums = np.bincount(numbers, differences - differences.mean())
    m = len(sums)
    return float(np.sqrt(m / (m - 1) * (sums**2).sum()) / len(differences))


def _largest_by_chance(excess: Floats, groups: Integers, comparisons: int) -> float:
    """Mean difference that the best of several equal methods reaches with the probability ``CHANCE``."""
    freedom = len(np.unique(groups)) - 1
    quantile = float(stdtrit(freedom, 1 - CHANCE / max(comparisons, 1)))
    return quantile * grouped_standard_error(excess, groups)


def fit_without_parts(
    method: MethodName,
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    seed: int = 0,
) -> tuple[Calibrator, ...]:
    """Fit a method again without each of 20 parts of the texts, equal texts and whole groups together.

    Args:
        method: which one; nothing is fitted, and there are no refits, for ``none``.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the parting.
    """
    if method == "none":
        return ()
    together = predictors.distinct if groups is None else groups
    part = folds_of(len(predictors), groups=together, folds=REFITS, seed=seed)
    known = (predictors.without(part == number) for number in np.unique(part))
    fits = (fit_calibrator(method, predictors.rows(rows), human[rows]) for rows in known)
    return tuple(calibrator_of(method, _rounded(fit.record())) for fit in fits)


def _rounded(record: Mapping[str, Any]) -> dict[str, Any]:
    """Keep six digits of each number, which is far below its error and makes the file half as long."""
    return {
        name: [_six_digits(number) for number in value] if isinstance(value, list) else _six_digits(value)
        for name, value in record.items()
    }


def learning_curve(
    nested_pmf: Floats,
    chosen: Sequence[MethodName],
    predictors: Predictors,
    human: Floats,
    *,
    groups: Integers | None = None,
    seed: int = 0,
) -> tuple[CurvePoint, ...]:
    """Test the chosen methods with a quarter, a half and all of the labels that each fold leaves.

    Each text is predicted by fits without its fold, so all sizes are tested on the same texts. The last
    measured point is the nested predictions' own error. All labels, twice and four times as many are
    extrapolated by a + b / n through the measured errors.

    Args:
        nested_pmf: shape (n, k), as ``nested_predictions`` gives it for the same texts and seed.
        chosen: method of each fold, likewise.
        predictors: of n texts.
        human: shape (n, k), shares of people's answers.
        groups: shape (n,), groups that stay together; equal texts unless given.
        seed: of the draws.

    Returns:
        Measured points, then forecasts; empty where fewer than two sizes have 8 labels.
    """
    names = predictors.distinct if groups is None else np.unique(groups, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    folds = tuple(outer_folds(predictors, groups, seed))
    known = [predictors.without(inside) for inside in folds]
    points = []
    for share in _CURVE_SHARES:
        tests = []
        for _ in range(_CURVE_DRAWS):
            parts = [rows & (_shuffled(names, rows, rng) <= share) for rows in known]
            if min(part.sum() for part in parts) < _CURVE_FEWEST:
                break
            pmf = _predicted(predictors, human, folds, parts, chosen)
            n = float(np.mean([part.sum() for part in parts]))
            tests.append((n, *_tested(pmf, human, predictors.values)))
        if tests:
            n, rps, r = mean_defined(np.array(tests))
            points.append(CurvePoint(round(n), float(rps), float(r), is_forecast=False))
    whole = round(float(np.mean([rows.sum() for rows in known])))
    points.append(CurvePoint(whole, *_tested(nested_pmf, human, predictors.values), is_forecast=False))
    return (*points, *_forecasts(points, len(predictors))) if len(points) > 1 else ()


def _shuffled(names: Integers, rows: Mask, rng: np.random.Generator) -> Floats:
    """Put names of some rows in random order, shape (n,): positions above 0 to 1."""
    present = np.unique(names[rows])
    by_name = np.full(names.max() + 1, np.inf)
    by_name[present] = (rng.permutation(len(present)) + 0.5) / len(present)
    positions: Floats = by_name[names]
    return positions


def _predicted(
    predictors: Predictors,
    human: Floats,
    folds: Sequence[Mask],
    parts: Sequence[Mask],
    methods: Sequence[MethodName],
) -> Floats:
    """Masses (n, k) of each fold by its method, fitted to a part of the others."""
    pmf = np.empty_like(human)
    for inside, part, method in zip(folds, parts, methods, strict=True):
        fitted = fit_calibrator(method, predictors.rows(part), human[part])
        pmf[inside] = fitted.pmf(predictors.rows(inside))
    return pmf


def extrapolated(sizes: Floats, errors: Floats, n: int) -> float:
    """Error at n labels by least squares of a + b / n, where a and b are not negative.

    Example:
        >>> round(extrapolated(np.array([10.0, 20.0]), np.array([0.3, 0.2]), 40), 6)
        0.15
    """
    inverse = 1 / sizes
    slope = np.cov(inverse, errors, bias=True)[0, 1] / inverse.var()
    slope = min(max(float(slope), 0.0), float(errors.mean() / inverse.mean()))
    return float(errors.mean() - slope * inverse.mean()) + slope / n


def _forecasts(points: list[CurvePoint], n: int) -> list[CurvePoint]:
    sizes = np.array([float(point.n) for point in points])
    errors = np.array([point.ranked_probability for point in points])
    return [
        CurvePoint(times * n, extrapolated(sizes, errors, times * n), float("nan"), is_forecast=True)
        for times in _CURVE_TIMES
    ]


def _tested(pmf: Floats, human: Floats, values: Floats) -> tuple[float, float]:
    return float(ranked_probability_scores(pmf, human).mean()), pearson(pmf @ values, human @ values)


def rating_quality(pmf: Floats, human: Floats, values: Floats, how: Resampling) -> RatingQuality:
    """Compare ratings with people's answers.

    Args:
        pmf: shape (n, k), ratings.
        human: shape (n, k), shares of people's answers.
        values: shape (k,), of the scale's points.
        how: what is drawn together for intervals, and their coverage; weights are not used.
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
    """Put texts into bins of like size by their ratings; none with fewer than 5 texts where that can be.

    Args:
        rated: shape (n,), means of ratings.
        human: shape (n,), people's means.

    Example:
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


def _finite(end: float) -> float | None:
    return float(end) if np.isfinite(end) else None


def _six_digits(value: float) -> float:
    return float(f"{value:.6g}")
