"""Calibrators: functions from zero-shot ratings and vectors to calibrated masses, and how each is fitted.

``METHODS`` has one entry for each: its label, the class of what is fitted, and the function that fits it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from pydantic import AfterValidator, ConfigDict, Field, FiniteFloat, PlainValidator, TypeAdapter
from pydantic.dataclasses import dataclass as checked_dataclass

from semscale.rating.anchors import Axis
from semscale.rating.readouts import Reals, sharpen_pmf, sum_in_order
from semscale.signature import Signature
from semscale.stats.calibration import ranked_probability_scores
from semscale.types import Floats, Integers, Mask

STRICT = ConfigDict(strict=True, extra="forbid", defer_build=True)
"""Of classes that are read from a calibration's file: no number is guessed from a text."""

_TEMPERATURES = tuple(np.exp2(np.arange(-4, 2.1, 0.5)).tolist())

_LEAST_MASS = 1e-9

_GAP_DEVIATION = 0.5  # of the prior on a threshold gap's log, around an even spacing

_WIDE_DEVIATION = 2.0  # of the priors on logs of slope and spacing

_WIDTH_SHARE = 0.25  # width that the priors are centred at, as a share of the scale's length

_STRENGTHS = np.exp(np.arange(-3.0, 7.1, 0.5))  # penalties, in units of the vectors' mean squared length

_LEAST_LEFT = 1e-6  # of a text that alone decides its value

_LINE_ALONE = 0.5  # belief, before any label is seen, that vectors say nothing beyond the line


@dataclass(frozen=True)
class Predictors:
    """Measurements of n texts from which a calibration predicts people's ratings.

    Attributes:
        vectors: shape (n, d), of any length but 0.
        pmf: shape (n, k), zero-shot rating.
        values: shape (k,), of the scale's points.
        axis: from the low anchors to the high ones, in the scale's units.
    """

    vectors: Reals
    pmf: Floats
    values: Floats
    axis: Axis

    def __len__(self) -> int:
        return len(self.pmf)

    def rows(self, rows: Mask) -> "Predictors":
        """Select the texts that a mask marks."""
        return Predictors(self.vectors[rows], self.pmf[rows], self.values, self.axis)

    def without(self, inside: Mask) -> Mask:
        """Mark the texts to learn from so that some (a mask) are new: neither these nor equal ones."""
        others: Mask = ~np.isin(self.distinct, self.distinct[inside])
        return others

    @cached_property
    def mean(self) -> Floats:
        """Zero-shot means, shape (n,)."""
        return sum_in_order(self.pmf.T * self.values[:, None])

    @cached_property
    def position(self) -> Floats:
        """Positions on the axis, shape (n,)."""
        return self.axis.positions(self.vectors)

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


def _numbers(value: object) -> Floats:
    """Read a list of finite numbers; the array of a fit stays as it is."""
    if isinstance(value, np.ndarray):
        return value
    return np.array(_NUMBERS.validate_python(value), dtype=np.float64)


def _rising(numbers: Floats) -> Floats:
    if not (np.diff(numbers) >= 0).all():
        raise ValueError("must not fall")
    return numbers


def _present(numbers: Floats) -> Floats:
    if not len(numbers):
        raise ValueError("must not be empty")
    return numbers


Numbers = Annotated[npt.NDArray[np.float64], PlainValidator(_numbers)]
"""Finite numbers in a calibration's file, shape (m,)."""

_Rising = Annotated[Numbers, AfterValidator(_rising)]

_Thresholds = Annotated[_Rising, AfterValidator(_present)]

_Positive = Annotated[FiniteFloat, Field(gt=0)]


class Calibrator(Protocol):
    """Gives calibrated masses; a dataclass whose fields are what was fitted, numbers or arrays of them."""

    def pmf(self, predictors: Predictors) -> Floats:
        """Return masses, shape (n, k), rows sum to 1; a row's are the same in every batch."""
        ...


def record_of(value: object) -> Any:  # noqa: ANN401 - JSON's types
    """Lay a value out in JSON's types, a dataclass by the names of its fields."""
    if isinstance(value, Signature):
        return str(value)
    if is_dataclass(value):
        return {field.name: record_of(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return list(map(record_of, value))
    return value.tolist() if isinstance(value, np.ndarray) else value


@checked_dataclass(frozen=True, config=STRICT)
class Unchanged:
    """Leaves ratings as they are."""

    def pmf(self, predictors: Predictors) -> Floats:
        """Return the zero-shot masses."""
        return predictors.pmf


@checked_dataclass(frozen=True, config=STRICT)
class Tempered:
    """Raises masses to the power 1/T and mixes them with equal shares.

    Attributes:
        temperature: T, above 0.
        equal_share: of equal masses in the mixture, 0 to 1.
    """

    temperature: _Positive
    equal_share: Annotated[FiniteFloat, Field(ge=0, le=1)]

    def pmf(self, predictors: Predictors) -> Floats:
        """Return calibrated masses."""
        k = predictors.pmf.shape[1]
        sharp = sharpen_pmf(predictors.pmf, temperature=self.temperature)
        mixed: Floats = (1 - self.equal_share) * sharp + self.equal_share / k
        return mixed


@checked_dataclass(frozen=True, config=STRICT)
class MeanCurve:
    """A curve from the zero-shot mean to a location, and a cumulative probit around it.

    Attributes:
        means: shape (c,), ascending zero-shot means; the curve is straight between them, level beyond.
        locations: shape (c,), locations there; the mean itself where both are empty.
        thresholds: shape (k - 1,), of the probit.
        slope: likewise.
    """

    means: _Rising
    locations: Numbers
    thresholds: _Thresholds
    slope: _Positive

    def __post_init__(self) -> None:
        if len(self.means) != len(self.locations):
            raise ValueError("means and locations must have one length")

    def pmf(self, predictors: Predictors) -> Floats:
        """Return calibrated masses."""
        mean = predictors.mean
        locations = np.interp(mean, self.means, self.locations) if len(self.means) else mean
        return CumulativeProbit(self.thresholds, self.slope).pmf(locations)


@checked_dataclass(frozen=True, config=STRICT)
class VectorLine:
    """A straight function of a text's direction, and a cumulative probit around it.

    Attributes:
        intercept: of the line from a vector to a location, in the scale's units.
        weights: shape (d,), of the line.
        thresholds: shape (k - 1,), of the probit.
        slope: likewise.
    """

    intercept: FiniteFloat
    weights: Numbers
    thresholds: _Thresholds
    slope: _Positive

    def pmf(self, predictors: Predictors) -> Floats:
        """Return calibrated masses."""
        locations = Axis(self.intercept, self.weights).positions(predictors.vectors)
        return CumulativeProbit(self.thresholds, self.slope).pmf(locations)


class CumulativeProbit(NamedTuple):
    """A fitted cumulative probit.

    Attributes:
        thresholds: shape (k - 1,), ascending.
        slope: of the location, above 0.
    """

    thresholds: Floats
    slope: float

    def pmf(self, locations: Floats) -> Floats:
        """Return masses (n, k) for locations (n,); NaN for NaN.

        Example:
            >>> CumulativeProbit(np.array([0.0]), 1.0).pmf(np.array([0.0])).tolist()
            [[0.5, 0.5]]
        """
        from scipy.special import ndtr  # slow to import

        below = ndtr(self.thresholds - self.slope * np.asarray(locations, dtype=np.float64)[:, None])
        # Thresholds may be as close as rounding, where a difference can come out below 0.
        return np.maximum(np.diff(below, axis=1, prepend=0.0, append=1.0), 0.0)


def _fit_temperature(predictors: Predictors, human: Floats) -> Calibrator:
    fits = [_mixed(temperature, predictors, human) for temperature in _TEMPERATURES]
    return min(fits, key=lambda fit: fit[0])[1]


def _mixed(temperature: float, predictors: Predictors, human: Floats) -> tuple[float, Tempered]:
    """Mix with the share of equal masses at which the ranked probability score, a parabola, is lowest."""
    sharp = sharpen_pmf(predictors.pmf, temperature=temperature)
    equal = np.full_like(sharp, 1 / sharp.shape[1])
    rated, flat, answered = (np.cumsum(masses, axis=1)[:, :-1] for masses in (sharp, equal, human))
    towards = flat - rated
    length = float((towards**2).sum())
    share = float((towards * (answered - rated)).sum()) / length if length > 0 else 0.0
    share = min(max(share, 0.0), 1.0)
    fitted = (1 - share) * sharp + share * equal
    return float(ranked_probability_scores(fitted, human).mean()), Tempered(temperature, share)


def _fit_affine(predictors: Predictors, human: Floats) -> Calibrator:
    probit = fit_cumulative_probit(predictors.mean, human, predictors.values, even=True)
    return MeanCurve(np.empty(0), np.empty(0), *probit)


def _fit_isotonic(predictors: Predictors, human: Floats) -> Calibrator:
    from scipy.optimize import isotonic_regression  # takes a fifth of a second to import

    means, number, n = np.unique(predictors.mean, return_inverse=True, return_counts=True)
    heights = isotonic_regression(np.bincount(number, human @ predictors.values) / n, weights=n).x
    locations = np.interp(predictors.mean, means, heights)
    probit = fit_cumulative_probit(locations, human, predictors.values, even=True)
    steps = np.diff(heights) != 0
    corner = np.r_[True, steps[:-1] | steps[1:], True]
    corner = corner[: len(means)]
    return MeanCurve(means[corner], heights[corner], *probit)


def _fit_ordinal(predictors: Predictors, human: Floats) -> Calibrator:
    probit = fit_cumulative_probit(predictors.position, human, predictors.values)
    return VectorLine(predictors.axis.intercept, predictors.axis.weights, *probit)


def _fit_ridge(predictors: Predictors, human: Floats) -> Calibrator:
    means = human @ predictors.values
    fit = fit_evidence_ridge(predictors.units, predictors.position, means, distinct=predictors.distinct)
    probit = fit_cumulative_probit(fit.left_out, human, predictors.values)
    axis = predictors.axis
    intercept = fit.intercept + fit.slope * axis.intercept
    return VectorLine(intercept, fit.slope * axis.weights + fit.direction, *probit)


class Method(NamedTuple):
    """A method of calibration.

    Attributes:
        label: what it does, in a short phrase.
        kind: class of what is fitted; its fields are what a file stores.
        fit: fits it to measurements of n texts, at least 4, and shares (n, k) of people's answers.
    """

    label: str
    kind: Callable[..., Calibrator]
    fit: Callable[[Predictors, Floats], Calibrator]


METHODS: Mapping[str, Method] = {
    "none": Method("the zero-shot rating as it is", Unchanged, lambda _predictors, _human: Unchanged()),
    "temperature": Method(
        "masses sharpened or flattened, and mixed with equal shares", Tempered, _fit_temperature
    ),
    "affine": Method(
        "a normal distribution around a straight function of the zero-shot mean", MeanCurve, _fit_affine
    ),
    "isotonic": Method(
        "the same around a function of the zero-shot mean that never falls", MeanCurve, _fit_isotonic
    ),
    "ordinal": Method(
        "ordered probit on the text's place between the low and the high anchors", VectorLine, _fit_ordinal
    ),
    "ridge": Method(
        "ordered probit on that place and the text's vector, shrunk towards the place alone",
        VectorLine,
        _fit_ridge,
    ),
}
"""Methods by name, from the one that changes least to the one that learns most."""


def fit_cumulative_probit(
    locations: Floats, human: Floats, values: Floats, *, even: bool = False
) -> CumulativeProbit:
    """Fit thresholds and slope to people's answers, with weak priors that keep them finite.

    Each text counts once, however many people answered. Priors: gaps between thresholds are normal on the log
    around an even spacing (deviation .5), slope and spacing on the log around a width of a quarter of the
    scale (deviation 2).

    Args:
        locations: shape (n,), in the scale's units, at least one.
        human: shape (n, k), shares of people's answers.
        values: shape (k,), of the scale's points.
        even: whether thresholds lie in the middle between the points, but for shift and spread: this is the
            normal distribution around a straight line, cut at the middles.

    Example:
        >>> answers = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
        >>> fit = fit_cumulative_probit(np.array([-1.0, 0.0, 1.0]), answers, np.array([-1.0, 1.0]))
        >>> bool(abs(fit.thresholds[0]) < 1e-3), fit.slope > 0
        (True, True)
    """
    from scipy.optimize import minimize  # takes a fifth of a second to import

    centre, width = float(values.mean()), float(values[-1] - values[0])
    middles = (values[1:] + values[:-1]) / 2
    problem = _Likelihood(
        (locations - centre) / (_WIDTH_SHARE * width),
        human,
        np.diff(middles) / (_WIDTH_SHARE * width),
        even=even,
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

    def __init__(self, locations: Floats, human: Floats, gaps: Floats, *, even: bool) -> None:
        self._locations, self._human, self._gaps = locations, human, gaps
        self.n_spacings = (1 if even else 1 + len(gaps)) if len(gaps) else 0

    def parts(self, parameters: Floats) -> tuple[Floats, float]:
        """Thresholds (k - 1,) and slope of parameters."""
        gaps = self._spaced(parameters)
        return parameters[0] + np.concatenate([[0.0], np.cumsum(gaps)]), float(np.exp(parameters[1]))

    def cost(self, parameters: Floats, first: float) -> tuple[float, Floats]:
        """Give the cost to minimise, and its gradient."""
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
            by_gap = np.cumsum(by_threshold[::-1])[::-1][1:] * self._spaced(parameters)
            gradient[2] = by_gap.sum()
            gradient[3:] = by_gap[: self.n_spacings - 1]
        deviations = np.full(len(parameters), _WIDE_DEVIATION)
        deviations[3:] = _GAP_DEVIATION
        away = parameters - np.r_[first, np.zeros(len(parameters) - 1)]
        penalty = (away**2 / deviations**2).sum() / 2
        return float(-(self._human * np.log(masses)).sum() + penalty), gradient + away / deviations**2

    def _spaced(self, parameters: Floats) -> Floats:
        if not self.n_spacings:
            return self._gaps
        single = parameters[3:] if self.n_spacings > 1 else 0.0
        spaced: Floats = self._gaps * np.exp(parameters[2] + single)
        return spaced


class RidgeFit(NamedTuple):
    """A straight function of a text's vector and of its position on the anchors' axis.

    Attributes:
        intercept: in the scale's units.
        slope: of the position on the axis.
        direction: shape (d,), weights of the vector.
        left_out: shape (n,), for each text that was fitted, its value with a direction that was fitted
            without it and its repetitions; the line is the one of all texts.
    """

    intercept: float
    slope: float
    direction: Floats
    left_out: Floats


def fit_evidence_ridge(
    units: Floats, axis: Floats, means: Floats, *, distinct: Integers | None = None
) -> RidgeFit:
    """Fit people's means by their vectors, shrunk towards a straight line on the zero-shot position.

    means = intercept + slope * axis + units @ direction + noise, where ``direction`` has a normal prior
    around 0 and the line has a flat one. Each strength of that prior has an evidence (the restricted
    likelihood of the labels), and so has the line without a direction. The fits are averaged with weights
    evidence times prior belief, of which the line alone has one half and all strengths the other. With few
    labels the line keeps most of its half; with many the labels decide.

    Args:
        units: shape (n, d), vectors of length 1; at least 4.
        axis: shape (n,), positions on the anchors' axis, the zero-shot prediction.
        means: shape (n,), people's mean rating of each text.
        distinct: shape (n,), numbers from 0 that equal texts share; all texts differ unless given.

    References:
        Hoerl and Kennard (1970), doi 10.1080/00401706.1970.10488634. Restricted likelihood: Patterson and
        Thompson (1971), doi 10.1093/biomet/58.3.545. Averaging: Hoeting et al. (1999),
        doi 10.1214/ss/1009212519.

    Example:
        >>> axis = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        >>> fit = fit_evidence_ridge(np.ones((5, 2)), axis, 2 * axis + 1)
        >>> round(fit.intercept, 6), round(fit.slope, 6), fit.direction.tolist()
        (1.0, 2.0, [0.0, 0.0])
    """
    n = len(means)
    line = np.column_stack([np.ones(n), axis])
    basis = _basis(line)
    rest, targets = (part - basis @ (basis.T @ part) for part in (units, means))
    squares, turned, scores = _principal(rest, targets)
    scale = squares.sum() / n
    if not scale > np.finfo(np.float64).eps:  # vectors that do not vary say nothing beyond the line
        coefficients = np.linalg.lstsq(line, means, rcond=None)[0]
        intercept, slope = map(float, coefficients)
        return RidgeFit(intercept, slope, np.zeros(units.shape[1]), line @ coefficients)
    # The averaged fit is linear in the labels, with the averaged hat matrix.
    shrinkage = _shrinkage(squares, scores, targets, scale, basis.shape[1])
    direction = turned @ (shrinkage * scores)
    coefficients = np.linalg.lstsq(line, means - units @ direction, rcond=None)[0]
    fitted = line @ coefficients + units @ direction
    leverage = ((rest @ turned) ** 2 * shrinkage).sum(axis=1)
    moved = _moved_by_label(means - fitted, leverage, (basis**2).sum(axis=1), distinct)
    return RidgeFit(float(coefficients[0]), float(coefficients[1]), direction, fitted - moved)


def _basis(line: Floats) -> Floats:
    """Orthonormal columns that span the line's; one where the axis does not vary."""
    left, lengths, _ = np.linalg.svd(line, full_matrices=False)
    basis: Floats = left[:, lengths > 1e-10 * lengths[0]]
    return basis


def _principal(rest: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
    """Squared singular values (m,), right singular vectors (d, m), and the targets' products with them."""
    n, d = rest.shape
    if n > d:
        squares, turned = np.linalg.eigh(rest.T @ rest)
    else:
        squares, left = np.linalg.eigh(rest @ rest.T)
        lengths = np.sqrt(np.maximum(squares, 0))
        turned = rest.T @ (left / np.where(lengths > 0, lengths, 1.0))
    positive = squares > 1e-10 * max(float(squares.max()), 1e-300)
    squares, turned = squares[positive], turned[:, positive]
    return squares, turned, turned.T @ (rest.T @ targets)


def _shrinkage(squares: Floats, scores: Floats, targets: Floats, scale: float, fixed: int) -> Floats:
    """Average 1 / (square + penalty) over penalties by belief after the labels, shape (m,)."""
    penalties = np.r_[_STRENGTHS * scale, np.inf]
    beliefs = np.r_[np.full(len(_STRENGTHS), (1 - _LINE_ALONE) / len(_STRENGTHS)), _LINE_ALONE]
    evidence = [_log_evidence(squares, scores, targets, penalty, fixed) for penalty in penalties]
    logs = np.array(evidence) + np.log(beliefs)
    shares = np.exp(logs - logs.max())
    average: Floats = (shares / shares.sum()) @ (1 / (squares + penalties[:, None]))
    return average


def _log_evidence(squares: Floats, scores: Floats, targets: Floats, penalty: float, fixed: int) -> float:
    """Restricted log likelihood of a penalty, the noise at its best, up to a constant."""
    m = len(targets) - fixed
    explained = (scores**2 / (squares + penalty)).sum()
    unexplained = max(float(targets @ targets - explained), 1e-300)
    return float(-m / 2 * np.log(unexplained / m) - np.log1p(squares / penalty).sum() / 2)


def _moved_by_label(errors: Floats, leverage: Floats, line: Floats, distinct: Integers | None) -> Floats:
    """Shift of each text's value by its own and its repetitions' labels through the direction, shape (n,).

    Without g equal texts, their value moves by their share h in the direction's hat matrix times the sum of
    their errors, over 1 - g (h + l), where l is their share in the line's: the block of the hat matrix is
    the same number throughout.

    Args:
        errors: shape (n,), labels less fitted values.
        leverage: shape (n,), each text's diagonal in the direction's hat matrix.
        line: shape (n,), its diagonal in the line's.
        distinct: shape (n,), numbers that equal texts share.
    """
    number = np.arange(len(errors)) if distinct is None else distinct
    times, total = np.bincount(number)[number], np.bincount(number, errors)[number]
    moved: Floats = leverage * total / np.maximum(1 - times * (leverage + line), _LEAST_LEFT)
    return moved
