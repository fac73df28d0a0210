"""Findings of guards in documents: what each guard looks for, a table of counts, and the legend of marks."""

from collections.abc import Mapping

from semscale.report.document.blocks import DataTable
from semscale.report.document.values import Count, Words

GUARD_MEANINGS = {
    "negation": "one text denies what the other states",
    "number": "a number or a unit differs",
    "opposite": "a word has become its opposite, or the other side",
    "name": "a named thing is missing or invented",
    "roles": "who and whom are exchanged",
    "quantity": "another share: all, most, some, few, none",
    "certainty": "one text is sure of what the other only suspects",
    "exclusivity": "only this, this too, or all but this",
    "order": "the events come in another order",
    "condition": "another condition, or a condition in one text alone",
}
"""What it means that a guard found something in a pair of texts."""

SAMPLE_GUARD_MEANINGS = GUARD_MEANINGS | {
    "name": "one named thing stands where the answer has another",
    "answer": "a short answer gives something else, or yes has become no",
    "entailment": "a model of entailment finds a contradiction more likely than not",
}
"""What it means that a guard found a contradiction between an answer and one of its samples."""


def guard_table(found: Mapping[str, int], meanings: Mapping[str, str], *, noun: str, title: str) -> DataTable:
    """Lay out in how many items each guard found something, and what that means."""
    rows = tuple((Words(guard), Count(n), Words(meanings.get(guard, ""))) for guard, n in found.items())
    return DataTable(("guard", f"{noun}s", ""), rows, title=title, detail="brief")


def guard_legend(found: Mapping[str, int], meanings: Mapping[str, str]) -> tuple[tuple[str, str, int], ...]:
    """Explain the marks of guards, each with the number of items in which it found something."""
    return tuple((guard, meanings.get(guard, ""), n) for guard, n in found.items())
