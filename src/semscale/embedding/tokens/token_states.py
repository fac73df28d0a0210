"""Hidden states of all tokens of a text, at any layer and for texts of any length."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from semscale.embedding.texts import checked_texts, distinct
from semscale.embedding.tokens.prefix import prefix_setting
from semscale.embedding.tokens.reading_groups import ReadingGroup, WindowedText
from semscale.embedding.tokens.state_engine import StateEngine
from semscale.embedding.tokens.token_ids import Spelling, TokenIds, TokenReader
from semscale.signature import Signature
from semscale.types import Ids, Integers, Vectors

_OF_VECTORS = (
    "pooling",
    "window",
    "prefix",
)  # settings that decide the vectors of texts, and no state of a token


@dataclass(frozen=True)
class TokenStates:
    """One text's tokens with their hidden states.

    Attributes:
        ids: shape (t,), int32, special tokens included.
        offsets: shape (t, 2), first character and the one after the last; both are 0 for special tokens.
        special: shape (t,), whether the tokenizer added the token, or the model's prefix has it.
        pieces: the t tokens as the vocabulary writes them.
        states: shape (t, hidden), float32, not normalised.
        windows: overlapping windows that the text was read in; 1 if the model read it at once.
    """

    ids: Ids
    offsets: Integers
    special: npt.NDArray[np.bool_]
    pieces: tuple[str, ...]
    states: Vectors
    windows: int


class TokenEncoder:
    """Computes the hidden states of texts, token by token.

    With the engine ``openvino`` a text's states are the same to the last bit whatever other texts
    are computed with it. A text that is longer than the model's position table is read in windows that
    overlap by a quarter; each token's state comes from the window in which the token is furthest from an
    edge.

    Args:
        engine: runs the model.

    References:
        Devlin et al. 2019, doi:10.18653/v1/N19-1423.
    """

    def __init__(self, engine: StateEngine) -> None:
        self._engine = engine
        self._limit = engine.positions
        self._overlap = self._limit // 4

    @property
    def name(self) -> str:
        """The model's name in signatures."""
        return self._engine.name

    @property
    def layers(self) -> int:
        """Number of the model's transformer layers."""
        return self._engine.layers

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        return self._engine.hidden

    @property
    def pooling(self) -> str:
        """How states of the last layer are combined into a text's vector: ``mean``, or ``cls``, the first."""
        return self._engine.pooling

    @cached_property
    def reader(self) -> TokenReader:
        """The model's tokenizer."""
        return TokenReader(self._engine.open_tokenizer(), self._engine.word_prefix)

    @property
    def signature(self) -> Signature:
        """What decides the states besides the layer: weights, tokenizer, arithmetic and windows."""
        shared = {name: value for name, value in self._engine.signature.fields if name not in _OF_VECTORS}
        prefix = "space" if self.reader.prefix == " " else prefix_setting(self.reader.prefix).get("prefix")
        return Signature.of("states", **shared, prefix=prefix, window=f"{self._limit}/{self._overlap}")

    def check_layer(self, layer: int) -> None:
        """Check that the model has a layer.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        self._engine.check_layer(layer)

    def token_states(self, texts: Sequence[str], *, layer: int) -> list[TokenStates]:
        """Return every token's state after ``layer`` (0: the embeddings), special tokens included.

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
        """Yield the states of some texts, in the order in which they are ready.

        Args:
            tokens: tokenized texts.
            texts: numbers of the wanted texts, each once.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            The text's number with its states, shape (t, hidden), float32, not normalised.
        """
        return self.encode_groups(tokens, [texts], layer=layer)

    def encode_groups(
        self, tokens: TokenIds, groups: Iterable[Integers], *, layer: int
    ) -> Iterator[tuple[int, Vectors]]:
        """Yield the states of groups of texts, one group after the other.

        The model starts on the next group while the caller still takes the last states of a group.

        Args:
            tokens: tokenized texts.
            groups: numbers of the wanted texts, each once in a group.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            The text's number with its states, as ``encode`` does.
        """
        read = (self._group(tokens, texts) for texts in groups)
        for group, rows, states in self._engine.run_layer(((each, each.rows) for each in read), layer=layer):
            yield from group.joined(rows, states)

    def _group(self, tokens: TokenIds, texts: Integers) -> ReadingGroup:
        windows = [self._windowed(tokens.of(text)) for text in texts.tolist()]
        return ReadingGroup(texts, windows)

    def _windowed(self, ids: Ids) -> WindowedText:
        if len(ids) <= self._limit:
            return WindowedText.whole(ids)
        ends = self.reader.before, self.reader.after
        return WindowedText.cut(ids, ends, room=self._limit - sum(ends), overlap=self._overlap)


def _token_states(spelling: Spelling, states: Vectors, windows: int) -> TokenStates:
    return TokenStates(spelling.ids, spelling.offsets, spelling.special, spelling.pieces, states, windows)
