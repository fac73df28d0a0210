"""Description of the columns of a table."""

import pytest
from tests.store.readers.spss_files import write_spss

from semscale.store.reading import open_table
from semscale.tabulation.column_summaries import ValueCount, summarize_columns

MONKEY = """Respondent ID,Collector ID,Which?,,Stars
,,Tea,Coffee,Response
1,7,Tea,,3
2,7,,Coffee,1
3,7,Tea,,3
4,7,,,2
"""


@pytest.fixture
def summary(tmp_path):
    path = tmp_path / "monkey.csv"
    path.write_text(MONKEY)
    return summarize_columns(open_table(path))


def test_columns_state_their_inferred_kind(summary):
    assert [
        (summarized_column.name, summarized_column.kind, summarized_column.missing)
        for summarized_column in summary.columns
    ] == [
        ("Respondent ID", "id", 0),
        ("Collector ID", "single choice", 0),
        ("Which?: Tea", "multiple choice", 2),
        ("Which?: Coffee", "multiple choice", 3),
        ("Stars", "ordinal", 0),
    ]
    assert (summary.source, summary.n) == ("monkey.csv", 4)


def test_values_are_counted_in_their_order(summary):
    stars = summary.columns[-1]
    assert stars.values == (ValueCount("1", "", 1), ValueCount("2", "", 1), ValueCount("3", "", 2))
    assert (stars.low, stars.high, stars.mean) == (1.0, 3.0, 2.25)


def test_columns_of_a_question_are_grouped(summary):
    assert {
        name: [summarized_column.option for summarized_column in columns]
        for name, columns in summary.questions.items()
    } == {"Which?": ["Tea", "Coffee"]}


def test_frame_has_a_row_per_value(summary):
    frame = summary.to_frame()
    stars = frame.filter(column="Stars")
    assert stars.select("value", "count").rows() == [("1", 1), ("2", 1), ("3", 2)]
    assert frame["column"].n_unique() == 5


def test_every_output_is_written(summary, tmp_path):
    for ending in ("html", "md", "xlsx"):
        summary.report(tmp_path / f"columns.{ending}")
    page = (tmp_path / "columns.html").read_text()
    assert "multiple choice" in page
    assert "Which?" in page.split(">Questions<")[1]
    assert repr(summary) == "ColumnsSummary(source='monkey.csv', n=4, columns=5)"


@pytest.mark.needs("spss")
def test_labels_and_declared_missing_values_of_spss(tmp_path):
    result = summarize_columns(open_table(write_spss(tmp_path / "survey.sav", weight_place=5)))
    columns = {summarized_column.name: summarized_column for summarized_column in result.columns}
    region = columns["region"]
    assert (region.label, region.kind, region.missing) == ("Where do you live?", "single choice", 2)
    assert region.values == (
        ValueCount("1", "north", 1), ValueCount("2", "south", 1), ValueCount("9", "refused", 0),
    )  # fmt: skip
    assert region.missing_codes == ("9 (refused)",)
    assert (columns["wt"].kind, columns["day"].kind) == ("weight", "date")
    assert columns["wt"].mean == 1.0
