"""What is said at the end of a session, from the reports of tests."""

from pathlib import Path
from types import SimpleNamespace

from semscale.history.items import Output
from semscale.snapshots.files import Snapshot, write_snapshot
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


def test_a_damaged_file_is_named(tmp_path):
    path: Path = tmp_path / "test_it.json"
    path.write_text("{", encoding="utf-8")
    lines = session_lines(report(path, "test_a"), report(path, "test_b"), prune=True)
    assert "is damaged" in lines[1]
    assert path.read_text(encoding="utf-8") == "{"
