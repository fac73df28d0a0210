"""A seeded sample of rows from a stream, whatever the size of its parts."""

from collections.abc import Iterable
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.types import Integers

T = TypeVar("T")


class RowSample(Generic[T]):
    """Keeps a uniform sample of rows, drawn without replacement, each with an object that belongs to it.

    Args:
        most: size of the sample; shorter streams are kept whole.
        seed: seed of the draw.

    Attributes:
        n: number of rows so far.

    Example:
        >>> sample = RowSample[str](2, seed=0)
        >>> sample.add([(0, "first"), (1, "second")])
        >>> sample.items, sample.n
        (['first', 'second'], 2)
    """

    def __init__(self, most: int, seed: int) -> None:
        self.n = 0
        self._most, self._seed = most, seed
        self._kept: list[tuple[int, int, T]] = []

    def add(self, rows: Iterable[tuple[int, T]]) -> None:
        """Take rows: the place of each in the file, from 0, and the object that belongs to it."""
        taken = list(rows)
        places = np.array([place for place, _ in taken], np.int64)
        drawn = priorities(places, self._seed).tolist()
        new = [(order, place, item) for order, (place, item) in zip(drawn, taken, strict=True)]
        self.n += len(new)
        self._kept += new
        if len(self._kept) > self._most:
            self._kept = sorted(self._kept, key=lambda row: row[:2])[: self._most]

    @property
    def items(self) -> list[T]:
        """The objects of the sampled rows, in the order of the rows."""
        return [item for _, _, item in sorted(self._kept, key=lambda row: row[1])]


def priorities(rows: Integers, seed: int) -> npt.NDArray[np.uint64]:
    """Give each row a random number that depends on nothing but the row and the seed.

    The rows with the smallest numbers are a uniform sample without replacement, in however many parts they
    came.

    Args:
        rows: shape (n,), places in the file, from 0.
        seed: any integer.

    Returns:
        Shape (n,), uniform over 64 bits.

    References:
        Steele, Lea, Flood (2014), Fast splittable pseudorandom number generators, OOPSLA,
        doi 10.1145/2660193.2660195 (SplitMix64's mixing function).

    Example:
        >>> whole = priorities(np.arange(4), seed=1)
        >>> bool((whole[2:] == priorities(np.array([2, 3]), seed=1)).all())
        True
    """
    with np.errstate(over="ignore"):
        mixed = _mix(np.asarray([seed & 0xFFFF_FFFF_FFFF_FFFF], dtype=np.uint64) + _GAMMA)
        return _mix((rows.astype(np.uint64) + np.uint64(1)) * _GAMMA ^ mixed)


_GAMMA = np.uint64(0x9E37_79B9_7F4A_7C15)


def _mix(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58_476D_1CE4_E5B9)
    numbers = (numbers ^ (numbers >> np.uint64(27))) * np.uint64(0x94D0_49BB_1331_11EB)
    return numbers ^ (numbers >> np.uint64(31))
