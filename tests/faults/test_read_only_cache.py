"""Long commands with a cache that cannot be written: they work without it, or say so in one line."""

import itertools
import shutil

import pytest
from tests.support.commands import COMMANDS
from tests.support.forking import Fault
from tests.support.laboratory import assert_same
from tests.support.points import NEEDED
from tests.support.traces import outputs_of, strays

pytestmark = NEEDED


def protect(folder):
    for path in folder.rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    folder.chmod(0o555)


@pytest.mark.parametrize(
    ("command", "filled"),
    list(zip(COMMANDS, itertools.cycle([True, False]), strict=False)),
    ids=lambda value: getattr(value, "name", "filled" if value else "empty"),
)
def test_with_a_read_only_cache_a_command_works_or_says_so(command, filled, laboratory):
    whole = laboratory.whole(command)
    trial = laboratory.trial(command)
    cache = trial.folder / "cache"
    if filled and (whole.folder / "cache").exists():
        shutil.copytree(whole.folder / "cache", cache)
    cache.mkdir(exist_ok=True)
    initial = {path.relative_to(trial.folder).as_posix() for path in trial.folder.rglob("*")}
    protect(cache)
    ended = trial.run(Fault(heeds_permissions=True))
    assert len(ended.err.splitlines()) <= 1, ended.err
    if ended.code == whole.ended.code:
        assert ended.err == "" or ended.err.startswith("semscale: warning: "), ended.err
        assert_same(outputs_of(command, trial.folder), whole.outputs)
    else:
        assert (ended.code, "cache" in ended.err) == (2, True), ended.err
        assert outputs_of(command, trial.folder) == {}
    assert strays(command, trial.folder, initial) == set()
