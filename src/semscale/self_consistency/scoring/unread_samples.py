"""Leaves out answers and samples that the model cannot read."""

import numpy as np

from semscale.self_consistency.scoring.pair_blocks import PairValues
from semscale.self_consistency.scoring.samples import SampledAnswers, with_pairs
from semscale.types import Status


def leave_out_unread(
    taken: SampledAnswers, values: PairValues, *, fewest: int
) -> tuple[SampledAnswers, PairValues]:
    """Leave out the pairs with a text that the model cannot read, in every measure.

    An item is ``weightless`` where no pair is left, and has ``too-few-samples`` where too few are.

    Args:
        taken: n answers with their samples, p pairs.
        values: of the p pairs.
        fewest: usable samples that an item needs.

    Returns:
        The answers with the pairs that are left, and the values of these pairs.
    """
    if not values.unread.any():
        return taken, values
    n, item = taken.pairs.n_items, taken.pairs.item
    lost, left = (np.bincount(item[those], minlength=n) for those in (values.unread, ~values.unread))
    weightless = (lost > 0) & (left == 0)
    status = taken.status.copy()
    status[(lost > 0) & (left < fewest)] = Status.TOO_FEW_SAMPLES
    status[weightless] = Status.WEIGHTLESS
    lost = np.where(weightless, 0, lost)  # here the answer may be unread, and its samples are not
    kept = ~values.unread & np.asarray(status[item] == Status.SCORED, dtype=bool)
    pairs = with_pairs(taken.pairs, kept, status)
    found = SampledAnswers(pairs, status, taken.n_samples - lost, taken.n_left_out + lost, taken.n_declined)
    return found, values.take(kept)
