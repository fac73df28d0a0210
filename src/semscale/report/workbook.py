"""Documents as Excel workbooks: a sheet for each section, with numeric cells and native charts."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import assert_never

from semscale.report import document as blocks
from semscale.report.document import (
    Cell,
    Compared,
    Count,
    Decision,
    Document,
    Headline,
    Label,
    Line,
    Marked,
    Number,
    Quoted,
    Section,
    Share,
    WithInterval,
    flat,
)
from semscale.report.formatting import (
    capitalise,
    cell_text,
    clip_text,
    count_of,
    coverage,
    end_sentence,
    has_interval,
    heading_text,
    line_text,
)
from semscale.report.sheet_charts import PlacedChart, is_readable, place_charts, write_charts
from semscale.report.sheets import FONT, INTERVAL_ENDS, MarkedText, Sheet, SheetFormats, Value
from semscale.store.writing import LONGEST_CELL, open_workbook

_SUMMARY = "Summary"
ORIGIN = "How this was made"
"""Name of the last sheet."""

ORIGIN_SENTENCE = "Settings, citations and signature."
"""Sentence on the last sheet."""

_PRINTED_ROWS = 60  # of a table; a longer one is for searching on the screen
_MOST_WIDE_TEXTS, _TEXTS_WIDTH = 2, 104  # texts of an item next to each other, and their width together
_SENTENCE = 240  # characters of a section's sentence in the summary
_HIGH, _MIDDLE, _LOW = "#6798c2", "#ffffff", "#e8bd8e"  # of a colour scale
_ENDS, _NOTE = INTERVAL_ENDS, "note"
_SPACE = re.compile(r"\s+")


def write_report_workbook(
    document: Document, path: Path, _pictures: Mapping[int, PurePath] | None = None
) -> None:
    """Write a document as a workbook.

    Numbers are numeric cells: the ends of an interval have narrow columns beside its figure, a share is
    formatted in percent, and a missing number is an empty cell. Notes of cells, such as the reason for a
    missing interval, have a separate column. Texts are never formulas or links. Charts are drawn from cells
    below the printed part of a sheet.

    Args:
        document: what to show.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with open_workbook(path, font=FONT) as workbook:
        formats = SheetFormats(workbook)
        summary = Sheet(workbook, _SUMMARY, formats)
        names = []
        for section in document.sections:
            if section.full:
                sheet = Sheet(workbook, line_text(section.title), formats)
                names.append((sheet.name, _sentence(section)))
                _write_section(sheet, section)
        if document.signature is not None or document.settings or document.hints:
            sheet = Sheet(workbook, ORIGIN, formats)
            names.append((sheet.name, ORIGIN_SENTENCE))
            write_origin(sheet, document)
        _write_summary(summary, document, names)


def _sentence(section: Section) -> str:
    """Return a sentence on a section: what was found, or what a paragraph, a figure or a table is about."""
    entries = list(flat(section.full))
    paragraphs = [entry for entry in entries if isinstance(entry, blocks.Paragraph)]
    sentences = (
        " ".join(map(end_sentence, section.findings)),
        *(line_text(entry.text) for entry in paragraphs if entry.style in ("lead", "plain")),
        *(entry.description for entry in entries if isinstance(entry, blocks.Figure)),
        *(line_text(entry.items[0][1]) for entry in entries if isinstance(entry, blocks.Findings)),
        *(line_text(entry.text) for entry in paragraphs),
        *(entry.note for entry in entries if isinstance(entry, blocks.DataTable)),
        *(
            f"{count_of(len(entry.items), entry.noun)}."
            for entry in entries
            if isinstance(entry, blocks.Items)
        ),
        *(
            f"{count_of(len(entry.items), 'item')}."
            for entry in entries
            if isinstance(entry, blocks.ComparedItems)
        ),
    )
    return clip_text(next(filter(None, sentences), ""), _SENTENCE).shown


def _write_section(sheet: Sheet, section: Section) -> None:
    title = line_text(section.title)
    if section.level is not None:
        title = f"{title}{'' if title.endswith('?') else ':'} {section.level[0]}"
    sheet.line(title, "title")
    sheet.link(0, _SUMMARY, "Back to the summary")
    sheet.row += 2
    charts: list[PlacedChart] = []
    for block in flat(section.full):
        charts += _write_block(sheet, block)
    _finish(sheet, charts)


def _finish(sheet: Sheet, charts: Sequence[PlacedChart]) -> None:
    """Write the data of a sheet's charts below its printed part, and lay the sheet out."""
    sheet.end_of_print()
    if charts:
        sheet.row += 1
        sheet.line("Data of the charts", "heading")
        write_charts(sheet, charts)
    sheet.finish()


def _write_summary(sheet: Sheet, document: Document, sheets: Sequence[tuple[str, str]]) -> None:
    """Write the summary: the lead, cautions and facts, and links to the other sheets with a sentence each."""
    sheet.line(line_text(document.title), "title")
    source = ", ".join(map(line_text, document.source))
    sheet.line(f"{capitalise(document.kind)}: {source}" if source else capitalise(document.kind), "note")
    sheet.row += 1
    for warning in document.sentences("warning"):
        sheet.line(f"Warning: {warning}", "warning")
    charts = _write_lead(sheet, document)
    for sentence in document.full_introduction:
        sheet.line(line_text(sentence))
    sheet.line(document.next_step, "warning")
    for caution in document.sentences("caution"):
        sheet.line(f"Note: {caution}", "note")
    sheet.row += 1
    _write_named_values(sheet, document.facts)
    sheet.line("Sheets", "heading")
    for name, sentence in sheets:
        sheet.link(0, name, name)
        sheet.beside(1, sentence)
        sheet.row += 1
    if _has_intervals(document):
        sheet.row += 1
        sheet.line("Small grey figures beside a figure are the ends of its interval.", "note")
    _finish(sheet, charts)


def _has_intervals(document: Document) -> bool:
    """Return true if a table of a document has an interval."""
    entries = [entry for section in document.sections for entry in flat(section.full)]
    tables = [entry.table if isinstance(entry, blocks.Figure) else entry for entry in entries]
    cells = (
        cell for table in tables if isinstance(table, blocks.DataTable) for row in table.rows for cell in row
    )
    figures = (cell.figure if isinstance(cell, Compared) else cell for cell in cells)
    return any(isinstance(figure, WithInterval) and has_interval(figure) for figure in figures)


def _write_lead(sheet: Sheet, document: Document) -> list[PlacedChart]:
    match document.lead:
        case Headline(name, value, _, interval, advice=advice):
            covered = f" ({coverage(interval)} interval)" if has_interval(value) else ""
            _write_rows(sheet, ("", f"estimate{covered}"), [(Label(name), value)])
            sheet.line(advice)
        case blocks.Figure() as figure:
            return _write_block(sheet, figure)
        case Decision(text, _, about):
            sheet.line(f"{capitalise(text)}: {line_text(about)}", "heading")
    return []


def write_origin(sheet: Sheet, document: Document) -> None:
    """Write how a document was made: what else can be done, settings, citations and signature.

    Args:
        sheet: an empty sheet.
        document: the document.
    """
    sheet.line(ORIGIN, "title")
    sheet.row += 1
    for hint in document.hints:
        sheet.line(hint)
    sheet.row += 1 if document.hints else 0
    for name, value in document.settings:
        _write_named_text(sheet, name, line_text(value))
    sheet.row += 1
    if document.citations:
        sheet.line("How to cite", "heading")
    for work in document.citations:
        sheet.line(f"{work.authors} {work.title}. {work.place}. ({work.use}) {work.url}".strip())
    sheet.row += 1
    if document.signature is not None:
        sheet.line("Signature", "heading")
        sheet.line(str(document.signature))
    sheet.line("Two results may be compared only where their signatures agree.", "note")
    sheet.finish()


def _write_block(sheet: Sheet, block: blocks.Block) -> list[PlacedChart]:
    """Write a block, and return its charts, whose data come later."""
    match block:
        case blocks.Figure():
            return _write_figure(sheet, block)
        case blocks.SideBySide():
            return [chart for entry in flat([block]) for chart in _write_block(sheet, entry)]
        case _:
            _write_texts_and_tables(sheet, block)
            return []


def _write_figure(sheet: Sheet, figure: blocks.Figure) -> list[PlacedChart]:
    """Place the charts of a figure above its table, which has colours or bars in its cells otherwise."""
    data = (*filter(is_readable, figure.data), *(() if figure.scatter is None else (figure.scatter,)))
    charts = place_charts(sheet, data)
    sheet.line(figure.caption, "note")
    if figure.scatter is None or len(figure.scatter.x) <= _PRINTED_ROWS:  # the chart's data are its table
        _write_table(sheet, figure.table, is_coloured=not figure.data and figure.scatter is None)
    return charts


def _write_texts_and_tables(  # noqa: C901 - one case for each kind of block
    sheet: Sheet, block: blocks.Block
) -> None:
    match block:
        case blocks.Paragraph(text, style):
            look = style if style in {"note", "heading"} else "text"
            sheet.line(heading_text(text) if style == "heading" else line_text(text), look)
        case blocks.DataTable():
            _write_table(sheet, block)
        case blocks.Items():
            _write_items(sheet, block)
        case blocks.ComparedItems():
            _write_comparisons(sheet, block)
        case blocks.Verbatims(columns):
            for title, texts in columns:
                sheet.line(capitalise(title), "heading")
                heads = ("text", "row", "mean", "entropy", *(f"point {n + 1}" for n in range(_points(block))))
                _write_rows(sheet, heads, [
                    (text.text, Count(text.row), text.mean, text.entropy, *map(Share, text.pmf))
                    for text in texts
                ])  # fmt: skip
        case blocks.Findings(items):
            for level, reason in items:
                _write_named_text(sheet, level, line_text(reason))
        case blocks.Reasons(reasons, noun):
            heads = ("reason", f"{noun}s", "share", "what it means", "example")
            _write_rows(sheet, heads, [
                (Label(entry.status), Count(entry.n), Share(entry.share), Label(entry.meaning),
                 entry.examples[0][1] if entry.examples else Label(""))
                for entry in reasons
            ])  # fmt: skip
        case blocks.Figure() | blocks.SideBySide():
            raise TypeError(f"{type(block).__name__} has charts, see _write_block")
        case _:
            assert_never(block)


def _write_table(sheet: Sheet, table: blocks.DataTable, *, is_coloured: bool = False) -> None:
    sheet.line(heading_text(table.title), "heading")
    _write_rows(sheet, table.columns, table.rows, is_coloured=is_coloured)
    sheet.line(table.note, "note")


def _write_items(sheet: Sheet, block: blocks.Items) -> None:
    """Write a row for each item, for sorting and filtering; equal headings get separate columns."""
    rows: list[dict[tuple[int, str | Quoted, int], Cell]] = []
    for item in block.items:
        cells: dict[tuple[int, str | Quoted, int], Cell] = {}
        for position, head, cell in _item_cells(item, block.noun):
            repeats = sum(key[:2] == (position, head) for key in cells)
            cells[position, head, repeats] = cell
        rows.append(cells)
    columns = sorted(dict.fromkeys(column for cells in rows for column in cells), key=lambda entry: entry[0])
    if (n_texts := sum(position == 0 for position, _, _ in columns)) > _MOST_WIDE_TEXTS:
        for column in range(n_texts):
            sheet.fix(column, _TEXTS_WIDTH / n_texts)
    if block.guards:
        legend = [(Label(guard), Label(meaning), Count(n)) for guard, meaning, n in block.guards]
        _write_rows(sheet, ("guard", "what it found", f"{block.noun}s"), legend)
    heads = [head for _, head, _ in columns]
    _write_rows(sheet, heads, [[cells.get(column, Label("")) for column in columns] for cells in rows])


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
            _write_named_text(sheet, "input", cell_text(_whole(item.input)))
        for pair in item.pairs:
            sides = zip((pair.baseline, pair.candidate), pair.names, pair.absent, strict=True)
            for text, name, absent in sides:
                _write_named_text(sheet, name, absent if text is None else cell_text(_whole(text)))
            for guard, reason in pair.findings:
                _write_named_text(sheet, guard, reason)
            for named, value in pair.figures:
                sheet.cells([line_text(named), *_values(value)])


def _write_named_text(sheet: Sheet, name: str, text: str) -> None:
    """Write a name, and a text as wide as the sheet beside it."""
    sheet.put(0, name)
    sheet.beside(1, text)
    sheet.row += 1


def _write_named_values(sheet: Sheet, entries: Iterable[tuple[Line, Cell]]) -> None:
    """Write names with their values, one per row."""
    _write_rows(sheet, ("", ""), [(Label(line_text(name)), value) for name, value in entries])


def _write_rows(
    sheet: Sheet,
    columns: Sequence[str | Quoted],
    rows: Iterable[Sequence[Cell]],
    *,
    is_coloured: bool = False,
) -> None:
    """Write a table; columns with intervals or notes get further columns for them.

    Args:
        sheet: the sheet.
        columns: headings.
        rows: cells of each row.
        is_coloured: true to colour shares, or all numbers of a matrix, by their value.
    """
    rows = [_name_row(row) for row in rows]
    parts = [_parts([row[position] for row in rows]) for position in range(len(columns))]
    written = [_row_values(row, parts) for row in rows]
    if len(written) > _PRINTED_ROWS:
        sheet.line(f"Of {count_of(len(written), 'row')}, the first {_PRINTED_ROWS} are printed.", "note")
    _write_heads(sheet, columns, parts, written)
    looks = [look for further in parts for look in ("", *further)]
    usual = "list" if len(written) > _PRINTED_ROWS else "text"
    first = sheet.row
    for number, values in enumerate(written):
        if number == _PRINTED_ROWS:
            sheet.end_of_print()
        for column, (value, look) in enumerate(zip(values, looks, strict=True)):
            is_inner = column > 0 and usual == "text" and not isinstance(value, tuple)
            sheet.put(column, value, look if look in _ENDS else "inner" if is_inner else usual)
        sheet.row += 1
    if is_coloured and rows:
        _colour(sheet, first, rows)
    elif len(rows) > 1:
        _draw_bars(sheet, first, rows, parts)
    sheet.row += 1


def _name_row(row: Sequence[Cell]) -> Sequence[Cell]:
    """Let the name of a row start with a capital if it is a phrase of Semscale."""
    first, *others = row
    return (replace(first, text=capitalise(first.text)), *others) if isinstance(first, Label) else row


def _write_heads(
    sheet: Sheet,
    columns: Sequence[str | Quoted],
    parts: Sequence[Sequence[str]],
    written: Sequence[Sequence[Value]],
) -> None:
    """Write the headings of a table, unless all are empty; that of a figure is above its interval, too."""
    names = [heading_text(head) for head in columns]
    if not any(names):
        return
    column = 0
    for name, further in zip(names, parts, strict=True):
        ends = [part for part in further if part in _ENDS]
        is_number = any(isinstance(row[column], tuple) for row in written)
        if ends:
            sheet.across(column, column + len(ends), name, "span head")
        else:
            sheet.put(column, name, "number head" if is_number else "inner head" if column else "head")
        column += 1 + len(ends)
        if _NOTE in further:
            sheet.put(column, f"{name}, {_NOTE}" if name else _NOTE, "inner head")
            column += 1
    sheet.row += 1


def _row_values(row: Sequence[Cell], parts: Sequence[Sequence[str]]) -> list[Value]:
    values: list[Value] = []
    for cell, further in zip(row, parts, strict=True):
        figure, *ends = _figures(cell)
        known = dict(zip(_ENDS, ends, strict=False)) | {_NOTE: _note(cell)}
        values += [figure, *(known.get(part, "") for part in further)]
    return values


def _draw_bars(
    sheet: Sheet, first: int, rows: Sequence[Sequence[Cell]], parts: Sequence[Sequence[str]]
) -> None:
    """Draw bars behind the shares of a table, unless some are negative."""
    position = 0
    for column, further in enumerate(parts):
        shares = {number: row[column] for number, row in enumerate(rows) if _is_share(row[column])}
        values = [cell.value for cell in shares.values() if isinstance(cell, Share | WithInterval)]
        start, stop = min(shares, default=0), max(shares, default=0)
        is_whole = len(shares) == stop - start + 1 > 1
        if is_whole and not any(value < 0 for value in values if value is not None):
            sheet.draw_bars((first + start, first + stop), [position])
        position += 1 + len(further)


def _is_share(cell: Cell) -> bool:
    return isinstance(cell, Share) or (isinstance(cell, WithInterval) and cell.is_share)


def _colour(sheet: Sheet, first: int, rows: Sequence[Sequence[Cell]]) -> None:
    """Colour the shares of a table, or all numbers of a matrix, from low to high; 0 stays white."""
    kinds = (Share,) if any(isinstance(cell, Share) for cell in rows[0]) else (Number,)
    columns = [column for column, cell in enumerate(rows[0]) if isinstance(cell, kinds)]
    numbers = [
        float(cell.value)
        for row in rows
        for cell in (row[column] for column in columns)
        if isinstance(cell, Share | Number) and cell.value is not None and math.isfinite(cell.value)
    ]
    if not numbers:
        return
    scale = {"min_type": "num", "max_type": "num", "max_color": _HIGH, "max_value": max(*numbers, 1e-9)}
    if min(numbers) < 0:
        scale |= {"type": "3_color_scale", "min_value": min(numbers), "min_color": _LOW}
        scale |= {"mid_type": "num", "mid_value": 0, "mid_color": _MIDDLE}
    else:
        scale |= {"type": "2_color_scale", "min_value": 0, "min_color": _MIDDLE}
    sheet.sheet.conditional_format(first, columns[0], first + len(rows) - 1, columns[-1], scale)


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
        case Compared(compared):
            return _figures(compared)
        case WithInterval(value, low, high, digits, is_share):
            shown = _percent(1) if is_share else _decimals(digits)
            # As in text, only the figure shows its sign, not the interval.
            return [
                (value, _sign_format(shown) if cell.signed else shown),
                (low, f'{shown}" to"'),
                (high, shown),
            ]
        case Number(value, most=most) if most is not None and value == math.inf:
            return [cell_text(cell)]
        case Number(value, digits, signed, least, most):
            shown = _sign_format(_decimals(digits)) if signed else _decimals(digits)
            below = "" if least is None else f'[<{least:g}]"< {least:g}";'
            above = "" if most is None else f'[>{most:.12g}]"> {most:,.12g}";'
            return [(value, f"{below}{above}{shown}")]
        case Share(value, digits):
            return [(value, _percent(digits))]
        case Marked(pieces):
            return [
                MarkedText(tuple((_SPACE.sub(" ", part.text), part.guard is not None) for part in pieces))
            ]
        case Count(value, is_small):
            return [(value, '#,##0"*"' if is_small else "#,##0")]
        case _:
            return [cell_text(_whole(cell))]


def _decimals(digits: int | None) -> str:
    return "General" if digits is None else f"0.{'0' * digits}" if digits else "0"


def _percent(digits: int) -> str:
    return f"{_decimals(digits)} %"


def _sign_format(shown: str) -> str:
    return f"+{shown};\N{MINUS SIGN}{shown};{shown}"


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
