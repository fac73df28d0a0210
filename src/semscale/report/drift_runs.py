"""Documents about several runs: history, trend, matrix of models, plans and self-tests of the gate."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from semscale.chat.budget import amount
from semscale.damage import DAMAGES
from semscale.drift.gate.decision import Outcome, SequenceTest, in_margins
from semscale.drift.matrix.matrix import AskedMatrix
from semscale.drift.matrix.matrix_summary import CellSummary, MatrixSummary
from semscale.drift.nights.history_summary import DatasetHistory, HistorySummary
from semscale.drift.nights.trend import MetricTrend, Trends
from semscale.drift.ruler.anchors_summary import AnchorsSummary, KeptAnchors
from semscale.drift.runs import ApprovedBaseline, AskedFacts, RecordedRun, SharedIds
from semscale.drift.self_testing.results import SelfTest, SelfTestRow
from semscale.drift.sizing.plan import GatePlan, MetricPlan
from semscale.history.chain import Verification
from semscale.history.runs import Run, RunSummary, short_id
from semscale.history.stored_comparison import StoredComparison
from semscale.report.chart_kit import ACCENT, CONTRAST, INK, MUTED, sequential
from semscale.report.document import (
    Block,
    Cell,
    Change,
    Count,
    DataTable,
    Decision,
    Document,
    Figure,
    Flag,
    Interval,
    Label,
    Level,
    Line,
    Number,
    Paragraph,
    Quoted,
    Rates,
    Section,
    Share,
    Swatch,
    WithInterval,
    estimate_cell,
    stamp,
)
from semscale.report.drift import metric_cell, run_line
from semscale.report.drift_sentences import (
    LEVELS,
    OUTCOMES,
    broken_cell,
    broken_words,
    evidence,
    label,
    p_said,
    p_value,
)
from semscale.report.formatting import (
    MISSING,
    capitalised,
    cell_text,
    clipped,
    count,
    counted,
    coverage,
    has_interval,
    listed,
    number,
    one_line,
    percent,
    percent_with_interval,
    plain,
    printable,
    signed,
)
from semscale.report.parts import Columns, run_settings, signature_fields, table_of
from semscale.report.plane_charts import MOST_RUNS, Course, Mark, MatrixCell, Timeline, courses, matrix
from semscale.report.row_charts import NOISE, TOLERATED, ForestRow, forest
from semscale.report.sentences import position_bias_note, stand_in_notes
from semscale.signature import Signature
from semscale.stats.drift_tests import FEWEST_VALUES
from semscale.stats.intervals import FEWEST_CLUSTERS

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
        "ids in common": None if summary.shared is None else Label(shared_words(summary.shared)),
        "fields": Label(listed(fields) or "none"),
        "groups": Label(listed(groups) or "none"),
        "rerun of": None if run.rerun_of is None else Label(short_id(run.rerun_of)),
        "Git revision": Quoted(run.revision) if run.revision else Label("none"),
        "note": None if run.note is None else Quoted(run.note),
        "history": Label(printable(summary.where)),
    }
    rows |= _asked_rows(summary)
    shown = tuple((Label(name), value) for name, value in rows.items() if value is not None)
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
        "reruns": Label(", ".join(short_id(rerun.id) for rerun in summary.reruns) or "none"),
        "calls": Count(facts.n_calls),
        "kept from before": Count(facts.n_kept) if facts.n_kept else None,
        "took": Label(", ".join(taken) or "not known"),
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
        return "no baseline: semscale drift approve RUN --approved-by NAME --why REASON"
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
        Label(f"{run.recorded:{_TIME}}"),
        Quoted(run.model),
        Count(run.n_items),
        _version(run, dataset),
        Quoted(run.revision) if run.revision else Label(MISSING),
        Quoted(", ".join(said)),
    )


def _version(run: RunSummary, dataset: DatasetHistory) -> Cell:
    """Show the number and the hash of a run's version of the dataset."""
    version = dataset.versions.get(run.dataset_version or "")
    return Label(MISSING) if version is None else Label(f"{version.number} ({version.hash[:8]})")


def _comparison(kept: StoredComparison) -> tuple[Cell, ...]:
    """Show a comparison with the metric that became worse by the most margins."""
    known = [one for one in kept.figures if one.group is None]
    worst = max(known, key=lambda one: in_margins(one.drift, one.margin), default=None)
    if worst is None or np.isnan(worst.drift):
        greatest = MISSING
    else:
        greatest = f"{worst.metric} {signed(number(worst.drift, 3))}" if worst.drift > 0 else "none"
    return (
        Label(f"{kept.compared:{_TIME}}"),
        Label(short_id(kept.candidate_id)),
        Quoted(kept.model),
        Label(short_id(kept.baseline_id)),
        outcome_cell(kept.outcome),
        broken_cell(kept.broken),
        Label(greatest),
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


def anchors_document(summary: AnchorsSummary) -> Document:
    """Turn the anchor sets of a dataset into a document."""
    latest = summary.sets[-1]
    used = (
        f"Comparisons read {counted(len(latest.anchors.pairs), 'anchor')} of "
        f"“{one_line(latest.anchors.name)}” anew in every run, and say whether the ruler moved"
    )
    return Document(
        kind="anchors",
        name="Anchors",
        title=("What the ruler of “", Quoted(summary.dataset, 60), "” is held against"),
        source=(printable(summary.where),),
        signature=None,
        reading=(f"{used}.",),
        sections=tuple(_anchors_sections(summary)),
    )


def _anchors_sections(summary: AnchorsSummary) -> Iterator[Section]:
    rows = tuple(
        (
            Quoted(one.anchors.name, 60),
            Label(one.anchors.digest),
            Label(stamp(one.anchors.frozen)),
            Count(len(one.anchors.pairs)),
            Count(one.n_labels),
        )
        for one in summary.sets
    )
    heads = ("anchors", "hash", "frozen", "pairs", "labels")
    yield Section("sets", "Anchor sets", (DataTable(heads, rows, "Anchor sets"),))
    yield Section("rulers", "Rulers", tuple(_rulers(summary.sets[-1])))


def _rulers(kept: KeptAnchors) -> Iterator[Block]:
    rulers = [one for one in kept.rulers if one.reference]
    rows = tuple(
        (
            Label(short_id(one.reference[0].series)),
            Label(stamp(one.reference[0].measured)),
            Count(len(one.reference)),
            Count(one.n_runs),
        )
        for one in rulers
    )
    yield DataTable(("reference", "read", "repeats", "runs since"), rows, "Rulers")
    errors = tuple(
        (
            Label(short_id(one.reference[0].series)),
            Label(label(error.reading)),
            estimate_cell(error.error, 3),
            Count(error.error.n),
        )
        for one in rulers
        for error in one.errors
    )
    if errors:
        yield DataTable(("reference", "reading", "error", "labels"), errors, "Against people")
    for one in rulers:
        yield Paragraph(f"{short_id(one.reference[0].series)}: {one.reference[0].signature}", "note")


def shared_words(shared: SharedIds) -> str:
    """Say how many ids a run has in common with an earlier one.

    Example:
        >>> shared_words(SharedIds("4c44e2e2d1", True, 12, 30))
        '12 of the 30 of the baseline 4c44e2e2'
    """
    return f"{count(shared.n)} of the {count(shared.n_earlier)} of {_earlier_words(shared)}"


def former_words(shared: SharedIds) -> str:
    """Say how many ids a new baseline has in common with the former one."""
    former = f"the former baseline {short_id(shared.run)}"
    return f"ids in common with {former}: {count(shared.n)} of {count(shared.n_earlier)}"


def none_shared_words(shared: SharedIds, dataset: str) -> str:
    """Say that a run has no id in common with an earlier one of its dataset."""
    return (
        f"no id is in common with {_earlier_words(shared)} of dataset “{one_line(dataset)}”, so that nothing "
        "can be compared with it: check the file, or name another dataset with --dataset"
    )


def _earlier_words(shared: SharedIds) -> str:
    return f"the {'baseline' if shared.is_baseline else 'latest run'} {short_id(shared.run)}"


def plan_document(plan: GatePlan) -> Document:
    """Turn a plan into a document."""
    asked = any(one.drift is not None for one in plan.metrics)
    within = [one.metric for one in plan.metrics if one.drift is not None and one.drift <= one.margin]
    said = f"a drift within its margin is not to fail, whatever the number of items: {', '.join(within)}"
    heads = ("metric", "spread", "margin", "finds from", "items for the margin", "items to pass",
             *(("drift", "items for it") if asked else ()))  # fmt: skip
    table = DataTable(heads, tuple(_row(one, asked=asked) for one in plan.metrics), brief_title="By metric")
    sources = tuple(dict.fromkeys(f"spread: {one.source}" for one in plan.metrics))
    notes = (Paragraph(f"{capitalised(one)}.", "note") for one in sources)
    return Document(
        kind="plan for a drift gate",
        name="Plan for the drift gate",
        title="How many items does it take?",
        source=(),
        signature=None,
        counting=(
            f"{counted(plan.n_items, 'item')}, {counted(plan.n_tests, 'test')}, power {plain(plan.power)}; "
            f"strictest level {number(plan.alpha, 4)}",
        ),
        reading=(
            f"With {counted(plan.n_items, 'item')}, {counted(plan.n_tests, 'test')} and a power of "
            f"{plain(plan.power)} the gate finds the drifts in the table.",
        ),
        facts=(
            ("Items", Count(plan.n_items)),
            ("Tests", Count(plan.n_tests)),
            ("Power", Number(plan.power, None)),
            ("Strictest level", Number(plan.alpha, 4)),
        ),
        cautions=(*([said] if within else []), *plan.cautions),
        sections=(Section("metrics", "By metric", (table, *notes)),),
        notes=sources,
    )


def _row(one: MetricPlan, *, asked: bool) -> tuple[Cell, ...]:
    row: tuple[Cell, ...] = (
        metric_cell(one.metric),
        Number(one.sd, 3),
        Number(one.margin, 3),
        Number(one.detectable, 3),
        Count(one.items_for_margin),
        Count(one.items_to_pass),
    )
    return (*row, Number(one.drift, 3), Count(one.items_for_drift)) if asked else row


_TARGET = 0.95
_OWN = {
    "identity": "Nothing was changed.",
    "rerun": "The baseline's model was asked once more, unchanged.",
}
_MUST_NOT = "False alarms: what must not fail"
_HOW = (
    "Each change was made to every item that it can be made to, and measured once. Then items were drawn "
    "again and again; a share of them brought the losses of their changed version, and the gate decided. The "
    "intervals say how far the number of draws leaves a rate open, not how other datasets would do."
)

_FEW_RUNS = {
    0: (
        "Without a rerun of the baseline, false alarms say nothing about the model's own noise. The gate "
        "then fails only for lost outputs, and damage to texts stays undecided.",
    ),
    1: (
        "One rerun cannot be candidate and reference at once: false alarms of an unchanged model are not "
        "known, and other rates lack its noise. Record a second rerun.",
    ),
}
"""What is not known from so few reruns."""


def self_test_document(result: SelfTest) -> Document:
    """Turn a self-test into a document."""
    rows = result.rows
    items, draws = max((row.items for row in rows), default=0), max((row.n_draws for row in rows), default=0)
    reruns = counted(result.n_reruns, "rerun") if result.n_reruns else "no rerun"
    intervals = f"{coverage(result.interval)}, Wilson's score interval over draws"
    return Document(
        kind="self-test of a drift gate",
        name="Self-test of the drift gate",
        title="Would this gate notice?",
        source=(),
        signature=result.signature,
        lead=Rates(tuple(_headline(result)), result.interval, digits=1) if rows else None,
        counting=(
            f"{counted(items, 'item')} a gate, {counted(draws, 'gate')} for each line, "
            f"{reruns} of the baseline",
        ),
        reading=tuple(_reading(result)) or ("Nothing was drawn.",),
        facts=(
            ("Items a draw", _range([row.items for row in rows])),
            ("Draws of each change", _range([row.n_draws for row in rows if row.n_draws])),
            ("Kinds of damage", Count(len({row.kind for row in result.detections}))),
            ("Harmless changes", Count(len({row.kind for row in result.false_alarms}))),
            ("Reruns", Count(result.n_reruns)),
        ),
        cautions=_FEW_RUNS.get(result.n_reruns, ()),
        sections=tuple(_self_test_sections(result)),
        notes=(f"intervals: {intervals}",) if rows else (),
        settings=(("Intervals", intervals), *signature_fields(result.signature)),
    )


def change_label(row: SelfTestRow) -> str:
    """Name a change with the share of items that it was made to."""
    return row.kind if row.kind in _OWN else f"{row.kind}, {percent(row.share, 0)} of items"


def _headline(result: SelfTest) -> Iterator[tuple[WithInterval, str]]:
    """Give the two figures that matter: the least detection of full damage, and the most false alarms."""
    full, alarms = _at_full_damage(result), _drawn(result.false_alarms)
    if full:
        least = min(full, key=lambda row: row.failed.value)
        all_alike = "every kind of damage"
        named = all_alike if _are_equal(full) else f"the least detected damage, {least.kind}"
        yield (
            estimate_cell(least.failed, 1, is_share=True),
            f"of draws detected: {named}, to all items",
        )
    if alarms:
        most = max(alarms, key=lambda row: row.failed.value)
        all_alike = "every harmless change"
        named = all_alike if _are_equal(alarms) else f"the most of any change, {change_label(most)}"
        yield (
            estimate_cell(most.failed, 1, is_share=True),
            f"of draws with a false alarm: {named}",
        )


def _reading(result: SelfTest) -> Iterator[str]:
    full, alarms, allowed = _at_full_damage(result), _drawn(result.false_alarms), percent(result.alpha, 0)
    if full:
        weak = [row.kind for row in full if row.failed.value < _TARGET]
        yield (
            f"Where all items are damaged, {count(len(full) - len(weak))} of {counted(len(full), 'kind')} of "
            f"damage are detected in at least {percent(_TARGET, 0)} of draws."
        )
        if weak:
            yield f"Detected less often: {listed(weak)}."
    beyond = [change_label(row) for row in alarms if row.failed.low > result.alpha]
    above = [change_label(row) for row in alarms if row.failed.value > result.alpha >= row.failed.low]
    if alarms and not beyond and not above:
        yield f"No harmless change raises more than {allowed} false alarms."
    if beyond:
        yield f"More than {allowed} false alarms, beyond chance: {listed(beyond)}."
    if above:
        yield f"Above {allowed}, within chance of the draws: {listed(above)}."


def _self_test_sections(result: SelfTest) -> Iterator[Section]:
    alarms, detections = result.false_alarms, result.detections
    if detections:
        yield Section("detections", "What it detects", (_detections_figure(result),))
    if alarms:
        drawn = _false_alarms_figure(result) if _drawn(alarms) else _rate_table(alarms, _MUST_NOT)
        yield Section("alarms", "False alarms", (drawn,))
    not_drawn = listed(list(dict.fromkeys(row.kind for row in result.rows if not row.n_draws)))
    unknown: list[Block] = [
        Paragraph(f"No item can be changed in these ways, so nothing is known of them: {not_drawn}.", "note")
    ]
    changes = [Paragraph(_HOW, "note"), _self_test_changes_table(result), *(unknown if not_drawn else [])]
    yield Section("changes", "What was done to the outputs", tuple(changes))


def _detections_figure(result: SelfTest) -> Figure:
    """Draw how often each damage was detected, by the share of items damaged."""
    rows = result.detections
    kinds = list(dict.fromkeys(row.kind for row in rows))
    shares = sorted({row.share for row in rows})
    found = {(row.kind, row.share): row for row in rows}
    cells = [[found.get((kind, share)) for share in shares] for kind in kinds]
    drawn, heads = (
        [list(map(_self_test_cell, row_of)) for row_of in cells],
        [percent(share, 0) for share in shares],
    )
    said = (
        f"{kind}: {listed([_failed_share(row) for row in row_of if row])}"
        for kind, row_of in zip(kinds, cells, strict=True)
    )
    return Figure(
        "detections",
        lambda width: matrix(drawn, kinds, heads, width=width, title="share of items damaged"),
        f"Share of draws in which the gate failed. {'; '.join(said)}.",
        _rate_table(rows, "Detection: what must fail"),
        caption=f"Percent of draws in which the gate failed, with the {coverage(result.interval)} interval "
        "that the number of draws leaves; each row a kind of damage, each column the share of items that "
        "were damaged. Strong blue is detected. Damage to few items is diluted by the others, as in real "
        "runs.",
        legend=(
            Swatch(sequential(0.0), "never detected"),
            Swatch(sequential(0.5), "every other time"),
            Swatch(sequential(1.0), "always"),
        ),
        style="heat",
    )


def _false_alarms_figure(result: SelfTest) -> Figure:
    """Draw how often the gate failed for harmless changes, beside what it may."""
    allowed = percent(result.alpha, 0)
    rows = [
        ForestRow(
            name=change_label(row),
            drift=row.failed.value,
            low=row.failed.low,
            high=row.failed.high,
            margin=result.alpha,
            text=percent_with_interval(row.failed),
            short_text=percent(row.failed.value),
        )
        for row in _drawn(result.false_alarms)
    ]
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    return Figure(
        "false-alarms",
        lambda width: forest(rows, "share of draws in which the gate failed", width=width, percent=True),
        f"False alarms, {allowed} allowed. {described}.",
        _rate_table(result.false_alarms, _MUST_NOT),
        caption="None of these changes makes the outputs worse, so a gate should not fail. The line is the "
        f"{coverage(result.interval)} interval that the number of draws leaves.",
        legend=(
            Swatch(MUTED, "share of draws in which it failed", "dot"),
            Swatch(TOLERATED, f"at most {allowed} are allowed"),
        ),
    )


def _rate_table(rows: Sequence[SelfTestRow], title: str) -> DataTable:
    """Lay rows out with every share and its interval."""
    heads = ("change", "of items", "failed", "undecided", "passed", "found by", "draws", "items a draw")
    return DataTable(heads, tuple(map(_rate_row, rows)), brief_title=title, brief=6)


def _rate_row(row: SelfTestRow) -> tuple[Cell, ...]:
    why = "needs two reruns" if row.kind == "rerun" else "no item can be changed so"
    rates: tuple[Cell, ...] = (Label(why), Label(""), Label(""), Label(""))
    if row.n_draws:
        found = Label(MISSING) if row.detected_by is None else metric_cell(row.detected_by)
        failed = estimate_cell(row.failed, is_share=True)
        rates = failed, Share(row.undecided.value), Share(row.passed.value), found
    return Quoted(row.kind), Share(row.share or None, 0), *rates, Count(row.n_draws), Count(row.items)


def _self_test_changes_table(result: SelfTest) -> DataTable:
    """Say what each change does."""
    rows = []
    for kind in dict.fromkeys(row.kind for row in result.rows):
        of_kind = [row for row in result.rows if row.kind == kind]
        gate = "should fail" if of_kind[0].is_harmful else "should not fail"
        meaning = _OWN.get(kind) or (DAMAGES[kind].meaning if kind in DAMAGES else "")
        eligible = Count(max(row.n_eligible for row in of_kind))
        rows.append((Quoted(kind), eligible, Label(gate), Label(meaning)))
    heads = ("change", "items it can be made to", "the gate", "what it does")
    return DataTable(heads, tuple(rows), explained=True, detail="full")


def _at_full_damage(result: SelfTest) -> list[SelfTestRow]:
    return [row for row in _drawn(result.detections) if row.share == 1.0]


def _drawn(rows: Sequence[SelfTestRow]) -> list[SelfTestRow]:
    return [row for row in rows if not math.isnan(row.failed.value)]


def _are_equal(rows: Sequence[SelfTestRow]) -> bool:
    return len({row.failed.value for row in rows}) == 1 < len(rows)


def _range(values: Sequence[int]) -> Cell:
    if not values:
        return Label(MISSING)
    low, high = min(values), max(values)
    return Count(low) if low == high else Label(f"{count(low)} to {count(high)}")


def _failed_share(row: SelfTestRow) -> str:
    return f"{percent(row.failed.value, 0)} at {percent(row.share, 0)} damaged"


def _self_test_cell(row: SelfTestRow | None) -> MatrixCell:
    if row is None or math.isnan(row.failed.value):
        return MatrixCell("#ffffff", MISSING)
    rate, low, high = (f"{100 * share:.0f}" for share in (row.failed.value, row.failed.low, row.failed.high))
    return MatrixCell(sequential(row.failed.value), f"{rate} [{low}, {high}]", rate)


def verification_document(found: Verification) -> Document:
    """Turn a verification into a document; its last line on the screen is the verdict."""
    level: Level = "pass" if found.holds else "fail"
    return Document(
        kind="verified history",
        name="History",
        title="Is the history what was stored?",
        source=(printable(found.where),),
        signature=None,
        lead=Decision("holds" if found.holds else "changed", level, "what the hashes say"),
        reading=(_verdict(found),),
        facts=(("Entries", Count(found.n_entries)),),
        cautions=(
            "whoever may write the database can compute all hashes anew, or take away the last entries: note "
            "the last hashes where that person cannot write, and check them with --head",
        ),
        sections=tuple(_verification_sections(found)),
        ending=(_verdict(found), level),
    )


def _verdict(found: Verification) -> str:
    if found.holds:
        return f"holds: {counted(found.n_entries, 'entry', 'entries')} as stored"
    n = len(found.flaws)
    said = f"changed: {counted(n, 'entry', 'entries')} {'does' if n == 1 else 'do'} not hold"
    return f"{said}, the first is {one_line(str(found.flaws[0]))}"


def _verification_sections(found: Verification) -> Iterator[Section]:
    if found.flaws:
        rows = tuple(
            (
                Label(one_line(flaw.kind)),
                Quoted(flaw.id, 64),
                Quoted(flaw.dataset or "", 60),
                Label(flaw.why),
            )
            for flaw in found.flaws[:_MOST_ROWS]
        )
        left = len(found.flaws) - len(rows)
        note = f"{count(left)} more do not hold." if left else ""
        heads = ("kind", "id", "dataset", "why")
        table = DataTable(heads, rows, "What does not hold", note, most=_SHOWN, noun="entry")
        yield Section("flaws", "What does not hold", (table,))
    yield Section("heads", "Hashes to note down", tuple(_heads(found)))


def _heads(found: Verification) -> Iterator[Block]:
    yield Paragraph(
        "The last hash of a dataset stands for everything that was stored before it. After a merge there "
        "are several, until the next entry names them all.",
        "note",
    )
    rows = tuple((Quoted(name, 60), Label(head)) for name, hashes in found.heads.items() for head in hashes)
    yield DataTable(("dataset", "hash"), rows, brief_title="Hashes to note down")


_MANY = 1000  # answers whose cost is shown
_BASES = {"judge": "by the judge", "reference": "by its match with the references"}
_ALL_ALIKE = "The judge prefers none of them, and there are no references to go by"
_NOTHING = "Nothing says which is better: name a column with --reference, or a judge with --judge-model"


def asked_document(matrix: AskedMatrix) -> Document:
    """Turn a matrix with all its answers into the document of its summary."""
    return matrix_document(matrix.summarize())


def matrix_document(summary: MatrixSummary) -> Document:
    """Turn a matrix into a document."""
    counting = (
        f"{counted(len(summary.cells), 'cell')}, {counted(summary.n_items, 'item')}, "
        f"{count(summary.n_references)} with a reference"
    )
    table = table_of(
        summary.cells,
        tuple(_columns(summary)),
        brief_title=f"All cells ({coverage(summary.interval)} intervals)",
        note="Intervals of differences to the best hold for all pairs of cells together.",
    )
    figure = _matrix_figure(summary)
    return Document(
        kind="comparison of models and prompts",
        name="Matrix",
        title="Which is better?",
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(headline_words(summary), counting),
        reading=(f"{headline_words(summary)}.", f"{counting}."),
        facts=(
            ("Cells", Count(len(summary.cells))),
            ("Items", Count(summary.n_items)),
            ("With a reference", Count(summary.n_references)),
        ),
        warnings=tuple(_warnings(summary)),
        cautions=tuple(_matrix_cautions(summary)),
        sections=(
            Section(
                "cells",
                f"All cells, with {coverage(summary.interval)} intervals",
                (
                    table,
                    *([figure] if figure else []),
                    _counts(summary),
                    Paragraph(_explained(summary), "note", detail="full"),
                ),
            ),
        ),
        settings=run_settings(summary.source, summary.created, (), summary.signature),
    )


def headline_words(summary: MatrixSummary) -> str:
    """Say which cell is best, and which ones may be as good."""
    if summary.best is None or summary.basis is None:
        there = [one_line(cell.name) for cell in summary.cells if cell.down is None]
        if len(there) == 1 < len(summary.cells):
            return f"Only “{there[0]}” answered, so there is nothing to compare it with"
        return _NOTHING if summary.sides is None else _ALL_ALIKE
    best = one_line(summary.cells[summary.best].name)
    said = f"“{best}” is best {_BASES[summary.basis]}"
    alike = [f"“{one_line(cell.name)}”" for cell in summary.not_told_apart]
    if alike:
        return f"{said}, but {listed(alike)} may be as good: the difference may be chance"
    if sum(cell.down is None for cell in summary.cells) == 1:
        return f"“{best}” alone answered, so that it is compared with none"
    return f"{said}, by more than chance"


def _columns(summary: MatrixSummary) -> Iterator[tuple[str, Callable[[CellSummary], Cell]]]:
    has_scores = any(cell.score is not None for cell in summary.cells)
    yield "cell", lambda cell: Quoted(cell.name, 60)
    yield "answered", _answered
    if has_scores:
        yield "match", lambda cell: estimate_cell(cell.score)
        yield "to the best", lambda cell: _to_best(cell, summary)
    if summary.sides is not None:
        yield "preferred", lambda cell: estimate_cell(_preferred(cell), 0, is_share=True)
    yield _cost_name(summary), lambda cell: Number(_cost_of_many(cell), 3)
    yield "seconds", lambda cell: Number(cell.latency, 2)


def _counts(summary: MatrixSummary) -> DataTable:
    """Lay out what was asked, won and lost."""
    sides: Columns[CellSummary] = (("won", _won), ("tied", _tied), ("lost", _lost))
    silent: Columns[CellSummary] = (("refused or empty", lambda cell: Count(cell.n_silent)),)
    columns: Columns[CellSummary] = (
        ("cell", lambda cell: Quoted(cell.name, 60)),
        ("asked", lambda cell: Count(cell.n_asked or None)),
        ("answered", _answered),
        *(silent if any(cell.n_silent for cell in summary.cells) else ()),
        *(sides if summary.sides is not None else ()),
        ("tokens", lambda cell: Number(cell.tokens, 0)),
    )
    return table_of(summary.cells, columns, title="Counts, and tokens of an answer", brief_title="Counts")


def _answered(cell: CellSummary) -> Cell:
    if cell.down is not None:
        return Flag("down", "fail")
    return Count(cell.n_answered)


def _to_best(cell: CellSummary, summary: MatrixSummary) -> Cell:
    if summary.best is not None and cell is summary.cells[summary.best]:
        return Label("best")
    return estimate_cell(cell.below_best, signed=True)


def _won(cell: CellSummary) -> Cell:
    return Count(None if cell.side is None else cell.side.wins)


def _tied(cell: CellSummary) -> Cell:
    return Count(None if cell.side is None else cell.side.ties)


def _lost(cell: CellSummary) -> Cell:
    return Count(None if cell.side is None else cell.side.losses)


def _preferred(cell: CellSummary) -> Interval | None:
    """The chance to be preferred to an average cell; without strengths the share of points."""
    if cell.side is None:
        return None
    return cell.side.chance or cell.side.share


def _cost_name(summary: MatrixSummary) -> str:
    currency = next((cell.currency for cell in summary.cells if cell.currency), "cost")
    return f"{one_line(currency)}/{count(_MANY)}"


def _cost_of_many(cell: CellSummary) -> float | None:
    return None if cell.cost is None else _MANY * cell.cost


def _explained(summary: MatrixSummary) -> str:
    said = [f"{_cost_name(summary)} is the cost of {count(_MANY)} answers, seconds the median of a call."]
    if any(cell.score is not None for cell in summary.cells):
        said.insert(0, "Match is the mean of the answers' match with their references.")
    if summary.sides is not None:
        said.insert(
            0,
            "Won, tied and lost count pairs of answers to one item, judged in both orders. Preferred is the "
            "chance to be preferred to a cell of the others' average strength, by Bradley and Terry.",
        )
    return " ".join(said)


def _warnings(summary: MatrixSummary) -> Iterator[str]:
    down: dict[str, list[str]] = {}
    for cell in summary.cells:
        if cell.down is not None:
            down.setdefault(cell.down, []).append(f"“{one_line(cell.name)}”")
    for why, names in down.items():
        yield f"{listed(names)} {'is' if len(names) == 1 else 'are'} down and not compared: {one_line(why)}"


def _matrix_cautions(summary: MatrixSummary) -> Iterator[str]:
    for cell in summary.cells:
        name = f"“{one_line(cell.name)}”"
        if cell.n_silent:
            yield (
                f"{name} refused or was empty in {counted(cell.n_silent, 'answer')} of "
                f"{count(cell.n_asked)}, which score 0 and lose side by side"
            )
        if cell.n_failed:
            why = next(iter(cell.reasons), "no reason given")
            yield (
                f"{counted(cell.n_failed, 'call')} of {count(cell.n_asked)} to {name} failed and "
                f"{'is' if cell.n_failed == 1 else 'are'} left out, most often because: {one_line(why)}"
            )
        if cell.n_cut:
            yield f"{counted(cell.n_cut, 'reply', 'replies')} of {name} cut at the most tokens allowed"
    yield from _few_shared(summary)
    yield from _judge_cautions(summary)


def _few_shared(summary: MatrixSummary) -> Iterator[str]:
    """Name the cells that share too few items with the best one."""
    if summary.best is None:
        return
    for place, cell in enumerate(summary.cells):
        n = summary.n_shared(place)
        if place != summary.best and cell.down is None and n < FEWEST_CLUSTERS:
            yield (
                f"“{one_line(cell.name)}” and the best cell share {counted(n, 'item')}: with fewer than "
                f"{FEWEST_CLUSTERS} nothing is said to be more than chance"
            )


def _judge_cautions(summary: MatrixSummary) -> Iterator[str]:
    sides = summary.sides
    if sides is None:
        return
    judged = sides.pairs.judged
    judge = one_line(judged.model)
    yield from stand_in_notes(judge, judged.signature, judged.not_taken)
    if sides.n_unjudged:
        why = next(iter(judged.reasons), "no reason given")
        yield (
            f"{counted(sides.n_unjudged, 'pair')} of {count(len(sides.pairs.points))} without a verdict in "
            f"both orders, most often because: {one_line(why)}"
        )
    if sides.no_strengths is not None:
        yield f"preferred is the share of points, as there are no strengths: {sides.no_strengths}"
    if said := position_bias_note("the judge", sides.first_place):
        yield said
    if judge in {cell.model for cell in summary.cells}:
        yield f"the judge, {judge}, is one of those that it judges: models prefer their own answers"


def _matrix_figure(summary: MatrixSummary) -> Figure | None:
    """Draw each cell's chance to be preferred, or else its match; ``None`` where there is neither."""
    judged = summary.basis == "judge"
    figures = {cell.name: _preferred(cell) if judged else cell.score for cell in summary.cells}
    known = {name: figure for name, figure in figures.items() if figure is not None}
    if summary.best is None or not known:
        return None
    rows = [_forest_row(name, figure, judged=judged) for name, figure in known.items()]
    what = "chance to be preferred to an average cell" if judged else "mean match with the references"
    columns: Columns[ForestRow] = (
        ("cell", lambda row: Quoted(row.name, 60)),
        (what, lambda row: Label(row.text)),
    )
    return Figure(
        "cells",
        lambda width: forest(rows, what, width=width, percent=judged),
        f"{what.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in rows)}.",
        table_of(rows, columns, detail="full"),
        caption=f"The dot is the {what}, the line its interval.",
    )


def _forest_row(name: str, figure: Interval, *, judged: bool) -> ForestRow:
    def shown(value: float) -> str:
        return percent(value, 0) if judged else number(value)

    short = shown(figure.value)
    text = f"{short} [{shown(figure.low)}, {shown(figure.high)}]" if has_interval(figure) else short
    return ForestRow(name, figure.value, figure.low, figure.high, text, short)


TABLED_RUNS = 200
_DIGITS = 4  # of a slope a day
_NAMED = 4
_NAMED_MODELS = 12


def trend_document(trends: Trends) -> Document:
    """Turn a trend into a document.

    It is drawn from mean losses, not from items' scores, so its time does not grow with the items.
    """
    return Document(
        kind="trend report",
        name="Trend",
        title=("How “", Quoted(trends.dataset, 60), "” developed"),
        source=(runs_words(trends),),
        signature=Signature.parse(trends.signature),
        lead=_lead(trends),
        reading=readings(trends),
        facts=tuple(_facts(trends)),
        cautions=trends.cautions,
        sections=tuple(_trend_sections(trends)),
        settings=(("Baseline", trends.baseline_id),),
    )


def _lead(trends: Trends) -> Decision | None:
    """Give the latest outcome; that the latest model passed says nothing of others, so it is not green."""
    if trends.outcomes[-1] is None:
        return None
    latest, n_models = Outcome(trends.outcomes[-1]), len(trends.latest_outcomes)
    about = "what the gate said of the latest run"
    if n_models > 1:
        about += f", of “{clipped(trends.models[-1], 60).shown}”"
    if n_models > 1 and latest is Outcome.PASS:
        return Decision(counted(n_models, "model"), "warn", f"{OUTCOMES[latest]} is {about}, and of no other")
    return Decision(OUTCOMES[latest], LEVELS[latest], about)


def runs_words(trends: Trends) -> str:
    """Say how many runs there are, and of which days."""
    first, last = trends.times[0], trends.times[-1]
    days = f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"
    if first.date() == last.date():
        days = f"on {first:%Y-%m-%d}"
    return f"{counted(len(trends.times), 'run')} {days}"


def outcome_cell(outcome: str | None) -> Cell:
    """Show what a gate said, if one was asked."""
    return Label(MISSING) if outcome is None else Flag(outcome, LEVELS[Outcome(outcome)])


def _facts(trends: Trends) -> Iterator[tuple[str, Cell]]:
    yield "Runs", Count(len(trends.times))
    yield "Models", Count(len(trends.latest_outcomes))
    yield "Other series, left out", Count(trends.n_left_out)
    asked = [outcome for outcome in trends.outcomes if outcome is not None]
    for outcome, word in OUTCOMES.items() if asked else ():
        yield f"Gate {word}", Label(f"{count(asked.count(str(outcome)))} of {count(len(asked))}")


def _trend_sections(trends: Trends) -> Iterator[Section]:
    if not trends.metrics:
        return
    yield Section("course", "Run by run", (_trend_figure(trends),))
    blocks: list[Block] = [
        Paragraph(
            "Evidence is the greatest e-value so far against “no more than the limit on average”, from the "
            "runs' means and the latest run's items. Its p-value holds whenever one looks, and is adjusted "
            "for the number of metrics. “drift gate --over-runs” finds a drift earlier: it reads the reruns "
            "again, and bets on each item of each run against what reruns lose there, without the margin.",
            "note",
        ),
        _limits_table(trends),
    ]
    if len(trends.times) >= FEWEST_VALUES:
        blocks += [
            _changes_table(trends),
            Paragraph(
                "The change a day is Theil and Sen's slope, its p-value Mann and Kendall's; the likeliest "
                "change of level is Pettitt's. These p-values are of one metric each.",
                "note",
            ),
        ]
    yield Section("metrics", "Metric by metric", tuple(blocks))


def _trend_figure(trends: Trends) -> Figure:
    first = max(len(trends.times) - MOST_RUNS, 0)
    changes = tuple(place - first for place in trends.model_changes if place > first)
    timeline = Timeline(trends.times[first:], trends.outcomes[first:], changes)
    drawn = [_course(one, first) for one in trends.metrics.values()]
    said = "; ".join(f"{label(one.metric)}: {cell_text(_loss(one, -1))}" for one in trends.metrics.values())
    return Figure(
        "trend",
        lambda width: courses(timeline, drawn, width=width),
        f"Mean loss of each metric over {counted(len(timeline.times), 'run')}; the latest: {said}.",
        _runs_table(trends),
        caption=_caption(trends, timeline),
        legend=tuple(_legend(trends, timeline, drawn)),
    )


def _course(one: MetricTrend, first: int) -> Course:
    change = None
    if one.has_changed and one.change is not None and one.change.place > first:
        change = (one.change.place - first, one.change.before, one.change.after)
    return Course(
        name=capitalised(label(one.metric)),
        loss=one.losses[first:],
        low=(one.lows + one.noise)[first:],
        high=(one.highs + one.noise)[first:],
        noise=np.maximum(one.noise, 0.0)[first:],
        limit=one.limits[first:],
        change=change,
    )


def _caption(trends: Trends, timeline: Timeline) -> str:
    said = (
        "Mean loss of each run, 0 where it does as the baseline; around it its interval. The bands are "
        "what reruns of the baseline lose and the margin beyond it."
    )
    if any(trends.outcomes):
        said += " The row on top is what the gate said."
    if trends.model_changes:
        said += f" Dashed lines are changes of the model: {models_words(trends)}."
    if timeline.is_even:
        said += " Runs stand at equal distances in the order of time, whatever time passed between them."
    if len(timeline.times) < len(trends.times):
        said += f" The latest {count(MOST_RUNS)} of {count(len(trends.times))} runs are drawn."
    return one_line(said)


def _legend(trends: Trends, timeline: Timeline, drawn: Sequence[Course]) -> Iterator[Swatch]:
    """Name the marks that occur, in the row of the gate or in a metric, and the bands and lines."""
    metrics = trends.metrics.values()
    marks = {mark for one in drawn for mark in one.marks(timeline.outcomes)}
    said = set(timeline.outcomes)
    if Mark.BELOW in marks or Outcome.PASS in said:
        yield Swatch(ACCENT, "passed; below the limit", "dot")
    if Mark.FAILED in marks or Outcome.FAIL in said:
        yield Swatch(CONTRAST, "failed; at the limit or beyond in such a run", "diamond")
    if Mark.UNDECIDED in marks or Outcome.UNDECIDED in said:
        yield Swatch(INK, "undecided; at the limit or beyond in such a run", "ring")
    if Mark.UNTESTED in marks:
        yield Swatch(MUTED, "not tested by a gate", "dot")
    if any(np.nanmax(one.noise, initial=0.0) > 0 for one in metrics):
        yield Swatch(NOISE, "what reruns lose")
    yield Swatch(TOLERATED, "margin")
    if any(one.has_changed for one in metrics):
        yield Swatch(INK, "level before and after a change", "line")


def _runs_table(trends: Trends) -> DataTable:
    """Lay each run out, the latest first: when, which model, what the gate said, and every mean loss."""
    places = range(len(trends.times) - 1, max(len(trends.times) - TABLED_RUNS, 0) - 1, -1)
    columns: list[tuple[str | Quoted, Callable[[int], Cell]]] = [
        ("compared (UTC)", lambda place: Label(f"{trends.times[place]:%Y-%m-%d %H:%M}")),
        ("model", lambda place: Quoted(trends.models[place], 60)),
        ("run", lambda place: Label(short_id(trends.candidate_ids[place]))),
        ("gate", lambda place: outcome_cell(trends.outcomes[place])),
        ("limits broken", lambda place: broken_cell(trends.broken[place])),
        *((label(name), partial(_loss, one)) for name, one in trends.metrics.items()),
    ]
    if moved := trends.ruler_moved:
        columns.insert(4, ("ruler", lambda place: Label("moved" if place in moved else MISSING)))
    left = len(trends.times) - len(places)
    note = f"The latest {count(len(places))} runs; {count(left)} earlier ones are in the history."
    return table_of(places, columns, note=note if left else "", detail="full")


def _limits_table(trends: Trends) -> DataTable:
    """Lay each metric out beside its limit: its latest loss, and the evidence of all runs."""
    columns: Columns[MetricTrend] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("latest loss", lambda one: _loss(one, -1)),
        ("limit", lambda one: Number(one.limits[-1], 3)),
        ("evidence", evidence_cell),
        (Quoted("p of evidence"), lambda one: p_value(one.sequence.p_adjusted if one.sequence else np.nan)),
    )
    return table_of(trends.metrics.values(), columns, title="Beside the limit", detail="full")


def _changes_table(trends: Trends) -> DataTable:
    """Lay out how each metric moved: its change a day, and where its level changed."""
    columns: Columns[MetricTrend] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("a day", lambda one: slope_cell(one) if trends.spans_days else Label(MISSING)),
        *change_columns(trends),
    )
    return table_of(trends.metrics.values(), columns, title="Trend and change of level", detail="full")


def change_columns(trends: Trends) -> Columns[MetricTrend]:
    """Show how sure a metric's trend is, and where its level changed."""
    runs = [
        f"{short_id(id_)}, {time:%Y-%m-%d}"
        for id_, time in zip(trends.candidate_ids, trends.times, strict=True)
    ]
    return (
        (Quoted("p of trend"), lambda one: p_value(one.course.p_value)),
        (
            "level",
            lambda one: Change(one.change.before, one.change.after, 3) if one.change else Label(MISSING),
        ),
        ("from", lambda one: Label(runs[one.change.place] if one.change else MISSING)),
        (Quoted("p of change"), lambda one: p_value(one.change.p_value if one.change else np.nan)),
    )


def evidence_cell(one: MetricTrend) -> Number:
    """Show the evidence of all runs about a metric, if there is any."""
    return evidence(one.sequence.latest_evidence if one.sequence else None)


def _loss(one: MetricTrend, run: int) -> WithInterval:
    return estimate_cell(one.loss(run), 3)


def _limits_reading(trends: Trends) -> list[str]:
    """Say in how many runs a limit was broken, and which ones in the latest of these."""
    known = [place for place, broken in enumerate(trends.broken) if broken is not None]
    bad = [place for place in known if trends.broken[place]]
    if not bad:
        return []
    latest = f"{trends.times[bad[-1]]:%Y-%m-%d}: {broken_words(trends.broken[bad[-1]] or ())}"
    return [f"Limits were broken in {count(len(bad))} of {counted(len(known), 'run')}, last on {latest}."]


def readings(trends: Trends) -> tuple[str, ...]:
    """Say in sentences what a reader must know, the weightiest first."""
    metrics = list(trends.metrics.values())
    tested = [one.sequence for one in metrics if one.sequence is not None]
    proved = [_proved(found) for found in tested if found.is_significant]
    said = [_models_reading(trends)] if len(trends.latest_outcomes) > 1 else []
    if proved:
        said.append(f"Over all runs more is lost than allowed, beyond chance: {_few(proved)}.")
    elif tested:
        said.append("Over all runs no metric lost more than is allowed beyond chance.")
    said += _limits_reading(trends)
    daily = trends.spans_days
    worse = [_slope(one, daily=daily) for one in metrics if one.is_trending and one.course.slope.value > 0]
    better = [_slope(one, daily=daily) for one in metrics if one.is_trending and one.course.slope.value < 0]
    changed = [_changed(trends, one) for one in metrics if one.has_changed]
    pace = ", a day" if daily else ""
    said += [f"Getting worse{pace}: {_few(worse)}."] if worse else []
    said += [f"Getting better{pace}: {_few(better)}."] if better else []
    said += [f"Changed level: {_few(changed)}."] if changed else []
    if len(trends.times) < FEWEST_VALUES:
        said.append(f"A trend or a change of level takes at least {FEWEST_VALUES} runs.")
    elif not (worse or better or changed):
        said.append("No metric shows a trend or a change of level.")
    return tuple(said)


def _models_reading(trends: Trends) -> str:
    """Name each model with the outcome of its latest run, as one for all of them would be of none."""
    named = [
        f"“{clipped(model, 60).shown}” {'no gate' if outcome is None else OUTCOMES[Outcome(outcome)]}"
        for model, outcome in trends.latest_outcomes.items()
    ]
    return (
        f"The runs are of {counted(len(named), 'model')}, and slopes are those of the latest one. Each "
        f"model's latest run: {_few(named)}."
    )


def slope_cell(one: MetricTrend) -> WithInterval:
    """Show a metric's change a day."""
    return estimate_cell(one.course.slope, _DIGITS, signed=True)


def models_words(trends: Trends) -> str:
    """Name the models in the order in which they came."""
    places = [0, *trends.model_changes]
    named = [f"{order} “{clipped(trends.models[place], 60).shown}”" for order, place in enumerate(places, 1)]
    more = [f"{count(len(named) - _NAMED_MODELS)} more"] if len(named) > _NAMED_MODELS else []
    return listed([*named[:_NAMED_MODELS], *more])


def _proved(found: SequenceTest) -> str:
    shown = cell_text(evidence(found.latest_evidence))
    return f"{label(found.metric)} (evidence {shown}, {p_said(found.p_adjusted)})"


def _slope(one: MetricTrend, *, daily: bool) -> str:
    by = f" by {cell_text(slope_cell(one))}" if daily else ""
    return f"{label(one.metric)}{by} ({p_said(one.course.p_value)})"


def _changed(trends: Trends, one: MetricTrend) -> str:
    change = one.change
    if change is None:
        return ""
    level = f"{number(change.before, 3)} → {number(change.after, 3)}"
    return f"{label(one.metric)} on {trends.times[change.place]:%Y-%m-%d}, {level} ({p_said(change.p_value)})"


def _few(named: list[str]) -> str:
    more = [f"{count(len(named) - _NAMED)} more"] if len(named) > _NAMED else []
    return listed([*named[:_NAMED], *more])
