"""Texts per second and core on a local Ray cluster compared with a single process, in turn.

Usage: ``python bench/cluster.py [--texts 6000] [--part-rows 250] [--turns 3] [--model NAME]``

Both embed the same distinct texts part by part, with as many threads as there are processors: one process
with all of them, and actors with one each. The comparison begins when two parts per processor are finished,
so that the start of actors does not count. Processor seconds include all child processes; on a machine with
other work they are the fairer measure. The vectors of both are compared to the last bit.
"""

import os
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
import polars as pl

from measuring import Options, processor_seconds, ratios, spread
from semscale.distributed.cluster import connect
from semscale.distributed.cluster_parts import ClusterParts
from semscale.distributed.datasets import EmbeddingRecipe, ModelRecipe
from semscale.embedding import load_embedder
from semscale.embedding.embedder import processors
from semscale.embedding.table import VECTOR, EmbeddingColumns, EmbeddingTable
from semscale.results.instrument import measure_part
from semscale.store.reading import open_table
from semscale.weights.known import DEFAULT_MODEL

WORDS = ["love", "hate", "this", "it", "works", "broke", "cheap", "good", "bad", "great", "awful", "battery"]


def write_texts(path, n):
    """Write distinct texts of 8 to 24 words."""
    rng = np.random.default_rng(0)
    texts = [f"{row} " + " ".join(rng.choice(WORDS, rng.integers(7, 24))) for row in range(n)]
    pl.DataFrame({"text": texts}).write_parquet(path)


def descendants(pid):
    """List a process and all its descendants, from /proc."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1])
    found = {pid}
    while more := {each for each, parent in parents.items() if parent in found} - found:
        found |= more
    return found


class Meter:
    """Processor seconds of this process and of all its descendants, also of those that have ended."""

    def __init__(self):
        self._first, self._last = {}, {}
        self.read()
        self._first = dict(self._last)

    def read(self):
        """Read the times of all processes once."""
        for pid in descendants(os.getpid()):
            seconds = processor_seconds(pid) if Path(f"/proc/{pid}").exists() else float("nan")
            if not np.isnan(seconds):
                self._last[pid] = seconds

    @property
    def spent(self):
        """Return the seconds of all processes since the beginning."""
        return sum(seconds - self._first.get(pid, 0.0) for pid, seconds in self._last.items())

    @property
    def own(self):
        """Return the seconds of this process."""
        return self._last[os.getpid()] - self._first[os.getpid()]


def warm_parts(n_texts, part_rows):
    """Return the number of first parts to skip, at most half, as actors may still load their models."""
    return max(1, min(2 * processors(), n_texts // part_rows // 2))


def measured(instrument, table, part_rows):
    """Measure the parts of a table in this process, and yield their columns."""
    for number, batch in enumerate(table.batches(part_rows)):
        yield measure_part(instrument, batch, number * part_rows, table.name)[0].rows


def timed(parts, warm):
    """Process all parts; return texts per second and per processor second, seconds per text, and vectors."""
    frames = list(islice(parts, warm))
    n_first = sum(frame.height for frame in frames)
    clock, meter = time.perf_counter(), Meter()
    for frame in parts:
        meter.read()
        frames.append(frame)
    wall = time.perf_counter() - clock
    vectors = pl.concat(frame[VECTOR] for frame in frames).to_numpy()
    rows = len(vectors) - n_first
    return rows / wall, rows / meter.spent, meter.own / rows, vectors


def main():
    """Print a line for each of the two, and the ratios."""
    parser = Options(__doc__)
    parser.add_size("--texts", 6000, quick=200)
    parser.add_size("--part-rows", 250, quick=50)
    parser.add_size("--turns", 3, quick=1)
    parser.add_argument("--model", default=DEFAULT_MODEL)
    options = parser.parse_args()
    results = {"one process": [], "cluster": []}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.parquet")
        write_texts(file, options.texts)
        table, warm = open_table(file), warm_parts(options.texts, options.part_rows)
        for _ in range(options.turns):
            columns = EmbeddingColumns(text="text")
            instrument = EmbeddingTable(columns, load_embedder(options.model, cache=False))
            results["one process"].append(timed(measured(instrument, table, options.part_rows), warm))
            recipe = EmbeddingRecipe(ModelRecipe(options.model, cache=False), columns)
            with connect("local"):
                parts = ClusterParts(recipe).parts(instrument, table, options.part_rows, 0)
                results["cluster"].append(timed((part.frame for part in parts), warm))
    print(
        f"{options.texts} texts in parts of {options.part_rows}, {processors()} processors, {options.model}"
    )
    for name, turns in results.items():
        walls, spents, owns, _ = zip(*turns, strict=True)
        print(
            f"{name}: {spread(walls, 0)} texts/s, {spread(spents, 0)} texts per processor second; "
            f"the process itself {spread([own * 1e6 for own in owns], 0)} processor seconds per million texts"
        )
    one, many = results["one process"], results["cluster"]
    print("cluster/one process, texts/s:", spread(ratios([t[0] for t in many], [t[0] for t in one])))
    print("texts per processor second:", spread(ratios([t[1] for t in many], [t[1] for t in one])))
    same = all((a[3] == b[3]).all() for a, b in zip(one, many, strict=True))
    print("vectors equal to the last bit:", "yes" if same else "no")


if __name__ == "__main__":
    main()
