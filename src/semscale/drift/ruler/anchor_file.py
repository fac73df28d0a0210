"""Reading of anchors from a table."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from semscale.drift.cells import CellLocation, input_text, names_in
from semscale.errors import InputError
from semscale.history.anchor_sets import MOST_PAIRS, AnchorPair
from semscale.messages import shortened
from semscale.store.missing_codes import is_missing
from semscale.store.table import Table

_BATCH = MOST_PAIRS + 1


@dataclass(frozen=True)
class AnchorColumns:
    """The meaning of the columns of a table of anchors.

    Attributes:
        reference: column of what the outputs should say.
        output: column of the outputs.
        id: column of ids; where the table has none, rows are numbered from 1.
        label: column of people's scores of the outputs; ``None`` without one.
        label_range: least and greatest label of the scale that people used.

    Raises:
        InputError: a range without a label, or one that does not rise.
    """

    reference: str = "reference"
    output: str = "output"
    id: str = "id"
    label: str | None = None
    label_range: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        if self.label_range is None:
            return
        low, high = self.label_range
        if self.label is None:
            raise InputError("label_range belongs to label: name the column with people's scores")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise InputError(f"label_range must rise, such as 1,5, got {low:g},{high:g}")


def read_anchors(table: Table, columns: AnchorColumns) -> tuple[AnchorPair, ...]:
    """Read pairs of texts with people's scores, one a row.

    Args:
        table: at most 500 rows.
        columns: what they mean.

    Returns:
        The pairs, their labels from 0 to 1; a cell without a label is ``None``.

    Raises:
        InputError: a column is missing, there are too many rows, or a label is no number or out of range.
    """
    table.require(columns.reference, "reference")
    table.require(columns.output, "output")
    if columns.label is not None:
        table.require(columns.label, "label")
    pairs: list[AnchorPair] = []
    for pair in _pairs(table, columns):
        pairs.append(pair)
        if len(pairs) > MOST_PAIRS:
            raise InputError(
                f"{table.name} has more than {MOST_PAIRS} rows: anchors are read in every run, so leave the "
                "most telling ones"
            )
    return tuple(pairs)


def _pairs(table: Table, columns: AnchorColumns) -> Iterator[AnchorPair]:
    before = 0
    for batch in table.batches(_BATCH):
        ids = names_in(batch, columns.id, CellLocation(table.name, before, columns.id))
        titles = [columns.reference, columns.output, *([columns.label] if columns.label else [])]
        for row, cells in enumerate(zip(*(batch[title].to_list() for title in titles), strict=True), before):
            places = [CellLocation(table.name, row, title) for title in titles]
            reference, output = (
                input_text(cell, place) or "" for cell, place in zip(cells[:2], places[:2], strict=True)
            )
            label = _label(cells[2], places[2], columns.label_range or (0.0, 1.0)) if columns.label else None
            yield AnchorPair(ids[row - before] or str(row + 1), reference, output, label)
        before += batch.height


def _label(cell: object, place: CellLocation, scale: tuple[float, float]) -> float | None:
    if is_missing(cell) or cell == "":
        return None
    low, high = scale
    try:
        score = math.nan if isinstance(cell, bool) else float(str(cell))
    except ValueError:
        score = math.nan
    if not low <= score <= high:
        raise place.error(
            f"has the label {shortened(cell)}, which is no number from {low:g} to {high:g}",
            "mend it, or say which scale the labels have, such as --human-range 1 5",
        )
    return (score - low) / (high - low)
