"""Ridge regression around the zero-shot rating, averaged over its strengths by their evidence."""

from typing import NamedTuple

import numpy as np

from semscale.types import Floats, Integers

_STRENGTHS = np.exp(np.arange(-3.0, 7.1, 0.5))  # penalties, in units of the vectors' mean squared length
_LEAST_LEFT = 1e-6  # of a text that alone decides its value
_LINE_ALONE = 0.5  # belief, before any label is seen, that vectors say nothing beyond the line


class RidgeFit(NamedTuple):
    """A straight function of a text's vector and of its position on the anchors' axis.

    Attributes:
        intercept: in the scale's units.
        slope: of the position on the axis.
        direction: shape (d,), weights of the vector.
        left_out: shape (n,), for each text that was fitted, its value with a direction that was fitted
            without it and its repetitions; the line is the one of all texts.
    """

    intercept: float
    slope: float
    direction: Floats
    left_out: Floats


def fit_evidence_ridge(
    units: Floats, axis: Floats, means: Floats, *, distinct: Integers | None = None
) -> RidgeFit:
    """Fit people's means by their vectors, shrunk towards a straight line on the zero-shot position.

    means = intercept + slope * axis + units @ direction + noise, where ``direction`` has a normal prior
    around 0 and the line has a flat one. Each strength of that prior has an evidence (the restricted
    likelihood of the labels), and so has the line without a direction. The fits are averaged with weights
    evidence times prior belief, of which the line alone has one half and all strengths the other. With few
    labels the line keeps most of its half; with many the labels decide.

    Args:
        units: shape (n, d), vectors of length 1; at least 4.
        axis: shape (n,), positions on the anchors' axis, the zero-shot prediction.
        means: shape (n,), people's mean rating of each text.
        distinct: shape (n,), numbers from 0 that equal texts share; all texts differ unless given.

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
        return _line_alone(line, means, units.shape[1])
    # The averaged fit is linear in the labels, with the averaged hat matrix.
    kept = _shrinkage(squares, scores, targets, scale, basis.shape[1])
    direction = turned @ (kept * scores)
    coefficients = np.linalg.lstsq(line, means - units @ direction, rcond=None)[0]
    fitted = line @ coefficients + units @ direction
    own = ((rest @ turned) ** 2 * kept).sum(axis=1)
    moved = _moved_by_own_label(means - fitted, own, (basis**2).sum(axis=1), distinct)
    return RidgeFit(float(coefficients[0]), float(coefficients[1]), direction, fitted - moved)


def _line_alone(line: Floats, means: Floats, d: int) -> RidgeFit:
    coefficients = np.linalg.lstsq(line, means, rcond=None)[0]
    return RidgeFit(float(coefficients[0]), float(coefficients[1]), np.zeros(d), line @ coefficients)


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


def _shrinkage(squares: Floats, scores: Floats, targets: Floats, scale: float, fixed: int) -> Floats:
    """Average 1 / (square + penalty) over penalties by belief after the labels, shape (m,)."""
    penalties = np.r_[_STRENGTHS * scale, np.inf]
    beliefs = np.r_[np.full(len(_STRENGTHS), (1 - _LINE_ALONE) / len(_STRENGTHS)), _LINE_ALONE]
    evidence = [_log_evidence(squares, scores, targets, penalty, fixed) for penalty in penalties]
    logs = np.array(evidence) + np.log(beliefs)
    shares = np.exp(logs - logs.max())
    kept: Floats = (shares / shares.sum()) @ (1 / (squares + penalties[:, None]))
    return kept


def _log_evidence(squares: Floats, scores: Floats, targets: Floats, penalty: float, fixed: int) -> float:
    """Restricted log likelihood of a penalty, the noise at its best, up to a constant."""
    m = len(targets) - fixed
    explained = (scores**2 / (squares + penalty)).sum()
    unexplained = max(float(targets @ targets - explained), 1e-300)
    return float(-m / 2 * np.log(unexplained / m) - np.log1p(squares / penalty).sum() / 2)


def _moved_by_own_label(errors: Floats, own: Floats, line: Floats, distinct: Integers | None) -> Floats:
    """How far the labels of a text and its repetitions move its value through the direction, shape (n,).

    Without g equal texts, their value moves by their share h in the direction's hat matrix times the sum of
    their errors, over 1 - g (h + l), where l is their share in the line's: the block of the hat matrix is
    the same number throughout.

    Args:
        errors: shape (n,), labels less fitted values.
        own: shape (n,), each text's diagonal in the direction's hat matrix.
        line: shape (n,), its diagonal in the line's.
        distinct: shape (n,), numbers that equal texts share.
    """
    place = np.arange(len(errors)) if distinct is None else distinct
    times, total = np.bincount(place)[place], np.bincount(place, errors)[place]
    moved: Floats = own * total / np.maximum(1 - times * (own + line), _LEAST_LEFT)
    return moved
