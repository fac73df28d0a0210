"""Users of a ledger run as long as they hold their lock, which a killed process loses."""

import subprocess
import sys

from semscale.chat.ledger.locks import Owner

KILLED = """
import os, signal, sys
from pathlib import Path
from semscale.chat.ledger.locks import Owner
owner = Owner(Path(sys.argv[1]))
print(owner.name, flush=True)
sys.stdin.read()
"""


def test_a_user_runs_until_it_leaves(tmp_path):
    one, other = Owner(tmp_path), Owner(tmp_path)
    assert one.name != other.name
    assert one.is_alive(other.name)
    assert one.is_alive(one.name)
    other.leave()
    assert not one.is_alive(other.name)
    assert [path.name for path in tmp_path.iterdir()] == [one.name]
    one.leave()


def test_an_unknown_user_does_not_run(tmp_path):
    owner = Owner(tmp_path / "made")
    assert not owner.is_alive("nobody")
    owner.leave()


def test_a_killed_process_does_not_run(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    name = process.stdout.readline().strip()
    owner = Owner(tmp_path)
    assert owner.is_alive(name)
    process.kill()
    process.communicate()
    assert not owner.is_alive(name)
    assert not (tmp_path / name).exists()
    owner.leave()
