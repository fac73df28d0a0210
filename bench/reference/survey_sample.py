"""Writes the small survey for the figures of `survey.R`; it is drawn from a seed, so it is free to copy.

`python bench/reference/survey_sample.py tests/stats/reference/sample.csv`
"""

import csv
import sys

import numpy as np

STRATA, CLUSTERS, HOUSEHOLDS = 4, 6, 5


def rows(seed=16):
    """Yield 240 people: two in each of 5 households, in each of 6 clusters, in each of 4 strata."""
    rng = np.random.default_rng(seed)
    for stratum in range(STRATA):
        for cluster in range(CLUSTERS):
            shift = rng.normal(0, 0.6)
            for household in range(HOUSEHOLDS):
                weight = round(float(rng.uniform(5, 40)), 3)
                for _ in range(2):
                    yield person(rng, stratum, cluster, household, weight, shift)


def person(rng, stratum, cluster, household, weight, shift):
    """Draw one respondent; x is never missing, other answers can be."""
    group = int(rng.integers(0, 3))
    x = round(float(rng.gamma(4, 2)) + 1, 3)
    y = round(2 + 0.5 * x + shift + 0.4 * group + float(rng.normal(0, 1.5)), 3)
    rating = int(np.clip(round(3 + shift + 0.3 * group + rng.normal(0, 1.2)), 1, 5))
    second = int(np.clip(round(rating + rng.normal(0.3, 1)), 1, 5))
    gaps = rng.random(3) < (0.08, 0.05, 0.1)
    return {
        "stratum": stratum + 1,
        "cluster": cluster + 1 + CLUSTERS * stratum,
        "household": household + 1,
        "weight": weight,
        "clusters_in_population": (40, 25, 60, 12)[stratum],
        "households_in_cluster": 20 + 3 * cluster,
        "group": "abc"[group],
        "sex": "fm"[int(rng.random() < 0.4)],
        "x": x,
        "y": "" if gaps[0] else y,
        "rating": "" if gaps[1] else rating,
        "second": "" if gaps[2] else second,
    }


def main(path):
    table = list(rows())
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, table[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


if __name__ == "__main__":
    main(sys.argv[1])
