"""``semscale calibrate``, and ``rate`` with what it wrote."""

import csv
import json
import shlex
from dataclasses import replace

import pytest

from semscale.rating.calibration import HonestError, load_calibration, save_calibration

ANSWERS = {"I hate it": 1, "it is bad": 2, "neither good nor bad": 3, "it is good": 4, "I love it": 5}


@pytest.fixture
def labelled(tmp_path, monkeypatch):
    """Forty texts, of which people labelled thirty."""
    monkeypatch.chdir(tmp_path)
    with open("labelled.csv", "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["text", "human", "survey"])
        for number in range(40):
            quote, score = list(ANSWERS.items())[number % 5]
            human = "" if number >= 30 else json.dumps([score, max(1, score - 1)])
            rows.writerow([f"{quote}, number {number}", human, f"survey {number % 6}"])
    return tmp_path / "labelled.csv"


def calibrate(semscale, *further, out="cal.json", human="human"):
    columns = ["--text", "text", "--human", human]
    arguments = [*columns, "--scale", "quality", "--out", out, "--floor", "none"]
    return semscale("calibrate", "labelled.csv", *arguments, *further)


def rate(semscale, *further, scale="quality"):
    return semscale("rate", "labelled.csv", "--text", "text", "--scale", scale, "--floor", "none", *further)


def test_the_screen_summarizes_the_fit_and_its_cross_validation(semscale, labelled):
    ended = calibrate(semscale)
    assert (ended.code, ended.err) == (0, "")
    for quote in ("30 labelled texts with 60 answers", "ranked probability score", "as rated", "equal shares",
                  "cross-validation", "is known to ± ", "calibration: cal.json", "signature: "):  # fmt: skip
        assert quote in ended.out, quote
    assert json.loads((labelled.parent / "cal.json").read_text())["labels"]["n"] == 30


def test_json_contains_all_figures(semscale, labelled):
    ended = calibrate(semscale, "--json", "--by", "survey", "--seed", 3)
    content = json.loads(ended.out)
    assert (content["instrument"], content["texts"], content["answers"]) == ("calibrate", 30, 60)
    assert set(content["quality"]) == {"calibrated", "as rated", "equal shares"}
    assert content["calibration"] == "cal.json"
    assert content["progress"]["n"] == 30
    assert content["progress"]["r"] == content["quality"]["calibrated"]["pearson"]
    assert "folds:groups" in content["signature"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("options", "asked"), [([], "e5-small"), (["--embedder", "mine"], "mine")])
def test_label_calibrate_and_rate_ask_for_the_same_model(semscale, labelled, asked_models, options, asked):
    draw = ["--text", "text", "--scale", "quality", "--floor", "none", "--out", "sheet.csv", *options]
    ended = [
        semscale("label", "labelled.csv", *draw),
        calibrate(semscale, *options),
        rate(semscale, "--calibration", "cal.json", *options),
    ]
    assert [run.code for run in ended] == [0, 0, 0]
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
        filled.writerows({**row, "human": ANSWERS[row["text"].partition(",")[0]]} for row in rows)
    printed = (labelled.parent / "sheet-instructions.md").read_text(encoding="utf-8").splitlines()
    command, _, signature = (line.strip() for line in printed if line.startswith("    "))
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
    content = json.loads(ended.out)
    assert plain["calibration"] is None
    assert content["calibration"]["texts"] == 30
    assert content["calibration"]["error"] < content["calibration"]["uncalibrated_error"]
    assert (
        content["estimates"]["overall"]["figures"]["mean"] != plain["estimates"]["overall"]["figures"]["mean"]
    )
    with open("rated.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert sum(row["semscale_unlike_labels"] == "true" for row in rows) == content["calibration"]["unlike"]
    assert "Calibrated by 30 labelled texts" in rate(semscale, "--calibration", "cal.json").out


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("further", "printed"),
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
    semscale, labelled, further, printed
):
    calibrate(semscale)
    ended = rate(semscale, "--out", "rated.csv", *further)
    assert ended.code == 2
    assert printed in ended.err
    assert ended.err.count("\n") == 1
    assert not (labelled.parent / "rated.csv").exists()


@pytest.mark.exhaustive
def test_a_calibration_for_a_different_scale_is_refused(semscale, labelled):
    calibrate(semscale)
    ended = rate(semscale, "--calibration", "cal.json", scale="satisfaction")
    assert ended.code == 2
    assert "calibration is for scale quality" in ended.err


@pytest.mark.parametrize(
    ("human", "further", "printed"),
    [
        ("nobody", [], "nobody"),
        ("text", [], "must hold numbers"),
        ("human", ["--human-range", 0, 4], "widen the range"),
        ("human", ["--by", "nowhere"], "nowhere"),
        ("human", ["--human-range", 4, 0], "lowest value, then the highest"),
    ],
)
def test_labels_that_cannot_be_read_are_refused(semscale, labelled, human, further, printed):
    ended = calibrate(semscale, *further, human=human)
    assert ended.code == 2
    assert printed in ended.err
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
    rows = [f"{n};{quote} {n};{score},0;0,5" for n, (quote, score) in enumerate([*ANSWERS.items()] * 4, 1)]
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
def test_reversed_labels_and_labels_on_two_points_cause_warnings(semscale, labelled):
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
    content = json.loads(calibrate(semscale, "--json").out)
    assert content["quality"]["calibrated"]["pearson"]["low"] <= 0
    assert "not shown to distinguish texts" in " ".join(content["warnings"])
    assert "lie on only 2 of the scale's 5 points" in " ".join(content["cautions"])


@pytest.mark.exhaustive
def test_a_calibration_without_clear_gain_warns_everywhere(semscale, labelled):
    calibrate(semscale)
    cal = labelled.parent / "cal.json"
    fitted = load_calibration(cal)
    save_calibration(replace(fitted, error=HonestError(0.2, 0.25, -0.05, 0.15)), cal)
    printed = rate(semscale, "--calibration", "cal.json").out
    assert printed.count("0.200") == 1
    assert rate(semscale, "--calibration", "cal.json", "--report", "rated.html").code == 0
    quote = "was 0.200 with it and 0.250 without (less is better); the gain lies between"
    assert "It is not clear that this calibration helps" in printed
    assert quote in " ".join(printed.split())
    assert quote in (labelled.parent / "rated.html").read_text(encoding="utf-8")
    content = json.loads(rate(semscale, "--calibration", "cal.json", "--json").out)["calibration"]
    assert (content["gain_low"], content["gain_high"], content["is_clear"]) == (-0.05, 0.15, False)
    save_calibration(replace(fitted, error=HonestError(0.3, 0.25, -0.09, -0.01)), cal)
    printed = " ".join(rate(semscale, "--calibration", "cal.json").out.split())
    assert "This calibration makes ratings worse" in printed
    assert "Calibrated by" not in printed


def test_an_extension_other_than_json_is_refused(semscale, labelled):
    ended = calibrate(semscale, out="cal.pkl")
    assert ended.code == 2
    assert "must end in .json" in ended.err


def test_too_few_labels_say_how_many_are_missing(semscale, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "labelled.csv").write_text("text,human\n" + "it is good,4\nit is bad,2\n" * 3)
    ended = calibrate(semscale)
    assert ended.code == 2
    assert "got 2; label 8 more" in ended.err
