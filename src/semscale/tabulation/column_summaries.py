"""Description of the columns of a table: inferred types, and values with labels and counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import polars as pl

from semscale.presentable import Presentable
from semscale.scales.library import scale_caution
from semscale.spelling import notes_from
from semscale.store.column_profile import ColumnKind, ColumnProfile, profiles_of
from semscale.store.exports.unfinished import unfinished_notes
from semscale.store.table import Table
from semscale.survey.description import Survey
from semscale.survey.inference import describe_survey
from semscale.survey.number_codes import parse_number
from semscale.survey.respondents import leave_out_rows
from semscale.survey.updating import update_survey

_EXAMPLES = 3
_LISTED = frozenset({"single choice", "multiple choice", "ordinal"})
_MEASURED = frozenset({"number", "ordinal", "weight"})


@dataclass(frozen=True)
class ValueCount:
    """A value of a column.

    Attributes:
        value: value as in the file.
        label: its label; empty without one.
        n: number of cells with the value.
    """

    value: str
    label: str
    n: int


@dataclass(frozen=True)
class ColumnSummary:
    """A column of a table.

    Attributes:
        name: name as in the file.
        label: the column's question or description; empty without one.
        question: question that the column answers together with others; empty for a single column.
        option: the column's option of that question.
        kind: inferred type.
        n: rows.
        missing: cells that are missing or blank.
        distinct: number of different values; ``None`` if there are too many to count.
        values: values of choices and ordinals, in the order of their labels, then by frequency.
        missing_codes: codes that the file declares missing, with their labels.
        low: least number, for numbers, ordinals and weights; ``None`` otherwise.
        high: greatest number, likewise.
        mean: mean of the numbers, likewise.
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
    values: tuple[ValueCount, ...] = ()
    missing_codes: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    mean: float | None = None
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, repr=False)
class ColumnsSummary(Presentable):
    """The columns of a table, and the questions that they answer.

    Attributes:
        source: name of the table, without folders.
        n: rows.
        columns: in the order of the table.
        survey: description of the questions, inferred where no description has them.
        remedies: what to add to entries that name columns which the table lacks, by the question's name.
        input_notes: notes on how the table was read, such as the rows that a condition left out.
        created: time of creation.
    """

    source: str
    n: int
    columns: tuple[ColumnSummary, ...]
    survey: Survey
    remedies: Mapping[str, str] = field(default_factory=dict)
    input_notes: tuple[str, ...] = ()
    created: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __repr__(self) -> str:
        return f"ColumnsSummary(source={self.source!r}, n={self.n:,}, columns={len(self.columns)})"

    @property
    def questions(self) -> dict[str, tuple[ColumnSummary, ...]]:
        """Questions with more than one column, and their columns."""
        names = dict.fromkeys(column.question for column in self.columns if column.question)
        return {name: tuple(column for column in self.columns if column.question == name) for name in names}

    @property
    def decisions(self) -> dict[str, str]:
        """Questions that the user should look at first, with the reasons.

        These are entries that name columns which the table lacks, unsure inferences, and unknown marks.
        """
        decisions = dict(self.remedies)
        for question in self.survey.questions:
            if question.needs_decision:
                decisions.setdefault(question.name, question.reason)
        return decisions

    @property
    def cautions(self) -> tuple[str, ...]:
        """Sentences on questions without an order whose answers are labels of a built-in scale."""
        columns = {column.name: column for column in self.columns}
        described = (
            (question, columns.get(question.all_columns[0])) for question in self.survey.of_kind("single")
        )
        return notes_from(
            sentence
            for question, column in described
            if column is not None
            for sentence in scale_caution(question.name, [value.value for value in column.values if value.n])
        )

    def record(self) -> dict[str, Any]:
        """Return the columns by name, for JSON."""
        columns = []
        for column in self.columns:
            fields = vars(column) | {"taken_for": column.kind}
            fields["values"] = [
                {"value": value.value, "label": value.label, "count": value.n} for value in column.values
            ]
            columns.append({name: value for name, value in fields.items() if name not in {"kind", "n"}})
        return {
            "instrument": "columns",
            "source": self.source,
            "rows": self.n,
            "columns": columns,
            "questions": {
                name: [column.name for column in columns] for name, columns in self.questions.items()
            },
            "survey": self.survey.model_dump(mode="json", by_alias=True, exclude_defaults=True),
            "decisions": [{"question": name, "reason": reason} for name, reason in self.decisions.items()],
            "created": self.created,
        }

    def to_frame(self) -> pl.DataFrame:
        """Return the columns as a table, with one row per value, or one row where no values are listed.

        Returns:
            The columns ``column``, ``label``, ``question``, ``option``, ``taken_for``, ``rows``, ``missing``,
            ``missing_codes``, ``distinct``, ``value``, ``value_label``, ``count``, ``low``, ``high``,
            ``mean``, ``examples``.
        """
        rows: list[tuple[object, ...]] = []
        for column in self.columns:
            start = (column.name, column.label, column.question, column.option, column.kind, column.n)
            middle = (column.missing, "; ".join(column.missing_codes), column.distinct)
            end = (column.low, column.high, column.mean, " | ".join(column.examples))
            values: list[tuple[object, ...]] = [
                (value.value, value.label, value.n) for value in column.values
            ]
            rows += [(*start, *middle, *value, *end) for value in values or [(None, None, None)]]
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


def summarize_columns(
    table: Table, survey: Survey | None = None, *, profiles: Sequence[ColumnProfile] | None = None
) -> ColumnsSummary:
    """Read a table once, and describe each column and question.

    Args:
        table: the table.
        survey: description whose entries stay; questions of other columns are inferred.
        profiles: counts of the table's columns, if it was read already.

    Raises:
        InputError: a row cannot be read.
    """
    profiles = profiles_of(table) if profiles is None else profiles
    described = describe_survey(table, profiles)
    notes, remedies = list(table.notes), dict[str, str]()
    if survey is not None:
        updated = update_survey(survey, described)
        described = updated.survey
        notes += updated.notes()
        remedies = updated.remedies(table.file_name)
    outdated = set(unfinished_notes(table))
    if outdated and (described.leave_out or described.where):
        notes = [note for note in notes if note not in outdated]
        notes += unfinished_notes(table, leave_out_rows(table, described))
    n = max(profile.n for profile in profiles)
    return ColumnsSummary(
        table.file_name, n, tuple(map(_column, profiles)), described, remedies, tuple(notes)
    )


def _column(profile: ColumnProfile) -> ColumnSummary:
    kind, labels = profile.kind, profile.labels
    is_measured = kind in _MEASURED and profile.numbers > 0
    return ColumnSummary(
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


def _values(counts: Mapping[str, int], labels: Mapping[str, str]) -> tuple[ValueCount, ...]:
    """Return labelled values in the order of the labels, including those without answers, then others."""
    labelled = [ValueCount(value, label, counts.get(value, 0)) for value, label in labels.items()]
    rest = {value: n for value, n in counts.items() if value not in labels}
    numbers = {value: parse_number(value.replace(",", ".")) for value in rest}
    ranks = {value: number for value, number in numbers.items() if number is not None}
    if len(ranks) < len(rest):
        ranks = {value: -n for value, n in rest.items()}
    return (*labelled, *(ValueCount(value, "", rest[value]) for value in sorted(rest, key=ranks.__getitem__)))


def _examples(values: Mapping[str, int]) -> tuple[str, ...]:
    """Choose texts of middle length, spread over the file."""
    n = len(values)
    by_length = sorted(values, key=len)
    middle = by_length[n // 4 : max(n * 3 // 4, n // 4 + _EXAMPLES)]
    step = max(1, len(middle) // _EXAMPLES)
    return tuple(middle[::step][:_EXAMPLES])
