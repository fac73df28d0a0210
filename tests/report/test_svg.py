"""Charts become small inline SVG that says what it shows."""

import re

import altair as alt
import numpy as np
import pytest

from semscale.report.chart_kit import Specification, compacted, draw
from semscale.report.plane_charts import MatrixCell, matrix, scatter
from semscale.report.row_charts import Bar, GroupRow, bars, group_rows, strips

NASTY = '<b onclick="x">&"\'</b> \\u0000 {{7*7}} datum.value'
CELLS = [[MatrixCell("#000000", text) for text in "10"]] * 2


def _source(body: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10" viewBox="0 0 20 10">{body}</svg>'


def test_neighbouring_paths_of_one_colour_become_one():
    body = '<g><path d="M0,0h1v1h-1Z" fill="#111"/><path d="M2,0h1v1h-1Z" fill="#111"/></g>'
    assert compacted(_source(body), "two") == (
        '<svg viewBox="0 0 20 10" role="img" aria-label="two" style="max-width:20px">'
        '<g fill="#111"><path d="M0,0h1v1h-1ZM2,0h1v1h-1Z" /></g></svg>'
    )


def test_translucent_paths_stay_apart_so_that_their_overlap_still_shows():
    dot = '<path transform="translate({},4)" d="M0,0L0,0" stroke="#111" stroke-opacity="0.3"/>'
    body = f"<g>{dot.format(1.25)}{dot.format(2)}</g>"
    drawn = compacted(_source(body), "dots")
    assert '<path d="M1.2,4h0" /><path d="M2,4h0" />' in drawn


def test_invisible_elements_go():
    body = (
        '<g><path d="M0,0h1" display="none" stroke="#111"/><g></g><text></text></g><g><rect fill="#222"/></g>'
    )
    assert compacted(_source(body), "").endswith('style="max-width:20px"><g><rect fill="#222" /></g></svg>')


def test_labels_are_escaped():
    drawn = compacted(_source('<g><text fill="#111">&lt;script&gt;</text></g>'), 'a "quoted" <label>')
    assert 'aria-label="a &quot;quoted&quot; &lt;label&gt;"' in drawn
    assert "&lt;script&gt;" in drawn


def _charts(width: int) -> dict[str, Specification]:
    pmf = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])
    rows = [
        GroupRow(NASTY, 2.1, 2.0, 2.2, (0.2, 0.5, 0.3)),
        GroupRow("none", 1.5, None, None, (0.6, 0.3, 0.1)),
    ]
    return {
        "bars": bars(
            [Bar(0, 0.2, 0.1, 0.3, "20", "20"), Bar(1, 0.0, None, None, "0", "0")], [NASTY, "b"], width
        ),
        "matrix": matrix(CELLS, ["a", NASTY], ["a", NASTY], width=width),
        "strips": strips(pmf.T, [NASTY, "b", "c"], [(0, "1.2"), (2, "2.9")], width=width),
        "groups": group_rows(rows, ("#111111", "#222222", "#333333"), reference=2.0, width=width),
        "scatter": scatter(np.array([[1.0, 2.0], [2.0, 3.0]]), ((1, 3), (1, 3)), ("x", "y")),
    }


@pytest.mark.parametrize("width", [348, 860])
@pytest.mark.parametrize("name", ["bars", "matrix", "strips", "groups", "scatter"])
def test_every_chart_is_valid_vega_lite_and_fits_its_width(name, width):
    chart = _charts(width)[name]
    alt.Chart.from_dict(chart, validate=True)
    drawn = draw(chart, "shown")
    natural = int(re.search(r"max-width:(\d+)px", drawn)[1])
    assert 100 < natural <= width + 60
    assert "<script" not in drawn
    assert "<b " not in drawn
    assert ' id="' not in drawn  # two pictures on one page must not share an id
    assert "NaN" not in drawn


@pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0x202E, 0x2028, 0xD800, 0xFFFE, 0xFFFF, 0x1F600])
def test_no_character_of_a_label_stops_the_renderer(code):
    label = f"a{chr(code)}b"
    drawn = draw(matrix([[MatrixCell("#000000", label)]], [label], [label], width=400), label)
    assert drawn.encode("utf-8")
