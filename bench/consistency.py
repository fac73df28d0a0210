"""Consistency compared with uqlm (values, prompts per second), and the choice of its two constants.

Run with ``python bench/consistency.py``. uqlm has a separate environment, as it needs another NumPy than
Semscale and the other libraries; without that environment uqlm is left out. The texts are sentences of STS-B
dev and answers of Beetle (``../shared/data``).
"""

import csv
import json
from collections import Counter
from datetime import date
from pathlib import Path

import numpy as np

from measuring import UQLM_PYTHON, Options, Peer, machine, ratios, seconds, spread
from semscale import Consistency, load_embedder
from semscale.answer_consistency.asking import early_decision
from semscale.answer_consistency.pairs import above_floor, guard_findings
from semscale.answer_consistency.samples import item_means
from semscale.answer_consistency.settings import GUARD_NAMES
from semscale.matching.cosines import Cosines
from semscale.matching.pairs import pair_up
from semscale.matching.summary import share_above
from semscale.weights.known import DEFAULT_MODEL
from semscale.weights.resolving import resolve
from shared_data import shared_data

SAMPLES, WORDS = 5, 15
KEPT = (1.0, 0.75, 0.5, 0.25, 0.1, 0.0)
BEETLE_FLOOR = 0.34


def prompts(n):
    """Return n answers with five samples each, all distinct and of 15 words."""
    with shared_data("stsb", "dev.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    words = " ".join(row[name] for row in rows for name in ("sentence1", "sentence2")).split()
    texts = [" ".join(words[start : start + WORDS]) for start in range(0, len(words) - WORDS, 3)]
    size = SAMPLES + 1
    texts = list(dict.fromkeys(texts))[: n * size]
    return texts[::size], [texts[at + 1 : at + size] for at in range(0, len(texts), size)]


def beetle(most):
    """Return at most ``most`` answers, each with up to three correct ones, and their grades."""
    with shared_data("beetle", "training.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))[:most]
    references = [json.loads(row["reference_answers"])[:3] for row in rows]
    return [row["answer"] for row in rows], references, np.array([row["accuracy"] for row in rows])


def report_contradictions(embedder, most):
    """Print how well the measure separates right from wrong answers, by weight of contradicting samples."""
    answers, references, accuracy = beetle(most)
    pairs = pair_up(answers, references)
    cosine = Cosines(embedder).of(pairs.texts, pairs.prediction, pairs.reference).values
    findings = guard_findings(pairs, GUARD_NAMES, cosine, np.ones(len(cosine), bool))
    contradicted = np.array(list(map(bool, findings)))
    kinds = ", ".join(f"{n} {kind}" for kind, n in Counter(accuracy.tolist()).items())
    print(f"\nBeetle, answers with up to three right ones as samples: {kinds}")
    for kept in KEPT:
        values = above_floor(cosine, BEETLE_FLOOR) * np.where(contradicted, kept, 1.0)
        means = item_means(values, pairs.item, len(answers))
        right = means[accuracy == "correct"]
        areas = [share_above(right, means[accuracy == kind]) for kind in ("incorrect", "contradictory")]
        print(f"  {kept:4} left: AUC of incorrect ones {areas[0]:.3f}, of contradictory ones {areas[1]:.3f}")


def report_stopping(draws):
    """Print the number of samples saved, and how often the decision differs from that of all samples."""
    rng = np.random.default_rng(0)
    print(
        f"\nstopping at .5, confidence .95, {draws:,} prompts a line (saved: share of samples not asked for)"
    )
    for n in (5, 10, 20):
        for name, a, b in (("uncertain", 2, 2), ("mostly consistent", 4, 1), ("two kinds", 0.3, 0.3)):
            taken = wrong = 0
            for _ in range(draws):
                values = (rng.random(n) < rng.beta(a, b)).astype(float)
                for k in range(1, n + 1):
                    side = early_decision(values[:k], 0.5, n)
                    if side is not None:
                        break
                taken += k
                wrong += side != (values.mean() >= 0.5)
            saved = 1 - taken / n / draws
            print(f"  {n:2} samples, {name:18} saved {saved:.0%}, other side {wrong / draws:.2%}")


def options():
    arguments = Options(__doc__)
    arguments.add_peer("uqlm", UQLM_PYTHON)
    arguments.add_size("--turns", 5, quick=1)
    arguments.add_size("--prompts", 200, quick=4)
    arguments.add_size("--answers", None, quick=60, help="at most so many of Beetle; all unless given")
    arguments.add_size("--draws", 2000, quick=5, help="prompts of each line on stopping")
    return arguments.parse_args()


def main():
    chosen = options()
    folder = resolve("all-MiniLM-L6-v2").folder
    answers, samples = prompts(chosen.prompts)
    print(f"{date.today()}, {machine()}")
    peer = None
    if Path(chosen.peer).is_file():
        order = {"model": str(folder), "answers": answers, "samples": samples}
        peer = Peer(chosen.peer, "uqlm_peer.py", order)
        print(f"peer: {', '.join(f'{name} {value}' for name, value in peer.about['about'].items())}")
    else:
        print(f"left out: uqlm, for want of {chosen.peer}; make bench sets it up")
    embedder = load_embedder(DEFAULT_MODEL, cache=False)
    instruments = {
        "cosine_sim": Consistency(measures=["cosine_sim"], embedder=embedder),
        "the same, fast": Consistency(
            measures=["cosine_sim"], embedder=load_embedder(DEFAULT_MODEL, precision="fast", cache=False)
        ),
        "default measures": Consistency(embedder=embedder),
    }
    print(f"\n{len(answers)} prompts with {SAMPLES} samples of {WORDS} words")
    if peer:
        report_differences(peer.about["values"], embedder, instruments["the same, fast"], (answers, samples))
    times = {name: [] for name in (*(["uqlm"] if peer else []), *instruments)}
    for instrument in instruments.values():
        instrument.measure(answers, samples)  # compile
    for _ in range(chosen.turns):
        if peer:
            times["uqlm"].append(peer.turn())
        for name, instrument in instruments.items():
            times[name].append(seconds(lambda one=instrument: one.measure(answers, samples)))
    for name, taken in times.items():
        ratio = f", ratio {spread(ratios(times['uqlm'], taken))}" if peer else ""
        print(f"{name:17} {spread([len(answers) / time for time in taken], 1):24} prompts/s{ratio}")
    print("to reach: cosine_sim 6")
    report_contradictions(embedder, chosen.answers)
    report_stopping(chosen.draws)


def report_differences(theirs, embedder, fast, texts):
    """Print the differences from uqlm's values."""
    ours = Consistency(measures=["cosine_sim", "exact_match"], embedder=embedder).measure(*texts).measures
    for name, values in theirs.items():
        print(f"largest difference, {name}: {np.abs(ours[name] - values).max():.1e} (to reach: 1e-5)")
    print(f"the same, fast: {np.abs(fast.measure(*texts).score - theirs['cosine_sim']).max():.1e}")


if __name__ == "__main__":
    main()
