"""Documents of a history: a recorded run, an approved baseline, and lists of runs and comparisons."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from semscale.chat.costs.prices import amount
from semscale.drift.asking.answers import AskedFacts
from semscale.drift.gate.decision import in_margins
from semscale.drift.nights.history_summary import DatasetHistory, HistorySummary
from semscale.drift.nights.trend import MetricTrend, Trends
from semscale.drift.runs.run_summaries import ApprovedBaseline, RecordedRun
from semscale.drift.runs.shared_ids import SharedIds
from semscale.history.runs import Run, short_id
from semscale.history.stored_comparison import StoredComparison
from semscale.history.summaries import RunSummary
from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.document import Document, Section
from semscale.report.document.values import Cell, Count, Line, Number, Quoted, Words
from semscale.report.drift.broken_checks import broken_cell
from semscale.report.drift.document import run_line
from semscale.report.drift.shared_ids import former_words, none_shared_words, shared_words
from semscale.report.drift.tables import metric_cell
from semscale.report.drift.trend import change_columns, evidence_cell, outcome_cell, trend_document
from semscale.report.formatting import MISSING, count, counted, listed, number, one_line, printable, signed
from semscale.report.parts import Columns, table_of

_TIME = "%Y-%m-%d %H:%M"
_SHOWN, _MOST_ROWS = 20, 200
_SHOWN_REASONS = 5
_REPEATS = (
    "This rerun has the outputs of its original, word for word: right only for a model that always answers "
    "alike. Else record what the model gave when it was asked again."
)
_PLURALS = {"reading of anchors": "readings of anchors"}


def recorded_document(summary: RecordedRun) -> Document:
    """Turn a recorded run into a document."""
    run = summary.run
    fields = [
        f"{one_line(name)} (missing in {counted(n, 'output')})" if n else one_line(name)
        for name, n in summary.without_number.items()
    ]
    groups = [f"{one_line(kind)} ({count(n)})" for kind, n in summary.n_groups.items()]
    rows: dict[str, Cell | None] = {
        "dataset": Quoted(run.dataset),
        "model": Quoted(run.model),
        "items": Count(len(run.items)),
        "outputs": Count(summary.n_outputs),
        "silent": Count(summary.n_silent),
        "ids in common": None if summary.shared is None else Words(shared_words(summary.shared)),
        "fields": Words(listed(fields) or "none"),
        "groups": Words(listed(groups) or "none"),
        "rerun of": None if run.rerun_of is None else Words(short_id(run.rerun_of)),
        "Git revision": Quoted(run.revision) if run.revision else Words("none"),
        "note": None if run.note is None else Quoted(run.note),
        "history": Words(printable(summary.where)),
    }
    rows |= _asked_rows(summary)
    shown = tuple((Words(name), value) for name, value in rows.items() if value is not None)
    return Document(
        kind="recorded run",
        name="Recorded",
        title=("What “", Quoted(run.model, 60), "” gave"),
        source=(short_id(run.id),),
        signature=None,
        sections=(Section("run", "The run", (DataTable(("", ""), shown),)),),
        cautions=(
            *_shared_cautions(summary.shared, run.dataset),
            *((_REPEATS,) if summary.repeats_original else ()),
            *(() if summary.asked is None else asked_cautions(summary.asked)),
        ),
        notes=() if summary.is_new else (_known_already(run),),
    )


def _asked_rows(summary: RecordedRun) -> dict[str, Cell | None]:
    """Say what outputs took that a model or a program was asked for."""
    facts = summary.asked
    if facts is None:
        return {}
    taken = [
        f"{amount(total)} {_unit(name, facts)} for {counted(facts.n_known[name], 'output')}"
        for name, total in facts.sums.items()
    ]
    return {
        "reruns": Words(", ".join(short_id(rerun.id) for rerun in summary.reruns) or "none"),
        "calls": Count(facts.n_calls),
        "kept from before": Count(facts.n_kept) if facts.n_kept else None,
        "took": Words(", ".join(taken) or "not known"),
        "seconds a call": None if facts.latency is None else Number(facts.latency, 2),
    }


def _unit(name: str, facts: AskedFacts) -> str:
    return facts.currency or "money" if name == "cost" else name


def asked_cautions(facts: AskedFacts) -> tuple[str, ...]:
    """Say what did not come, was cut, or was asked without a parameter."""
    without = [f"{counted(n, 'answer')} without an output: {why}" for why, n in facts.reasons.items()]
    cut = f"{counted(facts.n_cut, 'reply', 'replies')} cut at the most tokens allowed (--max-tokens)"
    left = f"asked without {listed(list(facts.left_out))}, which the model refuses"
    return (*without[:_SHOWN_REASONS], *([cut] if facts.n_cut else []), *([left] if facts.left_out else []))


def _known_already(run: Run) -> str:
    return (
        f"The history has this run since {run.recorded:{_TIME}} UTC, so nothing was added. Where a model "
        "gave the same outputs once more, --note TEXT keeps them as another run."
    )


def approved_document(summary: ApprovedBaseline) -> Document:
    """Turn an approval into a document."""
    run, approval = summary.run, summary.approval
    until = f"until {approval.expires:{_TIME}} UTC" if approval.expires else "until another is approved"
    rerun = [] if run.rerun_of is None else [f"It was recorded as a rerun of {short_id(run.rerun_of)}."]
    silent = "No item of it says anything, so that a candidate cannot do worse: approve a run with outputs."
    return Document(
        kind="baseline",
        name="Baseline",
        title=("The baseline of “", Quoted(run.dataset, 60), "”"),
        source=(Quoted(run.dataset),),
        signature=None,
        counting=(
            run_line(run),
            f"approved by {one_line(approval.by)}, {until}: {one_line(approval.why)}",
            *rerun,
            *(() if summary.shared is None else (former_words(summary.shared),)),
        ),
        cautions=(
            *_shared_cautions(summary.shared, run.dataset),
            *((silent,) if summary.is_silent else ()),
        ),
    )


def _shared_cautions(shared: SharedIds | None, dataset: str) -> tuple[str, ...]:
    return () if shared is None or shared.n else (f"{none_shared_words(shared, dataset)}.",)


def history_document(summary: HistorySummary) -> Document:
    """Turn a history into a document: lists of runs and comparisons, after the trend of a single dataset."""
    lists = tuple(
        Section(f"dataset-{place}", ("All that is kept of “", Quoted(one.name), "”"), tuple(_lists(one)))
        for place, one in enumerate(summary.datasets, start=1)
    )
    followed = [one.trends for one in summary.datasets if one.trends is not None]
    base = Document("drift history", "History", "What the history holds", (), None)
    if len(summary.datasets) == len(followed) == 1:
        base = trend_document(followed[0])
    return replace(
        base,
        name="History",
        source=(printable(summary.where), *base.source),
        counting=tuple(_counting(summary)),
        reading=(*base.reading, *_counting(summary)),
        cautions=tuple(f"trend: {caution}" for trends in followed for caution in trends.cautions),
        sections=(*base.sections, *lists),
    )


def _counting(summary: HistorySummary) -> Iterator[str]:
    for other, merged in summary.merged.items():
        parts = [(merged.runs, "run"), (merged.approvals, "approval"), (merged.comparisons, "comparison")]
        anchors = (merged.anchor_sets, "anchor set"), (merged.anchor_readings, "reading of anchors")
        parts += [(n, noun) for n, noun in anchors if n]
        new = ", ".join(counted(n, noun, _PLURALS.get(noun)) for n, noun in parts)
        yield f"taken in from {printable(other)}: {new}"
    if not summary.datasets:
        yield "It holds no run yet: semscale drift record OUTPUTS --model NAME"


def _lists(dataset: DatasetHistory) -> Iterator[Block]:
    runs, compared = counted(len(dataset.runs), "run"), counted(len(dataset.comparisons), "comparison")
    yield Paragraph((Quoted(dataset.name), f"  {runs}, {compared}"), detail="both")
    yield Paragraph(_baseline_line(dataset), detail="both")
    heads = ("run", "recorded (UTC)", "model", "items", "version", "revision", "")
    yield _latest(heads, [_run(run, dataset) for run in dataset.runs], "run")
    if dataset.comparisons:
        compared_heads = (
            *("compared (UTC)", "candidate", "model", "baseline", "outcome"),
            *("limits broken", "greatest worsening"),
        )
        yield _latest(compared_heads, [_comparison(kept) for kept in dataset.comparisons], "comparison")
    if dataset.trends is not None and len(dataset.trends.comparison_ids) > 1:
        yield _trend_table(dataset.trends)


def _baseline_line(dataset: DatasetHistory) -> Line:
    approval = dataset.approval
    if approval is None:
        return "no baseline: semscale drift approve RUN --by NAME --why REASON"
    until = f" until {approval.expires:{_TIME}} UTC" if approval.expires else ""
    said = (
        f"baseline {short_id(approval.run_id)}, approved by {one_line(approval.by)} on "
        f"{approval.approved:%Y-%m-%d}{until}: {one_line(approval.why)}"
    )
    return f"{said} (expired)" if dataset.is_stale else said


def _latest(heads: tuple[str, ...], rows: list[tuple[Cell, ...]], noun: str) -> DataTable:
    """Lay out a list, the latest first; of a long one the latest part."""
    left = len(rows) - _MOST_ROWS
    note = f"The latest {_MOST_ROWS}; the history has {count(left)} earlier ones." if left > 0 else ""
    shown = tuple(rows[::-1][:_MOST_ROWS])
    return DataTable(heads, shown, f"{noun.capitalize()}s, the latest first", note, most=_SHOWN, noun=noun)


def _run(run: RunSummary, dataset: DatasetHistory) -> tuple[Cell, ...]:
    is_baseline = dataset.approval is not None and run.id == dataset.approval.run_id
    said = ["baseline"] if is_baseline else []
    said += [f"rerun of {short_id(run.rerun_of)}"] if run.rerun_of is not None else []
    said += [run.note] if run.note is not None else []
    return (
        Quoted(short_id(run.id)),
        Words(f"{run.recorded:{_TIME}}"),
        Quoted(run.model),
        Count(run.n_items),
        _version(run, dataset),
        Quoted(run.revision) if run.revision else Words(MISSING),
        Quoted(", ".join(said)),
    )


def _version(run: RunSummary, dataset: DatasetHistory) -> Cell:
    """Show the number and the hash of a run's version of the dataset."""
    version = dataset.versions.get(run.dataset_version or "")
    return Words(MISSING) if version is None else Words(f"{version.number} ({version.hash[:8]})")


def _comparison(kept: StoredComparison) -> tuple[Cell, ...]:
    """Show a comparison with the metric that became worse by the most margins."""
    known = [one for one in kept.figures if one.group is None]
    worst = max(known, key=lambda one: in_margins(one.drift, one.margin), default=None)
    if worst is None or np.isnan(worst.drift):
        greatest = MISSING
    else:
        greatest = f"{worst.metric} {signed(number(worst.drift, 3))}" if worst.drift > 0 else "none"
    return (
        Words(f"{kept.compared:{_TIME}}"),
        Words(short_id(kept.candidate_id)),
        Quoted(kept.model),
        Words(short_id(kept.baseline_id)),
        outcome_cell(kept.outcome),
        broken_cell(kept.broken),
        Words(greatest),
    )


def _trend_table(trends: Trends) -> DataTable:
    def known(one: MetricTrend, place: int) -> Number:
        losses = one.losses[~np.isnan(one.losses)]
        return Number(float(losses[place]) if len(losses) else None, 3)

    columns: Columns[MetricTrend] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("first loss", lambda one: known(one, 0)),
        ("last loss", lambda one: known(one, -1)),
        ("a day", lambda one: Number(one.course.slope.value if trends.spans_days else None, 4, signed=True)),
        *change_columns(trends),
        ("evidence", evidence_cell),
    )
    n, baseline = len(trends.comparison_ids), short_id(trends.baseline_id)
    title = f"Trend over {counted(n, 'run')} against {baseline}"
    return table_of(trends.metrics.values(), columns, title=title, detail="brief")
