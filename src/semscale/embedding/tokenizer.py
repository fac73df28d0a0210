"""Tokenizers: windows of long texts, unknown tokens, prefixes, and Unigram models in little memory."""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from math import inf
from pathlib import Path
from string import punctuation
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from semscale.errors import ModelError
from semscale.types import Floats, Ids, Integers, Mask, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

MOST_UNKNOWN = 0.5
"""Share of unknown tokens above which a text counts as unread."""


class TokenizedText(Protocol):
    """A text's tokens, special ones included."""

    @property
    def ids(self) -> list[int]:
        """Ids of the tokens."""
        ...

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """First character of each token (or of its word), and the character after the last."""
        ...

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for each special token around the text, else 0."""
        ...


class TextTokenizer(Protocol):
    """Protocol of a tokenizer without padding and truncation: the library's, or a ``UnigramTokenizer``."""

    @property
    def model(self) -> object:
        """The library's model; its ``unk_token``, if it has one, is the name of the unknown token."""
        ...

    def token_to_id(self, token: str, /) -> int | None:
        """Return a token's id, or ``None`` if it is not known."""
        ...

    def encode(self, text: str, /) -> TokenizedText:
        """Tokenize a text."""
        ...

    def encode_batch_fast(self, texts: list[str], /) -> Sequence[TokenizedText]:
        """Tokenize texts; offsets and masks may be missing."""
        ...


@dataclass(frozen=True)
class Windows:
    """Rows of token ids, special tokens included.

    Attributes:
        ids: one array of token ids for each window.
        owner: shape (w,), index of each window's text; ascending.
        lengths: shape (w,), number of tokens in each window.
    """

    ids: list[npt.NDArray[np.int32]]
    owner: Integers
    lengths: Integers

    def per_text(self, n: int) -> Integers:
        """Return the number of windows of each of ``n`` texts, shape (n,)."""
        return np.bincount(self.owner, minlength=n)

    def tokens_per_text(self, n: int) -> Integers:
        """Return the number of tokens in all windows of each of ``n`` texts, shape (n,)."""
        counted: Integers = np.bincount(self.owner, self.lengths, minlength=n).astype(np.int64)
        return counted

    def unknown_shares(self, unknown: "UnknownTokens", n: int) -> Vectors:
        """Return the share of unknown tokens in each of ``n`` texts, shape (n,)."""
        ids = np.concatenate([np.empty(0, np.int32), *self.ids])
        return unknown.shares(ids, np.repeat(self.owner, self.lengths), n, windows=self.per_text(n))


_TOGETHER = 1024  # texts that are tokenized in one call, as the tokenizer stores more than the ids of a text


class WindowTokenizer:
    """A checkpoint's tokenizer, which splits long texts into windows instead of cutting them.

    Args:
        tokenizer: the tokenizer, without padding and truncation.
        max_tokens: largest number of tokens that the model reads at once, special ones included; ``None`` for
            any number.
        overlap: number of tokens that two neighbouring windows share.
        prefix: put before every text, and so at the beginning of each of its windows.

    Attributes:
        unknown: computes the shares of unknown tokens.
    """

    def __init__(
        self, tokenizer: TextTokenizer, max_tokens: int | None, overlap: int, *, prefix: str = ""
    ) -> None:
        self._tokenizer = tokenizer
        self._prefix = prefix
        self._ends = tokens_around(self._tokenizer, prefix)
        self._max_tokens = max_tokens
        self._overlap = overlap
        self.unknown = UnknownTokens(self._tokenizer, prefix)

    def split(self, texts: Sequence[str]) -> Windows:
        """Tokenize texts; a text becomes one window, or several if it is long."""
        ids: list[npt.NDArray[np.int32]] = []
        owner: list[int] = []
        for text, row in enumerate(self._token_ids(texts)):
            for window in cut_windows(row, self._ends, self._max_tokens, self._overlap):
                ids.append(np.array(window, np.int32))
                owner.append(text)
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        return Windows(ids, np.array(owner, np.int64), lengths)

    def _token_ids(self, texts: Sequence[str]) -> Iterator[list[int]]:
        for start in range(0, len(texts), _TOGETHER):
            prefixed = [self._prefix + text for text in texts[start : start + _TOGETHER]]
            for encoding in self._tokenizer.encode_batch_fast(prefixed):
                yield encoding.ids


def cut_windows(
    ids: Sequence[int], ends: tuple[int, int], max_tokens: int | None, overlap: int
) -> Iterator[Sequence[int]]:
    """Cut a text's token ids into windows, each with the prefix and the special tokens of every text.

    Args:
        ids: shape (t,), with the tokens around the text.
        ends: numbers of tokens before the text, its prefix included, and after it.
        max_tokens: largest number of tokens in a window; ``None`` for a single window.
        overlap: number of the text's tokens that two neighbouring windows share.

    Yields:
        One window, or several if the text is long; the last one ends with the text.

    Raises:
        ModelError: the tokens around a text leave no room for it.

    Examples:
        >>> list(cut_windows([0, 11, 12, 13, 14, 15, 2], (1, 1), 5, 1))
        [[0, 11, 12, 13, 2], [0, 13, 14, 15, 2]]
    """
    if max_tokens is None or len(ids) <= max_tokens:
        yield ids
        return
    before, last = ends[0], len(ids) - ends[1]
    room = max_tokens - sum(ends)
    if room <= overlap:
        raise ModelError(
            f"the tokens around a text are {sum(ends)} of the {max_tokens} that the model reads at once: "
            "choose a shorter prefix"
        )
    for start in range(before, last, room - overlap):
        yield [*ids[:before], *ids[start : min(start + room, last)], *ids[last:]]
        if start + room >= last:
            return


def pool_windows(vectors: Vectors, windows: Windows, n: int) -> Vectors:
    """Average each text's window vectors, weighted by their tokens, and scale the averages to length 1.

    Args:
        vectors: shape (w, d), unit rows, one for each window.
        windows: the windows, with their texts and lengths.
        n: number of texts.

    Returns:
        Shape (n, d), unit rows; a text of one window keeps its vector bit for bit.
    """
    counts = windows.per_text(n)
    starts = np.cumsum(counts) - counts
    pooled: Vectors = vectors[starts]
    for text in np.flatnonzero(counts > 1):
        rows = slice(starts[text], starts[text] + counts[text])
        weights: Floats = windows.lengths[rows].astype(np.float64)
        mean = weights @ vectors[rows].astype(np.float64)
        pooled[text] = mean / np.linalg.norm(mean)
    return pooled


def open_tokenizer(path: Path) -> "Tokenizer":
    """Read a ``tokenizer.json`` and turn off the padding and truncation that it may set.

    Raises:
        ModelError: it cannot be read.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises no narrower type
        raise ModelError(f"{path} cannot be read: {error}") from error
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def open_text_tokenizer(path: Path, prefix: str) -> "Tokenizer | UnigramTokenizer":
    """Read a ``tokenizer.json`` for a ``WindowTokenizer``, in the form that needs the least memory.

    Args:
        path: path of the file.
        prefix: put before every text.

    Raises:
        ModelError: the file cannot be read.
    """
    if prefix and not prefix.endswith(" "):  # the prefix and the text's beginning are one word
        return open_tokenizer(path)
    try:
        document = json.loads(path.read_bytes())
        if is_unigram(document):
            return UnigramTokenizer(document)
    except Exception as error:  # the library raises no narrower type
        raise ModelError(f"{path} cannot be read: {error}") from error
    return open_tokenizer(path)


def check_tokens(
    tokenizer: "Tokenizer | UnigramTokenizer", words: int | None, *, path: Path, weights: str
) -> None:
    """Reject the tokenizer of another model, as a token without a row would get an arbitrary vector.

    Args:
        tokenizer: the tokenizer.
        words: number of rows in the model's table of words; ``None`` if unknown.
        path: path of the tokenizer's file, for the message.
        weights: name of the file that states ``words``, for the message.

    Raises:
        ModelError: the table of words has no row for a token.
    """
    if isinstance(tokenizer, UnigramTokenizer):
        largest = tokenizer.largest_id
    else:
        # Copying the vocabulary would take half a second. Its ids have no gaps; those of added tokens may
        # have some.
        largest = max([tokenizer.get_vocab_size() - 1, *tokenizer.get_added_tokens_decoder()])
    if words is not None and largest >= words:
        raise ModelError(
            f"{path} has token {largest}, but {weights} has words 0 to {words - 1}: use the tokenizer that "
            "belongs to the model"
        )


def prefix_setting(prefix: str) -> dict[str, str]:
    """Return the signature's field for a prefix; empty without a prefix.

    Examples:
        >>> prefix_setting("query: "), prefix_setting("")
        ({'prefix': 'query%3A%20'}, {})
    """
    return {"prefix": quote(prefix, safe="")} if prefix else {}


def of_prefix(offsets: npt.NDArray[np.integer[Any]], prefix: str) -> Mask:
    """Return the mask of a text's tokens that lie completely in its prefix.

    Args:
        offsets: shape (t, 2), first character of each token and the one after the last, in prefix and text.
        prefix: the prefix; white space at its end may be part of the text's first token.

    Returns:
        Shape (t,); special tokens of the tokenizer have no position, and may be marked as well.

    Examples:
        >>> of_prefix(np.array([[0, 5], [5, 6], [6, 11]]), "query: ").tolist()
        [True, True, False]
    """
    length = len(prefix.rstrip())
    return np.asarray(offsets[:, 1] <= length) if length else np.zeros(len(offsets), np.bool_)


def tokens_around(tokenizer: TextTokenizer, prefix: str) -> tuple[int, int]:
    """Count the tokens before and after every text's tokens: special ones ([CLS], [SEP]) and the prefix's.

    Args:
        tokenizer: the tokenizer, without truncation.
        prefix: put before every text.
    """
    frame = tokenizer.encode(prefix + "a")
    around = np.array(frame.special_tokens_mask, np.bool_)
    around |= of_prefix(np.array(frame.offsets, np.int64).reshape(-1, 2), prefix)
    inside = np.flatnonzero(~around)
    if not len(inside):  # the vocabulary has no "a" and no token for unknown words
        return len(around) // 2, len(around) - len(around) // 2
    return int(inside[0]), int(len(around) - 1 - inside[-1])


_MARKS = punctuation + "…–—‘’“”„«»¿¡·•。，、！？：；（）「」『』《》؟،؛।"
_BEGINNINGS = ("", "##", "▁", "Ġ")  # marks of a piece's position in its word


class UnknownTokens:
    """Computes the share of unknown tokens in texts.

    Special tokens and punctuation do not count. Byte-level tokenizers, such as RoBERTa's, never return their
    unknown token.

    Args:
        tokenizer: the model's tokenizer.
        prefix: put before every text; its tokens do not count.

    Examples:
        >>> from tokenizers import Tokenizer, models
        >>> vocabulary = {"[UNK]": 0, "good": 1, "!": 2}
        >>> unknown = UnknownTokens(Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]")))
        >>> unknown.shares(np.array([1, 0, 2, 0, 2], np.int32), np.array([0, 0, 0, 1, 2]), n=4).tolist()
        [0.5, 1.0, 0.0, 1.0]
    """

    def __init__(self, tokenizer: TextTokenizer, prefix: str = "") -> None:
        # A Unigram model, such as XLM-RoBERTa's, does not state the name of its unknown token.
        name = getattr(tokenizer.model, "unk_token", None) or "<unk>"
        self._unknown = -1 if (found := tokenizer.token_to_id(name)) is None else found
        around = {*tokenizer.encode("").ids, *_ids_of(tokenizer, ["▁", "Ġ"])} - {self._unknown}
        marks = _ids_of(tokenizer, [before + mark for before in _BEGINNINGS for mark in _MARKS])
        self._around = np.array(sorted(around), np.int32)
        self._marks = np.array(sorted(marks - {self._unknown}), np.int32)
        own = np.array(tokenizer.encode(prefix).ids if prefix else [], np.int32)
        self._in_prefix = int(self._counting(own).sum())

    def shares(self, ids: Ids, owner: Integers, n: int, *, windows: Integers | None = None) -> Vectors:
        """Return the share of unknown tokens in each text.

        Args:
            ids: shape (tokens,), token ids of all texts, special tokens included.
            owner: shape (tokens,), index of each token's text.
            n: number of texts.
            windows: shape (n,), number of prefixes among each text's tokens; 1 by default.

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
    """Return the mask of texts that a model cannot read, from their shares of unknown tokens, shape (n,).

    A text with an unknown share (NaN) counts as readable.

    Examples:
        >>> are_unread(np.array([0.5, 0.6, np.nan], np.float32)).tolist()
        [False, True, False]
    """
    return np.asarray(shares > MOST_UNKNOWN)


def _ids_of(tokenizer: TextTokenizer, pieces: list[str]) -> set[int]:
    return {number for piece in pieces if (number := tokenizer.token_to_id(piece)) is not None}


_WORD_BEGIN = "▁"
_UNKNOWN_PENALTY = 10.0  # difference between the scores of the rarest piece and of an unknown character
_REMEMBERED = 32_768  # words
_LONG = 32  # characters; a longer word seldom occurs again
_SETTINGS = frozenset({"type", "vocab", "unk_id", "byte_fallback"})
_NO_PIECE = " "  # words have no spaces, so none contains it


class Pieces(NamedTuple):
    """A tokenized text.

    Attributes:
        ids: one id for each token, special ones included.
        offsets: for each token, beginning and end of its word in the text.
        special_tokens_mask: 1 for each special token around the text, else 0.
    """

    ids: list[int]
    offsets: list[tuple[int, int]]
    special_tokens_mask: list[int]


class UnigramTokenizer:
    """Returns the same ids as the library ``tokenizers`` for a Unigram model, with less memory.

    The library stores the pieces in a tree, which takes 300 MB for 250,000 pieces; here they are in a
    dictionary. The library still normalises a text, finds special tokens in it, and splits it into words.
    Each word is split into the known pieces with the largest sum of scores.

    Args:
        document: content of a ``tokenizer.json`` for which ``is_unigram`` is true; its pieces are removed.

    References:
        Kudo 2018, section 3.2, doi:10.18653/v1/P18-1007.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        from tokenizers import Tokenizer

        model = document["model"]
        self._ids: dict[str, int] = {piece: place for place, (piece, _) in enumerate(model["vocab"])}
        self._scores = array("d", (score for _, score in model["vocab"]))
        self._longest = _longest_by_first(self._ids)
        self._unknown: int = model["unk_id"]
        self._unknown_score = min(self._scores) - _UNKNOWN_PENALTY
        self._added: dict[str, int] = {
            each["content"]: self._ids.get(each["content"], each["id"])
            for each in document.get("added_tokens") or []
        }
        model |= {"vocab": [[_NO_PIECE, 0.0]], "unk_id": 0}  # so every word is one unknown token
        self._words = Tokenizer.from_str(json.dumps(document))
        self._words.no_padding()
        self._words.no_truncation()
        self._remembered = lru_cache(_REMEMBERED)(self._split)

    @property
    def model(self) -> object:
        """The library's model."""
        return self._words.model

    @property
    def largest_id(self) -> int:
        """Highest id of a token."""
        return max([len(self._scores) - 1, *self._added.values()])

    def token_to_id(self, token: str, /) -> int | None:
        """Return a token's id, or ``None`` if it is not known."""
        return self._added.get(token, self._ids.get(token))

    def encode(self, text: str, /) -> Pieces:
        """Tokenize a text."""
        encoding = self._words.encode(text)
        rows = [self._of_word(word) for word in encoding.tokens]
        offsets = [offset for row, offset in zip(rows, encoding.offsets, strict=True) for _ in row]
        special = [flag for row, flag in zip(rows, encoding.special_tokens_mask, strict=True) for _ in row]
        return Pieces(list(chain.from_iterable(rows)), offsets, special)

    def encode_batch_fast(self, texts: Sequence[str], /) -> list[Pieces]:
        """Tokenize texts, without offsets and masks."""
        # The library's fast method does not return the words.
        encodings = self._words.encode_batch(texts)
        return [
            Pieces(list(chain.from_iterable(map(self._of_word, encoding.tokens))), [], [])
            for encoding in encodings
        ]

    def _of_word(self, word: str) -> Sequence[int]:
        """Return the ids of a word, or the id of a special token, which may include spaces around it."""
        if not word.startswith(_WORD_BEGIN):
            return (self._added[word.strip()],)
        return self._remembered(word) if len(word) <= _LONG else self._split(word)

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the ids of the pieces with the largest sum of scores (Viterbi's algorithm)."""
        size, ids, scores, longest = len(word), self._ids, self._scores, self._longest
        sums = [0.0] + [-inf] * size  # the largest sum for the word's beginning, up to each position
        last = [(0, self._unknown)] * (size + 1)  # the last piece of that beginning: first position and id
        for start in range(size):
            before = sums[start]
            for end in range(start + 1, min(start + longest.get(word[start], 1), size) + 1):
                piece = ids.get(word[start:end])
                if piece is not None:
                    total = before + scores[piece]
                elif end == start + 1:
                    piece, total = self._unknown, before + self._unknown_score
                else:
                    continue
                if total > sums[end]:
                    sums[end], last[end] = total, (start, piece)
        return self._way_back(last)

    def _way_back(self, last: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """Collect a word's pieces from its end; adjacent unknown pieces become a single token."""
        found: list[int] = []
        end = len(last) - 1
        while end:
            end, piece = last[end]
            if piece != self._unknown or found[-1:] != [piece]:
                found.append(piece)
        return tuple(reversed(found))


def _longest_by_first(pieces: Iterable[str]) -> dict[str, int]:
    """Return the length of the longest piece by first character; short for most Chinese characters."""
    longest: dict[str, int] = {}
    for piece in pieces:
        if len(piece) > longest.get(piece[:1], 0):
            longest[piece[:1]] = len(piece)
    return longest


def is_unigram(document: dict[str, Any]) -> bool:
    """Tell whether ``UnigramTokenizer`` can read a ``tokenizer.json``.

    Its words must begin with SentencePiece's mark "▁", and its special tokens must not, so that words and
    special tokens can be distinguished.

    Args:
        document: content of the file.

    Examples:
        >>> is_unigram({"model": {"type": "WordPiece"}})
        False
    """
    model = document.get("model") or {}
    if model.get("type") != "Unigram" or not model.keys() <= _SETTINGS or model.get("byte_fallback"):
        return False
    added = document.get("added_tokens") or []
    frame = document.get("post_processor") or {"type": "TemplateProcessing"}
    return bool(
        model.get("unk_id") is not None
        and _marks_words(document.get("pre_tokenizer"))
        and all(_stands_apart(token) for token in added)
        and frame.get("type") == "TemplateProcessing"
        and frame.get("special_tokens", {}).keys() <= {token["content"] for token in added}
    )


def _stands_apart(token: dict[str, Any]) -> bool:
    """Tell whether an added token is matched literally, and differs from a word."""
    content = token["content"]
    return not token.get("normalized") and not content.startswith(_WORD_BEGIN) and content == content.strip()


def _marks_words(splitter: dict[str, Any] | None) -> bool:
    """Tell whether texts are split at spaces and each word gets the mark."""
    if splitter is None:
        return False
    if splitter.get("type") == "Sequence":
        steps = splitter.get("pretokenizers") or [None]
        return all(each["type"] == "WhitespaceSplit" for each in steps[:-1]) and _marks_words(steps[-1])
    return bool(
        splitter.get("type") == "Metaspace"
        and splitter.get("replacement") == _WORD_BEGIN
        and splitter.get("prepend_scheme", "always") == "always"
        and splitter.get("add_prefix_space", True)
        and splitter.get("split", True)
    )
