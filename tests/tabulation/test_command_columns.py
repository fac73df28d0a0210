"""``semscale columns``, and the column that ``rate`` takes when none is named."""

import json

import polars as pl
import pytest

from semscale.survey.survey_file import read_survey

TEXTS = ["great food", "bad and slow", "so so in all", "a lovely room"]
SURVEY = "id,age,land,why\n" + "".join(
    f"{n},{age},{land},{text}\n"
    for n, (age, land, text) in enumerate(zip((17, 18, "", 40), ("DE", "AT", "DE", "DE"), TEXTS, strict=True))
)


@pytest.fixture(autouse=True)
def _survey(tmp_path):
    (tmp_path / "survey.csv").write_text(SURVEY)


def test_columns_are_printed_written_and_available_as_json(semscale, tmp_path):
    ended = semscale("columns", "survey.csv", "--out", "columns.csv", "--report", "columns.html")
    assert ended.code == 0, ended.err
    assert "4 rows, 4 columns" in ended.out
    assert "why     open text" in ended.out
    content = json.loads(semscale("columns", "survey.csv", "--json").out)
    assert [(column["name"], column["taken_for"]) for column in content["columns"]] == [
        ("id", "id"), ("age", "number"), ("land", "single choice"), ("why", "open text"),
    ]  # fmt: skip
    assert content["columns"][2]["values"] == [
        {"value": "DE", "label": "", "count": 3}, {"value": "AT", "label": "", "count": 1},
    ]  # fmt: skip
    written = pl.read_csv(tmp_path / "columns.csv")
    assert written.filter(column="land")["value"].to_list() == ["DE", "AT"]
    assert "bad and slow" in (tmp_path / "columns.html").read_text()


def test_rows_can_be_left_out(semscale):
    content = json.loads(semscale("columns", "survey.csv", "--where", "age >= 18", "--json").out)
    assert content["rows"] == 2
    assert content["cautions"][0].startswith("2 of 4 rows meet 'age >= 18'")


def test_rate_takes_the_only_open_text_and_says_so(semscale):
    ended = semscale("rate", "survey.csv", "--scale", "quality", "--floor", "none")
    assert ended.code == 0, ended.err
    assert "4 of 4 rows were scored" in ended.out
    assert "text: 'why' was rated, the only column that looks like open texts" in ended.out


def test_rate_without_an_open_text_asks_for_a_text_column(semscale, tmp_path):
    (tmp_path / "numbers.csv").write_text("id,age\n1,20\n2,30\n")
    ended = semscale("rate", "numbers.csv", "--scale", "quality")
    assert (ended.code, ended.out) == (2, "")
    assert "no column of numbers.csv looks like open texts" in ended.err
    ended = semscale("rate", "-", "--scale", "quality")
    assert ended.code == 2
    assert "--text is needed with standard input" in ended.err


def test_an_output_that_is_the_input_is_refused(semscale):
    ended = semscale("columns", "survey.csv", "--out", "survey.csv")
    assert ended.code == 2
    assert "out must not be the input" in ended.err


OPTIONS = "b_tea,b_coffee,score,why\n" + "".join(
    f"{tea},{coffee},{score},{text}\n"
    for tea, coffee, score, text in zip(
        ("Yes", "No", "N/A", "Yes"), ("No", "No", "Yes", "No"), (1, 2, 5, 99), TEXTS, strict=True
    )
)


@pytest.fixture
def described(semscale, tmp_path):
    (tmp_path / "drinks.csv").write_text(OPTIONS)
    ended = semscale("columns", "drinks.csv", "--out", "survey.yaml")
    assert ended.code == 0, ended.err
    return tmp_path / "survey.yaml"


def test_a_description_of_the_questions_is_written(described):
    drinks = read_survey(described).question("b")
    assert (drinks.kind, drinks.all_columns) == ("multiple", ("b_tea", "b_coffee"))
    assert (drinks.chosen, drinks.not_chosen, drinks.missing) == (("Yes",), ("No",), {"N/A": "not asked"})


def test_entries_and_comments_stay_and_columns_are_added_and_removed(described, semscale, tmp_path):
    text = described.read_text().replace("- name: score", "- name: score  # mine\n    title: Points")
    described.write_text(text)
    (tmp_path / "drinks.csv").write_text("b_tea,score,age\nYes,1,20\nNo,2,30\n")
    ended = semscale("columns", "drinks.csv", "--out", "survey.yaml")
    assert ended.code == 0, ended.err
    assert "lacks: b_coffee, why" in ended.out
    assert "not described yet: age" in ended.out
    survey = read_survey(described)
    assert survey.question("score").title == "Points"
    assert survey.columns == ("b_tea", "score", "age")
    assert "# mine" in described.read_text()


def test_a_description_of_another_file_is_not_overwritten(described, semscale, tmp_path):
    before = described.read_bytes()
    (tmp_path / "other.csv").write_text("x,y\n1,2\n")
    ended = semscale("columns", "other.csv", "--out", "survey.yaml")
    assert ended.code == 2
    assert "describes none of the columns of other.csv" in ended.err
    assert described.read_bytes() == before


def test_a_description_beside_the_table_is_read_and_reported(described, semscale, tmp_path):
    described.write_text(described.read_text().replace("kind: numeric", "kind: single"))
    content = json.loads(semscale("columns", "drinks.csv", "--json").out)
    kinds = {question["name"]: question["kind"] for question in content["survey"]["questions"]}
    assert kinds["b"] == "multiple"
    assert any("questions are described in survey.yaml" in caution for caution in content["cautions"])
    (tmp_path / "other.csv").write_text("x,y\n1,2\n")
    ended = semscale("columns", "other.csv")
    assert ended.code == 0, ended.err
    assert "survey.yaml was not read: it describes another file" in ended.out
    assert "described in" not in semscale("columns", "drinks.csv", "--survey", "none").out


def test_a_stated_description_must_describe_the_table(described, semscale, tmp_path):
    (tmp_path / "other.csv").write_text("x,y\n1,2\n")
    ended = semscale("columns", "other.csv", "--survey", "survey.yaml")
    assert ended.code == 2
    assert "'survey.yaml', line 6: other.csv has no column 'b_tea'" in ended.err


def test_a_file_of_that_name_that_is_no_description_is_left_aside(semscale, tmp_path):
    (tmp_path / "survey.yaml").write_text("concept: tea\n")
    ended = semscale("columns", "survey.csv")
    assert ended.code == 0, ended.err
    assert "survey.yaml was not read: it has no line 'survey: 1'" in ended.out


def test_marks_without_a_meaning_need_a_decision(semscale, tmp_path):
    (tmp_path / "codes.csv").write_text("brand_a,brand_b\n1,2\n2,2\n1,1\n")
    content = json.loads(semscale("columns", "codes.csv", "--json").out)
    assert [decision["question"] for decision in content["decisions"]] == ["brand"]
    assert all("1 and 2 have no labels" in decision["reason"] for decision in content["decisions"])


def test_rate_reads_names_labels_and_codes_of_a_description(semscale, tmp_path):
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n"
        "- {name: Reason, kind: open, columns: why, missing: {bad and slow: refused}}\n"
        "- {name: Home, kind: single, columns: land, values: [{value: DE, label: Germany}]}\n"
    )
    ended = semscale(
        "rate", "survey.csv", "--text", "Reason", "--by", "Home", "--scale", "quality", "--floor", "none"
    )
    assert ended.code == 0, ended.err
    assert "3 of 4 rows were scored" in ended.out
    assert "Germany" in ended.out


def test_a_link_to_another_folder_and_a_path_outside_the_project_are_not_read(semscale, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "a.yaml").write_text("survey: 1\nquestions: []\n")
    (tmp_path / "survey.yaml").symlink_to(elsewhere / "a.yaml")
    assert "survey.yaml was not read: it is a link to another folder" in semscale("columns", "survey.csv").out
    (tmp_path / "semscale.toml").write_text('survey = "../survey.yaml"\n')
    ended = semscale("columns", "survey.csv")
    assert ended.code == 2
    assert "survey must be a file in the folder of this one" in ended.err


def test_the_description_of_a_project_is_read(described, semscale, tmp_path):
    described.rename(tmp_path / "drinks.yaml")
    (tmp_path / "semscale.toml").write_text('survey = "drinks.yaml"\n')
    ended = semscale("columns", "drinks.csv")
    assert ended.code == 0, ended.err
    assert "drinks.yaml" in ended.out


def test_the_page_names_questions_and_lists_answers_in_their_order_with_labels(semscale, tmp_path):
    (tmp_path / "stays.csv").write_text("q1\n" + "a\n" * 3 + "b\n" * 5 + "c\n")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n  - name: Stay\n    kind: single\n    columns: q1\n    title: Kind of stay\n"
        "    values: [{value: c, label: Business}, {value: a, label: Leisure}, {value: b, label: Both}]\n"
    )
    ended = semscale("columns", "stays.csv", "--report", "columns.html")
    assert ended.code == 0, ended.err
    page = (tmp_path / "columns.html").read_text()
    answers = page.partition('<section id="values">')[2].partition("</section>")[0]
    assert "Kind of stay (q1)" in answers
    assert answers.index("Business") < answers.index("Leisure") < answers.index("Both")


def test_questions_that_need_a_decision_come_first(semscale, tmp_path):
    rows = "".join(f"{n},{n % 2 + 1},{n // 2 % 2 + 1},{n % 5 + 1}\n" for n in range(60))
    (tmp_path / "answers.csv").write_text(f"id,b_a,b_b,q1\n{rows}")
    assert semscale("columns", "answers.csv", "--out", "survey.yaml").code == 0
    path = tmp_path / "survey.yaml"
    path.write_text(path.read_text().replace("name: q1", "name: Mood  # mine"))
    ended = semscale("columns", "answers.csv", "--out", "survey.yaml", "--report", "page.html")
    assert ended.code == 0, ended.err
    first = (
        "Decide first: Mood: answers.csv lacks a column that its entry names: if it is q1, add ‘columns: q1’."
    )
    second = "Decide first: b: 1 and 2 have no labels"
    assert ended.out.index(first) < ended.out.index(second) < ended.out.index("column  type")
    shown = (tmp_path / "page.html").read_text()
    assert shown.index(first) < shown.index(second) < shown.index(">Columns</h2>")
    assert "name: Mood  # mine" in path.read_text()
    # The command that reads the file says what to do, and works once that is done.
    refused = semscale("tables", "answers.csv", "--question", "Mood")
    assert refused.code == 2
    assert "no column 'Mood', which question 'Mood' names" in refused.err
    path.write_text(path.read_text().replace("name: Mood", "columns: q1\n    name: Mood"))
    assert semscale("tables", "answers.csv", "--question", "Mood").code == 0


def test_columns_take_the_order_of_answers_from_the_description(semscale, tmp_path):
    rows = ["Agree", "Disagree", "Neutral"] * 4
    (tmp_path / "mood.csv").write_text("mood\n" + "\n".join(rows) + "\n")
    caution = "‘mood’ is read as a choice without an order"
    described = json.loads(semscale("columns", "mood.csv", "--json").out)
    assert described["survey"]["questions"][0]["kind"] == "scale"
    assert not any(caution in sentence for sentence in described["cautions"])
    (tmp_path / "survey.yaml").write_text("survey: 1\nquestions:\n  - {name: mood, kind: single}\n")
    described = json.loads(semscale("columns", "mood.csv", "--json").out)
    assert any(caution in sentence for sentence in described["cautions"])
