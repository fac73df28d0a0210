"""The document of a comparison of two runs: decision, metrics, groups, limits, items and figures."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from semscale.drift.gate.cautions import matching_cautions
from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    DriftTest,
    GateDecision,
    Outcome,
    SequenceTest,
    ThresholdCheck,
    is_out_of_reach,
)
from semscale.drift.gate.drift_figures import DriftFigure
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.gate.harm import HarmedItem, worst_pairs
from semscale.drift.gate.passing import SCATTER
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.drift.measure.measured import AlignedPair
from semscale.drift.measure.metrics import Metric, metric_label
from semscale.drift.measure.pair_differences import Difference, pair_differences, pair_outputs
from semscale.drift.measure.quality_metrics import REFERENCE_MATCH, SIDE_BY_SIDE
from semscale.drift.metrics import mean_loss
from semscale.drift.quality.judged_runs import WinRecord
from semscale.drift.ruler.attribution import Moved
from semscale.drift.ruler.ruler_check import RulerCheck
from semscale.drift.runs import ItemMatching
from semscale.embedding.languages import ENGLISH
from semscale.history.chain import SHORTEST_HEAD
from semscale.history.items import Item, Output
from semscale.history.runs import Approval, Run, named, now, short_id
from semscale.report.chart_kit import diverging
from semscale.report.document import (
    Block,
    Cell,
    Change,
    ComparedItem,
    ComparedItems,
    ComparedPair,
    Count,
    DataTable,
    Decision,
    Definitions,
    Detail,
    Document,
    Figure,
    Flag,
    Label,
    Line,
    Marked,
    Number,
    Paragraph,
    Quoted,
    Section,
    SideBySide,
    Subheading,
    Swatch,
    WithInterval,
    estimate_cell,
    marked,
    stamp,
)
from semscale.report.drift_sentences import (
    CHANGES,
    LEVELS,
    LIMIT_LEVELS,
    OUTCOMES,
    UNTESTED,
    allowed_words,
    beyond_chance_words,
    coverage_words,
    digits_of,
    direction_notes,
    drift_cell,
    drift_interval_words,
    evidence,
    group_label,
    group_name,
    headline_words,
    ids_words,
    is_untested,
    label,
    model_name,
    noise_words,
    p_value,
    reading,
    sorting_words,
    subject,
    untested_words,
    unvaried_words,
)
from semscale.report.figures import histograms_figure, score_group
from semscale.report.formatting import (
    capitalised,
    cell_text,
    clipped,
    count,
    counted,
    number,
    one_line,
    plain,
    printable,
    signed,
)
from semscale.report.parts import (
    GUARD_MEANINGS,
    Columns,
    covered,
    label_with_base,
    language_section,
    present,
    signature_fields,
    table_of,
)
from semscale.report.plane_charts import MatrixCell, matrix
from semscale.report.row_charts import GROUP, HISTOGRAM, ForestRow, ScoreGroup, forest, legend
from semscale.report.sentences import asterisk_note, language_name, position_bias_note, windows_note
from semscale.stats.intervals import FEWEST_CLUSTERS, Estimate

_NAMED_IDS = 30
_RERUN = " Some of it may be chance: record a rerun of the baseline (--rerun-of baseline)."


def drift_document(summary: DriftSummary) -> Document:
    """Turn a comparison into a document; its last line on the screen is the gate's verdict."""
    comparison, decision = summary.comparison, summary.decision
    outcome = None if decision is None else decision.outcome
    intervals = drift_interval_words(summary)
    windowed = windows_note(comparison.measured.n_windowed, "item")
    unmatched = tuple(matching_cautions(comparison.matching))
    return Document(
        kind="drift report",
        name="Drift" if outcome is None else "Drift gate",
        title=("Is “", model_name(summary), "” as good as the baseline?"),
        source=(Quoted(comparison.baseline.dataset, 80), f"{comparison.candidate.recorded:%Y-%m-%d}"),
        signature=summary.signature,
        lead=None
        if outcome is None
        else Decision(OUTCOMES[outcome], LEVELS[outcome], "what the gate decided"),
        next_step=f"{summary.next_step}." if summary.next_step else "",
        counting=tuple(_counting(summary)),
        reading=reading(summary),
        facts=facts(summary),
        warnings=unmatched,
        cautions=(*ruler_cautions(summary), *(said for said in _cautions(summary) if said not in unmatched)),
        sections=tuple(_sections(summary)),
        notes=tuple(
            filter(
                None,
                [
                    f"intervals: {intervals}",
                    *(f"{name.lower()}: {said}" for name, said in _noise(summary)),
                    *shift_notes(decision),
                    *direction_notes(summary),
                    windowed,
                    _heads_note(summary),
                ],
            )
        ),
        settings=(
            ("Dataset", Quoted(comparison.baseline.dataset)),
            *_versions(comparison.matching),
            ("Metrics", ", ".join(map(one_line, comparison.metrics))),
            ("Intervals", intervals),
            *_noise(summary),
            *(("Last hash of the history", head) for head in summary.heads),
            *signature_fields(summary.signature),
        ),
        ending=None if outcome is None else (_verdict(summary, outcome), LEVELS[outcome]),
    )


def _cautions(summary: DriftSummary) -> Iterator[str]:
    decision = summary.decision
    yield from summary.comparison.cautions if decision is None else decision.cautions
    yield from quality_cautions(summary)


def _versions(matching: ItemMatching) -> Iterator[tuple[str, str]]:
    """Give the dataset's version, or both where it changed after the baseline."""
    if matching.versions is not None:
        ours, theirs = matching.versions
        yield "Dataset version", ours if ours == theirs else f"{ours}, of the candidate {theirs}"


def facts(summary: DriftSummary) -> tuple[tuple[str, Cell], ...]:
    """Count items, reruns, texts that were read in windows, and tests."""
    comparison, decision = summary.comparison, summary.decision
    found: list[tuple[str, Cell]] = [
        ("Items", Count(len(comparison.baseline.items))),
        ("Left out", Count(summary.n_left_out)),
        ("Silent", Count(summary.n_silent)),
        ("Reruns", Count(len(comparison.reruns))),
    ]
    if n_windowed := comparison.measured.n_windowed:
        found.append(("Read in windows", Count(n_windowed)))
    if decision is None:
        return tuple(found)
    found.append(("Tests", Count(len(decision.tests))))
    for name, outcome in (("Tests failed", Outcome.FAIL), ("Tests undecided", Outcome.UNDECIDED)):
        found.append((name, Count(sum(test.outcome is outcome for test in decision.tests))))
    found += _deciding_facts(summary, decision)
    return tuple(found)


def _deciding_facts(summary: DriftSummary, decision: GateDecision) -> Iterator[tuple[str, Cell]]:
    """Give the numbers of items and reruns that would decide an undecided gate."""
    if decision.outcome is not Outcome.UNDECIDED:
        return
    by_formula = decision.n_needed
    if (simulated := summary.forecast) is not None:
        if simulated.more_reruns is not None:
            yield "More reruns that would decide, about", Count(simulated.more_reruns)
        if simulated.items_needed is not None:
            yield "Items that would decide, about", Count(simulated.items_needed)
    elif by_formula is not None:
        too_many = is_out_of_reach(by_formula, len(summary.comparison.baseline.items))
        needed = Label("more than this dataset can give") if too_many else Count(by_formula)
        yield "Items that would decide, about", needed


def run_line(run: Run) -> str:
    """Say in one line which run it is: its id, its model, and when it was recorded."""
    return f"{short_id(run.id)}  {one_line(run.model)}  {run.recorded:%Y-%m-%d %H:%M} UTC"


def _counting(summary: DriftSummary) -> Iterator[str]:
    comparison, approval, left_out = summary.comparison, summary.approval, summary.n_left_out
    approved = ""
    if approval is not None:
        until = f" until {approval.expires:%Y-%m-%d}" if approval.expires else ""
        approved = f", approved by {one_line(approval.by)}{until}"
    if summary.recorded_from is not None:
        yield f"recorded {printable(summary.recorded_from)} as {short_id(comparison.candidate.id)}"
    yield f"candidate  {run_line(comparison.candidate)}"
    yield f"baseline   {run_line(comparison.baseline)}{approved}"
    reruns, n = len(comparison.reruns), len(comparison.baseline.items)
    yield f"{counted(reruns, 'rerun') if reruns else 'no rerun'} of the baseline"
    why = f"; left out: {count(left_out)}, as neither run says anything" if left_out else ""
    if new := comparison.matching.new:
        yield f"{counted(len(new), 'new item')} that the baseline lacks, not compared: {named(new)}"
    yield f"{count(n - left_out)} of {counted(n, 'item')} count{'s' if n == 1 else ''}{why}"


def _noise(summary: DriftSummary) -> Iterator[tuple[str, str]]:
    """Say how far earlier nights count in the noise, where there are any."""
    comparison, decision = summary.comparison, summary.decision
    if decision is not None and decision.nights.n:
        yield "Noise", noise_words(decision, comparison.baseline.model, len(comparison.reruns))


def _heads_note(summary: DriftSummary) -> str | None:
    """Give the history's last hashes, shortened to what ``drift history --verify --head`` takes."""
    if not summary.heads:
        return None
    shown = ", ".join(head[:SHORTEST_HEAD] for head in summary.heads)
    return f"history: its last hash is {shown}; note it down to check the history with it later"


def _verdict(summary: DriftSummary, outcome: Outcome) -> str:
    """Say what the gate decided, why, and what to do."""
    advice = ""
    if outcome is Outcome.FAIL:
        candidate = short_id(summary.comparison.candidate.id)
        advice = (
            f" If the change is meant: semscale drift approve {candidate} --approved-by NAME --why REASON."
        )
    elif outcome is Outcome.UNDECIDED and not summary.comparison.reruns:
        advice = "" if "--rerun-of" in headline_words(summary) else _RERUN
    return f"{outcome}: {headline_words(summary)}{advice}"


def _sections(summary: DriftSummary) -> Iterator[Section]:
    comparison, decision = summary.comparison, summary.decision
    runs = (("Baseline", comparison.baseline, summary.approval), ("Candidate", comparison.candidate, None))
    stated = tuple((Definitions(tuple(_run(run, approval)), name),) for name, run, approval in runs)
    yield Section("runs", "What was compared", (SideBySide(stated, "settings"),))
    yield from quality_section(summary)
    if comparison.metrics:
        yield Section("metrics", "How far each metric drifted", tuple(_metrics(summary)))
    if decision is None:
        groups = sorted(summary.grouped, key=lambda figure: -figure.in_margins)
        if groups:
            yield Section("groups", "By group", (drift_table(summary, groups, brief_title="By group"),))
    else:
        yield from _of_gate(summary, decision)
    yield from ruler_section(summary)
    yield Section("changed", "What changed", tuple(_changed(summary)))
    yield from _languages(summary)
    yield Section("left-out", "What was left out", tuple(_left_out(summary)))


def _metrics(summary: DriftSummary) -> Iterator[Block]:
    shown = [figure for figure in summary.overall if summary.decision is None or figure.test is not None]
    yield metrics_figure(summary)
    if shown:
        yield drift_table(summary, shown, f"All items{covered_words(summary)}")
    if untested := untested_words(summary):
        yield Paragraph(untested, "note", "both")
    if unvaried := unvaried_words(summary):
        yield Paragraph(unvaried, "note", "both")
    yield from spread_blocks(summary)


def _of_gate(summary: DriftSummary, decision: GateDecision) -> Iterator[Section]:
    """Give the sections that only a gate has: groups that were tested, thresholds, all runs together."""
    tested = [figure for figure in summary.grouped if figure.test is not None]
    if tested:
        yield Section("open-groups", "", tuple(_open_groups(summary, len(tested))))
    if decision.limits or decision.must_pass:
        yield Section("limits", "Hard limits", tuple(limit_blocks(decision)))
    if decision.thresholds:
        said = "Absolute limits on the candidate's means, in the threshold's own terms."
        yield Section("thresholds", "Thresholds", (Paragraph(said, "note"), threshold_table(decision)))
    if decision.sequence:
        said = (
            "Evidence is the greatest e-value so far of two bets: that runs lose more than allowed on "
            "average, and that they lose more than the runs before them. It may be looked at after every "
            "run: for one metric by itself, evidence of 80 leaves a chance of at most 5 % of a false alarm. "
            "The p-value is adjusted for the number of metrics."
        )
        title = "All runs against this baseline"
        yield Section("sequence", title, (Paragraph(said, "note"), sequence_table(decision)))
    kinds = dict.fromkeys(figure.group[0] for figure in tested if figure.group)
    for place, kind in enumerate(kinds, start=1):
        of_kind = [figure for figure in tested if figure.group and figure.group[0] == kind]
        figures = tuple(group_figures(summary, of_kind))
        yield Section(f"groups-{place}", ("By ", Quoted(kind, 60)), figures)


def _open_groups(summary: DriftSummary, n: int) -> Iterator[Block]:
    """List the groups that did not pass, for the screen: a page draws all of them."""
    waiting = summary.open_groups
    passed = f"Groups: {count(n - len(waiting))} of {counted(n, 'test')} passed"
    yield Paragraph(passed, detail="brief")
    if waiting:
        yield drift_table(summary, waiting, "By group", detail="brief")


def _changed(summary: DriftSummary) -> Iterator[Block]:
    harmed = summary.harm.worst(SHOWN_ITEMS)
    if harmed:
        yield Paragraph(sorting_words(summary, len(harmed)), "lead")
        yield changed_items(summary, harmed)
    elif summary.decision is not None:
        yield Paragraph("No item lost more than the margin allows.")
    else:
        yield Paragraph("No item came out worse.")


def _languages(summary: DriftSummary) -> Iterator[Section]:
    """Count outputs by language, where some are clearly not English."""
    if {found.language for found in summary.languages} <= {ENGLISH, None}:
        return
    read = {True: "yes", False: "no", None: "–"}
    rows = [
        (
            Label(language_name(found.language)),
            Count(found.baseline),
            Count(found.candidate),
            Label(read[found.read]),
        )
        for found in summary.languages
    ]
    heads = ("language", "baseline", "candidate", "read by the model")
    yield language_section(heads, rows, "Outputs by language")


def _left_out(summary: DriftSummary) -> Iterator[Block]:
    """Name the items without a value, the first of them at least."""
    comparison = summary.comparison
    statuses = zip(comparison.baseline.items, comparison.measured.status, strict=True)
    ids = [Quoted(item.id, 80) for item, status in statuses if status != "scored"]
    if not ids:
        yield Paragraph("Nothing: every item was compared.")
        return
    yield Paragraph(
        "In these items neither run says anything, so there is nothing to compare. They are never treated "
        "as 0.",
        "note",
    )
    named = [part for id_ in ids[:_NAMED_IDS] for part in (", ", id_)][1:]
    more = [f" and {count(len(ids) - _NAMED_IDS)} more"] if len(ids) > _NAMED_IDS else []
    yield Paragraph((*named, *more))


def _run(run: Run, approval: Approval | None) -> Iterator[tuple[str, Cell]]:
    yield "Model", Quoted(run.model, 120)
    yield "Recorded", Label(stamp(run.recorded))
    yield "Run", Label(run.id)
    if run.revision:
        yield "Revision", Quoted(run.revision)
    if run.note:
        yield "Note", Quoted(run.note, 300)
    if approval is not None:
        yield "Approved by", Quoted(approval.by, 120)
        yield "Approved", Label(stamp(approval.approved))
        yield "Why", Quoted(approval.why, 300)
        yield "Expires", Label(_expiry(approval))


def _expiry(approval: Approval) -> str:
    if approval.expires is None:
        return "never"
    return f"{stamp(approval.expires)}{' (expired)' if approval.is_stale(now()) else ''}"


MOST_ROWS = 250
_MOST_GROUPS = 24


def covered_words(summary: DriftSummary) -> str:
    """Say at the end of a title what intervals cover; empty where no drift over all items has one."""
    return covered((estimate_cell(figure.drift) for figure in summary.overall), summary.plan.interval)


def has_small_base(figure: DriftFigure) -> bool:
    """Say whether a group's figure rests on fewer than 10 items."""
    return figure.group is not None and 0 < figure.drift.n < FEWEST_CLUSTERS


def base_of(figure: DriftFigure) -> Count:
    """Count the items behind a figure, with a mark where a group has few."""
    return Count(figure.drift.n, is_small=has_small_base(figure))


def metric_cell(metric: Metric | str) -> Label:
    """Name a metric: by its label, and by the name that options take where there is little room."""
    name = metric if isinstance(metric, str) else metric.name
    return Label(label(metric), brief=one_line(name))


def drift_table(
    summary: DriftSummary,
    figures: Sequence[DriftFigure],
    title: str = "",
    *,
    brief_title: str = "",
    detail: Detail = "both",
) -> DataTable:
    """Lay metrics out, over all items or by group: loss, drift, and the tests where the gate tested.

    Args:
        summary: the comparison.
        figures: in the order of the rows; as many are shown as a page can carry.
        title: of the table.
        brief_title: of the table in a brief rendering, where a section's title says the same on a page.
        detail: which renderings have it.
    """
    by_group, tested = any(one.group for one in figures), any(one.test for one in figures)
    over_runs = summary.decision is not None and summary.decision.sequence and not by_group
    figures_of_all: list[str | Quoted] = ["metric", "loss", "of reruns", "drift"]
    columns = ["group", "items", *figures_of_all] if by_group else figures_of_all
    further: list[str | Quoted] = []
    if tested:
        columns += ["margin", "passes below", Quoted("p over runs" if over_runs else "p"), ""]
        further += [Quoted("raw p")] if by_group else []
        columns += [] if by_group else ["change"]
    left_out = any(one.drift.n_left_out for one in figures)
    further += ["left out"] if left_out else []
    shown = figures[:MOST_ROWS]
    cut = [f"The first {MOST_ROWS} of {count(len(figures))}; the JSON has all."]
    cut = cut if len(figures) > MOST_ROWS else []
    untested = [summary.decision is not None and is_untested(summary.decision, one.test) for one in shown]
    small = [asterisk_note("item")] if any(map(has_small_base, figures)) else []
    return DataTable(
        (*columns, *further),
        tuple(
            _drift_row(one, by_group=by_group, left_out=left_out, is_untested=unknown)
            for one, unknown in zip(shown, untested, strict=True)
        ),
        title,
        note=" ".join([*cut, *([UNTESTED] if by_group and any(untested) else []), *small]),
        most=_MOST_GROUPS,
        detail=detail,
        brief_title=brief_title,
        brief=len(columns),
    )


def metric_table(summary: DriftSummary, figures: Sequence[DriftFigure]) -> DataTable:
    """Lay out what each metric's figures over all items mean: as similarities, and beside unrelated text."""
    floors = summary.comparison.floors

    def shown(one: DriftFigure, value: float | None) -> Number:
        return Number(value, digits_of(one.metric))

    columns: Columns[DriftFigure] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("similarity",
         lambda one: shown(one, one.metric.in_its_terms(one.loss) if one.metric.is_similarity else None)),
        ("loss", lambda one: shown(one, one.loss)),
        ("reruns lose", lambda one: shown(one, one.noise)),
        (f"drift [{coverage_words(summary)}]", drift_cell),
        ("unrelated text loses", lambda one: shown(one, floors.get(one.metric.name))),
        ("worst case", lambda one: shown(one, one.metric.span)),
        ("items", lambda one: Count(one.drift.n)),
        *([(Quoted("raw p"), _raw_p)] if any(one.test for one in figures) else []),
    )  # fmt: skip
    return table_of(figures, columns, detail="full")


def _raw_p(figure: DriftFigure) -> Cell:
    return p_value(figure.test.p_value) if figure.test else Number(None)


def threshold_table(decision: GateDecision) -> DataTable:
    """Lay absolute thresholds out."""
    columns: Columns[ThresholdCheck] = (
        (
            "threshold",
            lambda one: Quoted(one.name if one.group is None else f"{one.name} in {group_label(one.group)}"),
        ),
        ("limit", lambda one: Number(one.limit, 3)),
        ("mean", lambda one: Number(one.value, 3)),
        ("", lambda one: Flag("pass", "pass") if one.passed else Flag("fail", "fail")),
        ("metric", lambda one: Label(metric_label(one.metric))),
    )
    return table_of(decision.thresholds, columns, brief_title="Thresholds", brief=4)


def sequence_table(decision: GateDecision) -> DataTable:
    """Lay tests over all runs out."""
    runs = max(len(one.losses) for one in decision.sequence)
    columns: Columns[SequenceTest] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("mean loss", lambda one: Number(one.mean_loss, 3)),
        ("latest", lambda one: Number(one.losses[-1] if one.losses else None, 3)),
        ("allowed", lambda one: Number(one.allowed, 3)),
        ("evidence", lambda one: evidence(one.latest_evidence)),
        (Quoted("p"), lambda one: p_value(one.p_adjusted)),
        ("loss is",
         lambda one: Flag(beyond_chance_words(one, decision), "fail")
         if one.is_significant else Label("within chance")),
        ("runs", lambda one: Count(len(one.losses))),
    )  # fmt: skip
    title = f"Over {counted(runs, 'run')} against this baseline"
    return table_of(decision.sequence, columns, title=title, brief=7)


def _drift_row(figure: DriftFigure, *, by_group: bool, left_out: bool, is_untested: bool) -> tuple[Cell, ...]:
    digits, test = digits_of(figure.metric), figure.test
    row: list[Cell] = [
        metric_cell(figure.metric),
        Number(figure.loss, digits),
        Number(figure.noise, digits),
        drift_cell(figure),
    ]
    if by_group:
        name = Quoted(group_label(figure.group)) if figure.group else Label("all items")
        row[:0] = name, base_of(figure)
    if test is not None:
        flag = Flag(str(test.outcome), LEVELS[test.outcome])
        limits = Number(test.margin, digits), Number(test.tolerance, digits)
        row += [*limits, Number(None) if is_untested else p_value(test.p_adjusted), flag]
        row += [p_value(test.p_value) if by_group else CHANGES[figure.change]]
    return *row, *([Count(figure.drift.n_left_out)] if left_out else [])


DRAWN_GROUPS = 40
_SYMBOLS = {Outcome.FAIL: "✕", Outcome.UNDECIDED: "?", Outcome.PASS: ""}  # where a word has no room
_RULE = (
    " The gate fails a metric whose drift is beyond chance and reaches the margin. It passes one whose drift "
    "is shown, by a one-sided bound, to lie below the tolerance (“passes below” in the table): the margin, "
    f"or half of the noise if that is more. With fewer than {FEWEST_TO_PASS} items none passes."
)


def metrics_figure(summary: DriftSummary) -> Figure:
    """Draw every metric over all items, each as a share of its worst case; the most urgent first."""
    gated = summary.decision is not None
    figures = sorted(summary.overall, key=lambda figure: figure.urgency)
    rows = [_row(label(figure.metric), figure, share=figure.metric.span) for figure in figures]
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    return Figure(
        "metrics",
        lambda width: forest(rows, "mean loss, as a share of the worst case", width=width),
        f"Drift of each metric over all items. {described}.",
        metric_table(summary, figures),
        caption="Losses: 0 is as the baseline. The mark is the candidate, the line its "
        f"{coverage_words(summary)} interval, and the figure its drift, in the metric's own unit: its loss "
        f"less what reruns of the baseline lose by chance.{_RULE if gated else ''}",
        legend=legend(rows, gated=gated),
    )


def spread_blocks(summary: DriftSummary) -> Iterator[Block]:
    """Draw how the losses of one metric, the most urgent one, are spread over items, and those of reruns."""
    tested = (figure for figure in summary.overall if figure.test is not None)
    metric = min(tested, key=lambda figure: figure.urgency, default=summary.overall[0]).metric
    comparison, digits = summary.comparison, digits_of(metric)
    sets = [("Candidate", comparison.losses(metric.name), HISTOGRAM)]
    if again := comparison.rerun_losses(metric.name):
        sets.append(("Reruns of the baseline", np.concatenate(again), GROUP))
    groups = [score_group(*one) for one in sets]
    if not len(groups[0].scores):
        return
    floor = comparison.floors.get(metric.name)
    unrelated = (
        ""
        if floor is None
        else f" Text that has nothing to do with the item loses {number(floor, digits)} on average."
    )
    yield Subheading("How the losses are spread over the items")
    figure = histograms_figure(
        "losses",
        groups,
        metric.bounds,
        DataTable(
            ("", "losses", "mean", "median", "9 of 10 lie below"),
            tuple(_spread_row(group, digits) for group in groups if len(group.scores)),
        ),
        caption=f"How many items have which loss of {label(metric)}, each histogram by its own measure; the "
        f"dot is the mean.{unrelated}",
        axis=f"loss of {label(metric)}",
    )
    yield from present(figure)


def group_figures(summary: DriftSummary, figures: Sequence[DriftFigure]) -> Iterator[Figure]:
    """Draw the tests of one kind of groups: the metric that is worst in any of them, and a map of all."""
    chosen = sorted(figures, key=lambda figure: figure.urgency)
    worst = chosen[0].metric.name
    yield _groups_figure(summary, [one for one in chosen if one.metric.name == worst])
    if len({one.metric.name for one in chosen}) > 1:
        yield _groups_map(summary, chosen)


def _groups_figure(summary: DriftSummary, chosen: Sequence[DriftFigure]) -> Figure:
    """Draw one metric in every group, and over all items at the top."""
    metric = chosen[0].metric
    rows = [
        _row(label_with_base("all items", Count(one.drift.n)), one)
        for one in summary.overall
        if one.metric.name == metric.name
    ]
    rows += [_row(label_with_base(_name(one), base_of(one)), one) for one in chosen[:DRAWN_GROUPS]]
    unit = f", {one_line(metric.unit)}" if metric.unit else ""
    described = "; ".join(f"{row.name} {row.text}" for row in rows)
    more = f" The {DRAWN_GROUPS} most urgent of {count(len(chosen))} groups are drawn."
    return Figure(
        "groups",
        lambda width: forest(rows, f"mean loss of {label(metric)}{unit}", width=width),
        f"Drift of {label(metric)} by group. {described}.",
        drift_table(summary, chosen, detail="full"),
        caption=f"{capitalised(label(metric))} in each group, with its number of items, beside what reruns "
        f"lose there and the margin.{more if len(chosen) > DRAWN_GROUPS else ''}",
        legend=legend(rows, gated=True),
    )


def _groups_map(summary: DriftSummary, figures: Sequence[DriftFigure]) -> Figure:
    """Draw every metric in every group as a coloured cell: its drift in margins; the worst groups first."""
    found = {(figure.group, figure.metric.name): figure for figure in figures}
    tested = {figure.metric.name for figure in figures}
    metrics = [name for name in summary.comparison.metrics if name in tested]
    groups = list(dict.fromkeys(figure.group for figure in figures))[:DRAWN_GROUPS]
    cells = [[found.get((group, name)) for name in metrics] for group in groups]
    drawn = [[_cell(figure) for figure in row] for row in cells]
    # A group may have fewer items in one metric than in another; the map names the most.
    most = [max((one for one in row if one), key=lambda one: one.drift.n) for row in cells]
    names = [label_with_base(_name(one), base_of(one)) for one in most]
    metrics_named = list(map(label, metrics))
    described = "; ".join(f"{name}: {_outcome_word(row)}" for name, row in zip(names, cells, strict=True))
    return Figure(
        "groups-map",
        lambda width: matrix(drawn, names, metrics_named, width=width),
        f"Drift of each metric in each group. {described}.",
        drift_table(summary, figures, detail="full"),
        caption="Drift of each metric in each group: sand is no drift, orange worse, full orange twice the "
        "margin or more, blue nearer to the baseline than its reruns. ✕ failed, ? undecided. Intervals "
        "stand in the table.",
        legend=(
            Swatch(diverging(-1.0), "two margins worse, or more"),
            Swatch(diverging(-0.5), "one margin worse"),
            Swatch(diverging(0.0), "no drift"),
        ),
    )


def _row(name: str, figure: DriftFigure, *, share: float = 1.0) -> ForestRow:
    """Lay a row of the forest out; ``share``: what its figures are drawn as shares of."""
    drift, noise, outcome = figure.drift, figure.noise, figure.outcome
    said = "" if outcome is None else f" {OUTCOMES[outcome]}"
    return ForestRow(
        name=name,
        drift=drift.value / share,
        low=drift.low / share,
        high=drift.high / share,
        noise=0.0 if noise is None or math.isnan(noise) else noise / share,
        margin=None if figure.test is None else figure.margin / share,
        outcome=outcome,
        text=f"{cell_text(drift_cell(figure))}{said}",
        short_text=_signed(figure, digits_of(figure.metric)),
    )


def _spread_row(group: ScoreGroup, digits: int) -> tuple[Cell, ...]:
    scores = group.scores
    summed = group.mean, float(np.median(scores)), float(np.quantile(scores, 0.9))
    return Quoted(group.name), Count(len(scores)), *(Number(value, digits) for value in summed)


def _cell(figure: DriftFigure | None) -> MatrixCell:
    """Colour a cell by its drift in margins; with little room only the symbol of its outcome is written."""
    if figure is None:
        return MatrixCell("#ffffff", "")
    symbol = "" if figure.outcome is None else _SYMBOLS[figure.outcome]
    text = f"{_signed(figure, min(digits_of(figure.metric), 2))} {symbol}".strip()
    if math.isnan(figure.drift.value):
        return MatrixCell("#ffffff", text, symbol)
    return MatrixCell(diverging(-min(max(figure.in_margins / 2, -1.0), 1.0)), text, symbol)


def _outcome_word(row: Sequence[DriftFigure | None]) -> str:
    return ", ".join(f"{label(one.metric)} {_cell(one).text}" for one in row if one)


def _signed(figure: DriftFigure, digits: int) -> str:
    return signed(number(figure.drift.value, digits))


def _name(figure: DriftFigure) -> str:
    return group_name(figure.group) if figure.group else ""


SHOWN_ITEMS = 12
_SHOWN_PAIRS = 4
_LONGEST_OUTPUT, _LONGEST_INPUT, _LONGEST_REASON, _LONGEST_NAME = 500, 400, 200, 80
_SHOWN_FINDINGS = 6
_SORTED_BY = {True: "drift beyond the margins of all metrics", False: "drift of all metrics together"}


def changed_items(summary: DriftSummary, harmed: Sequence[HarmedItem]) -> ComparedItems:
    """Lay out items whose outputs changed, with their worst pairs.

    Args:
        summary: the comparison.
        harmed: the items, the worst first.
    """
    pairs = worst_pairs(summary.comparison, [item.place for item in harmed])
    shown = counted(min(len(harmed), ComparedItems.most), "item")
    found = {finding.guard for of_item in pairs.values() for pair in of_item for finding in pair.findings}
    return ComparedItems(
        tuple(_item(summary, one, pairs[one.place]) for one in harmed),
        tuple((guard, GUARD_MEANINGS.get(guard, ""), None) for guard in sorted(found)),
        brief_title=f"{shown} that changed most, by {_SORTED_BY[summary.decision is not None]}",
        heads=("item", "metric", "drift", "baseline", "candidate"),
    )


def greatest_drift(summary: DriftSummary, harmed: HarmedItem) -> tuple[Cell, Cell]:
    """Name the metric that adds most to an item's harm, and its drift."""
    name, drift = next(iter(harmed.drifts.items()))
    metric = summary.comparison.metrics[name]
    return metric_cell(metric), Number(drift, digits_of(metric), signed=True)


def _item(summary: DriftSummary, harmed: HarmedItem, pairs: Sequence[AlignedPair]) -> ComparedItem:
    comparison = summary.comparison
    before, after = comparison.baseline.items[harmed.place], comparison.candidate.items[harmed.place]
    is_silent = bool(before.outputs_with_text) and not after.outputs_with_text
    return ComparedItem(
        id=Quoted(before.id, _LONGEST_NAME),
        harm=Number(harmed.harm),
        labels=tuple(Quoted(name, _LONGEST_NAME) for name in before.groups.values()),
        input=None if before.input is None else Quoted(before.input, _LONGEST_INPUT),
        pairs=tuple(_pair(summary, pair, is_silent=is_silent) for pair in pairs[:_SHOWN_PAIRS]),
        n_more=max(len(pairs) - _SHOWN_PAIRS, 0),
        drifts=tuple(
            (label(name), Number(drift, digits_of(comparison.metrics[name]), signed=True))
            for name, drift in harmed.drifts.items()
            if drift > 0
        ),
        brief=(Quoted(before.id), *greatest_drift(summary, harmed), _said(before), _said(after)),
    )


def _pair(summary: DriftSummary, pair: AlignedPair, *, is_silent: bool) -> ComparedPair:
    baseline, candidate = pair_outputs(summary.comparison, pair)
    is_same = baseline is not None and candidate is not None and baseline.text == candidate.text
    return ComparedPair(
        baseline=_marked(baseline, pair, "reference"),
        candidate=_marked(candidate, pair, "prediction"),
        names=("baseline", "candidate, the same" if is_same else "candidate"),
        absent=(
            "nothing that corresponds: the candidate's output is extra",
            "the candidate says nothing here" if is_silent else "missing: no output corresponds",
        ),
        findings=tuple(
            (found.guard, clipped(found.reason, _LONGEST_REASON).shown)
            for found in pair.findings[:_SHOWN_FINDINGS]
        ),
        figures=tuple(_figures(summary, pair)),
    )


def _marked(output: Output | None, pair: AlignedPair, side: str) -> Marked | None:
    if output is None:
        return None
    found = ((finding.guard, getattr(finding, side)) for finding in pair.findings)
    return marked(output.text or "", found, limit=_LONGEST_OUTPUT)


def _figures(summary: DriftSummary, pair: AlignedPair) -> Iterator[tuple[Line, Cell]]:
    """Show how alike two outputs are, and both values and their difference of every number that they have."""
    for name, score in pair.scores.items():
        yield label(name), Number(score)
    found = pair_differences(summary.comparison, pair)
    is_alone = None in {pair.baseline, pair.candidate}
    for field, one in found.fields.items():
        yield Quoted(field), _difference(one, is_alone=is_alone)
    yield "characters", _difference(found.characters, is_alone=is_alone)


def _difference(one: Difference, *, is_alone: bool) -> Cell:
    """Show what changed; one value where nothing did, or where one output has no partner."""
    if one.value == 0 or is_alone:
        return Number(one.candidate if one.baseline is None else one.baseline, None)
    return Change(one.baseline, one.candidate)


def _said(item: Item) -> Quoted:
    return Quoted(" / ".join(str(output.text) for output in item.outputs_with_text) or "(nothing)")


_TITLE = "Better or worse"
_EXPLAINED = {
    REFERENCE_MATCH.name: "Reference match is the mean match of a run's outputs with the answers known "
    "to be right.",
    SIDE_BY_SIDE.name: "Side by side is a run's share of the points that the judge gave: 1 for the better "
    "answer to an item, a half each where neither is better.",
}


def quality_section(summary: DriftSummary) -> Iterator[Section]:
    """Show what references and a judge say of both runs, if there are any."""
    shown = [figure for figure in summary.overall if figure.metric.name in summary.comparison.quality]
    if shown:
        yield Section("quality", _TITLE, tuple(_quality_blocks(summary, shown)))


def side_by_side_words(sides: WinRecord, judge: str) -> str:
    """Say in a sentence how often the candidate won."""
    n = sides.wins + sides.ties + sides.losses
    share = estimate_cell(sides.share, 0, is_share=True)
    return (
        f"Judged by {one_line(judge)} in both orders, the candidate is better in {count(sides.wins)} of "
        f"{counted(n, 'item')}, as good in {count(sides.ties)}, and worse in {count(sides.losses)}. Its "
        f"share of the points is {cell_text(share)}."
    )


def quality_cautions(summary: DriftSummary) -> Iterator[str]:
    """Say what weakens the judge's verdicts."""
    said = None if summary.sides is None else position_bias_note("the judge", summary.sides.first_place)
    if said is not None:
        yield said


def _quality_blocks(summary: DriftSummary, shown: list[DriftFigure]) -> Iterator[Block]:
    quality, judged = summary.comparison.quality, summary.comparison.judged
    columns: Columns[DriftFigure] = (
        ("metric", lambda one: metric_cell(one.metric)),
        ("baseline", lambda one: Number(mean_loss(quality[one.metric.name].baseline), 3)),
        ("candidate", lambda one: Number(mean_loss(quality[one.metric.name].candidate), 3)),
        (f"better by [{coverage_words(summary)}]", _better_by),
        ("change", lambda one: CHANGES[one.change]),
    )
    yield table_of(shown, columns, brief_title=_TITLE)
    if judged is not None and summary.sides is not None:
        yield Paragraph(side_by_side_words(summary.sides, judged.verdicts.model), detail="both")
    said = " ".join(_EXPLAINED[one.metric.name] for one in shown)
    yield Paragraph(f"{said} “Better by” compares the candidate with the baseline and its reruns.", "note")


def _better_by(figure: DriftFigure) -> WithInterval:
    """Turn a drift round: what is lost below 0 is gained."""
    drift = figure.drift
    return estimate_cell(Estimate(-drift.value, -drift.high, -drift.low), 3, signed=True)


_LONGEST_GROUP, _LONGEST_LOSS_REASON = 60, 300
_ABOUT = (
    "The gate fails if more items than allowed break a limit. What a rerun of the baseline does as well is "
    "chance and does not count. Two limits count outputs and numbers of all items together: they are broken "
    "if more are lost than allowed, and fewer than 1 in 100 runs of an unchanged model would lose so many. "
    "A limit that nothing could break was not checked."
)


def limit_blocks(decision: GateDecision) -> Iterator[Block]:
    """Lay out the checks of hard limits and of must-pass items."""
    yield Paragraph(_ABOUT, "note")
    if decision.limits:
        columns: Columns[LimitCheck] = (
            ("limit", _name_of),
            ("how many", lambda one: Count(one.n_broken)),
            ("of", lambda one: Count(one.n)),
            ("allowed", lambda one: Label(allowed_words(one))),
            ("", lambda one: Flag(str(one.outcome), LIMIT_LEVELS[one.outcome])),
            ("which", lambda one: Label(ids_words(one.items))),
            ("a rerun, too", lambda one: Count(len(one.excused))),
        )
        yield table_of(decision.limits, columns, brief_title="Hard limits", brief=6)
    if decision.must_pass:
        of_items: Columns[MustPassCheck] = (
            ("must-pass item", lambda one: Quoted(one.id, _LONGEST_GROUP)),
            ("", lambda one: _flag(one.passed)),
            ("why", lambda one: Quoted("; ".join(one.reasons), _LONGEST_LOSS_REASON)),
        )
        yield table_of(decision.must_pass, of_items, title="Must-pass items", brief=3)


def _name_of(check: LimitCheck) -> Cell:
    name, where = check.name.replace("_", " "), ""
    if check.group is not None:
        where = f" in {group_label(check.group)}"
    elif check.outside:
        where = f" outside {' and '.join(map(group_label, check.outside))}"
    return Label(f"{name}{where}", brief=f"{check.name}{where}")


def _flag(passed: bool) -> Flag:
    return Flag("pass", "pass") if passed else Flag("fail", "fail")


_MOVED = {
    Moved.SYSTEM: "The system moved, and the ruler did not",
    Moved.RULER: "The ruler moved; the gate shows nothing of the system",
    Moved.BOTH: "The ruler moved, and the gate failed: whether the system moved, too, is known when it was "
    "measured with a ruler that holds",
    Moved.NEITHER: "Neither the system nor the ruler moved",
}
_BETS = {
    "changed": "apart from before",
    "higher": "higher than before",
    "lower": "lower than before",
    "farther": "farther from labels",
}
_SHOWN_SETTINGS = 3


def ruler_section(summary: DriftSummary) -> Iterator[Section]:
    """Give the section about the ruler, where the dataset has anchors."""
    check = summary.ruler
    if check is not None:
        yield Section("ruler", "Did the system or the ruler move?", tuple(_ruler_blocks(summary, check)))


def ruler_cautions(summary: DriftSummary) -> Iterator[str]:
    """Say that another ruler took the place of the one before, and how far its readings lie from those."""
    check = summary.ruler
    if check is None or not check.declared:
        return
    changed = ", ".join(
        f"{one_line(name)} {one_line(before or 'none')} → {one_line(after or 'none')}"
        for name, (before, after) in list(check.declared.items())[:_SHOWN_SETTINGS]
    )
    apart = ", ".join(f"{label(name)} {number(mean, 4)}" for name, mean in check.apart.items())
    yield (
        f"another ruler than before reads the anchors ({changed}); its readings lie apart from the former "
        f"ones by {apart or 'an unknown amount'} on average: do not compare figures of one with those of the "
        "other"
    )


def _ruler_blocks(summary: DriftSummary, check: RulerCheck) -> Iterator[Block]:
    said = f"{capitalised(check.words())}."
    attributed = f" {_MOVED[summary.moved]}." if summary.moved is not None else ""
    yield Paragraph(f"{said}{attributed}", "lead", "both")
    yield Paragraph(
        "The texts of the anchors never change, so that only what measures them can move their readings. "
        "They are read anew in every run, without a cache. The bets may be looked at after every run: the "
        "chance that a ruler which never moves is ever said to have moved is at most "
        f"{plain(check.alpha)}.",
        "note",
    )
    detail: Detail = "both" if check.has_moved else "full"
    if check.tests:
        yield _test_table(check, detail)
    if check.errors:
        yield _error_table(check, detail)


def _test_table(check: RulerCheck, detail: Detail) -> DataTable:
    heads = ("reading", "bet", "difference", "allowed", "evidence", "p (adjusted)", "anchors", "")
    rows = tuple(
        (
            Label(label(test.reading)),
            Label(_BETS[test.movement]),
            Number(test.difference, 4, signed=test.movement != "changed"),
            Number(test.allowed, 4),
            evidence(test.evidence[-1]),
            p_value(test.p_adjusted),
            Count(test.n),
            Label("moved" if test.has_moved else "held"),
        )
        for test in check.tests
    )
    return DataTable(heads, rows, "The ruler over all runs", detail=detail)


def _error_table(check: RulerCheck, detail: Detail) -> DataTable:
    """Show how far readings lie from people's labels, now and in the reference."""
    before = {one.reading: one.error for one in check.reference_errors}
    rows: list[tuple[Cell, ...]] = []
    for one in check.errors:
        then = before.get(one.reading)
        rows.append(
            (
                Label(label(one.reading)),
                estimate_cell(one.error, 3),
                Label("–") if then is None else estimate_cell(then, 3),
                Count(one.error.n),
            )
        )
    return DataTable(
        ("reading", "error", "error of the reference", "labels"), tuple(rows), "Against people", detail=detail
    )


_DIGITS = 3


def shift_notes(decision: GateDecision | None) -> Iterator[str]:
    """Say of each metric over all items that passed by its shift why it did; nothing without a gate."""
    for test in decision.overall if decision else ():
        if test.passed_by_shift and test.shift:
            yield f"{subject(test)} {_why(test, test.shift.bound)}"


def _why(test: DriftTest, shift: float) -> str:
    tolerance = number(test.tolerance, _DIGITS)
    return (
        f"passes by its shift: what is more and what is less differ by at most {number(shift, _DIGITS)} "
        f"(tolerated: {tolerance}), and the drift is at most {number(test.bound, _DIGITS)} "
        f"(tolerated: {SCATTER:g} × {tolerance})"
    )
