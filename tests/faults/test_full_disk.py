"""Long commands on a disk that is full, and where files may not grow: one line, and nothing half written."""

import json
import random
import sys

import pytest
from tests.support.commands import COMMANDS
from tests.support.forking import Fault
from tests.support.points import NEEDED, n_points
from tests.support.small_disk import LARGE, PAGE, can_mount, small_disk
from tests.support.traces import assert_sound, outputs_of

pytestmark = NEEDED
N = n_points(1, 5)
OLD = b"what an earlier run has written"


@pytest.fixture(scope="module", params=COMMANDS, ids=lambda command: command.name)
def command(request):
    return request.param


def write_old_outputs(trial):
    for name in trial.command.outputs:
        if "." in name and not name.endswith(".files"):
            (trial.folder / name).write_bytes(OLD)


def assert_refused_or_done(trial, whole, ended):
    """Check that a run has ended with one line, or as always, and that no output is half written."""
    error_lines = [line for line in ended.err.splitlines() if not line.startswith("semscale: warning: ")]
    assert all(line.startswith("semscale: ") for line in error_lines), ended.err
    assert ended.code in ({2, 3} if error_lines else {whole.ended.code}), ended.err
    assert len(error_lines) <= 1, ended.err
    if ended.code == 3 and ended.out:
        # It has written what the chat model had replied until then, and says that rows are missing.
        result = json.loads(ended.out)
        assert result["stopped"] in ended.err
        assert result["counts"]["unfinished"] > 0
        return
    result = outputs_of(trial.command, trial.folder)
    assert [name for name, content in result.items() if content not in {OLD, whole.outputs.get(name)}] == []
    assert_sound(trial.folder)


def file_sizes(folder):
    return [path.stat().st_size for path in folder.rglob("*") if path.is_file()]


def assert_goes_on(trial, whole):
    trial.assert_as(whole, trial.run())


@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a file system: run it as root")
def test_on_a_full_disk_a_command_says_so_and_goes_on_once_there_is_room(command, laboratory, tmp_path):
    whole, chance, n_refused = laboratory.whole(command), random.Random(command.name), 0
    # A database needs more room while it is written than afterwards: at least 16 pages count.
    added = sum(file_sizes(whole.folder)) - sum(file_sizes(laboratory.trial(command).folder))
    needed = max(added, 16 * PAGE)
    for turn in range(N):
        with small_disk(tmp_path / f"disk-{turn}") as disk:
            trial = laboratory.trial(command, disk.folder)
            write_old_outputs(trial)
            disk.leave(chance.randrange(needed))
            ended = trial.run()
            disk.leave(LARGE)  # reading a database takes room, too
            assert_refused_or_done(trial, whole, ended)
            n_refused += ended.code != whole.ended.code
            assert_goes_on(trial, whole)
    sys.stdout.write(f"{command.name}: refused {n_refused} of {N} times on a full disk\n")


def test_where_files_may_not_grow_a_command_says_so_and_goes_on_once_they_may(command, laboratory):
    whole, chance = laboratory.whole(command), random.Random(command.name)
    largest = max(file_sizes(whole.folder))
    for _ in range(N):
        trial = laboratory.trial(command)
        write_old_outputs(trial)
        ended = trial.run(Fault(largest=chance.randrange(largest)))
        assert_refused_or_done(trial, whole, ended)
        assert_goes_on(trial, whole)
