"""Long commands while the clock jumps by days: the same outputs, but for the day that they name."""

import io
import itertools
import random
import zipfile
from datetime import timedelta

import pytest
from tests.support.clock import NOON
from tests.support.commands import COMMANDS
from tests.support.forking import Fault
from tests.support.laboratory import assert_same
from tests.support.points import NEEDED, n_points
from tests.support.traces import assert_sound

pytestmark = NEEDED
N = n_points(1, 5)


@pytest.mark.parametrize(
    ("command", "days"),
    list(zip(COMMANDS, itertools.cycle([-400, 3]), strict=False)),
    ids=lambda value: getattr(value, "name", value),
)
def test_the_clock_jumps_in_the_middle(command, days, laboratory):
    whole = laboratory.whole(command)
    chance, later = (
        random.Random(f"{command.name} {days}"),
        f"{NOON + timedelta(days=days):%Y-%m-%d}".encode(),
    )

    def same_day(content):
        return _unpacked(content).replace(later, f"{NOON:%Y-%m-%d}".encode())

    def same_days(files):
        return {name: same_day(content) for name, content in files.items()}

    for _ in range(N):
        trial = laboratory.trial(command)
        ended = trial.run(Fault(jump_at=chance.randint(1, whole.ended.steps), days=days))
        assert (ended.code, ended.err) == (whole.ended.code, "")
        left = trial.left(ended)
        assert_same(same_days(left.outputs), same_days(whole.outputs))
        assert same_day(left.printed.encode()) == same_day(whole.printed.encode())
        assert set(left.entries) == set(whole.entries)
        assert trial.n_requests == whole.n_requests
        assert_sound(trial.folder)


def _unpacked(content):
    """Join what is in a workbook, whose parts are packed."""
    if not content.startswith(b"PK"):
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as parts:
        return b"\n".join(parts.read(name) for name in parts.namelist())
