"""Texts that the off-topic floor rejects at other quantiles, and a trial that recognises don't-know answers.

``python bench/floor.py`` prints two tables of ``docs/scales.md``. The floor is estimated from one half of the
unrelated sentences where it is judged on the other; for probes and reviews all of them are used, as ``Rater``
does. In the trial, which the library left out, a text is a don't-know answer if it resembles one of the 18
shipped ones more than any anchor of the scale, and at least by a threshold, a share of the way from the
cosine of random pairs to that of equal texts. It is tried on the 18 answers below, which had no part in it,
and on the probes of each scale, where each one that is recognised is a false alarm.
"""

import csv
from datetime import date
from pathlib import Path

import numpy as np

from measuring import Options, machine
from semscale.embedding import load_embedder
from semscale.rating.anchors import FLOOR_GROUPS, topic_similarities, unrelated_probes
from semscale.rating.lint import cosine_at, random_pair_cosine, unrelated_sentences
from semscale.scales import load_scale, scale_names
from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

REVIEWS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
QUANTILES = (0.25, 0.40, 0.50, 0.75, 0.90)
STRICTER = {"all-MiniLM-L6-v2": 0.2, "e5-small": 0.82}
"""For each model a stricter floor, for answers to a direct question."""
OPINION = 1.5
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
    parser.add_size("--reviews", None, quick=50, help="at most so many sentences; all unless given")
    options = parser.parse_args()
    for model in options.model:
        embedder = load_embedder(model)
        scales = [load_scale(name).for_model(model) for name in scale_names()]
        print(f"\n{date.today()}, {model}, {machine()}")
        report_floor(model, embedder, scales, options.reviews)
        report_dont_know(embedder, scales)


def report_floor(model, embedder, scales, most):
    """Print the shares that floors at several quantiles reject."""
    groups = unrelated_probes()
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in groups[group]]
    nothing = [topic_similarities(scale, embedder, unrelated) for scale in scales]
    probes = [topic_similarities(scale, embedder, [probe.text for probe in scale.probes]) for scale in scales]
    gibberish, unknown = (
        [topic_similarities(scale, embedder, list(groups[group])) for scale in scales]
        for group in ("gibberish", "dont-know")
    )
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:most]
    reviews = topic_similarities(
        load_scale("quality").for_model(model), embedder, [row["text"] for row in rows]
    )
    opinion = np.array([abs(float(row["human_mean"])) >= OPINION for row in rows])
    quality = [scale.name for scale in scales].index("quality")

    def show(name, floors, held_out):
        print(
            f"{name:>8}  {held_out:9.0%}  {total(probes, floors):3} of {sum(map(len, probes))}"
            f"  {(reviews < floors[quality]).mean():7.1%}"
            f"  {(reviews[opinion] < floors[quality]).sum():4} of {opinion.sum():,}"
            f"  {share(gibberish, floors):9.0%}  {total(unknown, floors):3} of {sum(map(len, unknown))}"
        )

    print("quantile  unrelated   probes   reviews    with opinion  gibberish  don't know")
    for quantile in QUANTILES:
        floors = [round(float(np.quantile(best, quantile)), 3) for best in nothing]
        halves = [(best[first::2], best[1 - first :: 2]) for best in nothing for first in (0, 1)]
        held_out = np.mean([(other < np.quantile(half, quantile)).mean() for half, other in halves])
        show(f"{quantile:.2f}", floors, held_out)
        if quantile == QUANTILES[1]:
            spread = f"floors of the library at this quantile: {min(floors):.2f} to {max(floors):.2f}"
    fixed = [STRICTER.get(model, STRICTER[DEFAULT_RATING_MODEL])] * len(scales)
    show(f"= {fixed[0]}", fixed, share(nothing, fixed))
    lowest = min((best < fixed[0]).mean() for best in nothing)
    print(f"{spread}; floor {fixed[0]} rejects at least {lowest:.0%} of the unrelated on every scale")


def report_dont_know(embedder, scales):
    """Print how many don't-know answers are recognised, and how many probes wrongly."""
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
    """Similarity with the nearest exemplar where it is greater than with any anchor; -1 elsewhere."""
    nearest = (embedder.embed(list(texts)).vectors.astype(float) @ known.T).max(axis=1)
    return np.where(nearest > topic_similarities(scale, embedder, list(texts)), nearest, -1)


def total(similarities, floors):
    return sum(int((best < floor).sum()) for best, floor in zip(similarities, floors, strict=True))


def share(similarities, floors):
    return total(similarities, floors) / sum(map(len, similarities))


if __name__ == "__main__":
    main()
