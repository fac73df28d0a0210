"""Shared parts of the benchmarks: options, other libraries, spreads of ratios, the machine's speed."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

INNER = 4  # the feed-forward matrices are four times as wide as a hidden state
ROOT = Path(__file__).parents[1]
BENCH_PYTHON = ROOT / ".bench-venv" / "bin" / "python"
UQLM_PYTHON = ROOT / ".uqlm-venv" / "bin" / "python"
"""Folder with the environments of the other libraries, created by ``make bench``."""


class Options(argparse.ArgumentParser):
    """Options of a benchmark; each size has a default for figures, and a small one for ``--quick``."""

    def __init__(self, description: str) -> None:
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(description=description, formatter_class=form, allow_abbrev=False)
        self._quick: dict[str, object] = {}
        self.add_argument("--quick", action="store_true", help="small sizes: only shows that the script runs")

    def add_size(self, name: str, full: object, *, quick: object, **settings: object) -> None:
        """Add an option with the default ``full``, or ``quick`` with ``--quick``.

        Args:
            name: name with its dashes.
            full: default; ``None`` means everything.
            quick: default of a quick run; its type, or that of its first item, is the option's
                type.
            settings: further arguments of ``add_argument``.
        """
        if isinstance(quick, list):
            settings = {"type": type(quick[0]), "nargs": "+", **settings}
        added = self.add_argument(name, default=full, **{"type": type(quick), **settings})
        self._quick[added.dest] = quick

    def add_peer(self, library: str, python: Path = BENCH_PYTHON) -> None:
        """Add the option that names the environment of another library."""
        self.add_argument("--peer", default=str(python), help=f"Python with {library}; default: %(default)s")

    def parse_args(self, args=None, namespace=None):
        """Parse arguments, with the small sizes if ``--quick`` is among them."""
        if "--quick" in (sys.argv[1:] if args is None else args):
            self.set_defaults(**self._quick)
        return super().parse_args(args, namespace)


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of another process; NaN on systems without /proc."""
    status = Path(f"/proc/{pid}/stat")
    if not status.is_file():
        return float("nan")
    # The second field is the name in brackets, which may hold spaces; user and system time are 14 and 15.
    after_name = status.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def peak_megabytes(
    command: Sequence[str], environment: Mapping[str, str] | None = None, accepted: Sequence[int] = (0,)
) -> float:
    """Run a process to its end, and return its peak memory, in MB of 1,000,000 bytes.

    Args:
        command: the program and its arguments.
        environment: variables that are added to those of this process.
        accepted: exit codes of a successful run.
    """
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in accepted:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    unit = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * unit / 1e6


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Return the median with the smallest and the largest value."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def ratios(theirs: Sequence[float], ours: Sequence[float]) -> list[float]:
    """Return how many times faster Semscale was in each turn, so that changes of the machine affect both."""
    return [their / our for their, our in zip(theirs, ours, strict=True)]


def sgemm_peak(size: int = 2048, turns: int = 9) -> float:
    """Return the best speed of NumPy's float32 matrix product on all cores, in Gflop/s."""
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    left @ right
    return 2 * size**3 / min(seconds(lambda: left @ right) for _ in range(turns)) / 1e9


def encoder_gigaflops(shape, lengths: np.ndarray) -> float:
    """Return the multiplications and additions of an encoder's matrix products, in Gflop.

    Products with DeBERTa's distances are left out.
    """
    products = 2 * shape.layers * (4 + 2 * INNER) * shape.hidden**2 * lengths.sum()
    attention = 2 * shape.layers * 2 * shape.hidden * (lengths.astype(float) ** 2).sum()
    return (products + attention) / 1e9


def machine() -> str:
    name = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.is_file():
        models = [
            line.split(":")[1].strip()
            for line in information.read_text().splitlines()
            if "model name" in line
        ]
        name = f"{models[0]}, {len(models)} logical processors" if models else name
    return f"{name}, {platform.system()}, Python {platform.python_version()}"


class Peer:
    """Another library in its own environment; it gets its task once and is then timed in each turn."""

    def __init__(self, python: str, script: str, order: dict) -> None:
        if not Path(python).is_file():
            raise SystemExit(f"no Python at {python}: make bench sets it up, and --peer names another one")
        path = Path(__file__).parent / "peers" / script
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - open as long as the process runs
        self._process = subprocess.Popen(
            [python, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
        )
        self.about = self._ask(json.dumps(order))

    def turn(self, what: str = "run") -> float:
        """Return the seconds of one run."""
        return self._ask(what)

    def _ask(self, line: str):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            code = self._process.wait()
            self._errors.seek(0)
            raise SystemExit(f"the peer stopped with exit code {code}\n{self._errors.read()[-2000:]}")
        return json.loads(answer)


@contextmanager
def postgres(folder: str) -> Iterator[str | None]:
    """Yield the URL of a PostgreSQL server that runs during the ``with`` block; ``None`` without pgserver."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of this machine that pgserver could use
        try:
            import pgserver
        except ImportError:
            yield None
            return
        server = pgserver.get_server(folder, cleanup_mode="delete")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()
