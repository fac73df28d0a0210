"""The document of a comparison and the gate's decision about it."""

from collections.abc import Iterator

from semscale.drift.gate.cautions import matching_cautions
from semscale.drift.gate.decision import GateDecision, Outcome, is_out_of_reach
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.runs.item_matching import ItemMatching
from semscale.embedding.languages.language_names import ENGLISH
from semscale.history.runs import Approval, Run, named, now, short_id
from semscale.history.seals import SHORTEST_HEAD
from semscale.report.document.blocks import Block, Definitions, Paragraph, SideBySide
from semscale.report.document.document import Decision, Document, Section, stamp
from semscale.report.document.values import Cell, Count, Quoted, Words
from semscale.report.drift.directions import direction_notes
from semscale.report.drift.figures import group_figures, metrics_figure, spread_blocks
from semscale.report.drift.items import SHOWN_ITEMS, changed_items
from semscale.report.drift.limits import limit_blocks
from semscale.report.drift.quality import quality_cautions, quality_section
from semscale.report.drift.ruler import ruler_cautions, ruler_section
from semscale.report.drift.sample_size import noise_words, unvaried_words
from semscale.report.drift.shift import shift_notes
from semscale.report.drift.tables import covered_words, drift_table, sequence_table, threshold_table
from semscale.report.drift.words import (
    LEVELS,
    OUTCOMES,
    drift_interval_words,
    headline_words,
    model_name,
    reading,
    sorting_words,
    untested_words,
)
from semscale.report.formatting import count, counted, one_line, printable
from semscale.report.languages import language_name, language_section
from semscale.report.sentences import windowed_words
from semscale.report.settings import signature_fields

_NAMED_IDS = 30

_RERUN = " Some of it may be chance: record a rerun of the baseline (--rerun-of baseline)."


def drift_document(summary: DriftSummary) -> Document:
    """Turn a comparison into a document; its last line on the screen is the gate's verdict."""
    comparison, decision = summary.comparison, summary.decision
    outcome = None if decision is None else decision.outcome
    intervals = drift_interval_words(summary)
    windowed = windowed_words(comparison.measured.n_windowed, "item")
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
        needed = Words("more than this dataset can give") if too_many else Count(by_formula)
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
        advice = f" If the change is meant: semscale drift approve {candidate} --by NAME --why REASON."
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
            Words(language_name(found.language)),
            Count(found.baseline),
            Count(found.candidate),
            Words(read[found.read]),
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
    yield "Recorded", Words(stamp(run.recorded))
    yield "Run", Words(run.id)
    if run.revision:
        yield "Revision", Quoted(run.revision)
    if run.note:
        yield "Note", Quoted(run.note, 300)
    if approval is not None:
        yield "Approved by", Quoted(approval.by, 120)
        yield "Approved", Words(stamp(approval.approved))
        yield "Why", Quoted(approval.why, 300)
        yield "Expires", Words(_expiry(approval))


def _expiry(approval: Approval) -> str:
    if approval.expires is None:
        return "never"
    return f"{stamp(approval.expires)}{' (expired)' if approval.is_stale(now()) else ''}"
