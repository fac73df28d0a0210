"""Slides of tables, read back."""

from dataclasses import replace
from datetime import UTC, datetime

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.report.tables_slides import write
from semscale.tabulation.crosstabs import crosstabs

pytest.importorskip("pptx")

from pptx import Presentation
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt
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
def deck(tables, tmp_path_factory):
    """The deck of four tables: like by region and town, drinks by region and town."""
    path = tmp_path_factory.mktemp("deck") / "t.pptx"
    tables.report(path)
    return path


def test_each_table_has_a_slide_and_the_last_says_how_they_were_made(deck, tables):
    titles = titles_of(deck)
    assert len(titles) == 6
    assert titles[1] == (
        "Like: the mean is higher for south (5.00) than for north (1.75); the difference is unlikely to be "
        "chance"
    )
    assert titles[-1] == "How this was measured"
    made = texts_of(slides_of(deck)[-1])
    assert "80" in made
    assert "Weights in “w”" in made
    assert str(tables.signature) in notes_of(slides_of(deck)[-1])
    assert str(tables.signature) not in made
    assert tables.signature.digest in made


def test_the_first_slide_has_the_questions_the_respondents_the_weights_and_the_date(tables, tmp_path):
    created = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
    replace(tables, source="wave_2.csv", created=created).report(tmp_path / "t.pptx")
    first = slides_of(tmp_path / "t.pptx")[0]
    assert title_of(first) == "Results of wave_2.csv"
    assert texts_of(first).splitlines()[1:4] == [
        "‘Like’ and ‘Drink’, by region and town", "80 respondents, weighted", "2026-03-02",
    ]  # fmt: skip
    assert first.slide_layout.name == "Title Slide"


def test_tables_with_a_title_of_their_own_begin_with_it(tables, tmp_path):
    named = replace(tables, source="wave_2.csv", title="Drinks in the south")
    write([named], tmp_path / "t.pptx")
    first = slides_of(tmp_path / "t.pptx")[0]
    assert title_of(first) == "Drinks in the south"
    assert "wave_2.csv | 2" in texts_of(first)


def test_the_method_of_tables_that_differ_is_on_one_slide_and_names_them(tables, survey, tmp_path):
    plain = crosstabs(survey, questions=["like"])
    write([replace(tables, title="Weighted"), replace(plain, title="Plain")], tmp_path / "t.pptx")
    titles = titles_of(tmp_path / "t.pptx")
    assert titles.count("How this was measured") == 1
    made = texts_of(slides_of(tmp_path / "t.pptx")[-1])
    assert "Weighted: Weights in “w”. Plain: Unweighted, as a simple random sample." in made
    notes = notes_of(slides_of(tmp_path / "t.pptx")[-1])
    assert f"Signature of Plain: {plain.signature}" in notes


def test_slides_of_results_have_their_number(deck):
    numbers = [
        field
        for slide in slides_of(deck)
        for field in slide.element.iter("{http://schemas.openxmlformats.org/drawingml/2006/main}fld")
        if field.get("type") == "slidenum"
    ]
    assert len(numbers) == len(slides_of(deck)) - 1


def test_a_long_wording_stands_below_the_finding_instead_of_in_it(tmp_path):
    from semscale.survey.description import Survey

    wording = (
        "Thinking about your last visit, how likely is it on a scale from 0 to 10 that you would recommend "
        "this lounge of our airline to a friend, a relative or a colleague?"
    )
    question = {"name": "q", "kind": "nps", "text": wording, "values": [{"value": str(n)} for n in range(11)]}
    described = Survey.model_validate({"survey": 1, "questions": [question]})
    # In both groups as many promoters as detractors: the net promoter score is 0.
    frame = pl.DataFrame({"q": [10, 10, 3, 3] * 20, "g": ["a", "b"] * 40})
    crosstabs(frame, questions=["q"], banners=["g"], survey=described).report(tmp_path / "t.pptx")
    first, slide, _ = slides_of(tmp_path / "t.pptx")
    assert texts_of(first).splitlines()[1] == "1 question, by g"
    assert title_of(slide) == "The net promoter score is 0; differences between the groups may be chance"
    assert wording in texts_of(slide).splitlines()


def test_a_title_has_at_most_two_lines_and_nothing_lies_on_it(tmp_path):
    names = [f"the {word} group of all people that answered" for word in ("first", "second", "third")]
    frame = pl.DataFrame({"q": [1, 5, 5] * 60, "g": names * 60})
    crosstabs(frame, questions=["q"], banners=["g"]).report(tmp_path / "t.pptx")
    slide = slides_of(tmp_path / "t.pptx")[1]
    title = slide.shapes.title
    assert len(title_of(slide)) > 100
    (run,) = title.text_frame.paragraphs[0].runs
    # Letters of a bold Arial are about 0.55 of the size of the font wide.
    per_line = (title.width - Inches(0.2)) / (0.55 * (run.font.size or Pt(22)))
    assert len(title_of(slide)) <= 2 * per_line
    others = [shape for shape in slide.shapes if shape.shape_id != title.shape_id]
    assert all(shape.top >= title.top + title.height - Pt(4) for shape in others)


def test_the_last_slide_states_how_the_data_were_read_for_all_tables(tables, tmp_path):
    first = replace(tables, input_notes=("4 rows are left out", "one table alone"))
    second = replace(tables, input_notes=("4 rows are left out",))
    path = tmp_path / "notes.pptx"
    write([first, second], path)
    made = texts_of(slides_of(path)[-1])
    assert "4 rows are left out." in made
    assert "One table alone." not in made


def test_a_scale_is_a_stack_with_the_total_first_and_its_means_at_the_right(deck):
    stack, means = charts_of(slides_of(deck)[1])
    assert stack.chart_type == XL_CHART_TYPE.BAR_STACKED_100
    assert [name.replace("\xa0", " ") for name in categories_of(stack)] == [
        "Total, n = 80", "north (A), n = 40", "south (B), n = 40",
    ]  # fmt: skip
    # A bar chart draws from the bottom unless its axis is reversed.
    assert stack.category_axis.reverse_order
    # Weights of .5 and 1.5 alternate in pairs: half of all is in the south, where all answer 5.
    assert values_of(stack)["5"] == [pytest.approx(0.5), 0.0, 1.0]
    assert means.chart_type == XL_CHART_TYPE.XY_SCATTER_LINES
    # Each row of means is a series: lower end, mean, upper end. In the north the mean is 1.75.
    (north,) = [list(series.iter_values()) for series in means.plots[0].series if "north" in series.name]
    assert len(north) == 3
    ends = [float(value) for value in at(means, ".//c:ser[2]/c:xVal//c:v/text()")]
    assert ends[1] == pytest.approx(1.75)
    assert ends[0] < ends[1] < ends[2]
    assert at(means, ".//c:dLbl//a:t/text()") == ["3.38", "1.75", "5.00\xa0A"]


def test_letters_are_explained_where_they_are_shown(deck):
    _, by_region, by_town, *_ = slides_of(deck)
    assert "Letters: higher than the group with that letter, unlikely to be chance" in texts_of(by_region)
    assert "* Fewer than" not in texts_of(by_region)
    # The 5 people of a town are too few to be tested, so that there are no letters.
    assert "Letters:" not in texts_of(by_town)
    assert "* Fewer than 10 respondents, not tested." in texts_of(by_town)
    stack, _ = charts_of(by_town)
    assert [name.replace("\xa0", " ") for name in categories_of(stack)] == [
        "Total, n = 80", "=1+1, n = 5*", "a, n = 75",
    ]  # fmt: skip


def test_properties_and_text_alternatives_name_what_is_shown(deck):
    file = Presentation(str(deck))
    properties = file.core_properties
    assert (properties.title, properties.author, properties.comments) == ("Tables", "", "")
    first = file.slides[0]
    for shape in first.shapes:
        if shape.has_chart:
            described = shape._element.nvGraphicFramePr.cNvPr.get("descr")
            assert described.startswith("Like: the mean is higher for south (5.00)")


def test_no_slide_names_a_command_or_an_option(deck):
    for slide in slides_of(deck):
        assert "--" not in texts_of(slide)
        assert "semscale tables" not in texts_of(slide)


def test_a_multiple_choice_has_a_panel_of_bars_for_each_column_on_one_scale(deck):
    panels = charts_of(slides_of(deck)[3])
    assert [panel.chart_type for panel in panels] == [XL_CHART_TYPE.BAR_CLUSTERED] * 3
    # Tea: 53 of 80; the more frequent answer comes first.
    assert [categories_of(panel) for panel in panels] == [["tea", "coffee"]] * 3
    assert {at(panel, "string(.//c:valAx/c:scaling/c:min/@val)") for panel in panels} == {"0.0"}
    assert len({at(panel, "string(.//c:valAx/c:scaling/c:max/@val)") for panel in panels}) == 1
    text = texts_of(slides_of(deck)[3])
    assert text.index("Total") < text.index("north") < text.index("south")


def test_small_parts_of_a_stack_have_no_label(tmp_path):
    # 3 of 100 answer 1: 2 of 50 in a, which is labelled, and 1 of 50 in b.
    frame = pl.DataFrame({"q": [1] * 3 + [2] * 30 + [3] * 30 + [5] * 37, "g": ["a", "b"] * 50})
    crosstabs(frame, questions=["q"], banners=["g"]).report(tmp_path / "t.pptx")
    stack, _ = charts_of(slides_of(tmp_path / "t.pptx")[1])
    assert at(stack, ".//c:ser[1]/c:dLbls/c:dLbl[c:delete/@val='1']/c:idx/@val") == ["0", "2"]
    assert at(stack, ".//c:ser[2]/c:dLbls/c:dLbl[c:delete/@val='1']") == []


def test_many_answers_continue_on_a_second_slide(tmp_path):
    # Option k is chosen by (11 - k) of 12 people in turn.
    options = {f"o_{k:02d}": [int(n % 12 >= k) for n in range(120)] for k in range(1, 12)}
    frame = pl.DataFrame({**options, "g": ["a", "b"] * 60})
    crosstabs(frame, questions=["o_*"], banners=["g"]).report(tmp_path / "t.pptx")
    _, first, second, _ = slides_of(tmp_path / "t.pptx")
    assert categories_of(charts_of(first)[0]) == [f"{k:02d}" for k in range(1, 9)]
    assert categories_of(charts_of(second)[0]) == ["09", "10", "11"]
    # The ninth option is chosen by 3 of 12.
    assert "3 more on the next slide, at most 25 % of all." in texts_of(first)
    assert title_of(first).endswith(" (1 of 2)")
    assert title_of(second).endswith(" (2 of 2)")
    assert title_of(first)[:-9] == title_of(second)[:-9]


def test_many_groups_continue_on_further_slides_with_the_total(tmp_path):
    groups = [f"g{n % 14:02d}" for n in range(420)]
    frame = pl.DataFrame({"q": [1 + n % 5 for n in range(420)], "g": groups})
    crosstabs(frame, questions=["q"], banners=["g"]).report(tmp_path / "t.pptx")
    _, *slides, _ = slides_of(tmp_path / "t.pptx")
    shown = [[name[:3] for name in categories_of(charts_of(slide)[0])] for slide in slides]
    assert shown == [
        ["Tot", *(f"g{n:02d}" for n in range(7))], ["Tot", *(f"g{n:02d}" for n in range(7, 14))],
    ]  # fmt: skip


def test_recommendation_is_a_stack_of_three_groups_with_the_score(tmp_path):
    # In a 30 of 40 are promoters and 10 detractors: 50; in b it is the other way round.
    scores = [10] * 30 + [3] * 10 + [10] * 10 + [3] * 30
    frame = pl.DataFrame({"recommend": scores, "g": ["a"] * 40 + ["b"] * 40})
    survey = {"name": "recommend", "kind": "nps", "values": [{"value": str(n)} for n in range(11)]}
    from semscale.survey.description import Survey

    described = Survey.model_validate({"survey": 1, "questions": [survey]})
    crosstabs(frame, questions=["recommend"], banners=["g"], survey=described).report(tmp_path / "t.pptx")
    stack, score = charts_of(slides_of(tmp_path / "t.pptx")[1])
    assert values_of(stack) == {
        "Detractors (0 to 6)": [0.5, 0.25, 0.75],
        "Passives (7 and 8)": [0, 0, 0],
        "Promoters (9 and 10)": [0.5, 0.75, 0.25],
    }
    assert at(score, ".//c:dLbl//a:t/text()") == ["0", "50\xa0B", "−50"]


def test_means_of_numbers_are_points_with_intervals_that_fit_on_the_axis(tmp_path):
    age = [24.0, 25.0, 26.0] * 20 + [25.0, 26.0, 27.0] * 20
    frame = pl.DataFrame({"age": age, "side": ["left"] * 60 + ["right"] * 60})
    summary = crosstabs(frame, questions=["age"], banners=["side"], numeric=["age"])
    summary.report(tmp_path / "t.pptx")
    slide = slides_of(tmp_path / "t.pptx")[1]
    (chart,) = charts_of(slide)
    low, high = (float(at(chart, f"string(.//c:valAx/c:scaling/c:{end}/@val)")) for end in ("min", "max"))
    cells = summary.tables[0].cells
    assert low <= cells.low[0].min()
    assert cells.high[0].max() <= high
    # The means are 25.5, 25 and 26.
    assert list(values_of(chart).values()) == [[25.5, 25, 26]]
    plus = [float(value) for value in at(chart, ".//c:errBars/c:plus//c:pt/c:v/text()")]
    assert plus == pytest.approx((cells.high - cells.values)[0].tolist())
    assert "Lines: 95 % intervals." in texts_of(slide)


def test_a_question_without_groups_has_its_distribution(survey, tmp_path):
    crosstabs(survey, questions=["like"]).report(tmp_path / "t.pptx")
    _, slide, _ = slides_of(tmp_path / "t.pptx")
    assert title_of(slide) == "Like: the mean is 3.25, plausibly between 2.85 and 3.65"
    (chart,) = charts_of(slide)
    assert chart.chart_type == XL_CHART_TYPE.COLUMN_CLUSTERED
    # 20 answers of 1, 20 of 2 and 40 of 5.
    shares = dict(zip(categories_of(chart), *values_of(chart).values(), strict=True))
    assert (shares["1"], shares["2"], shares["5"]) == (0.25, 0.25, 0.5)


def test_notes_have_the_wording_of_the_question(tmp_path):
    from semscale.survey.description import Survey

    question = {
        "name": "q", "kind": "scale", "title": "Comfort", "text": "How comfortable were the seats?",
        "values": [{"value": str(n)} for n in range(1, 6)],
    }  # fmt: skip
    described = Survey.model_validate({"survey": 1, "questions": [question]})
    frame = pl.DataFrame({"q": [1, 2, 3, 4, 5] * 10})
    crosstabs(frame, questions=["q"], survey=described).report(tmp_path / "t.pptx")
    slide = slides_of(tmp_path / "t.pptx")[1]
    assert title_of(slide).startswith("Comfort: the mean is 3.00")
    assert "How comfortable were the seats?" in texts_of(slide)
    assert "Question: How comfortable were the seats?" in notes_of(slide)


@pytest.fixture
def brand(tmp_path):
    """A template of 10 by 5.6 inches with a slide of its own; its first accent is orange."""
    import re

    from pptx.opc.constants import RELATIONSHIP_TYPE

    file = Presentation()
    file.slide_width, file.slide_height = Inches(10), Inches(5.625)
    part = file.slide_master.part.part_related_by(RELATIONSHIP_TYPE.THEME)
    theme = re.sub(r"<a:accent1>.*?</a:accent1>", '<a:accent1><a:srgbClr val="FCA311"/></a:accent1>',
                   part.blob.decode(), flags=re.DOTALL)  # fmt: skip
    part._blob = theme.encode()
    file.slides.add_slide(file.slide_layouts[0]).shapes.title.text = "An old slide"
    file.save(tmp_path / "brand.pptx")
    return tmp_path / "brand.pptx"


def test_a_template_gives_size_layout_and_theme_colours(brand, tables, tmp_path):
    tables.report(tmp_path / "t.pptx", template=brand)
    file = Presentation(str(tmp_path / "t.pptx"))
    assert (file.slide_width, file.slide_height) == (Inches(10), Inches(5.625))
    assert "An old slide" not in titles_of(tmp_path / "t.pptx")
    assert {slide.slide_layout.name for slide in file.slides} == {"Title Only"}
    theme = file.slide_master.part.part_related_by(
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/theme"
    )
    assert b"FCA311" in theme.blob
    for slide in file.slides:
        for chart in charts_of(slide):
            assert at(chart, ".//a:srgbClr") == []
        colours = {name for chart in charts_of(slide) for name in at(chart, ".//c:ser//a:schemeClr/@val")}
        assert not charts_of(slide) or "accent1" in colours


def test_everything_stays_on_the_slides_of_a_template(brand, tables, tmp_path):
    tables.report(tmp_path / "t.pptx", template=brand)
    file = Presentation(str(tmp_path / "t.pptx"))
    for slide in file.slides:
        for shape in slide.shapes:
            assert shape.left + shape.width <= file.slide_width
            assert shape.top + shape.height <= file.slide_height + Pt(1)


def test_a_title_in_the_middle_of_a_layout_moves_to_the_top(tables, tmp_path):
    file = Presentation()
    for layout in list(file.slide_layouts):
        if layout.name != "Section Header":
            file.slide_layouts.remove(layout)
    file.save(tmp_path / "brand.pptx")
    tables.report(tmp_path / "t.pptx", template=tmp_path / "brand.pptx")
    deck = Presentation(str(tmp_path / "t.pptx"))
    for slide in deck.slides:
        title = slide.shapes.title
        assert title.top + title.height < deck.slide_height * 0.25
        assert all(chart.top >= title.top + title.height for chart in slide.shapes if chart.has_chart)


def test_a_template_gives_its_own_layout_to_the_first_slide(tables, tmp_path):
    Presentation().save(tmp_path / "brand.pptx")
    tables.report(tmp_path / "t.pptx", template=tmp_path / "brand.pptx")
    first, second, *_ = slides_of(tmp_path / "t.pptx")
    assert (first.slide_layout.name, second.slide_layout.name) == ("Title Slide", "Title Only")
    title, subtitle = first.placeholders
    assert title.text_frame.text == "Results"
    assert subtitle.text_frame.paragraphs[1].text == "80 respondents, weighted"


def test_the_lines_of_a_title_slide_are_whole_where_they_fit(tmp_path):
    Presentation().save(tmp_path / "brand.pptx")
    names = ["a rather long name", "another rather long name"]  # which together need two lines of 7 inches
    frame = pl.DataFrame({name: [1, 2, 3, 4, 5] * 20 for name in names})
    crosstabs(frame, questions=names).report(tmp_path / "t.pptx", template=tmp_path / "brand.pptx")
    _, subtitle = slides_of(tmp_path / "t.pptx")[0].placeholders
    assert subtitle.text_frame.paragraphs[0].text == "‘A rather long name’ and ‘Another rather long name’"


def test_names_of_rows_are_whole_if_two_lines_hold_them(tmp_path):
    Presentation().save(tmp_path / "brand.pptx")  # 4 to 3, with little room for names
    frame = pl.DataFrame({"q": [1, 2, 3, 4, 5] * 40, "g": ["Premium Economy", "First"] * 100})
    summary = crosstabs(frame, questions=["q"], banners=["g"])
    summary.report(tmp_path / "t.pptx", template=tmp_path / "brand.pptx")
    stack, _ = charts_of(slides_of(tmp_path / "t.pptx")[1])
    assert categories_of(stack)[2].replace("\xa0", " ") == "Premium Economy, n = 100"


def test_a_file_that_is_no_presentation_is_refused_as_a_template(tables, tmp_path):
    (tmp_path / "brand.pptx").write_text("no presentation")
    with pytest.raises(InputError, match=r"template must be a PowerPoint file \(\.pptx\), and 'brand\.pptx'"):
        tables.report(tmp_path / "t.pptx", template=tmp_path / "brand.pptx")
    assert not (tmp_path / "t.pptx").exists()


def test_a_template_without_slides_to_write_is_refused(brand, tables, tmp_path):
    with pytest.raises(InputError, match="template serves slides alone"):
        tables.report(tmp_path / "t.xlsx", template=brand)


def test_bars_of_brackets_keep_their_order_and_others_start_with_the_most_frequent(tmp_path):
    # 18-24 is the least frequent bracket, and tea the least frequent drink.
    ages, drinks = ["18-24", "25-44", "45-64"], ["tea", "water", "coffee"]
    counts = (40, 120, 80)
    frame = pl.DataFrame({
        "age": [age for age, n in zip(ages, counts, strict=True) for _ in range(n)],
        "drink": [drink for drink, n in zip(drinks, counts, strict=True) for _ in range(n)],
        "region": ["north", "south"] * 120,
    })  # fmt: skip
    crosstabs(frame, questions=["age", "drink"], banners=["region"]).report(tmp_path / "t.pptx")
    _, by_age, by_drink, _ = slides_of(tmp_path / "t.pptx")
    assert categories_of(charts_of(by_age)[0]) == ages
    assert categories_of(charts_of(by_drink)[0]) == ["water", "coffee", "tea"]


def test_the_footnote_has_the_widest_interval_of_shares_and_small_shares_are_not_zero(tmp_path):
    # 1 of 400 answers "tea"; half of the others answer "water". Wald's interval of .5 would be ± 4.9 points
    # for 400 respondents, and ± 6.9 for 200; that from log odds is as wide at .5.
    frame = pl.DataFrame({
        "drink": ["tea", *["water", "coffee", "coffee", "water"] * 99, "water", "coffee", "water"],
        "region": ["north", "south"] * 200,
    })  # fmt: skip
    crosstabs(frame, questions=["drink"], banners=["region"]).report(tmp_path / "t.pptx")
    slide = slides_of(tmp_path / "t.pptx")[1]
    assert "intervals of at most: shares ± 5 points in the total and ± 7 points in a group" in texts_of(slide)
    # 1 of 400 rounds to 0 %, and 1 of 200 to 1 %.
    assert at(charts_of(slide)[0], ".//c:dLbl/c:numFmt/@formatCode") == ['"<1%"']
    assert at(charts_of(slide)[1], ".//c:dLbl/c:numFmt/@formatCode") == []


def test_waves_show_their_changes_and_no_pooled_total(tmp_path):
    # Half of 2024 answers 1 and half 2; in 2025 half answers 2 and half 3: means 1.5 and 2.5.
    frame = pl.DataFrame({
        "q": [1, 2] * 40 + [2, 3] * 40,
        "g": ["a"] * 40 + ["b"] * 40 + ["a"] * 40 + ["b"] * 40,
        "wave": ["w_2024"] * 80 + ["w_2025"] * 80,
    })  # fmt: skip
    crosstabs(frame, questions=["q"], banners=["g"], wave="wave").report(tmp_path / "t.pptx")
    _, waves, groups, changes, _ = slides_of(tmp_path / "t.pptx")
    assert "the mean rose by 1.00 to 2.50 in w_2025; the change, plausibly +" in title_of(waves)
    stack, _ = charts_of(waves)
    assert [name.split(",")[0] for name in categories_of(stack)] == ["w_2024 (A)", "w_2025 (B)"]
    assert "In brackets after figures: change from the wave before." in texts_of(waves)
    assert "By g | w_2025" in texts_of(groups)
    # Each group's mean rises by 1, as that of all does.
    assert title_of(changes).endswith(
        "the mean rose by 1.00 to 2.50 for a and by 1.00 to 2.50 for b; each change is unlikely to be chance"
    )
    (points,) = charts_of(changes)
    assert [name.split(",")[0] for name in categories_of(points)] == ["Total", "a", "b"]
    assert values_of(points) == {"mean": pytest.approx([1, 1, 1])}


def test_slides_name_hidden_groups(tmp_path):
    frame = pl.DataFrame({"q": [1, 2, 3, 4] * 60, "g": ["a", "b", "c"] * 80})
    crosstabs(frame, questions=["q"], banners=["g"], hide=["b"]).report(tmp_path / "t.pptx")
    slide = slides_of(tmp_path / "t.pptx")[1]
    assert "Not shown: ‘b’; bases and tests include it." in texts_of(slide)


def test_bars_by_waves_have_their_changes_and_the_widest_interval(tmp_path):
    # Of 100 each, x is chosen by 50 and 50, y by 20 and 30. In a wave the share of x has the variance .25 *
    # 200 / 199 / 100, so that t(199) = 1.972 gives ± 13.98 points, more than for y.
    options = {"d_x": [1, 0] * 100, "d_y": [1] * 20 + [0] * 80 + [1] * 30 + [0] * 70}
    frame = pl.DataFrame(options | {"wave": ["1"] * 100 + ["2"] * 100})
    crosstabs(frame, questions=["d_*"], wave="wave").report(tmp_path / "t.pptx")
    slide = slides_of(tmp_path / "t.pptx")[1]
    assert "change from the wave before, in points; its 95 % intervals are at most ± 14." in texts_of(slide)
    _, second = charts_of(slide)
    labels = at(second, ".//c:dLbl/c:numFmt/@formatCode")
    assert [label.split('"')[1].strip() for label in labels] == ["(0)", "(+10)"]


def test_the_last_slide_continues_rather_than_cut_a_note(tables, tmp_path):
    notes = tuple(f"note {number} is about {'the rows of a file ' * 12}and ends" for number in range(9))
    replace(tables, input_notes=notes).report(tmp_path / "t.pptx")
    *_, first, second = slides_of(tmp_path / "t.pptx")
    assert [title_of(first), title_of(second)] == [
        "How this was measured",
        "How this was measured (continued)",
    ]
    shown = f"{texts_of(first)}\n{texts_of(second)}"
    assert "…" not in shown
    assert all(f"{note.capitalize()}." in shown for note in notes)
    for slide in (first, second):
        assert all(shape.top + shape.height <= Inches(7.5) for shape in slide.shapes)
        assert str(tables.signature) in notes_of(slide)


def test_a_slide_of_changes_names_all_significant_ones_the_largest_first(tmp_path):
    # Means rise from 1.5 to 2.5 in a and to 3.5 in b, fall from 3.5 to 3 in c, and stay in d.
    rows = {
        "2024": {"a": [1, 2], "b": [1, 2], "c": [3, 4], "d": [1, 2]},
        "2025": {"a": [2, 3], "b": [3, 4], "c": [3, 3], "d": [1, 2]},
    }
    listed = [
        (answer, group, wave)
        for wave, groups in rows.items()
        for group, answers in groups.items()
        for answer in answers * 40
    ]
    frame = pl.DataFrame(listed, schema=["q", "g", "wave"], orient="row")
    crosstabs(frame, questions=["q"], banners=["g"], wave="wave").report(tmp_path / "t.pptx")
    _, waves, _, changes, _ = slides_of(tmp_path / "t.pptx")
    assert title_of(changes) == (
        "Q: the mean rose by 2.00 to 3.50 for b, by 1.00 to 2.50 for a and fell by 0.50 to 3.00 for c; each "
        "change is unlikely to be chance"
    )
    # The mean has a test of its own, with which one of all answers can disagree.
    assert "Taken together" not in texts_of(waves)
