"""Shares of on-topic and off-topic texts that the off-topic floor leaves out.

Run with ``python bench/floor.py``; it prints two tables. On-topic texts are VADER's four sets, the sets of
``constructs.yaml`` and translated review sentences. Off-topic texts are the 300 texts of
``tests/data/off_topic.txt``, and captions and headlines of STS-B; the floor was chosen without them. A cell
has the share of a set that is left out; the last columns have the share of off-topic texts that are found
(mean, minimum and maximum over the scales). Stars mark the model's quantile.

The second table tests a rule that the library does not use: a text is a don't-know answer if it resembles one
of the 18 exemplars more than any anchor of the scale, and at least by a threshold, which is a share of the
way from the cosine of random pairs to that of equal texts. It is tested on the 18 other answers below, and on
the probes of each scale, where every recognised probe is a false alarm.
"""

import csv
from datetime import date

import numpy as np
import yaml

from constructs import read_scale, read_texts
from measuring import ROOT, Options, machine
from rated_texts import first, further_sets, review_sentences
from semscale.embedding import load_embedder
from semscale.rating import anchors as rating_anchors
from semscale.rating.anchors import (
    AnchorVectors,
    topic_similarities,
    unrelated_probes,
    unrelated_sentences,
)
from semscale.rating.lint import cosine_at, random_pair_cosine
from semscale.rating.readouts import best_similarities
from semscale.scales import load_scale, scale_names
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL
from shared_data import shared_data

MULTILINGUAL = (DEFAULT_RATING_MODEL,)
OFF_TOPIC = ROOT / "tests" / "data" / "off_topic.txt"
QUANTILES = (0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6)
THRESHOLDS = (0.4, 0.5, 0.6, 0.7)
FRESH = (
    "idk",
    "pass",
    "couldn't tell you",
    "dunno",
    "not sure",
    "I have no clue.",
    "no response",
    "nothing to say",
    "I can't answer that.",
    "does not apply to me",
    "haven't thought about it",
    "hard to say",
    "refused",
    "no experience with it",
    "I don't want to answer this.",
    "who knows",
    "na",
    "I never used it, so I cannot judge.",
)


def main():
    parser = Options(__doc__)
    parser.add_size("--model", [DEFAULT_RATING_MODEL, DEFAULT_MODEL], quick=[DEFAULT_RATING_MODEL])
    parser.add_size("--texts", 600, quick=20, help="at most so many of each set")
    options = parser.parse_args()
    with shared_data("stsb", "dev.csv").open(encoding="utf-8", newline="") as file:
        captions = list(dict.fromkeys(row["sentence1"] for row in csv.DictReader(file)))[: options.texts]
    other = {"300 texts": OFF_TOPIC.read_text(encoding="utf-8").splitlines(), "captions": captions}
    sets = list(rated_sets(options.texts))
    for model in options.model:
        embedder = load_embedder(model)
        report(embedder, model, [*sets, *(translated_reviews() if model in MULTILINGUAL else ())], other)
        report_dont_know(embedder, [load_scale(name).for_model(model) for name in scale_names()])


def translated_reviews():
    """Yield the name, the texts and the scale of 200 review sentences in each language."""
    for path in sorted((ROOT / "bench" / "data").glob("reviews_*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            texts = [row["text"] for row in csv.DictReader(file)]
        yield path.stem.replace("_", ", "), texts, load_scale("quality")


def rated_sets(most):
    """Yield the name, the texts and the scale of each set."""
    for rated in (review_sentences(), *further_sets()):
        rng = np.random.default_rng(0)
        rows = np.isin(np.arange(len(rated.texts)), rng.permutation(len(rated.texts))[:most])
        yield rated.name, first(rated.where(rows), most).texts, load_scale("quality")
    folder = shared_data("constructs")
    for entry in yaml.safe_load((ROOT / "bench" / "constructs.yaml").read_text()):
        texts, _ = read_texts(folder / f"{entry['name']}.csv", most)
        yield entry["name"], texts, read_scale(folder, entry)


def report(embedder, model, sets, other):
    print(f"\n{date.today()}, {model}, {machine()}")
    print(f"| quantile | {' | '.join(name for name, _, _ in sets)} | {' | '.join(other)} |")
    vectors = {name: embedder.embed(texts).vectors for name, texts, _ in sets}
    elsewhere = {name: embedder.embed(texts).vectors for name, texts in other.items()}
    own = rating_anchors.MODEL_FLOOR_QUANTILES.get(model, rating_anchors.FLOOR_QUANTILE)
    for quantile in QUANTILES:
        rating_anchors.MODEL_FLOOR_QUANTILES[model] = quantile
        left_out, found = [], {name: [] for name in other}
        for name, _, scale in sets:
            anchors = AnchorVectors(scale.for_model(model), lambda: embedder, "auto")
            left_out.append(f"{share(anchors, vectors[name]):.1%}")
            for place in other:
                found[place].append(share(anchors, elsewhere[place]))
        means = [
            f"{np.mean(shares):.0%} ({min(shares):.0%} to {max(shares):.0%})" for shares in found.values()
        ]
        name = f"**{quantile}**" if quantile == own else f"{quantile}"
        print(f"| {name} | {' | '.join(left_out)} | {' | '.join(means)} |", flush=True)


def report_dont_know(embedder, scales):
    """Print the numbers of recognised don't-know answers and of wrongly recognised probes."""
    random_cosine = random_pair_cosine(embedder.embed(unrelated_sentences()).vectors.astype(float))
    known = embedder.embed(unrelated_probes()["dont-know"]).vectors.astype(float)
    fresh = [dont_know(scale, embedder, known, FRESH) for scale in scales]
    probes = [dont_know(scale, embedder, known, [probe.text for probe in scale.probes]) for scale in scales]
    n_probes = sum(len(similarities) for similarities in probes)
    print("threshold  recognised of the fresh answers (over scales)  false alarms on probes")
    for threshold in THRESHOLDS:
        lowest = cosine_at(threshold, random_cosine)
        shares = [(similarities >= lowest).mean() for similarities in fresh]
        mean = f"{np.mean(shares):.0%} ({min(shares):.0%} to {max(shares):.0%})"
        alarms = sum(int((similarities >= lowest).sum()) for similarities in probes)
        print(f"{threshold:9}  {mean:45}  {alarms} of {n_probes}")


def dont_know(scale, embedder, known, texts):
    """Return the similarity with the nearest exemplar if it is greater than with any anchor, else -1."""
    nearest = (embedder.embed(list(texts)).vectors.astype(float) @ known.T).max(axis=1)
    return np.where(nearest > topic_similarities(scale, embedder, list(texts)), nearest, -1)


def share(anchors, vectors):
    return anchors.off_topic(vectors, best_similarities(vectors, anchors.vectors)).mean()


if __name__ == "__main__":
    main()
