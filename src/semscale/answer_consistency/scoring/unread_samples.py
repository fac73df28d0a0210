"""Leaves out answers and samples that the model cannot read, or whose language it does not read."""

import numpy as np

from semscale.answer_consistency.scoring.pair_blocks import PairValues
from semscale.answer_consistency.scoring.samples import SampledAnswers, with_pairs
from semscale.types import Status


def leave_out_unread(
    taken: SampledAnswers, values: PairValues, *, fewest: int
) -> tuple[SampledAnswers, PairValues]:
    """Leave out the pairs with a text that the model cannot read, or whose language it does not read.

    They are left out of every measure. Where no pair is left, an item is ``other-language`` if the language
    of one is not read, and else ``weightless``; where too few are left, it has ``too-few-samples``.

    Args:
        taken: n answers with their samples, p pairs.
        values: of the p pairs.
        fewest: usable samples that an item needs.

    Returns:
        The answers with the pairs that are left, and the values of these pairs.
    """
    unread = values.unread | values.foreign
    if not unread.any():
        return taken, values
    n, item = taken.pairs.n_items, taken.pairs.item
    lost, left = (np.bincount(item[those], minlength=n) for those in (unread, ~unread))
    nothing = (lost > 0) & (left == 0)
    foreign = nothing & (np.bincount(item[values.foreign], minlength=n) > 0)
    status = taken.status.copy()
    status[(lost > 0) & (left < fewest)] = Status.TOO_FEW_SAMPLES
    status[nothing] = Status.WEIGHTLESS
    status[foreign] = Status.OTHER_LANGUAGE
    lost = np.where(nothing, 0, lost)  # here the answer may be unread, and its samples are not
    kept = ~unread & np.asarray(status[item] == Status.SCORED, dtype=bool)
    pairs = with_pairs(taken.pairs, kept, status)
    found = SampledAnswers(pairs, status, taken.n_samples - lost, taken.n_left_out + lost, taken.n_declined)
    return found, values.take(kept)
