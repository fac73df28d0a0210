"""What is the machine's fault is said as such, and characters that an output lacks have a stand-in."""

import errno
import os

import polars as pl
import pytest

from semscale.cli.main import main
from semscale.cli.process import BAD_INPUT, BUG, exit_code


def failing(error: Exception):
    def work() -> None:
        raise error

    return work


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        OSError(f"{os.strerror(errno.ENOSPC)} (os error 28)"),
        pl.exceptions.ComputeError(f"parquet: {os.strerror(errno.ENOSPC)}"),
    ],
)
def test_a_full_disk_is_no_bug(error, capsys):
    assert exit_code(failing(error)) == BAD_INPUT
    assert capsys.readouterr().err.endswith("No space left on device; free some space on the disk\n")


def test_other_errors_stay_bugs(monkeypatch, tmp_path):
    monkeypatch.setenv("SEMSCALE_CACHE", str(tmp_path))
    assert exit_code(failing(ValueError("something else"))) == BUG


def test_a_negative_seed_is_reported_before_anything_is_rated(tmp_path, capsys):
    answers = tmp_path / "answers.csv"
    answers.write_text("text\nI like it\n")
    arguments = ["rate", str(answers), "--text", "text", "--scale", "quality", "--seed", "-1"]
    assert main(arguments) == BAD_INPUT
    assert "seed must be a whole number of at least 0, got -1" in capsys.readouterr().err


def test_a_report_must_not_replace_the_input(tmp_path, capsys):
    answers = tmp_path / "answers.html"
    answers.write_text("text\nI like it\n")
    arguments = ["rate", str(answers), "--format", "csv", "--text", "text", "--scale", "quality"]
    assert main([*arguments, "--report", str(answers)]) == BAD_INPUT
    assert "report must not be the input itself" in capsys.readouterr().err
    assert answers.read_text() == "text\nI like it\n"
