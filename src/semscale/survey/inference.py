"""Description of a survey, inferred from a table: its labels, the names of its columns, and their values."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from semscale.store.column_profile import ColumnProfile, profiles_of
from semscale.store.exports import qualtrics
from semscale.store.exports.unfinished import count_cells
from semscale.store.table import Table
from semscale.survey.column_groups import ColumnGroups
from semscale.survey.counted_columns import CountedColumns
from semscale.survey.description import Question, Survey
from semscale.survey.shared_columns import SharedColumns
from semscale.survey.single_columns import SingleColumns

_NO_RESPONDENTS: Mapping[str, Mapping[str, Collection[str]]] = {
    "Qualtrics": {"Status": qualtrics.UNFINISHED["Status"]}
}
"""Values that mark rows as previews, tests or spam, by tool and column."""


def describe_survey(table: Table, counted: Iterable[ColumnProfile] | None = None) -> Survey:
    """Infer the description of a survey from its table, which is read once.

    The file's own labels come first; then names of columns, and then values. Each question says from where
    its kind comes, and how sure that is.

    Args:
        table: the table.
        counted: profiles of its columns, if it was read already.

    Raises:
        InputError: a row cannot be read.
    """
    profiles = {profile.name: profile for profile in counted or profiles_of(table)}
    questions = _number_names(list(_questions(CountedColumns(profiles, table.export))))
    return Survey(
        file=table.file_name,
        export=table.export,
        leave_out=_rows_of_nobody(table.export, {name: profile.values for name, profile in profiles.items()}),
        questions=tuple(questions),
    )


def describe_columns(
    profiles: Sequence[ColumnProfile], name: str, *, export: str = "", are_mentions: bool = False
) -> Question:
    """Infer the description of columns that somebody names together as one question.

    Several columns are a grid, or the options of a multiple choice, of which some cells may be unknown.

    Args:
        profiles: the columns, over the whole table.
        name: the question's name, a pattern of columns such as ``brand_*``, or the only column.
        export: the tool that wrote the file; empty if it is unknown.
        are_mentions: whether the columns each hold a code of one list.
    """
    counted = CountedColumns({profile.name: profile for profile in profiles}, export)
    _, _, shared = _describers(counted)
    return shared.describe_named(name, are_mentions=are_mentions)


def _describers(counted: CountedColumns) -> tuple[ColumnGroups, SingleColumns, SharedColumns]:
    """Return what groups columns, describes those with a question of their own, and those that share one."""
    groups = ColumnGroups(counted)
    singles = SingleColumns(counted, groups)
    return groups, singles, SharedColumns(counted, groups, singles)


def _questions(counted: CountedColumns) -> Iterator[Question]:
    """Yield the questions in the order of the file."""
    groups, singles, shared = _describers(counted)
    for name, columns in groups.groups():
        if len(columns) == 1 and not counted.labels(columns[0]).option:
            yield singles.describe(columns[0])
        else:
            yield from shared.describe(name, columns)


def rows_of_nobody(table: Table) -> dict[str, tuple[str, ...]]:
    """Return the values that mark rows of a table as previews, tests or spam, by column.

    Args:
        table: the table, of which only columns that can have such marks are read.

    Raises:
        InputError: a row cannot be read.
    """
    columns = filter(table.has, _NO_RESPONDENTS.get(table.export, {}))
    return _rows_of_nobody(table.export, {column: count_cells(table, column) for column in columns})


def _rows_of_nobody(export: str, present: Mapping[str, Collection[str]]) -> dict[str, tuple[str, ...]]:
    """Return the marks of rows of nobody that columns have, by column.

    Args:
        export: the tool that wrote the file.
        present: values of columns.
    """
    found = {
        column: tuple(value for value in values if value in present.get(column, ()))
        for column, values in _NO_RESPONDENTS.get(export, {}).items()
    }
    return {column: values for column, values in found.items() if values}


def _number_names(questions: Sequence[Question]) -> Iterator[Question]:
    """Number names that occur again; a question with several columns keeps its name."""
    shared = {question.name for question in questions if len(question.all_columns) > 1}
    used: set[str] = set()
    for question in questions:
        is_shared = len(question.all_columns) > 1
        name, n = question.name, 1
        while name in used or (name in shared and not is_shared):
            n += 1
            name = f"{question.name} ({n})"
        used.add(name)
        changes = {"name": name, "columns": question.all_columns}
        yield question if n == 1 else question.model_copy(update=changes)
