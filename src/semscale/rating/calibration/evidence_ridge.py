"""Ridge regression around the zero-shot rating, averaged over its strengths by their evidence."""

from typing import NamedTuple

import numpy as np

from semscale.types import Floats

_STRENGTHS = np.exp(np.arange(-3.0, 7.1, 0.5))  # penalties, in units of the vectors' mean squared length


class RidgeFit(NamedTuple):
    """A straight function of a text's vector and of its position on the anchors' axis.

    Attributes:
        intercept: in the scale's units.
        slope: of the position on the axis.
        direction: shape (d,), weights of the vector.
        left_out: shape (n,), for each text that was fitted, its value by a fit without it.
    """

    intercept: float
    slope: float
    direction: Floats
    left_out: Floats


def fit_evidence_ridge(units: Floats, axis: Floats, means: Floats) -> RidgeFit:
    """Fit people's means by their vectors, shrunk towards a straight line on the zero-shot position.

    means = intercept + slope * axis + units @ direction + noise, where ``direction`` has a normal prior
    around 0 and the line has a flat one. Each strength of that prior has an evidence (the restricted
    likelihood of the labels); the fits are averaged with their evidence as weights. With few labels none
    stands out and strong shrinkage dominates; with many the labels decide.

    Args:
        units: shape (n, d), vectors of length 1; at least 4.
        axis: shape (n,), positions on the anchors' axis, the zero-shot prediction.
        means: shape (n,), people's mean rating of each text.

    References:
        Hoerl and Kennard (1970), doi 10.1080/00401706.1970.10488634. Restricted likelihood: Patterson and
        Thompson (1971), doi 10.1093/biomet/58.3.545. Averaging: Hoeting et al. (1999),
        doi 10.1214/ss/1009212519.

    Example:
        >>> axis = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
        >>> fit = fit_evidence_ridge(np.ones((5, 2)), axis, 2 * axis + 1)
        >>> round(fit.intercept, 6), round(fit.slope, 6), fit.direction.tolist()
        (1.0, 2.0, [0.0, 0.0])
    """
    n = len(means)
    line = np.column_stack([np.ones(n), axis])
    basis = _basis(line)
    rest, targets = (part - basis @ (basis.T @ part) for part in (units, means))
    squares, turned, scores = _principal(rest, targets)
    scale = squares.sum() / n
    if not scale > np.finfo(np.float64).eps:  # vectors that do not vary say nothing beyond the line
        return _around(line, basis, units, means, np.zeros(units.shape[1]), np.zeros((n, 0)))
    penalties = _STRENGTHS * scale
    evidence = np.array(
        [_log_evidence(squares, scores, targets, penalty, basis.shape[1]) for penalty in penalties]
    )
    shares = np.exp(evidence - evidence.max())
    shares /= shares.sum()
    directions = (scores / (squares + penalties[:, None])) @ turned.T
    direction = shares @ directions
    # The averaged fit is linear in the labels, with the averaged hat matrix.
    kept = shares @ (1 / (squares + penalties[:, None]))
    return _around(line, basis, units, means, direction, (rest @ turned) * np.sqrt(kept))


def _basis(line: Floats) -> Floats:
    """Orthonormal columns that span the line's; one where the axis does not vary."""
    left, lengths, _ = np.linalg.svd(line, full_matrices=False)
    basis: Floats = left[:, lengths > 1e-10 * lengths[0]]
    return basis


def _principal(rest: Floats, targets: Floats) -> tuple[Floats, Floats, Floats]:
    """Squared singular values (m,), right singular vectors (d, m), and the targets' products with them."""
    n, d = rest.shape
    if n > d:
        squares, turned = np.linalg.eigh(rest.T @ rest)
    else:
        squares, left = np.linalg.eigh(rest @ rest.T)
        lengths = np.sqrt(np.maximum(squares, 0))
        turned = rest.T @ (left / np.where(lengths > 0, lengths, 1.0))
    there = squares > 1e-10 * max(float(squares.max()), 1e-300)
    squares, turned = squares[there], turned[:, there]
    return squares, turned, turned.T @ (rest.T @ targets)


def _log_evidence(squares: Floats, scores: Floats, targets: Floats, penalty: float, fixed: int) -> float:
    """Restricted log likelihood of a penalty, the noise at its best, up to a constant."""
    m = len(targets) - fixed
    explained = (scores**2 / (squares + penalty)).sum()
    unexplained = max(float(targets @ targets - explained), 1e-300)
    return float(-m / 2 * np.log(unexplained / m) - np.log1p(squares / penalty).sum() / 2)


def _around(  # noqa: PLR0913 - parts of one fit
    line: Floats, basis: Floats, units: Floats, means: Floats, direction: Floats, spread: Floats
) -> RidgeFit:
    """Fit the line to what the direction leaves, and give each text's value without it."""
    coefficients = np.linalg.lstsq(line, means - units @ direction, rcond=None)[0]
    fitted = line @ coefficients + units @ direction
    leverage = np.minimum((basis**2).sum(axis=1) + (spread**2).sum(axis=1), 1 - 1e-6)
    left_out = means - (means - fitted) / (1 - leverage)
    return RidgeFit(float(coefficients[0]), float(coefficients[1]), direction, left_out)
