"""Slides of documents: ratings, and documents made by hand, read back."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from tests.support.made_up_document import BLOCKS, HOSTILE, document_of, figure_of

from semscale.guards.findings import Span
from semscale.report.chart_data import ChartData, Series
from semscale.report.document import Decision, Quotes, Section, mark_findings, notices
from semscale.report.presenting import write_report
from semscale.stats.intervals import Estimate
from semscale.stats.prediction_powered import CorrectedMean

pytest.importorskip("pptx")

from pptx.enum.chart import XL_CHART_TYPE
from tests.support.slide_reading import (
    at,
    categories_of,
    charts_of,
    notes_of,
    slides_of,
    texts_of,
    title_of,
    titles_of,
    values_of,
)


@pytest.fixture(scope="module")
def rated(make_summary, tmp_path_factory):
    summary = make_summary(n=60, groups=3)
    path = tmp_path_factory.mktemp("deck") / "r.pptx"
    summary.report(path)
    return summary, path


def test_ratings_begin_with_the_mean_its_interval_and_the_distribution(rated):
    summary, path = rated
    slide = slides_of(path)[1]
    mean = summary.estimates.overall.mean
    assert title_of(slide) == (
        f"Quality: the mean score is {mean.value:.2f} on a scale from 1 to 5, plausibly between "
        f"{mean.low:.2f} and {mean.high:.2f}"
    )
    assert f"{mean.value:.2f}" in texts_of(slide).splitlines()
    (chart,) = charts_of(slide)
    assert chart.chart_type == XL_CHART_TYPE.COLUMN_CLUSTERED
    assert categories_of(chart) == [
        "1 · Very bad", "2 · Bad", "3 · Neither good nor bad", "4 · Good", "5 · Very good",
    ]  # fmt: skip
    masses = [mass.value for mass in summary.estimates.overall.pmf]
    assert list(values_of(chart).values()) == [pytest.approx(masses)]


def test_the_title_of_a_rating_has_the_question_the_texts_the_weights_and_the_date(make_summary, tmp_path):
    summary = replace(make_summary(n=60), text="Your visit", created=datetime(2026, 3, 2, tzinfo=UTC))
    summary.report(tmp_path / "r.pptx")
    first = slides_of(tmp_path / "r.pptx")[0]
    assert title_of(first) == "Quality"
    assert texts_of(first).splitlines()[1:3] == [
        "Texts of “Your visit”, rated from 1 to 5", "60 of 67 texts, not weighted",
    ]  # fmt: skip
    assert "2026-03-02" in texts_of(first)


def test_a_comparison_with_people_states_their_agreement_below_its_title(make_summary, tmp_path):
    summary = make_summary(n=60, comparison=True)
    summary.report(tmp_path / "r.pptx")
    (slide,) = (s for s in slides_of(tmp_path / "r.pptx") if title_of(s) == "Comparison with human ratings")
    assert f"the human means with r = {summary.comparison.pearson.value:.2f}" in texts_of(slide)


def test_the_first_result_has_the_mean_that_labels_correct(make_summary, tmp_path):
    summary = make_summary(n=60, comparison=True)
    rated, alone = summary.estimates.overall.mean, Estimate(2.6, 2.3, 2.9)
    mean = CorrectedMean(2.61, 2.42, 2.83, rated, alone, 0.5, 0.8, 12, 48, 0, "jackknife")
    corrected = replace(summary, comparison=replace(summary.comparison, corrected=mean))
    corrected.report(tmp_path / "r.pptx")
    assert "2.61 [2.42, 2.83]" in texts_of(slides_of(tmp_path / "r.pptx")[1])


def test_groups_of_ratings_are_stacks_with_means_below_all_texts(rated):
    summary, path = rated
    stack, means = charts_of(slides_of(path)[2])
    assert stack.chart_type == XL_CHART_TYPE.BAR_STACKED_100
    names = categories_of(stack)
    assert names[0].startswith("All texts")
    assert len(names) == 1 + len(summary.estimates.groups)
    assert len(list(means.plots[0].series)) == len(names)


def test_the_last_slide_has_the_settings_and_the_notes_the_whole_signature(rated):
    summary, path = rated
    last = slides_of(path)[-1]
    assert titles_of(path)[-1] == "How this was measured"
    assert "60" in texts_of(last)
    assert str(summary.signature) in notes_of(last)
    assert "|" not in texts_of(last)


def test_quotes_run_from_the_highest_to_the_lowest_rating(rated):
    summary, path = rated
    slide = slides_of(path)[-2]
    assert title_of(slide) == "In their own words"
    shown = [line.removeprefix("Rated ") for line in texts_of(slide).splitlines() if line.startswith("Rated")]
    means = sorted(summary.sample["mean"])
    assert len(shown) == 5
    assert shown[0] == f"{means[-1]:.2f}"
    assert shown[-1] == f"{means[0]:.2f}"


def bars(n=3, **settings):
    values = tuple((n - index) / n for index in range(n))
    return ChartData("bars", tuple(f"c{index}" for index in range(n)), (Series("s", values),), **settings)


def document_with(*charts, **settings):
    sections = tuple(
        Section(f"part-{position}", "A part", (figure_of(f"f{position}", data=(chart,), finding="It holds"),))
        for position, chart in enumerate(charts)
    )
    return replace(document_of(), lead=None, sections=sections, **settings)


def test_a_document_with_every_kind_of_block_and_hostile_texts_can_be_written(tmp_path):
    write_report(document_of(*BLOCKS), tmp_path / "d.pptx")
    hostile = ChartData("bars", (f"{HOSTILE}\x00\n; n = 5", "b"), (Series(HOSTILE, (0.5, float("nan"))),))
    write_report(document_with(hostile), tmp_path / "h.pptx")
    (chart,) = charts_of(slides_of(tmp_path / "h.pptx")[1])
    assert categories_of(chart)[0].startswith("=1+1 <script>")
    assert categories_of(chart)[0].endswith("; n = 5")
    assert list(values_of(chart).values()) == [[0.5, None]]


def test_panels_state_how_wide_their_intervals_are_at_most(tmp_path):
    columns = (
        Series("All", (0.5, 0.2), (0.48, 0.18), (0.52, 0.22)),
        Series("a", (0.4, 0.3), (0.3, 0.25), (0.5, 0.36)),
        Series("b", (0.6, 0.1), (0.55, float("nan")), (0.65, float("nan"))),
    )
    chart = ChartData("bars", ("tea", "milk"), columns, has_total=True, coverage=0.9)
    write_report(document_with(chart), tmp_path / "d.pptx")
    # All: 0.02 on both sides; a: 0.1 for tea; the missing ends of b do not count.
    stated = texts_of(slides_of(tmp_path / "d.pptx")[1]).replace("\N{NO-BREAK SPACE}", " ")
    assert "90 % intervals: at most ± 2 points in the total and at most ± 10 points in a group." in stated


def test_long_limits_are_shown_in_full_where_the_last_slide_has_room(tmp_path):
    limit = " ".join(f"word{number}" for number in range(60))
    write_report(document_with(bars(), notices=notices(cautions=[limit])), tmp_path / "d.pptx")
    assert "word59." in texts_of(slides_of(tmp_path / "d.pptx")[-1])


def test_the_title_of_a_chart_is_its_finding_and_the_section_stands_below(tmp_path):
    write_report(document_with(bars(note="Of all rows.")), tmp_path / "d.pptx")
    slide = slides_of(tmp_path / "d.pptx")[1]
    assert title_of(slide) == "It holds"
    assert "A part" in texts_of(slide)
    assert "Of all rows." in texts_of(slide)


def test_continued_charts_are_numbered_in_their_titles(tmp_path):
    write_report(document_with(bars(n=12)), tmp_path / "d.pptx")
    titles = titles_of(tmp_path / "d.pptx")
    assert titles[1:3] == ["It holds (1 of 2)", "It holds (2 of 2)"]
    assert "4 more on the next slide, at most 33 %." in texts_of(slides_of(tmp_path / "d.pptx")[1])


def test_a_deck_has_at_most_eight_charts_and_counts_the_others(tmp_path):
    write_report(document_with(*[bars()] * 11), tmp_path / "d.pptx")
    slides = slides_of(tmp_path / "d.pptx")
    assert len(slides) == 10  # eight charts between the title and the method
    assert "3 further charts" in texts_of(slides[-1])


def test_a_document_without_charts_states_its_decision_and_warnings(tmp_path):
    document = replace(
        document_of(),
        lead=Decision("pass", "pass", "the gate"),
        sections=(),
        notices=notices(warnings=["Few items."], cautions=["Weak."]),
    )
    write_report(document, tmp_path / "d.pptx")
    _, decision, last = slides_of(tmp_path / "d.pptx")
    assert title_of(decision) == "The gate: pass"
    assert "Few items." in texts_of(decision)
    assert "Weak." in texts_of(last)


def test_points_of_several_series_have_a_legend_and_colours_of_their_own(tmp_path):
    series = (Series("low third", (0.2, 0.4)), Series("high third", (0.6, 0.9)))
    write_report(
        document_with(ChartData("points", ("words", "numbers"), series, "0.00")), tmp_path / "d.pptx"
    )
    slide = slides_of(tmp_path / "d.pptx")[1]
    (chart,) = charts_of(slide)
    assert values_of(chart) == {"low third": [0.2, 0.4], "high third": [0.6, 0.9]}
    assert "low third" in texts_of(slide)
    assert at(chart, ".//c:marker//a:schemeClr/@val") == ["accent1", "accent2"]


def test_values_below_0_are_drawn_in_another_colour(tmp_path):
    chart = ChartData("bars", ("up", "down"), (Series("s", (0.5, -0.25)),), "+0.00;−0.00;0.00")
    write_report(document_with(chart), tmp_path / "d.pptx")
    (drawn,) = charts_of(slides_of(tmp_path / "d.pptx")[1])
    assert at(drawn, ".//c:ser/c:spPr//a:schemeClr/@val") == ["accent1"]
    assert at(drawn, ".//c:dPt[c:idx/@val='1']//a:schemeClr/@val") == ["accent2"]


@pytest.mark.parametrize("n", range(1, 60, 2))
def test_the_marked_part_of_a_quotation_is_whole_wherever_the_text_is_cut(n, tmp_path):
    part = "the list of wines is interesting"
    text = f"{'The duck was amazing. ' * n}At last, {part} and has good values, too."
    start = text.index(part)
    marked = mark_findings(text, [("evidence", Span(start, start + len(part), part))])
    quotes = Quotes("Answers", (("wine", marked),))
    document = document_of(sections=(Section("said", "Answers", BLOCKS, quotes=quotes),))
    write_report(document, tmp_path / "q.pptx")
    runs = [
        run
        for slide in slides_of(tmp_path / "q.pptx")
        for shape in slide.shapes
        if shape.has_text_frame
        for paragraph in shape.text_frame.paragraphs
        for run in paragraph.runs
    ]
    assert part in {run.text for run in runs if run.font.bold}
