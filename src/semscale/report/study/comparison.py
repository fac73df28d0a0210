"""The document of a panel beside people: three axes, nulls and ceilings, and what can be concluded."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Block,
    Citation,
    Count,
    DataTable,
    Definitions,
    Document,
    Paragraph,
    Quoted,
    Section,
    Subheading,
    Words,
    stamp,
)
from semscale.report.formatting import counted, coverage, number
from semscale.report.parts import settings
from semscale.report.study.comparison_figures import (
    attainment_table,
    axes_figures,
    conclusions_table,
    correlations_table,
    distances_table,
    distribution_figure,
    groups_table,
    individuals_table,
    means_table,
    reliabilities_table,
    worth_table,
)
from semscale.report.study.comparison_words import READINGS, comparison_cautions, conclusion_line
from semscale.report.study.words import method_words
from semscale.stats.agreement.attainment import FEWEST_FOR_AN_INTERVAL

if TYPE_CHECKING:
    from semscale.study.comparison import MethodComparison, StudyComparison

_CITATIONS = (
    Citation(
        "Maier, B. F., et al. (2025).",
        "LLMs reproduce human purchase intent via semantic similarity elicitation of Likert ratings",
        "arXiv 2510.08338",
        "correlation attainment, KS similarity and the halves of people",
        "https://arxiv.org/abs/2510.08338",
    ),
    Citation(
        "arXiv 2606.28963 (2026).",
        "Simulated panels judged by structure, marginals and individuals",
        "arXiv 2606.28963",
        "the three axes",
        "https://arxiv.org/abs/2606.28963",
    ),
)


def study_comparison_document(summary: "StudyComparison") -> Document:
    """Turn a comparison of a panel with people into a document."""
    lines = tuple(conclusion_line(method) for method in summary.methods)
    counting = (
        f"{counted(max(method.n_personas for method in summary.methods), 'persona')} beside "
        f"{counted(summary.n_people, 'person', 'people')}; {counted(len(summary.questions), 'question')}, "
        f"{counted(len(summary.concepts), 'concept')}"
    )
    shown = coverage(summary.plan.interval)
    return Document(
        kind="panel beside people",
        name="Study compare",
        title=Quoted(summary.name),
        source=(Quoted(summary.source), Quoted(summary.people_source), stamp(summary.created)),
        signature=summary.signature,
        counting=(*lines, counting),
        reading=(*(f"{line}." for line in lines), f"{counting}. Intervals cover {shown}."),
        facts=(
            ("Personas", Count(max(method.n_personas for method in summary.methods))),
            ("People", Count(summary.n_people)),
            ("Questions", Count(len(summary.questions))),
            ("Concepts", Count(len(summary.concepts))),
        ),
        cautions=tuple(comparison_cautions(summary)),
        sections=tuple(_sections(summary)),
        notes=("intervals of the panel are simulation intervals: other personas, the same model",),
        settings=settings(
            summary.source,
            summary.created,
            (
                ("People", Quoted(summary.people_source)),
                ("Weights of people", Quoted(summary.columns.weight) if summary.columns.weight else "none"),
                ("Human range", _range(summary)),
                ("Random halves", f"{summary.splits:,} for each question about a concept"),
            ),
            summary.signature,
        ),
        citations=_CITATIONS,
    )


def _sections(summary: "StudyComparison") -> Iterator[Section]:
    tables = tuple(conclusions_table(method) for method in summary.methods)
    yield Section("conclusions", "What can be concluded", (*axes_figures(summary), *tables))
    yield Section("marginals", "Marginals: distributions", tuple(_marginals(summary)))
    yield Section(
        "ranking", "Marginals: order of concepts", (attainment_table(summary), *_without_intervals(summary))
    )
    for place, question in enumerate(summary.questions, start=1):
        drawn = distribution_figure(summary, question, place)
        blocks: tuple[Block, ...] = (means_table(summary, question), *([drawn] if drawn else ()))
        yield Section(f"question-{place}", Quoted(question.text), blocks)
    yield Section("structure", "Structure", tuple(_structure(summary)))
    yield Section("individuals", "Individuals", tuple(_individuals(summary)))
    worth = tuple(worth_table(method) for method in summary.methods)
    said = Paragraph(
        "The size of a simple random sample of people whose expected error is the panel's. Its interval "
        "comes from that of the panel's error; people beyond those that were asked cannot be seen.",
        "note",
    )
    yield Section("worth", "How many people the panel is worth", (*worth, said))
    yield Section(
        "reading", "How to read it", (Definitions(tuple((name, Words(text)) for name, text in READINGS)),)
    )


def _marginals(summary: "StudyComparison") -> Iterator[Block]:
    for method in summary.methods:
        yield distances_table(method)
    benchmarks = summary.methods[0].marginals.benchmarks
    made = (
        f"Means over {counted(benchmarks.n_surveys, 'question')} about concepts; intervals are about "
        "these, with other personas and other people."
    )
    yield Paragraph(
        f"Lower is closer; 0 is the same, 1 the opposite end. {made} Halves have half of the people "
        "each, so that a good panel may be closer to people than their halves are to each other.",
        "note",
    )


def _without_intervals(summary: "StudyComparison") -> Iterator[Block]:
    """Say why few concepts have no interval of a correlation."""
    if len(summary.concepts) < FEWEST_FOR_AN_INTERVAL:
        yield Paragraph(
            f"Below {FEWEST_FOR_AN_INTERVAL} concepts a correlation has no interval, as a single concept "
            "would decide how wide it is; p says whether the order may be chance.",
            "note",
        )


def _structure(summary: "StudyComparison") -> Iterator[Block]:
    yield from _each(summary, correlations_table, "Correlations of questions, within concepts")
    for method in summary.methods:
        found = method.correlations
        if found is not None:
            yield Paragraph(
                f"{method_words(method.method, method.model)}: correlations differ from people's by "
                f"{number(found.gap.value, 2)} on average; halves of people by "
                f"{number(found.split_half, 2)}, shuffled personas by {number(found.permuted, 2)}.",
                "note",
            )
    yield from _each(summary, groups_table, "Differences between groups")
    if all(method.correlations is None and method.groups is None for method in summary.methods):
        yield Paragraph(
            "Nothing can be said: it takes two questions, or groups of both personas and people (--by)."
        )
    if (again := reliabilities_table(summary)) is not None:
        yield again


def _individuals(summary: "StudyComparison") -> Iterator[Block]:
    yield from _each(summary, individuals_table, "Personas beside the people of the same name")
    if all(not method.individuals for method in summary.methods):
        yield Paragraph(
            "Nothing can be said about individuals: no personas bear the names of people who were asked "
            "(--respondent names the column)."
        )


def _each(
    summary: "StudyComparison", table: "Callable[[MethodComparison], DataTable | None]", title: str
) -> Iterator[Block]:
    found = [each for method in summary.methods if (each := table(method)) is not None]
    if found:
        yield Subheading(title)
        yield from found


def _range(summary: "StudyComparison") -> str:
    if summary.human_range is None:
        return "that of the scale"
    low, high = summary.human_range
    return f"{low:g} to {high:g}"
