"""Relates the texts of items, an answer and its samples, by the ground that each item allows."""

from dataclasses import dataclass

import numpy as np

from semscale.answer_consistency.meanings.relations import (
    Ground,
    ItemPairs,
    Relations,
    cosine_relations,
    entailment_relations,
    exact_relations,
)
from semscale.answer_consistency.scoring.contradictions import marked
from semscale.answer_consistency.scoring.floor import Floor
from semscale.answer_consistency.scoring.pair_blocks import value_pairs
from semscale.answer_consistency.scoring.short_answers import same_answer_cosine
from semscale.matching.cosines import Cosines
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.pairs import Pairs
from semscale.types import Progress, Status


@dataclass(frozen=True)
class RelationGrounds:
    """By what texts are found to mean the same.

    Attributes:
        same_by: ``auto``, or one ground for all items.
        entailment: a model of entailment, if any.
        guards: names of the guards that look for contradictions where cosines count, as the model of
            entailment does.
    """

    same_by: str
    entailment: EntailmentModel | None
    guards: tuple[str, ...]

    def relate(
        self, pairs: Pairs, floor: Floor, cosines: Cosines | None, progress: Progress | None = None
    ) -> dict[int, Relations]:
        """Relate all texts of each item.

        Args:
            pairs: of an answer (``prediction``) and a sample (``reference``), of n items.
            floor: cosine of unrelated answers.
            cosines: between texts; needed unless the ground is entailment or exact for all items.
            progress: called while texts are embedded.

        Returns:
            By the item's number, for items that have samples.
        """
        every = ItemPairs.of(pairs)
        by_entailment = self.same_by == Ground.ENTAILMENT or (self.same_by == "auto" and self.entailment)
        if by_entailment and self.entailment is not None:
            return entailment_relations(every, self.entailment)
        if self.same_by == Ground.EXACT:
            return exact_relations(every)
        short = every.short & (self.same_by == "auto")
        found = exact_relations(every.of_items(short))
        others = every.of_items(~short)
        if cosines is not None and len(others.item):
            found |= self._by_cosine(others, floor, cosines, progress)
        return found

    def _by_cosine(
        self, pairs: ItemPairs, floor: Floor, cosines: Cosines, progress: Progress | None
    ) -> dict[int, Relations]:
        values = value_pairs(
            _CosineMeasures(self.guards), _as_pairs(pairs), floor.value, cosines=cosines, scorer=None,
            entailment=self.entailment, progress=progress,
        )  # fmt: skip
        cosine = 2 * values.measures["cosine_sim"] - 1
        close = cosine >= same_answer_cosine(cosines.signature, floor.value)
        return cosine_relations(pairs, values.measures["consistency"], close & ~marked(values.findings))


@dataclass(frozen=True)
class _CosineMeasures:
    """The measures that relations by cosine are made of."""

    guards: tuple[str, ...]
    measures: tuple[str, ...] = ("consistency", "cosine_sim")
    needs: frozenset[str] = frozenset({"cosine", "floor", "contradicted"})


def _as_pairs(pairs: ItemPairs) -> Pairs:
    """Give each first text with the texts after it as an item of its own, as guards compare languages."""
    numbers = np.stack([pairs.item, pairs.first])
    item = np.cumsum(np.any(np.diff(numbers, axis=1, prepend=-1) != 0, axis=0)) - 1
    used, places = np.unique(np.concatenate([pairs.first, pairs.second]), return_inverse=True)
    first, second = places.reshape(2, -1)
    status = np.full(int(item[-1]) + 1 if len(item) else 0, Status.SCORED, dtype=object)
    texts = [pairs.texts[text] for text in used.tolist()]
    return Pairs(texts, first, second, item, np.zeros_like(item), status)
