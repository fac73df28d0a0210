"""Quantities in a text: numbers with units, times, years, and numbers or letters that are labels (bulb C)."""

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from semscale.guards.lexicons import word_list
from semscale.guards.numbers.figures import YEAR_DIGITS, bound_of, digits_of, find_figures, values_of
from semscale.guards.numbers.labels import read_labels
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
    r"[\s-]{0,2}((°(?:\s?[CF])?|%|‰|[$€£¥]|per\s?cent|mm\s?Hg|[A-Za-zµμΩ]+)(?:\s?/\s?[A-Za-zµμ]+|\s(?:per|an?|each)\s[A-Za-z]+)?)"
)
_YEARS = (1000.0, 2100.0)
_NOUN = re.compile(r"[\s-]+([A-Za-z]{2,})")
_NO_NOUNS = word_list("not_counted")
_CLOCK_UNIT = "clock"


class Quantity(NamedTuple):
    """A number or label in a text.

    Attributes:
        values: its possible values: one number, or two if a point may separate thousands; of a label also a
            letter.
        unit: pint's name for the unit; "" for none.
        label: the noun that it labels; "" if it is no label, ``?`` for a label without a noun.
        noun: the stem of the word after it, for counted things.
        weak: whether it may be no number (see ``SpeltNumber``).
        digits: significant digits.
        bound: -1 for "at most", 1 for "at least", 0 otherwise.
        start: its first character.
        end: the character after its last one.
        shown: the quantity as it is written.
    """

    values: tuple[float | str, ...]
    unit: str
    label: str
    noun: str
    weak: bool
    digits: int
    bound: int
    start: int
    end: int
    shown: str

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
    found = _spoken(text)
    if words.has_digits or not text.isascii():
        if ":" in text or "m" in text:
            found += _apart(_times(text), found)
        found += _apart(_in_digits(text), found)
    found += _apart(_in_words(words), found)
    return _with_labels(words, found)


def _with_labels(words: TextWords, found: list[Quantity]) -> list[Quantity]:
    """Mark numbers that are labels, and add letters that are."""
    numbers = {quantity.start: quantity for quantity in found if not quantity.unit}
    taken = _covered(quantity for quantity in found if quantity.unit)
    for label in read_labels(words, set(numbers), taken):
        start, end = words.place(label.at, label.at)
        known = numbers.get(start)
        values = known.values if known else label.values
        mark = Quantity(values, "", label.noun, "", False, 0, 0, start, end, words.text[start:end])
        found = [quantity for quantity in found if quantity.start != start] + [mark]
    return sorted(found, key=lambda quantity: quantity.start)


def _spoken(text: str) -> list[Quantity]:
    return [
        Quantity(hours, _CLOCK_UNIT, "", "", weak, 4, 0, start, end, text[start:end])
        for hours, start, end, weak in spoken_times(text)
    ]


def _in_digits(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    for match in find_figures(text):
        end = match.end()
        if match["currency"]:
            unit = unit_name(match["currency"].strip())
        else:
            unit, end = _unit_after(text, end)
        if not unit and text[end : end + 1].isalnum():
            continue
        bound = bound_of(match, text, end)
        noun = "" if unit else _noun_after(text, end)
        start = match.end("bound") if match["bound"] else match.start()
        digits = digits_of(match)
        found.append(
            Quantity(values_of(match), unit, "", noun, False, digits, bound, start, end, text[start:end])
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
        weak = number.weak and not unit
        found.append(Quantity((number.value,), unit, "", noun, weak, 1, 0, start, end, text[start:end]))
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
        found.append(Quantity(value, _CLOCK_UNIT, "", "", False, 4, 0, match.start(), match.end(), match[0]))
    return found


def _covered(found: Iterable[Quantity]) -> set[int]:
    return {at for quantity in found for at in range(quantity.start, quantity.end)}


def _apart(further: list[Quantity], found: list[Quantity]) -> list[Quantity]:
    """Keep those that overlap none of the found ones."""
    if not further or not found:
        return further
    taken = _covered(found)
    return [quantity for quantity in further if taken.isdisjoint(range(quantity.start, quantity.end))]
