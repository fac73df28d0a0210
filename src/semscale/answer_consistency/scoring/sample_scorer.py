"""Scores answers against their samples, with the measures, guards and floor that were chosen."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from semscale.answer_consistency.meanings.meaning_measures import (
    MEANING_MEASURES,
    Meanings,
    measure_meanings,
)
from semscale.answer_consistency.meanings.relations import ItemPairs, Relations, both_directions
from semscale.answer_consistency.meanings.sentence_entailment import SentenceEntailment
from semscale.answer_consistency.scoring.entailed_contradictions import CONTRADICTS_ABOVE
from semscale.answer_consistency.scoring.floor import NO_FLOOR, Floor, estimate_floor, given_floor
from semscale.answer_consistency.scoring.measures import needed_parts
from semscale.answer_consistency.scoring.memoized_embedder import MemoizedEmbedder
from semscale.answer_consistency.scoring.pair_blocks import PairValues, value_pairs
from semscale.answer_consistency.scoring.pair_measures import PAIR_MEASURES, item_means
from semscale.answer_consistency.scoring.pair_readers import MemoizedEntailment, PairReaders
from semscale.answer_consistency.scoring.sample_meanings import RelationGrounds
from semscale.answer_consistency.scoring.samples import SampledAnswers, take_samples
from semscale.answer_consistency.scoring.unread_samples import leave_out_unread
from semscale.answer_consistency.white_box.mixed_measures import MIXED_MEASURES
from semscale.answer_consistency.white_box.sampled_measures import SAMPLED_MEASURES
from semscale.embedding.loading import as_embedder
from semscale.matching.bertscore.scorer import BertScorer
from semscale.matching.cosines import Cosines
from semscale.matching.entailment.choices import chosen_model
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.pair_languages import with_identifier, with_read_languages
from semscale.signature import Signature
from semscale.types import Floats, Progress

if TYPE_CHECKING:
    from collections.abc import Callable

    from semscale.embedding import Embedder


class _Chosen(NamedTuple):
    """The measures of pairs, the guards, and what they are made from."""

    measures: tuple[str, ...]
    guards: tuple[str, ...]
    needs: frozenset[str]


@dataclass(frozen=True)
class SampleScorer:
    """Scores answers against their samples; models are loaded when they are first needed.

    Attributes:
        measures: names of measures; the first one is the score.
        guards: names of the guards that look for contradictions.
        floor: cosine of unrelated answers, -1 to below 1, or ``auto`` to estimate it.
        fewest_samples: usable samples below which an item has no values.
        seed: of the draw of unrelated pairs.
        embedder_choice: a known model, a folder, a name on the hub, or an embedder; ``None`` for the default.
        bert_choice: the model of ``bert_score``, likewise, or a ``BertScorer``.
        same_by: how texts are found to mean the same, as ``SAME_BY`` has it.
        nli_choice: a model of entailment, if any: its name, its folder, or the model.
        by_sentence: whether that model reads texts of several sentences sentence by sentence.
    """

    measures: tuple[str, ...]
    guards: tuple[str, ...]
    floor: float | str
    fewest_samples: int
    seed: int
    embedder_choice: "str | Path | Embedder | None"
    bert_choice: "str | Path | Embedder | BertScorer"
    same_by: str = "auto"
    nli_choice: "str | Path | EntailmentModel | None" = None
    by_sentence: bool = True

    @cached_property
    def embedder(self) -> "Embedder":
        """What turns texts into vectors."""
        return as_embedder(self.embedder_choice)

    @cached_property
    def bert_scorer(self) -> BertScorer:
        """What gives BERTScores."""
        given = self.bert_choice
        if isinstance(given, str | Path) or callable(getattr(given, "embed", None)):
            return BertScorer(cast("str | Path | Embedder", given))
        return cast(BertScorer, given)

    @cached_property
    def entailment(self) -> EntailmentModel | None:
        """What says whether texts entail each other; ``None`` if none was chosen."""
        return None if self.nli_choice is None else chosen_model(self.nli_choice)

    @property
    def needs(self) -> frozenset[str]:
        """What the measures are made from, as ``needed_parts`` gives it."""
        return needed_parts(self.measures, self.same_by, has_entailment=self.nli_choice is not None)

    @property
    def pair_measures(self) -> tuple[str, ...]:
        """The measures of an answer beside each of its samples, those that mixed measures need included."""
        mixed = (MIXED_MEASURES[name].pairs for name in self.measures if name in MIXED_MEASURES)
        named = (*(name for name in self.measures if name in PAIR_MEASURES), *mixed)
        return tuple(dict.fromkeys(named))

    def values(
        self,
        taken: SampledAnswers,
        floor: Floor | None = None,
        progress: Progress | None = None,
        *,
        readers: PairReaders | None = None,
    ) -> tuple[PairValues, Floor]:
        """Compute the measures of all pairs of an answer and a sample, and give the floor that was applied.

        Args:
            taken: n answers with their samples.
            floor: estimated from these answers unless given.
            progress: called while texts are embedded and scored.
            readers: models that keep what they read from call to call; new ones unless given.

        Raises:
            ModelError: the model cannot be run.
        """
        readers = readers or self.readers()
        if floor is None:
            answers = [taken.pairs.texts[place] for place in np.unique(taken.pairs.prediction).tolist()]
            floor = self.floor_of(answers, progress, cosines=readers.cosines)
        if readers.entailment is not None and self.needs >= {"meanings", "contradicted"}:
            # The measures of meanings compare samples with each other, too: all pairs are asked for at once.
            readers.entailment.entailments(*both_directions(ItemPairs.of(taken.pairs)))
        chosen = _Chosen(self.pair_measures, self.guards, self.needs)
        values = value_pairs(
            chosen,
            taken.pairs,
            floor.value,
            cosines=readers.cosines,
            scorer=self.bert_scorer if "f1" in self.needs else None,
            entailment=readers.entailment,
            progress=progress,
        )
        return values, floor

    def meanings(
        self,
        taken: SampledAnswers,
        floor: Floor,
        progress: Progress | None = None,
        *,
        readers: PairReaders | None = None,
    ) -> Meanings | None:
        """Compute the measures of items from how all their texts relate; ``None`` if none is asked for.

        Args:
            taken: n answers with their samples.
            floor: cosine of unrelated answers.
            progress: called while texts are embedded.
            readers: models that keep what they read from call to call; new ones unless given.
        """
        if "meanings" not in self.needs:
            return None
        related = self.related(taken, floor, progress, readers=readers)
        names = tuple(name for name in self.measures if name in MEANING_MEASURES)
        return measure_meanings(related, names, taken.pairs.n_items)

    def related(
        self,
        taken: SampledAnswers,
        floor: Floor,
        progress: Progress | None = None,
        *,
        readers: PairReaders | None = None,
    ) -> dict[int, Relations]:
        """Say how all texts of each item relate, by the item's number; as ``meanings`` takes arguments."""
        readers = readers or self.readers()
        grounds = RelationGrounds(self.same_by, readers.entailment, self.guards)
        return grounds.relate(taken.pairs, floor, readers.cosines, progress)

    def single_samples(
        self, answers: list[str], floor: Floor | None = None, *, readers: PairReaders | None = None
    ) -> "tuple[Callable[[list[str], list[str]], Floats], Floor]":
        """Prepare to score single samples as they come, all of them on one floor.

        Args:
            answers: all answers; the floor is estimated from them unless it is given.
            floor: the floor, where it is known.
            readers: models that keep what they read from call to call; new ones unless given.

        Returns:
            A function that takes k answers and a sample of each, and gives scores of shape (k,), NaN where
            there is none; and the floor.
        """
        readers = readers or self.readers()
        applied = floor or self.floor_of(answers, cosines=readers.cosines)

        def score(answers: list[str], samples: list[str]) -> Floats:
            taken = take_samples(answers, [[sample] for sample in samples])
            values, _ = self.values(taken, applied, readers=readers)
            taken, values = leave_out_unread(taken, values, fewest=1)
            return item_means(values.measures[self.measures[0]], taken.pairs.item, taken.pairs.n_items)

        return score, applied

    def floor_of(
        self, answers: list[str], progress: Progress | None = None, *, cosines: Cosines | None = None
    ) -> Floor:
        """Give the floor that was set, or estimate it from answers; ``NO_FLOOR`` if no measure needs one.

        Args:
            answers: texts; equal ones count once.
            progress: called while texts are embedded.
            cosines: between texts; new ones unless given.
        """
        if "floor" not in self.needs:
            return NO_FLOOR
        if not isinstance(self.floor, str):
            return given_floor(self.floor)
        used = cosines or Cosines(MemoizedEmbedder(self.embedder))
        return estimate_floor(list(dict.fromkeys(answers)), used, seed=self.seed, progress=progress)

    def signature(self, floor: Floor | None = None) -> Signature:
        """Record what is applied; without ``floor``, what is known before anything is measured."""
        if floor is None:
            floor = Floor(0.0, "auto") if isinstance(self.floor, str) else given_floor(self.floor)
        needs = self.needs
        settings: dict[str, object] = {"measures": "+".join(self.measures)}
        if "floor" in needs:
            settings |= {
                "floor": floor.value if floor.origin != "auto" else "auto",
                "floor_from": floor.origin,
            }
            settings |= {} if floor.origin == "given" else {"seed": self.seed}
        if "contradicted" in needs:
            settings["guards"] = "+".join(self.guards) or "none"
        if needs >= {"contradicted", "entailment"}:
            settings["contradiction_above"] = CONTRADICTS_ABOVE
        settings |= {"same_by": self.same_by} if "meanings" in needs else {}
        signature = Signature.of("consistency", **settings, fewest_samples=self.fewest_samples)
        if "cosine" in needs:
            signature = signature.extended(self.embedder.signature)
        if "f1" in needs:
            bert = self.bert_scorer.signature.fields
            signature = signature.extended(
                Signature("bertscore", tuple((f"bert_{name}", value) for name, value in bert))
            )
        signature = self._with_entailment(signature)
        # Guards pass over pairs in other languages than English.
        looking = "contradicted" in needs and self.guards
        return with_identifier(signature) if looking else with_read_languages(signature)

    def _with_entailment(self, signature: Signature) -> Signature:
        """Add the model of entailment, and how it reads texts; semantic density always reads them whole."""
        if "entailment" not in self.needs or self.entailment is None:
            return signature
        model = self.entailment.signature.fields
        signature = signature.extended(
            Signature("entailment", tuple((f"entailment_{name}", value) for name, value in model))
        )
        others = [name for name in self.measures if name not in SAMPLED_MEASURES]
        if "entailment" not in needed_parts(others, self.same_by, has_entailment=True):
            return signature
        reads = "max/mean" if self.by_sentence else "whole"
        return signature.extended(Signature.of("entailment", entailment_sentences=reads))

    def readers(self) -> PairReaders:
        """Give the models that the measures need; they embed each text, and judge each pair, once."""
        needs = self.needs
        model = self.entailment if "entailment" in needs else None
        cosines = Cosines(MemoizedEmbedder(self.embedder)) if "cosine" in needs else None
        if model is None:
            return PairReaders(cosines)
        whole = MemoizedEntailment(model)
        return PairReaders(cosines, SentenceEntailment(whole) if self.by_sentence else whole, whole)
