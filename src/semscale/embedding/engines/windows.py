"""Tokenization into windows: a text that is too long for the model becomes several overlapping ones."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.embedding.engines.checkpoint import Checkpoint
from semscale.embedding.tokens.prefix import tokens_around
from semscale.embedding.tokens.text_tokenizer import TextTokenizer
from semscale.embedding.tokens.unigram import UnigramTokenizer, is_unigram
from semscale.embedding.tokens.unknown_tokens import UnknownTokens
from semscale.errors import ModelError
from semscale.json_reading import encodable
from semscale.types import Floats, Integers, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer

_TOGETHER = 1024  # texts that are tokenized in one call, as the tokenizer keeps more of a text than its ids


@dataclass(frozen=True)
class Windows:
    """Rows of token ids, special tokens included.

    Attributes:
        ids: one array of token ids for each window.
        owner: shape (w,), number of the text that each window belongs to; ascending.
        lengths: shape (w,), tokens in each window.
    """

    ids: list[npt.NDArray[np.int32]]
    owner: Integers
    lengths: Integers

    def per_text(self, n: int) -> Integers:
        """Count the windows of each of ``n`` texts, shape (n,)."""
        return np.bincount(self.owner, minlength=n)

    def tokens_per_text(self, n: int) -> Integers:
        """Count the tokens in all windows of each of ``n`` texts, shape (n,)."""
        counted: Integers = np.bincount(self.owner, self.lengths, minlength=n).astype(np.int64)
        return counted

    def unknown_shares(self, unknown: UnknownTokens, n: int) -> Vectors:
        """Give the share of each of ``n`` texts' tokens that is unknown, shape (n,)."""
        ids = np.concatenate([np.empty(0, np.int32), *self.ids])
        return unknown.shares(ids, np.repeat(self.owner, self.lengths), n, windows=self.per_text(n))


def cut_windows(
    ids: Sequence[int], ends: tuple[int, int], max_tokens: int | None, overlap: int
) -> Iterator[Sequence[int]]:
    """Cut a text's token ids into windows, each between the tokens that stand around every text.

    Args:
        ids: shape (t,), with the tokens around the text.
        ends: how many tokens stand before the text, its prefix included, and after it.
        max_tokens: the most tokens in a window; ``None`` for a single window.
        overlap: how many tokens two neighbouring windows share, beside those around them.

    Yields:
        One window, or several if the text is long; the last one ends with the text.

    Raises:
        ModelError: the tokens around a text leave no room for it.

    Example:
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


class WindowTokenizer:
    """A checkpoint's own tokenizer, which splits long texts into windows instead of cutting them.

    Args:
        tokenizer: without padding and truncation.
        max_tokens: the most tokens that the model reads at once, special ones included; ``None`` for any.
        overlap: how many tokens two neighbouring windows share.
        prefix: put before every text, and so at the beginning of each of its windows.

    Attributes:
        unknown: tells how much of a text the tokenizer does not know.
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
        for text, own in enumerate(self._token_ids(texts)):
            for window in cut_windows(own, self._ends, self._max_tokens, self._overlap):
                ids.append(np.array(window, np.int32))
                owner.append(text)
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        return Windows(ids, np.array(owner, np.int64), lengths)

    def _token_ids(self, texts: Sequence[str]) -> Iterator[list[int]]:
        for start in range(0, len(texts), _TOGETHER):
            prefixed = [self._prefix + encodable(text) for text in texts[start : start + _TOGETHER]]
            for encoding in self._tokenizer.encode_batch_fast(prefixed):
                yield encoding.ids


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
    """Read a ``tokenizer.json`` for a ``WindowTokenizer``, in the form that takes the least memory.

    Args:
        path: of the file.
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


def check_tokens(tokenizer: "Tokenizer | UnigramTokenizer", checkpoint: Checkpoint) -> None:
    """Refuse a tokenizer of another model: a token without a row would get some vector all the same.

    Raises:
        ModelError: the table of words has no row for a token.
    """
    if isinstance(tokenizer, UnigramTokenizer):
        largest = tokenizer.largest_id
    else:
        # The vocabulary is not copied, which takes half a second: its ids have no gaps, those of added may.
        largest = max([tokenizer.get_vocab_size() - 1, *tokenizer.get_added_tokens_decoder()])
    rows = checkpoint.architecture.words
    if rows is not None and largest >= rows:
        raise ModelError(
            f"{checkpoint.tokenizer} has token {largest}, but {checkpoint.weights.name} has words 0 to "
            f"{rows - 1}: use the tokenizer that belongs to the model"
        )


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
