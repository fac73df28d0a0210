"""Runs over files that are killed (kill -9) at random moments and started again.

As a program, ``python -m tests.killed_runs MODULE:FUNCTION FOLDER KIND``, it reads numbers from its standard
input. For each number n it forks a process that calls ``FUNCTION(folder, kind)`` and kills itself at its n-th
step on the disk, or never where n is 0. It prints the exit code of every process.
"""

import os
import random
import signal
import sys
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, Popen

ROOT = Path(__file__).parents[1]


def assert_killed_runs_end_the_same(run, folder, kind, whole, *, n_starts=4, longest=25):
    """Kill a run a few times, let it finish, and compare its output with that of an undisturbed run.

    Args:
        run: ``module:function`` that writes ``folder / f"out.{kind}"``.
        folder: where the run works.
        kind: ending of the output.
        whole: bytes of an undisturbed run's output.
        n_starts: number of runs that are killed.
        longest: steps on the disk before a run is killed, at most.
    """
    out, rng, n_kills = folder / f"out.{kind}", random.Random(kind), 0
    command = [sys.executable, "-m", "tests.killed_runs", run, str(folder), kind]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True, cwd=ROOT) as starting:
        for steps in [rng.randint(2, longest) for _ in range(n_starts)] + [0]:
            print(steps, file=starting.stdin, flush=True)
            code = int(starting.stdout.readline())
            if code != 0:
                assert code == -signal.SIGKILL
                n_kills += 1
                # Until it is whole there is no output under its name.
                assert not out.exists() or out.read_bytes() == whole
    assert n_kills >= 2
    assert out.read_bytes() == whole
    assert not out.with_name(f"{out.name}.parts").exists()


def _kill_at_step(steps):
    """Kill this process at its n-th step on the disk; every write passes through one of these calls."""
    left = steps

    def counted(call):
        def step(*arguments, **settings):
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return call(*arguments, **settings)

        return step

    os.fsync, Path.replace, Path.unlink = map(counted, (os.fsync, Path.replace, Path.unlink))


def _start_runs(name, folder, kind):
    module, function = name.split(":")
    run = getattr(import_module(module), function)
    # One process for each line, which finds everything imported and nothing done.
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            signal.alarm(120)
            _kill_at_step(int(line))
            run(Path(folder), kind)
            sys.exit()
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _start_runs(*sys.argv[1:])
