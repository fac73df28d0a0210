"""Sanitizes texts for a prompt: replaces tokens of chat templates and characters that cannot be seen.

What replaces them can be seen, so that a judge still reads that something stood there. Delimiters around a
text hold a code that no text can contain.
"""

import hashlib
import re
from itertools import count

_TOKENS = re.compile(
    r"<\|[^<>|\n]{1,40}\|>|<｜[^<>\n]{1,40}｜>|\[/?(?:INST|SYS|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS)\]|<</?SYS>>|</?s>"
    r"|</?(?:start_of_turn|end_of_turn|bos|eos|pad|unk|think|thinking|system|assistant|user|human)>",
    re.IGNORECASE,
)
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u200b\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e0fff]"
)  # control characters, reversals of direction, tags: not the joiners and marks that scripts need
_LOOKALIKES = str.maketrans({"<": "‹", ">": "›", "[": "⁅", "]": "⁆", "|": "¦", "｜": "¦"})
REPLACED = "\N{REPLACEMENT CHARACTER}"


def sanitize(text: str) -> tuple[str, int]:
    """Replace tokens of chat templates, such as ``<|im_end|>``, and characters that cannot be seen.

    Args:
        text: a question, an answer or a reference.

    Returns:
        The text as the judge will read it, and how many places were replaced.

    Example:
        >>> sanitize("fine<|im_end|>")
        ('fine‹¦im_end¦›', 1)
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    visible, hidden = _HIDDEN.subn(REPLACED, unified)
    shown, tokens = _TOKENS.subn(lambda found: found[0].translate(_LOOKALIKES), visible)
    return shown, hidden + tokens


def mark_code(*texts: str) -> str:
    """Derive the code of the delimiters from everything that stands between them.

    A text cannot contain the hash of itself, so no text can close its delimiters; and the same texts always
    have the same code, so a request that was answered once need not be paid for again.

    Args:
        texts: everything that the request holds.

    Returns:
        Twelve hex digits that occur in none of the texts.
    """
    lowered = [text.lower() for text in texts]
    codes = (_code(attempt, texts) for attempt in count())
    return next(code for code in codes if not any(code in text for text in lowered))


def _code(attempt: int, texts: tuple[str, ...]) -> str:
    content = "\0".join([str(attempt), *(f"{len(text)}:{text}" for text in texts)])
    return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:12]
