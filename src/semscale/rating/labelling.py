"""Human labels: cells with human ratings, and sheets to fill in, with instructions."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
import polars as pl

from semscale.errors import InputError, RowError, UnknownNameError
from semscale.json_reading import parse_json
from semscale.results.label_sheets import HUMAN, INCLUSION, write_beside
from semscale.results.weights import CORRECT, COUNTING, decimal_remedy, numbers_in, shorten_cell
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.sampling import DrawnTexts, draw_texts
from semscale.store.columns import column_in, floats_in, have_decimal_commas, numbers_among, storable
from semscale.store.missing_codes import looks_like_code
from semscale.store.table import Table
from semscale.store.writing import write_table
from semscale.types import Floats, Mask

if TYPE_CHECKING:
    from semscale.rating.settings import RatingColumns

ROW, TEXT = "row", "text"
"""Further columns of a sheet: the row in the file, from 1, and its text."""

_COLUMNS = (ROW, TEXT, HUMAN, INCLUSION)

_BATCH = 50_000


class RatedTexts(Protocol):
    """Ratings of n texts, as far as labels are drawn for them and compared with them; see ``Ratings``."""

    @property
    def scale(self) -> Scale:
        """The scale of k points."""
        ...

    @property
    def pmf(self) -> Floats:
        """Shape (n, k), probabilities of the points; NaN without a rating."""
        ...

    @property
    def mean(self) -> Floats:
        """Shape (n,), means of the probabilities; NaN without a rating."""
        ...

    @property
    def scored(self) -> Mask:
        """Shape (n,), true for texts with a rating."""
        ...

    @property
    def readable(self) -> Mask:
        """Shape (n,), true for texts that people can rate."""
        ...

    @property
    def in_calibration(self) -> Mask | None:
        """Shape (n,), true for texts that the calibration was fitted to; ``None`` without one."""
        ...


_MOST_LABELLED = 20_000

_DECIMAL_COMMA = r"^[0-9]*,[0-9]+$"

_PARAMETER = re.compile(r"^(human|inclusion|row): ")

_PLAIN = str.maketrans("‘’‚‛“”„‟–—‐‑−", "'" * 4 + '"' * 4 + "-" * 5, "\ufe0e\ufe0f\u200b\ufeff")


HumanRating = float | list[float]

_INFINITE = (math.inf, -math.inf)

_DRAW = "give the probability with which the text was drawn"

_DRAWN = f"{_DRAW}, or empty both this cell and the rating in the same row {COUNTING}"


def draw_for_labels(ratings: RatedTexts, n: int, *, by_interest: bool = False, seed: int = 0) -> DrawnTexts:
    """Draw texts for people to rate from all readable texts, including those without a rating.

    A text without a rating, such as one off topic, is drawn as if its rating were the mean of all ratings.

    Args:
        ratings: ratings of all texts.
        n: number of texts to draw, at least 1.
        by_interest: whether texts with uncertain ratings are drawn more often.
        seed: seed of the draw.

    Raises:
        InputError: fewer than one text to draw, or none with a rating.
    """
    pmf = ratings.pmf.copy()
    if ratings.scored.any():
        pmf[ratings.readable & ~ratings.scored] = pmf[ratings.scored].mean(axis=0)
    return draw_texts(pmf, ratings.scale.values, n, by_interest=by_interest, seed=seed)


def label_sheet(cells: Sequence[object], drawn: DrawnTexts) -> pl.DataFrame:
    """Return a table of drawn texts for labelling, without the ratings, so that these cannot bias people.

    Args:
        cells: all texts.
        drawn: positions and probabilities of the drawn texts.

    Returns:
        Columns ``row`` (position in the input, from 1), ``text``, ``human`` (empty, for the label) and
        ``inclusion``.
    """
    return pl.DataFrame(
        {
            ROW: drawn.rows + 1,
            TEXT: [str(cells[row]) for row in drawn.rows.tolist()],
            HUMAN: [None] * len(drawn.rows),
            INCLUSION: drawn.probability,
        },
        schema_overrides={HUMAN: pl.Float64},
    )


def instructions(scale: Scale, file: str, drawn_with: Signature, calibrate: str | None, rate: str) -> str:
    """Write instructions for people who label, as Markdown.

    Args:
        scale: scale of the labels.
        file: name of the sheet.
        drawn_with: signature of the draw.
        calibrate: command that calibrates with the filled sheet; ``None`` if it has too few texts.
        rate: command that rates all texts, and estimates the mean that people would give to them.
    """
    commands = f"""When the sheet is filled in, one command learns to rate as these people do:

    {calibrate}

A second command gives the mean that these people would give to all texts of the original file that they can
rate, whether Semscale rates them or not:

    {rate}

Both rate with the settings that the texts were drawn with."""
    if calibrate is None:
        commands = f"""When the sheet is filled in, this command gives the mean that these people would
give to all texts of the original file that they can rate, with the settings that the texts were drawn
with:

    {rate}"""
    points = "\n".join(f"- {point.value:g}: {point.label}" for point in scale.points)
    return f"""# Labelling {file}

For each text answer the question: **{scale.question}**

{points}

- Write the number into the column `human`. Where several people label one text, write a list: [3, 4].
- Judge what the text says, not what you know or think of it yourself.
- Leave the cell empty if the text says nothing on the question; do not put the middle for "cannot say".
- Go through the texts in their order, one at a time, and do not go back to make answers alike.
- Leave the other columns as they are: `row` is the place in the original file, `{INCLUSION}` the
  probability with which the text was drawn.

{commands}

The texts were drawn with these settings:

    {drawn_with}
"""


def write_sheet(sheet: pl.DataFrame, out: Path, text: str, *, escape: bool = True) -> Path:
    """Write a sheet, and the instructions next to it.

    Args:
        sheet: table from ``label_sheet``.
        out: path of the sheet.
        text: text of the instructions.
        escape: whether texts in CSV that a spreadsheet would run as formulas get an apostrophe.

    Returns:
        Path of the instructions.

    Raises:
        InputError: a file extension that is not a table's.
    """
    write_table(sheet, out, escape=escape)
    return write_beside(out, text)


class SheetLabel(NamedTuple):
    """A label of a sheet, with the text that people read and the probability of its draw."""

    human: HumanRating
    text: str
    inclusion: float


@dataclass(frozen=True)
class FilledSheet:
    """Labels of a sheet, by row of the file that it was drawn from.

    Attributes:
        name: name of the sheet's file, for messages.
        labels: labels by row, from 0; rows without a label are left out.
        n_drawn: number of texts in the sheet, with or without a label.
    """

    name: str
    labels: Mapping[int, SheetLabel]
    n_drawn: int

    @property
    def note(self) -> str:
        """Sentence with the number of drawn texts without a label; empty if there are none."""
        missing = self.n_drawn - len(self.labels)
        if not missing:
            return ""
        verb = "has" if missing == 1 else "have"
        return (
            f"{missing:,} of {self.n_drawn:,} drawn texts {verb} no label: the corrected mean holds if "
            "people would rate them like the others"
        )

    def part(self, first_row: int, n: int) -> tuple[list[HumanRating | None], Floats]:
        """Return the labels of n rows of the file, and their probabilities (n,), NaN without a label."""
        labels = [self.labels.get(first_row + row) for row in range(n)]
        probabilities = [np.nan if label is None else label.inclusion for label in labels]
        return [None if label is None else label.human for label in labels], np.array(probabilities)

    def check_texts(self, texts: Sequence[object], first_row: int) -> None:
        """Check that labelled rows of the file have the texts that people read.

        Texts are compared as ``same_text`` does: spreadsheets change blanks and quotation marks.

        Raises:
            InputError: a row has another text.
        """
        for row, text in enumerate(texts):
            label = self.labels.get(first_row + row)
            if label is not None and not same_text(label.text, "" if text is None else str(text)):
                raise InputError(
                    "labels",
                    f": {self.name} was not drawn from this file and column: for data row "
                    f"{first_row + row + 1} it has the text {shorten_cell(label.text)}, and the file has "
                    f"{shorten_cell(text)} (rows are counted from 1, below the header)",
                )

    def check_rows(self, n: int) -> None:
        """Check that no label belongs to a row beyond the n rows of the file.

        Raises:
            InputError: a label belongs to a later row.
        """
        last = max(self.labels)
        if last >= n:
            raise InputError(
                "labels",
                f": {self.name} was not drawn from this file: it has a label for data row {last + 1}, "
                f"and the file has {n:,} rows",
            )

    def check_scale(self, low: float, high: float) -> None:
        """Check that all labels are within the scale's range, as corrected means require.

        Raises:
            InputError: a label lies outside ``low`` to ``high``; the first row is named.
        """
        for row, label in sorted(self.labels.items()):
            if not lies_within((low, high), label.human):
                raise InputError(
                    "labels",
                    f": {self.name} has the label {shorten_cell(label.human)} for data row {row + 1} of "
                    f"the file, but the scale ranges from {low:g} to {high:g}; correct the label, or give "
                    "the lowest and the highest value that people could choose (`human_range`)",
                )


def read_sheet(table: Table, human_range: tuple[float, float] | None = None) -> FilledSheet:
    """Read the labels of a sheet that ``semscale label`` drew.

    Args:
        table: the sheet.
        human_range: lowest and highest possible human value, if known.

    Raises:
        InputError: a column is missing, a cell cannot be read, a row appears twice, or no text has a label.
    """
    _require_columns(table)
    labels: list[tuple[int, SheetLabel]] = []
    n_drawn = 0
    name, first_row = table.file_name, 0
    try:
        for batch in table.batches(_BATCH):
            cells = _with_points(storable(batch))
            labels += _labels_in(cells, first_row, human_range)
            n_drawn += int(column_in(cells, ROW).is_not_null().sum())
            first_row += batch.height
    except InputError as error:
        problem = _PARAMETER.sub("", str(error))
        raise InputError("labels", f": in {name}, {problem}") from error
    if not labels:
        raise InputError("labels", f": column '{HUMAN}' of {name} is empty; fill in the labels first")
    _check_once((row + 1 for row, _ in labels), "labels", name)
    return FilledSheet(name, dict(labels), n_drawn)


def read_labelled(
    table: Table, columns: "RatingColumns"
) -> tuple[list[Any], list[HumanRating], list[Any] | None]:
    """Read texts, human ratings and groups of the rows that have a rating.

    Args:
        table: any table, or a sheet that ``semscale label`` drew.
        columns: the columns of texts and human ratings, and at most one of groups.

    Raises:
        InputError: a cell that is not a rating, more than 20,000 ratings, or a sheet with two ratings of one
            row of its file.
    """
    is_sheet = set(_COLUMNS) <= set(table.columns)
    first_row = 0
    texts: list[Any] = []
    ratings: list[HumanRating] = []
    groups: list[Any] = []
    rows_of_file: list[float] = []
    for batch in map(_with_points, table.batches(_BATCH)):
        cells = columns.read(batch, first_row)
        humans = cells["human"]
        labelled = [row for row, rating in enumerate(humans) if rating is not None]
        ratings += [rating for rating in humans if rating is not None]
        texts += [cells["text"][row] for row in labelled]
        for names in (cells.get("by") or {}).values():
            groups += [names[row] for row in labelled]
        if is_sheet:
            numbers = floats_in(numbers_in(column_in(batch, ROW), ROW, first_row))
            rows_of_file += numbers[labelled].tolist()
        first_row += batch.height
        if len(texts) > _MOST_LABELLED:
            raise InputError(
                "human",
                f": column '{columns.human}' labels more than {_MOST_LABELLED:,} texts, and a "
                "calibration gains nothing from so many; leave some cells empty",
            )
    _check_once(rows_of_file, "file", table.file_name)
    return texts, ratings, groups if columns.by else None


def _require_columns(table: Table) -> None:
    try:
        for column in _COLUMNS:
            table.require(column, "labels")
    except UnknownNameError as error:
        if len(set(_COLUMNS) & set(table.columns)) < 2:
            raise
        raise UnknownNameError(f"{error}; restore the name of the sheet's column") from error


def _with_points(cells: pl.DataFrame) -> pl.DataFrame:
    """Replace a spreadsheet's decimal commas by points if the column of probabilities has commas.

    So 3,5 can be read in a column of labels that also has lists. A table that is not a sheet is not changed.

    Examples:
        >>> sheet = pl.DataFrame({"row": [1], "text": ["so"], "human": ["3,5"], "inclusion": ["0,5"]})
        >>> _with_points(sheet)["human"].to_list()
        ['3.5']
    """
    if not set(_COLUMNS) <= set(cells.columns):
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
    labels = []
    for index, human in enumerate(humans):
        if human is None:
            continue
        if not (rows[index] >= 1 and rows[index] % 1 == 0):
            raise InputError(
                f"column '{ROW}' must hold the row number in the file, a whole number from 1, but data row "
                f"{first_row + index + 1} has {rows[index]:g}; leave the column as it was drawn"
            )
        label = SheetLabel(human, str(texts[index] or ""), float(inclusion[index]))
        labels.append((int(rows[index]) - 1, label))
    return labels


def _check_once(rows: Iterable[float], parameter: str, name: str) -> None:
    """Check that no row of the file has two labels in its sheet.

    Args:
        rows: values of the column ``row`` of labelled texts.
        parameter: name of the sheet's parameter, for the message.
        name: name of the sheet.

    Raises:
        InputError: a row appears twice.
    """
    twice = next((row for row, times in Counter(rows).items() if times > 1), None)
    if twice is not None:
        raise InputError(
            parameter,
            f": {name} has a label for data row {twice:g} of the file twice (column '{ROW}'); "
            "remove one of them, or write both as a list such as [3, 4]",
        )


def same_text(left: str, right: str) -> bool:
    """Check whether two texts are equal up to changes by spreadsheets.

    Differences in blanks, quotation marks, dashes, an apostrophe at the start, compatible characters (NFKC),
    and the format of a number are ignored.

    Examples:
        >>> same_text("“so  so”", '"so so"'), same_text("5", "5.0"), same_text("😀", "😡")
        (True, True, False)
    """
    left, right = _plain(left), _plain(right)
    number = _as_number(left)
    return left == right or (number is not None and number == _as_number(right))


def _plain(text: str) -> str:
    signs = unicodedata.normalize("NFKC", text).translate(_PLAIN)
    return "".join(signs.split()).removeprefix("'")


def _as_number(text: str) -> float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def inclusion_in(cells: pl.Series, humans: Sequence[object], first_row: int = 0) -> Floats:
    """Read a column of probabilities with which texts were drawn for a human rating, shape (n,).

    Args:
        cells: a column of numbers or of strings.
        humans: human ratings of the same rows, ``None`` where missing.
        first_row: row of the first cell in the file, from 0.

    Returns:
        The probabilities; NaN for rows with neither a probability nor a human rating.

    Raises:
        InputError: a cell that is not a number above 0 to 1, or an empty one with a human rating; the message
            names its row.

    Examples:
        >>> inclusion_in(pl.Series(["0.5", ""]), [3.0, None]).tolist()
        [0.5, nan]
    """
    cells = numbers_in(cells, "inclusion", first_row, _DRAWN)
    if not (cells.dtype.is_numeric() or cells.dtype == pl.Null):
        raise InputError(
            "inclusion", f": column '{cells.name}' must hold numbers, but its cells are {cells.dtype}"
        )
    numbers = floats_in(cells)
    wrong = np.flatnonzero((numbers <= 0) | (numbers > 1))
    if len(wrong):
        raise RowError(
            f"`inclusion`: column '{cells.name}' must hold probabilities above 0 to 1, but data "
            f"{{row}} has {shorten_cell(cells[int(wrong[0])])}; {_DRAWN}",
            first_row + int(wrong[0]),
        )
    missing = np.flatnonzero(
        np.isnan(numbers) & np.array([human is not None for human in humans], dtype=bool)
    )
    if len(missing):
        raise RowError(
            f"`inclusion`: column '{cells.name}' must have a probability in each row with a human rating, "
            f"but data {{row}} has none; {_DRAW}, or remove the rating {COUNTING}",
            first_row + int(missing[0]),
        )
    return numbers


def humans_in(
    cells: pl.Series, first_row: int = 0, bounds: tuple[float, float] | None = None
) -> list[HumanRating | None]:
    """Read a column of human ratings: a number, or several as a list or as JSON text such as ``"[3, 4]"``.

    Decimal commas are read as in ``numbers_in``. A number before a label, such as ``5 - Very good``, is the
    rating, and a code for no answer, such as NA, is none.

    Args:
        cells: the column.
        first_row: row of the first cell in the file, from 0.
        bounds: lowest and highest possible human value, if known.

    Raises:
        InputError: a cell that is neither, or out of bounds; the message names its row and its text.

    Examples:
        >>> humans_in(pl.Series(["3", "[3, 4]", None, "5 - Very good", "N/A"]))
        [3.0, [3.0, 4.0], None, 5.0, None]
    """
    ratings = []
    if cells.dtype == pl.String:
        words = [cell for cell in cells.drop_nulls().unique() if _as_number(cell) is None]
        cells = cells.set(cells.is_in([word for word in words if looks_like_code(word)]), None)
        cells = numbers_among(cells) if have_decimal_commas(cells.drop_nulls()) else cells
    for row, cell in enumerate(cells.to_list()):
        try:
            rating = _human(cell)
        except ValueError:
            raise RowError(
                f"`human`: column '{cells.name}' must hold numbers or lists of numbers such as [3, 4], "
                f"but data {{row}} has {shorten_cell(cell)}; {decimal_remedy(cell, _remedy(cell))}",
                first_row + row,
            ) from None
        if bounds is not None and not lies_within(bounds, rating):
            raise RowError(
                f"`human_range` is {bounds[0]:g} to {bounds[1]:g}, but data {{row}} of "
                f"column '{cells.name}' has {shorten_cell(cell)}; widen the range, or correct the cell "
                f"{COUNTING}",
                first_row + row,
            )
        ratings.append(rating)
    return ratings


_NUMBERED = re.compile(r"\s*(?P<number>[+-]?\d+(?:[.,]\d+)?)\s*[-–—:=.)]\s*[^\W\d][^\d]*")
"""A number and the label of its point."""


def _remedy(cell: object) -> str:
    if isinstance(cell, str) and cell.strip() and not re.search(r"\d", cell):
        return f"write the values of the points in place of their labels, or leave the cell empty {COUNTING}"
    return CORRECT


def _human(cell: Any) -> HumanRating | None:
    """Parse a human rating; ``None`` if it is missing.

    Raises:
        ValueError: the cell is not a rating.
    """
    if isinstance(cell, str):
        numbered = _NUMBERED.fullmatch(cell)
        written = numbered["number"].replace(",", ".") if numbered else cell
        cell = parse_json(written) if written.strip() else None
    several = cell if isinstance(cell, list) else [cell]
    numbers = []
    for number in several:
        if isinstance(number, bool) or not isinstance(number, int | float | None) or number in _INFINITE:
            raise ValueError("no number")
        if number is not None and not math.isnan(number):
            numbers.append(float(number))
    return (numbers if isinstance(cell, list) else numbers[0]) if numbers else None


def lies_within(bounds: tuple[float, float], rating: HumanRating | None) -> bool:
    """Check whether all numbers of a human rating are within bounds; true for a missing rating.

    Examples:
        >>> lies_within((1, 5), [3.0, 5.0]), lies_within((1, 5), 7.0)
        (True, False)
    """
    numbers = rating if isinstance(rating, list) else [] if rating is None else [rating]
    return all(bounds[0] <= number <= bounds[1] for number in numbers)
