"""Snapshots on disk: what is written is read, and what is damaged is named."""

import json
import subprocess
import sys

import pytest

from semscale.errors import InputError
from semscale.history.items import Output
from semscale.snapshots.files import Snapshot, read_snapshots, remove_snapshots, write_snapshot

MEASURED = {"model": "m#1", "match": "2"}


def snapshot(*texts):
    return Snapshot(tuple(Output(text) for text in texts), MEASURED)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "__semantic_snapshots__" / "test_it.json"


def test_what_was_written_is_read(path):
    odd = Snapshot((Output("Zeile 1\n\nZeile 3 ü\u2028\r\n", {"credits": -0.5}), Output("x")), MEASURED)
    write_snapshot(path, "test_b", "1", odd)
    write_snapshot(path, "test_a[x|y:/]", "the name", snapshot("Yes."))
    assert read_snapshots(path) == {"test_b": {"1": odd}, "test_a[x|y:/]": {"the name": snapshot("Yes.")}}


def test_snapshot_file_is_sorted_with_a_line_per_text_line(path):
    for test in ("test_b", "test_a"):
        write_snapshot(path, test, "1", snapshot("First.\nSecond."))
    content = path.read_text(encoding="utf-8")
    assert content.index("test_a") < content.index("test_b")
    assert (
        '\n            "text": [\n              "First.",\n              "Second."\n            ]\n'
        in content
    )


def test_no_file_holds_no_snapshot(path):
    assert read_snapshots(path) == {}


@pytest.mark.parametrize(
    "content",
    [
        "",
        "<<<<<<< HEAD",
        "[]",
        '{"format": 1}',
        '{"format": "1", "snapshots": {}}',
        '{"format": 1, "snapshots": {"t": {"1": {"outputs": "x", "measured_by": {}}}}}',
        '{"format": 1, "snapshots": {"t": {"1": {"outputs": [{}], "measured_by": {}}}}}',
        '{"format": 1, "snapshots": {"t": {"1": {"outputs": [{"text": [1]}], "measured_by": {}}}}}',
        b"\xff\xfe",
    ],
)
def test_damaged_snapshot_file_is_named_and_left_unchanged(path, content):
    path.parent.mkdir()
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    before = path.read_bytes()
    with pytest.raises(InputError, match=r"test_it\.json is damaged .* approve its snapshots again"):
        read_snapshots(path)
    with pytest.raises(InputError, match="damaged"):
        write_snapshot(path, "test_a", "1", snapshot("Yes."))
    assert path.read_bytes() == before


def test_a_file_of_a_later_version_is_not_guessed_at(path):
    path.parent.mkdir()
    path.write_text(json.dumps({"format": 2, "snapshots": {}}), encoding="utf-8")
    with pytest.raises(InputError, match="later version"):
        read_snapshots(path)


def test_removing_snapshots_leaves_the_rest_and_no_empty_file(path):
    for test, name in (("test_a", "1"), ("test_a", "2"), ("test_b", "1")):
        write_snapshot(path, test, name, snapshot("Yes."))
    remove_snapshots(path, {"test_a": {"1"}, "test_b": {"1"}})
    assert read_snapshots(path) == {"test_a": {"2": snapshot("Yes.")}}
    remove_snapshots(path, {"test_a": {"2"}})
    assert not path.exists()


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="snapshots cannot be written to"):
        write_snapshot(tmp_path / "file" / "test_it.json", "test_a", "1", snapshot("Yes."))


WRITER = """
import sys
from pathlib import Path
from semscale.history.items import Output
from semscale.snapshots.files import Snapshot, write_snapshot
path, own = Path(sys.argv[1]), sys.argv[2]
for n in range(20):
    write_snapshot(path, f"test_{own}_{n}", "1", Snapshot((Output(own),), {"model": "m"}))
"""


def test_two_processes_that_write_at_once_lose_nothing(tmp_path):
    path = tmp_path / "__semantic_snapshots__" / "test_tutor.json"
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), prefix], stderr=subprocess.PIPE, text=True)
        for prefix in ("a", "b")
    ]
    assert [(writer.communicate(timeout=120)[1], writer.returncode) for writer in writers] == [
        ("", 0),
        ("", 0),
    ]
    written = json.loads(path.read_text(encoding="utf-8"))["snapshots"]
    assert set(written) == {f"test_{prefix}_{n}" for prefix in ("a", "b") for n in range(20)}
    assert [entry.name for entry in path.parent.iterdir()] == ["test_tutor.json"]
