"""Checks of the arrays and settings that callers pass to the rating arithmetic."""

from numbers import Real
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.results.weights import reject_after
from semscale.types import FEWEST_POINTS, MOST_POINTS, Floats

Semantics = Literal["safe", "paper", "guide"]
"""What the rating formula means at its edges.

``safe`` has a value everywhere and treats all points alike. ``paper`` is the published equation to the
letter. ``guide`` is the equation with the edge cases of its authors' guide, as ``semscale.compat.ssr`` needs
it.
"""

Reals = npt.NDArray[np.floating[Any]]

MOST_EPSILON = 1e6
"""Beside similarities of at most 1, more than this differs from no text at all by rounding only."""


def check_settings(*, epsilon: float = 0.0, temperature: float = 1.0, semantics: Semantics = "safe") -> None:
    """Reject settings that no rating can be made with.

    Raises:
        InputError: an epsilon outside 0 to 1,000,000, a negative or NaN temperature, a setting of the wrong
            type, or an unknown semantics.
    """
    if not _is_number(epsilon) or not 0 <= epsilon <= MOST_EPSILON:
        raise InputError(f"epsilon must be a number from 0 to {MOST_EPSILON:,.0f}, got {epsilon!r}")
    if not _is_number(temperature) or not temperature >= 0:
        raise InputError(f"temperature must be 0 or more, got {temperature!r} (1 leaves ratings as they are)")
    if not isinstance(semantics, str) or semantics not in get_args(Semantics):
        raise InputError(f"semantics must be 'safe', 'paper' or 'guide', got {semantics!r}")


def unit_anchors(anchors: npt.ArrayLike, dimensions: int) -> Floats:
    """Bring anchors to length 1 and shape (s, k, d).

    Raises:
        InputError: not 2 to 11 anchors per set, another width than ``dimensions``, or an anchor that is not
            finite or 0.

    Example:
        >>> unit_anchors([[3.0, 4.0], [0.0, 2.0]], 2).tolist()
        [[[0.6, 0.8], [0.0, 1.0]]]
    """
    array = as_floats(anchors, "anchors").astype(np.float64)
    if array.ndim == 2:  # noqa: PLR2004
        array = array[None]
    if array.ndim != 3 or not len(array) or not FEWEST_POINTS <= array.shape[1] <= MOST_POINTS:  # noqa: PLR2004
        raise InputError(
            f"anchors must have shape (sets, {FEWEST_POINTS} to {MOST_POINTS} points, dimensions), "
            f"got {array.shape}"
        )
    if array.shape[2] != dimensions:
        raise InputError(
            f"vectors have {dimensions} dimensions but anchors {array.shape[2]}: embed both with one model"
        )
    lengths = np.linalg.norm(array, axis=2, keepdims=True)
    for set_number, point in np.argwhere(~(np.isfinite(lengths) & (lengths > 0))[:, :, 0]):
        raise InputError(
            f"anchors must be finite and not all 0: not so for set {set_number}, point {point} (from 0)"
        )
    units: Floats = array / lengths
    return units


def as_floats(numbers: npt.ArrayLike, name: str) -> Reals:
    """Numbers as float32 or float64, whichever they are closest to; no copy if they are one of these.

    Raises:
        InputError: not an array of numbers.
    """
    if getattr(numbers, "dtype", None) is not None and np.iscomplexobj(numbers):
        raise InputError(f"{name} must be real numbers, got complex ones: pass their .real")
    try:
        array = np.asarray(numbers)
        if array.dtype in (np.float32, np.float64):
            return array
        return array.astype(np.float32 if array.dtype == np.float16 else np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(
            f"{name} must be an array of numbers, got {type(numbers).__name__}: {error}"
        ) from error


def as_rows(vectors: npt.ArrayLike) -> Reals:
    """Vectors as rows (n, d); a single vector (d,) becomes one row.

    Raises:
        InputError: not numbers, or neither one nor two axes.
    """
    rows = as_floats(vectors, "vectors")
    if rows.ndim == 1 and rows.size:
        rows = rows[None]
    if rows.ndim != 2:  # noqa: PLR2004
        raise InputError(f"vectors must have shape (texts, dimensions), got {rows.shape}")
    return rows


def as_values(values: npt.ArrayLike | None, k: int) -> Floats:
    """Values of k points, 1 to k unless given.

    Raises:
        InputError: not one number per point.
    """
    array = np.arange(1.0, k + 1) if values is None else as_floats(values, "values").astype(np.float64)
    if array.shape != (k,):
        raise InputError(f"values must be {k} numbers, one per point, got shape {array.shape}")
    return array


def _is_number(setting: object) -> bool:
    return isinstance(setting, Real) and not isinstance(setting, bool)


def reject(rows: npt.NDArray[np.bool_] | np.bool_, problem: str) -> None:
    """Raise an error that names the rows that are marked, if any is.

    Raises:
        InputError: at least one row is marked.

    Example:
        >>> reject(np.array([False, True]), "vectors must be finite: not so in")
        Traceback (most recent call last):
        semscale.errors.InputError: vectors must be finite: not so in 1 row(s), from 0: 1
    """
    reject_after(0, rows, problem)
