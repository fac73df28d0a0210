"""Which texts are unlike those that a calibration was fitted to: cosines with the labelled ones' mean."""

from dataclasses import dataclass

import numpy as np

from semscale.rating.calibration.predictors import Axis
from semscale.rating.readouts.array_checks import Reals
from semscale.types import Floats, Mask

SHARE_BELOW = 0.02
"""Share of the labelled texts themselves below the floor."""


@dataclass(frozen=True)
class Familiarity:
    """Where the labelled texts lie.

    Attributes:
        centre: shape (d,), mean of their vectors at length 1.
        floor: cosine with it below which a text is unlike them; the 2 % quantile of the labelled texts, each
            beside the mean of the others.
    """

    centre: Floats
    floor: float

    def unlike(self, rows: Reals) -> Mask:
        """Mark vectors (n, d) that are unlike the labelled ones."""
        marked: Mask = Axis(0.0, self.centre).positions(rows) < self.floor
        return marked


def familiarity_of(units: Floats) -> Familiarity:
    """Measure where labelled texts lie.

    Args:
        units: shape (n, d), vectors of length 1, at least two.

    Example:
        >>> familiar = familiarity_of(np.array([[1.0, 0.0], [0.6, 0.8], [0.8, 0.6]]))
        >>> familiar.unlike(np.array([[0.0, -1.0], [0.8, 0.6]])).tolist()
        [True, False]
    """
    total = units.sum(axis=0)
    others = total - units
    cosines = (units * others).sum(axis=1) / np.maximum(np.linalg.norm(others, axis=1), 1e-12)
    centre = total / max(float(np.linalg.norm(total)), 1e-12)
    return Familiarity(centre, float(np.quantile(cosines, SHARE_BELOW)))
