"""Documents as Excel workbooks: one sheet a section, with real numbers and pictures of the charts."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import assert_never

from semscale.report.charts.svg import rasterized
from semscale.report.document import blocks
from semscale.report.document.document import Decision, Document, Headline, Rates, flat
from semscale.report.document.values import Cell, Count, Number, Quoted, Share, WithInterval, Words
from semscale.report.render.cells import cell_text, heading_text, line_text
from semscale.report.render.histograms import as_figure
from semscale.report.render.pictures import figure_svg
from semscale.report.render.sheet import Sheet, SheetFormats, Value
from semscale.report.wording import capitalised
from semscale.store.workbook import opened_workbook


def write_report_workbook(document: Document, path: Path) -> None:
    """Write a document as a workbook.

    Numbers are numbers: an interval takes three columns, a share is formatted in percent, and what does not
    exist is an empty cell. Texts are never formulas or links.

    Args:
        document: what to show.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with opened_workbook(path) as workbook:
        formats = SheetFormats(workbook)
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
    sheet.space()
    _lead(sheet, document)
    for sentence in document.reading or document.counting:
        sheet.line(line_text(sentence))
    for caution in document.cautions:
        sheet.line(f"Note: {caution}", "warning")
    sheet.space()
    for name, value in document.facts:
        sheet.cells([name, *_values(value, spread=False)])


def _lead(sheet: Sheet, document: Document) -> None:
    match document.lead:
        case Headline(name, value):
            _rows(sheet, ("", "estimate"), [(Words(name), value)])
        case Rates(figures):
            _rows(sheet, ("", "estimate"), [(Words(unit), rate) for rate, unit in figures])
        case Decision(text, _, about):
            sheet.cells([capitalised(text), about])


def _method(sheet: Sheet, document: Document) -> None:
    sheet.line("How to repeat and cite this", "title")
    sheet.cells(["Signature", str(document.signature)])
    for name, value in document.settings:
        sheet.cells([name, line_text(value)])
    sheet.space()
    for work in document.citations:
        sheet.line(f"{work.authors} {work.title}. {work.place}. ({work.use}) {work.url}".strip())


def _block(sheet: Sheet, block: blocks.Block) -> None:  # noqa: C901, PLR0912 - one case for each kind of block
    match block:
        case blocks.Paragraph(text, style):
            sheet.line(line_text(text), "note" if style == "note" else "text")
        case blocks.Subheading(text):
            sheet.line(capitalised(line_text(text)), "heading")
        case blocks.DataTable():
            _table(sheet, block)
        case blocks.Figure() | blocks.Histogram():
            _figure(sheet, block)
        case blocks.Items():
            _items(sheet, block)
        case blocks.ComparedItems():
            _compared(sheet, block)
        case blocks.Verbatims(columns):
            for title, texts in columns:
                sheet.line(capitalised(title), "heading")
                heads = ("text", "row", "mean", "entropy", *(f"point {n + 1}" for n in range(_points(block))))
                _rows(sheet, heads, [
                    (one.text, Count(one.row), one.mean, one.entropy, *map(Share, one.pmf)) for one in texts
                ])  # fmt: skip
        case blocks.Findings(items):
            for level, reason in items:
                sheet.cells([level, line_text(reason)])
        case blocks.Badge(text, _, before):
            sheet.line(f"{before} {text}".strip(), "heading")
        case blocks.Shares(parts):
            _rows(sheet, ("part", "share"), [(Words(name), Share(share)) for name, _, share in parts])
        case blocks.Definitions(entries, title):
            sheet.line(title, "heading")
            for name, value in entries:
                sheet.cells([line_text(name), *_values(value, spread=False)])
        case blocks.Reasons(reasons, noun):
            heads = ("reason", f"{noun}s", "share", "what it means", "example")
            _rows(sheet, heads, [
                (Words(one.status), Count(one.n), Share(one.share), Words(one.meaning),
                 one.examples[0][1] if one.examples else Words(""))
                for one in reasons
            ])  # fmt: skip
        case blocks.SideBySide():
            for one in flat([block]):
                _block(sheet, one)
        case _:
            assert_never(block)


def _table(sheet: Sheet, table: blocks.DataTable) -> None:
    sheet.line(capitalised(line_text(table.title)), "heading")
    _rows(sheet, table.columns, table.rows)
    sheet.line(table.note, "note")


def _figure(sheet: Sheet, figure: blocks.Figure | blocks.Histogram) -> None:
    drawn = as_figure(figure)
    sheet.picture(rasterized(figure_svg(figure)), drawn.description)
    sheet.line(drawn.caption, "note")
    _table(sheet, drawn.table)


def _items(sheet: Sheet, block: blocks.Items) -> None:
    """Write one row an item, so that a reader can sort and filter them; equal headings are told apart."""
    rows: list[dict[tuple[int, str | Quoted, int], Cell]] = []
    for item in block.items:
        met: Counter[tuple[int, str | Quoted]] = Counter()
        cells: dict[tuple[int, str | Quoted, int], Cell] = {}
        for place, head, cell in _item_cells(item, block.noun):
            met[place, head] += 1
            cells[place, head, met[place, head]] = cell
        rows.append(cells)
    columns = sorted(dict.fromkeys(column for cells in rows for column in cells), key=lambda one: one[0])
    sheet.widen(sum(place == 0 for place, _, _ in columns))
    if block.guards:
        found = [(Words(guard), Words(meaning), Count(n)) for guard, meaning, n in block.guards]
        _rows(sheet, ("guard", "what it found", f"{block.noun}s"), found)
    heads = [head for _, head, _ in columns]
    _rows(sheet, heads, [[cells.get(column, Words("")) for column in columns] for cells in rows])


def _item_cells(item: blocks.ItemCard, noun: str) -> Iterator[tuple[int, str | Quoted, Cell]]:
    """Give the cells of an item: where among the columns, below which heading, and what."""
    yield from ((0, name or "also", text) for name, text in item.texts)
    yield 1, "score", item.score
    yield 2, noun, Count(item.row)
    yield from ((3, "", Words(line_text(label))) for label in item.labels)
    yield from ((4, line_text(name), value) for name, value in item.parts)
    if item.findings:
        yield 5, "found", Words("; ".join(f"{guard}: {reason}" for guard, reason in item.findings))
    for one in item.replies:
        yield 6, one.judge, one.score
        yield 6, "said", Quoted(f"{one.status}: {one.words.text}") if one.status else one.words
    heading, lines = item.details
    if lines:
        yield 7, heading, Words("; ".join(lines))


def _compared(sheet: Sheet, block: blocks.ComparedItems) -> None:
    for item in block.items:
        harm = _values(item.harm, spread=False)
        sheet.cells([line_text(item.id), "harm", *harm, *map(line_text, item.labels)], "heading")
        if item.input is not None:
            sheet.cells(["input", cell_text(_whole(item.input))])
        for pair in item.pairs:
            sides = zip((pair.baseline, pair.candidate), pair.names, pair.absent, strict=True)
            for text, name, absent in sides:
                sheet.cells([name, absent if text is None else cell_text(_whole(text))])
            for guard, reason in pair.findings:
                sheet.cells([guard, reason])
            for named, value in pair.figures:
                sheet.cells([line_text(named), *_values(value, spread=False)])
        for named, value in item.drifts:
            sheet.cells([f"drift: {line_text(named)}", *_values(value, spread=False)])


def _rows(sheet: Sheet, columns: Sequence[str | Quoted], rows: Iterable[Sequence[Cell]]) -> None:
    """Write a table; a column with an interval in any row takes three."""
    rows = list(rows)
    is_spread = [any(isinstance(row[place], WithInterval) for row in rows) for place in range(len(columns))]
    heads: list[Value] = []
    for head, spread in zip(columns, is_spread, strict=True):
        name = heading_text(head)
        heads += [name, f"{name}, low".lstrip(", "), f"{name}, high".lstrip(", ")] if spread else [name]
    sheet.cells(heads, "head")
    for row in rows:
        cells = zip(row, is_spread, strict=True)
        sheet.cells([value for cell, spread in cells for value in _values(cell, spread=spread)])
    sheet.space()


def _values(cell: Cell, *, spread: bool) -> list[Value]:
    """Give what a cell writes: a text, or a number with its format; three of them where it is spread."""
    match cell:
        case WithInterval(value, low, high, digits, is_share):
            look = "0.0 %" if is_share else _decimals(digits)
            figures: list[Value] = [(value, look), (low, look), (high, look)]
            return figures if spread else [cell_text(cell)]
        case Number(number, digits):
            found: Value = (number, _decimals(digits))
        case Share(number, digits):
            found = (number, "0 %" if digits == 0 else "0.0 %")
        case Count(number):
            found = (number, "#,##0")
        case Words(text):
            found = text
        case _:
            found = cell_text(_whole(cell))
    return [found, "", ""] if spread else [found]


def _decimals(digits: int | None) -> str:
    return "General" if digits is None else f"0.{'0' * digits}" if digits else "0"


def _whole(cell: Cell) -> Cell:
    """Give a user's text with all that a cell can hold, instead of its beginning."""
    return Quoted(cell.text, Sheet.LONGEST) if isinstance(cell, Quoted) else cell


def _points(block: blocks.Verbatims) -> int:
    return max((len(one.pmf) for _, texts in block.columns for one in texts), default=0)
