"""Figures about a mean PMF, all of them linear in it: a small matrix times the masses."""

from dataclasses import dataclass

import numpy as np

from semscale.types import Floats

_FEWEST_POINTS_FOR_BOXES = 4
_NPS_VALUES = np.arange(11.0)


@dataclass(frozen=True)
class Figures:
    """Names of figures and the matrix that makes them from a PMF.

    Attributes:
        names: ``mean``, where they apply ``top_2_box``, ``bottom_2_box``, ``net`` and ``nps``, then one for
            the mass of each point.
        matrix: shape (f, k); ``matrix @ pmf`` is the figures.
    """

    names: tuple[str, ...]
    matrix: Floats

    @property
    def bounds(self) -> tuple[Floats, Floats]:
        """The least and the greatest value each figure can have, shapes (f,)."""
        return self.matrix.min(axis=1), self.matrix.max(axis=1)


def figures_of(values: Floats) -> Figures:
    """Say which figures a scale has.

    Boxes need 4 points, so that they do not overlap: top-2-box is the mass on the two highest points,
    bottom-2-box that on the two lowest, net their difference. NPS needs the values 0 to 10: the mass on 9 and
    10 less that on 0 to 6.

    Args:
        values: shape (k,), ascending.

    Example:
        >>> figures_of(np.array([1.0, 2.0])).names
        ('mean', 'p_0', 'p_1')
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
    rows |= {f"p_{point}": np.eye(k)[point] for point in range(k)}
    return Figures(tuple(rows), np.array(list(rows.values())))
