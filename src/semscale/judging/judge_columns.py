"""Which columns of a table are judged, and their cells."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.matching.match_columns import reference_lists
from semscale.store.cells import storable
from semscale.store.result_columns import check_free
from semscale.store.table import Table

_BATCH = 50_000


@dataclass(frozen=True)
class JudgeColumns:
    """Which column of a table is what.

    Attributes:
        question: what was asked.
        answer: what is judged.
        references: answers that are known to be right; each column holds texts, or lists of texts.
        human: people's labels of the same answers.

    Raises:
        InputError: one column is to be two things.
    """

    question: str
    answer: str
    references: tuple[str, ...] = ()
    human: str | None = None

    def __post_init__(self) -> None:
        named = self.names
        double = [name for place, name in enumerate(named) if name in named[:place]]
        if double:
            raise InputError(f"column '{double[0]}' is named twice; question, answer and others must differ")

    @property
    def names(self) -> list[str]:
        """All columns."""
        return [self.question, self.answer, *self.references, *([self.human] if self.human else [])]

    def check(self, table: Table) -> None:
        """Check that a table has the columns, and none that the result will have.

        Raises:
            InputError: it has not; the nearest column is named.
        """
        options = ["question", "answer", *["reference"] * len(self.references), "human"]
        for name, option in zip(self.names, options, strict=False):
            table.require(name, option)
        check_free(table.columns, table.name)


@dataclass(frozen=True)
class JudgeCells:
    """A table's rows, and what is judged in them.

    Attributes:
        rows: the table with n rows, as it can be written.
        questions: n cells.
        answers: n cells.
        references: n lists of cells, or ``None`` without a column of them.
        human: n cells, or ``None`` likewise.
    """

    rows: pl.DataFrame
    questions: list[Any]
    answers: list[Any]
    references: list[list[Any]] | None
    human: list[Any] | None


def read_judge_cells(table: Table, columns: JudgeColumns) -> JudgeCells:
    """Read a table's rows and take the cells out of them.

    Raises:
        InputError: a column that does not exist, a row that cannot be read, a broken list, or no row at all.
    """
    columns.check(table)
    frames: list[pl.DataFrame] = []
    cells: dict[str, list[Any]] = {name: [] for name in columns.names}
    for batch in table.batches(_BATCH):
        frames.append(storable(batch))
        for name in cells:
            cells[name] += batch[name].to_list()
    if not frames or not sum(frame.height for frame in frames):
        raise InputError(f"{table.name} has no row to judge")
    known = [cells[name] for name in columns.references]
    return JudgeCells(
        pl.concat(frames, how="diagonal_relaxed"),
        cells[columns.question],
        cells[columns.answer],
        reference_lists(known, columns.references) if known else None,
        cells[columns.human] if columns.human else None,
    )
