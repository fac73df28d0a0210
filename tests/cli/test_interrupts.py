"""Interrupts that come where Python drops exceptions, in a process of its own."""

import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows delivers no signals to itself")

DROPPING = """
import signal, weakref
from semscale.cli.process import catch_interrupts

class Thing:
    pass

catch_interrupts()
thing = Thing()
reference = weakref.ref(thing, lambda _: {work})
del thing
try:
    for _ in range({rounds}):
        pass
except KeyboardInterrupt:
    print("stopped")
"""


def run(work, rounds=10**9):
    program = DROPPING.format(work=work, rounds=rounds)
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_an_interrupt_inside_a_callback_is_not_lost(number):
    ended = run(f"signal.raise_signal(signal.{number})")
    assert (ended.stdout, ended.stderr) == ("stopped\n", "")


def test_other_exceptions_of_a_callback_are_shown():
    ended = run("[][1]", rounds=1)
    assert "IndexError" in ended.stderr
    assert ended.stdout == ""
