"""Documents as Excel workbooks: a sheet for each section, with numeric cells and chart images."""

import io
import math
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePath
from typing import Any, assert_never

from semscale.report import document as blocks
from semscale.report.chart_kit import figure_svg, rasterize
from semscale.report.document import (
    Cell,
    Compared,
    Count,
    Decision,
    Document,
    Headline,
    Label,
    Line,
    Number,
    Quoted,
    Share,
    WithInterval,
    flat,
)
from semscale.report.formatting import (
    capitalise,
    cell_text,
    coverage,
    has_interval,
    heading_text,
    line_text,
    printable,
)
from semscale.store.writing import LONGEST_CELL, open_workbook

Value = str | tuple[float | None, str]
"""A text, or a number with its format; the cell is empty for ``None``, NaN and infinity."""

_LONGEST_NAME = 31  # characters, as Excel allows
_FORBIDDEN = str.maketrans(dict.fromkeys("[]:*?/\\'", " "))
_SCALE = 0.5  # PNG pixels are twice as fine as the drawing's
_ROW_PIXELS = 20
_TEXT_WIDTH = 52
_WIDTHS = (36, 18, 14, 14, 14, 14)
_LOOKS: Mapping[str, Mapping[str, object]] = {
    "text": {},
    "title": {"bold": True, "font_size": 16},
    "heading": {"bold": True, "font_size": 12, "top": 1, "top_color": "#e3e0d8"},
    "head": {"bold": True, "bottom": 1, "font_color": "#56616f"},
    "note": {"font_color": "#56616f"},
    "warning": {"font_color": "#8a5300"},
}


class SheetFormats:
    """Cache of a workbook's formats.

    Args:
        workbook: XlsxWriter workbook.
        looks: properties of XlsxWriter formats, by name.
    """

    def __init__(self, workbook: Any, looks: Mapping[str, Mapping[str, object]]) -> None:
        self._workbook, self._looks = workbook, looks
        self._formats: dict[tuple[str, str], Any] = {}

    def format(self, look: str, number: str = "") -> Any:
        """Return the format with a look and an Excel number format."""
        if (look, number) not in self._formats:
            shown = {"num_format": number} if number else {}
            self._formats[look, number] = self._workbook.add_format({**self._looks[look], **shown})
        return self._formats[look, number]


class Sheet:
    """A sheet of a workbook that is written row by row.

    Attributes:
        name: name of the sheet; cut and numbered if Excel would refuse it.
        sheet: XlsxWriter worksheet.
        row: index of the next row, from 0.

    Args:
        workbook: XlsxWriter workbook.
        name: name of the sheet.
        formats: formats of the workbook.
        widths: widths of the first columns, in characters.
    """

    def __init__(
        self,
        workbook: Any,
        name: str,
        formats: SheetFormats,
        widths: Sequence[int] = _WIDTHS,
    ) -> None:
        self.name = free_sheet_name(name, {s.lower() for s in workbook.sheetnames})
        self.sheet = workbook.add_worksheet(self.name)
        self.sheet.hide_gridlines(2)
        self.formats = formats
        self.row = 0
        for column, width in enumerate(widths):
            self.sheet.set_column(column, column, width)

    def put(self, column: int, value: Value, look: str = "text") -> None:
        """Write one cell of the row if there is a value."""
        if isinstance(value, str):
            if value:
                shown = printable(value)[:LONGEST_CELL]
                self.sheet.write_string(self.row, column, shown, self.formats.format(look))
        elif value[0] is not None and math.isfinite(value[0]):
            self.sheet.write_number(self.row, column, float(value[0]), self.formats.format(look, value[1]))

    def cells(self, values: Iterable[Value], look: str = "text") -> None:
        """Write a row and go to the next."""
        for column, value in enumerate(values):
            self.put(column, value, look)
        self.row += 1

    def line(self, text: str, look: str = "text") -> None:
        """Write a row with one text, unless it is empty."""
        if text:
            self.cells([text], look)

    def picture(self, png: bytes, description: str) -> None:
        """Insert an image at the current row, and continue below it."""
        (height,) = struct.unpack(">I", png[20:24])  # of the PNG's header
        scale = {"x_scale": _SCALE, "y_scale": _SCALE}
        settings = {"image_data": io.BytesIO(png), **scale, "description": description}
        self.sheet.insert_image(self.row, 0, "figure.png", settings)
        self.row += int(height * _SCALE) // _ROW_PIXELS + 2


def free_sheet_name(name: str, names: set[str]) -> str:
    """Shorten and number a name until it is valid in Excel and unique.

    Args:
        name: name of the sheet's subject.
        names: names of other sheets, in lower case.
    """
    clean = " ".join(printable(name).translate(_FORBIDDEN).split()) or "Sheet"
    free, number = _shorten_name(clean, _LONGEST_NAME), 2
    while free.lower() in names:
        ending = f" {number}"
        free, number = _shorten_name(clean, _LONGEST_NAME - len(ending)) + ending, number + 1
    return free


def _shorten_name(name: str, limit: int) -> str:
    """Cut a name before a comma, or otherwise between two words."""
    if len(name) <= limit:
        return name
    cut = name[: limit + 1]
    for separator in (", ", " "):
        if separator in cut:
            return cut.rpartition(separator)[0]
    return name[:limit]


_ENDS, _NOTE = ("low", "high"), "note"


def write_report_workbook(
    document: Document, path: Path, _pictures: Mapping[int, PurePath] | None = None
) -> None:
    """Write a document as a workbook.

    Numbers are numeric cells: an interval takes three columns, a share is formatted in percent, and a missing
    number is an empty cell. Notes of cells, such as the reason for a missing interval, have a separate
    column. Texts are never formulas or links.

    Args:
        document: what to show.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with open_workbook(path) as workbook:
        formats = SheetFormats(workbook, _LOOKS)
        _summary(Sheet(workbook, "Summary", formats), document)
        for section in document.sections:
            if section.full:
                title = line_text(section.title)
                sheet = Sheet(workbook, title, formats)
                sheet.line(title if section.level is None else f"{title}: {section.level[0]}", "title")
                for block in flat(section.full):
                    _block(sheet, block)
        if document.signature is not None:
            _method(Sheet(workbook, "Method", formats), document)


def _summary(sheet: Sheet, document: Document) -> None:
    sheet.line(line_text(document.title), "title")
    sheet.line(f"Semscale {document.kind}", "note")
    for part in document.source:
        sheet.line(line_text(part), "note")
    sheet.row += 1
    for warning in document.sentences("warning"):
        sheet.line(f"Warning: {warning}", "warning")
    _lead(sheet, document)
    for sentence in document.full_introduction:
        sheet.line(line_text(sentence))
    sheet.line(document.next_step, "warning")
    for caution in document.sentences("caution"):
        sheet.line(f"Note: {caution}", "warning")
    sheet.row += 1
    _write_named_values(sheet, document.facts)


def _lead(sheet: Sheet, document: Document) -> None:
    match document.lead:
        case Headline(name, value, _, interval, advice=advice):
            _estimates(sheet, [(value, name)], interval)
            sheet.line(advice)
        case blocks.Figure() as figure:
            _block(sheet, figure)
        case Decision(text, _, about):
            sheet.cells([capitalise(text), line_text(about)])


def _estimates(sheet: Sheet, figures: Sequence[tuple[WithInterval, str]], interval: float) -> None:
    covered = f" ({coverage(interval)} interval)" if any(has_interval(value) for value, _ in figures) else ""
    _rows(sheet, ("", f"estimate{covered}"), [(Label(name), value) for value, name in figures])


def _method(sheet: Sheet, document: Document) -> None:
    sheet.line("How to reproduce and cite this", "title")
    for name, value in document.settings:
        sheet.cells([name, line_text(value)])
    sheet.row += 1
    for work in document.citations:
        sheet.line(f"{work.authors} {work.title}. {work.place}. ({work.use}) {work.url}".strip())
    sheet.cells(["Signature", str(document.signature)])


def _block(sheet: Sheet, block: blocks.Block) -> None:  # noqa: C901, PLR0912 - one case for each kind of block
    match block:
        case blocks.Paragraph(text, style):
            look = style if style in {"note", "heading"} else "text"
            sheet.line(heading_text(text) if style == "heading" else line_text(text), look)
        case blocks.DataTable():
            _table(sheet, block)
        case blocks.Figure(description=description, caption=caption, table=table):
            sheet.picture(rasterize(figure_svg(block)), description)
            sheet.line(caption, "note")
            _table(sheet, table)
        case blocks.Items():
            _items(sheet, block)
        case blocks.ComparedItems():
            _write_comparisons(sheet, block)
        case blocks.Verbatims(columns):
            for title, texts in columns:
                sheet.line(capitalise(title), "heading")
                heads = ("text", "row", "mean", "entropy", *(f"point {n + 1}" for n in range(_points(block))))
                _rows(sheet, heads, [
                    (text.text, Count(text.row), text.mean, text.entropy, *map(Share, text.pmf))
                    for text in texts
                ])  # fmt: skip
        case blocks.Findings(items):
            for level, reason in items:
                sheet.cells([level, line_text(reason)])
        case blocks.Reasons(reasons, noun):
            heads = ("reason", f"{noun}s", "share", "what it means", "example")
            _rows(sheet, heads, [
                (Label(entry.status), Count(entry.n), Share(entry.share), Label(entry.meaning),
                 entry.examples[0][1] if entry.examples else Label(""))
                for entry in reasons
            ])  # fmt: skip
        case blocks.SideBySide():
            for entry in flat([block]):
                _block(sheet, entry)
        case _:
            assert_never(block)


def _table(sheet: Sheet, table: blocks.DataTable) -> None:
    sheet.line(heading_text(table.title), "heading")
    _rows(sheet, table.columns, table.rows)
    sheet.line(table.note, "note")


def _items(sheet: Sheet, block: blocks.Items) -> None:
    """Write a row for each item, for sorting and filtering; equal headings get separate columns."""
    rows: list[dict[tuple[int, str | Quoted, int], Cell]] = []
    for item in block.items:
        cells: dict[tuple[int, str | Quoted, int], Cell] = {}
        for position, head, cell in _item_cells(item, block.noun):
            repeats = sum(key[:2] == (position, head) for key in cells)
            cells[position, head, repeats] = cell
        rows.append(cells)
    columns = sorted(dict.fromkeys(column for cells in rows for column in cells), key=lambda entry: entry[0])
    if n_texts := sum(position == 0 for position, _, _ in columns):
        sheet.sheet.set_column(0, n_texts - 1, _TEXT_WIDTH)
    if block.guards:
        legend = [(Label(guard), Label(meaning), Count(n)) for guard, meaning, n in block.guards]
        _rows(sheet, ("guard", "what it found", f"{block.noun}s"), legend)
    heads = [head for _, head, _ in columns]
    _rows(sheet, heads, [[cells.get(column, Label("")) for column in columns] for cells in rows])


def _item_cells(item: blocks.ItemCard, noun: str) -> Iterator[tuple[int, str | Quoted, Cell]]:
    """Return the cells of an item: position of the column, heading and content."""
    yield from ((0, name or "also", text) for name, text in item.texts)
    yield 1, "score", item.score
    yield 2, noun, Count(item.row)
    for label in item.labels:
        yield 3, "group" if isinstance(label, Quoted) else "note", Label(line_text(label))
    yield from ((4, line_text(name), value) for name, value in item.parts)
    if item.findings:
        yield 5, "found", Label("; ".join(f"{guard}: {reason}" for guard, reason in item.findings))
    for entry in item.replies:
        yield 6, entry.judge, entry.score
        yield 6, "said", Quoted(f"{entry.status}: {entry.words.text}") if entry.status else entry.words
    heading, lines = item.details
    if lines:
        yield 7, heading, Label("; ".join(lines))


def _write_comparisons(sheet: Sheet, block: blocks.ComparedItems) -> None:
    for item in block.items:
        sheet.cells([line_text(item.id), *map(line_text, item.labels)], "heading")
        if item.input is not None:
            sheet.cells(["input", cell_text(_whole(item.input))])
        for pair in item.pairs:
            sides = zip((pair.baseline, pair.candidate), pair.names, pair.absent, strict=True)
            for text, name, absent in sides:
                sheet.cells([name, absent if text is None else cell_text(_whole(text))])
            for guard, reason in pair.findings:
                sheet.cells([guard, reason])
            for named, value in pair.figures:
                sheet.cells([line_text(named), *_values(value)])


def _write_named_values(sheet: Sheet, entries: Iterable[tuple[Line, Cell]]) -> None:
    """Write names with their values, one per row."""
    _rows(sheet, ("", ""), [(Label(line_text(name)), value) for name, value in entries])


def _rows(sheet: Sheet, columns: Sequence[str | Quoted], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a table; columns with intervals or notes get further columns for them."""
    rows = list(rows)
    parts = [_parts([row[position] for row in rows]) for position in range(len(columns))]
    heads: list[Value] = []
    for head, further in zip(columns, parts, strict=True):
        name = heading_text(head)
        heads += [name, *(f"{name}, {part}".removeprefix(", ") for part in further)]
    if any(heads):
        sheet.cells(heads, "head")
    for row in rows:
        values: list[Value] = []
        for cell, further in zip(row, parts, strict=True):
            figure, *ends = _figures(cell)
            known = dict(zip(_ENDS, ends, strict=False)) | {_NOTE: _note(cell)}
            values += [figure, *(known.get(part, "") for part in further)]
        sheet.cells(values)
    sheet.row += 1


def _parts(cells: Sequence[Cell]) -> list[str]:
    """Return the headings of the further columns that a table's column needs."""
    ends = _ENDS if any(isinstance(cell, WithInterval | Compared) for cell in cells) else ()
    return [*ends, *([_NOTE] if any(map(_note, cells)) else [])]


def _values(cell: Cell) -> list[Value]:
    """Return the values of a cell outside a table: figures, then the note."""
    return [*_figures(cell), _note(cell)]


def _figures(cell: Cell) -> Sequence[Value]:  # noqa: PLR0911 - one case for each kind of cell
    """Return a text, a number with its format, or three numbers for an interval."""
    match cell:
        case Compared(figure):
            return _figures(figure)
        case WithInterval(value, low, high, digits, is_share):
            shown = _percent(1) if is_share else _decimals(digits)
            # As in text, only the figure shows its sign, not the interval.
            return [(value, _sign_format(shown) if cell.signed else shown), (low, shown), (high, shown)]
        case Number(value, most=most) if most is not None and value == math.inf:
            return [cell_text(cell)]
        case Number(value, digits, signed, least, most):
            shown = _sign_format(_decimals(digits)) if signed else _decimals(digits)
            below = "" if least is None else f'[<{least:g}]"< {least:g}";'
            above = "" if most is None else f'[>{most:.12g}]"> {most:,.12g}";'
            return [(value, f"{below}{above}{shown}")]
        case Share(value, digits):
            return [(value, _percent(digits))]
        case Count(value, is_small):
            return [(value, '#,##0"*"' if is_small else "#,##0")]
        case _:
            return [cell_text(_whole(cell))]


def _decimals(digits: int | None) -> str:
    return "General" if digits is None else f"0.{'0' * digits}" if digits else "0"


def _percent(digits: int) -> str:
    return f"{_decimals(digits)} %"


def _sign_format(shown: str) -> str:
    return f"+{shown};-{shown};{shown}"


def _note(cell: Cell) -> str:
    """Return a cell's note; for a missing interval, the reason."""
    match cell:
        case Label(note=note):
            return note
        case WithInterval(note=note) if not has_interval(cell):
            return note
        case Compared(mark=mark, is_small=is_small):
            return f"{mark} {'*' if is_small else ''}".strip()
        case _:
            return ""


def _whole(cell: Cell) -> Cell:
    """Return a user's text up to the limit of a cell, instead of only its beginning."""
    return Quoted(cell.text, LONGEST_CELL) if isinstance(cell, Quoted) else cell


def _points(block: blocks.Verbatims) -> int:
    return max((len(entry.pmf) for _, texts in block.columns for entry in texts), default=0)
