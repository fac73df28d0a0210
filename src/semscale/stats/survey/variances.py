"""Covariances of groups' figures, from influence values or from replicates."""

from collections.abc import Sequence

import numpy as np

from semscale.stats.survey.design import SurveyDesign
from semscale.stats.survey.domain_products import DomainProducts
from semscale.stats.survey.domains import Domains
from semscale.stats.survey.margin_calibration import MarginCorrection
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.types import Floats, Mask

AnyDesign = SurveyDesign | ReplicateDesign
"""A draw that is described, or replicate weights."""


_ROUNDING = 1e-13
"""Variance as a share of the sum of squares, below which it is rounding alone."""


class Variances:
    """Makes covariances between groups for many columns under one design.

    Args:
        design: how respondents were drawn.
        domains: the groups, g of them.
    """

    def __init__(self, design: AnyDesign, domains: Domains) -> None:
        self._design, self._domains = design, domains
        self._products: Sequence[DomainProducts] = ()
        self._correction: MarginCorrection | None = None
        if isinstance(design, SurveyDesign):
            self._products = [DomainProducts(stage, domains) for stage in design.stages]
            if design.calibration is not None:
                self._correction = MarginCorrection(design.calibration, design.stages, domains)

    def covariance(self, values: Floats, spread: Floats) -> Floats:
        """Covariances between groups of each column, shape (v, g, g).

        Args:
            values: shape (v, g), the estimates.
            spread: influence values, shape (n, v), or replicates' estimates, shape (r, v, g).
        """
        if isinstance(self._design, ReplicateDesign):
            return _from_replicates(values, spread, self._design)
        squares = np.zeros((spread.shape[1], self._domains.count, self._domains.count))
        centring = np.zeros_like(squares)
        for stage, products in zip(self._design.stages, self._products, strict=True):
            sums = products.part_sums(spread)
            squares += products.over_clusters(sums, stage.scale)
            centring += products.over_strata(sums, stage.scale * stage.centring)
        covariance = squares - centring
        if self._correction is not None:
            covariance = self._correction.residual(covariance, spread)
        # Clusters that are all alike leave rounding, which is no variance.
        rounding = np.abs(covariance) <= _ROUNDING * squares
        return np.where(rounding & np.eye(self._domains.count, dtype=bool), 0.0, covariance)

    def pair_degrees(self, valid: Mask) -> Floats:
        """Degrees of freedom of two groups taken together, shape (v, g, g); of one group on the diagonal.

        They are the clusters of the first stage with a row that counts, minus the strata with one. With
        replicate weights they are the rank of the replicates of such rows - 1.

        Args:
            valid: shape (n, v), whether a row counts.
        """
        if isinstance(self._design, ReplicateDesign):
            return self._design.pair_degrees(self._domains, valid)
        alike = bool((valid == valid[:, :1]).all())
        products = self._products[0]
        sums = products.part_sums((valid[:, :1] if alike else valid).astype(np.float64))
        shared = products.clusters_present(sums) - products.strata_present(sums)
        alone = np.diagonal(shared, axis1=1, axis2=2)
        degrees = alone[:, :, None] + alone[:, None, :] - shared
        return np.broadcast_to(degrees, (valid.shape[1], *degrees.shape[1:]))


def _from_replicates(values: Floats, estimates: Floats, design: ReplicateDesign) -> Floats:
    """Covariances from replicates; one whose group has no weight has no estimate, and does not count."""
    rscales = np.asarray(design.rscales)
    if design.mse:
        centre = values
    else:
        used = estimates[rscales > 0]
        known = ~np.isnan(used)
        sums = np.where(known, used, 0.0).sum(axis=0)
        centre = np.divide(sums, known.sum(axis=0), out=np.full_like(values, np.nan), where=known.any(axis=0))
    apart = np.nan_to_num(estimates - centre) * np.sqrt(rscales)[:, None, None]
    by_column = apart.transpose(1, 2, 0)
    return np.asarray(design.scale * (by_column @ by_column.transpose(0, 2, 1)))
