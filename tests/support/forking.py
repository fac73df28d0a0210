"""Commands in processes that are forked from one which has imported everything: starting one takes no time.

As a program it reads a line of JSON with commands that run at once, and prints one that says how they ended.
"""

import gc
import json
import os
import select
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Self

from tests.support.clock import jump, stop_clock, stop_imported_clocks
from tests.support.disk_steps import DiskSteps
from tests.support.rights import heed_permissions

ROOT = Path(__file__).parents[2]
_SLOW = frozenset(
    ("alembic", "httpx", "jinja2", "jsonschema", "narwhals", "openai", "openvino", "polars")
    + ("pydantic", "rich", "semscale", "sqlalchemy", "tokenizers", "xlsxwriter")
)
LONGEST = 300.0
"""Seconds after which a command counts as hanging."""


@dataclass(frozen=True)
class Fault:
    """How a command is disturbed.

    Attributes:
        kill_at: its step on the disk before which it is killed, from 1.
        kill_after: seconds after which it is killed.
        jump_at: its step on the disk before which the clock jumps.
        days: how far, negative for backward.
        largest: bytes of a file above which a write fails.
        heeds_permissions: whether it lacks root's right to write everywhere.
    """

    kill_at: int | None = None
    kill_after: float | None = None
    jump_at: int | None = None
    days: int = 0
    largest: int | None = None
    heeds_permissions: bool = False

    def begin(self) -> DiskSteps:
        """Let it happen to this process."""
        if self.largest is not None:
            _limit_files(self.largest)
        if self.heeds_permissions:
            heed_permissions()
        if self.kill_at is not None:
            return DiskSteps(self.kill_at, lambda: os.kill(os.getpid(), signal.SIGKILL))
        return DiskSteps(self.jump_at, lambda: jump(self.days))


@dataclass(frozen=True)
class Start:
    """A command to start.

    Attributes:
        words: of the command line, without the program's name.
        folder: where it runs.
        notes: folder, elsewhere, for what it prints.
        fault: how it is disturbed.
    """

    words: Sequence[str]
    folder: str
    notes: str
    fault: Fault = field(default_factory=Fault)


@dataclass(frozen=True)
class Ended:
    """How a command ended.

    Attributes:
        code: its exit code, or the negative number of the signal that ended it.
        out: what it printed.
        err: its errors.
        seconds: how long it ran.
        work: seconds of the processor that it took.
        steps: its steps on the disk; 0 if it was killed.
        imported: modules that it imported.
    """

    code: int
    out: str
    err: str
    seconds: float
    work: float
    steps: int
    imported: Sequence[str] = ()


class Starter:
    """Starts commands; a context manager, and one process for all of them.

    Args:
        notes: folder for what they print.
        environment: variables that they have beside this process's.
    """

    def __init__(self, notes: Path, environment: Mapping[str, str]) -> None:
        self._notes, self._n = notes, 0
        single = {"OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
        self._process = Popen(
            [sys.executable, "-m", "tests.support.forking"],
            stdin=PIPE,
            stdout=PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **single, **environment},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, words: Sequence[str], folder: Path, fault: Fault | None = None) -> Ended:
        """Run a command to its end, its own or another."""
        (ended,) = self.run_at_once((words,), folder, fault)
        return ended

    def run_at_once(
        self, commands: Sequence[Sequence[str]], folder: Path, fault: Fault | None = None
    ) -> list[Ended]:
        """Run commands beside each other in one folder."""
        starts = []
        for words in commands:
            self._n += 1
            notes = self._notes / str(self._n)
            notes.mkdir()
            for name in ("out", "err", "ended"):
                (notes / name).touch()
            starts.append(asdict(Start(words, str(folder), str(notes), fault or Fault())))
        print(json.dumps(starts), file=self._process.stdin, flush=True)
        return [Ended(**fields) for fields in json.loads(self._process.stdout.readline())]


def _work(start: Start) -> None:
    """Turn this forked process into the command."""
    for name, stream in (("out", 1), ("err", 2)):
        handle = os.open(f"{start.notes}/{name}", os.O_WRONLY)
        os.dup2(handle, stream)
        os.close(handle)
    os.chdir(start.folder)
    os.environ["SEMSCALE_CACHE"], os.environ["HOME"] = f"{start.folder}/cache", f"{start.folder}/home"
    notes = os.open(f"{start.notes}/ended", os.O_WRONLY)
    sys.argv = ["semscale", *start.words]
    steps = start.fault.begin()
    code = 0
    try:
        import_module("semscale.cli.main").run()
    except SystemExit as end:
        code = end.code
    _limit_files(None)
    # Python's own way out takes half a second to free what was imported.
    os.write(notes, json.dumps([steps.count, *sys.modules]).encode())
    sys.stderr.flush()
    os._exit(code)


def _limit_files(largest: int | None) -> None:
    import resource  # Windows has none

    _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (hard if largest is None else largest, hard))


def _ended(start: Start, began: float, pid: int) -> Ended:
    """Wait for a command; kill it when it is time, or abort it when it takes too long."""
    limit = start.fault.kill_after
    left = (LONGEST if limit is None else limit) - (time.monotonic() - began)
    handle = os.pidfd_open(pid)
    if not select.select([handle], [], [], max(left, 0))[0]:
        os.kill(pid, signal.SIGABRT if limit is None else signal.SIGKILL)
    os.close(handle)
    _, status, used = os.wait4(pid, 0)
    code, seconds = os.waitstatus_to_exitcode(status), time.monotonic() - began
    out, err = (Path(start.notes, name).read_text("utf-8", "replace") for name in ("out", "err"))
    steps, *imported = json.loads(Path(start.notes, "ended").read_text() or "[0]")
    return Ended(code, out, err, seconds, used.ru_utime + used.ru_stime, steps, imported)


def _serve() -> None:
    stop_clock()
    _build_commands()
    _load_identifier()
    for line in sys.stdin:
        starts = [Start(**{**fields, "fault": Fault(**fields["fault"])}) for fields in json.loads(line)]
        stop_imported_clocks()
        gc.freeze()  # children share this memory as long as nobody touches it
        began, running = time.monotonic(), []
        for start in starts:
            pid = os.fork()
            if pid == 0:
                _work(start)
                return
            running.append((start, pid))
        ended = [_ended(start, began, pid) for start, pid in running]
        _import_all({name for outcome in ended for name in outcome.imported})
        sys.stdout.write(json.dumps([{**asdict(outcome), "imported": ()} for outcome in ended]) + "\n")
        sys.stdout.flush()


def _build_commands() -> None:
    """Import all commands once; a program, which runs one, imports it at every start."""
    import_module("semscale.cli.main").program().resolved_commands()


def _load_identifier() -> None:
    """Unpack the identifier of languages once: it takes longer than most of these commands without it."""
    import_module("semscale.results.languages").identify_languages(["Words to look at."])


def _import_all(names: set[str]) -> None:
    """Import what commands have imported, so that the next ones find it."""
    for name in sorted(names - set(sys.modules)):
        if name.partition(".")[0] in _SLOW and ".migrations." not in name:
            import_module(name)


if __name__ == "__main__":
    _serve()
