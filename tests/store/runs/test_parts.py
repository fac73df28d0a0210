"""Finished parts are found again; torn, foreign and other runs' parts are not taken for them."""

import json
import os
import shutil

import polars as pl
import pytest
from filelock import FileLock

from semscale.errors import InputError
from semscale.store.runs.stored_parts import Parts

KEY = {"input": "abc", "temperature": "1"}


def frame(number):
    return pl.DataFrame({"n": [10 * number, 10 * number + 1]})


@pytest.fixture
def folder(tmp_path):
    """A run that has finished three parts of two rows."""
    path = tmp_path / "rated.csv.parts"
    with Parts.open(path, KEY) as parts:
        for number in range(3):
            parts.add(frame(number), {"number": number})
    return path


def found(folder):
    with Parts.open(folder, KEY) as parts:
        for number, part in enumerate(parts.finished):
            assert pl.read_parquet(part.path).equals(frame(number))
            assert part.notes == {"number": number}
            assert part.rows == 2
        assert parts.rows == 2 * len(parts.finished)
        return len(parts.finished)


def test_finished_parts_are_found_again(folder):
    assert found(folder) == 3


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize(
    "damage", ["no part", "no sidecar", "torn part", "torn sidecar", "flipped bit", "other rows"]
)
def test_parts_count_up_to_the_first_that_is_not_sound(folder, number, damage):
    part = folder / f"part-{number:06d}.parquet"
    sidecar = part.with_suffix(".json")
    if damage == "no part":
        part.unlink()
    elif damage == "no sidecar":
        sidecar.unlink()
    elif damage == "torn part":
        part.write_bytes(part.read_bytes()[:-10])
    elif damage == "torn sidecar":
        sidecar.write_text(sidecar.read_text()[:-5])
    elif damage == "flipped bit":
        content = bytearray(part.read_bytes())
        content[len(content) // 2] ^= 1
        part.write_bytes(content)
    else:
        frame(9).write_parquet(part)
    assert found(folder) == number
    # What came after is gone, so that it can never be taken for a part of the run that goes on.
    left = {path.name for path in folder.glob("*")} - {"lock", "manifest.json"}
    assert left == {f"part-{n:06d}.{end}" for n in range(number) for end in ("parquet", "json")}


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"rows": 2}',
        '"text"',
        '{"checksum": 5, "rows": 2, "notes": {}}',
        '{"checksum": 5, "rows": 2, "size": 3, "notes": {}}',
    ],
)
def test_a_sidecar_that_is_something_else(folder, content):
    (folder / "part-000001.json").write_text(content)
    assert found(folder) == 1


def test_leftovers_of_a_crash_are_cleared(folder):
    (folder / ".part-000003.parquet.123.tmp").write_bytes(b"half")
    (folder / ".rated.csv.123.tmp").write_bytes(b"half")
    assert found(folder) == 3
    assert not list(folder.glob(".*"))


def test_the_run_goes_on_after_the_last_part(folder):
    with Parts.open(folder, KEY) as parts:
        parts.add(frame(3), {"number": 3})
    assert found(folder) == 4


def test_another_key_is_refused_with_what_differs_and_the_remedy(folder):
    other = {"input": "abc", "temperature": "0.5", "by": "region"}
    message = r"temperature was 1, now 0.5; by was not set, now region.*--restart"
    with pytest.raises(InputError, match=message):
        Parts.open(folder, other)
    assert found(folder) == 3
    with Parts.open(folder, other, restart=True) as parts:
        assert parts.finished == []
        assert not list(folder.glob("part-*"))


def test_a_lost_manifest_means_a_new_run(folder):
    (folder / "manifest.json").write_text("{")
    with Parts.open(folder, KEY) as parts:
        assert (parts.rows, parts.is_new) == (0, True)
        assert json.loads((folder / "manifest.json").read_text()) == {"key": KEY}


@pytest.mark.parametrize("restart", [False, True])
def test_a_folder_with_other_files_is_left_alone(tmp_path, restart):
    folder = tmp_path / "rated.csv.parts"
    folder.mkdir()
    (folder / "thesis.docx").write_text("ten years of work")
    with pytest.raises(InputError, match=r"holds something else \(thesis.docx\); move it away"):
        Parts.open(folder, KEY, restart=restart)
    assert os.listdir(folder) == ["thesis.docx"]


def test_a_file_in_the_folders_place(tmp_path):
    path = tmp_path / "rated.csv.parts"
    path.write_text("x")
    with pytest.raises(InputError, match="holds something else"):
        Parts.open(path, KEY)


def test_two_runs_at_once(folder):
    with Parts.open(folder, KEY), pytest.raises(InputError, match="another process is writing rated.csv"):
        Parts.open(folder, KEY)
    assert found(folder) == 3


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let a locked file be removed")
def test_the_lock_is_held_until_the_folder_is_gone(folder, monkeypatch):
    parts = Parts.open(folder, KEY)
    was_there = []
    release = FileLock.release
    monkeypatch.setattr(
        FileLock, "release", lambda lock, *_, **how: (was_there.append(folder.exists()), release(lock, **how))
    )
    parts.remove()
    assert was_there[0] is False  # some versions release once more when the lock is collected


def test_a_run_that_ends_takes_nothing_from_the_next_one(folder):
    first = Parts.open(folder, KEY)
    first.remove()
    with Parts.open(folder, KEY) as second:
        second.add(frame(0), {"number": 0})
        first.close()
        with pytest.raises(InputError, match="another process is writing"):
            Parts.open(folder, KEY)
    assert found(folder) == 1


def test_whether_an_earlier_run_is_gone_on_with(tmp_path):
    path = tmp_path / "rated.csv.parts"
    for restart, is_new in ((False, True), (False, False), (True, True)):
        with Parts.open(path, KEY, restart=restart) as parts:
            assert parts.is_new == is_new
            parts.add(frame(0))


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError, SystemExit])
def test_a_run_without_a_finished_part_leaves_no_folder(tmp_path, failure):
    path = tmp_path / "rated.csv.parts"

    def fail(*, is_finished):
        with Parts.open(path, KEY) as parts:
            parts.add(frame(0), {"number": 0}, is_finished=is_finished)
            raise failure

    with pytest.raises(failure):
        fail(is_finished=False)
    assert not path.exists()
    with pytest.raises(failure):
        fail(is_finished=True)
    assert found(path) == 1


def test_removing_leaves_nothing(folder):
    with Parts.open(folder, KEY) as parts:
        parts.remove()
    assert not folder.exists()


def test_removing_leaves_what_is_not_ours(folder):
    with Parts.open(folder, KEY) as parts:
        (folder / "notes.txt").write_text("mine")
        parts.remove()
    assert os.listdir(folder) == ["notes.txt"]


def test_a_folder_that_goes_during_the_run_is_named(folder):
    with Parts.open(folder, KEY) as parts:
        parts.add(frame(0))
        shutil.rmtree(folder)
        message = r"out: .*rated\.csv\.parts, which holds .*removed or changed during the run; .*same command"
        with pytest.raises(InputError, match=message), parts.kept():
            parts.add(frame(1))
        parts.discard()


def test_another_error_stays_what_it_is_while_the_parts_are_there(folder):
    with Parts.open(folder, KEY) as parts:
        parts.add(frame(0))
        with pytest.raises(PermissionError), parts.kept():
            raise PermissionError
        (folder / "part-000000.parquet").unlink()
        with pytest.raises(ValueError, match="mine"), parts.kept():
            raise ValueError("mine")
