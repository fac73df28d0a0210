"""BERTScore compared with bert_score: values, pairs per second on the same pairs in turn, and memory.

Run with ``python bench/bertscore.py``. The texts are sentences of STS-B dev (``../shared/data``).
"""

import csv
import multiprocessing
import resource
import tempfile
from datetime import date
from pathlib import Path

import numpy as np

from measuring import Options, Peer, machine, ratios, seconds, spread
from semscale import BertScorer
from semscale.weights.resolving import resolve
from shared_data import shared_data

ROOT = Path(__file__).parent.parent
LAYER, SAMPLES = 6, 5


def sentences():
    with shared_data("stsb", "dev.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return list(dict.fromkeys(row[name] for row in rows for name in ("sentence1", "sentence2")))


def real_pairs():
    with shared_data("stsb", "dev.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row["sentence1"] for row in rows], [row["sentence2"] for row in rows]


def long_pairs(n):
    """Return distinct texts of three sentences each, with about 33 tokens on average."""
    parts = sentences()
    texts = [" ".join(parts[start : start + 3]) for start in range(0, len(parts) - 2)]
    return texts[: 2 * n : 2], texts[1 : 2 * n : 2]


def cases(folder, n):
    firsts, seconds_ = (column[:n] for column in real_pairs())
    groups = [[seconds_[at], firsts[at - 1], seconds_[at - 1]] for at in range(n)]
    table = Path(folder, "baseline.tsv")
    lines = [f"{layer},{0.1 + layer / 50},{0.12 + layer / 50},{0.11 + layer / 50}" for layer in range(7)]
    table.write_text("\n".join(["LAYER,P,R,F", *lines]) + "\n")
    rescaled = {"rescale_with_baseline": True, "lang": "en", "baseline_path": str(table)}
    return {
        "plain": (firsts, seconds_, {}, {}),
        "idf": (firsts, seconds_, {"idf": True}, {"idf": True}),
        "references": (firsts, groups, {}, {}),
        "references-idf": (firsts, groups, {"idf": True}, {"idf": True}),
        "rescaled": (firsts, groups, rescaled, {"rescale": table}),
    }


def compare(name, case, folder, model):
    """Print the largest differences, and whether padding explains the differences in padded batches."""
    firsts, others, _, settings = case
    alone, padded = np.load(f"{folder}/{name}.npy")
    scores = BertScorer(model, layer=LAYER, **settings).score(firsts, others)
    ours = np.stack([scores.precision, scores.recall, scores.f1])
    gaps = np.abs(ours - alone).max(axis=1)
    changed = np.flatnonzero(np.abs(padded - alone).max(axis=0) > 1e-4)
    largest = np.abs(padded - alone).max()
    print(f"{name:15} P {gaps[0]:.1e}, R {gaps[1]:.1e}, F {gaps[2]:.1e}; ", end="")
    print(
        f"its own batches of 64 change {len(changed)} of {len(firsts)} pairs by up to {largest:.4f}", end=""
    )
    if name == "plain":
        scorer = BertScorer(model, layer=LAYER)
        explained = [scorer.explain(firsts[at], others[at]) for at in changed]
        negative = [min(e.prediction.similarity.min(), e.reference.similarity.min()) < 0 for e in explained]
        print(f", of which {sum(negative)} have a token with negative cosines only", end="")
    print()


def peak_memory(n, model):
    """Score n pairs of different texts in a new process; return its peak memory in MiB and its seconds."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (n, model))


def _measured(n, model):
    parts = [" ".join(sentence.split()[:6]) for sentence in sentences()]
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, len(parts), (2 * n, 2))
    texts = [f"{parts[one]} {parts[other]} {at}" for at, (one, other) in enumerate(drawn)]
    scorer = BertScorer(model, layer=LAYER, precision="fast")
    taken = seconds(lambda: scorer.score(texts[:n], texts[n:]))
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, taken


def options():
    arguments = Options(__doc__)
    arguments.add_peer("bert_score")
    arguments.add_size("--turns", 5, quick=1)
    arguments.add_size("--checked", 300, quick=8, help="pairs whose values are compared")
    arguments.add_size("--pairs", 600, quick=16, help="pairs that are timed")
    arguments.add_size("--groups", 40, quick=2, help="prompts with five samples each")
    arguments.add_size("--memory-pairs", 300_000, quick=100)
    return arguments.parse_args()


def prompts_with_samples(n):
    texts, size = sentences(), SAMPLES + 1
    return [(texts[at * size], texts[at * size + 1 : (at + 1) * size]) for at in range(n)]


def compared_peer(chosen, model, timed):
    """Start the other library, and print how much its values differ from Semscale's."""
    with tempfile.TemporaryDirectory() as folder:
        checked = cases(folder, chosen.checked)
        names = ("candidates", "references", "settings")
        orders = {name: dict(zip(names, case, strict=False)) for name, case in checked.items()}
        order = {"model": model, "layer": LAYER, "folder": folder, "cases": orders}
        peer = Peer(chosen.peer, "bert_score_peer.py", order | timed)
        print(f"{date.today()}, {machine()}")
        print(f"peer: {', '.join(f'{name} {value}' for name, value in peer.about.items())} (its best)\n")
        print("largest differences from bert_score, its pairs one by one (to reach: 1e-4):")
        for name, case in checked.items():
            compare(name, case, folder, model)
    return peer


def report(unit, n, times, target):
    for name, taken in times.items():
        ratio = spread(ratios(times["bert_score"], taken))
        print(f"{name:11} {spread([n / time for time in taken], 1):24} {unit}/s, ratio {ratio}")
    print(f"to reach: {target}")


def main():
    chosen = options()
    model = str(resolve("all-MiniLM-L6-v2").folder)
    firsts, others = long_pairs(chosen.pairs)
    groups = prompts_with_samples(chosen.groups)
    timed = {"candidates": firsts, "references": others, "groups": groups}
    peer = compared_peer(chosen, model, timed)
    scorers = {name: BertScorer(model, layer=LAYER, precision=name) for name in ("exact", "fast")}
    for scorer in scorers.values():
        scorer.score(firsts[:64], others[:64])  # compile
    lengths = scorers["exact"].encoder.reader.read([*firsts, *others]).lengths
    print(f"\n{len(firsts)} pairs of distinct texts, {lengths.mean():.1f} tokens on average")
    times = {"bert_score": [], "exact": [], "fast": [], "its score()": []}
    grouped = {"bert_score": [], "a call each": [], "one call": []}
    exact = scorers["exact"]
    originals, samples = zip(*[(o, sample) for o, s in groups for sample in s], strict=True)
    for _ in range(chosen.turns):
        times["bert_score"].append(peer.turn("distinct"))
        times["its score()"].append(peer.turn("as documented"))
        for precision, scorer in scorers.items():
            times[precision].append(seconds(lambda scorer=scorer: scorer.score(firsts, others)))
        grouped["bert_score"].append(peer.turn("groups"))
        grouped["a call each"].append(seconds(lambda: [exact.score([o] * len(s), s) for o, s in groups]))
        grouped["one call"].append(seconds(lambda: exact.score(originals, samples)))
    report("pairs", len(firsts), times, "exact 1.7, fast 3")
    print(f"\none prompt at a time with {SAMPLES} samples, {len(groups)} prompts")
    report("prompts", len(groups), grouped, "10")
    if chosen.memory_pairs:
        peak, taken = peak_memory(chosen.memory_pairs, model)
        print(f"\n{chosen.memory_pairs:,} pairs of distinct texts: {peak:,.0f} MiB, {taken:.0f} s (fast)")
        print("to reach: 2,000 MB")


if __name__ == "__main__":
    main()
