"""Document of a proposed codebook."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.report import parts
from semscale.report.document import (
    Citation,
    Count,
    DataTable,
    Document,
    Flag,
    Paragraph,
    Quoted,
    Share,
    notices,
)
from semscale.report.formatting import count, count_of, one_line
from semscale.report.parts import Columns, section, table_of, without_none
from semscale.report.sentences import rows_scored
from semscale.spelling import hint
from semscale.stats.clustering import STABLE
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.coding.suggesting import SuggestedCode, SuggestionSummary

_NAME = 60

_STABILITY = Citation(
    "Hennig, C. (2007).",
    "Cluster-wise assessment of cluster stability",
    "Computational Statistics & Data Analysis 52, 258–271",
    "stability",
)
_JACCARD = (
    "A code is a topic of sentences and clauses; an answer may have several codes. Would get: answers "
    "that are coded so with the proposed codebook. Jaccard: mean similarity of the topic’s sentences and "
    "clauses with those of the most similar topic of random halves, rounded down; from "
    f"{STABLE:g} on it is stable."
)


def suggestion_document(summary: "SuggestionSummary") -> Document:
    """Turn a proposed codebook into a document."""
    left_out = {str(status): n for status, n in summary.counts.items() if status is not Status.SCORED}
    left_out["not in the sample"] = summary.counts.get(Status.SCORED, 0) - summary.n_sampled
    counting = rows_scored(summary.n_sampled, summary.n, left_out, verb="included")
    stable = f"{summary.n_stable} of {count_of(len(summary.codes), 'code')} are stable"
    without = f"{count(summary.n_without)} of the included rows have none of these topics"
    if summary.n_not_coded is not None:
        without = f"{count(summary.n_not_coded)} of the included rows would get no code"
    columns: Columns[SuggestedCode] = (
        ("code", lambda code: Quoted(code.name, _NAME)),
        ("answers", lambda code: code.n),
        ("share", lambda code: Share(code.share, 0)),
        ("would get", lambda code: "–" if code.n_coded is None else Count(code.n_coded)),
        ("Jaccard", lambda code: code.shown_jaccard),
        ("", lambda code: Flag("stable", "pass") if code.is_stable else Flag("not stable", "warn")),
        ("typical words", lambda code: Quoted(", ".join(code.words), 80)),
        ("definition", lambda code: Quoted(code.definition)) if summary.asked else None,
        ("such as", lambda code: Quoted(" | ".join(code.examples[:3]), 300)),
    )
    return Document(
        kind="proposed codebook",
        name="Code suggest",
        title=("Codes for the answers in “", Quoted(summary.column), "”"),
        source=parts.input_and_date(summary),
        introduction=(parts.sentence(counting), parts.sentence(stable), parts.sentence(without)),
        next_step=(
            f"Read and correct {one_line(summary.codebook)}, then code the answers with it"
            + hint(" (semscale code)")
            + "."
        ),
        notices=notices(cautions=_suggestion_cautions(summary)),
        facts=parts.facts(
            ("Codes", len(summary.codes)),
            ("Stable", summary.n_stable),
            ("Different answers", summary.n_distinct),
            ("In the sample", summary.n_clustered) if summary.is_sampled else None,
            ("Sentences and clauses", summary.n_units),
        ),
        sections=without_none(
            section(
                "codes",
                "The proposed codes",
                _nets_table(summary),
                table_of(summary.codes, columns, noun="code", brief=6, brief_title="Proposed codes"),
                Paragraph(_JACCARD, "note", detail="both"),
            )
        ),
        settings=parts.run_settings(
            summary, ("Answers", parts.in_column(summary.column)), ("Codebook", Quoted(summary.codebook))
        ),
        citations=(_STABILITY,),
        signature=summary.signature,
    )


def _nets_table(summary: "SuggestionSummary") -> DataTable:
    """List the nets with their codes."""
    columns: Columns[tuple[str, list[str]]] = (
        ("net", lambda net: Quoted(net[0], _NAME)),
        ("codes", lambda net: Quoted(", ".join(net[1]), 120)),
    )
    return table_of(summary.named_nets.items(), columns, noun="net", title="Nets of similar codes")


def _suggestion_cautions(summary: "SuggestionSummary") -> Iterator[str]:
    codes = count_of(len(summary.codes), "code")
    if summary.n_unread:
        verb = "is" if summary.n_unread == 1 else "are"
        yield (
            f"{count_of(summary.n_unread, 'answer')} {verb} in a language that the model does not read, so "
            "topics may divide by language." + hint(" Suggest codes with e5-small (`embedder`).")
        )
    if summary.is_sampled:
        yield (
            f"The codes come from a random sample of {count(summary.n_clustered)} of "
            f"{count(summary.n_distinct)} different answers: numbers and shares are of the rows with one of "
            "these." + hint(" A larger `sample` takes more of them.")
        )
    unstable = len(summary.codes) - summary.n_stable
    if unstable:
        yield (
            f"{count(unstable)} of {codes} may be chance: their topics do not come back when half of the "
            "sentences and clauses are left out."
        )
    if summary.n_unnamed:
        yield (
            f"{count_of(summary.n_unnamed, 'code')} without a usable name from {one_line(summary.asked)}: "
            "typical words name them."
        )
    if summary.has_pieces:
        yield (
            "Typical words may be cut wrongly, as the answers have no spaces between words: give the codes "
            "names of your own, or let a chat model name them."
        )
    if summary.problem is not None:
        yield f"The codebook cannot be used as it is: {one_line(summary.problem)}."
