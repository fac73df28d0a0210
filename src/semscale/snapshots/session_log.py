"""Summary of approved, unused and removed snapshots at the end of a test session."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from semscale.errors import InputError

ATTRIBUTE = "semantic_snapshots"
"""Attribute of a test's report that contains its use of snapshots."""

Unused = dict[Path, dict[str, set[str]]]


class SnapshotLog:
    """Collects how all tests used their snapshots, those of workers included; a pytest plugin by itself.

    Args:
        prune: whether unused snapshots are removed.
        show: writes a path for the summary.
    """

    def __init__(self, *, prune: bool, show: Callable[[Path], str]) -> None:
        self._prune = prune
        self._show = show
        self._tests: dict[str, Mapping[str, Any]] = {}
        self._removed: Unused = {}

    def pytest_runtest_logreport(self, report: object) -> None:
        """Collect a test's report; a test that ran again counts once, with all its approvals."""
        told = getattr(report, ATTRIBUTE, None)
        if told is not None:
            nodeid = getattr(report, "nodeid", "")
            before = self._tests.get(nodeid, {"approved": []})["approved"]
            self._tests[nodeid] = {**told, "approved": list(dict.fromkeys([*before, *told["approved"]]))}

    def pytest_sessionfinish(self) -> None:
        """Remove unused snapshots, if asked to."""
        if self._prune and self._tests:
            from semscale.snapshots.files import remove_snapshots

            with suppress(InputError):  # a damaged file stays unchanged and is named in the summary
                self._removed = self.unused()
            for file, tests in self._removed.items():
                remove_snapshots(file, tests)

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:  # noqa: ANN401 - pytest's own class
        """Write which snapshots were approved, unused, or compared under other settings."""
        lines = [*self._approved(), *self._other_settings(), *self._left()] if self._tests else []
        if lines:
            terminalreporter.section("semantic snapshots")
            for line in lines:
                terminalreporter.write_line(line)

    def unused(self) -> Unused:
        """Find snapshots that no test uses, in files of modules that ran completely.

        A test that did not pass may have stopped before it used its snapshots, so these are not reported.

        Raises:
            InputError: a file is damaged.
        """
        from semscale.snapshots.files import read_snapshots

        ran: dict[str, list[Mapping[str, Any]]] = {}
        for told in self._tests.values():
            ran.setdefault(told["file"], []).append(told)
        found: Unused = {}
        for file, tests in ran.items():
            if len(tests) != tests[0]["n_tests"]:
                continue
            asked = {told["test"]: set(told["used"]) if told["passed"] else None for told in tests}
            for test, named in read_snapshots(Path(file)).items():
                used = asked.get(test, set())
                left = set(named) - used if used is not None else set()
                if left:
                    found.setdefault(Path(file), {})[test] = left
        return found

    def _approved(self) -> list[str]:
        return [
            f"approved: {nodeid} {_listed(told['approved'])}"
            for nodeid, told in self._tests.items()
            if told["approved"]
        ]

    def _other_settings(self) -> list[str]:
        lines = [
            f"approved under other settings: {nodeid} {each}"
            for nodeid, told in self._tests.items()
            for each in told["other_settings"]
        ]
        advice = "thresholds may mean something else now; to approve under these: --semantic-approve"
        return [*lines, advice] if lines else []

    def _left(self) -> list[str]:
        try:
            unused = self.unused()
        except InputError as error:
            return [str(error)]
        lines = self._named("removed", self._removed) + self._named("unused", unused)
        return [*lines, "to remove what is unused: --semantic-prune"] if unused else lines

    def _named(self, what: str, snapshots: Unused) -> list[str]:
        return [
            f"{what}: {self._show(file)}: {test} {_listed(sorted(names))}"
            for file, tests in snapshots.items()
            for test, names in tests.items()
        ]


def _listed(names: list[str]) -> str:
    return ", ".join(repr(name) for name in names)
