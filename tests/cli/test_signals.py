"""Real signals to the program: at start-up, twice in a row, and after its work is done."""

import os
import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows delivers no signals to itself")

LOADING = """
import signal, sys
from semscale import __main__

class Stopping:
    # Python asks it where modules are; the program asks for its commands first.
    def find_spec(self, name, path=None, target=None):
        if name == "semscale.cli.main":
            signal.raise_signal({number})

sys.meta_path.insert(0, Stopping())
__main__.run()
"""

WORKING = """
import os, signal, sys
from semscale.cli import main, process

def work(arguments):
    {work}

main.main = lambda arguments, name: process.exit_code(lambda: work(arguments))
main.run()
"""

CLEANED_UP = """
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        signal.raise_signal(signal.SIGINT)
        sys.stdout.write("cleaned up")
"""

THROUGH_EXEC = """
    exec("signal.raise_signal(signal.SIGINT)")
"""

STUCK = """
    from semscale.cli import process
    try:
        signal.raise_signal(signal.SIGINT)
    finally:
        process.time.monotonic = lambda: 1e12
        signal.raise_signal(signal.SIGINT)
        sys.stdout.write("never")
"""

STOPPED = (
    "semscale: stopped; the same command starts again, or continues after the finished parts of an earlier "
    "run\n"
)


def run(program):
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_the_program_loads_prints_a_single_line(number):
    ended = run(LOADING.format(number=int(number)))
    message = "semscale: stopped before anything was done; the same command starts again\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", message)


@pytest.mark.exhaustive
def test_a_second_signal_at_once_does_not_disturb_the_cleaning_up():
    ended = run(WORKING.format(work=CLEANED_UP))
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "cleaned up", STOPPED)


@pytest.mark.exhaustive
def test_a_later_signal_ends_a_program_that_is_stuck():
    ended = run(WORKING.format(work=STUCK))
    message = "semscale: stopped at once; finished work is stored, and the same command continues after it\n"
    assert (ended.returncode, ended.stdout, ended.stderr) == (3, "", message)


def test_a_signal_inside_an_exec_gives_the_same_exit_code():
    """Python notes such an interrupt, and would die of the signal at its end, after it was handled."""
    ended = run(WORKING.format(work=THROUGH_EXEC))
    assert (ended.returncode, ended.stderr) == (3, STOPPED)
