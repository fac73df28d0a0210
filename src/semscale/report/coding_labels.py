"""Sentences and a table on what further hand-coded answers would bring."""

from collections.abc import Sequence

from semscale.coding.label_advice import LabelAdvice, LearningGain
from semscale.report.document import DataTable, Number, Paragraph, Quoted, Section, Value
from semscale.report.formatting import count, has_interval, number, one_line, with_sign
from semscale.report.parts import section, table

_NAME = 60
_METHOD = (
    "Expected half-widths of the intervals, in points, by the formula of corrected shares "
    "(prediction-powered inference). Further answers are assumed to be drawn like those so far, and the "
    "coder not to learn from them."
)


def advice_section(advice: LabelAdvice | None) -> Section | None:
    """Build the section on further hand-coded answers; ``None`` without advice."""
    if advice is None:
        return None
    return section(
        "further-labels",
        "Are more hand-coded answers worth it?",
        Paragraph(" ".join(advice_sentences(advice)), "note", detail="both"),
        _table(advice),
        _METHOD,
    )


def advice_sentences(advice: LabelAdvice) -> list[str]:
    """State what further hand-coded answers would bring, in at most three sentences."""
    return [*_width_sentences(advice), *([gain_sentence(advice.gain)] if advice.gain else [])]


def _width_sentences(advice: LabelAdvice) -> list[str]:
    n, *further = advice.sizes
    if not further:
        return [f"Nearly all of the {count(advice.n_answers)} answers are coded by hand."]
    more = further[0] - n
    means, widest = advice.means, advice.half_widths[advice.widest]
    if advice.enough == n:
        return [
            f"Further hand-coded answers would change little: {count(more)} more would narrow the corrected "
            f"shares on average from {_points(means[0])} to {_points(means[1])} points."
        ]
    narrower = (
        f"{count(more)} more hand-coded answers would narrow the corrected shares on average from "
        f"{_points(means[0])} to {_points(means[1])} points, and that of "
        f"“{one_line(advice.codes[advice.widest])}” from {_points(widest[0])} to {_points(widest[1])}."
    )
    return [narrower, enough_sentence(advice)]


def enough_sentence(advice: LabelAdvice) -> str:
    """State the number of hand-coded answers beyond which little changes."""
    if advice.enough is None:
        return f"Each further one narrows them noticeably, up to all {count(advice.n_answers)} answers."
    return (
        f"Beyond {count(advice.enough)} in all, little changes: 25 more would narrow them by less than half "
        "a point."
    )


def gain_sentence(gain: LearningGain) -> str:
    """State the gain of the codes themselves from more hand-coded answers."""
    figures = (
        f"Learned from {count(gain.n_few)} and from {count(gain.n_many)} of the hand-coded answers, the "
        f"codes themselves reach an F1 of {number(gain.few)} and {number(gain.many)} on other answers"
    )
    if has_interval(gain.gain):
        ends = f"[{with_sign(number(gain.gain.low))}, {with_sign(number(gain.gain.high))}]"
        figures += f" (difference {with_sign(number(gain.gain.value))} {ends})"
    if gain.is_clear:
        return f"{figures}, so more may improve them further."
    return f"{figures}: it is not clear that more would improve them."


def plan_sentence(advice: LabelAdvice) -> str:
    """State what a sheet to fill in will bring, and the number of answers that is worth coding by hand."""
    widest = advice.half_widths[advice.widest]
    expected = (
        f"forecast: with {count(advice.sizes[0])} hand-coded answers, corrected shares have intervals of "
        f"{_points(advice.means[0])} points on average, and “{one_line(advice.codes[advice.widest])}”, the "
        f"widest, {_points(widest[0])}"
    )
    if advice.enough is None:
        return expected
    return (
        f"{expected}; beyond {count(advice.enough)}, 25 more narrow them by less than half a point: --n "
        f"{advice.enough} is enough"
    )


def _table(advice: LabelAdvice) -> DataTable:
    """List the expected half-width of each code's share by the number of hand-coded answers."""
    heads = ("code", f"{count(advice.sizes[0])} (now)", *map(count, advice.sizes[1:]))
    rows: list[Sequence[Value]] = [
        (Quoted(name, _NAME), *map(_in_points, widths))
        for name, widths in zip(advice.codes, advice.half_widths, strict=True)
    ]
    rows.append(("mean", *map(_in_points, advice.means)))
    return table(heads, rows, noun="code", keeps_last=True, detail="full")


def _in_points(half: float) -> Number:
    return Number(100 * half, 1)


def _points(half: float) -> str:
    """Write a half-width in points.

    Examples:
        >>> _points(0.0912), _points(0.0048)
        ('± 9.1', '± 0.5')
    """
    return f"± {number(100 * half, 1)}"
