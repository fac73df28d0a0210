"""Users of a ledger run as long as they hold their lock, which a killed process loses."""

import subprocess
import sys

from semscale.chat.ledger.locks import LedgerUser

KILLED = """
import os, signal, sys
from pathlib import Path
from semscale.chat.ledger.locks import LedgerUser
user = LedgerUser(Path(sys.argv[1]))
print(user.name, flush=True)
sys.stdin.read()
"""


def test_a_user_runs_until_it_leaves(tmp_path):
    one, other = LedgerUser(tmp_path), LedgerUser(tmp_path)
    assert one.name != other.name
    assert one.is_alive(other.name)
    assert one.is_alive(one.name)
    other.leave()
    assert not one.is_alive(other.name)
    assert [path.name for path in tmp_path.iterdir()] == [one.name]
    one.leave()


def test_an_unknown_user_does_not_run(tmp_path):
    user = LedgerUser(tmp_path / "made")
    assert not user.is_alive("nobody")
    user.leave()


def test_a_killed_process_does_not_run(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    name = process.stdout.readline().strip()
    user = LedgerUser(tmp_path)
    assert user.is_alive(name)
    process.kill()
    process.communicate()
    assert not user.is_alive(name)
    assert not (tmp_path / name).exists()
    user.leave()
