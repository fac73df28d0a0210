"""Readouts of scales beyond sentiment beside people: r, and the ranked probability score (RPS).

Run with ``python bench/constructs.py``. The sets and scales of ``constructs.yaml`` are in
``../shared/data/constructs``; a new set is one entry. Nothing is fitted: the scales were written before any
text was rated. Only the column *100 labels* has ratings (``combined``) that are calibrated by so many random
texts of the set, tested on all others: the means over some draws. With ``--no-exemplars`` only the sets of
the scale's file take part. Two further columns have the correlations of people's ratings with ratings on the
shipped scale ``quality`` and with the number of characters: a scale whose own r is no higher measures nothing
of its own. The last column has the correlation of the scale's own ratings with those on ``quality``.
Intervals are percentiles of a bootstrap of the texts.
"""

import argparse
import csv
import json
from datetime import date

import numpy as np
import yaml

from measuring import ROOT, Options, machine
from semscale.embedding import load_embedder
from semscale.embedding.embedder import anchor_embedder
from semscale.rating.gaussian_process import Predictors, fit_gaussian_process
from semscale.rating.human import laid_on
from semscale.rating.readouts import READOUTS
from semscale.scales import load_scale
from semscale.stats.calibration import ranked_probability_scores
from shared_data import shared_data

MODEL = "e5-small"
LABELS, CALIBRATED = 100, "combined"


def main():
    parser = Options(__doc__)
    parser.add_size("--texts", None, quick=40, help="at most so many of each set; all unless given")
    parser.add_size("--replicates", 1000, quick=5)
    parser.add_size("--draws", 10, quick=1, help="of labelled texts")
    parser.add_argument("--exemplars", action=argparse.BooleanOptionalAction, default=True)
    options = parser.parse_args()
    folder = shared_data("constructs")
    embedder = load_embedder(MODEL)
    quality = load_scale("quality").for_model(MODEL)
    quality_anchors = embed_sets(embedder, quality.anchor_sets.values())
    print(f"{date.today()}, {MODEL}, {machine()}")
    heads = [f"{name}: r | RPS" for name in READOUTS]
    heads += [f"{LABELS} labels: r", "RPS", "quality: r", "length: r", "with quality"]
    print(f"| construct | n | sets | {' | '.join(heads)} |")
    for entry in yaml.safe_load((ROOT / "bench" / "constructs.yaml").read_text()):
        texts, human = read_texts(folder / f"{entry['name']}.csv", options.texts)
        scale = read_scale(folder, entry, with_exemplars=options.exemplars)
        values, anchors = scale.values, embed_sets(embedder, scale.anchor_sets.values())
        vectors = embedder.embed(texts).vectors
        masses = laid_on(human[:, None], values, entry["range"])
        cells = []
        for rate in READOUTS.values():
            pmf = rate(vectors, anchors, values=values).pmf
            rps = ranked_probability_scores(pmf, masses).mean()
            cells += [correlation(pmf @ values, human, options.replicates), f"{rps:.3f}"]
        pmf = READOUTS[CALIBRATED](vectors, anchors, values=values).pmf
        r, rps = with_labels(Predictors(vectors, pmf, values), masses, options.draws)
        cells += [f"{r:.2f}", f"{rps:.3f}"]
        sentiment = READOUTS["combined"](vectors, quality_anchors).pmf @ np.arange(5)
        cells += [correlation(x, human, options.replicates) for x in (sentiment, [len(t) for t in texts])]
        means = READOUTS["combined"](vectors, anchors, values=values).pmf @ values
        cells.append(f"{np.corrcoef(means, sentiment)[0, 1]:.2f}")
        print(f"| {entry['name']} | {len(texts):,} | {len(anchors)} | {' | '.join(cells)} |", flush=True)


def with_labels(texts, masses, draws):
    """Return r and ranked probability score with labels of some texts, on the others: means over draws."""
    scores = []
    for seed in range(draws):
        order = np.random.default_rng(seed).permutation(len(texts))
        known, rest = order[:LABELS], order[LABELS:]
        if not len(rest):  # a quick run has fewer texts
            known, rest = order[: len(order) // 2], order[len(order) // 2 :]
        pmf = fit_gaussian_process(texts.rows(known), masses[known], ()).pmf(texts.rows(rest))
        r = np.corrcoef(pmf @ texts.values, masses[rest] @ texts.values)[0, 1]
        scores.append((r, ranked_probability_scores(pmf, masses[rest]).mean()))
    return np.mean(scores, axis=0)


def read_texts(path, most):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:most]
    return [row["text"] for row in rows], np.array([float(row["human"]) for row in rows])


def read_scale(folder, entry, *, with_exemplars=True):
    """Return the scale of a set of texts, with the further anchor sets that it names."""
    scale = load_scale(folder / "scales" / f"{entry['scale']}.yaml")
    if not with_exemplars or "exemplars" not in entry:
        return scale
    further = json.loads((folder / "exemplars" / f"{entry['exemplars']}.json").read_text("utf-8"))["sets"]
    named = {f"exemplar-{number}": tuple(anchors) for number, anchors in enumerate(further, start=1)}
    return scale.model_copy(update={"anchor_sets": {**scale.anchor_sets, **named}})


def embed_sets(embedder, sets):
    return np.array([anchor_embedder(embedder).embed(list(sentences)).vectors for sentences in sets])


def correlation(scores, human, replicates):
    """Pearson's r with its bootstrap interval."""
    scores, rng = np.asarray(scores, dtype=float), np.random.default_rng(0)
    drawn = [rng.integers(len(human), size=len(human)) for _ in range(replicates)]
    low, high = np.quantile([np.corrcoef(scores[rows], human[rows])[0, 1] for rows in drawn], [0.025, 0.975])
    return f"{np.corrcoef(scores, human)[0, 1]:.2f} [{low:.2f}, {high:.2f}]"


if __name__ == "__main__":
    main()
