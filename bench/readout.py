"""Agreement of readouts with people, on the shipped quality scale.

Run with ``python bench/readout.py``. The ordinal readout's width is the one with the lowest ranked
probability score on one half of the review sentences, by whole reviews, with the first model; the other half
and the other sets are not used for that, and nothing else is chosen. A person's rating from -4 to 4 is mapped
linearly to the points: a value between two points is split between them. All ratings of a text form its human
distribution.

r: Pearson's, with the mean of the people. RPS: squared difference of the two cumulative distributions, summed
over the thresholds between points, mean over texts; less is better. KS: similarity of the average
distributions. spread: standard deviation of the means, as a share of that of the people's means. Intervals
are percentiles of a bootstrap of whole reviews and articles, and of single texts elsewhere.
"""

import numpy as np

from anchors import SHIPPED_SEED, half_of
from measuring import Options
from rated_texts import HIGHEST, LOWEST, first, further_sets, review_sentences
from semscale.embedding import load_embedder
from semscale.rating.human import human_pmfs
from semscale.rating.readouts import READOUTS, WIDTH, ordinal_ratings
from semscale.scales import load_scale

SCALE = "quality"
WIDTHS = np.arange(0.25, 1.01, 0.05)


def main():
    parser = Options(__doc__)
    models = ["e5-small", "all-MiniLM-L6-v2"]
    parser.add_size("--model", models, quick=models[:1], help="the first one chooses the width")
    parser.add_size("--texts", None, quick=50, help="at most so many of each set; all unless given")
    parser.add_size("--replicates", 1000, quick=5)
    options = parser.parse_args()
    sets = [first(one, options.texts) for one in (*halves(review_sentences()), *further_sets())]
    for number, model in enumerate(options.model):
        embedder = load_embedder(model)
        scale = load_scale(SCALE).for_model(model)
        anchors = np.array([embedder.embed(list(one)).vectors for one in scale.anchor_sets.values()])
        vectors = {one.name: embedder.embed(one.texts).vectors for one in sets}
        print(f"{model}, scale {scale.name}#{scale.content_hash}")
        if number == 0:
            report_widths(vectors[sets[0].name], anchors, people(sets[0], scale.values))
        report_sets(sets, vectors, anchors, scale.values, options.replicates)


def halves(reviews):
    choosing = half_of(reviews.group, SHIPPED_SEED)
    named = ((choosing, "reviews, choosing half"), (~choosing, "reviews, other half"))
    return [reviews.where(rows).named(name) for rows, name in named]


def people(rated, values):
    """Return each text's distribution of single ratings over the scale's points, shape (n, k)."""
    return human_pmfs(rated.ratings, values, (LOWEST, HIGHEST))


def report_widths(vectors, anchors, masses):
    scores = {
        width: ranked_probability(ordinal_ratings(vectors, anchors, width=width).pmf, masses).mean()
        for width in WIDTHS.round(2).tolist()
    }
    print("RPS by width: " + ", ".join(f"{width:g} {score:.4f}" for width, score in scores.items()))
    print(f"least at {min(scores, key=scores.get):g}; the readout has {WIDTH:g}\n")


def report_sets(sets, vectors, anchors, values, replicates):
    print(f"{'':26}{'n':>6}  {'readout':<13}{'r':>6}{'RPS':>7}{'KS':>7}{'spread':>8}")
    for rated in sets:
        masses, human = people(rated, values), rated.mean
        pmfs = {"equal shares": np.full_like(masses, 1 / len(values))}
        for name, rate in READOUTS.items():
            pmfs[name] = rate(vectors[rated.name], anchors, values=values).pmf
        for place, (name, pmf) in enumerate(pmfs.items()):
            heading = f"{rated.name:<26}{len(human):>6,}" if place == 0 else " " * 32
            means = pmf @ values
            r = f"{correlation(means, human):6.3f}" if means.std() > 0 else "     -"
            rps = ranked_probability(pmf, masses).mean()
            spread = means.std() / (masses @ values).std()
            print(f"{heading}  {name:<13}{r}{rps:7.3f}{ks_similarity(pmf, masses):7.3f}{spread:8.2f}")
        for name in ("ordinal", "combined"):
            report_difference(name, pmfs, rated, values, replicates)
    print()


def report_difference(name, pmfs, rated, values, replicates):
    """Print the differences of a readout from SSR, with intervals."""
    masses, human = people(rated, values), rated.mean
    means, ssr_means = pmfs[name] @ values, pmfs["ssr"] @ values
    gain = ranked_probability(pmfs[name], masses) - ranked_probability(pmfs["ssr"], masses)
    members = [np.flatnonzero(rated.group == label) for label in np.unique(rated.group)]
    rng, drawn_r, drawn_rps = np.random.default_rng(0), [], []
    for _ in range(replicates):
        rows = np.concatenate([members[row] for row in rng.integers(len(members), size=len(members))])
        drawn_r.append(correlation(means[rows], human[rows]) - correlation(ssr_means[rows], human[rows]))
        drawn_rps.append(gain[rows].mean())
    shown = [
        "{:+.3f} [{:+.3f}, {:+.3f}]".format(value, *np.quantile(drawn, [0.025, 0.975]))
        for value, drawn in (
            (correlation(means, human) - correlation(ssr_means, human), drawn_r),
            (gain.mean(), drawn_rps),
        )
    ]
    print(f"{'':34}{name} - ssr: r {shown[0]}, RPS {shown[1]}")


def correlation(left, right):
    return np.corrcoef(left, right)[0, 1]


def ranked_probability(pmf, masses):
    """Return the RPS of each text, shape (n,)."""
    return (np.cumsum(pmf - masses, axis=1)[:, :-1] ** 2).sum(axis=1)


def ks_similarity(pmf, masses):
    return 1 - np.abs(np.cumsum(pmf.mean(axis=0) - masses.mean(axis=0))).max()


if __name__ == "__main__":
    main()
