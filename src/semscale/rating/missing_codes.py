"""Codes for missing answers: those that the user names, and texts that look like one."""

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import quote

from semscale.errors import InputError

OTHER_NUMBERS = "other numbers"
"""What further numbers are counted as together once ``MOST_CODES`` different codes are known."""
MOST_CODES = 100
LONGEST_CODE = 24
"""Characters of the longest text that can look like a code."""

_KNOWN = frozenset(
    {
        "na", "n/a", "n.a.", "n.a", "n\\a", "#n/a", "#na", "<na>", "nan", "none", "null", "(null)", "nil",
        "missing", "(missing)", "blank", "(blank)", "undefined", "dk", "d/k", "dk/na", "don't know",
        "dont know", "do not know", "refused", "skipped", "no answer", "no response", "no data", "not asked",
        "not applicable", "not available", "not stated", "prefer not to say", "prefer not to answer",
    }
)  # fmt: skip
_NUMBER = re.compile(r"[+\-\u2212]?\d{1,12}([.,]\d{1,6})?")


def code_key(text: str) -> str:
    """Normalise a text for comparison with codes: stripped, in lower case, with straight apostrophes.

    Example:
        >>> code_key(" Don’t know ")
        "don't know"
    """
    return text.strip().casefold().replace("\u2019", "'")


def missing_keys(codes: Iterable[str]) -> frozenset[str]:
    """Codes that the user named, as ``code_key`` has them.

    Args:
        codes: one or more codes; a single string is one.

    Raises:
        InputError: a code that is no string, or is blank.

    Example:
        >>> sorted(missing_keys(["NA", " na", "-99"]))
        ['-99', 'na']
    """
    listed = [codes] if isinstance(codes, str) else list(codes)
    for code in listed:
        if not isinstance(code, str) or not code.strip():
            raise InputError(f"missing must be codes such as 'NA' or '-99', got {code!r}")
    return frozenset(map(code_key, listed))


def written_codes(keys: frozenset[str]) -> str | None:
    """Write codes for a signature: sorted, joined by ``+``, with reserved characters escaped.

    Example:
        >>> written_codes(frozenset({"na", "-99", "a|b"}))
        '-99+a%7Cb+na'
    """
    return "+".join(quote(key, safe=" /#'()", errors="surrogatepass") for key in sorted(keys)) or None


def looks_like_code(text: str) -> bool:
    """Tell whether a whole text looks like a code for a missing answer, such as NA, or is only a number.

    Such a text may also be an answer: "none" is one to "Any complaints?". So it is counted, not left out.

    Example:
        >>> [looks_like_code(text) for text in ("N/A", "-99", "Don't know", "none of it")]
        [True, True, True, False]
    """
    key = code_key(text)
    return key in _KNOWN or _NUMBER.fullmatch(key) is not None


def count_codes(texts: Iterable[str]) -> dict[str, int]:
    """Count the texts that look like codes; see ``CodeCount.counts``.

    Example:
        >>> count_codes(["NA", "-99", "good", "na"])
        {'NA': 2, '-99': 1}
    """
    count = CodeCount()
    count.add(texts)
    return count.counts


class CodeCount:
    """Counts texts that look like codes, in memory that does not grow with their number.

    Example:
        >>> count = CodeCount()
        >>> count.add(["fine", "NA", "-99", " na"])
        >>> count.counts
        {'NA': 2, '-99': 1}
    """

    def __init__(self) -> None:
        self._written: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def add(self, texts: Iterable[str]) -> None:
        """Count the codes among the next texts."""
        short = (text for whole in texts if len(text := whole.strip()) <= LONGEST_CODE)
        for text, n in Counter(short).items():
            if looks_like_code(text):
                self._counts[self._counted_as(text)] += n

    @property
    def counts(self) -> dict[str, int]:
        """How often each code occurs, as it was first written, the most frequent first."""
        return {self._written[key]: n for key, n in self._counts.most_common()}

    def _counted_as(self, text: str) -> str:
        key = code_key(text)
        if key not in self._written and key not in _KNOWN and len(self._written) >= MOST_CODES:
            self._written[OTHER_NUMBERS] = OTHER_NUMBERS
            return OTHER_NUMBERS
        self._written.setdefault(key, text)
        return key
