"""Degrees of freedom that replicate weights leave to a group of rows: their rank - 1."""

import numpy as np

from semscale.stats.survey.domains import Domains
from semscale.types import Floats, Integers, Mask

_RANK_TOLERANCE = 1e-5
MOST_RANKS = 1000
"""Ranks are exact up to this; from there on a t quantile no longer depends on them."""
_DIGITS = 9
"""Digits to which rows of replicates are alike."""


class ReplicateDegrees:
    """Ranks of the replicate weights of groups of rows.

    Rows that are multiples of each other, as those of one cluster mostly are, count as one. Ranks are exact
    up to ``MOST_RANKS``.

    Args:
        replicates: shape (n, r).
    """

    def __init__(self, replicates: Floats) -> None:
        norms = np.linalg.norm(replicates, axis=1)
        self._weighted = np.flatnonzero(norms > 0)
        # Two random mixtures of the columns tell rows apart without a sort of whole rows.
        mixing = np.random.default_rng(0).normal(size=(replicates.shape[1], 2))
        mixed = (replicates @ mixing)[self._weighted] / norms[self._weighted, None]
        _, first, codes = np.unique(mixed.round(_DIGITS), axis=0, return_index=True, return_inverse=True)
        self._codes = np.full(len(replicates), -1)
        self._codes[self._weighted] = codes.ravel()
        distinct = replicates[self._weighted[first]] / norms[self._weighted[first], None]
        self._distinct = _in_own_space(_narrowed(distinct))
        self._known: dict[bytes, int] = {}

    @property
    def rank(self) -> int:
        """Rank of all rows."""
        return int(self._distinct.shape[1])

    def ranks(self, domains: Domains, valid: Mask) -> Integers:
        """Ranks of two groups' rows together, shape (v, g, g); of one group's on the diagonal.

        Args:
            domains: the groups, g of them.
            valid: shape (n, v), whether a row counts.
        """
        keys = [np.packbits(column).tobytes() for column in valid.T]
        patterns = dict(zip(keys, valid.T, strict=True))
        found = {key: self._pair_ranks(domains, pattern) for key, pattern in patterns.items()}
        return np.stack([found[key] for key in keys])

    def _pair_ranks(self, domains: Domains, valid: Mask) -> Integers:
        present = np.zeros((domains.count, len(self._distinct)), dtype=bool)
        rows = np.flatnonzero(valid & (domains.codes >= 0) & (self._codes >= 0))
        present[domains.codes[rows], self._codes[rows]] = True
        alone = np.array([self._rank_of(one) for one in present])
        ranks = np.empty((domains.count, domains.count), dtype=np.int64)
        for first, second in zip(*np.triu_indices(domains.count), strict=True):
            full = max(alone[first], alone[second]) == self.rank
            together = self.rank if full else self._rank_of(present[first] | present[second])
            ranks[first, second] = ranks[second, first] = together
        return ranks

    def _rank_of(self, present: Mask) -> int:
        """Rank of some of the distinct rows."""
        count = int(present.sum())
        if self.rank == len(present):  # all are independent
            return count
        key = np.packbits(present).tobytes()
        if key not in self._known:
            self._known[key] = self._found(np.flatnonzero(present))
        return self._known[key]

    def _found(self, rows: Integers) -> int:
        # Where rows are many, a few of them mostly have the rank of all.
        few = rows[:: max(1, len(rows) // (2 * self.rank))]
        if _has_full_rank(self._distinct[few]):
            return self.rank
        own = self._distinct[rows]
        return _rank(own @ own.T if len(own) < self.rank else own.T @ own)


def _narrowed(weights: Floats) -> Floats:
    """Mix many columns to a few at random, which keeps every rank below their number."""
    if weights.shape[1] <= MOST_RANKS:
        return weights
    return weights @ np.random.default_rng(0).normal(size=(weights.shape[1], MOST_RANKS))


def _in_own_space(rows: Floats) -> Floats:
    """Write rows in as many columns as their rank, which changes the rank of no part of them."""
    values, vectors = np.linalg.eigh(rows.T @ rows)
    return np.asarray(rows @ vectors[:, _above_rounding(np.asarray(values))])


def _rank(products: Floats) -> int:
    """Rank of a table, from the products of its rows or of its columns."""
    return int(_above_rounding(np.asarray(np.linalg.eigvalsh(products))).sum()) if len(products) else 0


def _above_rounding(values: Floats) -> Mask:
    """Which eigenvalues of a table's products are not 0."""
    roots = np.sqrt(np.maximum(values, 0))
    return np.asarray(roots > _RANK_TOLERANCE * roots.max(initial=0.0))


def _has_full_rank(rows: Floats) -> bool:
    """Whether the rank surely is the number of columns: a quick test that errs on the side of no."""
    products = rows.T @ rows
    shift = _RANK_TOLERANCE**2 * np.trace(products)
    try:
        np.linalg.cholesky(products - shift * np.eye(len(products)))
    except np.linalg.LinAlgError:
        return False  # not positive definite: some direction may be missing
    return len(rows) > 0
