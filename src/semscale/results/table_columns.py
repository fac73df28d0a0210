"""Columns of a table that an instrument reads: their roles, their checks, and their cells.

Commands import this module for their options, so polars and NumPy are imported when a table is read.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, TypeVar

from pydantic import PrivateAttr

from semscale.errors import InputError
from semscale.settings import Settings
from semscale.text_preparation import TextCounts, TextPreparation

if TYPE_CHECKING:
    import polars as pl

    from semscale.results.estimates import Grouping
    from semscale.store.table import ColumnLabels, Table
    from semscale.survey.description import Survey

C = TypeVar("C", bound="Columns")


_MOST_CODES = 10  # codes of a column that a note lists


@dataclass(frozen=True)
class Role:
    """Use of a column.

    Attributes:
        read: function from columns, the name of the parameter, and the position of the first row in the file
            (from 0) to the role's value for each of n rows. It raises ``InputError`` for an invalid cell.
        is_text: whether a table without any text in the column is refused.
        is_group: whether the values are names of groups, at most 100,000.
        is_checked: whether all cells are read before any work begins.
        is_measured: whether the values affect the result of a row; groups and labels do not.
        is_shared: whether the column may have another role, too.
        is_prepared: whether the values are texts whose reasoning and HTML are treated as the settings say.
        is_scored: whether cells are read as the scores that the survey's description has for them.
    """

    read: Callable[["Sequence[pl.Series]", str, int], Any]
    is_text: bool = False
    is_group: bool = False
    is_checked: bool = True
    is_measured: bool = True
    is_shared: bool = False
    is_prepared: bool = False
    is_scored: bool = False


def _cells(columns: "Sequence[pl.Series]", _parameter: str, _first_row: int) -> list[Any]:
    return columns[0].to_list()


def list_texts(columns: "Sequence[pl.Series]", parameter: str, first_row: int) -> list[list[Any]]:
    """Return for each row the cells of all columns in one list; a cell may contain a list of texts.

    Raises:
        RowError: a cell that begins like a list of strings but is not one.

    Examples:
        >>> import polars as pl
        >>> list_texts([pl.Series("one", ["Rome", '["Paris", "Paname"]'])], "reference", 0)
        [['Rome'], ['Paris', 'Paname']]
    """
    from semscale.store.columns import cell_values

    rows: list[list[Any]] = [[] for _ in range(len(columns[0]))]
    for column in columns:
        for row, cell in enumerate(column.to_list()):
            rows[row] += cell_values(
                cell, parameter=parameter, column=column.name, row=first_row + row, only_nulls=False
            )
    return rows


def _groups(columns: "Sequence[pl.Series]", parameter: str, _first_row: int) -> list[str | None]:
    from semscale.store.columns import as_names, groups_in, storable

    stored = storable(columns[0].to_frame()).to_series()
    return as_names(groups_in(stored), parameter)


def _groups_by_column(
    columns: "Sequence[pl.Series]", parameter: str, first_row: int
) -> dict[str, list[str | None]]:
    return {column.name: _groups([column], parameter, first_row) for column in columns}


TEXT = Role(_cells, is_text=True, is_prepared=True)
"""A text for each row; a table without any is refused."""

TEXTS = Role(list_texts, is_text=True, is_prepared=True)
"""One or more texts for each row, from one or more columns of texts or lists of texts."""

CELL = Role(_cells, is_checked=False)
"""A value of any type for each row."""


def _weights(columns: "Sequence[pl.Series]", _parameter: str, first_row: int) -> Any:
    from semscale.results.weights import weights_in
    from semscale.store.columns import floats_in, storable

    stored = storable(columns[0].to_frame()).to_series()
    return floats_in(weights_in(stored, first_row))


GROUP = Role(_groups, is_group=True, is_measured=False, is_shared=True)
"""The name of a group for each row."""

GROUPS = Role(_groups_by_column, is_group=True, is_measured=False, is_shared=True)
"""Names of groups from one or more columns, each compared separately: n names by the column's name."""

RESPONDENT = replace(GROUP, is_group=False)
"""The respondent of each row; there may be any number of respondents."""

WEIGHT = Role(_weights, is_measured=False, is_shared=True)
"""A weight for each row, 0 or more; NaN if missing."""


@dataclass(frozen=True)
class Cells:
    """Some rows of a table.

    Attributes:
        rows: the n rows with all columns, in types that can be written; of a part that was measured, with
            those of the result.
        first_row: position of the first row in the table, from 0.
        values: n values of each role that has a column.
        text_counts: numbers of texts with reasoning and HTML, by the role.
        left_out: number of cells with each code for no answer, by the column.
    """

    rows: "pl.DataFrame"
    first_row: int
    values: Mapping[str, Any]
    text_counts: Mapping[str, TextCounts] = field(default_factory=dict)
    left_out: Mapping[str, Counter[str]] = field(default_factory=dict)

    def __getitem__(self, role: str) -> Any:
        return self.values[role]

    def get(self, role: str) -> Any:
        """Return the values of a role; ``None`` if no column has the role."""
        return self.values.get(role)


class Columns(Settings):
    """Base of the columns that an instrument reads: each field names one or more, and has a ``Role``.

    Raises:
        InputError: a column with two roles that exclude each other, or named twice for one role.

    Examples:
        >>> from typing import Annotated
        >>> class AnswerColumns(Columns):
        ...     answer: Annotated[str, TEXT]
        ...     by: Annotated[str | None, GROUP] = None
        >>> AnswerColumns(answer="text", by="text").titles == {"text"}
        True
    """

    _preparation: TextPreparation = PrivateAttr(TextPreparation())
    _spellings: Mapping[str, Mapping[str, str]] = PrivateAttr({})
    _no_answer: Mapping[str, frozenset[str]] = PrivateAttr({})
    _labels: "Mapping[str, ColumnLabels]" = PrivateAttr({})
    _scores: Mapping[str, Mapping[str, float]] = PrivateAttr({})

    def with_values(self, **values: object) -> Self:
        """Return a copy with other columns, whose cells are read in the same way."""
        columns = super().with_values(**values)
        columns._preparation, columns._spellings = self._preparation, self._spellings
        columns._no_answer, columns._labels = self._no_answer, self._labels
        columns._scores = self._scores
        return columns

    @property
    def preparation(self) -> TextPreparation:
        """Treatment of reasoning and HTML in the texts."""
        return self._preparation

    def with_preparation(self, settings: Settings) -> Self:
        """Return the columns with texts that are read as an instrument's settings say."""
        columns = self.model_copy()
        columns._preparation = TextPreparation.from_settings(settings)
        return columns

    def with_labels(self, labels: "Mapping[str, ColumnLabels]") -> Self:
        """Return the columns with what the file or the survey's description says about them."""
        columns = self.model_copy()
        columns._labels = {title: labels[title] for title in self.titles if title in labels}
        return columns

    def heading(self, column: str) -> str:
        """Return the title of a column's question for pages; its name without one."""
        known = self._labels.get(column)
        return column if known is None else known.heading or known.title or column

    @property
    def groupings(self) -> "list[Grouping]":
        """The columns of groups."""
        from semscale.results.estimates import Grouping

        titles = [
            title for name, role in self.roles().items() if role.is_group for title in self.titles_of(name)
        ]
        return [Grouping(title, self.heading(title), self._order(title)) for title in titles]

    @property
    def grouping(self) -> "Grouping | None":
        """The column of groups of an instrument that has one at most; ``None`` without groups."""
        return next(iter(self.groupings), None)

    def _order(self, column: str) -> tuple[str, ...]:
        known = self._labels.get(column)
        return () if known is None else known.order or tuple(known.values)

    def with_spellings(self, spellings: Mapping[str, Mapping[str, str]]) -> Self:
        """Return the columns with other names of groups, by the column and the name in the table."""
        columns = self.model_copy()
        columns._spellings = spellings
        return columns

    @property
    def no_answer(self) -> dict[str, frozenset[str]]:
        """Codes for no answer of the columns that are read, by the column; normalised by ``code_key``."""
        titles = self.titles
        return {title: codes for title, codes in self._no_answer.items() if codes and title in titles}

    def with_no_answer(self, codes: Mapping[str, frozenset[str]]) -> Self:
        """Return the columns with further codes for no answer, whose cells are read as empty ones.

        Args:
            codes: the codes of each column, normalised by ``code_key``; other columns may have some, too.
        """
        columns = self.model_copy()
        none = frozenset[str]()
        columns._no_answer = {
            title: self._no_answer.get(title, none) | codes.get(title, none)
            for title in dict.fromkeys([*self._no_answer, *codes])
        }
        return columns

    def with_scores(self, scores: Mapping[str, Mapping[str, float]]) -> Self:
        """Return the columns with scores of answers, by the column and the answer."""
        columns = self.model_copy()
        columns._scores = scores
        return columns

    def _scored(self, cells: "pl.Series") -> "pl.Series":
        """Replace answers that have a score by it."""
        from semscale.store.columns import groups_in, storable

        scores = {name: str(score) for name, score in self._scores.get(cells.name, {}).items()}
        return groups_in(storable(cells.to_frame()).to_series()).replace(scores) if scores else cells

    def cells_in(self, batch: "pl.DataFrame", title: str) -> "pl.Series":
        """Return the cells of a column; codes for no answer are null."""
        from semscale.store.columns import column_in, without_codes

        return without_codes(column_in(batch, title), self._no_answer.get(title, frozenset()))

    def _join_spellings(self, groups: Any, titles: Sequence[str]) -> Any:
        """Replace the names of groups that have another spelling."""
        if isinstance(groups, Mapping):
            return {title: self._join_spellings(names, [title]) for title, names in groups.items()}
        used = self._spellings.get(titles[0], {})
        return [used.get(name, name) for name in groups] if used else groups

    def model_post_init(self, _context: object) -> None:
        """Refuse a column that is named twice."""
        seen: dict[str, str] = {}
        for name, role in self.roles().items():
            titles = self.titles_of(name)
            double = next((title for at, title in enumerate(titles) if title in titles[:at]), None)
            if double is not None:
                raise InputError(name, f": column '{double}' is named twice; name it once")
            for title in () if role.is_shared else titles:
                if title in seen:
                    raise InputError(
                        name, f"must be another column than `{seen[title]}`, got '{title}' for both"
                    )
                seen[title] = name

    @classmethod
    def roles(cls) -> dict[str, Role]:
        """Return the role of each field."""
        return {
            name: note
            for name, info in cls.model_fields.items()
            for note in info.metadata
            if isinstance(note, Role)
        }

    @property
    def titles(self) -> set[str]:
        """Names of all columns of the table that are read."""
        return set(chain.from_iterable(self.titles_of(name) for name in self.roles()))

    def titles_of(self, name: str) -> tuple[str, ...]:
        """Return the columns that a field names."""
        named = getattr(self, name)
        if named is None:
            return ()
        return (named,) if isinstance(named, str) else tuple(named)

    def field_columns(self) -> list[tuple[str, str]]:
        """Return pairs of field and column, one for each column that a field names."""
        return [(name, title) for name in self.roles() for title in self.titles_of(name)]

    def check(self, table: "Table") -> None:
        """Check that a table has the columns.

        Raises:
            InputError: a column is missing; the message names the nearest one.
        """
        for parameter, title in self.field_columns():
            table.require(title, parameter)

    def read(self, batch: "pl.DataFrame", first_row: int = 0, *, only_checked: bool = False) -> Cells:
        """Read the cells of n rows.

        Args:
            batch: a batch of the table's rows.
            first_row: position of the first row in the table, from 0.
            only_checked: whether to leave out roles whose cells need no check.

        Raises:
            InputError: an invalid cell; the message names its row.
        """
        from semscale.store.columns import column_in, storable

        values, counts, left_out = {}, {}, {}
        for name, role in self.roles().items():
            titles = self.titles_of(name)
            if titles and (role.is_checked or not only_checked):
                columns = [self.cells_in(batch, title) for title in titles]
                for column in columns:
                    if self._no_answer.get(column.name):
                        left_out[column.name] = _removed_cells(column_in(batch, column.name), column)
                if role.is_scored:
                    columns = list(map(self._scored, columns))
                values[name] = role.read(columns, name, first_row)
                if role.is_group:
                    values[name] = self._join_spellings(values[name], titles)
                if role.is_prepared:
                    counts[name] = TextCounts()
                    values[name] = self.preparation.prepare(values[name], counts[name])
        return Cells(storable(batch), first_row, values, counts, left_out)

    def titles_to_check(self) -> set[str]:
        """Return the columns whose cells are checked before any work begins."""
        return {
            title for name, role in self.roles().items() if role.is_checked for title in self.titles_of(name)
        }


def resolve_columns(columns: C, table: "Table", survey: "Survey | None") -> "tuple[Table, C]":
    """Return a table, and the columns to read from it by the description of its survey.

    The name of a question stands for its columns, codes for no answer are read as empty cells, answers that
    have a score are read as it where numbers are needed, and groups are named by the labels of their values,
    of the description or of the file. Codes of a column of groups are inferred if the description lacks it.

    Args:
        columns: columns and questions as the user names them.
        table: the input.
        survey: its description; ``None`` without one.

    Returns:
        The table, with labels, with a further column for groups whose values have labels, and with notes on
        inferred codes; and its columns.

    Raises:
        InputError: a question with several columns is named where one column is read.
    """
    from semscale.store.expressions import by_label
    from semscale.survey.finding import (
        codes_by_column,
        column_named,
        columns_named,
        scores_by_column,
        with_survey_labels,
    )
    from semscale.survey.groups import infer_group_codes

    if survey is not None:
        table = with_survey_labels(table, survey)
    codes = codes_by_column(table, survey)
    named: dict[str, str | tuple[str, ...]] = {}
    for name, role in columns.roles().items():
        value, titles = getattr(columns, name), columns.titles_of(name)
        if isinstance(value, str) or role.is_group:
            resolved = [column_named(title, table.columns, survey, name) for title in titles]
        else:
            resolved = list(columns_named(titles, table.columns, survey))
        if role.is_group:
            inferred = infer_group_codes(table, list(filter(table.has, resolved)), survey)
            table = _note_codes(table, inferred)
            codes |= {title: _with_labels(of_column, table, title) for title, of_column in inferred.items()}
            table, labelled = by_label(table, resolved)
            codes |= {
                label: codes[title] for title, label in zip(resolved, labelled, strict=True) if title in codes
            }
            resolved = labelled
        if titles:
            named[name] = resolved[0] if isinstance(value, str) else tuple(resolved)
    resolved_columns = columns.with_values(**named).with_no_answer(codes)
    return table, resolved_columns.with_scores({} if survey is None else scores_by_column(survey))


def _note_codes(table: "Table", codes: Mapping[str, Sequence[str]]) -> "Table":
    """Return a table with notes on the codes that are no groups."""
    from semscale.survey.groups import groups_note

    notes = (
        groups_note(title, [f"‘{code:.40}’" for code in of_column]) for title, of_column in codes.items()
    )
    return replace(table, notes=(*table.notes, *notes))


def _with_labels(codes: Sequence[str], table: "Table", column: str) -> frozenset[str]:
    """Return codes and their labels, normalised by ``code_key``."""
    from semscale.store.missing_codes import code_key

    known = table.labels.get(column)
    labels = [] if known is None else [known.values[code] for code in codes if code in known.values]
    return frozenset(map(code_key, (*codes, *labels)))


def _removed_cells(before: "pl.Series", after: "pl.Series") -> Counter[str]:
    """Count the cells that are null after codes for no answer were removed, by their names."""
    from semscale.store.columns import groups_in, storable

    is_removed = after.is_null() & before.is_not_null()
    return Counter(groups_in(storable(before.filter(is_removed).to_frame()).to_series()).to_list())


def left_out_note(left_out: Mapping[str, Counter[str]]) -> tuple[str, ...]:
    """Return a sentence on cells with codes for no answer; none without any.

    Args:
        left_out: number of cells with each code, by the column.

    Examples:
        >>> left_out_note({"q1": Counter({"99": 3, "N/A": 1}), "q2": Counter()})
        ('left out as no answer: ‘99’ (3), ‘N/A’ (1) in ‘q1’',)
    """
    listed = [
        f"{', '.join(f'‘{code:.40}’ ({n:,})' for code, n in counts.most_common(_MOST_CODES))} in ‘{column}’"
        for column, counts in left_out.items()
        if counts
    ]
    return (f"left out as no answer: {'; '.join(listed)}",) if listed else ()


class CellChecks:
    """Checks of the cells of all rows, part by part: required texts, and the number of groups."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        roles = columns.roles()
        self._texts = [name for name, role in roles.items() if role.is_text and role.is_checked]
        self._groups: dict[str, dict[str, Counter[str | None]]] = {
            name: {} for name, role in roles.items() if role.is_group
        }
        self._has_text: set[str] = set()
        self._first_value: dict[str, object] = {}

    def add(self, cells: Cells) -> None:
        """Check the next rows.

        Raises:
            InputError: more than 100,000 groups.
        """
        from semscale.results.estimates import check_groups

        for name in self._texts:
            if name in cells.values and name not in self._has_text:
                self._look_for_text(name, cells[name])
        for name, groups in self._groups.items():
            named = cells.get(name)
            if named is None:
                continue
            columns = named if isinstance(named, Mapping) else {self._columns.titles_of(name)[0]: named}
            for title, names in columns.items():
                counts = groups.setdefault(title, Counter())
                counts.update(names)
                check_groups(counts)

    def spellings(self) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
        """Join names of groups that differ only in case or blanks.

        Returns:
            The names to use, by the column and the name in the table, and sentences about them.
        """
        from semscale.store.columns import join_spellings, spelling_note

        spellings: dict[str, dict[str, str]] = {}
        notes: list[str] = []
        for title, counts in chain.from_iterable(groups.items() for groups in self._groups.values()):
            named = {name: n for name, n in counts.items() if name is not None}
            spellings[title] = join_spellings(named)
            notes += spelling_note([title], named, spellings[title])
        return spellings, tuple(notes)

    def finish(self, table: "Table") -> None:
        """Refuse a table without any text in a column of texts.

        Raises:
            InputError: a column has no text.
        """
        for name in self._texts:
            titles = self._columns.titles_of(name)
            if titles and name not in self._has_text:
                raise table.no_text("' and '".join(titles), name, self._first_value.get(name))

    def _look_for_text(self, name: str, rows: Sequence[Any]) -> None:
        cells = chain.from_iterable(row if isinstance(row, list) else [row] for row in rows)
        for cell in cells:
            if cell is None or not str(cell).strip():
                continue
            self._first_value.setdefault(name, cell)
            if isinstance(cell, str):
                self._has_text.add(name)
                return
