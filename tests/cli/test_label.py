"""``semscale label`` draws a sheet."""

import csv

import pytest


@pytest.fixture
def label(semscale, seven_answers):
    def run(*further, out="sheet.csv"):
        arguments = ["--text", "text", "--scale", "quality", "--floor", "none", "--out", out]
        return semscale("label", "answers.csv", *arguments, *further)

    return run


def test_it_draws_texts_that_have_a_rating(label, files):
    ended = label("--n", 3)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "3 of 6 rated texts drawn", "sheet: sheet.csv", "instructions: sheet-instructions.md"
    ]  # fmt: skip
    with open("sheet.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    assert all(row["human"] == "" and float(row["inclusion"]) == 0.5 for row in rows)
    assert "5" not in [row["row"] for row in rows]  # the fifth row has no text


@pytest.mark.parametrize("out", ["sheet.xlsx", "sheet.jsonl", "sheet.parquet"])
def test_a_sheet_in_every_format(label, files, out):
    assert label("--by-interest", out=out).code == 0
    assert set(files()) >= {out, "sheet-instructions.md"}


@pytest.mark.parametrize(
    ("further", "out", "said"),
    [
        (["--n", 0], "sheet.csv", "--n must be at least 1"),
        ([], "sheet.pdf", "must end in one of"),
        (["--sheet", "nowhere"], "sheet.csv", "sheet applies to xlsx"),
        (["--seed", -1], "sheet.csv", "seed must"),
    ],
)
def test_bad_input_is_refused(label, files, further, out, said):
    ended = label(*further, out=out)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert files() == ["answers.csv"]
