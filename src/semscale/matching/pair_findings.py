"""Findings of the guards in the pair from which each item's score comes."""

from dataclasses import dataclass

import numpy as np

from semscale.guards.findings import Finding
from semscale.guards.registry import Guards
from semscale.matching.pair_languages import guards_read
from semscale.matching.pairs import Pairs
from semscale.types import Integers, Mask, Progress

_REPORTED = 500


@dataclass(frozen=True)
class PairFindings:
    """What guards found in n items.

    Attributes:
        found: findings of each item, none for items without a pair.
        guarded: shape (n,), which items have a pair that guards looked at; they read English alone.
    """

    found: tuple[tuple[Finding, ...], ...]
    guarded: Mask


def find_in_pairs(
    pairs: Pairs, rows: Integers, guards: Guards, progress: Progress | None = None
) -> PairFindings:
    """Let guards look at some pairs, at most one an item; pairs that are not in English are passed over.

    Args:
        pairs: the pairs of n items.
        rows: numbers of the pairs to check.
        guards: the guards.
        progress: called as pairs are looked at.
    """
    found: list[tuple[Finding, ...]] = [()] * pairs.n_items
    guarded = np.zeros(pairs.n_items, np.bool_)
    for done, row in enumerate(rows.tolist()):
        prediction, reference = pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]]
        if guards_read(prediction, reference):
            guarded[pairs.item[row]] = True
            found[pairs.item[row]] = tuple(guards.check(prediction, reference))
        if progress and done % _REPORTED == 0:
            progress("looking for findings", done, len(rows))
    return PairFindings(tuple(found), guarded)
