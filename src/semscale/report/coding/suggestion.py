"""The document of a proposed codebook."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report.document import (
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Flag,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    stamp,
)
from semscale.report.formatting import count, counted, one_line
from semscale.report.parts import Columns, settings, table_of
from semscale.report.sentences import rows_that_count
from semscale.stats.clustering.cluster_stability import RESAMPLES, STABLE
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.coding.suggesting.suggestion import SuggestedCode, SuggestionSummary

_HENNIG = Citation(
    "Hennig, C. (2007).",
    "Cluster-wise assessment of cluster stability",
    "Computational Statistics & Data Analysis 52, 258–271",
    "stability",
)
_NOTE = (
    f"Jaccard: mean similarity of the cluster with the most similar one in {RESAMPLES} halves of the "
    f"answers, rounded down; from {STABLE:g} on it is stable."
)


def suggestion_document(summary: "SuggestionSummary") -> Document:
    """Turn a proposed codebook into a document."""
    counting = sum(code.n for code in summary.codes)
    left_out = {str(status): n for status, n in summary.counts.items() if status is not Status.SCORED}
    left_out["not in the sample"] = summary.counts.get(Status.SCORED, 0) - counting
    said = rows_that_count(counting, summary.n, left_out)
    stable = f"{summary.n_stable} of {counted(len(summary.codes), 'code')} are stable"
    return Document(
        kind="proposed codebook",
        name="Code suggest",
        title=("Codes for the answers in “", Quoted(summary.column), "”"),
        source=(Quoted(summary.source), stamp(summary.created)),
        signature=summary.signature,
        counting=(said, stable),
        reading=(f"{said}.", f"{stable}."),
        next_step=f"Read and correct {one_line(summary.codebook)}, then run semscale code with it.",
        facts=tuple(_facts(summary)),
        cautions=tuple(_cautions(summary)),
        sections=(
            Section(
                "codes", "The proposed codes", (_table(summary), Paragraph(_NOTE, "note", detail="both"))
            ),
        ),
        settings=settings(
            summary.source,
            summary.created,
            (("Answers", ("column “", Quoted(summary.column), "”")), ("Codebook", Quoted(summary.codebook))),
            summary.signature,
        ),
        citations=(_HENNIG,),
    )


def _facts(summary: "SuggestionSummary") -> Iterator[tuple[str, Cell]]:
    yield "Codes", Count(len(summary.codes))
    yield "Stable", Count(summary.n_stable)
    yield "Different answers", Count(summary.n_distinct)
    if summary.is_sampled:
        yield "Clustered", Count(summary.n_clustered)


def _table(summary: "SuggestionSummary") -> DataTable:
    columns: Columns[SuggestedCode] = (
        ("code", lambda code: Quoted(code.name, 60)),
        ("answers", lambda code: Count(code.n)),
        ("share", lambda code: Share(code.share, 0)),
        ("Jaccard", lambda code: Number(code.shown_jaccard)),
        ("", lambda code: Flag("stable", "pass") if code.is_stable else Flag("not stable", "warn")),
        ("typical words", lambda code: Quoted(", ".join(code.words), 80)),
        ("definition", lambda code: Quoted(code.definition)),
        ("such as", lambda code: Quoted(" | ".join(code.examples[:3]), 300)),
    )
    return table_of(summary.codes, columns, noun="code", brief=6, brief_title="Proposed codes")


def _cautions(summary: "SuggestionSummary") -> Iterator[str]:
    if summary.is_sampled:
        yield (
            f"Codes were found in a random sample of {count(summary.n_clustered)} of "
            f"{count(summary.n_distinct)} different answers: numbers and shares are of the rows with one of "
            "these. A greater --sample takes more of them."
        )
    unstable = len(summary.codes) - summary.n_stable
    if unstable:
        yield (
            f"{count(unstable)} of {counted(len(summary.codes), 'code')} may be chance: their clusters do "
            "not come back when half of the answers are left out."
        )
    if summary.is_most:
        yield (
            f"{counted(len(summary.codes), 'code')} are the most that were tried, and came back best: one "
            "theme may be spread over several codes, or more would come back as well. Read the examples, "
            "join codes that mean the same, and see what a higher --most gives."
        )
    if summary.n_unnamed:
        yield (
            f"{counted(summary.n_unnamed, 'code')} without a usable name from {one_line(summary.asked)}: "
            "words name them."
        )
    if summary.has_pieces:
        yield (
            "Typical words may be cut wrongly, as the answers have no spaces between words: give the codes "
            "names of your own, or let a chat model name them."
        )
    if summary.problem is not None:
        yield f"The codebook does not serve as it is: {one_line(summary.problem)}."
    yield "An answer is in one cluster here; semscale code gives it every code that applies."
