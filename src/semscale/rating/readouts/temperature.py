"""The temperature: masses are raised to the power 1/T and normalised again."""

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.readouts.array_checks import Semantics, as_floats, check_settings, reject
from semscale.rating.readouts.cosines import sum_in_order
from semscale.types import Floats

TIES = {"float32": 1e-6, "float64": 1e-12}
"""Masses closer than this are equal, by the type of the vectors: rounding may leave them so far apart."""


def sharpen_pmf(pmf: npt.ArrayLike, *, temperature: float = 1.0, semantics: Semantics = "safe") -> Floats:
    """Raise masses to the power 1/T and normalise again; below 1 sharper, above 1 flatter.

    Computed on logarithms relative to the largest mass, so any small T is stable. A mass of 0 stays 0 at
    every T.

    Args:
        pmf: shape (..., k), not negative, each with a positive sum.
        temperature: T, at least 0. Infinity makes all points that have any mass alike.
        semantics: says what T = 0 does when several points share the largest mass (within 1e-12, or 1e-6 for
            float32). ``safe`` and ``guide`` leave the PMF as it is; ``paper`` takes the equation's limit, the
            mass shared evenly among them. Without a tie all put the whole mass on the largest.

    Returns:
        Shape (..., k), float64, the last axis sums to 1 within 1e-12.

    Raises:
        InputError: a negative or NaN temperature, or masses that are negative, not finite or all 0.

    Example:
        >>> sharpen_pmf([0.2, 0.8], temperature=0.5).round(4).tolist()
        [0.0588, 0.9412]
        >>> sharpen_pmf([0.4, 0.4, 0.2], temperature=0.0).tolist()
        [0.4, 0.4, 0.2]
    """
    check_settings(temperature=temperature, semantics=semantics)
    given = as_floats(pmf, "pmf")
    masses = given.astype(np.float64)
    if masses.ndim == 0 or masses.shape[-1] == 0:
        raise InputError(f"pmf must have points on its last axis, got shape {masses.shape}")
    by_point = masses.reshape(-1, masses.shape[-1]).T
    totals = sum_in_order(by_point)
    usable = (by_point >= 0).all(axis=0) & np.isfinite(by_point).all(axis=0) & (totals > 0)
    reject(~usable, "pmf must be masses >= 0 with a positive sum: not so in")
    sharp = sharpened(by_point / totals, temperature, semantics, TIES[given.dtype.name])
    return np.ascontiguousarray(sharp.T).reshape(masses.shape)


def sharpened(pmf: Floats, temperature: float, semantics: Semantics, tie: float) -> Floats:
    """Apply the temperature to columns of masses, as ``sharpen_pmf`` does, without looking at them.

    Args:
        pmf: shape (k, n), columns sum to 1.
        temperature: at least 0.
        semantics: as in ``sharpen_pmf``.
        tie: masses less than this apart are equal.

    Returns:
        Shape (k, n).
    """
    if temperature == 1:
        return pmf
    largest = pmf.max(axis=0)
    if temperature == 0:
        at_top = pmf >= largest - tie
        n_top = at_top.sum(axis=0)
        shared = at_top / n_top
        return shared if semantics == "paper" else np.where(n_top > 1, pmf, shared)
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.log(pmf / np.where(largest == 0, 1.0, largest))
        powers = np.where(pmf > 0, np.exp(np.where(pmf > 0, logs, 0.0) / temperature), 0.0)
    total = sum_in_order(powers)
    return powers / np.where(total == 0, 1.0, total)
