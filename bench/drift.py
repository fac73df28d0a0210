"""Cost of a drift comparison beyond embedding the new outputs, with stored states of the baseline.

Run with ``python bench/drift.py``. Items have three outputs, each a review sentence with half of another one.
Candidates and reruns have the baseline's outputs in another order, with two words exchanged in each; states
of the reruns are stored, too. Turns alternate between embedding the candidate's outputs alone and the whole
comparison. Processor seconds include all threads; other work on the machine affects them less than seconds.
Peak memory is measured for ``semscale drift gate`` on recorded runs, each time in a new process.
``--profile`` lists the functions that take most time of the Python thread in one comparison.
"""

import cProfile
import csv
import json
import os
import pstats
import sys
import tempfile
from datetime import date
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

from measuring import Options, machine, peak_megabytes, ratios, spread
from semscale import load_embedder
from semscale.drift.comparison import DriftMeter, compare
from semscale.embedding.cache import STATES_FILE
from semscale.history.items import Item, Output
from semscale.history.runs import Run
from semscale.weights.folders import models_root
from semscale.weights.known import DEFAULT_MODEL

TEXTS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
OUTPUTS = 3
LISTED = 45  # functions of a profile


def sentences(n, rng):
    """Return n distinct texts: a sentence and the first half of another one."""
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


def run_of(outputs, model, rerun_of=None):
    items = (Item(str(at), tuple(Output(text) for text in texts)) for at, texts in enumerate(outputs))
    return Run("reviews", model, tuple(items), rerun_of=rerun_of)


def runs(n_items, n_reruns, turns, seed=0):
    """Return a baseline, its reruns, and a new candidate for each turn, so that no text is in the cache."""
    rng = np.random.default_rng(seed)
    texts = sentences(n_items * OUTPUTS, rng)
    words = sorted({word for text in texts for word in text.split()})
    old = [texts[at : at + OUTPUTS] for at in range(0, len(texts), OUTPUTS)]

    def again():
        return [[edited(text, words, rng) for text in rng.permutation(item)] for item in old]

    baseline = run_of(old, "old")
    reruns = [run_of(again(), "old", baseline.id) for _ in range(n_reruns)]
    return baseline, reruns, [run_of(again(), f"new {turn}") for turn in range(turns)]


def texts_of(run):
    return [output.text for item in run.items for output in item.outputs]


def cost(call):
    """Return the seconds and processor seconds of a call."""
    start, busy = perf_counter(), process_time()
    call()
    return perf_counter() - start, process_time() - busy


class Nights:
    """Comparisons of successive candidates, each with a new meter, as in a new process."""

    def __init__(self, baseline, reruns, folder, precision):
        self.baseline, self.reruns, self._precision = baseline, reruns, precision
        self.folder = Path(folder)

    def meter(self):
        """Return a meter with a loaded and compiled model."""
        meter = DriftMeter(precision=self._precision, cache=self.folder)
        meter.encoder.token_states(["compile"], layer=meter.layer)
        return meter

    def compared(self, candidate, meter):
        """Return the comparison of one candidate."""
        return compare(self.baseline, candidate, reruns=self.reruns, meter=meter)


def measure(asked, n_reruns):
    """Print the cost of a comparison with a number of reruns."""
    baseline, reruns, (warming, *candidates) = runs(asked.items, n_reruns, asked.turns + 1)
    embedder = load_embedder(DEFAULT_MODEL, precision=asked.precision, cache=False)
    embedder.embed(texts_of(warming)[:500])
    with tempfile.TemporaryDirectory() as folder:
        nights = Nights(baseline, reruns, folder, asked.precision)
        meter = nights.meter()
        first = cost(lambda: nights.compared(warming, meter))
        stored = (Path(folder) / STATES_FILE).stat().st_size
        print(f"\nreruns: {n_reruns}; the first comparison, which stores them and the baseline")
        print(f"  {first[0]:.1f} s, {first[1]:.1f} of the processor, {stored / 1e6:,.0f} MB on disk")
        alone, whole = [], []
        for candidate in candidates:
            alone.append(cost(lambda one=candidate: embedder.embed(texts_of(one))))
            fresh = nights.meter()
            whole.append(cost(lambda one=candidate, meter=fresh: nights.compared(one, meter)))
        for place, unit in enumerate(("seconds", "processor seconds")):
            ours, theirs = ([turn[place] for turn in turns] for turns in (alone, whole))
            beyond = [100 * (ratio - 1) for ratio in ratios(theirs, ours)]
            print(
                f"  {unit}: embedding the new outputs {spread(ours, 1)}, the comparison {spread(theirs, 1)}"
            )
            print(f"  beyond embedding: {spread(beyond, 0)} % (to reach: 10)", flush=True)
        if asked.profile:
            profile(nights, candidates[-1])
    report_memory(asked, n_reruns)


def report_memory(asked, n_reruns):
    """Print the peak memory of the first gate, with new runs, and of the gate for the next candidate."""
    baseline, reruns, candidates = runs(asked.items, n_reruns, 2)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        environment = {
            "SEMSCALE_CACHE": name,
            "SEMSCALE_HISTORY": str(folder / "history.sqlite"),
            "SEMSCALE_MODELS": os.environ.get("SEMSCALE_MODELS", str(models_root())),
        }

        def record(run, *options):
            path = folder / f"{run.id}.jsonl"
            items = (
                {"id": item.id, "output": [output.text for output in item.outputs]} for item in run.items
            )
            path.write_text("".join(f"{json.dumps(item)}\n" for item in items), encoding="utf-8")
            peak("record", str(path), "--model", run.model, "--dataset", "reviews", *options)

        def peak(*words):
            command = [sys.executable, "-m", "semscale", "drift", *words]
            return peak_megabytes(command, environment, accepted=(0, 1, 4))

        record(baseline)
        peak("approve", "latest", "--approved-by", "the benchmark", "--why", "to compare with")
        for rerun in reruns:
            record(rerun, "--rerun-of", "baseline")
        peaks = []
        for candidate in candidates:
            record(candidate)
            peaks.append(peak("gate", "latest", "--precision", asked.precision))
    first, later = peaks
    print(
        f"  semscale drift gate: {first:,.0f} MB at most the first time, {later:,.0f} later (to reach: 700)"
    )


def profile(nights, candidate):
    """List the functions in which the thread of Python spends most of its time in one comparison."""
    meter, profiler = nights.meter(), cProfile.Profile()
    profiler.runcall(nights.compared, candidate, meter)
    pstats.Stats(profiler).sort_stats("cumulative").print_stats(LISTED)


def main():
    parser = Options(__doc__)
    parser.add_size("--items", 10_000, quick=8)
    parser.add_size("--turns", 3, quick=1)
    parser.add_size("--reruns", [0, 1, 3], quick=[1], help="how many, one after the other")
    parser.add_argument("--precision", default="exact")
    parser.add_argument("--profile", action="store_true", help="list where a comparison spends its time")
    asked = parser.parse_args()
    print(f"{date.today()}, {machine()}")
    baseline, _, _ = runs(asked.items, 0, 0)
    tokens = DriftMeter(cache=False).encoder.reader.read(texts_of(baseline)).lengths
    print(f"{asked.items:,} items of {OUTPUTS} outputs, {tokens.mean():.0f} tokens on average")
    for n_reruns in asked.reruns:
        measure(asked, n_reruns)


if __name__ == "__main__":
    main()
