"""Speed of each precision on few texts of many lengths, and what batches of mixed lengths gain.

Run with ``python bench/small_files.py``. Each turn has other sentences of product reviews. ``fast`` and
``turbo`` are also timed with batches of one length, which give the same vectors; ``cpu`` is the ratio of
processor seconds.
"""

import time
from datetime import date
from unittest.mock import patch

import numpy as np

from measuring import Options, machine, ratios, spread
from rated_texts import review_texts
from semscale.embedding import load_embedder, openvino
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

ENGINES = {
    DEFAULT_MODEL: ("exact", "fast"),
    DEFAULT_RATING_MODEL: ("exact", "fast", "turbo"),
}
ONE_LENGTH = "of one length"


def embed_timed(engine, texts, name):
    """Embed texts, and return their vectors, wall seconds and processor seconds."""
    mixed = not name.endswith(ONE_LENGTH)
    pads_rows = openvino.pads_rows if mixed else lambda arithmetic: False
    with patch.object(openvino, "pads_rows", pads_rows):
        wall, processor = time.perf_counter(), time.process_time()
        vectors = engine.embed(texts).vectors
        return vectors, time.perf_counter() - wall, time.process_time() - processor


def compare(model, sizes, turns):
    """Print the speed of a model's precisions, as a ratio to ``exact``, and the gain by mixed lengths."""
    every = review_texts()
    names = [name for each in ENGINES[model] for name in (each, f"{each} {ONE_LENGTH}")]
    names.remove(f"exact {ONE_LENGTH}")  # which `exact` always has
    engines = {name: load_embedder(model, precision=name.split()[0], cache=False) for name in names}
    for name, engine in engines.items():
        embed_timed(engine, ["short", "a longer text, so that all models are compiled"], name)
    rng = np.random.default_rng(0)
    for size in (min(size, len(every)) for size in sizes):
        taken = {name: [] for name in names}
        for _ in range(turns):
            texts = [every[row] for row in rng.permutation(len(every))[:size]]
            vectors = {}
            for name, engine in engines.items():
                vectors[name], *times = embed_timed(engine, texts, name)
                taken[name].append(times)
            check_equal(vectors)
        show(size, taken)


def check_equal(vectors):
    """Check that vectors are the same with batches of one length."""
    for name in vectors:
        if name.endswith(ONE_LENGTH) and not np.array_equal(vectors[name], vectors[name.split()[0]]):
            raise SystemExit(f"vectors differ from those of {name}")


def show(size, taken):
    """Print speeds and ratios from wall seconds and processor seconds of each turn."""
    for name, times in taken.items():
        speed = size / np.median([wall for wall, _ in times])
        of_exact = " ".join(gains(taken["exact"], times))
        print(f"{size:6,} {name:20} {speed:7,.0f} texts/s, of exact {of_exact}", flush=True)
        if name.endswith(ONE_LENGTH):
            mixed = name.split()[0]
            print(f"{size:6,} {mixed}: gain by mixed lengths {' '.join(gains(times, taken[mixed]))}")


def gains(theirs, ours):
    """Return the ratios of wall seconds and of processor seconds."""
    wall, processor = (
        spread(ratios([times[at] for times in theirs], [times[at] for times in ours])) for at in (0, 1)
    )
    return wall, f"cpu {processor}"


def main():
    parser = Options(__doc__)
    parser.add_size("--model", list(ENGINES), quick=[DEFAULT_MODEL], choices=list(ENGINES))
    parser.add_size("--sizes", [100, 400, 3697], quick=[10])
    parser.add_size("--turns", 7, quick=1)
    options = parser.parse_args()
    print(f"{date.today()}, {machine()}")
    for model in options.model:
        print(f"\n{model}")
        compare(model, options.sizes, options.turns)


if __name__ == "__main__":
    main()
