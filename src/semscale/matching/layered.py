"""The layered match of the ClinIQLink benchmark: words, sentences and paragraphs, in its two presets."""

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from semscale.embedding import Embedder
from semscale.json_reading import encodable
from semscale.matching.cosines import Cosines
from semscale.matching.pairs import Pairs, ScoredPairs, corpus_hash, draw_unrelated_pairs, side_table
from semscale.matching.words import stop_words
from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask, Progress

if TYPE_CHECKING:
    from tokenizers import Tokenizer

WORD, SENTENCE, PARAGRAPH = 0.4, 0.4, 0.2
"""Weights of the layers."""

FLOOR = 0.25
"""Subtracted from the weighted sum; about the score of unrelated texts."""

SNAP = 0.95
"""Scores of at least this become 1."""

_WORDS_AND_MARKS = re.compile(r"\w+(?:[.'-]\w+)*|[^\w\s]")
_PUNCTUATION = frozenset(string.punctuation)
_WORD_BEGIN = "▁"  # SentencePiece marks the begin of a word, BERT the continuation of one

Pieces = Callable[[str], list[str]]
"""Splits a text into word pieces, without special tokens and without a limit."""


@dataclass(frozen=True)
class LayeredPreset:
    """Settings in which the published description and the published code of the layered match differ.

    Attributes:
        name: name in signatures.
        equality_first: whether texts that differ only in case score 1, without computing any layer.
        marks_apart: whether cleaning reads a comma as a separate token, so that it drops the stop word in
            "the,".
        cleaned_paragraph: whether the paragraph layer, like the sentence layer, reads texts without stop
            words.
        clipped_paragraph: whether a paragraph layer below the baseline counts as 0.
        baseline_pairs: number of unrelated pairs of references; their mean cosine is the baseline.
        fixed_baseline: the baseline for fewer than ``2 * baseline_pairs`` references; with more, each
            reference is in at most one pair. ``None``: pairs are drawn from all pairs of references.
        unseen_idf: weight of a word piece that no reference contains; ``None`` for the formula's weight.
    """

    name: str
    equality_first: bool
    marks_apart: bool
    cleaned_paragraph: bool
    clipped_paragraph: bool
    baseline_pairs: int
    fixed_baseline: float | None
    unseen_idf: float | None


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


class LayeredMatch:
    """Matching method: .4 word, .4 sentence and .2 paragraph similarity, with one of two presets.

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
        self._corpus = corpus
        self._seed = seed

    @property
    def signature(self) -> Signature:
        """Signature of the settings; a result's signature also has the estimated baseline."""
        corpus = "references" if self._corpus is None else corpus_hash(self._corpus)
        return self._build_signature(corpus, "estimated")

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair.

        Raises:
            InputError: the corpus has too few different texts to estimate a baseline from.
        """
        preset = self._preset
        idf, baseline, corpus = self._estimates_for(pairs)
        cleaned = [self._clean(text) for text in pairs.texts]
        word = self._word_layer(pairs, cleaned, idf)
        sentence = whole = self._cosines.of(cleaned, pairs.prediction, pairs.reference, progress)
        unread = sentence.unread
        if preset.cleaned_paragraph:
            unread = self._unread(pairs, cleaned, unread)
        else:
            whole = self._cosines.of(pairs.texts, pairs.prediction, pairs.reference, progress)
            unread = whole.unread
        paragraph = above_baseline(whole.values, baseline)
        if preset.clipped_paragraph:
            paragraph = np.maximum(paragraph, 0.0)
        score = combine_layers(word, sentence.values, paragraph)
        if preset.equality_first:
            lowered = np.array([text.strip().lower() for text in pairs.texts], object)
            score[lowered[pairs.prediction] == lowered[pairs.reference]] = 1.0
        layers = {"word": word, "sentence": sentence.values, "paragraph": paragraph}
        stated = None if math.isnan(baseline) else round(baseline, 4)
        return ScoredPairs(score, layers, whole.windows, unread, self._build_signature(corpus, stated))

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain the word layer of some pairs; each table is like that of ``alignment_frame``."""
        idf, _, _ = self._estimates_for(pairs)
        tables = []
        for row in rows:
            prediction, reference = (
                alphanumeric(self._pieces(self._clean(text))) for text in pairs.both(row)
            )
            self._table.learn([*prediction, *reference])
            vectors = self._table.vectors
            similarity = vectors[self._table.rows(prediction)] @ vectors[self._table.rows(reference)].T
            weights = idf.of(prediction), idf.of(reference)
            tables.append(alignment_frame(prediction, reference, similarity, weights))
        return tables

    def over(self, corpus: Sequence[str]) -> "LayeredMatch":
        """Return the method with weights and baseline from a corpus, not from each call's references."""
        other = copy(self)
        other._corpus = corpus
        vars(other).pop("_corpus_estimates", None)
        return other

    @property
    def has_corpus(self) -> bool:
        """True if estimates come from a corpus."""
        return bool(self._corpus)

    def _estimates_for(self, pairs: Pairs) -> "tuple[WordIdf, float, str]":
        """Return weights of word pieces, the baseline (NaN without a text), and the hash of the corpus."""
        return self._corpus_estimates or self._estimate([pairs.texts[row] for row in pairs.reference])

    @cached_property
    def _corpus_estimates(self) -> "tuple[WordIdf, float, str] | None":
        return self._estimate(self._corpus) if self._corpus else None

    def _estimate(self, texts: Sequence[str]) -> "tuple[WordIdf, float, str]":
        corpus = sorted(texts)  # so that their order changes no draw
        idf = smooth_idf(map(self._pieces, corpus), unseen=self._preset.unseen_idf)
        return idf, self._baseline(corpus), corpus_hash(corpus)

    def _baseline(self, corpus: Sequence[str]) -> float:
        """Compute the mean cosine of unrelated texts."""
        n, fixed = self._preset.baseline_pairs, self._preset.fixed_baseline
        if not corpus:
            return math.nan
        if fixed is None:
            corpus = list(dict.fromkeys(corpus))
            drawn = draw_unrelated_pairs(corpus, n, self._seed)
        elif len(corpus) < 2 * n:
            return fixed
        else:
            drawn = np.random.default_rng(self._seed).permutation(len(corpus))[: 2 * n].reshape(2, n).T
        return float(self._cosines.of(corpus, drawn[:, 0], drawn[:, 1]).values.mean())

    def _word_layer(self, pairs: Pairs, cleaned: Sequence[str], idf: "WordIdf") -> Floats:
        pieces = [alphanumeric(self._pieces(text)) for text in cleaned]
        self._table.learn(piece for text_pieces in pieces for piece in text_pieces)
        rows = [self._table.rows(text_pieces) for text_pieces in pieces]
        weights = [idf.of(text_pieces) for text_pieces in pieces]
        vectors, layer = self._table.vectors, np.empty(len(pairs.item))
        texts = zip(pairs.prediction.tolist(), pairs.reference.tolist(), strict=True)
        for pair, (prediction, reference) in enumerate(texts):
            similarity = vectors[rows[prediction]] @ vectors[rows[reference]].T
            layer[pair] = alignment_f1(similarity, weights[prediction], weights[reference])
        return layer

    def _clean(self, text: str) -> str:
        return content_only(text, marks_apart=self._preset.marks_apart)

    def _unread(self, pairs: Pairs, cleaned: Sequence[str], unread: Mask) -> Mask:
        """Mark pairs with a text that the model cannot read, even one that cleaning has emptied.

        Args:
            pairs: p pairs.
            cleaned: their texts without stop words.
            unread: shape (p,), which pairs have a cleaned text that the model cannot read.
        """
        rows, still_unread = np.flatnonzero(unread), unread.copy()
        texts = [short or text for short, text in zip(cleaned, pairs.texts, strict=True)]
        still_unread[rows] = self._cosines.of(texts, pairs.prediction[rows], pairs.reference[rows]).unread
        return still_unread

    def _build_signature(self, corpus: str, baseline: float | str | None) -> Signature:
        signature = Signature.of(
            "match", method=self._preset.name, corpus=corpus, baseline=baseline, seed=self._seed
        )
        return signature.plus(self._cosines.signature)


def alignment_f1(similarity: Floats, prediction_weights: Floats, reference_weights: Floats) -> float:
    """Align every token greedily with the most similar one of the other text, and compute the weighted F1.

    Precision is the weighted mean over the prediction's tokens of their best similarity, recall the same over
    the reference's, F1 = 2PR / (P + R).

    Args:
        similarity: shape (p, r), cosines of p tokens of the prediction with r of the reference.
        prediction_weights: shape (p,), greater than 0.
        reference_weights: shape (r,), greater than 0.

    Returns:
        -1 to 1; 0 where one side has no token, or where P + R is 0.

    Examples:
        >>> alignment_f1(np.array([[1.0, 0.0]]), np.ones(1), np.ones(2))  # P = 1, R = 1/2
        0.6666666666666666
    """
    if similarity.size == 0:
        return 0.0
    precision = float(similarity.max(axis=1) @ prediction_weights / prediction_weights.sum())
    recall = float(similarity.max(axis=0) @ reference_weights / reference_weights.sum())
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def above_baseline(cosine: Floats, baseline: float) -> Floats:
    """Rescale cosines to 0 at the baseline and 1 at 1: ``(cosine - baseline) / (1 - baseline)``."""
    return (cosine - baseline) / (1 - baseline)


def combine_layers(word: Floats, sentence: Floats, paragraph: Floats) -> Floats:
    """Compute .4 word + .4 sentence + .2 paragraph - .25, at least 0; .95 and more becomes 1.

    Equal texts score .75, as 1 - .25 never reaches .95; the published evaluator does the same.

    Examples:
        >>> combine_layers(np.array([1.0, 0.0]), np.array([1.0, 0.1]), np.array([1.0, 0.0])).tolist()
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
        A table like that of ``side_table``, where each side's weights sum to 1, and its contributions to
        precision (prediction) or recall (reference). Empty where one side has no token.

    Examples:
        >>> ones = np.ones(1)
        >>> frame = alignment_frame(["heart"], ["cardiac"], np.array([[0.6]]), (ones, ones))
        >>> frame["matched_token"].to_list()
        ['cardiac', 'heart']
    """
    if not similarity.size:
        none = np.empty(0)
        return side_table("prediction", [], [], np.empty(0, np.int64), none, none)
    sides = (
        ("prediction", predicted, referred, similarity, weights[0]),
        ("reference", referred, predicted, similarity.T, weights[1]),
    )
    return pl.concat(
        side_table(
            side, tokens, counterparts, cosines.argmax(axis=1), cosines.max(axis=1), weight / weight.sum()
        )
        for side, tokens, counterparts, cosines, weight in sides
    )


def content_only(text: str, *, marks_apart: bool = False) -> str:
    """Drop the tokens that are wholly a stop word or wholly punctuation.

    Args:
        text: to be cleaned.
        marks_apart: whether punctuation is a separate token; otherwise only white space separates tokens, so
            that a stop word with a mark at its end, such as "the,", stays.

    Examples:
        >>> content_only("Surgery is not indicated - the, end")
        'Surgery indicated the, end'
        >>> content_only("Surgery isn't indicated - the, end", marks_apart=True)
        'Surgery indicated end'
    """
    tokens = _WORDS_AND_MARKS.findall(text) if marks_apart else text.split()
    content = (token for token in tokens if token.lower() not in stop_words())
    return " ".join(token for token in content if not _PUNCTUATION.issuperset(token))


def pieces_of(tokenizer: "Tokenizer") -> Pieces:
    """Return a function that splits texts into word pieces, by a model's tokenizer.

    Pieces of all tokenizers are written like BERT's: a piece that continues a word begins with ``##``.

    Args:
        tokenizer: without padding; its truncation is switched off.
    """
    tokenizer.no_truncation()
    begins_words = any(token.startswith(_WORD_BEGIN) for token in tokenizer.encode("a word").tokens)

    def split(text: str) -> list[str]:
        tokens: list[str] = tokenizer.encode(encodable(text), add_special_tokens=False).tokens
        return [_as_bert(token) for token in tokens] if begins_words else tokens

    return split


def _as_bert(token: str) -> str:
    """Write a piece of SentencePiece as BERT's vocabulary would.

    Examples:
        >>> [_as_bert(token) for token in ("▁card", "iology")]
        ['card', '##iology']
    """
    return token.removeprefix(_WORD_BEGIN) if token.startswith(_WORD_BEGIN) else f"##{token}"


def alphanumeric(pieces: Iterable[str]) -> list[str]:
    """Return the pieces that are letters and digits only, which drops every continuation (``##ing``).

    Examples:
        >>> alphanumeric(["card", "##iom", "-", "b12"])
        ['card', 'b12']
    """
    return [piece for piece in pieces if piece.isalnum()]


class PieceTable:
    """Vectors of word pieces without context; each piece is embedded once.

    Args:
        embedder: embeds a piece as if it were a text.

    Attributes:
        vectors: shape (pieces learned, d), rows of length 1 in double precision.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._rows: dict[str, int] = {}
        self.vectors: Floats = np.empty((0, embedder.dimensions))

    def learn(self, pieces: Iterable[str]) -> None:
        """Embed the pieces that are new."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._rows]
        if not new:
            return
        self._rows.update(zip(new, range(len(self._rows), len(self._rows) + len(new)), strict=True))
        vectors = self._embedder.embed(new).vectors.astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        self.vectors = np.concatenate([self.vectors, vectors])

    def rows(self, pieces: Sequence[str]) -> Integers:
        """Return the rows of ``vectors`` with known pieces, shape (number of pieces,)."""
        return np.fromiter((self._rows[piece] for piece in pieces), np.int64, len(pieces))


@dataclass(frozen=True)
class WordIdf:
    """Weights of word pieces.

    Attributes:
        weights: weight of each piece that occurs in the corpus, 1 or more.
        unseen: weight of every other piece, 1 or more.
    """

    weights: Mapping[str, float]
    unseen: float

    def of(self, pieces: Sequence[str]) -> Floats:
        """Return the weights of pieces, shape (number of pieces,)."""
        weights = (self.weights.get(piece, self.unseen) for piece in pieces)
        return np.fromiter(weights, np.float64, len(pieces))


def smooth_idf(documents: Iterable[Sequence[str]], *, unseen: float | None = None) -> WordIdf:
    """Compute each piece's weight ``ln((N + 1) / (df + 1)) + 1``, where df of the N documents contain it.

    Args:
        documents: the pieces of each document.
        unseen: weight of a piece that no document contains; by default the formula's, ``ln(N + 1) + 1``.

    References:
        Spärck Jones 1972, doi:10.1108/eb026526; smoothed as by scikit-learn's ``TfidfTransformer``.

    Examples:
        >>> idf = smooth_idf([["heart", "attack"], ["heart"]])
        >>> idf.of(["heart", "lung"]).round(3).tolist()  # ln(3 / 3) + 1, ln(3 / 1) + 1
        [1.0, 2.099]
    """
    counts: Counter[str] = Counter()
    n = 0
    for document in documents:
        counts.update(set(document))
        n += 1
    weights = {piece: float(np.log((n + 1) / (df + 1)) + 1) for piece, df in counts.items()}
    return WordIdf(weights, float(np.log(n + 1) + 1) if unseen is None else unseen)
