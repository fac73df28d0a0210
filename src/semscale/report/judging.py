"""Documents of judging: a judged table, a comparison of systems, and an audit of judges."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from semscale.chat.budget import amount
from semscale.chat.messages import Parameters
from semscale.chat.refused_parameters import LEFT_OUT
from semscale.judging.summary import LITTLE_COVERED
from semscale.judging.verdict import Provenance
from semscale.report import figures, parts, sentences
from semscale.report.chart_kit import ACCENT, BAR, CONTRAST, ordinal
from semscale.report.document import (
    Block,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Flag,
    Interval,
    ItemCard,
    Items,
    JudgeReply,
    Label,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    estimate_cell,
    notices,
    share_cell,
)
from semscale.report.formatting import (
    capitalise,
    count,
    count_of,
    coverage,
    has_interval,
    join_list,
    number,
    one_line,
    percent,
    percent_with_interval,
)
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.results.label_sheets import INCLUSION
from semscale.signature import Signature
from semscale.spelling import hint
from semscale.stats.intervals import FEWEST_CLUSTERS
from semscale.types import Floats, Status

if TYPE_CHECKING:
    from semscale.judging.audit import Audit, AuditSummary, BiasCheck, LabelComparison
    from semscale.judging.comparing import HeadToHead, SystemComparison, SystemRecord
    from semscale.judging.summary import JudgedRow, JudgeScores, JudgeSummary
    from semscale.judging.verdict import Verdict
    from semscale.report.row_charts import ScoreGroup
    from semscale.stats.agreement import AgreementEstimate
    from semscale.stats.intervals import Estimate, MeanEstimate
    from semscale.stats.prediction_powered import CorrectedMean

T = TypeVar("T")
V = TypeVar("V")

MEANINGS = sentences.STATUS_MEANINGS | {
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
    Provenance.SINGLE: "from one reply each, so the level that it states is certain",
}
_SEVERAL_READINGS = (Provenance.NEXT_TOKEN, Provenance.SAMPLES)
_WITHOUT_EXPLANATION = (Provenance.DECISION, Provenance.NEXT_TOKEN)
_SCORES = (0.0, 1.0)
_MEAN = "mean score, from 0 to 1"
_MEAN_EXPECTED = "mean expected score, from 0 to 1"
_FIFTHS = ("0 to .2", ".2 to .4", ".4 to .6", ".6 to .8", ".8 to 1")
_UNSCORED = (Status.UNPARSABLE, Status.REFUSED, Status.FAILED)
_FEW_LABELS = 20
_LARGE_ORDER_BIAS = 0.1
_LONGEST_REASON = 300
_SAME = 1e-9  # difference of scores by rounding alone

NO_LABELS = (
    "No human label: nothing shows whether people would give these scores. Label some rows"
    + hint(" (`human`)")
    + ", or audit the judge."
)
_JUDGES = Citation(
    "Zheng, L., Chiang, W.-L., Sheng, Y., et al. (2023).",
    "Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena",
    "NeurIPS 2023, arXiv:2306.05685",
    "models as judges",
)
_BRADLEY_TERRY = Citation(
    "Bradley, R. A., & Terry, M. E. (1952).",
    "Rank analysis of incomplete block designs: I. The method of paired comparisons",
    "Biometrika 39, 324–345",
    "the ranking",
)


def judge_document(summary: "JudgeSummary") -> Document:
    """Turn the verdicts on a table into a document."""
    columns, estimates, human = summary.columns, summary.estimates, summary.human
    corrected, panel = None if human is None else human.corrected, panel_note(summary)
    return Document(
        kind="judging report",
        name="Judge",
        title=("Quality of “", Quoted(columns.answer), "”"),
        source=(*parts.input_and_date(summary), ("template ", Quoted(summary.template.name))),
        lead=parts.headline(estimates, _MEAN_EXPECTED if summary.is_panel else _MEAN, _SCORES),
        introduction=without_none(
            parts.scored_rows(summary),
            Paragraph(panel) if panel else None,
            None if summary.gate is None else parts.sentence(f"Gate {summary.gate.reason}"),
        ),
        notices=notices(
            warnings=[*_silent_judges(summary), None if human or not estimates.overall.n else NO_LABELS],
            cautions=[
                *sentences.stop_cautions(summary.stopped),
                *estimates.notes_about("row"),
                *cautions(summary),
            ],
            notes=[*parts.estimate_notes(estimates), f"distributions: {_provenance_note(summary)}", panel],
        ),
        facts=parts.facts(
            *parts.row_counts(summary),
            ("Judges", len(summary.judges)),
            ("With label and score", corrected.n_labelled) if corrected else None,
            ("Corrected mean", corrected.value) if corrected and has_interval(corrected) else None,
        ),
        sections=without_none(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            *parts.column_settings(
                columns,
                question="Questions",
                answer="Answers",
                reference="References",
                human="Human labels",
                by="Groups",
            ),
            ("Intervals", sentences.estimate_method(estimates)),
        ),
        citations=without_none(_JUDGES, parts.CORRECTION if human else None),
        signature=summary.signature,
    )


def _sections(summary: "JudgeSummary") -> Iterator[Section | None]:
    if mean := summary.mean_expected:
        means: list[tuple[str, Value]] = [(_MEAN_EXPECTED, mean)]
        if not summary.is_panel:
            means.insert(0, (_MEAN, summary.estimates.overall.mean))
        yield section(
            "scores",
            "Distribution of the scores",
            parts.altogether(means, summary.plan.interval),
            *_scores_blocks(summary),
            "The expected score is the mean of all levels' scores, weighted by their probability.",
            f"{capitalise(_provenance_note(summary))}.",
            _error_note(summary),
            parts.group_table(summary.estimates) if summary.estimates.groups else None,
        )
    else:
        yield parts.nothing_section("scores")
    yield section(
        "criteria",
        "The criteria",
        _criteria_table(summary),
        "A row’s score is the mean of its criteria by their weights; where one has no score, the row has "
        "none.",
    )
    severity, is_panel = _severity_figure(summary), summary.is_panel
    yield section(
        "judges",
        "Severity of the judges" if severity else "The judge",
        severity,
        judges_table(summary),
        Paragraph("Agreement between the judges", "heading") if is_panel else None,
        _agreement_table(summary) if is_panel else None,
    )
    yield section("humans", "Comparison with human labels", human_table(summary))
    disputed, vague = summary.disputed[:SHOWN_ITEMS], summary.least_certain[:SHOWN_ITEMS]
    if disputed:
        title = "Rows where the judges differ most"
        yield section("disputed", title, _items(disputed, brief_title=title))
    elif vague:
        yield section("disputed", "Where the judge is least certain", _items(vague))
    lowest = parts.low_items(
        summary.lowest[:SHOWN_ITEMS], lambda item: item.expected, summary.mean_expected, _SCORES
    )
    if lowest:
        brief = "" if disputed else count_of(min(len(lowest), Items.most), "lowest expected score")
        yield section("lowest", "The lowest expected scores", _items(lowest, brief_title=brief))
    yield parts.languages_section(summary.languages, ("answer",))
    yield parts.left_out_section(summary, MEANINGS, _reasons_table(summary))


def _scores_blocks(summary: "JudgeSummary") -> tuple[Block | None, ...]:
    """Build histograms of the expected scores of the judge or panel, of its judges, and of human labels."""
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
    rows = (
        (name, len(group.scores), group.mean, *map(Share, _shares_of_fifths(group.scores)))
        for name, group in groups
    )
    figure = figures.histograms_figure(
        "scores",
        [group for _, group in groups],
        _SCORES,
        table(("", "rows", "mean expected score", *_FIFTHS), rows),
        caption=figures.histogram_caption("rows have which expected score, from 0 to 1", summary.estimates),
    )
    return figures.histogram_table(groups[0][1], _SCORES, ("score", "rows")), figure


def _score_group(
    name: Label | Quoted, scores: Floats, colour: str, mean: "Estimate | MeanEstimate | None"
) -> "tuple[Label | Quoted, ScoreGroup]":
    label = parts.label_with_base(one_line(name.text), Count(int(np.isfinite(scores).sum())))
    return name, figures.score_group(label, scores, colour, mean)


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
    rows = [
        (name, mean, (scores.fifths / scores.fifths.sum()).tolist())
        for name, scores in summary.judges.items()
        if (mean := _mean_expected(scores))
    ]
    shares: list[tuple[Value, ...]] = [
        (Quoted(name), mean.value, *map(Share, fifths)) for name, mean, fifths in rows
    ]
    fifths_legend = figures.legend(ordinal(len(_FIFTHS)), _FIFTHS)
    drawn = [(one_line(name), mean, fifths) for name, mean, fifths in rows]
    quantity = "mean expected score"
    return Figure(
        "severity",
        *figures.distribution_chart(
            drawn,
            fifths_legend,
            reference=overall.value,
            about="Mean expected score of each judge",
        ),
        table(("judge", "mean expected score", *_FIFTHS), shares, detail="full"),
        legend=fifths_legend,
        caption="Each judge’s mean expected score with its interval, and the probability of each fifth of "
        "the range; the dashed line is the panel’s mean.",
        data=figures.distribution_data(
            drawn, fifths_legend, reference=overall.value, order="bad to good", quantity=quantity
        ),
    )


def judges_table(summary: "JudgeSummary") -> DataTable:
    """Build the table of judges: rows by status, mean score, mean expected score, severity."""
    statuses = [
        status
        for status in (*_UNSCORED, Status.UNFINISHED)
        if any(status in scores.counts for scores in summary.judges.values())
    ]
    columns: Columns[tuple[str, JudgeScores]] = (
        ("judge", lambda row: Quoted(row[0])),
        ("template", lambda row: Quoted(row[1].template.name)),
        *(
            (str(status), lambda row, status=status: row[1].counts.get(status, 0))
            for status in (Status.SCORED, *statuses)
        ),
        ("mean score", lambda row: estimate_cell(row[1].estimates.overall.mean)),
        ("mean expected score", lambda row: estimate_cell(_mean_expected(row[1]))),
        ("above the others", lambda row: summary.severities[row[0]]) if summary.is_panel else None,
    )
    return table_of(summary.judges.items(), columns, brief_title="Judges")


def _criteria_table(summary: "JudgeSummary") -> DataTable:
    """List the criteria of a rubric with weight and mean expected score; no rows for a template."""
    weights = {name: weight for scores in summary.judges.values() for name, weight in scores.weights.items()}
    columns: Columns[tuple[str, MeanEstimate]] = (
        ("criterion", lambda row: Quoted(row[0])),
        ("weight", lambda row: Share(weights[row[0]], 0)),
        ("rows", lambda row: row[1].n),
        (
            f"expected{parts.coverage_suffix(summary.criteria.values(), summary.plan.interval)}",
            lambda row: row[1],
        ),
    )
    return table_of(summary.criteria.items(), columns, brief_title="Criteria")


def _agreement_table(summary: "JudgeSummary") -> DataTable:
    rows = (
        (Quoted(f"{first} and {second}"), kappa.n, estimate_cell(kappa, note=kappa.note or ""))
        for (first, second), kappa in summary.agreement.items()
    )
    return table(("judges", "rows", "quadratic weighted kappa"), rows, detail="full")


def human_table(summary: "JudgeSummary") -> DataTable | None:
    """Build the table of the comparison with human labels, with explanations; ``None`` without labels."""
    human = summary.human
    if human is None:
        return None
    corrected, n_unscored = human.corrected, human.n_labelled - human.corrected.n_labelled
    scored = f"the {count_of(summary.counts.get(Status.SCORED, 0), 'row')} with a score"
    both = f"{count_of(corrected.n_labelled, 'row')} with a label and a score"
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
        labels = (
            f"of {count_of(human.n_labelled, 'row')} with a label, {n_unscored:,} of them without a score"
        )
        rows.append(_human_row("mean of all labels", summary.mean_label, labels))
    rows += [
        _human_row("judge minus people", human.judge_less_people, f"on the {both}; above 0 is lenient"),
        _human_row(
            "quadratic weighted kappa", human.kappa, "agreement with the mean label; 1 is perfect, 0 chance"
        ),
    ]
    if (people := human.ceiling) is not None:
        rows += [
            _human_row("rank correlation with people", people.judge, "each person left out in turn"),
            _human_row("people with each other", people.ceiling, "the ceiling, on the same rows"),
            _human_row(
                "judge minus ceiling", people.difference, "above 0 the judge is no worse than a person"
            ),
        ]
    value = f"value{parts.coverage_suffix((row[1] for row in rows), summary.plan.interval)}"
    title = "Comparison with human labels"
    return table(("", value, "meaning"), rows, explained=True, brief_title=title)


def _human_row(
    name: str,
    figure: "CorrectedMean | MeanEstimate | AgreementEstimate",
    meaning: str,
    shown: Interval | None = None,
) -> tuple[Value, ...]:
    """Return a row with a figure, its explanation, and the method of its interval, which differs by row."""
    if figure.method is not None:
        meaning += f"; interval by {'exact bounds' if figure.method == 'exact' else figure.method}"
    note = getattr(figure, "note", None) or ""
    return name, estimate_cell(shown or figure, note=note), meaning


def _reasons_table(summary: "JudgeSummary") -> DataTable | None:
    """Build the table of unsupported forms and reasons for missing scores; ``None`` without entries.

    It has the five most frequent reasons of each status. The screen shows them in full, as they differ at the
    end.
    """
    rows: list[tuple[str, str, int, str]] = []
    for name, scores in summary.judges.items():
        rows += [
            (name, f"{refusal.form}, not taken", refusal.n, refusal.reason)
            for refusal in scores.refused_forms
        ]
        rows += [(name, f"rows {status}", n, why) for status, why, n in scores.frequent_reasons if why]
    columns: Columns[tuple[str, str, int, str]] = (
        ("judge", lambda row: Quoted(row[0])),
        ("", lambda row: row[1]),
        ("times", lambda row: row[2]),
        ("reason", lambda row: Quoted(row[3], _LONGEST_REASON, wraps=True)),
    )
    return table_of(rows, columns, title="Reasons", noun="reason") if rows else None


def _items(items: "Sequence[JudgedRow]", *, brief_title: str = "") -> Items:
    cards = tuple(map(_card, items))
    if any(map(_brief_verdict, items)):
        return Items(cards, brief_title=brief_title, heads=("question", "answer", "verdict"))
    cards = tuple(replace(card, brief=card.brief[:-1]) for card in cards)
    return Items(cards, brief_title=brief_title, heads=("question", "answer"))


def _card(item: "JudgedRow") -> ItemCard:
    question, answer, verdicts = Quoted(item.question), Quoted(item.answer), list(item.verdicts.values())
    is_panel, verdict = len(verdicts) > 1, _brief_verdict(item)
    labels = {
        "spread": item.spread,
        "standard error": float("nan") if is_panel else verdicts[0].standard_error,
        "people": item.people,
    }
    return ItemCard(
        row=item.row + 1,
        score=Number(item.expected),
        labels=(
            *([] if item.group is None else [Quoted(item.group)]),
            *(f"{name} {number(value)}" for name, value in labels.items() if not math.isnan(value)),
        ),
        texts=(("question", question), ("answer", answer)),
        replies=tuple(_reply(name, verdict, item) for name, verdict in item.verdicts.items()),
        brief=(question, answer, Label(verdict) if is_panel else Quoted(verdict)),
    )


def _brief_verdict(item: "JudgedRow") -> str:
    """Return the scores of a panel's judges, or a single judge's explanation; empty without one."""
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
        f"{count_of(n, 'distribution')} {_PROVENANCES[provenance]}"
        for provenance, n in summary.provenances.items()
    ]
    return "; ".join(parts) or "none"


def _error_note(summary: "JudgeSummary") -> str:
    """State the number of distributions with a known difference between readings."""
    several = [n for provenance, n in summary.provenances.items() if provenance in _SEVERAL_READINGS]
    single = sum(summary.provenances.values()) - sum(several)
    if not several:
        return "Each score is of one reading: the spread of repeated readings is not known."
    rest = f"; of {count_of(single, 'score')} of one reading it is not known" if single else ""
    return f"The standard error of a score estimates how far other orders or replies would differ{rest}."


def panel_note(summary: "JudgeSummary") -> str | None:
    """State the number of independent judges that a panel is equivalent to; ``None`` for one judge."""
    effective = summary.effective_judges
    n = sum(scores.is_scored_anywhere for scores in summary.judges.values())
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
            f"These {n} judges are worth {number(effective.value, 1)} independent judges{interval}, {basis}."
        )
    unknown = f"The number of independent judges that these {n} are worth is not known: {effective.note}"
    r = effective.correlation
    if math.isnan(r.value):
        return f"{unknown}."
    interval = f", {number(r.low)} to {number(r.high)}" if has_interval(r) else ""
    return (
        f"{unknown} (mean correlation {number(r.value)}{interval}). Judges that measure different things, or "
        "nothing, look like this too; human labels" + hint(" (`human`)") + " show which."
    )


def _silent_judges(summary: "JudgeSummary") -> tuple[str, ...]:
    """Warn of a panel's judges without any score, as the figures include only the others."""
    scoring = [one_line(name) for name, scores in summary.judges.items() if scores.is_scored_anywhere]
    silent = [one_line(name) for name, scores in summary.judges.items() if not scores.is_scored_anywhere]
    if not scoring or not silent:
        return ()
    return (f"{join_list(silent)} scored no row: these figures are those of {join_list(scoring)} alone.",)


def cautions(summary: "JudgeSummary") -> Iterator[str]:
    """Return the limits of the figures that a reader must know."""
    for name, scores in summary.judges.items():
        yield from _judge_cautions(one_line(name), scores, is_panel=summary.is_panel)
    human = summary.human
    if summary.sampled is not None:
        has_criteria = any(scores.criteria for scores in summary.judges.values())
        sampled = ["histograms"]
        sampled += ["means by criterion"] if has_criteria else []
        sampled += ["severities", "agreement of judges"] if summary.is_panel else []
        sampled += [] if human is None else ["the corrected mean"]
        labelled = "" if human is None else "rows with a human label"
        yield sentences.sample_caution(sampled, summary.sampled, summary.n, labelled)
    if human is not None and not human.corrected.n_labelled:
        yield "No row has both a human label and a score, so nothing shows whether people would agree."
    elif human is not None and human.corrected.n_labelled < _FEW_LABELS:
        labelled = count_of(human.corrected.n_labelled, "row")
        yield f"Only {labelled} with a human label and a score: intervals are wide."
    if summary.unused_inclusion:
        yield (
            f"Labels count as those of a plain sample. The table has a column {INCLUSION!r}: if the "
            "rows were drawn with these probabilities, the corrected mean is wrong without them"
            + hint(f" (`inclusion={INCLUSION!r}`)")
            + "."
        )


def _judge_cautions(name: str, scores: "JudgeScores", *, is_panel: bool) -> Iterator[str]:
    """Return the limits of one judge's figures: rows without a score, and sources of distributions."""
    lost = sum(scores.counts.get(status, 0) for status in _UNSCORED)
    if lost and scores.is_scored_anywhere:
        owner = "its" if is_panel else "the"
        yield f"{name} gave no score to {count_of(lost, 'row')}; {owner} figures hold for the others only."
    elif lost:
        yield f"{name} gave no score to any of {count_of(lost, 'row')}."
    if alike := _same_score_note(name, scores.expected):
        yield alike
    if scores.failure is not None:
        rows = count_of(scores.counts.get(Status.FAILED, 0), "row")
        reason = one_line(scores.failure).rstrip(".")
        yield f"{name} gave no usable reply to {rows}, most often because: {reason}."
    if refused := sentences.parameters_note(name, list_refused_parameters(scores.signature)):
        yield refused
    yield from _decision_cautions(name, scores)
    if scores.n_little_covered:
        yield (
            f"For {count_of(scores.n_little_covered, 'row')} less than {percent(LITTLE_COVERED, 0)} of the "
            f"probability of {name}’s reply is on a level; their distributions rest on that part."
        )


def _same_score_note(name: str, expected: Floats) -> str | None:
    """State that a judge gives the same score to all of at least 10 rows; ``None`` if it does not."""
    known = expected[np.isfinite(expected)]
    if len(known) < FEWEST_CLUSTERS or np.ptp(known) > _SAME:
        return None
    return (
        f"{name} gives the same score, {number(float(known[0]))}, to all {count_of(len(known), 'row')}: "
        "nothing shows that it can tell good answers from bad ones."
    )


def _decision_cautions(name: str, scores: "JudgeScores") -> Iterator[str]:
    """Return cautions on substitutes for decisions, normalised probabilities, and order effects of levels."""
    yield from sentences.stand_in_notes(name, scores.signature, scores.refused_forms)
    if scores.unusable and dict(scores.signature.fields).get("method", "prose") != "prose":
        n = scores.counts.get(Status.UNPARSABLE, 0)
        yield sentences.unusable_answers_note(name, n, "row", scores.unusable)
    if scores.n_normalised:
        yield sentences.normalisation_note(name, scores.n_normalised)
    if scores.order_bias > _LARGE_ORDER_BIAS:
        yield (
            f"The order of the levels moves {percent(scores.order_bias, 0)} of the probability of {name}’s "
            "verdicts on average; they are means over all orders."
        )


def list_refused_parameters(signature: Signature) -> tuple[str, ...]:
    """Return the parameters that a judge's model refused, according to its signature.

    Examples:
        >>> list_refused_parameters(Signature.of("judge", temperature="default", max_tokens=5))
        ('temperature',)
    """
    parameters = Parameters.__dataclass_fields__
    return tuple(name for name, value in signature.fields if value == LEFT_OUT and name in parameters)


def comparison_document(summary: "SystemComparison") -> Document:
    """Turn a comparison of systems into a document."""
    sides, title = summary.sides, f"All systems, with {coverage(summary.plan.interval)} intervals"
    explained = (
        "Each pair is judged twice, in both orders. An answer wins a pair if the judge prefers it in both "
        "orders, or in one and finds a tie in the other; an answer that is preferred only where it is shown "
        "first ties. The win rate counts judgements, two for each pair: (won + tied / 2) / all. Identical "
        "answers are not shown to the judge and count as tied."
    )
    if sides.no_strengths is None:
        explained += (
            " Preferred to the average is the chance by Bradley and Terry against the others’ mean strength."
        )
    return Document(
        kind="comparison of systems",
        name="Judge compare",
        title="Which answers are preferred?",
        source=parts.input_and_date(summary),
        introduction=(
            parts.sentence(comparison_result(summary)),
            parts.sentence(sentences.counts_scored(summary.counts, verb="compared")),
            Paragraph("Pairs are judged in both orders."),
        ),
        notices=notices(
            cautions=_comparison_cautions(summary),
            notes=[
                "win rate: each pair is judged twice, in both orders; (won + half of tied judgements) / "
                "all; identical answers count as tied"
            ],
        ),
        facts=parts.facts(
            ("Systems", len(summary.systems)),
            ("Rows", sum(summary.counts.values())),
            ("Points of the answer shown first", share_cell(sides.first_place)),
            ("Pairs decided by the order", share_cell(sides.order.share)),
        ),
        sections=without_none(
            section("systems", title, _system_table(summary), _systems_figure(summary), explained),
            section(
                "pairs", "Pairs of systems", _duel_table(summary), _pairs_note(summary), _order_note(summary)
            ),
        ),
        settings=parts.run_settings(
            summary, *((f"Answers of {one_line(name)}", column) for name, column in summary.systems.items())
        ),
        citations=(_BRADLEY_TERRY,),
        signature=summary.signature,
    )


def comparison_result(summary: "SystemComparison") -> str:
    """State which system is preferred, and which systems may be equally good."""
    sides = summary.sides
    if summary.no_verdict is not None:
        return f"No verdict: {summary.no_verdict}"
    if not len(sides.pairs.points):
        return "No pair was judged in both orders"
    if sides.best is None:
        return "No system is preferred: all have the same win rate"
    best = f"“{one_line(summary.names[sides.best])}”"
    equal = [f"“{one_line(name)}”" for name in summary.equal_to_best]
    close = [f"“{one_line(name)}”" for name in summary.not_told_apart if name not in summary.equal_to_best]
    chance = f"{join_list(close)} may be equally good: the difference may be chance"
    if equal:
        return f"{join_list([best, *equal])} are preferred most, and equally{f'; {chance}' if close else ''}"
    return f"{best} is preferred most, but {chance}" if close else f"{best} is preferred significantly"


def _system_table(summary: "SystemComparison") -> DataTable:
    columns: Columns[tuple[str, SystemRecord | None]] = (
        ("system", lambda row: Quoted(row[0], 60)),
        ("won", lambda row: _value_or_none(row[1], lambda record: record.wins)),
        ("tied", lambda row: _value_or_none(row[1], lambda record: record.ties)),
        ("identical", lambda row: _value_or_none(row[1], lambda record: record.identical)),
        ("lost", lambda row: _value_or_none(row[1], lambda record: record.losses)),
        ("win rate", lambda row: share_cell(_value_or_none(row[1], lambda record: record.share))),
        (
            "preferred to the average",
            lambda row: share_cell(_value_or_none(row[1], lambda record: record.chance)),
        ),
    )
    title = f"Systems ({coverage(summary.plan.interval)} intervals)"
    return table_of(zip(summary.names, summary.sides.records, strict=True), columns, brief_title=title)


def _duel_table(summary: "SystemComparison") -> DataTable:
    names = summary.names
    columns: Columns[HeadToHead] = (
        ("first", lambda duel: Quoted(names[duel.first], 60)),
        ("second", lambda duel: Quoted(names[duel.second], 60)),
        ("won", lambda duel: duel.wins),
        ("tied", lambda duel: duel.ties),
        ("identical", lambda duel: duel.identical),
        ("lost", lambda duel: duel.losses),
        ("no verdict", lambda duel: duel.n_unjudged),
        ("changed by the order", lambda duel: duel.n_moved),
        ("win rate of the first", lambda duel: share_cell(duel.win_rate)),
    )
    return table_of(summary.duels, columns, brief_title="Pairs of systems")


def _pairs_note(summary: "SystemComparison") -> Paragraph | None:
    """State how many pairs have identical answers, and how many of the others were judged."""
    judged, n_pairs = summary.sides.pairs.judged, len(summary.sides.pairs.points)
    if not n_pairs:
        return None
    n_identical, n_asked = int(judged.is_identical.sum()), judged.n_asked
    n_judged = n_asked - summary.sides.n_unjudged
    return Paragraph(
        f"{count(n_identical)} of {count_of(n_pairs, 'pair')} {'has' if n_identical == 1 else 'have'} "
        f"identical answers: the judge is not asked about them, and they count half for each system in the "
        f"win rate. {count(n_judged)} of the {count_of(n_asked, 'pair')} with different answers "
        f"{'was' if n_judged == 1 else 'were'} judged in both orders; a verdict needs at least half of them.",
        "note",
        detail="both",
    )


def _order_note(summary: "SystemComparison") -> Paragraph | None:
    """State the share of pairs that the order of the answers decides; ``None`` without a preference."""
    order = summary.sides.order
    if not order.share.n:
        return None
    return Paragraph(
        f"The order of the answers decides {order.by_order:,} of the {count_of(order.share.n, 'pair')} in "
        f"which the judge prefers an answer in both orders: {percent_with_interval(order.share)}. A judge "
        "without information reaches 50 % or more.",
        "note",
        detail="both",
    )


def _systems_figure(summary: "SystemComparison") -> Figure | None:
    """Draw each system's probability to be preferred, or its win rate; ``None`` without either."""
    rows = [
        (name, record.chance or record.share)
        for name, record in zip(summary.names, summary.sides.records, strict=True)
        if record is not None and record.share is not None
    ]
    quantity = "win rate" if summary.sides.no_strengths else "chance to be preferred to an average system"
    if not rows:
        return None
    return figures.shares_figure("systems", rows, head="system", quantity=quantity, measure=quantity)


def _comparison_cautions(summary: "SystemComparison") -> Iterator[str]:
    sides, judged = summary.sides, summary.sides.pairs.judged
    name, total = one_line(judged.model), count(len(sides.pairs.points))
    yield from sentences.stand_in_notes(name, judged.signature, judged.refused_forms)
    if sides.n_unfinished:
        yield (
            f"{count_of(sides.n_unfinished, 'pair')} of {total} unfinished. "
            f"{sentences.stop_cautions(summary.stopped)[0]}"
        )
    if lost := sides.n_unjudged - sides.n_unfinished:
        reason = next(iter(judged.reasons), "no reason given")
        yield (
            f"{count_of(lost, 'pair')} of {total} without a verdict in both orders, most often because: "
            f"{one_line(reason)}"
        )
    if sides.no_strengths is not None and sides.best is not None:
        yield f"Systems are ranked by their win rates, as there are no strengths: {sides.no_strengths}"
    if bias := sentences.position_bias_note(name, sides.first_place):
        yield f"{bias}." if summary.no_verdict else f"{bias}; asking in both orders cancels this."
    if summary.no_verdict is not None and judged.n_asked > sides.n_unfinished:
        yield (
            "Without a verdict there are no win rates: they would describe the judge, not the systems. "
            "Choose another model, a rubric" + hint(" (`rubric`)") + ", or decisions instead of prose."
        )
    if refused := sentences.parameters_note(name, list_refused_parameters(summary.signature)):
        yield refused


def audit_document(summary: "AuditSummary") -> Document:
    """Turn audits into a document with one section for each judge."""
    audits, intervals = summary.audits, _audit_intervals(summary.audits)
    first, is_alone = next(iter(audits.values())), len(audits) == 1
    signatures = (
        (f"Signature of {one_line(name)}", Quoted(audit.signature, 2000)) for name, audit in audits.items()
    )
    return Document(
        kind="judge audit",
        name="Judge audit",
        title=f"Effect of changes of form on {'the judge’s' if is_alone else 'each judge’s'} scores",
        source=(parts.quote_file_name(summary.source),),
        introduction=(
            Paragraph("An unbiased judge’s scores do not change when only the form changes."),
            *(
                Paragraph(_audit_counting(name, audit, is_alone=is_alone), detail="both")
                for name, audit in audits.items()
            ),
        ),
        notices=notices(
            cautions=[*sentences.stop_cautions(summary.stopped), *_audit_cautions(summary)],
            notes=[f"intervals: {intervals}"],
        ),
        facts=parts.facts(("Rows", len(first.plain)), ("Judges", len(audits))),
        sections=without_none(
            *(
                section(f"judge-{index}", Quoted(name), *_audit_blocks(name, audit))
                for index, (name, audit) in enumerate(audits.items(), start=1)
            ),
            None if is_alone and first.people is None and first.cost is None else _judges_section(audits),
        ),
        settings=(
            ("Intervals", intervals),
            *(parts.signature_fields(first.signature) if is_alone else signatures),
        ),
        signature=summary.signature,
    )


def _audit_counting(name: str, audit: "Audit", *, is_alone: bool) -> Line:
    plain = audit.plain
    sentence = sentences.counts_scored(plain.counts)
    n = sorted(check.effect.n for check in audit.completed if check.effect is not None)
    if n and n[0] != plain.n_scored:  # a change may leave a row without a score
        most = "" if n[0] == n[-1] else f" to {count(n[-1])}"
        sentence += f"; the checks are based on {count(n[0])}{most} of them"
    return f"{sentence}." if is_alone else (Quoted(name), f": {sentence}.")


def _audit_intervals(audits: "Mapping[str, Audit]") -> str:
    """State the method of the intervals of all checks, which can differ for checks with few rows."""
    methods = {
        check.name if len(audits) == 1 else f"{check.name} of {one_line(judge)}": check.effect.method
        for judge, audit in audits.items()
        for check in audit.completed
        if check.effect is not None
    }
    if not methods:
        return "none: no check was made"
    plan = next(iter(audits.values())).plan  # all audits of a run have one plan
    return sentences.interval_methods(plan, methods, "rows")


def _audit_cautions(summary: "AuditSummary") -> Iterator[str]:
    """Return cautions on substitutes for decisions, refused parameters, and biases that may be chance."""
    for audit in summary.audits.values():
        yield from sentences.stand_in_notes(
            one_line(audit.plain.model), audit.plain.signature, audit.plain.refused_forms
        )
    for name, audit in summary.audits.items():
        if alike := _same_score_note(one_line(name), audit.plain.expected):
            yield alike
        if refused := sentences.parameters_note(one_line(name), list_refused_parameters(audit.signature)):
            yield refused
    n = sum(len(audit.completed) for audit in summary.audits.values())
    if n > 1:
        interval = coverage(next(iter(summary.audits.values())).plan.interval)
        yield (
            f"A judge is called biased by the {interval} interval of each check alone: with {n} checks, one "
            "of them may do so by chance."
        )


def _audit_blocks(name: str, audit: "Audit") -> tuple[Block, ...]:
    columns: Columns[BiasCheck] = (
        ("change", lambda check: check.name),
        ("rows", lambda check: _value_or_none(check.effect, lambda effect: effect.n)),
        ("left out", lambda check: _value_or_none(check.effect, lambda effect: effect.n_left_out)),
        ("mean effect", lambda check: estimate_cell(check.effect)),
        (
            "levels that change",
            lambda check: Share(_value_or_none(check.moved, lambda moved: moved.value), 0),
        ),
        ("", lambda check: Flag("biased", "warn") if check.biased else "" if check.effect else "not made"),
    )
    interval = parts.coverage_suffix((check.effect for check in audit.checks), audit.plan.interval)
    title = (Quoted(name), f": effect of changes of form on the score{interval}")
    note = (
        "The mean effect is that on the expected score. A level changes where another one is stated, or is "
        "the most likely one of a decision; so prose and decisions are counted in the same way."
    )
    meanings = (
        f"{check.name}: {check.meaning}{'' if check.skipped is None else f'; not made: {check.skipped}'}"
        for check in audit.checks
    )
    paragraphs = (Paragraph(text, "note", detail="both") for text in (note, *meanings))
    return (table_of(audit.checks, columns, title=title), *paragraphs)


def _judges_section(audits: "Mapping[str, Audit]") -> Section | None:
    """Build the section that compares the judges' costs and agreement with people."""
    has_people = all(audit.people is not None for audit in audits.values())
    has_prices = any(audit.cost is not None for audit in audits.values())
    has_orders = any(audit.order_bias >= 0 for audit in audits.values())
    columns: Columns[tuple[str, Audit]] = (
        ("judge", lambda row: Quoted(row[0])),
        ("scored", lambda row: row[1].plain.n_scored),
        ("calls per row", lambda row: Number(row[1].calls_a_row, 1)),
        ("tokens", lambda row: row[1].usage.tokens),
        ("cost", lambda row: _cost(row[1])) if has_prices else None,
        ("order bias", lambda row: Share(row[1].order_bias, 0)) if has_orders else None,
        *(_PEOPLE_COLUMNS if has_people else ()),
    )
    note = "Tokens are those of all replies without a change of form, including those from the ledger"
    note += ", and cost is their price." if has_prices else "."
    if has_people:
        note += (
            " The ranked probability score is the distance of each distribution from people’s labels, 0 is "
            "best: a judge that is certain and wrong has the worst score. The calibration error (ECE) is "
            "the difference between the probability of the most likely level and how often people give that "
            "level; “by chance” is the error that exact probabilities would have with as many rows."
        )
    title = "Comparison of the judges"
    if len(audits) == 1:
        title = "The judge compared with people" if has_people else "Cost of the judge"
    return section("beside", title, table_of(audits.items(), columns, brief_title=title), note)


def _people_column(
    head: str, value: "Callable[[LabelComparison], Value]"
) -> "tuple[str, Callable[[tuple[str, Audit]], Value]]":
    """Return a column of the comparison with human labels."""
    return head, lambda row: _value_or_none(row[1].people, value)


def _value_or_none(item: T | None, value: Callable[[T], V]) -> V | None:
    """Return a figure of an item; ``None`` without an item."""
    return None if item is None else value(item)


_PEOPLE_COLUMNS = (
    _people_column("judge minus people", lambda people: estimate_cell(people.less, signed=True)),
    _people_column("distance", lambda people: people.off),
    _people_column("ranked probability score", lambda people: estimate_cell(people.rps)),
    _people_column("kappa", lambda people: people.kappa.value),
    _people_column(
        "calibration error", lambda people: _value_or_none(people.calibration, lambda figure: figure.error)
    ),
    _people_column(
        "by chance", lambda people: _value_or_none(people.calibration, lambda figure: figure.error_by_chance)
    ),
    _people_column(
        "Brier score",
        lambda people: estimate_cell(_value_or_none(people.calibration, lambda figure: figure.brier)),
    ),
)


def _cost(audit: "Audit") -> str:
    if audit.cost is None or not audit.price:
        return "unknown"
    return f"{amount(audit.cost)} {audit.price.currency}"
