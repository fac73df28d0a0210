"""A survey whose variances come from replicate weights: bootstrap, jackknife, or balanced halves."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from semscale.errors import InputError
from semscale.stats.survey.design import checked_weights
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.replicate_degrees import MOST_RANKS, ReplicateDegrees
from semscale.types import Floats, Mask

ReplicateKind = Literal["bootstrap", "jk1", "jkn", "brr", "fay"]
"""How replicate weights were made, which says how their estimates add up to a variance."""


@dataclass(frozen=True, eq=False)
class ReplicateDesign:
    """Weights and replicate weights; ``var = scale * sum of rscales_r (theta_r - centre) ** 2``.

    Attributes:
        weights: shape (n,), finite and not negative.
        replicates: shape (n, r), weights of each replicate, finite; what the survey's provider gave, or
            ``jackknife_replicates`` or ``bootstrap_replicates`` made.
        scale: one factor for all replicates.
        rscales: shape (r,), a factor for each; ones unless given.
        mse: whether the centre is the estimate from ``weights``, not the mean of the replicates' estimates.
        degrees: degrees of freedom of all rows; the rank of the replicates - 1 unless given.

    Raises:
        InputError: a length or a value that does not fit.

    References:
        Wolter (2007), Introduction to Variance Estimation, doi 10.1007/978-0-387-35099-8.
    """

    weights: Floats
    replicates: Floats
    scale: float
    rscales: Floats | None = None
    mse: bool = False
    degrees: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", checked_weights(self.weights))
        replicates = np.asarray(self.replicates, dtype=np.float64)
        fewest = 2
        if replicates.ndim != 2 or len(replicates) != self.n or replicates.shape[1] < fewest:  # noqa: PLR2004
            raise InputError(
                f"replicates must have {self.n} rows as weights has and at least {fewest} columns, got shape "
                f"{replicates.shape}"
            )
        if not np.isfinite(replicates).all():
            raise InputError("replicates must be finite numbers, but some are missing")
        object.__setattr__(self, "replicates", replicates)
        rscales = np.ones(replicates.shape[1]) if self.rscales is None else np.asarray(self.rscales, float)
        if rscales.shape != (replicates.shape[1],) or not np.all(rscales >= 0):
            raise InputError(f"rscales must be {replicates.shape[1]} numbers >= 0, one for each replicate")
        object.__setattr__(self, "rscales", rscales)
        if not self.scale > 0:
            raise InputError(f"scale must be > 0, got {self.scale}")

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.weights)

    @cached_property
    def df(self) -> int:
        """Degrees of freedom of all rows."""
        return self._degrees.rank - 1 if self.degrees is None else self.degrees

    def pair_degrees(self, domains: Domains, valid: Mask) -> Floats:
        """Degrees of freedom of two groups taken together, shape (v, g, g); of one group on the diagonal.

        They are the rank of the replicates of these rows - 1, and never more than those of all rows, which
        are taken from a rank of 1,000 on.

        Args:
            domains: the groups, g of them.
            valid: shape (n, v), whether a row counts.
        """
        ranks = self._degrees.ranks(domains, valid)
        lower = np.minimum(ranks - 1, self.df)
        return np.where(ranks >= MOST_RANKS, self.df, lower).astype(np.float64)

    @cached_property
    def _degrees(self) -> ReplicateDegrees:
        return ReplicateDegrees(self.replicates)


def given_replicates(
    weights: Floats,
    replicates: Floats,
    kind: ReplicateKind,
    *,
    rho: float = 0.0,
    rscales: Floats | None = None,
    mse: bool = False,
) -> ReplicateDesign:
    """Take replicate weights as a survey's provider gives them.

    The scale is ``1 / r`` for BRR, ``1 / (r (1 - rho) ** 2)`` for Fay's method, ``1 / (r - 1)`` for the
    bootstrap, ``(r - 1) / r`` for JK1, and 1 for JKn, whose rscales are ``(m_h - 1) / m_h``.

    Args:
        weights: shape (n,).
        replicates: shape (n, r), whole weights, and not factors of ``weights``.
        kind: how they were made.
        rho: of Fay's method, 0 to below 1.
        rscales: shape (r,), of JKn.
        mse: as ``ReplicateDesign`` has it.

    Raises:
        InputError: an unknown kind, ``rho`` out of range or without ``fay``, or JKn without rscales.

    References:
        Judkins (1990), Journal of Official Statistics 6(3), 223-239 (Fay's method).

    Example:
        >>> given_replicates(np.ones(2), np.array([[2.0, 0.0], [0.0, 2.0]]), "brr").scale
        0.5
    """
    r = np.shape(replicates)[-1]
    if kind == "jkn" and rscales is None:
        raise InputError("jkn needs rscales, (m - 1) / m with m the clusters of a replicate's stratum")
    if (kind == "fay") != (rho != 0) or not 0 <= rho < 1:
        raise InputError(
            f"rho must be above 0 and below 1 with 'fay', and 0 otherwise, got {rho} with {kind!r}"
        )
    scales = {
        "bootstrap": 1 / max(r - 1, 1),
        "jk1": (r - 1) / r,
        "jkn": 1.0,
        "brr": 1 / r,
        "fay": 1 / (r * (1 - rho) ** 2),
    }
    if kind not in scales:
        raise InputError(f"kind must be {', '.join(scales)}, got {kind!r}")
    return ReplicateDesign(weights, replicates, scales[kind], rscales, mse)
