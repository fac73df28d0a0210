"""Formatting of numbers, users' texts and cells as plain text, equal in every output."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, assert_never

from semscale.report.document import (
    Cell,
    Change,
    Compared,
    Count,
    Flag,
    Interval,
    Label,
    Line,
    Marked,
    Number,
    Quoted,
    Share,
    WithInterval,
    p_cell,
)

MISSING = "–"
"""Mark for a missing number; it is never shown as 0."""

LONGEST = 5000
"""Greatest number of characters of a text in a document; a note states the number of others."""

_CONTROL_PICTURES = {code: chr(0x2400 + code) for code in range(0x20) if code not in (0x09, 0x0A, 0x0D)}
_HARMLESS = (
    _CONTROL_PICTURES | {0x7F: "\u2421"} | dict.fromkeys((*range(0x80, 0xA0), 0xFFFE, 0xFFFF), "\ufffd")
)
_SURROGATES = re.compile("[\ud800-\udfff]")
_AS_WRITTEN = re.compile(r"[^\s.]+\.[a-z]|p(?= |$)")  # the name of a file, or a p-value
_WIDE_SPAN = 50
_NARROW_SPAN = 1.5


class Clipped(NamedTuple):
    """A text for display: the visible part, and the full text if something was cut."""

    shown: str
    full: str | None


def printable(text: object) -> str:
    r"""Replace characters that are invisible or break a document by visible ones; keep all others.

    Control characters become their Unicode pictures. Lone surrogates, which UTF-8 cannot encode, and U+FFFE
    and U+FFFF, which XML does not allow, become U+FFFD.

    Examples:
        >>> printable("a\x00b\x1b[31m")
        'a␀b␛[31m'
    """
    return _SURROGATES.sub("\ufffd", str(text)).translate(_HARMLESS)


def one_line(text: object) -> str:
    r"""Make a text printable, and replace each run of white space by one space.

    Examples:
        >>> one_line("two\n lines ")
        'two lines'
    """
    return " ".join(printable(text).split())


def name_with_base(name: str, base: Count, letter: str = "") -> str:
    r"""Return the name of a chart's category or series with its base, and its letter, after a line break.

    Examples:
        >>> name_with_base("north", Count(7), "A").replace("\N{NO-BREAK SPACE}", " ")
        'north\n (A), n = 7'
    """
    marked = f" ({letter})" if letter else ""
    return f"{name}\n{marked}, n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}{cell_text(base)}"


def chart_name(name: str) -> str:
    r"""Write a name from ``name_with_base`` on one line.

    Examples:
        >>> chart_name("north\n, n = 7")
        'north, n = 7'
    """
    return printable(name.replace("\n", ""))


def clip_text(text: object, limit: int = 220) -> Clipped:
    """Cut a long text at the end of a word with an ellipsis; ``full`` then contains the whole text.

    A text of more than ``LONGEST`` characters is also cut in ``full``, with a note.

    Examples:
        >>> clip_text("short")
        Clipped(shown='short', full=None)
        >>> clip_text("one two three", limit=8)
        Clipped(shown='one two…', full='one two three')
    """
    whole = one_line(text)
    if len(whole) <= limit:
        return Clipped(whole, None)
    head, _, _ = whole[: limit + 1].rpartition(" ")
    if len(head) < limit // 2:  # one very long word, or a language without spaces
        head = whole[:limit]
    full = printable(text)
    if len(full) > LONGEST:
        full = f"{full[:LONGEST]}… ({len(full) - LONGEST:,} further characters are not in this page)"
    return Clipped(head.rstrip() + "…", full)


def number(
    value: float | None, digits: int = 2, *, least: float | None = None, most: float | None = None
) -> str:
    """Format a number with fixed decimals and a true minus sign; a missing number becomes a dash.

    Args:
        value: the number.
        digits: number of decimals.
        least: smaller numbers are written as "< least", as for p-values.
        most: greater numbers are written as "> most".

    Examples:
        >>> number(-1.005), number(float("nan")), number(-0.001)
        ('−1.00', '–', '0.00')
        >>> number(2e-5, 3, least=0.001), number(4e11, 1, most=10_000)
        ('< 0.001', '> 10,000')
    """
    if most is not None and value is not None and value > most:
        return f"> {most:,.12g}"
    if value is None or not math.isfinite(value):
        return MISSING
    if least is not None and value < least:
        return f"< {least:g}"
    return _use_minus_sign(f"{value:,.{digits}f}")


def p_value_text(p_value: float) -> str:
    """Write a p-value for a sentence.

    Examples:
        >>> p_value_text(0.0314), p_value_text(2e-5)
        ('p = 0.031', 'p < 0.001')
    """
    shown = cell_text(p_cell(p_value))
    return f"p {shown}" if shown.startswith("<") else f"p = {shown}"


def percent(share: float | None, digits: int = 1) -> str:
    """Format a share in [-1, 1] as a percentage.

    Examples:
        >>> percent(0.3417).split(), percent(None)
        (['34.2', '%'], '–')
    """
    shown = number(None if share is None else 100 * share, digits)
    return shown if shown == MISSING else f"{shown}\u00a0%"


def brief_percent(share: float | None) -> str:
    """Format a share as a whole percentage, or with one decimal if it is below 1 %.

    Examples:
        >>> brief_percent(0.3417).split(), brief_percent(0.0046).split(), brief_percent(0.0).split()
        (['34', '%'], ['0.5', '%'], ['0', '%'])
    """
    is_small = share is not None and 0 < share < 0.0095  # 0.95 % is written as 1 %
    return percent(share, 1 if is_small else 0)


_UNBROKEN = re.compile(r"(?<=[0-9]) (?=%)|(?<=±) (?=[0-9])")


def percents_unbroken(text: str) -> str:
    """Keep numbers and their signs, percent or plus-minus, on the same line, in a phrase of Semscale.

    Examples:
        >>> percents_unbroken("in 95 % of rows").split(" ")[1].split()
        ['95', '%']
    """
    return _UNBROKEN.sub("\u00a0", text)


def coverage(interval: float) -> str:
    """Format the coverage of an interval, never rounded to 100 %.

    Examples:
        >>> coverage(0.95), coverage(0.999)
        ('95 %', '99.9 %')
    """
    return f"{100 * interval:.12g} %"


def count(value: int | None) -> str:
    """Format a whole number with separators of thousands.

    Examples:
        >>> count(3708)
        '3,708'
    """
    return MISSING if value is None else f"{int(value):,}"


def count_of(value: int, noun: str, plural: str | None = None) -> str:
    """Format a number with its noun.

    Examples:
        >>> count_of(1, "text"), count_of(2, "text"), count_of(2, "entry"), count_of(2, "day")
        ('1 text', '2 texts', '2 entries', '2 days')
    """
    usual = f"{noun[:-1]}ies" if noun[-1:] == "y" and noun[-2:-1] not in "aeiou" else f"{noun}s"
    return f"{count(value)} {noun if value == 1 else plural or usual}"


def plain(value: float | None) -> str:
    """Format a value of a scale as its author wrote it, without unnecessary decimals.

    Examples:
        >>> plain(3.0), plain(-0.5), plain(None)
        ('3', '−0.5', '–')
    """
    return MISSING if value is None or not math.isfinite(value) else _use_minus_sign(f"{value:g}")


def with_sign(shown: str) -> str:
    """Put a plus sign before a formatted number that is greater than 0.

    Examples:
        >>> with_sign("0.12 [0.02, 0.22]"), with_sign("−0.12"), with_sign("0.00"), with_sign("–")
        ('+0.12 [0.02, 0.22]', '−0.12', '0.00', '–')
    """
    figure = shown.split(maxsplit=1)[0]
    is_positive = figure[0] not in f"\u2212{MISSING}" and any("1" <= digit <= "9" for digit in figure)
    return f"+{shown}" if is_positive else shown


def digits_for(low: float, high: float) -> int:
    """Return the decimals of means on a scale from ``low`` to ``high``: two, unless it is very short or long.

    Examples:
        >>> digits_for(1, 5), digits_for(0, 1), digits_for(0, 100)
        (2, 3, 1)
    """
    span = high - low
    return 1 if span > _WIDE_SPAN else 3 if span < _NARROW_SPAN else 2


def has_interval(estimate: Interval) -> bool:
    """Return True if both ends of an interval exist (a single text has none)."""
    return math.isfinite(estimate.low) and math.isfinite(estimate.high)


def with_interval(estimate: Interval, digits: int = 2) -> str:
    """Format a figure with its interval, ``3.41 [3.35, 3.47]``, or without one if it does not exist.

    Examples:
        >>> from collections import namedtuple
        >>> E = namedtuple("E", "value low high")
        >>> with_interval(E(3.412, 3.349, 3.471))
        '3.41 [3.35, 3.47]'
        >>> with_interval(E(3.0, float("nan"), float("nan")))
        '3.00'
    """
    value = number(estimate.value, digits)
    return f"{value} {_bracket(estimate, 1, digits)}" if has_interval(estimate) else value


def percent_with_interval(estimate: Interval, digits: int = 1) -> str:
    """Format a share with its interval in percent: ``34.2 % [31.2, 37.0]``."""
    value = percent(estimate.value, digits)
    return f"{value} {_bracket(estimate, 100, digits)}" if has_interval(estimate) else value


def _bracket(estimate: Interval, unit: float, digits: int) -> str:
    return f"[{number(unit * estimate.low, digits)}, {number(unit * estimate.high, digits)}]"


def join_list(parts: list[str]) -> str:
    """Join words with commas and "and".

    Examples:
        >>> join_list(["a", "b", "c"])
        'a, b and c'
    """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def capitalise(text: str) -> str:
    """Capitalise the first letter of a phrase of Semscale, unless it begins with a file's name or a p-value.

    Examples:
        >>> capitalise("mean, from 1 to 5"), capitalise("")
        ('Mean, from 1 to 5', '')
        >>> capitalise("a.csv has no rows"), capitalise("p"), capitalise("p (Holm)")
        ('a.csv has no rows', 'p', 'p (Holm)')
    """
    return text if _AS_WRITTEN.match(text) else text[:1].upper() + text[1:]


def end_sentence(text: str) -> str:
    """Write a phrase with the mark that ends a sentence.

    Examples:
        >>> end_sentence("the mean is 3.2"), end_sentence("really?")
        ('the mean is 3.2.', 'really?')
    """
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _use_minus_sign(text: str) -> str:
    digits = text.lstrip("-")
    if not text.startswith("-") or not any("1" <= character <= "9" for character in digits):
        return digits
    return f"\u2212{digits}"


def cell_text(cell: Cell) -> str:  # noqa: C901, PLR0911 - one case for each kind of cell
    """Format a cell as plain text.

    Examples:
        >>> from semscale.report.document import Share, WithInterval
        >>> cell_text(WithInterval(3.412, 3.349, 3.471)), cell_text(Number(None)), cell_text(Count(3708))
        ('3.41 [3.35, 3.47]', '–', '3,708')
        >>> cell_text(Count(7, is_small=True))
        '7*'
        >>> cell_text(Change(48, 40)), cell_text(Change(1, None)), cell_text(Change(0.106, 0.503, 2))
        ('48 → 40 (−8)', '1 → –', '0.11 → 0.50')
        >>> cell_text(Compared(WithInterval(3.41, 3.35, 3.47), "A C"))
        '3.41 A C'
    """
    match cell:
        case Number(value, digits, is_signed, least, most):
            shown = plain(value) if digits is None else number(value, digits, least=least, most=most)
            return with_sign(shown) if is_signed else shown
        case Change():
            return _change_text(cell)
        case Count(value, is_small):
            return f"{count(value)}*" if is_small else count(value)
        case Share(value, digits):
            return percent(value, digits)
        case WithInterval():
            return _interval_text(cell)
        case Compared(figure, mark, is_small):
            alone = replace(figure, low=math.nan, high=math.nan)
            return f"{_interval_text(alone)}{'*' if is_small else ''} {mark}".rstrip()
        case Label(text) | Flag(text):
            return text
        case Quoted(text, limit):
            return clip_text("" if text is None else text, limit).shown
        case Marked(pieces):
            return one_line("".join(piece.text for piece in pieces))
        case _:
            assert_never(cell)


def is_wordy(rows: Iterable[Sequence[Cell]], column: int) -> bool:
    """Return true if a column contains only texts, which are aligned left."""
    return all(isinstance(row[column], Label | Quoted | Flag | Marked) for row in rows)


def line_text(line: Line) -> str:
    """Format a line as plain text, with users' texts on one line."""
    match line:
        case str():
            return printable(line)
        case Quoted(text, limit):
            return clip_text(text, limit).shown
        case _:
            return "".join(line_text(part) for part in line)


def unbroken(line: Line) -> Line:
    """Keep numbers and percent signs together in phrases of Semscale; users' texts stay unchanged.

    Examples:
        >>> unbroken(("95 % of ", Quoted("5 %"))) == ("95\u00a0% of ", Quoted("5 %"))
        True
    """
    match line:
        case str():
            return percents_unbroken(line)
        case Quoted():
            return line
        case _:
            return tuple(percents_unbroken(part) if isinstance(part, str) else part for part in line)


def heading_text(head: Line) -> str:
    """Format a heading: phrases of Semscale start with a capital; a user's text stays unchanged.

    Examples:
        >>> heading_text("mean score"), heading_text(Quoted("gpt")), heading_text((Quoted("gpt"), ": score"))
        ('Mean score', 'gpt', 'gpt: score')
    """
    match head:
        case str():
            return capitalise(line_text(head))
        case (str(first), *others):
            return line_text((capitalise(first), *others))
        case _:
            return line_text(head)


def _change_text(cell: Change) -> str:
    before, after = cell.before, cell.after
    if cell.digits is not None:
        return f"{number(before, cell.digits)} → {number(after, cell.digits)}"
    difference = None if before is None or after is None else after - before
    known = "" if difference is None else f" ({with_sign(plain(difference))})"
    return f"{plain(before)} → {plain(after)}{known}"


def _interval_text(cell: WithInterval) -> str:
    shown = (
        percent_with_interval(cell, cell.percent_digits)
        if cell.is_share
        else with_interval(cell, cell.digits)
    )
    if cell.signed:
        shown = with_sign(shown)
    no_interval = cell.low != cell.low
    return f"{shown} ({cell.note})" if cell.note and no_interval else shown
