"""What a ruler is: anything that gives pairs of texts readings, such as text metrics or a judge."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorPair
from semscale.messages import shortened
from semscale.signature import Signature
from semscale.types import Floats, Progress


class Ruler(Protocol):
    """Reads pairs of texts.

    Attributes:
        signature: the settings that are declared; readings of one signature are held against each other.
        scores: names of the readings that people's labels are about; the others have no error.
        is_exact: whether the same pair has the same reading every time, but for rounding.
        rounding: greatest difference, averaged over the pairs, that rounding can make.
        repeats: how often a reference is read: once by an exact ruler, else often enough to know the noise.
    """

    @property
    def signature(self) -> Signature: ...  # noqa: D102

    @property
    def scores(self) -> Sequence[str]: ...  # noqa: D102

    @property
    def is_exact(self) -> bool: ...  # noqa: D102

    @property
    def rounding(self) -> float: ...  # noqa: D102

    @property
    def repeats(self) -> int: ...  # noqa: D102

    def readings(
        self, pairs: Sequence[AnchorPair], *, progress: Progress | None = None
    ) -> Mapping[str, Floats]:
        """Read pairs anew: nothing that was kept from an earlier run may be used.

        Returns:
            By name, shape (pairs,), 0 to 1; NaN for a pair without a reading.
        """
        ...


def read_anew(
    ruler: Ruler, pairs: Sequence[AnchorPair], progress: Progress | None = None
) -> dict[str, Floats]:
    """Read pairs, and check what was read.

    Raises:
        InputError: a reading has another length or lies outside 0 to 1.
    """
    found = {
        name: np.asarray(values, np.float64)
        for name, values in ruler.readings(pairs, progress=progress).items()
    }
    for name, values in found.items():
        if values.shape != (len(pairs),):
            raise InputError(f"{name} must have {len(pairs)} readings, got shape {values.shape}")
        outside = values[(values < 0) | (values > 1)]
        if len(outside):
            raise InputError(
                f"{name} must lie in 0 to 1, got {shortened(float(outside[0]))}: divide by its span"
            )
    return found
