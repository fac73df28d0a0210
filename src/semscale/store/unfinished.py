"""Rows of survey tools that are no finished interviews: previews, tests, spam, and people who broke off."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from semscale.store.cells import storable
from semscale.store.columns import column_in, groups_in
from semscale.store.readers.limesurvey import is_limesurvey
from semscale.store.table import Table

_BATCH = 50_000


@dataclass(frozen=True)
class _Sign:
    """A tool's own column.

    Attributes:
        column: its name.
        words: what a row with a value is; the value ``""`` is an empty cell.
    """

    column: str
    words: Mapping[str, str]


_QUALTRICS = frozenset({"ResponseId", "RecordedDate", "StartDate"})
_QUALTRICS_SIGNS = (
    _Sign(
        "Status",
        {
            "Survey Preview": "of a preview", "1": "of a preview",
            "Survey Test": "of a test", "2": "of a test",
            "Spam": "marked as spam", "8": "marked as spam",
        },
    ),
    _Sign("Finished", {"False": "not finished", "FALSE": "not finished", "0": "not finished"}),
)  # fmt: skip
_LIMESURVEY_SIGNS = (_Sign("submitdate", {"": "not finished"}), _Sign("Date submitted", {"": "not finished"}))


def with_unfinished_counted(table: Table) -> Table:
    """Note how many rows of an export of Qualtrics or LimeSurvey are no finished interviews.

    They stay in the table: whether they count is the user's to say. Other tables stay as they are.
    """
    columns = frozenset(table.columns)
    signs: tuple[_Sign, ...] = ()
    if columns & _QUALTRICS:
        signs = _QUALTRICS_SIGNS
    elif is_limesurvey(table.columns):
        signs = _LIMESURVEY_SIGNS
    notes = [note for sign in signs if sign.column in columns for note in _notes(table, sign)]
    return replace(table, notes=(*table.notes, *notes)) if notes else table


def _notes(table: Table, sign: _Sign) -> list[str]:
    counts: Counter[str] = Counter()
    for batch in table.batches_with([sign.column], _BATCH):
        cells = groups_in(storable(column_in(batch, sign.column).to_frame()).to_series())
        counts.update(cells.fill_null("").str.strip_chars().to_list())
    found = [value for value in sign.words if counts[value]]
    return [
        f"{_rows(counts[value])} {sign.words[value]} and counted like all others; "
        f"--where {_condition(sign.column, value)} leaves such rows out"
        for value in found
    ]


def _rows(n: int) -> str:
    return "1 row is" if n == 1 else f"{n:,} rows are"


def _condition(column: str, value: str) -> str:
    """Write what keeps the other rows, quoted for a shell."""
    if value:
        return f"\"{column} != '{value}'\""
    return f'"{column} is not missing"' if column.isidentifier() else f"'\"{column}\" is not missing'"
