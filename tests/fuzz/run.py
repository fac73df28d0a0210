"""``make fuzz``: explores every target for its share of the time, times it, and prints a line for each.

``python run.py SECONDS [TARGET...]``. Inputs that broke a reader stay in ``fuzz-findings``; put each into
``tests/fuzz/corpus`` under a name that says what broke, and mend the reader. Exit code 1: there is one.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.fuzz.explore import explore, load_targets

HERE = Path(__file__).parent
FINDINGS = Path("fuzz-findings")
_PATIENCE = 90
"""Seconds that a process may take beyond its share before it counts as hung."""


@dataclass
class Explored:
    """What was found in a target.

    Attributes:
        cases: inputs that were tried.
        broken: file of an input for each way in which the reader broke.
    """

    cases: int = 0
    broken: dict[str, str] = field(default_factory=dict)


def explored(target, seconds: float) -> Explored:
    """Explore a target in processes of its own; one that dies is a finding, and another one goes on."""
    result, until = Explored(), time.monotonic() + seconds
    while (left := until - time.monotonic()) > 1:
        folder = FINDINGS / target.name / str(len(list((FINDINGS / target.name).glob("*"))))
        folder.mkdir(parents=True)
        ended = _in_a_fork(target, left, folder)
        path = folder / "found.json"
        if path.exists():
            content = json.loads(path.read_text())
            result.cases += content["cases"]
            result.broken |= {way: str(folder / file) for way, file in content["broken"].items()}
        if ended:
            result.broken.setdefault(ended, str(folder / "current"))
    return result


def _in_a_fork(target, seconds: float, folder: Path) -> str | None:
    """Explore in a child process, which has all readers loaded, and say how it died if it did."""
    child = os.fork()
    if not child:
        log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT)
        os.dup2(log, 1)
        os.dup2(log, 2)
        try:
            explore(target, seconds, folder)
        finally:
            os._exit(1)  # not reached where all is well
    until = time.monotonic() + seconds + _PATIENCE
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return None if status == 0 else f"the process died (status {os.waitstatus_to_exitcode(status)})"
        time.sleep(0.2)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "the process hung"


def timed(names: list[str]) -> dict[str, float]:
    command = [sys.executable, str(HERE / "timing.py"), str(FINDINGS), *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout)


def main(seconds: str, *names: str) -> int:
    targets = load_targets()
    chosen = list(names or targets)
    shutil.rmtree(FINDINGS, ignore_errors=True)
    result = {}
    for name in chosen:
        result[name] = explored(targets[name], float(seconds) / len(chosen))
        print(f"{name}: {result[name].cases:,} cases, {len(result[name].broken)} broken", flush=True)  # noqa: T201
    rates = timed(chosen)
    print(f"\n{'target':<16}{'cases':>10}{'broken':>8}{'slowest, s per MB':>20}")  # noqa: T201
    for name, exploration in result.items():
        print(f"{name:<16}{exploration.cases:>10,}{len(exploration.broken):>8}{rates[name]:>20.2f}")  # noqa: T201
        for way, file in exploration.broken.items():
            print(f"    {way}: {file}")  # noqa: T201
    return int(any(exploration.broken for exploration in result.values()))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
