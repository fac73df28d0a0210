"""Seconds and peak memory of ``rate``, ``code``, ``match`` and ``tables`` at 100,000 and a million rows.

Run with ``python bench/million.py``. Every run is a command in a new process, on the files of ``growth.py``:
half of the rows repeat the text of another row, and the encoder is a small random one. Memory is flat if the
larger file takes at most 1.2 times the memory of the smaller one, without the bytes that a command holds
of each row by design; the exit code is 1 otherwise.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import growth
from measuring import Options, machine

COMMANDS = {"rate": "rate", "code": "code", "match": "match, cosine", "tables": "tables"}
"""Names in ``growth.COMMANDS``."""
FLAT = 1.2
HELD = {"tables": 350}
"""Bytes of each row: ``tables`` holds the answers, and a number for each line of a question."""


def parsed():
    """Read the options."""
    parser = Options(__doc__)
    parser.add_size("--small", 100_000, quick=200)
    parser.add_size("--large", 1_000_000, quick=400)
    parser.add_argument("--only", nargs="+", default=list(COMMANDS), choices=list(COMMANDS))
    parser.add_argument("--duplicates", type=float, default=0.5, help="share of texts seen before")
    parser.add_argument("--part-rows", type=int, default=50_000, help="rows that are held at once")
    return parser.parse_args()


def compare(name, folder, options):
    """Run a command on both files, print its figures, and return whether its memory is flat."""
    runs = {}
    for n in (options.small, options.large):
        runs[n] = run = growth.measured(COMMANDS[name], folder, n, options, url="")
        print(f"{name:8} {n:9,} {run['wall']:8.0f} {run['processor']:12.0f} {run['mib']:6.0f}", flush=True)
    held = HELD.get(name, 0)
    flat = [run["mib"] - held * n / 2**20 for n, run in runs.items()]
    ratio = flat[1] / flat[0]
    print(f"{name:8} memory: {ratio:.2f} times, without {held} bytes a row (to reach: {FLAT})", flush=True)
    return ratio <= FLAT


def main():
    """Measure the commands."""
    options = parsed()
    print(f"{machine()}; model: {growth.SMALL}; {options.duplicates:.0%} duplicates")
    print("command       rows   wall s  processor s    MiB")
    with tempfile.TemporaryDirectory(prefix="semscale-million-") as name:
        folder = Path(name)
        (folder / "model").mkdir()
        write_model = [sys.executable, growth.__file__, "--write-model", str(folder / "model")]
        subprocess.run(write_model, check=True)
        are_flat = [compare(command, folder, options) for command in options.only]
    return int(not all(are_flat))


if __name__ == "__main__":
    sys.exit(main())
