"""Can don't-know answers be recognised by their similarity with others? The trial that was left out.

``python bench/dont_know.py``: a text is called a don't-know answer if it resembles one of the 18 shipped ones
more than any anchor of the scale, and at least by a threshold, a share of the way from the cosine of random
pairs to that of equal texts. Tried on the 18 answers below, which had no
part in it, and on the probes of each scale, where every one that is found is a false alarm.
"""

import argparse
from datetime import date

import numpy as np

from measuring import machine
from semscale.embedding import load_embedder
from semscale.rating.anchors import topic_similarities, unrelated_probes
from semscale.rating.lint import cosine_at, random_pair_cosine, unrelated_sentences
from semscale.scales import load_scale, scale_names
from semscale.weights.known import DEFAULT_RATING_MODEL

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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_RATING_MODEL)
    model = parser.parse_args().model
    embedder = load_embedder(model)
    random_cosine = random_pair_cosine(embedder.embed(unrelated_sentences()).vectors.astype(float))
    exemplars = unrelated_probes()["dont-know"]
    known = embedder.embed(exemplars).vectors.astype(float)
    scales = [load_scale(name).for_model(model) for name in scale_names()]
    print(f"{date.today()}, {model}, {machine()}")
    fresh = [found(scale, embedder, known, FRESH) for scale in scales]
    probes = [found(scale, embedder, known, [probe.text for probe in scale.probes]) for scale in scales]
    n_probes = sum(len(similarities) for similarities in probes)
    print("threshold  found of the fresh answers (over scales)  false alarms on probes")
    for share in THRESHOLDS:
        threshold = cosine_at(share, random_cosine)
        shares = [(similarities >= threshold).mean() for similarities in fresh]
        alarms = sum(int((similarities >= threshold).sum()) for similarities in probes)
        mean = f"{np.mean(shares):.0%} ({min(shares):.0%} to {max(shares):.0%})"
        print(f"{share:9}  {mean:40}  {alarms} of {n_probes}")


def found(scale, embedder, known, texts):
    """Similarity with the nearest exemplar where it is greater than with any anchor; -1 elsewhere."""
    nearest = (embedder.embed(list(texts)).vectors.astype(float) @ known.T).max(axis=1)
    return np.where(nearest > topic_similarities(scale, embedder, list(texts)), nearest, -1)


if __name__ == "__main__":
    main()
