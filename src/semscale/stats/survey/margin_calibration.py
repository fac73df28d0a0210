"""What margins tell about a sample whose weights were raked to them: smaller variances."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from semscale.stats.survey.domains import Domains
from semscale.stats.survey.margins import Margin
from semscale.stats.survey.stages import Stage
from semscale.types import Floats

Regression = Literal["weighted", "plain"]
"""Weights of the regression on the margins.

``weighted``: those that raking started from (R's ``calibrate``). ``plain``: none (R's ``rake``).
"""


@dataclass(frozen=True, eq=False)
class MarginCalibration:
    """Margins that weights were raked to.

    Attributes:
        margins: the variables.
        weights: shape (n,), the raked weights.
        importance: shape (n,), the rows' weights in the regression on the margins.
    """

    margins: tuple[Margin, ...]
    weights: Floats
    importance: Floats

    def indicators(self) -> csr_array:
        """Zeros and ones, shape (n, categories of all margins)."""
        n, start, places = len(self.weights), 0, []
        for margin in self.margins:
            places.append(margin.codes + start)
            start += len(margin.categories)
        rows = np.tile(np.arange(n), len(places))
        return csr_array((np.ones(len(rows)), (rows, np.concatenate(places))), shape=(n, start))


class MarginCorrection:
    """Replaces influence values by their residuals from a regression on margins, in covariances.

    With z the influence values of a group, 0 in all other rows, the residuals are ``z - w X b``: w are the
    raked weights, X the margins' indicators, and ``b`` the slopes of ``z / w`` on X. A covariance C of sums
    over clusters is bilinear, so ``C(z_a, z_b)`` becomes
    ``C(z_a, z_b) - C(z_a, wX) b_b - b_a C(wX, z_b) + b_a C(wX, wX) b_b``.

    Args:
        calibration: margins and weights.
        stages: of the draw.
        domains: the groups, g of them.

    References:
        Deville and Särndal (1992), JASA 87(418), 376-382, doi 10.1080/01621459.1992.10475217, section 3.
    """

    def __init__(self, calibration: MarginCalibration, stages: tuple[Stage, ...], domains: Domains) -> None:
        used = calibration.weights > 0
        inverse = np.divide(1.0, calibration.weights, out=np.zeros(len(used)), where=used)
        importance = np.where(used, calibration.importance, 0.0)
        indicators = calibration.indicators()
        squares = (indicators.T @ _scaled(indicators, importance)).toarray()
        # Categories of several margins sum to one, so that the squares have no inverse of their own.
        to_slopes = _scaled(indicators, importance * inverse) @ np.linalg.pinv(squares, hermitian=True)
        weighted = _scaled(indicators, calibration.weights)
        to_cross = np.zeros(indicators.shape)
        for stage in stages:
            to_cross += _kernel(stage, weighted)[stage.cluster]
        self._margins = np.asarray(weighted.T @ to_cross)
        self._rows = [np.flatnonzero(domains.codes == group) for group in range(domains.count)]
        self._turning = [np.hstack([to_slopes[rows], to_cross[rows]]) for rows in self._rows]

    def residual(self, covariance: Floats, influence: Floats) -> Floats:
        """Turn covariances of influence values into those of their residuals.

        Args:
            covariance: shape (v, g, g); without groups there is nothing to turn.
            influence: shape (n, v).
        """
        if not self._rows:
            return covariance
        both = [influence[rows].T @ one for rows, one in zip(self._rows, self._turning, strict=True)]
        slopes, cross = np.split(np.stack(both, axis=1), 2, axis=2)
        turned = slopes.transpose(0, 2, 1)
        shared = cross @ turned
        corrected = covariance - shared - shared.transpose(0, 2, 1) + slopes @ self._margins @ turned
        return np.asarray(corrected)


def _scaled(matrix: csr_array, factors: Floats) -> csr_array:
    """Multiply each row with a factor."""
    return csr_array(matrix.multiply(factors[:, None]))


def _kernel(stage: Stage, rows: csr_array) -> Floats:
    """Give each cluster of a stage what its total is multiplied with in a covariance, shape (m, p)."""
    n, m, h = len(stage.cluster), len(stage.stratum), len(stage.scale)
    sums = (csr_array((np.ones(n), (stage.cluster, np.arange(n))), shape=(m, n)) @ rows).toarray()
    strata = csr_array((np.ones(m), (stage.stratum, np.arange(m))), shape=(h, m)) @ sums
    centres = (stage.centring[:, None] * strata)[stage.stratum]
    return np.asarray(stage.scale[stage.stratum][:, None] * (sums - centres))
