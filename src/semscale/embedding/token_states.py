"""Hidden states of single tokens, at any layer and for texts of any length."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from semscale.embedding.texts import distinct, validate_texts
from semscale.embedding.tokenizer import UnknownTokens, are_unread, of_prefix, prefix_setting, tokens_around
from semscale.errors import InputError
from semscale.json_reading import encodable
from semscale.signature import Signature
from semscale.types import Ids, Integers, Mask, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

TOKENLESS_ENGINES = frozenset({"api"})
"""Engines that return no token states; other engines are checked after their model was loaded."""

Rows = Sequence[npt.NDArray[np.int32]]
Outputs = npt.NDArray[np.float32]
Whose = TypeVar("Whose")


class StateEngine(Protocol):
    """Protocol of an engine that returns token states at every layer; some embedders have it."""

    @property
    def name(self) -> str:
        """The model's name in signatures."""
        ...

    @property
    def signature(self) -> Signature:
        """All that affects the numbers: model, libraries, precision, pooling and windows."""
        ...

    @property
    def layers(self) -> int:
        """Number of the model's transformer layers."""
        ...

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        ...

    @property
    def positions(self) -> int:
        """Number of tokens that the model reads at once, special ones included."""
        ...

    @property
    def pooling(self) -> str:
        """Pooling of the last layer's states into a text's vector: ``mean``, or ``cls``, the first.

        Raises:
            InputError: the model pools in another way.
        """
        ...

    @property
    def word_prefix(self) -> str:
        """Prefix of every text, so that the tokenizer splits its first word like every other word."""
        ...

    def open_tokenizer(self) -> "Tokenizer":
        """Return a new object of the model's tokenizer, without padding."""
        ...

    def check_layer(self, layer: int) -> None:
        """Check that the model has a layer.

        Raises:
            InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
        """
        ...

    def run_layer(
        self, groups: Iterable[tuple[Whose, Rows]], *, layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids up to ``layer`` (0: the embeddings), in batches of equal length.

        Args:
            groups: pairs of a label and rows of token ids, special tokens included, short enough to be read
                at once.
            layer: 0 to ``layers``.

        Yields:
            For each batch, the group's label, the indices of the rows, and their states, shape (b, t,
            hidden), valid until the next batch; one group after the other.
        """
        ...


def state_engine(embedder: object) -> StateEngine:
    """Find the engine behind an embedder that returns token states.

    Args:
        embedder: an embedder from ``load_embedder``, with a cache or without.

    Raises:
        InputError: its engine returns no token states.
    """
    engine = _behind_cache(embedder)
    if not shows_states(embedder):
        raise InputError(
            "embedder",
            "must show the states of single tokens, which those of `engine='openvino'` and `engine='torch'` "
            f"do, got {type(engine).__name__}: give a model's name, a folder, or "
            "load_embedder(name, engine='torch')",
        )
    return cast(StateEngine, engine)


def shows_states(embedder: object) -> bool:
    """Tell whether the engine behind an embedder returns token states."""
    return callable(getattr(_behind_cache(embedder), "run_layer", None))


def _behind_cache(embedder: object) -> object:
    return getattr(embedder, "embedder", embedder)


def check_layer_number(layer: int, layers: int) -> None:
    """Check that a model has a layer.

    Raises:
        InputError: ``layer`` is not a whole number from 0 (the embeddings) to ``layers``.
    """
    whole = isinstance(layer, int | np.integer) and not isinstance(layer, bool)
    if not whole or not 0 <= layer <= layers:
        raise InputError("layer", f"must be between 0 and {layers}, got {layer!r}")


Whole = TypeVar("Whole", np.int32, np.int64)
_CHUNK = 4096  # texts that are tokenized in one call
_NO_IDS: Ids = np.empty(0, np.int32)


@dataclass(frozen=True)
class TokenIds:
    """Concatenated token ids of n texts, special tokens included.

    Attributes:
        ids: shape (tokens of all texts,), int32.
        starts: shape (n + 1,), index of each text's first id, and the end of the last text.
    """

    ids: Ids
    starts: Integers

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> Integers:
        """Number of tokens in each text, shape (n,)."""
        return np.diff(self.starts)

    def lengths_of(self, texts: Sequence[int]) -> Integers:
        """Return the number of tokens in each of some texts, shape (number of texts,)."""
        chosen = np.asarray(texts, np.int64)
        return np.asarray(self.starts[chosen + 1] - self.starts[chosen])

    def of(self, text: int) -> Ids:
        """Return one text's ids, shape (t,)."""
        return self.ids[self.starts[text] : self.starts[text + 1]]


@dataclass(frozen=True)
class Spelling:
    """One text's tokens with their positions in the text.

    Attributes:
        ids: shape (t,), int32.
        offsets: shape (t, 2), first character and the one after the last; both are 0 for special tokens.
        special: shape (t,), whether the tokenizer added the token.
        pieces: the tokens as the vocabulary writes them.
    """

    ids: Ids
    offsets: Integers
    special: npt.NDArray[np.bool_]
    pieces: tuple[str, ...]


@dataclass(frozen=True)
class Spellings:
    """Concatenated tokens of n texts with their positions in the texts.

    Attributes:
        tokens: the token ids.
        offsets: shape (tokens of all texts, 2), int32, first character and the one after the last; both are 0
            for special tokens.
        special: shape (tokens of all texts,), whether the tokenizer added the token.
    """

    tokens: TokenIds
    offsets: Ids
    special: npt.NDArray[np.bool_]

    def places(self, text: int) -> tuple[Ids, npt.NDArray[np.bool_]]:
        """Return one text's offsets, shape (t, 2), and special-token flags, shape (t,)."""
        rows = slice(self.tokens.starts[text], self.tokens.starts[text + 1])
        return self.offsets[rows], self.special[rows]


class TokenReader:
    """A model's tokenizer, without any limit on a text's length.

    Byte-level tokenizers of the RoBERTa family get a space before the text, so that its first word is split
    like every other word. Published BERTScores were computed this way. A model's prefix is read with every
    text. Its tokens count as special, like [CLS]: they have states, but are not part of the text.

    Args:
        tokenizer: the tokenizer, without padding; its truncation is switched off.
        prefix: put before every text.

    Attributes:
        before: number of special tokens before the text's tokens, those of the prefix included.
        after: number of special tokens after them.
    """

    def __init__(self, tokenizer: "Tokenizer", prefix: str = "") -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self.prefix = prefix
        self.before, self.after = tokens_around(self._tokenizer, prefix)

    @cached_property
    def vocabulary(self) -> int:
        """Highest token id plus 1."""
        return 1 + max(self._tokenizer.get_vocab().values())

    @cached_property
    def special_ids(self) -> Ids:
        """Ids of the special tokens around every text, in order, those of the prefix included."""
        ids = self._tokenizer.encode(self.prefix + "a").ids
        return np.array([*ids[: self.before], *ids[len(ids) - self.after :]], np.int32)

    def read(self, texts: Sequence[str]) -> TokenIds:
        """Tokenize texts of any length."""
        parts: list[Ids] = [np.empty(0, np.int32)]
        lengths: list[int] = []
        for start in range(0, len(texts), _CHUNK):
            chunk = [self.prefix + encodable(text) for text in texts[start : start + _CHUNK]]
            rows = [encoding.ids for encoding in self._tokenizer.encode_batch_fast(chunk)]
            lengths += map(len, rows)
            parts.append(np.fromiter(chain.from_iterable(rows), np.int32))
        return TokenIds(np.concatenate(parts), np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]))

    def unread(self, tokens: TokenIds) -> Mask:
        """Return the mask of texts that the model cannot read (most tokens are unknown), shape (n,)."""
        n = len(tokens)
        return are_unread(self._unknown.shares(tokens.ids, np.repeat(np.arange(n), tokens.lengths), n))

    @cached_property
    def _unknown(self) -> UnknownTokens:
        return UnknownTokens(self._tokenizer, self.prefix)

    def spell(self, text: str) -> Spelling:
        """Tokenize one text, with the position of each token."""
        encoding = self._tokenizer.encode(self.prefix + encodable(text))
        offsets_in_text = np.array(encoding.offsets, np.int64).reshape(-1, 2)
        special = np.array(encoding.special_tokens_mask, np.bool_) | of_prefix(offsets_in_text, self.prefix)
        offsets = self._offsets(offsets_in_text, special)
        return Spelling(np.array(encoding.ids, np.int32), offsets, special, tuple(encoding.tokens))

    def spell_all(self, texts: Sequence[str]) -> Spellings:
        """Tokenize texts, with the position of each token."""
        spell = self._spell_each
        if self._reads_between_spaces:
            spell = SpacedTokens(self._tokenizer, self.special_ids, self.before).spell
        chunks = [
            spell([self.prefix + encodable(text) for text in texts[start : start + _CHUNK]])
            for start in range(0, len(texts), _CHUNK)
        ]
        nothing = Spelled(_NO_IDS, _NO_IDS.reshape(0, 2), np.empty(0, np.bool_), np.empty(0, np.int64))
        ids, offsets, special, lengths = (
            np.concatenate(parts) for parts in zip(nothing, *chunks, strict=True)
        )
        return Spellings(TokenIds(ids, np.append(0, np.cumsum(lengths))), offsets, special)

    @cached_property
    def _reads_between_spaces(self) -> bool:
        framed = len(self.special_ids) == self.before + self.after
        return framed and not self.prefix and reads_between_spaces(self._tokenizer)

    def _spell_each(self, texts: Sequence[str]) -> "Spelled":
        """Tokenize texts one by one, distributed among the processors."""
        encodings = self._tokenizer.encode_batch(texts)
        rows = [encoding.ids for encoding in encodings]
        masks = chain.from_iterable(encoding.special_tokens_mask for encoding in encodings)
        flat_offsets = chain.from_iterable(chain.from_iterable(encoding.offsets) for encoding in encodings)
        offsets_in_text = np.fromiter(flat_offsets, np.int32).reshape(-1, 2)
        special = np.fromiter(masks, np.bool_) | of_prefix(offsets_in_text, self.prefix)
        offsets = self._offsets(offsets_in_text, special)
        ids = np.fromiter(chain.from_iterable(rows), np.int32)
        return Spelled(ids, offsets, special, np.array([len(row) for row in rows], np.int64))

    def _offsets(self, offsets: npt.NDArray[Whole], special: npt.NDArray[np.bool_]) -> npt.NDArray[Whole]:
        """Return offsets from the text's first character, without the added space."""
        shifted = np.where(special[:, None], 0, np.maximum(offsets - len(self.prefix), 0))
        return shifted.astype(offsets.dtype, copy=False)


_OF_VECTORS = (
    "pooling",
    "window",
    "prefix",
)  # settings that affect the vectors of texts, but not token states


@dataclass(frozen=True)
class TokenStates:
    """One text's tokens with their hidden states.

    Attributes:
        ids: shape (t,), int32, special tokens included.
        offsets: shape (t, 2), first character and the one after the last; both are 0 for special tokens.
        special: shape (t,), whether the token comes from the tokenizer or the model's prefix.
        pieces: the t tokens as the vocabulary writes them.
        states: shape (t, hidden), float32, not normalised.
        windows: number of overlapping windows for the text; 1 if the model read it at once.
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
        """Pooling of the last layer's states into a text's vector: ``mean``, or ``cls``, the first."""
        return self._engine.pooling

    @cached_property
    def reader(self) -> TokenReader:
        """The model's tokenizer."""
        return TokenReader(self._engine.open_tokenizer(), self._engine.word_prefix)

    @property
    def signature(self) -> Signature:
        """All that affects the states except the layer: weights, tokenizer, arithmetic and windows."""
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
        unique, where = distinct(validate_texts(texts))
        spellings = [self.reader.spell(text) for text in unique]
        lengths = [len(spelling.ids) for spelling in spellings]
        tokens = TokenIds(
            np.concatenate([np.empty(0, np.int32), *(spelling.ids for spelling in spellings)]),
            np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]),
        )
        states = dict(self.encode(tokens, np.arange(len(tokens)), layer=layer))
        windows = self.windows(tokens)
        results = [
            _token_states(spelling, states[at], int(windows[at])) for at, spelling in enumerate(spellings)
        ]
        return [results[number] for number in where]

    def windows(self, tokens: TokenIds) -> Integers:
        """Return the number of windows for each text, shape (n,)."""
        room = self._limit - self.reader.before - self.reader.after
        beyond = np.maximum(0, tokens.lengths - self._limit)
        return 1 + -(-beyond // (room - self._overlap))

    def encode(self, tokens: TokenIds, texts: Integers, *, layer: int) -> Iterator[tuple[int, Vectors]]:
        """Yield the states of some texts as soon as they are ready.

        Args:
            tokens: tokenized texts.
            texts: indices of the wanted texts, each once.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            The text's index with its states, shape (t, hidden), float32, not normalised.
        """
        return self.encode_groups(tokens, [texts], layer=layer)

    def encode_groups(
        self, tokens: TokenIds, groups: Iterable[Integers], *, layer: int
    ) -> Iterator[tuple[int, Vectors]]:
        """Yield the states of groups of texts, one group after the other.

        The model starts on the next group while the caller still receives the last states of a group.

        Args:
            tokens: tokenized texts.
            groups: indices of the wanted texts; a group has each text at most once.
            layer: 0 (the embeddings) to ``layers``.

        Yields:
            The text's index with its states, like ``encode``.
        """
        read = (self._group(tokens, texts) for texts in groups)
        for group, rows, states in self._engine.run_layer(
            ((group, group.rows) for group in read), layer=layer
        ):
            yield from group.receive(rows, states)

    def _group(self, tokens: TokenIds, texts: Integers) -> "ReadingGroup":
        windows = [self._cut_windows(tokens.of(text)) for text in texts.tolist()]
        return ReadingGroup(texts, windows)

    def _cut_windows(self, ids: Ids) -> "WindowedText":
        if len(ids) <= self._limit:
            return WindowedText.whole(ids)
        ends = self.reader.before, self.reader.after
        return WindowedText.cut(ids, ends, room=self._limit - sum(ends), overlap=self._overlap)


def _token_states(spelling: Spelling, states: Vectors, windows: int) -> TokenStates:
    return TokenStates(spelling.ids, spelling.offsets, spelling.special, spelling.pieces, states, windows)


@dataclass(frozen=True)
class WindowedText:
    """The w windows in which one text is read.

    Attributes:
        windows: token ids of each window, special tokens included.
        ends: numbers of special tokens before and after the text's tokens.
        starts: shape (w,), position of each window's beginning among the text's tokens.
        owner: shape (t,), for each of the text's tokens the window that provides its state.
    """

    windows: Sequence[Ids]
    ends: tuple[int, int]
    starts: Integers
    owner: Integers

    @classmethod
    def whole(cls, ids: Ids) -> "WindowedText":
        """Create the single window of a text that is read at once."""
        return cls([ids], (0, 0), _NOWHERE, _NOWHERE)

    @classmethod
    def cut(cls, ids: Ids, ends: tuple[int, int], *, room: int, overlap: int) -> "WindowedText":
        """Cut a text into windows that overlap.

        Args:
            ids: shape (t,), special tokens included.
            ends: numbers of special tokens before and after the text's tokens.
            room: number of tokens in a window, without special ones.
            overlap: smallest number of tokens that two neighbouring windows share.
        """
        before, after = ends
        content = ids[before : len(ids) - after]
        starts = window_starts(len(content), room, overlap)
        head, tail = ids[:before], ids[len(ids) - after :]
        windows = [np.concatenate([head, content[start : start + room], tail]) for start in starts]
        return cls(windows, ends, starts, owning_windows(len(content), starts, room))

    def join_states(self, states: Sequence[Vectors]) -> Vectors:
        """Join the windows' states; special tokens remain only at the two ends of the text."""
        before, after = self.ends
        inner = [
            states[window][before + np.flatnonzero(self.owner == window) - start]
            for window, start in enumerate(self.starts)
        ]
        return np.concatenate([states[0][:before], *inner, states[-1][len(states[-1]) - after :]])


_NOWHERE = np.empty(0, np.int64)


class ReadingGroup:
    """Texts that are read together, with one row of token ids for each window.

    Args:
        texts: shape (n,), indices of the texts.
        windowed: the windows of each text.

    Attributes:
        rows: token ids of all windows.
    """

    def __init__(self, texts: Integers, windowed: Sequence[WindowedText]) -> None:
        self._texts = texts.tolist()
        self._windowed = windowed
        self._counts = [len(text.windows) for text in windowed]
        self._owner = np.repeat(np.arange(len(windowed)), self._counts).tolist()
        self._first = (np.cumsum(self._counts) - self._counts).tolist()
        self._waiting: dict[int, dict[int, Vectors]] = {}
        self.rows = [window for text in windowed for window in text.windows]

    def receive(self, rows: Integers, states: Vectors) -> Iterator[tuple[int, Vectors]]:
        """Receive the states of some rows, and yield the texts that are now complete.

        Args:
            rows: shape (b,), indices of the rows.
            states: shape (b, t, hidden); copied.

        Yields:
            A text's index with its states, (t, hidden).
        """
        for row, state in zip(rows.tolist(), states.copy(), strict=True):
            number = self._owner[row]
            if self._counts[number] == 1:
                yield self._texts[number], state
                continue
            parts = self._waiting.setdefault(number, {})
            parts[row - self._first[number]] = state
            if len(parts) == self._counts[number]:
                del self._waiting[number]
                ordered = [parts[window] for window in range(len(parts))]
                yield self._texts[number], self._windowed[number].join_states(ordered)


def window_starts(content: int, room: int, overlap: int) -> Integers:
    """Return the first positions of a text's windows; the last window ends with the text and is a full one.

    Args:
        content: number of tokens in the text, without special ones, at least 1.
        room: number of tokens in a window, at least 1.
        overlap: smallest number of tokens that two neighbouring windows share, less than ``room``.

    Examples:
        >>> window_starts(10, room=4, overlap=1).tolist()
        [0, 3, 6]
        >>> window_starts(9, room=4, overlap=1).tolist()
        [0, 3, 5]
    """
    last = max(0, content - room)
    return np.append(np.arange(0, last, room - overlap), last)


def owning_windows(content: int, starts: Integers, room: int) -> Integers:
    """Return, for each token, the window in which the token is furthest from an edge; it provides the state.

    The ends of the text are not edges, as nothing is cut off there. At equal distances the earlier window is
    chosen.

    Args:
        content: number of tokens in the text, without special ones.
        starts: first positions of the windows, from ``window_starts``.
        room: number of tokens in a window.

    Returns:
        Shape (content,), indices of windows, ascending.

    Examples:
        >>> owning_windows(10, np.array([0, 3, 6]), room=4).tolist()
        [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    positions = np.arange(content)
    to_start = positions - starts[:, None]
    to_end = starts[:, None] + room - 1 - positions
    outside = (to_start < 0) | (to_end < 0)
    to_start[0] = content
    to_end[-1] = content
    distance = np.where(outside, -1, np.minimum(to_start, to_end))
    return np.asarray(distance.argmax(axis=0))


class Spelled(NamedTuple):
    """Concatenated tokens of n texts: ids, offsets and special-token flags, and the tokens per text."""

    ids: Ids
    offsets: Ids
    special: npt.NDArray[np.bool_]
    lengths: Integers


def reads_between_spaces(tokenizer: "Tokenizer") -> bool:
    """Tell whether a tokenizer handles each piece of text between two spaces independently.

    BERT's tokenizer does so: it normalises characters, splits at white space and marks, and looks up the
    pieces of each part in its vocabulary.
    """
    from tokenizers import models, normalizers, pre_tokenizers

    return (
        isinstance(tokenizer.normalizer, normalizers.BertNormalizer)
        and isinstance(tokenizer.pre_tokenizer, pre_tokenizers.BertPreTokenizer)
        and isinstance(tokenizer.model, models.WordPiece)
        and not any(
            " " in token.content or token.lstrip or token.rstrip or token.single_word
            for token in tokenizer.get_added_tokens_decoder().values()
        )
    )


class SpacedTokens:
    """Returns the same tokens as a tokenizer for which ``reads_between_spaces`` is true, but faster.

    Args:
        tokenizer: a tokenizer without truncation and padding.
        frame: ids of the special tokens around every text.
        before: number of these tokens before the text.
    """

    def __init__(self, tokenizer: "Tokenizer", frame: Ids, before: int) -> None:
        self._tokenizer = tokenizer
        self._frame = frame
        self._before = before
        self._numbers: dict[str, int] = {}
        self._counts = np.empty(0, np.int64)
        self._ids = np.empty(0, np.int32)
        self._offsets = np.empty((0, 2), np.int32)

    def spell(self, texts: Sequence[str]) -> Spelled:
        """Tokenize n texts, with the position of each token in its text."""
        split = [text.split(" ") for text in texts]
        parts = list(chain.from_iterable(split))
        self._learn(parts)
        numbers = np.fromiter(map(self._numbers.__getitem__, parts), np.int64, len(parts))
        counts = self._counts[numbers]
        ends = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)) + 1)
        owner = np.repeat(np.arange(len(texts)), [len(words_of_text) for words_of_text in split])
        # Position of each part in its text: every earlier part takes its length and one space.
        begins = np.append(0, ends[:-1]) - np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])[owner]
        tokens = np.repeat((np.cumsum(self._counts) - self._counts)[numbers], counts) + _places(counts)
        offsets = self._offsets[tokens] + np.repeat(begins, counts)[:, None]
        return self._add_frame(self._ids[tokens], offsets, np.repeat(owner, counts), len(texts))

    def _learn(self, parts: Sequence[str]) -> None:
        new = [part for part in dict.fromkeys(parts) if part not in self._numbers]
        self._numbers.update(zip(new, range(len(self._numbers), len(self._numbers) + len(new)), strict=True))
        encodings = self._tokenizer.encode_batch(new, add_special_tokens=False)
        ids = np.fromiter(chain.from_iterable(encoding.ids for encoding in encodings), np.int32)
        offsets = chain.from_iterable(chain.from_iterable(encoding.offsets for encoding in encodings))
        self._counts = np.append(self._counts, np.array([len(encoding) for encoding in encodings], np.int64))
        self._ids = np.append(self._ids, ids)
        self._offsets = np.append(self._offsets, np.fromiter(offsets, np.int32).reshape(-1, 2), axis=0)

    def _add_frame(self, ids: Ids, offsets: Integers, own: Integers, n: int) -> Spelled:
        """Add the special tokens around each text's tokens."""
        around = len(self._frame)
        inside = np.arange(len(ids)) + own * around + self._before
        total = len(ids) + n * around
        special = np.ones(total, np.bool_)
        special[inside] = False
        framed, positions = np.empty(total, np.int32), np.zeros((total, 2), np.int32)
        framed[inside], framed[special] = ids, np.tile(self._frame, n)
        positions[inside] = offsets
        return Spelled(framed, positions, special, np.bincount(own, minlength=n) + around)


def _places(counts: Integers) -> Integers:
    """Number the tokens of each run from 0, for runs of ``counts`` tokens; shape (tokens of all runs,)."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
