"""Reading of a written workbook: every sheet as a table of texts, without empty rows."""

import polars as pl
from python_calamine import CalamineWorkbook


def sheets_of(path):
    """Return the sheets of a workbook by name; whole numbers have no decimals, an empty cell is null."""
    book = CalamineWorkbook.from_path(str(path))
    return {name: _table(book.get_sheet_by_name(name).to_python()) for name in book.sheet_names}


def _table(rows):
    rows = [[_text(cell) for cell in row] for row in rows]
    filled = [row for row in rows if any(cell is not None for cell in row)]
    schema = {f"column_{number}": pl.String for number in range(max(map(len, filled), default=0))}
    return pl.DataFrame(filled, schema=schema, orient="row")


def _text(cell):
    if cell == "":
        return None
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)
