"""The layered match of the ClinIQLink benchmark: words, sentences and paragraphs, in its two presets."""

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
from semscale.matching.cosines import Cosines, best_on_device
from semscale.matching.pairs import Pairs, ScoredPairs
from semscale.matching.separation import corpus_hash, unrelated_pairs
from semscale.matching.words import Pieces, PieceTable, WordIdf, alphanumeric, content_only, smoothed_idf
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


@dataclass(frozen=True)
class LayeredPreset:
    """Settings in which document and code of the layered match differ.

    Attributes:
        name: as signatures have it.
        equality_first: texts that are equal but for case score 1, before any layer is computed.
        marks_apart: cleaning drops "the," because it reads a comma as a token of its own.
        cleaned_paragraph: the paragraph layer reads texts without stop words, as the sentence layer does.
        clipped_paragraph: a paragraph layer below the baseline counts as 0.
        baseline_pairs: how many unrelated pairs of references the baseline is the mean of.
        fixed_baseline: the baseline where there are fewer than two references a pair, as each is used once;
            ``None`` where pairs of references are drawn from all there are.
        unseen_idf: weight of a word piece that no reference holds; ``None`` for what the formula gives.
    """

    name: str
    equality_first: bool
    marks_apart: bool
    cleaned_paragraph: bool
    clipped_paragraph: bool
    baseline_pairs: int
    fixed_baseline: float | None
    unseen_idf: float | None


class LayeredMatch:
    """Matches by .4 word, .4 sentence and .2 paragraph similarity, as ``preset`` reads the published method.

    Args:
        preset: one of ``PRESETS``.
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


PRESETS = {
    preset.name: preset
    for preset in (
        LayeredPreset(
            name="cliniqlink-doc",
            equality_first=False,
            marks_apart=True,
            cleaned_paragraph=False,
            clipped_paragraph=False,
            baseline_pairs=100,
            fixed_baseline=None,
            unseen_idf=None,
        ),
        LayeredPreset(
            name="cliniqlink-code",
            equality_first=True,
            marks_apart=False,
            cleaned_paragraph=True,
            clipped_paragraph=True,
            baseline_pairs=50,
            fixed_baseline=0.3,
            unseen_idf=1.0,
        ),
    )
}


WORD, SENTENCE, PARAGRAPH = 0.4, 0.4, 0.2
"""Weights of the layers."""


FLOOR = 0.25
"""Subtracted from the weighted sum, as unrelated texts have about this score."""


SNAP = 0.95
"""Scores of at least this become 1."""


def aligned_f1(similarity: Floats, prediction_weights: Floats, reference_weights: Floats) -> float:
    """Align every token greedily with the most similar one of the other text, and compute the weighted F1.

    Precision is the weighted mean over the prediction's tokens of their best similarity, recall the same over
    the reference's, F1 = 2PR / (P + R).

    Args:
        similarity: shape (p, r), cosines of p tokens of the prediction with r of the reference.
        prediction_weights: shape (p,), greater than 0.
        reference_weights: shape (r,), greater than 0.

    Returns:
        -1 to 1; 0 where one side has no token, or where P + R is 0.

    Example:
        >>> aligned_f1(np.array([[1.0, 0.0]]), np.ones(1), np.ones(2))  # P = 1, R = 1/2
        0.6666666666666666
    """
    if similarity.size == 0:
        return 0.0
    best = similarity.max(axis=1), similarity.max(axis=0)
    return f1_of_best(best, prediction_weights, reference_weights)


def f1_of_best(best: tuple[Floats, Floats], prediction_weights: Floats, reference_weights: Floats) -> float:
    """Compute the weighted F1 of tokens whose best similarities are known, as ``aligned_f1`` does.

    Args:
        best: of the prediction's tokens, shape (p,), and of the reference's, shape (r,).
        prediction_weights: shape (p,), greater than 0.
        reference_weights: shape (r,), greater than 0.
    """
    precision = float(best[0] @ prediction_weights / prediction_weights.sum())
    recall = float(best[1] @ reference_weights / reference_weights.sum())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def above_baseline(cosine: Floats, baseline: float) -> Floats:
    """Rescale cosines to 0 at the baseline and 1 at 1: ``(cosine - baseline) / (1 - baseline)``."""
    return (cosine - baseline) / (1 - baseline)


def layered_score(word: Floats, sentence: Floats, paragraph: Floats) -> Floats:
    """Compute .4 word + .4 sentence + .2 paragraph - .25, at least 0; .95 and more becomes 1.

    Equal texts score .75, as 1 - .25 never reaches .95; the snap is kept as the published evaluator has it.

    Example:
        >>> layered_score(np.array([1.0, 0.0]), np.array([1.0, 0.1]), np.array([1.0, 0.0])).tolist()
        [0.75, 0.0]
    """
    total = np.maximum(WORD * word + SENTENCE * sentence + PARAGRAPH * paragraph - FLOOR, 0.0)
    return np.where(total >= SNAP, 1.0, total)


def alignment_frame(
    predicted: Sequence[str], referred: Sequence[str], similarity: Floats, weights: tuple[Floats, Floats]
) -> pl.DataFrame:
    """Align every token with the most similar one of the other text, with each token's contribution.

    Args:
        predicted: p tokens of the prediction.
        referred: r tokens of the reference.
        similarity: shape (p, r), cosines.
        weights: of both sides' tokens, shapes (p,) and (r,), greater than 0.

    Returns:
        Columns ``side``, ``place``, ``token``, ``matched_place``, ``matched_token``, ``similarity``,
        ``weight`` (a share of its side's) and ``contribution``. The contributions of a side sum to precision
        (prediction) or recall (reference). Empty where one side has no token.

    Example:
        >>> one = np.ones(1)
        >>> alignment_frame(["heart"], ["cardiac"], np.array([[0.6]]), (one, one))["matched_token"].to_list()
        ['cardiac', 'heart']
    """
    sides = [
        _side("prediction", predicted, referred, similarity, weights[0]),
        _side("reference", referred, predicted, similarity.T, weights[1]),
    ]
    return pl.concat(sides) if similarity.size else pl.concat(sides).clear()


def _side(
    name: str, tokens: Sequence[str], others: Sequence[str], similarity: Floats, weights: Floats
) -> pl.DataFrame:
    found = bool(similarity.size)
    places = similarity.argmax(axis=1) if found else np.zeros(len(tokens), np.int64)
    best = similarity.max(axis=1) if found else np.zeros(len(tokens))
    shares = weights / weights.sum() if len(weights) else weights
    return pl.DataFrame(
        {
            "side": pl.Series([name] * len(tokens), dtype=pl.String),
            "place": np.arange(len(tokens)),
            "token": pl.Series(list(tokens), dtype=pl.String),
            "matched_place": places.astype(np.int64),
            "matched_token": pl.Series([others[at] if found else None for at in places], dtype=pl.String),
            "similarity": best.astype(np.float64),
            "weight": shares.astype(np.float64),
            "contribution": (shares * best).astype(np.float64),
        }
    )
