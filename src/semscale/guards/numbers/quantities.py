"""Quantities in a text: numbers with units, times, years, and numbers or letters that are labels (bulb C)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from semscale.guards.lexicons import word_list
from semscale.guards.numbers.figures import YEAR_DIGITS, bound_of, digits_of, find_figures, values_of
from semscale.guards.numbers.identifiers import find_identifiers
from semscale.guards.numbers.labels import read_labels
from semscale.guards.numbers.measures import SpokenMeasure, single_units, spoken_measures
from semscale.guards.numbers.number_words import spelt_numbers
from semscale.guards.numbers.spoken_times import spoken_times
from semscale.guards.numbers.units import unit_name
from semscale.guards.words import TextWords, stem

_CLOCK = re.compile(
    r"(?<![\w.:])(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?|(?<![\w.:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])",
    re.I,
)
_CLOCK_AT_A_GLANCE = re.compile(r"\d(?::\d|\s?[ap]\.?m)", re.I)
_UNIT = re.compile(
    r"[\s-]{0,2}((°(?:\s?[CF])?|%|‰|[$€£¥]|per\s?cent|mm\s?Hg|[A-Za-zµμΩΩ]+)(?:\s?/\s?[A-Za-zµμ]+|\s(?:per|an?|each)\s[A-Za-z]+)?)"
)
_YEARS = (1000.0, 2100.0)
_NOUN = re.compile(r"[\s-]+([A-Za-z]{2,})")
_NO_NOUNS = word_list("not_counted")
_CLOCK_UNIT = "clock"
_CLOCK_DIGITS = 4
_POINTED = re.compile(r"[.:]\w")
"""A point or colon inside a word, as in a file, an address of the web or of a machine."""
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|some|nearly|almost)\s(?:an?\s)?|[~≈≃]\s?)$",
    re.I,
)
_LONGEST_ABOUT = 20
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


class Quantity(NamedTuple):
    """A number or label in a text.

    Attributes:
        values: its possible values: one number, or two if a point may separate thousands; of a label also a
            letter.
        start: its first character.
        end: the character after its last one.
        shown: the quantity as it is written.
        unit: pint's name for the unit; "" for none.
        label: the noun that it labels; "" if it is no label, ``?`` for a label without a noun.
        noun: the stem of the word after it, for counted things.
        weak: whether it may be no number (see ``SpeltNumber``), or a label no label.
        digits: significant digits.
        bound: -1 for "at most", 1 for "at least", 0 otherwise.
        about: whether it is stated as approximate ("about 5", "~5").
        replaces: whether it may differ from a number of the other text although it is weak ("a fortnight").
    """

    values: tuple[float | str, ...]
    start: int
    end: int
    shown: str
    unit: str = ""
    label: str = ""
    noun: str = ""
    weak: bool = False
    digits: int = 0
    bound: int = 0
    about: bool = False
    replaces: bool = False

    @property
    def sort(self) -> str:
        """The sort of quantity (label, time of day, year or other number); only equal sorts are compared."""
        if self.label:
            return "label"
        if self.unit == _CLOCK_UNIT:
            return _CLOCK_UNIT
        value = self.values[0]
        is_year = isinstance(value, float) and _YEARS[0] <= value <= _YEARS[1] and self.digits == YEAR_DIGITS
        return "year" if is_year and not self.unit else "number"


def read_quantities(words: TextWords) -> list[Quantity]:
    """Find all numbers and labels, in order.

    Example:
        >>> found = read_quantities(TextWords("Terminal 4 reads 1.5 volts"))
        >>> [(quantity.values, quantity.unit, quantity.label) for quantity in found]
        [((4.0,), '', 'terminal'), ((1.5,), 'volt', '')]
    """
    if not words.texts:
        return []
    text = words.text
    in_digits = words.has_digits or not text.isascii()
    found = _identifiers(text) if in_digits or _POINTED.search(text) else []
    found += _apart(_spoken(text), found)
    if in_digits and (":" in text or "m" in text):
        found += _apart(_times(text), found)
    found += _apart(_measures(words, spoken_measures(words)), found)
    if in_digits:
        found += _apart(_in_digits(text), found)
    found += _apart(_in_words(words), found)
    found += _apart(_measures(words, single_units(words)), found)
    return _with_labels(words, found)


def _with_labels(words: TextWords, found: list[Quantity]) -> list[Quantity]:
    """Mark numbers that are labels, and add letters that are."""
    numbers = {quantity.start: quantity for quantity in found if not (quantity.unit or quantity.label)}
    taken = _covered(quantity for quantity in found if quantity.unit or quantity.label)
    for label in read_labels(words, set(numbers), taken):
        start, end = words.place(label.at, label.at)
        known = numbers.get(start)
        values = known.values if known else label.values
        mark = Quantity(values, start, end, words.text[start:end], label=label.noun, weak=label.weak)
        found = [quantity for quantity in found if quantity.start != start] + [mark]
    return sorted(found, key=lambda quantity: quantity.start)


def _identifiers(text: str) -> list[Quantity]:
    return [
        Quantity(found.values, found.start, found.end, text[found.start : found.end], label=found.kind)
        for found in find_identifiers(text)
    ]


def _spoken(text: str) -> list[Quantity]:
    return [
        Quantity(hours, start, end, text[start:end], _CLOCK_UNIT, weak=weak, digits=_CLOCK_DIGITS)
        for hours, start, end, weak in spoken_times(text)
    ]


def _measures(words: TextWords, measures: Iterable[SpokenMeasure]) -> list[Quantity]:
    """Make quantities of measures and shares in words; of those that overlap, the first one counts."""
    text = words.text
    found: list[Quantity] = []
    taken: set[int] = set()
    for measure in measures:
        places = range(measure.start, measure.end)
        if not taken.isdisjoint(places):
            continue
        taken.update(places)
        quantity = Quantity(
            (measure.value,),
            measure.start,
            measure.end,
            text[measure.start : measure.end],
            measure.unit,
            weak=measure.weak,
            digits=1,
            about=_is_about(text, measure.start),
            replaces=measure.replaces,
        )
        found.append(quantity)
    return found


def _is_about(text: str, start: int) -> bool:
    """Tell whether the words before a number make it approximate."""
    return _ABOUT.search(text[max(0, start - _LONGEST_ABOUT) : start]) is not None


def _in_digits(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    shouted = text.isupper() and _LONG_WORD.search(text) is not None
    for match in find_figures(text):
        end = match.end()
        if match["currency"]:
            unit = unit_name(match["currency"].strip())
        else:
            unit, end = _unit_after(text, end)
        if not unit and text[end : end + 1].isalnum():
            continue
        if shouted and unit and text[match.end() : end].strip(" -").isalpha():
            unit = ""  # in capitals, M may be metres, molars or millions
        bound = bound_of(match, text, end)
        noun = "" if unit else _noun_after(text, end)
        start = match.end("bound") if match["bound"] else match.start()
        digits = digits_of(match)
        found.append(
            Quantity(
                values_of(match),
                start,
                end,
                text[start:end],
                unit,
                noun=noun,
                digits=digits,
                bound=bound,
                about=_is_about(text, start),
            )
        )
    return found


def _unit_after(text: str, end: int) -> tuple[str, int]:
    """Find the unit after a number: its name and where it ends."""
    match = _UNIT.match(text, end)
    if not match:
        return "", end
    name, length = _unit_in(match[1], match[2])
    return (name, match.start(1) + length) if name else ("", end)


@lru_cache(maxsize=4096)
def _unit_in(shown: str, first: str) -> tuple[str, int]:
    """Find the unit at the start of some words, if possible both parts of a ratio: its name and length."""
    name = unit_name(_without_blanks(re.sub(r"\s(?:per|an?|each)\s", "/", shown)))
    return (name, len(shown)) if name else (unit_name(_without_blanks(first)), len(first))


def _without_blanks(spelling: str) -> str:
    return "".join(spelling.split())


def _noun_after(text: str, end: int) -> str:
    match = _NOUN.match(text[end : end + 30])
    noun = match[1].lower() if match else ""
    return stem(noun) if noun and noun not in _NO_NOUNS else ""


def _in_words(words: TextWords) -> list[Quantity]:
    text, found = words.text, []
    for number in spelt_numbers(words):
        start, end = words.place(number.first, number.last)
        unit, end = _unit_after(text, end)
        noun = "" if unit else _noun_after(text, end)
        about = _is_about(text, start)
        found.append(
            Quantity(
                (number.value,),
                start,
                end,
                text[start:end],
                unit,
                noun=noun,
                weak=number.weak,
                digits=1,
                replaces=number.weak and bool(unit),
                about=about,
            )
        )
    return found


def _times(text: str) -> list[Quantity]:
    """Read times of day as hours."""
    found: list[Quantity] = []
    if not _CLOCK_AT_A_GLANCE.search(text):
        return found
    for match in _CLOCK.finditer(text):
        hour = int(match[1] or match[4])
        minute = int(match[2] or match[5] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        value = (hour + minute / 60,)
        found.append(Quantity(value, match.start(), match.end(), match[0], _CLOCK_UNIT, digits=_CLOCK_DIGITS))
    return found


def _covered(found: Iterable[Quantity]) -> set[int]:
    return {at for quantity in found for at in range(quantity.start, quantity.end)}


def _apart(further: list[Quantity], found: list[Quantity]) -> list[Quantity]:
    """Keep those that overlap none of the found ones."""
    if not further or not found:
        return further
    taken = _covered(found)
    return [quantity for quantity in further if taken.isdisjoint(range(quantity.start, quantity.end))]
