"""BERTScore of pairs of token states: weights of tokens, greedy matching, and its explanation."""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from semscale.embedding.token_states import TokenEncoder, TokenIds, TokenReader, TokenStates
from semscale.errors import InputError
from semscale.matching.cosines import (
    BestCosines,
    ScoringStep,
    best_cosines,
    best_of,
    mean_best,
    plan_steps,
    unit_rows,
)
from semscale.matching.pairs import side_table
from semscale.signature import Signature
from semscale.types import Floats, Ids, Integers, Progress, Vectors

FRESH_BYTES = 128 << 20  # states of texts that are encoded in one step
KEPT_BYTES = 192 << 20  # states of texts that stay in memory for later pairs

_REPORTED = 64  # pairs between two reports of progress

# Multiplications up to which NumPy's matrix product stays on the calling thread. Beyond that it waits for
# helpers that the engine keeps busy, which costs milliseconds where the product itself takes microseconds.
_ONE_THREAD = 1 << 18

Idf = bool | Sequence[str] | Mapping[int, float]
"""``False``: equal weights. ``True``: idf over the references. Else a corpus, or weights by token id."""


@dataclass(frozen=True)
class TokenWeights:
    """A weight for every token of a vocabulary.

    Attributes:
        table: shape (vocabulary,), at least 0.
        origin: source of the weights, for signatures.
    """

    table: Floats
    origin: str

    def of(self, ids: Ids) -> Floats:
        """Return the weights of a text's tokens, shape (t,)."""
        return np.asarray(self.table[ids])


def equal_weights(reader: TokenReader) -> TokenWeights:
    """Give every token weight 1, and the special tokens around each text weight 0."""
    table = np.ones(reader.vocabulary)
    table[reader.special_ids] = 0
    return TokenWeights(table, "no")


def constant_weights(idf: Idf, reader: TokenReader) -> TokenWeights | None:
    """Return the weights if they are the same in every call; ``None`` if each call's references decide them.

    Texts of a corpus are stripped, and repeated ones count each time.

    Raises:
        InputError: ``idf`` is of another type, an empty corpus, or one with something other than texts.
    """
    if isinstance(idf, bool):
        return None if idf else equal_weights(reader)
    if isinstance(idf, Mapping):
        return _weights_from_mapping(reader, idf)
    if isinstance(idf, str) or not isinstance(idf, Sequence):
        raise InputError(
            "idf", f"must be True, False, a list of texts or a mapping from token ids, got {idf!r:.40}"
        )
    for position, text in enumerate(idf):
        if not isinstance(text, str):
            raise InputError(f"idf[{position}]", f"must be a text, got {type(text).__name__}")
    if not idf:
        raise InputError("idf", "must be a corpus with at least one text, got an empty list")
    tokens = reader.read([text.strip() for text in idf])
    return _idf_weights(tokens, np.ones(len(tokens), np.int64), reader, "corpus")


def reference_weights(reader: TokenReader, tokens: TokenIds, references: Integers) -> TokenWeights:
    """Compute idf weights from the references of all pairs; repeated ones count each time.

    Args:
        reader: the model's tokenizer.
        tokens: the distinct texts.
        references: shape (p,), number of each pair's reference.
    """
    times = np.bincount(references, minlength=len(tokens))
    return _idf_weights(tokens, times, reader, "references")


def inverse_document_frequency(frequency: Integers, documents: int) -> Floats:
    """Compute idf = ln((N + 1) / (df + 1)) of each token; ln(N + 1) for one in no document.

    Args:
        frequency: df, shape (vocabulary,).
        documents: N.

    References:
        Zhang et al. 2020, BERTScore, section 3, with plus-one smoothing, arXiv 1904.09675.

    Examples:
        >>> inverse_document_frequency(np.array([3, 1, 0]), 3).round(4).tolist()
        [0.0, 0.6931, 1.3863]
    """
    return np.asarray(np.log((documents + 1) / (frequency + 1)))


def _idf_weights(tokens: TokenIds, times: Integers, reader: TokenReader, name: str) -> TokenWeights:
    """Compute idf weights from distinct documents, each of which occurs so many ``times``."""
    frequency = np.zeros(reader.vocabulary, np.int64)
    for document in np.flatnonzero(times):
        frequency[np.unique(tokens.of(int(document)))] += times[document]
    table = inverse_document_frequency(frequency, int(times.sum()))
    return TokenWeights(table, f"{name}#{_hash(table)}/{times.sum()}")


def _weights_from_mapping(reader: TokenReader, weights: Mapping[int, float]) -> TokenWeights:
    """Build weights from a mapping of token ids.

    A token that the mapping lacks gets the default of a ``defaultdict``; with any other mapping it gets the
    largest weight, as a token that was never seen is rare. Special tokens around each text get 0 unless the
    mapping has them.
    """
    try:
        known = {int(token): float(weight) for token, weight in weights.items()}
        factory = getattr(weights, "default_factory", None)
        unseen = float(factory()) if factory else max(known.values(), default=1.0)
    except (TypeError, ValueError) as error:
        raise InputError(f"idf must map token ids to weights: {error}") from None
    size = reader.vocabulary
    for token, weight in known.items():
        if not 0 <= token < size or not 0 <= weight < np.inf:
            raise InputError(
                f"idf must map token ids below {size} to weights of at least 0, got {token}: {weight}"
            )
    table = np.full(size, unseen)
    if not hasattr(weights, "default_factory"):
        table[reader.special_ids] = 0
    table[list(known)] = list(known.values())
    return TokenWeights(table, f"weights#{_hash(table)}")


def _hash(table: Floats) -> str:
    return hashlib.sha256(table.astype("<f8").tobytes()).hexdigest()[:8]


class GreedyScore(NamedTuple):
    """Precision, recall and F1 of one pair, each -1 to 1; NaN where no token has a weight."""

    precision: float
    recall: float
    f1: float


@dataclass(frozen=True)
class TextPairs:
    """p pairs of tokenized texts.

    Attributes:
        tokens: the distinct texts.
        prediction: shape (p,), number of each pair's prediction.
        reference: shape (p,), number of each pair's reference.
    """

    tokens: TokenIds
    prediction: Integers
    reference: Integers

    def both(self, pair: int) -> tuple[int, int]:
        """Return the numbers of a pair's two texts."""
        return int(self.prediction[pair]), int(self.reference[pair])


class PairScorer:
    """Scores pairs at one layer of a model; a pair's numbers depend on its two texts alone.

    Args:
        encoder: computes the states of tokens.
        layer: number of the layer whose states are compared, 0 for the embeddings.
        weights: weights of tokens.
        fresh_bytes: most memory for the states of texts that are encoded together.
        kept_bytes: most memory for the states of texts that stay in memory for later pairs.
    """

    def __init__(
        self,
        encoder: TokenEncoder,
        layer: int,
        weights: TokenWeights,
        *,
        fresh_bytes: int = FRESH_BYTES,
        kept_bytes: int = KEPT_BYTES,
    ) -> None:
        self._encoder = encoder
        self._layer = layer
        self._weights = weights
        token = 4 * encoder.hidden
        self._room = {"fresh_tokens": fresh_bytes // token, "kept_tokens": kept_bytes // token}

    def score(self, pairs: TextPairs, progress: Progress | None = None) -> Floats:
        """Score pairs.

        Returns:
            Shape (p, 3): precision, recall and F1; NaN in all three where a text has no token with a weight.
        """
        values = np.full((len(pairs.prediction), 3), np.nan)
        units: dict[int, Vectors] = {}
        done = 0
        for step in plan_steps(pairs.prediction, pairs.reference, pairs.tokens.lengths, **self._room):
            for pair in self._ready(step, pairs, units):
                prediction, reference = pairs.both(pair)
                best = best_cosines(units[prediction], units[reference], cosine_matrix)
                first, second = (self._weights.of(pairs.tokens.of(text)) for text in (prediction, reference))
                values[pair] = greedy_scores([best], [(first, second)])[0]
                done += 1
                if progress and (done % _REPORTED == 0 or done == len(values)):
                    progress("scoring pairs", done, len(values))
            for text in step.dropped.tolist():
                del units[text]
        values[np.isnan(values).any(axis=1)] = np.nan
        return values

    def _ready(self, step: ScoringStep, pairs: TextPairs, units: dict[int, Vectors]) -> Iterator[int]:
        """Yield each pair of a step as soon as both of its texts are encoded."""
        waiting: dict[int, list[int]] = {text: [] for text in step.fresh.tolist()}
        for pair in step.pairs.tolist():
            missing = set(pairs.both(pair)) & waiting.keys()
            if not missing:
                yield pair
            for text in missing:
                waiting[text].append(pair)
        for text, states in self._encoder.encode(pairs.tokens, step.fresh, layer=self._layer):
            units[text] = unit_rows(states)
            for pair in waiting[text]:
                if units.keys() >= set(pairs.both(pair)):
                    yield pair


def cosine_matrix(prediction: Vectors, reference: Vectors) -> Vectors:
    """Compute the cosines of all tokens of one text with all tokens of the other.

    It is computed in tiles that depend only on the pair's shape, so neither other pairs nor the number of
    threads changes a bit of the result.

    Args:
        prediction: shape (..., t, d), unit rows, float32, in C order.
        reference: shape (..., s, d), likewise.

    Returns:
        Shape (..., t, s), float32.

    Examples:
        >>> cosine_matrix(np.eye(2, dtype=np.float32), np.array([[0.6, 0.8]], np.float32)).tolist()
        [[0.6000000238418579], [0.800000011920929]]
    """
    if reference is prediction:
        # NumPy multiplies a matrix with itself by another routine, whose last digits differ.
        reference = reference.copy()
    *layers, t, d = prediction.shape
    s = reference.shape[-2]
    side = max(1, math.isqrt(_ONE_THREAD // max(1, d)))
    cosines = np.empty((*layers, t, s), np.float32)
    for row in range(0, t, side):
        for column in range(0, s, side):
            rows, columns = slice(row, row + side), slice(column, column + side)
            across = reference[..., columns, :].swapaxes(-1, -2)
            np.matmul(prediction[..., rows, :], across, out=cosines[..., rows, columns])
    return cosines


def greedy_score(cosines: Vectors, prediction_weights: Floats, reference_weights: Floats) -> GreedyScore:
    """Compute the BERTScore of one pair.

    Precision is the weighted mean, over the prediction's tokens, of each one's highest cosine in the
    reference; recall is the same from the reference's side; F1 is their harmonic mean, 2PR / (P + R). A token
    without weight, such as [CLS], can still be the match of another token. F1 is 0 where P + R is 0.

    Args:
        cosines: shape (t, s).
        prediction_weights: shape (t,), at least 0.
        reference_weights: shape (s,), at least 0.

    References:
        Zhang et al. 2020, BERTScore, section 3 and equation for idf weighting, arXiv 1904.09675.

    Examples:
        >>> cosines = np.array([[1.0, 0.5], [0.0, 0.25]], np.float32)
        >>> greedy_score(cosines, np.array([1.0, 1.0]), np.array([1.0, 0.0]))
        GreedyScore(precision=0.625, recall=1.0, f1=0.7692307692307693)
    """
    return greedy_scores([best_of(cosines)], [(prediction_weights, reference_weights)])[0]


def greedy_scores(best: Iterable[BestCosines], weights: Sequence[tuple[Floats, Floats]]) -> list[GreedyScore]:
    """Compute the BERTScores of p pairs, each as ``greedy_score`` does.

    Args:
        best: the best cosines of each pair's tokens.
        weights: of each pair's tokens.
    """
    if not weights:
        return []
    # Rounding may lift the cosine of equal vectors above 1 by 1e-7.
    means = mean_best(best, weights, lambda cosines: np.minimum(cosines, 1))
    return [
        GreedyScore(precision, recall, f_measure(precision, recall)) for precision, recall in means.tolist()
    ]


def f_measure(precision: float, recall: float) -> float:
    """Compute the harmonic mean 2PR / (P + R); 0 where P + R is 0, NaN where either is.

    Examples:
        >>> f_measure(0.5, 1.0), f_measure(0.0, 0.0)
        (0.6666666666666666, 0.0)
    """
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


@dataclass(frozen=True)
class ExplainedSide:
    """One text's tokens, each with the token of the other text that it was matched with.

    Attributes:
        text: the text itself.
        pieces: its t tokens in the vocabulary's spelling, including special ones.
        offsets: shape (t, 2), first character and the one after the last; both 0 for special tokens.
        match: shape (t,), position of the most similar token in the other text.
        similarity: shape (t,), cosine with that token, -1 to 1.
        weight: shape (t,), share of the token in the mean; sums to 1, or 0 where no token has a weight.
    """

    text: str
    pieces: tuple[str, ...]
    offsets: Integers
    match: Integers
    similarity: Floats
    weight: Floats

    @property
    def contribution(self) -> Floats:
        """Summand of precision or recall for each token, shape (t,): weight times similarity."""
        return self.weight * self.similarity


@dataclass(frozen=True)
class Explanation:
    """One pair's BERTScore, token by token.

    Attributes:
        prediction: the prediction's tokens; their contributions sum to precision.
        reference: the reference's tokens; their contributions sum to recall.
        cosines: shape (t, s), of every token of the prediction with every one of the reference.
        score: precision, recall and F1, not rescaled.
        windows: number of windows into which the longer of the two texts was split.
        signature: the settings that were applied.
    """

    prediction: ExplainedSide
    reference: ExplainedSide
    cosines: Vectors
    score: GreedyScore
    windows: int
    signature: Signature

    def to_frame(self) -> pl.DataFrame:
        """Lay the tokens out as a table, the prediction's first.

        Returns:
            Columns ``side``, ``place``, ``token``, ``start``, ``end`` (null for special tokens),
            ``matched_place``, ``matched_token``, ``similarity``, ``weight`` and ``contribution``.
        """
        first, second = self.prediction, self.reference
        tables = _side_table("prediction", first, second), _side_table("reference", second, first)
        return pl.concat(tables)


def explain_pair(
    texts: tuple[str, str],
    tokens: tuple[TokenStates, TokenStates],
    weights: TokenWeights,
    signature: Signature,
) -> Explanation:
    """Explain the score of a prediction and a reference.

    Args:
        texts: the prediction and the reference, with the white space around them.
        tokens: their tokens' states; offsets count from the first character that is not white space.
        weights: weights of tokens.
        signature: the settings that were applied.
    """
    first, second = tokens
    cosines = cosine_matrix(unit_rows(first.states), unit_rows(second.states))
    token_weights = weights.of(first.ids), weights.of(second.ids)
    return Explanation(
        prediction=_explain_side(texts[0], first, cosines, token_weights[0]),
        reference=_explain_side(texts[1], second, cosines.T, token_weights[1]),
        cosines=cosines,
        score=greedy_score(cosines, *token_weights),
        windows=max(first.windows, second.windows),
        signature=signature,
    )


def _explain_side(text: str, tokens: TokenStates, cosines: Vectors, weights: Floats) -> ExplainedSide:
    indent = len(text) - len(text.lstrip())
    offsets = np.where(tokens.special[:, None], 0, tokens.offsets + indent)
    total = float(weights.sum())
    similarity = np.minimum(cosines.max(axis=1), 1).astype(np.float64)
    shares = weights / total if total else np.zeros(len(weights))
    return ExplainedSide(text, tokens.pieces, offsets, cosines.argmax(axis=1), similarity, shares)


def _side_table(name: str, side: ExplainedSide, other: ExplainedSide) -> pl.DataFrame:
    table = side_table(name, side.pieces, other.pieces, side.match, side.similarity, side.weight)
    bounds = pl.DataFrame(side.offsets, schema=["start", "end"])
    bounds = bounds.select(pl.when(pl.col("end") > 0).then(pl.all()))
    return table.hstack(bounds).select(*table.columns[:3], "start", "end", *table.columns[3:])
