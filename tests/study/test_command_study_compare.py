"""``semscale study compare``."""

import json
from pathlib import Path

import polars as pl
import pytest
from tests.schema_check import check_json
from tests.study.simulated_answers import panel_result, people_table

from semscale.stats.intervals import IntervalPlan
from semscale.study import read_study

EXAMPLE = Path(__file__).parents[2] / "examples" / "study" / "beside_people"
COMMAND = ("study", "compare", "run", "people.csv", "--concept", "shown", "--splits", "50")


@pytest.fixture
def written(tmp_path):
    """Write a panel's run, and a table of people."""
    panel_result().save(tmp_path / "run", plan=IntervalPlan(replicates=100))
    people_table().write_csv(tmp_path / "people.csv")


def test_conclusions_are_printed_and_a_report_is_written(written, semscale, tmp_path):
    ended = semscale(*COMMAND, "--by", "age", "--weight", "w", "--respondent", "who", "--report", "r.html")
    assert ended.code == 0
    assert "is better than chance on order of concepts" in ended.out
    assert "How many people" in (tmp_path / "r.html").read_text(encoding="utf-8")


@pytest.mark.exhaustive
def test_json_keeps_to_the_schema(written, semscale):
    ended = semscale(*COMMAND, "--by", "age", "--respondent", "who", "--json")
    check_json(ended.out)
    content = json.loads(ended.out)
    assert (content["people"], content["rows"], len(content["methods"])) == (120, 600, 1)


@pytest.mark.exhaustive
def test_rows_can_be_filtered_and_columns_renamed(written, semscale):
    ended = semscale(*COMMAND, "--where", "age = 'old'", "--question", "intent=liking", "--json")
    content = json.loads(ended.out)
    assert content["rows"] < 600
    assert [entry["name"] for entry in content["questions"]] == ["intent"]


def test_people_are_read_by_the_description_of_their_survey(written, semscale, tmp_path):
    people = pl.read_csv(tmp_path / "people.csv").with_row_index()
    plain = people.with_columns(intent=pl.when(pl.col("index") >= 5).then("intent")).drop("liking", "index")
    plain.write_csv(tmp_path / "people.csv")
    expected = json.loads(semscale(*COMMAND, "--by", "age", "--respondent", "who", "--json").out)
    coded = plain.select(
        "who",
        "shown",
        a1=pl.when(pl.col("age") == "old").then(1).otherwise(2),
        q1=pl.col("intent").fill_null(99),
    )
    coded.write_csv(tmp_path / "people.csv")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n"
        "- {name: intent, kind: scale, columns: q1, missing: {99: don't know}}\n"
        "- name: age\n  kind: single\n  columns: a1\n"
        "  values: [{value: 1, label: old}, {value: 2, label: young}]\n"
    )
    ended = semscale(*COMMAND, "--by", "age", "--respondent", "who", "--json")
    assert ended.code == 0, ended.err
    assert json.loads(ended.out)["results"] == expected["results"]


def test_a_wrong_answer_is_named_by_its_row_in_the_file(written, semscale, tmp_path):
    rows = pl.read_csv(tmp_path / "people.csv", infer_schema=False).with_columns(kept=pl.lit("1"))
    rows[0, "kept"], rows[4, "intent"] = "0", "perhaps"
    rows.write_csv(tmp_path / "people.csv")
    ended = semscale(*COMMAND, "--where", "kept = 1")
    assert ended.code == 2
    assert "column 'intent' has 'perhaps' in data row 5: neither" in ended.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--question", "intent"), "--question must be NAME=COLUMN, got 'intent'"),
        (("--question", "intend=intent"), "did you mean 'intent'?"),
        (("--by", "age", "--by", "age"), "--by must name each once, got 'age' twice"),
        (("--method", "ssr"), "method with a rating"),
        (("--human-range", "2", "3"), "--human-range must contain"),
    ],
)
def test_mistakes_print_a_single_line(written, semscale, more, message):
    ended = semscale(*COMMAND, *more)
    assert (ended.code, ended.err.count("\n")) == (2, 1)
    assert message in ended.err


def test_the_example_is_a_whole_run():
    kept = read_study(EXAMPLE)
    # 60 personas, six bars, two questions, two methods.
    assert (kept.n_unfinished, kept.answers.height) == (0, 60 * 6 * 2 * 2)


def test_the_example_runs(semscale):
    ended = semscale(
        *("study", "compare", EXAMPLE, EXAMPLE / "people.csv", "--concept", "concept"),
        *("--respondent", "person", "--weight", "weight", "--by", "age", "--json"),
    )
    assert ended.code == 0, ended.err
    answers = {
        method["method"]: {entry["subject"]: entry["holds"] for entry in method["conclusions"]}
        for method in json.loads(ended.out)["methods"]
    }
    assert answers["ssr"]["distributions"] is True
    assert answers["dlr"]["distributions"] is False
