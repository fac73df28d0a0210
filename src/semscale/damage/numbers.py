"""Damage to numbers: every number of a text becomes a clearly different one."""

import re
from functools import cache

from semscale.damage.sentences import cased_as
from semscale.guards.words import read_lexicon

_DIGITS = re.compile(
    r"""(?<![\w.\#])(?<!\d,)(?!\d[dDkKgG]\b)     # no part of a name such as mp3 or 3D
    (?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<ordinal>(?:st|nd|rd|th)\b)?
    (?P<percent>\s?%)?
    (?!\d|\.\d)                                 # nor of 1.2.3
    """,
    re.VERBOSE,
)
_LIST_MARKER = re.compile(r"(?:^[ \t]*|:[ \t]+|[ ]{2})\d+[.)](?=[ \t])", re.MULTILINE)

_WORDS = {
    "zero": "eight",
    "two": "five",
    "three": "seven",
    "four": "nine",
    "five": "two",
    "six": "eleven",
    "seven": "three",
    "eight": "four",
    "nine": "five",
    "ten": "six",
    "eleven": "four",
    "twelve": "seven",
}
_WORD = re.compile(rf"(?<![\w-])({'|'.join(_WORDS)})(?![\w-])", re.IGNORECASE)
# "One" is a number only before a noun that ends its phrase; elsewhere it is mostly a pronoun ("this one").
_ONE = re.compile(
    r"""(?<![\w-])(?<!\bno\ )(?<!this\ )(?<!that\ )(?<!each\ )(?<!every\ )(?<!any\ )(?<!which\ )(?<!another\ )
    (one)\ ([a-z]{3,})(?=[.,;:!?)]|\ (?:and|or|per|in|on|for|to|with|that|of|from|is|was|at|by)\b|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_EARLIER = 17


def renumbered(text: str) -> str | None:
    """Change every number in digits, and number words up to twelve.

    A number n becomes 2n + 3 with as many decimals, a year one 17 years earlier, and a percentage that would
    exceed 100 a third of it. Numbers that mark items of a list or are part of a name (mp3, 3D) stay.

    Returns:
        The changed text; ``None`` if nothing could be changed.

    Example:
        >>> renumbered("Two of 1,000 users waited 0.5 s in 2020.")
        'Five of 2,003 users waited 4.0 s in 2003.'
    """
    markers = {match.start(): match.end() for match in _LIST_MARKER.finditer(text)}
    spans = sorted(markers.items())

    def digits(match: re.Match[str]) -> str:
        at = match.start("number")
        return match.group() if any(start <= at < end for start, end in spans) else _other_number(match)

    changed = _DIGITS.sub(digits, text)
    changed = _WORD.sub(lambda match: cased_as(_WORDS[match[1].lower()], match[1]), changed)
    changed = _ONE.sub(_several, changed)
    return None if changed == text else changed


def _other_number(match: re.Match[str]) -> str:
    written = match["number"]
    plain = written.replace(",", "")
    whole, _, decimals = plain.partition(".")
    value = float(plain)
    if not decimals and len(whole) == 4 and "," not in written and _FIRST_YEAR <= value <= _LAST_YEAR:  # noqa: PLR2004
        other = value - _EARLIER
    else:
        other = 2 * value + 3
        if match["percent"] and other > 100:  # noqa: PLR2004 - no percentage of a whole exceeds it
            other = value / 3
    shown = f"{other:,.{len(decimals)}f}" if "," in written else f"{other:.{len(decimals)}f}"
    ordinal = _ordinal_ending(int(other)) if match["ordinal"] else ""
    return f"{shown}{ordinal}{match['percent'] or ''}"


def _ordinal_ending(n: int) -> str:
    if n % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


@cache
def _no_noun() -> frozenset[str]:
    return frozenset(read_lexicon("numbers", package="semscale.damage")["no_noun"].split())


def _several(match: re.Match[str]) -> str:
    one, noun = match.groups()
    if noun.lower() in _no_noun() or noun.lower().endswith(("s", "x", "ch", "sh", "ing", "ly")):
        return match.group()
    several = noun[:-1] + "ies" if re.search(r"[^aeiou]y$", noun) else noun + "s"
    return f"{cased_as('four', one)} {several}"
