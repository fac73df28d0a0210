"""Ratios and totals of groups, with what their variances are made from."""

from dataclasses import dataclass

import numpy as np

from semscale.stats.survey.domains import Domains
from semscale.stats.survey.replicate_design import ReplicateDesign
from semscale.stats.survey.variances import AnyDesign
from semscale.types import Floats


@dataclass(frozen=True, eq=False)
class FiguresWithSpread:
    """Figures of some columns, with what their covariance is made from.

    Attributes:
        values: shape (v, g).
        spread: influence values, shape (n, v), or replicates' estimates, shape (r, v, g).
    """

    values: Floats
    spread: Floats


def ratio_figures(
    numerators: Floats, denominators: Floats, design: AnyDesign, domains: Domains
) -> FiguresWithSpread:
    """Ratios of weighted totals in each group; a mean has ones as denominators.

    The influence of row i on the ratio R of totals is ``w_i (y_i - R x_i) / sum of w x``.

    Args:
        numerators: shape (n, v), 0 in rows that do not count.
        denominators: shape (n, v), likewise.
        design: how respondents were drawn.
        domains: the groups.
    """
    w = design.weights[:, None]
    below = domains.sums(w * denominators)
    values = _divided(domains.sums(w * numerators), below)
    if isinstance(design, ReplicateDesign):
        over, under = (replicated_sums(one, design, domains) for one in (numerators, denominators))
        return FiguresWithSpread(values, _divided(over, under))
    centred = numerators - denominators * domains.spread_out(np.nan_to_num(values))
    return FiguresWithSpread(
        values, centred * w * domains.spread_out(np.nan_to_num(_divided(np.ones(1), below)))
    )


def total_figures(columns: Floats, design: AnyDesign, domains: Domains) -> FiguresWithSpread:
    """Weighted totals in each group; the influence of row i is ``w_i y_i``."""
    weighted = columns * design.weights[:, None]
    values = domains.sums(weighted)
    if isinstance(design, ReplicateDesign):
        return FiguresWithSpread(values, replicated_sums(columns, design, domains))
    return FiguresWithSpread(values, weighted)


def _divided(over: Floats, under: Floats) -> Floats:
    shape = np.broadcast_shapes(over.shape, under.shape)
    return np.asarray(np.divide(over, under, out=np.full(shape, np.nan), where=under != 0))


def replicated_sums(columns: Floats, design: ReplicateDesign, domains: Domains) -> Floats:
    """Weighted sums of each replicate, shape (r, v, g)."""
    sums = np.empty((design.replicates.shape[1], columns.shape[1], domains.count))
    for group in range(domains.count):
        rows = np.flatnonzero(domains.codes == group)
        sums[:, :, group] = design.replicates[rows].T @ columns[rows]
    return sums
