"""Processor seconds of ``rate`` and ``match`` beside the encoder: all vectors are in the cache.

Run with ``python bench/warm.py``. The texts are distinct runs of words of the product reviews. Their vectors
are drawn at random near those of some of the texts, as the encoder would take minutes. Every run is a command
in a new process; a first one, which is not counted, stores the vectors of the anchors.
"""

import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from growth import process
from measuring import Options, machine, spread
from rated_texts import review_texts
from semscale.embedding import load_embedder
from semscale.embedding.cache import EmbeddingCache, cache_keys
from semscale.embedding.embedder import Embeddings
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

SHORTEST, LONGEST = 5, 16  # words of a text
ENCODED, NOISE = 600, 0.01
COMMANDS = {
    "rate": "rate {folder}/texts.csv --text text --scale quality --by region",
    "match": "match {folder}/pairs.csv --prediction text --reference other --by region --method cosine",
}


def distinct_texts(n):
    """Return n distinct texts of 5 to 16 words."""
    rng = np.random.default_rng(0)
    words = " ".join(review_texts()).split()
    texts = {}
    while len(texts) < n:
        start, length = rng.integers(len(words) - LONGEST), rng.integers(SHORTEST, LONGEST + 1)
        texts[" ".join(words[start : start + length])] = None
    return list(texts)


def fill(cache, name, texts):
    """Store a vector of each text near that of one of the first texts."""
    embedder = load_embedder(name, cache=False)
    near = embedder.embed(texts[:ENCODED]).vectors
    rng = np.random.default_rng(0)
    vectors = near[rng.integers(len(near), size=len(texts))]
    vectors += NOISE * rng.standard_normal(vectors.shape, dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    windows, unknown = np.ones(len(texts), np.int64), np.zeros(len(texts), np.float32)
    cache.put_many(cache_keys(str(embedder.signature), texts), Embeddings(vectors, windows, unknown))


def write_inputs(folder, rows, pairs):
    """Write both tables, and fill the cache in the folder."""
    texts = distinct_texts(max(rows, 2 * pairs))
    regions = [["north", "east", "south", "west"][row % 4] for row in range(len(texts))]
    pl.DataFrame({"text": texts[:rows], "region": regions[:rows]}).write_csv(folder / "texts.csv")
    columns = {"text": texts[:pairs], "other": texts[pairs : 2 * pairs], "region": regions[:pairs]}
    pl.DataFrame(columns).write_csv(folder / "pairs.csv")
    with EmbeddingCache(folder) as cache:
        fill(cache, DEFAULT_RATING_MODEL, texts[:rows])
        fill(cache, DEFAULT_MODEL, texts[: 2 * pairs])


def main():
    """Measure both commands."""
    parser = Options(__doc__)
    parser.add_size("--rows", 100_000, quick=100)
    parser.add_size("--pairs", 10_000, quick=50)
    parser.add_size("--turns", 3, quick=1)
    options = parser.parse_args()
    print(f"{machine()}; {options.rows:,} texts, {options.pairs:,} pairs")
    with tempfile.TemporaryDirectory(prefix="semscale-warm-") as name:
        write_inputs(Path(name), options.rows, options.pairs)
        for command, words in COMMANDS.items():
            out = f"{name}/{command}.csv"
            line = [sys.executable, "-m", "semscale", *words.format(folder=name).split(), "--out", out]
            _, *runs = (process(line, {"SEMSCALE_CACHE": name}) for _ in range(1 + options.turns))
            print(
                f"{command}: {spread([run['processor'] for run in runs])} processor s, "
                f"{spread([run['wall'] for run in runs])} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
