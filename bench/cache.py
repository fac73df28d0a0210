"""Speed of the warm cache compared with computing, and of a million texts with 10 % distinct ones.

Run with ``python bench/cache.py``.
"""

import tempfile
from datetime import date
from pathlib import Path

import numpy as np

from measuring import Options, machine, ratios, seconds, spread
from rated_texts import review_texts
from semscale.embedding import load_embedder
from semscale.weights.known import DEFAULT_MODEL

REPEATS = 10


def warm_cache(texts, turns):
    computing = load_embedder(DEFAULT_MODEL, cache=False)
    computing.embed(texts[:500])
    with tempfile.TemporaryDirectory() as folder:
        cached = load_embedder(DEFAULT_MODEL, cache=Path(folder))
        cached.embed(texts)
        computed, looked_up = [], []
        for _ in range(turns):
            computed.append(seconds(lambda: computing.embed(texts)))
            looked_up.append(seconds(lambda: cached.embed(texts)))
    print(
        f"warm cache: {spread([len(texts) / time for time in looked_up], 0)} texts/s, "
        f"{spread(ratios(computed, looked_up), 0)} times as fast as computing them (exact)"
    )


def duplicates(words, n_rows):
    """Return short texts of three words, each distinct text ten times, in random order."""
    rng = np.random.default_rng(0)
    n_distinct = n_rows // REPEATS
    places = rng.integers(0, len(words), (2 * n_distinct, 3))
    distinct = list(dict.fromkeys(" ".join(words[place] for place in row) for row in places))[:n_distinct]
    rows = rng.permutation(np.arange(n_rows) % n_distinct)
    texts = [distinct[row] for row in rows]
    embedder = load_embedder(DEFAULT_MODEL, cache=False)
    embedder.embed(distinct[:500])
    np.ones((n_rows, embedder.dimensions), np.float32)  # touch the memory once, as a running program has
    once = seconds(lambda: embedder.embed(distinct))
    all_rows = seconds(lambda: embedder.embed(texts))
    again = seconds(lambda: embedder.embed(distinct))
    reference = (once + again) / 2
    print(
        f"{n_rows:,} short texts, {n_distinct:,} distinct: {all_rows:.1f} s; the distinct ones alone "
        f"{once:.1f} s before and {again:.1f} s after; {100 * (all_rows / reference - 1):+.1f} %"
    )


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", None, quick=32, help="at most so many texts for the cache; all unless given")
    parser.add_size("--turns", 5, quick=1)
    parser.add_size("--rows", 1_000_000, quick=500, help="rows with duplicates; a tenth distinct")
    options = parser.parse_args()
    texts = review_texts()
    print(f"{date.today()}, {machine()}")
    warm_cache(texts[: options.texts], options.turns)
    print("to reach: 50 times as fast")
    duplicates(sorted({word for text in texts for word in text.split() if word.isalpha()}), options.rows)
    print("to reach: +5 %")


if __name__ == "__main__":
    main()
