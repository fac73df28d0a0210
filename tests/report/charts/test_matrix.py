"""Heads of a map lie level, in two lines if need be, and stand upright where there is no room."""

import pytest

from semscale.report.charts.matrix import matrix

LONG = ["match", "number of outputs", "contradictions"]


def axis_and_heads(columns, *, width=860, title=None):
    cells = [["#ffffff"] * len(columns)]
    texts = [["+0.10 ?"] * len(columns)]
    chart = matrix(cells, texts, ["cells"], columns, width=width, title=title)
    heads = next(one["value"] for one in chart["params"] if one["name"] == "columns")
    return chart["layer"][0]["encoding"]["x"]["axis"], heads


@pytest.mark.parametrize(
    ("columns", "width", "angle", "heads"),
    [
        (["10 %", "100 %"], 860, 0, ["10 %", "100 %"]),
        (LONG, 860, 0, [["match"], ["number of", "outputs"], ["contradictions"]]),  # a cell of 112 pixels
        (LONG, 330, -90, LONG),
        (["unpronounceable-names-1", "b"], 860, -90, ["unpronounceable-names-1", "b"]),
    ],
)
def test_heads_of_columns_are_broken_before_they_are_turned(columns, width, angle, heads):
    axis, shown = axis_and_heads(columns, width=width)
    assert (axis["labelAngle"], shown) == (angle, heads)


def test_columns_may_have_a_title():
    axis, _ = axis_and_heads(["10 %"], title="share of items damaged")
    assert axis["title"] == "share of items damaged"
