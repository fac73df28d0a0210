"""Crosstabs as slides: one per question and banner, with a native chart whose numbers can be edited."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.extras import require
from semscale.report.formatting import capitalised, count, one_line, printable
from semscale.report.tables import finding, table_notes

if TYPE_CHECKING:
    from semscale.tabulation.crosstab_figures import Crosstab
    from semscale.tabulation.crosstabs import Crosstabs

_INCH, _POINT = 914_400, 12_700
_WIDTH, _HEIGHT = 13.333, 7.5
_MARGIN = 0.6
_COLOURS = ("1F5FA8", "5B8FC7", "A9BCD0", "E0A458", "B5541C", "6B4E71", "3C7A57")
_LONGEST_TITLE = 150


def write(summary: "Crosstabs", path: Path) -> None:
    """Write crosstabs as slides.

    A scale is a stacked bar for each column, its points from left to right; other questions are clustered
    bars, one for each answer and column; a question with a mean alone has a bar for each column. Columns
    without any respondent are left out.

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


def _write_slide(slide: Any, table: "Crosstab", summary: "Crosstabs") -> None:  # noqa: ANN401 - python-pptx
    title = slide.shapes.title
    title.left, title.top, title.width, title.height = _box(0.35, 1.0)
    _write_text(title.text_frame, [capitalised(finding(table))[:_LONGEST_TITLE]], size=24, is_bold=True)
    _write_chart(slide, table)
    bases = ", ".join(
        f"{one_line(name)} {count(int(n))}{'*' if small else ''}"
        for name, n, small in zip(table.columns, table.bases[0], table.is_small, strict=True)
    )
    notes = [f"Base, unweighted: {bases}.", " ".join(table_notes(table, summary.settings))]
    _write_text(slide.shapes.add_textbox(*_box(6.35, 0.95)).text_frame, notes, size=10, is_bold=False)


def _box(top: float, height: float) -> list[int]:
    """Return a box as wide as the slide between its margins: left, top, width and height."""
    return [int(inches * _INCH) for inches in (_MARGIN, top, _WIDTH - 2 * _MARGIN, height)]


def _write_chart(slide: Any, table: "Crosstab") -> None:  # noqa: ANN401 - python-pptx has no types
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION

    question = table.question
    columns = [column for column, n in enumerate(table.bases[0]) if n]
    shares = [index for index, line in enumerate(question.lines) if line.kind == "share" and not line.is_net]
    lines = shares or [0]
    is_share = question.lines[lines[0]].kind == "share"
    is_stacked = question.kind in ("scale", "rated text") and is_share
    line_names = {line: printable(one_line(question.lines[line].name)) for line in lines}
    column_names = {column: _column_name(table, column) for column in columns}
    categories, series = (column_names, line_names) if is_stacked else (line_names, column_names)
    form = "0%" if is_share else "0.00"
    chart_data = CategoryChartData(number_format=form)
    # A bar chart draws its first category at the bottom.
    chart_data.categories = list(categories.values())[::-1]
    for index, name in series.items():
        cells = [(index, category) if is_stacked else (category, index) for category in reversed(categories)]
        values = [float(table.cells.values[cell]) for cell in cells]
        chart_data.add_series(name, [value if math.isfinite(value) else None for value in values])
    kind = XL_CHART_TYPE.BAR_STACKED_100 if is_stacked else XL_CHART_TYPE.BAR_CLUSTERED
    chart = slide.shapes.add_chart(kind, *_box(1.4, 4.9), chart_data).chart
    chart.has_legend = len(series) > 1
    if chart.has_legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False
        chart.legend.font.size = 12 * _POINT
    _set_style(chart, form)


def _set_style(chart: Any, form: str) -> None:  # noqa: ANN401 - python-pptx has no types
    from pptx.dml.color import RGBColor

    chart.font.size = 12 * _POINT
    plot = chart.plots[0]
    plot.gap_width, plot.has_data_labels = 60, True
    plot.data_labels.number_format, plot.data_labels.number_format_is_linked = form, False
    plot.data_labels.font.size = 11 * _POINT
    chart.value_axis.visible = False
    chart.value_axis.has_major_gridlines = False
    for number, series in enumerate(plot.series):
        fill = series.format.fill
        fill.solid()
        fill.fore_color.rgb = RGBColor.from_string(_COLOURS[number % len(_COLOURS)])


def _column_name(table: "Crosstab", column: int) -> str:
    letter = table.column_letters[column]
    name = printable(one_line(table.columns[column]))
    return f"{name} ({letter})" if letter else name


def _write_text(frame: Any, lines: list[str], *, size: int, is_bold: bool) -> None:  # noqa: ANN401 - python-pptx
    frame.word_wrap = True
    for number, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        run = paragraph.add_run()
        run.text = printable(line)
        run.font.size, run.font.bold = size * _POINT, is_bold
