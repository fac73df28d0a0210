"""Native charts of sheets, drawn from cells of the same sheet, so that they can be edited."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from semscale.report.chart_data import SHARE, ChartData, ScatterData
from semscale.report.chart_kit import (
    ACCENT,
    BAR,
    GRID,
    INK,
    MUTED,
    PALETTE,
    Axis,
    ink_on,
    series_colours,
    text_width,
)
from semscale.report.formatting import capitalise, chart_name, clip_text, one_line
from semscale.report.sheets import Sheet

MOST_PANELS = 8
"""Greatest number of columns of bars."""

_MOST_ANSWERS = 24  # bars of a column
_MOST_GROUPED, _MOST_BARS = 4, 24  # columns, and bars of several columns, in one chart instead of in panels
_NAMES_OF_PANELS = 0.3  # most of the width for the names of the rows of panels
_ROW_PIXELS = 19
_LEAST_WIDTH, _MOST_WIDTH = 900, 1180  # pixels of a row of charts
_BARS_WIDTH = 780
_SQUARE_WIDTH, _SQUARE_HEIGHT = 520, 400
_LEAST_BARS = 230  # pixels of the height of bars; LibreOffice breaks labels longer than a third of it
_SIDE_WIDTH = 620  # pixels of a chart at the right of cells
_GAP = 12  # pixels between two charts
_WIDE = 0.58  # share of a row of two charts for a stack, or otherwise for the first chart
_TICKS = 5
_FEW_LABELS = 12  # columns that have room for their values
_LEAST_LABEL = 0.045  # share of a stack that has room for its value
_SPACE = 3.3  # pixels of a space in a label
_MOST_SPACES = 14  # a longer label is broken into lines
_LABEL_PIXELS = 36
_NO_BREAK_SPACE = "\u00a0"
_LABEL_FONT, _BESIDE_BARS = 0.74, 30  # size of names relative to drawings, and pixels beside bars
_LONG_NAMES = 0.4  # share of a chart; longer names leave no room beside the bars
_FONT = {"name": "Arial", "size": 9, "color": INK}
_HEAD_FONT = {"name": "Arial", "size": 10, "bold": True, "color": INK}
_FEWEST_FOR_LEGEND = 2
_LONGEST_DESCRIPTION = 250


@dataclass(frozen=True)
class PlacedChart:
    """A chart with its position on a sheet.

    Attributes:
        data: its data.
        row: its first row.
        height: its height in pixels.
        across: its left and right end as shares of the sheet's width.
        left: its left end in pixels if it is at the right of the cells; otherwise ``None``.
        has_names: false for bars whose names a panel at their left has.
    """

    data: ChartData | ScatterData
    row: int
    height: int
    across: tuple[float, float] = (0.0, 1.0)
    left: int | None = None
    has_names: bool = True

    def extent(self, room: int) -> tuple[int, int]:
        """Return the left end and the width in pixels.

        Args:
            room: pixels of the whole sheet.
        """
        if self.left is not None:
            return self.left, _SIDE_WIDTH
        start, stop = (round(end * room) for end in self.across)
        width = stop - start - (_GAP if self.across[1] < 1 else 0)
        if isinstance(self.data, ScatterData):
            return start, min(width, _SQUARE_WIDTH)
        return start, min(width, _BARS_WIDTH) if self.data.kind == "bars" else width


@dataclass(frozen=True)
class _Block:
    """Cells of a chart's data.

    Attributes:
        name: name of the sheet.
        row: row of the heads.
        n: number of categories.
        columns: columns of each series: its values, and the lengths of its intervals below and above them.
        reference: column of the reference; ``None`` without one.
    """

    name: str
    row: int
    n: int
    columns: tuple[tuple[int, int | None, int | None], ...]
    reference: int | None

    def head(self, column: int) -> list[object]:
        """Return the cell with the head of a column."""
        return [self.name, self.row, column]

    def cells(self, column: int) -> list[object]:
        """Return the cells of a column."""
        return [self.name, self.row + 1, column, self.row + self.n, column]

    def formula(self, column: int) -> str:
        """Return the reference to the cells of a column."""
        from xlsxwriter.utility import quote_sheetname, xl_range_abs

        cells = xl_range_abs(self.row + 1, column, self.row + self.n, column)
        return f"={quote_sheetname(self.name)}!{cells}"


def is_readable(data: ChartData) -> bool:
    """Return true unless a chart has too many bars for a sheet."""
    return data.kind != "bars" or (len(data.series) <= MOST_PANELS and len(data.categories) <= _MOST_ANSWERS)


def _needs_panels(data: ChartData | ScatterData) -> bool:
    """Return true for bars of too many columns to be next to each other in one chart."""
    if isinstance(data, ScatterData) or not data.has_panels:
        return False
    n_columns = len(data.series)
    return n_columns > _MOST_GROUPED or n_columns * len(data.categories) > _MOST_BARS


def place_charts(
    sheet: Sheet, charts: Sequence[ChartData | ScatterData], *, beside: int | None = None
) -> list[PlacedChart]:
    """Reserve room for charts: below the cells of a sheet in pairs, or below each other at the right.

    Args:
        sheet: the sheet; its next rows are used.
        charts: the charts in order.
        beside: row from which charts are placed at the right of the cells, unless a chart has panels;
            ``None`` to place them below.
    """
    if beside is not None and not any(map(_needs_panels, charts)):
        return _place_beside(sheet, charts, beside)
    panels = [data for data in charts if isinstance(data, ChartData) and _needs_panels(data)]
    placed = [chart for data in panels for chart in _place_panels(sheet, data)]
    return placed + _place_below(sheet, [data for data in charts if not _needs_panels(data)])


def _place_panels(sheet: Sheet, data: ChartData) -> list[PlacedChart]:
    """Place a chart for each series next to each other, on one scale; the first has the names of the rows."""
    start = min((_names_width(data) + _BESIDE_BARS) / _room(sheet), _NAMES_OF_PANELS)
    side = (1 - start) / len(data.series)
    ends = [0.0, *(start + side * (number + 1) for number in range(len(data.series)))]
    limits = (0.0, max(_ends(data), default=1.0) or 1.0)
    panels = [
        replace(data, series=(series,), quantity=chart_name(series.name), limits=limits, has_total=False)
        for series in data.series
    ]
    height = max(map(_height, panels))
    placed = [
        PlacedChart(panel, sheet.row, height, across, has_names=across[0] == 0)
        for panel, across in zip(panels, pairwise(ends), strict=True)
    ]
    sheet.keep_together(height // _ROW_PIXELS + 2)
    return placed


def _place_below(sheet: Sheet, charts: Sequence[ChartData | ScatterData]) -> list[PlacedChart]:
    placed = []
    for start in range(0, len(charts), 2):
        pair = charts[start : start + 2]
        height = max(map(_height, pair))
        cut = 1.0 if len(pair) == 1 else 1 - _WIDE if _is_stack(pair[1]) else _WIDE
        ends = ((0.0, cut), (cut, 1.0))
        placed += [
            PlacedChart(data, sheet.row, height, across) for data, across in zip(pair, ends, strict=False)
        ]
        sheet.keep_together(height // _ROW_PIXELS + 2)
    return placed


def _is_stack(data: ChartData | ScatterData) -> bool:
    return isinstance(data, ChartData) and data.kind == "stack"


def _place_beside(sheet: Sheet, charts: Sequence[ChartData | ScatterData], row: int) -> list[PlacedChart]:
    placed = []
    left = sheet.whole_width() + 2 * _GAP
    for data in charts:
        placed.append(PlacedChart(data, row, _height(data), left=left))
        row += _height(data) // _ROW_PIXELS + 1
    sheet.row = max(sheet.row, row)
    return placed


def write_charts(sheet: Sheet, charts: Sequence[PlacedChart], *, step: int = 1) -> None:
    """Write the data of charts below the other cells of a sheet, and draw the charts from them.

    Args:
        sheet: the sheet.
        charts: the charts.
        step: distance of the columns with numbers, if columns between them are too narrow for numbers.
    """
    for chart in charts:
        left, width = chart.extent(_room(sheet))
        drawn, description = _draw(sheet, chart.data, width, step)
        if not chart.has_names:
            drawn.set_y_axis({"visible": False, "reverse": True, "major_gridlines": {"visible": False}})
        drawn.set_size({"width": width, "height": chart.height})
        drawn.set_chartarea({"border": {"none": True}})
        drawn.set_plotarea({"border": {"none": True}})
        options = {"x_offset": left, "y_offset": 4, "object_position": 2, "description": description}
        sheet.sheet.insert_chart(chart.row, 0, drawn, options)
        sheet.reach(left + width)


def _room(sheet: Sheet) -> int:
    """Return the pixels of a row of charts."""
    return min(max(sheet.whole_width(), _LEAST_WIDTH), _MOST_WIDTH)


def _draw(sheet: Sheet, data: ChartData | ScatterData, width: int, step: int) -> tuple[Any, str]:
    """Draw a chart from cells that are written for it, and describe it."""
    if isinstance(data, ScatterData):
        return _scatter(sheet, data), f"{capitalise(data.titles[1])} by {data.titles[0]}"
    block = _write_data(sheet, data, step)
    drawn = _DRAWERS[data.kind](sheet, data, block, width)
    title = block.columns[0][0] if data.kind == "columns" and len(data.series) == 1 else 0
    if data.quantity or title:
        drawn.set_title({"name": block.head(title), "name_font": _HEAD_FONT, "overlay": False})
    else:
        drawn.set_title({"none": True})
    named = capitalise(data.quantity or chart_name(data.series[0].name))
    described = f"{named}: {', '.join(map(chart_name, data.categories))}"
    return drawn, clip_text(described, _LONGEST_DESCRIPTION).shown


def _height(data: ChartData | ScatterData) -> int:
    """Return the height of a chart in pixels."""
    if isinstance(data, ScatterData):
        return _SQUARE_HEIGHT
    match data.kind:
        case "bars":
            thickness = 26 if len(data.series) == 1 else 10 + 17 * len(data.series)
            height = 60 + thickness * len(data.categories) + (30 if len(data.series) > 1 else 0)
            return max(height, _LEAST_BARS)
        case "stack":
            return 110 + 27 * len(data.categories)
        case _:
            return 290


def _write_data(sheet: Sheet, data: ChartData, step: int) -> _Block:
    """Write the data of a chart: its categories, and columns for each series."""
    heads: list[str] = []
    parts: list[Sequence[float]] = []
    columns: list[tuple[int, int | None, int | None]] = []

    def add(head: str, values: Sequence[float]) -> int:
        heads.append(head)
        parts.append(values)
        return 1 + step * (len(heads) - 1)

    for series in data.series:
        value = add(series.name, series.values)
        if any(map(math.isfinite, series.low)):
            ends = list(zip(series.values, series.low, series.high, strict=True))
            below = add("To the lower end", [figure - low for figure, low, _ in ends])
            above = add("To the upper end", [high - figure for figure, _, high in ends])
            columns.append((value, below, above))
        else:
            columns.append((value, None, None))
    n = len(data.categories)
    reference = None if data.reference is None else add(_reference_name(data), [data.reference] * n)
    block = _Block(sheet.name, sheet.row, n, tuple(columns), reference)
    sheet.put(0, capitalise(one_line(data.quantity)), "head")
    for number, head in enumerate(heads):
        name = chart_name(head)
        sheet.put(1 + step * number, capitalise(name) if len(data.series) == 1 else name, "number head")
    sheet.row += 1
    for index, category in enumerate(data.categories):
        sheet.put(0, chart_name(category), "note")
        for number, values in enumerate(parts):
            sheet.put(1 + step * number, (values[index], data.number_format), "note")
        sheet.row += 1
    sheet.row += 1
    return block


def _reference_name(data: ChartData) -> str:
    """Return the name of the line of comparison: that of the total if it is the first category."""
    return data.categories[0] if data.has_total else "Reference"


def _series(block: _Block, number: int) -> dict[str, object]:
    """Return the names, categories and values of a series."""
    column, _, _ = block.columns[number]
    return {
        "name": block.head(column),
        "categories": block.cells(0),
        "values": block.cells(column),
    }


def _whiskers(block: _Block, number: int, colour: str = INK) -> dict[str, object] | None:
    """Return the error bars of a series; ``None`` without intervals."""
    _, below, above = block.columns[number]
    if below is None or above is None:
        return None
    return {
        "type": "custom",
        "minus_values": block.formula(below),
        "plus_values": block.formula(above),
        "line": {"color": colour, "width": 1.25},
    }


def _names_width(data: ChartData) -> float:
    """Return the pixels of the longest name of a category."""
    return _LABEL_FONT * max(map(text_width, map(chart_name, data.categories)))


def _names(data: ChartData, *, is_reversed: bool = False) -> dict[str, object]:
    """Return the axis of the categories."""
    axis: dict[str, object] = {"num_font": _FONT, "line": {"color": MUTED}, "major_tick_mark": "none"}
    if is_reversed:
        axis["reverse"] = True  # a bar chart draws its first category at the bottom
    return axis


def _bars(sheet: Sheet, data: ChartData, block: _Block, width: int) -> Any:
    """Draw horizontal bars, one for each category and series, with their values and intervals."""
    drawn = sheet.workbook.add_chart({"type": "bar"})
    longest = 1.15 * (data.limits[1] if data.limits else max(_ends(data), default=1.0) or 1.0)
    names = _names_width(data)
    labels = None  # bars of panels have an axis, as labels would change the height of their rows
    if data.limits is None:
        labels = _bar_labels(data, (width - min(names, width / 2) - _BESIDE_BARS) / longest, names / width)
    for number in range(len(data.series)):
        colour = BAR if len(data.series) == 1 else PALETTE[number % len(PALETTE)]
        drawn.add_series(
            _series(block, number)
            | {
                "fill": {"color": colour},
                "gap": 45,
                "overlap": 0 if len(data.series) == 1 else -5,
                "x_error_bars": _whiskers(block, number),
                **({} if labels is None else {"data_labels": labels}),
            }
        )
    drawn.set_y_axis(_names(data, is_reversed=True))
    limits = {"min": 1.15 * min(0.0, *_ends(data), 0.0), "max": longest}
    if labels is None:
        drawn.set_x_axis({**_values(data, limits), "label_position": "high"})
    else:
        drawn.set_x_axis({"visible": False, "major_gridlines": {"visible": False}, **limits})
    _set_legend(drawn, data)
    return drawn


def _bar_labels(data: ChartData, pixels: float, names: float) -> dict[str, object] | None:
    """Return labels that no interval crosses: beyond the intervals, or at the bases; ``None`` without room.

    Args:
        data: data of bars.
        pixels: pixels of a unit of the axis.
        names: share of the chart's width for the names of the bars.
    """
    labels = {"value": True, "num_format": _label_format(data), "position": "outside_end", "font": _FONT}
    triples = [
        ends
        for series in data.series
        for ends in zip(series.values, series.low, series.high, strict=False)
        if all(map(math.isfinite, ends))
    ]
    beyond = max((high - max(value, 0.0) for value, _, high in triples), default=0.0)
    spaces = math.ceil(beyond * pixels / _SPACE) + 2 if triples else 0
    if spaces <= _MOST_SPACES and (names < _LONG_NAMES or not triples):
        return labels | {"num_format": _label_format(data, spaces)}
    if len(data.series) == 1 and all(low * pixels >= _LABEL_PIXELS for _, low, _ in triples):
        return labels | {"position": "inside_base", "font": {**_FONT, "color": ink_on(BAR)}}
    return None


def _label_format(data: ChartData, spaces: int = 0) -> str:
    """Return the format of labels after some spaces; shares below 1 % have a decimal."""
    before = f'"{_NO_BREAK_SPACE * spaces}"' if spaces else ""
    if data.number_format != SHARE:
        return f"{before}{data.number_format}"
    return f"[=0]{before}0%;[<0.0095]{before}0.0%;{before}0%"


def _ends(data: ChartData) -> list[float]:
    """Return all values and ends of intervals."""
    parts = (part for series in data.series for part in (*series.values, *series.low, *series.high))
    return [part for part in parts if math.isfinite(part)]


def _stack(sheet: Sheet, data: ChartData, block: _Block, width: int) -> Any:
    """Draw horizontal bars that sum to 100 %; small parts have no label."""
    drawn = sheet.workbook.add_chart({"type": "bar", "subtype": "percent_stacked"})
    form = f'[<{_LEAST_LABEL}]"";{data.number_format}'
    for number, colour in enumerate(series_colours(data.order, len(data.series))):
        drawn.add_series(
            _series(block, number)
            | {
                "fill": {"color": colour},
                "border": {"color": "#ffffff", "width": 0.75},
                "gap": 35,
                "data_labels": {
                    "value": True,
                    "num_format": form,
                    "position": "center",
                    "font": {**_FONT, "color": ink_on(colour)},
                },
            }
        )
    drawn.set_y_axis(_names(data, is_reversed=True))
    drawn.set_x_axis({"visible": False, "major_gridlines": {"visible": False}})
    _set_legend(drawn, data)
    return drawn


def _columns(sheet: Sheet, data: ChartData, block: _Block, width: int) -> Any:
    """Draw vertical columns."""
    drawn = sheet.workbook.add_chart({"type": "column"})
    are_labelled = len(data.categories) <= _FEW_LABELS and len(data.series) == 1
    has_intervals = any(below is not None for _, below, _ in block.columns)
    for number in range(len(data.series)):
        colour = BAR if len(data.series) == 1 else PALETTE[number % len(PALETTE)]
        labels: dict[str, object] = {"value": True, "num_format": data.number_format, "font": _FONT}
        labels["position"] = "inside_base" if has_intervals else "outside_end"
        drawn.add_series(
            _series(block, number)
            | {
                "fill": {"color": colour},
                "gap": 50 if are_labelled else 10,
                "y_error_bars": _whiskers(block, number),
                **({"data_labels": labels} if are_labelled else {}),
            }
        )
    named: dict[str, object] = {"name": block.head(0), "name_font": _FONT} if data.quantity else {}
    if len(data.categories) > _FEW_LABELS:
        named["num_font"] = {**_FONT, "rotation": -45}
    drawn.set_x_axis({**_names(data), **named})
    drawn.set_y_axis(_values(data, {"min": 0}))
    _set_legend(drawn, data)
    return drawn


def _values(data: ChartData, limits: dict[str, float]) -> dict[str, object]:
    """Return a visible axis of values."""
    return {
        "num_format": data.number_format,
        "num_font": {**_FONT, "color": MUTED},
        "major_gridlines": {"visible": True, "line": {"color": GRID, "width": 0.75}},
        "line": {"none": True},
        "major_tick_mark": "none",
        **limits,
    }


def _points(sheet: Sheet, data: ChartData, block: _Block, width: int) -> Any:
    """Draw points with their intervals, and a dashed line of the value for comparison."""
    drawn = sheet.workbook.add_chart({"type": "line"})
    is_single = len(data.series) == 1
    for number in range(len(data.series)):
        colour = ACCENT if is_single else PALETTE[number % len(PALETTE)]
        mark = {"type": "circle", "size": 8, "fill": {"color": colour}, "border": {"color": colour}}
        labels = {"value": True, "num_format": data.number_format, "position": "right", "font": _FONT}
        labels["fill"] = {"color": "#ffffff"}  # hides the dashed line behind it
        drawn.add_series(
            _series(block, number)
            | {
                "line": {"none": True},
                "marker": mark,
                "y_error_bars": _whiskers(block, number, colour),
                **({"data_labels": labels} if is_single else {}),
            }
        )
    if block.reference is not None:
        drawn.add_series(
            {
                "name": block.head(block.reference),
                "categories": block.cells(0),
                "values": block.cells(block.reference),
                "line": {"color": MUTED, "width": 1, "dash_type": "dash"},
                "marker": {"type": "none"},
            }
        )
    drawn.set_x_axis({**_names(data), "label_position": "low"})
    drawn.set_y_axis(_values(data, _round_limits(data)))
    _set_legend(drawn, data)
    drawn.show_blanks_as("gap")
    return drawn


def _round_limits(data: ChartData) -> dict[str, float]:
    """Return the ends of an axis for all points with their intervals, and the distance of its ticks."""
    known = _ends(data) + ([] if data.reference is None else [data.reference])
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    if low == high:
        low, high = low - 1, high + 1
    first, *others = Axis(low, high, 0, 1).ticks(_TICKS) or [low]
    if not others:  # numbers that differ by less than their last digits
        return {"min": low, "max": high}
    step = round(others[0] - first, 9)
    ends = step * np.floor(low / step), step * np.ceil(high / step)
    return {"min": round(float(ends[0]), 9), "max": round(float(ends[1]), 9), "major_unit": step}


def _scatter(sheet: Sheet, data: ScatterData) -> Any:
    """Draw points with two axes, their intervals, and a dashed line of equality."""
    block = _Block(sheet.name, sheet.row, len(data.x), ((1, None, None),), None)
    sheet.heads([*map(one_line, data.titles)], [True, True])
    for pair in zip(data.x, data.y, strict=True):
        sheet.cells([(value, "0.000") for value in pair], "note")
    drawn = sheet.workbook.add_chart({"type": "scatter"})
    mark = {"type": "circle", "size": 7 if data.low else 5}
    whiskers = {
        "type": "custom",
        "minus_values": [value - low for value, low in zip(data.y, data.low, strict=False)],
        "plus_values": [high - value for value, high in zip(data.y, data.high, strict=False)],
        "line": {"color": ACCENT, "width": 1.25},
    }
    drawn.add_series(
        {
            **_series(block, 0),
            "marker": {**mark, "fill": {"color": ACCENT, "transparency": 35}, "border": {"none": True}},
            **({"y_error_bars": whiskers} if data.low else {}),
        }
    )
    if data.has_equality:
        ends = [sheet.name, sheet.row, 0, sheet.row + 1, 0]
        for end in data.limits[0]:
            sheet.cells([(end, "0.000"), "equal"], "note")
        line = {"color": MUTED, "width": 1, "dash_type": "dash"}
        drawn.add_series({"categories": ends, "values": ends, "line": line, "marker": {"type": "none"}})
    sheet.row += 1
    for set_axis, number in ((drawn.set_x_axis, 0), (drawn.set_y_axis, 1)):
        low, high = data.limits[number]
        axis = {"name": block.head(number), "name_font": _FONT, "num_font": {**_FONT, "color": MUTED}}
        axis["label_position"] = "low"
        grid = {"visible": True, "line": {"color": GRID, "width": 0.75}}
        set_axis({**axis, "min": low, "max": high, "major_gridlines": grid, "line": {"none": True}})
    drawn.set_title({"none": True})
    drawn.set_legend({"none": True})
    return drawn


def _set_legend(drawn: Any, data: ChartData) -> None:
    n = len(data.series) + (data.reference is not None and data.kind == "points")
    if n < _FEWEST_FOR_LEGEND:
        drawn.set_legend({"none": True})
    else:
        drawn.set_legend({"position": "bottom", "font": _FONT})


_DRAWERS = {"bars": _bars, "stack": _stack, "columns": _columns, "points": _points}
