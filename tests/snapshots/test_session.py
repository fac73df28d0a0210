"""What is said at the end of a session, from the reports of tests."""

from pathlib import Path
from types import SimpleNamespace

from semscale.history.items import Output
from semscale.snapshots.files import Snapshot, read_snapshots, write_snapshot
from semscale.snapshots.session import ATTRIBUTE, SnapshotLog


class Terminal:
    def __init__(self):
        self.lines = []

    def section(self, title):
        self.lines.append(title)

    def write_line(self, line):
        self.lines.append(line)


def report(file, test, **changed):
    attributes = {
        "file": str(file),
        "test": test,
        "n_tests": 2,
        "passed": True,
        "used": ["1"],
        "approved": [],
        "other_settings": [],
    }
    return SimpleNamespace(nodeid=f"test_it.py::{test}", **{ATTRIBUTE: {**attributes, **changed}})


def session_lines(*reports, prune=False):
    log, terminal = SnapshotLog(prune=prune, show=lambda path: path.name), Terminal()
    for entry in reports:
        log.pytest_runtest_logreport(entry)
    log.pytest_sessionfinish()
    log.pytest_terminal_summary(terminal)
    return terminal.lines


def file_with(tmp_path, *named):
    path = tmp_path / "test_it.json"
    for test, name in named:
        write_snapshot(path, test, name, Snapshot((Output("x"),), {}))
    return path


def test_session_without_snapshots_prints_nothing(tmp_path):
    path = file_with(tmp_path, ("test_a", "1"), ("test_b", "1"))
    assert session_lines(SimpleNamespace(nodeid="test_it.py::test_c")) == []
    assert session_lines(report(path, "test_a"), report(path, "test_b")) == []


def test_a_test_that_ran_again_keeps_what_its_first_turn_approved():
    first, again = (report("none.json", "test_a", approved=names) for names in (["1"], []))
    assert session_lines(first, again) == ["semantic snapshots", "approved: test_it.py::test_a '1'"]


def test_snapshots_are_unused_only_where_all_tests_ran_and_passed(tmp_path):
    path = file_with(tmp_path, ("test_a", "1"), ("test_a", "2"), ("test_gone", "1"))
    a, b = report(path, "test_a"), report(path, "test_b")
    advice = "to remove unused snapshots: --semantic-prune"
    unused = ["unused: test_it.json: test_a '2'", "unused: test_it.json: test_gone '1'", advice]
    assert session_lines(a, b) == ["semantic snapshots", *unused]
    assert session_lines(a) == []  # one of two tests
    failed = report(path, "test_a", passed=False)
    assert session_lines(failed, b) == ["semantic snapshots", *unused[1:]]


def test_pruning_removes_what_is_unused_and_says_so(tmp_path):
    path = file_with(tmp_path, ("test_a", "1"), ("test_gone", "1"))
    lines = session_lines(report(path, "test_a"), report(path, "test_b"), prune=True)
    assert lines == ["semantic snapshots", "removed: test_it.json: test_gone '1'"]
    assert list(read_snapshots(path)) == ["test_a"]


def test_a_damaged_file_is_named(tmp_path):
    path: Path = tmp_path / "test_it.json"
    path.write_text("{", encoding="utf-8")
    lines = session_lines(report(path, "test_a"), report(path, "test_b"), prune=True)
    assert "is damaged" in lines[1]
    assert path.read_text(encoding="utf-8") == "{"
