"""Agreement with people after calibrations with few labels, and ways to draw the texts for them.

Run with ``python bench/few_labels.py --clones FOLDER``; without clones (see ``further_sets.py``) only the
sets of ``constructs.yaml`` and those of sentiment are used. Families of constructs are numbered in
alphabetical order. Those with odd numbers chose the scale and the weight of the kernel of styles; those with
even numbers report. Of the ways to draw, none was chosen by these figures.

The first table has Pearson's r with people on all texts without a label, as rated and after a calibration by
random labels: from vectors alone, and from vectors and styles. The second table draws the labels in different
ways, and has the root mean squared error of the corrected mean as well, divided by that of as many labels
alone that were drawn at random.
"""

from collections import defaultdict
from datetime import date
from typing import NamedTuple

import numpy as np

from constructs import MODEL, construct_sets, embed_sets, sentiment_sets
from further_sets import further_construct_sets
from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.gaussian_process import Predictors, fit_gaussian_process
from semscale.rating.readouts import combined_ratings
from semscale.rating.text_style import text_styles
from semscale.stats.prediction_powered import PRIOR_LABELS
from semscale.stats.sampling import draw_texts

EASY = ("sentiment", "lounge")
"""Families that are listed by themselves, as the ratings need few labels."""


class LabelledSet(NamedTuple):
    """Texts with people's mean ratings on the scale's values, and what is measured of them."""

    name: str
    family: str
    predictors: Predictors
    human: np.ndarray


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 800, quick=60, help="at most so many of each set")
    parser.add_size("--labels", [25, 100], quick=[20])
    parser.add_size("--draws", 10, quick=1, help="of labelled texts")
    parser.add_argument("--clones", default="clones", help="folder of the clones; default: %(default)s")
    options = parser.parse_args()
    sets = list(labelled_sets(options, load_embedder(MODEL)))
    print(f"{date.today()}, {MODEL}, {machine()}\n")
    for n in options.labels:
        print_styles(sets, n, options.draws)
    for n in options.labels:
        print_draws(sets, n, options.draws)


def labelled_sets(options, embedder):
    for rated in sentiment_sets(options.texts):
        yield measure(
            rated.name, "sentiment", rated.texts, rated.means, rated.scale.for_model(MODEL), embedder
        )
    for rated in construct_sets(options.texts):
        family = "lounge" if rated.name.startswith("lounge") else rated.name
        yield measure(rated.name, family, rated.texts, rated.means, rated.scale, embedder)
    for rated in further_construct_sets(options.clones, options.texts):
        yield measure(rated.name, rated.family, rated.texts, rated.human, rated.scale, embedder)


def measure(name, family, texts, human, scale, embedder):
    """Return the texts with people's ratings, from their lowest to their highest, on the scale's values."""
    vectors, values = embedder.embed(list(texts)).vectors, scale.values
    pmf = combined_ratings(vectors, embed_sets(embedder, scale.anchor_sets.values()), values=values).pmf
    human = np.asarray(human, dtype=float)
    share = (human - human.min()) / np.ptp(human)
    predictors = Predictors(vectors, pmf, values, text_styles(list(texts)))
    return LabelledSet(name, family, predictors, values[0] + share * np.ptp(values))


def print_styles(sets, n, draws):
    print(f"{n} labels, {draws} draws\n| | as rated | vectors | vectors and styles |\n|---|---|---|---|")
    figures = defaultdict(list)
    for some in sets:
        plain = without_styles(some.predictors)
        rows = np.array([
            [r_of(some, known, rated=True), r_of(some, known, plain), r_of(some, known)]
            for known in (random_labels(some, n, seed) for seed in range(draws))
        ])  # fmt: skip
        add(figures, some, sets, rows.mean(axis=0))
    print_means(figures)


def without_styles(predictors):
    """Return predictors with one style for all texts."""
    return Predictors(predictors.vectors, predictors.pmf, predictors.values, np.zeros_like(predictors.styles))


def print_draws(sets, n, draws):
    print(f"{n} labels, {draws} draws: r, and error of the mean")
    print(f"| | {' | '.join(f'{name}: r | error' for name in WAYS)} |\n|---|{'---|' * 2 * len(WAYS)}")
    figures = defaultdict(list)
    for some in sets:
        cells = []
        for way in WAYS.values():
            known = [way(some, n, seed) for seed in range(draws)]
            r = np.mean([r_of(some, labels) for labels in known])
            more = [way(some, n, seed) for seed in range(20 * draws)]
            errors = [corrected_error(some, labels) for labels in more]
            at_random = some.human.std() / np.sqrt(n) * np.sqrt(1 - n / len(some.human))
            cells += [r, np.sqrt(np.mean(np.square(errors))) / at_random]
        add(figures, some, sets, cells)
    print_means(figures)


def add(figures, some, sets, cells):
    """Add a set's figures to those of its half, and print them."""
    families = sorted({each.family for each in sets})
    half = "odd families" if families.index(some.family) % 2 == 0 else "even families"
    figures[some.family if some.family in EASY else half].append(cells)
    print(f"| {some.name} | {' | '.join(f'{cell:.2f}' for cell in cells)} |", flush=True)


def print_means(figures):
    for name, rows in figures.items():
        means = " | ".join(f"{mean:.3f}" for mean in np.mean(rows, axis=0))
        print(f"| **{name}, {len(rows)} sets** | {means} |")
    print()


def r_of(some, labels, predictors=None, *, rated=False):
    """Return r on the texts without a label, calibrated by the labels or as rated."""
    predictors = some.predictors if predictors is None else predictors
    known, _ = labels
    rest = np.setdiff1d(np.arange(len(some.human)), known)
    means = predictors.mean[rest]
    if not rated:
        fitted = fit_gaussian_process(
            predictors.rows(known), masses(some.human[known], predictors.values), ()
        )
        means = fitted.pmf(predictors.rows(rest)) @ predictors.values
    return np.corrcoef(means, some.human[rest])[0, 1]


def masses(human, values):
    """Divide each mean rating between the two nearest points, shape (n, k)."""
    return np.array([np.interp(human, values, point) for point in np.eye(len(values))]).T


def corrected_error(some, labels):
    """Return the corrected mean, weighted by 1 / probability, minus people's mean of all texts."""
    known, probability = labels
    part = 1 / probability / (1 / probability).sum()
    scores, human = some.predictors.mean, some.human[known]
    rated = scores[known] - part @ scores[known]
    slope = part @ (rated * human) / (part @ rated**2) * len(known) / (len(known) + PRIOR_LABELS)
    return part @ human + slope * (scores.mean() - part @ scores[known]) - some.human.mean()


def random_labels(some, n, seed):
    rows = np.random.default_rng(seed).permutation(len(some.human))[:n]
    return rows, np.full(n, n / len(some.human))


def along_ratings(some, n, seed):
    drawn = draw_texts(some.predictors.pmf, some.predictors.values, n, seed=seed)
    return drawn.rows, drawn.probability


def unsure_first(some, n, seed):
    drawn = draw_texts(some.predictors.pmf, some.predictors.values, n, by_interest=True, seed=seed)
    return drawn.rows, drawn.probability


def extremes_first(some, n, seed):
    means = some.predictors.mean
    distance = np.abs(means - means.mean())
    drawn = draw_texts(
        some.predictors.pmf, some.predictors.values, n, by_interest=True, deviation=distance, seed=seed
    )
    return drawn.rows, drawn.probability


WAYS = {
    "random": random_labels,
    "along the ratings": along_ratings,
    "unsure more often": unsure_first,
    "extremes more often": extremes_first,
}


if __name__ == "__main__":
    main()
