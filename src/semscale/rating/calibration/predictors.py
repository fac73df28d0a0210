"""Predictors of people's ratings: a text's vector, its zero-shot rating, its place on the anchors' axis."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semscale.rating.readouts.array_checks import Reals
from semscale.rating.readouts.cosines import cosines_of, sum_in_order
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class Axis:
    """A straight function of a text's direction: intercept + unit vector @ weights.

    Attributes:
        intercept: value of a text at right angles to the weights.
        weights: shape (d,).
    """

    intercept: float
    weights: Floats

    def positions(self, rows: Reals) -> Floats:
        """Values (n,) of vectors (n, d) of any length but 0; a row's is the same alone and in company."""
        length = float(np.sqrt(self.weights @ self.weights))
        if length == 0:
            return np.full(len(rows), self.intercept)
        cosines, _ = cosines_of(rows, (self.weights / length).astype(rows.dtype)[None, None])
        positions: Floats = self.intercept + length * cosines[0, 0].astype(np.float64)
        return positions


@dataclass(frozen=True)
class Predictors:
    """What a calibration may use of n texts.

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
        """Texts."""
        return len(self.pmf)

    def rows(self, places: "np.ndarray") -> "Predictors":
        """Some texts alone, by their places or a mask."""
        return Predictors(self.vectors[places], self.pmf[places], self.values, self.axis)

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
        places: dict[bytes, int] = {}
        numbers = [places.setdefault(row.tobytes(), len(places)) for row in self.vectors]
        return np.array(numbers, dtype=np.int64)

    @cached_property
    def units(self) -> Floats:
        """Vectors of length 1, shape (n, d)."""
        rows = self.vectors.astype(np.float64)
        units: Floats = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return units


def anchor_axis(anchors: Floats, values: Floats) -> Axis:
    """Fit the axis along which anchors rise: the mean of each set's own direction, in the scale's units.

    A set's direction is the sum of its anchors, each times its value less the mean value, at length 1.
    Intercept and spacing are those that bring the anchors' positions nearest to their values.

    Args:
        anchors: shape (s, k, d), any lengths but 0.
        values: shape (k,), of the scale's points.

    References:
        An, Kwak and Ahn (2018), SemAxis, doi 10.18653/v1/P18-1228.

    Example:
        >>> axis = anchor_axis(np.array([[[1.0, 0.0], [0.0, 1.0]]]), np.array([1.0, 2.0]))
        >>> axis.positions(np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 1.0]])).round(6).tolist()
        [1.0, 1.5, 2.0]
    """
    units = anchors / np.linalg.norm(anchors, axis=2, keepdims=True)
    directions = np.einsum("k,skd->sd", values - values.mean(), units)
    directions /= np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-12)
    direction = directions.mean(axis=0)
    places = (units @ direction).mean(axis=0)
    centred = places - places.mean()
    spread = float(centred @ centred)
    slope = float(centred @ (values - values.mean())) / spread if spread > 0 else 0.0
    return Axis(float(values.mean() - slope * places.mean()), slope * direction)
