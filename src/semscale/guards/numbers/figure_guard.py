"""Comparison of numbers in digits, in any language: the number guard for texts that it cannot read."""

from collections.abc import Sequence

from semscale.guards.findings import Finding, Span
from semscale.guards.numbers.figures_by_language import StatedNumbers, WrittenFigure, read_numbers
from semscale.guards.numbers.number_guard import OTHER_VALUE

_FEWEST_COMPOUND = 13
"""The least number that a number word of several others states, such as "fünfundzwanzig"."""


def figure_findings(
    prediction: str, reference: str, *, languages: tuple[str | None, str | None] = (None, None)
) -> list[Finding]:
    """Find numbers in digits that stand in the place of others.

    Numbers count as changed if the prediction states some that the reference lacks, and lacks some that it
    states. So a number that is left out, or written as a word, changes nothing; nor do repeated numbers. A
    known number word states its number. Units, signs and the order of numbers are not compared.

    Args:
        prediction: the text to be judged.
        reference: the text that it should agree with.
        languages: ISO 639-1 codes of both texts; ``None`` where a language is not clear.

    Returns:
        One finding of kind ``other-value`` for each two numbers that stand in each other's place.

    Example:
        >>> [one.reason for one in figure_findings("Nimm 5 mg.", "Nimm 3 mg.", languages=("de", "de"))]
        ['"5" stands in the place of "3".']
        >>> figure_findings("Nimm 1.000 mg.", "Nimm 1000 mg.", languages=("de", "de"))
        []
    """
    first, second = languages  # a text whose language is not clear is taken to be in the other one's
    ours, theirs = read_numbers(prediction, first or second), read_numbers(reference, second or first)
    added = [one for one in ours.figures if not _is_stated(one, theirs, ours)]
    missing = [one for one in theirs.figures if not _is_stated(one, ours, theirs)]
    return [
        Finding(
            "number",
            OTHER_VALUE,
            f'"{one.shown}" stands in the place of "{other.shown}".',
            Span(one.start, one.end, one.shown),
            Span(other.start, other.end, other.shown),
        )
        for one, other in zip(_once(added), _once(missing), strict=False)
    ]


def _once(figures: Sequence[WrittenFigure]) -> list[WrittenFigure]:
    return list({one.values or one.parts: one for one in reversed(figures)}.values())[::-1]


def _is_stated(one: WrittenFigure, there: StatedNumbers, here: StatedNumbers) -> bool:
    """Tell whether a text may state a number: in digits, as parts of a date or time, or in words.

    A longer number word may state any whole number from 13 on, as its value is not computed; but not where
    the number's own text has as many of them.
    """
    values = {value for other in there.figures for value in other.values}
    parts = {part for other in there.figures for part in other.parts}
    spoken = set(there.words)
    if one.values & (values | parts | spoken) or one.plain & spoken:
        return True
    if one.parts and set(one.parts) <= values | parts | spoken:
        return True
    is_whole = any(value == int(value) and value >= _FEWEST_COMPOUND for value in one.values)
    return there.n_compounds > here.n_compounds and is_whole
