"""Parts in folders and behind URLs: found again, kept to one run, and made into partitions."""

import json
from pathlib import Path

import fsspec
import polars as pl
import pytest

from semscale.errors import InputError, InterruptedRunError, UnreachableError
from semscale.store.places import target_of
from semscale.store.reading import open_table
from semscale.store.runs.stored_parts import StoredParts

KEY = {"input": "abc", "temperature": "1"}


def frame(number):
    return pl.DataFrame({"n": [10 * number, 10 * number + 1]})


@pytest.fixture(params=["local", "memory"])
def address(request, tmp_path):
    """A folder that is not there yet."""
    if request.param == "local":
        yield f"{tmp_path}/rated/"
        return
    yield "memory://bucket/rated/"
    system = fsspec.filesystem("memory")
    if system.exists("/bucket"):
        system.rm("/bucket", recursive=True)


def files_in(address):
    """Contents by name."""
    system, path = fsspec.core.url_to_fs(address)
    root = path.rstrip("/") + "/"
    return {each.removeprefix(root): system.cat_file(each) for each in system.find(path)}


def put(address, name, content):
    system, path = fsspec.core.url_to_fs(address)
    system.pipe_file(f"{path.rstrip('/')}/{name}", content)


def begun(address, n=3):
    with StoredParts.open(target_of(address), KEY) as parts:
        for number in range(n):
            parts.add(frame(number), {"number": number})


def found(address):
    with StoredParts.open(target_of(address), KEY) as parts:
        taken = [(rows["n"].to_list(), notes["number"]) for rows, notes in parts.taken()]
        assert taken == [(frame(n)["n"].to_list(), n) for n in range(len(taken))]
        assert parts.rows == 2 * len(taken)
        return len(taken)


def test_finished_parts_are_found_again(address):
    begun(address)
    assert found(address) == 3
    assert set(files_in(address)) == {"_semscale/manifest.json"} | {
        f"_semscale/part-{n:06d}.{end}" for n in range(3) for end in ("parquet", "json")
    } | ({"_semscale/lock"} if not address.startswith("memory") else set())


@pytest.mark.parametrize("number", [0, 1, 2])
@pytest.mark.parametrize("damage", ["no record", "torn record", "torn part", "other rows"])
def test_parts_count_up_to_the_first_that_is_not_sound(address, number, damage):
    begun(address)
    part, record = f"_semscale/part-{number:06d}.parquet", f"_semscale/part-{number:06d}.json"
    content = files_in(address)
    if damage == "no record":
        system, path = fsspec.core.url_to_fs(address)
        system.rm_file(f"{path.rstrip('/')}/{record}")
    elif damage == "torn record":
        put(address, record, content[record][:-5])
    elif damage == "torn part":
        put(address, part, content[part][:-10])
    else:
        put(address, part, content[f"_semscale/part-{(number + 1) % 3:06d}.parquet"])
    assert found(address) == number
    left = {name for name in files_in(address) if "part-" in name}
    assert left == {f"_semscale/part-{n:06d}.{end}" for n in range(number) for end in ("parquet", "json")}


def written(address, frames, without=(), late=lambda start, stop: None):
    with StoredParts.open(target_of(address), KEY) as parts:
        for each in frames:
            parts.add(each)
        parts.write(target_of(address), without, late)
        parts.remove()
    return files_in(address)


def test_partitions_have_the_same_columns_and_types(address):
    # Integers beside floats are floats; a column that a part lacks is null; private columns are left out.
    frames = [pl.DataFrame({"n": [1], "own": [0]}), pl.DataFrame({"n": [0.5], "own": [0], "late": ["x"]})]
    files = written(address, frames, without=("own",))
    assert sorted(files) == ["_semscale.json", "part-000000.parquet", "part-000001.parquet"]
    table = pl.concat(open_table(address).batches(9))
    assert table.equals(pl.DataFrame({"n": [1.0, 0.5], "late": [None, "x"]}))


def test_columns_that_come_late_stand_in_the_partitions(address):
    def late(start, stop):
        return pl.DataFrame({"place": range(start, stop)})

    written(address, [frame(0), frame(1)], late=late)
    assert pl.concat(open_table(address).batches(9))["place"].to_list() == [0, 1, 2, 3]


def test_a_part_that_was_overwritten_after_it_was_finished_makes_no_partition(address):
    """As by a node that still worked for a run that was killed."""
    with StoredParts.open(target_of(address), KEY) as parts:
        parts.add(frame(0))
        parts.add(frame(1))
        stored = files_in(address)
        first, second = (f"_semscale/part-00000{number}.parquet" for number in range(2))
        put(address, first, stored[second])
        with pytest.raises(
            InputError, match=r"part-000000.parquet was overwritten .*; start over \(restart=True\)"
        ):
            parts.write(target_of(address), (), lambda start, stop: None)
    assert "part-000000.parquet" not in files_in(address)


def test_the_list_has_rows_bytes_and_hashes(address):
    import hashlib

    files = written(address, [frame(0), frame(1)])
    listed = json.loads(files["_semscale.json"])
    assert listed["key"] == KEY
    for part in listed["parts"]:
        content = files[part["name"]]
        assert (part["rows"], part["size"]) == (2, len(content))
        assert part["sha256"] == hashlib.sha256(content).hexdigest()


def test_the_output_of_another_run_is_refused_with_what_differs_and_the_remedy(address):
    before = written(address, [frame(0), frame(1)])
    other = {**KEY, "temperature": "0.5"}
    with pytest.raises(InputError, match=r"another run.*temperature was 1, now 0.5.*--restart to replace it"):
        StoredParts.open(target_of(address), other)
    assert files_in(address) == before
    with StoredParts.open(target_of(address), other, restart=True) as parts:
        parts.add(frame(5))
        parts.write(target_of(address), (), lambda start, stop: None)
        parts.remove()
    assert pl.concat(open_table(address).batches(9)).equals(frame(5))
    assert json.loads(files_in(address)["_semscale.json"])["key"] == other


def test_an_unfinished_run_that_differs_is_refused(address):
    begun(address)
    with pytest.raises(InputError, match=r"unfinished run.*by was not set, now x.*--restart to drop it"):
        StoredParts.open(target_of(address), {**KEY, "by": "x"})
    assert found(address) == 3


@pytest.mark.parametrize("name", ["thesis.docx", "part-000000.parquet", "_semscale/thesis.docx"])
@pytest.mark.parametrize("restart", [False, True])
def test_a_folder_with_other_files_is_left_alone(address, tmp_path, name, restart):
    if not address.startswith("memory"):
        Path(address, "_semscale").mkdir(parents=True)
    put(address, name, b"ten years of work")
    with pytest.raises(InputError, match=f"holds something else .{name}.; move it away"):
        StoredParts.open(target_of(address), KEY, restart=restart)
    assert files_in(address) == {name: b"ten years of work"}


def test_a_run_without_a_finished_part_leaves_nothing(address):
    with pytest.raises(InterruptedRunError), StoredParts.open(target_of(address), KEY):
        raise InterruptedRunError("stopped")
    assert not fsspec.core.url_to_fs(address)[0].exists(address) or files_in(address) == {}


def test_two_runs_at_once_in_a_folder_of_this_machine(tmp_path):
    place = target_of(f"{tmp_path}/rated/")
    with (
        StoredParts.open(place, KEY),
        pytest.raises(InputError, match="another process is writing .*rated/; wait for it"),
    ):
        StoredParts.open(place, KEY)
    assert list(tmp_path.iterdir()) == []


def test_a_file_behind_a_url_is_that_of_this_machine(tmp_path):
    from semscale.store.writing import join_parts

    place = target_of("memory://bucket/rated.csv")
    with StoredParts.open(place, KEY) as parts:
        for number in range(2):
            parts.add(frame(number))
            frame(number).write_parquet(tmp_path / f"{number}.parquet")
        assert parts.name == "memory://bucket/rated.csv.parts"
        parts.write(place, (), lambda start, stop: None)
        parts.remove()
    join_parts([tmp_path / "0.parquet", tmp_path / "1.parquet"], tmp_path / "rated.csv")
    assert files_in("memory://bucket/") == {"rated.csv": (tmp_path / "rated.csv").read_bytes()}
    fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_places_that_cannot_be_written_are_refused():
    with pytest.raises(InputError, match="out: https://localhost:1/rated.parquet can only be read"):
        target_of("https://localhost:1/rated.parquet").check("out")


class NoRight:
    """Takes the right to write to an object store away, after some files were written, and gives it back."""

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

    def give_back(self):
        self._patch.undo()


# The manifest is written first, then two files for each part; the output comes after all three parts.
@pytest.mark.parametrize(("n_files", "n_parts"), [(1, 0), (2, 0), (3, 1), (5, 2), (7, 3), (8, 3)])
def test_where_the_right_to_write_is_lost_finished_parts_are_kept(monkeypatch, n_files, n_parts):
    out = "memory://lost/rated/"
    taken = NoRight(monkeypatch, n_files)
    with pytest.raises(UnreachableError, match=r"rated/ cannot be written \(Access Denied\); check the cred"):
        write_all(out)
    taken.give_back()
    assert found(out) == n_parts
    write_all(out)
    assert open_table(out).n_rows == 6
    fsspec.filesystem("memory").rm("/lost", recursive=True)


def write_all(address):
    """Write what is not there yet of three parts, and the output."""
    with StoredParts.open(target_of(address), KEY) as parts:
        for number in range(len(list(parts.taken())), 3):
            parts.add(frame(number), {"number": number})
        parts.write(target_of(address), (), lambda *_: None)
        parts.remove()
