"""Measures of an item from how all its texts relate, the samples among each other included."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semscale.answer_consistency.meanings.clusters import meaning_clusters
from semscale.answer_consistency.meanings.entropies import (
    alphabet_size,
    kernel_agreement,
    neighbour_agreement,
    semantic_negentropy,
    sets_agreement,
)
from semscale.answer_consistency.meanings.relations import Relations
from semscale.types import Floats, Integers, ObjectArray


class RelatedTexts:
    """The texts of one item: how they relate, and the clusters of those that mean the same.

    Args:
        relations: of m texts, at least 2.
    """

    def __init__(self, relations: Relations) -> None:
        self.relations = relations

    @cached_property
    def counts(self) -> Integers:
        """Texts in each cluster, shape (k,)."""
        return np.bincount(meaning_clusters(self.relations.same))

    @property
    def entailment(self) -> float:
        """Mean probability that the answer and a sample entail each other."""
        return float(self.relations.similarity[0, 1:].mean())

    @property
    def noncontradiction(self) -> float:
        """Mean probability that the answer and a sample do not contradict; NaN without entailment."""
        free = self.relations.noncontradiction
        return np.nan if free is None else float(free[0, 1:].mean())


@dataclass(frozen=True)
class MeaningMeasure:
    """One measure of how far the meanings of an item's texts agree.

    Attributes:
        about: what it is, in one sentence.
        value: gives an item its value.
        needs_entailment: whether only a model of entailment gives it.
        bounds: least and greatest value.
    """

    about: str
    value: Callable[[RelatedTexts], float]
    needs_entailment: bool = False
    bounds: tuple[float, float] = (0.0, 1.0)


MEANING_MEASURES: dict[str, MeaningMeasure] = {
    "semantic_negentropy": MeaningMeasure(
        "1 - the entropy of the meanings that answer and samples have, divided by its maximum",
        lambda texts: semantic_negentropy(texts.counts),
    ),
    "semantic_sets_confidence": MeaningMeasure(
        "how few different meanings answer and samples have: 1 for one meaning, 0 if all differ",
        lambda texts: sets_agreement(texts.counts),
    ),
    "snne": MeaningMeasure(
        "semantic nearest neighbour entropy of answer and samples, turned round and scaled to 0 to 1",
        lambda texts: neighbour_agreement(texts.relations.similarity),
    ),
    "kernel_agreement": MeaningMeasure(
        "kernel language entropy of answer and samples, turned round and scaled to 0 to 1",
        lambda texts: kernel_agreement(texts.relations.similarity),
    ),
    "semantic_alphabet": MeaningMeasure(
        "1 / the estimated number of meanings that the model would give if it were asked for ever",
        lambda texts: 1 / alphabet_size(texts.counts, texts.relations.similarity),
    ),
    "entailment": MeaningMeasure(
        "mean probability that the answer and a sample entail each other",
        lambda texts: texts.entailment,
        needs_entailment=True,
    ),
    "noncontradiction": MeaningMeasure(
        "mean probability that the answer and a sample do not contradict each other",
        lambda texts: texts.noncontradiction,
        needs_entailment=True,
    ),
}
"""Every measure of meanings by its name."""


@dataclass(frozen=True)
class Meanings:
    """The meanings that the texts of n items have.

    Attributes:
        measures: for each measure its values, shape (n,); NaN where an item has no samples, or texts that
            the model of entailment cannot read.
        n_meanings: shape (n,), how many different meanings answer and samples have; 0 without values.
        grounds: shape (n,), by what texts were found to mean the same, a ``Ground`` or ``None``.
    """

    measures: Mapping[str, Floats]
    n_meanings: Integers
    grounds: ObjectArray


def measure_meanings(related: Mapping[int, Relations], names: tuple[str, ...], n: int) -> Meanings:
    """Compute the measures of items.

    Args:
        related: how the texts of items relate, by the item's number.
        names: of measures.
        n: how many items there are.
    """
    measures: dict[str, Floats] = {name: np.full(n, np.nan) for name in names}
    n_meanings: Integers = np.zeros(n, np.int64)
    grounds: ObjectArray = np.full(n, None, dtype=object)
    for item, relations in related.items():
        if not relations.is_read:
            continue
        texts = RelatedTexts(relations)
        n_meanings[item], grounds[item] = len(texts.counts), relations.ground
        for name in names:
            measures[name][item] = MEANING_MEASURES[name].value(texts)
    return Meanings(measures, n_meanings, grounds)
