"""The document of a run that a person reviews, and the reasons of a stored gate in order of gravity."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from semscale.drift.decision import FEWEST_TO_PASS, change_sentence, size_of
from semscale.drift.hard_limits import LIMIT_PHRASES, LIMIT_TITLES
from semscale.drift.history_summary import DatasetHistory
from semscale.drift.metrics import Metric, metric_named
from semscale.drift.review import OutputPair, RunReview, pair_outputs
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Rejection, RunSummary, list_names, now, short_id
from semscale.history.stored_comparison import GateCheck, Outcome, StoredComparison, StoredFigure
from semscale.report import parts
from semscale.report.document import (
    Cell,
    ComparedItem,
    ComparedItems,
    ComparedPair,
    DataTable,
    Decision,
    Document,
    Figure,
    Findings,
    Label,
    Level,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    WithInterval,
    notices,
    stamp,
)
from semscale.report.drift_gate import (
    LEVELS,
    OUTCOMES,
    SAME_SUBJECT,
    around_difference,
    differing,
    expiry,
    in_margins,
    outcome_cell,
)
from semscale.report.drift_history import DECISION_COLUMNS, hidden_metrics
from semscale.report.figures import describe_rows
from semscale.report.formatting import (
    MISSING,
    capitalise,
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
from semscale.spelling import hint

_SHOWN_ITEMS, _FEW_ITEMS, _SHOWN_PAIRS, _LEAD_REASONS = 12, 3, 3, 2
_LONGEST_OUTPUT, _LONGEST_INPUT, _LONGEST_NAME, _BRIEF_OUTPUT = 700, 400, 80, 44
_RERUNS = "|reruns:"
_KINDS = {"limit": "", "must_pass": "must-pass ", "threshold": "threshold ", "rejection": "rejected by "}
_NUMBERS_NOTE = (
    "Loss is 1 minus a similarity, or the share of outputs or items that are affected. Drift is the "
    "candidate's mean loss, squared for similarities, minus the mean among baseline and reruns, with its "
    "one-sided 95 % bounds."
)


@dataclass(frozen=True)
class StatedReason:
    """Something that decided about a run.

    Attributes:
        level: how grave it is.
        sentence: the reason without a full stop.
        subject: what it is about, in a few words.
        items: ids of the first items that show it.
    """

    level: Level
    sentence: str
    subject: str
    items: tuple[str, ...]


def reasons_of(gate: StoredComparison) -> tuple[StatedReason, ...]:
    """Return what decided about a run, the gravest first.

    Failed checks come first, those that count items or outputs before similarities, and each by the share
    that is affected; then undecided checks, and drifts below the margin that chance does not explain.
    """
    failed = [*_failed_checks(gate), *_failed_tests(gate)]
    failed.sort(key=lambda found: found[0])
    return (*(reason for _, reason in failed), *_undecided(gate), *_slight(gate))


def _failed_checks(gate: StoredComparison) -> Iterator[tuple[tuple[bool, float], StatedReason]]:
    n = n_items(gate)
    for check in gate.broken or ():
        is_countable = check.kind != "threshold"
        share = math.inf if check.kind in {"rejection", "must_pass"} else check.value / max(n, 1)
        items = (check.name,) if check.kind == "must_pass" else check.items
        reason = StatedReason("fail", check.sentence, _shown_by(check), items)
        yield (not is_countable, -share if is_countable else 0.0), reason


def _failed_tests(gate: StoredComparison) -> Iterator[tuple[tuple[bool, float], StatedReason]]:
    failed = [figure for figure in gate.figures if figure.outcome == Outcome.FAIL]
    overall = {figure.metric for figure in failed if figure.group is None}
    for figure in failed:
        if figure.group is None or figure.metric not in overall:
            metric = metric_named(figure.metric, figure.margin)
            reason = StatedReason("fail", _change(figure, metric), metric.label, figure.items)
            yield (not metric.affected, -figure.drift / metric.span), reason


def _undecided(gate: StoredComparison) -> Iterator[StatedReason]:
    for check in gate.checks or ():
        if check.outcome is Outcome.UNDECIDED:
            yield StatedReason("warn", check.sentence, _shown_by(check), check.items)
    hidden = hidden_metrics(gate)
    for figure in sorted(gate.figures, key=lambda figure: -_or_least(figure.in_margins)):
        if figure.outcome == Outcome.UNDECIDED and figure.group is None and figure.metric not in hidden:
            metric = metric_named(figure.metric, figure.margin)
            yield StatedReason("warn", _bounds_sentence(figure, metric), metric.label, figure.items)


def _slight(gate: StoredComparison) -> Iterator[StatedReason]:
    passed = [figure for figure in gate.figures if figure.outcome == Outcome.PASS and figure.items]
    overall = {figure.metric for figure in passed if figure.group is None}
    for figure in passed:
        if figure.group is None or figure.metric not in overall:
            metric = metric_named(figure.metric, figure.margin)
            yield StatedReason("warn", _slight_sentence(figure, metric), metric.label, figure.items)


def _change(figure: StoredFigure, metric: Metric) -> str:
    noise = None if math.isnan(figure.noise) else figure.noise
    size = size_of(figure.drift, figure.margin)
    return change_sentence(metric, figure.group, noise, figure.loss, size)


def _bounds_sentence(figure: StoredFigure, metric: Metric) -> str:
    """State the bounds of an undecided test in a sentence without a full stop."""
    if not figure.n:
        return f"{metric.label} has no value"
    if figure.n < FEWEST_TO_PASS and not figure.high >= figure.margin:
        n = count_of(figure.n, "item")
        return f"{metric.label}: {n}, and fewer than {FEWEST_TO_PASS} items cannot show that nothing changed"
    if figure.high < figure.margin:
        return _slight_sentence(figure, metric)
    digits = digits_for(0, metric.span)
    drift, high, margin = (number(value, digits) for value in (figure.drift, figure.high, figure.margin))
    unit = f" {one_line(metric.unit)}" if metric.unit else ""
    return (
        f"{metric.label} may have become worse: by {with_sign(drift)}{unit} on average, and by up to "
        f"{with_sign(high)} (95 % sure); {margin} or more counts as worse"
    )


def _slight_sentence(figure: StoredFigure, metric: Metric) -> str:
    sentence, size = _change(figure, metric), size_of(figure.drift, figure.margin)
    shown = "" if size in sentence else f" ({size})"
    return f"{sentence}{shown}, less than the margin but more than chance explains"


def _subject_of(check: GateCheck) -> str:
    return f"{_KINDS.get(check.kind, '')}{check.label.replace('_', ' ')}"


def _shown_by(check: GateCheck) -> str:
    """Return what an item shows that breaks a check, in a few words."""
    return LIMIT_PHRASES[check.name][1] if check.name in LIMIT_PHRASES else _subject_of(check)


def _or_least(value: float) -> float:
    return value if math.isfinite(value) else -math.inf


def n_items(gate: StoredComparison) -> int:
    """Return the number of compared items of a stored comparison."""
    return max((figure.n + figure.n_left_out for figure in gate.figures if figure.group is None), default=0)


@dataclass(frozen=True)
class ListedRun:
    """A run in a list.

    Attributes:
        run: the run.
        outcome: outcome of its last gate in a word; empty if it was never compared.
        level: level of the outcome.
        reason: the gravest reasons, with the number of others.
        decision: what was decided about it last, in a sentence.
        is_baseline: true if it is the baseline.
        n_reruns: number of its reruns.
    """

    run: RunSummary
    outcome: str
    level: Level
    reason: str
    decision: str
    is_baseline: bool
    n_reruns: int


def list_runs(dataset: DatasetHistory, most: int) -> tuple[ListedRun, ...]:
    """List the runs of a dataset without reruns, the latest first.

    Args:
        dataset: the dataset.
        most: greatest number of runs.
    """
    runs = [run for run in dataset.runs if run.rerun_of is None]
    return tuple(_listed(dataset, run) for run in runs[::-1][:most])


def _listed(dataset: DatasetHistory, run: RunSummary) -> ListedRun:
    gates = [gate for gate in dataset.comparisons if gate.candidate_id == run.id]
    about = [decision for decision in dataset.decisions if decision.run_id == run.id]
    gate, last = gates[-1] if gates else None, about[-1] if about else None
    outcome = None if gate is None or gate.outcome is None else Outcome(gate.outcome)
    approval = dataset.approval
    is_baseline = approval is not None and approval.run_id == run.id and dataset.rejection is None
    return ListedRun(
        run,
        "" if outcome is None else OUTCOMES[outcome],
        "warn" if outcome is None else LEVELS[outcome],
        "" if gate is None else printable(" ".join(f"{fact}." for fact in _gravest(gate, _LEAD_REASONS))),
        "" if last is None else decision_sentence(last),
        is_baseline and not dataset.is_stale,
        sum(other.rerun_of == run.id for other in dataset.runs),
    )


def decision_sentence(decision: Approval | Rejection) -> str:
    """State a decision with its author, expiry and reason."""
    what = "Rejected" if isinstance(decision, Rejection) else "Approved"
    ended = " (ended)" if decision.is_stale(now()) else ""
    until = "" if decision.expires is None else f" {expiry(decision.expires, '%Y-%m-%d')}{ended}"
    return f"{what} by {one_line(decision.by)}{until}: “{one_line(decision.why)}”"


def _gravest(gate: StoredComparison, most: int) -> tuple[str, ...]:
    """Return the gravest reasons and the number of others, as sentences without full stops."""
    reasons = reasons_of(gate)
    if gate.ruler_moved:
        return ("The ruler changed, so this comparison cannot be trusted",)
    if gate.outcome == Outcome.PASS:
        slight = tuple(capitalise(reason.sentence) for reason in reasons)
        return slight or (_greatest_drift(gate),)
    if not reasons:
        return ()
    if gate.outcome == Outcome.UNDECIDED and _RERUNS not in gate.signature:
        why = "There is no rerun of the baseline, so chance alone may explain the change"
        return why, capitalise(reasons[0].sentence)
    grave = [reason for reason in reasons if reason.level == reasons[0].level]
    n_others = len(grave) - most
    also = (count_of(n_others, "more reason"),) if n_others > 0 else ()
    return (*(capitalise(reason.sentence) for reason in grave[:most]), *also)


def _greatest_drift(gate: StoredComparison) -> str:
    if not gate.tested or gate.tested[0].in_margins <= 0:
        return "No drift was found"
    worst = gate.tested[0]
    label = metric_named(worst.metric, worst.margin).label
    return f"The greatest drift is that of {label}: {in_margins(worst.in_margins)} times its margin"


def review_document(review: RunReview) -> Document:
    """Turn a run that a person reviews into a document."""
    run, gate = review.run, review.gate
    name = Quoted(run.model, 60)
    base = Document(
        kind="reviewed run",
        name="Run",
        title=("Outputs of “", name, "”"),
        source=(
            Quoted(run.dataset, _LONGEST_NAME),
            f"run {short_id(run.id)}",
            f"recorded {stamp(run.recorded)}",
        ),
    )
    ending = (_decisions_section(review), _runs_section(review))
    if gate is None:
        return replace(
            base,
            introduction=tuple(Paragraph(line, "lead", detail="both") for line in _when_not_gated(review)),
            facts=parts.facts(("Items", len(run.items))),
            sections=without_none(*ending),
        )
    reasons = reasons_of(gate)
    outcome = None if gate.outcome is None else Outcome(gate.outcome)
    texts = _texts_section(review, reasons)
    lead = tuple(f"{printable(fact)}." for fact in _gravest(gate, _LEAD_REASONS))
    further = tuple(finding for finding in _findings(gate, reasons) if finding[1] not in lead)
    return replace(
        base,
        title=_title(name, gate, outcome, reasons),
        lead=None if outcome is None else Decision(OUTCOMES[outcome], LEVELS[outcome], _about(name, review)),
        introduction=tuple(Paragraph(line, "lead", detail="both") for line in lead),
        next_step=f"{printable(_next_step(review, reasons))}.",
        next_links=tuple(_links_to_texts(review, reasons)),
        notices=notices(
            cautions=[
                "the ruler had changed when this was measured: look at the anchors before you decide"
                if gate.ruler_moved
                else None,
                None if gate.checks is not None else "this gate stored no hard limits",
            ]
        ),
        facts=_facts(gate),
        sections=without_none(
            texts,
            section(
                "reasons", "Other metrics and limits", Findings(further, detail="both") if further else None
            ),
            _limits_section(gate),
            _metrics_section(gate),
            *ending,
        ),
        settings=(
            ("Dataset", Quoted(run.dataset)),
            ("Comparison", gate.id),
            ("Signature of the measurement", Quoted(gate.signature, 600)),
        ),
        ending=None if outcome is None else (_verdict(gate), LEVELS[outcome]),
    )


def _about(name: Quoted, review: RunReview) -> Line:
    about = ("The gate’s decision about “", name, "”")
    if review.baseline is None:
        return about
    return (*about, ", compared with the baseline “", Quoted(review.baseline.model, 60), "”")


def _title(
    name: Quoted, gate: StoredComparison, outcome: Outcome | None, reasons: Sequence[StatedReason]
) -> Line:
    if any(check.kind == "rejection" for check in gate.broken or ()):
        return ("“", name, "” was rejected")
    if outcome is Outcome.FAIL:
        return ("“", name, "” is worse than the baseline")
    if outcome is Outcome.PASS and reasons:
        return ("“", name, "” is worse than the baseline by less than the margins")
    if outcome is Outcome.PASS:
        return ("“", name, "” is as good as the baseline")
    if outcome is None:
        return ("Outputs of “", name, "”")
    return ("“", name, "” may be worse than the baseline")


def _when_not_gated(review: RunReview) -> Iterator[str]:
    if review.run.rerun_of is not None:
        yield f"This run repeats {short_id(review.run.rerun_of)}: it shows how much outputs differ by chance."
        return
    if review.approval is not None:
        yield "This run is the baseline: later runs are compared with it."
    else:
        yield (
            "This run was not compared with a baseline yet"
            + hint(f": semscale drift gate {short_id(review.run.id)}")
            + "."
        )


def _next_step(review: RunReview, reasons: Sequence[StatedReason]) -> str:
    """Return the next step without a full stop: what was decided, or what to look at before that."""
    if (decision := review.decision) is not None:
        return f"Nothing is left to decide. {decision_sentence(decision).removesuffix('.')}"
    look = _look(reasons)
    outcome = None if review.gate is None else review.gate.outcome
    if outcome == Outcome.FAIL:
        return f"{look}; approve the run only if this change is intended"
    if outcome == Outcome.PASS and not reasons:
        return "Nothing to do: no metric is worse than chance explains, and every limit is met"
    return f"{look}, and approve the run if they are as good as before"


def _look(reasons: Sequence[StatedReason]) -> str:
    """Return the beginning of a sentence that names the items to look at."""
    named = [_named(reason, items) for reason, items in _first_items(reasons)]
    return f"Look at {', '.join(named)}" if named else "Look at the texts below"


def _named(reason: StatedReason, items: Sequence[str]) -> str:
    return f"{join_list(list(map(one_line, items)))} ({reason.subject})"


def _links_to_texts(review: RunReview, reasons: Sequence[StatedReason]) -> Iterator[tuple[str, str]]:
    """Yield the parts of the next step that name items, each with the place of the first one's texts."""
    shown = _items_to_show(review, reasons)[:_SHOWN_ITEMS]
    for reason, items in _first_items(reasons):
        if items[0] in shown:
            yield printable(_named(reason, items)), _anchor(shown.index(items[0]))


def _anchor(position: int) -> str:
    return f"text-{position + 1}"


def _items_to_show(review: RunReview, reasons: Sequence[StatedReason]) -> list[str]:
    """Return the items of all reasons that have texts: those that the next step names come first."""
    first = (item for _, items in _first_items(reasons) for item in items)
    return [name for name in dict.fromkeys(chain(first, _in_turn(reasons))) if name in review.items]


def _first_items(reasons: Sequence[StatedReason]) -> Iterator[tuple[StatedReason, list[str]]]:
    """Yield the gravest reasons with the first items of each that no reason before it has."""
    named: set[str] = set()
    for reason in reasons[:_LEAD_REASONS]:
        items = [item for item in reason.items if item not in named][:_FEW_ITEMS]
        named.update(items)
        if items:
            yield reason, items


def _verdict(gate: StoredComparison) -> str:
    return f"{gate.outcome}: {'. '.join(_gravest(gate, 1)) or 'no reason was stored'}."


def _facts(gate: StoredComparison) -> tuple[tuple[str, Cell], ...]:
    overall = [figure for figure in gate.figures if figure.group is None and figure.outcome is not None]
    counts = {outcome: sum(figure.outcome == outcome for figure in overall) for outcome in OUTCOMES}
    return parts.facts(
        ("Items", n_items(gate)),
        ("Metrics failed", counts[Outcome.FAIL]),
        ("Metrics undecided", counts[Outcome.UNDECIDED]),
        ("Metrics within the margin", counts[Outcome.PASS]),
        None if gate.broken is None else ("Limits broken", sum(c.kind == "limit" for c in gate.broken)),
    )


def _findings(gate: StoredComparison, reasons: Sequence[StatedReason]) -> Iterator[tuple[Level, Line]]:
    for reason in reasons:
        yield reason.level, printable(f"{capitalise(reason.sentence)}.")
    hidden = hidden_metrics(gate)
    passed = {
        figure.metric: one_line(metric_named(figure.metric, figure.margin).label)
        for figure in gate.figures
        if figure.outcome == Outcome.PASS and figure.group is None and not figure.items
    }
    for metric in [metric for metric in passed if metric in hidden]:
        yield (
            "warn",
            f"{capitalise(passed.pop(metric))}: within the margin on average, but a limit is broken.",
        )
    if passed:
        yield "pass", f"Within the margin: {join_list(list(passed.values()))}."
    failed = {figure.metric for figure in gate.figures if figure.outcome == Outcome.FAIL}
    checks = [check for check in gate.checks or () if check.outcome is Outcome.PASS]
    met = [
        check.name.replace("_", " ")
        for check in checks
        if check.kind == "limit" and check.group is None and SAME_SUBJECT.get(check.name) not in failed
    ]
    if met:
        yield "pass", f"No more items than allowed: {join_list(met)}."
    for check in checks:
        if check.kind == "threshold":
            yield "pass", printable(f"{capitalise(check.sentence)}.")
    if n_passed := sum(check.kind == "must_pass" for check in checks):
        yield "pass", f"{count_of(n_passed, 'must-pass item')} did not become worse."


def _in_turn(reasons: Sequence[StatedReason]) -> Iterator[str]:
    """Yield the items of all reasons: the first of each, then the second of each, and so on."""
    for items in zip_longest(*(reason.items for reason in reasons)):
        yield from (item for item in items if item is not None)


def _texts_section(review: RunReview, reasons: Sequence[StatedReason]) -> Section | None:
    names = _items_to_show(review, reasons)
    title, about = "Baseline beside candidate", ""
    if not names:
        names, title = list(review.greatest_changes), "The greatest changes"
        about = "No item drifted by more than chance explains; these lost most of the baseline's content."
    if not names:
        return None
    shown = names[:_SHOWN_ITEMS]
    subjects = {name: [reason.subject for reason in reasons if name in reason.items] for name in shown}
    compared = ComparedItems(
        tuple(
            replace(_item(*review.items[name], subjects[name]), anchor=_anchor(position))
            for position, name in enumerate(shown)
        ),
        brief_title="Texts",
        heads=("item", "baseline", "candidate"),
    )
    more = len(names) - len(shown)
    rest = (
        f"{count_of(more, 'more item')} of these reasons: {list_names(names[_SHOWN_ITEMS:])}." if more else ""
    )
    return section("texts", title, about, compared, rest)


def _item(before: Item, after: Item, subjects: Sequence[str]) -> ComparedItem:
    pairs = pair_outputs(before.outputs_with_text, after.outputs_with_text)
    changed = [pair for pair in pairs if not _is_same(pair)] or list(pairs)
    first = changed[0] if changed else (None, None)
    texts = ["(no output)" if output is None else output.text or "(no output)" for output in first]
    return ComparedItem(
        id=Quoted(before.id, _LONGEST_NAME),
        labels=tuple(Quoted(name, _LONGEST_NAME) for name in (*before.groups.values(), *subjects)),
        input=None if before.input is None else Quoted(before.input, _LONGEST_INPUT),
        pairs=tuple(_pair(*pair) for pair in changed[:_SHOWN_PAIRS]),
        n_more=max(len(pairs) - min(len(changed), _SHOWN_PAIRS), 0),
        brief=(
            Quoted(before.id),
            *map(Quoted, around_difference(texts[0], texts[1], limit=_BRIEF_OUTPUT)),
        ),
    )


def _is_same(pair: OutputPair) -> bool:
    before, after = pair
    return before is not None and after is not None and before.text == after.text


def _pair(before: Output | None, after: Output | None) -> ComparedPair:
    left, right = differing(
        None if before is None else before.text or "",
        None if after is None else after.text or "",
        limit=_LONGEST_OUTPUT,
    )
    return ComparedPair(
        baseline=left,
        candidate=right,
        names=("baseline", "candidate, the same" if _is_same((before, after)) else "candidate"),
        absent=("the baseline has no such output", "the candidate has no such output"),
    )


def _limits_section(gate: StoredComparison) -> Section | None:
    order = (Outcome.FAIL, Outcome.UNDECIDED, Outcome.PASS)
    checks = sorted(gate.checks or (), key=lambda check: order.index(check.outcome))
    columns: Columns[GateCheck] = (
        ("limit and its setting", _check_cell),
        ("found", _found),
        ("allowed", _allowed),
        ("outcome", lambda check: outcome_cell(check.outcome)),
        ("items", lambda check: Quoted(_named_items(check), 600, wraps=True)),
    )
    return section(
        "limits",
        "Hard limits",
        "Each limit counts items with a fault that neither the baseline nor its reruns have.",
        table_of(checks, columns, detail="full", noun="check"),
    )


def _check_cell(check: GateCheck) -> Cell:
    if check.kind == "limit" and check.name in LIMIT_TITLES:
        return Label(LIMIT_TITLES[check.name], note=printable(_subject_of(check)))
    return Quoted(_subject_of(check), _LONGEST_NAME)


def _found(check: GateCheck) -> Value:
    if check.kind == "limit":
        n = f"{round(check.value)}"
        return Label(n if check.n is None else f"{n}\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}{check.n}")
    return Number(check.value, 3) if check.kind == "threshold" else Number(None)


def _allowed(check: GateCheck) -> Value:
    if math.isnan(check.allowed):
        return Number(None)
    if check.kind == "limit" and 0 < check.allowed < 1:
        return Share(check.allowed, 0)
    return Number(check.allowed, 0 if check.kind == "limit" else 3)


def _named_items(check: GateCheck) -> str:
    if check.kind == "must_pass":
        return join_list(list(check.reasons)) or MISSING
    more = round(check.value) - len(check.items) if check.kind == "limit" else 0
    named = [*check.items, *([f"{more} more"] if more > 0 else [])]
    excused = f"; a rerun has the same fault in {', '.join(check.excused)}" if check.excused else ""
    return f"{', '.join(named) or MISSING}{excused}"


def _metrics_section(gate: StoredComparison) -> Section | None:
    hidden = hidden_metrics(gate)
    drawn = [figure for figure in gate.tested if figure.metric not in hidden]
    if not drawn:
        return None
    rows = [_forest_row(figure) for figure in drawn]
    tested = [figure for figure in gate.figures if figure.outcome is not None]
    figure = Figure(
        "metrics",
        lambda width: forest(rows, "drift as a multiple of the margin", width=width),
        f"Drift as a multiple of the margin: {describe_rows((row.name, row.text) for row in rows)}.",
        _numbers_table(tested),
        caption="The dot is the drift of each metric as a multiple of its margin. The line ends at its lower "
        "and its upper bound, each 95 % sure. A metric passes if the whole line is left of 1, the margin. It "
        "fails if the dot is beyond it and chance does not explain the drift.",
        legend=legend(rows, gated=True),
    )
    return section("metrics", "How far each metric drifted", figure)


def _forest_row(figure: StoredFigure) -> ForestRow:
    metric, margin = metric_named(figure.metric, figure.margin), figure.margin
    digits = digits_for(0, metric.span)
    drift = with_sign(number(figure.drift, digits))
    return ForestRow(
        name=one_line(metric.label),
        value=figure.drift / margin,
        low=figure.low / margin,
        high=figure.high / margin,
        text=f"{drift} (margin {number(margin, digits)})",
        short_text=drift,
        margin=1.0,
        outcome=figure.outcome,
    )


def _numbers_table(figures: Sequence[StoredFigure]) -> DataTable:
    def digits(figure: StoredFigure) -> int:
        return digits_for(0, metric_named(figure.metric, figure.margin).span)

    has_groups = any(figure.group for figure in figures)
    columns: Columns[StoredFigure] = (
        ("metric", lambda figure: one_line(metric_named(figure.metric, figure.margin).label)),
        ("group", lambda figure: Quoted(" ".join(figure.group or ()))) if has_groups else None,
        ("items", lambda figure: figure.n),
        ("loss", lambda figure: Number(figure.loss, digits(figure))),
        ("loss among reruns", lambda figure: Number(_known(figure.noise), digits(figure))),
        (
            "drift",
            lambda figure: WithInterval(figure.drift, figure.low, figure.high, digits(figure), signed=True),
        ),
        ("margin", lambda figure: Number(figure.margin, digits(figure))),
        ("outcome", lambda figure: outcome_cell(figure.outcome)),
    )
    return table_of(figures, columns, detail="full", noun="test", note=_NUMBERS_NOTE)


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _decisions_section(review: RunReview) -> Section | None:
    return section(
        "decisions",
        "Decisions",
        table_of(review.decisions[::-1], DECISION_COLUMNS, brief_title="Decisions", noun="decision"),
    )


def _runs_section(review: RunReview) -> Section | None:
    run, baseline, gate = review.run, review.baseline, review.gate
    rows: list[tuple[Value, ...]] = [
        ("model", Quoted(run.model, 120)),
        ("recorded", stamp(run.recorded)),
        ("run", run.id),
        ("revision", Quoted(run.revision or MISSING)),
        ("note", Quoted(run.note or MISSING, 300)),
    ]
    if baseline is None or gate is None:
        return section("runs", "The run", table(("", ""), rows, detail="full"))
    others: list[Value] = [
        Quoted(baseline.model, 120),
        stamp(baseline.recorded),
        baseline.id,
        Quoted(baseline.revision or MISSING),
        Quoted(baseline.note or MISSING, 300),
    ]
    beside = [(name, other, value) for (name, value), other in zip(rows, others, strict=True)]
    return section(
        "runs",
        "What was compared",
        table(("", "baseline", "candidate"), beside, detail="full"),
        f"Compared on {stamp(gate.compared)}"
        + (f", the last of {count_of(review.n_gates, 'comparison')}." if review.n_gates > 1 else "."),
    )
