"""Quantities in English texts: units, measures, number words and times."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from text_to_num import find_numbers, text2num

from semscale.guards.figures import (
    YEAR_DIGITS,
    bound_of,
    digits_of,
    find_figures,
    find_identifiers,
    read_labels,
    values_of,
)
from semscale.guards.words import TextWords, fold, kind_of, read_lexicon, stem, word_list

if TYPE_CHECKING:
    from pint import UnitRegistry

_OFFSET_TEST = 1.0
_PER = {"s": "second"}
"""Symbols that stand for a unit only after a slash."""


class UnitConversion(NamedTuple):
    """Conversion of a unit into the base unit of its dimension: base = factor * value + offset.

    Attributes:
        factor: base units in one unit.
        offset: the value 0 in base units; 0 except for temperatures.
        dimension: the dimension, such as a length; units of different dimensions cannot be compared.
    """

    factor: float
    offset: float
    dimension: str


def unit_name(spelling: str) -> str:
    """Return pint's name for a spelling of a unit, or "" if it is none.

    Args:
        spelling: the unit in a text, such as ``mg``, ``hours`` or ``mg/dL``.

    Example:
        >>> unit_name("mg/dL"), unit_name("hours"), unit_name("cats")
        ('milligram / deciliter', 'hour', '')
    """
    first, *others = (part.strip() for part in spelling.split("/"))
    names = [_simple_name(first), *(_PER.get(part) or _simple_name(part) for part in others)]
    return " / ".join(names) if all(names) else ""


@cache
def conversion_of(name: str) -> UnitConversion:
    """Return the conversion of a unit into its base unit.

    Args:
        name: a name from ``unit_name``; "" for a number without a unit.

    Example:
        >>> conversion_of("milligram").factor == conversion_of("gram").factor / 1000
        True
        >>> conversion_of("dollar")
        UnitConversion(factor=1.0, offset=0.0, dimension='dollar')
    """
    import pint

    if not name:
        return UnitConversion(1.0, 0.0, "dimensionless")
    try:
        zero = _registry().Quantity(0.0, name).to_base_units()
        one = _registry().Quantity(_OFFSET_TEST, name).to_base_units()
    except (pint.UndefinedUnitError, pint.OffsetUnitCalculusError):
        return UnitConversion(1.0, 0.0, name)
    offset = float(zero.magnitude)
    return UnitConversion(float(one.magnitude) - offset, offset, str(one.dimensionality))


def measure_the_same(first: str, second: str) -> bool:
    """Tell whether two units can be converted into each other; equal ones need no pint, which loads slowly.

    Example:
        >>> measure_the_same("milligram", "gram"), measure_the_same("gram", "hour")
        (True, False)
    """
    return first == second or conversion_of(first).dimension == conversion_of(second).dimension


def _simple_name(spelling: str) -> str:
    exact, words = _spellings()
    if spelling in exact:
        return exact[spelling]
    word = spelling.lower()
    name = words.get(word) or words.get(word.removesuffix("s"), "")
    return name or _prefixed_word(word.removesuffix("s"), words)


def _prefixed_word(word: str, words: dict[str, str]) -> str:
    """Read a written-out unit with a written-out prefix, such as "millimolar"."""
    table: dict[str, str] = read_lexicon("units")["prefixed_word"]
    for prefix in table["prefixes"].split():
        bare = word.removeprefix(prefix)
        if bare != word and bare in table["words"].split():
            return prefix + words[bare]
    return ""


@cache
def _spellings() -> tuple[dict[str, str], dict[str, str]]:
    tables = read_lexicon("units")
    return tables["exact"] | dict(_prefixed(tables["prefixed"])), tables["word"]


def _prefixed(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pint's name for every symbol, alone and with the prefixes that may stand before it."""
    names = read_lexicon("units")["prefixes"]
    for name, line in table.items():
        symbols, prefixes = line.split(":")
        for shown in symbols.split():
            symbol = shown.strip("()")
            if symbol == shown:
                yield symbol, name
            yield from ((prefix + symbol, names[prefix] + name) for prefix in prefixes.split())


@cache
def _registry() -> "UnitRegistry[float]":
    import pint

    return pint.UnitRegistry()


_NAMED = frozenset(("fortnight", "decade", "century", "millennium"))
"""Units that name a stretch of time by themselves, so that one of them is a measure wherever it stands."""
_PARTS: dict[str, int] = read_lexicon("numbers")["parts"]
_ONES, _TEENS, _TENS = (read_lexicon("numbers")[name].split() for name in ("ones", "teens", "tens"))
_SMALL_WORDS = frozenset((*_ONES, *_TEENS, *_TENS, "hundred", "thousand"))
_COUNT = rf"(?:{'|'.join((*_ONES, *_TEENS, *_TENS))}|hundred|thousand|\d{{1,4}})"
_WAITING = frozenset(read_lexicon("numbers")["before_measures"].split())
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
    measures: list[SpokenMeasure] = []
    if with_parts:
        measures += _with_halves(text)
        measures += _fractions(text)
    if with_shares:
        measures += _shares(text)
    return measures


def single_units(words: TextWords) -> list[SpokenMeasure]:
    """Find single units: a fortnight, for a week, the day.

    Example:
        >>> [(measure.value, measure.unit) for measure in single_units(TextWords("It takes a fortnight."))]
        [(1.0, 'fortnight')]
    """
    if words.distinct.isdisjoint(_unit_words()):
        return []
    measures = []
    for match in _patterns()["single"].finditer(fold(words.text)):
        named = match["unit"] in _NAMED
        replaces = match["article"] in ("a", "an") and (named or match["before"] in _WAITING)
        start = match.start("article")
        measures.append(SpokenMeasure(1.0, unit_name(match["unit"]), start, match.end(), True, replaces))
    return measures


@cache
def _unit_words() -> frozenset[str]:
    """Return the written-out units in the singular."""
    words = read_lexicon("units")["word"]
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


_ONE_TO_NINE, _TEN_TO_NINETEEN = "|".join(_ONES), "|".join(_TEENS)
_HOUR = rf"(?P<hour>{_ONE_TO_NINE}|ten|eleven|twelve|1[0-2]|[1-9])"
_MINUTES = (
    rf"(?P<minutes>(?:twenty|thirty|forty|fifty)(?:[-\u2010\u2011\s](?:{_ONE_TO_NINE}))?"
    rf"|{_TEN_TO_NINETEEN}|{_ONE_TO_NINE}|[1-5]?\d)"
)
# "Five to ten" may be a range, so "to" needs a word that only times have.
_SPOKEN = re.compile(
    rf"""\b(?:(?P<part>half|(?:a\s)?quarter)\s(?P<side>past|to|after)\s{_HOUR}(?![\w:]|\.\d)
    |{_MINUTES}\s(?:minutes?\s(?P<way>past|to|after)|past)\s{_HOUR.replace("hour", "full")}(?![\w:]|\.\d)
    |{_HOUR.replace("hour", "sharp")}\so['’]?clock\b
    |(?P<named>noon|midday|midnight)\b)""",
    re.VERBOSE,
)
_PART = re.compile(r"[a-z]+")
_MARKS = ("past", "clock", "noon", "midday", "midnight", "quarter", "minute")


class SpokenTime(NamedTuple):
    """A time of day in words.

    Attributes:
        hours: hours since midnight; two values if the words do not say whether it is before or after noon.
        start: its first character.
        end: the character after its last one.
        weak: whether it has no number, as "noon"; it may agree with a time, but is never reported itself.
    """

    hours: tuple[float, ...]
    start: int
    end: int
    weak: bool


def spoken_times(text: str) -> Iterator[SpokenTime]:
    """Find times of day that are written in words.

    Example:
        >>> [time.hours for time in spoken_times("Leave at half past ten, arrive at noon.")]
        [(10.5, 22.5), (12.0,)]
    """
    # If case is ignored, the pattern accepts ı and ſ for i and s, but no number is spelt so.
    lowered = fold(text)
    if not any(mark in lowered for mark in _MARKS):
        return
    for match in _SPOKEN.finditer(lowered):
        if match["named"]:
            hours: tuple[float, ...] = (0.0,) if match["named"] == "midnight" else (12.0,)
        else:
            hours = _hours(match)
        yield SpokenTime(hours, match.start(), match.end(), bool(match["named"]))


def _hours(match: re.Match[str]) -> tuple[float, float]:
    hour = _number(match["hour"] or match["full"] or match["sharp"])
    if match["part"]:
        minute = 30 if match["part"] == "half" else 15
    else:
        minute = _number(match["minutes"]) if match["minutes"] else 0
    if (match["side"] or match["way"]) == "to":
        hour, minute = hour - 1, 60 - minute
    hour %= 12
    return hour + minute / 60, hour + 12 + minute / 60


def _number(shown: str) -> int:
    return int(shown) if shown.isdecimal() else int(text2num(" ".join(_PART.findall(shown)), "en"))


_MONTHS = {
    name: number
    for number, names in enumerate(read_lexicon("wordlists")["months_in_order"], start=1)
    for name in names.split()
}
_WEAK_UP_TO = 1.0
_ONE = ("one", "ones")
_HYPHENS = "-\u2010\u2011\u2013"
_CARDINALS = word_list("number_words")
_WEAK = {**_MONTHS, **read_lexicon("numbers")["weak"]}
_KNOWN = _CARDINALS | frozenset(_WEAK)


class SpeltNumber(NamedTuple):
    """A number in words.

    Attributes:
        value: its value.
        first: position of its first word.
        last: position of its last word.
        weak: whether the word may mean something else ("one", "first", "may"): it may agree with a number of
            the other text, but is never reported itself.
    """

    value: float
    first: int
    last: int
    weak: bool


class _Token(NamedTuple):
    """A word with the methods that text2num requires."""

    word: str

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: "_Token") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


@lru_cache(maxsize=65536)
def _token(word: str) -> _Token:
    # An unpaired surrogate cannot be passed to Rust; another mark separates numbers just as well.
    return _Token(word.encode("utf-8", "replace").decode("utf-8"))


def spelt_numbers(words: TextWords) -> list[SpeltNumber]:
    """Find numbers that are written in words.

    Example:
        >>> found = spelt_numbers(TextWords("twenty-one of the first twelve"))
        >>> [(number.value, number.weak) for number in found]
        [(21.0, False), (1.0, True), (12.0, False)]
    """
    if _KNOWN.isdisjoint(words.distinct):
        return []
    texts = words.texts
    numbers = [
        SpeltNumber(float(_WEAK[text]), at, at, True) for at, text in enumerate(texts) if text in _WEAK
    ]
    if _CARDINALS.isdisjoint(words.distinct):
        return numbers
    positions = [at for at, text in enumerate(texts) if text not in _HYPHENS]
    for number in find_numbers([_token(texts[at]) for at in positions], "en", threshold=0.0):
        first, last = positions[number.start], positions[number.end - 1]
        if any(kind_of(text) == "n" for text in texts[first : last + 1]):
            continue
        weak = number.is_ordinal or (first == last and number.value <= _WEAK_UP_TO and texts[first] in _ONE)
        value = float(number.value)
        if first > 1 and texts[first - 1] in ("a", "an") and texts[first - 2] == "half":
            value, first = value / 2, first - 2
        numbers.append(SpeltNumber(value, first, last, weak))
    return sorted(numbers, key=lambda number: number.first)


_CLOCK = re.compile(
    r"(?<![\w.:])(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?|(?<![\w.:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])",
    re.I,
)
_CLOCK_AT_A_GLANCE = re.compile(r"\d(?::\d|\s?[ap]\.?m)", re.I)
_UNIT = re.compile(
    r"[\s-]{0,2}((°(?:\s?[CF])?|%|‰|[$€£¥]|per\s?cent|mm\s?Hg|(?i:degrees?\s(?:celsius|centigrade|fahrenheit|c|f)\b)|[A-Za-zµμΩΩ]+)(?:\s?/\s?[A-Za-zµμ]+|\s(?:per|an?|each)\s[A-Za-z]+)?)"
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
    quantities = _identifiers(text) if in_digits or _POINTED.search(text) else []
    quantities += _apart(_spoken(text), quantities)
    if in_digits and (":" in text or "m" in text):
        quantities += _apart(_times(text), quantities)
    quantities += _apart(_measures(words, spoken_measures(words)), quantities)
    if in_digits:
        quantities += _apart(_in_digits(text), quantities)
    quantities += _apart(_in_words(words), quantities)
    quantities += _apart(_measures(words, single_units(words)), quantities)
    return _with_labels(words, quantities)


def _with_labels(words: TextWords, quantities: list[Quantity]) -> list[Quantity]:
    """Mark numbers that are labels, and add letters that are."""
    numbers = {quantity.start: quantity for quantity in quantities if not (quantity.unit or quantity.label)}
    taken = _covered(quantity for quantity in quantities if quantity.unit or quantity.label)
    labels: dict[int, Quantity] = {}
    for label in read_labels(words, set(numbers), taken):
        start, end = words.place(label.at, label.at)
        number = numbers.get(start)
        values = number.values if number else label.values
        labels[start] = Quantity(values, start, end, words.text[start:end], label=label.noun, weak=label.weak)
    others = [quantity for quantity in quantities if quantity.start not in labels]
    return sorted([*others, *labels.values()], key=lambda quantity: quantity.start)


def _identifiers(text: str) -> list[Quantity]:
    return [
        Quantity(
            identifier.values,
            identifier.start,
            identifier.end,
            text[identifier.start : identifier.end],
            label=identifier.kind,
        )
        for identifier in find_identifiers(text)
    ]


def _spoken(text: str) -> list[Quantity]:
    return [
        Quantity(hours, start, end, text[start:end], _CLOCK_UNIT, weak=weak, digits=_CLOCK_DIGITS)
        for hours, start, end, weak in spoken_times(text)
    ]


def _measures(words: TextWords, measures: Iterable[SpokenMeasure]) -> list[Quantity]:
    """Make quantities of measures and shares in words; of those that overlap, the first one counts."""
    text = words.text
    quantities: list[Quantity] = []
    taken: set[int] = set()
    for measure in measures:
        positions = range(measure.start, measure.end)
        if not taken.isdisjoint(positions):
            continue
        taken.update(positions)
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
        quantities.append(quantity)
    return quantities


def _is_about(text: str, start: int) -> bool:
    """Tell whether the words before a number make it approximate."""
    return _ABOUT.search(text[max(0, start - _LONGEST_ABOUT) : start]) is not None


def _in_digits(text: str) -> list[Quantity]:
    quantities: list[Quantity] = []
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
        quantities.append(
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
    return quantities


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
    text, quantities = words.text, []
    for number in spelt_numbers(words):
        start, end = words.place(number.first, number.last)
        unit, end = _unit_after(text, end)
        noun = "" if unit else _noun_after(text, end)
        about = _is_about(text, start)
        quantities.append(
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
    return quantities


def _times(text: str) -> list[Quantity]:
    """Read times of day as hours."""
    quantities: list[Quantity] = []
    if not _CLOCK_AT_A_GLANCE.search(text):
        return quantities
    for match in _CLOCK.finditer(text):
        hour = int(match[1] or match[4])
        minute = int(match[2] or match[5] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        value = (hour + minute / 60,)
        quantities.append(
            Quantity(value, match.start(), match.end(), match[0], _CLOCK_UNIT, digits=_CLOCK_DIGITS)
        )
    return quantities


def _covered(quantities: Iterable[Quantity]) -> set[int]:
    return {at for quantity in quantities for at in range(quantity.start, quantity.end)}


def _apart(further: list[Quantity], quantities: list[Quantity]) -> list[Quantity]:
    """Keep those that overlap none of the found ones."""
    if not further or not quantities:
        return further
    taken = _covered(quantities)
    return [quantity for quantity in further if taken.isdisjoint(range(quantity.start, quantity.end))]
