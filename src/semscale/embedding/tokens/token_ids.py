"""Token ids of texts, and the positions of windows in long texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt

from semscale.embedding.tokens.prefix import of_prefix, tokens_around
from semscale.embedding.tokens.spaced_tokens import SpacedTokens, Spelled, reads_between_spaces
from semscale.embedding.tokens.unknown_tokens import UnknownTokens, are_unread
from semscale.json_reading import encodable
from semscale.types import Ids, Integers, Mask

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Whole = TypeVar("Whole", np.int32, np.int64)

_CHUNK = 4096  # texts that are tokenized in one call
_NO_IDS: Ids = np.empty(0, np.int32)


@dataclass(frozen=True)
class TokenIds:
    """Concatenated token ids of n texts, special tokens included.

    Attributes:
        ids: shape (tokens of all texts,), int32.
        starts: shape (n + 1,), where each text's ids begin, and where the last text's end.
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
        """Number of tokens in each of some texts, shape (number of texts,)."""
        chosen = np.asarray(texts, np.int64)
        return np.asarray(self.starts[chosen + 1] - self.starts[chosen])

    def of(self, text: int) -> Ids:
        """One text's ids, shape (t,)."""
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
    """A model's own tokenizer, without any limit on a text's length.

    Byte-level tokenizers of the RoBERTa family get a space before the text, so that its first word is split
    like every other one. Published BERTScores were computed this way. A model's prefix is read with every
    text; its tokens count as special, like [CLS]: they have states, and are none of the text's own.

    Args:
        tokenizer: without padding; its truncation is switched off.
        prefix: put before every text.

    Attributes:
        before: how many special tokens stand before a text's own tokens, those of the prefix included.
        after: how many stand after them.
    """

    def __init__(self, tokenizer: "Tokenizer", prefix: str = "") -> None:
        self._tokenizer = tokenizer
        self._tokenizer.no_truncation()
        self.prefix = prefix
        self.before, self.after = tokens_around(self._tokenizer, prefix)

    @cached_property
    def vocabulary(self) -> int:
        """One more than the highest token id."""
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
        """Say which texts the model cannot read, as most of their tokens are unknown, shape (n,)."""
        n = len(tokens)
        return are_unread(self._unknown.shares(tokens.ids, np.repeat(np.arange(n), tokens.lengths), n))

    @cached_property
    def _unknown(self) -> UnknownTokens:
        return UnknownTokens(self._tokenizer, self.prefix)

    def spell(self, text: str) -> Spelling:
        """Tokenize one text, with the position of each token."""
        encoding = self._tokenizer.encode(self.prefix + encodable(text))
        found = np.array(encoding.offsets, np.int64).reshape(-1, 2)
        special = np.array(encoding.special_tokens_mask, np.bool_) | of_prefix(found, self.prefix)
        offsets = self._offsets(found, special)
        return Spelling(np.array(encoding.ids, np.int32), offsets, special, tuple(encoding.tokens))

    def spell_all(self, texts: Sequence[str]) -> Spellings:
        """Tokenize texts, with the position of each token."""
        spell = self._spell_each
        if self._reads_between_spaces:
            spell = SpacedTokens(self._tokenizer, self.special_ids, self.before).spell
        found = [
            spell([self.prefix + encodable(text) for text in texts[start : start + _CHUNK]])
            for start in range(0, len(texts), _CHUNK)
        ]
        nothing = Spelled(_NO_IDS, _NO_IDS.reshape(0, 2), np.empty(0, np.bool_), np.empty(0, np.int64))
        ids, offsets, special, lengths = (np.concatenate(each) for each in zip(nothing, *found, strict=True))
        return Spellings(TokenIds(ids, np.append(0, np.cumsum(lengths))), offsets, special)

    @cached_property
    def _reads_between_spaces(self) -> bool:
        framed = len(self.special_ids) == self.before + self.after
        return framed and not self.prefix and reads_between_spaces(self._tokenizer)

    def _spell_each(self, texts: Sequence[str]) -> Spelled:
        """Tokenize texts one by one, shared out among the processors."""
        encodings = self._tokenizer.encode_batch(texts)
        rows = [encoding.ids for encoding in encodings]
        masks = chain.from_iterable(encoding.special_tokens_mask for encoding in encodings)
        places = chain.from_iterable(chain.from_iterable(encoding.offsets) for encoding in encodings)
        found = np.fromiter(places, np.int32).reshape(-1, 2)
        special = np.fromiter(masks, np.bool_) | of_prefix(found, self.prefix)
        offsets = self._offsets(found, special)
        ids = np.fromiter(chain.from_iterable(rows), np.int32)
        return Spelled(ids, offsets, special, np.array([len(row) for row in rows], np.int64))

    def _offsets(self, offsets: npt.NDArray[Whole], special: npt.NDArray[np.bool_]) -> npt.NDArray[Whole]:
        """Count offsets from the text's own first character, without the added space."""
        own = np.where(special[:, None], 0, np.maximum(offsets - len(self.prefix), 0))
        return own.astype(offsets.dtype, copy=False)


def window_starts(content: int, room: int, overlap: int) -> Integers:
    """Return where the windows of a text begin; the last one ends with the text and is as full as the others.

    Args:
        content: tokens of the text, without special ones, at least 1.
        room: tokens in a window, at least 1.
        overlap: the fewest tokens that two neighbouring windows share, less than ``room``.

    Example:
        >>> window_starts(10, room=4, overlap=1).tolist()
        [0, 3, 6]
        >>> window_starts(9, room=4, overlap=1).tolist()
        [0, 3, 5]
    """
    last = max(0, content - room)
    return np.append(np.arange(0, last, room - overlap), last)


def owning_windows(content: int, starts: Integers, room: int) -> Integers:
    """Return the window that gives each token its state: the one in which the token is furthest from an edge.

    The text's own ends are no edges, as nothing is cut off there. At equal distances the earlier window wins.

    Args:
        content: tokens of the text, without special ones.
        starts: where the windows begin, from ``window_starts``.
        room: tokens in a window.

    Returns:
        Shape (content,), numbers of windows, ascending.

    Example:
        >>> owning_windows(10, np.array([0, 3, 6]), room=4).tolist()
        [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    places = np.arange(content)
    to_start = places - starts[:, None]
    to_end = starts[:, None] + room - 1 - places
    outside = (to_start < 0) | (to_end < 0)
    to_start[0] = content
    to_end[-1] = content
    distance = np.where(outside, -1, np.minimum(to_start, to_end))
    return np.asarray(distance.argmax(axis=0))
