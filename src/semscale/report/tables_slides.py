"""Crosstabs as slides: one per question and banner, with an editable native chart.

Shares are bars from 0. Means are points with intervals, as their axis need not start at 0.
"""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.extras import require
from semscale.report.chart_kit import INK, Axis, ink_on, ordinal
from semscale.report.formatting import capitalise, count, coverage, one_line, printable
from semscale.report.tables import finding, has_letters, table_notes

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_INCH, _POINT = 914_400, 12_700
_WIDTH, _HEIGHT = 13.333, 7.5
_MARGIN = 0.6
_COLOURS = ("#1f5fa8", "#5b8fc7", "#a9bcd0", "#e0a458", "#b5541c", "#6b4e71", "#3c7a57")
_GRID = "#d9d9d9"
_LONGEST_TITLE = 150
_TICKS = 5
_SHARE, _MEAN = "0%", "0.00"  # number formats


def write(summary: "Crosstabs", path: Path) -> None:
    """Write crosstabs as slides.

    A scale is a stacked bar per column, with its points from left to right. Other questions are clustered
    bars, one per answer and column. A question with only a mean has a point with its interval per column.
    Columns without respondents are omitted.

    Args:
        summary: the tables.
        path: the file.

    Raises:
        MissingExtraError: the extra ``slides`` is not installed.
        OSError: the file cannot be written.
    """
    require("slides")
    from pptx import Presentation

    deck = Presentation()
    deck.slide_width, deck.slide_height = int(_WIDTH * _INCH), int(_HEIGHT * _INCH)
    layout = next(layout for layout in deck.slide_layouts if layout.name == "Title Only")
    for table in summary.tables:
        _write_slide(deck.slides.add_slide(layout), table, summary)
    with path.open("wb") as file:
        deck.save(file)


def _write_slide(slide: Any, table: "Crosstab", summary: "Crosstabs") -> None:
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = _box(0.35, 1.0)
    _write_text(title.text_frame, [capitalise(finding(table))[:_LONGEST_TITLE]], size=24, is_bold=True)
    columns = [column for column, n in enumerate(table.bases[0]) if n]
    lines = [index for index, line in enumerate(table.question.lines) if line.kind == "share"]
    lines = [index for index in lines if not table.question.lines[index].is_net]
    notes = []
    if lines:
        _write_bars(slide, table, lines, columns)
    else:
        lines = [0]  # the mean
        _write_points(slide, table, columns)
        notes.append(f"Whiskers: {coverage(summary.settings.level)} intervals.")
    bases = ", ".join(
        f"{one_line(name)} {count(int(n))}{'*' if small else ''}"
        for name, n, small in zip(table.columns, table.bases[0], table.is_small, strict=True)
    )
    notes += table_notes(table, summary.settings, shown=lines)
    text = [f"Base, unweighted: {bases}.", " ".join(notes)]
    _write_text(slide.shapes.add_textbox(*_box(6.35, 0.95)).text_frame, text, size=10, is_bold=False)


def _box(top: float, height: float) -> list[int]:
    """Return left, top, width and height of a box as wide as the slide without margins."""
    return [int(inches * _INCH) for inches in (_MARGIN, top, _WIDTH - 2 * _MARGIN, height)]


def _write_bars(slide: Any, table: "Crosstab", lines: list[int], columns: list[int]) -> None:
    """Draw shares: stacked by point for a scale, and clustered by column for other questions."""
    from pptx.enum.chart import XL_CHART_TYPE

    is_stacked = table.question.kind in ("scale", "nps", "rated text")
    line_names = {line: printable(one_line(table.question.lines[line].name)) for line in lines}
    column_names = {column: _column_name(table, column, lines) for column in columns}
    series, categories = (line_names, column_names) if is_stacked else (column_names, line_names)
    # A bar chart draws its first category at the bottom.
    order = list(categories)[::-1]
    cells = {
        name: [(index, category) if is_stacked else (category, index) for category in order]
        for index, name in series.items()
    }
    kind = XL_CHART_TYPE.BAR_STACKED_100 if is_stacked else XL_CHART_TYPE.BAR_CLUSTERED
    chart = _chart(slide, kind, table, [categories[index] for index in order], cells, _SHARE)
    chart.plots[0].gap_width = 60
    chart.value_axis.minimum_scale = 0
    colours = ordinal(len(lines)) if is_stacked and len(lines) > 1 else _COLOURS
    for number, (bars, of_series) in enumerate(zip(chart.plots[0].series, cells.values(), strict=True)):
        colour = colours[number % len(colours)]
        bars.format.fill.solid()
        bars.format.fill.fore_color.rgb = _rgb(colour)
        _label_points(bars, table, of_series, _SHARE, ink_on(colour) if is_stacked else INK)


def _write_points(slide: Any, table: "Crosstab", columns: list[int]) -> None:
    """Draw means as points with their intervals."""
    from pptx.enum.chart import XL_CHART_TYPE, XL_MARKER_STYLE, XL_TICK_LABEL_POSITION

    cells = [(0, column) for column in columns]
    names = [_column_name(table, column, [0]) for column in columns]
    series = {printable(one_line(table.question.lines[0].name)): cells}
    chart = _chart(slide, XL_CHART_TYPE.LINE_MARKERS, table, names, series, _MEAN)
    chart.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    axis = chart.value_axis
    axis.minimum_scale, axis.maximum_scale, axis.major_unit = _round_limits(table, columns)
    (points,) = chart.plots[0].series
    points.smooth = False
    points.format.line.fill.background()
    points.marker.style, points.marker.size = XL_MARKER_STYLE.CIRCLE, 9
    points.marker.format.fill.solid()
    points.marker.format.fill.fore_color.rgb = _rgb(_COLOURS[0])
    _label_points(points, table, cells, _MEAN, INK)
    _add_whiskers(chart, table, cells)


def _round_limits(table: "Crosstab", columns: list[int]) -> tuple[float, float, float]:
    """Return the ends of an axis for all means with intervals, and the distance of its ticks."""
    figures = table.cells
    parts = (part[0, column] for part in (figures.values, figures.low, figures.high) for column in columns)
    known = [float(value) for value in parts if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    if low == high:
        low, high = low - 1, high + 1
    first, second, *_ = Axis(low, high, 0, 1).ticks(_TICKS)
    step = round(second - first, 9)
    return round(step * math.floor(low / step), 9), round(step * math.ceil(high / step), 9), step


def _chart(
    slide: Any,
    kind: Any,
    table: "Crosstab",
    categories: list[str],
    series: dict[str, list[tuple[int, int]]],
    form: str,
) -> Any:
    """Add a chart with a labelled value axis.

    Args:
        slide: slide of the chart.
        kind: type of the chart.
        table: table with the values.
        categories: names of the categories.
        series: for each series name, line and column of the value of each category.
        form: number format of the values.
    """
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_LEGEND_POSITION

    chart_data = CategoryChartData(number_format=form)
    chart_data.categories = categories
    for name, cells in series.items():
        values = [float(table.cells.values[cell]) for cell in cells]
        chart_data.add_series(name, [value if math.isfinite(value) else None for value in values])
    chart = slide.shapes.add_chart(kind, *_box(1.4, 4.9), chart_data).chart
    chart.font.size = 12 * _POINT
    chart.has_legend = len(series) > 1
    if chart.has_legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False
        chart.legend.font.size = 12 * _POINT
    axis = chart.value_axis
    axis.has_major_gridlines, axis.tick_labels.font.size = True, 11 * _POINT
    axis.major_gridlines.format.line.color.rgb = _rgb(_GRID)
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = form, False
    return chart


def _label_points(
    series: Any,
    table: "Crosstab",
    cells: list[tuple[int, int]],
    form: str,
    ink: str,
) -> None:
    """Label the values of a series with the letters of columns with significantly lower values.

    Letters and asterisks are part of the number format, so that labels change with edited numbers.
    """
    from pptx.enum.chart import XL_LABEL_POSITION
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    labels = series.data_labels
    labels.show_value, labels.number_format, labels.number_format_is_linked = True, form, False
    labels.font.size, labels.font.color.rgb = 11 * _POINT, _rgb(ink)
    if form == _MEAN:
        labels.position = XL_LABEL_POSITION.RIGHT
    for index, cell in enumerate(cells):
        mark = _mark(table, cell)
        if not mark:
            continue
        label = series.points[index].data_label
        label.font.size, label.font.color.rgb = 11 * _POINT, _rgb(ink)
        if form == _MEAN:
            label.position = XL_LABEL_POSITION.RIGHT
        number_format = f'<c:numFmt {nsdecls("c")} formatCode="{form}&quot;{mark}&quot;" sourceLinked="0"/>'
        # python-pptx has no number format of a single label; it follows the index in the schema.
        labels._element.get_dLbl_for_point(index).idx.addnext(parse_xml(number_format))


def _mark(table: "Crosstab", cell: tuple[int, int]) -> str:
    """Return the letters of a cell, or an asterisk for few respondents if its column has no asterisk."""
    letters = str(table.letters[cell])
    return f" {letters}" if letters else "*" if table.small[cell] and not table.is_small[cell[1]] else ""


def _add_whiskers(chart: Any, table: "Crosstab", cells: list[tuple[int, int]]) -> None:
    """Add intervals to the points of a chart's only series."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    figures = table.cells
    lengths = {
        "plus": [float(figures.high[cell] - figures.values[cell]) for cell in cells],
        "minus": [float(figures.values[cell] - figures.low[cell]) for cell in cells],
    }
    sides = "".join(
        f'<c:{side}><c:numLit><c:formatCode>General</c:formatCode><c:ptCount val="{len(values)}"/>'
        + "".join(
            f'<c:pt idx="{index}"><c:v>{value:.12g}</c:v></c:pt>'
            for index, value in enumerate(values)
            if math.isfinite(value)
        )
        + f"</c:numLit></c:{side}>"
        for side, values in lengths.items()
    )
    bars = parse_xml(
        f'<c:errBars {nsdecls("c", "a")}><c:errDir val="y"/><c:errBarType val="both"/>'
        f'<c:errValType val="cust"/><c:noEndCap val="0"/>{sides}'
        f'<c:spPr><a:ln w="{int(1.5 * _POINT)}"><a:solidFill><a:srgbClr val="{_rgb(_COLOURS[0])}"/>'
        "</a:solidFill></a:ln></c:spPr></c:errBars>"
    )
    (categories,) = chart.element.xpath(".//c:ser/c:cat")
    categories.addprevious(bars)


def _column_name(table: "Crosstab", column: int, shown: list[int]) -> str:
    """Return a column's name, with its letter if a value can show it, and an asterisk for a small base."""
    name = printable(one_line(table.columns[column]))
    letter = table.column_letters[column] if has_letters(table, shown) else ""
    return f"{name}{f' ({letter})' if letter else ''}{'*' if table.is_small[column] else ''}"


def _rgb(colour: str) -> Any:
    from pptx.dml.color import RGBColor

    return RGBColor.from_string(colour.removeprefix("#").upper())


def _write_text(frame: Any, lines: list[str], *, size: int, is_bold: bool) -> None:
    frame.word_wrap = True
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        run = paragraph.add_run()
        run.text = printable(line)
        run.font.size, run.font.bold = size * _POINT, is_bold
