"""Codes for missing answers: codes that the user names, and texts that look like codes."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable
from functools import cache
from importlib import resources
from math import isnan
from numbers import Rational, Real
from urllib.parse import quote

from semscale.errors import InputError

_MISSING_TYPES = ("NAType", "NaTType")  # types of pandas, recognised without importing it

OTHER_NUMBERS = "other numbers"
"""Key of the common count of further numbers, after ``MOST_CODES`` different codes."""
MOST_CODES = 100
LONGEST_CODE = 30
"""Maximum number of characters of a text that can look like a code."""

_NUMBER = re.compile(r"[+\-\u2212]?\d{1,12}([.,]\d{1,6})?")


_PLAIN: dict[int, str | None] = {
    **dict.fromkeys(map(ord, "‘’‛ʼ´"), "'"),
    **dict.fromkeys(map(ord, "“”„‟"), '"'),
    **dict.fromkeys(map(ord, "‐‑‒–—―−"), "-"),
    **dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u2060\ufeff")),
}
"""Typographic quotation marks and dashes as plain ones, and characters without width as nothing."""


def code_key(text: str) -> str:
    r"""Normalise a text for comparison: in lower case, single blanks, plain quotation marks and dashes.

    Hard blanks are blanks, and characters without width are left out. Letters and digits are equal regardless
    of their encoding and width (Unicode's form NFKC).

    Examples:
        >>> code_key(" Don’t\u00a0  know "), code_key("１８–２４")
        ("don't know", '18-24')
    """
    if text.isascii():  # the rest changes nothing, and takes most of the time for a column of texts
        return " ".join(text.casefold().split())
    plain = unicodedata.normalize("NFKC", text.translate(_PLAIN))
    return unicodedata.normalize("NFC", " ".join(plain.casefold().split()))


def missing_keys(codes: Iterable[str]) -> frozenset[str]:
    """Normalise the codes that the user named by ``code_key``.

    Args:
        codes: one or more codes; a single string is one.

    Raises:
        InputError: a code is not a string, or is blank.

    Examples:
        >>> sorted(missing_keys(["NA", " na", "-99"]))
        ['-99', 'na']
    """
    listed = [codes] if isinstance(codes, str) else list(codes)
    for code in listed:
        if not isinstance(code, str) or not code.strip():
            raise InputError("missing", f"must be codes such as 'NA' or '-99', got {code!r}")
    return frozenset(map(code_key, listed))


def write_codes(keys: frozenset[str]) -> str | None:
    """Write codes for a signature: sorted, joined by ``+``, with reserved characters escaped.

    Examples:
        >>> write_codes(frozenset({"na", "-99", "a|b"}))
        '-99+a%7Cb+na'
    """
    return "+".join(quote(key, safe=" /#'()", errors="surrogatepass") for key in sorted(keys)) or None


def unseen_codes(codes: Iterable[str], seen: Collection[str]) -> tuple[str, ...]:
    """Return the codes of the user that no cell has, as they are written.

    Args:
        codes: the codes that the user named.
        seen: codes that cells have, normalised by ``code_key``.

    Examples:
        >>> unseen_codes(["NA", "-99"], {"na"})
        ('-99',)
    """
    return tuple(dict.fromkeys(code for code in codes if code_key(code) not in seen))


def looks_like_code(text: str) -> bool:
    """Return whether a whole text looks like a code for a missing answer, such as NA, or is only a number.

    The list has codes of file formats, and phrases such as "don't know" and "no answer" in English and in the
    languages of the translated anchors. Such a text may be a real answer, such as "none" to "Any
    complaints?". So these texts are counted, not left out.

    Examples:
        >>> [looks_like_code(text) for text in ("N/A", "-99", "Weiß nicht", "none of it")]
        [True, True, True, False]
    """
    key = code_key(text)
    return key in _missing_code_keys() or _NUMBER.fullmatch(key) is not None


def count_codes(texts: Iterable[str]) -> dict[str, int]:
    """Count the texts that look like codes; see ``CodeCount.counts``.

    Examples:
        >>> count_codes(["NA", "-99", "good", "na"])
        {'NA': 2, '-99': 1}
    """
    count = CodeCount()
    count.add(texts)
    return count.counts


class CodeCount:
    """Counter of texts that look like codes, in constant memory.

    Examples:
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
                self._counts[self._count_key(text)] += n

    @property
    def counts(self) -> dict[str, int]:
        """Number of occurrences of each code in its first spelling, the most frequent first."""
        return {self._written[key]: n for key, n in self._counts.most_common()}

    def _count_key(self, text: str) -> str:
        key = code_key(text)
        if key not in self._written and key not in _missing_code_keys() and len(self._written) >= MOST_CODES:
            self._written[OTHER_NUMBERS] = OTHER_NUMBERS
            return OTHER_NUMBERS
        self._written.setdefault(key, text)
        return key


@cache
def _missing_code_keys() -> frozenset[str]:
    """Return the listed texts of all languages, normalised by ``code_key``."""
    import yaml  # options of commands import this module, and need no YAML

    file = resources.files("semscale.store") / "missing_codes.yaml"
    listed = yaml.safe_load(file.read_text(encoding="utf-8"))
    return frozenset(code_key(text) for texts in listed.values() for text in texts)


def is_missing(cell: object) -> bool:
    """Return whether a cell is null: ``None``, NaN, or a null of pandas.

    Examples:
        >>> [is_missing(cell) for cell in (None, float("nan"), "", 0)]
        [True, True, False, False]
    """
    if isinstance(cell, str):
        return False
    if cell is None or type(cell).__name__ in _MISSING_TYPES:
        return True
    # NumPy registers its numbers with these classes, so that help of commands imports nothing heavy.
    return isinstance(cell, Real) and not isinstance(cell, Rational) and isnan(cell)
