"""Charts are small SVG pictures: every value lies where the axis says, and every label is readable."""

import re
import struct
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from semscale.history.stored_comparison import Outcome
from semscale.report.chart_kit import (
    INK,
    LINE_HEIGHT,
    MUTED,
    PADDING,
    Axis,
    Drawing,
    Rows,
    draw_across,
    label_room,
    lines_of,
    rasterize,
)
from semscale.report.document import DataTable, Swatch
from semscale.report.figures import histogram_table, histograms_figure
from semscale.report.plane_charts import MatrixCell, matrix, reliability, scatter
from semscale.report.row_charts import (
    PALE,
    Bar,
    ForestRow,
    ScoreGroup,
    bars,
    bin_counts,
    bin_edges,
    dots,
    forest,
    group_rows,
    histograms,
    legend,
    panels,
    strips,
)
from semscale.stats.calibration import ReliabilityBin
from semscale.stats.intervals import Estimate

NAN = float("nan")
NASTY = '<b onclick="x">&"\'</b> \\u0000 {{7*7}} datum.value'
SVG = "{http://www.w3.org/2000/svg}"


def elements(drawing, tag):
    """The attributes of a drawing's elements of one kind, without the paper of the file."""
    root = ElementTree.fromstring(drawing.document("shown"))
    attributes = []
    for parent in root.iter():
        shared = parent.attrib if parent.tag == f"{SVG}g" else {}
        attributes += [
            {**shared, **entry.attrib, "text": entry.text} for entry in parent if entry.tag == SVG + tag
        ]
    return [entry for entry in attributes if entry.get("width") != "100%"]


def boxes(drawing):
    """Left edge, upper edge, width and height of each rectangle that is drawn."""
    shapes = "".join(path["d"] for path in elements(drawing, "path"))
    return [tuple(map(float, box)) for box in re.findall(r"M([\d.]+),([\d.]+)h([\d.]+)v([\d.]+)h-", shapes)]


def lines(drawing, colour):
    """The corners of each line of a colour: pixels from the left and from the top."""
    paths = [path["d"] for path in elements(drawing, "path") if path.get("stroke") == colour]
    return [
        tuple(tuple(map(float, corner.split(","))) for corner in line.split("L"))
        for path in paths
        for line in path.split("M")[1:]
        if "L" in line
    ]


def texts(drawing):
    return [element["text"] for element in elements(drawing, "text")]


def every_chart(width):
    pmf = np.array([[0.2, 0.5, 0.3], [0.6, 0.3, 0.1]])
    rows = [
        (NASTY, Estimate(2.1, 2.0, 2.2), (0.2, 0.5, 0.3)),
        ("none", Estimate(1.5, NAN, NAN), (0.6, 0.3, 0.1)),
    ]
    two_bars = [Bar(0, 0.2, 0.1, 0.3, "20", "20"), Bar(1, 0.0, NAN, NAN, "0", "0")]
    cells = [[MatrixCell("#000000", text) for text in "10"]] * 2
    counted = ScoreGroup(NASTY, np.array([0.3, 0.7]), "#111111", 0.4, 0.6)
    return {
        "bars": bars(two_bars, [NASTY, "b"], width),
        "dots": dots({NASTY: (0.5,)}, ["#111111"], width=width),
        "forest": forest([row(name=NASTY)], NASTY, width=width),
        "matrix": matrix(cells, ["a", NASTY], ["a", NASTY], width=width, title=NASTY),
        "strips": strips(pmf.T, [NASTY, "b", "c"], [(0, "1.2"), (2, "2.9")], width=width),
        "groups": group_rows(rows, ("#111111", "#222222", "#333333"), reference=2.0, width=width),
        "panels": panels([(f"{NASTY}\n, n = 9", two_bars)] * 7, [NASTY, "b"], has_total=True, width=width),
        "stacks": group_rows([("a", Estimate(NAN, NAN, NAN), (0.5, NAN))], ("#111111",) * 2, width=width),
        "means": group_rows([("a", Estimate(2.0, NAN, NAN), ())], (), labels=["2.00 A"], width=width),
        "histograms": histograms([counted], np.array([0.0, 0.5, 1.0]), width=width),
        "scatter": scatter(np.array([[1.0, 2.0], [2.0, 3.0]]), ((1, 3), (1, 3)), (NASTY, "y")),
        "reliability": reliability([ReliabilityBin(0.5, Estimate(0.6, 0.4, 0.8), 10)]),
    }  # fmt: skip


@pytest.mark.parametrize("width", [348, 860])
def test_every_chart_fits_its_width_and_escapes_what_it_writes(width):
    for name, drawing in every_chart(width).items():
        shown = drawing.inline('a "quoted" <label>')
        ElementTree.fromstring(shown)
        natural = int(re.search(r"max-width:(\d+)px", shown)[1])
        assert 100 < natural <= width + 60, name
        assert 'aria-label="a &quot;quoted&quot; &lt;label&gt;"' in shown
        assert "<script" not in shown
        assert "<b " not in shown
        assert ' id="' not in shown  # two pictures on one page must not share an id
        assert "nan" not in shown.lower(), name


@pytest.mark.parametrize("code", [*range(0x20), 0x7F, 0x85, 0x202E, 0x2028, 0xD800, 0xFFFE, 0xFFFF, 0x1F600])
def test_no_character_of_a_label_stops_the_renderers(code):
    label = f"a{chr(code)}b"
    drawn = matrix([[MatrixCell("#000000", label)]], [label], [label], width=400)
    assert drawn.inline(label).encode("utf-8")
    assert rasterize(drawn.document(label, [Swatch("#000000", label, "dot")])).startswith(b"\x89PNG")


def test_a_picture_has_its_letters_on_a_machine_without_fonts(monkeypatch):
    import resvg_py

    draw = resvg_py.svg_to_bytes
    monkeypatch.setattr(resvg_py, "svg_to_bytes", lambda **settings: draw(**settings, skip_system_fonts=True))
    blank, written = Drawing(80, 30), Drawing(80, 30)
    written.text((5, 20), "Größe ✕ −0.12")
    assert len(rasterize(written.document(""))) > 3 * len(rasterize(blank.document("")))


def test_a_file_has_white_paper_a_legend_and_twice_the_pixels():
    legend_of_two = [Swatch("#111111", "a", "line"), Swatch("#222222", "b")]
    drawn = Drawing(200, 100)
    plain, explained = drawn.document("what it shows"), drawn.document("what it shows", legend_of_two)
    root = ElementTree.fromstring(explained)
    assert root.find(f"{SVG}title").text == "what it shows"
    assert root.find(f"{SVG}rect").attrib == {"width": "100%", "height": "100%", "fill": "#ffffff"}
    assert float(root.get("height")) > float(ElementTree.fromstring(plain).get("height")) == 100
    assert struct.unpack(">II", rasterize(plain)[16:24]) == (400, 200)


@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1e4), st.integers(3, 12))
def test_ticks_are_round_evenly_spaced_and_about_as_many_as_asked(low, span, about):
    axis = Axis(low, low + span, 0.0, 100.0)
    values = list(axis.ticks(about))
    assert about / 2 - 1 <= len(values) <= 2 * about + 1
    assert all(low - span * 1e-6 <= value <= low + span * (1 + 1e-6) for value in values)
    steps = np.diff(values)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)


def test_ticks_have_the_decimals_that_they_need():
    assert list(Axis(0, 1, 0, 1).ticks(5).values()) == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]
    assert list(Axis(-0.05, 0.1, 0, 1).ticks(3).values()) == ["−0.05", "0.00", "0.05", "0.10"]
    assert list(Axis(1, 5, 0, 1).ticks(5).values()) == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize(
    # A label of four characters is 30 pixels wide, and the first one begins at the axis: 23 + 30 / 2 + a gap.
    ("step", "shown"),
    [(44, ["0 %", "10 %", "20 %"]), (38, ["0 %", "20 %"])],
)
def test_labels_of_ticks_never_touch_each_other(step, shown):
    drawing, axis = Drawing(200, 60), Axis(0, 0.25, 10, 10 + 2.5 * step)
    draw_across(drawing, axis, {0: "0 %", 0.1: "10 %", 0.2: "20 %"}, top=20, bottom=50)
    assert [label["text"] for label in elements(drawing, "text")] == shown


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
def test_label_breaks_between_terms_and_inside_only_if_necessary(name, room, lines):
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
    assert all(cell_len(line) <= max(int((room - 16) / 7.6), 3) for line in lines)


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P"]), max_size=80))
def test_nothing_of_a_label_gets_lost(name):
    # 240 pixels hold 29 columns, so 80 characters take at most 5 lines, breaks included.
    assert "".join(lines_of(name, 240)).replace(" ", "") == name.replace(" ", "")


@pytest.mark.parametrize("width", [940, 348])
def test_rows_are_as_high_as_their_longest_label(width):
    room = label_room(width, LABELS)
    needed = LINE_HEIGHT * max(len(lines_of(name, room)) for name in LABELS) * len(LABELS)
    groups = [(name, Estimate(3.0, 2.0, 4.0), (0.5, 0.5)) for name in LABELS]
    for drawing in (
        bars([Bar(row, 0.1, NAN, NAN, "10 %", "10 %") for row in range(11)], LABELS, width),
        dots(dict.fromkeys(LABELS, (0.5,)), ["#000000"], width=width),
        group_rows(groups, ["#000000", "#ffffff"], reference=3.0, width=width),
    ):
        assert drawing.height >= needed
        assert " ".join(LABELS) in " ".join(texts(drawing)).replace(" 10 %", "")


def test_means_lie_between_the_first_and_the_last_tick():
    # Ticks are 0.1 apart: 2.9 is below the least end, 2.93, and 3.5 above the greatest, 3.46.
    groups = [("a", Estimate(3.34, 3.21, 3.46), ()), ("b", Estimate(3.14, 2.93, 3.33), ())]
    drawing = group_rows(groups, (), width=940)
    ticks = [label for label in texts(drawing) if "." in label]
    assert ticks == ["2.9", "3.0", "3.1", "3.2", "3.3", "3.4", "3.5"]


def test_panels_have_one_scale_and_continue_below():
    bar = Bar(0, 0.5, 0.4, 0.6, "", "50 %")
    columns = [("Total\n, n = 9", [bar]), ("a\n (A), n = 4", [Bar(0, 0.25, 0.1, 0.4, "", "25 %")])]
    drawing = panels(columns, ["yes"], width=860)
    (left, top, first, _), (_, also, second, _) = boxes(drawing)
    assert second == pytest.approx(first / 2, rel=0.02)
    assert top == also
    assert texts(drawing) == ["yes", "Total", "n = 9", "50 %", "a", "(A), n = 4", "25 %"]
    # 348 pixels have room for names and two panels, so that the third is below the first.
    narrow = boxes(panels([*columns, columns[0]], ["yes, absolutely"], width=348))
    assert narrow[2][0] == narrow[0][0]
    assert narrow[2][1] > narrow[0][1]


def test_short_labels_leave_rows_as_they_are():
    assert Rows.fit(["Good", "Bad"], 348, 30).height == 30
    assert Rows.fit([], 348, 30).height == 30


def test_bars_are_as_long_as_their_shares_and_whiskers_as_wide_as_their_intervals():
    drawn = bars([Bar(0, 0.4, 0.3, 0.5, "40", "4"), Bar(1, 0.2, NAN, NAN, "20", "2")], ["a", "b"], 860)
    long, short = (width for _, _, width, _ in boxes(drawn))
    assert long == pytest.approx(2 * short, abs=0.11)
    (((left, _), (right, _)),) = lines(drawn, INK)
    # An interval of .2 is as long as the bar of .2.
    assert right - left == pytest.approx(short, abs=0.11)


def test_bars_of_a_row_are_stacked_vertically():
    drawn = bars([Bar(0, 0.4, NAN, NAN, "a", "a"), Bar(0, 0.4, NAN, NAN, "b", "b")], ["row"], 860)
    (_, upper, _, height), (_, lower, _, _) = boxes(drawn)
    assert upper + height <= lower


def test_means_are_coloured_dots_and_missing_means_have_no_dot():
    rows = {"word": (0.2, 0.6), "text": (NAN, 0.5), "x": (NAN, NAN)}
    drawn = dots(rows, ("red", "blue"), width=860)
    marks = [(float(mark["cy"]), mark["fill"], float(mark["cx"])) for mark in elements(drawn, "circle")]
    # Rows are 40 pixels high and begin 36 from the top.
    (upper, red, first), (_, blue, second), (lower, _, third) = marks
    assert (upper, red, blue, lower, marks[2][1]) == (56, "red", "blue", 96, "blue")
    spans = [(left, right, y) for (left, y), (right, _) in lines(drawn, MUTED)]
    assert spans == [pytest.approx((first, second, 56), abs=0.1), pytest.approx((third, third, 96), abs=0.1)]


@pytest.mark.parametrize(("means", "ends"), [((0.2, 0.6), ("0.0", "1.0")), ((-0.5, 1.5), ("−0.5", "1.5"))])
def test_the_axis_of_means_goes_from_0_to_1_and_further_if_a_mean_does(means, ends):
    shown = texts(dots({"x": means}, ("red",) * 2, width=860))[1:]  # after the row's name
    assert (shown[0], shown[shown.index("mean") - 1]) == ends


def row(outcome=Outcome.FAIL, name="match", **settings):
    plain = {"value": 0.2, "low": 0.1, "high": 0.3, "margin": 0.1}
    return ForestRow(name=name, outcome=outcome, text="long", short_text="short", **(plain | settings))


def test_a_figure_lies_at_its_value_and_the_band_ends_at_the_margin():
    drawn = forest([row()], "loss", width=860)
    ((zero, width),) = ((x, width) for x, _, width, _ in boxes(drawn))
    pixels = width / 0.1  # of a loss of 1
    ((limit, _), _), *_ = lines(drawn, MUTED)
    (((low, _), (high, _)),) = lines(drawn, INK)
    assert (limit, low, high) == pytest.approx(
        [zero + 0.1 * pixels, zero + 0.1 * pixels, zero + 0.3 * pixels], abs=0.5
    )
    (diamond,) = (path for path in elements(drawn, "path") if "l5.5" in path["d"])
    middle = float(re.match(r"M([\d.]+)", diamond["d"])[1])
    assert middle == pytest.approx(zero + 0.2 * pixels, abs=0.5)


def test_the_uncertain_part_of_an_interval_is_pale():
    drawn = forest([row(low=0.1, high=0.4, pale_from=0.3)], "share", width=860)
    (((low, _), (middle, _)),), (((start, _), (high, _)),) = lines(drawn, INK), lines(drawn, PALE)
    assert start == middle
    assert middle - low == pytest.approx(2 * (high - start), abs=0.2)
    whole = forest([row(low=0.1, high=0.4, pale_from=0.4)], "share", width=860)
    assert not lines(whole, PALE)


def test_a_narrow_forest_has_the_short_figures():
    assert "long" in texts(forest([row()], "loss", width=860))
    assert "short" in texts(forest([row()], "loss", width=348))


def test_outcomes_differ_without_colour():
    looks = set()
    for outcome in (*Outcome, None):
        drawn = forest([row(outcome)], "loss", width=860)
        marks = [(dot["r"], dot.get("stroke")) for dot in elements(drawn, "circle")]
        looks.add(tuple(marks))
    assert len(looks) == 4


def test_what_does_not_exist_is_not_drawn():
    empty = row(None, value=NAN, low=NAN, high=NAN, margin=None)
    drawn = forest([empty], "loss", width=860)
    assert [boxes(drawn), lines(drawn, INK), elements(drawn, "circle")] == [[], [], []]


def test_the_legend_names_only_what_occurs():
    assert [swatch.label for swatch in legend([row()], gated=True)] == [
        "failed", "margin",
    ]  # fmt: skip
    bare = row(None, margin=None)
    assert [swatch.label for swatch in legend([bare], gated=False)] == ["mean loss"]
    assert [swatch.label for swatch in legend([bare], gated=True)] == ["not tested"]


SCORES = st.lists(st.floats(-1, 1), max_size=30).map(np.array)


@given(SCORES, st.integers(1, 25))
def test_every_score_is_in_a_single_bin(score, bins):
    edges = bin_edges(score, (-1.0, 1.0), bins=bins)
    assert bin_counts(score, edges).sum() == len(score)
    assert len(score) == 0 or edges[0] <= max(score.min(), 0) + 1e-9
    np.testing.assert_allclose(np.diff(edges), 1 / bins)


def test_a_score_on_an_edge_belongs_to_the_bin_above_and_1_to_the_last():
    edges = bin_edges(np.array([0.5]), (0.0, 1.0), bins=4)
    assert edges.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert bin_counts(np.array([0.25, 0.5, 1.0]), edges).tolist() == [0, 1, 1, 1]


def test_histogram_heights_are_shares_scaled_per_group():
    rows = [
        ScoreGroup("a", np.array([0.1, 0.6, 0.7, 0.8]), "#111111"),
        ScoreGroup("b", np.array([0.2, 0.2]), "#222222", 0.1, 0.3),
    ]
    drawn = histograms(rows, np.array([0.0, 0.5, 1.0]), width=860)
    low, high, whole = (height for *_, height in boxes(drawn))  # a share of 0 has no bar
    assert high == pytest.approx(3 * low, abs=0.5)
    assert whole == high


def test_a_group_without_scores_has_no_histogram():
    scored, empty = ScoreGroup("a", np.array([0.2, 0.4]), "#111111"), ScoreGroup("b", np.empty(0), "#222222")
    numbers = DataTable(("", "rows"), ())
    assert histograms_figure("scores", [empty], (0.0, 1.0), numbers) is None
    drawn = histograms_figure("scores", [scored, empty], (0.0, 1.0), numbers)
    assert drawn.description == "Histograms of score. a: mean 0.30."
    # On the screen, all ten bins of no scores are empty.
    rows = histogram_table(empty, (0.0, 1.0), ("score", "rows")).rows
    assert [count.value for _, count in rows] == [0] * 10


LONG = ["match", "number of outputs", "contradictions"]


@pytest.mark.parametrize(
    ("columns", "width", "is_upright", "heads"),
    [
        (["10 %", "100 %"], 860, False, ["10 %", "100 %"]),
        (LONG, 860, False, ["match", "number of", "outputs", "contradictions"]),  # a cell of 112 pixels
        (LONG, 330, True, LONG),
        (["unpronounceable-names-1", "b"], 860, True, ["unpronounceable-names-1", "b"]),
    ],
)
def test_heads_of_columns_are_broken_before_they_are_turned(columns, width, is_upright, heads):
    drawn = matrix([[MatrixCell("#ffffff", "+0.10 ?")] * len(columns)], ["cells"], columns, width=width)
    shown = elements(drawn, "text")[1 : len(heads) + 1]  # after the row's name
    assert [head["text"] for head in shown] == heads
    assert all(("transform" in head) == is_upright for head in shown)


def test_cells_that_are_too_small_have_no_figures():
    for columns, n_shown in ((5, 5), (20, 0)):
        names = [f"c{number}" for number in range(columns)]
        shown = matrix([[MatrixCell("#ffffff", "0.88")] * columns], ["row"], names, width=348).inline("cells")
        assert shown.count(">0.88<") == n_shown


def test_columns_may_have_a_title():
    drawn = matrix([[MatrixCell("#ffffff", "1")]], ["cells"], ["10 %"], width=860, title="share damaged")
    assert "share damaged" in texts(drawn)


CELL = re.compile(r"M([\d.]+),([\d.]+)h([\d.]+)v")


def heat_map(items, *, width=860, ticks=((0, "first"),)):
    """Two rows in which no neighbours are alike, so that each cell is a piece of its own."""
    levels = np.stack([np.arange(items) % 2, 1 - np.arange(items) % 2]).astype(float)
    names = ["high", "low"]
    left = PADDING + label_room(width, names)
    return strips(levels, names, ticks, width=width), left, PADDING + width - left


@pytest.mark.parametrize("width", [860, 348])
@pytest.mark.parametrize("items", [1, 2, 5, 50, 300])
def test_the_cells_of_a_heat_map_tile_the_plot(items, width):
    drawn, left, plot = heat_map(items, width=width)
    rows = {}
    for path in elements(drawn, "path"):
        for x, y, across in CELL.findall(path["d"]):
            rows.setdefault(y, []).append((float(x), float(x) + float(across)))
    assert len(rows) == 2
    for cells in rows.values():
        lefts, rights = ([cell[side] for cell in sorted(cells)] for side in (0, 1))
        assert len(cells) == items
        assert lefts[0] == left
        assert lefts[1:] == pytest.approx(rights[:-1], abs=1e-9)
        # An edge lies where its column ends, to the tenth of a pixel.
        column = plot / items
        assert rights == pytest.approx([left + column * (index + 1) for index in range(items)], abs=0.051)


@pytest.mark.parametrize("width", [860, 348])
@pytest.mark.parametrize("items", [1, 2, 5, 50, 300])
def test_ticks_are_centred_below_their_columns(items, width):
    columns = sorted({0, items // 2, items - 1})
    drawn, left, plot = heat_map(items, width=width, ticks=[(column, f"text {column}") for column in columns])
    positions = [float(line["x1"]) for line in elements(drawn, "line")]
    assert positions == pytest.approx([left + plot / items * (column + 0.5) for column in columns], abs=0.1)
    written = [text for text in texts(drawn) if text.startswith("text ")]
    assert written == [f"text {column}" for column in columns][: len(written)]
    assert len(written) == len(columns) or items <= 5


def test_uniform_row_is_drawn_as_a_single_path():
    (piece,) = elements(strips(np.ones((1, 40)), ["all"], [(0, "first")], width=400), "path")
    assert len(CELL.findall(piece["d"])) == 1


def test_a_file_draws_edges_on_whole_pixels_so_that_no_paper_shines_through():
    drawn, *_ = heat_map(5)
    assert (
        ElementTree.fromstring(drawn.document("cells", is_crisp=True)).get("shape-rendering") == "crispEdges"
    )
    assert ElementTree.fromstring(drawn.document("cells")).get("shape-rendering") is None
