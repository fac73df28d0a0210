"""Ratings of texts of several sentences, by the vector of the whole text and by those of its sentences.

Run with ``python bench/text_units.py --clones FOLDER``, for the sets in which at least a tenth of the texts
have several sentences; ``further_sets.py`` describes the clones. Sentences are those that ``semscale code``
finds. A text's vector is the weighted mean of its whole vector and the mean of its sentences' vectors, in
which sentences count equally or by nearness to the anchors: a softmax of the mean of each anchor set's
greatest cosine, with some slope.

``--choose`` prints r with people on the three sets on which the form was chosen, for some slopes and shares
of the sentences. Reviews and articles are joined sentences, and people rated the sentences.

Columns: r with people of whole texts, and its change with sentences in two forms, for texts of several
sentences, and for all texts of a set together. The first form was chosen on the three sets; the second one
was chosen on all sets but those of new users.
"""

from collections import defaultdict
from datetime import date
from typing import NamedTuple

import numpy as np

from constructs import MODEL, RatedSet, construct_sets, embed_sets, sentiment_sets
from further_sets import further_construct_sets
from measuring import Options, machine
from rated_texts import further_sets, review_sentences
from semscale.embedding import load_embedder
from semscale.rating.readouts import combined_ratings, mean_best_similarities
from semscale.scales import load_scale
from semscale.text_units import sentences_in

MOST = 64  # sentences of a text, the first ones
SHARES = (0.3, 0.5, 0.7)  # of the sentences in a text's vector
SLOPES = (0.0, 10.0, 20.0, 40.0)  # of the softmax; 0 is the plain mean
FORMS = ((0.0, 0.5), (40.0, 0.3))  # slopes and shares of the reported forms
WHOLE = (0.0, 0.0)
FEWEST = 0.1  # share of texts with several sentences, at least
HEADS = ("texts", "n", "several", "whole", "equal, half", "near, .3", "all: whole", "equal, half", "near, .3")
FURTHER = {"of the second choice": "further_constructs.yaml", "of new users": "new_user_scales.yaml"}
LEFT_OUT = ("easy-reading",)  # its texts are those of a set of new users
CHOSEN_ON = ("quality, whole reviews", "quality, whole editorials", "lounge-comfort")


class SplitSet(NamedTuple):
    """Vectors of n texts and of their sentences, with the vectors of the scale's anchors.

    Attributes:
        owners: shape (s,), the text of each sentence.
        several: shape (n,), mask of texts with several sentences.
    """

    whole: np.ndarray
    sentences: np.ndarray
    owners: np.ndarray
    several: np.ndarray
    anchors: np.ndarray
    values: np.ndarray
    human: np.ndarray


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", 1500, quick=60, help="at most so many of each set")
    parser.add_argument("--clones", help="folder of repositories, for further sets")
    parser.add_argument("--choose", action="store_true", help="compare forms on the sets of the choice")
    options = parser.parse_args()
    embedder = load_embedder(MODEL)
    print(f"{date.today()}, {MODEL}, {machine()}\n")
    if options.choose:
        print_forms(options.texts, embedder)
    else:
        print_report(options, embedder)


def print_forms(most, embedder):
    chosen = [rated for rated in (*whole_sets(most), *construct_sets(most)) if rated.name in CHOSEN_ON]
    split = [split_texts(rated.texts, rated.means, rated.scale, embedder) for rated in chosen]
    print(f"| slope | share | {' | '.join(rated.name for rated in chosen)} | mean |")
    print(f"|---|---|{'---|' * len(chosen)}---|")
    forms = [WHOLE, *((slope, share) for slope in SLOPES for share in SHARES)]
    for slope, share in forms:
        figures = [correlation(some, slope, share, some.several) for some in split]
        cells = " | ".join(f"{r:.4f}" for r in (*figures, np.mean(figures)))
        print(f"| {slope:g} | {share:g} | {cells} |", flush=True)


def print_report(options, embedder):
    print(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}")
    for name, sets in groups_of_sets(options).items():
        changes = [print_set(*rated, embedder) for rated in sets]
        changes = [row for row in changes if row is not None]
        if changes:
            n = f"mean of {len(changes)} sets {name}"
            print(f"| {n} | | | {' | '.join(cells(np.mean(changes, axis=0)))} |", flush=True)


def print_set(name, texts, human, scale, embedder):
    """Print and return the figures of a set, shape (2, 1 + forms); ``None`` if few texts have sentences."""
    if np.mean([len(sentences_in(text)) > 1 for text in texts]) < FEWEST:
        return None
    some = split_texts(texts, human, scale, embedder)
    masks = (some.several, np.ones(len(texts), np.bool_))
    figures = np.array([[correlation(some, *form, mask) for form in (WHOLE, *FORMS)] for mask in masks])
    figures[:, 1:] -= figures[:, :1]
    print(f"| {name} | {len(texts):,} | {some.several.sum():,} | {' | '.join(cells(figures))} |", flush=True)
    return figures


def cells(figures):
    return [text for whole, *changes in figures for text in (f"{whole:.3f}", *(f"{r:+.3f}" for r in changes))]


def groups_of_sets(options):
    """Return names, texts, people's means and scales of the sets, by what was chosen on them."""
    sets = (*whole_sets(options.texts), *sentiment_sets(options.texts), *construct_sets(options.texts))
    plain = [(rated.name, rated.texts, rated.means, rated.scale) for rated in sets]
    groups = {
        "of the first choice": [rated for rated in plain if rated[0] in CHOSEN_ON],
        "of the second choice": [rated for rated in plain if rated[0] not in CHOSEN_ON],
        "of new users": [],
    }
    if options.clones:
        for name, listed in FURTHER.items():
            groups[name] += [
                (rated.name, rated.texts, rated.human, rated.scale)
                for rated in further_construct_sets(options.clones, options.texts, listed)
                if rated.name not in LEFT_OUT
            ]
    return groups


def whole_sets(most):
    """Return whole reviews and articles, whose sentences people rated, with the mean of these ratings."""
    return [
        whole_texts(rated, most)
        for rated in (review_sentences(), *further_sets())
        if f"quality, whole {rated.name}" in CHOSEN_ON
    ]


def whole_texts(rated, most):
    texts, human = defaultdict(list), defaultdict(list)
    for text, group, mean in zip(rated.texts, rated.group.tolist(), rated.mean.tolist(), strict=True):
        texts[group].append(text)
        human[group].append(mean)
    joined = [" ".join(sentences) for sentences in texts.values()][:most]
    means = [float(np.mean(values)) for values in human.values()][:most]
    return RatedSet(f"quality, whole {rated.name}", joined, means, load_scale("quality"), ())


def split_texts(texts, human, scale, embedder):
    scale = scale.for_model(MODEL)
    parts = [[part.text(text) for part in sentences_in(text)][:MOST] for text in texts]
    counts = np.array([len(sentences) for sentences in parts])
    vectors = embedder.embed([*texts, *(sentence for sentences in parts for sentence in sentences)]).vectors
    return SplitSet(
        vectors[: len(texts)],
        vectors[len(texts) :],
        np.repeat(np.arange(len(texts)), counts),
        counts > 1,
        embed_sets(embedder, scale.anchor_sets.values()),
        scale.values,
        np.asarray(human),
    )


def correlation(some, slope, share, rows):
    """Return r with people of the texts that a mask marks."""
    nearness = np.exp(slope * mean_best_similarities(some.sentences, some.anchors))
    mean = averaged(some.sentences, nearness, some.owners)
    mean = np.where(some.several[:, None], share * mean + (1 - share) * some.whole, some.whole)
    ratings = combined_ratings(mean, some.anchors).pmf @ some.values
    return np.corrcoef(ratings[rows], some.human[rows])[0, 1]


def averaged(values, weights, owners):
    """Return the weighted mean of each owner's values, shape (owners, ...)."""
    weights = weights / np.bincount(owners, weights)[owners]
    sums = np.zeros((owners.max() + 1, *values.shape[1:]))
    np.add.at(sums, owners, (values.T * weights).T)
    return sums


if __name__ == "__main__":
    main()
