"""The codebook of a table: its columns, what they are taken for, their values with labels and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from semscale.presentable import Presentable
from semscale.scales.library import scale_caution
from semscale.store.column_profile import ColumnKind, ColumnProfile, profiles_of
from semscale.store.table import Table

_EXAMPLES = 3
_LISTED = frozenset({"single choice", "multiple choice", "ordinal"})
_MEASURED = frozenset({"number", "ordinal", "weight"})


@dataclass(frozen=True)
class CodebookValue:
    """A value of a column.

    Attributes:
        value: as the file has it.
        label: its words; empty where there are none.
        n: cells with it.
    """

    value: str
    label: str
    n: int


@dataclass(frozen=True)
class CodebookColumn:
    """A column of a table.

    Attributes:
        name: as the file has it.
        label: its question or description; empty where there is none.
        question: the question that it answers with other columns; empty where it stands alone.
        option: what it stands for in that question.
        kind: what it is taken for.
        n: rows.
        missing: cells that are missing or blank.
        distinct: different values; ``None`` where they are too many to count.
        values: of choices and ordinals, in the order of their labels, then by frequency.
        missing_codes: codes that the file declares missing, with their words.
        low: least number, of numbers, ordinals and weights; ``None`` otherwise.
        high: greatest number, likewise.
        mean: of the numbers, likewise.
        examples: a few texts of an open text.
    """

    name: str
    label: str
    question: str
    option: str
    kind: ColumnKind
    n: int
    missing: int
    distinct: int | None
    values: tuple[CodebookValue, ...] = ()
    missing_codes: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class Codebook(Presentable):
    """The columns of a table.

    Attributes:
        source: name of the table, without folders.
        n: rows.
        columns: in the order of the table.
        input_notes: how the table was read, such as the rows that a condition left out.
        created: when.
    """

    source: str
    n: int
    columns: tuple[CodebookColumn, ...]
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"Codebook(source={self.source!r}, n={self.n:,}, columns={len(self.columns)})"

    @property
    def questions(self) -> dict[str, tuple[CodebookColumn, ...]]:
        """Questions of several columns, each with its columns."""
        asked = dict.fromkeys(column.question for column in self.columns if column.question)
        return {
            question: tuple(column for column in self.columns if column.question == question)
            for question in asked
        }

    @property
    def cautions(self) -> tuple[str, ...]:
        """Single choices whose answers are labels of a scale of the library, in sentences."""
        choices = (column for column in self.columns if column.kind == "single choice")
        return tuple(
            said
            for column in choices
            for said in scale_caution(column.name, [one.value for one in column.values if one.n])
        )

    def record(self) -> dict[str, Any]:
        """Lay the columns out by name, for JSON."""
        return {
            "instrument": "codebook",
            "source": self.source,
            "rows": self.n,
            "columns": [_recorded(column) for column in self.columns],
            "questions": {
                question: [column.name for column in columns] for question, columns in self.questions.items()
            },
            "created": self.created,
        }

    def to_frame(self) -> pl.DataFrame:
        """Lay the columns out as a table, with a row for each value, or one where no values are listed.

        Returns:
            The columns ``column``, ``label``, ``question``, ``option``, ``taken_for``, ``rows``, ``missing``,
            ``missing_codes``, ``distinct``, ``value``, ``value_label``, ``count``, ``low``, ``high``,
            ``mean``, ``examples``.
        """
        rows = [row for column in self.columns for row in _rows(column)]
        return pl.DataFrame(rows, schema=_SCHEMA, orient="row")


_SCHEMA = {
    **dict.fromkeys(("column", "label", "question", "option", "taken_for"), pl.String),
    **dict.fromkeys(("rows", "missing"), pl.Int64),
    "missing_codes": pl.String,
    "distinct": pl.Int64,
    **dict.fromkeys(("value", "value_label"), pl.String),
    "count": pl.Int64,
    **dict.fromkeys(("low", "high", "mean"), pl.Float64),
    "examples": pl.String,
}


def read_codebook(table: Table) -> Codebook:
    """Read a table once and say what each column holds.

    Raises:
        InputError: a row cannot be read.
    """
    profiles = profiles_of(table)
    columns = tuple(_column(profile) for profile in profiles)
    return Codebook(Path(table.name).name, max(one.n for one in columns), columns, table.notes)


def _column(profile: ColumnProfile) -> CodebookColumn:
    kind, labels = profile.kind, profile.labels
    is_measured = kind in _MEASURED and profile.numbers > 0
    return CodebookColumn(
        name=profile.name,
        label=labels.label,
        question=labels.question,
        option=labels.option,
        kind=kind,
        n=profile.n,
        missing=profile.missing,
        distinct=None if profile.is_cut else len(profile.values),
        values=_values(profile.values, labels.values) if kind in _LISTED else (),
        missing_codes=labels.missing,
        low=profile.low if is_measured else None,
        high=profile.high if is_measured else None,
        mean=profile.total / profile.numbers if is_measured else None,
        examples=_examples(profile.values) if kind == "open text" else (),
    )


def _values(counts: Mapping[str, int], labels: Mapping[str, str]) -> tuple[CodebookValue, ...]:
    """List labelled values in the order of the labels, those that nobody chose too; then the others."""
    labelled = [CodebookValue(value, label, counts.get(value, 0)) for value, label in labels.items()]
    others = [CodebookValue(value, "", n) for value, n in counts.items() if value not in labels]
    are_numbers = all(_as_number(one.value) is not None for one in others)
    others.sort(key=lambda one: (_as_number(one.value) or 0.0) if are_numbers else -one.n)
    return (*labelled, *others)


def _as_number(text: str) -> float | None:
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return None


def _examples(values: Mapping[str, int]) -> tuple[str, ...]:
    """Choose texts of middle length, spread over the file."""
    texts: Sequence[str] = list(values)
    by_length = sorted(texts, key=len)
    middle = by_length[len(texts) // 4 : max(len(texts) * 3 // 4, len(texts) // 4 + _EXAMPLES)]
    step = max(1, len(middle) // _EXAMPLES)
    return tuple(middle[::step][:_EXAMPLES])


def _recorded(column: CodebookColumn) -> dict[str, Any]:
    values = [{"value": one.value, "label": one.label, "count": one.n} for one in column.values]
    return {
        "name": column.name,
        "label": column.label,
        "question": column.question,
        "option": column.option,
        "taken_for": column.kind,
        "missing": column.missing,
        "missing_codes": list(column.missing_codes),
        "distinct": column.distinct,
        "values": values,
        "low": column.low,
        "high": column.high,
        "mean": column.mean,
        "examples": list(column.examples),
    }


def _rows(column: CodebookColumn) -> list[tuple[object, ...]]:
    start = (column.name, column.label, column.question, column.option, column.kind, column.n, column.missing)
    about = (*start, "; ".join(column.missing_codes), column.distinct)
    end = (column.low, column.high, column.mean, " | ".join(column.examples))
    values: list[tuple[object, ...]] = [(one.value, one.label, one.n) for one in column.values]
    return [(*about, *value, *end) for value in values or [(None, None, None)]]
