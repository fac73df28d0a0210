"""Numbers in digits: finding them with their signs, currencies, powers and bounds, and their values."""

import re
import unicodedata
from collections.abc import Iterator

YEAR_DIGITS = 4
_FRACTIONS = "½¼¾⅓⅔⅛⅜⅝⅞"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
_NUMBER = re.compile(
    rf"""(?<![\w.])(?<![A-Z][-–])
    (?P<bound>[<>≤≥]=?\s?|(?i:at\sleast|at\smost|up\sto)\s)?
    (?P<currency>[$€£¥]\s?)?(?P<sign>(?<!\d\s)[-−](?=[\d.]))?
    (?P<number>\d{{1,3}}(?:[,\ \u00a0\u2009\u202f]\d{{3}})+(?![\d,])(?:\.\d+)?
    |\d+(?:[.,]\d+)*|\.\d+|[{_FRACTIONS}])
    (?P<fraction>[{_FRACTIONS}]|/\d{{1,2}}(?![\d/]))?
    (?P<power>\s?[x×*]\s?10\s?(?:\^\s?[-−]?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)|[eE][-+]?\d+\b|\^[-−]?\d+|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)?
    (?P<magnitude>\s?(?i:hundred|thousand|million|billion|trillion|bn|mn)\b|[kK]\b|(?<=\d)[mMbB]\b)?
    (?P<ordinal>(?:st|nd|rd|th)\b|'?s\b)?""",
    re.VERBOSE,
)
_FIRST_DIGIT = re.compile(rf"[\d{_FRACTIONS}]")
_LONGEST_PREFIX = len("at least $ -.")
_GROUPED = re.compile(r"\d{1,3}(?:[,\s]\d{3})+(?:\.\d+)?")
_GROUPED_BY_POINT = re.compile(r"[1-9]\d{0,2}\.\d{3}")
_DECIMAL_COMMA = re.compile(r"\d+,\d+")
_DECIMAL_POINT = re.compile(r"\d*\.?\d+")
_TIMES_TEN = re.compile(r"[x×*]10\^?(-?\d+)|e([-+]?\d+)")
_NO_DIGIT = re.compile(r"\D")
_BOUND_BEHIND = re.compile(r"\s+or\s+(more|less|fewer)\b", re.IGNORECASE)
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
_LARGEST_EXPONENT = 300


def find_figures(text: str) -> Iterator[re.Match[str]]:
    """Find numbers in digits; the groups of a match are its bound, currency, sign, power and other parts.

    Example:
        >>> [found["number"] for found in find_figures("at least $ 1,000 or 2.5 million")]
        ['1,000', '2.5']
    """
    position = 0
    # Start near the next digit: trying every position before it would cost more than all the rest.
    while digit := _FIRST_DIGIT.search(text, position):
        match = _NUMBER.search(text, max(position, digit.start() - _LONGEST_PREFIX))
        if not match:
            return
        if _is_pair(match):
            match = _NUMBER.match(text[: match.end("number")], match.start()) or match
        yield match
        position = match.end()


def bound_of(match: re.Match[str], text: str, end: int) -> int:
    """Return the bound that words before (at least 5) or after a number (5 or more) make of it."""
    behind = _BOUND_BEHIND.match(text[end : end + 12])
    if behind:
        return 1 if behind[1].lower() == "more" else -1
    before = match["bound"]
    return _BOUNDS.get(" ".join(before.split()).rstrip("=").lower(), 0) if before else 0


def digits_of(match: re.Match[str]) -> int:
    """Count significant digits; zeros at the end of a plain four-digit number count, as it may be a year."""
    number = match["number"]
    if len(number) == YEAR_DIGITS and number.isdecimal() and not match["magnitude"] and not match["currency"]:
        return YEAR_DIGITS
    digits = (number if number.isdecimal() else _NO_DIGIT.sub("", number)).lstrip("0")
    return len(digits if "." in number else digits.rstrip("0"))


def values_of(match: re.Match[str]) -> tuple[float, ...]:
    """Return a number's possible values: several if its point or comma is ambiguous."""
    fraction, power = match["fraction"] or "", match["power"] or ""
    readings = _readings(match["number"])
    factor = -1.0 if match["sign"] else 1.0
    factor *= _MAGNITUDES.get((match["magnitude"] or "").strip().lower(), 1.0)
    return tuple(factor * _powered(_fractioned(value, fraction), power) for value in readings)


def _readings(number: str) -> list[float]:
    if number.isdecimal():
        return [float(number)]
    if number in _FRACTIONS:
        return [unicodedata.numeric(number)]
    if _GROUPED.fullmatch(number):
        return [float(re.sub(r"[,\s]", "", number))]
    if _GROUPED_BY_POINT.fullmatch(number):
        return [float(number), float(number.replace(".", ""))]
    if _DECIMAL_COMMA.fullmatch(number):
        return [float(number.replace(",", "."))]
    return [float(number if _DECIMAL_POINT.fullmatch(number) else _NO_DIGIT.sub("", number))]


def _fractioned(value: float, fraction: str) -> float:
    if not fraction:
        return value
    if fraction in _FRACTIONS:
        return value + unicodedata.numeric(fraction)
    below = float(fraction[1:])
    return value / below if below else value


def _powered(value: float, power: str) -> float:
    """Apply 10^3, e3, or a power of the number itself; ignore powers that overflow."""
    if not power:
        return value
    plain = "".join(power.translate(_SUPERSCRIPTS).split()).lower()
    times_ten = _TIMES_TEN.fullmatch(plain)
    exponent = float((times_ten[1] or times_ten[2]) if times_ten else plain.removeprefix("^") or 1)
    if abs(exponent) > _LARGEST_EXPONENT:
        return value
    return value * 10.0**exponent if times_ten else _safe_power(value, exponent)


def _safe_power(value: float, exponent: float) -> float:
    try:
        return float(value**exponent)
    except (OverflowError, ZeroDivisionError):
        return value


def _is_pair(match: re.Match[str]) -> bool:
    """Tell whether a slash separates two numbers, as in a blood pressure of 120/80, and is no fraction."""
    above, below = match["number"], (match["fraction"] or "").lstrip("/")
    return below.isdecimal() and not (above.isdecimal() and float(above) < float(below))
