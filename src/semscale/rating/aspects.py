"""Aspects: vectors of texts weighted towards the parts about one subject."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.texts import distinct
from semscale.rating.anchors import unrelated_sentences
from semscale.text_units import sentences_in
from semscale.types import Floats, Mask, Progress

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder, Embeddings

PARTS_SHARE = 2 / 3
"""Share of the parts in a text's vector; the rest is that of the whole text."""

NEARNESS_WIDTH = 0.02
"""Difference of two parts' cosines with the aspect at which one has e times the weight of the other."""

ABOUT_QUANTILE = 0.9
"""Share of unrelated sentences that are less similar to the aspect than a text about it."""


def parts_of(text: str) -> list[str]:
    """List the clauses of a text's sentences.

    Examples:
        >>> parts_of("The staff were rude, but the seats were wonderful. We left.")
        ['The staff were rude', 'but the seats were wonderful.', 'We left.']
    """
    return [clause.text(text) for sentence in sentences_in(text) for clause in sentence.clauses]


def part_weights(cosines: Floats) -> Floats:
    """Weigh parts by their cosines with the aspect, shape (p,): the softmax of cosine / .02.

    Examples:
        >>> part_weights(np.array([0.85, 0.83])).round(3).tolist()
        [0.731, 0.269]
    """
    weights = np.exp((cosines - cosines.max()) / NEARNESS_WIDTH)
    shares: Floats = weights / weights.sum()
    return shares


class AspectReader:
    """Embeds texts with emphasis on one aspect.

    A text's vector is one third the vector of the whole text and two thirds the mean of its parts, weighted
    by ``part_weights``, scaled to length 1. A text is about the aspect if one of its parts is more similar to
    it than 90 % of the unrelated sentences.

    Args:
        aspect: a noun phrase, such as "the staff".
        language: language of the aspect.
        embedder: embeds aspect, texts and parts.
    """

    def __init__(self, aspect: str, language: str, embedder: "Embedder") -> None:
        self._aspect, self._language, self._embedder = aspect, language, embedder

    @cached_property
    def _direction(self) -> Floats:
        direction: Floats = self._embedder.embed([self._aspect]).vectors[0].astype(np.float64)
        return direction

    @cached_property
    def floor(self) -> float:
        """Cosine with the aspect below which a part is not about it."""
        vectors = self._embedder.embed(list(unrelated_sentences(self._language))).vectors
        return float(np.quantile(vectors @ self._direction, ABOUT_QUANTILE))

    def read(self, texts: Sequence[str], progress: Progress | None = None) -> "tuple[Embeddings, Mask]":
        """Embed n texts, and mark those that are about the aspect, shape (n,)."""
        whole = self._embedder.embed(texts, progress=progress)
        parts = [parts_of(text) for text in texts]
        pieces, number = distinct(list(chain.from_iterable(parts)))
        vectors = self._embedder.embed(pieces).vectors[number].astype(np.float64)
        mixed, is_about = np.empty_like(whole.vectors), np.empty(len(texts), np.bool_)
        ends = np.cumsum([len(pieces_of_text) for pieces_of_text in parts])
        for row, own in enumerate(np.split(vectors, ends[:-1])):
            # One text after another: products of several at once would round by their number.
            cosines = own @ self._direction
            mean = PARTS_SHARE * (part_weights(cosines) @ own) + (1 - PARTS_SHARE) * whole.vectors[row]
            mixed[row] = mean / np.linalg.norm(mean)
            is_about[row] = cosines.max() >= self.floor
        return replace(whole, vectors=mixed), is_about
