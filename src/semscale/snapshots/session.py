"""Snapshots in a test session: their settings, the snapshots of a test, and the final summary.

The plugin loads this module in every run of pytest, so it imports heavy modules only where they are used.
"""

import contextlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from semscale.errors import InputError
from semscale.messages import did_you_mean

if TYPE_CHECKING:
    from semscale.drift.settings import Direction
    from semscale.snapshots.compare_outputs import SnapshotMeter

FOLDER = "__semantic_snapshots__"
ATTRIBUTE = "semantic_snapshots"
"""Attribute of a test's report that contains its use of snapshots."""

Unused = dict[Path, dict[str, set[str]]]


DEFAULT_MAX_LOST_CONTENT = 0.2
"""Greatest share of content that may be lost without a replacement; ``docs/pytest.md`` shows its origin."""

DEFAULT_MIN_MATCH = 0.45
"""Lowest match of texts that count as equal in meaning; ``docs/pytest.md`` shows the measurement."""

GUARD_MODES = ("weigh", "fail", "warn", "off")
"""Effects of guards' findings.

``weigh``: they lower the match, and a contradiction in nearly the same wording fails. ``fail``: each finding
fails. ``warn``: they are only shown if something else fails. ``off``: guards do not run.
"""

_RANGES = {
    "min_match": (0.0, 1.0),
    "max_lost_content": (0.0, 1.0),
    "min_bertscore_f1": (-1.0, 1.0),
    "min_cosine": (-1.0, 1.0),
}
_DIFFERENCE = re.compile(r"max_(?P<field>.+)_difference")
_DIRECTION = re.compile(r"(?P<field>.+)_direction")
SETTINGS = (*_RANGES, "guards", "max_unpaired")
"""Names of all settings except ``max_<field>_difference`` and ``<field>_direction``."""


@dataclass(frozen=True)
class SnapshotSettings:
    """Limits for the outputs of a snapshot.

    Attributes:
        min_match: the lowest calibrated match of an output with its approved one, 0 to 1; 0 sets no limit.
        max_lost_content: the greatest share of an approved output's content that may be lost without a
            replacement, 0 to 1; 1 sets no limit.
        min_bertscore_f1: the lowest BERTScore F1, -1 to 1; ``None`` sets no limit.
        min_cosine: the lowest cosine, -1 to 1; ``None`` sets no limit.
        guards: one of ``GUARD_MODES``.
        max_unpaired: number of outputs that may lack a partner.
        max_differences: the greatest allowed difference of each number, by name; other numbers must be equal.
        directions: the better direction of a number, ``lower`` or ``higher``, by name; an improvement never
            fails.
    """

    min_match: float = DEFAULT_MIN_MATCH
    max_lost_content: float = DEFAULT_MAX_LOST_CONTENT
    min_bertscore_f1: float | None = None
    min_cosine: float | None = None
    guards: str = "weigh"
    max_unpaired: int = 0
    max_differences: Mapping[str, float] = field(default_factory=dict)
    directions: Mapping[str, "Direction"] = field(default_factory=dict)


def is_about_a_field(name: str) -> bool:
    """Return true for the name of a number's setting, ``max_<field>_difference`` or ``<field>_direction``."""
    return any(pattern.fullmatch(name) for pattern in (_DIFFERENCE, _DIRECTION))


def settle(*layers: Mapping[str, object]) -> SnapshotSettings:
    """Merge settings; later layers override earlier ones, and ``None`` overrides nothing.

    Args:
        layers: settings by name, including ``max_<field>_difference`` and ``<field>_direction``.

    Raises:
        InputError: an unknown name, or a value out of range.

    Examples:
        >>> settled = settle({"min_match": 0.8}, {"guards": "fail", "max_credits_difference": 0.5})
        >>> settled.min_match, settled.guards, settled.max_differences
        (0.8, 'fail', {'credits': 0.5})
    """
    given: dict[str, object] = {}
    for layer in layers:
        given.update({name: value for name, value in layer.items() if value is not None})
    differences: dict[str, float] = {}
    directions: dict[str, Direction] = {}
    chosen: dict[str, object] = {}
    for name, value in given.items():
        numbers = _DIFFERENCE.fullmatch(name)
        if numbers:
            differences[numbers["field"]] = _number(name, value, 0.0, math.inf)
        elif better := _DIRECTION.fullmatch(name):
            directions[better["field"]] = _direction(name, value)
        else:
            chosen[name] = _check_setting(name, value)
    return SnapshotSettings(
        **chosen,  # type: ignore[arg-type]  # checked above
        max_differences=differences,
        directions=directions,
    )


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

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:  # noqa: ANN401 - pytest's own class
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


def _direction(name: str, value: object) -> "Direction":
    from semscale.drift.settings import Direction

    if value not in get_args(Direction):
        raise InputError(name, f"must be one of {', '.join(get_args(Direction))}, got {value!r:.60}")
    return cast("Direction", value)


def _check_setting(name: str, value: object) -> object:
    if name in _RANGES:
        return _number(name, value, *_RANGES[name])
    if name == "guards":
        if value not in GUARD_MODES:
            raise InputError("guards", f"must be one of {', '.join(GUARD_MODES)}, got {value!r:.60}")
        return value
    if name == "max_unpaired":
        number = _number(name, value, 0.0, math.inf)
        if not number.is_integer():
            raise InputError("max_unpaired", f"must be a whole number of outputs, got {value!r:.60}")
        return int(number)
    hint = did_you_mean(name, SETTINGS)
    known = ", ".join(SETTINGS)
    raise InputError(
        f"a snapshot's settings are {known}, max_<field>_difference and <field>_direction, got {name!r}{hint}"
    )


def _number(name: str, value: object, low: float, high: float) -> float:
    number = math.nan
    if isinstance(value, str | int | float) and not isinstance(value, bool):
        with contextlib.suppress(ValueError):
            number = float(value)  # values of ini files are texts
    if not (low <= number <= high and math.isfinite(number)):
        between = f"between {low:g} and {high:g}" if math.isfinite(high) else f"a number of at least {low:g}"
        raise InputError(name, f"must be {between}, got {value!r:.60}")
    return number
