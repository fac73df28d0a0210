"""Ratings of the sentences of a text, combined, beside ratings of the whole text.

Run with ``python bench/text_units.py``, for texts of several sentences, of the sets in which at least a
quarter of the texts have several. Sentences are those that ``semscale code`` finds.

Columns: r with people of ratings of the whole text; of the mean of its sentences' ratings; of the mean
weighted by the number of characters, and by nearness to the anchors (a softmax of the greatest cosine); and
of ratings of the text's vector plus the mean of its sentences' vectors, weighted by nearness.
"""

from collections import defaultdict
from datetime import date

import numpy as np

from constructs import MODEL, RatedSet, construct_sets, embed_sets, sentiment_sets
from measuring import Options, machine
from rated_texts import further_sets, review_sentences
from semscale.embedding import load_embedder
from semscale.rating.readouts import combined_ratings, mean_best_similarities
from semscale.scales import load_scale
from semscale.text_units import sentences_in

NEARNESS = 20.0  # slope of the softmax
SHARE = 0.25  # of texts with several sentences, at least
JOINED = ("reviews", "editorials")
SETS = ("lounge-staff", "lounge-comfort", "urgency")


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 800, quick=60, help="at most so many of each set")
    options = parser.parse_args()
    embedder, rows = load_embedder(MODEL), []
    print(f"{date.today()}, {MODEL}, {machine()}\n")
    print(
        "| texts | n | whole | sentences | by length | by nearness | vectors |\n|---|---|---|---|---|---|---|"
    )
    rated_sentences = (review_sentences(), *further_sets())
    sets = [whole_texts(rated, options.texts) for rated in rated_sentences if rated.name in JOINED]
    for rated in (*sets, *sentiment_sets(options.texts), *construct_sets(options.texts)):
        if rated.name in SETS or rated.name.startswith("quality"):
            parts = [[part.text(text) for part in sentences_in(text)] for text in rated.texts]
            several = [row for row, sentences in enumerate(parts) if len(sentences) > 1]
            if len(several) >= SHARE * len(parts):
                figures = correlations(rated, parts, several, embedder)
                rows.append(figures)
                cells = " | ".join(f"{r:.3f}" for r in figures)
                print(f"| {rated.name} | {len(several)} | {cells} |", flush=True)
    print(f"| mean | | {' | '.join(f'{r:.3f}' for r in np.mean(rows, axis=0))} |")


def whole_texts(rated, most):
    """Return reviews or articles, whose sentences people rated, with the mean of the sentences' ratings."""
    texts, human = defaultdict(list), defaultdict(list)
    for text, group, mean in zip(rated.texts, rated.group.tolist(), rated.mean.tolist(), strict=True):
        texts[group].append(text)
        human[group].append(mean)
    joined = [" ".join(sentences) for sentences in texts.values()][:most]
    means = [float(np.mean(values)) for values in human.values()][:most]
    return RatedSet(f"quality, whole {rated.name}", joined, means, load_scale("quality"), ())


def correlations(rated, parts, several, embedder):
    """Return r with people of texts of several sentences, for each way to rate them."""
    scale = rated.scale.for_model(MODEL)
    anchors = embed_sets(embedder, scale.anchor_sets.values())
    sentences = [parts[row] for row in several]
    whole = embedder.embed([rated.texts[row] for row in several]).vectors
    vectors = embedder.embed([text for texts in sentences for text in texts]).vectors
    owners = np.repeat(np.arange(len(several)), [len(texts) for texts in sentences])
    lengths = np.array([len(text) for texts in sentences for text in texts], dtype=float)
    nearness = np.exp(NEARNESS * mean_best_similarities(vectors, anchors))
    ratings = combined_ratings(vectors, anchors).pmf @ scale.values
    joined = whole + averaged(vectors, nearness, owners)
    joined /= np.linalg.norm(joined, axis=1, keepdims=True)
    found = (
        combined_ratings(whole, anchors).pmf @ scale.values,
        *(averaged(ratings, weights, owners) for weights in (np.ones(len(lengths)), lengths, nearness)),
        combined_ratings(joined, anchors).pmf @ scale.values,
    )
    return [np.corrcoef(means, rated.means[several])[0, 1] for means in found]


def averaged(values, weights, owners):
    """Return the weighted mean of each owner's values, shape (owners, ...)."""
    weights = weights / np.bincount(owners, weights)[owners]
    sums = np.zeros((owners.max() + 1, *values.shape[1:]))
    np.add.at(sums, owners, (values.T * weights).T)
    return sums


if __name__ == "__main__":
    main()
