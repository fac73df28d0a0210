"""Measures and shares without a plain number: a fortnight, half an hour, two thirds, one in four."""

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from text_to_num import text2num

from semscale.guards.lexicons import read_lexicon
from semscale.guards.numbers.units import unit_name
from semscale.guards.words import TextWords, fold

_NAMED = frozenset(("fortnight", "decade", "century", "millennium"))
"""Units that name a stretch of time by themselves, so that one of them is a measure wherever it stands."""
_PARTS = {
    "half": 2, "halve": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_SMALL = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen"
    "|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand"
)
_SMALL_WORDS = frozenset(_SMALL.split("|"))
_COUNT = rf"(?:{_SMALL}|\d{{1,4}})"
_WAITING = (
    "for|in|within|after|last|lasts|lasted|lasting|take|takes|took|taken|stay|stayed|wait|waited|need|needs|needed"
    "|about|around|roughly|nearly|almost|exactly|only|over|under|ran|runs"
)
_PERIODS = "for|per|each|every|last|this|next|past|fiscal"
_QUARTER_MONTHS = 3.0
_LARGEST_OF = 1000


class SpokenMeasure(NamedTuple):
    """A measure or share in words.

    Attributes:
        value: its value in its unit.
        unit: pint's name for the unit; "" for a share.
        start: its first character.
        end: the character after its last one.
        weak: whether it may be no measure ("the day"): it may agree with a number, but is never reported as
            missing or added.
        replaces: whether it states a measure that another number contradicts, though it is weak.
    """

    value: float
    unit: str
    start: int
    end: int
    weak: bool
    replaces: bool


def spoken_measures(words: TextWords) -> list[SpokenMeasure]:
    """Find shares, and measures with a half or a quarter; of those that overlap, the first one counts.

    Example:
        >>> found = spoken_measures(TextWords("half an hour, two thirds, one in four"))
        >>> [(measure.value, measure.unit) for measure in found]
        [(0.5, 'hour'), (0.6666666666666666, ''), (0.25, '')]
    """
    distinct = words.distinct
    with_parts = not distinct.isdisjoint(_part_words())
    with_shares = not distinct.isdisjoint(("in", "out")) and not distinct.isdisjoint(_share_words(words))
    if not (with_parts or with_shares):
        return []
    text = fold(words.text)
    found: list[SpokenMeasure] = []
    if with_parts:
        found += _with_halves(text)
        found += _fractions(text)
    if with_shares:
        found += _shares(text)
    return found


def single_units(words: TextWords) -> list[SpokenMeasure]:
    """Find single units: a fortnight, for a week, the day.

    Example:
        >>> [(measure.value, measure.unit) for measure in single_units(TextWords("It takes a fortnight."))]
        [(1.0, 'fortnight')]
    """
    if words.distinct.isdisjoint(_unit_words()):
        return []
    found = []
    for match in _patterns()["single"].finditer(fold(words.text)):
        named = match["unit"] in _NAMED
        replaces = match["article"] in ("a", "an") and (named or match["before"] in _WAITING.split("|"))
        start = match.start("article")
        found.append(SpokenMeasure(1.0, unit_name(match["unit"]), start, match.end(), True, replaces))
    return found


@cache
def _unit_words() -> frozenset[str]:
    """Return the written-out units in the singular."""
    words = read_lexicon("units", "semscale.guards.numbers")["word"]
    return frozenset(word for word in words if word.isalpha() and not word.endswith("s")) | {"hertz"}


@cache
def _part_words() -> frozenset[str]:
    return frozenset(_PARTS) | {f"{part}s" for part in _PARTS}


def _share_words(words: TextWords) -> frozenset[str]:
    """Return the words of which a share such as "one in four" has one."""
    return words.distinct if words.has_digits else _SMALL_WORDS


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    unit = rf"(?P<unit>{'|'.join(sorted(_unit_words(), key=len, reverse=True))})"
    part = rf"(?P<part>{'|'.join(_PARTS)})s?"
    patterns = {
        # half an hour, a quarter of an hour, three quarters of a mile
        "part_of_unit": rf"\b(?:(?P<count>{_COUNT}|an?)\s)?(?P<part>half|quarter)s?\s(?:of\s)?an?\s{unit}\b",
        # an hour and a half
        "unit_and_half": rf"\b(?P<count>{_COUNT}|an?)\s{unit}s?\sand\sa\s(?P<part>half|quarter)\b",
        # two and a half hours, 2 and a half
        "and_half": rf"\b(?P<count>{_COUNT})\sand\sa\s(?P<part>half|quarter)(?:\s{unit}s?\b)?",
        "quarter_year": rf"\b(?:{_PERIODS})\s(?:an?\s|one\s)?quarter\b(?!\s(?:of|past|to)\b)",
        # two thirds, a quarter of
        "fraction": rf"\b(?P<count>{_COUNT}|an?)[\s-]{part}\b(?P<of>\sof\b)?",
        "half": r"(?<!other )(?<!first )(?<!second )(?<!latter )(?<!each )\bhalf\s(?:of\b|the\b)",
        "share": rf"\b(?P<count>{_COUNT})\s(?:in|out\sof)(?:\severy)?\s(?P<of>{_COUNT})\b"
        rf"(?![.,:/-]?\d)(?!\s{unit}s?\b)",
        "single": rf"(?:\b(?P<before>\w+)\s)?\b(?P<article>an?|the|whole|full|last|next|past)\s{unit}\b",
    }
    return {name: re.compile(pattern) for name, pattern in patterns.items()}


def _with_halves(text: str) -> Iterator[SpokenMeasure]:
    """Find measures with a half or a quarter in them."""
    for match in _patterns()["part_of_unit"].finditer(text):
        share = _count(match["count"]) / _PARTS[match["part"]]
        yield SpokenMeasure(share, unit_name(match["unit"]), match.start(), match.end(), True, True)
    for name in ("unit_and_half", "and_half"):
        for match in _patterns()[name].finditer(text):
            value = _count(match["count"]) + 1 / _PARTS[match["part"]]
            unit = unit_name(match["unit"]) if match["unit"] else ""
            weak = name == "unit_and_half"
            yield SpokenMeasure(value, unit, match.start(), match.end(), weak, True)
    for match in _patterns()["quarter_year"].finditer(text):
        yield SpokenMeasure(_QUARTER_MONTHS, "month", match.start(), match.end(), True, True)


def _fractions(text: str) -> Iterator[SpokenMeasure]:
    """Find fractions: two thirds, a quarter of; "one third" and "a third" may also count things."""
    for match in _patterns()["fraction"].finditer(text):
        count = _count(match["count"])
        if count >= _PARTS[match["part"]] or (count == 1 and match["part"] != "quarter" and not match["of"]):
            continue
        end = match.start("of") if match["of"] else match.end()
        value = count / _PARTS[match["part"]]
        yield SpokenMeasure(value, "", match.start(), end, count == 1, bool(match["of"]))
    for match in _patterns()["half"].finditer(text):
        yield SpokenMeasure(0.5, "", match.start(), match.start() + len("half"), True, True)


def _shares(text: str) -> Iterator[SpokenMeasure]:
    """Find shares such as "one in four" and "3 out of 4"."""
    for match in _patterns()["share"].finditer(text):
        count, of = _count(match["count"]), _count(match["of"])
        if 0 < count < of <= _LARGEST_OF:
            yield SpokenMeasure(count / of, "", match.start(), match.end(), False, True)


def _count(shown: str | None) -> float:
    """Return the number of parts; "a", or none at all, is one."""
    if shown is None or shown in ("a", "an"):
        return 1.0
    return float(shown) if shown.isdecimal() else float(text2num(shown, "en"))
