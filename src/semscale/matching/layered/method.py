"""The layered match of the ClinIQLink evaluator: words, sentences and paragraphs by their vectors."""

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from semscale.embedding import Embedder
from semscale.embedding.torch_engine.device import gpu_of
from semscale.embedding.torch_engine.transfers import fetched
from semscale.matching.cosines import Cosines
from semscale.matching.device_best import best_on_device
from semscale.matching.layered.arithmetic import above_baseline, aligned_f1, f1_of_best, layered_score
from semscale.matching.layered.presets import LayeredPreset
from semscale.matching.layered.word_alignment import alignment_frame
from semscale.matching.pairs import Pairs
from semscale.matching.scored_pairs import ScoredPairs
from semscale.matching.unrelated import corpus_hash, unrelated_pairs
from semscale.matching.words.idf import WordIdf, smoothed_idf
from semscale.matching.words.pieces import Pieces, PieceTable, alphanumeric
from semscale.matching.words.stop_words import content_only
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True)
class _CorpusEstimates:
    """Estimates from a corpus: word weights and the baseline.

    Attributes:
        idf: weights of word pieces.
        baseline: cosine of unrelated texts; NaN where nothing is matched.
        corpus: its hash.
    """

    idf: WordIdf
    baseline: float
    corpus: str

    @property
    def shown_baseline(self) -> float | None:
        """The baseline as a signature has it."""
        return None if math.isnan(self.baseline) else round(self.baseline, 4)


class LayeredMatch:
    """Matches by .4 word, .4 sentence and .2 paragraph similarity, as ``preset`` reads the published method.

    Args:
        preset: see ``semscale.matching.layered.presets``.
        embedder: embeds texts, and word pieces without context.
        pieces: splits a text into word pieces.
        corpus: references from which word weights and the baseline are estimated; by default those of the
            pairs.
        seed: seed of the draw of unrelated pairs.

    References:
        ClinIQLink 2025 evaluator (CC0), BioNLP workshop at ACL 2025.
    """

    def __init__(
        self,
        preset: LayeredPreset,
        *,
        embedder: Embedder,
        pieces: Pieces,
        corpus: Sequence[str] | None = None,
        seed: int = 0,
    ) -> None:
        self._preset = preset
        self._pieces = pieces
        self._table = PieceTable(embedder)
        self._cosines = Cosines(embedder)
        self._gpu = gpu_of(embedder)
        self._corpus = corpus
        self._seed = seed

    @property
    def signature(self) -> Signature:
        """Signature of the settings; that of a result also has the estimated baseline."""
        corpus = "references" if self._corpus is None else corpus_hash(sorted(self._corpus))
        return self._signed(corpus, "estimated")

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair.

        Raises:
            InputError: the corpus has too few different texts to estimate a baseline from.
        """
        estimates = self._estimates_for(pairs)
        cleaned = [self._cleaned(text) for text in pairs.texts]
        word = self._word_layer(pairs, cleaned, estimates.idf)
        sentence = self._cosines.of(cleaned, pairs.prediction, pairs.reference, progress)
        whole = sentence
        if not self._preset.cleaned_paragraph:
            whole = self._cosines.of(pairs.texts, pairs.prediction, pairs.reference, progress)
        paragraph = above_baseline(whole.values, estimates.baseline)
        if self._preset.clipped_paragraph:
            paragraph = np.maximum(paragraph, 0.0)
        score = layered_score(word, sentence.values, paragraph)
        if self._preset.equality_first:
            score[_equal_but_for_case(pairs)] = 1.0
        layers = {"word": word, "sentence": sentence.values, "paragraph": paragraph}
        signature = self._signed(estimates.corpus, estimates.shown_baseline)
        unread = (
            self._unread_of(pairs, cleaned, whole.unread) if self._preset.cleaned_paragraph else whole.unread
        )
        return ScoredPairs(score, layers, whole.windows, signature, unread=unread)

    def _unread_of(self, pairs: Pairs, cleaned: Sequence[str], unread: Mask) -> Mask:
        """Tell which pairs have a text that the model cannot read, though cleaning left nothing of some.

        Args:
            pairs: p pairs.
            cleaned: their texts without stop words.
            unread: shape (p,), which pairs have a cleaned text that the model cannot read.
        """
        rows, found = np.flatnonzero(unread), unread.copy()
        kept = [short or text for short, text in zip(cleaned, pairs.texts, strict=True)]
        found[rows] = self._cosines.of(kept, pairs.prediction[rows], pairs.reference[rows]).unread
        return found

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain the word layer of some pairs, each as a table like that of ``alignment_frame``."""
        idf = self._estimates_for(pairs).idf
        return [self._alignment(pairs, row, idf) for row in rows]

    def _alignment(self, pairs: Pairs, row: int, idf: WordIdf) -> pl.DataFrame:
        texts = (pairs.texts[at] for at in (pairs.prediction[row], pairs.reference[row]))
        ours, theirs = (alphanumeric(self._pieces(self._cleaned(text))) for text in texts)
        self._table.learn([*ours, *theirs])
        vectors = self._table.vectors
        similarity = vectors[self._table.rows(ours)] @ vectors[self._table.rows(theirs)].T
        return alignment_frame(ours, theirs, similarity, (idf.of(ours), idf.of(theirs)))

    def over(self, corpus: Sequence[str]) -> "LayeredMatch":
        """Return the method with weights and baseline from a corpus, not from each call's references."""
        other = copy(self)
        other._corpus = corpus
        other.__dict__.pop("_given", None)
        return other

    @property
    def has_corpus(self) -> bool:
        """Whether a corpus was given."""
        return bool(self._corpus)

    @cached_property
    def _given(self) -> _CorpusEstimates | None:
        """What the given corpus says, if one was given."""
        return self._estimated(self._corpus) if self._corpus else None

    def _estimates_for(self, pairs: Pairs) -> _CorpusEstimates:
        return self._given or self._estimated([pairs.texts[row] for row in pairs.reference])

    def _estimated(self, texts: Sequence[str]) -> _CorpusEstimates:
        corpus = sorted(texts)  # so that their order changes no draw
        return _CorpusEstimates(self._idf(corpus), self._baseline(corpus), corpus_hash(corpus))

    def _idf(self, corpus: Sequence[str]) -> WordIdf:
        return smoothed_idf((self._pieces(text) for text in corpus), unseen=self._preset.unseen_idf)

    def _cleaned(self, text: str) -> str:
        return content_only(text, marks_apart=self._preset.marks_apart)

    def _signed(self, corpus: str, baseline: float | str | None) -> Signature:
        signature = Signature.of(
            "match", method=self._preset.name, corpus=corpus, baseline=baseline, seed=self._seed
        )
        return signature.extended(self._cosines.signature)

    def _baseline(self, corpus: Sequence[str]) -> float:
        n, fixed = self._preset.baseline_pairs, self._preset.fixed_baseline
        if not corpus:  # nothing is matched
            return math.nan
        if fixed is None:
            distinct = list(dict.fromkeys(corpus))
            return self._mean_cosine(distinct, unrelated_pairs(distinct, n, self._seed))
        if len(corpus) < 2 * n:
            return fixed
        drawn = np.random.default_rng(self._seed).permutation(len(corpus))[: 2 * n]
        return self._mean_cosine(corpus, drawn.reshape(2, n).T)

    def _mean_cosine(self, texts: Sequence[str], pairs: Integers) -> float:
        return float(self._cosines.of(texts, pairs[:, 0], pairs[:, 1]).values.mean())

    def _word_layer(self, pairs: Pairs, cleaned: Sequence[str], idf: WordIdf) -> Floats:
        kept = [alphanumeric(self._pieces(text)) for text in cleaned]
        self._table.learn(piece for pieces in kept for piece in pieces)
        words = [_Words.of(pieces, self._table, idf) for pieces in kept]
        texts = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
        sides = [(words[ours], words[theirs]) for ours, theirs in texts]
        if self._gpu is not None:
            return self._word_layer_on(self._gpu, sides)
        vectors, layer = self._table.vectors, np.empty(len(sides))
        for pair, (ours, theirs) in enumerate(sides):
            similarity = vectors[ours.rows] @ vectors[theirs.rows].T
            layer[pair] = aligned_f1(similarity, ours.weights, theirs.weights)
        return layer

    def _word_layer_on(self, gpu: "torch.device", sides: "Sequence[tuple[_Words, _Words]]") -> Floats:
        """Compute the word layer with the products on the GPU that embeds."""
        import torch

        layer = np.zeros(len(sides))  # a side without a token matches nothing
        worded = [at for at, (ours, theirs) in enumerate(sides) if len(ours.rows) and len(theirs.rows)]
        places = [(sides[at][0].rows, sides[at][1].rows) for at in worded]
        vectors = torch.from_numpy(self._table.vectors).to(gpu)
        for found, output in fetched(best_on_device(vectors, places)):
            best = found.read(output)
            for at, own in zip(found.pairs.tolist(), zip(best[::2], best[1::2], strict=True), strict=True):
                ours, theirs = sides[worded[at]]
                layer[worded[at]] = f1_of_best(own, ours.weights, theirs.weights)
        return layer


@dataclass(frozen=True)
class _Words:
    """One text's word pieces: their rows in the table, and their weights."""

    rows: Integers
    weights: Floats

    @classmethod
    def of(cls, pieces: list[str], table: PieceTable, idf: WordIdf) -> "_Words":
        return cls(table.rows(pieces), idf.of(pieces))


def _equal_but_for_case(pairs: Pairs) -> Integers:
    lowered = [text.strip().lower() for text in pairs.texts]
    both = zip(pairs.prediction, pairs.reference, strict=True)
    return np.flatnonzero([lowered[prediction] == lowered[reference] for prediction, reference in both])
