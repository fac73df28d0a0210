"""How the quality scale's anchor sets were chosen: on one random half of the reviews, reported on the other.

Run with ``python bench/anchors.py``. Whole reviews go to one half, so that no two sentences of one review are
on both sides. A candidate set is eligible if it keeps its own anchors in order, its neighbours are not too
alike and its ends are less alike than neighbours; among those the six are taken whose mean correlates best
with the human means on the choosing half. Nothing is fitted; the other half is used for the report only.
"""

import argparse
import csv
from collections import Counter
from pathlib import Path

import numpy as np
import yaml

from semscale.embedding import load_embedder
from semscale.rating.ssr import rate_vectors, similarity_pmf
from semscale.scales import load_scale

HERE = Path(__file__).parent
REVIEWS = HERE.parent / "examples" / "product_reviews.csv"
VALUES = np.arange(1.0, 6.0)
N_SETS, BEAM = 6, 10
SHIPPED_SEED, FURTHER_SEEDS = 0, range(1, 21)
LEAST_STEP, MOST_ALIKE, ENDS_GAP = 0.05, 0.90, 0.02


def main():
    argparse.ArgumentParser(description=__doc__).parse_args()
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    human = np.array([float(row["human_mean"]) for row in rows])
    review = np.array([row["review"] for row in rows])
    embedder = load_embedder()
    vectors = embedder.embed([row["text"] for row in rows]).vectors
    candidates = yaml.safe_load((HERE / "anchor_candidates.yaml").read_text(encoding="utf-8"))
    anchors = {name: embedder.embed(sentences).vectors for name, sentences in candidates.items()}
    eligible = [name for name in candidates if is_eligible(anchors[name])]
    means = {name: rate_vectors(vectors, anchors[name]).set_means[:, 0] for name in eligible}
    print(f"{len(candidates)} candidates, {len(eligible)} eligible: {', '.join(eligible)}\n")

    choosing = half_of(review, SHIPPED_SEED)
    chosen = choose(means, human, choosing)
    shipped = list(load_scale("quality").anchor_sets)
    print(f"chosen on one half (seed {SHIPPED_SEED}): {', '.join(sorted(chosen))}")
    print(f"shipped: {', '.join(sorted(shipped))}")
    low, high = interval(means, shipped, human, review, ~choosing)
    print(f"shipped, choosing half: r = {r_of(means, shipped, human, choosing):.3f}")
    print(f"shipped, other half:    r = {r_of(means, shipped, human, ~choosing):.3f} [{low:.3f}, {high:.3f}]")
    report_further_splits(means, human, review)


def report_further_splits(means, human, review):
    held_out, picked = [], Counter()
    for seed in FURTHER_SEEDS:
        choosing = half_of(review, seed)
        chosen = choose(means, human, choosing)
        picked.update(chosen)
        held_out.append(r_of(means, chosen, human, ~choosing))
    print(f"\nchosen anew on {len(held_out)} further splits, r on the other half: ", end="")
    print(f"mean {np.mean(held_out):.3f}, {min(held_out):.3f} to {max(held_out):.3f}")
    print("times chosen: " + ", ".join(f"{name} {times}" for name, times in picked.most_common()))


def is_eligible(anchors):
    cosines = np.clip(anchors.astype(float) @ anchors.T.astype(float), -1, 1)
    neighbours = np.diagonal(cosines, 1)
    steps = np.diff(similarity_pmf(cosines) @ VALUES)
    ends_apart = cosines[0, -1] < neighbours.mean() - ENDS_GAP
    return steps.min() > LEAST_STEP and neighbours.max() < MOST_ALIKE and ends_apart


def half_of(review, seed):
    names = np.unique(review)
    np.random.default_rng(seed).shuffle(names)
    return np.isin(review, names[: len(names) // 2])


def choose(means, human, rows):
    """Beam search for the sets whose mean correlates best with the human means on these rows."""
    beams = [()]
    for _ in range(N_SETS):
        longer = {tuple(sorted((*beam, name))) for beam in beams for name in means if name not in beam}
        beams = sorted(longer, key=lambda names: (-r_of(means, names, human, rows), names))[:BEAM]
    return beams[0]


def r_of(means, names, human, rows):
    return np.corrcoef(np.mean([means[name][rows] for name in names], axis=0), human[rows])[0, 1]


def interval(means, names, human, review, rows, replicates=2000):
    """95 % bootstrap interval of r, drawing reviews."""
    machine = np.mean([means[name] for name in names], axis=0)
    members = [np.flatnonzero(rows & (review == name)) for name in np.unique(review[rows])]
    rng = np.random.default_rng(0)
    figures = []
    for _ in range(replicates):
        drawn = np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
        figures.append(np.corrcoef(machine[drawn], human[drawn])[0, 1])
    return np.quantile(figures, [0.025, 0.975])


if __name__ == "__main__":
    main()
