"""A file is there as a whole or not at all."""

import errno
import os

import polars as pl
import pytest

from semscale.cli.errors import exit_code
from semscale.errors import InputError
from semscale.store.atomic import check_writable, replacing


def test_nothing_stands_before_the_block_ends(tmp_path):
    target = tmp_path / "x.txt"
    with replacing(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path) == ["x.txt"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_a_failure_keeps_what_was_there_and_leaves_nothing_else(tmp_path, error):
    target = tmp_path / "x.txt"
    target.write_text("old")

    def fail():
        with replacing(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.txt"]


@pytest.mark.parametrize(
    "error",
    [
        OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)),
        OSError(f"{os.strerror(errno.ENOSPC)} (os error 28)"),
        pl.exceptions.ComputeError(f"parquet: {os.strerror(errno.ENOSPC)}"),
    ],
)
def test_a_full_disk_is_said_with_the_file(tmp_path, capsys, error):
    path = tmp_path / "rated.csv"

    def write():
        with replacing(path):
            raise error

    assert exit_code(write) == 2
    assert capsys.readouterr().err == (f"semscale: {path}: No space left on device; make room on the disk\n")


def test_a_file_that_the_error_names_stays_named(tmp_path):
    with pytest.raises(OSError, match="other") as raised, replacing(tmp_path / "rated.csv"):
        raise OSError(errno.ENOSPC, "full", "other.tmp")
    assert raised.value.filename == "other.tmp"


def test_a_temporary_file_is_said_as_the_file_that_is_written(tmp_path, capsys):
    def write():
        with replacing(tmp_path / "rated.csv") as temporary:
            raise OSError(errno.EDQUOT, "Disk quota exceeded", str(temporary))

    assert exit_code(write) == 2
    assert capsys.readouterr().err.startswith(f"semscale: {tmp_path / 'rated.csv'}: Disk quota exceeded;")


def test_the_temporary_file_may_stand_elsewhere(tmp_path):
    within = tmp_path / "parts"
    within.mkdir()
    with replacing(tmp_path / "x.txt", within=within) as temporary:
        assert temporary.parent == within
        temporary.write_text("new")
    assert (tmp_path / "x.txt").read_text() == "new"


def test_what_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(InputError, match="out must be a file, but .* is a folder"):
        check_writable(tmp_path, "out")
    with pytest.raises(InputError, match="report: the folder .*nowhere does not exist; make it"):
        check_writable(tmp_path / "nowhere" / "x.html", "report")
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="out: the folder .*file does not exist"):
        check_writable(tmp_path / "file" / "x.csv", "out")

    def refuse(*_, **__):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(InputError, match=r"out: .*x.csv cannot be written \(Read-only file system\)"):
        check_writable(tmp_path / "x.csv", "out")


def test_a_check_leaves_nothing_behind(tmp_path):
    check_writable(tmp_path / "x.csv", "out")
    assert os.listdir(tmp_path) == []
