"""Heads of a map lie level, in two lines if need be, and stand upright where there is no room."""

import pytest

from semscale.report.plane_charts import MatrixCell, matrix

LONG = ["match", "number of outputs", "contradictions"]


def axis_and_heads(columns, *, width=860, title=None):
    cells = [[MatrixCell("#ffffff", "+0.10 ?")] * len(columns)]
    chart = matrix(cells, ["cells"], columns, width=width, title=title)
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


def test_narrow_cells_have_their_short_figure():
    cells = [[MatrixCell("#ffffff", "+0.10 ✕", "✕"), MatrixCell("#ffffff", "0.2")]]
    for width, texts in ((860, ["+0.10 ✕", "0.2"]), (348, ["✕", "0.2"])):
        records = matrix(cells, ["cells"], ["a", "b"], width=width)["datasets"]["rows"]
        assert [record["text"] for record in records] == texts


def test_columns_may_have_a_title():
    axis, _ = axis_and_heads(["10 %"], title="share of items damaged")
    assert axis["title"] == "share of items damaged"
