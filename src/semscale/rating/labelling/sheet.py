"""The sheet for people who label texts, and their instructions."""

from collections.abc import Sequence
from pathlib import Path

import polars as pl

from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.calibration.drawing import DrawnTexts
from semscale.store.atomic import replacing
from semscale.store.writing import write_table

ROW, TEXT, HUMAN, INCLUSION = "row", "text", "human", "inclusion"
"""Columns of a sheet: the place in the file, the text, its label, and the probability of its draw."""
COLUMNS = (ROW, TEXT, HUMAN, INCLUSION)


def label_sheet(cells: Sequence[object], drawn: DrawnTexts) -> pl.DataFrame:
    """Lay drawn texts out for labelling; the ratings are left out, so that nobody follows them.

    Args:
        cells: the texts that were drawn from.
        drawn: which ones, and with which probability.

    Returns:
        Columns ``row`` (place in the input, from 1), ``text``, ``human`` (empty, for the label) and
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
        scale: on which they label.
        file: name of the sheet.
        drawn_with: signature of the draw.
        calibrate: command that calibrates by the filled sheet; ``None`` where it has too few texts for it.
        rate: command that rates all texts, with the mean that people would give to them.
    """
    commands = f"""When the sheet is filled in, one command learns to rate as these people do:

    {calibrate}

The other gives the mean that these people would give to all texts of the original file:

    {rate}

Both rate with the settings that the texts were drawn with."""
    if calibrate is None:
        commands = f"""When the sheet is filled in, this command gives the mean that these people would
give to all texts of the original file, with the settings that the texts were drawn with:

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


def instructions_path(out: Path) -> Path:
    """Name the file of instructions beside a sheet.

    Example:
        >>> instructions_path(Path("sheet.csv")).name
        'sheet-instructions.md'
    """
    return out.with_name(f"{out.stem}-instructions.md")


def write_sheet(sheet: pl.DataFrame, out: Path, written: str) -> Path:
    """Write a sheet and the instructions beside it.

    Args:
        sheet: as ``label_sheet`` gives it.
        out: its file.
        written: the instructions.

    Returns:
        Where the instructions are.

    Raises:
        InputError: an ending that is no table's.
    """
    write_table(sheet, out)
    beside = instructions_path(out)
    with replacing(beside) as temporary:
        temporary.write_text(written, encoding="utf-8", newline="\n")
    return beside
