"""Vectors of words without context: the model reads each word piece once, as a text of its own."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.matching.unit_rows import unit_rows
from semscale.matching.words.text_means import text_means, tokens_left_out
from semscale.matching.words.vocabulary import Word
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_ids import TokenIds
    from semscale.embedding.tokens.token_states import TokenEncoder

MOST_KEPT = 50_000
"""Pieces whose vectors are kept, 150 MB at a width of 384: more than an English model knows."""

ReadStates = Callable[["TokenIds", Sequence[str], Integers], Iterator[tuple[int, npt.NDArray[Any]]]]
"""Gives the states of some texts, (t, hidden), each with the text's number, in any order."""


class StaticVectors:
    """Vectors of word pieces, learned when they are first met.

    Any unknown word may be a piece, so vectors are dropped when there are too many; a piece that is read
    again has the same vector.

    Args:
        encoder: reads a piece; its vector is the mean of its tokens' states, scaled to length 1; tokens of a
            model's prefix do not count.
        layer: number of the layer whose states are used.
        read: reads the pieces' states at that layer, up to a factor; by default the encoder.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, read: "ReadStates | None" = None) -> None:
        self._encoder = encoder
        self._around = tokens_left_out(encoder.reader)
        self._read = read or (lambda tokens, _, wanted: encoder.encode(tokens, wanted, layer=layer))
        self._vectors: dict[str, Floats] = {}

    @property
    def hidden(self) -> int:
        """Width of a vector."""
        return self._encoder.hidden

    def words(self, words: Sequence[Word]) -> Floats:
        """Give each word the mean of its pieces' vectors, scaled to length 1; new pieces are read.

        Args:
            words: the pieces of k words.

        Returns:
            Shape (k, hidden).
        """
        vectors = self._learn(piece for word in words for piece in word)
        means = [np.mean([vectors[piece] for piece in word], axis=0) for word in words]
        return unit_rows(np.array(means, np.float64).reshape(len(words), self.hidden))

    def _learn(self, pieces: Iterable[str]) -> dict[str, Floats]:
        """Give the vectors of pieces, and of others; too many are forgotten before the next call."""
        vectors = self._vectors
        new = [piece for piece in dict.fromkeys(pieces) if piece not in vectors]
        tokens = self._encoder.reader.read(new)
        for place, states in self._read(tokens, new, np.arange(len(new))):
            mean = text_means(states, np.array([len(states)]), self._around)
            vectors[new[place]] = unit_rows(mean.astype(np.float64))[0]
        if len(vectors) > MOST_KEPT:
            self._vectors = {}
        return vectors
