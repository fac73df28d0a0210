"""Messages of failed snapshots: scores with their limits, findings, and differing words."""

import math
import textwrap
from collections.abc import Iterator, Sequence

from semscale.history.items import Output
from semscale.snapshots.comparison import Breach, SnapshotComparison, SnapshotPair
from semscale.snapshots.session_scorer import SnapshotMeter
from semscale.snapshots.word_differences import MarkedText, mark_words

_WIDTH = 100
_PAIRS_SHOWN = 10


def explain_failure(compared: SnapshotComparison, meter: SnapshotMeter) -> list[str]:
    """Explain in lines which limits were breached.

    Args:
        compared: the comparison.
        meter: finds the words that differ.
    """
    failed = [pair for pair in compared.pairs if pair.breaches]
    lines = []
    for pair in failed[:_PAIRS_SHOWN]:
        lines += _pair_lines(compared, pair, meter)
    if len(failed) > _PAIRS_SHOWN:
        lines += [f"and {len(failed) - _PAIRS_SHOWN} more outputs that go too far"]
    for breach in compared.breaches:
        lines += [f"outputs without a partner: {breach.value:g}, max_unpaired is {breach.limit:g}"]
    for places, outputs, what in (
        (compared.missing, compared.approved, "missing: approved"),
        (compared.extra, compared.actual, "extra: now"),
    ):
        for place in places:
            lines += [f"{what} output {place + 1} of {len(outputs)}", *_text("  ", _shown(outputs[place]))]
    return lines


def describe_outputs(outputs: Sequence[Output]) -> list[str]:
    """Return outputs as lines, one after the other."""
    if not outputs:
        return ["  (no output)"]
    labels = [f"  {place}. " if len(outputs) > 1 else "  " for place in range(1, len(outputs) + 1)]
    return [
        line for label, output in zip(labels, outputs, strict=True) for line in _text(label, _shown(output))
    ]


def _pair_lines(compared: SnapshotComparison, pair: SnapshotPair, meter: SnapshotMeter) -> list[str]:
    ours, theirs = compared.approved[pair.approved], compared.actual[pair.actual]
    lines = []
    if len(compared.approved) > 1 or len(compared.actual) > 1:
        lines += [f"output {pair.actual + 1}, beside approved output {pair.approved + 1}"]
    lines += [f"  {_breach(breach, ours, theirs)}" for breach in pair.breaches]
    lines += [f"  guard {finding.guard}: {finding.reason}" for finding in pair.findings]
    if (ours.text or "").strip() == (theirs.text or "").strip():
        return [*lines, *_text("  same text: ", _shown(ours))]
    marked = mark_words(meter.explain(theirs.text or "", ours.text or ""), pair.findings)
    lines += [*_text("  approved: ", marked[0].text), *_text("  now:      ", marked[1].text)]
    return [*lines, *_alone(*marked)]


def _breach(breach: Breach, ours: Output, theirs: Output) -> str:
    if breach.setting == "guards":
        return f"guards found {breach.value:g}, and guards is 'fail'"
    if breach.setting == "wording":
        return f"a contradiction in nearly the same words (match without it {_short(breach.value)})"
    name = breach.setting.removeprefix("min_")
    if breach.setting.startswith("min_"):
        score = (
            "has no value, as the model does not read one of the texts" if math.isnan(breach.value) else ""
        )
        return f"{name} {score or _short(breach.value)}, {breach.setting} is {breach.limit:g}"
    name = breach.setting.removeprefix("max_").removesuffix("_difference")
    values = [f"{side.fields[name]:g}" if name in side.fields else "none" for side in (ours, theirs)]
    return f"{name} was {values[0]} and is {values[1]} now, {breach.setting} is {breach.limit:g}"


def _alone(ours: MarkedText, theirs: MarkedText) -> Iterator[str]:
    for side, words in (("approved", ours.alone), ("now", theirs.alone)):
        if words:
            listed = ", ".join(f"{word} ({_short(cosine)})" for word, cosine in words)
            yield from _text("  ", f"words without a partner, {side}: {listed}")


def _short(value: float) -> str:
    """Write a score with two digits, rounded down, so that one below its limit never looks equal to it.

    Example:
        >>> _short(0.5499), _short(0.7)
        ('0.54', '0.70')
    """
    return f"{math.floor(value * 100 + 1e-6) / 100:.2f}"


def _shown(output: Output) -> str:
    numbers = ", ".join(f"{name} {value:g}" for name, value in sorted(output.fields.items()))
    text = "(says nothing)" if output.is_silent else output.text or ""
    return f"{text} ({numbers})" if numbers else text


def _text(label: str, text: str) -> list[str]:
    lines = [
        line
        for paragraph in text.split("\n")
        for line in textwrap.wrap(paragraph, _WIDTH - len(label), break_long_words=False) or [""]
    ]
    return [label + lines[0], *(" " * len(label) + line for line in lines[1:])]
