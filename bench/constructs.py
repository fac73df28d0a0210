"""Agreement of zero-shot ratings with people on every set of rated texts, in one table.

Run with ``python bench/constructs.py``. The sets of ``constructs.yaml`` are in ``../shared/data/constructs``;
a new set is one entry. The scale ``quality`` is measured on review sentences, movie reviews, tweets and
editorials as well. Texts are rated with the defaults of ``rate``: e5-small, its readout and its floor.
Nothing is fitted, and the scales were written before any text was rated. With ``--no-exemplars`` only the
sets of the scale's file are used. ``--readouts`` prints r and the ranked probability score (RPS) of each
readout on the sets of ``constructs.yaml`` instead, without a floor.

Columns: share of the texts that have a rating; Pearson's r with people's mean; RPS of single texts, 0 (best)
to 1; KS similarity of the average distributions; reliability of people's mean, if each text has several
ratings; r of people's mean with ratings on ``quality`` and with the number of characters; correlation of the
scale's ratings with ratings on ``quality``; r on all other texts after a calibration with 25 and with 100
random labels (mean, minimum and maximum of some draws). Other brackets are 95 % intervals.
"""

import argparse
import csv
import json
from datetime import date
from typing import NamedTuple

import numpy as np
import yaml

from measuring import ROOT, Options, machine
from rated_texts import HIGHEST, LOWEST, first, further_sets, review_sentences
from semscale.embedding import load_embedder
from semscale.embedding.embedder import anchor_embedder
from semscale.rating.human import human_pmfs
from semscale.rating.rater import Rater
from semscale.rating.readouts import READOUTS
from semscale.rating.validity import validate
from semscale.scales import Scale, load_scale
from semscale.stats.calibration import ranked_probability_scores
from shared_data import shared_data

MODEL = "e5-small"
HEADS = (
    "construct", "n", "sets", "rated", "r", "RPS", "KS", "ceiling", "r of sentiment", "r of length",
    "with sentiment",
)  # fmt: skip


class RatedSet(NamedTuple):
    """Texts with people's ratings, the scale to rate them on, and the range of people's ratings.

    Attributes:
        human: for each text a list of ratings, or one number.
    """

    name: str
    texts: list
    human: list
    scale: Scale
    human_range: tuple

    @property
    def means(self):
        """Mean rating of each text, shape (n,)."""
        return np.array([np.mean(ratings) for ratings in self.human])


def main():
    parser = Options(__doc__)
    parser.add_argument("--model", default=MODEL, help="as load_embedder takes it")
    parser.add_size("--texts", None, quick=40, help="at most so many of each set; all unless given")
    parser.add_size("--labels", [25, 100], quick=[20], help="of the last columns")
    parser.add_size("--draws", 5, quick=1, help="of labelled texts")
    parser.add_argument("--exemplars", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--readouts", action="store_true", help="print the table of readouts instead")
    options = parser.parse_args()
    embedder = load_embedder(options.model)
    sets = construct_sets(options.texts, with_exemplars=options.exemplars)
    print(f"{date.today()}, {options.model}, {machine()}\n")
    if options.readouts:
        print_readouts(sets, embedder)
        return
    heads = (*HEADS, *(f"{n} labels: r" for n in options.labels))
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    for rated in (*sentiment_sets(options.texts), *sets):
        cells = (*zero_shot(rated, embedder), *with_labels(rated, embedder, options))
        print(f"| {' | '.join(cells)} |", flush=True)


def sentiment_sets(most):
    for rated in (review_sentences(), *further_sets()):
        some = first(rated, most)
        human = [row[np.isfinite(row)].tolist() for row in some.ratings]
        yield RatedSet(f"quality, {some.name}", some.texts, human, load_scale("quality"), (LOWEST, HIGHEST))


def construct_sets(most, *, with_exemplars=True):
    folder = shared_data("constructs")
    for entry in yaml.safe_load((ROOT / "bench" / "constructs.yaml").read_text()):
        texts, human = read_texts(folder / f"{entry['name']}.csv", most)
        scale = read_scale(folder, entry, with_exemplars=with_exemplars)
        yield RatedSet(entry["name"], texts, human, scale, tuple(entry["range"]))


def zero_shot(rated, embedder):
    rater = Rater(rated.scale, embedder=embedder)
    compared = validate(rater, rated.texts, rated.human, human_range=rated.human_range)
    agreement, ratings = compared.comparison, rater.rate(rated.texts)
    masses = people(rated)[ratings.scored]
    yield rated.name
    yield f"{len(rated.texts):,}"
    yield f"{len(rater.scale.anchor_sets)}"
    yield f"{ratings.scored.mean():.1%}"
    yield estimated(agreement.pearson)
    yield f"{ranked_probability_scores(ratings.pmf[ratings.scored], masses).mean():.3f}"
    yield estimated(agreement.ks_similarity)
    for figure in (agreement.ceiling, compared.sentiment, agreement.null_length):
        yield estimated(figure)
    own = compared.discriminant.sentiment
    yield "-" if np.isnan(own) else f"{own:.2f}"


def with_labels(rated, embedder, options):
    """Yield r with each number of labels, on all other texts that have a rating."""
    for n in options.labels:
        drawn = [calibrated(rated, embedder, n, seed) for seed in range(options.draws)]
        yield f"{np.mean(drawn):.2f} [{min(drawn):.2f}, {max(drawn):.2f}]"


def calibrated(rated, embedder, n, seed):
    order = np.random.default_rng(seed).permutation(len(rated.texts))
    known, rest = order[:n], order[n:]
    fitted = Rater(rated.scale, embedder=embedder).calibrate(
        [rated.texts[row] for row in known],
        [rated.human[row] for row in known],
        human_range=rated.human_range,
        seed=seed,
    )
    rater = Rater(rated.scale, embedder=embedder, calibration=fitted.calibration)
    ratings = rater.rate([rated.texts[row] for row in rest])
    return np.corrcoef(ratings.mean[ratings.scored], rated.means[rest][ratings.scored])[0, 1]


def print_readouts(sets, embedder):
    heads = [f"{name}: r | RPS" for name in READOUTS]
    print(f"| construct | n | sets | {' | '.join(heads)} |\n|{'---|' * (3 + 2 * len(heads))}")
    for rated in sets:
        anchors = embed_sets(embedder, rated.scale.anchor_sets.values())
        vectors, values, cells = embedder.embed(rated.texts).vectors, rated.scale.values, []
        for rate in READOUTS.values():
            pmf = rate(vectors, anchors, values=values).pmf
            rps = ranked_probability_scores(pmf, people(rated)).mean()
            cells.append(f"{np.corrcoef(pmf @ values, rated.means)[0, 1]:.2f} | {rps:.3f}")
        print(f"| {rated.name} | {len(rated.texts):,} | {len(anchors)} | {' | '.join(cells)} |", flush=True)


def people(rated):
    """Return each text's distribution of single ratings over the scale's points, shape (n, k)."""
    most = max(np.size(ratings) for ratings in rated.human)
    table = np.full((len(rated.human), most), np.nan)
    for row, ratings in enumerate(rated.human):
        table[row, : np.size(ratings)] = ratings
    return human_pmfs(table, rated.scale.values, rated.human_range)


def read_texts(path, most):
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))[:most]
    human = [json.loads(row["ratings"]) if row["ratings"] else float(row["human"]) for row in rows]
    return [row["text"] for row in rows], human


def read_scale(folder, entry, *, with_exemplars=True):
    """Return the scale for a set of texts, with the further anchor sets that the set names."""
    scale = load_scale(folder / "scales" / f"{entry['scale']}.yaml")
    if not with_exemplars or "exemplars" not in entry:
        return scale
    further = json.loads((folder / "exemplars" / f"{entry['exemplars']}.json").read_text("utf-8"))["sets"]
    named = {f"exemplar-{number}": tuple(anchors) for number, anchors in enumerate(further, start=1)}
    return scale.model_copy(update={"anchor_sets": {**scale.anchor_sets, **named}})


def embed_sets(embedder, sets):
    return np.array([anchor_embedder(embedder).embed(list(sentences)).vectors for sentences in sets])


def estimated(estimate):
    """Return an estimate with its interval, or a dash if there is none."""
    if estimate is None or np.isnan(estimate.value):
        return "-"
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"


if __name__ == "__main__":
    main()
