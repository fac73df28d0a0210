"""The number guard: reports numbers, units and labels that differ (0.5 mg and 50 mg, terminals 1 and 4).

English only; texts in other scripts give no findings.
"""

import math
import re
from collections.abc import Iterator
from itertools import pairwise, product

from semscale.guards.findings import Finding
from semscale.guards.numbers.identifiers import IDENTIFIERS
from semscale.guards.numbers.quantities import Quantity
from semscale.guards.numbers.units import conversion_of, measure_the_same
from semscale.guards.reading import AnalysedText, analyse, comparable, differ

OTHER_VALUE = "other-value"
OTHER_UNIT = "other-unit"
OTHER_BOUND = "other-bound"
OTHER_LABEL = "other-label"
MISSING_NUMBER = "missing-number"
ADDED_NUMBER = "added-number"
MISSING_LABEL = "missing-label"
ADDED_LABEL = "added-label"
CHANGED_KINDS = frozenset({OTHER_VALUE, OTHER_UNIT, OTHER_BOUND, OTHER_LABEL})
"""Kinds by which one number stands in the place of another."""

_EXACT = 1e-12
"""Relative difference of equal numbers, as 12,345,678 is not 12,345,679."""
_CONVERTED = 1e-6
"""The same after a conversion."""
_COARSELY_CONVERTED = 0.025
"""Relative difference of two numbers in different units that agree in one digit: 8 inches, 20 cm."""
_APPROXIMATE = 0.1
"""Relative difference of numbers that agree in the digits of an approximate one: about three miles, 5 km."""
_MEANING = Quantity._fields.index("unit")
"""Index of the first field after those that state a quantity's position."""
_FROM = re.compile(r"\bfrom\s+$", re.IGNORECASE)
_LONGEST_FROM = 10
_ROUNDED_DIGITS = 2
_MOST_REPORTED = 200
"""The most numbers of a text that are reported; a pasted table may have many."""
_MOST_COMPARED = 1000
"""The most numbers of a text that are compared by rounding, conversion or label; equal ones always agree."""


class NumberGuard:
    """Finds numbers and labels that differ, are missing or were added.

    Example:
        >>> found = NumberGuard().check("Take 50 mg.", "Take 0.5 mg.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-value', '50 mg', '0.5 mg')
        >>> NumberGuard().check("Take 1 g.", "Take 1000 mg.")
        []
    """

    name = "number"
    kinds = (
        OTHER_VALUE,
        OTHER_UNIT,
        OTHER_BOUND,
        OTHER_LABEL,
        MISSING_NUMBER,
        ADDED_NUMBER,
        MISSING_LABEL,
        ADDED_LABEL,
    )

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return findings for the numbers of each text that the other lacks.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            Findings in the order of the prediction; numbers that it lacks come last.
        """
        ours, theirs = analyse(prediction), analyse(reference)
        if not comparable(ours, theirs) or not (ours.quantities or theirs.quantities):
            return []
        found = list(_findings(ours, theirs))
        return found if found and (_by_case(found) or differ(ours, theirs)) else []


def _by_case(found: list[Finding]) -> bool:
    """Tell whether only letter case tells two units apart: 5 mM and 5 mm."""
    return any(
        one.prediction is not None
        and one.reference is not None
        and one.kind in (OTHER_VALUE, OTHER_UNIT)
        and one.prediction.text.casefold() == one.reference.text.casefold()
        for one in found
    )


def _findings(ours: AnalysedText, theirs: AnalysedText) -> Iterator[Finding]:
    yield from _bounds(ours, theirs)
    yield from _turned_changes(ours, theirs)
    left = _unanswered(ours.quantities, theirs.quantities)
    wanted = _unanswered(theirs.quantities, ours.quantities)
    for one in left:
        partner = _partner(one, wanted)
        if partner:
            wanted.remove(partner)
            yield _differing(one, partner, ours, theirs)
        elif not one.weak and _expected(one, theirs.quantities):
            kind = ADDED_LABEL if one.label else ADDED_NUMBER
            reason = f'"{one.shown}" does not stand in the reference.'
            yield Finding("number", kind, reason, ours.place(one.start, one.end), None)
    for other in wanted:
        if not other.weak and _expected(other, ours.quantities):
            kind = MISSING_LABEL if other.label else MISSING_NUMBER
            reason = f'"{other.shown}" is missing from the prediction.'
            yield Finding("number", kind, reason, None, theirs.place(other.start, other.end))


def _unanswered(here: list[Quantity], there: list[Quantity]) -> list[Quantity]:
    """List numbers that agree with no number of the other text; of many, only the first ones."""
    told = [one for one in here if one.replaces or not one.weak]
    if not told:
        return []
    distinct = list({(other.values, other.unit, other.label): other for other in there}.values())
    written = {(value, unit) for other in distinct for value in other.values for unit in (other.unit, "*")}
    compared = distinct[:_MOST_COMPARED]
    answered: dict[tuple[object, ...], bool] = {}
    left: list[Quantity] = []
    for one in told:
        alike = (one.values, *one[_MEANING:])
        if alike not in answered:
            answered[alike] = _is_written(one, written) or any(_agree(one, each) for each in compared)
        if not answered[alike]:
            left.append(one)
        if len(left) == _MOST_REPORTED:
            break
    return left


def _is_written(one: Quantity, written: set[tuple[float | str, str]]) -> bool:
    """Check quickly whether the other text has exactly this number, with this unit or without one."""
    units = {one.unit or "*", ""}
    return not one.label and any((value, unit) in written for value in one.values for unit in units)


def _differing(one: Quantity, other: Quantity, ours: AnalysedText, theirs: AnalysedText) -> Finding:
    kind = OTHER_LABEL if one.label else OTHER_VALUE
    if not one.label and one.unit and other.unit and not measure_the_same(one.unit, other.unit):
        kind = OTHER_UNIT
    reason = f'The prediction says "{one.shown}", the reference "{other.shown}".'
    return Finding(
        "number", kind, reason, ours.place(one.start, one.end), theirs.place(other.start, other.end)
    )


def _bounds(ours: AnalysedText, theirs: AnalysedText) -> Iterator[Finding]:
    """Find numbers that are an upper bound in one text and a lower bound in the other."""
    bounds = ([each for each in side.quantities if each.bound][:_MOST_REPORTED] for side in (ours, theirs))
    for one, other in product(*bounds):
        if one.bound * other.bound < 0 and _agree(one, other):
            reason = f'"{one.shown}" is a bound on the other side in the reference.'
            here, there = ours.place(one.start, one.end), theirs.place(other.start, other.end)
            yield Finding("number", OTHER_BOUND, reason, here, there)


def _turned_changes(ours: AnalysedText, theirs: AnalysedText) -> Iterator[Finding]:
    """Find changes that one text states in the reverse direction: from 5 to 7, from 7 to 5."""
    changes, others = _changes(ours), _changes(theirs)
    for one, other in product(changes, others):
        is_known = any(_agree(one[0], each[0]) and _agree(one[1], each[1]) for each in others)
        if not is_known and _agree(one[0], other[1]) and _agree(one[1], other[0]):
            reason = f'From "{one[0].shown}" to "{one[1].shown}" is the reverse of what the reference says.'
            here = ours.place(one[0].start, one[1].end)
            yield Finding("number", OTHER_VALUE, reason, here, theirs.place(other[0].start, other[1].end))


def _changes(side: AnalysedText) -> list[tuple[Quantity, Quantity]]:
    """Pair the two numbers of each "from 5 to 7"."""
    text = side.words.text
    return [
        (one, other)
        for one, other in pairwise(side.quantities)
        if one.sort == other.sort == "number"
        and text[one.end : other.start].split() == ["to"]
        and _FROM.search(text[: one.start][-_LONGEST_FROM:])
    ][:_MOST_REPORTED]


def _expected(quantity: Quantity, others: list[Quantity]) -> bool:
    """Tell whether a missing number is worth a finding: a text without labels may just say "they"."""
    told = (other for other in others if not other.weak)
    return not quantity.label or any(_same_kind_of_label(quantity, other) for other in told)


def _same_kind_of_label(one: Quantity, other: Quantity) -> bool:
    return bool(one.label and other.label) and (one.label == other.label or "?" in (one.label, other.label))


def _partner(one: Quantity, wanted: list[Quantity]) -> Quantity | None:
    """Find the number that another one replaces: of the same counted thing or unit if possible."""
    ranked = [(_kinship(one, other), -at) for at, other in enumerate(wanted)]
    best = max(ranked, default=(0, 0))
    return wanted[-best[1]] if best[0] else None


def _kinship(one: Quantity, other: Quantity) -> int:
    """Return how likely one of two different numbers replaces the other, from 0, not at all."""
    if one.label or other.label:
        return 2 * _same_kind_of_label(one, other) if one.label and other.label else 0
    if one.sort != other.sort:
        return 0
    if (one.weak or other.weak) and not (
        bool(one.unit) == bool(other.unit) and measure_the_same(one.unit, other.unit)
    ):
        return 0
    if one.unit and other.unit:
        return 3 if measure_the_same(one.unit, other.unit) else int(bool(set(one.values) & set(other.values)))
    if one.noun and one.noun == other.noun:
        return 3
    return 1


def _agree(one: Quantity, other: Quantity) -> bool:
    if one.label and other.label and not _same_kind_of_label(one, other):
        return False
    if one.label in IDENTIFIERS and isinstance(one.values[0], str) and isinstance(other.values[0], str):
        return one.values[0] == other.values[0]
    if set(one.values) & set(other.values) and (one.unit == other.unit or not (one.unit and other.unit)):
        return True
    numbers = [[value for value in quantity.values if isinstance(value, float)] for quantity in (one, other)]
    return any(_close(mine, one, yours, other) for mine in numbers[0] for yours in numbers[1])


def _close(mine: float, one: Quantity, yours: float, other: Quantity) -> bool:
    """Tell whether two values agree; the finer one may be rounded to the coarser one's digits."""
    if one.unit == other.unit or not (one.unit and other.unit):
        first, second = _as_shares(mine, one, yours, other)
        return (
            math.isclose(first, second, rel_tol=_EXACT)
            or (one.digits != other.digits and _rounds(first, second, one, other))
            or _roughly(first, second, one, other)
        )
    here, there = conversion_of(one.unit), conversion_of(other.unit)
    if here.dimension != there.dimension:
        return False
    here_in_theirs = (here.factor * mine + here.offset - there.offset) / there.factor
    theirs_in_ours = (there.factor * yours + there.offset - here.offset) / here.factor
    return (
        math.isclose(here_in_theirs, yours, rel_tol=_CONVERTED, abs_tol=_CONVERTED)
        or _rounds(here_in_theirs, yours, one, other)
        or _rounds(mine, theirs_in_ours, one, other)
        or _converts(here_in_theirs, yours, other, one.about)
        or _converts(theirs_in_ours, mine, one, other.about)
    )


def _as_shares(mine: float, one: Quantity, yours: float, other: Quantity) -> tuple[float, float]:
    """Convert a percentage into a fraction if the other number has no unit: 50 percent and 0.5."""
    if one.unit == other.unit or "percent" not in (one.unit, other.unit):
        return mine, yours
    return (mine / 100, yours) if one.unit == "percent" else (mine, yours / 100)


def _converts(converted: float, stated: float, quantity: Quantity, about: bool) -> bool:
    """Tell whether a converted value rounds to the stated one in its digits: 10 km, 6.2 miles.

    One digit says little, so that the values must also lie near each other then, nearer if neither is
    approximate.
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
    """Tell whether two values round to the same number with so many significant digits, at least one."""
    places = max(digits, 1) - 1
    return float(f"{first:.{places}e}") == float(f"{second:.{places}e}")


def _rounds(first: float, second: float, one: Quantity, other: Quantity) -> bool:
    """Tell whether two values agree in the digits of the coarser one: 1.49 billion and 1.5 billion."""
    digits = min(one.digits, other.digits)
    if digits < _ROUNDED_DIGITS or one.sort != "number" or one.label or other.label or first * second <= 0:
        return False
    return _same_digits(first, second, digits)
