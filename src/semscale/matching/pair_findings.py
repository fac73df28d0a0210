"""Findings of the guards in the pair from which each item's score comes."""

from semscale.guards.findings import Finding
from semscale.guards.registry import Guards
from semscale.matching.pairs import Pairs
from semscale.types import Integers, Progress

_REPORTED = 500


def find_in_pairs(
    pairs: Pairs, rows: Integers, guards: Guards, progress: Progress | None = None
) -> tuple[tuple[Finding, ...], ...]:
    """Let guards look at some pairs, at most one an item.

    Args:
        pairs: the pairs of n items.
        rows: numbers of the pairs to check.
        guards: the guards.
        progress: called as pairs are looked at.

    Returns:
        Findings for each of the n items, none for items without a pair in ``rows``.
    """
    found: list[tuple[Finding, ...]] = [()] * pairs.n_items
    for done, row in enumerate(rows.tolist()):
        prediction, reference = pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]]
        found[pairs.item[row]] = tuple(guards.check(prediction, reference))
        if progress and done % _REPORTED == 0:
            progress("looking for findings", done, len(rows))
    return tuple(found)
