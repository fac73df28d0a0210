"""What comparing costs beyond embedding the new outputs, with a baseline whose states are stored.

Run with ``python bench/drift.py``. Items have three outputs, each a review sentence with half of another;
the candidate's are the baseline's in another order, in each of which two words were exchanged. Turns
alternate between embedding the candidate's outputs alone and the whole comparison.
"""

import argparse
import csv
import tempfile
from datetime import date
from pathlib import Path

import numpy as np

from measuring import machine, ratios, seconds, spread
from semscale import load_embedder
from semscale.drift.measure.compare_runs import compare
from semscale.drift.measure.meter import DriftMeter
from semscale.embedding.cache.state_cache import STATES_FILE
from semscale.history.items import Item, Output
from semscale.history.runs import Run

TEXTS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
OUTPUTS = 3


def sentences(n, rng):
    """N distinct texts: a sentence and the first half of another one."""
    with TEXTS.open(encoding="utf-8", newline="") as file:
        split = [row["text"].split() for row in csv.DictReader(file)]
    made = {}
    while len(made) < n:
        one, other = (split[place] for place in rng.integers(0, len(split), 2))
        made.setdefault(" ".join([*one, *other[: len(other) // 2]]))
    return list(made)


def edited(text, words, rng):
    own = text.split()
    for place in rng.integers(0, len(own), 2):
        own[place] = words[rng.integers(0, len(words))]
    return " ".join(own)


def run_of(outputs, model):
    items = (Item(str(at), tuple(Output(text) for text in texts)) for at, texts in enumerate(outputs))
    return Run("reviews", model, tuple(items))


def runs(n_items, turns, seed=0):
    """A baseline, and a candidate for each turn, as no text may have been read before."""
    rng = np.random.default_rng(seed)
    texts = sentences(n_items * OUTPUTS, rng)
    words = sorted({word for text in texts for word in text.split()})
    old = [texts[at : at + OUTPUTS] for at in range(0, len(texts), OUTPUTS)]
    candidates = [
        run_of([[edited(text, words, rng) for text in rng.permutation(item)] for item in old], f"new {turn}")
        for turn in range(turns + 1)
    ]
    return run_of(old, "old"), candidates


def texts_of(run):
    return [output.text for item in run.items for output in item.outputs]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--precision", default="exact")
    chosen = parser.parse_args()
    print(f"{date.today()}, {machine()}")
    baseline, (warming, *candidates) = runs(chosen.items, chosen.turns)
    embedder = load_embedder(precision=chosen.precision, cache=False)
    tokens = DriftMeter(cache=False).encoder.reader.read(texts_of(baseline)).lengths
    print(f"{chosen.items:,} items of {OUTPUTS} outputs, {tokens.mean():.0f} tokens on average")
    with tempfile.TemporaryDirectory() as folder:
        meter = DriftMeter(precision=chosen.precision, cache=Path(folder))
        first = seconds(lambda: compare(baseline, warming, meter=meter))
        stored = (Path(folder) / STATES_FILE).stat().st_size
        print(f"first comparison, which stores the baseline: {first:.1f} s, {stored / 1e6:,.0f} MB on disk")
        embedder.embed(texts_of(warming)[:500])
        alone, whole = [], []
        for candidate in candidates:
            alone.append(seconds(lambda one=candidate: embedder.embed(texts_of(one))))
            fresh = DriftMeter(precision=chosen.precision, cache=Path(folder))
            fresh.encoder.token_states(["compile"], layer=fresh.layer)
            whole.append(seconds(lambda one=candidate, meter=fresh: compare(baseline, one, meter=meter)))
    print(f"embedding the new outputs alone: {spread(alone)} s; the whole comparison: {spread(whole)} s")
    beyond = [100 * (ratio - 1) for ratio in ratios(whole, alone)]
    print(f"beyond embedding: {spread(beyond, 0)} % (to reach: 10)")


if __name__ == "__main__":
    main()
