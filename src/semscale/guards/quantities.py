"""The numbers of a text: quantities with units, years, and numbers or letters that label a thing (bulb C)."""

import re
import unicodedata
from typing import NamedTuple

from semscale.guards.labels import read_labels
from semscale.guards.lexicons import word_list
from semscale.guards.number_words import spelt_numbers
from semscale.guards.spoken_times import spoken_times
from semscale.guards.units import unit_name
from semscale.guards.words import Word, stem

_FRACTIONS = "½¼¾⅓⅔⅛⅜⅝⅞"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_NUMBER = re.compile(
    rf"""(?<![\w.])(?<![A-Z][-–])
    (?P<bound>[<>≤≥]=?\s?|(?i:at\ least|at\ most|up\ to)\s)?
    (?P<currency>[$€£¥]\s?)?(?P<sign>(?<!\d\s)[-−](?=[\d.]))?
    (?P<number>\d{{1,3}}(?:[,\ \u00a0\u2009\u202f]\d{{3}})+(?![\d,])(?:\.\d+)?
    |\d+(?:[.,]\d+)*|\.\d+|[{_FRACTIONS}])
    (?P<fraction>[{_FRACTIONS}]|/\d{{1,2}}(?![\d/]))?
    (?P<power>\s?[x×*]\s?10\s?(?:\^\s?[-−]?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE][-+]?\d+\b|\^[-−]?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?
    (?P<magnitude>\s?(?i:hundred|thousand|million|billion|trillion|bn|mn)\b|[kK]\b|(?<=\d)[mMbB]\b)?
    (?P<ordinal>(?:st|nd|rd|th)\b|'?s\b)?""",
    re.VERBOSE,
)
_CLOCK = re.compile(
    r"(?<![\w.:])(\d{1,2})(?::(\d{2}))?\s?([ap])\.?m\b\.?|(?<![\w.:])([01]?\d|2[0-3]):([0-5]\d)(?![\d:])",
    re.I,
)
_UNIT = re.compile(
    r"[\s-]{0,2}((?:°\s?[CF]?|%|‰|[$€£¥]|per\s?cent|mm\s?Hg|[A-Za-zµμΩ]+)(?:\s?/\s?[A-Za-zµμ]+|\s(?:per|an?|each)\s[A-Za-z]+)?)"
)
_MAGNITUDES = {
    "hundred": 1e2,
    "thousand": 1e3,
    "k": 1e3,
    "million": 1e6,
    "mn": 1e6,
    "m": 1e6,
    "billion": 1e9,
    "bn": 1e9,
    "b": 1e9,
    "trillion": 1e12,
}
_BOUNDS = {"<": -1, "≤": -1, "at most": -1, "up to": -1, ">": 1, "≥": 1, "at least": 1}
_YEARS = (1000.0, 2100.0)
_YEAR_DIGITS = 4
_LARGEST_EXPONENT = 300
_NO_NOUNS = word_list("not_counted")
_CLOCK_UNIT = "clock"


class Quantity(NamedTuple):
    """A number or label in a text.

    Attributes:
        values: what it can be read as: one number, or two where a point may group thousands; for a label also
            a letter.
        unit: pint's name for the unit; "" for none.
        label: the noun that it labels; "" where it is no label, ``?`` for a label without a noun.
        noun: the stem of the word after it, for counted things.
        weak: whether it may be no number at all.
        digits: significant digits.
        bound: -1 for "at most", 1 for "at least", 0 otherwise.
        start: its first character.
        end: the character after its last one.
        shown: what stands there.
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
        """What may be compared with what: labels, times of day, years, other numbers."""
        if self.label:
            return "label"
        if self.unit == _CLOCK_UNIT:
            return _CLOCK_UNIT
        value = self.values[0]
        is_year = isinstance(value, float) and _YEARS[0] <= value <= _YEARS[1] and self.digits == _YEAR_DIGITS
        return "year" if is_year and not self.unit else "number"


def read_quantities(text: str, words: list[Word]) -> list[Quantity]:
    """Find all numbers and labels, in order.

    Example:
        >>> from semscale.guards.words import read_words
        >>> text = "Terminal 4 reads 1.5 volts"
        >>> [(q.values, q.unit, q.label) for q in read_quantities(text, read_words(text))]
        [((4.0,), '', 'terminal'), ((1.5,), 'volt', '')]
    """
    if not words:
        return []
    found = [
        Quantity(
            time.hours,
            _CLOCK_UNIT,
            "",
            "",
            time.weak,
            4,
            0,
            time.start,
            time.end,
            text[time.start : time.end],
        )
        for time in spoken_times(text)
    ]
    taken = _covered(found)
    has_digits = not text.isascii() or any(map(str.isdigit, text))
    if has_digits and (":" in text or "m" in text):
        found += [quantity for quantity in _times(text) if not _overlaps(quantity, taken)]
    taken = _covered(found)
    if has_digits:
        found += [quantity for quantity in _in_digits(text) if not _overlaps(quantity, taken)]
    taken = _covered(found)
    found += [quantity for quantity in _in_words(text, words) if not _overlaps(quantity, taken)]
    return _with_labels(text, words, found)


def _with_labels(text: str, words: list[Word], found: list[Quantity]) -> list[Quantity]:
    """Mark the numbers that label something, and add the letters that do."""
    numbers = {quantity.start: quantity for quantity in found if not quantity.unit}
    if not found and not any(len(word.text) == 1 or word.text.startswith(("i", "v", "x")) for word in words):
        return found
    taken = _covered([quantity for quantity in found if quantity.unit])
    for label in read_labels(text, words, set(numbers), taken):
        start, end = words[label.at].start, words[label.at].end
        known = numbers.get(start)
        values = known.values if known else label.values
        mark = Quantity(values, "", label.noun, "", False, 0, 0, start, end, text[start:end])
        found = [quantity for quantity in found if quantity.start != start] + [mark]
    return sorted(found, key=lambda quantity: quantity.start)


def _in_digits(text: str) -> list[Quantity]:
    found: list[Quantity] = []
    position = 0
    while match := _NUMBER.search(text, position):
        if _is_pair(match):
            match = _NUMBER.match(text[: match.end("number")], match.start()) or match
        values = _values(match)
        position = end = match.end()
        if match["currency"]:
            unit = unit_name(match["currency"].strip())
        else:
            unit, end = _unit_after(text, end)
        if not unit and text[end : end + 1].isalnum():
            continue
        bound = _bound(match, text, end)
        noun = "" if unit else _noun_after(text, end)
        start = match.end("bound") if match["bound"] else match.start()
        digits = len(
            re.sub(r"\D", "", match["number"]).lstrip("0").rstrip("0" if "." not in match["number"] else "")
        )
        found.append(
            Quantity(
                values, unit, "", noun, False, _digits(match, digits), bound, start, end, text[start:end]
            )
        )
    return found


def _bound(match: re.Match[str], text: str, end: int) -> int:
    """Say whether a number is a bound by what stands before it (at least 5) or after it (5 or more)."""
    behind = re.match(r"\s+or\s+(more|less|fewer)\b", text[end : end + 12], re.IGNORECASE)
    if behind:
        return 1 if behind[1].lower() == "more" else -1
    return _BOUNDS.get((match["bound"] or "").strip().rstrip("=").lower(), 0)


def _is_pair(match: re.Match[str]) -> bool:
    """Tell whether a slash separates two numbers, as in a blood pressure of 120/80, and makes no fraction."""
    above, below = match["number"], (match["fraction"] or "").lstrip("/")
    return below.isdecimal() and not (above.isdecimal() and float(above) < float(below))


def _digits(match: re.Match[str], significant: int) -> int:
    """Count significant digits; a plain figure of four digits keeps its zeros, as it may be a year."""
    number = match["number"]
    is_plain = (
        number.isdecimal()
        and len(number) == _YEAR_DIGITS
        and not match["magnitude"]
        and not match["currency"]
    )
    return _YEAR_DIGITS if is_plain else significant


def _values(match: re.Match[str]) -> tuple[float, ...]:
    """Read one figure, in more than one way where its point or comma can be read so."""
    number, fraction = match["number"], match["fraction"] or ""
    if number in _FRACTIONS:
        readings = [unicodedata.numeric(number)]
    elif re.fullmatch(r"\d{1,3}(?:[,\s]\d{3})+(?:\.\d+)?", number):
        readings = [float(re.sub(r"[,\s]", "", number))]
    elif re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", number):
        readings = [float(number), float(number.replace(".", ""))]
    elif re.fullmatch(r"\d+,\d+", number):
        readings = [float(number.replace(",", "."))]
    elif re.fullmatch(r"\d*\.?\d+", number):
        readings = [float(number)]
    else:
        readings = [float(re.sub(r"\D", "", number))]
    factor = -1.0 if match["sign"] else 1.0
    factor *= _MAGNITUDES.get((match["magnitude"] or "").strip().lower(), 1.0)
    return tuple(factor * _powered(_fractioned(value, fraction), match["power"] or "") for value in readings)


def _fractioned(value: float, fraction: str) -> float:
    if not fraction:
        return value
    if fraction in _FRACTIONS:
        return value + unicodedata.numeric(fraction)
    below = float(fraction[1:])
    return value / below if below else value


def _powered(value: float, power: str) -> float:
    """Apply 10^3, e3, or a power of the number itself; what overflows stays out."""
    plain = power.translate(_SUPERSCRIPTS).replace(" ", "").lower()
    times_ten = re.fullmatch(r"[x×*]10\^?(-?\d+)|e([-+]?\d+)", plain)
    exponent = float((times_ten[1] or times_ten[2]) if times_ten else plain.removeprefix("^") or 1)
    if abs(exponent) > _LARGEST_EXPONENT:
        return value
    return value * 10.0**exponent if times_ten else _safe_power(value, exponent)


def _safe_power(value: float, exponent: float) -> float:
    try:
        return float(value**exponent)
    except (OverflowError, ZeroDivisionError):
        return value


def _unit_after(text: str, end: int) -> tuple[str, int]:
    """Find the unit behind a number: its name and where it ends."""
    match = _UNIT.match(text, end)
    if not match:
        return "", end
    spelling = re.sub(r"\s(?:per|an?|each)\s", "/", match[1])
    spelling = re.sub(r"^per\s?cent", "percent", re.sub(r"\s", "", spelling), flags=re.IGNORECASE)
    name = unit_name(spelling)
    if name:
        return name, match.end()
    first = re.split(r"[\s/]", match[1])[0]
    name = unit_name(first)
    return (name, match.start(1) + len(first)) if name else ("", end)


def _noun_after(text: str, end: int) -> str:
    match = re.match(r"[\s-]+([A-Za-z]{2,})", text[end : end + 30])
    return stem(match[1].lower()) if match and match[1].lower() not in _NO_NOUNS else ""


def _in_words(text: str, words: list[Word]) -> list[Quantity]:
    found = []
    for number in spelt_numbers(words):
        start, end = words[number.first].start, words[number.last].end
        unit, end = _unit_after(text, end)
        noun = "" if unit else _noun_after(text, end)
        weak = number.weak and not unit
        found.append(Quantity((number.value,), unit, "", noun, weak, 1, 0, start, end, text[start:end]))
    return found


def _times(text: str) -> list[Quantity]:
    """Read times of day as hours."""
    found = []
    for match in _CLOCK.finditer(text):
        hour = int(match[1] or match[4])
        minute = int(match[2] or match[5] or 0)
        if match[3]:
            hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
        value = (hour + minute / 60,)
        found.append(Quantity(value, _CLOCK_UNIT, "", "", False, 4, 0, match.start(), match.end(), match[0]))
    return found


def _covered(found: list[Quantity]) -> set[int]:
    return {at for quantity in found for at in range(quantity.start, quantity.end)}


def _overlaps(quantity: Quantity, taken: set[int]) -> bool:
    return not taken.isdisjoint(range(quantity.start, quantity.end))
