"""The object behind the fixture ``semantic_snapshot``: it compares, approves and explains."""

import asyncio
import inspect
import math
import re
import textwrap
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from semscale.errors import InputError, SemscaleError
from semscale.guards.findings import Finding
from semscale.history.items import Output
from semscale.matching.token_scores import ExplainedSide, Explanation
from semscale.snapshots.answer_check import AnswerCheck, check_answer
from semscale.snapshots.compare_outputs import (
    Breach,
    SnapshotComparison,
    SnapshotMeter,
    SnapshotPair,
    compare_outputs,
)
from semscale.snapshots.files import Snapshot, read_outputs, read_snapshots, write_snapshot
from semscale.snapshots.session import SnapshotSession, SnapshotTest
from semscale.snapshots.settings import settle

NO_PARTNER = 0.6
"""A word has no partner if its cosine with the nearest token is below this."""

_WORD = re.compile(r"\S+")
_EDGES = ".,;:!?\"'()[]«»“”„‘’…"

_WIDTH = 100
_PAIRS_SHOWN = 10


class SemanticSnapshot:
    """Compares outputs with a test's approved snapshots; the fixture ``semantic_snapshot`` returns one.

    Args:
        test: the test that uses it.
        session: settings and model that all tests share.
    """

    def __init__(self, test: SnapshotTest, session: SnapshotSession) -> None:
        self._test = test
        self._session = session

    def __call__(
        self,
        actual: object,
        name: str | None = None,
        *,
        min_match: float | None = None,
        max_lost_content: float | None = None,
        min_bertscore_f1: float | None = None,
        min_cosine: float | None = None,
        guards: str | None = None,
        max_unpaired: int | None = None,
        **max_differences: float,
    ) -> SnapshotComparison:
        """Compare a model's outputs with the approved snapshot.

        Settings left at ``None`` come from the test's markers or the ini file.

        Args:
            actual: a text, or a list of texts or of ``{"text": ..., "credits": 1.0}``; the order of a list
                does not matter. Coroutines, or a list of them, are awaited.
            name: tells several snapshots of a test apart; by default they are numbered.
            min_match: the lowest allowed calibrated match, 0 to 1.
            max_lost_content: the greatest share of content that may be lost without a replacement, 0 to 1.
            min_bertscore_f1: the lowest allowed BERTScore F1.
            min_cosine: the lowest allowed cosine.
            guards: ``weigh``, ``fail``, ``warn`` or ``off``.
            max_unpaired: number of outputs that may lack a partner.
            max_differences: the greatest allowed difference of each number, named ``max_<field>_difference``.

        Returns:
            The aligned outputs, with scores and findings.

        Raises:
            AssertionError: a limit is breached, or nothing was approved; the message explains why and states
                the command that approves the output.
            InputError: a setting, an output or a file of snapshots is invalid.
        """
        __tracebackhide__ = True
        chosen = {
            "min_match": min_match,
            "max_lost_content": max_lost_content,
            "min_bertscore_f1": min_bertscore_f1,
            "min_cosine": min_cosine,
            "guards": guards,
            "max_unpaired": max_unpaired,
            **max_differences,
        }
        try:
            compared, problem = self._compare(actual, name, chosen)
        except SemscaleError as error:
            raise error.with_traceback(None) from error.__cause__
        if problem:
            raise AssertionError("\n".join(problem))
        return compared

    def check_answer(
        self,
        answer: str,
        right: str | Sequence[str],
        *,
        question: str = "",
        rejected: Sequence[str] = (),
    ) -> AnswerCheck:
        """Check an answer against a right one that is not stored, such as that of a regression set.

        A test whose answer is unsure is skipped with the reason, so that a person reads it.

        Args:
            answer: the answer.
            right: the right answer, or several, of which the one counts that the answer agrees with best.
            question: the question, with which short answers are understood.
            rejected: answers that people call wrong; the same text fails, unless it is a right answer, too.

        Raises:
            AssertionError: the answer is not right.
        """
        import pytest

        __tracebackhide__ = True
        try:
            checked = check_answer(answer, right, self._session.meter, question=question, rejected=rejected)
        except SemscaleError as error:
            raise error.with_traceback(None) from error.__cause__
        if checked.outcome == "unsure":
            pytest.skip(f"unsure, read it: {checked.reason}")
        if checked.outcome == "fail":
            lines = [f"the answer fails: {checked.reason}."]
            lines += [f"  guard {finding.guard}: {finding.reason}" for finding in checked.findings]
            rights = [right] if isinstance(right, str) else right
            texts = (("question", question), *(("right answer", one) for one in rights), ("answer", answer))
            lines += [line for name, text in texts if text for line in _text(f"  {name}: ", text)]
            raise AssertionError("\n".join(lines))
        return checked

    def _compare(
        self, actual: object, name: str | None, chosen: Mapping[str, object]
    ) -> tuple[SnapshotComparison, list[str]]:
        settings = settle(self._session.defaults, *self._test.settings, chosen)
        outputs = read_outputs(await_outputs(actual))
        name = self._claim(name)
        snapshot = read_snapshots(self._test.file).get(self._test.key, {}).get(name)
        if snapshot is None:
            return self._without_snapshot(name, outputs)
        compared = compare_outputs(snapshot.outputs, outputs, settings, self._session.meter)
        differs = _differences(snapshot.measured_by, compared.measured_by)
        if self._session.approve:
            if not compared.passed:
                self._approve(name, outputs)
            elif differs:
                self._approve(name, snapshot.outputs)
            return compared, []
        if differs:
            self._test.other_settings.append(f"{name}: {differs}")
        return compared, [] if compared.passed else self._failure(name, compared, differs)

    def _claim(self, name: str | None) -> str:
        """Return the snapshot's name: the argument, or its number in the test."""
        if name is None:
            name = next(str(n) for n in range(1, len(self._test.used) + 2) if str(n) not in self._test.used)
        if not isinstance(name, str) or not name.strip():
            raise InputError("name", f"must be a text that names the snapshot, got {name!r:.60}")
        if name in self._test.used:
            raise InputError("name", f"must differ between the snapshots of a test, got {name!r} again")
        self._test.used.append(name)
        return name

    def _without_snapshot(
        self, name: str, outputs: tuple[Output, ...]
    ) -> tuple[SnapshotComparison, list[str]]:
        compared = SnapshotComparison((), outputs, ())
        if self._session.approve:
            self._approve(name, outputs)
            return compared, []
        return compared, [
            f"snapshot {name!r} was never approved. Its text is:",
            *describe_outputs(outputs),
            "To approve it:",
            f"  {self._test.command}",
        ]

    def _approve(self, name: str, outputs: tuple[Output, ...]) -> None:
        silent = [position + 1 for position, output in enumerate(outputs) if output.is_silent]
        if silent:
            raise InputError(
                f"snapshot {name!r} cannot be approved: output {silent[0]} of {len(outputs)} has no text; "
                "leave empty outputs out of the list"
            )
        snapshot = Snapshot(outputs, self._session.meter.measured_by)
        write_snapshot(self._test.file, self._test.key, name, snapshot)
        self._test.approved.append(name)

    def _failure(self, name: str, compared: SnapshotComparison, differs: str) -> list[str]:
        lines = [f"snapshot {name!r}: its meaning differs from the approved text."]
        if differs:
            lines.append(f"  It was approved under other settings: {differs}")
        lines += explain_failure(compared, self._session.meter)
        return [*lines, "To approve the new text:", f"  {self._test.command}"]


def await_outputs(actual: object, fixture: str = "semantic_snapshot") -> object:
    """Await a test's output, or all outputs in a list concurrently.

    Args:
        actual: an awaitable such as a coroutine, or a list that contains awaitables. Any other value is
            returned unchanged.
        fixture: name of the fixture, for the error.

    Raises:
        InputError: the test itself is asynchronous, so it must await its outputs.

    Examples:
        >>> async def generate(question):
        ...     return f"An answer to {question}"
        >>> await_outputs([generate("A"), "B"])
        ['An answer to A', 'B']
    """
    waiting = [output for output in _as_list(actual) if inspect.isawaitable(output)]
    if not waiting:
        return actual
    if _has_running_loop():
        for output in waiting:
            _drop(output)
        raise InputError(
            f"in an asynchronous test, await the output: {fixture}(await generate(...)); a list: "
            f"{fixture}(await asyncio.gather(...))"
        )
    return asyncio.run(_gather(actual))


def explain_failure(compared: SnapshotComparison, meter: SnapshotMeter) -> list[str]:
    """Describe the breached limits, as lines of text.

    Args:
        compared: the comparison.
        meter: finds the words that differ.
    """
    failed = [pair for pair in compared.pairs if pair.breaches]
    lines = []
    for pair in failed[:_PAIRS_SHOWN]:
        lines += _pair_lines(compared, pair, meter)
    if len(failed) > _PAIRS_SHOWN:
        lines += [f"and {len(failed) - _PAIRS_SHOWN} more outputs that breach a limit"]
    for breach in compared.breaches:
        lines += [f"outputs without a partner: {breach.value:g}, max_unpaired is {breach.limit:g}"]
    for positions, outputs, label in (
        (compared.missing, compared.approved, "missing: approved"),
        (compared.extra, compared.actual, "extra: now"),
    ):
        for position in positions:
            lines += [
                f"{label} output {position + 1} of {len(outputs)}",
                *_text("  ", _format_output(outputs[position])),
            ]
    return lines


def describe_outputs(outputs: Sequence[Output]) -> list[str]:
    """Return the outputs as lines of text."""
    if not outputs:
        return ["  (no output)"]
    labels = [f"  {number}. " if len(outputs) > 1 else "  " for number in range(1, len(outputs) + 1)]
    return [
        line
        for label, output in zip(labels, outputs, strict=True)
        for line in _text(label, _format_output(output))
    ]


@dataclass(frozen=True)
class MarkedText:
    """A text in which words without a partner, and words of a guard's finding, are marked.

    Attributes:
        text: the text with marks.
        alone: the words without a partner, in order, each with the cosine of its nearest token.
    """

    text: str
    alone: tuple[tuple[str, float], ...]


def mark_words(explanation: Explanation, findings: Iterable[Finding]) -> tuple[MarkedText, MarkedText]:
    """Mark the words that differ, as ``[-approved-]`` and ``{+now+}``.

    Args:
        explanation: BERTScore's matches of the actual text (prediction) with the approved one (reference).
        findings: findings of the guards.

    Returns:
        The approved text, and the actual text.
    """
    listed = list(findings)
    approved = [span for finding in listed if (span := finding.reference) is not None]
    actual = [span for finding in listed if (span := finding.prediction) is not None]
    return (
        _mark_text(explanation.reference, [(span.start, span.end) for span in approved], ("[-", "-]")),
        _mark_text(explanation.prediction, [(span.start, span.end) for span in actual], ("{+", "+}")),
    )


def _differences(approved: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Describe the differing settings of two measurements; empty if nothing was measured now."""
    return ", ".join(
        f"{name} {approved.get(name, 'none')}, now {value}"
        for name, value in now.items()
        if approved.get(name) != value
    )


async def _gather(actual: object) -> object:
    """Await the outputs concurrently; return a list if ``actual`` is a list."""
    outputs = await asyncio.gather(*(_settle(output) for output in _as_list(actual)))
    return outputs if isinstance(actual, list | tuple) else outputs[0]


async def _settle(output: object) -> object:
    return await output if isinstance(output, Awaitable) else output


def _as_list(actual: object) -> list[object]:
    return list(actual) if isinstance(actual, list | tuple) else [actual]


def _has_running_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _drop(output: object) -> None:
    """Close a coroutine that is never awaited, so that Python does not warn about it."""
    if inspect.iscoroutine(output):
        output.close()


def _pair_lines(compared: SnapshotComparison, pair: SnapshotPair, meter: SnapshotMeter) -> list[str]:
    approved, actual = compared.approved[pair.approved], compared.actual[pair.actual]
    lines = []
    if len(compared.approved) > 1 or len(compared.actual) > 1:
        lines += [f"output {pair.actual + 1}, compared with approved output {pair.approved + 1}"]
    lines += [f"  {_breach(breach, approved, actual)}" for breach in pair.breaches]
    lines += [f"  guard {finding.guard}: {finding.reason}" for finding in pair.findings]
    if (approved.text or "").strip() == (actual.text or "").strip():
        return [*lines, *_text("  same text: ", _format_output(approved))]
    marked = mark_words(meter.explain(actual.text or "", approved.text or ""), pair.findings)
    lines += [*_text("  approved: ", marked[0].text), *_text("  now:      ", marked[1].text)]
    return [*lines, *_alone(*marked)]


def _breach(breach: Breach, approved: Output, actual: Output) -> str:
    if breach.setting == "guards":
        return f"guards found {breach.value:g}, and guards is 'fail'"
    if breach.setting == "wording":
        return f"a contradiction in nearly the same words (without it, the match is {_short(breach.value)})"
    if breach.setting == "max_lost_content":
        return f"content was lost: {_short(breach.value)}, max_lost_content is {breach.limit:g}"
    name = breach.setting.removeprefix("min_")
    if breach.setting.startswith("min_"):
        score = (
            "has no value, as the model does not read one of the texts" if math.isnan(breach.value) else ""
        )
        return f"{name} {score or _short(breach.value)}, {breach.setting} is {breach.limit:g}"
    name = breach.setting.removeprefix("max_").removesuffix("_difference")
    values = [f"{side.fields[name]:g}" if name in side.fields else "none" for side in (approved, actual)]
    return f"{name} was {values[0]} and is {values[1]} now, {breach.setting} is {breach.limit:g}"


def _alone(approved: MarkedText, actual: MarkedText) -> Iterator[str]:
    for compared_with, alone in (("new", approved.alone), ("approved", actual.alone)):
        if alone:
            listed = ", ".join(f"{word} (nearest {_short(cosine)})" for word, cosine in alone)
            yield from _text("  ", f"no similar word in the {compared_with} text: {listed}")


def _short(value: float) -> str:
    """Write a score with two digits, rounded down, so that one below its limit never looks equal to it.

    Examples:
        >>> _short(0.5499), _short(0.7)
        ('0.54', '0.70')
    """
    return f"{math.floor(value * 100 + 1e-6) / 100:.2f}"


def _format_output(output: Output) -> str:
    numbers = ", ".join(f"{name} {value:g}" for name, value in sorted(output.fields.items()))
    text = "(no text)" if output.is_silent else output.text or ""
    return f"{text} ({numbers})" if numbers else text


def _text(label: str, text: str) -> list[str]:
    lines = [
        line
        for paragraph in text.split("\n")
        for line in textwrap.wrap(paragraph, _WIDTH - len(label), break_long_words=False) or [""]
    ]
    return [label + lines[0], *(" " * len(label) + line for line in lines[1:])]


def _mark_text(side: ExplainedSide, spans: list[tuple[int, int]], marks: tuple[str, str]) -> MarkedText:
    pieces, alone, end = [], [], 0
    for word in _WORD.finditer(side.text):
        pieces.append(side.text[end : word.start()])
        end = word.end()
        shown = word.group().strip(_EDGES) or word.group()
        similarity = _similarity(side, word.start(), word.end())
        lonely = similarity is not None and similarity < NO_PARTNER
        in_finding = any(start < word.end() and word.start() < stop for start, stop in spans)
        if lonely and similarity is not None:
            alone.append((shown, similarity))
        changed = lonely or in_finding
        pieces.append(
            word.group().replace(shown, f"{marks[0]}{shown}{marks[1]}", 1) if changed else word.group()
        )
    return MarkedText("".join([*pieces, side.text[end:]]), tuple(alone))


def _similarity(side: ExplainedSide, start: int, end: int) -> float | None:
    """Return the mean cosine of a word's tokens with their partners; ``None`` for punctuation."""
    inside = [
        float(similarity)
        for (first, last), similarity in zip(side.offsets.tolist(), side.similarity, strict=True)
        if start <= first < last <= end and any(mark.isalnum() for mark in side.text[first:last])
    ]
    return sum(inside) / len(inside) if inside else None
