"""A sheet that people have filled in, whose labels are laid beside the rows of the file it was drawn from."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from semscale.errors import InputError, UnknownNameError
from semscale.rating.files.cells import HumanRating, humans_in, inclusion_in, lies_within, numbers_in
from semscale.rating.labelling.sheet import COLUMNS, HUMAN, INCLUSION, ROW, TEXT
from semscale.store.cells import storable
from semscale.store.columns import column_in, floats_in
from semscale.store.table import Table
from semscale.types import Floats

_BATCH = 50_000
_SHOWN = 40
_DECIMAL_COMMA = r"^[0-9]*,[0-9]+$"
_PARAMETER = re.compile(r"^(human|inclusion|row): ")
_PLAIN = str.maketrans("‘’‚‛“”„‟–—‐‑−", "'" * 4 + '"' * 4 + "-" * 5, "\ufe0e\ufe0f\u200b\ufeff")


class SheetLabel(NamedTuple):
    """A label of a sheet, with the text that people read and the probability of its draw."""

    human: HumanRating
    text: str
    inclusion: float


@dataclass(frozen=True)
class FilledSheet:
    """Labels of a sheet, by the row of the file that it was drawn from.

    Attributes:
        name: the sheet's file, for messages.
        labels: by row, from 0; rows without a label are left out.
        n_drawn: texts in the sheet, with a label or without.
    """

    name: str
    labels: Mapping[int, SheetLabel]
    n_drawn: int

    @property
    def note(self) -> str:
        """Say how many drawn texts have no label; empty where all have one."""
        missing = self.n_drawn - len(self.labels)
        if not missing:
            return ""
        verb = "has" if missing == 1 else "have"
        return (
            f"{missing:,} of {self.n_drawn:,} drawn texts {verb} no label: the corrected mean holds if "
            "people would rate them like the others"
        )

    def part(self, first_row: int, n: int) -> tuple[list[HumanRating | None], Floats]:
        """Give the labels of n rows of the file, and their probabilities (n,), NaN without a label."""
        found = [self.labels.get(first_row + row) for row in range(n)]
        probabilities = [np.nan if one is None else one.inclusion for one in found]
        return [None if one is None else one.human for one in found], np.array(probabilities)

    def check_texts(self, texts: pl.Series, first_row: int) -> None:
        """Check that labelled rows of the file have the texts that people read.

        Texts are compared as ``same_text`` does: spreadsheets change blanks and quotation marks.

        Raises:
            InputError: a row has another text.
        """
        for row, text in enumerate(texts.to_list()):
            label = self.labels.get(first_row + row)
            if label is not None and not same_text(label.text, "" if text is None else str(text)):
                raise InputError(
                    f"labels: {self.name} was not drawn from this file and column: for data row "
                    f"{first_row + row + 1} it has the text {_shown(label.text)}, and the file has "
                    f"{_shown(text)} (rows are counted from 1, below the header)"
                )

    def check_rows(self, n: int) -> None:
        """Check that no label belongs to a row beyond the n rows of the file.

        Raises:
            InputError: one does.
        """
        last = max(self.labels)
        if last >= n:
            raise InputError(
                f"labels: {self.name} was not drawn from this file: it has a label for data row {last + 1}, "
                f"and the file has {n:,} rows"
            )

    def check_scale(self, low: float, high: float) -> None:
        """Check that all labels lie on the scale, as without them there is no corrected mean.

        Raises:
            InputError: a label lies outside ``low`` to ``high``; the first row is named.
        """
        for row, label in sorted(self.labels.items()):
            if not lies_within((low, high), label.human):
                raise InputError(
                    f"labels: {self.name} has the label {_shown(label.human)} for data row {row + 1} of the "
                    f"file, but the scale goes from {low:g} to {high:g}; correct the label, or give the "
                    "lowest and the highest value that people could choose (--human-range LOW HIGH)"
                )


def check_once(rows: Iterable[float], parameter: str, name: str) -> None:
    """Check that no row of the file has two labels in its sheet.

    Args:
        rows: numbers in the column ``row`` of labelled texts.
        parameter: that the sheet was given by, for the message.
        name: of the sheet.

    Raises:
        InputError: a row comes twice.
    """
    twice = next((row for row, times in Counter(rows).items() if times > 1), None)
    if twice is not None:
        raise InputError(
            f"{parameter}: {name} has a label for data row {twice:g} of the file twice (column '{ROW}'); "
            "remove one of them, or write both as a list such as [3, 4]"
        )


def read_sheet(table: Table, human_range: tuple[float, float] | None = None) -> FilledSheet:
    """Read the labels of a sheet that ``semscale label`` drew.

    Args:
        table: the sheet.
        human_range: lowest and highest value that people could give, if known.

    Raises:
        InputError: a column is missing, a cell cannot be read, a row comes twice, or nothing is labelled.
    """
    _require_columns(table)
    found: list[tuple[int, SheetLabel]] = []
    n_drawn = 0
    name, first_row = Path(table.name).name, 0
    try:
        for batch in table.batches(_BATCH):
            cells = with_points(storable(batch))
            found += _labels_in(cells, first_row, human_range)
            n_drawn += int(column_in(cells, ROW).is_not_null().sum())
            first_row += batch.height
    except InputError as error:
        said = _PARAMETER.sub("", str(error))
        raise InputError(f"labels: in {name}, {said}") from error
    if not found:
        raise InputError(f"labels: column '{HUMAN}' of {name} is empty; fill in the labels first")
    check_once((row + 1 for row, _ in found), "labels", name)
    return FilledSheet(name, dict(found), n_drawn)


def _require_columns(table: Table) -> None:
    try:
        for column in COLUMNS:
            table.require(column, "labels")
    except UnknownNameError as error:
        if len(set(COLUMNS) & set(table.columns)) < 2:  # noqa: PLR2004 - some other table
            raise
        raise UnknownNameError(f"{error}; give the column of the sheet its name back") from error


def with_points(cells: pl.DataFrame) -> pl.DataFrame:
    """Write decimal points where a spreadsheet wrote commas, which the column of probabilities shows.

    Without them nobody knows whether 3,4 is a number or the labels of two people. A table that is no sheet
    stays as it is.

    Example:
        >>> sheet = pl.DataFrame({"row": [1], "text": ["so"], "human": ["3,5"], "inclusion": ["0,5"]})
        >>> with_points(sheet)["human"].to_list()
        ['3.5']
    """
    if not set(COLUMNS) <= set(cells.columns):
        return cells
    drawn = column_in(cells, INCLUSION)
    if drawn.dtype != pl.String or not drawn.str.strip_chars().str.contains(_DECIMAL_COMMA).any():
        return cells
    texts = [name for name in (ROW, HUMAN, INCLUSION) if column_in(cells, name).dtype == pl.String]
    return cells.with_columns(
        pl.when(pl.col(name).str.strip_chars().str.contains(_DECIMAL_COMMA))
        .then(pl.col(name).str.replace(",", ".", literal=True))
        .otherwise(pl.col(name))
        .alias(name)
        for name in texts
    )


def _labels_in(
    batch: pl.DataFrame, first_row: int, human_range: tuple[float, float] | None
) -> list[tuple[int, SheetLabel]]:
    """Read the rows of a sheet that have a label."""
    humans = humans_in(column_in(batch, HUMAN), first_row, human_range)
    inclusion = inclusion_in(column_in(batch, INCLUSION), humans, first_row)
    rows = floats_in(numbers_in(column_in(batch, ROW), "row", first_row))
    texts = column_in(batch, TEXT).to_list()
    labelled = [place for place, human in enumerate(humans) if human is not None]
    for place in labelled:
        if not (rows[place] >= 1 and rows[place] % 1 == 0):
            raise InputError(
                f"column '{ROW}' must hold the place in the file, a whole number from 1, but data row "
                f"{first_row + place + 1} has {rows[place]:g}; leave the column as it was drawn"
            )
    return [
        (int(rows[place]) - 1, SheetLabel(human, str(texts[place] or ""), float(inclusion[place])))
        for place in labelled
        if (human := humans[place]) is not None
    ]


def same_text(ours: str, theirs: str) -> bool:
    """Tell whether two texts are the same but for what spreadsheets change.

    Blanks, forms of quotation marks and dashes, an apostrophe at the start and compatible forms of signs
    (NFKC) do not count, nor does how a text that is a number is written.

    Example:
        >>> same_text("“so  so”", '"so so"'), same_text("5", "5.0"), same_text("😀", "😡")
        (True, True, False)
    """
    one, other = _plain(ours), _plain(theirs)
    number = _as_number(one)
    return one == other or (number is not None and number == _as_number(other))


def _plain(text: str) -> str:
    signs = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return "".join(signs.split()).removeprefix("'")


def _as_number(text: str) -> float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _shown(text: object) -> str:
    shown = repr(text)
    return shown if len(shown) <= _SHOWN else shown[: _SHOWN - 3] + "..."
