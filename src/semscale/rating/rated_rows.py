"""The protocol of rated rows, from which summaries are made."""

from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from semscale.types import Floats, Integers, Status


class RatedRows(Protocol):
    """Rated rows, as ``Ratings`` has them: arrays with one row a text, NaN where there is no rating."""

    @property
    def pmf(self) -> Floats:
        """Masses of the points, shape (n, k)."""

    @property
    def similarity(self) -> Floats:
        """Cosine with the most similar anchor, shape (n,)."""

    @property
    def set_means(self) -> Floats:
        """Mean under each anchor set alone, shape (n, s)."""

    @property
    def status(self) -> npt.NDArray[np.object_]:
        """Why each text has a rating, or has none, shape (n,)."""

    @property
    def windows(self) -> Integers:
        """Windows that each text was read in, shape (n,)."""

    @property
    def unlike(self) -> npt.NDArray[np.bool_] | None:
        """Which texts are unlike those that a calibration was fitted to; ``None`` without a calibration."""

    @property
    def language(self) -> npt.NDArray[np.object_]:
        """ISO 639-1 code of each text's language, ``None`` where it is not clear, shape (n,)."""

    @property
    def mean(self) -> Floats:
        """Expected value on the scale, shape (n,)."""

    @property
    def mode(self) -> Floats:
        """Value of the point with the largest mass, shape (n,)."""

    @property
    def entropy(self) -> Floats:
        """Entropy of each PMF in nats, shape (n,)."""

    @property
    def scored(self) -> npt.NDArray[np.bool_]:
        """Which texts have a rating, shape (n,)."""

    @property
    def counts(self) -> dict[Status, int]:
        """How many texts have each status."""

    def __len__(self) -> int:
        """How many texts there are."""

    def take(self, rows: Integers) -> Self:
        """Give some rows alone, in the order that is asked for."""
