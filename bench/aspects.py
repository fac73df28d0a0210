"""Ratings of two aspects of the same reviews: the staff of airport lounges, and their comfort.

Run with ``python bench/aspects.py``. Reviews and scales are the sets of ``constructs.yaml`` that name an
aspect. Each review is rated on both scales in three ways: as a whole, by its parts near the aspect only, and
by both, like a scale with ``aspect``. These rows rate all texts; the last row leaves out texts that are not
about the aspect, like ``rate``. The second table has the share that is left out of all texts, and of the
texts that the author rated 1 or 5.

Columns: Pearson's r with the author's rating of each aspect; share of reviews in which the difference of the
two ratings has the sign of the author's difference, if that is at least 2; r of the differences. Brackets
hold 95 % percentiles of a bootstrap of reviews.
"""

from datetime import date

import numpy as np
import yaml

from constructs import MODEL, read_scale, read_texts
from measuring import ROOT, Options, machine
from semscale.embedding import load_embedder
from semscale.rating import aspects
from semscale.rating.rater import Rater
from semscale.rating.readouts import READOUTS
from semscale.rating.settings import DEFAULT_READOUT
from shared_data import shared_data

CLEAR_DIFFERENCE = 2
FORMS = {"the whole text": 0.0, "parts alone": 1.0, "parts and the whole text": aspects.PARTS_SHARE}


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", None, quick=60, help="at most so many; all unless given")
    parser.add_size("--replicates", 1000, quick=5, help="of the bootstrap")
    options = parser.parse_args()
    folder, embedder = shared_data("constructs"), load_embedder(MODEL)
    entries = [
        entry
        for entry in yaml.safe_load((ROOT / "bench" / "constructs.yaml").read_text())
        if "aspect" in entry
    ]
    names = [entry["name"] for entry in entries]
    rated = [read_texts(folder / f"{name}.csv", options.texts) for name in names]
    texts, human = rated[0][0], np.array([ratings for _, ratings in rated])
    scales = [read_scale(folder, entry).model_copy(update={"aspect": entry["aspect"]}) for entry in entries]
    print(f"{date.today()}, {MODEL}, {machine()}")
    clear = np.abs(human[0] - human[1]) >= CLEAR_DIFFERENCE
    print(f"{len(texts):,} reviews; in {clear.sum()} the ratings differ by {CLEAR_DIFFERENCE} or more\n")
    heads = ["", *(f"r, {name}" for name in names), "sign right", "r of the difference"]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for form, share in FORMS.items():
        means = np.array([mixed_means(scale, embedder, texts, share) for scale in scales])
        print_row(form, means, human, options.replicates)
    ratings = [Rater(scale, embedder=embedder).rate(texts) for scale in scales]
    means = np.array([one.mean for one in ratings])
    print_row("the same, as `rate` does", means, human, options.replicates)
    print("\n| | not about the aspect | rated 1 or 5 |\n|---|---|---|")
    for name, one, ratings_of_people in zip(names, ratings, human, strict=True):
        left_out, extreme = one.status == "not-about", np.isin(ratings_of_people, [1, 5])
        print(f"| {name} | {left_out.mean():.1%} | {left_out[extreme].mean():.1%} |")


def mixed_means(scale, embedder, texts, share):
    """Return the means of all texts if parts near the aspect have a share in the text's vector."""
    aspects.PARTS_SHARE = share
    vectors = aspects.AspectReader(scale.aspect, scale.language, embedder).read(texts)[0].vectors
    anchors = Rater(scale, embedder=embedder).anchors
    return READOUTS[DEFAULT_READOUT](vectors, anchors, values=scale.values).pmf @ scale.values


def print_row(name, means, human, replicates):
    """Print the figures, with intervals, of the reviews that have both ratings."""
    both = np.isfinite(means).all(axis=0)
    means, human = means[:, both], human[:, both]
    rng = np.random.default_rng(0)
    drawn = [
        figures(means[:, rows], human[:, rows])
        for rows in rng.integers(means.shape[1], size=(replicates, means.shape[1]))
    ]
    low, high = np.nanquantile(drawn, [0.025, 0.975], axis=0)
    cells = [
        f"{value:.3f} [{least:.3f}, {most:.3f}]"
        for value, least, most in zip(figures(means, human), low, high, strict=True)
    ]
    print(f"| {name}, {both.sum():,} | {' | '.join(cells)} |", flush=True)


def figures(means, human):
    correlations = [np.corrcoef(*pair)[0, 1] for pair in zip(means, human, strict=True)]
    difference, true = means[0] - means[1], human[0] - human[1]
    clear = np.abs(true) >= CLEAR_DIFFERENCE
    is_right = np.sign(difference[clear]) == np.sign(true[clear])
    return [*correlations, is_right.mean() if clear.any() else np.nan, np.corrcoef(difference, true)[0, 1]]


if __name__ == "__main__":
    main()
