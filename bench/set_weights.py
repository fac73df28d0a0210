"""Weights of anchor sets that can be computed without labels, beside equal weights.

Run with ``python bench/set_weights.py``. A scale of four sets or more rates its own texts by each set alone;
the ratings of the sets are averaged with equal weights and with others, which need the anchors only or the
texts as well. The first three sets and the scale ``quality`` are the simple choices.

Columns: the mean of r with people over all scales, the greatest loss beside equal weights, and the scale that
has it.
"""

from datetime import date

import numpy as np

from constructs import MODEL, construct_sets, embed_sets, sentiment_sets
from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.readouts import combined_ratings
from semscale.scales import load_scale

FEWEST_SETS = 4
LEFT_OUT = 3  # a third of the sets


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 800, quick=60, help="at most so many of each set")
    options = parser.parse_args()
    embedder = load_embedder(MODEL)
    quality = load_scale("quality").for_model(MODEL)
    sentiment = embed_sets(embedder, quality.anchor_sets.values())
    axis = directions(sentiment).mean(axis=0)
    found = {}
    for rated in (*sentiment_sets(options.texts), *construct_sets(options.texts)):
        scale = rated.scale.for_model(MODEL)
        if len(scale.anchor_sets) >= FEWEST_SETS:
            vectors = embedder.embed(rated.texts).vectors
            anchors = embed_sets(embedder, scale.anchor_sets.values())
            plain = combined_ratings(vectors, sentiment).pmf @ quality.values
            lengths = np.array([len(text) for text in rated.texts], dtype=float)
            readings = combined_ratings(vectors, anchors, values=scale.values).set_means
            found[rated.name] = {
                "equal": correlation(readings.mean(axis=1), rated.means),
                "the first three sets": correlation(readings[:, :3].mean(axis=1), rated.means),
                "`quality`": correlation(plain, rated.means),
                **{
                    name: correlation(
                        readings @ (weights if weights.any() else np.ones(len(weights))), rated.means
                    )
                    for name, weights in all_weights(anchors, axis, readings, plain, lengths).items()
                },
            }
    print_rows(found)


def all_weights(anchors, axis, readings, plain, lengths):
    """Return weights of the sets, shape (sets,), by what they are computed from."""
    own, without = directions(anchors), directions(anchors, axis)
    residuals = readings - fitted(np.column_stack([plain, lengths]), readings)
    return {
        "agreement of directions": agreement(own @ own.T),
        "agreement of directions without sentiment": agreement(without @ without.T),
        "directions: without the worst third": kept(agreement(own @ own.T)),
        "directions without sentiment: without the worst third": kept(agreement(without @ without.T)),
        "first principal component of directions": leading(own @ own.T),
        "length of directions": np.linalg.norm(anchors[:, -1] - anchors[:, 0], axis=1),
        "agreement of ratings": agreement(np.corrcoef(readings.T)),
        "agreement of ratings without sentiment and length": agreement(np.corrcoef(residuals.T)),
        "ratings: without the worst third": kept(agreement(np.corrcoef(readings.T))),
        "ratings without sentiment and length: without the worst third": kept(
            agreement(np.corrcoef(residuals.T))
        ),
        "first principal component of ratings": leading(np.cov(readings.T)),
        "spread of ratings": readings.std(axis=0),
    }


def directions(anchors, taken_out=None):
    """Return unit vectors from the lower to the upper half of each set, shape (sets, dimensions)."""
    half = anchors.shape[1] // 2
    vectors = anchors[:, -half:].mean(axis=1) - anchors[:, :half].mean(axis=1)
    if taken_out is not None:
        unit = taken_out / np.linalg.norm(taken_out)
        vectors = vectors - np.outer(vectors @ unit, unit)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def agreement(similarities):
    """Return the mean similarity of each set to the others, at least 0."""
    n = len(similarities)
    return np.maximum((similarities.sum(axis=1) - np.diag(similarities)) / (n - 1), 0)


def kept(scores):
    """Return 1 for each set but the worst third, which have 0."""
    weights = np.ones(len(scores))
    weights[np.argsort(scores)[: len(scores) // LEFT_OUT]] = 0
    return weights


def leading(matrix):
    return np.abs(np.linalg.eigh(matrix)[1][:, -1])


def fitted(columns, values):
    design = np.column_stack([np.ones(len(columns)), columns])
    return design @ np.linalg.lstsq(design, values, rcond=None)[0]


def correlation(left, right):
    return float(np.corrcoef(left, right)[0, 1])


def print_rows(found):
    print(f"{date.today()}, {MODEL}, {machine()}, {len(found)} scales\n")
    print("| weights | mean r | greatest loss | scale |\n|---|---|---|---|")
    for name in next(iter(found.values())):
        losses = {scale: figures["equal"] - figures[name] for scale, figures in found.items()}
        worst = max(losses, key=losses.get)
        mean = np.mean([figures[name] for figures in found.values()])
        print(f"| {name} | {mean:.3f} | {losses[worst]:.3f} | {worst} |")


if __name__ == "__main__":
    main()
