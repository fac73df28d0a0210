"""Rank correlation of the linter's figures with agreement with people, over many scales.

Run with ``python bench/lint_validity.py``. Scales are those of ``constructs.yaml`` with their first three
sets, with all sets and with each set alone, the same constructs with descriptive anchors instead of
examples, and ``quality`` on four sets of texts. Agreement is Pearson's r with people's mean, by the default
readout and without a floor. A scale without a figure, such as the order of probes without probes, is left out
of the figure's row. Brackets are 95 % percentiles of a bootstrap of scales.
"""

from datetime import date

import numpy as np

from constructs import MODEL, construct_sets, sentiment_sets
from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.lint import length_rise, lint
from semscale.rating.rater import Rater
from semscale.scales import load_scale
from semscale.stats.correlations import spearman
from shared_data import shared_data

FEWEST = 5
"""Smallest number of scales for a row."""


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 600, quick=40, help="at most so many of each set")
    parser.add_size("--replicates", 1000, quick=20, help="of the bootstrap")
    options = parser.parse_args()
    embedder = load_embedder(MODEL)
    measured = [
        (figures(scale, rated, embedder), agreement(scale, rated, embedder))
        for rated in (*sentiment_sets(options.texts), *construct_sets(options.texts))
        for scale in scales_of(rated)
    ]
    print(f"{date.today()}, {MODEL}, {machine()}, {len(measured)} scales\n")
    print("| figure | rank correlation with r | scales |\n|---|---|---|")
    for name in measured[0][0]:
        pairs = np.array([(found[name], r) for found, r in measured if np.isfinite(found[name])])
        if len(pairs) >= FEWEST:
            low, high = interval(pairs, options.replicates)
            print(f"| {name} | {spearman(*pairs.T):.2f} [{low:.2f}, {high:.2f}] | {len(pairs)} |", flush=True)


def scales_of(rated):
    """Yield the scales to try on a set of texts."""
    yield rated.scale
    if rated.scale.sets_by_model:  # a shipped scale
        return
    names = list(rated.scale.anchor_sets)
    if len(names) > 3:
        yield rated.scale.with_sets(names[:3])
    yield from (rated.scale.with_sets([name]) for name in names[:3])
    described = shared_data("constructs", "scales") / f"{rated.name}-d.yaml"
    if described.is_file():
        yield load_scale(described)


def figures(scale, rated, embedder):
    report = lint(scale, embedder=embedder)
    start, sets = report.random_cosine, report.sets
    return {
        "standard deviation of the ratings of the texts": spread_of(ratings_of(scale, rated, embedder)),
        "reliability of the sets (alpha)": report.reliability,
        "order of the probes": report.ladder.spearman,
        "spread of the probes": report.ladder.spread,
        "similarity of neighbours": max((one.neighbours.max() - start) / (1 - start) for one in sets),
        "ends minus neighbours": max((one.ends - one.neighbours.mean()) / (1 - start) for one in sets),
        "rise of the length": float(np.mean([length_rise(one.anchors) for one in sets])),
        "number of findings": float(len(report.findings)),
    }


def spread_of(ratings):
    """Return the standard deviation of the ratings as a share of the scale's length."""
    return float(ratings.mean.std() / np.ptp(ratings.scale.values))


def agreement(scale, rated, embedder):
    return np.corrcoef(ratings_of(scale, rated, embedder).mean, rated.means)[0, 1]


def ratings_of(scale, rated, embedder):
    rater = Rater(scale, embedder=embedder, floor=None, language="en")
    return rater.rate_vectors(embedder.embed(rated.texts).vectors)


def interval(pairs, replicates):
    rng = np.random.default_rng(0)
    drawn = [spearman(*pairs[rows].T) for rows in rng.integers(len(pairs), size=(replicates, len(pairs)))]
    return np.nanquantile(drawn, [0.025, 0.975])


if __name__ == "__main__":
    main()
