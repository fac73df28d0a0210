"""Agreement of ratings on ``quality`` with people, on four sets of texts that many people rated.

Run with ``python bench/ratings_validity.py``. Review sentences are from the half that was not used to choose
anchors; the other sets were not used for any choice. A person's rating from -4 to 4 is mapped linearly to the
five points: a value between two points is split between them. The models are compared with VADER (from the
source distribution that ``rated_texts.py`` downloads), text length, equal shares, and single people.

r: Pearson's with the mean of the people. KS: similarity of the two average distributions. RPS: squared
difference of the two cumulative distributions of a text, summed over the thresholds between points, mean over
texts; less is better. All of these are over all texts that a model can read; off topic is the share of texts
below the floor, which ``rate`` leaves out. Intervals are 95 % percentiles of a bootstrap of whole reviews and
articles, and of single texts elsewhere.

References:
    Hutto, Gilbert (2014): VADER, a parsimonious rule-based model for sentiment analysis of social media text.
"""

import importlib
import sys
import tarfile
from dataclasses import dataclass
from datetime import date
from typing import get_args

import numpy as np

from anchors import SHIPPED_SEED, half_of
from measuring import Options, machine
from rated_texts import HIGHEST, LOWEST, RELEASE, first, further_sets, review_sentences, source_distribution
from semscale.embedding import load_embedder
from semscale.rating.human import human_pmfs
from semscale.rating.rater import Rater
from semscale.rating.settings import Readout
from semscale.scales import load_scale
from semscale.stats.correlations import split_half_reliability
from semscale.types import Status
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

SCALE = load_scale("quality")
DRAWS, SEED = 20, 0


@dataclass(frozen=True)
class Row:
    """One line of the table; figures that do not apply are ``None``, and a text without a figure is NaN."""

    name: str
    mean: np.ndarray
    pmf: np.ndarray | None = None
    single_sets: np.ndarray | None = None
    off_topic: np.ndarray | None = None


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", None, quick=50, help="at most so many of each set; all unless given")
    parser.add_size("--replicates", 1000, quick=5, help="of the bootstrap")
    given = parser.parse_args()
    reviews = review_sentences()
    reported = reviews.where(~half_of(reviews.group, SHIPPED_SEED))
    sets = [first(rated, given.texts) for rated in (reported, *further_sets())]
    vader = vader_scores(sets)
    print(f"{date.today()}, {machine()}")
    for rated in sets:
        print_people(rated)
        print("| | r with the mean of people | one anchor set | KS | RPS | off topic |\n|" + 6 * "---|")
        for row in (*nulls(rated), Row("VADER", vader[rated.name]), *models(rated)):
            print_row(row, rated, given.replicates)


def print_people(rated):
    rng = np.random.default_rng(SEED)
    ceiling = split_half_reliability(rated.ratings, splits=DRAWS).value
    alone = np.mean([one_alone(rated.ratings, rng) for _ in range(DRAWS)])
    n_people = np.isfinite(rated.ratings).sum(axis=1)
    print(f"\n{rated.name}: {len(rated.texts):,} texts, {np.median(n_people):.0f} people each (median)")
    print(f"reliability of their mean {ceiling:.3f}, one person with the mean of the others {alone:.3f}\n")


def one_alone(ratings, rng):
    """Return the correlation of one random person's rating of each text with the mean of the others."""
    drawn = np.where(np.isnan(ratings), -1, rng.random(ratings.shape)).argmax(axis=1)
    one = np.take_along_axis(ratings, drawn[:, None], axis=1)[:, 0]
    others = (np.nansum(ratings, axis=1) - one) / (np.isfinite(ratings).sum(axis=1) - 1)
    return np.corrcoef(one, others)[0, 1]


def nulls(rated):
    n, k = len(rated.texts), SCALE.n_points
    yield Row("null: length of the text", np.array([len(text) for text in rated.texts], float))
    yield Row("null: equal shares", np.full(n, np.nan), np.full((n, k), 1 / k))
    yield Row(
        "null: people's average distribution", np.full(n, np.nan), np.tile(people(rated).mean(axis=0), (n, 1))
    )


def models(rated):
    for model in (DEFAULT_MODEL, DEFAULT_RATING_MODEL):
        embedder = load_embedder(model)
        off_topic = Rater(SCALE, embedder=embedder).rate(rated.texts).status == Status.OFF_TOPIC
        for readout in get_args(Readout):
            ratings = Rater(SCALE, embedder=embedder, readout=readout, floor=None).rate(rated.texts)
            yield Row(f"{model}, {readout}", ratings.mean, ratings.pmf, ratings.set_means, off_topic)


def print_row(row, rated, replicates):
    human, shares = rated.mean, people(rated)
    kept = np.isfinite(row.mean) if row.pmf is None else np.isfinite(row.pmf).all(axis=1)
    cells = ["", "", "", "", ""]
    if np.isfinite(row.mean).any():
        low, high = interval(row.mean[kept], human[kept], rated.group[kept], replicates)
        cells[0] = f"{correlation(row.mean[kept], human[kept]):.3f} ({low:.3f} to {high:.3f})"
    if row.single_sets is not None:
        cells[1] = f"{np.mean([correlation(means[kept], human[kept]) for means in row.single_sets.T]):.3f}"
        cells[4] = f"{row.off_topic.mean():.1%}"
    if row.pmf is not None:
        cells[2] = f"{ks_similarity(row.pmf[kept], shares[kept]):.3f}"
        cells[3] = f"{ranked_probability(row.pmf[kept], shares[kept]):.3f}"
    print(f"| {row.name} | " + " | ".join(cells) + " |", flush=True)


def people(rated):
    """Return each text's distribution of single ratings over the scale's points, shape (n, k)."""
    return human_pmfs(rated.ratings, SCALE.values, (LOWEST, HIGHEST))


def interval(machine_means, human, group, replicates):
    members = [np.flatnonzero(group == name) for name in np.unique(group)]
    rng = np.random.default_rng(SEED)
    drawn = []
    for _ in range(replicates):
        rows = np.concatenate([members[at] for at in rng.integers(len(members), size=len(members))])
        drawn.append(correlation(machine_means[rows], human[rows]))
    return np.quantile(drawn, [0.025, 0.975])


def correlation(left, right):
    return np.corrcoef(left, right)[0, 1]


def ks_similarity(pmf, shares):
    return 1 - np.abs(np.cumsum(pmf.mean(axis=0) - shares.mean(axis=0))).max()


def ranked_probability(pmf, shares):
    return (np.cumsum(pmf - shares, axis=1)[:, :-1] ** 2).sum(axis=1).mean()


def vader_scores(sets):
    """Return VADER's compound score of each text, by the set's name; NaN if its package is not available."""
    try:
        archive = source_distribution()
    except OSError as error:
        print(f"VADER is left out: {error}", file=sys.stderr)
        return {rated.name: np.full(len(rated.texts), np.nan) for rated in sets}
    folder = archive.parent / RELEASE
    if not folder.is_dir():
        with tarfile.open(archive) as release:
            release.extractall(archive.parent, filter="data")
    sys.path.insert(0, str(folder))
    analyzer = importlib.import_module("vaderSentiment.vaderSentiment").SentimentIntensityAnalyzer()
    return {
        rated.name: np.array([analyzer.polarity_scores(text)["compound"] for text in rated.texts])
        for rated in sets
    }


if __name__ == "__main__":
    main()
