"""Exports of Qualtrics: the rows between the names of the columns and the answers are no answers."""

import polars as pl
import pytest
import xlsxwriter

from semscale.store.reading import open_table
from semscale.store.surveys import HeaderRowsWarning, header_rows

QUESTIONS = ["Start Date", "How was your stay?\nPlease be frank."]
IDS = ['{"ImportId":"startDate","timeZone":"America/Denver"}', '{"ImportId":"QID1_TEXT"}']
ANSWERS = [["2026-01-02", "Lovely."], ["2026-01-03", 'The {"ImportId"} of my room was odd.']]


def as_csv(path, rows):
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    path.write_text("day,Q1\n" + "\n".join(quoted) + "\n")


def as_xlsx(path, rows):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for place, row in enumerate([["day", "Q1"], *rows]):
            sheet.write_row(place, 0, row)


WRITERS = {"answers.csv": as_csv, "answers.xlsx": as_xlsx}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(("more", "said"), [([QUESTIONS, IDS], "the 2 rows"), ([IDS], "the row")])
def test_header_rows_are_no_answers_and_a_line_says_so(tmp_path, name, more, said):
    WRITERS[name](tmp_path / name, [*more, *ANSWERS])
    with pytest.warns(HeaderRowsWarning, match=f"{name} is an export of Qualtrics: {said} of header"):
        table = open_table(tmp_path / name)
    assert pl.concat(table.batches(1)).rows() == [tuple(row) for row in ANSWERS]
    assert [batch["Q1"][0] for batch in table.batches(1, 1)] == [ANSWERS[1][1]]
    (texts,) = table.batches_with({"Q1"}, 10)
    assert texts["Q1"].to_list() == [row[1] for row in ANSWERS]


@pytest.mark.parametrize("name", WRITERS)
def test_a_header_without_answers_has_no_rows(tmp_path, name):
    WRITERS[name](tmp_path / name, [QUESTIONS, IDS])
    with (
        pytest.warns(HeaderRowsWarning),
        pytest.raises(Exception, match="has a header but no rows"),
    ):
        open_table(tmp_path / name)


def test_an_answer_that_quotes_an_id_is_an_answer():
    assert header_rows(["id", "Q1"], [["1", '{"ImportId":"QID1_TEXT"}'], ["2", "fine"]]) == 0


def test_rows_of_nothing_are_no_header():
    assert header_rows(["id", "Q1"], [[None, ""], [None, None]]) == 0


def test_texts_of_questions_alone_are_known_by_qualtrics_own_columns():
    names = ["StartDate", "ResponseId", "Q1"]
    assert (
        header_rows(names, [["Start Date", "Response ID", "How was it?"], ["2026-01-02", "R_1", "ok"]]) == 1
    )
    assert header_rows(names, [["2026-01-02", "R_1", "Response ID"]]) == 0
    assert header_rows(names, []) == 0
