"""What the off-topic floor rejects at other quantiles: unrelated sentences, probes, and real reviews.

``python bench/floor.py`` prints the table of ``docs/scales.md``. The floor is estimated from one half of the
unrelated sentences where it is judged on the other; for probes and reviews all of them are used, as ``Rater``
does.
"""

import argparse
import csv
from datetime import date
from pathlib import Path

import numpy as np

from measuring import machine
from semscale.embedding import load_embedder
from semscale.rating.anchors import FLOOR_GROUPS, topic_similarities, unrelated_probes
from semscale.scales import load_scale, scale_names
from semscale.weights.known import DEFAULT_RATING_MODEL

REVIEWS = Path(__file__).parent.parent / "examples" / "product_reviews.csv"
QUANTILES = (0.25, 0.40, 0.50, 0.75, 0.90)
STRICTER = {"all-MiniLM-L6-v2": 0.2, "e5-small": 0.82}
"""For each model a stricter floor, for answers to a direct question."""
OPINION = 1.5


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=DEFAULT_RATING_MODEL)
    model = parser.parse_args().model
    embedder = load_embedder(model)
    groups = unrelated_probes()
    unrelated = [sentence for group in FLOOR_GROUPS for sentence in groups[group]]
    scales = [load_scale(name).for_model(model) for name in scale_names()]
    nothing = [topic_similarities(scale, embedder, unrelated) for scale in scales]
    probes = [topic_similarities(scale, embedder, [probe.text for probe in scale.probes]) for scale in scales]
    gibberish, unknown = (
        [topic_similarities(scale, embedder, list(groups[group])) for scale in scales]
        for group in ("gibberish", "dont-know")
    )
    with REVIEWS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
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

    print(f"{date.today()}, {model}, {machine()}")
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


def total(similarities, floors):
    return sum(int((best < floor).sum()) for best, floor in zip(similarities, floors, strict=True))


def share(similarities, floors):
    return total(similarities, floors) / sum(map(len, similarities))


if __name__ == "__main__":
    main()
