"""Groups of respondents, and sums over the rows of each."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

from semscale.errors import InputError
from semscale.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class Domains:
    """Which group each row is in.

    Attributes:
        codes: shape (n,), number of each row's group, 0 to g - 1; -1 for rows in none.
        count: g, how many groups there are.
    """

    codes: Integers
    count: int

    @cached_property
    def rows(self) -> Integers:
        """Rows that are in a group."""
        return np.flatnonzero(self.codes >= 0)

    @cached_property
    def membership(self) -> csr_array:
        """Shape (g, n), 1 where a row is in a group."""
        ones = np.ones(len(self.rows))
        return csr_array((ones, (self.codes[self.rows], self.rows)), shape=(self.count, len(self.codes)))

    def sums(self, columns: Floats) -> Floats:
        """Sum columns over the rows of each group: shape (n, v) to (v, g)."""
        return np.asarray(self.membership @ columns).T

    def spread_out(self, figures: Floats) -> Floats:
        """Give each row the figures of its group, shape (v, g) to (n, v); 0 for rows in none."""
        padded = np.concatenate([figures, np.zeros((len(figures), 1))], axis=1)
        return padded.T[self.codes]


def checked_domains(groups: npt.ArrayLike | None, n_groups: int | None, n: int) -> Domains:
    """Take the groups of n rows; one group of all rows unless given.

    Args:
        groups: shape (n,), whole numbers from 0; -1 for rows in no group.
        n_groups: how many groups there are; the highest number + 1 unless given.
        n: rows of the design.

    Raises:
        InputError: another length, other numbers, or a number beyond ``n_groups``.

    Example:
        >>> checked_domains([0, 2, -1], None, 3).count
        3
    """
    if groups is None:
        return Domains(np.zeros(n, dtype=np.int64), 1)
    codes = np.asarray(groups)
    if codes.shape != (n,) or codes.dtype.kind not in "iu":
        raise InputError(
            f"groups must be {n} whole numbers, one for each row, got {codes.dtype} {codes.shape}"
        )
    codes = codes.astype(np.int64)
    count = max(int(codes.max()) + 1, 1) if n_groups is None else n_groups
    wrong = np.flatnonzero((codes < -1) | (codes >= count))
    if len(wrong):
        raise InputError(
            f"groups must be numbers from 0 to {count - 1}, or -1 for none, got {codes[wrong[0]]} in row "
            f"{wrong[0] + 1:,}"
        )
    return Domains(codes, count)
