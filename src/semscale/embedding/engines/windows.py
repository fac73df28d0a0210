"""Tokenization into windows: a text that is too long for the model becomes several overlapping ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.embedding.tokens.unknown_tokens import UnknownTokens
from semscale.errors import ModelError
from semscale.types import Floats, Integers, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer


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

    def unknown_shares(self, unknown: UnknownTokens, n: int) -> Vectors:
        """Give the share of each of ``n`` texts' tokens that is unknown, shape (n,)."""
        ids = np.concatenate([np.empty(0, np.int32), *self.ids])
        return unknown.shares(ids, np.repeat(self.owner, self.lengths), n)


class WindowTokenizer:
    """A checkpoint's own tokenizer, which splits long texts into windows instead of cutting them.

    Args:
        path: a ``tokenizer.json``.
        max_tokens: the most tokens that the model reads at once, special ones included.
        overlap: how many tokens two neighbouring windows share.

    Attributes:
        unknown: tells how much of a text the tokenizer does not know.
    """

    def __init__(self, path: Path, max_tokens: int, overlap: int) -> None:
        self._tokenizer = open_tokenizer(path)
        self.unknown = UnknownTokens(self._tokenizer)
        self._tokenizer.enable_truncation(max_tokens, stride=overlap)

    def split(self, texts: Sequence[str]) -> Windows:
        """Tokenize texts; a text becomes one window, or several if it is long."""
        ids: list[npt.NDArray[np.int32]] = []
        owner: list[int] = []
        for text, encoding in enumerate(self._tokenizer.encode_batch([encodable(text) for text in texts])):
            for window in (encoding, *encoding.overflowing):
                ids.append(np.array(window.ids, np.int32))
                owner.append(text)
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        return Windows(ids, np.array(owner, np.int64), lengths)


def open_tokenizer(path: Path) -> "Tokenizer":
    """Read a ``tokenizer.json`` and turn off the padding that it may set.

    Raises:
        ModelError: it cannot be read.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises no narrower type
        raise ModelError(f"{path} cannot be read: {error}") from error
    tokenizer.no_padding()
    return tokenizer


def encodable(text: str) -> str:
    r"""Replace unpaired surrogates, which are no characters, by U+FFFD.

    Example:
        >>> encodable("good\ud83d") == "good\ufffd"
        True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


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
