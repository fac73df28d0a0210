"""Report workbooks: numbers with their formats, one row for each item, and sheets with proper names."""

import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from tests.support.made_up_document import BLOCKS, HOSTILE, document_of, figure_of
from tests.workbook_sheets import sheets_of

from semscale.report.chart_data import ChartData, Series
from semscale.report.document import (
    Count,
    DataTable,
    Headline,
    Items,
    Label,
    Marked,
    Number,
    Paragraph,
    Piece,
    Quoted,
    Section,
    Share,
    WithInterval,
)
from semscale.report.workbook import write_report_workbook


def test_a_workbook_holds_numbers_and_harmless_texts(tmp_path):
    path = tmp_path / "d.xlsx"
    write_report_workbook(document_of(), path)
    section = sheets_of(path)["One section"]
    rows = [row for row in section.iter_rows() if row[0] == "Mean"]
    # An interval takes three columns below one heading: the figure and its two ends, as numbers.
    assert [float(cell) for cell in rows[0][1:4]] == [3.412, 3.349, 3.471]
    shares = next(row for row in section.iter_rows() if row[0] == "Top-2-box")
    assert [float(cell) for cell in shares[1:4]] == [0.341, 0.3, 0.4]
    kappa = next(row for row in section.iter_rows() if row[0] == "Kappa")
    assert (float(kappa[1]), *kappa[2:5]) == (0.5, None, None, "too few rows")
    heads = next(row for row in section.iter_rows() if row[0] == "Figure")
    assert heads[1:5] == ("Estimate", None, None, "Estimate, note")
    texts = [cell for row in section.iter_rows() for cell in row if cell is not None]
    assert HOSTILE in texts
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        assert not any(b"<f>" in archive.read(name) for name in names if "worksheets/sheet" in name)
    assert not any(name.startswith("xl/media/") for name in names)


def test_the_summary_of_a_workbook_says_what_its_interval_covers_and_spreads_facts(tmp_path):
    facts = (("Mean", WithInterval(0.5, 0.4, 0.6)), ("Kind", Label("exact", note="as published")))
    write_report_workbook(document_of(facts=facts), tmp_path / "d.xlsx")
    rows = [[cell for cell in row if cell] for row in sheets_of(tmp_path / "d.xlsx")["Summary"].iter_rows()]
    covered = "Estimate (95 % interval)"
    assert [covered] in rows
    assert ["Mean", "0.5", "0.4", "0.6"] in rows
    assert ["Kind", "exact", "as published"] in rows


def test_a_workbook_does_not_promise_an_interval_that_is_not_there(tmp_path):
    lead = Headline("mean", WithInterval(0.5, np.nan, np.nan), (0.0, 1.0), 0.95)
    write_report_workbook(document_of(lead=lead), tmp_path / "d.xlsx")
    assert "95 %" not in str(sheets_of(tmp_path / "d.xlsx")["Summary"].rows())


def test_a_workbook_shows_bounds_and_signs_as_pages_do(tmp_path):
    cells = {
        Number(1e-9, 3, least=0.001): '[&lt;0.001]"&lt; 0.001";0.000',
        Number(1e303, 1, most=10_000): '[&gt;10000]"&gt; 10,000";0.0',
        Number(0.12, signed=True): "+0.00;−0.00;0.00",
        WithInterval(0.123, 0.1, 0.2, 3, signed=True): "+0.000;−0.000;0.000",
        Share(0.123456, 2): "0.00 %",
        Count(7, is_small=True): '#,##0"*"',
    }
    table = DataTable(("", "b"), tuple((Label("a"), cell) for cell in cells))
    write_report_workbook(document_of(table), tmp_path / "d.xlsx")
    with zipfile.ZipFile(tmp_path / "d.xlsx") as archive:
        formats = archive.read("xl/styles.xml").decode().replace("&quot;", '"')
    for number_format in cells.values():
        assert f'formatCode="{number_format}"' in formats
    written = sheets_of(tmp_path / "d.xlsx")["One section"]["column_1"].drop_nulls().to_list()
    assert {1e-9, 1e303, 0.12, 0.123, 0.123456, 7} == set(map(float, written[1:]))


def test_a_workbook_leaves_numbers_that_do_not_exist_empty(tmp_path):
    endless = (
        Number(np.inf),
        Number(np.inf, 1, most=10_000),
        WithInterval(0.5, -np.inf, np.inf),
        Number(np.nan),
    )
    table = DataTable(("", "b"), tuple((Label(f"row {index}"), cell) for index, cell in enumerate(endless)))
    write_report_workbook(document_of(table), tmp_path / "d.xlsx")
    sheet = sheets_of(tmp_path / "d.xlsx")["One section"]
    rows = {row[0]: (*row[1:], None, None)[:3] for row in sheet.iter_rows()}
    assert rows["Row 0"] == rows["Row 3"] == (None, None, None)
    assert rows["Row 1"] == ("> 10,000", None, None)
    assert rows["Row 2"] == ("0.5", None, None)


def test_workbook_has_a_row_per_item(tmp_path):
    items = next(block for block in BLOCKS if isinstance(block, Items))
    (item,) = items.items
    twice = replace(item, texts=(("sample", Quoted("one")), ("sample", Quoted("two"))), replies=(), row=3)
    write_report_workbook(document_of(replace(items, items=(item, twice))), tmp_path / "d.xlsx")
    rows = [list(row) for row in sheets_of(tmp_path / "d.xlsx")["One section"].iter_rows()]
    heads = next(row for row in rows if "Score" in row)
    first, second = rows[rows.index(heads) + 1 : rows.index(heads) + 3]
    assert heads[:7] == ["Question", "Answer", "Sample", "Sample", "Score", "Row", "Note"]
    assert first[:6] == [HOSTILE, "not well", None, None, "0.125", "1204"]
    assert second[:6] == [None, None, "one", "two", "0.125", "3"]
    result = dict(zip(heads[8:], first[8:], strict=True))
    assert result == {
        "Words": "0.25", "Found": "negation: one text denies it", "gpt": "0.5", "Said": "so so",
        "Words that cost most": '"wheel" met only "expel"',
    }  # fmt: skip
    assert dict(zip(heads[8:], second[8:], strict=True))["gpt"] is None


def test_names_of_sheets_end_with_a_word(tmp_path):
    titles = ("Distribution of the scores, by topic", "Every answer that nobody has understood yet")
    sections = tuple(Section(f"s{n}", title, (Paragraph("x"),)) for n, title in enumerate(titles))
    write_report_workbook(replace(document_of(), sections=sections), tmp_path / "d.xlsx")
    names = list(sheets_of(tmp_path / "d.xlsx"))
    assert names[1:3] == ["Distribution of the scores", "Every answer that nobody has"]


def test_workbook_has_a_sheet_per_section_regardless_of_title(tmp_path):
    titles = ["By " + "x" * 40, "By " + "x" * 40, "a/b:c?", "'quoted'", "SUMMARY"]
    sections = tuple(Section(f"s{n}", title, (Paragraph("x"),)) for n, title in enumerate(titles))
    path = tmp_path / "d.xlsx"
    write_report_workbook(document_of(sections=sections), path)
    names = list(sheets_of(path))
    assert len(names) == len(titles) + 2
    assert all(len(name) <= 31 for name in names)


def parts_of(path, name):
    """Return the XML files of a workbook whose names contain a word, in order."""
    with zipfile.ZipFile(path) as archive:
        return [archive.read(file).decode() for file in sorted(archive.namelist()) if name in file]


def test_the_summary_has_a_link_and_a_sentence_for_each_sheet(tmp_path):
    sections = (
        Section("one", "First part", (TABLE_OF_SHARES, Paragraph("Tea is most frequent.", "lead"))),
        Section("two", "Second part", (figure_of(),)),
    )
    write_report_workbook(document_of(sections=sections), tmp_path / "d.xlsx")
    summary = sheets_of(tmp_path / "d.xlsx")["Summary"]
    rows = [[cell for cell in row if cell] for row in summary.iter_rows()]
    start = rows.index(["Sheets"])
    assert rows[start + 1 :] == [
        ["First part", "Tea is most frequent."],
        ["Second part", "Bars: low 40 %, high 60 %."],
        ["How this was made", "Settings, citations and signature."],
    ]
    (first, *_) = parts_of(tmp_path / "d.xlsx", "worksheets/sheet1.xml")
    places = re.findall(r'location="([^"]+)"', first)
    assert places == ["'First part'!A1", "'Second part'!A1", "'How this was made'!A1"]


TABLE_OF_SHARES = DataTable(
    ("drink", "share"), ((Label("tea"), Share(0.6)), (Label("a long name of a drink"), Share(0.2)))
)


def test_the_ends_of_an_interval_have_narrow_columns_beside_their_figure(tmp_path):
    rows = tuple((Label(name), WithInterval(0.9, 0.851, 0.94, is_share=True)) for name in ("tea", "water"))
    write_report_workbook(document_of(DataTable(("drink", "share of all"), rows)), tmp_path / "d.xlsx")
    (sheet,) = (part for part in parts_of(tmp_path / "d.xlsx", "worksheets/sheet") if "<f>" not in part
                and "dataBar" in part)  # fmt: skip
    widths = {
        int(first): float(width)
        for first, width in re.findall(r'<col min="(\d+)" .*?width="([\d.]+)"', sheet)
    }
    assert widths[3] < 9  # 85.1 % to
    assert widths[4] < 7  # 94.0 %
    (styles,) = parts_of(tmp_path / "d.xlsx", "xl/styles.xml")
    assert 'formatCode="0.0 %&quot; to&quot;"' in styles


def test_shares_below_one_percent_are_not_labelled_as_0_percent(tmp_path):
    data = ChartData("bars", ("tea", "milk"), (Series("share", (0.5, 0.0046)),), quantity="share")
    write_report_workbook(document_of(figure_of(data=(data,))), tmp_path / "d.xlsx")
    (chart,) = parts_of(tmp_path / "d.xlsx", "charts/chart")
    # 0 has no decimal, shares below 1 % have one, others have none.
    assert 'formatCode="[=0]0%;[&lt;0.0095]0.0%;0%"' in chart


def test_a_summary_states_what_was_found_in_a_section(tmp_path):
    figure = replace(figure_of(), finding="Tea is most frequent")
    write_report_workbook(document_of(figure), tmp_path / "d.xlsx")
    texts = [cell for row in sheets_of(tmp_path / "d.xlsx")["Summary"].iter_rows() for cell in row]
    assert "Tea is most frequent." in texts


def test_every_sheet_is_printed_in_landscape_one_page_wide_with_page_numbers(tmp_path):
    write_report_workbook(document_of(), tmp_path / "d.xlsx")
    sheets = parts_of(tmp_path / "d.xlsx", "worksheets/sheet")
    assert len(sheets) == 3
    for sheet in sheets:
        assert 'orientation="landscape"' in sheet
        assert re.search(r'<pageSetup [^>]*fitToHeight="0"|<pageSetUpPr fitToPage="1"/>', sheet)
        assert "Page &amp;P of &amp;N" in sheet
    (book,) = parts_of(tmp_path / "d.xlsx", "xl/workbook.xml")
    assert book.count("_xlnm.Print_Area") == 3


def test_a_chart_has_its_data_in_cells_below_the_printed_part(tmp_path):
    data = ChartData(
        "bars", ("=1+1", "tea"), (Series("share", (0.5, 0.25), (0.4, 0.125), (0.75, 0.5)),), quantity="share"
    )
    write_report_workbook(document_of(figure_of(data=(data,))), tmp_path / "d.xlsx")
    sheet = sheets_of(tmp_path / "d.xlsx")["One section"]
    rows = [row[:4] for row in sheet.iter_rows()]
    start = rows.index(("Share", "Share", "To the lower end", "To the upper end"))
    # 0.5 - 0.4 and 0.75 - 0.5; 0.25 - 0.125 and 0.5 - 0.25.
    assert [tuple(map(float, row[1:])) for row in rows[start + 1 : start + 3]] == [
        (0.5, pytest.approx(0.1), 0.25), (0.25, 0.125, 0.25),
    ]  # fmt: skip
    assert rows[start + 1][0] == "=1+1"
    (chart,) = parts_of(tmp_path / "d.xlsx", "charts/chart")
    cells = re.findall(r"<c:f>('One section'![^<]+)</c:f>", chart)
    first, last = re.fullmatch(r"'One section'!\$A\$(\d+):\$A\$(\d+)", cells[4]).groups()
    head = int(first) - 1
    ranges = [f"'One section'!${column}${first}:${column}${last}" for column in "ABCD"]
    # The title and the name of the series, the categories, the values, and the lengths of the intervals.
    assert sorted(cells) == sorted([f"'One section'!$A${head}", f"'One section'!$B${head}", *ranges])
    (book,) = parts_of(tmp_path / "d.xlsx", "xl/workbook.xml")
    printed = int(re.search(r"'One section'!\$A\$1:\$[A-Z]+\$(\d+)", book)[1])
    assert printed < int(first)


def test_a_figure_without_a_native_chart_colours_the_cells_of_its_table(tmp_path):
    write_report_workbook(document_of(figure_of()), tmp_path / "d.xlsx")
    (sheet,) = parts_of(tmp_path / "d.xlsx", "worksheets/sheet2.xml")
    assert "<colorScale>" in sheet
    assert not parts_of(tmp_path / "d.xlsx", "charts/chart")


def test_a_page_break_never_cuts_a_chart(tmp_path):
    data = ChartData("points", ("a", "b"), (Series("mean", (1.0, 2.0)),), "0.00", "mean")
    blocks = [figure_of(f"figure-{number}", data=(data,)) for number in range(5)]
    write_report_workbook(document_of(*blocks), tmp_path / "d.xlsx")
    (sheet,) = parts_of(tmp_path / "d.xlsx", "worksheets/sheet2.xml")
    (drawing,) = parts_of(tmp_path / "d.xlsx", "drawings/drawing1.xml")
    breaks = [int(row) for row in re.findall(r'<brk id="(\d+)"', sheet)]
    tops = re.findall(r"<xdr:from>.*?<xdr:row>(\d+)</xdr:row>", drawing)
    ends = re.findall(r"<xdr:to>.*?<xdr:row>(\d+)</xdr:row>", drawing)
    assert breaks
    assert not any(int(top) < row <= int(end) for top, end in zip(tops, ends, strict=True) for row in breaks)


def test_columns_are_wide_enough_for_the_words_of_their_headings(tmp_path):
    table = DataTable(("line", "unaccommodatingly named"), ((Label("a"), Number(0.5)),))
    write_report_workbook(document_of(table), tmp_path / "d.xlsx")
    (sheet,) = parts_of(tmp_path / "d.xlsx", "worksheets/sheet2.xml")
    columns = re.findall(r'<col min="(\d+)" max="(\d+)" width="([\d.]+)"', sheet)
    (width,) = [float(width) for first, last, width in columns if int(first) <= 2 <= int(last)]
    assert width >= len("unaccommodatingly")


def test_the_marked_part_of_a_text_is_bold(tmp_path):
    # A line end, a formula, XML and a control character are texts in a marked text, too.
    text = Marked(
        (Piece("=1+1 <b>\n", None), Piece("rude \x00staff", "evidence"), Piece(" & cold food", None))
    )
    whole = Marked((Piece("rude staff", "evidence"),))
    rows = ((Label("first"), text), (Label("second"), whole))
    write_report_workbook(document_of(DataTable(("row", "answer"), rows)), tmp_path / "d.xlsx")
    cells = sheets_of(tmp_path / "d.xlsx")["One section"]["column_1"].to_list()
    assert any(cell is not None and cell.endswith("staff & cold food") for cell in cells)
    assert "rude staff" in cells
    (strings,) = parts_of(tmp_path / "d.xlsx", "sharedStrings")
    (rich,) = re.findall(r"<si><r>.*?</si>", strings)
    bold = [("<b/>" in run, re.sub("<[^>]*>", "", run)) for run in re.findall("<r>.*?</r>", rich)]
    assert [is_bold for is_bold, _ in bold] == [False, True, False]
    assert [bold[0][1], bold[2][1]] == ["=1+1 &lt;b&gt; ", " &amp; cold food"]
    assert 'rFont val="Arial"' in rich
    assert "Calibri" not in rich


def test_a_long_table_is_printed_in_part(tmp_path):
    rows = tuple((Label(f"row {number}"), Number(number)) for number in range(200))
    write_report_workbook(document_of(DataTable(("row", "value"), rows)), tmp_path / "d.xlsx")
    sheet = sheets_of(tmp_path / "d.xlsx")["One section"]
    assert "Of 200 rows, the first 60 are printed." in sheet["column_0"].to_list()
    (book,) = parts_of(tmp_path / "d.xlsx", "xl/workbook.xml")
    assert int(re.search(r"'One section'!\$A\$1:\$[A-Z]+\$(\d+)", book)[1]) < 70
