"""Search for better anchor sets of a scale for another model, by the linter's criteria on anchors alone.

Run with ``python bench/anchor_search.py --scales recommendation trust``. The pool of a point has the
sentences of the scale's sets and those of ``anchor_pools.yaml``. The search begins with the scale's sets and
exchanges single sentences as long as the sets improve: first in the linter's faults of the anchors, then in
the correlation of ratings of the whole pool with its levels. The search does not use probes; lint with them
afterwards.
"""

from itertools import chain
from pathlib import Path

import numpy as np
import yaml

from measuring import Options
from semscale.embedding import load_embedder
from semscale.rating.anchors import unrelated_sentences
from semscale.rating.lint import random_pair_cosine
from semscale.rating.readouts import similarity_pmf
from semscale.scales import load_scale

START = "all-MiniLM-L6-v2"
"""The model whose sets the search begins with."""
POOLS = Path(__file__).with_name("anchor_pools.yaml")
STEP, NEIGHBOURS, ENDS, REVERSAL = 0.01, 0.85, -0.05, 0.02
"""Limits just inside the linter's bounds, for rounding; steps are shares of the scale's length."""
WEIGHT = 0.05
"""Weight of the correlation relative to the faults."""


def main():
    parser = Options(__doc__)
    parser.add_size("--scales", None, quick=["trust"], help="all that have a pool unless given")
    parser.add_argument("--model", default="e5-small")
    given = parser.parse_args()
    embedder = load_embedder(given.model)
    pools = yaml.safe_load(POOLS.read_text(encoding="utf-8"))
    for name in given.scales or pools:
        scale = load_scale(name).for_model(START)
        search = Search(scale, pools[name], embedder)
        sets = search.run()
        print(f"\n{name}: {search.faults(sets):.3f} of faults left, r over the pool {search.r(sets):.3f}")
        for place, rows in enumerate(sets, start=1):
            print(f"  e5-{place}:\n" + "".join(f"    - {search.sentences[row]}\n" for row in rows), end="")


class Search:
    """Pool of a scale's sentences, and the faults of anchor sets from the pool."""

    def __init__(self, scale, further, embedder):
        of_sets = list(zip(*scale.anchor_sets.values(), strict=True))
        by_point = [[*old, *new] for old, new in zip(of_sets, further, strict=True)]
        self.sentences = list(chain.from_iterable(by_point))
        self.point = np.repeat(np.arange(scale.n_points), [len(pool) for pool in by_point])
        vectors = embedder.embed([*self.sentences, *unrelated_sentences()]).vectors.astype(float)
        n = len(self.sentences)
        random = random_pair_cosine(vectors[n:])
        self.cosines = np.clip(vectors[:n] @ vectors[:n].T, -1, 1)
        self.alike = (self.cosines - random) / (1 - random)
        self.length = scale.n_points - 1
        self.start = [
            [self.sentences.index(anchor) for anchor in anchors] for anchors in scale.anchor_sets.values()
        ]

    def run(self):
        """Exchange sentences until no exchange makes the sets better."""
        sets = [list(rows) for rows in self.start]
        best, better = self.worth(sets), True
        while better:
            better = False
            for at, point in np.ndindex(len(sets), self.length + 1):
                for row in np.flatnonzero(self.point == point):
                    tried = exchanged(sets, at, point, int(row))
                    if (worth := self.worth(tried)) > best + 1e-9:
                        sets, best, better = tried, worth, True
        return sets

    def worth(self, sets):
        """Return a figure that is greater for better sets."""
        return -self.faults(sets) + WEIGHT * self.r(sets)

    def means(self, rows, texts):
        """Return mean ratings of sentences under one set, 0 to 1."""
        return similarity_pmf(self.cosines[np.ix_(texts, rows)]) @ np.arange(len(rows)) / self.length

    def faults(self, sets):
        """Return the sum of the distances by which the sets miss the linter's criteria on anchors."""
        total = 0.0
        for rows in sets:
            neighbours = self.alike[rows[:-1], rows[1:]]
            total += np.maximum(0, STEP - np.diff(self.means(rows, rows))).sum()
            total += np.maximum(0, neighbours - NEIGHBOURS).sum()
            total += max(0, self.alike[rows[0], rows[-1]] - neighbours.mean() - ENDS)
            others = np.mean([self.means(rows, other) for other in sets if other is not rows], axis=0)
            total += np.maximum(0, -REVERSAL - np.diff(others)).sum()
        return total

    def r(self, sets):
        """Return the correlation of the pool's mean ratings, and of each set's, with the pool's levels."""
        each = np.array([self.means(rows, np.arange(len(self.point))) for rows in sets])
        own = [np.corrcoef(means, self.point)[0, 1] for means in each]
        return (np.corrcoef(each.mean(axis=0), self.point)[0, 1] + np.mean(own)) / 2


def exchanged(sets, at, point, row):
    """Return the sets with one sentence inserted; the set that had it gets the replaced sentence."""
    tried = [list(rows) for rows in sets]
    for rows in tried:
        if rows[point] == row:
            rows[point] = tried[at][point]
    tried[at][point] = row
    return tried


if __name__ == "__main__":
    main()
