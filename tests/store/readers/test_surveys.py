"""Exports of Qualtrics, SurveyMonkey and LimeSurvey: headers, labels, and unfinished interviews."""

import polars as pl
import pytest
import xlsxwriter

from semscale.errors import EmptyTableError, InputError
from semscale.spelling import hint, with_hints
from semscale.store.exports import survey_header
from semscale.store.exports.limesurvey import is_limesurvey, limesurvey_columns
from semscale.store.exports.qualtrics import header_rows
from semscale.store.exports.surveymonkey import is_surveymonkey, surveymonkey_columns
from semscale.store.exports.unfinished import with_unfinished_counted
from semscale.store.expressions import filter_table
from semscale.store.reading import open_table

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
        f"{path.name} is an export of SurveyMonkey: its second row belongs to the header"
        + hint("; `header='plain'` reads the file as it is"),
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
    assert "is an export of LimeSurvey; questions with several columns: 1;" in with_hints(table.notes[0])
    assert {table.labels[column].question for column in ("d[SQ001]", "d[SQ002]")} == {"d"}


def test_questions_of_qualtrics_are_known_by_their_ids():
    ids = [
        '{"ImportId":"QID1_TEXT"}',
        '{"ImportId":"QID2","choiceId":"1"}',
        '{"ImportId":"QID2","choiceId":"2"}',
    ]
    texts = ["Why?", "Which? - Tea", "Which? - Coffee"]
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


@pytest.mark.exhaustive
def test_other_sheets_are_listed_and_the_nearest_is_proposed(tmp_path):
    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(path) as book:
        for title in ("Wave 1", "Wave 2"):
            sheet = book.add_worksheet(title)
            sheet.write_row(0, 0, ["id", "text"])
            sheet.write_row(1, 0, [1, title])
    assert open_table(path).notes == (
        f"{path}: sheet 'Wave 1' was read" + hint("; `sheet` reads another one: Wave 2"),
    )
    assert open_table(path, sheet="Wave 2").notes == ()
    with pytest.raises(
        InputError, match=r"no sheet 'wave 2'; did you mean 'Wave 2'\? sheets: Wave 1, Wave 2"
    ):
        open_table(path, sheet="wave 2")


QUESTIONS = ["Start Date", "How was your stay?\nPlease be frank."]
IDS = ['{"ImportId":"startDate","timeZone":"America/Denver"}', '{"ImportId":"QID1_TEXT"}']
RESPONSES = [["2026-01-02", "Lovely."], ["2026-01-03", 'The {"ImportId"} of my room was odd.']]


def as_csv(path, rows):
    quoted = (",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows)
    path.write_text("day,Q1\n" + "\n".join(quoted) + "\n")


def as_xlsx(path, rows):
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for index, row in enumerate([["day", "Q1"], *rows]):
            sheet.write_row(index, 0, row)


WRITERS = {"answers.csv": as_csv, "answers.xlsx": as_xlsx}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize(("more", "message"), [([QUESTIONS, IDS], "2 rows belong"), ([IDS], "1 row belongs")])
@pytest.mark.exhaustive
def test_header_rows_are_no_answers_and_a_note_says_so(tmp_path, name, more, message):
    WRITERS[name](tmp_path / name, [*more, *RESPONSES])
    table = open_table(tmp_path / name)
    assert f"{name} is an export of Qualtrics: {message} to the header below the names" in table.notes[0]
    assert pl.concat(table.batches(1)).rows() == [tuple(row) for row in RESPONSES]
    assert [batch["Q1"][0] for batch in table.batches(1, 1)] == [RESPONSES[1][1]]
    (texts,) = table.batches_with({"Q1"}, 10)
    assert texts["Q1"].to_list() == [row[1] for row in RESPONSES]


@pytest.mark.parametrize("name", WRITERS)
def test_a_header_without_answers_has_no_rows(tmp_path, name):
    WRITERS[name](tmp_path / name, [QUESTIONS, IDS])
    with pytest.raises(EmptyTableError, match="has a header but no rows"):
        open_table(tmp_path / name)


def test_an_answer_that_quotes_an_id_is_an_answer():
    assert header_rows(["id", "Q1"], [["1", '{"ImportId":"QID1_TEXT"}'], ["2", "fine"]]) == 0


def test_rows_of_nothing_are_no_header():
    assert header_rows(["id", "Q1"], [[None, ""], [None, None]]) == 0


def test_qualtrics_header_rows_are_recognized_by_its_system_columns():
    names = ["StartDate", "ResponseId", "Q1"]
    assert (
        header_rows(names, [["Start Date", "Response ID", "How was it?"], ["2026-01-02", "R_1", "ok"]]) == 1
    )
    assert header_rows(names, [["2026-01-02", "R_1", "Response ID"]]) == 0
    assert header_rows(names, []) == 0


NAMES = ["Respondent ID", "Collector ID", "Which do you drink?", "", "", "Why?", "Why?"]
ANSWERS = ["", "", "Tea", "Coffee", "Other (please specify)", "Open-Ended Response", "Open-Ended Response"]


def test_surveymonkey_export_is_recognized_by_its_system_columns():
    assert is_surveymonkey(NAMES, [ANSWERS])
    assert is_surveymonkey(["respondent_id", "collector_id", "q1"], [[None, None, "Response"]])
    assert not is_surveymonkey(NAMES, [["118", "42", "Tea", "", "", "so", "so"]])  # an answer stands there
    assert not is_surveymonkey(["Respondent ID", "q1"], [["", "Response"]])
    assert not is_surveymonkey(NAMES, [])


def test_a_question_of_several_columns_is_named_with_its_answers():
    columns, labels = surveymonkey_columns(NAMES, ANSWERS)
    assert columns == [
        "Respondent ID", "Collector ID", "Which do you drink?: Tea", "Which do you drink?: Coffee",
        "Which do you drink?: Other (please specify)", "Why?", "Why? (2)",
    ]  # fmt: skip
    tea = labels["Which do you drink?: Tea"]
    assert (tea.question, tea.option) == ("Which do you drink?", "Tea")
    assert labels["Why?"].question == ""


def test_a_comment_beside_an_answer_is_a_text_of_its_own():
    columns, labels = surveymonkey_columns(["How old?", ""], ["Response", "Other (please specify)"])
    assert columns == ["How old?", "How old?: Other (please specify)"]
    assert [(entry.question, entry.is_text) for entry in labels.values()] == [("", False), ("", True)]


CODES = [
    "id",
    "submitdate",
    "lastpage",
    "startlanguage",
    "age",
    "drink[SQ001]",
    "drink[SQ002]",
    "land",
    "land[other]",
]
FULL = [
    "id. Response ID", "submitdate. Date submitted", "lastpage. Last page", "startlanguage. Start language",
    "age. How old are you?", "drink[SQ001]. Which? [Tea]", "drink[SQ002]. Which? [Coffee]",
    "land. Where do you live?", "land[other]. Where do you live? [Other]",
]  # fmt: skip
TEXTS = [
    "Response ID",
    "Date submitted",
    "Last page",
    "Start language",
    "How old?",
    "Which? [Tea]",
    "Which? [Coffee]",
]


@pytest.mark.parametrize("names", [CODES, FULL, TEXTS])
def test_limesurvey_export_is_recognized_by_its_system_columns(names):
    assert is_limesurvey(names)


def test_other_tables_are_none():
    assert not is_limesurvey(["id", "submitdate", "text"])


def test_codes_name_the_columns_and_texts_label_them():
    columns, labels = limesurvey_columns(FULL)
    assert columns == CODES
    assert labels["age"].label == "How old are you?"
    tea = labels["drink[SQ001]"]
    assert (tea.label, tea.question, tea.option) == ("Which?", "drink", "Tea")


def test_a_code_without_text_names_its_part():
    columns, labels = limesurvey_columns(CODES)
    assert columns == CODES
    assert (labels["drink[SQ002]"].question, labels["drink[SQ002]"].option) == ("drink", "SQ002")


def test_other_is_a_value_of_a_single_choice_and_a_text_of_its_own():
    _, labels = limesurvey_columns(CODES)
    assert (labels["land"].question, dict(labels["land"].values)) == ("", {"-oth-": "other"})
    assert (labels["land[other]"].question, labels["land[other]"].is_text) == ("", True)


def test_texts_alone_stay_the_names():
    columns, labels = limesurvey_columns(TEXTS)
    assert columns == TEXTS
    assert (labels["Which? [Tea]"].question, labels["Which? [Tea]"].option) == ("Which?", "Tea")


def test_codes_that_are_not_unique_leave_the_names_as_they_are():
    names = ["a. Why?", "a. Why not?"]
    assert limesurvey_columns(names)[0] == names


@pytest.fixture
def opened(tmp_path):
    def write(text):
        (tmp_path / "answers.csv").write_text(text)
        return open_table(tmp_path / "answers.csv")

    return write


def counted(table):
    return [
        note.partition(" and treated")[0] for note in with_unfinished_counted(table).notes[len(table.notes) :]
    ]


def test_previews_of_qualtrics_and_people_who_broke_off_are_counted(opened):
    table = opened(
        "ResponseId,Status,Finished,Q1\nR_1,Survey Preview,True,a\nR_2,Survey Preview,True,a\n"
        "R_3,IP Address,False,\nR_4,IP Address,True,b\n"
    )
    assert counted(table) == ["2 rows are of a preview", "1 row is not finished"]
    notes = with_unfinished_counted(table).notes
    assert "`where=\"Status <> 'Survey Preview'\"` leaves such rows out" in notes[0]
    assert counted(filter_table(table, "Status <> 'Survey Preview' and Finished != 'False'")) == []


def test_codes_of_qualtrics_are_read(opened):
    assert counted(opened("ResponseId,Status,Finished\nR_1,1,1\nR_2,0,1\nR_3,8,0\n")) == [
        "1 row is of a preview", "1 row is marked as spam", "1 row is not finished",
    ]  # fmt: skip


def test_rows_of_limesurvey_without_a_date_of_submission_are_counted(opened):
    table = opened("id,submitdate,lastpage,Q1\n1,,1,a\n2,2026-01-02,3,b\n3,,2,\n")
    assert counted(table) == ["2 rows are not finished"]
    assert '`where="submitdate IS NOT NULL"`' in with_unfinished_counted(table).notes[-1]
    table = opened("Response ID,Date submitted,Last page,Q1\n1,,1,a\n2,2026-01-02,3,b\n")
    assert """`where='"Date submitted" IS NOT NULL'`""" in with_unfinished_counted(table).notes[-1]
    assert len(next(filter_table(table, '"Date submitted" IS NOT NULL').batches(9))) == 1


def test_other_tables_stay_as_they_are(opened):
    table = opened("id,Status,Finished\n1,1,0\n")
    assert with_unfinished_counted(table) is table


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("id,Which?,\n,Tea,Coffee\n1,x,\n", ("id", "Which?: Tea", "Which?: Coffee")),
        ("Which?,Which?\nTea,Coffee\n1,0\n", ("Which?: Tea", "Which?: Coffee")),
        ("id;Which?;;Age\n;Tea;Coffee;\n1;x;;30\n", ("id", "Which?: Tea", "Which?: Coffee", "Age")),
    ],
)
def test_a_header_in_two_rows_is_read_with_a_note(opened, text, columns):
    table = opened(text)
    assert (table.columns, table.export) == (columns, "")
    assert "its second row belongs to the header" in table.notes[0]
    assert len(next(table.batches(9))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "id,comment,\n1,good,x\n2,bad,y\n",  # a column without a name, and answers in the first row
        "name,comment,,\nAnn,good,x,y\nBob,bad,x,z\n",
        "id,a,\n,1,2\n1,3,4\n",  # numbers are no options
    ],
)
def test_columns_without_names_are_no_header_in_two_rows(opened, text):
    assert len(next(opened(text).batches(9))) == 2
