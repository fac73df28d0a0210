"""``semscale calibrate``, and ``rate`` with what it wrote."""

import csv
import json
import shlex
from dataclasses import replace

import pytest

from semscale.rating.calibration import HonestError, load_calibration, save_calibration

WORDS = {"I hate it": 1, "it is bad": 2, "neither good nor bad": 3, "it is good": 4, "I love it": 5}


@pytest.fixture
def labelled(tmp_path, monkeypatch):
    """Forty texts, of which people labelled thirty."""
    monkeypatch.chdir(tmp_path)
    with open("labelled.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "human", "survey"])
        for place in range(40):
            words, score = list(WORDS.items())[place % 5]
            human = "" if place >= 30 else json.dumps([score, max(1, score - 1)])
            rows.writerow([f"{words}, number {place}", human, f"survey {place % 6}"])
    return tmp_path / "labelled.csv"


def calibrate(semscale, *further, out="cal.json", human="human"):
    columns = ["--text", "text", "--human", human]
    arguments = [*columns, "--scale", "quality", "--out", out, "--floor", "none"]
    return semscale("calibrate", "labelled.csv", *arguments, *further)


def rate(semscale, *further, scale="quality"):
    return semscale("rate", "labelled.csv", "--text", "text", "--scale", scale, "--floor", "none", *further)


def test_the_screen_says_what_was_learnt_and_that_it_is_honest(semscale, labelled):
    ended = calibrate(semscale)
    assert (ended.code, ended.err) == (0, "")
    for words in ("30 labelled texts with 60 answers", "ranked probability score", "as rated", "equal shares",
                  "cross-validation", "calibration: cal.json", "signature: "):  # fmt: skip
        assert words in ended.out, words
    assert json.loads((labelled.parent / "cal.json").read_text())["labels"]["n"] == 30


def test_json_has_every_figure(semscale, labelled):
    ended = calibrate(semscale, "--json", "--by", "survey", "--seed", 3)
    found = json.loads(ended.out)
    assert (found["instrument"], found["texts"], found["answers"]) == ("calibrate", 30, 60)
    assert set(found["quality"]) == {"calibrated", "as rated", "equal shares"}
    assert found["calibration"] == "cal.json"
    assert "folds:groups" in found["signature"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("given", "asked"), [([], "e5-small"), (["--embedder", "mine"], "mine")])
def test_label_calibrate_and_rate_ask_for_the_same_model(semscale, labelled, asked_models, given, asked):
    draw = ["--text", "text", "--scale", "quality", "--floor", "none", "--out", "sheet.csv", *given]
    ended = [
        semscale("label", "labelled.csv", *draw),
        calibrate(semscale, *given),
        rate(semscale, "--calibration", "cal.json", *given),
    ]
    assert [one.code for one in ended] == [0, 0, 0]
    assert asked_models == [asked] * 3


def test_the_command_in_a_sheets_instructions_rates_with_the_settings_of_the_draw(
    semscale, labelled, asked_models
):
    settings = [
        "--scale",
        "quality",
        "--floor",
        "none",
        "--temperature",
        0.5,
        "--missing",
        "NA",
        "--missing",
        "-99",
    ]
    model = ["--embedder", "my model", "--no-cache"]
    drawn = ["--n", 30, "--draw", "unsure", "--seed", 7, "--out", "sheet.csv"]
    ended = semscale("label", "labelled.csv", "--text", "text", *settings, *model, *drawn)
    assert (ended.code, ended.err) == (0, "")
    with open("sheet.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    with open("sheet.csv", "w", newline="", encoding="utf-8") as file:
        filled = csv.DictWriter(file, rows[0])
        filled.writeheader()
        filled.writerows({**row, "human": WORDS[row["text"].partition(",")[0]]} for row in rows)
    said = (labelled.parent / "sheet-instructions.md").read_text(encoding="utf-8").splitlines()
    command, _, signature = (line.strip() for line in said if line.startswith("    "))
    assert "|label|texts:30|by_interest:yes|draw_seed:7|scale:quality#" in signature
    assert semscale(*shlex.split(command)[1:]).code == 0
    ratings = json.loads((labelled.parent / "cal.json").read_text())["ratings"]
    assert signature.partition("|scale:")[2] == ratings.partition("|scale:")[2]
    assert asked_models == ["my model"] * 2


@pytest.mark.exhaustive
@pytest.mark.parametrize("report", ["report.html", "report.md", "report.xlsx"])
def test_a_report_in_every_form(semscale, labelled, report):
    assert calibrate(semscale, "--report", report).code == 0
    assert (labelled.parent / report).stat().st_size > 1000


def test_rate_applies_the_file_and_says_so(semscale, labelled):
    calibrate(semscale)
    plain, ended = (
        json.loads(rate(semscale, "--json").out),
        rate(semscale, "--json", "--calibration", "cal.json", "--out", "rated.csv"),
    )
    found = json.loads(ended.out)
    assert plain["calibration"] is None
    assert found["calibration"]["texts"] == 30
    assert found["calibration"]["error"] < found["calibration"]["uncalibrated_error"]
    assert (
        found["estimates"]["overall"]["figures"]["mean"] != plain["estimates"]["overall"]["figures"]["mean"]
    )
    with open("rated.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["semscale_unlike_labels"] == "true" for row in rows) == found["calibration"]["unlike"]
    assert "Calibrated by 30 labelled texts" in rate(semscale, "--calibration", "cal.json").out


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("further", "said"),
    [
        (
            ["--calibration", "cal.json", "--temperature", 2],
            "calibration is for temperature 1, but the ratings have temperature 2",
        ),
        (["--calibration", "none.json"], "none.json cannot be read"),
        (["--calibration", "labelled.csv"], "labelled.csv is not a calibration file, as it is not JSON"),
    ],
)
def test_a_calibration_that_does_not_serve_is_refused_before_anything_is_written(
    semscale, labelled, further, said
):
    calibrate(semscale)
    ended = rate(semscale, "--out", "rated.csv", *further)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1
    assert not (labelled.parent / "rated.csv").exists()


@pytest.mark.exhaustive
def test_a_calibration_for_another_scale_is_refused(semscale, labelled):
    calibrate(semscale)
    ended = rate(semscale, "--calibration", "cal.json", scale="satisfaction")
    assert ended.code == 2
    assert "calibration is for scale quality" in ended.err


@pytest.mark.parametrize(
    ("human", "further", "said"),
    [
        ("nobody", [], "nobody"),
        ("text", [], "must hold numbers"),
        ("human", ["--human-range", 0, 4], "widen the range"),
        ("human", ["--by", "nowhere"], "nowhere"),
        ("human", ["--human-range", 4, 0], "lowest value, then the highest"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(semscale, labelled, human, further, said):
    ended = calibrate(semscale, *further, human=human)
    assert ended.code == 2
    assert said in ended.err
    assert not (labelled.parent / "cal.json").exists()


def test_a_wrong_label_is_named_by_its_row_in_the_file(semscale, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n},it is good {n},{'bad' if n == 9 else 4},0.5" for n in range(1, 13)]
    (tmp_path / "labelled.csv").write_text("row,text,human,inclusion\n" + "\n".join(rows) + "\n")
    ended = calibrate(semscale, "--where", "row > 2")
    assert ended.code == 2
    assert "data row 9 has 'bad'" in ended.err


def test_a_sheet_with_a_row_twice_is_refused(semscale, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n},it is good {n},4,0.5" for n in range(1, 13)] + ["7,it is good 7,2,0.5"]
    (tmp_path / "labelled.csv").write_text("row,text,human,inclusion\n" + "\n".join(rows) + "\n")
    ended = calibrate(semscale)
    assert ended.code == 2
    assert "labelled.csv has a label for data row 7 of the file twice" in ended.err
    assert not (tmp_path / "cal.json").exists()


@pytest.mark.exhaustive
def test_a_sheet_with_decimal_commas_calibrates_as_with_points(semscale, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{n};{words} {n};{score},0;0,5" for n, (words, score) in enumerate([*WORDS.items()] * 4, 1)]
    hashes = []
    note = (
        "semscale: note: labelled.csv has numbers with a decimal comma (human, inclusion): 1,0 is read as 1.0"
    )
    for text, error in (("\n".join(rows), f"{note}\n"), ("\n".join(rows).replace(",", "."), "")):
        (tmp_path / "labelled.csv").write_text("row;text;human;inclusion\n" + text + "\n")
        ended = calibrate(semscale)
        assert (ended.code, ended.err) == (0, error)
        hashes.append(json.loads((tmp_path / "cal.json").read_text())["labels"]["hash"])
    assert hashes[0] == hashes[1]


@pytest.mark.exhaustive
def test_labels_turned_round_and_labels_on_two_points_are_warned_of(semscale, labelled):
    with open("labelled.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))

    def labels(human):
        with open("labelled.csv", "w", newline="", encoding="utf-8") as file:
            written = csv.DictWriter(file, rows[0])
            written.writeheader()
            written.writerows({**row, "human": human(n)} for n, row in enumerate(rows))

    rate(semscale, "--out", "rated.csv")
    with open("rated.csv", newline="", encoding="utf-8") as file:
        means = [float(row["semscale_mean"]) for row in csv.DictReader(file)]
    labels(lambda n: 5 - 4 * sorted(means).index(means[n]) / len(means))
    assert "run against the labels" in " ".join(calibrate(semscale, "--report", "report.md").out.split())
    assert "run against the labels" in (labelled.parent / "report.md").read_text(encoding="utf-8")
    assert "run against the labels" in " ".join(json.loads(calibrate(semscale, "--json").out)["warnings"])
    rated = json.loads(rate(semscale, "--calibration", "cal.json", "--json").out)
    assert "run against the labels" in " ".join(rated["warnings"])
    labels(lambda n: 3 + n % 2)
    found = json.loads(calibrate(semscale, "--json").out)
    assert found["quality"]["calibrated"]["pearson"]["low"] <= 0
    assert "not shown to distinguish texts" in " ".join(found["warnings"])
    assert "lie on only 2 of the scale's 5 points" in " ".join(found["cautions"])


@pytest.mark.exhaustive
def test_a_calibration_that_is_no_clear_gain_warns_wherever_it_is_used(semscale, labelled):
    calibrate(semscale)
    cal = labelled.parent / "cal.json"
    fitted = load_calibration(cal)
    save_calibration(replace(fitted, error=HonestError(0.2, 0.25, -0.05, 0.15)), cal)
    said = rate(semscale, "--calibration", "cal.json").out
    assert said.count("0.200") == 1
    assert rate(semscale, "--calibration", "cal.json", "--report", "rated.html").code == 0
    words = "was 0.200 with it and 0.250 without (less is better); the gain lies between"
    assert "It is not clear that this calibration helps" in said
    assert words in " ".join(said.split())
    assert words in (labelled.parent / "rated.html").read_text(encoding="utf-8")
    found = json.loads(rate(semscale, "--calibration", "cal.json", "--json").out)["calibration"]
    assert (found["gain_low"], found["gain_high"], found["is_clear"]) == (-0.05, 0.15, False)
    save_calibration(replace(fitted, error=HonestError(0.3, 0.25, -0.09, -0.01)), cal)
    said = " ".join(rate(semscale, "--calibration", "cal.json").out.split())
    assert "This calibration makes ratings worse" in said
    assert "Calibrated by" not in said


def test_another_ending_than_json_is_refused(semscale, labelled):
    ended = calibrate(semscale, out="cal.pkl")
    assert ended.code == 2
    assert "must end in .json" in ended.err


def test_too_few_labels_say_how_many_are_missing(semscale, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labelled.csv").write_text("text,human\n" + "it is good,4\nit is bad,2\n" * 3)
    ended = calibrate(semscale)
    assert ended.code == 2
    assert "got 2; label 8 more" in ended.err
