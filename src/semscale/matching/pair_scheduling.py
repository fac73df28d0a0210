"""Schedule of scoring: pairs are ordered so that a text of several pairs is encoded once."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.types import Integers


@dataclass(frozen=True)
class ScoringStep:
    """Pairs that are scored together, with the texts to encode and to keep for them.

    Attributes:
        pairs: numbers of the pairs.
        fresh: texts that must be encoded for them; all others they need are there from steps before.
        dropped: texts that are let go afterwards.
    """

    pairs: Integers
    fresh: Integers
    dropped: Integers


def scoring_order(prediction: Integers, reference: Integers) -> Integers:
    """Order pairs so that those which share a text stand together.

    Of a pair's two texts the one that more pairs need decides its place.

    Args:
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.

    Returns:
        Shape (p,), numbers of the pairs.

    Example:
        >>> scoring_order(np.array([0, 2, 3, 4]), np.array([1, 5, 1, 5])).tolist()
        [0, 2, 1, 3]
    """
    uses = np.bincount(np.concatenate([prediction, reference]))
    by_reference = uses[reference] > uses[prediction]
    tied = uses[reference] == uses[prediction]
    shared = np.where(tied, np.minimum(prediction, reference), np.where(by_reference, reference, prediction))
    return np.argsort(shared, kind="stable")


def plan_steps(
    prediction: Integers, reference: Integers, lengths: Integers, *, fresh_tokens: int, kept_tokens: int
) -> Iterator[ScoringStep]:
    """Cut pairs into steps, and choose the texts to keep between them: those that are needed soonest.

    Releasing the texts that are needed last encodes the fewest texts again (Belady's rule). It can be applied
    here, as all pairs are known beforehand.

    Args:
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.
        lengths: shape (m,), tokens of each text.
        fresh_tokens: most tokens to encode in a step, unless a single pair has more.
        kept_tokens: most tokens of texts that are kept between two steps.

    Yields:
        Steps that together hold every pair once.

    References:
        Belady 1966, A study of replacement algorithms, doi:10.1147/sj.52.0078.
    """
    order = scoring_order(prediction, reference) if len(prediction) else np.empty(0, np.int64)
    texts = np.column_stack([prediction[order], reference[order]])
    for step in plan_groups(list(texts), lengths, fresh_tokens=fresh_tokens, kept_tokens=kept_tokens):
        yield replace(step, pairs=order[step.pairs])


def plan_groups(
    groups: Sequence[Integers], lengths: Integers, *, fresh_tokens: int, kept_tokens: int
) -> Iterator[ScoringStep]:
    """Cut a sequence of groups of texts into steps; a group is scored within one step.

    Args:
        groups: g arrays, each with the numbers of a group's texts.
        lengths: shape (m,), tokens of each text.
        fresh_tokens: as ``plan_steps`` has it, unless a single group has more.
        kept_tokens: as ``plan_steps`` has it.

    Yields:
        Steps whose ``pairs`` are numbers of groups; together they hold every group once.
    """
    uses = _Uses(groups)
    kept: set[int] = set()
    start = 0
    while start < len(groups):
        end, fresh = _filled(uses, start, kept, lengths, fresh_tokens)
        needed = kept | set(fresh)
        kept = _worth_keeping(needed, uses, end, lengths, kept_tokens)
        dropped = np.array(sorted(needed - kept), np.int64)
        yield ScoringStep(np.arange(start, end), np.array(fresh, np.int64), dropped)
        start = end


class _Uses:
    """At which places of the order each text is needed."""

    def __init__(self, groups: Sequence[Integers]) -> None:
        self.groups = groups
        texts = np.concatenate([np.empty(0, np.int64), *groups])
        places = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
        by_text = np.argsort(texts, kind="stable")
        self._places = places[by_text]
        counts = np.bincount(texts, minlength=1)
        self._starts = np.concatenate([[0], np.cumsum(counts)])

    def next_after(self, text: int, place: int) -> int | None:
        """First place from ``place`` on that needs a text; ``None`` if none does."""
        own = self._places[self._starts[text] : self._starts[text + 1]]
        at = int(np.searchsorted(own, place))
        return int(own[at]) if at < len(own) else None


def _filled(
    uses: _Uses, start: int, kept: set[int], lengths: Integers, fresh_tokens: int
) -> tuple[int, list[int]]:
    """Take groups from ``start`` on while their fresh texts fit; say where they end and what is fresh."""
    fresh: dict[int, None] = {}
    room = fresh_tokens
    for place in range(start, len(uses.groups)):
        new = {int(text): None for text in uses.groups[place] if text not in kept and text not in fresh}
        room -= int(sum(lengths[text] for text in new))
        if room < 0 and place > start:
            return place, list(fresh)
        fresh |= new
    return len(uses.groups), list(fresh)


def _worth_keeping(
    candidates: set[int], uses: _Uses, end: int, lengths: Integers, kept_tokens: int
) -> set[int]:
    needed = [(at, text) for text in candidates if (at := uses.next_after(text, end)) is not None]
    kept: set[int] = set()
    for _, text in sorted(needed):
        kept_tokens -= int(lengths[text])
        if kept_tokens < 0:
            break
        kept.add(text)
    return kept
