"""The document of a judged table."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    Document,
    ItemCard,
    Items,
    JudgeReply,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Subheading,
    WithInterval,
    Words,
)
from semscale.report.formatting import capitalised, counted, has_interval, number
from semscale.report.judging.figures import (
    criteria_table,
    human_table,
    judge_table,
    pair_table,
    scores_histogram,
    severity_figure,
)
from semscale.report.judging.reasons import reasons_table
from semscale.report.judging.words import (
    MEANINGS,
    cautions,
    error_words,
    panel_words,
    provenance_words,
    silent_judges,
)
from semscale.report.parts import (
    altogether,
    estimated_document,
    estimated_settings,
    group_table,
    headline,
    low_items,
    nothing_section,
)
from semscale.report.sentences import counts_section, left_out_section, stopped_cautions

if TYPE_CHECKING:
    from semscale.judging.summary import JudgedRow, JudgeSummary
    from semscale.judging.verdict import Verdict

SHOWN_ITEMS = 8
_WITHOUT_WORDS = ("decision", "next-token")
_MEAN = "mean score, from 0 to 1"
_RULE = (
    "A row’s score is the mean of its criteria by their weights; where one has no score, the row has none."
)
_MEAN_EXPECTED = "mean expected score, from 0 to 1"

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


def judge_document(summary: "JudgeSummary") -> Document:
    """Turn the verdicts on a table into a document."""
    columns, panel = summary.columns, panel_words(summary)
    title = ("How good “", Quoted(columns.answer), "” is")
    base = estimated_document(summary, kind="judging report", name="Judge", title=title)
    used = (
        ("Questions", columns.question),
        ("Answers", columns.answer),
        *(("References", column) for column in columns.references),
        ("Human labels", columns.human),
        ("Groups", columns.by),
    )
    return replace(
        base,
        source=(*base.source, ("template ", Quoted(summary.template.name))),
        lead=headline(summary.estimates, _MEAN_EXPECTED if summary.is_panel else _MEAN, (0.0, 1.0)),
        reading=(*base.reading, *([panel] if panel else [])),
        facts=(*base.facts, *_facts(summary)),
        warnings=(*base.warnings, *silent_judges(summary)),
        cautions=(*stopped_cautions(summary.stopped), *base.cautions, *cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(*base.notes, f"distributions: {provenance_words(summary)}", *([panel] if panel else [])),
        settings=estimated_settings(summary, used),
        citations=(_JUDGES, *([_CORRECTION] if summary.human else [])),
    )


def _facts(summary: "JudgeSummary") -> Iterator[tuple[str, Cell]]:
    yield "Judges", Count(len(summary.judges))
    if summary.human is not None:
        corrected = summary.human.corrected
        yield "With label and score", Count(corrected.n_labelled)
        if has_interval(corrected):
            yield "Corrected mean", Number(corrected.value)


def _sections(summary: "JudgeSummary") -> Iterator[Section]:
    human, severity = human_table(summary), severity_figure(summary)
    if mean := summary.mean_expected:
        figures: list[tuple[str, Cell]] = [(_MEAN_EXPECTED, WithInterval.of(mean))]
        if not summary.is_panel:
            figures.insert(0, (_MEAN, WithInterval.of(summary.estimates.overall.mean)))
        spread: list[Block] = [
            altogether(figures, summary.plan.interval),
            scores_histogram(summary),
            Paragraph(f"{capitalised(provenance_words(summary))}.", "note"),
            Paragraph(error_words(summary), "note", detail="full"),
        ]
        if summary.estimates.groups:
            spread.append(group_table(summary.estimates, noun="row"))
        yield Section("scores", "How the scores are spread", tuple(spread))
    else:
        yield nothing_section("scores")
    if criteria := criteria_table(summary):
        yield Section("criteria", "The criteria", (criteria, Paragraph(_RULE, "note")))
    blocks: list[Block] = [*([severity] if severity else []), judge_table(summary)]
    if summary.is_panel:
        blocks += [Subheading("How far every two judges agree"), pair_table(summary)]
    yield Section("judges", "How severe each judge is" if severity else "The judge", tuple(blocks))
    if human:
        yield Section("humans", "Against human labels", (human,))
    yield from _looked_at(summary)
    yield from counts_section(summary.languages, ("answer",))
    reasons = reasons_table(summary)
    yield left_out_section(
        summary.estimates.overall.left_out,
        summary.n,
        MEANINGS,
        lambda status: summary.left_out.get(status, ()),
        further=() if reasons is None else (reasons,),
    )


def _looked_at(summary: "JudgeSummary") -> Iterator[Section]:
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
    cards = tuple(map(_item, items))
    if any(map(_said, items)):
        return Items(cards, brief_title=brief_title, heads=("question", "answer", "verdict"))
    cards = tuple(replace(card, brief=card.brief[:-1]) for card in cards)
    return Items(cards, brief_title=brief_title, heads=("question", "answer"))


def _item(item: "JudgedRow") -> ItemCard:
    question, answer = Quoted(item.question), Quoted(item.answer)
    verdicts = list(item.verdicts.values())
    said = Words(_said(item)) if len(verdicts) > 1 else Quoted(_said(item))
    labels: list[Line] = [] if item.group is None else [Quoted(item.group)]
    labels += [f"spread {number(item.spread)}"] if len(verdicts) > 1 else []
    if len(verdicts) == 1 and not math.isnan(verdicts[0].standard_error):
        labels.append(f"standard error {number(verdicts[0].standard_error)}")
    labels += [] if math.isnan(item.people) else [f"people {number(item.people)}"]
    return ItemCard(
        row=item.row + 1,
        score=Number(item.expected),
        labels=tuple(labels),
        texts=(("question", question), ("answer", answer)),
        replies=tuple(_reply(name, verdict, item) for name, verdict in item.verdicts.items()),
        brief=(question, answer, said),
    )


def _said(item: "JudgedRow") -> str:
    """Say briefly what a panel's judges scored, or what one judge said; empty where it used no words."""
    verdicts = list(item.verdicts.values())
    if len(verdicts) > 1:
        return ", ".join(number(verdict.expected) for verdict in verdicts)
    return verdicts[0].explanation or _by_criterion(item)


def _by_criterion(item: "JudgedRow") -> str:
    return ", ".join(f"{name} {number(score)}" for name, score in item.criteria.items())


def _reply(name: str, verdict: "Verdict", item: "JudgedRow") -> JudgeReply:
    words = verdict.explanation or verdict.reason or _by_criterion(item)
    if not words and verdict.replies and verdict.provenance not in _WITHOUT_WORDS:
        words = verdict.replies[-1]
    return JudgeReply(
        judge=Quoted(name),
        score=Number(verdict.expected),
        masses=tuple((Number(score), mass) for score, mass in verdict.distribution),
        words=Quoted(words, 300),
        status="" if verdict.status == "scored" else str(verdict.status),
    )
