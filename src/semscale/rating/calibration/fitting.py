"""Fitting of a calibration to labelled texts, with an honest account of its quality."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from semscale.errors import InputError
from semscale.rating.calibration.calibration import Calibration, HonestError, LabelSource, text_hash
from semscale.rating.calibration.calibration_summary import CalibrationSummary
from semscale.rating.calibration.calibrators import fit_calibrator
from semscale.rating.calibration.familiarity import familiarity_of
from semscale.rating.calibration.learning_curve import learning_curve
from semscale.rating.calibration.predictors import Predictors
from semscale.rating.calibration.quality import rating_quality
from semscale.rating.calibration.refits import fit_without_parts
from semscale.rating.calibration.selection import choose_method, fewest_learnt_from, nested_predictions
from semscale.rating.human.values import laid_on
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.stats.intervals.coefficients import Resampling
from semscale.stats.intervals.estimates import Estimate, IntervalPlan
from semscale.stats.intervals.means import estimate_mean
from semscale.types import Floats, Integers

FEWEST_LABELS = 10
"""Labelled texts that a calibration needs."""
FEWEST_GROUPS = 3
"""Groups that a calibration needs where whole groups are left out."""
FEWEST_LEARNT_FROM = 6
"""Distinct texts of the smallest fit in the nested folds: as many as ten texts without groups leave."""


@dataclass(frozen=True)
class LabelledTexts:
    """Labelled texts that have a rating, in their order.

    Attributes:
        texts: n texts.
        answers: shape (n, raters), NaN where there is none; each row has at least one.
        groups: shape (n,), numbers of groups; ``None``: each text by itself.
        left_out: labelled texts that have no rating, by why.
        human_range: lowest and highest value that people could give; the scale's own unless given.
        source: where they come from.
    """

    texts: Sequence[str]
    answers: Floats
    groups: Integers | None
    left_out: dict[str, int]
    human_range: tuple[float, float] | None
    source: str


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
        found = (
            f"labels must lie on the scale's {values[0]:g} to {values[-1]:g}, but go from {known.min():g} to "
            f"{known.max():g}: give the lowest and the highest value that people could choose"
        )
        raise InputError(f"{found} in human_range", in_shell=f"{found} by --human-range LOW HIGH")
    return masses


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
    choice = choose_method(predictors, human, groups=groups, seed=seed)
    nested = nested_predictions(predictors, human, groups=groups, seed=seed)
    repeated = predictors.distinct if len(np.unique(predictors.distinct)) < len(predictors) else None
    clusters = repeated if groups is None else groups
    how = Resampling(clusters=clusters, weights=None, interval=interval, seed=seed)
    equal = np.full_like(human, 1 / scale.n_points)
    qualities = {"calibrated": nested.pmf, "as rated": predictors.pmf, "equal shares": equal}
    after, before = (ranked_probability_scores(pmf, human) for pmf in (nested.pmf, predictors.pmf))
    plan = IntervalPlan(interval=interval, seed=seed)
    gain = estimate_mean(before - after, bounds=(-1.0, 1.0), clusters=clusters, plan=plan)
    gain_is_known = bool(np.isfinite([gain.low, gain.high]).all())
    quality = {name: rating_quality(pmf, human, scale.values, how) for name, pmf in qualities.items()}
    calibration = Calibration(
        choice.method,
        fit_calibrator(choice.method, predictors, human),
        familiarity_of(predictors.units),
        ratings,
        scale.language,
        LabelSource(
            n=len(human),
            n_answers=int((~np.isnan(labelled.answers)).sum()),
            hash=labels_hash(labelled.texts, labelled.answers),
            human_range=labelled.human_range,
            grouped=groups is not None,
            seed=seed,
            texts=tuple(sorted({text_hash(text) for text in labelled.texts})),
        ),
        HonestError(
            float(after.mean()),
            float(before.mean()),
            gain.low if gain_is_known else None,
            gain.high if gain_is_known else None,
            pearson_low=_known(quality["calibrated"].pearson.low),
            rated_pearson_high=_known(quality["as rated"].pearson.high),
        ),
        fit_without_parts(choice.method, predictors, human, groups=groups, seed=seed),
    )
    return CalibrationSummary(
        calibration=calibration,
        scale=scale,
        left_out=labelled.left_out,
        qualities=quality,
        points_used=int((human > 0).any(axis=0).sum()),
        human_spread=float((human @ scale.values).std()),
        errors=choice.errors,
        chosen_in_folds=dict(Counter(nested.chosen)),
        curve=learning_curve(nested, predictors, human, groups=groups, seed=seed),
        gain=Estimate(gain.value, gain.low, gain.high),
        interval=interval,
        source=labelled.source,
        created=datetime.now(UTC),
    )


def labels_hash(texts: Sequence[str], answers: Floats) -> str:
    """Hash texts with their answers, 8 hexadecimal digits.

    Example:
        >>> len(labels_hash(["good"], np.array([[5.0]])))
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


def _known(end: float) -> float | None:
    return float(end) if np.isfinite(end) else None
