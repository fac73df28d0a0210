"""Long commands that run twice at once: both end, the outputs are right, and each call is sent once."""

from dataclasses import replace

import pytest
from tests.support.commands import COMMANDS
from tests.support.laboratory import assert_same
from tests.support.points import NEEDED, n_points
from tests.support.traces import outputs_of

pytestmark = NEEDED
N = n_points(1, 5)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_second_command_with_the_same_outputs_may_be_refused(command, laboratory):
    whole = laboratory.whole(command)
    for _ in range(N):
        trial = laboratory.trial(command)
        both = trial.run_at_once([command, command])
        done = [ended for ended in both if ended.code == whole.ended.code]
        assert done, both[0].err
        for ended in both:
            if ended not in done:
                assert ended.code == 2
                assert "another process is writing" in ended.err
                assert len(ended.err.splitlines()) == 1
        trial.assert_as(whole, done[-1])
        assert trial.n_requests == whole.n_requests


def renamed(name):
    for old in ("out-", "out.", "report.", "junit."):
        name = name.replace(old, f"{old[:-1]}-2{old[-1]}")
    return name


@pytest.mark.parametrize(
    "command",
    [long_command for long_command in COMMANDS if long_command.outputs],
    ids=lambda command: command.name,
)
def test_two_with_other_outputs_share_caches_and_histories(command, laboratory):
    whole = laboratory.whole(command)
    other = replace(command, line=renamed(command.line), outputs=[renamed(name) for name in command.outputs])
    # Markdown names the folder of its pictures, and instructions the sheet that they are for.
    other_outputs = {
        renamed(name): content.replace(b"report.files", b"report-2.files").replace(b"out.csv", b"out-2.csv")
        for name, content in whole.outputs.items()
    }
    for _ in range(N):
        trial = laboratory.trial(command)
        both = trial.run_at_once([command, other])
        assert [(ended.code, ended.err) for ended in both] == [(whole.ended.code, "")] * 2
        assert_same(outputs_of(command, trial.folder), whole.outputs)
        assert_same(outputs_of(other, trial.folder), other_outputs)
        assert trial.n_requests == whole.n_requests
