"""Native charts on slides: stacks with means, panels of bars, points with intervals, and columns.

A chart that is too large for a slide is split into parts that are readable. The data of every chart can be
edited in PowerPoint; labels follow edited numbers, as letters of tests are part of a label's number format.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from rich.cells import cell_len

from semscale.report.chart_data import SHARE, ChartData, Charts, Series, decimals
from semscale.report.chart_kit import Axis, split_label
from semscale.report.formatting import capitalise, chart_name, number, percent, printable, with_sign
from semscale.report.slides import POINT, Box, Colour, Deck, Slide, clip_to, find, text_lines

_MOST_ROWS, _MOST_BARS, _MOST_BINS = 10, 10, 100
_PANEL, _POINT = 1.15, 1.4  # least width of a panel of bars, and of a point with its name, in inches
_FIRST_BARS = 8  # bars on the first of several slides
_MOST_COLUMNS = 12
_LABEL, _LEGEND, _VALUE, _AXIS = 12.0, 11.0, 11.0, 10.0  # sizes of fonts
_LEAST_LABELLED = 0.04
_LEAST_ROUNDED = 0.005  # share that is shown as 1 %
_NAMES_SHARE = 0.3  # of the width, for the names of rows
_MEANS_SHARE = 0.27
_HEAD_HEIGHT, _LEGEND_HEIGHT, _AXIS_HEIGHT = 0.62, 0.4, 0.32
_ROW = 0.85  # greatest height of a row in inches
_NARROW, _WIDE, _OTHER = 0.3, 0.85, 0.57  # widths of letters of a legend in font sizes
_BETWEEN = 0.22  # inches between panels of bars
_INTERVAL_WIDTH = 1.9  # inches of a label with an interval
_TICKS = 4
_CELL = 0.53  # width of a character of a label in font sizes

LONG_NAME: Final = 30
"""Number of characters from which a name may be cut in a picture."""


@dataclass(frozen=True)
class Part:
    """What one slide shows of charts.

    Attributes:
        charts: the charts, cut.
        note: how many others the next slides show.
    """

    charts: Charts
    note: str = ""


def parts_of(charts: Charts, deck: Deck) -> Iterator[Part]:
    """Split charts into parts that are readable on a slide.

    The total is on every slide. Of more than ten answers, the first slide shows the first eight, and states
    how many others follow.

    Args:
        charts: the charts.
        deck: the deck, whose slides can be wide or narrow.
    """
    first = charts[0]
    width = deck.body.width / deck.unit
    if first.has_panels:
        most = max(int((1 - _NAMES_SHARE) * width / _PANEL) - first.has_total, 2)
        for columns in _chunks(range(first.has_total, len(first.series)), most):
            series = (*first.series[: first.has_total], *(first.series[index] for index in columns))
            yield from _parts_of_bars(replace(first, series=series))
    elif first.kind == "bars":
        yield from _parts_of_bars(first)
    else:
        most = {"stack": _MOST_ROWS, "points": max(int(width / _POINT), 2)}.get(first.kind, _MOST_BINS)
        for rows in _chunks(range(first.has_total, len(first.categories)), most):
            shown = [*range(first.has_total), *rows]
            yield Part(tuple(chart.select(shown) for chart in charts))


def _parts_of_bars(chart: ChartData) -> Iterator[Part]:
    """Split bars by their categories."""
    n = len(chart.categories)
    if n <= _MOST_BARS:
        yield Part((chart,))
        return
    values = (value for series in chart.series for value in series.values if math.isfinite(value))
    chart = replace(chart, limits=(0.0, max(values, default=1.0)))  # the same on all slides
    rest = range(_FIRST_BARS, n)
    listed = chart.series[:1] if chart.has_total else chart.series
    known = [entry.values[index] for entry in listed for index in rest if math.isfinite(entry.values[index])]
    of_all = " of all" if chart.has_total and len(chart.series) > 1 else ""
    most = f", at most {percent(max(known), 0)}{of_all}" if known and chart.number_format == SHARE else ""
    yield Part((chart.select(range(_FIRST_BARS)),), f"{len(rest)} more on the next slide{most}.")
    for rows in _chunks(rest, _MOST_BARS):
        yield Part((chart.select(rows),))


def _chunks(indices: range, most: int) -> Iterator[list[int]]:
    """Split indices into as few parts as possible, of nearly equal size."""
    listed = list(indices)
    n = max(math.ceil(len(listed) / most), 1)
    size, larger = divmod(len(listed), n)
    start = 0
    for part in range(n):
        stop = start + size + (part < larger)
        yield listed[start:stop]
        start = stop


def draw(slide: Slide, charts: Charts) -> None:
    """Draw charts into the room of a slide."""
    first, *others = charts
    is_single = len(first.series) == 1
    if first.kind == "points" and is_single and len(first.categories) == 1:
        _draw_number(slide, first)
    elif first.kind == "stack":
        _draw_stack(slide, first, others[0] if others else None)
    elif first.kind in ("bars", "columns") and not is_single:
        _draw_panels(slide, first)
    elif first.kind == "points":
        _draw_points(slide, first)
    elif first.kind == "columns" and _fits_columns(slide, first):
        _draw_columns(slide, first)
    else:
        _draw_bars(slide, first)


# Stacks with means


def _draw_stack(slide: Slide, chart: ChartData, means: ChartData | None) -> None:
    """Draw a stack for each row, and the rows' means with their intervals at the right."""
    unit, palette = slide.deck.unit, slide.deck.palette
    points = [series.name for series in chart.series]
    means_width = 0.0 if means is None else slide.room.width * _MEANS_SHARE
    width = slide.room.width - means_width
    n_lines = len(_legend_lines(slide, points, width))
    if n_lines > 1 and len(_legend_lines(slide, points, slide.room.width)) == 1:
        width = slide.room.width  # the title of the means is below the legend
    legend = slide.take_top(n_lines * _LEGEND_HEIGHT * unit)._replace(width=width)
    box = _limit_height(slide, len(chart.categories), below=_AXIS_HEIGHT)
    left, right = box, None
    if means is not None:
        left = box._replace(width=box.width - means_width)
        right = box._replace(left=left.right, width=means_width)
    names = _name_width(slide, chart.categories, left.width)
    height = (box.height - _AXIS_HEIGHT * unit) / len(chart.categories)
    if chart.has_total and len(chart.categories) > 1:
        _set_apart(slide, box._replace(height=height))
    inner = Box(names, 0, left.width - names - 0.1 * unit, left.height - _AXIS_HEIGHT * unit)
    native = _add(slide, "BAR_STACKED_100", left, chart, inner, lines=2)
    native.plots[0].gap_width, native.plots[0].overlap = 35, 100
    _hide(native.value_axis)
    native.value_axis.minimum_scale, native.value_axis.maximum_scale = 0, 1
    n = len(chart.series)
    colours = palette.ramp(n)
    if chart.order in ("bad to good", "good to bad"):
        colours = palette.scale(n, is_reversed=chart.order == "good to bad")
    for bars, series, colour in zip(native.plots[0].series, chart.series, colours, strict=True):
        colour.paint(bars.format.fill)
        widths = [value * inner.width for value in series.values]
        _label_segments(slide, bars, series, palette.ink_on(colour), widths)
    _draw_legend(slide, legend, points, colours, names)
    if means is not None and right is not None:
        _draw_means(slide, right, means)


def _label_segments(slide: Slide, bars: Any, series: Series, ink: Colour, widths: Sequence[float]) -> None:
    """Label the parts of a stack that are wide enough for their label."""
    size = _VALUE * slide.deck.unit
    _label_all(slide, bars, SHARE, ink)
    for index, (value, width) in enumerate(zip(series.values, widths, strict=True)):
        if not math.isfinite(value):
            continue
        mark = series.marks[index] if series.marks else ""
        label = f"{100 * value:.0f}%"
        if value < _LEAST_LABELLED or len(label) * size * _CELL / 72 > width:
            _label(bars, index, None)
        elif mark and len(f"{label} {mark}") * size * _CELL / 72 <= width:
            _label(bars, index, _with_text(SHARE, f"\u00a0{mark}"))


def _legend_lines(slide: Slide, names: Sequence[str], width: float) -> list[list[float]]:
    """Return the widths of the entries on each line of a legend."""
    unit = slide.deck.unit
    lines: list[list[float]] = [[]]
    for name in names:
        needed = min(_legend_width(name, _LEGEND * unit) + 0.5 * unit, width)
        if lines[-1] and sum(lines[-1]) + needed > width:
            lines.append([])
        lines[-1].append(needed)
    return lines


def _draw_legend(
    slide: Slide, box: Box, names: Sequence[str], colours: Sequence[Colour], indent: float
) -> None:
    """Draw a legend; one line begins at an indent if it is short enough."""
    unit = slide.deck.unit
    lines = _legend_lines(slide, names, box.width)
    start = box.left + (indent if len(lines) == 1 and sum(lines[0]) + indent <= box.width else 0.1 * unit)
    entries = iter(zip(names, colours, strict=True))
    mark = 0.15 * unit
    for number_, widths in enumerate(lines):
        x, y = start, box.top + number_ * _LEGEND_HEIGHT * unit
        for width in widths:
            name, colour = next(entries)
            slide.area(Box(x, y + 0.06 * unit, mark, mark), colour)
            # A template's font can be wider, and what lies beyond the entry is mostly empty.
            room = min(width - mark + 0.3 * unit, slide.deck.body.right - x - mark)
            label = Box(x + mark, y, room, 0.27 * unit)
            fits = _legend_width(name, _LEGEND * unit) + 0.3 * unit <= width - mark
            shown = name if fits else clip_to(name, width - mark, _LEGEND * unit)
            slide.text(label, [shown], size=_LEGEND)
            x += width


def _legend_width(name: str, size: float) -> float:
    """Return the width of a text on one line in inches by its letters, so that entries are evenly apart."""
    narrow, wide = (sum(letter in kind for letter in name) for kind in ("fijlrtI.,:;!|'()- ", "mwMW"))
    others = cell_len(name) - narrow - wide
    return float(narrow * _NARROW + wide * _WIDE + others * _OTHER) * size / 72


def _draw_means(slide: Slide, box: Box, means: ChartData) -> None:
    """Draw a point with its interval for each row, aligned with the rows of a stack."""
    from pptx.chart.data import XyChartData
    from pptx.enum.chart import XL_CHART_TYPE

    unit = slide.deck.unit
    (series,) = means.series
    n = len(means.categories)
    rows = [index for index, value in enumerate(series.values) if math.isfinite(value)]
    head = box._replace(top=box.top - _LEGEND_HEIGHT * unit, height=_LEGEND_HEIGHT * unit)
    slide.text(head, [capitalise(means.quantity)], size=_LABEL, is_bold=True, align="center")
    data = XyChartData(number_format=means.number_format)
    # Each row is a series: the ends of its interval around its mean. Error bars along x are not drawn by
    # every program.
    for index in rows:
        row = data.add_series(chart_name(means.categories[index]))
        for value in _ends_around(series, index):
            row.add_data_point(value, n - index - 0.5)
    native = slide.chart(XL_CHART_TYPE.XY_SCATTER_LINES, box, data)
    _style(slide, native)
    low, high, step = _round_limits(means.series)
    native.category_axis.minimum_scale, native.category_axis.maximum_scale = low, high
    native.category_axis.major_unit = step
    native.value_axis.minimum_scale, native.value_axis.maximum_scale = 0, n
    _hide(native.value_axis)
    _show_axis(slide, native.category_axis, _format_of_ticks(step))
    _set_inner(native, box, Box(0.3 * unit, 0, box.width - 0.6 * unit, box.height - _AXIS_HEIGHT * unit))
    for index, drawn in zip(rows, native.plots[0].series, strict=True):
        _draw_row(slide, drawn, len(_ends_around(series, index)))
        label = _write(series.values[index], means.number_format)
        mark = f"\u00a0{series.marks[index]}" if series.marks and series.marks[index] else ""
        _write_label(slide, drawn.points[len(_ends_around(series, index)) // 2], f"{label}{mark}")


def _ends_around(series: Series, index: int) -> tuple[float, ...]:
    """Return the lower end of an interval, the value and the upper end, or the value alone."""
    value = series.values[index]
    ends = [part[index] for part in (series.low, series.high) if part]
    return (ends[0], value, ends[1]) if len(ends) == 2 and all(map(math.isfinite, ends)) else (value,)


def _draw_row(slide: Slide, drawn: Any, n_points: int) -> None:
    """Draw a row of a scatter as a line with a marker in its middle."""
    from pptx.enum.chart import XL_MARKER_STYLE

    drawn.smooth = False
    _draw_markers(slide, drawn, slide.deck.palette.high)
    if n_points > 1:
        slide.deck.palette.high.paint(drawn.format.line)
        drawn.format.line.width = int(2 * slide.deck.unit * POINT)
        for end in (0, n_points - 1):
            drawn.points[end].marker.style = XL_MARKER_STYLE.NONE


def _write_label(slide: Slide, point: Any, text: str) -> None:
    """Write the label of a point above it."""
    from pptx.enum.chart import XL_LABEL_POSITION

    label = point.data_label
    label.text_frame.text = text
    label.text_frame.word_wrap = False
    (run,) = label.text_frame.paragraphs[0].runs
    run.font.size = int(_VALUE * slide.deck.unit * POINT)
    slide.deck.palette.ink.paint(run.font)
    label.position = XL_LABEL_POSITION.ABOVE


# Bars in panels, for several columns


def _draw_panels(slide: Slide, chart: ChartData) -> None:
    """Draw a panel of bars for each series side by side, on one scale; the total is set apart."""
    unit, palette = slide.deck.unit, slide.deck.palette
    heads = slide.take_top(_HEAD_HEIGHT * unit)
    box = _limit_height(slide, len(chart.categories), below=0.0)
    names = _name_width(slide, chart.categories, box.width)
    gap = 0.15 * unit if chart.has_total else 0.0
    width = (box.width - names - gap) / len(chart.series)
    limit = _limit_of_bars(slide, chart, width - _BETWEEN * unit) * width / (width - _BETWEEN * unit)
    if chart.has_total:
        _set_apart(slide, Box(box.left + names, heads.top, width, heads.height + box.height))
    left = box.left
    for index, series in enumerate(chart.series):
        is_first, is_total = index == 0, bool(chart.has_total and index == 0)
        room = names if is_first else 0.0
        panel = Box(left, box.top, width + room, box.height)
        head = Box(left + room, heads.top, width, heads.height)
        name, _, ending = series.name.partition("\n")
        head_lines = [clip_to(name, width - 0.05, _VALUE * unit, 2), ending.strip(" ,")]
        slide.text(
            head._replace(left=head.left - 0.1 * unit, width=width + 0.1 * unit),
            head_lines, size=_VALUE, is_bold=is_total, anchor="bottom",
        )  # fmt: skip
        inner = Box(room, 0, width, box.height)
        one = replace(chart, series=(replace(series, name=chart_name(series.name)),))
        native = _add(slide, "BAR_CLUSTERED", panel, one, inner, lines=2, has_names=is_first)
        native.plots[0].gap_width = 45
        _hide(native.value_axis)
        native.value_axis.minimum_scale, native.value_axis.maximum_scale = 0, limit
        bars = native.plots[0].series[0]
        colour = palette.muted if is_total else palette.high
        colour.paint(bars.format.fill)
        _label_all(slide, bars, chart.number_format, palette.ink, "OUTSIDE_END")
        marks = series.marks or ("",) * len(series.values)
        for row, (value, mark) in enumerate(zip(series.values, marks, strict=True)):
            form = _form_of(value, chart.number_format)
            if mark or form != chart.number_format:
                text = f"\u00a0{mark}" if mark else ""
                _label(bars, row, _with_text(form, text), position="OUTSIDE_END")
        left += width + room + (gap if is_total else 0.0)


def _limit_of_bars(slide: Slide, chart: ChartData, width: float) -> float:
    """Return the end of the axis at which every bar and its label fit in a width."""
    size = _VALUE * slide.deck.unit
    labelled = [
        (value, mark)
        for series in chart.series
        for value, mark in zip(series.values, series.marks or ("",) * len(series.values), strict=True)
        if math.isfinite(value)
    ]
    if chart.limits is not None:
        labelled.append((chart.limits[1], ""))
    limits = [
        value / max(1 - _text_width(f"{_write(value, chart.number_format)}% {mark}", size) / width, 0.2)
        for value, mark in labelled
    ]
    return max(limits, default=1.0) or 1.0


# Bars, columns and points, for one column


def _draw_bars(slide: Slide, chart: ChartData) -> None:
    """Draw a bar for each category, labelled by its value and interval."""
    unit, palette = slide.deck.unit, slide.deck.palette
    (series,) = chart.series
    box = _limit_height(slide, len(chart.categories), below=0.0)
    names = _name_width(slide, chart.categories, box.width)
    inner = Box(names, 0, box.width - names, box.height)
    native = _add(slide, "BAR_CLUSTERED", box, chart, inner, lines=2)
    native.plots[0].gap_width = 45
    _hide(native.value_axis)
    _limit_signed(native, chart, inner.width, unit)
    bars = native.plots[0].series[0]
    palette.high.paint(bars.format.fill)
    bars.invert_if_negative = False
    for row, value in enumerate(series.values):
        if value < 0:
            palette.low.paint(bars.points[row].format.fill)
    _label_all(slide, bars, chart.number_format, palette.ink, "OUTSIDE_END")
    for row, text in enumerate(_interval_labels(chart, series)):
        if text:
            _label(bars, row, _with_text(chart.number_format, text), position="OUTSIDE_END")


def _limit_signed(native: Any, chart: ChartData, width: float, unit: float) -> None:
    """Limit the axis of bars so that each bar and its label with an interval fit in a width."""
    from pptx.enum.chart import XL_TICK_LABEL_POSITION

    (series,) = chart.series
    known = [value for value in series.values if math.isfinite(value)]
    low = min([0.0, *known])
    high = max([0.0, *known, chart.limits[1] if chart.limits else 0.0])
    room = _INTERVAL_WIDTH * unit
    for_bars = max(width - room * (1 + (low < 0)), 0.3 * width)
    per_inch = ((high - low) or 1.0) / for_bars
    native.value_axis.minimum_scale = low - room * per_inch if low < 0 else 0
    native.value_axis.maximum_scale = high + room * per_inch
    native.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW


def _interval_labels(chart: ChartData, series: Series) -> Iterator[str]:
    """Yield the text after each value: letters, and the interval."""
    for row, value in enumerate(series.values):
        mark = f" {series.marks[row]}" if series.marks and series.marks[row] else ""
        ends = [part[row] for part in (series.low, series.high) if part]
        if len(ends) == 2 and all(map(math.isfinite, (value, *ends))):
            low, high = (_write(end, chart.number_format) for end in ends)
            yield f"{mark}  ({low} to {high})"
        else:
            yield mark


def _write(value: float, form: str) -> str:
    """Write a number in a number format; a share without its sign."""
    if form == SHARE:
        return number(100 * value, 0)
    first = form.partition(";")[0]
    shown = number(value, len(first.partition(".")[2]))
    return with_sign(shown) if first.startswith("+") else shown


def _form_of(value: float, form: str) -> str:
    """Return the number format of a label: a share that would be rounded to 0 is less than 1 %."""
    return '"<1%"' if form == SHARE and 0 < value < _LEAST_ROUNDED else form


def _with_text(form: str, text: str) -> str:
    """Put a text after a number format, in each of its sections."""
    return ";".join(f'{section}"{text}"' for section in form.split(";")) if text else form


def _fits_columns(slide: Slide, chart: ChartData) -> bool:
    """Return whether the names of columns fit below them."""
    n = len(chart.categories)
    if n > _MOST_COLUMNS:
        return all(len(name) <= 6 for name in chart.categories)
    width = slide.room.width / n - 0.1
    return all(text_lines(name, width, _LABEL * slide.deck.unit) <= 2 for name in chart.categories)


def _draw_columns(slide: Slide, chart: ChartData) -> None:
    """Draw a column for each category, labelled by its value."""
    unit, palette = slide.deck.unit, slide.deck.palette
    (series,) = chart.series
    if chart.order == "promoters":
        groups = palette.groups_of_recommendation()
        _draw_legend(slide, slide.take_top(_LEGEND_HEIGHT * unit), list(groups), list(groups.values()), 0.0)
    box = slide.room
    inner = Box(0, 0.3 * unit, box.width, box.height - 0.9 * unit)
    native = _add(slide, "COLUMN_CLUSTERED", box, chart, inner, lines=2)
    native.category_axis.reverse_order = False
    native.plots[0].gap_width = 45 if len(chart.categories) <= _MOST_COLUMNS else 10
    _hide(native.value_axis)
    native.value_axis.minimum_scale = 0
    bars = native.plots[0].series[0]
    colours = _point_colours(slide, chart)
    palette.high.paint(bars.format.fill)
    for index, colour in enumerate(colours):
        colour.paint(bars.points[index].format.fill)
    _label_all(slide, bars, chart.number_format, palette.ink, "OUTSIDE_END")
    for index, value in enumerate(series.values):
        mark = series.marks[index] if series.marks else ""
        if mark:
            _label(bars, index, _with_text(chart.number_format, f"\u00a0{mark}"), position="OUTSIDE_END")
        if math.isfinite(value) and len(chart.categories) > _MOST_COLUMNS:
            _label(bars, index, None)


def _point_colours(slide: Slide, chart: ChartData) -> list[Colour]:
    """Return a colour for each category of ordered points; none for others."""
    n = len(chart.categories)
    if chart.order == "none":
        return []
    if chart.order == "promoters":
        low, middle, high = slide.deck.palette.groups_of_recommendation().values()
        return [low] * 7 + [middle] * 2 + [high] * 2
    return slide.deck.palette.scale(n, is_reversed=chart.order == "good to bad")


def _draw_number(slide: Slide, chart: ChartData) -> None:
    """Write a single figure in large type, with its interval in words."""
    (series,) = chart.series
    value, low, high = (
        _write(part[0], chart.number_format) if part and math.isfinite(part[0]) else ""
        for part in (series.values, series.low, series.high)
    )
    unit = slide.deck.unit
    slide.take_top(0.5 * unit)
    slide.text(slide.take_top(1.3 * unit), [value], size=72, colour=slide.deck.palette.high, is_bold=True)
    interval = f"plausibly between {low} and {high}" if low and high else ""
    lines = [capitalise(chart.quantity), interval]
    slide.text(slide.take_top(1.0 * unit), [line for line in lines if line], size=18, gap=0.2)


def _draw_points(slide: Slide, chart: ChartData) -> None:
    """Draw the points of each series with their intervals for each category, from left to right."""
    from pptx.enum.chart import XL_TICK_LABEL_POSITION

    unit, palette = slide.deck.unit, slide.deck.palette
    colours = palette.series(len(chart.series))
    if len(chart.series) > 1:
        names = [series.name for series in chart.series]
        height = len(_legend_lines(slide, names, slide.room.width)) * _LEGEND_HEIGHT * unit
        _draw_legend(slide, slide.take_top(height), names, colours, 0.0)
    box = slide.room
    axis_width, below = 0.7 * unit, 0.75 * unit
    inner = Box(axis_width, 0.1 * unit, box.width - axis_width, box.height - below - 0.1 * unit)
    if chart.has_total and len(chart.categories) > 1:
        width = inner.width / len(chart.categories)
        _set_apart(slide, Box(box.left + axis_width, box.top, width, box.height - 0.1 * unit))
    native = _add(slide, "LINE_MARKERS", box, chart, inner, lines=3)
    native.category_axis.reverse_order = False
    native.category_axis.tick_label_position = XL_TICK_LABEL_POSITION.LOW
    low, high, step = _round_limits(chart.series)
    axis = native.value_axis
    axis.minimum_scale, axis.maximum_scale, axis.major_unit = low, high, step
    form = SHARE if chart.number_format == SHARE else _format_of_ticks(step)
    _show_axis(slide, axis, form, has_grid=True)
    for drawn, series, colour in zip(native.plots[0].series, chart.series, colours, strict=True):
        drawn.smooth = False
        _draw_markers(slide, drawn, colour)
        _label_all(slide, drawn, chart.number_format, palette.ink, "RIGHT")
        for index, mark in enumerate(series.marks):
            if mark and math.isfinite(series.values[index]):
                marked = _with_text(chart.number_format, f"\u00a0{mark}")
                _label(drawn, index, marked, position="RIGHT")
        if series.low:
            _add_whiskers(drawn, series, colour)


# Parts of charts


def _set_apart(slide: Slide, box: Box) -> None:
    """Put a pale area behind the total, below the charts that are added later."""
    slide.area(box, slide.deck.palette.band)


def _limit_height(slide: Slide, n_rows: int, *, below: float) -> Box:
    """Return the room of rows, which are not higher than needed."""
    unit = slide.deck.unit
    room = slide.room
    return room._replace(height=min(room.height, (n_rows * _ROW + below) * unit))


def _name_width(slide: Slide, names: Sequence[str], width: float) -> float:
    """Return the width that the names of rows need, in up to two lines."""
    size = _LABEL * slide.deck.unit
    longest = max((_text_width(name, size) for name in names), default=0.0)
    wanted = longest
    if longest > _NAMES_SHARE * width:
        wanted = max(_text_width(_wider_half(name), size) for name in names)
    room: float = min(wanted + 0.25 * slide.deck.unit, 1.15 * _NAMES_SHARE * width)
    return room


def _wider_half(name: str) -> str:
    """Return the wider line of a name in two lines as equal as possible."""
    words = split_label(name.replace("\n", ""))
    halves = ((" ".join(words[:n]), " ".join(words[n:])) for n in range(1, len(words) + 1))
    return min((max(half, key=cell_len) for half in halves), key=cell_len, default="")


def _text_width(text: str, size: float) -> float:
    """Return the width of a text on one line, in inches."""
    width: float = cell_len(text.replace("\n", "")) * size * _CELL / 72
    return width


def _add(
    slide: Slide,
    kind: str,
    box: Box,
    chart: ChartData,
    inner: Box,
    *,
    lines: int,
    has_names: bool = True,
) -> Any:
    """Add a chart of categories.

    Args:
        slide: the slide.
        kind: name of python-pptx for the type of the chart.
        box: the whole chart.
        chart: its data.
        inner: the area of the bars, from the corner of the chart.
        lines: greatest number of lines of a category's name.
        has_names: false to leave the categories' names out of the picture.
    """
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE, XL_TICK_MARK

    size = _LABEL * slide.deck.unit
    is_bar = kind.startswith("BAR")
    room = inner.left - 0.15 if is_bar else inner.width / max(len(chart.categories), 1) - 0.1
    if is_bar:
        lines = min(lines, max(int(inner.height / len(chart.categories) / (size * 1.2 / 72)), 1))
    data = CategoryChartData(number_format=chart.number_format)
    data.categories = [
        clip_to(name, room, size, lines) if has_names else chart_name(name) for name in chart.categories
    ]
    for series in chart.series:
        data.add_series(
            chart_name(series.name), [value if math.isfinite(value) else None for value in series.values]
        )
    native = slide.chart(getattr(XL_CHART_TYPE, kind), box, data)
    _style(slide, native)
    axis = native.category_axis
    axis.major_tick_mark = XL_TICK_MARK.NONE
    axis.reverse_order = True
    axis.format.line.fill.background()
    axis.tick_labels.font.size = int(size * POINT)
    slide.deck.palette.ink.paint(axis.tick_labels.font)
    _keep_labels_level(axis)
    if not has_names:
        _hide(axis)
    _set_inner(native, box, inner)
    return native


def _style(slide: Slide, native: Any) -> None:
    """Set the font of a chart, without a title and a legend."""
    native.has_legend = False
    native.has_title = False
    native.font.size = int(_VALUE * slide.deck.unit * POINT)
    slide.deck.palette.ink.paint(native.font)


def _keep_labels_level(axis: Any) -> None:
    """Show the label of every category, never rotated."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    for body in find(axis._element, "./c:txPr/a:bodyPr"):
        body.set("rot", "0")
        body.set("vert", "horz")
    offset = find(axis._element, "./c:lblOffset")
    if offset:
        skip = parse_xml(f'<c:tickLblSkip {nsdecls("c")} val="1"/>')
        offset[0].addnext(skip)


def _set_inner(native: Any, box: Box, inner: Box) -> None:
    """Set the area of the bars or points within a chart, so that neighbouring charts are aligned."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    x, y = inner.left / box.width, inner.top / box.height
    width, height = inner.width / box.width, inner.height / box.height
    values = "".join(
        f'<c:{name} val="{value:.5f}"/>' for name, value in (("x", x), ("y", y), ("w", width), ("h", height))
    )
    layout = parse_xml(
        f'<c:layout {nsdecls("c")}><c:manualLayout><c:layoutTarget val="inner"/>'
        f'<c:xMode val="edge"/><c:yMode val="edge"/>{values}</c:manualLayout></c:layout>'
    )
    (area,) = find(native.element, ".//c:plotArea")
    for old in find(area, "./c:layout"):
        area.remove(old)
    area.insert(0, layout)


def _hide(axis: Any) -> None:
    axis.visible = False
    axis.has_major_gridlines = False


def _show_axis(slide: Slide, axis: Any, form: str, *, has_grid: bool = False) -> None:
    """Show an axis of values, with small labels."""
    from pptx.enum.chart import XL_TICK_MARK

    palette = slide.deck.palette
    axis.has_major_gridlines = has_grid
    axis.has_minor_gridlines = False
    axis.major_tick_mark = XL_TICK_MARK.NONE if has_grid else XL_TICK_MARK.OUTSIDE
    if has_grid:
        palette.grid.paint(axis.major_gridlines.format.line)
        axis.format.line.fill.background()
    else:
        palette.grid.paint(axis.format.line)
    axis.tick_labels.number_format, axis.tick_labels.number_format_is_linked = form, False
    axis.tick_labels.font.size = int(_AXIS * slide.deck.unit * POINT)
    palette.muted.paint(axis.tick_labels.font)


def _draw_markers(slide: Slide, series: Any, colour: Colour) -> None:
    from pptx.enum.chart import XL_MARKER_STYLE

    series.format.line.fill.background()
    series.marker.style, series.marker.size = XL_MARKER_STYLE.CIRCLE, max(int(9 * slide.deck.unit), 5)
    colour.paint(series.marker.format.fill)
    series.marker.format.line.fill.background()


def _round_limits(series: Sequence[Series]) -> tuple[float, float, float]:
    """Return the ends of an axis for all values with their intervals, and the distance of its ticks."""
    parts = (part for entry in series for part in (entry.values, entry.low, entry.high))
    known = [value for part in parts for value in part if math.isfinite(value)] or [0.0]
    low, high = min(known), max(known)
    if low == high:
        low, high = low - 1, high + 1
    first, second, *_ = Axis(low, high, 0, 1).ticks(_TICKS)
    step = round(second - first, 9)
    return round(step * math.floor(low / step), 9), round(step * math.ceil(high / step), 9), step


def _format_of_ticks(step: float) -> str:
    """Return the number format of values that are multiples of a step."""
    return decimals(max(0, -math.floor(math.log10(step) + 1e-9)))


def _label_all(slide: Slide, series: Any, form: str, ink: Colour, position: str = "") -> None:
    """Label all values of a series."""
    from pptx.enum.chart import XL_LABEL_POSITION

    labels = series.data_labels
    labels.show_value = True
    labels.number_format, labels.number_format_is_linked = form, False
    labels.font.size = int(_VALUE * slide.deck.unit * POINT)
    for body in find(labels._element, "./c:txPr/a:bodyPr"):
        body.set("wrap", "none")
    ink.paint(labels.font)
    if position:
        labels.position = getattr(XL_LABEL_POSITION, position)


def _label(series: Any, index: int, form: str | None, *, position: str = "") -> None:
    """Give one value a number format of its own, or no label."""
    from lxml import etree
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    labels = series._element.get_or_add_dLbls()
    name = {"OUTSIDE_END": "outEnd", "RIGHT": "r", "ABOVE": "t"}.get(position, "")
    for old in find(labels, f"./c:dLbl[c:idx/@val='{index}']"):
        labels.remove(old)
    if form is None:
        content = '<c:delete val="1"/>'
    else:
        (looks,) = find(labels, "./c:txPr")
        escaped = printable(form).replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        content = (
            f'<c:numFmt formatCode="{escaped}" sourceLinked="0"/>{etree.tostring(looks).decode()}'
            + (f'<c:dLblPos val="{name}"/>' if name else "")
            + '<c:showLegendKey val="0"/>'
            '<c:showVal val="1"/><c:showCatName val="0"/>'
            '<c:showSerName val="0"/><c:showPercent val="0"/><c:showBubbleSize val="0"/>'
        )
    label = parse_xml(f'<c:dLbl {nsdecls("c", "a")}><c:idx val="{index}"/>{content}</c:dLbl>')
    later = [entry for entry in find(labels, "./c:dLbl") if int(entry.idx.get("val")) > index]
    if later:
        later[0].addprevious(label)
    else:
        earlier = find(labels, "./c:dLbl")
        if earlier:
            earlier[-1].addnext(label)
        else:
            labels.insert(0, label)


def _add_whiskers(drawn: Any, series: Series, colour: Colour) -> None:
    """Add intervals to the points of a line."""
    from pptx.oxml import parse_xml
    from pptx.oxml.ns import nsdecls

    lengths = {
        "plus": [high - value for value, high in zip(series.values, series.high, strict=True)],
        "minus": [value - low for value, low in zip(series.values, series.low, strict=True)],
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
        f'<c:spPr><a:ln w="{int(1.5 * POINT)}"><a:solidFill><a:schemeClr val="{colour.name}"/>'
        "</a:solidFill></a:ln></c:spPr></c:errBars>"
    )
    (values,) = find(drawn._element, "./c:cat")
    values.addprevious(bars)
