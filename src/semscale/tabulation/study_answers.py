"""Refuses the answers of a synthetic panel where a table of respondents is wanted."""

from collections.abc import Sequence
from pathlib import Path

from semscale.errors import InputError

_COLUMNS = {"persona", "concept", "question", "method", "pmf"}


def refuse_answers(columns: Sequence[str], source: str) -> None:
    """Refuse a study's table of answers as a table of respondents: it pools methods, and has no weights.

    Args:
        columns: of the table.
        source: its name.

    Raises:
        InputError: it has the columns of a study's answers.
    """
    if {*columns} >= _COLUMNS:
        folder = Path(source).parent
        raise InputError(
            f"{source} has a study's answers, a row for each persona, concept, question and method, so that "
            f"methods would be pooled and weights left out: name the folder of the run ({folder}) instead"
        )
