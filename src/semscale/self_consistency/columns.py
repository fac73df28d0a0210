"""Which columns of a table hold prompts, answers and samples, and their cells."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.results.tallies import check_groups
from semscale.store.cells import storable
from semscale.store.columns import as_names, groups_in
from semscale.store.list_cells import listed_cell
from semscale.store.result_columns import check_free
from semscale.store.table import Table

_BATCH = 50_000
_SHOWN = 40


@dataclass(frozen=True)
class AnswerColumns:
    """Which column of a table is what.

    Attributes:
        prompt: the questions; needed where answers are to be asked for.
        answer: the answers; with ``item`` also the samples.
        samples: the samples; each column holds texts, or lists of texts.
        item: which rows belong to one prompt: the first has the answer, the others a sample each.
        label: whether the answer is right.
        by: names of groups.

    Raises:
        InputError: columns that do not go together.
    """

    prompt: str | None = None
    answer: str | None = None
    samples: tuple[str, ...] = ()
    item: str | None = None
    label: str | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        if self.answer is None:
            if self.prompt is None:
                raise InputError("answer must name a column, or prompt one whose questions --ask asks")
            if self.samples or self.item:
                raise InputError("sample and item need answer: name the column with the answers")
            return
        if bool(self.samples) == (self.item is not None):
            raise InputError(
                "samples must come from columns (--sample COLUMN, can be repeated) or from rows of an item "
                "(--item COLUMN): name one of the two"
            )
        if self.answer in self.samples:
            raise InputError(f"sample must be another column than answer, got '{self.answer}' for both")
        double = [column for at, column in enumerate(self.samples) if column in self.samples[:at]]
        if double:
            raise InputError(f"sample: column '{double[0]}' is named twice; name it once")

    @property
    def named(self) -> Iterator[tuple[str, str]]:
        """Each parameter with the column that it names."""
        for parameter in ("prompt", "answer", "item", "label", "by"):
            if (column := getattr(self, parameter)) is not None:
                yield parameter, column
        yield from (("sample", column) for column in self.samples)

    def check(self, table: Table) -> None:
        """Check that a table has the columns, and none that the result will have.

        Raises:
            InputError: it has not; the nearest column is named.
        """
        for parameter, column in self.named:
            table.require(column, parameter)
        check_free(table.columns, table.name)


@dataclass(frozen=True)
class AnswerCells:
    """A table's items, and what stands in their columns.

    Attributes:
        rows: one row for each of the n items, as it can be written.
        prompts: n cells; ``None`` where no column holds them.
        answers: n cells.
        samples: n lists of cells.
        labels: n cells, or ``None`` without a column of them.
        groups: n names of groups, or ``None`` without a column of them.
    """

    rows: pl.DataFrame
    prompts: list[Any]
    answers: list[Any]
    samples: list[list[Any]]
    labels: list[Any] | None
    groups: list[str | None] | None


def read_answers(table: Table, columns: AnswerColumns) -> AnswerCells:
    """Read a table's rows and take prompts, answers and samples out of them.

    Raises:
        InputError: a column that does not exist, a row that cannot be read, a broken list, more than
            1,000 groups, or no text among the answers, or among the prompts that are to be asked.
    """
    columns.check(table)
    frames: list[pl.DataFrame] = []
    cells: dict[str, list[Any]] = {column: [] for _, column in columns.named}
    groups: list[str | None] = []
    for batch in table.batches(_BATCH):
        check_free(batch.columns, table.name)
        frames.append(storable(batch))
        for title in cells:
            cells[title] += batch[title].to_list() if title in batch.columns else [None] * batch.height
        if columns.by is not None:
            there = columns.by in frames[-1].columns
            groups += as_names(groups_in(frames[-1][columns.by]), "by") if there else [None] * batch.height
    check_groups(set(groups))
    rows = pl.concat(frames, how="diagonal_relaxed") if frames else pl.DataFrame()
    first, samples = _samples(columns, cells, rows.height)

    def chosen(title: str | None) -> list[Any]:
        return [None] * len(first) if title is None else [cells[title][row] for row in first]

    _refuse_textless(chosen(columns.answer or columns.prompt), columns)
    return AnswerCells(
        rows=rows[first],
        prompts=chosen(columns.prompt),
        answers=chosen(columns.answer),
        samples=samples,
        labels=None if columns.label is None else chosen(columns.label),
        groups=None if columns.by is None else [groups[row] for row in first],
    )


def _samples(
    columns: AnswerColumns, cells: dict[str, list[Any]], n: int
) -> tuple[list[int], list[list[Any]]]:
    """Give the row of each item's answer, and the item's samples."""
    if columns.item is None:
        lists = [
            [one for title in columns.samples for one in _samples_in(cells[title][row], title, row)]
            for row in range(n)
        ]
        return list(range(n)), lists
    rows: dict[Any, list[int]] = {}
    for row, item in enumerate(cells[columns.item]):
        # A row that belongs to no item is one of its own, with no sample: it is counted, not dropped.
        rows.setdefault((row,) if item is None else str(item), []).append(row)
    answers = cells[str(columns.answer)]
    return [of[0] for of in rows.values()], [[answers[row] for row in of[1:]] for of in rows.values()]


def _samples_in(cell: Any, column: str, row: int) -> list[Any]:  # noqa: ANN401 - any cell
    return listed_cell(cell, parameter="sample", column=column, row=row, only_nulls=True)


def _refuse_textless(cells: list[Any], columns: AnswerColumns) -> None:
    if any(isinstance(cell, str) and cell.strip() for cell in cells):
        return
    parameter, column = ("answer", columns.answer) if columns.answer else ("prompt", columns.prompt)
    given = next((cell for cell in cells if cell is not None and str(cell).strip()), None)
    found = "all its cells are empty" if given is None else f"its first value is {str(given)[:_SHOWN]!r}"
    raise InputError(
        f"{parameter}: column '{column}' holds no text: {found}; name the column with the {parameter}s"
    )
