"""Documents of judging: a judged table, a comparison of systems, and an audit of judges."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from semscale.chat.calls.parameter_form import LEFT_OUT
from semscale.chat.costs.prices import amount
from semscale.chat.messages import Parameters
from semscale.judging.human_labels import INCLUSION
from semscale.judging.summary import LITTLE_COVERED
from semscale.judging.verdict import Provenance
from semscale.report.chart_kit import ACCENT, BAR, CONTRAST, ordinal
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Flag,
    Histogram,
    Interval,
    ItemCard,
    Items,
    JudgeReply,
    Label,
    Line,
    Number,
    Paragraph,
    Quoted,
    ScoreGroup,
    Section,
    Share,
    Subheading,
    Swatch,
    WithInterval,
    estimate_cell,
    stamp,
)
from semscale.report.formatting import (
    capitalised,
    count,
    counted,
    coverage,
    ends,
    has_interval,
    listed,
    number,
    one_line,
    percent,
)
from semscale.report.parts import (
    Columns,
    altogether,
    covered,
    estimated_document,
    estimated_settings,
    group_table,
    headline,
    histogram_caption,
    label_with_base,
    languages_section,
    left_out_section,
    low_items,
    nothing_section,
    present,
    run_settings,
    score_group,
    signature_fields,
    table_of,
)
from semscale.report.row_charts import ForestRow, GroupRow, forest, group_rows
from semscale.report.sentences import (
    STATUS_MEANINGS,
    interval_methods,
    position_bias_note,
    refused_parameters_note,
    rows_scored,
    stand_in_notes,
    stopped_cautions,
)
from semscale.signature import Signature
from semscale.types import Floats, Status

if TYPE_CHECKING:
    from semscale.judging.audit import Audit, AuditSummary, LabelComparison
    from semscale.judging.comparing import HeadToHead, SystemComparison
    from semscale.judging.summary import JudgedRow, JudgeScores, JudgeSummary
    from semscale.judging.verdict import Verdict
    from semscale.stats.agreement.estimates import AgreementEstimate
    from semscale.stats.calibration.prediction_powered import CorrectedMean
    from semscale.stats.intervals.estimates import Estimate
    from semscale.stats.intervals.means import MeanEstimate

MEANINGS = STATUS_MEANINGS | {
    "missing": "the question or the answer is empty or null",
    "empty": "the question or the answer is nothing but white space",
    "no-reference": "no reference holds a text",
    "unparsable": "no reply contains exactly one score; every reply is stored",
    "refused": "the judge declined to give a score",
}
SHOWN_ITEMS = 8

_PROVENANCES = {
    Provenance.DECISION: "from the probabilities that a decision model gave for the levels",
    Provenance.NEXT_TOKEN: "from the probabilities of the levels’ letters, averaged over their orders",
    Provenance.LOGPROBS: "from the probabilities of the score's tokens",
    Provenance.SAMPLES: "from the shares of several replies",
    Provenance.SINGLE: "from one reply each, so all mass lies on the level it states",
}
_SEVERAL_READINGS = (Provenance.NEXT_TOKEN, Provenance.SAMPLES)
_WITHOUT_EXPLANATION = (Provenance.DECISION, Provenance.NEXT_TOKEN)
_MEAN = "mean score, from 0 to 1"
_MEAN_EXPECTED = "mean expected score, from 0 to 1"
_FIFTHS = ("0 to .2", ".2 to .4", ".4 to .6", ".6 to .8", ".8 to 1")
_UNSCORED = (Status.UNPARSABLE, Status.REFUSED, Status.FAILED)
_FEW_LABELS = 20
_LARGE_ORDER_BIAS = 0.1
_LONGEST_REASON = 300

_JUDGES = Citation(
    "Zheng, L., Chiang, W.-L., Sheng, Y., et al. (2023).",
    "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena",
    "NeurIPS 2023, arXiv:2306.05685",
    "models as judges",
)
_CORRECTION = Citation(
    "Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I., & Zrnic, T. (2023).",
    "Prediction-powered inference",
    "Science 382, 669–674",
    "the corrected mean",
)
_BRADLEY_TERRY = Citation(
    "Bradley, R. A., & Terry, M. E. (1952).",
    "Rank analysis of incomplete block designs: I. The method of paired comparisons",
    "Biometrika 39, 324–345",
    "the ranking",
)


def judge_document(summary: "JudgeSummary") -> Document:
    """Turn the verdicts on a table into a document."""
    columns, panel = summary.columns, panel_note(summary)
    title = ("How good “", Quoted(columns.answer), "” is")
    base = estimated_document(summary, kind="judging report", name="Judge", title=title)
    used = (
        ("Questions", columns.question),
        ("Answers", columns.answer),
        *(("References", column) for column in columns.reference),
        ("Human labels", columns.human),
        ("Groups", columns.by),
    )
    facts: list[tuple[str, Cell]] = [("Judges", Count(len(summary.judges)))]
    if summary.human is not None:
        corrected = summary.human.corrected
        facts.append(("With label and score", Count(corrected.n_labelled)))
        if has_interval(corrected):
            facts.append(("Corrected mean", Number(corrected.value)))
    return replace(
        base,
        source=(*base.source, ("template ", Quoted(summary.template.name))),
        lead=headline(summary.estimates, _MEAN_EXPECTED if summary.is_panel else _MEAN, (0.0, 1.0)),
        reading=(*base.reading, *([panel] if panel else [])),
        facts=(*base.facts, *facts),
        warnings=(*base.warnings, *_silent_judges(summary)),
        cautions=(*stopped_cautions(summary.stopped), *base.cautions, *cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, f"distributions: {_provenance_note(summary)}", *([panel] if panel else [])),
        settings=estimated_settings(summary, used),
        citations=(_JUDGES, *([_CORRECTION] if summary.human else [])),
    )


def _sections(summary: "JudgeSummary") -> Iterator[Section]:
    if mean := summary.mean_expected:
        figures: list[tuple[str, Cell]] = [(_MEAN_EXPECTED, estimate_cell(mean))]
        if not summary.is_panel:
            figures.insert(0, (_MEAN, estimate_cell(summary.estimates.overall.mean)))
        groups = [group_table(summary.estimates, noun="row")] if summary.estimates.groups else []
        scores: list[Block] = [
            altogether(figures, summary.plan.interval),
            scores_histogram(summary),
            Paragraph(f"{capitalised(_provenance_note(summary))}.", "note"),
            Paragraph(_error_note(summary), "note", detail="full"),
            *groups,
        ]
        yield Section("scores", "Distribution of the scores", tuple(scores))
    else:
        yield nothing_section("scores")
    if criteria := _criteria_table(summary):
        rule = (
            "A row’s score is the mean of its criteria by their weights; where one has no score, the row has "
            "none."
        )
        yield Section("criteria", "The criteria", (criteria, Paragraph(rule, "note")))
    severity = _severity_figure(summary)
    blocks: list[Block] = [*([severity] if severity else []), judge_table(summary)]
    if summary.is_panel:
        blocks += [Subheading("Agreement between the judges"), _agreement_table(summary)]
    yield Section("judges", "Severity of the judges" if severity else "The judge", tuple(blocks))
    if human := human_table(summary):
        yield Section("humans", "Comparison with human labels", (human,))
    yield from _item_sections(summary)
    yield from present(
        languages_section(summary.languages, ("answer",)),
        left_out_section(summary, MEANINGS, _reasons_table(summary)),
    )


def scores_histogram(summary: "JudgeSummary") -> Histogram:
    """Count the expected scores of the judge or the panel, of its judges, and human labels."""
    all_judges = Label("Panel, mean") if summary.is_panel else Quoted(summary.template.name)
    drawn = summary.in_draw
    groups = [_score_group(all_judges, summary.expected[drawn], ACCENT, summary.mean_expected)]
    if summary.is_panel:
        groups += [
            _score_group(Quoted(name), scores.expected[drawn], BAR, _mean_expected(scores))
            for name, scores in summary.judges.items()
            if scores.is_scored_anywhere
        ]
    if summary.human is not None and summary.mean_label is not None:
        labels = summary.human.mean_label
        groups.append(_score_group(Label("People’s labels"), labels, CONTRAST, summary.mean_label))
    rows: list[tuple[Cell, ...]] = [
        (name, Count(len(group.scores)), Number(group.mean), *map(Share, _shares_of_fifths(group.scores)))
        for name, group in groups
    ]
    return Histogram(
        "scores",
        tuple(group for _, group in groups),
        (0.0, 1.0),
        ("score", "rows"),
        DataTable(("", "rows", "mean expected score", *_FIFTHS), tuple(rows)),
        caption=histogram_caption("rows have which expected score, from 0 to 1", summary.estimates),
    )


def _score_group(
    name: Label | Quoted, scores: Floats, colour: str, mean: "Estimate | MeanEstimate | None"
) -> tuple[Label | Quoted, ScoreGroup]:
    label = label_with_base(one_line(name.text), Count(int(np.isfinite(scores).sum())))
    return name, score_group(label, scores, colour, mean)


def _shares_of_fifths(scores: Floats) -> list[float]:
    fifths = np.minimum((scores * len(_FIFTHS)).astype(int), len(_FIFTHS) - 1)
    counts = np.bincount(fifths, minlength=len(_FIFTHS))
    return [n / max(len(scores), 1) for n in counts.tolist()]


def _mean_expected(scores: "JudgeScores") -> "Estimate | None":
    return scores.estimates.overall.figures.get("expected")


def _severity_figure(summary: "JudgeSummary") -> Figure | None:
    """Draw each judge's mean expected score and its summed distributions; ``None`` for one judge."""
    overall = summary.mean_expected
    if not summary.is_panel or overall is None:
        return None
    colours, reference, rows = ordinal(len(_FIFTHS)), overall.value, []
    for name, scores in summary.judges.items():
        if mean := _mean_expected(scores):
            low, high = ends(mean.low, mean.high)
            shares = tuple((scores.fifths / scores.fifths.sum()).tolist())
            rows.append(GroupRow(one_line(name), mean.value, low, high, shares))
    cells: list[tuple[Cell, ...]] = [
        (Quoted(row.name), Number(row.mean), *map(Share, row.pmf)) for row in rows
    ]
    described = "; ".join(f"{row.name}: mean expected score {number(row.mean)}" for row in rows)
    return Figure(
        "severity",
        lambda width: group_rows(rows, colours, reference=reference, width=width),
        f"Means and distributions of each judge. {described}.",
        DataTable(("judge", "mean expected score", *_FIFTHS), tuple(cells), detail="full"),
        caption="Each judge’s mean expected score with its interval, and the mass on each fifth of the "
        "range; the dashed line is the panel’s mean.",
        legend=tuple(Swatch(*pair) for pair in zip(colours, _FIFTHS, strict=True)),
    )


def judge_table(summary: "JudgeSummary") -> DataTable:
    """List the judges: rows by status, mean score, mean expected score, severity."""
    statuses = [
        status
        for status in (*_UNSCORED, Status.UNFINISHED)
        if any(status in scores.counts for scores in summary.judges.values())
    ]
    columns: Columns[tuple[str, JudgeScores]] = (
        ("judge", lambda row: Quoted(row[0])),
        ("template", lambda row: Quoted(row[1].template.name)),
        *(
            (str(status), lambda row, status=status: Count(row[1].counts.get(status, 0)))
            for status in (Status.SCORED, *statuses)
        ),
        ("mean score", lambda row: estimate_cell(row[1].estimates.overall.mean)),
        ("mean expected score", lambda row: estimate_cell(_mean_expected(row[1]))),
    )
    if summary.is_panel:
        columns = (
            *columns,
            ("above the others", lambda row: estimate_cell(summary.severities[row[0]])),
        )
    return table_of(summary.judges.items(), columns, brief_title="Judges")


def _criteria_table(summary: "JudgeSummary") -> DataTable | None:
    """List the criteria of a rubric with weight and mean expected score; ``None`` for a template."""
    if not summary.criteria:
        return None
    weights = {name: weight for scores in summary.judges.values() for name, weight in scores.weights.items()}
    means = map(estimate_cell, summary.criteria.values())
    columns: Columns[tuple[str, MeanEstimate]] = (
        ("criterion", lambda row: Quoted(row[0])),
        ("weight", lambda row: Share(weights[row[0]], 0)),
        ("rows", lambda row: Count(row[1].n)),
        (f"expected{covered(means, summary.plan.interval)}", lambda row: estimate_cell(row[1])),
    )
    return table_of(summary.criteria.items(), columns, brief_title="Criteria")


def _agreement_table(summary: "JudgeSummary") -> DataTable:
    rows = tuple(
        (
            Quoted(f"{first} and {second}"),
            Count(kappa.n),
            estimate_cell(kappa, note=kappa.note or ""),
        )
        for (first, second), kappa in summary.agreement.items()
    )
    return DataTable(("judges", "rows", "quadratic weighted kappa"), rows, detail="full")


def human_table(summary: "JudgeSummary") -> DataTable | None:
    """List the figures of the comparison with human labels, with their meanings; ``None`` without labels."""
    human = summary.human
    if human is None:
        return None
    corrected, n_unscored = human.corrected, human.n_labelled - human.corrected.n_labelled
    scored = f"the {counted(summary.counts.get(Status.SCORED, 0), 'row')} with a score"
    both = f"{counted(corrected.n_labelled, 'row')} with a label and a score"
    sample = f"what people would give to {scored}, if the labelled ones are a random sample of these"
    rows = [
        _human_row("mean, corrected by the labels", corrected, sample),
        _human_row(
            "mean expected score of the judge", corrected.naive, f"of {scored}; ignores the judge's errors"
        ),
        _human_row(
            "mean of the labels alone", corrected, f"without the judge, of {both}", corrected.labels_only
        ),
    ]
    if summary.mean_label is not None and n_unscored:
        labels = f"of {counted(human.n_labelled, 'row')} with a label, {n_unscored:,} of them without a score"
        rows.append(_human_row("mean of all labels", summary.mean_label, labels))
    rows += [
        _human_row("judge less people", human.judge_less_people, f"on the {both}; above 0 is lenient"),
        _human_row(
            "quadratic weighted kappa", human.kappa, "agreement with the mean label; 1 is perfect, 0 chance"
        ),
    ]
    if (people := human.ceiling) is not None:
        rows += [
            _human_row("rank correlation with people", people.judge, "each person left out in turn"),
            _human_row("people with each other", people.ceiling, "the ceiling, on the same rows"),
            _human_row(
                "judge less ceiling", people.difference, "above 0 the judge is no worse than a person"
            ),
        ]
    value = f"value{covered((row[1] for row in rows), summary.plan.interval)}"
    title = "Comparison with human labels"
    return DataTable(("", value, "meaning"), tuple(rows), explained=True, brief_title=title)


def _human_row(
    name: str,
    figure: "CorrectedMean | MeanEstimate | AgreementEstimate",
    meaning: str,
    shown: Interval | None = None,
) -> tuple[Cell, ...]:
    """Lay out a figure and its meaning, with the method of its interval, as the rows differ in it."""
    if figure.method is not None:
        meaning += f"; interval by {'exact bounds' if figure.method == 'exact' else figure.method}"
    note = getattr(figure, "note", None) or ""
    return Label(name), estimate_cell(shown or figure, note=note), Label(meaning)


def _reasons_table(summary: "JudgeSummary") -> DataTable | None:
    """List forms that were not taken and reasons why rows have no score; ``None`` where there is neither.

    Of each status the five most frequent reasons are listed, in full on the screen, too: their ends differ.
    """
    rows: list[tuple[Cell, ...]] = []
    for name, scores in summary.judges.items():
        reasons = [(f"{refusal.form}, not taken", refusal.n, refusal.reason) for refusal in scores.not_taken]
        reasons += [(f"rows {status}", n, reason) for status, reason, n in scores.frequent_reasons if reason]
        rows += [
            (Quoted(name), Label(kind), Count(n), Quoted(reason, _LONGEST_REASON, wraps=True))
            for kind, n, reason in reasons
        ]
    if not rows:
        return None
    return DataTable(("judge", "", "times", "reason"), tuple(rows), title="Reasons", noun="reason")


def _item_sections(summary: "JudgeSummary") -> Iterator[Section]:
    """Show the rows on which judges differ, or are least certain, and those with the lowest scores."""
    disputed, vague = summary.disputed[:SHOWN_ITEMS], summary.least_certain[:SHOWN_ITEMS]
    lowest = low_items(
        summary.lowest[:SHOWN_ITEMS], lambda item: item.expected, summary.mean_expected, (0.0, 1.0)
    )
    if disputed or vague:
        title = "Where the judges differ most" if disputed else "Where the judge is least certain"
        items = _items(disputed or vague, brief_title=title if disputed else "")
        yield Section("disputed", title, (items,))
    if lowest:
        brief = "" if disputed else counted(min(len(lowest), Items.most), "lowest expected score")
        yield Section("lowest", "The lowest expected scores", (_items(lowest, brief_title=brief),))


def _items(items: "Sequence[JudgedRow]", *, brief_title: str) -> Items:
    cards = tuple(map(_card, items))
    if any(map(_brief_verdict, items)):
        return Items(cards, brief_title=brief_title, heads=("question", "answer", "verdict"))
    cards = tuple(replace(card, brief=card.brief[:-1]) for card in cards)
    return Items(cards, brief_title=brief_title, heads=("question", "answer"))


def _card(item: "JudgedRow") -> ItemCard:
    question, answer, verdicts = Quoted(item.question), Quoted(item.answer), list(item.verdicts.values())
    is_panel, verdict = len(verdicts) > 1, _brief_verdict(item)
    labels: list[Line] = [] if item.group is None else [Quoted(item.group)]
    if is_panel:
        labels.append(f"spread {number(item.spread)}")
    elif not math.isnan(verdicts[0].standard_error):
        labels.append(f"standard error {number(verdicts[0].standard_error)}")
    if not math.isnan(item.people):
        labels.append(f"people {number(item.people)}")
    return ItemCard(
        row=item.row + 1,
        score=Number(item.expected),
        labels=tuple(labels),
        texts=(("question", question), ("answer", answer)),
        replies=tuple(_reply(name, verdict, item) for name, verdict in item.verdicts.items()),
        brief=(question, answer, Label(verdict) if is_panel else Quoted(verdict)),
    )


def _brief_verdict(item: "JudgedRow") -> str:
    """Return the scores of a panel's judges, or the explanation of one; empty where it gave none."""
    verdicts = list(item.verdicts.values())
    if len(verdicts) > 1:
        return ", ".join(number(verdict.expected) for verdict in verdicts)
    return verdicts[0].explanation or _by_criterion(item)


def _by_criterion(item: "JudgedRow") -> str:
    return ", ".join(f"{name} {number(score)}" for name, score in item.criteria.items())


def _reply(name: str, verdict: "Verdict", item: "JudgedRow") -> JudgeReply:
    text = verdict.explanation or verdict.reason or _by_criterion(item)
    if not text and verdict.replies and verdict.provenance not in _WITHOUT_EXPLANATION:
        text = verdict.replies[-1]
    return JudgeReply(
        judge=Quoted(name),
        score=Number(verdict.expected),
        masses=tuple((Number(score), mass) for score, mass in verdict.distribution),
        words=Quoted(text, 300),
        status="" if verdict.status == "scored" else str(verdict.status),
    )


def _provenance_note(summary: "JudgeSummary") -> str:
    """Name the sources of the distributions."""
    parts = [
        f"{counted(n, 'distribution')} {_PROVENANCES[provenance]}"
        for provenance, n in summary.provenances.items()
    ]
    return "; ".join(parts) or "none"


def _error_note(summary: "JudgeSummary") -> str:
    """Say for how many distributions the difference between readings is known."""
    several = [n for provenance, n in summary.provenances.items() if provenance in _SEVERAL_READINGS]
    single = sum(summary.provenances.values()) - sum(several)
    if not several:
        return "Each score is of one reading: how far another would differ is not known."
    rest = f"; of {counted(single, 'score')} of one reading it is not known" if single else ""
    return f"The standard error of a score estimates how far other orders or replies would differ{rest}."


def panel_note(summary: "JudgeSummary") -> str | None:
    """Say how many independent judges a panel amounts to; ``None`` for one judge."""
    effective, n = summary.effective_judges, len(summary.judges)
    if effective is None:
        return None
    if math.isinf(effective.value):
        return f"The errors of these {n} judges cancel: no number of independent judges would be as good."
    if not math.isnan(effective.value):
        low, high = number(effective.low, 1), number(effective.high, 1)
        interval = f" ({low} to {high})" if has_interval(effective) else ""
        basis = (
            "judged by their errors against the human labels"
            if effective.of == "errors"
            else "at least, if all of them measure the same thing: judges who agree because they are right "
            "count as dependent too"
        )
        return (
            f"These {n} judges amount to {number(effective.value, 1)} independent judges{interval}, {basis}."
        )
    unknown = f"The number of independent judges that these {n} amount to is not known: {effective.note}"
    r = effective.correlation
    if math.isnan(r.value):
        return f"{unknown}."
    interval = f", {number(r.low)} to {number(r.high)}" if has_interval(r) else ""
    return (
        f"{unknown} (mean correlation {number(r.value)}{interval}). Judges who measure different things, or "
        "nothing, look like this too; human labels (--human) tell."
    )


def _silent_judges(summary: "JudgeSummary") -> tuple[str, ...]:
    """Warn of a panel's judges without any score, as the figures are those of the others alone."""
    scoring = [one_line(name) for name, scores in summary.judges.items() if scores.is_scored_anywhere]
    silent = [one_line(name) for name, scores in summary.judges.items() if not scores.is_scored_anywhere]
    if not scoring or not silent:
        return ()
    return (f"{listed(silent)} scored nothing: these figures are those of {listed(scoring)} alone.",)


def cautions(summary: "JudgeSummary") -> tuple[str, ...]:
    """List the limits of the figures that a reader must know; empty where there are none."""
    return (
        *(
            sentence
            for name, scores in summary.judges.items()
            for sentence in _judge_cautions(one_line(name), scores, is_panel=summary.is_panel)
        ),
        *_table_cautions(summary),
    )


def _table_cautions(summary: "JudgeSummary") -> Iterator[str]:
    human = summary.human
    if summary.sampled is not None:
        figures = ["histograms"]
        figures += ["means by criterion"] if any(own.criteria for own in summary.judges.values()) else []
        figures += ["severities", "agreement of judges"] if summary.is_panel else []
        figures += [] if human is None else ["the corrected mean"]
        labelled = "" if human is None else ", and from all with a human label"
        yield (
            f"Made from a random sample of {count(summary.sampled)} of the {counted(summary.n, 'row')}"
            f"{labelled}: {listed(figures)}. All else is of all rows."
        )
    if human is None:
        yield (
            "There are no human labels, so these figures do not show how accurate the judge is: name a "
            "column of labels with --human."
        )
    elif human.corrected.n_labelled < _FEW_LABELS:
        labelled = counted(human.corrected.n_labelled, "row")
        yield f"Only {labelled} with a human label and a score: intervals are wide."
    if summary.unused_inclusion:
        yield (
            f"Labels count as those of a plain sample. The table has a column {INCLUSION!r}: if judge label "
            f"drew the rows, the corrected mean is wrong without --inclusion {INCLUSION}."
        )


def _judge_cautions(name: str, scores: "JudgeScores", *, is_panel: bool) -> Iterator[str]:
    """List the limits of one judge's figures: rows without a score, and how its distributions came about."""
    lost = sum(scores.counts.get(status, 0) for status in _UNSCORED)
    if lost and scores.is_scored_anywhere:
        figures = "its figures" if is_panel else "the figures"
        yield f"{name} gave no score to {counted(lost, 'row')}; {figures} hold for the others only."
    elif lost:
        yield f"{name} gave no score to any of {counted(lost, 'row')}."
    if scores.failure is not None:
        rows = counted(scores.counts.get(Status.FAILED, 0), "row")
        reason = one_line(scores.failure).rstrip(".")
        yield f"{name} gave no usable reply to {rows}, most often because: {reason}."
    if refused := refused_parameters_note(name, refused_parameters(scores.signature)):
        yield refused
    yield from _decision_cautions(name, scores)
    if scores.n_little_covered:
        yield (
            f"For {counted(scores.n_little_covered, 'row')} less than {percent(LITTLE_COVERED, 0)} of the "
            f"probability of {name}’s reply is on a level; their distributions rest on that part."
        )


def _decision_cautions(name: str, scores: "JudgeScores") -> Iterator[str]:
    """Name substitutes for decisions, normalised probabilities, and effects of the order of levels."""
    yield from stand_in_notes(name, scores.signature, scores.not_taken)
    if scores.unusable and dict(scores.signature.fields).get("method", "prose") != "prose":
        rows = counted(scores.counts.get(Status.UNPARSABLE, 0), "row")
        reason = one_line(scores.unusable).rstrip(".")
        yield f"{name} gave no usable answer about {rows}, most often because: {reason}."
    if scores.n_normalised:
        yield (
            f"The probabilities of {counted(scores.n_normalised, 'decision')} of {name} did not sum to 1, "
            "within what rounding explains, and were normalised."
        )
    if scores.order_bias > _LARGE_ORDER_BIAS:
        yield (
            f"The order of the levels moves {percent(scores.order_bias, 0)} of the probability of {name}’s "
            "verdicts on average; they are means over all orders."
        )


def refused_parameters(signature: Signature) -> tuple[str, ...]:
    """Name the parameters that a judge's model refused, as its signature has them.

    Example:
        >>> refused_parameters(Signature.of("judge", template="default", temperature="default", max_tokens=5))
        ('temperature',)
    """
    parameters = Parameters.__dataclass_fields__
    return tuple(name for name, value in signature.fields if value == LEFT_OUT and name in parameters)


def comparison_document(summary: "SystemComparison") -> Document:
    """Turn a comparison of systems into a document."""
    left_out = {status: n for status, n in summary.counts.items() if status != str(Status.SCORED)}
    total = sum(summary.counts.values())
    counting = rows_scored(summary.counts.get(str(Status.SCORED), 0), total, left_out)
    result = comparison_result(summary)
    columns = tuple((f"Answers of {one_line(name)}", column) for name, column in summary.systems.items())
    figure = _systems_figure(summary)
    explained = (
        "A pair is won where the judge prefers an answer over both orders taken together; one that is "
        "preferred only where it is shown first is a tie. The win rate counts a tie as half a win."
    )
    if summary.sides.no_strengths is None:
        explained += (
            " Preferred to the average is the chance by Bradley and Terry against the others’ mean strength."
        )
    figures = [figure] if figure else []
    systems: tuple[Block, ...] = (_system_table(summary), *figures, Paragraph(explained, "note"))
    title = f"All systems, with {coverage(summary.plan.interval)} intervals"
    return Document(
        kind="comparison of systems",
        name="Judge compare",
        title="Which answers are preferred?",
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(result, counting),
        reading=(f"{result}.", f"{counting}.", "Pairs are judged in both orders."),
        facts=(
            ("Systems", Count(len(summary.systems))),
            ("Rows", Count(total)),
            ("Points of the answer shown first", _share(summary.sides.first_place)),
        ),
        cautions=tuple(_comparison_cautions(summary)),
        sections=(
            Section("systems", title, systems),
            Section("pairs", "Pairs of systems", (_duel_table(summary),)),
        ),
        settings=run_settings(summary.source, summary.created, columns, summary.signature),
        citations=(_BRADLEY_TERRY,),
    )


def comparison_result(summary: "SystemComparison") -> str:
    """Say which system is preferred, and which ones may be as good."""
    sides = summary.sides
    if sides.best is None and sides.n_unjudged == len(sides.pairs.points):
        return "No pair was judged in both orders"
    if sides.best is None:
        return "No system is preferred: all have the same win rate"
    best = f"“{one_line(summary.names[sides.best])}”"
    equal = [f"“{one_line(name)}”" for name in summary.as_good]
    close = [f"“{one_line(name)}”" for name in summary.not_told_apart if name not in summary.as_good]
    chance = f"{listed(close)} may be as good: the difference may be chance"
    if equal:
        return f"{listed([best, *equal])} are preferred most, and equally{f'; {chance}' if close else ''}"
    return f"{best} is preferred most, but {chance}" if close else f"{best} is preferred, by more than chance"


def _share(estimate: "Estimate | MeanEstimate | None") -> WithInterval:
    return estimate_cell(estimate, 0, is_share=True)


def _system_table(summary: "SystemComparison") -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for name, record in zip(summary.names, summary.sides.records, strict=True):
        counts = (None, None, None) if record is None else (record.wins, record.ties, record.losses)
        share, chance = (None, None) if record is None else (record.share, record.chance)
        rows.append((Quoted(name, 60), *map(Count, counts), _share(share), _share(chance)))
    columns = ("system", "won", "tied", "lost", "win rate", "preferred to the average")
    title = f"Systems ({coverage(summary.plan.interval)} intervals)"
    return DataTable(columns, tuple(rows), brief_title=title)


def _duel_table(summary: "SystemComparison") -> DataTable:
    names = summary.names
    columns: Columns[HeadToHead] = (
        ("first", lambda duel: Quoted(names[duel.first], 60)),
        ("second", lambda duel: Quoted(names[duel.second], 60)),
        ("won", lambda duel: Count(duel.wins)),
        ("tied", lambda duel: Count(duel.ties)),
        ("lost", lambda duel: Count(duel.losses)),
        ("no verdict", lambda duel: Count(duel.n_unjudged)),
        ("changed by the order", lambda duel: Count(duel.n_moved)),
        ("win rate of the first", lambda duel: _share(duel.win_rate)),
    )
    return table_of(summary.duels, columns, brief_title="Pairs of systems")


def _systems_figure(summary: "SystemComparison") -> Figure | None:
    """Draw each system's chance to be preferred, or else its win rate; ``None`` where there is neither."""
    rows = []
    for name, record in zip(summary.names, summary.sides.records, strict=True):
        if record is not None:
            figure = record.chance or record.share
            low, high = ends(figure.low, figure.high)
            short = percent(figure.value, 0)
            text = short if low is None else f"{short} [{percent(low, 0)}, {percent(high, 0)}]"
            rows.append(ForestRow(name, figure.value, low, high, 0.0, None, None, text, short))
    if not rows:
        return None
    quantity = "win rate" if summary.sides.no_strengths else "chance to be preferred to an average system"
    columns: Columns[ForestRow] = (
        ("system", lambda row: Quoted(row.name, 60)),
        (quantity, lambda row: Label(row.text)),
    )
    return Figure(
        "systems",
        lambda width: forest(rows, quantity, width=width, percent=True),
        f"{quantity.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in rows)}.",
        table_of(rows, columns, detail="full"),
        caption=f"The dot is the {quantity}, the line its interval.",
    )


def _comparison_cautions(summary: "SystemComparison") -> Iterator[str]:
    sides, judged = summary.sides, summary.sides.pairs.judged
    name, total = one_line(judged.model), count(len(sides.pairs.points))
    yield from stand_in_notes(name, judged.signature, judged.not_taken)
    if sides.n_unfinished:
        yield (
            f"{counted(sides.n_unfinished, 'pair')} of {total} unfinished; the same command continues, and "
            f"never repeats a paid call. {stopped_cautions(summary.stopped)[0]}"
        )
    if lost := sides.n_unjudged - sides.n_unfinished:
        reason = next(iter(judged.reasons), "no reason given")
        yield (
            f"{counted(lost, 'pair')} of {total} without a verdict in both orders, most often because: "
            f"{one_line(reason)}"
        )
    if sides.no_strengths is not None and sides.best is not None:
        yield f"Systems are ranked by their win rates, as there are no strengths: {sides.no_strengths}"
    if bias := position_bias_note(name, sides.first_place):
        yield f"{bias}."
    if refused := refused_parameters_note(name, refused_parameters(summary.signature)):
        yield refused


def audit_document(summary: "AuditSummary") -> Document:
    """Turn audits into a document with one section for each judge."""
    audits = summary.audits
    first, is_alone = next(iter(audits.values())), len(audits) == 1
    counting = tuple(_audit_counting(name, audit, is_alone=is_alone) for name, audit in audits.items())
    intervals = _audit_intervals(audits)
    signatures = (
        (f"Signature of {one_line(name)}", Quoted(audit.signature, 2000)) for name, audit in audits.items()
    )
    sections = [
        Section(f"judge-{index}", Quoted(name), _audit_blocks(name, audit))
        for index, (name, audit) in enumerate(audits.items(), start=1)
    ]
    if not is_alone or first.people is not None or first.cost is not None:
        sections.append(_judges_section(audits))
    return Document(
        kind="judge audit",
        name="Judge audit",
        title=f"Effect of changes of form on {'the judge’s' if is_alone else 'each judge’s'} scores",
        source=(Quoted(summary.source),),
        signature=summary.signature,
        counting=counting,
        reading=("An unbiased judge’s scores do not change when only the form changes.", *counting),
        facts=(("Rows", Count(len(first.plain))), ("Judges", Count(len(audits)))),
        cautions=(*stopped_cautions(summary.stopped), *_audit_cautions(summary)),
        sections=tuple(sections),
        notes=(f"intervals: {intervals}",),
        settings=(
            ("Intervals", intervals), *(signature_fields(first.signature) if is_alone else signatures)
        ),
    )  # fmt: skip


def _audit_counting(name: str, audit: "Audit", *, is_alone: bool) -> Line:
    plain = audit.plain
    left_out = {str(status): n for status, n in plain.counts.items() if status != Status.SCORED}
    sentence = rows_scored(plain.n_scored, plain.n, left_out)
    n = sorted(check.effect.n for check in audit.completed if check.effect is not None)
    if n and n[0] != plain.n_scored:  # a change may leave a row without a score
        most = "" if n[0] == n[-1] else f" to {count(n[-1])}"
        sentence += f"; the checks are based on {count(n[0])}{most} of them"
    return f"{sentence}." if is_alone else (Quoted(name), f": {sentence}.")


def _audit_intervals(audits: "Mapping[str, Audit]") -> str:
    """Say how the intervals of all checks were made; checks with few rows may differ from the others."""
    methods = {
        check.name if len(audits) == 1 else f"{check.name} of {one_line(judge)}": check.effect.method
        for judge, audit in audits.items()
        for check in audit.completed
        if check.effect is not None
    }
    if not methods:
        return "none: no check was made"
    plan = next(iter(audits.values())).plan  # all audits of a run have one plan
    return interval_methods(plan, methods, "rows")


def _audit_cautions(summary: "AuditSummary") -> Iterator[str]:
    """Name substitutes for decisions and refused parameters, and say that a bias may be due to chance."""
    for audit in summary.audits.values():
        yield from stand_in_notes(one_line(audit.plain.model), audit.plain.signature, audit.plain.not_taken)
    for name, audit in summary.audits.items():
        if refused := refused_parameters_note(one_line(name), refused_parameters(audit.signature)):
            yield refused
    n = sum(len(audit.completed) for audit in summary.audits.values())
    if n > 1:
        interval = coverage(next(iter(summary.audits.values())).plan.interval)
        yield (
            f"A judge is called biased by the {interval} interval of each check alone: with {n} checks, one "
            "of them may do so by chance."
        )


def _audit_blocks(name: str, audit: "Audit") -> tuple[Block, ...]:
    rows: list[tuple[Cell, ...]] = []
    for check in audit.checks:
        effect, moved = check.effect, check.moved
        n, n_left_out = (None, None) if effect is None else (effect.n, effect.n_left_out)
        result: Cell = Flag("biased", "warn") if check.biased else Label("not made" if effect is None else "")
        share = Share(None if moved is None else moved.value, 0)
        rows.append(
            (
                Label(check.name),
                Count(n),
                Count(n_left_out),
                estimate_cell(effect),
                share,
                result,
            )
        )
    interval = covered((row[3] for row in rows), audit.plan.interval)
    title = (Quoted(name), f": effect of changes of form on the score{interval}")
    columns = ("change", "rows", "left out", "mean effect", "levels that change", "")
    note = (
        "The mean effect is that on the expected score. A level changes where another one is stated, or is "
        "the most likely one of a decision; so prose and decisions are counted alike."
    )
    meanings = (
        f"{check.name}: {check.meaning}{'' if check.skipped is None else f'; not made: {check.skipped}'}"
        for check in audit.checks
    )
    paragraphs = (Paragraph(text, "note", detail="both") for text in (note, *meanings))
    return (DataTable(columns, tuple(rows), title=title), *paragraphs)


def _judges_section(audits: "Mapping[str, Audit]") -> Section:
    """Compare the judges: their costs, and how far they are from people."""
    people = [audit.people for audit in audits.values() if audit.people is not None]
    has_people = len(people) == len(audits)
    has_prices = any(audit.cost is not None for audit in audits.values())
    columns: dict[str, list[Cell]] = {
        "judge": [Quoted(name) for name in audits],
        "scored": [Count(audit.plain.n_scored) for audit in audits.values()],
        "calls per row": [Number(audit.calls_a_row, 1) for audit in audits.values()],
        "tokens": [Count(audit.usage.tokens) for audit in audits.values()],
    }
    if has_prices:
        columns["cost"] = [Label(_cost(audit)) for audit in audits.values()]
    if any(audit.order_bias >= 0 for audit in audits.values()):
        columns["order bias"] = [Share(audit.order_bias, 0) for audit in audits.values()]
    note = "Tokens are those of all replies without a change of form, including those from the ledger"
    note += ", and cost is their price." if has_prices else "."
    if has_people:
        columns |= _people_columns(people)
        note += (
            " The ranked probability score is the distance of each distribution from people’s labels, 0 is "
            "best: a judge who is sure and wrong pays most. The calibration error (ECE) is the difference "
            "between the probability of the most likely level and how often people give that level; “by "
            "chance” is the error of exact probabilities on so many rows."
        )
    title = "Comparison of the judges"
    if len(audits) == 1:
        title = "The judge compared with people" if has_people else "Cost of the judge"
    table = DataTable(tuple(columns), tuple(zip(*columns.values(), strict=True)), brief_title=title)
    return Section("beside", title, (table, Paragraph(note, "note")))


def _cost(audit: "Audit") -> str:
    if audit.cost is None or not audit.price:
        return "unknown"
    return f"{amount(audit.cost)} {audit.price.currency}"


def _people_columns(people: "Sequence[LabelComparison]") -> dict[str, list[Cell]]:
    figures = [judge.calibration for judge in people]
    return {
        "judge less people": [estimate_cell(judge.less, signed=True) for judge in people],
        "distance": [estimate_cell(judge.off) for judge in people],
        "ranked probability score": [estimate_cell(judge.rps) for judge in people],
        "kappa": [Number(judge.kappa.value) for judge in people],
        "calibration error": [Number(None if figure is None else figure.error) for figure in figures],
        "by chance": [Number(None if figure is None else figure.error_by_chance) for figure in figures],
        "Brier score": [estimate_cell(None if figure is None else figure.brier) for figure in figures],
    }
