"""Documents about the runs behind a gate: recorded runs, approvals, histories, plans and self-tests."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TypeVar

from semscale.chat.budget import amount
from semscale.damage import DAMAGES
from semscale.drift.anchors import RecordedAnchors
from semscale.drift.copied_runs import CopiedRun
from semscale.drift.history_summary import DatasetHistory, HistorySummary
from semscale.drift.metrics import metric_label
from semscale.drift.runs import ApprovedBaseline, AskedFacts, RecordedRun, RejectedRun, SharedIds
from semscale.drift.simulation import GatePlan, PlannedSize, SelfTest, SelfTestRow
from semscale.history.chain import Verification
from semscale.history.runs import Approval, Rejection, RunSummary, short_id
from semscale.history.stored_comparison import (
    COMMON_ITEMS,
    GateCheck,
    Outcome,
    StoredComparison,
    without_fields,
)
from semscale.report import parts
from semscale.report.chart_kit import ACCENT, CONTRAST, NEUTRAL, sequential
from semscale.report.document import (
    Block,
    Cell,
    Count,
    DataTable,
    Decision,
    Document,
    Figure,
    Flag,
    Label,
    Level,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Swatch,
    Value,
    estimate_cell,
    notices,
)
from semscale.report.drift_gate import (
    OUTCOMES,
    SAME_SUBJECT,
    drift_colour,
    expiry,
    in_margins,
    outcome_cell,
    run_line,
)
from semscale.report.figures import (
    distribution_chart,
    distribution_data,
    matrix_chart,
    matrix_table,
    shares_figure,
)
from semscale.report.formatting import (
    MISSING,
    capitalise,
    count,
    count_of,
    coverage,
    join_list,
    number,
    one_line,
    percent,
    printable,
    with_sign,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.plane_charts import MatrixCell, matrix
from semscale.spelling import hint
from semscale.stats.intervals import Estimate

Row = TypeVar("Row")

_TIME = "%Y-%m-%d %H:%M"
_SHOWN, _MOST_ROWS = 20, 200
_DRAWN_RUNS = 20
_SHOWN_REASONS, _FEW = 5, 3
_TARGET = 0.95
_NO_RERUN = (
    "Without a rerun, a gate cannot tell a change from chance, and only hard limits can fail: ask the same "
    "model again, and record its outputs" + hint(" (semscale drift record FILE --rerun-of baseline)") + "."
)


def record_document(summary: RecordedRun) -> Document:
    """Turn a recorded run into a document."""
    run, shared = summary.run, summary.shared
    fields = [
        f"{one_line(name)} (missing in {count_of(n, 'output')})" if n else one_line(name)
        for name, n in summary.without_number.items()
    ]
    groups = [f"{one_line(kind)} ({count(n)})" for kind, n in summary.n_groups.items()]
    rows: list[tuple[str, Value] | None] = [
        ("dataset", Quoted(run.dataset)),
        ("model", Quoted(run.model)),
        ("items", len(run.items)),
        ("outputs", summary.n_outputs),
        ("items without output", summary.n_silent),
        None if shared is None else ("ids in common", _format_shared_ids(shared)),
        ("fields", join_list(fields) or "none"),
        ("groups", join_list(groups) or "none"),
        None if run.rerun_of is None else ("rerun of", short_id(run.rerun_of)),
        ("Git revision", Quoted(run.revision) if run.revision else "none"),
        None if run.note is None else ("note", Quoted(run.note)),
        ("history", parts.quote_file_name(summary.where)),
        *_rerun_rows(summary),
        *_call_rows(summary),
        *_approval_rows(summary),
    ]
    repeats = "" if summary.asked is None else " These calls gave the same outputs."
    known = (
        f"The history has this run since {run.recorded:{_TIME}} UTC, so nothing was added.{repeats}"
        + hint(" If the model gave the same outputs again, --note TEXT stores them as another run.")
    )
    return Document(
        kind="recorded run",
        name="Recorded" if summary.is_new else "Already recorded",
        title=("Outputs of “", Quoted(run.model, 60), "”"),
        source=(short_id(run.id),),
        notices=notices(
            cautions=[
                *_id_cautions(shared, run.dataset),
                *_copy_cautions(summary.copies),
                _NO_RERUN if summary.approval is not None and not summary.reruns else None,
                *(() if summary.asked is None else _call_cautions(summary.asked)),
            ],
            notes=[] if summary.is_new else [known],
        ),
        sections=(Section("run", "The run", (table(("", ""), without_none(*rows)),)),),
    )


def _rerun_rows(summary: RecordedRun) -> Iterator[tuple[str, Value] | None]:
    if summary.reruns or summary.asked is not None:
        yield "reruns", ", ".join(short_id(rerun.id) for rerun in summary.reruns) or "none"


def _call_rows(summary: RecordedRun) -> Iterator[tuple[str, Value] | None]:
    """List calls, tokens, cost and latency of a model or program."""
    facts = summary.asked
    if facts is None:
        return
    units = {"cost": facts.currency or "money"}
    sums = [
        f"{amount(total)} {units.get(name, name)} for {count_of(facts.n_known[name], 'output')}"
        for name, total in facts.sums.items()
    ]
    yield "calls", facts.n_calls
    yield ("answers reused", facts.n_kept) if facts.n_kept else None
    yield "usage", ", ".join(sums) or "not known"
    yield None if facts.latency is None else ("seconds per call", facts.latency)


def _approval_rows(summary: RecordedRun) -> Iterator[tuple[str, Value] | None]:
    approval = summary.approval
    if approval is not None:
        until = f" {expiry(approval.expires, _TIME)} UTC" if approval.expires else ""
        yield "baseline", Quoted(f"approved by {approval.by}{until}: {approval.why}")


def _call_cautions(facts: AskedFacts) -> tuple[str, ...]:
    without = [f"{count_of(n, 'answer')} without an output: {reason}" for reason, n in facts.reasons.items()]
    cut = f"{count_of(facts.n_cut, 'reply', 'replies')} cut at the limit of tokens" + hint(" (--max-tokens)")
    left = f"asked without {join_list(list(facts.left_out))}, which the model refuses"
    return (*without[:_SHOWN_REASONS], *([cut] if facts.n_cut else []), *([left] if facts.left_out else []))


def _format_shared_ids(shared: SharedIds) -> str:
    return f"{count(shared.n)} of the {count(shared.n_earlier)} of {_earlier(shared)}"


def none_shared_sentence(shared: SharedIds, dataset: str) -> str:
    """State that a run shares no id with an earlier run of its dataset, without a full stop.

    Examples:
        >>> none_shared_sentence(SharedIds("4c44e2e2d1", True, 0, 30), "exam").partition(",")[0]
        'no id is shared with the baseline 4c44e2e2 of dataset “exam”'
    """
    return (
        f"no id is shared with {_earlier(shared)} of dataset “{one_line(dataset)}”, so that nothing can be "
        "compared with it: check the file, or name another dataset" + hint(" (--dataset)")
    )


def _earlier(shared: SharedIds) -> str:
    return f"the {'baseline' if shared.is_baseline else 'latest run'} {short_id(shared.run)}"


def _copy_cautions(copies: Iterable[CopiedRun]) -> Iterator[str]:
    return (f"{capitalise(copy.sentence)}." for copy in copies)


def _id_cautions(shared: SharedIds | None, dataset: str) -> tuple[str, ...]:
    return () if shared is None or shared.n else (f"{none_shared_sentence(shared, dataset)}.",)


def approval_document(summary: ApprovedBaseline) -> Document:
    """Turn an approval into a document."""
    run, approval, shared = summary.run, summary.approval, summary.shared
    until = f"{expiry(approval.expires, _TIME)} UTC" if approval.expires else "until another is approved"
    rerun = "" if run.rerun_of is None else f"It was recorded as a rerun of {short_id(run.rerun_of)}."
    former = ""
    if shared is not None:
        ids = f"{count(shared.n)} of {count(shared.n_earlier)} ids"
        former = f"{ids} of the former baseline {short_id(shared.run)}"
    gate, later = summary.last_gate, summary.gated_later
    last_gate = "" if gate is None else f"{last_gate_sentence(gate)}."
    has_passed = gate is not None and gate.outcome == Outcome.PASS
    silent = "No item of it has an output, so a candidate cannot be worse: approve a run with outputs."
    return Document(
        kind="baseline",
        name="Baseline",
        title=("The baseline of “", Quoted(run.dataset, 60), "”"),
        source=(Quoted(run.dataset),),
        introduction=tuple(
            Paragraph(line, detail="both")
            for line in without_none(
                run_line(run),
                f"approved by {one_line(approval.by)}, {until}: {one_line(approval.why)}",
                rerun,
                former,
                last_gate if has_passed else "",
            )
        ),
        notices=notices(
            cautions=[
                "" if has_passed else last_gate,
                None if later is None else _gated_later(later),
                *_id_cautions(shared, run.dataset),
                silent if summary.is_silent else "",
            ]
        ),
    )


def rejection_document(summary: RejectedRun) -> Document:
    """Turn a rejection into a document."""
    run, rejection, gate = summary.run, summary.rejection, summary.last_gate
    until = f"{expiry(rejection.expires, _TIME)} UTC" if rejection.expires else "until the run is approved"
    no_baseline = (
        "It was the baseline, so the dataset has none: no run can be gated until another is approved"
        + hint(": semscale drift approve RUN --approved-by NAME --why REASON")
        + "."
    )
    return Document(
        kind="rejected run",
        name="Rejected",
        title=("Outputs of “", Quoted(run.model, 60), "”"),
        source=(Quoted(run.dataset),),
        introduction=tuple(
            Paragraph(line, detail="both")
            for line in without_none(
                run_line(run),
                f"rejected by {one_line(rejection.by)}, {until}: {one_line(rejection.why)}",
                "" if gate is None else f"{last_gate_sentence(gate)}.",
                "Gates of these outputs fail.",
            )
        ),
        notices=notices(cautions=[no_baseline if summary.was_baseline else None]),
    )


def last_gate_sentence(gate: StoredComparison) -> str:
    """State how the last gate of a run ended, with the checks that decided, without a full stop."""
    outcome = OUTCOMES[Outcome(gate.outcome)] if gate.outcome is not None else "compared"
    drifts = [
        f"{one_line(metric_label(figure.metric))} {in_margins(figure.in_margins)} times the margin"
        for figure in gate.tested
        if figure.outcome == gate.outcome == Outcome.FAIL
    ]
    undecided = [
        one_line(metric_label(figure.metric))
        for figure in gate.tested
        if figure.outcome == gate.outcome == Outcome.UNDECIDED
    ]
    reasons = [*map(_broken_check, gate.broken or ()), *drifts, *undecided]
    more = [f"{count(len(reasons) - _FEW)} more"] if len(reasons) > _FEW else []
    why = f": {join_list([*reasons[:_FEW], *more])}" if reasons else ""
    ended = "was undecided" if gate.outcome == Outcome.UNDECIDED else outcome
    return f"Its last gate, on {gate.compared:{_TIME}} UTC, {ended}{printable(why)}"


def _gated_later(gate: StoredComparison) -> str:
    return (
        f"latest is the run that was recorded last. Run {short_id(gate.candidate_id)} of "
        f"{one_line(gate.model)} was gated after it: name it by its id to approve it instead."
    )


def history_document(summary: HistorySummary) -> Document:
    """Turn a history into a document: drift over time, runs and comparisons of each dataset."""
    return Document(
        kind="drift history",
        name="History",
        title="Runs and comparisons",
        source=(parts.quote_file_name(summary.where),),
        introduction=()
        if summary.datasets
        else (
            Paragraph(
                "No run is recorded yet" + hint(": semscale drift record OUTPUTS --approve"), detail="both"
            ),
        ),
        sections=tuple(
            Section(f"dataset-{number_}", Quoted(dataset.name), tuple(_dataset_blocks(dataset)))
            for number_, dataset in enumerate(summary.datasets, start=1)
        ),
    )


def decision_cell(decision: Approval | Rejection) -> Flag:
    """Return the cell that states a person's decision about a run."""
    return Flag("rejected", "fail") if isinstance(decision, Rejection) else Flag("approved", "pass")


DECISION_COLUMNS: Columns[Approval | Rejection] = (
    ("decided (UTC)", lambda decision: f"{decision.decided:{_TIME}}"),
    ("run", lambda decision: Quoted(short_id(decision.run_id))),
    ("decision", decision_cell),
    ("by", lambda decision: Quoted(decision.by)),
    ("holds (UTC)", lambda decision: expiry(decision.expires, _TIME) if decision.expires else Number(None)),
    ("reason", lambda decision: Quoted(decision.why)),
)
"""Columns of a table of decisions."""


def _dataset_blocks(dataset: DatasetHistory) -> Iterator[Block]:
    runs, comparisons = count_of(len(dataset.runs), "run"), count_of(len(dataset.comparisons), "comparison")
    yield Paragraph((Quoted(dataset.name), f": {runs}, {comparisons}"), detail="both")
    yield Paragraph(baseline_line(dataset), detail="both")
    if (figure := trend_figure(dataset)) is not None:
        yield figure
    comparison_columns: Columns[StoredComparison] = (
        ("compared (UTC)", lambda comparison: f"{comparison.compared:{_TIME}}"),
        ("candidate", lambda comparison: short_id(comparison.candidate_id)),
        ("model", lambda comparison: Quoted(comparison.model)),
        ("baseline", lambda comparison: short_id(comparison.baseline_id)),
        ("outcome", lambda comparison: outcome_cell(comparison.outcome)),
        ("broken", lambda comparison: _broken_cell(comparison.broken)),
        ("greatest drift, in margins", _greatest),
    )
    run_columns: Columns[RunSummary] = (
        ("run", lambda run: Quoted(short_id(run.id))),
        ("recorded (UTC)", lambda run: f"{run.recorded:{_TIME}}"),
        ("model", lambda run: Quoted(run.model)),
        ("items", lambda run: run.n_items),
        ("version", lambda run: _version(run, dataset)),
        ("revision", lambda run: Quoted(run.revision) if run.revision else Number(None)),
        ("", lambda run: Quoted(", ".join(_run_remarks(run, dataset)))),
    )
    if dataset.comparisons:
        yield _latest(dataset.comparisons, comparison_columns, "comparison")
    if any(isinstance(decision, Rejection) for decision in dataset.decisions):
        yield _latest(dataset.decisions, DECISION_COLUMNS, "decision")
    yield _latest(dataset.runs, run_columns, "run")


def trend_figure(dataset: DatasetHistory) -> Figure | None:
    """Draw the drift of the runs that were compared alike; ``None`` if there are fewer than two."""
    series = _series(dataset.comparisons)
    recorded = {run.id: run.recorded for run in dataset.runs}
    return _drift_figure(series, recorded) if len(series) > 1 else None


def baseline_line(dataset: DatasetHistory) -> str:
    """State the baseline of a dataset, and who approved it, in a line without a full stop."""
    approval = dataset.approval
    if approval is None:
        return "no baseline" + hint(": semscale drift approve RUN --approved-by NAME --why REASON")
    until = f" {expiry(approval.expires, _TIME)} UTC" if approval.expires else ""
    expired = " (expired)" if dataset.is_stale else ""
    if (rejection := dataset.rejection) is not None:
        expired = f" (rejected by {one_line(rejection.by)}: “{one_line(rejection.why)}”)"
    id_ = short_id(approval.run_id)
    models = {run.id: f"{one_line(run.model)} ({id_})" for run in dataset.runs}
    return (
        f"baseline {models.get(approval.run_id, id_)}, approved by {one_line(approval.by)} on "
        f"{approval.approved:%Y-%m-%d}{until}: “{one_line(approval.why)}”{expired}"
    )


def _latest(rows: Sequence[Row], columns: Columns[Row], noun: str) -> DataTable:
    """Build a table, the latest entry first."""
    left = len(rows) - _MOST_ROWS
    note = f"The latest {_MOST_ROWS}; the history has {count(left)} earlier ones." if left > 0 else ""
    title = f"{noun.capitalize()}s, the latest first"
    return table_of(rows[::-1][:_MOST_ROWS], columns, title=title, note=note, most=_SHOWN, noun=noun)


def _run_remarks(run: RunSummary, dataset: DatasetHistory) -> Iterator[str]:
    if dataset.approval is not None and run.id == dataset.approval.run_id:
        yield "baseline"
    if run.rerun_of is not None:
        yield f"rerun of {short_id(run.rerun_of)}"
    if run.note is not None:
        yield run.note


def _version(run: RunSummary, dataset: DatasetHistory) -> str:
    version = dataset.versions.get(run.dataset_version or "")
    return MISSING if version is None else f"{version.number} ({version.hash[:8]})"


def _broken_cell(broken: Sequence[GateCheck] | None) -> Cell:
    if broken is None:
        return Number(None)
    names = [_broken_check(check) for check in broken[:_FEW]]
    more = [f"{count(len(broken) - _FEW)} more"] if len(broken) > _FEW else []
    return Quoted(join_list([*names, *more]), wraps=True) if names else Label("none")


def _broken_check(check: GateCheck) -> str:
    if check.kind == "must_pass":
        return f"must-pass {check.name}"
    if check.kind == "rejection":
        return f"rejected by {check.name}"
    value = number(check.value, 3) if check.kind == "threshold" else count_of(round(check.value), "item")
    return f"{check.label} ({value})"


def _greatest(comparison: StoredComparison) -> Value:
    """Return the greatest drift of the tested metrics, as the gate states it."""
    if not comparison.tested:
        return None
    worst = comparison.tested[0]
    if worst.in_margins <= 0:
        return "none"
    return f"{one_line(metric_label(worst.metric))} {in_margins(worst.in_margins)}"


def _series(comparisons: Sequence[StoredComparison]) -> list[StoredComparison]:
    """Return the comparisons with the same baseline, settings and items as the latest.

    Only the last comparison of a candidate counts.
    """
    if not comparisons:
        return []
    latest = comparisons[-1]

    def settings_of(comparison: StoredComparison) -> tuple[str, str]:
        return comparison.baseline_id, without_fields(comparison.signature, {COMMON_ITEMS, "reruns"})

    alike = [comparison for comparison in comparisons if settings_of(comparison) == settings_of(latest)]
    by_candidate = {comparison.outputs_key: comparison for comparison in alike}
    return list(by_candidate.values())


def hidden_metrics(gate: StoredComparison) -> set[str]:
    """Return the metrics on the subject of a broken limit, which would contradict or repeat it."""
    return {SAME_SUBJECT[check.name] for check in gate.broken or () if check.name in SAME_SUBJECT}


def _drift_figure(series: Sequence[StoredComparison], recorded: Mapping[str, datetime]) -> Figure:
    """Draw the drift of each tested metric over the latest runs, as a multiple of its margin.

    Args:
        series: comparisons of the runs.
        recorded: when each run was recorded, by its id.
    """
    latest_first = sorted(series, key=lambda comparison: recorded[comparison.candidate_id], reverse=True)
    shown = latest_first[:_DRAWN_RUNS]
    tested = {figure.metric for comparison in shown for figure in comparison.tested}
    figures = [figure.metric for comparison in shown for figure in comparison.figures]
    metrics = [metric for metric in dict.fromkeys(figures) if metric in tested]
    values = []
    for comparison in shown:
        hidden = hidden_metrics(comparison)
        by_metric = {
            figure.metric: figure.in_margins for figure in comparison.tested if figure.metric not in hidden
        }
        values.append([by_metric.get(metric, math.nan) for metric in metrics])
    broken = [math.nan if comparison.broken is None else len(comparison.broken) for comparison in shown]
    cells = [
        [
            *(MatrixCell(drift_colour(value), with_sign(number(value, 1))) for value in row),
            MatrixCell(drift_colour(2.0 * min(n, 1)), number(n, 0)),
        ]
        for row, n in zip(values, broken, strict=True)
    ]
    names = [
        f"{one_line(comparison.model)}, {recorded[comparison.candidate_id]:%Y-%m-%d}"
        f"{'' if comparison.outcome is None else f', {OUTCOMES[Outcome(comparison.outcome)]}'}"
        for comparison in shown
    ]
    ids = [short_id(comparison.candidate_id) for comparison in shown]
    cut = (
        f" The latest {count(len(shown))} of {count_of(len(series), 'run')}."
        if len(shown) < len(series)
        else ""
    )
    has_gaps = any(math.isnan(value) for row in values for value in row)
    gaps = (
        " A dash means that a metric was not tested, or that a limit on what it measures is broken."
        if has_gaps
        else ""
    )
    labels = [*(one_line(metric_label(metric)) for metric in metrics), "broken limits"]
    return Figure(
        "drift",
        lambda width: matrix(cells, names, labels, width=width),
        "Drift of each tested metric as a multiple of the allowed change, and broken hard limits, in "
        f"{count_of(len(shown), 'run')}.",
        matrix_table(
            "run",
            [f"{name} ({id_})" for name, id_ in zip(names, ids, strict=True)],
            labels,
            [[*row, n] for row, n in zip(values, broken, strict=True)],
        ),
        caption="Figures of metrics are multiples of their margin: from 1.0 on, the change is too large to "
        f"pass.{gaps} Broken limits are counted. All runs have the same baseline and settings.{cut}",
        style="heat",
    )


def anchors_document(summary: RecordedAnchors) -> Document:
    """Turn a stored anchor set into a document."""
    anchors = summary.anchors
    rows: list[tuple[Value, ...]] = [
        ("hash", anchors.digest),
        ("pairs", len(anchors.pairs)),
        ("human labels", sum(label is not None for label in anchors.labels)),
        ("readings of the reference", len(summary.references)),
        ("history", parts.quote_file_name(summary.where)),
    ]
    errors = [
        (metric_label(reading), estimate_cell(error, 3), error.n) for reading, error in summary.errors.items()
    ]
    stored = "stored" if summary.is_new else "measured again as the new reference"
    return Document(
        kind="anchors",
        name="Anchors",
        title=("Anchors of “", Quoted(anchors.dataset, 60), "”"),
        source=(Quoted(anchors.name),),
        introduction=(
            Paragraph(
                f"{count_of(len(anchors.pairs), 'anchor')} {stored}. Each gate measures them again, to see "
                "whether the model that compares outputs, or its engine, has changed.",
                detail="both",
            ),
        ),
        sections=without_none(
            section("anchors", "The anchors", table(("", ""), rows)),
            section(
                "errors",
                "Compared with human labels",
                table(("reading", "error", "labels"), errors, brief_title="Compared with human labels"),
            ),
        ),
    )


def plan_document(plan: GatePlan) -> Document:
    """Turn a plan into a document."""
    kind = "an unchanged model" if plan.is_unchanged else "drifts like this one"
    columns: Columns[PlannedSize] = (
        ("items", lambda size: size.items),
        ("reruns", lambda size: size.reruns),
        ("more answers needed", lambda size: size.further_answers),
        ("gate decides", lambda size: Share(size.decided, 0)),
        ("passes", lambda size: Share(size.passed, 0)),
        ("fails", lambda size: Share(size.failed, 0)),
        ("undecided", lambda size: Share(size.undecided, 0)),
    )
    sizes = table_of(plan.sizes, columns, brief_title="Simulated gates")
    now = f"{count_of(plan.items, 'item')} and {count_of(plan.reruns, 'rerun')} of the baseline"
    return Document(
        kind="plan for a drift gate",
        name="Plan for the drift gate",
        title="How many items and reruns does it take?",
        source=(),
        introduction=(
            Paragraph(f"{capitalise(plan.sentence)}.", detail="both"),
            Paragraph(
                f"Now there are {now}. Wanted: the gate decides about {kind} in at least "
                f"{percent(plan.power, 0)} of comparisons.",
                detail="both",
                brief=f"now {now}",
            ),
        ),
        notices=notices(cautions=_copy_cautions(plan.copies)),
        facts=(
            ("Items", Count(plan.items)),
            ("Reruns", Count(plan.reruns)),
            ("Simulated gates per size", Count(plan.draws)),
            ("Seed", Label(str(plan.seed))),
        ),
        sections=(
            Section(
                "sizes",
                "Decisions by number of items and reruns",
                (
                    _sizes_figure(plan, sizes),
                    Paragraph(
                        "Each simulated gate draws items from those recorded; a further rerun is like one of "
                        "those recorded. An answer is one call of the model for one item. Limits and "
                        "thresholds are left out.",
                        "note",
                    ),
                ),
            ),
        ),
    )


def _sizes_figure(plan: GatePlan, numbers: DataTable) -> Figure:
    """Draw the share of simulated gates that passed, failed and stayed undecided, for each size."""
    rows = [
        (
            f"{count_of(size.items, 'item')}, {count_of(size.reruns, 'rerun')}",
            Estimate(size.decided, math.nan, math.nan),
            (size.passed, size.failed, size.undecided),
        )
        for size in plan.sizes
    ]
    outcomes = (Swatch(ACCENT, "passed"), Swatch(CONTRAST, "failed"), Swatch(NEUTRAL, "undecided"))
    return Figure(
        "sizes",
        *distribution_chart(
            rows,
            outcomes,
            reference=plan.power,
            about="Share of simulated gates that decide",
            axes=("share decided", "share of each outcome"),
        ),
        numbers,
        caption="The dot is the share of gates that pass or fail; the dashed line is the share that is "
        "wanted. The first row is the present size, the others follow from the cheapest on.",
        legend=outcomes,
        data=distribution_data(
            rows, outcomes, reference=plan.power, order="none", quantity="share of gates that decide"
        ),
    )


_UNCHANGED = {
    "identity": "Nothing was changed.",
    "rerun": "The baseline's model was asked again, unchanged.",
}
_METHOD = (
    "Each change was made to every item that allows it, and measured once. Then items were drawn repeatedly; "
    "a share of them had the losses of their changed version, and the gate decided. Intervals reflect the "
    "number of draws, not the choice of the dataset."
)
_FEW_RERUNS = {
    0: (
        "Without a rerun of the baseline, false alarms do not include the noise of the model, and the gate "
        "fails by limits alone.",
    ),
    1: (
        "One rerun cannot be candidate and reference at once: false alarms of an unchanged model are "
        "unknown. Record a second rerun.",
    ),
}


def self_test_document(result: SelfTest) -> Document:
    """Turn a self-test into a document."""
    rows = result.rows
    items, draws = max((row.items for row in rows), default=0), max((row.n_draws for row in rows), default=0)
    reruns = count_of(result.n_reruns, "rerun") if result.n_reruns else "no rerun"
    drawn = (
        f"{count_of(items, 'item')} per gate, {count_of(draws, 'gate')} per line, {reruns} of the baseline"
    )
    intervals = f"{coverage(result.interval)}, Wilson's score interval over draws"
    return Document(
        kind="self-test of a drift gate",
        name="Self-test of the drift gate",
        title="Does this gate detect damage?",
        source=(),
        lead=_detections_figure(result) if result.detections else None,
        introduction=(
            Paragraph(drawn, detail="brief"),
            *(Paragraph(sentence) for sentence in _detections(result)),
        ),
        notices=notices(
            cautions=[*_FEW_RERUNS.get(result.n_reruns, ()), *_copy_cautions(result.copies)],
            notes=[f"intervals: {intervals}"] if rows else [],
        ),
        sections=without_none(
            section("alarms", "False alarms", _alarms_block(result.false_alarms)),
            section("changes", "Changes of the outputs", _METHOD, _changes_table(result)),
        ),
        settings=(("Intervals", intervals), *parts.signature_fields(result.signature)),
        signature=result.signature,
    )


def _detections(result: SelfTest) -> Iterator[str]:
    """State which damage the gate detects, and which harmless changes it takes for damage."""
    most, alarms, allowed = (
        _at_most_damage(result),
        _rows_with_draws(result.false_alarms),
        percent(result.alpha, 0),
    )
    if most:
        weak = [row.kind for row in most if row.failed.value < _TARGET]
        damaged = "all items" if most[0].share == 1.0 else f"{percent(most[0].share, 0)} of items"
        detected = f"{count(len(most) - len(weak))} of {count_of(len(most), 'kind')} of damage to {damaged}"
        missed = f" Detected less often: {join_list(weak)}." if weak else ""
        yield f"{detected} are detected in at least {percent(_TARGET, 0)} of draws.{missed}"
    beyond = [_change_label(row) for row in alarms if row.failed.low > result.alpha]
    if beyond:
        yield f"More than {allowed} false alarms, beyond chance: {join_list(beyond)}."
    elif alarms:
        yield f"No harmless change has more than {allowed} false alarms, beyond the chance of the draws."
    if not most and not alarms:
        yield "No gate was run: no item allows these changes."


def _detections_figure(result: SelfTest) -> Figure:
    """Draw the share of draws in which each damage was detected, by the share of damaged items."""
    rows = result.detections
    kinds = list(dict.fromkeys(row.kind for row in rows))
    shares = sorted({row.share for row in rows})
    rates = {(row.kind, row.share): row.failed.value for row in rows}
    return Figure(
        "detections",
        matrix_chart(
            kinds,
            [f"{percent(share, 0)} of items" for share in shares],
            [[rates.get((kind, share), math.nan) for share in shares] for kind in kinds],
            lambda rate: sequential(rate) if math.isfinite(rate) else "#ffffff",
            lambda rate: percent(rate, 0),
        ),
        "Share of draws in which the gate failed, by kind of damage and share of damaged items.",
        _rates_table(rows, "Damage: the gate should fail"),
        caption="Share of draws in which the gate failed; each column is the share of items that were "
        "damaged. The stronger the blue, the more draws detect it.",
        style="heat",
    )


def _alarms_block(rows: Sequence[SelfTestRow]) -> Block | None:
    drawn = _rows_with_draws(rows)
    if not drawn:
        return _rates_table(rows, "Harmless changes: the gate should not fail") if rows else None
    return shares_figure(
        "false-alarms",
        [(_change_label(row), row.failed) for row in drawn],
        head="change",
        quantity="share of draws in which the gate failed",
        measure="share",
        numbers=_rates_table(rows, "Harmless changes: the gate should not fail"),
    )


def _rates_table(rows: Sequence[SelfTestRow], title: str) -> DataTable:
    columns: Columns[SelfTestRow] = (
        ("change", lambda row: row.kind),
        ("damaged items", lambda row: Share(row.share or None, 0)),
        ("failed", lambda row: estimate_cell(row.failed, is_share=True, note=_why_unknown(row))),
        ("undecided", lambda row: Share(row.undecided.value)),
        ("passed", lambda row: Share(row.passed.value)),
        ("detected by", lambda row: one_line(metric_label(row.detected_by)) if row.detected_by else MISSING),
        ("draws", lambda row: row.n_draws),
    )
    return table_of(rows, columns, brief_title=title, brief=6)


def _why_unknown(row: SelfTestRow) -> str:
    if row.n_draws:
        return ""
    return "needs two reruns" if row.kind == "rerun" else "no item allows this change"


def _changes_table(result: SelfTest) -> DataTable:
    rows: list[Sequence[Value]] = []
    for kind in dict.fromkeys(row.kind for row in result.rows):
        of_kind = [row for row in result.rows if row.kind == kind]
        gate = "should fail" if of_kind[0].is_harmful else "should not fail"
        meaning = _UNCHANGED.get(kind) or (DAMAGES[kind].meaning if kind in DAMAGES else "")
        rows.append((kind, max(row.n_eligible for row in of_kind), gate, meaning))
    return table(
        ("change", "items that allow it", "the gate", "meaning"), rows, explained=True, detail="full"
    )


def _change_label(row: SelfTestRow) -> str:
    return row.kind if row.kind in _UNCHANGED else f"{row.kind}, {percent(row.share, 0)} of items"


def _at_most_damage(result: SelfTest) -> list[SelfTestRow]:
    """Return the rows of the drawn kinds of damage with the greatest share of damaged items."""
    drawn = _rows_with_draws(result.detections)
    greatest = max((row.share for row in drawn), default=0.0)
    return [row for row in drawn if row.share == greatest]


def _rows_with_draws(rows: Sequence[SelfTestRow]) -> list[SelfTestRow]:
    return [row for row in rows if math.isfinite(row.failed.value)]


def verification_document(verification: Verification) -> Document:
    """Turn the verification of a history into a document."""
    level: Level = "pass" if verification.holds else "fail"
    flaws, lost_heads = verification.flaws, verification.lost_heads
    n_changed = len(flaws) - len(lost_heads)
    verdict = f"{count_of(verification.n_entries, 'entry')} unchanged since recording"
    if n_changed:
        verdict = f"{count_of(n_changed, 'entry')} changed; the first is {one_line(str(flaws[0]))}"
    if lost_heads:
        missing = one_line(", ".join(lost_heads))
        rest = verdict if n_changed else "no other entry was changed"
        verdict = (
            f"{count_of(len(lost_heads), 'hash', 'hashes')} not found in the history: {missing}. Either it "
            f"is mistyped, or the entries up to it were replaced or removed; {rest}"
        )
    heads = [(Quoted(name, 60), head) for name, head in verification.heads.items()]
    return Document(
        kind="verified history",
        name="History",
        title="Is the history as it was stored?",
        source=(parts.quote_file_name(verification.where),),
        lead=Decision("unchanged" if verification.holds else "changed", level, "according to the hashes"),
        introduction=(Paragraph(f"{verdict}.", "lead", detail="both"),),
        notices=notices(
            cautions=[
                "anyone who may write to the database can compute all hashes anew or remove the last "
                "entries: note the last hashes elsewhere, and check them" + hint(" (--head)")
            ]
        ),
        facts=(("Entries", Count(verification.n_entries)),),
        sections=without_none(
            section(
                "flaws",
                "Changed entries",
                table(
                    ("kind", "id", "dataset", "reason"),
                    [
                        (one_line(flaw.kind), Quoted(flaw.id, 64), Quoted(flaw.dataset or "", 60), flaw.why)
                        for flaw in flaws[:_MOST_ROWS]
                    ],
                    brief_title="Changed entries",
                    note=f"The first {_MOST_ROWS} of {count(len(flaws))}." if len(flaws) > _MOST_ROWS else "",
                    most=_SHOWN,
                    noun="entry",
                ),
            ),
            section(
                "heads",
                "Hashes to note",
                "The last hash of a dataset covers everything that was stored before it.",
                table(("dataset", "hash"), heads, brief_title="Hashes to note"),
            ),
        ),
        ending=(f"{'holds' if verification.holds else 'changed'}: {verdict}", level),
    )
