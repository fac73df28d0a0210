"""Guards that find changed numbers, in English and, by digits, in other languages."""

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache
from itertools import pairwise, product
from typing import TypeVar

from semscale.guards.dates import Date, compare_dates
from semscale.guards.figures import IDENTIFIERS, Quantity
from semscale.guards.findings import Finding, Span
from semscale.guards.formulas import Formula, compare_formulas
from semscale.guards.quantities import (
    RATE,
    TIMES,
    conversion_of,
    measure_the_same,
    read_quantities,
    states_period,
)
from semscale.guards.text import Text, differ
from semscale.guards.words import MOST_COMPARED, MOST_REPORTED, RECENT_TEXTS, read_lexicon

OTHER_VALUE = "other-value"
OTHER_UNIT = "other-unit"
OTHER_BOUND = "other-bound"
OTHER_LABEL = "other-label"
MISSING_NUMBER = "missing-number"
ADDED_NUMBER = "added-number"
MISSING_LABEL = "missing-label"
ADDED_LABEL = "added-label"
CHANGED_KINDS = frozenset({OTHER_VALUE, OTHER_UNIT, OTHER_BOUND, OTHER_LABEL})
"""Kinds of findings in which one number replaces another."""

_EXACT = 1e-12
"""Largest relative difference of equal numbers; 12,345,678 and 12,345,679 must differ."""
_CONVERTED = 1e-6
"""Largest relative difference of equal numbers after a conversion."""
_COARSELY_CONVERTED = 0.025
"""Largest relative difference of numbers in different units that agree in one digit: 8 inches, 20 cm."""
_APPROXIMATE = 0.1
"""The same limit if one number is approximate: about three miles, 5 km."""
_MEANING = Quantity._fields.index("unit")
"""Index of the first field after those that state a quantity's position."""
_FROM = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_LONGEST_FROM = 10
_ROUNDED_DIGITS = 2
_DEGREE = "degree"
_DEGREES = frozenset((_DEGREE, "degree_Celsius", "degree_Fahrenheit"))
_MOST_ROUNDED = 100
"""Largest number of quantities in a text that are compared by more than equality (rounding, unit, label)."""


NUMBER_KINDS = (
    OTHER_VALUE,
    OTHER_UNIT,
    OTHER_BOUND,
    OTHER_LABEL,
    MISSING_NUMBER,
    ADDED_NUMBER,
    MISSING_LABEL,
    ADDED_LABEL,
)


def number_findings(left: Text, right: Text) -> list[Finding]:
    """Find numbers and labels that differ, are missing or were added.

    Args:
        left: the prediction.
        right: the reference.

    Returns:
        Findings in the order of the prediction; numbers that the prediction lacks come last.

    Examples:
        >>> texts = Text("Take 50 mg."), Text("Take 0.5 mg.")
        >>> [(item.kind, item.prediction.text, item.reference.text) for item in number_findings(*texts)]
        [('other-value', '50 mg', '0.5 mg')]
        >>> number_findings(Text("Take 1 g."), Text("Take 1000 mg."))
        []
    """
    if not (read_quantities(left) or read_quantities(right)):
        return []
    findings = list(_findings(left, right))
    return findings if findings and (_by_case(findings) or differ(left, right)) else []


def _by_case(findings: list[Finding]) -> bool:
    """Tell whether two units differ only in letter case: 5 mM and 5 mm."""
    return any(
        one.prediction is not None
        and one.reference is not None
        and one.kind in (OTHER_VALUE, OTHER_UNIT)
        and one.prediction.text.casefold() == one.reference.text.casefold()
        for one in findings
    )


def _findings(ours: Text, theirs: Text) -> Iterator[Finding]:
    yield from _bounds(ours, theirs)
    yield from _find_reversed_changes(ours, theirs)
    same, changed = compare_dates(ours.source, theirs.source)
    yield from (_other_date(first, second) for first, second in changed)
    here, there = read_quantities(ours), read_quantities(theirs)
    compared: list[tuple[Date | Formula, Date | Formula]] = [
        *same,
        *changed,
        *compare_formulas(ours, theirs)[0],
    ]
    if compared:
        here = _outside(here, [first for first, _ in compared])
        there = _outside(there, [second for _, second in compared])
    left, wanted = _find_unmatched(here, there), _find_unmatched(there, here)
    for first in left:
        partner = _partner(first, wanted)
        if partner:
            wanted.remove(partner)
            if not (_has_period_apart(first, partner, theirs) or _has_period_apart(partner, first, ours)):
                yield _differing(first, partner, ours, theirs)
        elif not first.weak and _should_report(first, there):
            kind = ADDED_LABEL if first.label else ADDED_NUMBER
            reason = f'"{first.shown}" is not in the reference.'
            yield Finding("number", kind, reason, ours.span_at(first.start, first.end), None)
    for second in wanted:
        if not second.weak and _should_report(second, here):
            kind = MISSING_LABEL if second.label else MISSING_NUMBER
            reason = f'"{second.shown}" is missing from the prediction.'
            yield Finding("number", kind, reason, None, theirs.span_at(second.start, second.end))


def _has_period_apart(ratio: Quantity, amount: Quantity, text: Text) -> bool:
    """Tell whether a text has the period of a ratio apart from the amount, as in "a monthly 5 euros"."""
    unit, _, period = ratio.unit.partition(" / ")
    is_amount = unit == amount.unit and not set(ratio.values).isdisjoint(amount.values)
    return is_amount and states_period(text, period)


def _other_date(first: Date, second: Date) -> Finding:
    reason = f'The prediction says "{first.shown}", the reference "{second.shown}".'
    spans = (Span(date.start, date.end, date.shown) for date in (first, second))
    return Finding("number", OTHER_VALUE, reason, *spans)


_Positioned = TypeVar("_Positioned", bound="Quantity | WrittenFigure")


def _outside(numbers: Iterable[_Positioned], others: Iterable[Date | Formula]) -> list[_Positioned]:
    """Return the numbers that are in none of some dates and formulas."""
    covered = {at for other in others for at in range(other.start, other.end)}
    return [number for number in numbers if covered.isdisjoint(range(number.start, number.end))]


def _find_unmatched(here: list[Quantity], there: list[Quantity]) -> list[Quantity]:
    """List the first numbers that agree with no number of the other text."""
    told = [first for first in here if first.replaces or not first.weak]
    if not told:
        return []
    distinct = list({(second.values, second.unit, second.label): second for second in there}.values())
    written = {
        (value, unit)
        for second in distinct
        if not _is_compared_closely(second)
        for value in second.values
        for unit in (second.unit, "*")
    }
    compared = distinct[:_MOST_ROUNDED]
    answered: dict[tuple[object, ...], bool] = {}
    left: list[Quantity] = []
    for first in told:
        alike = (first.values, *first[_MEANING:])
        if alike not in answered:
            answered[alike] = _is_written(first, written) or any(_agree(first, each) for each in compared)
        if not answered[alike]:
            left.append(first)
        if len(left) == MOST_REPORTED:
            break
    return left


def _is_written(one: Quantity, written: set[tuple[float | str, str]]) -> bool:
    """Check quickly whether the other text has exactly this number, with the same unit or without a unit."""
    units = {one.unit or "*", ""}
    if one.label or _is_compared_closely(one):
        return False
    return any((value, unit) in written for value in one.values for unit in units)


def _is_compared_closely(one: Quantity) -> bool:
    """Tell whether equal values do not make two quantities equal: rates, working days, times with a zone."""
    return one.unit == RATE or bool(one.offsets or one.stated)


def _differing(first: Quantity, second: Quantity, left: Text, right: Text) -> Finding:
    kind = OTHER_LABEL if first.label else OTHER_VALUE
    if not first.label and first.unit and second.unit and not measure_the_same(first.unit, second.unit):
        kind = OTHER_UNIT
    reason = f'The prediction says "{first.shown}", the reference "{second.shown}".'
    return Finding(
        "number", kind, reason, left.span_at(first.start, first.end), right.span_at(second.start, second.end)
    )


def _bounds(left: Text, right: Text) -> Iterator[Finding]:
    """Find numbers that are an upper bound in one text and a lower bound in the other."""
    bounds = [[number for number in read_quantities(side) if number.bound] for side in (left, right)]
    for first, second in product(bounds[0][:MOST_COMPARED], bounds[1][:MOST_COMPARED]):
        if first.bound * second.bound < 0 and _agree(first, second):
            reason = f'"{first.shown}" is a bound on the other side in the reference.'
            here, there = left.span_at(first.start, first.end), right.span_at(second.start, second.end)
            yield Finding("number", OTHER_BOUND, reason, here, there)


def _find_reversed_changes(left: Text, right: Text) -> Iterator[Finding]:
    """Find changes that one text states in the reverse direction: from 5 to 7, from 7 to 5."""
    changes, others = _changes(left), _changes(right)
    new = [change for change in changes if not any(all(map(_agree, change, other)) for other in others)]
    for first, second in product(new, others):
        if all(map(_agree, first, reversed(second))):
            reason = (
                f'From "{first[0].shown}" to "{first[1].shown}" is the reverse of what the reference says.'
            )
            here = left.span_at(first[0].start, first[1].end)
            yield Finding("number", OTHER_VALUE, reason, here, right.span_at(second[0].start, second[1].end))


def _changes(side: Text) -> list[tuple[Quantity, Quantity]]:
    """Pair the two numbers of each "from 5 to 7"."""
    source = side.source
    return [
        (first, second)
        for first, second in pairwise(read_quantities(side))
        if first.sort == second.sort == "number"
        and source[first.end : second.start].split() == ["to"]
        and _FROM.search(source[max(first.start - _LONGEST_FROM, 0) : first.start])
    ][:MOST_COMPARED]


def _should_report(quantity: Quantity, others: list[Quantity]) -> bool:
    """Tell whether a missing number is reported: a text without labels may say "they" instead."""
    told = (other for other in others if not other.weak)
    return not quantity.label or any(_same_kind_of_label(quantity, other) for other in told)


def _same_kind_of_label(first: Quantity, second: Quantity) -> bool:
    return bool(first.label and second.label) and (
        first.label == second.label or "?" in (first.label, second.label)
    )


def _partner(first: Quantity, wanted: list[Quantity]) -> Quantity | None:
    """Find the number that another number replaces, if possible one with the same noun or unit."""
    ranked = [(_kinship(first, second), -at) for at, second in enumerate(wanted)]
    best = max(ranked, default=(0, 0))
    return wanted[-best[1]] if best[0] else None


def _kinship(first: Quantity, second: Quantity) -> int:  # noqa: PLR0911 (one return for each kind)
    """Return a rank of the likelihood that one number replaces the other; 0 means that it cannot."""
    if first.label or second.label:
        return 2 * _same_kind_of_label(first, second) if first.label and second.label else 0
    if first.sort != second.sort or (first.unit == RATE) != (second.unit == RATE):
        return 0
    if first.unit == RATE:
        return 3
    if (first.weak or second.weak) and TIMES in (first.noun, second.noun) and first.noun != second.noun:
        return 0
    if (first.weak or second.weak) and not (
        bool(first.unit) == bool(second.unit) and measure_the_same(first.unit, second.unit)
    ):
        return 0
    if first.unit and second.unit:
        return (
            3
            if measure_the_same(first.unit, second.unit)
            else int(bool(set(first.values) & set(second.values)))
        )
    if first.noun and first.noun == second.noun:
        return 3
    return 1


def _agree(first: Quantity, second: Quantity) -> bool:
    if first.label and second.label and not _same_kind_of_label(first, second):
        return False
    if first.label in IDENTIFIERS and isinstance(first.values[0], str) and isinstance(second.values[0], str):
        return first.values[0] == second.values[0]
    if RATE in (first.unit, second.unit):
        return _rates_agree(first, second)
    if first.offsets and second.offsets:
        return _same_moment(first, second)
    if first.stated and second.stated:  # 10 and 14 working days differ, although 10 are also two weeks
        first, second = first._replace(values=first.stated), second._replace(values=second.stated)
    agree = _agree_in_unit if _units_agree(first, second) else _agree_converted
    return any(agree(here, first, there, second) for here in first.values for there in second.values)


def _rates_agree(first: Quantity, second: Quantity) -> bool:
    """Tell whether two rates are equal, or one text states only the number of the other's rate."""
    if first.unit != second.unit:
        rate, number = (first, second) if first.unit == RATE else (second, first)
        return not set(rate.stated).isdisjoint(number.values)
    return any(
        math.isclose(float(here), float(there), rel_tol=_COARSELY_CONVERTED)
        for here, there in product(first.values, second.values)
    )


_HOURS = 24.0


def _same_moment(first: Quantity, second: Quantity) -> bool:
    """Tell whether two times of day with their time zones are the same moment: 15:00 CET, 14:00 UTC."""
    moments = (
        {round((float(value) - offset) % _HOURS, 4) for value in time.values for offset in time.offsets}
        for time in (first, second)
    )
    return not set.isdisjoint(*moments)


def _units_agree(first: Quantity, second: Quantity) -> bool:
    """Tell whether two units are the same, or one of them is incomplete: "20 degrees" and 20 °C."""
    if first.unit == second.unit or not (first.unit and second.unit):
        return True
    units = {first.unit, second.unit}
    return _DEGREE in units and units <= _DEGREES


def _agree_in_unit(here: float | str, one: Quantity, there: float | str, other: Quantity) -> bool:
    """Tell whether two values agree if the finer one is rounded to the digits of the coarser one."""
    if here == there:
        return True
    if isinstance(here, str) or isinstance(there, str):
        return False
    first, second = _as_shares(here, one, there, other)
    if not math.isclose(first, second, rel_tol=2 * _APPROXIMATE):
        return False  # at once, as none of the closer checks can hold
    return (
        math.isclose(first, second, rel_tol=_EXACT)
        or (one.digits != other.digits and _rounds(first, second, one, other))
        or _roughly(first, second, one, other)
    )


def _agree_converted(here: float | str, one: Quantity, there: float | str, other: Quantity) -> bool:
    """Tell whether two values in different units agree after a conversion."""
    mine, yours = conversion_of(one.unit), conversion_of(other.unit)
    if isinstance(here, str) or isinstance(there, str) or mine.dimension != yours.dimension:
        return False
    here_converted = (mine.factor * here + mine.offset - yours.offset) / yours.factor
    there_converted = (yours.factor * there + yours.offset - mine.offset) / mine.factor
    return (
        math.isclose(here_converted, there, rel_tol=_CONVERTED, abs_tol=_CONVERTED)
        or _rounds(here_converted, there, one, other)
        or _rounds(here, there_converted, one, other)
        or _converts(here_converted, there, other, one.about)
        or _converts(there_converted, here, one, other.about)
    )


def _as_shares(mine: float, first: Quantity, yours: float, second: Quantity) -> tuple[float, float]:
    """Convert a percentage into a fraction if the other number has no unit: 50 percent and 0.5."""
    if first.unit == second.unit or "percent" not in (first.unit, second.unit):
        return mine, yours
    return (mine / 100, yours) if first.unit == "percent" else (mine, yours / 100)


def _converts(converted: float, stated: float, quantity: Quantity, about: bool) -> bool:
    """Tell whether a converted value rounds to the stated one in its digits: 10 km, 6.2 miles.

    A value with one digit must also be near the converted one, and nearer if neither is approximate.
    """
    if converted * stated <= 0 or not _same_digits(converted, stated, quantity.digits):
        return False
    near = _APPROXIMATE if about or quantity.about else _COARSELY_CONVERTED
    return quantity.digits >= _ROUNDED_DIGITS or math.isclose(converted, stated, rel_tol=near)


def _roughly(first: float, second: float, one: Quantity, other: Quantity) -> bool:
    """Tell whether a number agrees with an approximate one: about 50, 49."""
    if one.sort != "number" or one.label or other.label or first * second <= 0:
        return False
    return any(
        quantity.about
        and _same_digits(first, second, quantity.digits)
        and math.isclose(first, second, rel_tol=_APPROXIMATE)
        for quantity in (one, other)
    )


def _same_digits(first: float, second: float, digits: int) -> bool:
    """Tell whether two values round to the same number with ``digits`` significant digits, at least one."""
    positions = max(digits, 1) - 1
    return float(f"{first:.{positions}e}") == float(f"{second:.{positions}e}")


def _rounds(first: float, second: float, one: Quantity, other: Quantity) -> bool:
    """Tell whether two values agree in the digits of the coarser one: 1.49 billion and 1.5 billion."""
    digits = min(one.digits, other.digits)
    if digits < _ROUNDED_DIGITS or one.sort != "number" or one.label or other.label or first * second <= 0:
        return False
    return _same_digits(first, second, digits)


_MARKS = ".,٫٬．，'’"
_SPACES = " \u00a0\u2009\u202f"
_FIGURE = re.compile(rf"(?<![A-Za-zÀ-ɏ\d])(?<![A-Z][-–])\d+(?:[{_MARKS}]\d+|[{_SPACES}]\d{{3}}(?!\d))*")
_SEPARATOR = re.compile(rf"[{_MARKS}{_SPACES}]")
_AS_ASCII = str.maketrans("٫٬．，’\u00a0\u2009\u202f", "·'.,'   ")
"""Arabic marks are unambiguous: the decimal mark becomes a middle dot, the thousands mark an apostrophe."""
_CHINESE = str.maketrans("零〇一二三四五六七八九两兩", "0012345678922")
_UNITS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "萬": 10**4, "億": 10**8, "亿": 10**8, "兆": 10**12}
_CHINESE_WORD = re.compile("[零〇一二三四五六七八九十百千两兩]+")
_COUNT = r"\d+(?:,\d{3})*(?:\.\d+)?"
_MYRIAD_FIGURE = re.compile(rf"(?:{_COUNT}[千百]?[万萬億亿兆])+(?:\d+(?:,\d{{3}})*)?")
_MYRIAD_PART = re.compile(rf"({_COUNT})([千百]?)([万萬億亿兆]?)")
_POWERS = {
    r"taus\w*|thous\w*|tsd|k|mil|mille|mila|duiz\w*|milhares|milliers?|тыс\w*|ألف|آلاف": (3,),
    r"mio|mill|mln|mn|mil[lhj]?(?:i[oó]n|oen|ão|ões|ón)\w*|млн|миллион\w*|مليون|ملايين": (6,),
    r"mld|mrd|bn|mil[lj]?(?:iard|ard)\w*|млрд|миллиард\w*|مليار": (9,),
    r"bill|bil[lhj]?(?:i[oó]n|ão|ões|ón)\w*": (9, 12),  # 10^9 (short scale) or 10^12 (long scale)
}
"""Powers of ten of the words that multiply a number; whole words, as "Milligramm" does not."""
_SIGNS = {"百": 2, "千": 3, "万": 4, "만": 4, "億": 8, "亿": 8, "억": 8}
_MAGNITUDES = [
    *(
        (re.compile(rf"\s?(?:{words})(?![^\W\d_])", re.IGNORECASE), powers)
        for words, powers in _POWERS.items()
    ),
    *((re.compile(rf"\s?{sign}"), (power,)) for sign, power in _SIGNS.items()),
]
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_FIRST_TEN, _GROUP, _CLOCK_HOURS, _CLOCK_MINUTES = 20, 3, 24, 60
_ONE = 1
"""In many languages also the article "one", so a text that lacks it has lost no number."""


@dataclass(frozen=True)
class WrittenFigure:
    """A number in digits.

    Attributes:
        start: its first character in the text.
        end: the character after its last one.
        shown: the number as it is written.
        values: its possible values: several if its mark may separate decimals or thousands.
        parts: its whole numbers if it may be a date, a time or several numbers, such as 3.4.2024.
        plain: its values before a word such as "Mio." multiplies them.
    """

    start: int
    end: int
    shown: str
    values: frozenset[Decimal]
    parts: tuple[Decimal, ...] = ()
    plain: frozenset[Decimal] = frozenset()


@dataclass(frozen=True)
class StatedNumbers:
    """Numbers that a text states.

    Attributes:
        figures: numbers in digits.
        words: values of known number words.
        n_compounds: number of longer number words, such as "fünfundzwanzig"; their values are not computed.
        knows_words: whether number words of the text's language are known.
    """

    figures: tuple[WrittenFigure, ...]
    words: tuple[int, ...]
    n_compounds: int
    knows_words: bool

    @property
    def n(self) -> int:
        """Number of numbers, without "one", which is often an article."""
        return len(self.figures) + sum(value != _ONE for value in self.words) + self.n_compounds


@lru_cache(maxsize=RECENT_TEXTS)
def read_numbers(source: str, language: str | None) -> StatedNumbers:
    """Read the numbers of a text.

    The language decides whether a mark before three digits ("1.000") separates decimals or thousands; if the
    language is unclear or uses both, both values are kept. Digits of all scripts count. Signs, units, percent
    signs and digits within names ("B12") are ignored.

    Args:
        source: the text.
        language: ISO 639-1 code; ``None`` if it is not clear.

    Examples:
        >>> [sorted(map(int, item.values)) for item in read_numbers("1.000 oder ٣", "de").figures]
        [[1000], [3]]
        >>> read_numbers("drei von 1.000", "de").words
        (3,)
    """
    figures = _read_figures(source, language)
    if language in {"ja", "zh"}:
        words = tuple(_chinese_value(match.group()) for match in _CHINESE_WORD.finditer(source))
        return StatedNumbers(figures, words, n_compounds=0, knows_words=True)
    known = _number_words(language or "")
    spoken = [match.group().casefold() for match in _WORD.finditer(source)] if known else []
    return StatedNumbers(
        figures,
        tuple(known[word] for word in spoken if word in known),
        n_compounds=sum(word not in known and _is_compound(word, language or "") for word in spoken),
        knows_words=bool(known),
    )


def _read_figures(source: str, language: str | None) -> tuple[WrittenFigure, ...]:
    numbers, position = [], 0
    while figure := _FIGURE.search(source, position):
        counted = _MYRIAD_FIGURE.match(source, figure.start()) or figure
        position = counted.end()
        shown = counted.group()
        if counted is figure:
            values, parts = _readings(_ascii(shown), language)
        else:
            values, parts = frozenset({_myriad_value(_ascii(shown))}), ()
        powers = _powers_at(source, position) if counted is figure else (0,)
        multiplied = frozenset(value * 10**power for value in values for power in powers)
        numbers.append(WrittenFigure(figure.start(), position, shown, multiplied, parts, values))
    return tuple(numbers)


def _powers_at(source: str, place: int) -> tuple[int, ...]:
    """Return the powers of ten by which the word at a position may multiply the number before it."""
    return next((powers for words, powers in _MAGNITUDES if words.match(source, place)), (0,))


_Readings = tuple[frozenset[Decimal], tuple[Decimal, ...]]
"""A number's possible values, and its parts where it may be several numbers."""


def _readings(number: str, language: str | None) -> _Readings:
    marked = number.replace("·", ",")
    pieces, marks = _SEPARATOR.split(marked), _SEPARATOR.findall(marked)
    if not marks:
        return frozenset({Decimal(number)}), ()
    if "·" in number:
        return frozenset({_decimal(pieces)}), ()
    if set(marks) <= {" ", "'"}:
        return frozenset({Decimal("".join(pieces))}), _parts(pieces) if " " in marks else ()
    return _of_several_marks(pieces, marks) if len(marks) > 1 else _of_one_mark(pieces, marks[0], language)


def _of_several_marks(pieces: list[str], marks: list[str]) -> _Readings:
    """Read 1.234,56 (the last mark separates decimals) or 1.234.567; any other form is several numbers."""
    if len(set(marks)) == 1 and _is_grouped(pieces):
        return frozenset({Decimal("".join(pieces))}), ()
    if marks[-1] not in marks[:-1] and _is_grouped(pieces[:-1]):
        return frozenset({_decimal(pieces)}), ()
    return frozenset(), _parts(pieces)


def _of_one_mark(pieces: list[str], mark: str, language: str | None) -> _Readings:
    """Read 3,5, or 1.000 by the rule of the language; 14.30 may also be a time."""
    whole, joined = _decimal(pieces), Decimal("".join(pieces))
    if _is_grouped(pieces):
        decimal_mark = _decimal_mark(language)
        if decimal_mark is None:
            return frozenset({joined, whole}), ()
        return frozenset({whole if mark == decimal_mark else joined}), ()
    hours, minutes = _parts(pieces)
    is_clock = hours < _CLOCK_HOURS and minutes < _CLOCK_MINUTES and len(pieces[1]) == len("00")
    return frozenset({whole}), (hours, minutes) if is_clock else ()


def _parts(pieces: list[str]) -> tuple[Decimal, ...]:
    return tuple(Decimal(piece) for piece in pieces)


def _decimal(pieces: list[str]) -> Decimal:
    return Decimal(f"{''.join(pieces[:-1])}.{pieces[-1]}")


def _is_grouped(pieces: list[str]) -> bool:
    """Tell whether marks may separate thousands: 1,000, or 1,00,000 as in India."""
    first, *others = pieces
    of_three = len(others[-1:]) == 0 or len(others[-1]) == _GROUP
    between = all(len(piece) in {_GROUP - 1, _GROUP} for piece in others)
    return len(first) <= _GROUP and not first.startswith("0") and of_three and between


def _decimal_mark(language: str | None) -> str | None:
    known = read_lexicon("languages")
    if language in known["comma"].split():
        return ","
    return "." if language in known["point"].split() else None


def _ascii(number: str) -> str:
    """Convert digits and marks of any script to ASCII."""
    plain = number.translate(_AS_ASCII)
    return "".join(str(unicodedata.digit(sign)) if sign.isdecimal() else sign for sign in plain)


def _myriad_value(number: str) -> Decimal:
    """Compute a number such as 1万2000: each part times its units."""
    total = Decimal(0)
    for part in _MYRIAD_PART.finditer(number):
        value = Decimal(part[1].replace(",", ""))
        total += value * _UNITS.get(part[2], 1) * _MYRIADS.get(part[3], 1)
    return total


def _chinese_value(word: str) -> int:
    total, digit = 0, 0
    for sign in word.translate(_CHINESE):
        if sign in _UNITS:
            total, digit = total + (digit or 1) * _UNITS[sign], 0
        else:
            digit = 10 * digit + int(sign)
    return total + digit


@cache
def _number_words(language: str) -> dict[str, int]:
    """Return the values of a language's number words; empty if they are not known."""
    lists = read_lexicon("languages")["words"].get(language)
    if lists is None:
        return {}
    numbered = [
        *enumerate(lists["small"].split()),
        *enumerate(lists["tens"].split()),
        *enumerate(lists["large"].split()),
    ]
    n_small, n_tens = len(lists["small"].split()), len(lists["tens"].split())
    numbers: dict[str, int] = {}
    for at, (position, spellings) in enumerate(numbered):
        if at < n_small:
            value = position
        elif at < n_small + n_tens:
            value = _FIRST_TEN + 10 * position
        else:
            value = 10 ** (position + 2)
        numbers |= dict.fromkeys(spellings.split("|"), value)
    return numbers


@cache
def _compounds(language: str) -> re.Pattern[str]:
    pieces = "|".join(sorted(map(re.escape, _number_words(language)), key=len, reverse=True))
    return re.compile(rf"(?:(?:{pieces})(?:und|en|ën|e|y|i|-et|-)?-?){{2,}}")


def _is_compound(word: str, language: str) -> bool:
    return _compounds(language).fullmatch(word) is not None


_FEWEST_COMPOUND = 13
"""Smallest number that is written as a compound word, such as "fünfundzwanzig"."""


def figure_findings(
    prediction: str, reference: str, *, languages: tuple[str | None, str | None] = (None, None)
) -> list[Finding]:
    """Find numbers in digits that replace others.

    Numbers count as changed only if each text has numbers that the other lacks. So omitted and repeated
    numbers are no findings, nor is a number that one text writes as a known word. Units, signs and the order
    of numbers are not compared. Dates are compared as a whole.

    Args:
        prediction: the text to be judged.
        reference: the text that it should agree with.
        languages: ISO 639-1 codes of both texts; ``None`` if a language is not clear.

    Returns:
        One finding of kind ``other-value`` for each pair of a number and its replacement.

    Examples:
        >>> [item.reason for item in figure_findings("Nimm 5 mg.", "Nimm 3 mg.", languages=("de", "de"))]
        ['"5" replaces "3".']
        >>> figure_findings("Nimm 1.000 mg.", "Nimm 1000 mg.", languages=("de", "de"))
        []
    """
    first, second = languages  # a text in an unclear language is assumed to be in the other text's language
    left, right = read_numbers(prediction, first or second), read_numbers(reference, second or first)
    same, changed = compare_dates(prediction, reference)
    dates = same + changed
    here = _outside(left.figures, [first for first, _ in dates])
    there = _outside(right.figures, [second for _, second in dates])
    added = [one for one in here if not _is_stated(one, right, left)]
    missing = [one for one in there if not _is_stated(one, left, right)]
    return [_other_date(first, second) for first, second in changed] + [
        Finding(
            "number",
            OTHER_VALUE,
            f'"{one.shown}" replaces "{other.shown}".',
            Span(one.start, one.end, one.shown),
            Span(other.start, other.end, other.shown),
        )
        for one, other in zip(_once(added), _once(missing), strict=False)
    ]


def _once(figures: Sequence[WrittenFigure]) -> list[WrittenFigure]:
    return list({one.values or one.parts: one for one in reversed(figures)}.values())[::-1]


def _is_stated(first: WrittenFigure, there: StatedNumbers, here: StatedNumbers) -> bool:
    """Tell whether a text may state a number: in digits, as parts of a date or time, or in words.

    A longer number word may state any whole number from 13 on, as its value is not computed. It does not
    count if the number's own text has as many longer number words.
    """
    values = {value for second in there.figures for value in second.values}
    parts = {part for second in there.figures for part in second.parts}
    spoken = set(there.words)
    if first.values & (values | parts | spoken) or first.plain & spoken:
        return True
    if first.parts and set(first.parts) <= values | parts | spoken:
        return True
    is_whole = any(value == int(value) and value >= _FEWEST_COMPOUND for value in first.values)
    return there.n_compounds > here.n_compounds and is_whole
