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
_VARIABLES_FIRST = ("question", "id")
"""Uses of variables of promptfoo's prompts, whose columns begin with ``var_``, before other columns.

The prompt has words of the application around the question, and tests are numbered in each run anew.
"""


def likely_column(use: str, columns: Sequence[str], taken: Collection[str] = ()) -> str:
    """Return the column that is probably meant for a use; empty if there is none.

    Args:
        use: one of ``KNOWN_NAMES``.
        columns: names of a table's columns.
        taken: columns that have another use.

    Examples:
        >>> likely_column("answer", ["id", "input", "output"]), likely_column("reference", ["var_expected"])
        ('output', 'var_expected')
        >>> likely_column("question", ["test", "prompt", "output", "var_question"])
        'var_question'
    """
    free = [name for name in columns if name not in taken]
    words = KNOWN_NAMES[use]
    beginnings = ("var_", "") if use in _VARIABLES_FIRST else ("",)
    exact = (
        name
        for beginning in beginnings
        for word in words
        for name in free
        if name.casefold() == beginning + word
    )
    ends = (name for word in words for name in free if name.casefold().endswith(f"_{word}"))
    return next(exact, "") or ("" if use in _WHOLE_NAMES else next(ends, ""))
