"""The document of a gate: the verdict, the most serious fact, the next step, and the clearest examples."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from itertools import islice
from os.path import commonprefix
from typing import TYPE_CHECKING

from semscale.drift.anchors import Moved, RulerCheck
from semscale.drift.comparison import AlignedPair
from semscale.drift.decision import FEWEST_TO_PASS, GateDecision, MetricTest
from semscale.drift.decision import Change as Changed
from semscale.drift.metrics import QUALITY_METRICS, mean_loss, metric_label
from semscale.drift.runs import ItemMatching
from semscale.drift.summary import DriftSummary
from semscale.history.items import Output
from semscale.history.runs import Approval, Run, list_names, now, short_id
from semscale.history.stored_comparison import Outcome
from semscale.report import chart_data, parts
from semscale.report.chart_data import ChartData
from semscale.report.chart_kit import diverging
from semscale.report.document import (
    Cell,
    Change,
    ComparedItem,
    ComparedItems,
    ComparedPair,
    DataTable,
    Decision,
    Document,
    Figure,
    Findings,
    Flag,
    Label,
    Level,
    Line,
    Marked,
    Number,
    Paragraph,
    Piece,
    Quoted,
    Section,
    Value,
    WithInterval,
    estimate_cell,
    notices,
    p_cell,
    stamp,
)
from semscale.report.figures import describe_rows, matrix_chart
from semscale.report.formatting import (
    MISSING,
    capitalise,
    cell_text,
    clip_text,
    count,
    count_of,
    digits_for,
    join_list,
    number,
    one_line,
    printable,
    with_sign,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.row_charts import ForestRow, forest, legend
from semscale.report.sentences import language_name, position_bias_note, windows_note
from semscale.results.languages import ENGLISH
from semscale.spelling import hint
from semscale.stats.intervals import IntervalPlan

if TYPE_CHECKING:
    from semscale.drift.quality_scores import JudgedRuns

OUTCOMES = {Outcome.FAIL: "failed", Outcome.UNDECIDED: "undecided", Outcome.PASS: "passed"}
"""Outcomes of a gate as words of a sentence."""

LEVELS: dict[Outcome, Level] = {Outcome.FAIL: "fail", Outcome.UNDECIDED: "warn", Outcome.PASS: "pass"}
"""Levels of outcomes."""

TEXTS = 3
"""Number of items with texts at the top of the page."""

_SHOWN_PAIRS, _SHOWN_FINDINGS = 2, 4
_MOST_GROUPS, _MOST_NAMED = 24, 5
_LONGEST_OUTPUT, _LONGEST_INPUT, _LONGEST_REASON, _LONGEST_NAME = 500, 400, 200, 80
_BRIEF_OUTPUT, _BRIEF_LEAD_IN = 44, 14  # of the screen's table, whose cells have 44 characters
_LEAD_IN = 80  # characters shown before the first difference of long texts
_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
_ORANGE = 0.75  # of the way to the darkest colour, which is brown
_BETTER = {Changed.BETTER, Changed.SLIGHTLY_BETTER}
SAME_SUBJECT = {
    "silenced": "fewer_outputs",
    "lost_outputs": "fewer_outputs",
    "changed_numbers": "changed_numbers",
}
"""Limits with the metrics on the same subject; a page states only the one that failed."""

_NUMBERS_NOTE = (
    "Loss is 1 minus a similarity, or the share of outputs or items that are affected. Drift is the "
    "candidate's mean loss, squared for similarities, minus the mean among baseline and reruns, with its "
    "one-sided 95 % bounds. p is corrected for the number of metrics (Westfall and Young)."
)


def drift_document(summary: DriftSummary) -> Document:
    """Turn a comparison with the gate's decision into a document."""
    comparison, decision = summary.comparison, summary.decision
    return Document(
        kind="drift report",
        name="Drift gate",
        title=_title(summary),
        source=(
            Quoted(comparison.baseline.dataset, _LONGEST_NAME),
            f"{comparison.candidate.recorded:%Y-%m-%d}",
        ),
        lead=_decision(summary),
        introduction=(
            *_reasons(summary),
            *(Paragraph(line, detail="brief") for line in _run_lines(summary)),
        ),
        next_step=f"{summary.advice}.",
        notices=notices(
            cautions=_cautions(summary),
            notes=[
                windows_note(comparison.n_windowed, "item"),
                *_direction_notes(summary),
                _head_note(summary),
            ],
        ),
        facts=_counts(summary),
        sections=without_none(
            _texts_section(summary),
            _checks_section(summary),
            _metrics_section(summary),
            *_group_sections(summary),
            _quality_section(summary),
            _ruler_section(summary),
            _languages_section(summary),
            _runs_section(summary),
        ),
        settings=(
            ("Dataset", Quoted(comparison.baseline.dataset)),
            *_versions(comparison.matching),
            *([] if summary.head is None else [("Last hash of the history", summary.head)]),
            *parts.signature_fields(summary.signature),
        ),
        signature=summary.signature,
        ending=(_verdict(summary, decision), LEVELS[decision.outcome]),
    )


def _decision(summary: DriftSummary) -> Decision:
    """Return the gate's decision as the lead of a document."""
    outcome = summary.decision.outcome
    return Decision(
        OUTCOMES[outcome], LEVELS[outcome], ("The gate's decision about “", model_name(summary), "”")
    )


def _reasons(summary: DriftSummary) -> tuple[Paragraph, ...]:
    """Return the facts that decided, the most serious first, as paragraphs."""
    return tuple(Paragraph(f"{fact}.", "lead", detail="both") for fact in gravest_facts(summary))


def job_summary(summary: DriftSummary) -> Document:
    """Return the document of a gate for the summary of a CI job: verdict, clearest examples, and checks."""
    return Document(
        kind="drift report",
        name="Drift gate",
        title=f"Drift gate {OUTCOMES[summary.decision.outcome]}",
        source=(Quoted(summary.comparison.baseline.dataset, _LONGEST_NAME), *_run_lines(summary)),
        lead=_decision(summary),
        introduction=_reasons(summary),
        next_step=f"{summary.advice}.",
        notices=notices(cautions=_cautions(summary)),
        facts=_counts(summary),
        sections=without_none(_texts_section(summary), _checks_section(summary)),
        signature=summary.signature,
    )


def model_name(summary: DriftSummary) -> Quoted:
    """Name the candidate's model."""
    return Quoted(summary.comparison.candidate.model, 60)


def gravest_facts(summary: DriftSummary) -> tuple[str, ...]:
    """Return the facts that decided, the most serious first, as sentences without full stops."""
    decision, ruler = summary.decision, summary.ruler
    moved = (capitalise(ruler.sentence),) if ruler is not None and ruler.has_moved else ()
    if decision.outcome is Outcome.FAIL:
        failures = summary.failures
        also = (f"{count_of(len(failures) - 1, 'more reason')} below",) if len(failures) > 1 else ()
        return (capitalise(failures[0].sentence), *also)
    if moved:
        return moved
    if decision.outcome is Outcome.UNDECIDED:
        return _facts_if_undecided(summary, decision)
    slight = tuple(capitalise(slight_sentence(summary, test)) for test in decision.slightly_worse)
    return slight or (_greatest_drift(decision.overall),)


def _facts_if_undecided(summary: DriftSummary, decision: GateDecision) -> tuple[str, ...]:
    undecided = [test for test in decision.overall if test.outcome is Outcome.UNDECIDED]
    if not undecided:
        return tuple(check.sentence for check in decision.undecided_limits)
    lost = decision.lost_content
    first_test, *other_tests = sorted(
        undecided, key=lambda test: (test not in lost, _is_too_few(test), test.urgency)
    )
    if _is_too_few(first_test):
        return (_too_few_sentence(first_test),)
    first = capitalise(bounds_sentence(summary, first_test))
    if not summary.comparison.reruns:
        copies = len(summary.comparison.copies)
        why = "There is no rerun of the baseline"
        if copies:
            why = f"The baseline has {count_of(copies, 'rerun')}, left out as a repetition of another run"
        return (f"{why}, so chance alone may explain the change", first)
    names = join_list([metric_label(test.metric) for test in other_tests])
    return (first, f"Also undecided: {names}") if names else (first,)


def slight_sentence(summary: DriftSummary, test: MetricTest) -> str:
    """State a drift below the margin that chance does not explain, with its items, without a full stop."""
    comparison = summary.comparison
    ids = [comparison.baseline.items[index].id for index in summary.drifting(test)]
    sentence = printable(test.sentence(comparison.metrics[test.metric]))
    size = "" if test.size in sentence else f" ({test.size})"
    items = f": {list_names(ids)}" if ids else ""
    return f"{sentence}{size}, less than the margin but more than chance explains{items}"


def bounds_sentence(summary: DriftSummary, test: MetricTest) -> str:
    """State the bounds of an undecided test in a sentence without a full stop."""
    metric = summary.comparison.metrics[test.metric]
    digits = digits_for(0, metric.span)
    drift, high, margin = (number(value, digits) for value in (test.drift, test.high, test.margin))
    if not test.n:
        return f"{_subject(test)} has no value"
    if test.change is Changed.SLIGHTLY_WORSE:
        return slight_sentence(summary, test)
    if _is_too_few(test):
        return f"{_subject(test)}: {_too_few_sentence(test)}"
    unit = f" {one_line(metric.unit)}" if metric.unit else ""
    return (
        f"{_subject(test)} may have become worse: by {with_sign(drift)}{unit} on average, and by up to "
        f"{with_sign(high)} (95 % sure); {margin} or more counts as worse"
    )


def _is_too_few(test: MetricTest) -> bool:
    """Return true if only the number of items prevents a test from passing."""
    is_slight = test.change is Changed.SLIGHTLY_WORSE
    return 0 < test.n < FEWEST_TO_PASS and not test.high >= test.margin and not is_slight


def _too_few_sentence(test: MetricTest) -> str:
    return f"{count_of(test.n, 'item')}: fewer than {FEWEST_TO_PASS} items cannot show that nothing changed"


def _subject(test: MetricTest) -> str:
    where = "" if test.group is None else f" in {one_line(' '.join(test.group))}"
    return f"{one_line(metric_label(test.metric))}{where}"


def _greatest_drift(tests: Iterable[MetricTest]) -> str:
    known = [test for test in tests if math.isfinite(test.drift)]
    if not known:
        return "No item has a value, so there is nothing to compare"
    worst = max(known, key=lambda test: test.in_margins)
    if worst.in_margins <= 0:
        return "No drift was found"
    return f"The greatest drift is that of {_subject(worst)}: {in_margins(worst.in_margins)} times its margin"


def in_margins(drift: float) -> str:
    """Format a drift above 0, as a multiple of its margin.

    Examples:
        >>> in_margins(0.83), in_margins(0.004)
        ('0.8', '< 0.1')
    """
    return number(drift, 1, least=0.1)


def _title(summary: DriftSummary) -> Line:
    decision, name = summary.decision, model_name(summary)
    if decision.rejections:
        return ("“", name, "” was rejected")
    if decision.outcome is Outcome.FAIL:
        return ("“", name, "” is worse than the baseline")
    if decision.outcome is Outcome.PASS and decision.slightly_worse:
        return ("“", name, "” is worse than the baseline by less than the margins")
    if decision.outcome is Outcome.PASS:
        return ("“", name, "” is as good as the baseline")
    return ("“", name, "” may be worse than the baseline")


def _verdict(summary: DriftSummary, decision: GateDecision) -> str:
    verdict = f"{decision.outcome}: {'. '.join(gravest_facts(summary))}."
    if decision.outcome is not Outcome.FAIL:
        return verdict
    candidate = short_id(summary.comparison.candidate.id)
    return verdict + hint(
        f" If this change is intended: semscale drift approve {candidate} --approved-by NAME --why REASON."
    )


def run_line(run: Run) -> str:
    """Return one line with the id, model and recording time of a run."""
    return f"{short_id(run.id)}  {one_line(run.model)}  {run.recorded:%Y-%m-%d %H:%M} UTC"


def expiry(expires: datetime, time: str) -> str:
    """State the end of a decision: its last day if it ends with a day in UTC, or else the time.

    Args:
        expires: the end, in UTC.
        time: format of the time.

    Examples:
        >>> expiry(datetime(2027, 1, 16), "%Y-%m-%d"), expiry(datetime(2027, 1, 16, 9), "%Y-%m-%d")
        ('through 2027-01-15', 'until 2027-01-16')
    """
    is_midnight = expires.time() == datetime.min.time()
    return f"through {expires - timedelta(days=1):%Y-%m-%d}" if is_midnight else f"until {expires:{time}}"


def _run_lines(summary: DriftSummary) -> Iterator[str]:
    comparison, approval = summary.comparison, summary.approval
    if summary.recorded_from is not None:
        yield f"recorded {printable(summary.recorded_from)} as {short_id(comparison.candidate.id)}"
    approved = f", approved by {one_line(approval.by)}" if approval is not None else ""
    if approval is not None and approval.expires:
        approved += f" {expiry(approval.expires, '%Y-%m-%d')}"
    yield f"candidate  {run_line(comparison.candidate)}"
    yield f"baseline   {run_line(comparison.baseline)}{approved}"
    reruns, n, left_out = len(comparison.reruns), len(comparison.baseline.items), comparison.n_left_out
    total = n + comparison.matching.n_left_out
    compared = f"{count(n - left_out)} of {count_of(total, 'item')} compared"
    why = f", {count(left_out)} left out, as neither run has a text" if left_out else ""
    copies = f", {count(len(comparison.copies))} left out" if comparison.copies else ""
    yield f"{compared}{why}; {count_of(reruns, 'rerun') if reruns else 'no rerun'} of the baseline{copies}"
    if new := comparison.matching.new:
        items = count_of(len(new), "new item")
        yield f"{items} that the baseline does not have, not compared: {list_names(new)}"


def _counts(summary: DriftSummary) -> tuple[tuple[str, Cell], ...]:
    outcomes = Counter(test.outcome for test in summary.decision.tests)
    return parts.facts(
        ("Items", len(summary.comparison.baseline.items)),
        ("Left out", summary.comparison.n_left_out),
        ("Without output", summary.n_silent),
        ("Reruns", len(summary.comparison.reruns)),
        *((f"Tests {word}", outcomes[outcome]) for outcome, word in OUTCOMES.items()),
    )


def _cautions(summary: DriftSummary) -> Iterator[str]:
    comparison, decision, ruler = summary.comparison, summary.decision, summary.ruler
    matching = comparison.matching
    if matching.changed:
        yield (
            f"{count(len(matching.changed))} of {count_of(matching.n_baseline, 'item')} have another input "
            f"in the candidate and were not compared: {list_names(matching.changed)}"
        )
    yield from decision.cautions
    if comparison.judged is not None:
        first = comparison.judged.summarize(IntervalPlan()).first_place
        if bias := position_bias_note("the judge", first):
            yield f"{bias}; asking in both orders cancels this"
    if ruler is not None and ruler.declared:
        changed = ", ".join(
            f"{one_line(name)} {one_line(before or 'none')} → {one_line(after or 'none')}"
            for name, (before, after) in islice(ruler.declared.items(), TEXTS)
        )
        yield (
            f"the anchors are measured with another ruler than before ({changed}): do not compare its "
            "figures with earlier ones"
        )


def _direction_notes(summary: DriftSummary) -> Iterator[str]:
    for metric in summary.comparison.metrics.values():
        if metric.is_assumed:
            field = one_line(metric.unit)
            yield (
                f"{field}: {metric.direction} is better, as its name implies"
                + hint(f"; with --direction {field}=either any change counts")
            )


def _head_note(summary: DriftSummary) -> str:
    if summary.head is None:
        return ""
    return f"last hash of the history: {summary.head[:16]}; note it to check the history" + hint(
        " (--verify --head)"
    )


def _versions(matching: ItemMatching) -> Iterator[tuple[str, str]]:
    if matching.versions is not None:
        baseline, candidate = matching.versions
        yield (
            "Dataset version",
            baseline if baseline == candidate else f"{baseline}, of the candidate {candidate}",
        )


def _texts_section(summary: DriftSummary) -> Section | None:
    items = summary.telling_items(TEXTS)
    if not items:
        return None
    pairs = [pair for index in items for pair in summary.pairs_of(index)[:_SHOWN_PAIRS]]
    guards = sorted({finding.guard for pair in pairs for finding in pair.findings})
    compared = ComparedItems(
        tuple(_item(summary, index) for index in items),
        tuple((guard, parts.GUARD_MEANINGS.get(guard, ""), None) for guard in guards),
        brief_title="Texts",
        heads=("item", "baseline", "candidate"),
    )
    title = "The clearest example" if len(items) == 1 else "The clearest examples"
    return section("texts", title, compared)


def _item(summary: DriftSummary, index: int) -> ComparedItem:
    comparison = summary.comparison
    before = comparison.baseline.items[index]
    pairs = sorted(summary.pairs_of(index), key=lambda pair: not pair.findings and pair.candidate is not None)
    return ComparedItem(
        id=Quoted(before.id, _LONGEST_NAME),
        labels=tuple(Quoted(name, _LONGEST_NAME) for name in before.groups.values()),
        input=None if before.input is None else Quoted(before.input, _LONGEST_INPUT),
        pairs=tuple(_pair(summary, pair) for pair in pairs[:_SHOWN_PAIRS]),
        n_more=max(len(pairs) - _SHOWN_PAIRS, 0),
        brief=(Quoted(before.id), *_brief_texts(summary, index, pairs[0] if pairs else None)),
    )


def _brief_texts(summary: DriftSummary, index: int, pair: AlignedPair | None) -> tuple[Quoted, Quoted]:
    """Return the outputs of a pair for the screen, from shortly before their first difference."""
    comparison = summary.comparison
    runs = comparison.baseline, comparison.candidate
    absent = ["(no such output)" if run.items[index].outputs_with_text else "(no output)" for run in runs]
    texts = [None, None] if pair is None else [_text(output) for output in summary.outputs_of(pair)]
    before, after = (text or name for text, name in zip(texts, absent, strict=True))
    first, second = around_difference(before, after, limit=_BRIEF_OUTPUT)
    return Quoted(first), Quoted(second)


def around_difference(left: str, right: str, *, limit: int) -> tuple[str, str]:
    """Cut two texts to ``limit`` characters so that their first difference can be seen.

    Examples:
        >>> around_difference("The main idea is explained well.", "The main idea is not explained.", limit=24)
        ('…main idea is explained…', '…main idea is not…')
        >>> around_difference("It is safe.", "It is not safe.", limit=24)
        ('It is safe.', 'It is not safe.')
    """
    texts = one_line(left), one_line(right)
    longest = max(map(len, texts))
    if longest <= limit:
        return texts
    common = len(commonprefix(texts))
    start = max(0, min(common - _BRIEF_LEAD_IN, longest - limit + 1))
    if start:
        start = texts[0].find(" ", start, common) + 1 or common
    room = limit - 1 if start else limit
    rests = [text[start:] for text in texts]
    shown = [rest if len(rest) <= room else clip_text(rest, room - 1).shown for rest in rests]
    first, second = (f"…{text}" if start else text for text in shown)
    return first, second


def _pair(summary: DriftSummary, pair: AlignedPair) -> ComparedPair:
    baseline, candidate = summary.outputs_of(pair)
    before, after = differing(_text(baseline), _text(candidate), limit=_LONGEST_OUTPUT)
    is_same = baseline is not None and candidate is not None and baseline.text == candidate.text
    return ComparedPair(
        baseline=before,
        candidate=after,
        names=("baseline", "candidate, the same" if is_same else "candidate"),
        absent=("the baseline has no such output", "the candidate has no such output"),
        findings=tuple(
            (finding.guard, clip_text(finding.reason, _LONGEST_REASON).shown)
            for finding in pair.findings[:_SHOWN_FINDINGS]
        ),
        figures=tuple(
            (Quoted(name), Change(difference.baseline, difference.candidate))
            for name, difference in summary.differences(pair).items()
            if name != "characters" and difference.value
        ),
    )


def _text(output: Output | None) -> str | None:
    return None if output is None else output.text or ""


def differing(
    baseline: str | None, candidate: str | None, *, limit: int
) -> tuple[Marked | None, Marked | None]:
    """Mark the words that differ between two texts; a text without a counterpart has no marks.

    Args:
        baseline: the earlier text; ``None`` if missing.
        candidate: the later text; likewise.
        limit: number of characters to show of each, from shortly before the first difference.

    Returns:
        Both texts; words that only one of them has are marked ``removed`` or ``added``.

    Examples:
        >>> before, after = differing("It is safe.", "It is not safe.", limit=80)
        >>> [(piece.text, piece.guard) for piece in after.pieces]
        [('It is ', None), ('not', 'added'), (' ', None), ('safe.', None)]
    """
    if baseline is None or candidate is None:
        before_alone, after_alone = (
            None if text is None else _cut([Piece(text, None)], limit) for text in (baseline, candidate)
        )
        return before_alone, after_alone
    left, right = _WORDS.findall(baseline), _WORDS.findall(candidate)
    before: list[Piece] = []
    after: list[Piece] = []
    for operation, *ends in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        start, stop, other_start, other_stop = ends
        is_same = operation == "equal"
        if start < stop:
            before += _marked("".join(left[start:stop]), None if is_same else "removed")
        if other_start < other_stop:
            after += _marked("".join(right[other_start:other_stop]), None if is_same else "added")
    return _cut(before, limit), _cut(after, limit)


def _marked(text: str, mark: str | None) -> Iterator[Piece]:
    """Mark a text without the spaces at its ends."""
    words = text.strip()
    if mark is None or not words:
        yield Piece(text, mark)
        return
    start = text.index(words)
    pieces = (text[:start], None), (words, mark), (text[start + len(words) :], None)
    yield from (Piece(part, kind) for part, kind in pieces if part)


def _cut(pieces: Sequence[Piece], limit: int) -> Marked:
    """Cut a text to ``limit`` characters, from shortly before the first mark of a long text."""
    total = sum(len(piece.text) for piece in pieces)
    shown = list(pieces)
    if total > limit and len(shown) > 1 and shown[0].guard is None and len(shown[0].text) > limit // 2:
        shown[0] = Piece(f"…{shown[0].text[-_LEAD_IN:]}", None)
    left, result = limit, []
    for piece in shown:
        if left <= 0:
            result.append(Piece("…", None))
            break
        text = piece.text if len(piece.text) <= left else f"{piece.text[:left]}…"
        result.append(Piece(text, piece.guard))
        left -= len(piece.text)
    return Marked(tuple(result))


def _checks_section(summary: DriftSummary) -> Section | None:
    decision = summary.decision
    slight = [test for test in decision.slightly_worse if test.outcome is Outcome.PASS]
    findings = (
        *_not_passed(summary, decision),
        *(("warn", f"{capitalise(slight_sentence(summary, test))}.") for test in slight),
        *_list_passed(decision),
    )
    return section("checks", "What the gate checked", Findings(findings, detail="both"))


def _not_passed(summary: DriftSummary, decision: GateDecision) -> Iterator[tuple[Level, Line]]:
    """Return one line for each failed or undecided check."""
    for failure in summary.failures:
        yield "fail", printable(f"{capitalise(failure.sentence)}.")
    for limit in decision.undecided_limits:
        yield "warn", printable(f"{limit.sentence}.")
    failed = [test for test in decision.tests if test.outcome is Outcome.FAIL]
    overall = {test.metric for test in failed if test.group is None}
    repeated = [test for test in failed if test.group is not None and test.metric in overall]
    yield from _of_groups("fail", "Also worse in groups", repeated)
    hidden = _hidden_metrics(decision)
    undecided = [test for test in decision.tests if test.outcome is Outcome.UNDECIDED]
    shown = [test for test in undecided if test.group is None and test.metric not in hidden]
    too_few = [test for test in shown if _is_too_few(test)]
    for n in sorted({test.n for test in too_few}):
        of_n = [test for test in too_few if test.n == n]
        names = join_list([one_line(metric_label(test.metric)) for test in of_n])
        yield "warn", f"{_too_few_sentence(of_n[0])}: {names}."
    for test in sorted((test for test in shown if not _is_too_few(test)), key=lambda test: test.urgency):
        yield "warn", f"{capitalise(bounds_sentence(summary, test))}."
    yield from _of_groups(
        "warn", "Undecided in groups", [test for test in undecided if test.group is not None]
    )
    if summary.ruler is not None:
        yield (
            "warn" if summary.ruler.has_moved else "pass",
            f"{capitalise(printable(summary.ruler.sentence))}.",
        )


def _of_groups(level: Level, title: str, tests: Sequence[MetricTest]) -> Iterator[tuple[Level, Line]]:
    """Summarize the tests of groups in one line."""
    names = [_subject(test) for test in tests[:_MOST_NAMED]]
    more = [f"{count(len(tests) - _MOST_NAMED)} more"] if len(tests) > _MOST_NAMED else []
    if names:
        yield level, f"{title}: {join_list([*names, *more])}."


def _list_passed(decision: GateDecision) -> Iterator[tuple[Level, Line]]:
    """Return one line for each kind of passed checks."""
    hidden = _hidden_metrics(decision)
    better = [_subject(test) for test in decision.tests if test.change in _BETTER]
    if better:
        yield "pass", f"Better than the baseline: {join_list(better)}."
    passed = [
        one_line(metric_label(test.metric))
        for test in decision.overall
        if test.outcome is Outcome.PASS
        and test.metric not in hidden
        and test.change is not Changed.SLIGHTLY_WORSE
    ]
    if passed:
        yield "pass", f"Within the margin: {join_list(passed)}."
    failed = {test.metric for test in decision.tests if test.outcome is Outcome.FAIL}
    held = [
        check.name.replace("_", " ")
        for check in decision.limits
        if check.outcome is Outcome.PASS
        and check.is_checked
        and check.group is None
        and SAME_SUBJECT.get(check.name) not in failed
    ]
    if held:
        yield "pass", f"No more items than allowed: {join_list(held)}."
    for threshold in decision.thresholds:
        if threshold.passed:
            yield "pass", printable(f"{capitalise(threshold.sentence)}.")
    if n_passed := sum(check.passed for check in decision.must_pass):
        yield "pass", f"{count_of(n_passed, 'must-pass item')} did not become worse."


def _hidden_metrics(decision: GateDecision) -> set[str]:
    """Return the metrics on the subject of a broken limit, which would contradict or repeat it."""
    return {SAME_SUBJECT[check.name] for check in decision.broken_limits if check.name in SAME_SUBJECT}


def _metrics_section(summary: DriftSummary) -> Section | None:
    hidden = _hidden_metrics(summary.decision)
    tests = [test for test in summary.overall if test.is_tested and test.metric not in hidden]
    drawn = [test for test in tests if math.isfinite(test.drift)]
    if not drawn:
        return None
    rows = [_forest_row(summary, test) for test in sorted(drawn, key=lambda test: test.urgency)]
    figure = Figure(
        "metrics",
        lambda width: forest(rows, "drift as a multiple of the margin", width=width),
        f"Drift as a multiple of the margin: {describe_rows((row.name, row.text) for row in rows)}.",
        _numbers_table(summary, tests),
        caption="The dot is the drift of each metric as a multiple of its margin, the line its one-sided "
        "95 % bounds. A metric passes if the whole line is left of 1, the margin, and fails if the dot is "
        "beyond it and chance does not explain the drift.",
        legend=legend(rows, gated=summary.decision is not None),
        data=(
            ChartData(
                "points",
                *chart_data.estimates("drift", [(row.name, row) for row in rows]),
                chart_data.decimals(2),
                "drift as a multiple of the margin",
                reference=1.0,
            ),
        ),
    )
    return section("metrics", "How far each metric drifted", figure)


def _forest_row(summary: DriftSummary, test: MetricTest) -> ForestRow:
    metric, margin = summary.comparison.metrics[test.metric], test.margin
    digits = digits_for(0, metric.span)
    return ForestRow(
        name=one_line(metric.label),
        value=test.drift / margin,
        low=test.low / margin,
        high=test.high / margin,
        text=f"{with_sign(number(test.drift, digits))} (margin {number(margin, digits)})",
        short_text=with_sign(number(test.drift, digits)),
        margin=1.0,
        outcome=test.outcome if test.is_tested else None,
    )


def _numbers_table(summary: DriftSummary, tests: Sequence[MetricTest]) -> DataTable:
    """Build the table of tests: losses, drift, margin, p-value and outcome."""

    def format_value(test: MetricTest, value: float | None) -> Number:
        return Number(value, digits_for(0, summary.comparison.metrics[test.metric].span))

    has_groups = any(test.group for test in tests)
    columns: Columns[MetricTest] = (
        ("group", lambda test: Quoted(" ".join(test.group or ()))) if has_groups else None,
        ("metric", lambda test: one_line(metric_label(test.metric))),
        ("items", lambda test: test.n),
        ("loss", lambda test: format_value(test, test.loss)),
        ("loss among reruns", lambda test: format_value(test, test.noise)),
        ("drift", lambda test: _drift_cell(summary, test)),
        ("margin", lambda test: format_value(test, test.margin)),
        ("p", lambda test: p_cell(test.p_adjusted)) if summary.decision else None,
        ("outcome", lambda test: outcome_cell(test.outcome if test.is_tested else None)),
    )
    return table_of(tests, columns, detail="full", noun="test", note=_NUMBERS_NOTE)


def _drift_cell(summary: DriftSummary, test: MetricTest) -> WithInterval:
    digits = digits_for(0, summary.comparison.metrics[test.metric].span)
    return WithInterval(test.drift, test.low, test.high, digits, signed=True)


def outcome_cell(outcome: str | None) -> Cell:
    """Return the cell of an outcome; a dash for ``None``."""
    return Number(None) if outcome is None else Flag(str(outcome), LEVELS[Outcome(outcome)])


def _group_sections(summary: DriftSummary) -> Iterator[Section]:
    tests = [test for test in summary.grouped if test.is_tested]
    kinds = dict.fromkeys(test.group[0] for test in tests if test.group)
    for number_, kind in enumerate(kinds, start=1):
        of_kind = [test for test in tests if test.group and test.group[0] == kind]
        yield Section(f"groups-{number_}", ("By ", Quoted(kind, 60)), (_groups_figure(summary, of_kind),))


def _groups_figure(summary: DriftSummary, tests: Sequence[MetricTest]) -> Figure:
    """Draw the drift of each group in each metric; of many groups, those with the greatest drift."""
    metrics = list(dict.fromkeys(test.metric for test in tests))
    by_group: dict[str, dict[str, MetricTest]] = {}
    for test in sorted(tests, key=lambda test: test.urgency):
        by_group.setdefault(test.group[1] if test.group else "", {})[test.metric] = test
    shown = list(by_group)[:_MOST_GROUPS]
    values = [
        [by_group[name][metric].in_margins if metric in by_group[name] else math.nan for metric in metrics]
        for name in shown
    ]
    more = len(by_group) - len(shown)
    names = [clip_text(name, 60).shown or "(blank)" for name in shown]
    labels = [one_line(metric_label(name)) for name in metrics]
    return Figure(
        "groups",
        matrix_chart(
            names,
            labels,
            values,
            drift_colour,
            lambda value: with_sign(number(value, 1)),
        ),
        "Drift of each group in each metric as a multiple of the margin.",
        _numbers_table(summary, sorted(tests, key=lambda test: test.urgency)),
        caption="Drift as a multiple of the margin; orange is worse, and 1 or more is beyond the margin."
        + (f" {count_of(more, 'more group')} with less drift are in the numbers." if more > 0 else ""),
        style="heat",
        data=(
            ChartData(
                "points",
                tuple(names),
                tuple(
                    chart_data.Series(label, column)
                    for label, column in zip(labels, zip(*values, strict=True), strict=True)
                ),
                chart_data.decimals(1),
                "drift as a multiple of the margin",
                reference=1.0,
            ),
        ),
    )


def drift_colour(margins: float) -> str:
    """Return the colour of a drift as a multiple of its margin: orange is worse; neutral without a drift."""
    return diverging(-_ORANGE * min(max(margins / 2, -1.0), 1.0) if math.isfinite(margins) else 0.0)


def _quality_section(summary: DriftSummary) -> Section | None:
    """Build the section on quality: match with references, and verdicts of a judge."""
    quality = summary.comparison.quality
    tests = [test for test in summary.overall if test.metric in quality and test.metric in QUALITY_METRICS]
    columns: Columns[MetricTest] = (
        ("measure", lambda test: metric_label(test.metric)),
        ("baseline", lambda test: Number(mean_loss(quality[test.metric][1]), 3)),
        ("candidate", lambda test: Number(mean_loss(quality[test.metric][0]), 3)),
        ("change", lambda test: Label(str(test.change))),
    )
    judged = summary.comparison.judged
    return section(
        "quality",
        "Better or worse",
        table_of(tests, columns, brief_title="Better or worse"),
        None if judged is None else Paragraph(_judge_sentence(judged), detail="both"),
    )


def _judge_sentence(judged: "JudgedRuns") -> str:
    record, model = judged.summarize(IntervalPlan()), one_line(judged.verdicts.model)
    if judged.no_verdict is not None:
        return f"{model} compared both runs in both orders and gave no verdict: {judged.no_verdict}."
    n = record.wins + record.ties + record.identical + record.losses
    share = cell_text(estimate_cell(record.share, 0, is_share=True))
    return (
        f"{model} compared both runs in both orders: the candidate is better in {count(record.wins)} of "
        f"{count_of(n, 'item')}, as good in {count(record.ties)}, and worse in {count(record.losses)}; both "
        f"outputs are identical in {count(record.identical)}. With half a point for each tie and each item "
        f"with identical outputs, its share of the points is {share}."
    )


_MOVED = {
    Moved.SYSTEM: "The system changed, and the ruler did not.",
    Moved.RULER: "The ruler changed, so the gate shows nothing about the system.",
    Moved.BOTH: "The ruler changed, and the gate failed: a comparison with an unchanged ruler will show "
    "whether the system changed as well.",
    Moved.NEITHER: "Neither the system nor the ruler changed.",
}


def _ruler_section(summary: DriftSummary) -> Section | None:
    check = summary.ruler
    if check is None:
        return None
    part = _MOVED[summary.moved] if summary.moved is not None else ""
    tests = table(
        ("reading", "mean difference", "anchors", "p", "outcome"),
        [
            (
                metric_label(test.reading),
                Number(test.difference, 4),
                test.n_changed,
                p_cell(test.p_value),
                Flag("changed", "warn") if test.has_moved else Flag("unchanged", "pass"),
            )
            for test in check.tests
        ],
        title="Readings of the anchors",
        detail="both" if check.has_moved else "full",
    )
    return section(
        "ruler",
        "Did the system or the ruler change?",
        Paragraph(f"{capitalise(printable(check.sentence))}. {part}".rstrip(), "lead"),
        "The texts of the anchors never change, so only the measuring system can change their readings.",
        tests,
        label_errors_table(check),
    )


def label_errors_table(check: RulerCheck) -> DataTable:
    """Build the table of differences between anchor readings and human labels, now and in the reference."""
    return table(
        ("reading", "error", "error of the reference", "labels"),
        [
            (
                metric_label(reading),
                estimate_cell(error, 3),
                estimate_cell(check.reference_errors.get(reading), 3),
                error.n,
            )
            for reading, error in check.errors.items()
        ],
        title="Compared with human labels",
        detail="full",
    )


def _languages_section(summary: DriftSummary) -> Section | None:
    if {language.language for language in summary.languages} <= {ENGLISH, None}:
        return None
    read = {True: "yes", False: "no", None: "–"}
    rows = [
        (language_name(language.language), language.baseline, language.candidate, read[language.read])
        for language in summary.languages
    ]
    heads = ("language", "baseline", "candidate", "read by the model")
    return parts.language_section(heads, rows, "Outputs by language")


def _runs_section(summary: DriftSummary) -> Section | None:
    comparison = summary.comparison
    baseline, candidate = comparison.baseline, comparison.candidate
    rows: list[tuple[str, Value, Value] | None] = [
        ("model", Quoted(baseline.model, 120), Quoted(candidate.model, 120)),
        ("recorded", stamp(baseline.recorded), stamp(candidate.recorded)),
        ("run", baseline.id, candidate.id),
        ("revision", Quoted(baseline.revision or MISSING), Quoted(candidate.revision or MISSING)),
        ("note", Quoted(baseline.note or MISSING, 300), Quoted(candidate.note or MISSING, 300)),
        *_approval_rows(summary.approval),
    ]
    statuses = zip(baseline.items, comparison.status, strict=True)
    left_out = [item.id for item, status in statuses if status != "scored"]
    lacking = (
        f"Neither run has a text for {list_names(left_out)}: left out, never counted as 0."
        if left_out
        else ""
    )
    runs = table(("", "baseline", "candidate"), without_none(*rows), detail="full")
    return section("runs", "What was compared", runs, lacking)


def _approval_rows(approval: Approval | None) -> Iterator[tuple[str, Value, Value]]:
    if approval is None:
        return
    expired = " (expired)" if approval.is_stale(now()) else ""
    yield "approved by", Quoted(approval.by, 120), ""
    yield "approved", stamp(approval.approved), ""
    yield "reason", Quoted(approval.why, 300), ""
    yield "expires", f"{stamp(approval.expires)}{expired}" if approval.expires else "never", ""
