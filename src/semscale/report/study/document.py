"""The document of a study: methods side by side for each question, and what it cannot say."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    Definitions,
    Document,
    Figure,
    Line,
    Paragraph,
    Quoted,
    Section,
    Subheading,
    Words,
    stamp,
)
from semscale.report.formatting import capitalised
from semscale.report.parts import settings
from semscale.report.sentences import rows_that_count
from semscale.report.study.figures import (
    costs_table,
    differences_table,
    distribution_figure,
    groups_table,
    measures_of,
    methods_table,
    model_pairs_table,
    orders_table,
    pairs_table,
    quotes_table,
    reliabilities_table,
    statuses_table,
    unrated_table,
)
from semscale.report.study.spread import spread_blocks
from semscale.report.study.words import (
    LIMITS,
    METHOD_MEANINGS,
    METHOD_NAMES,
    MODELS,
    NO_PEOPLE,
    READ_ANSWERS,
    RERUNS,
    SIMULATION,
    differences_note,
    groups_line,
    has_too_many,
    interval_line,
    panel_line,
    rotation_line,
    study_cautions,
    weighted_fact,
    weights_line,
)
from semscale.study.summary import CONCEPT, MOST_LEVELS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.study.questionnaire import SurveyQuestion
    from semscale.study.summary import StudySummary

_CITATIONS = (
    Citation(
        "Maier, B. F., et al. (2025).",
        "LLMs reproduce human purchase intent via semantic similarity elicitation of Likert ratings",
        "arXiv 2510.08338",
        "the methods SSR, FLR and DLR",
        "https://arxiv.org/abs/2510.08338",
    ),
)


def study_document(summary: "StudySummary") -> Document:
    """Turn a study into a document."""
    design, counts = summary.design, summary.counts
    scored, total = counts.get(str(Status.SCORED), 0), sum(counts.values())
    left_out = {status: n for status, n in counts.items() if status != str(Status.SCORED)}
    counting = rows_that_count(scored, total, left_out, "answer")
    return Document(
        kind="study report",
        name="Study",
        title=Quoted(design.name),
        source=(Quoted(design.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(panel_line(summary), counting),
        reading=(panel_line(summary), f"{counting}.", SIMULATION),
        facts=(
            ("Personas", Count(len(design.panel))),
            *weighted_fact(summary),
            ("Answers", Count(total)),
            ("Rated", Count(scored)),
            ("Refused", Count(counts.get(str(Status.REFUSED), 0))),
            ("Calls of this run", Count(summary.facts.calls)),
        ),
        cautions=tuple(study_cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=(interval_line(summary),),
        settings=settings(
            design.source,
            summary.created,
            (
                ("Panel", Quoted(design.panel.source)),
                ("Weights", weights_line(summary)),
                ("Persona", Quoted(design.template.text)),
                ("Groups", groups_line(summary)),
                ("Orders", rotation_line(summary)),
                ("Intervals", interval_line(summary)),
            ),
            summary.signature,
        ),
        citations=_CITATIONS,
    )


def _sections(summary: "StudySummary") -> Iterator[Section]:
    for place, question in enumerate(summary.design.questionnaire.questions, start=1):
        yield Section(f"question-{place}", Quoted(question.text), tuple(_question(summary, question)))
    if summary.pairs:
        said = (
            "The same personas, concepts and samples by two methods; the difference is the first less the "
            "second."
        )
        yield Section("methods", "Methods beside each other", (pairs_table(summary), Paragraph(said, "note")))
    if summary.model_pairs:
        yield Section(
            "models", "Models beside each other", (model_pairs_table(summary), Paragraph(MODELS, "note"))
        )
    reliabilities = reliabilities_table(summary)
    if reliabilities is not None:
        yield Section("reruns", "The same panel asked again", (reliabilities, Paragraph(RERUNS, "note")))
    if summary.spreads:
        yield Section("spread", "What moves the answers", tuple(spread_blocks(summary)))
    yield Section("orders", "Order effects", tuple(_orders(summary)))
    yield Section("answers", "What has a rating, and what has none", tuple(_answers(summary)))
    yield Section("cost", "What it took", (costs_table(summary),))
    limits = tuple(Paragraph(said) for said in (NO_PEOPLE, *LIMITS))
    yield Section("limits", "What this study cannot say", limits)
    used = dict.fromkeys(measure.method for measure in summary.measures)
    meanings: list[tuple[Line, Cell]] = [
        (capitalised(METHOD_NAMES[name]), Words(METHOD_MEANINGS[name])) for name in used
    ]
    yield Section("reading", "How answers were measured", (Definitions(tuple(meanings)),))


def _question(summary: "StudySummary", question: "SurveyQuestion") -> Iterator[Block]:
    yield methods_table(summary, question)
    yield from _differences(summary, question, CONCEPT)
    figure: Figure | None = distribution_figure(summary, question)
    if figure is not None:
        yield figure
    quotes = quotes_table(summary, question)
    if quotes is not None:
        yield quotes
        yield Paragraph(READ_ANSWERS, "note")
    for attribute in summary.design.plan.groups:
        yield Subheading(("By ", Quoted(attribute), ", all concepts together"))
        for measure in measures_of(summary, question):
            yield groups_table(measure, attribute)
        yield from _differences(summary, question, attribute)


def _differences(summary: "StudySummary", question: "SurveyQuestion", by: str) -> Iterator[Block]:
    table = differences_table(summary, question, by)
    if table is not None:
        yield table
        yield Paragraph(differences_note(by), "note")
    elif has_too_many(summary, by):
        yield Paragraph(f"More than {MOST_LEVELS} of them are not compared two by two.", "note")


def _orders(summary: "StudySummary") -> Iterator[Block]:
    if summary.orders:
        yield orders_table(summary)
        yield Paragraph(
            "Answers to what stood first less answers to the same concepts later. An interval without 0 "
            "says that the order moved the answers; rotation evens this out over the panel.",
            "note",
        )
    elif summary.design.questionnaire.exposure == "separate":
        yield Paragraph(f"None are possible: {rotation_line(summary)}.")
    else:
        yield Paragraph("None can be estimated: every answer stood at the same place.")


def _answers(summary: "StudySummary") -> Iterator[Block]:
    yield statuses_table(summary, None)
    for attribute in summary.design.plan.groups:
        yield Subheading(("By ", Quoted(attribute)))
        yield statuses_table(summary, attribute)
    reasons = unrated_table(summary)
    if reasons is not None:
        yield Subheading("Why answers have no rating")
        yield reasons
    yield Paragraph(
        "Answers without a rating are left out of every figure. They are never treated as 0.", "note"
    )
