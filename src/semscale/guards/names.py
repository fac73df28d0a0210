"""Named things in a text: names, acronyms, codes such as CYP3A4, and short quotations.

English only. A text that is all lower case has none, except codes. Where most words have capitals, as in a
headline, capitals say nothing and only codes are read.
"""

import re
from typing import NamedTuple

from semscale.guards.lexicons import word_list
from semscale.guards.words import Word

_CODE = re.compile(r"(?<![\w-])(?=[A-Za-z0-9-]*\d)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?![\w])")
_PLAIN_AND_NUMBER = re.compile(r"[a-z]{4,}\d+[a-z]*|(?:[A-Za-z]?[a-z]+-)+\d+(?:[a-z]+)?|[a-z]-\d+", re.ASCII)
_ACRONYM = re.compile(r"(?<![\w.-])(?:(?:[A-Z]\.){2,}|[A-Z]{2,6}s?(?![\w]))")
_MIXED = re.compile(r"(?<![\w-])[A-Za-z]*[a-z][A-Z][A-Za-z]*(?!\w)")
_CAPITALISED = re.compile(r"(?<![\w])(?:[A-Z]['’])?[A-Z][a-zà-ɏ]+(?:['’][A-Z][a-z]+|-[A-Z][a-z]+)*")
_INITIAL = re.compile(r"\s(?:[A-Z]\.\s)?")
_QUOTED = re.compile(r"(?<![\w])[\"'“‘]([^\s\"'“”‘’][^\"'“”‘’]{1,40})[\"'”’](?!\w)")
_ABBREVIATED = "".join(
    rf"(?<!\b{title})" for title in ("Dr", "Mr", "Ms", "St", "Mrs", "Prof", "Sen", "Gen", "[A-Z]")
)
_SENTENCE_START = re.compile(
    rf"(?:^|{_ABBREVIATED}\.|[?!:;\n|•*/(\[]|[.?!]['\"”’)]|(?<!\w)['\"“‘`]+|[-–—](?=\s))\s*$"
)
_ORDINARY = word_list("ordinary_capitals")
_MONTHS = word_list("months")
_MOSTLY = 0.6
_LOOK_BACK = 16
_QUOTED_WORDS = 3
_FEW = 3


class Name(NamedTuple):
    """A named thing in its place.

    Attributes:
        kind: ``name``, ``acronym``, ``code``, ``month`` or ``quoted``.
        parts: its words in lower case, without marks.
        start: its first character.
        end: the character after its last one.
        shown: what stands there.
    """

    kind: str
    parts: tuple[str, ...]
    start: int
    end: int
    shown: str


def read_names(text: str, words: list[Word]) -> list[Name]:
    """Find the named things of a text, in order.

    Example:
        >>> from semscale.guards.words import read_words
        >>> text = "The drug Metformin inhibits MATE2-K."
        >>> [(name.kind, name.shown) for name in read_names(text, read_words(text))]
        [('name', 'Metformin'), ('code', 'MATE2-K')]
    """
    has_digits = any(word.kind == "n" for word in words)
    if not words or (text.islower() and not has_digits):
        return []
    found = (
        [_name("code", match) for match in _CODE.finditer(text) if _is_code(match[0])] if has_digits else []
    )
    if text.islower():
        return found
    if not _is_shouted(text, words):
        found += [_name("acronym", match) for match in _ACRONYM.finditer(text)]
        found += [_name("name", match) for match in _MIXED.finditer(text)]
        found += _capitalised(text)
        found += [_name("quoted", match) for match in _QUOTED.finditer(text) if _is_short(match[1])]
    found = [name for name in found if name.parts and not _is_ordinary(name) and not _is_source(name, text)]
    return _without_overlaps(found)


def normal(word: str) -> str:
    """Fold a word for comparison: lower case, without marks and possessive.

    Example:
        >>> normal("O'Neill's"), normal("MATE2-K"), normal("U.S.")
        ('oneill', 'mate2k', 'us')
    """
    return re.sub(r"[\W_]", "", re.sub(r"['’]s$", "", word.lower()))


def _name(kind: str, match: re.Match[str]) -> Name:
    return _named(kind, match[0], match.start())


def _named(kind: str, shown: str, start: int) -> Name:
    parts = [shown] if kind in ("code", "acronym") else re.findall(r"[\w'’-]+", shown)
    if kind == "acronym" and shown.endswith("s"):
        parts = [shown[:-1]]
    return Name(kind, tuple(filter(None, map(normal, parts))), start, start + len(shown), shown)


def _is_ordinary(name: Name) -> bool:
    return all(part in _ORDINARY or part.removesuffix("s") in _ORDINARY for part in name.parts)


def _is_source(name: Name, text: str) -> bool:
    """Tell whether a name only says at the end who reported the rest: "..., Reuters said"."""
    before, after = text[: name.start].rstrip(), text[name.end :].strip(" .")
    return (after in ("said", "says", "reported") and before.endswith(",")) or (
        not after and before.endswith(":")
    )


def _is_code(shown: str) -> bool:
    """Tell a code from a plain word with a number: CYP3A4, but not under-12 or terminal4."""
    return any(map(str.isdigit, shown)) and not _PLAIN_AND_NUMBER.fullmatch(shown)


def _is_shouted(text: str, words: list[Word]) -> bool:
    """Tell whether most words have capitals, so that capitals say nothing."""
    shown = [text[word.start : word.end] for word in words if word.kind == "w"]
    long = [word for word in shown if len(word) > _FEW]
    capital = sum(word[0].isupper() for word in long)
    upper = sum(word.isupper() for word in shown if len(word) > 1)
    return bool(long) and (
        (len(long) > _FEW and capital > _MOSTLY * len(long))
        or (len(shown) > 1 and upper > _MOSTLY * len(shown))
    )


def _capitalised(text: str) -> list[Name]:
    """Find capitalised words inside sentences; neighbours are one name."""
    found: list[tuple[str, int, int]] = []
    for match in _CAPITALISED.finditer(text):
        before = found[-1] if found and found[-1][0] == "name" else None
        joined = before and _INITIAL.fullmatch(text[before[2] : match.start()])
        lower = match[0].lower()
        if before and joined and lower not in _ORDINARY:
            found[-1] = ("name", before[1], match.end())
        elif not _starts_sentence(text, match.start()) and lower not in _ORDINARY:
            found.append(("month" if lower in _MONTHS else "name", match.start(), match.end()))
    return [_named(kind, text[start:end], start) for kind, start, end in found]


def _starts_sentence(text: str, at: int) -> bool:
    return _SENTENCE_START.search(text[max(0, at - _LOOK_BACK) : at]) is not None


def _is_short(quoted: str) -> bool:
    return 0 < len(quoted.split()) <= _QUOTED_WORDS


def _without_overlaps(found: list[Name]) -> list[Name]:
    """Keep the longest of names that overlap, in order of place."""
    kept: list[Name] = []
    for name in sorted(found, key=lambda name: (name.start, -name.end)):
        if not kept or name.start >= kept[-1].end:
            kept.append(name)
    return kept
