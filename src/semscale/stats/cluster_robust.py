"""Standard errors of a linear model whose rows belong together in clusters: CR2."""

import numpy as np

from semscale.types import Floats, Integers

_ROUNDING = 1e-12


def cluster_robust(
    design: Floats, residuals: Floats, weights: Floats, clusters: Integers
) -> tuple[Floats, Floats]:
    """Estimate the standard errors of weighted least squares, with degrees of freedom for each coefficient.

    With M = (X'WX)^-1 and H = X M X'W, the covariance is the sum over clusters i of v_i v_i', where
    v_i = M X_i' W_i A_i e_i, and A_i is the symmetric inverse root of (I - H)_i (I - H)_i'. So the variance
    is right on average where errors are alike and independent, and holds for many clusters where they are
    not. The variance of one coefficient is a quadratic form of the errors; its degrees of freedom are those
    of the chi-square with the same first two moments, (sum of p_ii)^2 / (sum of p_ij^2) with p_ij the
    products of the clusters' parts. Few clusters, or a predictor that differs in few of them, leave few.

    Args:
        design: shape (n, p), with the constant.
        residuals: shape (n,), of the weighted fit.
        weights: shape (n,), above 0.
        clusters: shape (n,), the cluster of each row.

    Returns:
        Standard errors and degrees of freedom, each of shape (p,).

    References:
        Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage
        samples, Survey Methodology 28; Pustejovsky and Tipton (2018), doi 10.1080/07350015.2016.1247004,
        equations 5, 6 and 11, with independent errors of one variance as the working model. Figures are those
        of ``clubSandwich`` for ``lm``.
    """
    inverse = np.linalg.inv(design.T @ (weights[:, None] * design))
    weighted = weights[:, None] * design
    squared = inverse @ (weighted.T @ weighted) @ inverse
    core = np.block([[squared, -inverse], [-inverse, np.zeros_like(inverse)]])
    reach = weighted @ inverse
    p = design.shape[1]
    numbers = np.unique(clusters, return_inverse=True)[1]
    m = int(numbers.max()) + 1
    moved, own = np.empty((m, p)), np.empty((m, p))
    sides = np.empty((m, 2 * p, p))
    order, sizes = np.argsort(numbers, kind="stable"), np.bincount(numbers)
    starts = np.cumsum(sizes) - sizes
    for size in np.unique(sizes).tolist():
        those = np.flatnonzero(sizes == size)
        rows = order[starts[those][:, None] + np.arange(size)]
        both = np.concatenate([design[rows], weighted[rows]], axis=2)
        parts = _adjusted(both, core, reach[rows])
        moved[those] = np.einsum("isp,is->ip", parts, residuals[rows])
        own[those] = (parts**2).sum(axis=1)
        sides[those] = both.transpose(0, 2, 1) @ parts
    freedom = np.array([_freedom(own[:, one], sides[:, :, one], core) for one in range(p)])
    return np.sqrt((moved**2).sum(axis=0)), freedom


def _adjusted(both: Floats, core: Floats, reach: Floats) -> Floats:
    """Multiply rows of ``reach`` (m, s, p) by A of their clusters, all of size s.

    (I - H)_i (I - H)_i' is I + U C U' with U = [X_i, W_i X_i]; so its root differs from I only in the space
    of U's columns, and large clusters cost no more than their rows.
    """
    basis, coordinates = np.linalg.qr(both)
    values, vectors = np.linalg.eigh(
        np.eye(basis.shape[2]) + coordinates @ core @ coordinates.transpose(0, 2, 1)
    )
    roots = np.zeros_like(values)
    np.power(values, -0.5, out=roots, where=values > _ROUNDING)
    turned = vectors.transpose(0, 2, 1) @ (basis.transpose(0, 2, 1) @ reach)
    found: Floats = reach + basis @ (vectors @ ((roots - 1)[:, :, None] * turned))
    return found


def _freedom(own: Floats, sides: Floats, core: Floats) -> float:
    """Degrees of freedom by the products p_ij: ``own`` (m,) on the diagonal, and S C S' with S (m, 2 p)."""
    product = sides @ core
    diagonal = (product * sides).sum(axis=1)
    trace = own.sum() + diagonal.sum()
    inner = core @ (sides.T @ sides)
    squares = (own**2).sum() + 2 * (own * diagonal).sum() + np.trace(inner @ inner)
    return float(trace**2 / squares)
