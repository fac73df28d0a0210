"""``semscale columns``, and the column that ``rate`` takes when none is named."""

import json

import polars as pl
import pytest

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
