"""Values of pairs of an answer and a sample, made in blocks so that memory stays bounded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Protocol

import numpy as np

from semscale.answer_consistency.scoring.contradictions import PairTexts, find_contradictions, marked
from semscale.answer_consistency.scoring.entailed_contradictions import (
    contradiction_probabilities,
    entailed_findings,
)
from semscale.answer_consistency.scoring.guarded_samples import guards_read_samples
from semscale.answer_consistency.scoring.pair_measures import PAIR_MEASURES, PairParts
from semscale.answer_consistency.scoring.short_answers import SAME_ANSWER, differing_words, same_answer_cosine
from semscale.guards.findings import Finding
from semscale.matching.bertscore.scorer import BertScorer
from semscale.matching.cosines import Cosines
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.matching.languages.unread_pairs import in_other_language
from semscale.matching.pairs import Pairs
from semscale.types import Floats, Integers, Mask, Progress

BLOCK = 32_768
"""Pairs whose texts are embedded together."""


class MeasureChoice(Protocol):
    """The measures and guards that were chosen."""

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of measures."""

    @property
    def guards(self) -> tuple[str, ...]:
        """Names of guards."""

    @property
    def needs(self) -> frozenset[str]:
        """What the measures are made from: ``cosine``, ``floor``, ``contradicted``, ``f1``."""


@dataclass(frozen=True)
class PairValues:
    """Values of p pairs.

    Attributes:
        measures: each of shape (p,).
        windows: shape (p,), the most windows that one of the two texts was read in.
        findings: p tuples of what contradicts.
        unread: shape (p,), whether a model that a measure needs cannot read one of the two texts.
        foreign: shape (p,), whether one of the two is in a language that such a model does not read.
    """

    measures: Mapping[str, Floats]
    windows: Integers
    findings: Sequence[tuple[Finding, ...]]
    unread: Mask
    foreign: Mask

    def take(self, kept: Mask) -> "PairValues":
        """Give the values of some pairs.

        Args:
            kept: shape (p,), which ones.
        """
        return PairValues(
            {name: values[kept] for name, values in self.measures.items()},
            self.windows[kept],
            list(compress(self.findings, kept.tolist())),
            self.unread[kept],
            self.foreign[kept],
        )


def value_pairs(  # noqa: PLR0913 - two engines, and what they are for
    chosen: MeasureChoice,
    pairs: Pairs,
    floor: float,
    *,
    cosines: Cosines | None,
    scorer: BertScorer | None,
    entailment: EntailmentModel | None = None,
    progress: Progress | None = None,
) -> PairValues:
    """Compute each measure for each pair.

    Args:
        chosen: the measures and guards.
        pairs: p pairs of an answer (``prediction``) and a sample (``reference``).
        floor: cosine of unrelated answers.
        cosines: where a measure needs them.
        scorer: where a measure needs BERTScores.
        entailment: finds contradictions beside the guards, if it is given; it is asked in one call.
        progress: called while texts are embedded and scored.
    """
    p = len(pairs.item)
    guarded = _guarded(chosen, pairs)
    contradiction: Floats = np.full(p, np.nan)
    if entailment is not None and "contradicted" in chosen.needs:
        contradiction = contradiction_probabilities(pairs, entailment)
    measures = {name: np.full(p, np.nan) for name in chosen.measures}
    windows: Integers = np.zeros(p, np.int64)
    unread = np.zeros(p, np.bool_)
    findings: list[tuple[Finding, ...]] = []
    for start in range(0, p, BLOCK):
        rows = slice(start, start + BLOCK)
        block = _part(pairs, rows)
        parts, windows[rows], unread[rows] = _parts(block, floor, cosines, scorer, progress)
        parts = replace(parts, guarded=guarded[rows])
        found = _findings(chosen, parts, cosines, contradiction[rows])
        looked = guarded[rows] | ~np.isnan(contradiction[rows])
        parts = replace(parts, contradicted=marked(found), guarded=looked)
        for name in chosen.measures:
            measures[name][rows] = PAIR_MEASURES[name].values(parts)
        findings += found
    models = [model.signature for model in (cosines, scorer) if model is not None]
    return PairValues(measures, windows, findings, unread, in_other_language(pairs, *models))


def _part(pairs: Pairs, rows: slice) -> Pairs:
    """Give some of the pairs with their own texts only."""
    used, places = np.unique(np.stack([pairs.prediction[rows], pairs.reference[rows]]), return_inverse=True)
    answer, sample = places.reshape(2, -1)
    texts = [pairs.texts[place] for place in used.tolist()]
    return Pairs(texts, answer, sample, pairs.item[rows], pairs.place[rows], pairs.status)


def _parts(
    block: Pairs,
    floor: float,
    cosines: Cosines | None,
    scorer: BertScorer | None,
    progress: Progress | None,
) -> tuple[PairParts, Integers, Mask]:
    """Give what measures are made from, the windows of each pair, and which pairs are not read."""
    n = len(block.item)
    cosine, f1 = np.full(n, np.nan), np.full(n, np.nan)
    windows: Integers = np.ones(n, np.int64)
    unread = np.zeros(n, np.bool_)
    if cosines is not None:
        found = cosines.of(block.texts, block.prediction, block.reference, progress)
        cosine, windows, unread = found.values, found.windows, found.unread
    if scorer is not None:
        scored = scorer.score_pairs(block, progress=progress)
        f1, windows = scored.values[:, 2], np.maximum(windows, scored.windows)
        unread = unread | scored.unread
    nothing, all_read = np.zeros(n, dtype=bool), np.ones(n, dtype=bool)
    parts = PairParts(block.texts, block.prediction, block.reference, cosine, floor, nothing, all_read, f1)
    return parts, windows, unread


def _findings(
    chosen: MeasureChoice, parts: PairParts, cosines: Cosines | None, contradiction: Floats
) -> list[tuple[Finding, ...]]:
    if "contradicted" not in chosen.needs:
        return [()] * len(parts.cosine)
    same = SAME_ANSWER if cosines is None else same_answer_cosine(cosines.signature, parts.floor)
    differing = None if cosines is None or "answer" not in chosen.guards else _differing(parts, cosines)
    texts = PairTexts(parts.texts, parts.answer, parts.sample, parts.cosine, parts.guarded, same, differing)
    by_guards = find_contradictions(texts, chosen.guards)
    entailed = entailed_findings(texts, contradiction)
    return [(*ours, *theirs) for ours, theirs in zip(by_guards, entailed, strict=True)]


def _differing(parts: PairParts, cosines: Cosines) -> Floats:
    """Give the cosine of the words in which two short answers of one wording differ, shape (p,).

    NaN where there are none.
    """
    found: Floats = np.full(len(parts.answer), np.nan)
    numbers: dict[str, int] = {}
    rows: list[list[int]] = []
    for pair, (answer, sample) in enumerate(zip(parts.answer.tolist(), parts.sample.tolist(), strict=True)):
        words = differing_words(parts.texts[answer], parts.texts[sample]) if parts.guarded[pair] else None
        if words is not None:
            rows.append([pair, *(numbers.setdefault(each, len(numbers)) for each in words)])
    if rows:
        pair_of, first, second = np.array(rows, np.int64).T
        found[pair_of] = cosines.of(list(numbers), first, second).values
    return found


def _guarded(chosen: MeasureChoice, pairs: Pairs) -> Mask:
    """Tell in which pairs guards look for contradictions, or are not asked to, shape (p,)."""
    n = len(pairs.item)
    if "contradicted" not in chosen.needs:
        return np.ones(n, np.bool_)
    rows = zip(pairs.item.tolist(), pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
    samples: dict[int, list[str]] = {}
    answers: dict[int, str] = {}
    for item, answer, sample in rows:
        answers[item] = pairs.texts[answer]
        samples.setdefault(item, []).append(pairs.texts[sample])
    looked = (each for item, texts in samples.items() for each in guards_read_samples(answers[item], texts))
    return np.fromiter(looked, np.bool_, n)
