"""Share of a text's tokens that a model's tokenizer does not know, and texts that the model cannot read."""

from string import punctuation

import numpy as np

from semscale.embedding.tokens.text_tokenizer import TextTokenizer
from semscale.types import Ids, Integers, Mask, Vectors

MOST_UNKNOWN = 0.5
"""A text is unread where more than this share of its tokens is unknown."""

_MARKS = punctuation + "…–—‘’“”„«»¿¡·•。，、！？：；（）「」『』《》؟،؛।"
_BEGINNINGS = ("", "##", "▁", "Ġ")  # how vocabularies mark a piece's place in its word


class UnknownTokens:
    """Tells which share of a text's tokens is the unknown token of a tokenizer.

    Special tokens and punctuation do not count. Byte-level tokenizers, such as RoBERTa's, never give their
    unknown token.

    Args:
        tokenizer: of the model.
        prefix: what is put before every text; its tokens do not count.

    Example:
        >>> from tokenizers import Tokenizer, models
        >>> vocabulary = {"[UNK]": 0, "good": 1, "!": 2}
        >>> unknown = UnknownTokens(Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]")))
        >>> unknown.shares(np.array([1, 0, 2, 0, 2], np.int32), np.array([0, 0, 0, 1, 2]), n=4).tolist()
        [0.5, 1.0, 0.0, 1.0]
    """

    def __init__(self, tokenizer: TextTokenizer, prefix: str = "") -> None:
        # A Unigram model, such as XLM-RoBERTa's, does not say what its unknown token is called.
        name = getattr(tokenizer.model, "unk_token", None) or "<unk>"
        self._unknown = -1 if (found := tokenizer.token_to_id(name)) is None else found
        around = {*tokenizer.encode("").ids, *_ids_of(tokenizer, ["▁", "Ġ"])} - {self._unknown}
        marks = _ids_of(tokenizer, [before + mark for before in _BEGINNINGS for mark in _MARKS])
        self._around = np.array(sorted(around), np.int32)
        self._marks = np.array(sorted(marks - {self._unknown}), np.int32)
        own = np.array(tokenizer.encode(prefix).ids if prefix else [], np.int32)
        self._in_prefix = int(self._counting(own).sum())

    def shares(self, ids: Ids, owner: Integers, n: int, *, windows: Integers | None = None) -> Vectors:
        """Give the share of each text's tokens that is unknown.

        Args:
            ids: shape (tokens,), those of all texts, special tokens included.
            owner: shape (tokens,), the number of each token's text.
            n: how many texts there are.
            windows: shape (n,), how often each text's tokens have the prefix; once unless given.

        Returns:
            Shape (n,), 0 to 1; 0 for punctuation alone, and 1 for a text without any token.
        """
        repeats = np.ones(n, np.int64) if windows is None else windows
        unknown = np.bincount(owner[ids == self._unknown], minlength=n)
        counting = np.bincount(owner[self._counting(ids)], minlength=n) - self._in_prefix * repeats
        marks = np.bincount(owner[np.isin(ids, self._marks)], minlength=n)
        shares = np.where(marks > 0, 0.0, 1.0)
        np.divide(unknown, counting, out=shares, where=counting > 0)
        return shares.astype(np.float32)

    def _counting(self, ids: Ids) -> Mask:
        return ~(np.isin(ids, self._around) | np.isin(ids, self._marks))


def are_unread(shares: Vectors) -> Mask:
    """Say which texts a model cannot read, from the shares of their tokens that are unknown, shape (n,).

    A share that is not known, NaN, says nothing against a text.

    Example:
        >>> are_unread(np.array([0.5, 0.6, np.nan], np.float32)).tolist()
        [False, True, False]
    """
    return np.asarray(shares > MOST_UNKNOWN)


def _ids_of(tokenizer: TextTokenizer, pieces: list[str]) -> set[int]:
    return {found for piece in pieces if (found := tokenizer.token_to_id(piece)) is not None}
