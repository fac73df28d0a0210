"""Five scales of new users: what a report expects of them, and their agreement with people.

Run with ``python bench/new_user_scales.py --clones FOLDER``. ``new_user_scales.yaml`` lists the scales, the
sentences that their writers wrote anew after findings of the linter, and the texts, whose repositories are
cloned as ``further_sets.py`` says. Nothing in Semscale was chosen on these scales and ratings.

Columns: number of rated texts; correlation with people that the report expects, with its interval; whether
the report withholds means (``doubted``); correlation with people; the same with the sentences written anew.
"""

from datetime import date

import numpy as np

from further_sets import further_construct_sets
from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.expected import expected_correlation
from semscale.rating.rater import Rater
from semscale.weights.known import DEFAULT_RATING_MODEL


def main():
    parser = Options(__doc__)
    parser.add_argument("--clones", default="", metavar="FOLDER", help="with the clones of repositories")
    parser.add_size("--texts", 600, quick=40, help="at most so many of each set")
    options = parser.parse_args()
    embedder = load_embedder(DEFAULT_RATING_MODEL)
    print(f"{date.today()}, {DEFAULT_RATING_MODEL}, {machine()}\n")
    print("| scale | texts | expected r | doubted | r | r after changes |\n|---|---|---|---|---|---|")
    for rated in further_construct_sets(options.clones, options.texts, "new_user_scales.yaml"):
        means, r = agreement(rated.scale, rated, embedder)
        _, edited = agreement(edited_scale(rated), rated, embedder)
        n = int(np.isfinite(means).sum())
        expected = expected_correlation(float(np.nanstd(means) / np.ptp(rated.scale.values)), n)
        doubted = "yes" if expected.is_doubtful else "no"
        interval = f"{expected.value:.2f} ({expected.low:.2f} to {expected.high:.2f})"
        print(f"| {rated.name} | {n} | {interval} | {doubted} | {r:.3f} | {edited:.3f} |", flush=True)


def agreement(scale, rated, embedder):
    """Return the rating of each text, NaN without one, and its correlation with people."""
    means = Rater(scale, embedder=embedder).rate(rated.texts).mean
    is_rated = np.isfinite(means)
    return means, np.corrcoef(means[is_rated], rated.human[is_rated])[0, 1]


def edited_scale(rated):
    """Return the scale with the sentences that its writer wrote anew."""
    sets = {
        name: tuple(rated.edits.get(sentence, sentence) for sentence in sentences)
        for name, sentences in rated.scale.anchor_sets.items()
    }
    return rated.scale.model_copy(update={"anchor_sets": sets})


if __name__ == "__main__":
    main()
