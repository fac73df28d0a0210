"""Calibrators: functions from zero-shot ratings and vectors to calibrated masses, and how each is fitted."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np

from semscale.rating.calibration.cumulative_probit import CumulativeProbit, fit_cumulative_probit
from semscale.rating.calibration.evidence_ridge import fit_evidence_ridge
from semscale.rating.calibration.predictors import Axis, Predictors
from semscale.rating.readouts.temperature import sharpen_pmf
from semscale.stats.calibration.proper_scores import ranked_probability_scores
from semscale.types import Floats

MethodName = Literal["none", "temperature", "affine", "isotonic", "ordinal", "ridge"]
METHODS: dict[MethodName, str] = {
    "none": "the zero-shot rating as it is",
    "temperature": "masses sharpened or flattened, and mixed with equal shares",
    "affine": "a normal distribution around a straight function of the zero-shot mean",
    "isotonic": "the same around a function of the zero-shot mean that never falls",
    "ordinal": "ordered probit on the text's place between the low and the high anchors",
    "ridge": "ordered probit on that place and the text's vector, shrunk towards the place alone",
}
"""Methods in words, from the one that changes least to the one that learns most."""

_TEMPERATURES = tuple(np.exp2(np.arange(-4, 2.1, 0.5)).tolist())


class Calibrator(Protocol):
    """Gives calibrated masses."""

    def pmf(self, predictors: Predictors) -> Floats:
        """Give masses, shape (n, k), rows sum to 1; a row's are the same alone and in company."""
        ...

    def record(self) -> dict[str, Any]:
        """Lay the fitted numbers out by name, in JSON's types."""
        ...


@dataclass(frozen=True)
class Unchanged:
    """Leaves ratings as they are."""

    def pmf(self, predictors: Predictors) -> Floats:
        """Give the zero-shot masses."""
        return predictors.pmf

    def record(self) -> dict[str, Any]:
        """Nothing was fitted."""
        return {}


@dataclass(frozen=True)
class Tempered:
    """Raises masses to the power 1/T and mixes them with equal shares.

    Attributes:
        temperature: T, above 0.
        equal_share: of equal masses in the mixture, 0 to 1.
    """

    temperature: float
    equal_share: float

    def pmf(self, predictors: Predictors) -> Floats:
        """Give calibrated masses."""
        k = predictors.pmf.shape[1]
        sharp = sharpen_pmf(predictors.pmf, temperature=self.temperature)
        mixed: Floats = (1 - self.equal_share) * sharp + self.equal_share / k
        return mixed

    def record(self) -> dict[str, Any]:
        """Temperature and mixture."""
        return {"temperature": self.temperature, "equal_share": self.equal_share}


@dataclass(frozen=True)
class MeanCurve:
    """A curve from the zero-shot mean to a location, and a cumulative probit around it.

    Attributes:
        means: shape (c,), ascending zero-shot means; the curve is straight between them, level beyond.
        locations: shape (c,), locations there, which never fall; the mean itself where both are empty.
        probit: from a location to masses.
    """

    means: Floats
    locations: Floats
    probit: CumulativeProbit

    def pmf(self, predictors: Predictors) -> Floats:
        """Give calibrated masses."""
        mean = predictors.mean
        return self.probit.pmf(np.interp(mean, self.means, self.locations) if len(self.means) else mean)

    def record(self) -> dict[str, Any]:
        """Curve and probit."""
        return {
            "means": self.means.tolist(),
            "locations": self.locations.tolist(),
            **_probit_record(self.probit),
        }


@dataclass(frozen=True)
class VectorLine:
    """A straight function of a text's direction, and a cumulative probit around it.

    Attributes:
        line: from a vector to a location in the scale's units.
        probit: from a location to masses.
    """

    line: Axis
    probit: CumulativeProbit

    def pmf(self, predictors: Predictors) -> Floats:
        """Give calibrated masses."""
        return self.probit.pmf(self.line.positions(predictors.vectors))

    def record(self) -> dict[str, Any]:
        """Line and probit."""
        return {
            "intercept": self.line.intercept,
            "weights": self.line.weights.tolist(),
            **_probit_record(self.probit),
        }


def fit_calibrator(method: MethodName, predictors: Predictors, human: Floats) -> Calibrator:
    """Fit a method to people's answers.

    Args:
        method: which one.
        predictors: of n texts, at least 4.
        human: shape (n, k), shares of people's answers.
    """
    return _FITS[method](predictors, human)


def calibrator_of(method: str, record: Mapping[str, Any]) -> Calibrator:
    """Read a calibrator from its method's name and its record.

    Raises:
        KeyError: an unknown method.
        ValueError: a number is missing or out of range.
    """
    if method not in get_args(MethodName):
        raise KeyError(method)
    if method == "none":
        return Unchanged()
    if method == "temperature":
        tempered = Tempered(_number(record, "temperature"), _number(record, "equal_share"))
        _require(tempered.temperature > 0 and 0 <= tempered.equal_share <= 1, "temperature or equal_share")
        return tempered
    probit = CumulativeProbit(_numbers(record, "thresholds"), _number(record, "slope"))
    _require(
        probit.slope > 0 and len(probit.thresholds) > 0 and _rises(probit.thresholds), "slope or thresholds"
    )
    if method in {"affine", "isotonic"}:
        curve = MeanCurve(_numbers(record, "means"), _numbers(record, "locations"), probit)
        _require(len(curve.means) == len(curve.locations) and _rises(curve.means), "means or locations")
        return curve
    return VectorLine(Axis(_number(record, "intercept"), _numbers(record, "weights")), probit)


def _fit_temperature(predictors: Predictors, human: Floats) -> Calibrator:
    fits = [_mixed(temperature, predictors, human) for temperature in _TEMPERATURES]
    return min(fits, key=lambda fit: fit[0])[1]


def _mixed(temperature: float, predictors: Predictors, human: Floats) -> tuple[float, Tempered]:
    """Mix with the share of equal masses at which the ranked probability score, a parabola, is lowest."""
    sharp = sharpen_pmf(predictors.pmf, temperature=temperature)
    equal = np.full_like(sharp, 1 / sharp.shape[1])
    own, flat, answered = (np.cumsum(masses, axis=1)[:, :-1] for masses in (sharp, equal, human))
    towards = flat - own
    length = float((towards**2).sum())
    share = float((towards * (answered - own)).sum()) / length if length > 0 else 0.0
    share = min(max(share, 0.0), 1.0)
    fitted = (1 - share) * sharp + share * equal
    return float(ranked_probability_scores(fitted, human).mean()), Tempered(temperature, share)


def _fit_affine(predictors: Predictors, human: Floats) -> Calibrator:
    probit = fit_cumulative_probit(predictors.mean, human, predictors.values, even=True)
    return MeanCurve(np.empty(0), np.empty(0), probit)


def _fit_isotonic(predictors: Predictors, human: Floats) -> Calibrator:
    from scipy.optimize import isotonic_regression  # takes a fifth of a second to import

    means, place, n = np.unique(predictors.mean, return_inverse=True, return_counts=True)
    heights = isotonic_regression(np.bincount(place, human @ predictors.values) / n, weights=n).x
    locations = np.interp(predictors.mean, means, heights)
    probit = fit_cumulative_probit(locations, human, predictors.values, even=True)
    corner = np.r_[True, (np.diff(heights) != 0)[:-1] | (np.diff(heights) != 0)[1:], True]
    corner = corner[: len(means)]
    return MeanCurve(means[corner], heights[corner], probit)


def _fit_ordinal(predictors: Predictors, human: Floats) -> Calibrator:
    probit = fit_cumulative_probit(predictors.position, human, predictors.values)
    return VectorLine(predictors.axis, probit)


def _fit_ridge(predictors: Predictors, human: Floats) -> Calibrator:
    means = human @ predictors.values
    fit = fit_evidence_ridge(predictors.units, predictors.position, means, distinct=predictors.distinct)
    probit = fit_cumulative_probit(fit.left_out, human, predictors.values)
    axis = predictors.axis
    line = Axis(fit.intercept + fit.slope * axis.intercept, fit.slope * axis.weights + fit.direction)
    return VectorLine(line, probit)


def _probit_record(probit: CumulativeProbit) -> dict[str, Any]:
    return {"thresholds": probit.thresholds.tolist(), "slope": probit.slope}


def _number(record: Mapping[str, Any], name: str) -> float:
    _require(isinstance(record.get(name), int | float), name)
    return float(record[name])


def _numbers(record: Mapping[str, Any], name: str) -> Floats:
    _require(isinstance(record.get(name), list), name)
    return np.array(record[name], dtype=np.float64)


def _rises(numbers: Floats) -> bool:
    return bool((np.diff(numbers) >= 0).all())


def _require(holds: bool, name: str) -> None:  # noqa: FBT001
    if not holds:
        raise ValueError(f"fitted: {name} is missing or cannot be")


_FITS: dict[MethodName, Callable[[Predictors, Floats], Calibrator]] = {
    "none": lambda _predictors, _human: Unchanged(),
    "temperature": _fit_temperature,
    "affine": _fit_affine,
    "isotonic": _fit_isotonic,
    "ordinal": _fit_ordinal,
    "ridge": _fit_ridge,
}
