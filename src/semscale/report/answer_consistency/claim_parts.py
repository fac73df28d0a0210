"""Parts of documents about judged claims: counts of verdicts, in words and as a table."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from semscale.answer_consistency.claims import Support
from semscale.report.document import Cell, Count, DataTable, Share, Words
from semscale.report.formatting import counted
from semscale.report.parts import Columns, table_of

if TYPE_CHECKING:
    from semscale.answer_consistency.claim_summary import ClaimSummary

VERDICT_WORDS = {verdict: str(verdict).replace("-", " ") for verdict in Support}


def claim_words(summary: "ClaimSummary") -> str:
    """Say how many claims there are, and how many have each verdict."""
    named = (f"{n:,} {VERDICT_WORDS[verdict]}" for verdict, n in summary.claims.items() if n)
    return f"{counted(summary.n_claims, 'claim')}: {', '.join(named)}" if summary.n_claims else "no claim"


def claim_facts(summary: "ClaimSummary") -> Iterator[tuple[str, Cell]]:
    """Give the numbers at the head of a report."""
    yield "Claims", Count(summary.n_claims)
    yield "Contradicted", Count(summary.claims[Support.CONTRADICTED])
    yield "Not found", Count(summary.claims[Support.NOT_FOUND])


def claim_cautions(summary: "ClaimSummary") -> Iterator[str]:
    """Say in how many answers guards did not look, and how many claims do not count, if there are any."""
    if summary.n_unguarded:
        yield (
            "Guards read English alone: no contradiction can be found in "
            f"{counted(summary.n_unguarded, 'answer')} in other languages. A model of entailment that reads "
            "them can (--nli)."
        )
    if unread := summary.claims[Support.UNREAD]:
        yield f"{counted(unread, 'claim')} could not be read by the model, and do not count."


def verdict_table(summary: "ClaimSummary", meanings: Mapping[Support, str]) -> DataTable:
    """Lay out how many claims have each verdict.

    Args:
        summary: with a claim or more.
        meanings: what each verdict says.
    """
    columns: Columns[tuple[Support, int]] = (
        ("verdict", lambda one: Words(VERDICT_WORDS[one[0]])),
        ("claims", lambda one: Count(one[1])),
        ("share", lambda one: Share(one[1] / summary.n_claims)),
        ("meaning", lambda one: Words(meanings[one[0]])),
    )
    found = [one for one in summary.claims.items() if one[1] or one[0] is not Support.UNREAD]
    return table_of(found, columns, title="Claims", explained=True)
