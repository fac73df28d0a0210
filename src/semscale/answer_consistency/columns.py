"""Columns of a table with questions, answers and samples, and their cells."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from pydantic import Field

from semscale.errors import InputError
from semscale.results.table_columns import CELL, GROUP, TEXT, Cells, Columns, Role
from semscale.settings import Option

if TYPE_CHECKING:
    import polars as pl

    from semscale.types import Floats


class SampleCell(NamedTuple):
    """The samples in one cell: one text, or a list."""

    texts: list[Any]
    is_list: bool


def _samples(columns: "Sequence[pl.Series]", parameter: str, first_row: int) -> list[list[SampleCell]]:
    from semscale.store.list_cells import listed_cell

    rows: list[list[SampleCell]] = [[] for _ in range(len(columns[0]))]
    for column in columns:
        for row, cell in enumerate(column.to_list()):
            texts = listed_cell(
                cell, parameter=parameter, column=column.name, row=first_row + row, only_nulls=True
            )
            rows[row].append(SampleCell(texts, isinstance(cell, list) or texts != [cell]))
    return rows


def _columns_of_cells(columns: "Sequence[pl.Series]", _parameter: str, _first_row: int) -> list[list[Any]]:
    return [list(cells) for cells in zip(*(column.to_list() for column in columns), strict=True)]


def _read_labels(columns: "Sequence[pl.Series]", _parameter: str, first_row: int) -> "Floats":
    from semscale.answer_consistency.correctness import read_labels

    return read_labels(columns[0].to_list(), first_row)


SAMPLES = Role(_samples)
"""Samples of each row, a ``SampleCell`` for each column of texts or lists of texts."""
TOKENS = replace(CELL, is_checked=True, is_shared=True)
"""Log-probabilities of the tokens of each row's answer, as the cell has them."""
SAMPLE_TOKENS = Role(_columns_of_cells, is_shared=True)
"""Log-probabilities of the tokens of each row's samples, a cell for each column."""
SHARED_CELL = replace(CELL, is_shared=True)
"""A value for each row, of a column that may have another role, too."""
LABEL = Role(_read_labels, is_measured=False, is_shared=True)
"""Whether the answer of each row is right: 1, 0, or NaN where it is not known."""


class AskedColumns(Columns):
    """Columns of questions that a model is asked."""

    prompt: Annotated[str, TEXT, Field(description="The questions."), Option("Columns", "COLUMN")]
    label: Annotated[
        str | None,
        LABEL,
        Field(description="Whether the answer is right, where checked."),
        Option("Columns", "COLUMN", name="--correct"),
    ] = None
    by: Annotated[
        str | None, GROUP, Field(description="Names of groups to compare."), Option("Columns", "COLUMN")
    ] = None


class AnswerColumns(Columns):
    """Columns of answers and their samples, which are in columns, or in further rows of an item.

    Raises:
        InputError: columns that do not go together.
    """

    answer: Annotated[str, TEXT, Field(description="The answers to be judged."), Option("Columns", "COLUMN")]
    sample: Annotated[
        tuple[str, ...],
        SAMPLES,
        Field(
            description='Further answers to the same question: texts, or lists like ["one", "other"]; can be '
            "repeated."
        ),
        Option("Columns", "COLUMN"),
    ] = ()
    item: Annotated[
        str | None,
        SHARED_CELL,
        Field(
            description="Which rows belong to one question: its first row has the answer, the others a "
            "sample each."
        ),
        Option("Columns", "COLUMN"),
    ] = None
    prompt: Annotated[
        str | None, SHARED_CELL, Field(description="The questions."), Option("Columns", "COLUMN")
    ] = None
    label: Annotated[
        str | None,
        LABEL,
        Field(description="Whether the answer is right, where checked."),
        Option("Columns", "COLUMN", name="--correct"),
    ] = None
    by: Annotated[
        str | None, GROUP, Field(description="Names of groups to compare."), Option("Columns", "COLUMN")
    ] = None
    logprobs: Annotated[
        str | None,
        TOKENS,
        Field(
            description="Log-probabilities of each answer's tokens, as a list; for measures of tokens, and a "
            "null."
        ),
        Option("Columns", "COLUMN"),
    ] = None
    sample_logprobs: Annotated[
        tuple[str, ...],
        SAMPLE_TOKENS,
        Field(description="Those of a sample's tokens; once for each --sample, in the same order."),
        Option("Columns", "COLUMN"),
    ] = ()

    def model_post_init(self, context: object) -> None:
        """Refuse columns that do not go together."""
        super().model_post_init(context)
        if bool(self.sample) == (self.item is not None):
            raise InputError(
                "samples must come from columns (--sample COLUMN, can be repeated) or from rows of an item "
                "(--item COLUMN): name one of the two"
            )
        if self.sample_logprobs and len(self.sample_logprobs) != len(self.sample):
            raise InputError(
                f"sample_logprobs must name a column for each sample column, got {len(self.sample_logprobs)} "
                f"for {len(self.sample)}; rows of an item have theirs in logprobs"
            )

    @property
    def has_sample_tokens(self) -> bool:
        """Whether the table has the log-probabilities of the samples' tokens."""
        return bool(self.sample_logprobs) or bool(self.item and self.logprobs)


def sample_texts(cells: Cells) -> list[list[Any]]:
    """Return the samples of each row in one list."""
    return [[text for cell in row for text in cell.texts] for row in cells["sample"]]
