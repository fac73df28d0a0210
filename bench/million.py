"""Seconds and peak memory of ``rate``, ``code``, ``match`` and ``tables`` at 100,000 and a million rows.

Run with ``python bench/million.py``. Every run is a command in a new process, on the files of ``growth.py``:
half of the rows repeat the text of another row, and the encoder is a small random one.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import growth
from measuring import Options, machine

COMMANDS = {"rate": "rate", "code": "code", "match": "match, cosine", "tables": "tables"}
"""Names in ``growth.COMMANDS``."""


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
    """Run a command on both files, and print its figures."""
    peaks = []
    for n in (options.small, options.large):
        run = growth.measured(COMMANDS[name], folder, n, options, url="")
        print(f"{name:8} {n:9,} {run['wall']:8.0f} {run['processor']:12.0f} {run['mib']:6.0f}", flush=True)
        peaks.append(run["mib"])
    small, large = peaks
    bytes_a_row = (large - small) * 2**20 / (options.large - options.small)
    print(f"{name:8} memory: {large / small:.2f} times, {bytes_a_row:.0f} bytes a further row", flush=True)


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
        for command in options.only:
            compare(command, folder, options)


if __name__ == "__main__":
    main()
