"""Unigram tokenizers, such as XLM-RoBERTa's, in a fraction of the memory that the library takes for them."""

import json
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from math import inf
from typing import Any, NamedTuple

_WORD_BEGIN = "▁"
_UNKNOWN_PENALTY = 10.0  # how far an unknown character's score is below that of the rarest piece
_REMEMBERED = 32_768  # words
_LONG = 32  # characters; a longer word is hardly met again
_SETTINGS = frozenset({"type", "vocab", "unk_id", "byte_fallback"})
_NO_PIECE = " "  # words have no spaces, so none contains it


class Pieces(NamedTuple):
    """A tokenized text.

    Attributes:
        ids: one for each token, special ones included.
        offsets: for each token, where its word begins in the text and where it ends.
        special_tokens_mask: 1 for each special token around the text, else 0.
    """

    ids: list[int]
    offsets: list[tuple[int, int]]
    special_tokens_mask: list[int]


class UnigramTokenizer:
    """Gives the ids that the library ``tokenizers`` gives for a Unigram model.

    The library keeps the pieces in a tree, which takes 300 MB for 250,000 of them; here they are a
    dictionary. The library still normalises a text, finds special tokens in it, and splits it into words.
    Each word becomes the known pieces whose scores have the largest sum.

    Args:
        document: of a ``tokenizer.json`` for which ``is_unigram`` is true; left without its pieces.

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
        """The highest id of a token."""
        return max([len(self._scores) - 1, *self._added.values()])

    def token_to_id(self, token: str, /) -> int | None:
        """Return a token's id, or ``None`` if it is not known."""
        return self._added.get(token, self._ids.get(token))

    def encode(self, text: str, /) -> Pieces:
        """Tokenize a text."""
        found = self._words.encode(text)
        rows = [self._of_word(word) for word in found.tokens]
        places = [place for row, place in zip(rows, found.offsets, strict=True) for _ in row]
        special = [flag for row, flag in zip(rows, found.special_tokens_mask, strict=True) for _ in row]
        return Pieces(list(chain.from_iterable(rows)), places, special)

    def encode_batch_fast(self, texts: Sequence[str], /) -> list[Pieces]:
        """Tokenize texts, without offsets and masks."""
        # The library's own fast form does not say what the words are.
        found = self._words.encode_batch(texts)
        return [Pieces(list(chain.from_iterable(map(self._of_word, each.tokens))), [], []) for each in found]

    def _of_word(self, word: str) -> Sequence[int]:
        """Return the ids of a word, or that of a special token, which may have taken spaces around it."""
        if not word.startswith(_WORD_BEGIN):
            return (self._added[word.strip()],)
        return self._remembered(word) if len(word) <= _LONG else self._split(word)

    def _split(self, word: str) -> tuple[int, ...]:
        """Return the ids of the pieces with the largest sum of scores (Viterbi's algorithm)."""
        size, ids, scores, longest = len(word), self._ids, self._scores, self._longest
        sums = [0.0] + [-inf] * size  # the largest sum for the word's beginning up to each place
        last = [(0, self._unknown)] * (size + 1)  # the last piece of that beginning: where it starts, its id
        for start in range(size):
            before = sums[start]
            for end in range(start + 1, min(start + longest.get(word[start], 1), size) + 1):
                piece = ids.get(word[start:end])
                if piece is not None:
                    found = before + scores[piece]
                elif end == start + 1:
                    piece, found = self._unknown, before + self._unknown_score
                else:
                    continue
                if found > sums[end]:
                    sums[end], last[end] = found, (start, piece)
        return self._way_back(last)

    def _way_back(self, last: Sequence[tuple[int, int]]) -> tuple[int, ...]:
        """Collect a word's pieces from its end; neighbouring unknown ones are a single token."""
        found: list[int] = []
        end = len(last) - 1
        while end:
            end, piece = last[end]
            if piece != self._unknown or found[-1:] != [piece]:
                found.append(piece)
        return tuple(reversed(found))


def _longest_by_first(pieces: Iterable[str]) -> dict[str, int]:
    """Give the length of the longest piece that begins with each character: short for most Chinese ones."""
    longest: dict[str, int] = {}
    for piece in pieces:
        if len(piece) > longest.get(piece[:1], 0):
            longest[piece[:1]] = len(piece)
    return longest


def is_unigram(document: dict[str, Any]) -> bool:
    """Tell whether ``UnigramTokenizer`` can read a ``tokenizer.json``.

    Its words must have SentencePiece's mark "▁" before them, and its special tokens must not, so that words
    and special tokens can be told apart.

    Args:
        document: the content of the file.

    Example:
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
    """Tell whether an added token is found as it is written, and can be told from a word."""
    content = token["content"]
    return not token.get("normalized") and not content.startswith(_WORD_BEGIN) and content == content.strip()


def _marks_words(splitter: dict[str, Any] | None) -> bool:
    """Tell whether a text is split at spaces, and each word gets the mark."""
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
