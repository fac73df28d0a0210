"""Effect of a calibration from few labels on the review sentences, tested on all other sentences.

Run with ``python bench/calibration.py``. Labels are the ratings of 20 people per text, distributed over the
five points; the texts to label are drawn at random many times. The second table treats the sentences as a
population. It draws a file of 1,000 sentences 1,000 times, labels 100 of them, and counts the 95 % intervals
that contain the mean of the population. The last table calibrates with a few labels, and counts the same for
the calibrated mean of all other texts.
"""

from datetime import date

import numpy as np

from measuring import Options, machine
from rated_texts import HIGHEST, LOWEST, first, review_sentences
from semscale.rating.fitting import Sample, human_masses
from semscale.rating.gaussian_process import Predictors, fit_gaussian_process
from semscale.rating.rater import Rater
from semscale.rating.text_style import text_styles
from semscale.results.estimates import Tallies
from semscale.signature import Signature
from semscale.stats.calibration import log_scores, ranked_probability_scores
from semscale.stats.correlations import ks_similarity, pearson
from semscale.stats.intervals import scale_figures
from semscale.stats.prediction_powered import prediction_powered_mean
from semscale.types import Status

DRAWN, FILE = 100, 1000
FIGURES = ("r", "KS", "RPS", "log score", "spread")


def figures(pmf, human, values):
    return np.array(
        [
            pearson(pmf @ values, human @ values),
            ks_similarity(pmf.mean(axis=0), human.mean(axis=0)),
            ranked_probability_scores(pmf, human).mean(),
            log_scores(pmf, human).mean(),
            (pmf @ values).std(),
        ]
    )


def line(name, found):
    print(f"| {name} | " + " | ".join(f"{one:.3f}" for one in found) + " |", flush=True)


def report_labels(texts, human, values, options):
    print("| labels | " + " | ".join(FIGURES) + f" |\n|---|{'---|' * len(FIGURES)}")
    line("none, as rated", figures(texts.pmf, human, values))
    line("none, equal shares", [np.nan, *figures(texts.pmf * 0 + 1 / len(values), human, values)[1:]])
    for n in options.labels:
        found = []
        for seed in range(options.splits):
            order = np.random.default_rng(seed).permutation(len(texts))
            known, rest = order[:n], order[n:]
            fitted = fit_gaussian_process(texts.rows(known), human[known], ())
            found.append(figures(fitted.pmf(texts.rows(rest)), human[rest], values))
        line(f"{n}", np.mean(found, axis=0))
        low, high = np.min(found, axis=0)[0], np.max(found, axis=0)[0]
        print(f"|  | {low:.3f} to {high:.3f} |{' |' * len(FIGURES)}", flush=True)


def report_coverage(means, labels, values, draws):
    """Draw files and labels, and count the intervals that contain the population's mean."""
    truth, held, width = labels.mean(), [], []
    for seed in range(draws):
        rows = np.random.default_rng(seed).integers(len(labels), size=FILE)
        some = np.where(np.arange(FILE) < DRAWN, labels[rows], np.nan)
        found = prediction_powered_mean(means[rows], some, bounds=(values[0], values[-1]))
        both = (found, found.labels_only)
        held.append([one.low <= truth <= one.high for one in both])
        width.append([one.high - one.low for one in both])
    print(f"\n95 % intervals of the population's mean from {DRAWN} labels of {FILE:,} texts, {draws:,} draws")
    print("| | coverage, % | half width |\n|---|---|---|")
    for name, share, wide in zip(
        ("labels and ratings", "labels alone"), np.mean(held, axis=0), np.mean(width, axis=0), strict=True
    ):
        print(f"| {name} | {100 * share:.1f} | {wide / 2:.3f} |")


def report_calibrated_coverage(texts, human, values, options):
    """Calibrate with n labels, and count intervals of the other texts' mean that contain people's mean."""
    print(f"\n95 % intervals of the calibrated mean of all others, {options.refit_draws:,} draws")
    print("| labels | coverage, % | half width | of the rows alone, % | half width |")
    print("|---|---|---|---|---|")
    for n in options.calibrated:
        found = [calibrated_intervals(texts, human, values, n, seed) for seed in range(options.refit_draws)]
        held, width = (np.array(each).mean(axis=0) for each in zip(*found, strict=True))
        shown = (f"{100 * share:.1f} | {wide / 2:.3f}" for share, wide in zip(held, width, strict=True))
        print(f"| {n} | {' | '.join(shown)} |", flush=True)


def calibrated_intervals(texts, human, values, n, seed):
    order = np.random.default_rng(10000 + seed).permutation(len(texts))
    known, rest = texts.rows(order[:n]), texts.rows(order[n:])
    sample, truth = Sample(known, human[order[:n]], seed=seed), (human[order[n:]] @ values).mean()
    scored = [Status.SCORED] * len(rest)
    fitted, ends = sample.fit(), []
    pmf = fitted.pmf(rest)
    for given in (fitted.refit_pmf(rest), None):
        tallies = Tallies([scale_figures(values)], Signature.of("rate"))
        tallies.add(pmf, scored, refits=given)
        ends.append(tallies.estimates(method="linearized").overall.mean)
    return [one.low <= truth <= one.high for one in ends], [one.high - one.low for one in ends]


def main():
    parser = Options(__doc__)
    parser.add_argument("--model", default="e5-small", help="as load_embedder takes it")
    parser.add_size("--texts", None, quick=200, help="at most so many; all unless given")
    parser.add_size("--labels", [25, 50, 100, 300, 1000], quick=[25], help="of the first table")
    parser.add_size("--splits", 20, quick=1)
    parser.add_size("--draws", 1000, quick=5)
    parser.add_size("--calibrated", [50, 100, 300], quick=[50], help="labels of the last table")
    parser.add_size("--refit-draws", 300, quick=1)
    arguments = parser.parse_args()
    reviews = first(review_sentences(), arguments.texts)
    rater = Rater("quality", embedder=arguments.model, floor=None)
    ratings = rater.rate(reviews.texts)
    values = rater.scale.values
    scored = ratings.scored  # a few have no letter or digit
    vectors, styles = rater.embedder.embed(reviews.texts).vectors, text_styles(reviews.texts)
    texts = Predictors(vectors[scored], ratings.pmf[scored], values, styles[scored])
    human = human_masses(reviews.ratings[scored], values, (LOWEST, HIGHEST))
    print(f"{date.today()}, {machine()}\n{rater.signature}\n{scored.sum():,} rated texts\n")
    report_labels(texts, human, values, arguments)
    report_coverage(texts.mean, human @ values, values, arguments.draws)
    report_calibrated_coverage(texts, human, values, arguments)


if __name__ == "__main__":
    main()
