"""Word pieces without context: each is read by the model as a text of its own, once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from semscale.embedding.token_ids import Ids
from semscale.matching.token_words import TokenWords, unit_rows
from semscale.types import Floats, Integers

if TYPE_CHECKING:
    from semscale.embedding.token_ids import TokenIds
    from semscale.embedding.token_states import TokenEncoder

ReadStates = Callable[["TokenIds", Sequence[str], Integers], Iterator[tuple[int, npt.NDArray[Any]]]]
"""Gives the states of some texts, (t, hidden), each with the text's number, in any order."""

Word = tuple[str, ...]
"""A word's pieces."""

_KEPT = 50_000  # words whose vectors are kept


class StaticPieces:
    """Vectors of word pieces, learned when they are first met.

    Args:
        encoder: reads a piece; its vector is the mean of its tokens' states, scaled to length 1.
        layer: whose states.
        read: gives the pieces' states at that layer, up to a factor; the encoder does unless given.
    """

    def __init__(self, encoder: "TokenEncoder", layer: int, read: "ReadStates | None" = None) -> None:
        self._encoder = encoder
        self._read = read or (lambda tokens, _, wanted: encoder.encode(tokens, wanted, layer=layer))
        self._vectors: dict[str, Floats] = {}
        self._words: dict[Word, Floats] = {}

    def learn(self, pieces: Iterable[str]) -> None:
        """Read those of the pieces that are new."""
        new = [piece for piece in dict.fromkeys(pieces) if piece not in self._vectors]
        tokens = self._encoder.reader.read(new)
        for place, states in self._read(tokens, new, np.arange(len(new))):
            mean = states.astype(np.float32, copy=False).mean(axis=0, keepdims=True)
            self._vectors[new[place]] = unit_rows(mean.astype(np.float64))[0]

    def words(self, pieces: Sequence[Word]) -> Floats:
        """Give each word the mean of its pieces' vectors, scaled to length 1.

        Args:
            pieces: the pieces of k words, all of them learned.

        Returns:
            Shape (k, hidden).
        """
        if len(self._words) > _KEPT:
            self._words.clear()
        known = self._words
        rows = [known[word] if word in known else self._learned(word) for word in pieces]
        return np.array(rows, np.float64).reshape(len(rows), self._encoder.hidden)

    def _learned(self, word: Word) -> Floats:
        mean = np.mean([self._vectors[piece] for piece in word], axis=0)
        self._words[word] = unit_rows(mean[None])[0]
        return self._words[word]


def pieces_of(text: str, offsets: Integers | Ids, words: TokenWords) -> list[Word]:
    """Spell the words of a text in pieces, in lower case.

    Args:
        text: the text.
        offsets: shape (t, 2), where its tokens stand.
        words: its words.
    """
    shown = [text[start:end].strip().lower() for start, end in offsets.tolist()]
    return [
        tuple(shown[start:end]) for start, end in zip(words.starts.tolist(), words.ends.tolist(), strict=True)
    ]
