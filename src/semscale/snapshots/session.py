"""Snapshots in a test session: those of a test, and the final summary.

The plugin loads this module in every run of pytest, so it imports heavy modules only where they are used.
"""

import contextlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.errors import InputError

if TYPE_CHECKING:
    from semscale.snapshots.compare_outputs import SnapshotMeter

FOLDER = "__semantic_snapshots__"
ATTRIBUTE = "semantic_snapshots"
"""Attribute of a test's report that contains its use of snapshots."""

Unused = dict[Path, dict[str, set[str]]]


@dataclass(frozen=True)
class SnapshotSession:
    """Settings and model that all tests of a session share.

    Attributes:
        approve: true to approve new outputs, and outputs that breach a limit.
        defaults: settings from the ini file, by name.
        meter: compares texts, with one loaded model for all tests.
    """

    approve: bool
    defaults: Mapping[str, object]
    meter: "SnapshotMeter"


@dataclass(frozen=True)
class SnapshotTest:
    """The snapshots of one test.

    Attributes:
        file: the file with the snapshots of its module.
        key: its name in that file.
        command: the command that approves its snapshots.
        settings: settings from its markers; those of the nearest marker come last.
        used: names of snapshots that it has used.
        approved: names of snapshots that it has approved.
        other_settings: differences in settings, for snapshots that were approved with other settings.
    """

    file: Path
    key: str
    command: str
    settings: tuple[Mapping[str, object], ...] = ()
    used: list[str] = field(default_factory=list)
    approved: list[str] = field(default_factory=list)
    other_settings: list[str] = field(default_factory=list)


def snapshot_file(module: Path) -> Path:
    """Return the path of the snapshots of a test module.

    Examples:
        >>> snapshot_file(Path("tests/test_tutor.py")).as_posix()
        'tests/__semantic_snapshots__/test_tutor.json'
    """
    return module.parent / FOLDER / f"{module.stem}.json"


class SnapshotLog:
    """A pytest plugin that collects the use of snapshots by all tests, including those of worker processes.

    Args:
        prune: true to remove unused snapshots.
        show: formats a path for the summary.
    """

    def __init__(self, *, prune: bool, show: Callable[[Path], str]) -> None:
        self._prune = prune
        self._show = show
        self._tests: dict[str, Mapping[str, Any]] = {}
        self._removed: Unused = {}

    def pytest_runtest_logreport(self, report: object) -> None:
        """Collect a test's report; a test that ran again counts once, with all its approvals."""
        use = getattr(report, ATTRIBUTE, None)
        if use is not None:
            nodeid = getattr(report, "nodeid", "")
            before = self._tests.get(nodeid, {"approved": []})["approved"]
            self._tests[nodeid] = {**use, "approved": list(dict.fromkeys([*before, *use["approved"]]))}

    def pytest_sessionfinish(self) -> None:
        """Remove unused snapshots if ``prune`` is true."""
        if self._prune and self._tests:
            from semscale.snapshots.files import remove_snapshots

            with contextlib.suppress(
                InputError
            ):  # a damaged file stays unchanged and is named in the summary
                self._removed = self.find_unused()
            for file, tests in self._removed.items():
                remove_snapshots(file, tests)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """List the snapshots that were approved, unused, or compared with other settings."""
        lines = [*self._list_approved(), *self._other_settings(), *self._left()] if self._tests else []
        if lines:
            terminalreporter.section("semantic snapshots")
            for line in lines:
                terminalreporter.write_line(line)

    def find_unused(self) -> Unused:
        """Find snapshots that no test uses, in files of modules that ran completely.

        A test that did not pass may have stopped before it used its snapshots, so these are not reported.

        Raises:
            InputError: a file is damaged.
        """
        from semscale.snapshots.files import read_snapshots

        ran: dict[str, list[Mapping[str, Any]]] = {}
        for use in self._tests.values():
            ran.setdefault(use["file"], []).append(use)
        unused: Unused = {}
        for file, tests in ran.items():
            if len(tests) != tests[0]["n_tests"]:
                continue
            asked = {use["test"]: set(use["used"]) if use["passed"] else None for use in tests}
            for test, named in read_snapshots(Path(file)).items():
                used = asked.get(test, set())
                left = set(named) - used if used is not None else set()
                if left:
                    unused.setdefault(Path(file), {})[test] = left
        return unused

    def _list_approved(self) -> list[str]:
        return [
            f"approved: {nodeid} {_join_names(use['approved'])}"
            for nodeid, use in self._tests.items()
            if use["approved"]
        ]

    def _other_settings(self) -> list[str]:
        lines = [
            f"approved under other settings: {nodeid} {difference}"
            for nodeid, use in self._tests.items()
            for difference in use["other_settings"]
        ]
        advice = "thresholds may have another meaning now; to approve with these settings: --semantic-approve"
        return [*lines, advice] if lines else []

    def _left(self) -> list[str]:
        try:
            unused = self.find_unused()
        except InputError as error:
            return [str(error)]
        lines = self._list_snapshots("removed", self._removed) + self._list_snapshots("unused", unused)
        return [*lines, "to remove unused snapshots: --semantic-prune"] if unused else lines

    def _list_snapshots(self, what: str, snapshots: Unused) -> list[str]:
        return [
            f"{what}: {self._show(file)}: {test} {_join_names(sorted(names))}"
            for file, tests in snapshots.items()
            for test, names in tests.items()
        ]


def _join_names(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names)
