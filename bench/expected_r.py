"""Correlation with people to expect from the ratings alone: the coefficients of ``rating/expected.py``.

Run with ``python bench/expected_r.py --clones FOLDER``; without clones (see ``further_sets.py``) only the
sets of ``constructs.yaml`` and those of sentiment are used. Each scale rates its texts with all sets, with
some, and with single ones. Pairs of a scale with texts about another construct have a third of the weight, as
users' scales often do not fit their texts. Texts about sentiment have no such pairs, as people's ratings of
them agree with those on most scales. Fisher's z of the correlation with people is regressed on features that
need no labels, with coefficients of at least 0 for the direction that each feature must have. Families of
constructs have equal weights, and are left out one at a time.

Columns of the first table: root mean squared error of the expected r on left-out families, for scales and
their own texts, and for other texts; share of scales that are called doubtful (expected r below .3) if their
r is below .3, and if it is .45 or more. Then the coefficients, the standard deviation of z around its
expectation, the share of 95 % intervals that contain r, and each scale with all of its sets.
"""

from collections import Counter
from datetime import date
from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls

from constructs import MODEL, construct_sets, embed_sets, sentiment_sets
from further_sets import further_construct_sets
from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.anchors import unrelated_sentences
from semscale.rating.expected import DOUBTFUL, INTERCEPT, SLOPE, TYPICAL_SPREAD, Z_DEVIATION
from semscale.rating.readouts import combined_ratings, mean_best_similarities
from semscale.scales import load_scale, scale_names
from shared_data import shared_data

OTHER_SHARE = 1 / 3
RIDGE = 0.003
NEAREST = 3
CANDIDATES = (
    ("spread",), ("agreement",), ("spread", "agreement"), ("spread", "sentiment"), ("spread", "length"),
    ("spread", "nearness"), ("spread", "agreement", "sentiment", "length", "nearness"),
)  # fmt: skip


class Pair(NamedTuple):
    """A scale and texts with people's ratings: what is seen without labels, and r.

    Attributes:
        kind: ``all``, ``some`` or ``one`` for the scale's own sets; ``other`` for texts about something else.
    """

    texts: str
    family: str
    scale: str
    kind: str
    r: float
    features: dict


class Texts(NamedTuple):
    """Embedded texts with people's ratings; ``far`` is the cosine with the nearest unrelated sentences."""

    name: str
    family: str
    vectors: np.ndarray
    lengths: np.ndarray
    sentiment: np.ndarray
    far: np.ndarray
    human: np.ndarray


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 800, quick=60, help="at most so many of each set")
    parser.add_argument("--clones", default="clones", help="folder of the clones; default: %(default)s")
    options = parser.parse_args()
    embedder = load_embedder(MODEL)
    own = list(own_scales(options, embedder))
    library = {
        name: (embed_sets(embedder, scale.anchor_sets.values()), scale.values)
        for name in scale_names()
        for scale in [load_scale(name).for_model(MODEL)]
    }
    pairs = list(all_pairs(own, library, embedder))
    print(f"{date.today()}, {MODEL}, {machine()}")
    print(f"{len(pairs)} pairs, {len({pair.family for pair in pairs})} families\n")
    print("| features | own texts | other texts | called, r < .3 | called, r >= .45 |\n|---|---|---|---|---|")
    for names in CANDIDATES:
        print_row(names, [pair for pair in pairs if pair.kind != "one"])  # one set agrees with no other
    print_chosen(pairs)


def own_scales(options, embedder):
    """Yield texts with the anchors of each scale that is meant for them, by the scale's name."""
    for rated in sentiment_sets(options.texts):
        scale = rated.scale.for_model(MODEL)
        yield embed(rated.name, "sentiment", rated.texts, rated.means, embedder), {"quality": scale}
    for rated in construct_sets(options.texts):
        family = "lounge" if rated.name.startswith("lounge") else rated.name
        scales = {rated.name: rated.scale}
        described = shared_data("constructs", "scales") / f"{rated.name}-d.yaml"
        if described.is_file():
            scales[f"{rated.name}, described"] = load_scale(described)
        yield embed(rated.name, family, rated.texts, rated.means, embedder), scales
    for rated in further_construct_sets(options.clones, options.texts):
        yield embed(rated.name, rated.family, rated.texts, rated.human, embedder), {rated.name: rated.scale}


def embed(name, family, texts, human, embedder):
    vectors = embedder.embed(texts).vectors
    quality = load_scale("quality").for_model(MODEL)
    sentiment = combined_ratings(vectors, embed_sets(embedder, quality.anchor_sets.values())).pmf
    unrelated = embedder.embed(list(unrelated_sentences())).vectors
    far = np.sort(vectors @ unrelated.T, axis=1)[:, -NEAREST:].mean(axis=1)
    lengths = np.array([len(text) for text in texts], dtype=float)
    return Texts(name, family, vectors, lengths, sentiment @ quality.values, far, np.asarray(human))


def all_pairs(own, library, embedder):
    """Yield each scale with its own texts, and all scales with texts about something else."""
    anchors, families = {}, {}
    for texts, scales in own:
        for name, scale in scales.items():
            anchors[name] = embed_sets(embedder, scale.anchor_sets.values()), scale.values
            families[name] = texts.family
    for texts, scales in own:
        for name in scales:
            sets, values = anchors[name]
            yield from (pair(texts, name, kind, some, values) for kind, some in parts_of(sets))
        if texts.family not in {"sentiment", "lounge"}:
            others = {name: scale for name, scale in anchors.items() if families[name] != texts.family}
            for name, (sets, values) in {**library, **others}.items():
                yield pair(texts, name, "other", sets, values)


def parts_of(sets):
    """Yield all anchor sets, some and single ones, with the kind of the pair."""
    yield "all", sets
    if len(sets) > 3:
        yield from (("some", sets[start : start + 3]) for start in range(0, min(len(sets), 12), 3))
    elif len(sets) == 3:
        yield "some", sets[:2]
    yield from (("one", sets[[row]]) for row in range(min(len(sets), 3)))


def pair(texts, scale, kind, sets, values):
    rated = combined_ratings(texts.vectors, sets, values=values)
    means, n_sets = rated.pmf @ values, len(sets)
    agreement = 0.0
    if n_sets > 1:
        agreement = np.corrcoef(rated.set_means.T)[np.triu_indices(n_sets, 1)].mean()
    features = {
        "spread": np.log(means.std() / np.ptp(values) / TYPICAL_SPREAD),
        "agreement": max(agreement, 0.0),
        "sentiment": correlation(means, texts.sentiment) ** 2,
        "length": -abs(correlation(means, texts.lengths)),
        "nearness": 10 * (mean_best_similarities(texts.vectors, sets) - texts.far).mean(),
    }
    return Pair(texts.name, texts.family, scale, kind, correlation(means, texts.human), features)


def correlation(left, right):
    return float(np.corrcoef(left, right)[0, 1])


def weights_of(pairs):
    """Weigh families equally, and other texts by their share of all weights."""
    keys = [(pair.family, pair.kind == "other") for pair in pairs]
    counts = Counter(keys)
    n_families = Counter(is_other for _, is_other in counts)
    shares = {False: 1 - OTHER_SHARE, True: OTHER_SHARE}
    return np.array([shares[key[1]] / n_families[key[1]] / counts[key] for key in keys])


def design(pairs, names):
    """Return the features, with a column for a positive and one for a negative intercept."""
    rows = np.array([[pair.features[name] for name in names] for pair in pairs])
    ones = np.ones((len(pairs), 1))
    return np.hstack([ones, -ones, rows])


def fisher(pairs):
    return np.arctanh(np.clip([pair.r for pair in pairs], -0.95, 0.95))


def fit(pairs, names):
    roots = np.sqrt(weights_of(pairs))
    penalty = np.hstack([np.zeros((len(names), 2)), np.eye(len(names)) * np.sqrt(RIDGE)])
    left = np.vstack([design(pairs, names) * roots[:, None], penalty])
    return nnls(left, np.concatenate([fisher(pairs) * roots, np.zeros(len(names))]))[0]


def left_out(pairs, names):
    """Return z of each pair, expected by the other families."""
    families, z = np.array([pair.family for pair in pairs]), np.empty(len(pairs))
    for family in np.unique(families):
        known = [pair for pair in pairs if pair.family != family]
        unknown = [pair for pair in pairs if pair.family == family]
        z[families == family] = design(unknown, names) @ fit(known, names)
    return z


def print_row(names, pairs):
    expected, weights = np.tanh(left_out(pairs, names)), weights_of(pairs)
    r = np.array([pair.r for pair in pairs])
    is_other = np.array([pair.kind == "other" for pair in pairs])
    errors = [
        np.sqrt(np.average((r - expected)[rows] ** 2, weights=weights[rows]))
        for rows in (~is_other, is_other)
    ]
    called = [np.mean(expected[~is_other & rows] < DOUBTFUL) for rows in (r < DOUBTFUL, r >= 0.45)]
    cells = [*(f"{error:.3f}" for error in errors), *(f"{share:.0%}" for share in called)]
    print(f"| {', '.join(names)} | {' | '.join(cells)} |", flush=True)


def print_chosen(pairs):
    names = ("spread",)
    weights, z = weights_of(pairs), left_out(pairs, names)
    up, down, slope = fit(pairs, names)
    residuals = fisher(pairs) - z
    families = np.array([pair.family for pair in pairs])
    deviation = np.sqrt(np.average(residuals**2, weights=weights))
    print(f"\nz = {up - down:.3f} + {slope:.3f} ln(spread / {TYPICAL_SPREAD}), deviation {deviation:.3f}")
    print(f"in use: {INTERCEPT} + {SLOPE} ..., deviation {Z_DEVIATION}\n")
    inside = np.empty(len(pairs), dtype=bool)
    for family in np.unique(families):
        others = families != family
        rest = np.sqrt(np.average(residuals[others] ** 2, weights=weights[others]))
        inside[~others] = np.abs(residuals[~others]) <= 1.96 * rest
    for kinds in (("all",), ("all", "some", "one"), ("other",)):
        rows = [pair.kind in kinds for pair in pairs]
        print(f"95 % intervals contain r, {', '.join(kinds)}: {inside[rows].mean():.1%} of {sum(rows)}")
    print("\n| texts | scale | r | expected, left out |\n|---|---|---|---|")
    for pair, expected in sorted(zip(pairs, np.tanh(z), strict=True), key=lambda row: row[1]):
        if pair.kind == "all":
            print(f"| {pair.texts} | {pair.scale} | {pair.r:.2f} | {expected:.2f} |")


if __name__ == "__main__":
    main()
