"""Names in texts."""

import re
from functools import cache
from typing import NamedTuple

from semscale.guards.words import CONTENT, TextWords, kind_of, read_lexicon, role_of, word_list

_INNER_CAPITAL = re.compile(r"[A-Z](?<=[a-z][A-Z])")
_INNER_DIGIT = re.compile(r"\d(?<=[A-Za-z-]\d)")
_CODE = re.compile(r"(?<![\w-])(?=[A-Za-z0-9-]*\d)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?![\w])")
_PLAIN_AND_NUMBER = re.compile(r"[a-z]{4,}\d+[a-z]*|(?:[A-Za-z]?[a-z]+-)+\d+(?:[a-z]+)?|[a-z]-\d+", re.ASCII)
# The check before a name follows its first letter in the pattern, as possible first letters are found fast.
_ACRONYM = re.compile(r"[A-Z](?<![\w.-][A-Z])(?:\.(?:[A-Z]\.)+|[A-Z]{1,5}s?(?![\w]))")
_MIXED = re.compile(r"(?<![\w-])[A-Za-z]*[a-z][A-Z][A-Za-z]*(?!\w)")
_CAPITALISED = re.compile(r"[A-Z](?<!\w[A-Z])(?:['’][A-Z])?[a-zà-ɏ]+(?:['’][A-Z][a-z]+|-[A-Z][a-z]+)*")
_INITIAL = re.compile(r"\s(?:[A-Z]\.\s)?")
_QUOTED = re.compile(r"[\"'“‘](?<!\w[\"'“‘])([^\s\"'“”‘’][^\"'“”‘’]{1,40})[\"'”’](?!\w)")
_ABBREVIATED = "".join(
    rf"(?<!\b{title})" for title in ("Dr", "Mr", "Ms", "St", "Mrs", "Prof", "Sen", "Gen", "[A-Z]")
)
_SENTENCE_START = re.compile(
    rf"(?:^|{_ABBREVIATED}\.|[?!:;\n|•*/(\[]|[.?!]['\"”’)]|(?<!\w)['\"“‘`]+|[-–—](?=\s))\s*$"
)
_MARK = re.compile(r"[\W_]")
_POSSESSIVE = re.compile(r"['’]s$")
_PART = re.compile(r"[\w'’-]+")
_ORDINARY = word_list("ordinary_capitals")
_MONTHS = word_list("months")
_SHORT_MONTHS = frozenset(" ".join(read_lexicon("wordlists")["months_in_order"]).split()) - _MONTHS
_WEEKDAYS = frozenset(" ".join(read_lexicon("wordlists")["weekdays"]).split())
_BESIDE_NUMBER = re.compile(r"^\d|\d(?:st|nd|rd|th)?\s\w+\W|\.?\s\d")
_MOSTLY = 0.6
_LOOK_BACK = 16
_QUOTED_WORDS = 3
_FEW = 3


class Name(NamedTuple):
    """A name with its position.

    Attributes:
        kind: ``name``, ``acronym``, ``code``, ``month``, ``weekday`` or ``quoted``.
        parts: its words in lower case, without marks.
        start: its first character.
        end: the character after its last one.
        shown: the name as it is written.
        opens: whether its first word begins a sentence, so that it may be no name.
    """

    kind: str
    parts: tuple[str, ...]
    start: int
    end: int
    shown: str
    opens: bool = False


def read_names(words: TextWords) -> list[Name]:
    """Find the names in a text, in order.

    Example:
        >>> words = TextWords("The drug Metformin inhibits MATE2-K.")
        >>> [(name.kind, name.shown) for name in read_names(words)]
        [('name', 'Metformin'), ('code', 'MATE2-K')]
    """
    text = words.text
    is_lower = text.islower()
    if not words.texts or (is_lower and not words.has_digits):
        return []
    names = _codes(text) if words.has_digits else []
    if is_lower:
        return names
    by_capitals = _by_capitals(text)
    if by_capitals and not _is_shouted(words):
        names += by_capitals
    names = [name for name in names if name.parts and not _is_ordinary(name) and not _is_source(name, text)]
    return _without_overlaps(names)


def _codes(text: str) -> list[Name]:
    # The first digit of a code has a letter or a hyphen before it.
    if not _INNER_DIGIT.search(text):
        return []
    return [_name("code", match) for match in _CODE.finditer(text) if _is_code(match[0])]


def _by_capitals(text: str) -> list[Name]:
    """Find names that are marked by capitals or quotation marks."""
    names = [_name("acronym", match) for match in _ACRONYM.finditer(text)]
    if _INNER_CAPITAL.search(text):
        names += [_name("name", match) for match in _MIXED.finditer(text)]
    names += _capitalised(text)
    return names + [_name("quoted", match) for match in _QUOTED.finditer(text) if _is_short(match[1])]


def normal(word: str) -> str:
    """Fold a word for comparison: lower case, without marks and possessive.

    Example:
        >>> normal("O'Neill's"), normal("MATE2-K"), normal("U.S.")
        ('oneill', 'mate2k', 'us')
    """
    folded = word.lower()
    return folded if folded.isalnum() else _MARK.sub("", _POSSESSIVE.sub("", folded))


def _name(kind: str, match: re.Match[str]) -> Name:
    return _named(kind, match[0], match.start())


def _named(kind: str, shown: str, start: int) -> Name:
    parts = [shown] if kind in ("code", "acronym") else _PART.findall(shown)
    if kind == "acronym" and shown.endswith("s"):
        parts = [shown[:-1]]
    return Name(kind, tuple(filter(None, map(normal, parts))), start, start + len(shown), shown)


def _is_ordinary(name: Name) -> bool:
    return all(part in _ORDINARY or part.removesuffix("s") in _ORDINARY for part in name.parts)


def _is_source(name: Name, text: str) -> bool:
    """Tell whether a name at the end only states the source: "..., Reuters said"."""
    before, after = text[: name.start].rstrip(), text[name.end :].strip(" .")
    return (after in ("said", "says", "reported") and before.endswith(",")) or (
        not after and before.endswith(":")
    )


def _is_code(shown: str) -> bool:
    """Tell whether a word is a code (CYP3A4) and not a plain word with a number (under-12, terminal4)."""
    return any(map(str.isdigit, shown)) and not _PLAIN_AND_NUMBER.fullmatch(shown)


def _is_shouted(words: TextWords) -> bool:
    """Tell whether capitals mark no names: in a headline, and where most words are in capitals."""
    shown = [
        words.text[start : start + len(word)]
        for word, start in zip(words.texts, words.starts, strict=True)
        if kind_of(word) == "w"
    ]
    long = [word for word in shown if len(word) > _FEW]
    upper = sum(word.isupper() for word in shown if len(word) > 1)
    return bool(long) and (
        (
            len(long) > _FEW
            and sum(word[0].isupper() for word in long) > _MOSTLY * len(long)
            and _is_title(long)
        )
        or (len(shown) > 1 and upper > _MOSTLY * len(shown))
    )


def _is_title(long: list[str]) -> bool:
    """Tell whether only small words such as "with" have no capital, as in a headline."""
    return all(word[0].isupper() or role_of(word.lower()) & CONTENT == 0 for word in long)


@cache
def _known_names() -> frozenset[str]:
    lexicon = read_lexicon("known_names")
    return frozenset(
        name for group in ("countries", "cities", "given", "others") for name in lexicon[group].split()
    )


def is_known_name(word: str) -> bool:
    """Tell whether a word is in the list of names that are recognised where a sentence begins.

    Example:
        >>> is_known_name("norway"), is_known_name("yesterday")
        (True, False)
    """
    return word in _known_names()


def _capitalised(text: str) -> list[Name]:
    """Find capitalised words; adjacent ones form one name, a sentence's first word only with another one."""
    runs: list[_Run] = []
    opening: _Run | None = None
    for match in _CAPITALISED.finditer(text):
        lower = match[0].lower()
        before = runs[-1] if runs and runs[-1].kind == "name" else None
        here = _Run(_kind_of_capital(match, text), match.start(), match.end(), False)
        if lower in _ORDINARY:
            opening = None
        elif before and _INITIAL.fullmatch(text[before.end : here.start]):
            runs[-1] = before._replace(end=here.end)
        elif opening and here.kind == "name" and _INITIAL.fullmatch(text[opening.end : here.start]):
            runs.append(here._replace(start=opening.start, opens=True))
        elif not _starts_sentence(text, here.start):
            runs.append(here)
        elif is_known_name(normal(match[0])):
            runs.append(here._replace(opens=True))
        else:
            opening = here if role_of(lower) & CONTENT else None
    return [_named(run.kind, text[run.start : run.end], run.start)._replace(opens=run.opens) for run in runs]


class _Run(NamedTuple):
    """Capitalised words in a row: kind of name, position, and whether the first one begins a sentence."""

    kind: str
    start: int
    end: int
    opens: bool


def _kind_of_capital(match: re.Match[str], text: str) -> str:
    """Return ``weekday``, ``month`` (short forms only beside a number, as in Jan 5) or ``name``."""
    lower = match[0].lower()
    if lower in _WEEKDAYS:
        return "weekday"
    short = lower in _SHORT_MONTHS and _BESIDE_NUMBER.search(
        text[max(0, match.start() - 4) : match.end() + 4]
    )
    return "month" if lower in _MONTHS or short else "name"


def _starts_sentence(text: str, at: int) -> bool:
    before = text[max(0, at - _LOOK_BACK) : at]
    # Most capitals inside a sentence follow a letter and a blank, which needs no closer check.
    return not before.rstrip(" ")[-1:].isalnum() and _SENTENCE_START.search(before) is not None


def _is_short(quoted: str) -> bool:
    return 0 < len(quoted.split()) <= _QUOTED_WORDS


def _without_overlaps(names: list[Name]) -> list[Name]:
    """Keep the longest of overlapping names, in order of position."""
    kept: list[Name] = []
    for name in sorted(names, key=lambda name: (name.start, -name.end)):
        if not kept or name.start >= kept[-1].end:
            kept.append(name)
    return kept
