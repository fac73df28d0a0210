"""A file is there as a whole or not at all."""

import os

import pytest

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


def test_a_link_stays_and_the_file_behind_it_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "x.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    check_writable(link, "out")
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert os.listdir(tmp_path / "there") == ["x.txt"]


def test_a_link_to_a_folder_that_is_not_there_is_refused(tmp_path):
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "nowhere" / "x.txt")
    with pytest.raises(InputError, match="the folder .*nowhere does not exist"):
        check_writable(link, "out")


def test_the_longest_name_is_written_and_a_longer_one_refused(tmp_path):
    # File systems allow 255 bytes; the temporary file must not need more than the finished one.
    longest = tmp_path / ("x" * 251 + ".txt")
    check_writable(longest, "out")
    with replacing(longest) as temporary:
        temporary.write_text("new")
    assert longest.read_text() == "new"
    with pytest.raises(InputError, match="out: the name .* is too long; choose a shorter one"):
        check_writable(tmp_path / ("x" * 296 + ".csv"), "out")
