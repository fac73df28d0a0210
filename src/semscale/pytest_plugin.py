"""The pytest plugin: the fixtures ``semantic_snapshot`` and ``semantic_judge``, and the marker ``semantic``.

It is loaded in every run of pytest, so it imports heavy modules only when a test uses a fixture.
"""

import os
import shlex
from collections import Counter
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from semscale.errors import SemscaleError
from semscale.snapshots.session import (
    ATTRIBUTE,
    SnapshotLog,
    SnapshotSession,
    SnapshotTest,
    snapshot_file,
)
from semscale.snapshots.settings import SETTINGS, is_about_a_field, settle

if TYPE_CHECKING:
    from semscale.snapshots.fixture import SemanticSnapshot
    from semscale.snapshots.judge_fixture import SemanticJudge

_MARKER = (
    "semantic(min_match, max_lost_content, min_bertscore_f1, min_cosine, guards, max_unpaired, "
    "max_<field>_difference, <field>_direction): limits of a test's semantic snapshots."
)
_PREFIX = "semantic_"
_MODEL = "semantic_model"
_JUDGE_MODEL, _JUDGE_URL = "semantic_judge_model", "semantic_judge_url"
_SESSION = pytest.StashKey[SnapshotSession]()
_TEST = pytest.StashKey[SnapshotTest]()
_PASSED = pytest.StashKey[bool]()
_COLLECTED = pytest.StashKey[Counter[Path]]()
_WHOLE = pytest.StashKey[dict[Path, tuple[Path, int]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flags and the ini settings."""
    group = parser.getgroup("semscale", "semantic snapshots")
    group.addoption(
        "--semantic-approve",
        action="store_true",
        help="approve semantic snapshots that are new or breach a limit",
    )
    group.addoption(
        "--semantic-prune",
        action="store_true",
        help="remove semantic snapshots that no test uses, in modules that ran completely",
    )
    parser.addini(_MODEL, "model that compares semantic snapshots")
    parser.addini(_JUDGE_MODEL, "chat model that scores answers for semantic_judge")
    parser.addini(_JUDGE_URL, "address of the endpoint of semantic_judge, if it is not the default one")
    for name in SETTINGS:
        _add_setting(parser, name)


def pytest_load_initial_conftests(early_config: pytest.Config, parser: pytest.Parser) -> None:
    """Add the ini settings whose names contain a field, such as ``semantic_max_credits_difference``."""
    for name in _ini_names(early_config):
        if is_about_a_field(name):
            _add_setting(parser, name)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker and check the ini settings."""
    config.addinivalue_line("markers", _MARKER)
    unknown = {name: "" for name in _ini_names(config) if not _is_registered(config, _PREFIX + name)}
    _check_settings("the ini file", unknown | _defaults(config))
    prune = config.getoption("semantic_prune") and not _is_worker(config)
    log = SnapshotLog(prune=bool(prune), show=lambda path: _relative(path, config))
    config.pluginmanager.register(log, "semscale-snapshots")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Check the markers before any test runs, and count the tests before any is deselected."""
    checked: set[int] = set()
    for item in [] if _is_worker(config) else items:  # an error raised in a worker would not be shown
        for marker in item.iter_markers("semantic"):
            if id(marker) not in checked:
                checked.add(id(marker))
                _check_marker(item, marker)
    config.stash[_COLLECTED] = Counter(item.path for item in items)


def pytest_collection_finish(session: pytest.Session) -> None:
    """Find the modules with stored snapshots of which pytest runs all tests."""
    config = session.config
    single = {
        (config.invocation_params.dir / argument.split("::")[0]).resolve()
        for argument in config.args
        if "::" in argument
    }
    collected = config.stash.get(_COLLECTED, Counter())
    left = Counter(item.path for item in session.items)
    config.stash[_WHOLE] = {
        path: (file, n)
        for path, n in left.items()
        if n == collected[path] and path not in single and (file := snapshot_file(path)).exists()
    }


@pytest.fixture
def semantic_snapshot(request: pytest.FixtureRequest) -> "SemanticSnapshot":
    """Compare a model's output with the approved one: ``semantic_snapshot(text)``; see docs/pytest.md."""
    from semscale.snapshots.fixture import SemanticSnapshot

    item = request.node
    markers = list(item.iter_markers("semantic"))
    for marker in markers:
        _check_marker(item, marker)
    test = SnapshotTest(
        file=snapshot_file(item.path),
        key=_key(item),
        command=f"pytest {shlex.quote(_node(item))} --semantic-approve",
        settings=tuple(marker.kwargs for marker in reversed(markers)),
    )
    item.stash[_TEST] = test
    return SemanticSnapshot(test, _session(request.config))


@pytest.fixture(scope="session")
def semantic_judge(pytestconfig: pytest.Config) -> "SemanticJudge":
    """Score an answer with a chat model: ``semantic_judge(question, answer, at_least=0.8)``."""
    from semscale.snapshots.judge_fixture import JudgeModel, SemanticJudge

    return SemanticJudge(JudgeModel(pytestconfig.getini(_JUDGE_MODEL), pytestconfig.getini(_JUDGE_URL)))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Attach the test's use of snapshots to its last report, which workers send to the main process."""
    outcome = yield
    if call.when == "call":
        item.stash[_PASSED] = call.excinfo is None
    if call.when != "teardown":
        return
    test = item.stash.get(_TEST, None)
    file, n_tests = item.config.stash.get(_WHOLE, {}).get(item.path, (None, 0))
    if test is None and file is None:
        return
    use = {
        "file": str(test.file if test else file),
        "test": _key(item),
        "n_tests": n_tests,
        "passed": item.stash.get(_PASSED, False),
        "used": test.used if test else [],
        "approved": test.approved if test else [],
        "other_settings": test.other_settings if test else [],
    }
    setattr(outcome.get_result(), ATTRIBUTE, use)


def _session(config: pytest.Config) -> SnapshotSession:
    """Return the state that all tests share; it is created at its first use."""
    if _SESSION not in config.stash:
        from semscale.snapshots.compare_outputs import SnapshotMeter

        model = config.getini(_MODEL)
        meter = SnapshotMeter(model) if model else SnapshotMeter()
        approve = bool(config.getoption("semantic_approve"))
        config.stash[_SESSION] = SnapshotSession(approve, _defaults(config), meter)
    return config.stash[_SESSION]


def _add_setting(parser: pytest.Parser, name: str) -> None:
    parser.addini(_PREFIX + name, f"{name} of semantic snapshots, unless a marker or a call sets it")


def _ini_names(config: pytest.Config) -> list[str]:
    """List the ini settings that the ini file or ``-o`` sets, known or not, without ``semantic_``."""
    # Only this attribute lists settings that no plugin knows. In pytest 8 its name has no underscore.
    content = getattr(config, "_inicfg" if hasattr(config, "_inicfg") else "inicfg", {})
    overriding = (setting.partition("=")[0] for setting in config.getoption("override_ini", None) or ())
    names = dict.fromkeys([*content, *overriding])
    return [name.removeprefix(_PREFIX) for name in names if name.startswith(_PREFIX)]


def _is_registered(config: pytest.Config, name: str) -> bool:
    """Tell whether this plugin or another one has registered an ini setting."""
    try:
        config.getini(name)
    except ValueError:
        return False
    return True


def _defaults(config: pytest.Config) -> dict[str, object]:
    names = [*SETTINGS, *filter(is_about_a_field, _ini_names(config))]
    values = {name: config.getini(_PREFIX + name) for name in names}
    return {name: value for name, value in values.items() if value not in (None, "")}


def _check_marker(item: pytest.Item, marker: pytest.Mark) -> None:
    if marker.args:
        raise pytest.UsageError(
            f"{item.nodeid}: marker semantic takes settings by name, got {marker.args!r:.60}"
        )
    _check_settings(f"{item.nodeid}: marker semantic", marker.kwargs)


def _check_settings(where: str, settings: Mapping[str, object]) -> None:
    try:
        settle(settings)
    except SemscaleError as error:
        raise pytest.UsageError(f"{where}: {error}") from error


def _is_worker(config: pytest.Config) -> bool:
    return hasattr(config, "workerinput")  # set by pytest-xdist


def _key(item: pytest.Item) -> str:
    """Return a test's name within its module; its node id contains more, such as the group of a worker."""
    classes = [part.name for part in item.listchain() if isinstance(part, pytest.Class)]
    return "::".join([*classes, item.name])


def _node(item: pytest.Item) -> str:
    return f"{_relative(item.path, item.config)}::{_key(item)}"


def _relative(path: Path, config: pytest.Config) -> str:
    return os.path.relpath(path, config.invocation_params.dir)
