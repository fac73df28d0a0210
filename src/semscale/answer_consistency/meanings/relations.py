"""How the texts of each item relate: how alike they are in meaning, and which mean the same."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from semscale.answer_consistency.meanings.answer_forms import is_same_short_answer, is_short_answer
from semscale.matching.entailment.probabilities import (
    CONTRADICTION,
    ENTAILMENT,
    EntailmentModel,
    entailments_by,
)
from semscale.matching.pairs import Pairs
from semscale.types import Floats, Integers, Mask


class Ground(StrEnum):
    """By what two texts were found to mean the same."""

    ENTAILMENT = "entailment"  # each entails the other
    COSINE = "cosine"  # the cosine of their vectors is high, and no guard finds a contradiction
    EXACT = "exact"  # short answers with the same words


@dataclass(frozen=True)
class Relations:
    """How the m texts of one item relate; the first is the answer, the others are samples.

    Attributes:
        ground: by what.
        similarity: shape (m, m), 0 to 1, symmetric, 1 on the diagonal; NaN where the model of entailment
            cannot read the two texts.
        same: shape (m, m), whether two texts mean the same; symmetric.
        noncontradiction: shape (m, m), 1 - the probability of a contradiction, averaged over both directions;
            ``None`` unless the ground is entailment.
    """

    ground: Ground
    similarity: Floats
    same: Mask
    noncontradiction: Floats | None = None

    @property
    def is_read(self) -> bool:
        """Whether it is known of all texts how they relate."""
        return not np.isnan(self.similarity).any()


@dataclass(frozen=True)
class ItemPairs:
    """All pairs of texts within items: q pairs of n items.

    Attributes:
        texts: the distinct texts.
        members: for each item its texts' numbers, the answer first; empty for an item without samples.
        first: shape (q,), number of a pair's first text.
        second: shape (q,), of its second one.
        item: shape (q,), whose pair it is; ascending.
    """

    texts: Sequence[str]
    members: tuple[tuple[int, ...], ...]
    first: Integers
    second: Integers
    item: Integers

    @classmethod
    def of(cls, pairs: Pairs) -> "ItemPairs":
        """Pair all texts of each item.

        Args:
            pairs: of an answer (``prediction``) and a sample (``reference``).
        """
        listed: list[list[int]] = [[] for _ in range(pairs.n_items)]
        rows = zip(pairs.item.tolist(), pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
        for item, answer, sample in rows:
            listed[item] += [sample] if listed[item] else [answer, sample]
        places = [np.triu_indices(len(each), 1) for each in listed]
        numbers = [np.array(each, np.int64) for each in listed]
        first = [each[at] for each, (at, _) in zip(numbers, places, strict=True)]
        second = [each[at] for each, (_, at) in zip(numbers, places, strict=True)]
        item = np.repeat(np.arange(len(listed)), [len(each) for each in first])
        none = [np.zeros(0, np.int64)]
        return cls(
            pairs.texts,
            tuple(map(tuple, listed)),
            np.concatenate(first or none),
            np.concatenate(second or none),
            item,
        )

    def of_items(self, chosen: Mask) -> "ItemPairs":
        """Keep the pairs of some items.

        Args:
            chosen: shape (n,), which ones.
        """
        kept = chosen[self.item]
        members = tuple(each if one else () for each, one in zip(self.members, chosen.tolist(), strict=True))
        return ItemPairs(self.texts, members, self.first[kept], self.second[kept], self.item[kept])

    @property
    def short(self) -> Mask:
        """Which items have short answers only, shape (n,); not those without texts."""
        are_short = [is_short_answer(text) for text in self.texts]
        return np.array([bool(each) and all(are_short[text] for text in each) for each in self.members], bool)


def exact_relations(pairs: ItemPairs) -> dict[int, Relations]:
    """Relate short answers: the same words, or not.

    Args:
        pairs: of n items.

    Returns:
        By the item's number, for items that have texts.
    """
    same = np.array(
        [
            is_same_short_answer(pairs.texts[first], pairs.texts[second])
            for first, second in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)
        ],
        bool,
    )
    return _laid_out(pairs, Ground.EXACT, same.astype(np.float64), same)


def cosine_relations(pairs: ItemPairs, similarity: Floats, same: Mask) -> dict[int, Relations]:
    """Relate texts by the cosines of their vectors.

    Args:
        pairs: of n items, q pairs.
        similarity: shape (q,), 0 to 1.
        same: shape (q,), whether the two mean the same.
    """
    equal = pairs.first == pairs.second
    return _laid_out(pairs, Ground.COSINE, np.where(equal, 1.0, similarity), same | equal)


def entailment_relations(pairs: ItemPairs, entailment: EntailmentModel) -> dict[int, Relations]:
    """Relate texts by a model of entailment, in one call for all items.

    Two texts mean the same if entailment is the most probable relation in both directions. Their similarity
    is the probability of entailment, averaged over both directions; NaN for two that the model cannot read.

    Args:
        pairs: of n items.
        entailment: the model.

    References:
        Farquhar et al. (2024), doi 10.1038/s41586-024-07421-0: entailment in both directions.
    """
    found = distinct_entailments(entailment, *both_directions(pairs))
    both = np.stack(np.split(found, 2))
    equal = pairs.first == pairs.second
    is_read = ~np.isnan(both).any(axis=(0, 2))
    same = (is_read & (both.argmax(axis=2) == ENTAILMENT).all(axis=0)) | equal
    alike = np.where(equal, 1.0, both[:, :, ENTAILMENT].mean(axis=0))
    free = np.where(equal, 1.0, 1 - both[:, :, CONTRADICTION].mean(axis=0))
    return _laid_out(pairs, Ground.ENTAILMENT, alike, same, free)


def both_directions(pairs: ItemPairs) -> tuple[list[str], list[str]]:
    """Give the premises and hypotheses of q pairs of texts in one direction, and then in the other."""
    there = [pairs.texts[text] for text in pairs.first.tolist()]
    back = [pairs.texts[text] for text in pairs.second.tolist()]
    return there + back, back + there


def distinct_entailments(
    model: EntailmentModel, premises: Sequence[str], hypotheses: Sequence[str]
) -> Floats:
    """Give the probabilities of p pairs; equal pairs are asked for once, and all in one call.

    Args:
        model: of entailment.
        premises: p texts.
        hypotheses: p texts.

    Returns:
        Shape (p, 3); NaN where the model cannot read the pair.

    Raises:
        InputError: what came is no probability.
    """
    numbers: dict[tuple[str, str], int] = {}
    rows = [numbers.setdefault(pair, len(numbers)) for pair in zip(premises, hypotheses, strict=True)]
    found = entailments_by(model, [pair[0] for pair in numbers], [pair[1] for pair in numbers])
    values = np.where(found.unread[:, None], np.nan, found.values)
    return np.asarray(values[rows], np.float64)


def _laid_out(
    pairs: ItemPairs, ground: Ground, similarity: Floats, same: Mask, free: Floats | None = None
) -> dict[int, Relations]:
    found: dict[int, Relations] = {}
    bounds = np.searchsorted(pairs.item, np.arange(len(pairs.members) + 1))
    for item, members in enumerate(pairs.members):
        if members:
            rows = slice(bounds[item], bounds[item + 1])
            m = len(members)
            found[item] = Relations(
                ground,
                _square(similarity[rows], m),
                _square(same[rows].astype(np.float64), m) > 0,
                None if free is None else _square(free[rows], m),
            )
    return found


def _square(values: Floats, m: int) -> Floats:
    square: Floats = np.eye(m)
    at = np.triu_indices(m, 1)
    square[at] = values
    square.T[at] = values
    return square
