"""Headers of survey tools in files: recognised, named in a note, switched off, or refused."""

import pytest
import xlsxwriter

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.surveys import HeaderRowsWarning, survey_header

MONKEY = (
    "Respondent ID,Collector ID,Which?,,Why?\n,,Tea,Coffee,Open-Ended Response\n1,7,Tea,,so\n2,7,,Coffee,no\n"
)
LIME = "id,submitdate,lastpage,startlanguage,d[SQ001],d[SQ002]\n1,2026-01-01,3,de,Y,N\n"


def test_the_second_row_of_surveymonkey_is_no_answer(tmp_path):
    path = tmp_path / "monkey.csv"
    path.write_text(MONKEY)
    table = open_table(path)
    assert table.columns == ("Respondent ID", "Collector ID", "Which?: Tea", "Which?: Coffee", "Why?")
    assert [row[-1] for row in next(table.batches(9)).rows()] == ["so", "no"]
    assert next(table.batches_with(["Why?"], 9))["Why?"].to_list() == ["so", "no"]
    assert table.notes == (
        f"{path} is an export of SurveyMonkey: its second row belongs to the header; --header plain reads "
        "the file as it is",
    )
    assert table.labels["Which?: Tea"].option == "Tea"


def test_a_plain_header_is_read_as_it_is(tmp_path):
    path = tmp_path / "monkey.csv"
    path.write_text(MONKEY)
    plain = open_table(path, header="plain")
    assert plain.columns == ("Respondent ID", "Collector ID", "Which?", "column_4", "Why?")
    assert next(plain.batches(1))["Why?"].to_list() == ["Open-Ended Response"]
    assert (plain.notes, dict(plain.labels)) == ((), {})
    assert plain.fingerprint() != open_table(path).fingerprint()


def test_questions_of_limesurvey_are_counted_in_a_note(tmp_path):
    path = tmp_path / "lime.csv"
    path.write_text(LIME)
    table = open_table(path)
    assert "is an export of LimeSurvey; questions with several columns: 1; --header plain" in table.notes[0]
    assert {table.labels[column].question for column in ("d[SQ001]", "d[SQ002]")} == {"d"}


def test_questions_of_qualtrics_are_known_by_their_ids():
    ids = [
        '{"ImportId":"QID1_TEXT"}',
        '{"ImportId":"QID2","choiceId":"1"}',
        '{"ImportId":"QID2","choiceId":"2"}',
    ]
    texts = ["Why?", "Which? - Tea", "Which? - Coffee"]
    with pytest.warns(HeaderRowsWarning):
        header = survey_header(["Q1", "Q2_1", "Q2_2"], [texts, ids], "a.csv")
    assert header.more == 2
    assert (header.labels["Q1"].label, header.labels["Q1"].question) == ("Why?", "")
    assert [header.labels[name].option for name in ("Q2_1", "Q2_2")] == ["Tea", "Coffee"]
    assert [header.labels[name].label for name in ("Q2_1", "Q2_2")] == ["Which?", "Which?"]


@pytest.mark.parametrize("kind", ["qualtrics", "surveymonkey", "limesurvey"])
def test_a_header_that_is_not_the_tools_is_refused(tmp_path, kind):
    path = tmp_path / "plain.csv"
    path.write_text("id,text\n1,good\n")
    with pytest.raises(InputError, match=f"header: .* has no header of {kind}, by the names of its columns"):
        open_table(path, header=kind)


def test_a_header_belongs_to_formats_with_rows_of_text(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"a": "b"}\n')
    with pytest.raises(InputError, match="header applies to csv, tsv and xlsx, not to jsonl"):
        open_table(path, header="plain")


def test_other_sheets_are_listed_and_the_nearest_is_proposed(tmp_path):
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for title in ("Wave 1", "Wave 2"):
            sheet = book.add_worksheet(title)
            sheet.write_row(0, 0, ["id", "text"])
            sheet.write_row(1, 0, [1, title])
    assert open_table(path).notes == (
        f"{path}: sheet 'Wave 1' was read; --sheet NAME reads another one: Wave 2",
    )
    assert open_table(path, sheet="Wave 2").notes == ()
    with pytest.raises(
        InputError, match=r"no sheet 'wave 2'; did you mean 'Wave 2'\?; it has: Wave 1, Wave 2"
    ):
        open_table(path, sheet="wave 2")
