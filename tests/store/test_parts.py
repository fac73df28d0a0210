"""Finished parts are found again; torn, foreign and other runs' parts are not taken for them."""

import hashlib
import io
import json
import os
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

import fsspec
import polars as pl
import pytest
from filelock import FileLock

from semscale.errors import InputError, InterruptedRunError, UnreachableError
from semscale.store.part_signatures import PartsKeyWarning, _stored_secret
from semscale.store.parts import Parts
from semscale.store.places import target_of
from semscale.store.reading import open_table
from semscale.store.writing import join_parts

KEY = {"input": "abc", "temperature": "1"}


def frame(number):
    return pl.DataFrame({"n": [10 * number, 10 * number + 1]})


@dataclass
class Output:
    """An output that is not there yet.

    Attributes:
        out: what is written.
        folder: the folder of the run's files.
        work: name of the folder of the parts within it, with a slash; may be empty.
    """

    out: object
    folder: str
    work: str

    def open(self, key=KEY, **settings):
        return Parts.open(self.out, key, **settings)

    def files(self):
        """Contents by name."""
        system, path = fsspec.core.url_to_fs(self.folder)
        root = path.rstrip("/") + "/"
        found = system.find(path) if system.exists(path) else []
        return {item.removeprefix(root): system.cat_file(item) for item in found}

    def put(self, name, content):
        system, path = fsspec.core.url_to_fs(self.folder)
        if not self.folder.startswith("memory:"):
            Path(path, name).parent.mkdir(parents=True, exist_ok=True)
        system.pipe_file(f"{path.rstrip('/')}/{name}", content)

    def take_away(self, name):
        system, path = fsspec.core.url_to_fs(self.folder)
        system.rm_file(f"{path.rstrip('/')}/{name}")

    def start(self, n=3):
        with self.open() as parts:
            for number in range(n):
                parts.add(frame(number), {"number": number})

    def found(self):
        """Count the parts that are found again, each with its rows and notes."""
        with self.open() as parts:
            read = [(rows["n"].to_list(), notes["number"]) for rows, notes in parts.read()]
            assert read == [(frame(n)["n"].to_list(), n) for n in range(len(read))]
            assert parts.rows == 2 * len(read)
            return len(read)

    def written(self, frames, without=(), late=lambda start, stop: None):
        with self.open() as parts:
            for item in frames:
                parts.add(item)
            parts.write(without, late)
            parts.remove()
        return self.files()


@pytest.fixture
def file(tmp_path):
    return Output(tmp_path / "rated.csv", f"{tmp_path}/rated.csv.parts", "")


@pytest.fixture
def folder(tmp_path):
    return Output(target_of(f"{tmp_path}/rated/"), f"{tmp_path}/rated", "_semscale/")


@pytest.fixture
def remote():
    yield Output(target_of("memory://bucket/rated/"), "memory://bucket/rated/", "_semscale/")
    system = fsspec.filesystem("memory")
    if system.exists("/bucket"):
        system.rm("/bucket", recursive=True)


@pytest.fixture(params=["file", "folder", "remote"])
def output(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["file", "folder"])
def local(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(params=["folder", "remote"])
def partitions(request):
    return request.getfixturevalue(request.param)


def test_finished_parts_are_recognized_on_reopening(output):
    output.start()
    assert output.found() == 3
    lock = set() if output.folder.startswith("memory") else {f"{output.work}lock"}
    assert set(output.files()) == {f"{output.work}manifest.json"} | lock | {
        f"{output.work}part-{n:06d}.{end}" for n in range(3) for end in ("parquet", "json")
    }


@pytest.mark.parametrize(
    ("damage", "number"),
    [
        ("no part", 0),
        ("no record", 1),
        ("torn part", 2),
        ("torn record", 0),
        ("flipped bit", 1),
        ("other rows", 2),
    ],
)
@pytest.mark.exhaustive
def test_parts_count_up_to_the_first_that_is_not_sound(output, damage, number):
    output.start()
    part, record = (f"{output.work}part-{number:06d}.{end}" for end in ("parquet", "json"))
    content = output.files()
    if damage == "no part":
        output.take_away(part)
    elif damage == "no record":
        output.take_away(record)
    elif damage == "torn part":
        output.put(part, content[part][:-10])
    elif damage == "torn record":
        output.put(record, content[record][:-5])
    elif damage == "flipped bit":
        flipped = bytearray(content[part])
        flipped[len(flipped) // 2] ^= 1
        output.put(part, bytes(flipped))
    else:
        output.put(part, content[f"{output.work}part-{(number + 1) % 3:06d}.parquet"])
    assert output.found() == number
    # The later parts are gone, so that they can never be taken for parts of the run that goes on.
    left = {name for name in output.files() if "part-" in name}
    assert left == {f"{output.work}part-{n:06d}.{end}" for n in range(number) for end in ("parquet", "json")}


@pytest.mark.parametrize(
    "content",
    [
        "[]",
        "{}",
        '{"rows": 2}',
        '"text"',
        '{"checksum": 5, "rows": 2, "notes": {}}',
    ],
)
def test_a_record_that_is_something_else(output, content):
    output.start()
    output.put(f"{output.work}part-000001.json", content.encode())
    assert output.found() == 1


@pytest.mark.parametrize("change", ["values", "notes", "signature", "no signature", "other secret", "moved"])
def test_parts_of_somebody_else_are_refused(output, change, monkeypatch):
    output.start()
    part, record = f"{output.work}part-000001.parquet", f"{output.work}part-000001.json"
    content = json.loads(output.files()[record])
    match change:
        case "values":
            changed = io.BytesIO()
            pl.DataFrame({"n": [999, 999]}).write_parquet(changed)
            output.put(part, changed.getvalue())
            content["checksum"] = hashlib.sha256(changed.getvalue()).hexdigest()
        case "notes":
            content["notes"]["number"] = 7
        case "signature":
            content["signature"] = "é" + content["signature"][1:]
        case "no signature":
            del content["signature"]
        case "other secret":
            monkeypatch.setenv("SEMSCALE_PARTS_KEY", "the secret of another user")
        case "moved":
            content = json.loads(output.files()[f"{output.work}part-000000.json"])
            output.put(part, output.files()[f"{output.work}part-000000.parquet"])
    output.put(record, json.dumps(content).encode())
    before = output.files()
    with pytest.raises(
        InputError, match="holds finished parts that were changed, or that another user"
    ) as raised:
        output.open()
    assert "to discard them and start again, set restart=True, or remove" in str(raised.value)
    assert output.files() == before
    with output.open(restart=True) as parts:
        assert parts.rows == 0


def test_the_secret_is_made_once_and_belongs_to_its_user_alone(file, monkeypatch, tmp_path):
    monkeypatch.delenv("SEMSCALE_PARTS_KEY")
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path / "settings")
    file.start()
    path = tmp_path / "settings" / "parts.key"
    assert len(path.read_text()) == 64
    assert os.name == "nt" or stat.S_IMODE(path.stat().st_mode) == 0o600
    assert file.found() == 3
    path.unlink()
    _stored_secret.cache_clear()
    with pytest.raises(InputError, match="that another user or machine made"):
        file.open()


def test_without_a_stored_secret_a_run_works_and_warns(file, monkeypatch, tmp_path):
    monkeypatch.delenv("SEMSCALE_PARTS_KEY")
    (tmp_path / "file").touch()
    monkeypatch.setattr("platformdirs.user_config_path", lambda *_, **__: tmp_path / "file" / "below")
    with pytest.warns(PartsKeyWarning, match="so a stopped run cannot be continued; set SEMSCALE_PARTS_KEY"):
        file.start()
    _stored_secret.cache_clear()
    with pytest.warns(PartsKeyWarning), pytest.raises(InputError, match="another user or machine"):
        file.open()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pipes with a path")
@pytest.mark.parametrize(
    "name", ["manifest.json", "part-000000.json", "part-000000.parquet", ".x.tmp", "lock"]
)
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_file_of_a_run_that_is_no_plain_file_is_refused(local, tmp_path, name, kind):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("precious")
    path = Path(local.folder, local.work, name)
    path.parent.mkdir(parents=True)
    if kind == "link":
        path.symlink_to(elsewhere)
    else:
        os.mkfifo(path)
    for restart in (False, True):
        with pytest.raises(InputError, match=f"^out: .*{name} is a {kind}, which Semscale never makes there"):
            local.open(restart=restart)
    assert elsewhere.read_text() == "precious"


def test_a_linked_folder_of_parts_is_refused(local, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    path = Path(local.folder, local.work)
    path.parent.mkdir(exist_ok=True)
    path.symlink_to(elsewhere)
    with pytest.raises(InputError, match="is a link, which Semscale never makes there; remove it"):
        local.open()
    assert os.listdir(elsewhere) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no operations relative to a folder")
def test_links_that_are_placed_during_a_run_lead_nowhere(file, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious.csv").write_text("precious")
    with file.open() as parts:
        parts.add(frame(0))
        file.out.symlink_to(elsewhere / "precious.csv")
        parts.write((), lambda start, stop: None)
        parts.remove()
    assert not file.out.is_symlink()
    with file.open() as parts:
        parts.add(frame(0))
        os.rename(file.folder, tmp_path / "moved")
        Path(file.folder).symlink_to(elsewhere)
        with pytest.raises(InputError, match="was replaced by a link"):
            parts.add(frame(1))
    assert (elsewhere / "precious.csv").read_text() == "precious"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no operations relative to a folder")
@pytest.mark.parametrize("moment", ["before the run", "before a part", "before the end"])
def test_a_folder_that_becomes_a_link_is_refused(tmp_path, moment):
    folder, elsewhere = tmp_path.resolve() / "folder", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()

    def swap(now):
        if now == moment:
            folder.rename(tmp_path / "moved")
            folder.symlink_to(elsewhere)

    def run():
        swap("before the run")
        with Parts.open(folder / "rated.csv", KEY, follow=False) as parts:
            swap("before a part")
            parts.add(frame(0))
            swap("before the end")
            parts.write((), lambda start, stop: None)

    with pytest.raises((InputError, OSError)):
        run()
    assert not [path for path in elsewhere.rglob("*") if path.is_file() and path.name != "lock"]


def test_leftovers_of_a_crash_are_removed(local):
    local.start()
    for name in (f"{local.work}.part-000003.parquet.123.tmp", f"{local.work}.rated.csv.123.tmp"):
        local.put(name, b"half")
    assert local.found() == 3
    assert not [name for name in local.files() if name.endswith(".tmp")]


def test_the_run_goes_on_after_the_last_part(output):
    output.start()
    with output.open() as parts:
        parts.add(frame(3), {"number": 3})
    assert output.found() == 4


def test_another_key_is_refused_with_what_differs_and_the_remedy(output):
    output.start()
    other = {"input": "abc", "temperature": "0.5", "by": "region"}
    message = (
        r"unfinished run.*temperature was 1, now 0.5; by was not set, now region.*--restart to discard it"
    )
    with pytest.raises(InputError, match=message):
        output.open(other)
    assert output.found() == 3
    with output.open(other, restart=True) as parts:
        assert parts.finished == []
        assert not [name for name in output.files() if "part-" in name]


def test_a_lost_manifest_means_a_new_run(output):
    output.start()
    output.put(f"{output.work}manifest.json", b"{")
    with output.open() as parts:
        assert (parts.rows, parts.is_new) == (0, True)
        assert json.loads(output.files()[f"{output.work}manifest.json"]) == {"key": KEY}


@pytest.mark.parametrize("name", ["thesis.docx", "part-000000.parquet", "_semscale/thesis.docx"])
@pytest.mark.parametrize("restart", [False, True])
def test_a_folder_with_other_files_is_left_alone(partitions, name, restart):
    partitions.put(name, b"ten years of work")
    with pytest.raises(InputError, match=f"holds something else .{name}.; move it away"):
        partitions.open(restart=restart)
    assert partitions.files() == {name: b"ten years of work"}


@pytest.mark.parametrize("restart", [False, True])
def test_a_folder_of_parts_with_other_files_is_left_alone(file, restart):
    file.put("thesis.docx", b"ten years of work")
    with pytest.raises(InputError, match=r"holds something else \(thesis.docx\); move it away"):
        file.open(restart=restart)
    assert file.files() == {"thesis.docx": b"ten years of work"}


def test_a_file_where_the_folder_is_needed(file):
    Path(file.folder).write_text("x")
    with pytest.raises(
        InputError, match=r"rated.csv.parts is needed for unfinished parts but is a file; move"
    ):
        file.open()


def test_two_runs_at_once(local, tmp_path):
    with local.open(), pytest.raises(InputError, match=r"another process is writing .*rated(\.csv|/); wait"):
        local.open()
    assert list(tmp_path.iterdir()) == []
    local.start()
    with local.open(), pytest.raises(InputError, match="another process is writing"):
        local.open()
    assert local.found() == 3


@pytest.mark.skipif(os.name == "nt", reason="Windows does not let a locked file be removed")
def test_the_lock_is_held_until_the_folder_is_gone(local, monkeypatch):
    parts = local.open()
    was_there = []
    release = FileLock.release
    monkeypatch.setattr(
        FileLock,
        "release",
        lambda lock, *_, **how: (was_there.append(Path(local.folder).exists()), release(lock, **how)),
    )
    parts.remove()
    assert was_there[0] is False  # some versions release once more when the lock is collected


def test_ending_run_does_not_release_the_lock_of_the_next_run(local):
    first = local.open()
    first.remove()
    with local.open() as second:
        second.add(frame(0), {"number": 0})
        first.close()
        with pytest.raises(InputError, match="another process is writing"):
            local.open()
    assert local.found() == 1


def test_whether_an_earlier_run_is_continued(output):
    for restart, is_new in ((False, True), (False, False), (True, True)):
        with output.open(restart=restart) as parts:
            assert parts.is_new == is_new
            parts.add(frame(0))


@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError, SystemExit, InterruptedRunError])
def test_a_run_without_a_finished_part_leaves_nothing(output, tmp_path, failure):
    def fail(*, is_finished):
        with output.open() as parts:
            parts.add(frame(0), {"number": 0}, is_finished=is_finished)
            raise failure

    with pytest.raises(failure):
        fail(is_finished=False)
    assert output.files() == {}
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(failure):
        fail(is_finished=True)
    assert output.found() == 1


def test_removing_leaves_nothing(output, tmp_path):
    output.start()
    with output.open() as parts:
        parts.remove()
    assert output.files() == {}
    assert list(tmp_path.iterdir()) == []


def test_removing_leaves_other_files_of_the_user(local):
    local.start()
    with local.open() as parts:
        local.put(f"{local.work}notes.txt", b"mine")
        parts.remove()
    assert local.files() == {f"{local.work}notes.txt": b"mine"}


def test_a_folder_that_goes_during_the_run_is_named(local):
    with local.open() as parts:
        parts.add(frame(0))
        shutil.rmtree(local.folder)
        message = r"out: .*rated.*, which holds .*removed or changed during the run; .*same command"
        with pytest.raises(InputError, match=message), parts.removal_refused():
            parts.add(frame(1))
        parts.discard()


def test_another_error_stays_what_it_is_while_the_parts_are_there(local):
    with local.open() as parts:
        parts.add(frame(0))
        with pytest.raises(PermissionError), parts.removal_refused():
            raise PermissionError
        local.take_away(f"{local.work}part-000000.parquet")
        with pytest.raises(ValueError, match="mine"), parts.removal_refused():
            raise ValueError("mine")


@pytest.mark.exhaustive
def test_partitions_have_the_same_columns_and_types(partitions):
    # Integers beside floats are floats; a column that a part lacks is null; private columns are left out.
    frames = [pl.DataFrame({"n": [1], "own": [0]}), pl.DataFrame({"n": [0.5], "own": [0], "late": ["x"]})]
    files = partitions.written(frames, without=("own",))
    assert sorted(files) == ["_semscale.json", "part-000000.parquet", "part-000001.parquet"]
    table = pl.concat(open_table(partitions.folder).batches(9))
    assert table.equals(pl.DataFrame({"n": [1.0, 0.5], "late": [None, "x"]}))


@pytest.mark.exhaustive
def test_columns_that_come_late_are_in_the_partitions(partitions):
    def late(start, stop):
        return pl.DataFrame({"place": range(start, stop)})

    partitions.written([frame(0), frame(1)], late=late)
    assert pl.concat(open_table(partitions.folder).batches(9))["place"].to_list() == [0, 1, 2, 3]


def test_a_part_that_was_overwritten_after_it_was_finished_makes_no_partition(partitions):
    """As by a node that still worked for a run that was killed."""
    with partitions.open() as parts:
        parts.add(frame(0))
        parts.add(frame(1))
        stored = partitions.files()
        first, second = (f"_semscale/part-00000{number}.parquet" for number in range(2))
        partitions.put(first, stored[second])
        with pytest.raises(
            InputError, match=r"part-000000.parquet was overwritten .*; start again \(restart=True\)"
        ):
            parts.write((), lambda start, stop: None)
    assert "part-000000.parquet" not in partitions.files()


def test_the_list_has_rows_bytes_and_hashes(partitions):
    files = partitions.written([frame(0), frame(1)])
    listed = json.loads(files["_semscale.json"])
    assert listed["key"] == KEY
    for part in listed["parts"]:
        content = files[part["name"]]
        assert (part["rows"], part["size"]) == (2, len(content))
        assert part["sha256"] == hashlib.sha256(content).hexdigest()


def test_the_output_of_another_run_is_refused_with_what_differs_and_the_remedy(partitions):
    before = partitions.written([frame(0), frame(1)])
    other = {**KEY, "temperature": "0.5"}
    with pytest.raises(InputError, match=r"another run.*temperature was 1, now 0.5.*--restart to replace it"):
        partitions.open(other)
    assert partitions.files() == before
    with partitions.open(other, restart=True) as parts:
        parts.add(frame(5))
        parts.write((), lambda start, stop: None)
        parts.remove()
    assert pl.concat(open_table(partitions.folder).batches(9)).equals(frame(5))
    assert json.loads(partitions.files()["_semscale.json"])["key"] == other


def test_a_file_behind_a_url_is_that_of_this_machine(tmp_path):
    for number in range(2):
        frame(number).write_parquet(tmp_path / f"{number}.parquet")
    with Parts.open(target_of("memory://bucket/rated.csv"), KEY) as parts:
        for number in range(2):
            parts.add(frame(number))
        assert parts.name == "memory://bucket/rated.csv.parts"
        parts.write((), lambda start, stop: None)
        parts.remove()
    join_parts([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "rated.csv")
    system = fsspec.filesystem("memory")
    assert system.find("/bucket") == ["/bucket/rated.csv"]
    assert system.cat_file("/bucket/rated.csv") == (tmp_path / "rated.csv").read_bytes()
    system.rm("/bucket", recursive=True)


def test_unwritable_target_is_refused():
    with pytest.raises(InputError, match="out: https://localhost:1/rated.parquet can only be read"):
        target_of("https://localhost:1/rated.parquet").check("out")


class WritesRefused:
    """Lets an object store refuse to write after some files, until ``end``."""

    def __init__(self, monkeypatch, n):
        self._left, self._patch = n, monkeypatch
        system = fsspec.get_filesystem_class("memory")
        for name in ("put_file", "pipe_file"):
            monkeypatch.setattr(system, name, self._guarded(getattr(system, name)))

    def _guarded(self, write):
        def guarded(system, *arguments, **settings):
            self._left -= 1
            if self._left < 0:
                raise PermissionError("Access Denied")
            return write(system, *arguments, **settings)

        return guarded

    def end(self):
        self._patch.undo()


# The manifest is written first, then two files for each part; the output comes after all three parts.
@pytest.mark.parametrize(("n_files", "n_parts"), [(1, 0), (2, 0), (3, 1), (5, 2), (7, 3), (8, 3)])
def test_where_writing_is_refused_finished_parts_are_stored(monkeypatch, remote, n_files, n_parts):
    refused = WritesRefused(monkeypatch, n_files)
    with pytest.raises(UnreachableError, match=r"rated/ cannot be written \(Access Denied\); check the cred"):
        write_all(remote)
    refused.end()
    assert remote.found() == n_parts
    write_all(remote)
    assert open_table(remote.folder).n_rows == 6


def write_all(output):
    """Write what is not there yet of three parts, and the output."""
    with output.open() as parts:
        for number in range(len(list(parts.read())), 3):
            parts.add(frame(number), {"number": number})
        parts.write((), lambda *_: None)
        parts.remove()
