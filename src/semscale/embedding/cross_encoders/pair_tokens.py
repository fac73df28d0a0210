"""Token ids of pairs of texts, with a model's special tokens around and between them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from semscale.embedding.texts import distinct
from semscale.embedding.tokens.token_ids import TokenReader
from semscale.errors import ModelError
from semscale.types import Ids, Mask

if TYPE_CHECKING:
    from tokenizers import Tokenizer


_FEWEST = 2  # tokens of two texts


@dataclass(frozen=True)
class PairRows:
    """Token ids of p pairs, special tokens included.

    Attributes:
        ids: one array of token ids for each pair.
        types: one array for each pair, as the model's tokenizer marks the first and the second text.
        truncated: shape (p,), whether the pair was too long for the model and was cut.
        unread: shape (p,), whether the model cannot read one of the two texts, as most of its tokens are
            unknown to it.
    """

    ids: list[Ids]
    types: list[Ids]
    truncated: Mask
    unread: Mask


class PairTokens:
    """A model's tokenizer for pairs; each distinct text is tokenized once.

    Args:
        tokenizer: without padding and truncation.
        max_tokens: the most tokens that the model reads at once, special ones included.

    Raises:
        ModelError: the tokenizer puts no special token between two texts, or leaves no room for them.
    """

    def __init__(self, tokenizer: "Tokenizer", max_tokens: int) -> None:
        self._reader = TokenReader(tokenizer)
        self._frame = _frame_of(tokenizer)
        self._room = max_tokens - sum(map(len, self._frame.ids))
        if self._room < _FEWEST:
            raise ModelError(f"a model that reads {max_tokens} tokens at once has no room for two texts")

    def rows(self, first: Sequence[str], second: Sequence[str]) -> PairRows:
        """Tokenize p pairs; of one that is too long, tokens are dropped from the end of the longer text.

        Args:
            first: p texts.
            second: p texts.
        """
        texts, places = distinct([*first, *second])
        tokens = self._reader.read(texts)
        before, after = self._reader.before, self._reader.after
        own = [ids[before : len(ids) - after] for ids in map(tokens.of, range(len(texts)))]
        unread = self._reader.unread(tokens)[places] if texts else np.zeros(0, np.bool_)
        ones, others = places[: len(first)], places[len(first) :]
        ids, types, truncated = [], [], np.zeros(len(first), np.bool_)
        for pair, (one, other) in enumerate(zip(ones.tolist(), others.tolist(), strict=True)):
            kept = kept_lengths(len(own[one]), len(own[other]), self._room)
            truncated[pair] = sum(kept) < len(own[one]) + len(own[other])
            pieces = own[one][: kept[0]], own[other][: kept[1]]
            ids.append(self._frame.around(pieces))
            types.append(self._frame.types_of(*kept))
        return PairRows(ids, types, truncated, unread[: len(first)] | unread[len(first) :])


def kept_lengths(first: int, second: int, room: int) -> tuple[int, int]:
    """Say how many tokens of two texts are kept, so that both fit: the longer one is cut first.

    This is the rule ``longest_first`` of the library ``tokenizers``.

    Args:
        first: tokens of the first text.
        second: tokens of the second one.
        room: the most tokens of both.

    Example:
        >>> kept_lengths(3, 4, 10), kept_lengths(3, 20, 10), kept_lengths(20, 30, 11)
        ((3, 4), (3, 7), (5, 6))
    """
    if first + second <= room:
        return first, second
    shorter = min(first, second)
    longer = max(shorter, room - shorter)
    if shorter + longer > room:
        shorter, longer = room // 2, room - room // 2
    return (longer, shorter) if first > second else (shorter, longer)


class _Frame(NamedTuple):
    """Special tokens before, between and after two texts, and the types of all tokens.

    Attributes:
        ids: three arrays.
        types: five arrays of which the second and the fourth, those of the texts, have one entry.
    """

    ids: tuple[Ids, Ids, Ids]
    types: tuple[Ids, Ids, Ids, Ids, Ids]

    def around(self, texts: tuple[Ids, Ids]) -> Ids:
        """Put the special tokens around the ids of two texts."""
        before, between, after = self.ids
        return np.concatenate([before, texts[0], between, texts[1], after])

    def types_of(self, first: int, second: int) -> Ids:
        """Give the types of all tokens of two texts with so many tokens."""
        before, one, between, other, after = self.types
        return np.concatenate([before, one.repeat(first), between, other.repeat(second), after])


def _frame_of(tokenizer: "Tokenizer") -> _Frame:
    """Read the special tokens off a pair of one-letter texts."""
    found = tokenizer.encode("a", "a")
    owners = found.sequence_ids
    if not {0, 1} <= set(owners):
        raise ModelError("tokenizer.json gives no token for a letter, so it is damaged")
    edges = [owners.index(0), _end(owners, 0), owners.index(1), _end(owners, 1)]
    if edges[1] >= edges[2]:
        raise ModelError(
            "tokenizer.json puts no token between two texts; save the model with its fast tokenizer"
        )
    ids = np.split(np.array(found.ids, np.int32), edges)
    types = np.split(np.array(found.type_ids, np.int32), edges)
    return _Frame((ids[0], ids[2], ids[4]), (types[0], types[1][:1], types[2], types[3][:1], types[4]))


def _end(owners: Sequence[int | None], text: int) -> int:
    return len(owners) - list(owners)[::-1].index(text)
