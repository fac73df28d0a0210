"""Users of a ledger run as long as they hold their lock, which a killed process loses."""

import subprocess
import sys

from semscale.chat.ledger.file import LedgerUser

KILLED = """
import os, signal, sys
from pathlib import Path
from semscale.chat.ledger.file import LedgerUser
user = LedgerUser(Path(sys.argv[1]))
print(user.name, flush=True)
sys.stdin.read()
"""


def users_in(folder):
    return [path.name for path in folder.iterdir() if path.name != "entrance"]


def test_a_user_runs_until_it_leaves(tmp_path):
    one, other = LedgerUser(tmp_path), LedgerUser(tmp_path)
    assert one.name != other.name
    assert one.is_alive(other.name)
    assert one.is_alive(one.name)
    other.leave()
    assert not one.is_alive(other.name)
    assert users_in(tmp_path) == [one.name]
    one.leave()
    assert users_in(tmp_path) == []


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


def test_the_next_user_removes_those_that_were_killed(tmp_path):
    running = LedgerUser(tmp_path)
    for _ in range(2):
        command = [sys.executable, "-c", KILLED, str(tmp_path)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()  # it has begun
            process.kill()
    user = LedgerUser(tmp_path)
    assert set(users_in(tmp_path)) == {running.name, user.name}
    running.leave()
    user.leave()
