"""Locks on folders: one process at a time, whoever removes what meanwhile."""

import os

import pytest
from filelock import FileLock

from semscale.errors import InputError
from semscale.store.atomic import LOCK_FILE, lock_folder


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
def test_a_lock_that_was_removed_before_it_was_taken_is_not_relied_on(folder, monkeypatch):
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
