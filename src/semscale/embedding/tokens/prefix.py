"""The prefix that a model wants before every text: in signatures, and its tokens beside the text's own."""

from typing import Any
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

from semscale.embedding.tokens.text_tokenizer import TextTokenizer
from semscale.types import Mask


def prefix_setting(prefix: str) -> dict[str, str]:
    """Return the field of a signature that names a prefix; none where there is no prefix.

    Example:
        >>> prefix_setting("query: "), prefix_setting("")
        ({'prefix': 'query%3A%20'}, {})
    """
    return {"prefix": quote(prefix, safe="")} if prefix else {}


def of_prefix(offsets: npt.NDArray[np.integer[Any]], prefix: str) -> Mask:
    """Tell which tokens of a text with a prefix lie in the prefix alone.

    Args:
        offsets: shape (t, 2), first character of each token and the one after the last, in prefix and text.
        prefix: what was put before the text; white space at its end may be part of the text's first token.

    Returns:
        Shape (t,); special tokens that the tokenizer adds lie nowhere, and may be marked.

    Example:
        >>> of_prefix(np.array([[0, 5], [5, 6], [6, 11]]), "query: ").tolist()
        [True, True, False]
    """
    own = len(prefix.rstrip())
    return np.asarray(offsets[:, 1] <= own) if own else np.zeros(len(offsets), np.bool_)


def tokens_around(tokenizer: TextTokenizer, prefix: str) -> tuple[int, int]:
    """Count the tokens before and after every text's own: special ones ([CLS], [SEP]) and the prefix's.

    Args:
        tokenizer: without truncation.
        prefix: put before every text.
    """
    frame = tokenizer.encode(prefix + "a")
    around = np.array(frame.special_tokens_mask, np.bool_)
    around |= of_prefix(np.array(frame.offsets, np.int64).reshape(-1, 2), prefix)
    inside = np.flatnonzero(~around)
    if not len(inside):  # the vocabulary has no "a" and no token for unknown words
        return len(around) // 2, len(around) - len(around) // 2
    return int(inside[0]), int(len(around) - 1 - inside[-1])
