"""How far chance goes at a single item: baseline and reruns among themselves, never the candidate."""

import numpy as np

from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.roles import drifts_of_losses, drifts_of_pairs
from semscale.types import Floats, Mask

ENOUGH_RERUNS = 3
"""Reruns that show how far an item varies by chance; with fewer, an item must go beyond it by the margin."""

_ROUNDING = 1e-12


def beyond_any_item(comparison: Comparison, name: str, margins: Floats, whole: Mask) -> Mask:
    """Tell for each item whether it is worse than baseline and reruns are at any item.

    Its loss must be greater than the greatest loss that a rerun has at any item; or its drift greater than
    the greatest drift that one of baseline and reruns has at any item, held against the others of them. With
    fewer than ``ENOUGH_RERUNS`` it must be greater by the margin. The candidate has no part in what chance
    does: where it equals the baseline, each rerun would seem to differ from all others.

    Args:
        comparison: a candidate measured against the baseline, with a rerun that has the metric.
        name: of the metric.
        margins: shape (n,), each item's margin.
        whole: shape (r, n), of ``whole_in_reruns``. A rerun's loss does not count at an item where it is not
            whole, and a drift only counts at items where all reruns are.

    Returns:
        Shape (n,).
    """
    few = len(comparison.reruns) < ENOUGH_RERUNS
    more = margins - _ROUNDING if few else np.full_like(margins, _ROUNDING)
    worst = losses_of_whole_reruns(comparison, name, whole).max(initial=0.0)
    beyond = comparison.losses(name) - worst >= more
    everywhere = whole.all(axis=0)
    drifts = _drifts_of_references(comparison, name)
    if drifts.shape[1]:
        greatest = drifts[everywhere].max(initial=0.0)
        beyond |= everywhere & (comparison.drifts(name) - greatest >= more)
    return np.asarray(beyond)


def losses_of_whole_reruns(comparison: Comparison, name: str, whole: Mask) -> Floats:
    """Return the reruns' losses against the baseline, shape (r, n); 0 where a rerun is not whole.

    Only reruns with the metric are there: a judge compares none.
    """
    there = [name in rerun.losses for rerun in comparison.reruns]
    losses = [np.nan_to_num(one) for one in comparison.rerun_losses(name)]
    return np.where(whole[there], np.array(losses).reshape(-1, len(comparison.baseline.items)), 0.0)


def _drifts_of_references(comparison: Comparison, name: str) -> Floats:
    """Return each item's drift of baseline and reruns among themselves, shape (n, k).

    Of fewer runs than a drift takes, three where all pairs were measured and else two, k is 0.
    """
    pairs = comparison.pair_losses(name)
    if pairs is None:
        losses = comparison.losses_of_runs(name)[:, 1:]
        return drifts_of_losses(losses) if losses.shape[1] > 1 else np.empty((len(losses), 0))
    among = pairs[:, 1:, 1:]
    return drifts_of_pairs(among) if among.shape[1] > 2 else np.empty((len(among), 0))  # noqa: PLR2004
