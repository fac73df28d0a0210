"""A Gaussian process that predicts people's answers from a text's vector, style and zero-shot mean.

people's mean = intercept + slope * zero-shot mean + deviation(vector, style) + noise. The variances of
deviation and noise are estimated from the labels; the prior of the slope favours a positive effect of the
zero-shot mean. A cumulative probit around the predicted location gives the mass of each point.
"""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, ConfigDict, Field, FiniteFloat, PlainValidator, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from semscale.rating.readouts import Reals, cosines_of, sum_in_order
from semscale.rating.text_style import N_STYLES
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Refits

STRICT = ConfigDict(strict=True, extra="forbid", defer_build=True)
"""Configuration of classes read from a calibration's file: strict types."""

REFITS = 20
"""Number of parts of the labelled texts, one left out per refit; fewer with fewer texts or groups."""

MOST_TEXTS = 300
"""Greatest number of labelled texts in the kernel; of more, this many are chosen at equal distances."""

NEARNESS = 8.0
"""Rate of the kernel exp(8 (cosine - 1)), which is RBF with gamma 4 at length 1."""

STYLE_WEIGHT = 0.2
"""Weight of the kernel of styles, exp(-distance ** 2 / 16), beside that of vectors."""

SLOPE_MEAN, SLOPE_DEVIATION = 0.4, 0.2
"""Prior of the slope if labels and zero-shot means have variance 1."""

_DEVIATIONS = np.array([0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.8, 1.0])  # in variances of the labels

_NOISES = np.arange(1, 11) / 10  # likewise

_LEAST_SQUARE = 1e-6  # of a direction in which kernels of texts differ at all

_LEAST_SPREAD = 1e-9  # of zero-shot means that differ at all

_LEAST_LEFT = 1e-6  # of a text that alone decides its value

_LEAST_MASS = 1e-9

_GAP_DEVIATION = 0.5  # of the prior on a threshold gap's log, around an even spacing

_WIDE_DEVIATION = 2.0  # of the priors on logs of slope and spacing

_WIDTH_SHARE = 0.25  # width that the priors are centred at, as a share of the scale's length


@dataclass(frozen=True)
class Predictors:
    """Measurements of n texts from which a calibration predicts people's ratings.

    Attributes:
        vectors: shape (n, d), of any length above 0.
        pmf: shape (n, k), zero-shot rating.
        values: shape (k,), of the scale's points.
        styles: shape (n, 8), from ``text_styles``.
    """

    vectors: Reals
    pmf: Floats
    values: Floats
    styles: Floats

    def __len__(self) -> int:
        return len(self.pmf)

    def rows(self, rows: Mask) -> "Predictors":
        """Select the texts that a mask marks."""
        return Predictors(self.vectors[rows], self.pmf[rows], self.values, self.styles[rows])

    def without(self, inside: Mask) -> Mask:
        """Mark the texts that are neither in a mask nor equal to a text in it."""
        others: Mask = ~np.isin(self.distinct, self.distinct[inside])
        return others

    @cached_property
    def mean(self) -> Floats:
        """Zero-shot means, shape (n,)."""
        return sum_in_order(self.pmf.T * self.values[:, None])

    @cached_property
    def distinct(self) -> Integers:
        """Numbers of distinct vectors, shape (n,), from 0 in order of appearance; equal texts share one."""
        numbers: dict[bytes, int] = {}
        distinct = [numbers.setdefault(row.tobytes(), len(numbers)) for row in self.vectors]
        return np.array(distinct, dtype=np.int64)

    @cached_property
    def units(self) -> Floats:
        """Vectors of length 1, shape (n, d)."""
        rows = self.vectors.astype(np.float64)
        units: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units


_NUMBERS = TypeAdapter(list[FiniteFloat], config=ConfigDict(strict=True, defer_build=True))
_STRINGS = TypeAdapter(list[str], config=ConfigDict(strict=True, defer_build=True))


def _numbers(value: object) -> Floats:
    """Read a list of finite numbers; the array of a fit is not changed."""
    if isinstance(value, np.ndarray):
        return value
    return np.array(_NUMBERS.validate_python(value), dtype=np.float64)


def _rising(numbers: Floats) -> Floats:
    if not len(numbers) or not (np.diff(numbers) >= 0).all():
        raise ValueError("must be one number or more, and not fall")
    return numbers


def _vectors(value: object) -> npt.NDArray[np.float16]:
    """Read vectors from base64, one string each; the array of a fit is not changed."""
    if isinstance(value, np.ndarray):
        return value
    try:
        contents = [base64.b64decode(text, validate=True) for text in _STRINGS.validate_python(value)]
        vectors = np.array([np.frombuffer(content, dtype="<f2") for content in contents])
    except (binascii.Error, ValueError) as error:
        raise ValueError("must be vectors of one width in base64") from error
    if vectors.ndim != 2 or not np.isfinite(vectors).all():
        raise ValueError("must be finite vectors")
    return vectors.astype(np.float16)


Numbers = Annotated[npt.NDArray[np.float64], PlainValidator(_numbers)]
"""Finite numbers in a calibration's file, shape (m,)."""


def record_of(value: object) -> Any:
    """Convert a value to JSON's types: a dataclass by the names of its fields, half floats in base64."""
    if isinstance(value, Signature):
        return str(value)
    if is_dataclass(value):
        return {field.name: record_of(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return list(map(record_of, value))
    if isinstance(value, np.ndarray) and value.dtype == np.float16:
        return [base64.b64encode(row.astype("<f2").tobytes()).decode() for row in value]
    return value.tolist() if isinstance(value, np.ndarray) else value


@checked_dataclass(frozen=True, config=STRICT)
class Posterior:
    """Mean of a fitted process, and the cumulative probit around it.

    Attributes:
        intercept: intercept of the location, in the scale's units.
        slope: slope of the zero-shot mean.
        coefficients: shape (m,), coefficients of the kernel with each labelled text.
        thresholds: shape (k - 1,), thresholds of the probit.
        steepness: steepness of the probit, above 0.
    """

    intercept: FiniteFloat
    slope: FiniteFloat
    coefficients: Numbers
    thresholds: Annotated[Numbers, AfterValidator(_rising)]
    steepness: Annotated[FiniteFloat, Field(gt=0)]

    def round_numbers(self) -> "Posterior":
        """Round each number to six digits, which is far below its error and makes files half as long."""
        digits = [
            np.array([float(f"{number:.6g}") for number in np.atleast_1d(getattr(self, field.name))])
            for field in fields(self)
        ]
        intercept, slope, coefficients, thresholds, steepness = digits
        return Posterior(float(intercept[0]), float(slope[0]), coefficients, thresholds, float(steepness[0]))


@checked_dataclass(frozen=True, config=STRICT)
class GaussianProcess:
    """A fitted process: from measurements of texts to masses of people's answers.

    Attributes:
        texts: shape (m, d), vectors of labelled texts, nearly of length 1.
        styles: shape (m, 8), their styles.
        posterior: fitted to all labels.
        refits: fits without one part of the labels each; empty without intervals.
    """

    texts: Annotated[npt.NDArray[np.float16], PlainValidator(_vectors)]
    styles: Annotated[npt.NDArray[np.float16], PlainValidator(_vectors)]
    posterior: Posterior
    refits: Annotated[tuple[Posterior, ...], Field(max_length=REFITS)]

    def __post_init__(self) -> None:
        if self.styles.shape != (len(self.texts), N_STYLES):
            raise ValueError(f"styles must be {N_STYLES} numbers for each text")
        for fit in (self.posterior, *self.refits):
            if len(fit.coefficients) != len(self.texts):
                raise ValueError("texts and coefficients must be equally many")
        if len(self.refits) == 1:
            raise ValueError("refits must be none or at least two")

    def pmf(self, predictors: Predictors) -> Floats:
        """Return masses, shape (n, k), rows sum to 1, regardless of the batch."""
        return self._masses(predictors, [self.posterior])[0]

    def refit_pmf(self, predictors: Predictors) -> Refits:
        """Return masses (n, b, k) under each of b refits."""
        return np.stack(self._masses(predictors, self.refits), axis=1).astype(np.float32)

    def _masses(self, predictors: Predictors, posteriors: Sequence[Posterior]) -> list[Floats]:
        kernel = text_kernel(predictors, self.texts, self.styles)
        coefficients = np.column_stack([fit.coefficients for fit in posteriors])
        # One product for each row, as that of all rows would round by their number.
        deviations = np.matmul(kernel[:, None, :], coefficients)[:, 0].T
        return [
            CumulativeProbit(fit.thresholds, fit.steepness).pmf(
                fit.intercept + fit.slope * predictors.mean + deviation
            )
            for fit, deviation in zip(posteriors, deviations, strict=True)
        ]


def text_kernel(
    predictors: Predictors, texts: npt.NDArray[np.floating[Any]], styles: npt.NDArray[np.floating[Any]]
) -> Floats:
    """Compute the kernel of n texts with m others, shape (n, m): of vectors, plus .2 times that of styles.

    Args:
        predictors: n texts.
        texts: shape (m, d), vectors of length 1.
        styles: shape (m, 8), their styles.
    """
    return vector_kernel(predictors.vectors, texts) + STYLE_WEIGHT * style_kernel(predictors.styles, styles)


def vector_kernel(rows: Reals, texts: npt.NDArray[np.floating[Any]]) -> Floats:
    """Compute the kernel exp(8 (cosine - 1)) of rows (n, d) with texts (m, d) of length 1, shape (n, m).

    Examples:
        >>> vector_kernel(np.array([[2.0, 0.0]]), np.array([[1.0, 0.0], [0.0, 1.0]])).round(6).tolist()
        [[1.0, 0.000335]]
    """
    cosines = cosines_of(rows, texts.astype(rows.dtype)[None])[0][0]
    return np.ascontiguousarray(np.exp(NEARNESS * (cosines.T.astype(np.float64) - 1)))


def style_kernel(rows: Floats, styles: npt.NDArray[np.floating[Any]]) -> Floats:
    """Compute the kernel exp(-distance ** 2 / 16) of styles (n, 8) with others (m, 8), shape (n, m).

    Examples:
        >>> style_kernel(np.zeros((1, 8)), np.array([[0.0] * 8, [4.0] + [0.0] * 7])).round(4).tolist()
        [[1.0, 0.3679]]
    """
    # One measure after the other, so that a row does not depend on the number of rows.
    squares = np.zeros((len(rows), len(styles)))
    for left, right in zip(rows.T, styles.astype(np.float64).T, strict=True):
        squares += (left[:, None] - right) ** 2
    return np.exp(-squares / (2 * N_STYLES))


def fit_gaussian_process(predictors: Predictors, human: Floats, parts: Sequence[Mask]) -> GaussianProcess:
    """Fit a process to labelled texts, and refit it without each of some parts.

    With more than 300 distinct texts, the kernel uses 300 of them (subset of regressors), with all labels.

    Args:
        predictors: predictors of n texts, at least 4.
        human: shape (n, k), shares of people's answers.
        parts: masks (n,) of the texts to leave out in each refit.

    References:
        Rasmussen and Williams (2006), Gaussian Processes for Machine Learning: mean with basis functions,
        section 2.7; evidence, 5.4.1; leaving one out, 5.4.2; subset of regressors, 8.3.1.
    """
    first = np.unique(predictors.distinct, return_index=True)[1]
    chosen = first[np.linspace(0, len(first) - 1, min(len(first), MOST_TEXTS)).round().astype(np.int64)]
    texts, styles = predictors.units[chosen].astype(np.float16), predictors.styles[chosen].astype(np.float16)
    known = Predictors(
        texts.astype(np.float64), predictors.pmf[chosen], predictors.values, styles.astype(np.float64)
    )
    squares, directions = np.linalg.eigh(text_kernel(known, texts, styles))
    used = squares > _LEAST_SQUARE
    whitening = directions[:, used] / np.sqrt(squares[used])
    features = text_kernel(predictors, texts, styles) @ whitening
    means = human @ predictors.values

    def fit(rows: Mask) -> Posterior:
        location = fit_location(features[rows], predictors.mean[rows], means[rows], predictors.distinct[rows])
        probit = fit_cumulative_probit(location.left_out, human[rows], predictors.values)
        return Posterior(location.intercept, location.slope, whitening @ location.weights, *probit)

    everything = np.ones(len(predictors), np.bool_)
    refits = tuple(fit(predictors.without(part)).round_numbers() for part in parts)
    return GaussianProcess(texts, styles, fit(everything), refits)


class LocationFit(NamedTuple):
    """Mean of a process with linear features: intercept + slope * score + features @ weights.

    Attributes:
        intercept: intercept in the units of the labels.
        slope: slope of the score.
        weights: shape (m,), weights of the features.
        left_out: shape (n,), predicted mean of each labelled text from the labels of other, unequal texts.
    """

    intercept: float
    slope: float
    weights: Floats
    left_out: Floats


def fit_location(
    features: Floats, scores: Floats, means: Floats, distinct: Integers | None = None
) -> LocationFit:
    """Fit people's means by a score and a deviation from it that is linear in features.

    Labels and scores are standardised. The intercept has a flat prior, the slope a normal one with mean .4
    and deviation .2, the deviation one with mean 0. Variances of deviation and noise are chosen from a grid
    by the evidence; slope and weights are posterior means.

    Args:
        features: shape (n, m), at least 4 rows.
        scores: shape (n,), such as zero-shot means.
        means: shape (n,), people's mean rating of each text.
        distinct: shape (n,), numbers from 0 that equal texts share; all texts differ by default.

    Examples:
        The scores predict the labels without error; the prior shrinks the slope.

        >>> scores = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        >>> fit = fit_location(np.ones((5, 2)), scores, 2 * scores + 1)
        >>> round(fit.slope, 3), fit.weights.tolist()
        (1.6, [0.0, 0.0])
    """
    n = len(means)
    centre, unit, spread = features.mean(axis=0), float(means.std()) or 1.0, float(scores.std())
    varies = spread > _LEAST_SPREAD
    zero_shot = (scores - scores.mean()) / spread if varies else np.zeros(n)
    targets = (means - means.mean()) / unit
    rest = features - centre
    squares, directions = np.linalg.eigh(rest.T @ rest)
    used = squares > _LEAST_SQUARE
    squares, directions = squares[used], directions[:, used]
    basis = rest @ directions / np.sqrt(squares)
    scale = max(float(squares.sum()) / n, _LEAST_SQUARE)  # so that the deviation's variance is 1 on average
    squares /= scale
    variances, noises = (axis.ravel() for axis in np.meshgrid(_DEVIATIONS, _NOISES, indexing="ij"))
    totals = variances[:, None] * squares + noises[:, None]

    def inner(left: Floats, right: Floats) -> Floats:
        """Products under the inverse covariance of deviation and noise, for each pair of variances."""
        a, b = basis.T @ left, basis.T @ right
        products: Floats = (a * b / totals).sum(axis=1) + (left @ right - a @ b) / noises
        return products

    surprise = targets - SLOPE_MEAN * zero_shot
    precisions = inner(zero_shot, zero_shot) + SLOPE_DEVIATION**-2
    shifts = inner(zero_shot, surprise) / precisions
    log_determinants = np.log(totals).sum(axis=1) + (n - 1 - len(squares)) * np.log(noises)
    costs = inner(surprise, surprise) - shifts**2 * precisions + log_determinants + np.log(precisions)
    best = int(costs.argmin())
    total, noise, slope = totals[best], float(noises[best]), SLOPE_MEAN + float(shifts[best])
    residuals = targets - slope * zero_shot
    by_direction = variances[best] * np.sqrt(squares / scale) / total * (basis.T @ residuals)
    weights = unit * directions @ by_direction
    slope_in_units = unit * slope / spread if varies else 0.0
    gain = 1 / total - 1 / noise
    pulled = basis @ (gain * (basis.T @ zero_shot)) + zero_shot / noise
    diagonal = (basis**2 * gain).sum(axis=1) + (1 - 1 / n) / noise - pulled**2 / precisions[best]
    weighted = basis @ (gain * (basis.T @ residuals)) + residuals / noise
    errors = _errors_left_out(weighted, diagonal, noise, distinct)
    return LocationFit(
        float(means.mean() - slope_in_units * scores.mean() - centre @ weights),
        slope_in_units,
        weights,
        means - unit * errors,
    )


def _errors_left_out(weighted: Floats, diagonal: Floats, noise: float, distinct: Integers | None) -> Floats:
    """Error of each label under a fit without it and without the labels of equal texts, shape (n,).

    For a single text, it is its entry of Q y divided by that of Q's diagonal, with Q the inverse covariance.
    The block of Q for g equal texts is 1 / noise on the diagonal plus a constant.

    Args:
        weighted: shape (n,), Q y.
        diagonal: shape (n,), diagonal of Q.
        noise: variance of the noise.
        distinct: shape (n,), numbers that equal texts share.

    References:
        Rasmussen and Williams (2006), equation 5.12.
    """
    number = np.arange(len(weighted)) if distinct is None else np.unique(distinct, return_inverse=True)[1]
    times, total = np.bincount(number)[number], np.bincount(number, weighted)[number]
    shared = diagonal - 1 / noise
    left = np.maximum(1 + times * noise * shared, _LEAST_LEFT)
    errors: Floats = noise * weighted - noise**2 * shared / left * total
    return errors


class CumulativeProbit(NamedTuple):
    """A fitted cumulative probit.

    Attributes:
        thresholds: shape (k - 1,), ascending.
        slope: slope of the location, above 0.
    """

    thresholds: Floats
    slope: float

    def pmf(self, locations: Floats) -> Floats:
        """Return masses (n, k) for locations (n,); NaN for NaN.

        Examples:
            >>> CumulativeProbit(np.array([0.0]), 1.0).pmf(np.array([0.0])).tolist()
            [[0.5, 0.5]]
        """
        from scipy.special import ndtr  # slow to import

        below = ndtr(self.thresholds - self.slope * np.asarray(locations, dtype=np.float64)[:, None])
        # Thresholds may be as close as rounding, where a difference can come out below 0.
        return np.maximum(np.diff(below, axis=1, prepend=0.0, append=1.0), 0.0)


def fit_cumulative_probit(locations: Floats, human: Floats, values: Floats) -> CumulativeProbit:
    """Fit thresholds and slope to people's answers, with weak priors that keep them finite.

    Each text has the same weight, regardless of its number of answers. Priors are normal on the log: gaps
    between thresholds around an even spacing (deviation .5), slope and spacing around a width of a quarter of
    the scale (deviation 2).

    Args:
        locations: shape (n,), in the scale's units, at least one.
        human: shape (n, k), shares of people's answers.
        values: shape (k,), of the scale's points.

    References:
        McCullagh (1980), equation 2.4 with the probit link.

    Examples:
        >>> answers = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        >>> fit = fit_cumulative_probit(np.array([-1.0, 0.0, 1.0]), answers, np.array([-1.0, 1.0]))
        >>> bool(abs(fit.thresholds[0]) < 1e-3), fit.slope > 0
        (True, True)
    """
    from scipy.optimize import minimize  # takes a fifth of a second to import

    centre, width = float(values.mean()), float(values[-1] - values[0])
    middles = (values[1:] + values[:-1]) / 2
    problem = _Likelihood(
        (locations - centre) / (_WIDTH_SHARE * width), human, np.diff(middles) / (_WIDTH_SHARE * width)
    )
    start = np.zeros(2 + problem.n_spacings)
    start[0] = (middles[0] - centre) / (_WIDTH_SHARE * width)
    fit = minimize(
        problem.cost,
        start,
        args=(start[0],),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 1e-9, "gtol": 1e-4},
    )
    thresholds, slope = problem.parts(fit.x)
    slope /= _WIDTH_SHARE * width
    return CumulativeProbit(thresholds + slope * centre, slope)


class _Likelihood:
    """Penalised log likelihood of a shift, a log slope, a log spacing and logs of gaps."""

    def __init__(self, locations: Floats, human: Floats, gaps: Floats) -> None:
        self._locations, self._human, self._gaps = locations, human, gaps
        self.n_spacings = 1 + len(gaps) if len(gaps) else 0

    def parts(self, parameters: Floats) -> tuple[Floats, float]:
        """Thresholds (k - 1,) and slope of parameters."""
        gaps = self._space_gaps(parameters)
        return parameters[0] + np.concatenate([[0.0], np.cumsum(gaps)]), float(np.exp(parameters[1]))

    def cost(self, parameters: Floats, first: float) -> tuple[float, Floats]:
        """Return the cost to minimise, and its gradient."""
        from scipy.special import ndtr

        thresholds, slope = self.parts(parameters)
        heights = thresholds - slope * self._locations[:, None]
        masses = np.diff(ndtr(heights), axis=1, prepend=0.0, append=1.0)
        masses = np.maximum(masses, _LEAST_MASS)
        ratio = self._human / masses
        density = np.exp(-(heights**2) / 2) / np.sqrt(2 * np.pi)
        by_height = -(ratio[:, :-1] - ratio[:, 1:]) * density
        by_threshold = by_height.sum(axis=0)
        gradient = np.zeros_like(parameters)
        gradient[0] = by_threshold.sum()
        gradient[1] = -slope * (by_height.sum(axis=1) @ self._locations)
        if self.n_spacings:
            by_gap = np.cumsum(by_threshold[::-1])[::-1][1:] * self._space_gaps(parameters)
            gradient[2] = by_gap.sum()
            gradient[3:] = by_gap
        deviations = np.full(len(parameters), _WIDE_DEVIATION)
        deviations[3:] = _GAP_DEVIATION
        away = parameters - np.r_[first, np.zeros(len(parameters) - 1)]
        penalty = (away**2 / deviations**2).sum() / 2
        return float(-(self._human * np.log(masses)).sum() + penalty), gradient + away / deviations**2

    def _space_gaps(self, parameters: Floats) -> Floats:
        if not self.n_spacings:
            return self._gaps
        spaced: Floats = self._gaps * np.exp(parameters[2] + parameters[3:])
        return spaced
