"""Slides with native charts, read back."""

import pytest

from semscale.errors import MissingExtraError
from semscale.report.tables import saving
from semscale.tabulation.crosstabs import crosstabs


@pytest.mark.needs("slides")
def test_a_slide_for_each_table_with_a_native_chart(tables, tmp_path):
    from pptx import Presentation
    from pptx.enum.chart import XL_CHART_TYPE

    tables.report(tmp_path / "t.pptx")
    slides = list(Presentation(str(tmp_path / "t.pptx")).slides)
    assert len(slides) == 4
    first = slides[0]
    assert first.shapes.title.text_frame.text == "Like: mean 5.00 in south, above north (1.75)"
    (chart,) = [shape.chart for shape in first.shapes if shape.has_chart]
    assert chart.chart_type == XL_CHART_TYPE.BAR_STACKED_100
    # A bar chart draws from the bottom, so the total comes last to stand first.
    assert list(chart.plots[0].categories) == ["south (B)", "north (A)", "Total"]
    series = {one.name: list(one.values) for one in chart.plots[0].series}
    assert series["5"] == [1.0, 0.0, pytest.approx(0.5)]
    texts = [shape.text_frame.text for shape in first.shapes if shape.has_text_frame]
    assert any("Base, unweighted: Total 80, north 40, south 40." in text for text in texts)


@pytest.mark.needs("slides")
def test_a_multiple_choice_has_clustered_bars(tables, tmp_path):
    from pptx import Presentation
    from pptx.enum.chart import XL_CHART_TYPE

    tables.report(tmp_path / "t.pptx")
    third = list(Presentation(str(tmp_path / "t.pptx")).slides)[2]
    (chart,) = [shape.chart for shape in third.shapes if shape.has_chart]
    assert chart.chart_type == XL_CHART_TYPE.BAR_CLUSTERED
    assert list(chart.plots[0].categories) == ["coffee", "tea"]
    assert [one.name for one in chart.plots[0].series] == ["Total", "north (A)", "south (B)"]


@pytest.mark.needs("slides")
def test_a_topline_has_a_slide_with_the_total(survey, tmp_path):
    from pptx import Presentation

    crosstabs(survey, questions=["like"]).report(tmp_path / "t.pptx")
    (slide,) = Presentation(str(tmp_path / "t.pptx")).slides
    # 20 answers of 1, 20 of 2 and 40 of 5.
    assert slide.shapes.title.text_frame.text == "Like: mean 3.25"
    assert any(
        "Base, unweighted: Total 80." in one.text_frame.text for one in slide.shapes if one.has_text_frame
    )


def test_without_the_extra_the_message_says_how_to_install_it(tables, tmp_path, monkeypatch):
    monkeypatch.setattr("semscale.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"semscale\[slides\]"):
        saving.check_place(tmp_path / "t.pptx")
