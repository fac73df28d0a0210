"""The report on a trend shows every run, its limit and its models, and is drawn from figures alone."""

import re
from dataclasses import replace
from datetime import timedelta
from xml.etree import ElementTree

import numpy as np
import pytest
from made_up import START, stored_comparison

from semscale.drift.nights.trend import trends
from semscale.history.stored_comparison import StoredCheck
from semscale.report.chart_kit import ACCENT
from semscale.report.document import WithInterval
from semscale.report.drift_runs import TABLED_RUNS, readings, trend_document
from semscale.report.formatting import cell_text
from semscale.report.html import page
from semscale.report.plane_charts import MOST_RUNS, Course, Mark, Timeline, courses
from semscale.report.row_charts import TOLERATED

ATTACK = '<script>alert("x")</script> {{ 7 * 7 }} </style>\x00'
SVG = "{http://www.w3.org/2000/svg}"
LEVELS = {"match": 0.05, "bertscore_f1": 0.04, "credits_difference": 0.02}


def series(n=20, *, jump=0.0, noise=0.03, **settings):
    """One comparison a day; ``match`` jumps in the second half, where another model answers."""
    rng = np.random.default_rng(5)
    kept = []
    for day in range(n):
        late = day >= n // 2
        losses = {name: level + 0.002 * rng.standard_normal() for name, level in LEVELS.items()}
        losses["match"] += jump * late
        one = stored_comparison(losses, day=day, **({"model": "model-c" if late else "model-b"} | settings))
        figures = tuple(
            replace(
                figure,
                drift=figure.loss - noise,
                low=figure.loss - noise - 0.01,
                high=figure.loss - noise + 0.01,
            )
            for figure in one.figures
        )
        kept.append(replace(one, figures=figures, outcome="fail" if late and jump else "pass"))
    return kept


def page_of(kept, read_page):
    return read_page(page(trend_document(trends(kept))))


def test_it_is_one_harmless_document_with_every_run(read_page):
    shown = page_of(series(), read_page)
    shown.assert_harmless()
    assert "20 runs from 2026-01-01 to 2026-01-20" in shown.text
    for day in range(1, 21):
        assert f"2026-01-{day:02d} 00:00" in shown.text
    assert [tag for tag, _ in shown.tags].count("figure") == 1


def test_a_jump_is_dated_and_called_beyond_chance(read_page):
    kept = series(24, jump=0.3)
    shown = page_of(kept, read_page)
    head = shown.text.split("Run by run")[0]
    assert "Failed" in head
    assert "Over all runs more is lost than allowed, beyond chance: match" in head
    assert re.search(r"Changed level: match on 2026-01-13, 0\.0\d+ → 0\.3\d+ \(p < 0\.001\)", head)
    assert "Gate failed12 of 24" in shown.text
    assert "level before and after a change" in shown.text
    assert "1 “model-b” and 2 “model-c”" in shown.text


def test_calm_series_are_called_calm():
    said = readings(trends(series(12, model="model-b")))
    assert said[0] == "Over all runs no metric lost more than is allowed beyond chance."


def test_a_slow_rise_is_given_a_day():
    kept = [stored_comparison({"match": 0.02 + 0.01 * day}, day=day) for day in range(10)]
    said = " ".join(readings(trends(kept)))
    assert "Getting worse, a day: match by +0.0100 [0.0100, 0.0100]" in said  # exactly .01 a day


def test_runs_of_one_day_have_no_pace_a_day(read_page):
    kept = [stored_comparison({"match": 0.02 + 0.01 * run}, day=run) for run in range(10)]
    kept = [replace(one, compared=kept[0].compared + timedelta(hours=n)) for n, one in enumerate(kept)]
    assert "Getting worse: match (p < 0.001)" in " ".join(readings(trends(kept)))
    row = page_of(kept, read_page).text.split("p of evidence")[1]
    assert "+0.2400" not in row  # .01 an hour


def test_a_fall_is_no_harm():
    kept = [stored_comparison({"match": 0.2 - 0.01 * day}, day=day) for day in range(10)]
    assert "Getting better, a day: match by −0.0100" in " ".join(readings(trends(kept)))


def test_an_interval_is_that_of_the_drift_moved_by_what_reruns_lose():
    one = trends(series(4)).metrics["match"]
    loss, noise = one.losses[0], one.losses[0] - one.drifts[0]
    assert noise == pytest.approx(0.03)
    shown = cell_text(WithInterval.of(one.loss(0), 3))
    assert shown == f"{loss:.3f} [{loss - 0.01:.3f}, {loss + 0.01:.3f}]"


def test_other_series_are_counted_and_named(read_page):
    kept = series(6)
    kept.append(replace(kept[0], id="elsewhere", signature="measured otherwise"))
    shown = page_of(kept, read_page)
    assert "Other series, left out1" in shown.text
    assert (
        "1 comparison of '00000000' is left out, because it was measured otherwise"
        in shown.text.split("Run by run")[0]
    )


def test_too_few_runs_for_a_trend_are_said_to_be(read_page):
    shown = page_of(series(2), read_page)
    shown.assert_harmless()
    assert "A trend or a change of level takes at least 4 runs." in shown.text
    assert "Trend and change of level" not in shown.text
    single = page_of(series(1), read_page)
    single.assert_harmless()
    assert "1 run on 2026-01-01" in single.text


def test_runs_without_a_value_or_a_gate_leave_gaps_not_zeros(read_page):
    kept = [replace(one, outcome=None) for one in series(8)]
    nan = float("nan")
    holes = tuple(replace(figure, loss=nan, drift=nan, low=nan, high=nan, n=0) for figure in kept[3].figures)
    kept[3] = replace(kept[3], figures=holes)
    kept[5] = replace(kept[5], figures=kept[5].figures[:1])
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    row = shown.text.split("2026-01-04 00:00")[1].split("2026-01-03 00:00")[0]
    assert row.count("–") == 5  # the gate, its limits, and three metrics
    assert "what the gate said" not in shown.text


def test_hostile_names_are_shown_not_run(read_page):
    kept = [replace(one, model=f"{ATTACK}{day % 2}", dataset=ATTACK) for day, one in enumerate(series(5))]
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    assert '<script>alert("x")</script> {{ 7 * 7 }} </style>␀' in shown.text


def test_years_of_runs_stay_a_small_page(read_page):
    rng = np.random.default_rng(0)
    names = (
        "match",
        "bertscore_f1",
        "cosine",
        "contradictions",
        "output_count",
        "length",
        "silence",
        "credits_difference",
    )
    kept = [
        stored_comparison(
            {name: abs(rng.normal(0.05, 0.02)) for name in names}, day=day, model=f"m{day // 40}"
        )
        for day in range(1000)
    ]
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    assert len(shown.source.encode()) < 500_000
    assert f"The latest {MOST_RUNS} of 1,000 runs are drawn." in shown.text
    assert f"The latest {TABLED_RUNS} runs; 800 earlier ones are in the history." in shown.text


def test_runs_on_top_of_each_other_stand_at_equal_distances(read_page):
    kept = series(6)
    near = [
        replace(one, compared=kept[0].compared + timedelta(days=place // 3, seconds=place))
        for place, one in enumerate(kept)
    ]
    timeline = Timeline(tuple(one.compared for one in near), (None,) * 6, ())
    assert timeline.places == [0, 1, 2, 3, 4, 5]  # four of five gaps are a second, one is a day
    assert "equal distances" in page_of(near, read_page).text
    by_day = Timeline(tuple(one.compared for one in kept), (None,) * 6, ())
    assert by_day.places == [0, 24, 48, 72, 96, 120]
    assert by_day.ticks(3) == {0: "2026-01-01", 48: "2026-01-03", 120: "2026-01-06"}  # 2.5 rounds to even


def drawn(n=30, metrics=1, *, width=860, changes=(15,)):
    """The picture's paths and texts, for metrics with a loss of .1, an interval of .05 and a limit of .2."""
    times = tuple(START + timedelta(days=day) for day in range(n))
    timeline = Timeline(times, ("pass", "fail", "undecided", *(None,) * n)[:n], changes)
    level = np.full(n, 0.1)
    course = Course(
        "Match <b>",
        level,
        level - 0.05,
        level + 0.05,
        level * 0.5,
        level * 2,
        (15, 0.1, 0.1) if n > 15 else None,
    )
    root = ElementTree.fromstring(courses(timeline, [course] * metrics, width=width).document("trend"))
    return (
        root,
        [parent.attrib | path.attrib for parent in root.iter() for path in parent.findall(f"{SVG}path")],
        [text.text for text in root.iter(f"{SVG}text")],
    )


def test_the_picture_is_a_document_as_wide_as_asked():
    root, _, texts = drawn(width=348)
    assert (root.tag, root.get("width"), root.get("viewBox").split()[2]) == (f"{SVG}svg", "348", "348")
    assert "Match <b>" in texts
    assert "2026-01-30" in texts


def test_bands_go_from_end_to_end_however_many_runs_there_are():
    for n in (1, 30, 300):
        _, paths, _ = drawn(n, changes=())
        (margin,) = [path["d"] for path in paths if path.get("fill") == TOLERATED]
        xs = [float(corner.split(",")[0]) for corner in margin.strip("MZ").split("L")]
        assert (min(xs), max(xs)) == (46, 850)  # 860 pixels less 10 at the right
        assert len(xs) == 4  # it never changes, so there are no further corners


def test_values_lie_where_the_axis_says():
    _, paths, _ = drawn(changes=())
    (mean,) = [path["d"] for path in paths if path.get("stroke") == ACCENT and "L" in path["d"]]
    ys = {float(point.split(",")[1]) for point in mean.strip("M").split("L")}
    # top of the plot 42 + 20, height 118, axis to 1.06 * .2: 62 + 118 * (1 - .1 / .212) = 124.34
    assert ys == {124.34}


@pytest.mark.parametrize(("n", "changes", "pieces"), [(30, (), 1), (30, (15,), 2), (300, (15, 40), 3)])
def test_no_line_and_no_band_joins_two_models(n, changes, pieces):
    _, paths, _ = drawn(n, changes=changes)
    (mean,) = [path["d"] for path in paths if path.get("stroke-width") == "1.5" and "L" in path["d"]
               and path.get("stroke") == ACCENT and path["d"].count(",") == n]  # fmt: skip
    assert mean.count("M") == pieces
    if n > 60:  # of few runs each has an interval of its own
        (band,) = [path["d"] for path in paths if path.get("fill-opacity") == "0.22"]
        assert band.count("Z") == pieces


def test_a_trend_over_two_models_is_not_passed_in_green(read_page):
    found = trends(series(8))
    document = trend_document(found)
    assert (document.lead.text, document.lead.level) == ("2 models", "warn")
    assert "of the latest run, of “model-c”" in document.lead.about
    assert readings(found)[0] == (
        "The runs are of 2 models, and slopes are those of the latest one. Each model's latest run: "
        "“model-b” passed and “model-c” passed."
    )
    single = trend_document(trends(series(8, model="model-b")))
    assert (single.lead.text, single.lead.level) == ("passed", "pass")


def test_outcomes_differ_in_shape():
    _, paths, _ = drawn(3, changes=())
    strip = [path for path in paths if ",25" in path["d"] or path["d"].endswith("Z") and "l5,5" in path["d"]]
    assert [path.get("stroke-width") for path in strip] == ["8", "9", "6", None]  # dot, ring of two, diamond


def test_models_are_numbered_while_they_can_be_told_apart():
    assert {"1", "2"} <= set(drawn()[2])
    assert "1" not in drawn(60, changes=tuple(range(1, 60)))[2]


def test_dates_that_have_no_room_are_left_out():
    kept = [START, *(START + timedelta(days=99, hours=hour) for hour in (0, 5, 10, 15, 20))]
    timeline = Timeline(tuple(kept), (None,) * 6, ())
    assert timeline.is_even  # five of six lie within a day
    root = ElementTree.fromstring(courses(timeline, [], width=348).document("trend"))
    assert len(list(root.iter(f"{SVG}text"))) == 3


def test_a_metric_beyond_its_limit_is_marked_by_what_the_gate_said_of_the_run():
    # Losses .1 below and .3 beyond the limit of .2.
    loss = np.array([0.1, 0.3, 0.3, 0.3, 0.3, 0.1])
    flat = np.full(6, 0.2)
    course = Course("Match", loss, loss, loss, flat / 2, flat, None)
    assert course.marks(("fail", "fail", "undecided", "pass", None, None)) == [
        Mark.BELOW, Mark.FAILED, Mark.UNDECIDED, Mark.UNTESTED, Mark.UNTESTED, Mark.UNTESTED,
    ]  # fmt: skip


def legend_of(*outcomes, loss=0.3):
    kept = [
        stored_comparison({"match": loss}, day=day, outcome=outcome) for day, outcome in enumerate(outcomes)
    ]
    figure = trend_document(trends(kept)).sections[0].blocks[0]
    return [swatch.label for swatch in figure.legend]


def test_the_legend_names_what_occurs_and_calls_nothing_failed_that_did_not():
    assert any(text.startswith("failed") for text in legend_of("fail"))
    for outcomes in (("undecided",), (None,), ("undecided", None)):
        assert not any("failed" in text for text in legend_of(*outcomes))
    assert any(text.startswith("undecided") for text in legend_of("undecided"))
    assert "not tested by a gate" in legend_of(None)
    assert "not tested by a gate" not in legend_of("pass", loss=0.01)


def test_runs_of_a_moved_ruler_are_marked(read_page):
    kept = series(6)
    assert "moved" not in page_of(kept, read_page).text
    kept[2] = replace(kept[2], ruler_moved=True)
    shown = page_of(kept, read_page)
    shown.assert_harmless()
    assert "1 run was measured while the ruler had moved: '00000000'" in shown.text
    first, second, third = (
        shown.text.split(f"2026-01-0{day} 00:00")[1].split("2026")[0] for day in (4, 3, 2)
    )
    assert [row.count("moved") for row in (first, second, third)] == [0, 1, 0]


def test_broken_limits_stand_beside_their_runs_and_are_said():
    broken = (
        StoredCheck("limit", "silenced", False, None, 2.0, 0.0, ("q1", "q2")),
        StoredCheck("must_pass", "q1", False, reasons=("it lost all outputs",)),
    )
    held = (StoredCheck("limit", "silenced", True, None, 0.0, 0.0),)
    kept = [
        replace(stored_comparison(LEVELS, day=day, outcome="fail"), checks=checks)
        for day, checks in enumerate((None, held, broken, held))
    ]
    found = trends(kept)
    assert found.record()["broken"] == [None, [], ["silenced", "q1"], []]
    said = "Limits were broken in 1 of 3 runs, last on 2026-01-03: silenced (2 items), must-pass q1."
    assert said in readings(found)
    source = page(trend_document(found))
    assert "silenced (2 items), must-pass q1" in source
    assert "limits broken" in source.lower()


def test_no_broken_limit_is_not_worth_a_sentence():
    assert not [said for said in readings(trends(series())) if "Limits" in said]


def test_a_metric_that_improves_is_drawn_below_0():
    kept = [stored_comparison({"reference_match": loss}, day=day) for day, loss in enumerate((-0.3, 0.1))]
    found = trends(kept).metrics["reference_match"]
    assert found.loss(0).low == pytest.approx(-0.31)  # not cut at 0, as a loss of another metric is
    timeline = Timeline(tuple(kept.compared for kept in kept), (None, None), ())
    course = Course("Reference match", found.losses, found.lows, found.highs, found.noise, found.limits, None)
    root = ElementTree.fromstring(courses(timeline, [course], width=800).document("trend"))
    ticks = [text.text for text in root.iter(f"{SVG}text")]
    assert "−0.2" in ticks
    height = float(root.get("height"))
    ys = [float(y) for path in root.iter(f"{SVG}path") for y in re.findall(r",(-?[\d.]+)", path.get("d"))]
    assert 0 <= min(ys) <= max(ys) <= height
