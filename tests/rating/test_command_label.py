"""``semscale label`` draws a sheet."""

import csv
import json
import shlex
from pathlib import Path

import polars as pl
import pytest

from semscale.cli.label import code_notes, number_notes
from semscale.coding.labels import ExpectedCodes
from semscale.store.reading import open_table
from semscale.store.writing import write_table


@pytest.fixture
def label(semscale, seven_answers):
    def run(*further, out="sheet.csv"):
        arguments = ["--text", "text", "--scale", "quality", "--floor", "none", "--out", out]
        return semscale("label", "answers.csv", *arguments, *further)

    return run


def test_it_draws_texts_that_can_be_read(label, files):
    ended = label("--n", 3)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines()[:3] == [
        "3 drawn of 6 texts that can be read", "sheet: sheet.csv", "instructions: sheet-instructions.md"
    ]  # fmt: skip
    assert "`semscale calibrate` needs 10 labels, and 3 will be too few" in ended.out
    with open("sheet.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    assert all(row["human"] == "" and float(row["inclusion"]) == 0.5 for row in rows)
    assert "5" not in [row["row"] for row in rows]  # the fifth row has no text


def test_the_note_for_few_texts_is_true_for_their_number():
    assert [("whole scale" in " ".join(number_notes(n, n))) for n in (3, 4, 5, 9)] == [
        True,
        True,
        False,
        False,
    ]
    assert number_notes(10, 10) == []
    assert number_notes(1, 1) == [
        "note: `semscale calibrate` needs 10 labels, and 1 will be too few; the mean of `rate --labels` "
        "needs 3, and with 3 or 4 its interval is often the whole scale"
    ]


def test_instructions_leave_out_a_calibration_that_would_fail(label):
    label("--n", 3)
    assert "semscale calibrate" not in Path("sheet-instructions.md").read_text(encoding="utf-8")


def test_more_than_there_are_says_how_many_were_drawn(label, files):
    shown = label("--n", 1000).out
    assert "you asked for 1,000 texts, and only 6 can be read: all of these were drawn" in shown


@pytest.mark.parametrize("out", ["sheet.xlsx", "sheet.jsonl", "sheet.parquet"])
def test_a_sheet_in_every_format(label, files, out):
    assert label("--draw", "unsure", out=out).code == 0
    assert set(files()) >= {out, "sheet-instructions.md"}


@pytest.mark.parametrize(
    ("further", "out", "printed"),
    [
        (["--n", 0], "sheet.csv", "--n must be >= 1"),
        ([], "sheet.pdf", "must end in one of"),
        (["--sheet", "nowhere"], "sheet.csv", "sheet applies to xlsx"),
        (["--seed", -1], "sheet.csv", "seed must"),
    ],
)
def test_bad_input_is_refused(label, files, further, out, printed):
    ended = label(*further, out=out)
    assert ended.code == 2
    assert printed in ended.err
    assert ended.err.count("\n") == 1
    assert files() == ["answers.csv"]


def test_a_sheet_with_labels_is_not_drawn_over(label, files):
    label("--n", 3)
    assert label("--n", 3).code == 0  # nobody has labelled anything
    sheet = pl.read_csv("sheet.csv").with_columns(human=pl.Series([None, 4, 2]))
    sheet.write_csv("sheet.csv")
    ended = label("--n", 3)
    assert ended.code == 2
    assert "--out: sheet.csv has 2 labels, which would be lost" in ended.err
    assert pl.read_csv("sheet.csv")["human"].to_list() == [None, 4, 2]


def test_a_table_without_rows_has_no_labels_to_lose(label, files):
    Path("sheet.csv").write_text("row,text,human\n")
    assert label("--n", 3).code == 0
    assert len(pl.read_csv("sheet.csv")) == 3


def test_a_file_that_cannot_be_read_is_not_drawn_over(label, files):
    Path("sheet.xlsx").write_bytes(b"half a workbook")
    ended = label("--n", 3, out="sheet.xlsx")
    assert ended.code == 2
    assert "--out: sheet.xlsx is there and cannot be read" in ended.err
    assert Path("sheet.xlsx").read_bytes() == b"half a workbook"


def test_the_input_is_not_drawn_over(label, files):
    assert "--out must not be the input itself, got 'answers.csv'" in label(out="answers.csv").err


ANSWERS = {"I hate it": 1, "it is bad": 2, "neither good nor bad": 3, "it is good": 4, "I love it": 5}
HERE = ["--text", "text", "--scale", "quality", "--floor", "none"]


@pytest.fixture
def forty_answers(tmp_path):
    """Forty texts that say 1 to 5 in turn."""
    table = pl.DataFrame({"text": [f"{list(ANSWERS)[n % 5]}, number {n}" for n in range(40)]})
    table.write_csv(tmp_path / "answers.csv")


def filled(sheet):
    """Label a sheet as its texts say, as a person would."""
    (rows,) = open_table(sheet).batches(100)
    labels = [float(ANSWERS[text.split(", ")[0]]) for text in rows["text"]]
    rows = rows.with_columns(pl.Series("human", labels), pl.col("row", "inclusion").cast(pl.Float64))
    write_table(rows, sheet)
    return rows


@pytest.mark.parametrize(("out", "further"), [("sheet.csv", ["--draw", "unsure"]), ("sheet.xlsx", [])])
@pytest.mark.exhaustive
def test_a_filled_sheet_calibrates_and_corrects_the_mean(semscale, forty_answers, tmp_path, out, further):
    assert semscale("label", "answers.csv", *HERE, "--n", 20, "--out", out, *further).code == 0
    rows = filled(tmp_path / out)
    printed = (tmp_path / "sheet-instructions.md").read_text(encoding="utf-8")
    command = next(line for line in printed.splitlines() if line.startswith("    semscale rate"))
    rated = semscale(*shlex.split(command)[1:], "--json")
    assert rated.err == ""
    compared = json.loads(rated.out)["comparison"]
    weights = 1 / rows["inclusion"].to_numpy()
    assert compared["corrected"]["labels_only"]["value"] == pytest.approx(
        (weights * rows["human"].to_numpy()).sum() / weights.sum(), abs=1e-6
    )
    assert (compared["corrected"]["n_labelled"], compared["corrected"]["n_unlabelled"]) == (20, 20)
    progress, mean = compared["progress"], compared["corrected"]
    assert progress["error"] == pytest.approx((mean["high"] - mean["low"]) / 2)
    assert progress["advice"].endswith(f"the corrected mean is known to ± {progress['error']:.2f}.")
    assert compared["uses_inclusion"]
    assert compared["sheet"] == out
    assert semscale("calibrate", out, *HERE, "--human", "human", "--out", "cal.json").code == 0
    again = semscale("rate", "answers.csv", *HERE, "--calibration", "cal.json", "--labels", out)
    assert again.code == 0
    printed = " ".join(again.out.split())
    assert printed.count("the calibration was fitted to all 20 texts with human ratings") == 1
    assert "Comparison with humans" not in printed


@pytest.mark.exhaustive
def test_the_instructions_name_the_files_as_entered(semscale, forty_answers, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "out of it").mkdir()
    (tmp_path / "answers.csv").rename(tmp_path / "in" / "answers.csv")
    out = "out of it/sheet.csv"
    assert semscale("label", "in/answers.csv", *HERE, "--n", 20, "--out", out).code == 0
    filled(tmp_path / out)
    printed = (tmp_path / "out of it" / "sheet-instructions.md").read_text(encoding="utf-8")
    starts = ("    semscale calibrate ", "    semscale rate ")
    commands = [line for line in printed.splitlines() if line.startswith(starts)]
    assert len(commands) == 2
    for command in commands:
        assert semscale(*shlex.split(command)[1:]).code == 0


def test_a_filled_sheet_can_be_rated(semscale, forty_answers, tmp_path):
    semscale("label", "answers.csv", *HERE, "--n", 20, "--out", "sheet.csv")
    filled(tmp_path / "sheet.csv")
    ended = semscale("rate", "sheet.csv", *HERE, "--human", "human", "--inclusion", "inclusion")
    assert (ended.code, ended.err) == (0, "")


@pytest.mark.parametrize(
    ("further", "printed"),
    [
        (["--labels", "sheet.csv"], "--labels: column 'human' of sheet.csv is empty"),
        (["--labels", "answers.csv"], "--labels: answers.csv has no column 'row'"),
        (["--labels", "gone.csv"], "gone.csv"),
        (["--labels", "sheet.csv", "--human", "text"], "leave out --human and --inclusion"),
        (["--inclusion", "text"], "--inclusion belongs to a column of human ratings"),
        (["--human-range", 1, 5], "--human-range belongs to --human"),
    ],
)
def test_labels_that_cannot_be_used(semscale, forty_answers, further, printed):
    semscale("label", "answers.csv", *HERE, "--n", 20, "--out", "sheet.csv")
    ended = semscale("rate", "answers.csv", *HERE, *further)
    assert ended.code == 2
    assert printed in ended.err
    assert ended.err.count("\n") == 1


def test_codes_with_too_few_answers_are_named_with_a_sufficient_size():
    expected = [
        ExpectedCodes("price", 22.0, 100),
        ExpectedCodes("battery", 4.2, 190),
        ExpectedCodes("screen", 2.2, 350),
        ExpectedCodes("fees", 0.4, None),
    ]
    first, second, third = code_notes(expected, 100)
    assert first.endswith("may have too few of these (forecast): battery 4, screen 2, fees 0")
    assert second == "note: --n 190 will probably be enough for battery"
    assert third.startswith("note: screen, fees would need more than 200 hand-coded answers")
    assert code_notes(expected[:1], 100) == []
