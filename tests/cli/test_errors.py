"""Errors to exit codes: one line each, and a bug is called a bug."""

import errno
import sys

import polars as pl
import pytest

from semscale.cli.process import exit_code, report_error
from semscale.errors import (
    ClusterError,
    InputError,
    InterruptedRunError,
    MissingExtraError,
    ModelError,
    ReplyError,
    StoppedByUserError,
)
from semscale.store.atomic import replacing

NOTHING_FINISHED = (
    "stopped; the same command starts again, or continues after the finished parts of an earlier run"
)


def raising(error):
    def work():
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "code", "line"),
    [
        (InputError("temperature must be >= 0, got -1"), 2, "temperature must be >= 0, got -1"),
        (InputError("seed", "must be >= 0, got -1"), 2, "seed must be >= 0, got -1"),
        (ModelError("no such model"), 2, "no such model"),
        (ReplyError("no reply"), 2, "no reply"),
        (MissingExtraError("torch", "torch"), 2, 'torch is not installed: pip install "semscale[torch]"'),
        (InterruptedRunError("10 rows are kept"), 3, "10 rows are kept"),
        (StoppedByUserError("10 rows are kept"), 3, "10 rows are kept"),
        (KeyboardInterrupt(), 3, NOTHING_FINISHED),
        (
            OSError(errno.ENOSPC, "No space left", "x.csv"),
            2,
            "x.csv: No space left; free some space on the disk",
        ),
        (OSError(errno.EIO, "Input/output error"), 2, "Input/output error; check the disk"),
        (InputError("two\nlines\tand \x1b[31mred"), 2, "two lines and ?[31mred"),
    ],
)
def test_an_error_prints_a_single_line_and_has_an_exit_code(capsys, error, code, line):
    assert exit_code(raising(error)) == code
    printed = capsys.readouterr()
    assert printed.err == f"semscale: {line}\n"
    assert printed.out == ""


@pytest.mark.parametrize(("result", "code"), [(None, 0), (0, 0), (1, 1), (4, 4), ("text", 0)])
def test_the_result_of_the_work_is_the_exit_code(capsys, result, code):
    assert exit_code(lambda: result) == code
    assert capsys.readouterr().err == ""


@pytest.fixture
def logs(monkeypatch, tmp_path):
    folder = tmp_path / "logs"
    monkeypatch.setattr("platformdirs.user_log_path", lambda *_, **__: folder)
    return folder


@pytest.mark.parametrize(
    "error", [RuntimeError("boom"), OSError(errno.ENOTCONN, "not connected"), ValueError("x")]
)
def test_a_bug_is_reported_as_such_and_its_traceback_is_stored(capsys, monkeypatch, logs, error):
    monkeypatch.delenv("SEMSCALE_DEBUG", raising=False)
    assert exit_code(raising(error)) == 70
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(
        f"semscale: this is a bug of ours, {type(error).__name__}: {error}; please report it"
    )
    assert str(logs / "last-bug.txt") in err
    stored = (logs / "last-bug.txt").read_text()
    assert "Traceback (most recent call last)" in stored
    assert f"Python {sys.version.split()[0]}" in stored


def test_a_bug_shows_its_traceback_on_demand(capsys, monkeypatch, logs):
    monkeypatch.setenv("SEMSCALE_DEBUG", "1")
    assert exit_code(raising(RuntimeError("boom"))) == 70
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_cluster_error_prints_a_single_line_and_its_traceback_on_demand(capsys, monkeypatch):
    monkeypatch.delenv("SEMSCALE_DEBUG", raising=False)
    assert exit_code(raising(ClusterError("cluster: it broke; mend it"))) == 2
    assert capsys.readouterr().err == "semscale: cluster: it broke; mend it\n"
    monkeypatch.setenv("SEMSCALE_DEBUG", "1")
    assert exit_code(raising(ClusterError("cluster: it broke; mend it"))) == 2
    assert "Traceback (most recent call last)" in capsys.readouterr().err


def test_a_bug_whose_traceback_cannot_be_stored_is_reported(capsys, monkeypatch, logs):
    monkeypatch.delenv("SEMSCALE_DEBUG", raising=False)
    logs.write_text("a file where the folder should be")
    assert exit_code(raising(RuntimeError("boom"))) == 70
    assert "please report it with its traceback" in capsys.readouterr().err


def test_a_parquet_file_that_was_cut_short_asks_for_room(capsys, tmp_path):
    message = "parquet: File out of specification: Invalid thrift: transport error"
    path = tmp_path / "out.parquet"
    with pytest.raises(OSError, match="not written whole") as caught, replacing(path):
        raise pl.exceptions.ComputeError(message)
    assert report_error(caught.value) == 2
    assert capsys.readouterr().err == f"semscale: {path}: not written whole; free some space on the disk\n"
