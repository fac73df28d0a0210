"""Hidden states of every token of a text, at any layer, whatever the text's length."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semscale.embedding.openvino_engine import OpenVinoEmbedder
from semscale.embedding.texts import checked_texts, distinct
from semscale.embedding.token_ids import Ids, Spelling, TokenIds, TokenReader, owning_windows, window_starts
from semscale.signature import Signature
from semscale.types import Integers, Vectors


@dataclass(frozen=True)
class TokenStates:
    """One text's tokens, each once, with what the model makes of them.

    Attributes:
        ids: shape (t,), int32, special tokens included.
        offsets: shape (t, 2), first character and the one after the last; both 0 for special tokens.
        special: shape (t,), whether the tokenizer has put the token there.
        pieces: the t tokens as the vocabulary writes them.
        states: shape (t, hidden), float32, not normalised.
        windows: how many overlapping windows the text was read in; 1 where the model read it whole.
    """

    ids: Ids
    offsets: Integers
    special: npt.NDArray[np.bool_]
    pieces: tuple[str, ...]
    states: Vectors
    windows: int


@dataclass(frozen=True)
class _Reading:
    """How one text is read: its windows' ids, and which window each token is taken from."""

    windows: list[Ids]
    starts: Integers
    owner: Integers

    def joined(self, states: Sequence[Vectors], before: int, after: int) -> Vectors:
        """Join the windows' states; special tokens stand at the two ends only."""
        inner = [
            states[window][before + np.flatnonzero(self.owner == window) - start]
            for window, start in enumerate(self.starts)
        ]
        return np.concatenate([states[0][:before], *inner, states[-1][len(states[-1]) - after :]])


class TokenEncoder:
    """Gives the hidden states of texts, token by token.

    A text's states are the same to the last bit in any order and company. A text that is longer than the
    model's position table is read in windows that overlap by a quarter of it, and each token is taken from
    the window in which it stands furthest from an edge.

    Args:
        embedder: the engine that runs the model.

    References:
        Devlin et al. 2019, doi:10.18653/v1/N19-1423.
    """

    def __init__(self, embedder: OpenVinoEmbedder) -> None:
        self._embedder = embedder
        self._limit = embedder.checkpoint.architecture.positions
        self._overlap = self._limit // 4

    @property
    def name(self) -> str:
        """The model's name in signatures."""
        return self._embedder.name

    @property
    def layers(self) -> int:
        """How many transformer layers the model has."""
        return self._embedder.layers

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        return self._embedder.dimensions

    @property
    def pooling(self) -> str:
        """How the model makes a text's vector of the last layer's states: ``mean``, or ``cls``, the first."""
        return self._embedder.checkpoint.pooling

    @cached_property
    def reader(self) -> TokenReader:
        """The model's tokenizer."""
        return TokenReader(self._embedder.checkpoint)

    @property
    def signature(self) -> Signature:
        """What decides the states besides the layer: weights, tokenizer, arithmetic and windows."""
        engine = dict(self._embedder.signature.fields)
        shared = {name: engine[name] for name in ("model", "setup", "engine", "precision")}
        prefix = "space" if self.reader.prefix else None
        return Signature.of("states", **shared, prefix=prefix, window=f"{self._limit}/{self._overlap}")

    def check_layer(self, layer: int) -> None:
        """Refuse a layer that the model does not have.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        self._embedder.check_layer(layer)

    def token_states(self, texts: Sequence[str], *, layer: int) -> list[TokenStates]:
        """Give every token's state after ``layer`` (0: the embeddings), special tokens included.

        Raises:
            InputError: a text is not a string, or the model has no such layer.
        """
        self.check_layer(layer)
        unique, where = distinct(checked_texts(texts))
        spellings = [self.reader.spell(text) for text in unique]
        lengths = [len(spelling.ids) for spelling in spellings]
        tokens = TokenIds(
            np.concatenate([np.empty(0, np.int32), *(spelling.ids for spelling in spellings)]),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        )
        states = dict(self.encode(tokens, np.arange(len(tokens)), layer=layer))
        windows = self.windows(tokens)
        found = [_token_states(each, states[at], int(windows[at])) for at, each in enumerate(spellings)]
        return [found[place] for place in where]

    def windows(self, tokens: TokenIds) -> Integers:
        """Count the windows that each text is read in, shape (n,)."""
        room = self._limit - self.reader.before - self.reader.after
        beyond = np.maximum(0, tokens.lengths - self._limit)
        return 1 + -(-beyond // (room - self._overlap))

    def encode(self, tokens: TokenIds, texts: Integers, *, layer: int) -> Iterator[tuple[int, Vectors]]:
        """Give the states of some texts, in the order in which they are ready.

        Args:
            tokens: tokenized texts.
            texts: which of them are wanted, each once.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            The text's number with its states, shape (t, hidden), float32, not normalised.
        """
        readings = [self._reading(tokens.of(int(text))) for text in texts]
        counts = np.array([len(reading.windows) for reading in readings], np.int64)
        owners = np.repeat(np.arange(len(readings)), counts)
        firsts = np.cumsum(counts) - counts
        waiting: dict[int, dict[int, Vectors]] = {}
        rows = [window for reading in readings for window in reading.windows]
        for batch, output in self._embedder.run_layer(rows, layer=layer):
            for row, states in zip(batch.tolist(), output.copy(), strict=True):
                place = int(owners[row])
                if counts[place] == 1:
                    yield int(texts[place]), states
                    continue
                parts = waiting.setdefault(place, {})
                parts[row - int(firsts[place])] = states
                if len(parts) == counts[place]:
                    del waiting[place]
                    ordered = [parts[window] for window in range(len(parts))]
                    yield int(texts[place]), self._joined(readings[place], ordered)

    def _reading(self, ids: Ids) -> _Reading:
        if len(ids) <= self._limit:
            return _Reading([ids], np.zeros(1, np.int64), np.empty(0, np.int64))
        before, after = self.reader.before, self.reader.after
        content = ids[before : len(ids) - after]
        room = self._limit - before - after
        starts = window_starts(len(content), room, self._overlap)
        head, tail = ids[:before], ids[len(ids) - after :]
        windows = [np.concatenate([head, content[start : start + room], tail]) for start in starts]
        return _Reading(windows, starts, owning_windows(len(content), starts, room))

    def _joined(self, reading: _Reading, states: Sequence[Vectors]) -> Vectors:
        return reading.joined(states, self.reader.before, self.reader.after)


def _token_states(spelling: Spelling, states: Vectors, windows: int) -> TokenStates:
    return TokenStates(spelling.ids, spelling.offsets, spelling.special, spelling.pieces, states, windows)
