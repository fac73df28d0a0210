"""``semscale models calibrate``: what it prints and writes, and what it refuses."""

import json

import pytest

from semscale.cli.main import main
from semscale.matching.bertscore import read_baseline

NOUNS = ("cat", "car", "cake", "tree", "song", "phone", "river", "shirt", "novel", "chair", "judge", "cloud")


@pytest.fixture
def judged(tmp_path):
    path = tmp_path / "judged.csv"
    rows = [f"The {noun} is old.,The {noun} is new.,4" for noun in NOUNS]
    rows += [f"The {noun} is old.,It rains,1" for noun in NOUNS]
    path.write_text("\n".join(["answer,truth,score", *rows, "a,b,"]) + "\n")
    return path


@pytest.mark.exhaustive
def test_a_calibration_prints_every_layer_and_writes_its_file(judged, tmp_path, capsys):
    out = tmp_path / "base.json"
    columns = ["--prediction", "answer", "--reference", "truth", "--human", "score"]
    arguments = ["models", "calibrate", "all-MiniLM-L6-v2", "--corpus", str(judged), "--out", str(out)]
    report = tmp_path / "layers.md"
    assert main([*arguments, *columns, "--pairs", "100", "--report", str(report)]) == 0
    printed = capsys.readouterr().out
    assert f"baseline: {out}\nreport: {report}\n" in printed
    assert "| Layer | Precision | Recall |" in report.read_text(encoding="utf-8")
    assert "Spearman with people" in printed
    assert "24 judged pairs, 1 left out" in printed
    assert read_baseline(out).values.shape == (7, 3)
    content = json.loads(out.read_text())
    assert content["source"].startswith("judged.csv#")
    assert content["pairs"] == 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--out", "x.json"], "--text must name"),
        (["--out", "x.json", "--text", "answer", "--human", "score"], "belong together"),
        (["--out", "x.txt", "--text", "answer"], "--out must end in .json"),
        (["--out", "x.json", "--text", "answr"], "did you mean 'answer'"),
        (
            ["--out", "x.json", "--prediction", "answer", "--reference", "truth", "--human", "truth"],
            "human must be a number or empty, got 'The cat is new.' in data row 1",
        ),
    ],
)
def test_invalid_calibrations_are_refused(options, message, judged, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["models", "calibrate", "all-MiniLM-L6-v2", "--corpus", str(judged), *options]) == 2
    assert message in capsys.readouterr().err
