"""Crosstabs as slides: one a question and banner, with a native chart whose numbers can be edited."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.extras import require
from semscale.report.formatting import capitalised, count, one_line, printable
from semscale.report.tables.words import finding, table_notes

if TYPE_CHECKING:
    from semscale.tabulation.summary import Crosstabs
    from semscale.tabulation.tables.crosstab import Crosstab

_INCH = 914_400
_WIDTH, _HEIGHT = 13.333, 7.5
_MARGIN = 0.6
_COLOURS = ("1F5FA8", "5B8FC7", "A9BCD0", "E0A458", "B5541C", "6B4E71", "3C7A57")
_LONGEST_TITLE = 150


def write_slides(summary: "Crosstabs", path: Path) -> None:
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
    layout = next(one for one in deck.slide_layouts if one.name == "Title Only")
    for table in summary.tables:
        _slide(deck.slides.add_slide(layout), table, summary)
    with path.open("wb") as file:
        deck.save(file)


def _slide(slide: Any, table: "Crosstab", summary: "Crosstabs") -> None:  # noqa: ANN401 - python-pptx has no types
    title = slide.shapes.title
    title.left, title.top = int(_MARGIN * _INCH), int(0.35 * _INCH)
    title.width, title.height = int((_WIDTH - 2 * _MARGIN) * _INCH), int(1.0 * _INCH)
    _write(title.text_frame, [capitalised(finding(table))[:_LONGEST_TITLE]], size=24, is_bold=True)
    _chart(slide, table)
    bases = ", ".join(
        f"{one_line(name)} {count(int(n))}{'*' if small else ''}"
        for name, n, small in zip(table.columns, table.bases[0], table.is_small, strict=True)
    )
    notes = [f"Base, unweighted: {bases}.", " ".join(table_notes(table, summary.plan.tests))]
    place = [int(one * _INCH) for one in (_MARGIN, 6.35, _WIDTH - 2 * _MARGIN, 0.95)]
    _write(slide.shapes.add_textbox(*place).text_frame, notes, size=10, is_bold=False)


def _chart(slide: Any, table: "Crosstab") -> None:  # noqa: ANN401 - python-pptx has no types
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE, XL_LEGEND_POSITION

    columns = [place for place, n in enumerate(table.bases[0]) if n]
    lines = [
        place for place, line in enumerate(table.question.lines) if line.kind == "share" and not line.is_net
    ]
    lines = lines or [0]
    is_share = table.question.lines[lines[0]].kind == "share"
    is_stacked = table.question.kind in ("scale", "rated text") and is_share
    form = "0%" if is_share else "0.00"
    chart_data = CategoryChartData(number_format=form)
    # A bar chart draws its first category at the bottom.
    outer, inner = (columns, lines) if is_stacked else (lines, columns)
    chart_data.categories = [_name(table, place, is_line=not is_stacked) for place in reversed(outer)]
    for one in inner:
        values = [_value(table, *((one, place) if is_stacked else (place, one))) for place in reversed(outer)]
        chart_data.add_series(_name(table, one, is_line=is_stacked), values)
    kind = XL_CHART_TYPE.BAR_STACKED_100 if is_stacked else XL_CHART_TYPE.BAR_CLUSTERED
    place = [int(one * _INCH) for one in (_MARGIN, 1.4, _WIDTH - 2 * _MARGIN, 4.9)]
    chart = slide.shapes.add_chart(kind, *place, chart_data).chart
    chart.has_legend = len(inner) > 1
    if chart.has_legend:
        chart.legend.position, chart.legend.include_in_layout = XL_LEGEND_POSITION.BOTTOM, False
        chart.legend.font.size = 12 * 12_700
    _style(chart, form)


def _style(chart: Any, form: str) -> None:  # noqa: ANN401 - python-pptx has no types
    from pptx.dml.color import RGBColor

    chart.font.size = 12 * 12_700
    plot = chart.plots[0]
    plot.gap_width, plot.has_data_labels = 60, True
    plot.data_labels.number_format, plot.data_labels.number_format_is_linked = form, False
    plot.data_labels.font.size = 11 * 12_700
    chart.value_axis.visible = False
    chart.value_axis.has_major_gridlines = False
    for place, series in enumerate(plot.series):
        fill = series.format.fill
        fill.solid()
        fill.fore_color.rgb = RGBColor.from_string(_COLOURS[place % len(_COLOURS)])


def _name(table: "Crosstab", place: int, *, is_line: bool) -> str:
    if is_line:
        return printable(one_line(table.question.lines[place].name))
    letter = table.column_letters[place]
    name = printable(one_line(table.columns[place]))
    return f"{name} ({letter})" if letter else name


def _value(table: "Crosstab", line: int, column: int) -> float | None:
    value = float(table.cells.values[line, column])
    return value if math.isfinite(value) else None


def _write(frame: Any, lines: list[str], *, size: int, is_bold: bool) -> None:  # noqa: ANN401 - python-pptx
    frame.word_wrap = True
    for place, line in enumerate(lines):
        paragraph = frame.paragraphs[0] if place == 0 else frame.add_paragraph()
        run = paragraph.add_run()
        run.text = printable(line)
        run.font.size, run.font.bold = size * 12_700, is_bold
