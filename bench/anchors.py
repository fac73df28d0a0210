"""Choice of the quality scale's anchor sets on a random half of the reviews, with results on the other.

Run with ``python bench/anchors.py``. Whole reviews go to one half, so that no review has sentences in both. A
candidate set is eligible if it keeps its anchors in order, if neighbours are not too alike, and if the ends
are less alike than neighbours. Among the eligible sets, the six with the best mean on the choosing half are
chosen. Nothing is fitted; the other half is used for the report only.

The criterion with all-MiniLM-L6-v2 is Pearson's r with the human means. With e5-small it is r plus a quarter
of the KS similarity with all people's ratings, because many sets have nearly the same r and differ in the
shares of the points.
"""

import csv
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from measuring import Options
from semscale.embedding import load_embedder
from semscale.rating.anchors import unrelated_sentences
from semscale.rating.lint import cosine_at, random_pair_cosine
from semscale.rating.readouts import similarity_pmf, ssr_ratings
from semscale.scales import load_scale

HERE = Path(__file__).parent
REVIEWS = HERE.parent / "examples" / "product_reviews.csv"
VALUES = np.arange(1.0, 6.0)
N_SETS, BEAM = 6, 10
SHIPPED_SEED = 0
LEAST_STEP, MOST_ALIKE, ENDS_GAP = 0.05, 0.90, 0.02
LOWEST, HIGHEST = -4, 4
CHOICES = {"all-MiniLM-L6-v2": (42, 0.0), "e5-small": (57, 0.25)}
"""For each model, the number of candidates, and the weight of KS similarity relative to r."""


@dataclass(frozen=True)
class Reviews:
    """Sentences of reviews with 20 ratings each; ``shares`` are the ratings' shares on the five points."""

    text: list
    human: np.ndarray
    review: np.ndarray
    shares: np.ndarray


@dataclass(frozen=True)
class Rated:
    """PMFs of all sentences under each eligible candidate."""

    reviews: Reviews
    pmf: dict
    ks_weight: float

    def r(self, names, rows):
        """Return Pearson's r of the sets' mean with the human means."""
        machine = np.mean([self.pmf[name][rows] for name in names], axis=0) @ VALUES
        return np.corrcoef(machine, self.reviews.human[rows])[0, 1]

    def mean_single_r(self, names, rows):
        """Return the mean over the sets of each set's r."""
        return np.mean([self.r([name], rows) for name in names])

    def ks(self, names, rows):
        """Return the KS similarity of the average PMF with the shares of people's ratings."""
        machine = np.mean([self.pmf[name][rows] for name in names], axis=(0, 1))
        return ks_similarity(machine, self.reviews.shares[rows].mean(axis=0))

    def worth(self, names, rows):
        """Return the criterion of the choice; greater is better."""
        return self.r(names, rows) + (self.ks_weight * self.ks(names, rows) if self.ks_weight else 0)


def main():
    options = Options(__doc__)
    options.add_size("--model", list(CHOICES), quick=["e5-small"], choices=list(CHOICES))
    options.add_size("--texts", None, quick=200, help="at most so many sentences; all unless given")
    options.add_size("--splits", 20, quick=1, help="further halves that sets are chosen on")
    options.add_size("--replicates", 2000, quick=20, help="of the bootstrap")
    chosen = options.parse_args()
    reviews = read_reviews(chosen.texts)
    for model in chosen.model:
        report(model, reviews, chosen)


def read_reviews(most):
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:most]
    human = np.array([float(row["human_mean"]) for row in rows])
    shares = np.array([people_shares(json.loads(row["human_ratings"])) for row in rows])
    return Reviews([row["text"] for row in rows], human, np.array([row["review"] for row in rows]), shares)


def people_shares(ratings):
    """Return the points' shares in single ratings; a value between two points is split in proportion."""
    places = (np.array(ratings, float) - LOWEST) / (HIGHEST - LOWEST) * (len(VALUES) - 1)
    return np.maximum(0, 1 - np.abs(places[:, None] - np.arange(len(VALUES)))).mean(axis=0)


def ks_similarity(machine, people):
    return 1 - np.abs(np.cumsum(machine) - np.cumsum(people)).max()


def report(model, reviews, options):
    n_candidates, ks_weight = CHOICES[model]
    embedder = load_embedder(model)
    written = yaml.safe_load((HERE / "anchor_candidates.yaml").read_text(encoding="utf-8"))
    candidates = {name: written[name] for name in list(written)[:n_candidates]}
    anchors = {name: embedder.embed(sentences).vectors for name, sentences in candidates.items()}
    random_cosine = random_pair_cosine(embedder.embed(unrelated_sentences()).vectors.astype(float))
    vectors = embedder.embed(reviews.text).vectors
    eligible = [name for name in candidates if is_eligible(anchors[name], random_cosine)]
    rated = Rated(reviews, {name: ssr_ratings(vectors, anchors[name]).pmf for name in eligible}, ks_weight)
    print(f"\n{model}: {len(candidates)} candidates, {len(eligible)} eligible: {', '.join(eligible)}")

    choosing = half_of(reviews.review, SHIPPED_SEED)
    print(f"chosen on one half (seed {SHIPPED_SEED}): {', '.join(sorted(choose(rated, choosing)))}")
    sets = load_scale("quality").for_model(model).anchor_sets
    shipped = list(sets)
    of_scale = {name: ssr_ratings(vectors, embedder.embed(list(sets[name])).vectors).pmf for name in shipped}
    of_scale = Rated(reviews, of_scale, ks_weight)
    print(f"shipped: {', '.join(sorted(shipped))}")
    for half, rows in (("choosing", choosing), ("other", ~choosing)):
        low, high = interval(of_scale, shipped, rows, options.replicates)
        equal = ks_similarity(np.full(len(VALUES), 1 / len(VALUES)), reviews.shares[rows].mean(axis=0))
        print(
            f"shipped, {half} half: r = {of_scale.r(shipped, rows):.3f} [{low:.3f}, {high:.3f}], "
            f"single sets {of_scale.mean_single_r(shipped, rows):.3f}, "
            f"KS {of_scale.ks(shipped, rows):.3f} (equal shares {equal:.3f})"
        )
    report_further_splits(rated, options.splits)


def report_further_splits(rated, splits):
    held_out, picked = [], Counter()
    for seed in range(SHIPPED_SEED + 1, SHIPPED_SEED + 1 + splits):
        choosing = half_of(rated.reviews.review, seed)
        chosen = choose(rated, choosing)
        picked.update(chosen)
        held_out.append((rated.r(chosen, ~choosing), rated.ks(chosen, ~choosing)))
    print(f"chosen anew on {len(held_out)} further splits, on the other half: ", end="")
    for name, figures in zip(("r", "KS"), np.transpose(held_out), strict=True):
        print(f"{name} mean {figures.mean():.3f}, {figures.min():.3f} to {figures.max():.3f}; ", end="")
    print("\ntimes chosen: " + ", ".join(f"{name} {times}" for name, times in picked.most_common()))


def is_eligible(anchors, random_cosine):
    cosines = np.clip(anchors.astype(float) @ anchors.T.astype(float), -1, 1)
    neighbours = np.diagonal(cosines, 1)
    steps = np.diff(similarity_pmf(cosines) @ VALUES)
    ends_apart = cosines[0, -1] < neighbours.mean() - ENDS_GAP * (1 - random_cosine)
    return steps.min() > LEAST_STEP and neighbours.max() < cosine_at(MOST_ALIKE, random_cosine) and ends_apart


def half_of(review, seed):
    names = np.unique(review)
    np.random.default_rng(seed).shuffle(names)
    return np.isin(review, names[: len(names) // 2])


def choose(rated, rows):
    """Find the best sets on these rows by beam search."""
    beams = [()]
    for _ in range(N_SETS):
        longer = {tuple(sorted((*beam, name))) for beam in beams for name in rated.pmf if name not in beam}
        beams = sorted(longer, key=lambda names: (-rated.worth(names, rows), names))[:BEAM]
    return beams[0]


def interval(rated, names, rows, replicates):
    """Return the 95 % interval of r by a bootstrap of reviews."""
    machine = np.mean([rated.pmf[name] for name in names], axis=0) @ VALUES
    review, human = rated.reviews.review, rated.reviews.human
    members = [np.flatnonzero(rows & (review == name)) for name in np.unique(review[rows])]
    rng = np.random.default_rng(0)
    figures = []
    for _ in range(replicates):
        drawn = np.concatenate([members[i] for i in rng.integers(len(members), size=len(members))])
        figures.append(np.corrcoef(machine[drawn], human[drawn])[0, 1])
    return np.quantile(figures, [0.025, 0.975])


if __name__ == "__main__":
    main()
