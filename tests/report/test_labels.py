"""Labels are wrapped instead of cut, and rows are as high as their labels need."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semscale.report.chart_kit import LINE_HEIGHT, columns_of, label_room, lines_of, row_height
from semscale.report.row_charts import Bar, DotRow, GroupRow, bars, dots, group_rows

LABELS = [
    "1 · Not at all likely to recommend it to a friend or to a colleague",
    *(f"{point} · neither likely nor unlikely" for point in range(2, 11)),
    "11 · Extremely likely to recommend it to a friend or to a colleague",
]


@pytest.mark.parametrize(
    ("name", "room", "lines"),
    [
        ("one", 240, ["one"]),
        ("", 240, [""]),
        # 110 pixels less 16 of padding hold 12 columns of 7.6 pixels.
        ("aaaaaaaaaaaaaaaaaaaaaaaa bb", 110, ["aaaaaaaaaaaa", "aaaaaaaaaaaa", "bb"]),
        ("organisation/model-b", 110, ["organisation", "/model-b"]),
        ("fruit in the orchard behind", 124, ["fruit in the", "orchard behind"]),
        ("満足満足満足満足", 110, ["満足満足満足", "満足"]),
    ],
)
def test_a_label_is_broken_between_words_and_inside_a_word_only_where_it_must_be(name, room, lines):
    assert lines_of(name, room) == lines


def test_a_text_that_is_no_label_ends_after_eight_lines():
    lines = lines_of("word " * 200, 110)
    assert len(lines) == 8
    assert lines[-1].endswith("…")


@given(st.text(max_size=80), st.integers(60, 240))
def test_no_line_of_a_label_is_wider_than_its_room(name, room):
    lines = lines_of(name, room)
    assert 1 <= len(lines) <= 8
    # 7.6 pixels a column and 16 of padding; at least 3 columns in any room
    assert all(columns_of(line) <= max(int((room - 16) / 7.6), 3) for line in lines)


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=80))
def test_nothing_of_a_label_gets_lost(name):
    # 240 pixels hold 29 columns, so 80 characters take at most 5 lines, breaks included.
    assert "".join(lines_of(name, 240)).replace(" ", "") == name.replace(" ", "")


@pytest.mark.parametrize("width", [940, 348])
def test_rows_are_as_high_as_their_longest_label(width):
    room = label_room(width, LABELS)
    lines = max(len(lines_of(name, room)) for name in LABELS)
    needed = LINE_HEIGHT * lines
    for chart in (
        bars([Bar(row, 0.1, None, None, "10 %", "10 %") for row in range(11)], LABELS, width),
        dots([DotRow(name, (0.5,)) for name in LABELS], ["#000000"], width=width),
    ):
        assert chart["height"] / len(LABELS) >= needed
        shown = next(one["value"] for one in chart["params"] if one["name"] == "names")
        assert [" ".join(one) for one in shown] == LABELS
    groups = [GroupRow(name, 3.0, 2.0, 4.0, (0.5, 0.5)) for name in LABELS]
    drawn = group_rows(groups, ["#000000", "#ffffff"], reference=3.0, width=width)
    plots = drawn.get("hconcat") or drawn["vconcat"]
    assert all(plot["height"] / len(LABELS) >= needed for plot in plots)


def test_short_labels_leave_rows_as_they_are():
    assert row_height(["Good", "Bad"], 110, 30) == 30
    assert row_height([], 110, 30) == 30
