"""A heat map's cells tile its plot, and each tick stands below the middle of its column."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from semscale.report.chart_kit import compacted, standalone_svg, svg_source
from semscale.report.row_charts import strips

NAMES = ["high", "low"]
WIDTHS = [860, 348]
CELL = re.compile(r"M([\d.]+),([\d.]+)h([\d.]+)v([\d.]+)h-")


def chart_of(items, *, width=860, ticks=((0, "first"),)):
    """Two rows in which no neighbours are alike, so that each cell is a piece of its own."""
    levels = np.stack([np.arange(items) % 2, 1 - np.arange(items) % 2]).astype(float)
    return strips(levels, NAMES, ticks, width=width)


def cells_of(svg):
    """The cells of a drawing by their row: the left and the right end of each, from left to right."""
    rows = {}
    for path in ElementTree.fromstring(svg).iter():
        for x, y, across, _ in CELL.findall(path.get("d", "")):
            rows.setdefault(y, []).append((float(x), float(x) + float(across)))
    return [sorted(row) for row in rows.values()]


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("items", [1, 2, 5, 50, 300])
def test_the_cells_of_a_page_tile_the_plot(items, width):
    chart = chart_of(items, width=width)
    rows = cells_of(compacted(svg_source(chart), "cells"))
    assert len(rows) == len(NAMES)
    for row in rows:
        assert len(row) == items
        assert row[0][0] == 0
        assert row[-1][1] == pytest.approx(chart["width"], abs=1e-9)
        lefts, rights = ([cell[side] for cell in row] for side in (0, 1))
        assert lefts[1:] == pytest.approx(rights[:-1], abs=1e-9)
        # An edge lies where its column ends, to the tenth of a pixel that a compacted drawing keeps.
        column = chart["width"] / items
        assert rights == pytest.approx([column * (place + 1) for place in range(items)], abs=0.05 + 1e-9)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("items", [1, 2, 5, 50, 300])
def test_each_tick_stands_below_the_middle_of_its_column(items, width):
    columns = sorted({0, items // 2, items - 1})
    ticks = [(column, f"text {column}") for column in columns]
    chart = chart_of(items, width=width, ticks=ticks)
    svg = ElementTree.fromstring(svg_source(chart))
    (axis,) = (
        group for group in svg.iter() if group.get("class") == "mark-rule role-axis-tick" and len(group)
    )
    places = [float(re.match(r"translate\(([\d.]+)", line.get("transform"))[1]) for line in axis]
    middles = [chart["width"] / items * (column + 0.5) for column in columns]
    assert places == pytest.approx(middles, abs=0.51)  # Vega draws a tick on a whole pixel
    written = [text.text for text in svg.iter() if (text.text or "").startswith("text ")]
    assert written == [label for _, label in ticks]


def test_a_row_of_one_colour_is_one_piece():
    chart = strips(np.ones((1, 40)), ["all"], [(0, "first")], width=400)
    (piece,) = chart["datasets"]["rows"]
    assert (piece["start"], piece["stop"]) == (0, chart["width"])


def test_a_file_draws_edges_on_whole_pixels_so_that_no_paper_shines_through():
    drawn = standalone_svg(chart_of(5), "cells", is_crisp=True)
    assert ElementTree.fromstring(drawn).get("shape-rendering") == "crispEdges"
    assert ElementTree.fromstring(standalone_svg(chart_of(5), "cells")).get("shape-rendering") is None
