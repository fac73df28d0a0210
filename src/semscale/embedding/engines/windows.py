"""Token ids of texts; a text longer than the model reads becomes several overlapping windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from semscale.errors import ModelError
from semscale.types import Floats, Integers, Vectors

if TYPE_CHECKING:
    from tokenizers import Tokenizer


@dataclass(frozen=True)
class Windows:
    """Rows of token ids, special tokens included.

    Attributes:
        ids: one array of token ids a window.
        owner: shape (w,), which text a window belongs to; ascending.
        lengths: shape (w,), tokens a window.
    """

    ids: list[npt.NDArray[np.int32]]
    owner: Integers
    lengths: Integers

    def per_text(self, n: int) -> Integers:
        """Count the windows of each of ``n`` texts, shape (n,)."""
        return np.bincount(self.owner, minlength=n)


class WindowTokenizer:
    """A checkpoint's own tokenizer, with windows instead of a silent cut.

    Args:
        path: a ``tokenizer.json``.
        max_tokens: what the model reads at once, special tokens included.
        overlap: how many tokens two neighbouring windows share.
    """

    def __init__(self, path: Path, max_tokens: int, overlap: int) -> None:
        self._tokenizer = open_tokenizer(path)
        self._tokenizer.enable_truncation(max_tokens, stride=overlap)

    def split(self, texts: Sequence[str]) -> Windows:
        """Tokenize texts into one window each, or more where they are long."""
        ids: list[npt.NDArray[np.int32]] = []
        owner: list[int] = []
        for text, encoding in enumerate(self._tokenizer.encode_batch([encodable(text) for text in texts])):
            for window in (encoding, *encoding.overflowing):
                ids.append(np.array(window.ids, np.int32))
                owner.append(text)
        lengths = np.fromiter(map(len, ids), np.int64, len(ids))
        return Windows(ids, np.array(owner, np.int64), lengths)


def open_tokenizer(path: Path) -> "Tokenizer":
    """Read a ``tokenizer.json``, without the padding it may ask for.

    Raises:
        ModelError: it cannot be read.
    """
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing more special
        raise ModelError(f"{path} cannot be read: {error}") from error
    tokenizer.no_padding()
    return tokenizer


def encodable(text: str) -> str:
    r"""Replace what is no character, half of a surrogate pair, by U+FFFD; other texts stay as they are.

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
    """Average each text's window vectors, weighted by their tokens, and give them length 1 again.

    Args:
        vectors: shape (w, d), unit rows, one a window.
        windows: whose windows they are.
        n: how many texts.

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
