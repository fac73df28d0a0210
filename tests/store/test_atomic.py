"""Atomic writing, checks before any work, and folders that one process at a time works in."""

import errno
import os
import re
import subprocess
import sys

import polars as pl
import pytest
from filelock import FileLock

from semscale.cli.process import exit_code
from semscale.errors import InputError
from semscale.store.atomic import (
    LOCK_FILE,
    check_writable,
    create_private,
    create_private_folder,
    lock_folder,
    replacing,
)


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
def test_full_disk_message_names_the_file(tmp_path, capsys, error):
    path = tmp_path / "rated.csv"

    def write():
        with replacing(path):
            raise error

    assert exit_code(write) == 2
    assert capsys.readouterr().err == (
        f"semscale: {path}: No space left on device; free some space on the disk\n"
    )


@pytest.mark.skipif(os.name == "nt", reason="Windows has no harmless signal to ask whether a process runs")
def test_what_a_killed_process_left_is_removed(tmp_path):
    with replacing(tmp_path / "x.txt") as candidate:
        candidate.write_text("new")
    _, path, host, _, _ = candidate.name.split(".")
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        pass
    left = [f".{path}.{host}.{ended.pid}.tmp", f".{path}.{host}.{2**64}.tmp"]
    remaining = [
        f".{path}.{host}.{os.getppid()}.tmp",  # of a process that runs
        f".{path}.00000000.{ended.pid}.tmp",  # of another machine, which shares the folder
        f".0000000000000000.{host}.{ended.pid}.tmp",  # of another file
    ]
    for name in (*left, *remaining):
        (tmp_path / name).write_text("half")
    with replacing(tmp_path / "x.txt") as temporary:
        temporary.write_text("newer")
    assert sorted(os.listdir(tmp_path)) == sorted([*remaining, "x.txt"])


def test_a_file_that_the_error_names_stays_named(tmp_path):
    with pytest.raises(OSError, match="other") as raised, replacing(tmp_path / "rated.csv"):
        raise OSError(errno.ENOSPC, "full", "other.tmp")
    assert raised.value.filename == "other.tmp"


def test_write_error_names_the_target_instead_of_the_temporary_file(tmp_path, capsys):
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
    with pytest.raises(InputError, match="report: the folder .*nowhere does not exist; create it"):
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
    target, link = tmp_path / "x.txt", tmp_path / "link.txt"
    target.write_text("old")
    link.symlink_to(target)
    check_writable(link, "out")
    with replacing(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert sorted(os.listdir(tmp_path)) == ["link.txt", "x.txt"]


@pytest.mark.parametrize("target", ["../home/.bashrc", "../home/new", "sub/x.txt"])
def test_a_link_to_another_folder_is_refused(tmp_path, target):
    for folder in ("home", "project", "project/sub"):
        (tmp_path / folder).mkdir()
    (tmp_path / "home" / ".bashrc").write_text("precious")
    link = tmp_path / "project" / "out.csv"
    link.symlink_to(target)
    message = f"is a link to {(link.parent / target).resolve()}, which is in another folder"
    with pytest.raises(InputError, match=f"^out: {re.escape(str(link))} {re.escape(message)}"):
        check_writable(link, "out")
    with pytest.raises(InputError, match=re.escape(message)), replacing(link):
        pass
    assert (tmp_path / "home" / ".bashrc").read_text() == "precious"
    assert os.listdir(tmp_path / "home") == [".bashrc"]


def test_a_folder_may_be_a_link(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to("there")
    check_writable(tmp_path / "link" / "x.txt", "out")
    with replacing(tmp_path / "link" / "x.txt") as temporary:
        temporary.write_text("new")
    assert (tmp_path / "there" / "x.txt").read_text() == "new"


def test_a_link_that_is_not_followed_is_replaced_itself(tmp_path):
    (tmp_path / "other.txt").write_text("precious")
    (tmp_path / "x.txt").symlink_to("other.txt")
    with replacing(tmp_path / "x.txt", follow=False) as temporary:
        temporary.write_text("new")
    assert not (tmp_path / "x.txt").is_symlink()
    assert (tmp_path / "x.txt").read_text() == "new"
    assert (tmp_path / "other.txt").read_text() == "precious"


def test_a_link_to_a_folder_that_is_not_there_is_refused(tmp_path):
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "nowhere" / "x.txt")
    with pytest.raises(InputError, match="out: the folder .*nowhere does not exist"):
        check_writable(link, "out")


def test_longest_file_name_is_written_and_a_longer_name_refused(tmp_path):
    # File systems allow 255 bytes; the temporary file must not need more than the finished one.
    longest = tmp_path / ("x" * 251 + ".txt")
    check_writable(longest, "out")
    with replacing(longest) as temporary:
        temporary.write_text("new")
    assert longest.read_text() == "new"
    with pytest.raises(InputError, match="out: the name .* is too long; choose a shorter one"):
        check_writable(tmp_path / ("x" * 296 + ".csv"), "out")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_what_is_private_belongs_to_its_user_alone(tmp_path):
    folder = tmp_path / "new" / "private"
    create_private_folder(folder)
    create_private(folder / "empty")
    with replacing(folder / "written", private=True) as temporary:
        temporary.write_text("a reply")
    assert (folder / "written").read_text() == "a reply"
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / "empty", folder / "written")] == [
        0o700,
        0o600,
        0o600,
    ]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such rights")
def test_rights_that_somebody_has_set_stay(tmp_path):
    shared = tmp_path / "shared"
    shared.write_text("kept")
    shared.chmod(0o664)
    create_private(shared)
    create_private_folder(tmp_path)
    assert (shared.read_text(), shared.stat().st_mode & 0o777) == ("kept", 0o664)


def accept(_):
    """Take any folder."""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "rated.csv.parts"


def test_a_locked_folder_is_refused_until_it_is_released(folder):
    first = lock_folder(folder, accept)
    with pytest.raises(InputError, match="another process is writing rated.csv"):
        lock_folder(folder, accept)
    first.release()
    lock_folder(folder, accept).release()
    assert (folder / LOCK_FILE).exists()


def test_a_folder_that_does_not_pass_is_not_locked(folder):
    def refuse(path):
        raise InputError(f"{path.name} holds something else")

    with pytest.raises(InputError, match="holds something else"):
        lock_folder(folder, refuse)
    lock_folder(folder, accept).release()


def test_the_folder_above_must_exist(folder):
    with pytest.raises(FileNotFoundError):
        lock_folder(folder / "deeper" / "still", accept)


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let a locked file be removed")
@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes with a path")
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_lock_folder_refuses_a_lock_that_is_no_plain_file(folder, tmp_path, kind):
    folder.mkdir()
    lock, elsewhere = folder / LOCK_FILE, tmp_path / "elsewhere"
    match kind:
        case "link":
            lock.symlink_to(elsewhere)
        case "pipe":
            os.mkfifo(lock)
        case "folder":
            lock.mkdir()
    with pytest.raises(
        InputError, match=f"out: {re.escape(str(lock))} is a {kind}, which Semscale never makes"
    ):
        lock_folder(folder, lambda _: None)
    assert not elsewhere.exists()


def test_lock_file_removed_before_locking_is_not_trusted(folder, monkeypatch):
    acquire = FileLock.acquire
    removed = []

    def late(lock, **settings):
        # Between the opening of the lock file and its locking, the run that held it ends.
        if not removed:
            removed.append(lock)
            for path in folder.iterdir():
                path.unlink()
            folder.rmdir()
        return acquire(lock, **settings)

    monkeypatch.setattr(FileLock, "acquire", late)
    held = lock_folder(folder, accept)
    assert removed
    with pytest.raises(InputError, match="another process is writing rated.csv"):
        lock_folder(folder, accept)
    held.release()
