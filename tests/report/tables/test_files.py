"""Workbooks and slides of tables, read back."""

from zipfile import ZipFile

import polars as pl
import pytest
from python_calamine import CalamineWorkbook

from semscale.errors import MissingExtraError
from semscale.report.chart_kit import ordinal
from semscale.report.tables_workbook import write_differences
from semscale.report.workbook import Sheet, SheetFormats
from semscale.store.writing import open_workbook
from semscale.tabulation.crosstabs import check_path, crosstabs


def rows_of(summary, path):
    summary.report(path)
    book = CalamineWorkbook.from_path(path)
    return {name: book.get_sheet_by_name(name).to_python(skip_empty_area=False) for name in book.sheet_names}


def row(sheet, name):
    return next(cells[1:] for cells in sheet if cells[0] == name)


def test_workbook_has_an_index_and_a_sheet_per_question(tables, tmp_path):
    sheets = rows_of(tables, tmp_path / "t.xlsx")
    assert list(sheets) == ["Index", "like", "drink_", "Differences"]
    index = sheets["Index"]
    assert index[4][:3] == ["like", "like", "like: mean 5.00 in south, above north (1.75)"]


def test_figures_are_numbers_with_letters_beside_them(tables, tmp_path):
    sheet = rows_of(tables, tmp_path / "t.xlsx")["like"]
    # Total, north and south by region; the total of the next banner is the same and is not repeated.
    assert sheet[5][1:] == ["Total", "", "north", "", "south", "", "=1+1", "", "a", ""]
    assert sheet[6][1:] == ["", "", "A", "", "B", "", "A", "", "B", ""]
    assert row(sheet, "Mean")[:6] == [pytest.approx(3.375), "", pytest.approx(1.75), "", 5.0, "A"]
    assert row(sheet, "5")[4] == 1.0
    assert row(sheet, "Base, unweighted") == [80, "", 40, "", 40, "", 5, "*", 75, ""]
    assert row(sheet, "Base, weighted")[:5] == [80, "", 40, "", 40]
    assert any("fewer than 10 respondents" in str(cells[0]) for cells in sheet)


def test_intervals_and_changes_stand_below(waves, tmp_path):
    sheet = rows_of(waves, tmp_path / "t.xlsx")["like"]
    assert any(cells[0] == "Intervals (95 %): lower and upper end" for cells in sheet)
    start = next(index for index, cells in enumerate(sheet) if str(cells[0]).startswith("Change to the wave"))
    mean = row(sheet[start:], "mean")
    # Both waves have the same answers: no change, in the last wave alone.
    assert mean[:4] == ["", "", "", ""]
    assert mean[4] == pytest.approx(0, abs=1e-12)


def test_formats_panes_and_print_set_up(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    with ZipFile(tmp_path / "t.xlsx") as parts:
        sheet = parts.read("xl/worksheets/sheet2.xml").decode()
        styles = parts.read("xl/styles.xml").decode()
    assert 'state="frozen"' in sheet
    assert 'orientation="landscape"' in sheet
    assert "fitToPage" in sheet
    assert "<f>" not in sheet
    assert 'formatCode="0.0%"' in styles


def test_sheets_with_hostile_and_equal_names(survey, tmp_path):
    long = "a [very] long/name: of a question * with ? signs"
    frame = survey.with_columns(survey["like"].alias(long), survey["like"].alias("Index"))
    result = crosstabs(frame, questions=[long, "Index"], banners=["region"])
    names = list(rows_of(result, tmp_path / "t.xlsx"))
    assert len(names) == 4
    assert names[2] == "Index 2"
    assert all(len(name) <= 31 for name in names)


def test_differences_sheet_has_a_row_per_pair_and_line(tables, tmp_path):
    tables.report(tmp_path / "t.xlsx")
    sheet = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("Differences").to_python()
    assert sheet[3][3:6] == ["First", "Second", "First minus second"]
    rows = [row for row in sheet[4:] if row[:3] == ["like", "region", "mean"]]
    assert len(rows) == 1
    assert rows[0][3:5] == ["north", "south"]
    # Means 1.75 and 5.
    assert rows[0][5] == pytest.approx(-3.25)
    assert rows[0][6] < -3.25 < rows[0][7] < 0
    assert rows[0][9] < 0.05
    # Town has 5 respondents in one of its groups: shown, not tested.
    assert all(row[8:] == ["", ""] for row in sheet[4:] if row[1] == "town")
    assert any(row[4] == "=1+1" or row[3] == "=1+1" for row in sheet[4:])


def test_rows_beyond_what_a_sheet_holds_are_counted(tables, tmp_path):
    total = sum(table.differences.values.size for table in tables.tables)
    with open_workbook(tmp_path / "t.xlsx") as workbook:
        looks = {"title": {}, "note": {}, "head": {}, "text": {}}
        write_differences(Sheet(workbook, "d", SheetFormats(workbook, looks)), tables, most=2)
    sheet = CalamineWorkbook.from_path(tmp_path / "t.xlsx").get_sheet_by_name("d").to_python()
    assert len(sheet) == 4 + 2
    assert sheet[2][0] == f"{total - 2} further rows in .csv, .parquet and .json alone."


@pytest.mark.needs("slides")
def test_deck_has_a_slide_with_a_native_chart_per_table(tables, tmp_path):
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
    series = {item.name: list(item.values) for item in chart.plots[0].series}
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
    assert [item.name for item in chart.plots[0].series] == ["Total", "north", "south"]


def slides_of(summary, path):
    """Return for each slide its chart as XML and its texts in one."""
    from lxml import etree
    from pptx import Presentation

    summary.report(path)
    slides = []
    for slide in Presentation(str(path)).slides:
        (chart,) = [shape.chart for shape in slide.shapes if shape.has_chart]
        texts = " ".join(shape.text_frame.text for shape in slide.shapes if shape.has_text_frame)
        slides.append((etree.fromstring(etree.tostring(chart.element)), texts))
    return slides


def numbers_at(chart, path):
    names = {"c": "http://schemas.openxmlformats.org/drawingml/2006/chart"}
    return [float(value) for value in chart.xpath(path, namespaces=names)]


@pytest.mark.needs("slides")
def test_bars_of_slides_begin_at_0_on_a_visible_axis(tables, tmp_path):
    for chart, _ in slides_of(tables, tmp_path / "t.pptx"):
        assert numbers_at(chart, ".//c:valAx/c:scaling/c:min/@val") == [0]
        assert numbers_at(chart, ".//c:valAx/c:delete/@val") == [0]


@pytest.mark.needs("slides")
def test_means_on_a_slide_are_points_with_intervals_that_fit_on_the_axis(tmp_path):
    age = [24.0, 25.0, 26.0] * 20 + [25.0, 26.0, 27.0] * 20
    frame = pl.DataFrame({"age": age, "side": ["left"] * 60 + ["right"] * 60})
    summary = crosstabs(frame, questions=["age"], banners=["side"], numeric=["age"])
    ((chart, texts),) = slides_of(summary, tmp_path / "t.pptx")
    low, high = (numbers_at(chart, f".//c:valAx/c:scaling/c:{end}/@val")[0] for end in ("min", "max"))
    cells = summary.tables[0].cells
    assert low <= cells.low[0].min()
    assert cells.high[0].max() <= high
    # The means are 25.5, 25 and 26.
    assert numbers_at(chart, ".//c:val//c:pt/c:v/text()") == [25.5, 25, 26]
    plus = numbers_at(chart, ".//c:errBars/c:plus//c:pt/c:v/text()")
    assert plus == pytest.approx((cells.high - cells.values)[0].tolist())
    assert "Whiskers: 95 % intervals." in texts


@pytest.mark.needs("slides")
def test_slides_explain_the_letters_and_asterisks_that_they_show(survey, tables, tmp_path):
    names = {"c": "http://schemas.openxmlformats.org/drawingml/2006/chart"}

    def labels(chart):
        return set(chart.xpath(".//c:dLbl/c:numFmt/@formatCode", namespaces=names))

    like_by_region, like_by_town, *_ = slides_of(tables, tmp_path / "t.pptx")
    chart, texts = like_by_region
    # All 40 in the south answer 5, and those in the north 1 or 2.
    assert labels(chart) == {'0%" A"', '0%" B"'}
    assert "Letters:" in texts
    assert "fewer than" not in texts
    chart, texts = like_by_town
    # The 5 people of a town are too few to be tested, so that there are no letters.
    assert list(chart.xpath(".//c:cat[1]//c:v/text()", namespaces=names))[:3] == ["a", "=1+1*", "Total"]
    assert labels(chart) == set()
    assert "Letters:" not in texts
    assert "* fewer than 10 respondents: shown, not tested." in texts


@pytest.mark.needs("slides")
def test_scales_have_the_colours_of_the_rating_report(tables, tmp_path):
    names = {"a": "http://schemas.openxmlformats.org/drawingml/2006/main"}
    names["c"] = "http://schemas.openxmlformats.org/drawingml/2006/chart"
    (chart, _), *_ = slides_of(tables, tmp_path / "t.pptx")
    fills = chart.xpath(".//c:ser/c:spPr/a:solidFill/a:srgbClr/@val", namespaces=names)
    # From orange for the lowest point to blue for the highest: 1, 2 and 5 were answered, so five points.
    assert [f"#{fill.lower()}" for fill in fills] == list(ordinal(len(fills)))


@pytest.mark.needs("slides")
def test_a_topline_has_a_slide_with_the_total(survey, tmp_path):
    from pptx import Presentation

    crosstabs(survey, questions=["like"]).report(tmp_path / "t.pptx")
    (slide,) = Presentation(str(tmp_path / "t.pptx")).slides
    # 20 answers of 1, 20 of 2 and 40 of 5.
    assert slide.shapes.title.text_frame.text == "Like: mean 3.25"
    assert any(
        "Base, unweighted: Total 80." in item.text_frame.text for item in slide.shapes if item.has_text_frame
    )


def test_without_the_extra_the_message_says_how_to_install_it(tables, tmp_path, monkeypatch):
    monkeypatch.setattr("semscale.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"semscale\[slides\]"):
        check_path(tmp_path / "t.pptx")
