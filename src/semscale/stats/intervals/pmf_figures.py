"""Figures that are linear in a mean, such as top-2-box: a small matrix times the mean of the rows."""

from dataclasses import dataclass

import numpy as np

from semscale.stats.mass_names import mass_names
from semscale.types import Floats

_FEWEST_POINTS_FOR_BOXES = 4
_NPS_VALUES = np.arange(11.0)


@dataclass(frozen=True)
class Figures:
    """Names of f figures, and the matrix that makes them from the mean of k numbers that every row has.

    Attributes:
        names: of a scale ``mean``, where they apply ``top_2_box``, ``bottom_2_box``, ``net`` and ``nps``,
            then one for the mass of each point, such as ``p_1``.
        matrix: shape (f, k); ``matrix @ mean`` is the figures.
        bounds: the least and the greatest value that each figure can have, shapes (f,).
    """

    names: tuple[str, ...]
    matrix: Floats
    bounds: tuple[Floats, Floats]


def value_figure(name: str, bounds: tuple[float, float]) -> Figures:
    """Say that rows have one number each, whose mean is the figure.

    Args:
        name: of the figure.
        bounds: the least and the greatest number that a row can have.

    Example:
        >>> value_figure("f1", (-1.0, 1.0)).matrix.tolist()
        [[1.0]]
    """
    least, greatest = bounds
    return Figures((name,), np.ones((1, 1)), (np.array([least]), np.array([greatest])))


def figures_of(values: Floats) -> Figures:
    """Say which figures a scale has.

    Boxes need 4 points, so that they do not overlap: top-2-box is the mass on the two highest points,
    bottom-2-box that on the two lowest, net their difference. NPS needs the values 0 to 10: the mass on 9 and
    10 less that on 0 to 6.

    Args:
        values: shape (k,), ascending.

    Example:
        >>> figures_of(np.array([1.0, 2.0])).names
        ('mean', 'p_1', 'p_2')
        >>> figures = figures_of(np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
        >>> (figures.matrix @ [0.1, 0.2, 0.3, 0.3, 0.1])[:4].round(3).tolist()
        [3.1, 0.4, 0.3, 0.1]

    References:
        Reichheld (2003), The One Number You Need to Grow, Harvard Business Review 81(12), for NPS.
    """
    k = len(values)
    rows = {"mean": np.asarray(values, dtype=np.float64)}
    if k >= _FEWEST_POINTS_FOR_BOXES:
        top, bottom = np.zeros(k), np.zeros(k)
        top[-2:], bottom[:2] = 1, 1
        rows |= {"top_2_box": top, "bottom_2_box": bottom, "net": top - bottom}
    if np.array_equal(values, _NPS_VALUES):
        rows["nps"] = np.repeat([-1.0, 0.0, 1.0], [7, 2, 2])
    rows |= dict(zip(mass_names(values), np.eye(k), strict=True))
    matrix = np.array(list(rows.values()))
    return Figures(tuple(rows), matrix, (matrix.min(axis=1), matrix.max(axis=1)))
