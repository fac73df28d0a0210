"""Ten million rows through ``rate_table``: seconds and peak memory.

Usage: ``python bench/streaming.py [--rows 10_000_000] [--formats parquet csv jsonl] [--json FILE]``

Each format runs in a new process. The rows have 5,000 distinct texts of 4 to 24 words, and vectors come from
a bag of hashed words, so everything except the model is measured. The order of the rows is checked in the
output. Memory is the kernel's peak of resident memory, mapped pages of files included.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import numpy as np
import polars as pl

from measuring import Options
from semscale.embedding.embedder import Embeddings
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import rate_table
from semscale.signature import Signature
from semscale.store.reading import open_table

BLOCK = 500_000
DISTINCT = 5_000
WORDS = "love hate this it works broke cheap good bad great awful battery screen price fine slow fast"
COLUMNS = RatingColumns(text="text", by=("region",), weight="weight", respondent="person")


class HashedWords:
    """Embeds texts as bags of hashed words; each distinct text is computed once."""

    dimensions = 64
    signature = Signature.of("embed", model="hashed-words")

    def __init__(self):
        self._known = {}

    def embed(self, texts, *, progress=None):
        """Embed texts; see ``Embedder``."""
        vectors = np.stack([self._vector(text) for text in texts])
        return Embeddings(vectors, np.ones(len(texts), dtype=np.int64))

    def _vector(self, text):
        if text not in self._known:
            vector = np.full(self.dimensions, 1e-3, dtype=np.float32)
            for word in text.lower().split():
                vector[zlib.crc32(word.encode()) % self.dimensions] += 1
            self._known[text] = vector / np.linalg.norm(vector)
        return self._known[text]


def write_input(path, rows):
    """Write the same rows in each format, a block at a time."""
    rng = np.random.default_rng(0)
    texts = np.array([" ".join(rng.choice(WORDS.split(), rng.integers(4, 25))) for _ in range(DISTINCT)])
    if path.suffix == ".parquet":
        blocks = path.with_suffix("")
        blocks.mkdir()
        for start in range(0, rows, BLOCK):
            block(texts, start, min(BLOCK, rows - start)).write_parquet(blocks / f"{start:012d}.parquet")
        pl.scan_parquet(blocks).sink_parquet(path)
        return
    with path.open("wb") as output:
        for start in range(0, rows, BLOCK):
            frame = block(texts, start, min(BLOCK, rows - start))
            if path.suffix == ".csv":
                frame.write_csv(output, include_header=start == 0)
            else:
                frame.write_ndjson(output)


def block(texts, start, n):
    rng = np.random.default_rng(start)
    return pl.DataFrame(
        {
            "id": np.arange(start, start + n),
            "text": texts[rng.integers(0, DISTINCT, n)],
            "region": np.array(["north", "south", "east", "west"])[rng.integers(0, 4, n)],
            "weight": rng.integers(1, 9, n) / 4,
            "person": [f"p{row // 2}" for row in range(start, start + n)],
        }
    )


def measure(source, out):
    """Rate one file in this process, and return the figures."""
    start = time.perf_counter()
    rater = Rater("quality", embedder=HashedWords(), floor=None)
    summary = rate_table(open_table(source), COLUMNS, rater=rater, out=out)
    seconds = time.perf_counter() - start
    return {
        "rows": summary.n,
        "seconds": round(seconds, 1),
        "rows_per_second": round(summary.n / seconds),
        "peak_mib": round(peak_bytes() / 2**20),
        "input_mib": round(source.stat().st_size / 2**20),
        "output_mib": round(out.stat().st_size / 2**20),
        "mean": summary.estimates.overall.mean.value,
        "method": summary.estimates.method,
    }


def peak_bytes():
    """Return the peak resident memory of this process."""
    status = Path("/proc/self/status")
    if status.exists():
        # On Linux ru_maxrss includes the parent process; VmHWM does not.
        (peak,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(peak.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # bytes on macOS


def in_order(out, rows):
    """Check that the output has every row, in the order of the input."""
    done = 0
    for batch in open_table(out).batches(BLOCK):
        if not (batch["id"].cast(pl.Int64).to_numpy() == np.arange(done, done + batch.height)).all():
            return False
        done += batch.height
    return done == rows


def run(rows, kind, folder):
    """Write the input, rate it in a process of its own, and check the output."""
    source, out = folder / f"in.{kind}", folder / f"out.{kind}"
    write_input(source, rows)
    command = [sys.executable, __file__, "--measure", str(source), str(out)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    figures = {"format": kind, **json.loads(ended.stdout), "in_order": in_order(out, rows)}
    for path in (source, out):
        path.unlink()
    return figures


def main():
    parser = Options(__doc__)
    parser.add_size("--rows", 10_000_000, quick=2000)
    parser.add_argument("--formats", nargs="+", default=["parquet", "csv", "jsonl"])
    parser.add_argument("--limit-mib", type=int, default=1536)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--measure", nargs=2, type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(*options.measure)))
        return 0
    results = []
    for kind in options.formats:
        with tempfile.TemporaryDirectory(prefix="semscale-bench-") as folder:
            results.append(run(options.rows, kind, Path(folder)))
        print(json.dumps(results[-1]), flush=True)
    if options.json:
        options.json.write_text(json.dumps(results, indent=2) + "\n")
    return int(not all(one["in_order"] and one["peak_mib"] < options.limit_mib for one in results))


if __name__ == "__main__":
    sys.exit(main())
