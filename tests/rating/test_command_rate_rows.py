"""Which rows ``semscale rate`` counts, and that it says how many it left out and why."""

import json

import pytest


def test_possible_codes_are_hinted_at_and_left_out_once_they_are_named(rate, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\nNA\n-99\nna\n???\n")
    out = rate().out
    assert "4 of 5 rows were scored; left out: 1 uninformative\n" in out
    assert (
        "hint: 3 rated texts seem to mean “no answer” (2 × NA, 1 × -99); "
        "to leave them out: --missing NA --missing -99\n"
    ) in out
    ended = rate("--missing", "NA", "--missing", "-99", "--signature")
    assert "1 of 5 rows was scored; left out: 3 missing and 1 uninformative\n" in ended.out
    assert "hint" not in ended.out
    assert "|missing:-99+na|" in ended.out
    assert json.loads(rate("--json").out)["possible_codes"] == {"NA": 2, "-99": 1}
    ended = rate("--missing", " ")
    assert (ended.code, ended.out) == (2, "")
    assert "missing must be codes such as 'NA' or '-99', got ' '" in ended.err


def test_a_hyphen_is_a_code_and_codes_that_no_text_has_are_named(rate, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\n-\nNA\n")
    out = " ".join(rate("--missing", "-", "--missing", "NA").out.split())
    assert "1 of 3 rows was scored; left out: 2 missing" in out
    assert "--missing" not in out
    out = " ".join(rate("--missing", "-", "--missing", "n/a", "--missing", "-9").out.split())
    assert "No text of ‘text’ is one of the codes n/a and -9 for no answer: check" in out
    assert "check their spelling (--missing)." in out


def test_an_empty_estimate_is_reported_and_not_shown_as_zero(semscale, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\n")
    ended = semscale("rate", "answers.csv", "--text", "text", "--scale", "quality", "--floor", "1")
    assert ended.code == 0, ended.err
    assert "0 of 1 row was scored; left out: 1 off-topic" in ended.out
    assert "nothing to estimate" in ended.out
    assert "mean" not in ended.out


WEIGHTED = """text,weight,person
great,1,a
bad,2,b
so so,0,a
fine,,a
,1,b
good,1,
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("options", "line"),
    [
        # Five texts, one empty cell.
        ([], "5 of 6 rows were scored; left out: 1 missing"),
        # Of the five texts one has weight 0 and one has none.
        (
            ["--weight", "weight"],
            "3 of 6 rows were scored; left out: 1 with weight 0, 1 without weight and 1 missing",
        ),
        (["--respondent", "person"], "4 of 6 rows were scored; left out: 1 missing and 1 without respondent"),
        # A row with two reasons is counted once.
        (
            ["--weight", "weight", "--respondent", "person"],
            "2 of 6 rows were scored; left out: 1 with weight 0, 1 without weight, 1 missing "
            "and 1 without respondent",
        ),
    ],
)
def test_rows_that_count_and_rows_left_out_are_all_rows(rate, tmp_path, options, line):
    (tmp_path / "answers.csv").write_text(WEIGHTED)
    assert rate(*options).out.splitlines()[2] == line  # below the caution of the toy scale
    result = json.loads(rate(*options, "--json").out)
    overall = result["estimates"]["overall"]
    assert overall["n"] + sum(overall["left_out"].values()) == result["rows"] == 6


def test_a_single_scored_row_is_counted(rate, tmp_path):
    (tmp_path / "answers.csv").write_text("text\ngreat\n")
    assert rate().out.splitlines()[2] == "1 of 1 row was scored"
