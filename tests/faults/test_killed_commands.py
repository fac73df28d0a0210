"""Long commands that are killed (kill -9) at random moments, and started again until they end."""

import itertools
import random
import signal
import sys

import pytest
from tests.support.commands import COMMANDS, CONCURRENCY
from tests.support.forking import Fault
from tests.support.points import NEEDED, n_points

pytestmark = NEEDED

POINTS = n_points(3, 50)
"""Moments at which each command is killed."""


def moments(name, whole):
    """Draw moments: every other one a step on the disk, the others a share of the undisturbed run's time."""
    chance = random.Random(name)
    while True:
        yield Fault(kill_at=chance.randint(1, whole.steps))
        yield Fault(kill_after=chance.uniform(0, whole.seconds))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_killed_at_random_moments_all_is_as_if_nothing_had_been(command, laboratory):
    whole = laboratory.whole(command)
    faults, n_killed, sent_again = moments(command.name, whole.ended), 0, []
    for n_kills in itertools.cycle([1, 2, 3]):
        trial = laboratory.trial(command)
        killed = 0
        for fault in itertools.islice(faults, min(n_kills, POINTS - n_killed)):
            ended = trial.run(fault)
            if ended.code != -signal.SIGKILL:
                break  # it had come to its end before
            killed += 1
        else:
            ended = trial.run()
        trial.assert_as(whole, ended)
        if command.asks:
            sent_again.append(trial.n_requests - whole.n_requests)
            assert sent_again[-1] <= killed * CONCURRENCY
        n_killed += killed
        if n_killed >= POINTS:
            break
    sys.stdout.write(f"{command.name}: killed {n_killed} times; calls sent again, by trial: {sent_again}\n")
