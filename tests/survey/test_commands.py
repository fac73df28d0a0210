"""Every command that reads columns of a survey's table takes them by the description of the survey."""

import json
from pathlib import Path

import polars as pl
import pytest
from tests.support.command_fixtures import JUDGE_ROWS

from semscale.cli.main import main
from semscale.survey.survey_file import read_survey
from semscale.yaml_reading import parse_yaml

# Six answers, of which two are codes for no answer; groups: 2 of Germany, 2 of Austria, one code, one empty.
ROWS = """id,why,again,expected,land,stars
1,great battery,great battery,great battery,DE,5
2,N/A,so so,great battery,DE,4
3,bad price,bad price,bad price,AT,1
4,Refused,bad price,bad price,AT,2
5,great battery,great battery,great battery,99,5
6,bad price,bad price,bad price,,1
"""
SURVEY = """survey: 1
questions:
- {name: Reason, kind: open, columns: why, missing: {n/a: not asked, refused: refused}}
- {name: Second, kind: open, columns: again}
- {name: Known, kind: open, columns: expected}
- name: Home
  kind: single
  columns: land
  values: [{value: DE, label: Germany}, {value: AT, label: Austria}]
  missing: {99: refused}
"""
CODES = """
name: topics
codes:
  - {name: power, definition: battery, examples: [great battery, battery]}
  - {name: price, definition: price, examples: [bad price, price]}
"""
LEFT_OUT = "left out as no answer: ‘N/A’ (1), ‘Refused’ (1) in ‘why’"


@pytest.fixture(autouse=True)
def _files(tmp_path):
    (tmp_path / "answers.csv").write_text(ROWS)
    (tmp_path / "survey.yaml").write_text(SURVEY)
    (tmp_path / "codes.yaml").write_text(CODES)


def _json(semscale, *arguments):
    ended = semscale(*arguments, "--json")
    assert ended.code == 0, ended.err
    return json.loads(ended.out)


RUNS = {
    "rate": ("rate", "answers.csv", "--text", "Reason", "--scale", "quality", "--floor", "none"),
    "match": ("match", "answers.csv", "--prediction", "Reason", "--reference", "Known"),
    "grounding": ("match", "answers.csv", "--prediction", "Reason", "--context", "Known"),
    "consistency": ("consistency", "answers.csv", "--answer", "Reason", "--sample", "Second"),
}


@pytest.mark.parametrize("command", RUNS)
def test_runs_leave_out_codes_and_name_groups_by_labels(semscale, command):
    content = _json(semscale, *RUNS[command], "--by", "Home", "--signature")
    assert content["counts"] == {"scored": 4, "missing": 2}
    assert any(LEFT_OUT in caution for caution in content["cautions"])
    assert "no-answer:why=n/a+refused;land" in content["signature"]
    text = json.dumps(content)
    assert "Germany" in text
    assert "Austria" in text
    assert '"99"' not in text


def test_a_cell_that_is_left_out_stays_in_the_written_table(semscale, tmp_path):
    ended = semscale(*RUNS["rate"], "--out", "rated.csv")
    assert ended.code == 0, ended.err
    written = pl.read_csv(tmp_path / "rated.csv")
    assert written["why"].to_list()[1::2] == ["N/A", "Refused", "bad price"]
    assert written["semscale_status"].to_list() == [
        "scored", "missing", "scored", "missing", "scored", "scored",
    ]  # fmt: skip


def test_without_the_description_codes_are_texts(semscale):
    arguments = [{"Reason": "why"}.get(word, word) for word in RUNS["rate"]]
    assert _json(semscale, *arguments, "--survey", "none")["counts"] == {"scored": 6}


def test_code_and_its_comparison_with_another_run_leave_out_codes(semscale):
    arguments = ("code", "answers.csv", "--text", "Reason", "--codebook", "codes.yaml", "--by", "Home")
    content = _json(semscale, *arguments, "--out", "first.csv")
    assert content["outcomes"]["no-answer"] == 2
    assert any(LEFT_OUT in caution for caution in content["cautions"])
    again = _json(semscale, *arguments, "--other-run", "first.csv")
    assert again["outcomes"] == content["outcomes"]


def test_forecasts_count_codes_as_missing(semscale, tmp_path, monkeypatch):
    monkeypatch.setenv("SEMSCALE_LEDGER", str(tmp_path / "ledger.sqlite"))
    model = ("--chat-model", "gpt-5-mini", "--dry-run")
    code = ("code", "answers.csv", "--text", "Reason", "--codebook", "codes.yaml", *model)
    assert "4 of 6 answers were included; left out: 2 missing" in " ".join(semscale(*code).out.split())
    ask = ("consistency", "answers.csv", "--prompt", "Reason", "--ask", 2, *model)
    assert "4 of 6 prompts were included; left out: 2 missing" in " ".join(semscale(*ask).out.split())
    judge = ("judge", "answers.csv", "--prompt", "Known", "--answer", "Reason", *model)
    assert "4 of 6 rows were included; left out: 2 missing" in " ".join(semscale(*judge).out.split())
    compare = ("judge", "compare", "answers.csv", "--prompt", "Known", "--a", "Reason", "--b", "Second")
    ended = semscale(*compare, *model)
    assert "left out: 2 missing" in " ".join(ended.out.split()), ended.err


def test_a_sheet_to_rate_has_no_codes(semscale, tmp_path):
    arguments = ("label", "answers.csv", "--text", "Reason", "--scale", "quality", "--out", "sheet.csv")
    ended = semscale(*arguments, "--floor", "none")
    assert ended.code == 0, ended.err
    assert "questions are described in survey.yaml" in ended.err
    drawn = pl.read_csv(tmp_path / "sheet.csv")
    assert sorted(drawn["row"].to_list()) == [1, 3, 5, 6]
    assert "Reason" in (tmp_path / "sheet-instructions.md").read_text()


def test_a_sheet_to_code_draws_no_codes(semscale, tmp_path):
    arguments = ("label", "answers.csv", "--text", "Reason", "--codebook", "codes.yaml", "--out", "sheet.csv")
    ended = semscale(*arguments)
    assert ended.code == 0, ended.err
    drawn = pl.read_csv(tmp_path / "sheet.csv").drop_nulls("inclusion")
    assert sorted(drawn["id"].to_list()) == [1, 3, 5, 6]


def test_calibrate_reads_names_and_leaves_out_codes(semscale, tmp_path):
    rows = [f"{n},battery number {n},{n % 5 + 1},{('DE', 'AT', 'CH')[n % 3]}" for n in range(40)]
    rows += ["40,N/A,3,DE", "41,n/a,3,AT"]
    (tmp_path / "labelled.csv").write_text("\n".join(["id,why,human,land", *rows]) + "\n")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: Reason, kind: open, columns: why, missing: [n/a]}\n"
        "- {name: Stars, kind: scale, columns: human}\n- {name: Home, kind: single, columns: land}\n"
    )
    arguments = ("calibrate", "labelled.csv", "--text", "Reason", "--human", "Stars", "--by", "Home")
    ended = semscale(*arguments, "--scale", "quality", "--floor", "none", "--out", "cal.json")
    assert ended.code == 0, ended.err
    assert "questions are described in survey.yaml" in ended.err
    assert json.loads((tmp_path / "cal.json").read_text())["labels"]["n"] == 40


def test_suggest_leaves_out_codes_of_the_description_and_of_missing(semscale, tmp_path):
    texts = [f"{word} {n}" for word in ("battery", "price", "screen") for n in range(20)]
    texts += ["N/A"] * 5 + ["-99"] * 3
    (tmp_path / "answers.csv").write_text("why\n" + "\n".join(texts) + "\n")
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: Reason, kind: open, columns: why, missing: {n/a: not asked}}\n"
    )
    arguments = ("code", "suggest", "answers.csv", "--text", "Reason", "--codebook", "new.yaml")
    content = _json(semscale, *arguments, "--missing", "-99", "--missing", "-98")
    assert content["counts"] == {"scored": 60, "missing": 8}
    notes = " ".join(content["cautions"])
    assert "left out as no answer: ‘N/A’ (5), ‘-99’ (3) in ‘why’" in notes
    assert "No text of ‘why’ is the code -98 for no answer: check its spelling (--missing)." in notes


@pytest.mark.needs("api")
def test_judge_leaves_out_codes(judge_command, tmp_path, capsys):
    assert JUDGE_ROWS[4]["a"] == "Say nothing."
    (tmp_path / "survey.yaml").write_text(
        "survey: 1\nquestions:\n- {name: Answer, kind: open, columns: a, missing: [say nothing.]}\n"
        "- {name: Question, kind: open, columns: q}\n"
    )
    arguments = [{"q": "Question", "a": "Answer"}.get(word, word) for word in judge_command("--json")]
    assert main(arguments) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["counts"] == {"scored": 3, "missing": 2}


def test_the_description_of_a_project_is_read_by_all(semscale, tmp_path):
    (tmp_path / "survey.yaml").rename(tmp_path / "questions.yaml")
    (tmp_path / "semscale.toml").write_text('survey = "questions.yaml"\n')
    for arguments in RUNS.values():
        assert _json(semscale, *arguments)["counts"] == {"scored": 4, "missing": 2}


def test_several_rows_per_respondent_are_hinted_at(semscale, tmp_path):
    rows = "".join(f"{n // 2},great battery,{n % 3}\n" for n in range(12))
    (tmp_path / "rows.csv").write_text(f"person_id,why,q\n{rows}")
    hint = "‘person_id’ has 6 respondents in 12 rows"
    rate = ("rate", "rows.csv", "--text", "why", "--scale", "quality", "--floor", "none")
    out = " ".join(semscale(*rate).out.split())
    assert f"{hint}, which are taken for independent ones: --respondent person_id gives" in out
    assert hint not in " ".join(semscale(*rate, "--respondent", "person_id").out.split())
    tables = ("tables", "rows.csv", "--question", "q")
    out = " ".join(semscale(*tables).out.split())
    assert f"{hint}, and each row counts as a respondent: --cluster person_id gives" in out
    assert hint not in " ".join(semscale(*tables, "--cluster", "person_id").out.split())
    # One row per respondent, and ids of products, say nothing.
    (tmp_path / "rows.csv").write_text("person_id,product_id,why\n1,1,great battery\n2,1,bad price\n")
    assert "respondents in" not in semscale(*rate).out


def test_codes_that_no_cell_has_are_reported_with_the_columns_that_were_searched(semscale, tmp_path):
    (tmp_path / "codes.csv").write_text("a,b,c\n1,98,1\n2,1,2\n1,2,3\n2,3,1\n3,3,2\n")
    asked = ("tables", "codes.csv", "--question", "a", "--question", "b")
    out = " ".join(semscale(*asked, "--missing", "97,98", "--survey", "none").out.split())
    assert "no cell of ‘a’, ‘b’ has the code ‘97’ for no answer: check its spelling (--missing)" in out
    out = " ".join(semscale(*asked, "--missing", "a=98", "--survey", "none").out.split())
    assert "no cell of ‘a’ has the code ‘98’ for no answer" in out


def test_a_description_derives_columns_and_states_which_rows_count(semscale):
    survey = SURVEY + "- {name: Loyal, kind: single, columns: loyal}\n"
    survey = survey.replace("questions:", "derive: {loyal: stars >= 4}\nwhere: stars > 1\nquestions:", 1)
    Path("survey.yaml").write_text(survey)
    tables = _json(semscale, "tables", "answers.csv", "--question", "Home", "--banner", "Loyal")
    # Rows 1, 2, 4 and 5 have more than one star; the code 99 of row 5 is no answer.
    (table,) = tables["tables"]
    assert [(column["name"], column["n"]) for column in table["columns"]] == [
        ("Total", 3),
        ("false", 1),
        ("true", 2),
    ]
    assert tables["rows"] == 4


def test_a_new_description_keeps_the_columns_that_the_old_one_derives(semscale):
    survey = SURVEY + "- {name: Loyal, kind: single, columns: loyal}\n"
    Path("survey.yaml").write_text(survey.replace("questions:", "derive: {loyal: stars >= 4}\nquestions:", 1))
    ended = semscale("columns", "answers.csv", "--out", "survey.yaml")
    assert ended.code == 0, ended.err
    written = read_survey("survey.yaml")
    assert written.derive == {"loyal": "stars >= 4"}
    assert written.question("Loyal").columns == ("loyal",)


def test_a_derived_column_that_the_file_has_is_refused(semscale):
    Path("survey.yaml").write_text(SURVEY.replace("questions:", "derive: {id: stars}\nquestions:", 1))
    ended = semscale("tables", "answers.csv", "--question", "Home")
    assert (ended.code, "has a column 'id' already" in ended.err) == (2, True)


def test_a_file_is_read_as_the_description_beside_it_states(semscale):
    Path("two.csv").write_text("A title;;\nname;stars;note\na;5;x\nb;1;y\n")
    reading = "file: two.csv\nreading: {header_row: 2}\nquestions:\n- {name: stars, kind: scale}\n"
    Path("survey.yaml").write_text("survey: 1\n" + reading)
    columns = _json(semscale, "columns", "two.csv")
    assert [column["name"] for column in columns["columns"]] == ["name", "stars", "note"]
    # A setting of the command line replaces all of them.
    ended = semscale("columns", "two.csv", "--header-row", "3", "--survey", "none", "--json")
    assert [column["name"] for column in json.loads(ended.out)["columns"]] == ["a", "5", "x"]


def test_a_command_parses_the_description_beside_its_file_once(semscale, monkeypatch):
    contents = []

    def parse(content, **settings):
        contents.append(content)
        return parse_yaml(content, **settings)

    monkeypatch.setattr("semscale.survey.survey_file.parse_yaml", parse)
    Path("two.csv").write_text("A title;;\nname;stars;note\na;5;x\nb;1;y\n")
    reading = "file: two.csv\nreading: {header_row: 2}\nquestions:\n- {name: note, kind: ignore}\n"
    Path("survey.yaml").write_text("survey: 1\n" + reading)
    # The command reads it for the header, for the entries to keep, and to write it with its comments.
    assert semscale("columns", "two.csv", "--out", "survey.yaml").code == 0
    assert len(contents) == 1


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("where: agee > 3", "where: a.csv has no column 'agee'"),
        ("where: age > 300", "where: no rows are left"),
        ("derive: {z: 'upper(txt'}", "derive: 'upper(txt' is no SQL expression"),
        (
            "where: regexp_like(txt, '(a{1000}){1000}')",
            "where: \"regexp_like(txt, '(a{1000}){1000}')\" does not",
        ),
    ],
)
def test_a_mistake_in_an_expression_names_the_file_and_the_line(semscale, tmp_path, entry, message):
    (tmp_path / "a.csv").write_text("age,txt,g\n20,one,x\n30,two,y\n")
    entries = f"survey: 1\n{entry}\nquestions:\n- {{name: g, kind: single}}\n"
    (tmp_path / "survey.yaml").write_text(entries)
    ended = semscale("tables", "a.csv", "--question", "g")
    assert ended.code == 2
    assert f"'survey.yaml', line 2: {message}" in ended.err


def test_expressions_read_codes_for_no_answer_as_empty_cells(semscale, tmp_path):
    # Ages 20 and 40, and two codes, which belong to no bracket unless the expression names the code.
    (tmp_path / "a.csv").write_text("age,g\n20,x\n-99,x\n40,y\n-99,y\n")
    entries = "questions:\n- {name: age, kind: numeric, missing: ['-99']}\n- {name: old, kind: single}\n"
    for text, base in (("age >= 30", 2), ("age >= 30 or age = -99", 4)):
        (tmp_path / "survey.yaml").write_text(f"survey: 1\nderive: {{old: {text}}}\n{entries}")
        ended = semscale("tables", "a.csv", "--question", "old", "--json")
        assert ended.code == 0, ended.err
        assert json.loads(ended.out)["tables"][0]["columns"][0]["n"] == base
    (tmp_path / "survey.yaml").write_text(
        f"survey: 1\nwhere: age < 30\n{entries.partition('- {name: old')[0]}"
    )
    ended = semscale("tables", "a.csv", "--question", "g", "--json")
    assert "1 of 4 rows meet 'age < 30'" in ended.out
