"""Weights of tokens: equal, or by inverse document frequency (idf) in a corpus."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.embedding.tokens.token_ids import TokenIds, TokenReader
from semscale.errors import InputError
from semscale.types import Floats, Ids, Integers

Idf = bool | Sequence[str] | Mapping[int, float]
"""``False``: all count the same. ``True``: idf over the references. Else a corpus, or ready weights."""


@dataclass(frozen=True)
class TokenWeights:
    """A weight for every token of a vocabulary.

    Attributes:
        table: shape (vocabulary,), at least 0.
        origin: where the weights are from, as signatures have it.
    """

    table: Floats
    origin: str

    def of(self, ids: Ids) -> Floats:
        """Weights of a text's tokens, shape (t,)."""
        return np.asarray(self.table[ids])


def equal_weights(reader: TokenReader) -> TokenWeights:
    """Give every token weight 1, and the special tokens around each text weight 0."""
    table = np.ones(reader.vocabulary)
    table[reader.special_ids] = 0
    return TokenWeights(table, "no")


def fixed_weights(idf: Idf, reader: TokenReader) -> TokenWeights | None:
    """Give the weights if they are the same in every call; ``None`` if each call's references decide them.

    Raises:
        InputError: ``idf`` is none of what it can be.
    """
    if isinstance(idf, bool):
        return None if idf else equal_weights(reader)
    if isinstance(idf, Mapping):
        return given_weights(reader, idf)
    if isinstance(idf, str) or not isinstance(idf, Sequence):
        raise InputError(
            f"idf must be True, False, a list of texts or a mapping from token ids, got {idf!r:.40}"
        )
    return corpus_weights(reader, idf)


def document_frequency(tokens: TokenIds, times: Integers, vocabulary: int) -> Integers:
    """Count, for every token of the vocabulary, the documents that contain it.

    Args:
        tokens: the distinct documents.
        times: shape (n,), how often each of them is in the corpus.
        vocabulary: how many token ids there are.

    Returns:
        Shape (vocabulary,).
    """
    frequency = np.zeros(vocabulary, np.int64)
    for document in np.flatnonzero(times):
        frequency[np.unique(tokens.of(int(document)))] += times[document]
    return frequency


def inverse_document_frequency(frequency: Integers, documents: int) -> Floats:
    """Compute idf = ln((N + 1) / (df + 1)) of each token; ln(N + 1) for one in no document.

    Args:
        frequency: df, shape (vocabulary,).
        documents: N.

    References:
        Zhang et al. 2020, BERTScore, section 3, with plus-one smoothing, arXiv 1904.09675.

    Example:
        >>> inverse_document_frequency(np.array([3, 1, 0]), 3).round(4).tolist()
        [0.0, 0.6931, 1.3863]
    """
    return np.asarray(np.log((documents + 1) / (frequency + 1)))


def corpus_weights(reader: TokenReader, corpus: Sequence[str]) -> TokenWeights:
    """Compute idf weights from a corpus; texts are stripped, and repeated ones count each time.

    Raises:
        InputError: the corpus is empty, or holds something other than texts.
    """
    for place, text in enumerate(corpus):
        if not isinstance(text, str):
            raise InputError(f"idf[{place}] must be a text, got {type(text).__name__}")
    if not corpus:
        raise InputError("idf must be a corpus with at least one text, got an empty list")
    tokens = reader.read([text.strip() for text in corpus])
    return _weights(tokens, np.ones(len(tokens), np.int64), reader, "corpus")


def reference_weights(reader: TokenReader, tokens: TokenIds, references: Integers) -> TokenWeights:
    """Compute idf weights from the references of all pairs; repeated ones count each time.

    Args:
        reader: the model's tokenizer.
        tokens: the distinct texts.
        references: shape (p,), which text is each pair's reference.
    """
    times = np.bincount(references, minlength=len(tokens))
    return _weights(tokens, times, reader, "references")


def given_weights(reader: TokenReader, weights: Mapping[int, float]) -> TokenWeights:
    """Take weights from a mapping of token ids.

    A token that the mapping lacks gets the default of a ``defaultdict``; with any other mapping it gets the
    largest weight, as a token that was never seen is rare. Special tokens around each text get 0 unless the
    mapping has them.

    Raises:
        InputError: no mapping from token ids to finite weights of at least 0.
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


def _weights(tokens: TokenIds, times: Integers, reader: TokenReader, name: str) -> TokenWeights:
    table = inverse_document_frequency(document_frequency(tokens, times, reader.vocabulary), int(times.sum()))
    return TokenWeights(table, f"{name}#{_hash(table)}/{times.sum()}")


def _hash(table: Floats) -> str:
    return hashlib.sha256(table.astype("<f8").tobytes()).hexdigest()[:8]
