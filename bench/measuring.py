"""What every benchmark does alike: taking turns, ratios with their spread, and the machine's own speed."""

import json
import os
import platform
import statistics
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

INNER = 4  # the feed-forward matrices are four times as wide as a hidden state


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def processor_seconds(pid: int) -> float:
    """Processor seconds that another process has used; NaN where the system does not tell (no /proc)."""
    status = Path(f"/proc/{pid}/stat")
    if not status.is_file():
        return float("nan")
    # The second field is the name in brackets, which may hold spaces; user and system time are 14 and 15.
    after_name = status.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def spread(values: Sequence[float], digits: int = 2) -> str:
    """Median with the smallest and the largest."""
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} to {max(values):.{digits}f})"


def ratios(theirs: Sequence[float], ours: Sequence[float]) -> list[float]:
    """How many times faster ours was, turn by turn, so that a drifting machine hits both sides."""
    return [their / our for their, our in zip(theirs, ours, strict=True)]


def sgemm_peak(size: int = 2048, turns: int = 9) -> float:
    """Best float32 matrix product of NumPy on all cores, in Gflop/s."""
    rng = np.random.default_rng(0)
    left, right = (rng.standard_normal((size, size), dtype=np.float32) for _ in range(2))
    left @ right
    return 2 * size**3 / min(seconds(lambda: left @ right) for _ in range(turns)) / 1e9


def encoder_gigaflops(shape, lengths: np.ndarray) -> float:
    """Multiplications and additions of an encoder's matrix products, in Gflop.

    Those with DeBERTa's distances are left out.
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
    """Another library in its own environment: told what to do once, then timed turn by turn."""

    def __init__(self, python: str, script: str, order: dict) -> None:
        path = Path(__file__).parent / "peers" / script
        self._process = subprocess.Popen(
            [python, str(path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.about = self._ask(json.dumps(order))

    def turn(self, what: str = "run") -> float:
        """Seconds of one run."""
        return self._ask(what)

    def _ask(self, line: str):
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"the peer stopped with exit code {self._process.wait()}")
        return json.loads(answer)


@contextmanager
def postgres(folder: str) -> Iterator[str | None]:
    """The URL of a server that runs as long as it is measured; None without pgserver."""
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
