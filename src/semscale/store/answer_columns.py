"""Columns of questions, answers and references, by the names that such columns usually have."""

from collections.abc import Collection, Sequence

KNOWN_NAMES: dict[str, tuple[str, ...]] = {
    "question": ("question", "prompt", "input", "query", "instruction"),
    "answer": ("answer", "output", "prediction", "response", "completion", "reply"),
    "reference": ("reference", "references", "expected", "target", "ideal", "gold", "truth", "passage"),
    "human": ("human", "human_label", "label", "labels", "people"),
    "id": ("id", "item", "test", "sample_id", "key"),
}
"""Usual names of the columns of each use, the most usual first."""

_WHOLE_NAMES = ("human", "id")


def likely_column(use: str, columns: Sequence[str], taken: Collection[str] = ()) -> str:
    """Return the column that is probably meant for a use; empty if there is none.

    Args:
        use: one of ``KNOWN_NAMES``.
        columns: names of a table's columns.
        taken: columns that have another use.

    Examples:
        >>> likely_column("answer", ["id", "input", "output"]), likely_column("reference", ["var_expected"])
        ('output', 'var_expected')
    """
    free = [name for name in columns if name not in taken]
    words = KNOWN_NAMES[use]
    exact = (name for word in words for name in free if name.casefold() == word)
    ends = (name for word in words for name in free if name.casefold().endswith(f"_{word}"))
    return next(exact, "") or ("" if use in _WHOLE_NAMES else next(ends, ""))
