"""The object behind the fixture ``semantic_snapshot``, which compares or approves outputs."""

from collections.abc import Mapping

from semscale.errors import InputError, SemscaleError
from semscale.history.items import Output
from semscale.snapshots.awaiting import awaited
from semscale.snapshots.compare_outputs import compare_outputs
from semscale.snapshots.comparison import SnapshotComparison
from semscale.snapshots.failure_messages import describe_outputs, explain_failure
from semscale.snapshots.files import Snapshot, read_snapshots, write_snapshot
from semscale.snapshots.outputs import read_outputs
from semscale.snapshots.session import SnapshotSession, SnapshotTest
from semscale.snapshots.settings import settle


class SemanticSnapshot:
    """Compares outputs with a test's approved snapshots; the fixture ``semantic_snapshot`` returns one.

    Args:
        test: the test that uses it.
        session: settings and model that all tests share.
    """

    def __init__(self, test: SnapshotTest, session: SnapshotSession) -> None:
        self._test = test
        self._session = session

    def __call__(  # noqa: PLR0913 - each is a setting of its own
        self,
        actual: object,
        name: str | None = None,
        *,
        min_match: float | None = None,
        min_bertscore_f1: float | None = None,
        min_cosine: float | None = None,
        guards: str | None = None,
        max_unpaired: int | None = None,
        **max_differences: float,
    ) -> SnapshotComparison:
        """Compare a model's outputs with the approved snapshot.

        Settings that are not given come from the test's markers or the ini file.

        Args:
            actual: a text, or a list of texts or of ``{"text": ..., "credits": 1.0}``; the order of a list
                does not matter. The call of an ``async def``, or a list of such calls, is awaited.
            name: tells several snapshots of a test apart; by default they are numbered.
            min_match: the lowest allowed calibrated match, 0 to 1.
            min_bertscore_f1: the lowest allowed BERTScore F1.
            min_cosine: the lowest allowed cosine.
            guards: ``weigh``, ``fail``, ``warn`` or ``off``.
            max_unpaired: number of outputs that may lack a partner.
            max_differences: ``max_<field>_difference``: the greatest allowed difference of a number.

        Returns:
            The aligned outputs, with scores and findings.

        Raises:
            AssertionError: a limit is breached, or nothing was approved; the message explains it and gives
                the command that approves.
            InputError: a setting, an output or a file of snapshots is invalid.
        """
        __tracebackhide__ = True
        given = {
            "min_match": min_match,
            "min_bertscore_f1": min_bertscore_f1,
            "min_cosine": min_cosine,
            "guards": guards,
            "max_unpaired": max_unpaired,
            **max_differences,
        }
        try:
            compared, problem = self._compare(actual, name, given)
        except SemscaleError as error:
            raise error.with_traceback(None) from error.__cause__
        if problem:
            raise AssertionError("\n".join(problem))
        return compared

    def _compare(
        self, actual: object, name: str | None, given: Mapping[str, object]
    ) -> tuple[SnapshotComparison, list[str]]:
        settings = settle(self._session.defaults, *self._test.settings, given)
        outputs = read_outputs(awaited(actual))
        name = self._claim(name)
        snapshot = read_snapshots(self._test.file).get(self._test.key, {}).get(name)
        if snapshot is None:
            return self._without_snapshot(name, outputs)
        compared = compare_outputs(snapshot.outputs, outputs, settings, self._session.meter)
        differs = _differences(snapshot.measured_by, compared.measured_by)
        if self._session.approve:
            if not compared.passed:
                self._approve(name, outputs)
            elif differs:
                self._approve(name, snapshot.outputs)
            return compared, []
        if differs:
            self._test.other_settings.append(f"{name}: {differs}")
        return compared, [] if compared.passed else self._failure(name, compared, differs)

    def _claim(self, name: str | None) -> str:
        """Return the snapshot's name: the given one, or its number in the test."""
        if name is None:
            name = next(str(n) for n in range(1, len(self._test.used) + 2) if str(n) not in self._test.used)
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"name must be a text that names the snapshot, got {name!r:.60}")
        if name in self._test.used:
            raise InputError(f"name must differ between the snapshots of a test, got {name!r} again")
        self._test.used.append(name)
        return name

    def _without_snapshot(
        self, name: str, outputs: tuple[Output, ...]
    ) -> tuple[SnapshotComparison, list[str]]:
        compared = SnapshotComparison((), outputs, ())
        if self._session.approve:
            self._approve(name, outputs)
            return compared, []
        return compared, [
            f"snapshot {name!r} was never approved. It says now:",
            *describe_outputs(outputs),
            "If it should say so:",
            f"  {self._test.command}",
        ]

    def _approve(self, name: str, outputs: tuple[Output, ...]) -> None:
        silent = [place + 1 for place, output in enumerate(outputs) if output.is_silent]
        if silent:
            raise InputError(
                f"snapshot {name!r} cannot be approved: output {silent[0]} of {len(outputs)} says nothing; "
                "leave empty outputs out of the list"
            )
        snapshot = Snapshot(outputs, self._session.meter.measured_by)
        write_snapshot(self._test.file, self._test.key, name, snapshot)
        self._test.approved.append(name)

    def _failure(self, name: str, compared: SnapshotComparison, differs: str) -> list[str]:
        lines = [f"snapshot {name!r}: it no longer says what was approved."]
        if differs:
            lines.append(f"  It was approved under other settings: {differs}")
        lines += explain_failure(compared, self._session.meter)
        return [*lines, "If it should say so from now on:", f"  {self._test.command}"]


def _differences(approved: Mapping[str, str], now: Mapping[str, str]) -> str:
    """Describe the differing settings of two measurements; empty if nothing was measured now."""
    return ", ".join(
        f"{name} {approved.get(name, 'none')}, now {value}"
        for name, value in now.items()
        if approved.get(name) != value
    )
