"""What a test calls: compares what a model says with what was approved, or approves it."""

from collections.abc import Mapping

from semscale.errors import InputError, SemscaleError
from semscale.history.items import Output
from semscale.snapshots.compare_outputs import compare_outputs
from semscale.snapshots.comparison import SnapshotComparison
from semscale.snapshots.failure_messages import describe_outputs, explain_failure
from semscale.snapshots.files import Snapshot, read_snapshots, write_snapshot
from semscale.snapshots.outputs import read_outputs
from semscale.snapshots.session import SnapshotSession, SnapshotTest
from semscale.snapshots.settings import settle


class SemanticSnapshot:
    """Compares outputs with a test's approved snapshots; the fixture ``semantic_snapshot`` is one.

    Args:
        test: the test that asks.
        session: what it shares with others.
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
        """Compare what a model says with its approved snapshot.

        Args:
            actual: a text, or a list of texts or of ``{"text": ..., "credits": 1.0}``; the order of a list
                does not matter.
            name: tells a test's snapshots apart; they are numbered unless given.
            min_match: the least calibrated match, 0 to 1; what the markers and the ini file say unless given,
                as with all settings.
            min_bertscore_f1: the least BERTScore F1.
            min_cosine: the least cosine.
            guards: ``weigh``, ``fail``, ``warn`` or ``off``.
            max_unpaired: outputs that may lack a partner.
            max_differences: ``max_<field>_difference`` for numbers.

        Returns:
            What belongs together, with scores and findings.

        Raises:
            AssertionError: it goes too far, or nothing was approved; the message says what, and the command.
            InputError: a setting, an output or a file of snapshots that cannot be used.
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
        outputs = read_outputs(actual)
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
        """Give a snapshot its name: its number among the test's unless one is given."""
        if name is None:
            name = next(str(n) for n in range(1, len(self._test.used) + 2) if str(n) not in self._test.used)
        if not isinstance(name, str) or not name.strip():
            raise InputError(f"name must be a text that names the snapshot, got {name!r:.60}")
        if name in self._test.used:
            raise InputError(f"name must be another one for every snapshot of a test, got {name!r} again")
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
    """Say in which settings two measurements differ; nothing where none was made."""
    return ", ".join(
        f"{name} {approved.get(name, 'none')}, now {value}"
        for name, value in now.items()
        if approved.get(name) != value
    )
