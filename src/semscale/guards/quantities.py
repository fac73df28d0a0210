"""Quantities in English texts: numbers in digits and words with their units, measures, times and labels."""

import math
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from text_to_num import find_numbers, text2num

from semscale.guards.figures import (
    CLOCK,
    YEAR_DIGITS,
    Quantity,
    bound_of,
    digits_of,
    find_figures,
    find_identifiers,
    find_labels,
    matches_near,
    values_of,
)
from semscale.guards.text import Text
from semscale.guards.words import (
    RECENT_TEXTS,
    RECENT_WORDS,
    fold_case,
    kind_of,
    read_lexicon,
    stem,
    word_list,
)

if TYPE_CHECKING:
    from pint import UnitRegistry

_OFFSET_TEST = 1.0
_PER = {"s": "second"}
"""Symbols that stand for a unit only after a slash."""


class UnitConversion(NamedTuple):
    """Conversion of a unit into the base unit of its dimension: base = factor * value + offset.

    Attributes:
        factor: base units in one unit.
        offset: value in base units that corresponds to 0; it is 0 except for temperatures.
        dimension: the dimension, such as a length; units of different dimensions cannot be compared.
    """

    factor: float
    offset: float
    dimension: str


def unit_name(spelling: str) -> str:
    """Return pint's name for a spelling of a unit; "" if the spelling is not a unit.

    Args:
        spelling: the unit in a text, such as ``mg``, ``hours`` or ``mg/dL``.

    Examples:
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

    Examples:
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
    """Tell whether two units can be converted into each other; for equal units pint is not loaded.

    Examples:
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
    return name or _read_prefixed_word(word.removesuffix("s"), words)


def _read_prefixed_word(word: str, words: dict[str, str]) -> str:
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
    return tables["exact"] | dict(_add_prefixes(tables["prefixed"])), tables["word"]


def _add_prefixes(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield every symbol, alone and with the prefixes that it may have, with pint's name for it."""
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


_CLOCK_DIGITS = 4
_POINTED = re.compile(r"[.:]\w")
"""A point or colon inside a word, as in a file name, a web address or an IP address."""


@lru_cache(maxsize=RECENT_TEXTS)
def read_quantities(text: Text) -> list[Quantity]:
    """Find all numbers and labels, in order.

    Examples:
        >>> quantities = read_quantities(Text("Terminal 4 reads 1.5 volts"))
        >>> [(quantity.values, quantity.unit, quantity.label) for quantity in quantities]
        [((4.0,), '', 'terminal'), ((1.5,), 'volt', '')]
    """
    if not text.words:
        return []
    source = text.source
    in_digits = text.has_digits or not source.isascii()
    quantities = find_identifiers(text) if in_digits or "WW" in source or _POINTED.search(source) else []
    if in_digits and (":" in source or "m" in text.lower):
        quantities += _apart(_clock_times(source), quantities)
    rates, bare_rates = read_rates(text)
    quantities += _apart(rates, quantities)
    quantities += _apart(find_spoken_measures(text), quantities)
    if in_digits:
        quantities += _apart(_in_digits(source), quantities)
    quantities += _apart(bare_rates, quantities)
    quantities += _apart(find_spelt_numbers(text), quantities)
    quantities += _apart(single_units(text), quantities)
    return _with_labels(text, quantities)


def _apart(further: Iterable[Quantity], quantities: list[Quantity]) -> list[Quantity]:
    """Keep the quantities that do not overlap other ones."""
    further = list(further)
    if not further or not quantities:
        return further
    covered = _character_positions(quantities)
    return [quantity for quantity in further if covered.isdisjoint(range(quantity.start, quantity.end))]


def _character_positions(quantities: Iterable[Quantity]) -> set[int]:
    return {at for quantity in quantities for at in range(quantity.start, quantity.end)}


def _with_labels(text: Text, quantities: list[Quantity]) -> list[Quantity]:
    """Mark the numbers that are labels, and add letters that are labels."""
    numbers = {quantity.start: quantity for quantity in quantities if not (quantity.unit or quantity.label)}
    measured = _character_positions(quantity for quantity in quantities if quantity.unit or quantity.label)
    labels = {label.start: label for label in find_labels(text, numbers, measured)}
    others = [quantity for quantity in quantities if quantity.start not in labels]
    return sorted([*others, *labels.values()], key=lambda quantity: quantity.start)


_ZONES: dict[str, str] = read_lexicon("calendar")["zones"]
_ZONE = (
    rf"(?:\s?(?P<zone>(?:UTC|GMT)\s?[-+−]\d{{1,2}}(?::?\d{{2}})?|(?:(?<=\d)|(?<=\d\s))\+\d{{2}}:?\d{{2}}"
    rf"|(?-i:{'|'.join(zone for zone in _ZONES if zone.isupper())})\b"
    rf"|(?:{'|'.join(zone for zone in _ZONES if zone.islower())})\b(?!\s(?-i:[A-Z]))"
    r"(?:\s(?:standard|daylight))?(?:\stime\b)?))?"
)
_CLOCK = re.compile(
    rf"""(?<![\w.:])(?P<hour>\d{{1,2}})(?::(?P<minute>\d{{2}}))?\s?(?P<half>[ap])\.?m\b\.?{_ZONE}
    |(?:(?<![\w.:])|(?<=\d[Tt]))(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)
    (?::(?P<seconds>[0-5]\d)(?:[.,]\d+)?)?(?!\d|:\w){_ZONE.replace("<zone>", "<zone_of_hours>")}""",
    re.IGNORECASE | re.VERBOSE,
)
_CLOCK_AT_A_GLANCE = re.compile(r"\d(?::\d|\s?[ap]\.?m)", re.I)
_UNIT = re.compile(
    r"[\s-]{0,2}((°(?:\s?[CF])?|%|‰|[$€£¥]|per\s?cent|mm\s?Hg|(?i:degrees?\s(?:celsius|centigrade|fahrenheit|c|f)\b)|[A-Za-zµμΩΩ]+)(?:\s?/\s?[A-Za-zµμ]+|\s(?:per|an?|each)\s[A-Za-z]+)?)"
)
_WORKING = "|".join(read_lexicon("numbers")["working"].split())
_BEFORE_TIMES = re.compile(
    rf"[\s-](?:{_WORKING}|{'|'.join(read_lexicon('numbers')['before_times'].split())})"
    r"(?=[\s-](?:second|minute|hour|day|week|month|year)s?\b)",
    re.IGNORECASE,
)
_WORKING_DAYS = re.compile(rf"[\s-](?:{_WORKING})[\s-]days?$", re.IGNORECASE)
_WORKING_DAYS_A_WEEK = 5
_NOUN = re.compile(r"[\s-]+([A-Za-z]{2,})")
_NO_NOUNS = word_list("not_counted")
_ABOUT = re.compile(
    r"(?:\b(?:about|around|roughly|approximately|approx\.?|circa|ca\.|some|nearly|almost)\s(?:an?\s)?|[~≈≃]\s?)$",
    re.I,
)
_LONGEST_ABOUT = 20
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")


def _in_digits(source: str) -> Iterator[Quantity]:
    shouted = source.isupper() and _LONG_WORD.search(source) is not None
    for match in find_figures(source):
        end = match.end()
        if match["currency"]:
            unit = unit_name(match["currency"].strip())
        else:
            unit, end = _unit_after(source, end)
        if not unit and source[end : end + 1].isalnum():
            continue
        if shouted and unit and source[match.end() : end].strip(" -").isalpha():
            unit = ""  # a capital M may mean metres, molar or millions
        start = match.end("bound") if match["bound"] else match.start()
        quantity = Quantity(
            values_of(match),
            start,
            end,
            source[start:end],
            unit,
            noun="" if unit else _noun_after(source, end),
            digits=digits_of(match),
            bound=bound_of(match, source, end),
            about=_is_about(source, start),
        )
        yield _in_working_days(quantity)


def _unit_after(source: str, end: int) -> tuple[str, int]:
    """Find the unit after a number; return its name and the position of its end.

    A word between them, as in "3 working days", leaves the unit of time as it is.
    """
    before = _BEFORE_TIMES.match(source, end)
    match = _UNIT.match(source, before.end() if before else end)
    if not match:
        return "", end
    name, length = _unit_in(match[1], match[2])
    return (name, match.start(1) + length) if name else ("", end)


def _in_working_days(quantity: Quantity) -> Quantity:
    """Add the days of whole weeks to a number of working days: five of them are also a week."""
    if not _WORKING_DAYS.search(quantity.shown):
        return quantity
    days = tuple(float(value) for value in quantity.values)
    weeks = [value / _WORKING_DAYS_A_WEEK for value in days]
    in_days = (week * _DAYS["week"] for week in weeks if week and week.is_integer())
    return quantity._replace(values=(*days, *in_days), stated=days)


@lru_cache(maxsize=4096)
def _unit_in(shown: str, first: str) -> tuple[str, int]:
    """Find the unit at the start of some words, if possible a whole ratio; return its name and length."""
    name = unit_name(_without_blanks(re.sub(r"\s(?:per|an?|each)\s", "/", shown)))
    return (name, len(shown)) if name else (unit_name(_without_blanks(first)), len(first))


def _without_blanks(spelling: str) -> str:
    return "".join(spelling.split())


def _noun_after(source: str, end: int) -> str:
    match = _NOUN.match(source[end : end + 30])
    noun = match[1].lower() if match else ""
    return stem(noun) if noun and noun not in _NO_NOUNS else ""


def _is_about(source: str, start: int) -> bool:
    """Tell whether the words before a number make it approximate."""
    return _ABOUT.search(source[max(0, start - _LONGEST_ABOUT) : start]) is not None


def _clock_times(source: str) -> Iterator[Quantity]:
    """Read times of day in digits as hours, with their time zones."""
    for match in matches_near(
        _CLOCK, source, (glance.start() for glance in _CLOCK_AT_A_GLANCE.finditer(source))
    ):
        hour = int(match["hour"] or match["hours"])
        minute = int(match["minute"] or match["minutes"] or 0) + int(match["seconds"] or 0) / 60
        if match["half"]:
            hour = hour % 12 + (12 if match["half"].lower() == "p" else 0)
        zone = match["zone"] or match["zone_of_hours"]
        yield Quantity(
            (hour + minute / 60,),
            match.start(),
            match.end(),
            match[0],
            CLOCK,
            digits=_CLOCK_DIGITS,
            offsets=_offsets(zone) if zone else (),
        )


_OFFSET = re.compile(r"([-+−])\s?(\d{1,2}):?(\d{2})?$")


def _offsets(zone: str) -> tuple[float, ...]:
    """Return the hours by which a time zone may be ahead of UTC: CET, UTC+2, Eastern time."""
    shift = _OFFSET.search(zone)
    if shift:
        hours = int(shift[2]) + int(shift[3] or 0) / 60
        return (hours if shift[1] == "+" else -hours,)
    name = zone if zone in _ZONES else fold_case(zone.split(maxsplit=1)[0])
    return tuple(map(float, _ZONES[name].split()))


_NAMED = frozenset(("fortnight", "decade", "century", "millennium"))
"""Units that are used for a duration without a number, so that "a" with such a unit is always a measure."""
_PARTS: dict[str, int] = read_lexicon("numbers")["parts"]
_ONES, _TEENS, _TENS = (read_lexicon("numbers")[name].split() for name in ("ones", "teens", "tens"))
_SMALL_WORDS = frozenset((*_ONES, *_TEENS, *_TENS, "hundred", "thousand"))
_COUNT = rf"(?:{'|'.join((*_ONES, *_TEENS, *_TENS))}|hundred|thousand|\d{{1,4}})"
_WAITING = frozenset(read_lexicon("numbers")["before_measures"].split())
_PERIODS = "for|per|each|every|last|this|next|past|fiscal"
_QUARTER_MONTHS = 3.0
_ARTICLES = frozenset(("a", "an", "the", "whole", "full", "last", "next", "past"))
_LARGEST_OF = 1000


def find_spoken_measures(text: Text) -> list[Quantity]:
    """Find shares, and measures with a half or a quarter; if some overlap, the first one is returned.

    Measures that may have another meaning are weak, but may replace a number of the other text.

    Examples:
        >>> measures = find_spoken_measures(Text("half an hour, two thirds, one in four"))
        >>> [(measure.values, measure.unit) for measure in measures]
        [((0.5,), 'hour'), ((0.6666666666666666,), ''), ((0.25,), '')]
    """
    measures: list[Quantity] = []
    if not text.distinct.isdisjoint(_part_words()):
        measures += _with_halves(text)
        measures += _fractions(text)
    measures += _shares(text)
    return _without_overlaps(measures)


def single_units(text: Text) -> list[Quantity]:
    """Find single units ("a fortnight", "for a week", "the day"); all of them are weak.

    Examples:
        >>> [(measure.values, measure.unit) for measure in single_units(Text("It takes a fortnight."))]
        [((1.0,), 'fortnight')]
    """
    if text.distinct.isdisjoint(_unit_tokens()):
        return []
    measures = []
    words, units = text.words, _unit_tokens()
    positions = [at for at, word in enumerate(words) if at and words[at - 1] in _ARTICLES and word in units]
    for match in _near_words(_patterns()["single"], text, positions):
        states_length = match["unit"] in _NAMED or match["before"] in _WAITING
        replaces = match["article"] in ("a", "an") and states_length
        span = match.start("article"), match.end()
        measures.append(_measure(text, span, 1.0, match["unit"], weak=True, replaces=replaces))
    return _without_overlaps(measures)


RATE = "rate"
"""The unit of rates, in times per day."""
TIMES = "time"
"""The noun of "once", "twice" and "three times"."""
_COUNTED: dict[str, int] = read_lexicon("calendar")["times"]
_STEPS: dict[str, int] = read_lexicon("calendar")["steps"]
_DAYS: dict[str, float] = read_lexicon("calendar")["periods"]
_RATES: dict[str, str] = read_lexicon("calendar")["rates"]
_BEFORE_PERIODS = frozenset(("per", "each", "every"))
_RATE_WORDS = _BEFORE_PERIODS | frozenset(_RATES) | frozenset(_COUNTED) | {"times", "time", "x"}
_PERIOD = "|".join(sorted(_DAYS, key=len, reverse=True))
_RATE = re.compile(
    rf"""\b(?:(?:(?P<once>{"|".join(_COUNTED)})|(?P<count>{_COUNT})\s?(?:times|time|x))\s)?
    (?:(?P<before>per|each|an?|(?:for\s)?every(?:\ssingle)?)\s(?:(?P<step>{"|".join(_STEPS)}|{_COUNT})\s)?(?P<period>{_PERIOD})s?\b
    |(?P<adverb>{"|".join(_RATES)})\b)""",
    re.VERBOSE,
)


def read_rates(text: Text) -> tuple[list[Quantity], list[Quantity]]:
    """Find how often something happens: rates with a number or step, then those such as "daily".

    All may replace another rate. Rates without a number are weak.

    Examples:
        >>> counted, bare = read_rates(Text("twice a day, every other day, daily"))
        >>> [[rate.values for rate in rates] for rates in (counted, bare)]
        [[(2.0,), (0.5,)], [(1.0,)]]
    """
    rates: tuple[list[Quantity], list[Quantity]] = ([], [])
    if text.distinct.isdisjoint(_RATE_WORDS):
        return rates
    for match in _near_words(_RATE, text, _positions(text, _RATE_WORDS)):
        number, step = match["once"] or match["count"], match["step"]
        if match["before"] in ("a", "an") and (not number or step):
            continue
        count = float(_COUNTED[match["once"]]) if match["once"] else _count(match["count"])
        length = float(_STEPS[step]) if step in _STEPS else _count(step)
        periods = _RATES[match["adverb"]].split() if match["adverb"] else [_DAYS[match["period"]]]
        if not count or not length:
            continue
        rate = Quantity(
            tuple(count / (length * float(days)) for days in periods),
            *match.span(),
            text.source[match.start() : match.end()],
            RATE,
            weak=not (match["count"] or (step and step not in _STEPS)),
            replaces=True,
            stated=tuple(part for part, shown in ((count, number), (length, step)) if shown),
        )
        rates[not (number or step)].append(rate)
    return rates


def states_period(text: Text, period: str) -> bool:
    """Tell whether a text states that something happens once in a period: each month, monthly, every month.

    Examples:
        >>> states_period(Text("The monthly fee is 5 euros."), "month")
        True
        >>> states_period(Text("It costs 5 euros."), "month")
        False
    """
    if period not in _DAYS:
        return False
    once = 1 / _DAYS[period]
    return any(
        math.isclose(float(value), once)
        for rates in read_rates(text)
        for rate in rates
        for value in rate.values
    )


def _measure(
    text: Text,
    positions: tuple[int, int],
    value: float,
    unit: str | None = None,
    *,
    weak: bool,
    replaces: bool = True,
) -> Quantity:
    """Make a quantity of a measure or share in words."""
    start, end = positions
    return Quantity(
        (value,),
        start,
        end,
        text.source[start:end],
        unit_name(unit) if unit else "",
        weak=weak,
        digits=1,
        about=_is_about(text.source, start),
        replaces=replaces,
    )


def _without_overlaps(measures: list[Quantity]) -> list[Quantity]:
    """Keep the first one of measures that overlap."""
    separate: list[Quantity] = []
    covered: set[int] = set()
    for measure in measures:
        positions = range(measure.start, measure.end)
        if covered.isdisjoint(positions):
            covered.update(positions)
            separate.append(measure)
    return separate


@cache
def _unit_words() -> frozenset[str]:
    """Return the written-out units in the singular."""
    words = read_lexicon("units")["word"]
    return frozenset(word for word in words if word.isalpha() and not word.endswith("s")) | {"hertz"}


@cache
def _unit_tokens() -> frozenset[str]:
    return _unit_words() | {f"{word}'s" for word in _unit_words()}


@cache
def _part_words() -> frozenset[str]:
    return _with_endings(_PARTS)


def _with_endings(words: Iterable[str]) -> frozenset[str]:
    """Return words with their plurals and possessives."""
    return frozenset(word + ending for word in words for ending in ("", "s", "'s", "s'"))


_HALVES = _with_endings(("half", "quarter"))


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


def _with_halves(text: Text) -> Iterator[Quantity]:
    """Find measures that contain a half or a quarter."""
    positions = _positions(text, _HALVES)
    for match in _near_words(_patterns()["part_of_unit"], text, positions):
        share = _count(match["count"]) / _PARTS[match["part"]]
        yield _measure(text, match.span(), share, match["unit"], weak=True)
    for name in ("unit_and_half", "and_half"):
        for match in _near_words(_patterns()[name], text, positions):
            value = _count(match["count"]) + 1 / _PARTS[match["part"]]
            yield _measure(text, match.span(), value, match["unit"], weak=name == "unit_and_half")
    for match in _near_words(_patterns()["quarter_year"], text, positions):
        yield _measure(text, match.span(), _QUARTER_MONTHS, "month", weak=True)


def _fractions(text: Text) -> Iterator[Quantity]:
    """Find fractions: two thirds, a quarter of; "one third" and "a third" may also count things."""
    for match in _near_words(_patterns()["fraction"], text, _positions(text, _part_words())):
        count = _count(match["count"])
        if count >= _PARTS[match["part"]] or (count == 1 and match["part"] != "quarter" and not match["of"]):
            continue
        end = match.start("of") if match["of"] else match.end()
        value = count / _PARTS[match["part"]]
        yield _measure(text, (match.start(), end), value, weak=count == 1, replaces=bool(match["of"]))
    for match in _near_words(_patterns()["half"], text, _positions(text, _HALVES)):
        yield _measure(text, (match.start(), match.start() + len("half")), 0.5, weak=True)


def _shares(text: Text) -> Iterator[Quantity]:
    """Find shares such as "one in four" and "3 out of 4"."""
    words = text.words
    may_count = text.has_digits or not text.distinct.isdisjoint(_SMALL_WORDS)
    if not may_count or text.distinct.isdisjoint(("in", "out")):
        return
    positions = [
        at
        for at, word in enumerate(words)
        if word in ("in", "out") and at and (words[at - 1] in _SMALL_WORDS or words[at - 1][0].isdecimal())
    ]
    for match in _near_words(_patterns()["share"], text, positions):
        count, of = _count(match["count"]), _count(match["of"])
        if 0 < count < of <= _LARGEST_OF:
            yield _measure(text, match.span(), count / of, weak=False)


def _positions(text: Text, words: Set[str]) -> list[int]:
    """List the positions of some words, also with a contraction at their end ("quarter's")."""
    if text.distinct.isdisjoint(words):
        return []
    return [at for at, word in enumerate(text.words) if word in words]


def _near_words(pattern: re.Pattern[str], text: Text, positions: Iterable[int]) -> Iterator[re.Match[str]]:
    return matches_near(pattern, text.lower, (text.starts[at] for at in positions))


def _count(shown: str | None) -> float:
    """Return the number of parts of a fraction; "a" and a missing number count as 1."""
    if shown is None or shown in ("a", "an"):
        return 1.0
    return float(shown) if shown.isdecimal() else float(text2num(shown, "en"))


_MONTHS = {
    name: number
    for number, names in enumerate(read_lexicon("wordlists")["months_in_order"], start=1)
    for name in names.split()
}
_ONE = ("one", "ones")
_HYPHENS = "-\u2010\u2011\u2013"
_CARDINALS = word_list("number_words")
_DECADES: dict[str, int] = read_lexicon("numbers")["decades"]
_WEAK = {**_MONTHS, **read_lexicon("numbers")["weak"], **_DECADES, **_COUNTED}
_KNOWN = _CARDINALS | frozenset(_WEAK)


class _Token(NamedTuple):
    """A word with the methods that the library text2num requires."""

    word: str

    def text(self) -> str:
        return self.word

    def nt_separated(self, previous: "_Token") -> bool:
        return False

    def not_a_number_part(self) -> bool:
        return False


@lru_cache(maxsize=RECENT_WORDS)
def _token(word: str) -> _Token:
    # An unpaired surrogate cannot be passed to Rust; another mark separates numbers just as well.
    return _Token(word.encode("utf-8", "replace").decode("utf-8"))


def find_spelt_numbers(text: Text) -> list[Quantity]:
    """Find numbers that are written in words; words with other meanings ("one", "may") are weak.

    Examples:
        >>> numbers = find_spelt_numbers(Text("twenty-one of the first twelve"))
        >>> [(number.values, number.weak) for number in numbers]
        [((21.0,), False), ((1.0,), True), ((12.0,), False)]
    """
    if _KNOWN.isdisjoint(text.distinct):
        return []
    words = text.words
    numbers = [
        _build_spelt_number(text, at, at, _WEAK[word], weak=True)
        for at, word in enumerate(words)
        if word in _WEAK
    ]
    if _CARDINALS.isdisjoint(text.distinct):
        return numbers
    positions = _near_number_words(words)
    for number in find_numbers([_token(words[at]) for at in positions], "en", threshold=0.0):
        first, last = positions[number.start], positions[number.end - 1]
        if any(kind_of(word) == "n" for word in words[first : last + 1]):
            continue
        weak = number.is_ordinal or (first == last and number.value <= 1 and words[first] in _ONE)
        value = float(number.value)
        if first > 1 and words[first - 1] in ("a", "an") and words[first - 2] == "half":
            value, first = value / 2, first - 2
        numbers.append(_build_spelt_number(text, first, last, value, weak=weak))
    return sorted(numbers, key=lambda number: number.start)


def _near_number_words(words: Sequence[str]) -> list[int]:
    """List the positions of words that may be part of a number, and of two words on either side."""
    positions = [at for at, word in enumerate(words) if word not in _HYPHENS]
    near = {
        order + step
        for order, at in enumerate(positions)
        if _is_number_word(words[at])
        for step in (-2, -1, 0, 1, 2)
    }
    return [at for order, at in enumerate(positions) if order in near]


@lru_cache(maxsize=RECENT_WORDS)
def _is_number_word(word: str) -> bool:
    return word in _CARDINALS or bool(find_numbers([_token(word)], "en", threshold=0.0))


def _build_spelt_number(text: Text, first: int, last: int, value: float, *, weak: bool) -> Quantity:
    start, end = text.characters(first, last)
    counts, is_decade = text.words[first] in _COUNTED, text.words[first] in _DECADES
    unit, end = ("", end) if counts else _unit_after(text.source, end)
    noun = TIMES if counts else "" if unit else _noun_after(text.source, end)
    quantity = Quantity(
        (float(value),),
        start,
        end,
        text.source[start:end],
        unit,
        noun=noun,
        weak=weak,
        digits=YEAR_DIGITS if is_decade else 1,
        about=_is_about(text.source, start),
        replaces=weak and (bool(unit) or counts or is_decade),
    )
    return _in_working_days(quantity)
