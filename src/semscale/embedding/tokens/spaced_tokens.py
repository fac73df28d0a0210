"""Tokenization in which each stretch between two spaces is tokenized once for all texts."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from semscale.types import Ids, Integers

if TYPE_CHECKING:
    from tokenizers import Tokenizer


class Spelled(NamedTuple):
    """Concatenated tokens of n texts: ids, offsets and special-token flags, with the number for each text."""

    ids: Ids
    offsets: Ids
    special: npt.NDArray[np.bool_]
    lengths: Integers


def reads_between_spaces(tokenizer: "Tokenizer") -> bool:
    """Tell whether a tokenizer treats each stretch of text between two spaces by itself.

    BERT's tokenizer does: it normalises characters, splits at white space and marks, and looks up the pieces
    of each part in its vocabulary.
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
    """Gives the same tokens as a tokenizer for which ``reads_between_spaces`` is true.

    Args:
        tokenizer: a tokenizer without truncation and padding.
        frame: ids of the special tokens around every text.
        before: how many of these stand before the text.
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
        own = np.repeat(np.arange(len(texts)), [len(each) for each in split])
        # Where each part begins: each earlier part takes its length and one space.
        begins = np.append(0, ends[:-1]) - np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])[own]
        tokens = np.repeat((np.cumsum(self._counts) - self._counts)[numbers], counts) + _places(counts)
        offsets = self._offsets[tokens] + np.repeat(begins, counts)[:, None]
        return self._framed(self._ids[tokens], offsets, np.repeat(own, counts), len(texts))

    def _learn(self, parts: Sequence[str]) -> None:
        new = [part for part in dict.fromkeys(parts) if part not in self._numbers]
        self._numbers.update(zip(new, range(len(self._numbers), len(self._numbers) + len(new)), strict=True))
        found = self._tokenizer.encode_batch(new, add_special_tokens=False)
        ids = np.fromiter(chain.from_iterable(each.ids for each in found), np.int32)
        places = chain.from_iterable(chain.from_iterable(each.offsets for each in found))
        self._counts = np.append(self._counts, np.array([len(each) for each in found], np.int64))
        self._ids = np.append(self._ids, ids)
        self._offsets = np.append(self._offsets, np.fromiter(places, np.int32).reshape(-1, 2), axis=0)

    def _framed(self, ids: Ids, offsets: Integers, own: Integers, n: int) -> Spelled:
        """Add the special tokens around each text's own tokens."""
        around = len(self._frame)
        inside = np.arange(len(ids)) + own * around + self._before
        total = len(ids) + n * around
        special = np.ones(total, np.bool_)
        special[inside] = False
        framed, places = np.empty(total, np.int32), np.zeros((total, 2), np.int32)
        framed[inside], framed[special] = ids, np.tile(self._frame, n)
        places[inside] = offsets
        return Spelled(framed, places, special, np.bincount(own, minlength=n) + around)


def _places(counts: Integers) -> Integers:
    """Number the tokens of each run from 0, for runs of ``counts`` tokens; shape (tokens of all runs,)."""
    return np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
