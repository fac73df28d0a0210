"""Quality of the codes of the example's sentences: areas, Brier scores, alphas, and other ways to score.

Run with ``python bench/coding.py``. A language model assigned the 240 hand codes of ``examples/coding``, so
the figures measure agreement with that model, not with people.
"""

from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from measuring import Options
from semscale import load_embedder
from semscale.coding.code_shares import code_alphas
from semscale.coding.codebook import load_codebook
from semscale.coding.coder import Coder, with_children
from semscale.coding.coding import code_answers
from semscale.coding.labels import (
    HandCodes,
    draw_answers,
    hand_codes,
    majority,
    mean_codes,
    probable_codes,
)
from semscale.stats.calibration import FEWEST_OF_EACH
from semscale.stats.correlations import roc_area

EXAMPLE = Path(__file__).parents[1] / "examples" / "coding"


def greatest(number, cosines):
    """Return the mean of each answer's greatest cosines with a code's texts; the definition comes last."""
    return np.sort(cosines, axis=1)[:, -min(number, cosines.shape[1]) :].mean(axis=1)


WAYS = {
    "nearest text": partial(greatest, 1),
    "two nearest texts": partial(greatest, 2),
    "three nearest texts": partial(greatest, 3),
    "nearest example": lambda cosines: cosines[:, :-1].max(axis=1),
    "all examples": lambda cosines: cosines[:, :-1].mean(axis=1),
    "definition": lambda cosines: cosines[:, -1],
}
LEVELS = (0.0, 0.5, 1.0)
DRAWN, DRAWS = 100, 400


def coded_rows(codebook):
    """Return the answers that were coded by hand, and their codes, shape (1, n, k)."""
    table = pl.read_csv(EXAMPLE / "reviews.csv").filter(pl.col("hand_codes").is_not_null())
    hand = hand_codes([table["hand_codes"].to_list()], codebook, ["hand_codes"])
    return table["text"].to_list(), hand


def how_codes_hold(codebook, texts, hand, embedder):
    """Print the figures of ``semscale code --human`` for each code."""
    coding = code_answers(
        Coder(codebook, embedder=embedder).score(texts), hand=HandCodes(hand, ("hand_codes",))
    )
    alphas = code_alphas(np.stack([coding.held_out_assigned, majority(mean_codes(hand))]))
    rows = []
    print(f"{'code':12} with  area  Brier  of the share  alpha            unsure")
    for code, made, alpha, decisions in zip(
        codebook.names, coding.calibrations, alphas, coding.held_out_assigned.T, strict=True
    ):
        brier, unsure = made.figures.brier.value, int(np.isnan(decisions).sum())
        rows.append((made.area.value, brier, made.figures.brier_of_share, alpha.value))
        print(
            f"{code:12} {made.n_with:4}  {made.area.value:.2f}  {brier:.3f}  "
            f"{made.figures.brier_of_share:12.3f}  {alpha.value:.2f} ({alpha.low:.2f} to {alpha.high:.2f})  "
            f"{unsure:4}"
        )
    means = np.mean(rows, axis=0)
    print(f"{'mean':12}       {means[0]:.3f}  {means[1]:.3f}  {means[2]:12.3f}  {means[3]:.2f}")


def ways_to_score(codebook, texts, hand, embedder):
    """Print the mean area of each way to score, with shares of an answer's mean over all codes subtracted."""
    vectors = embedder.embed(texts).vectors
    cosines = [vectors @ embedder.embed(list(code.prototypes)).vectors.T for code in codebook.codes]
    print(f"{'mean area, mean of all codes taken off':40}", *(f"{level:5.2f}" for level in LEVELS))
    for name, near in WAYS.items():
        nearness = np.stack([near(each.astype(np.float64)) for each in cosines], axis=1)
        found = []
        for level in LEVELS:
            scores = with_children(nearness - level * nearness.mean(axis=1, keepdims=True), codebook)
            areas = [
                roc_area(own[codes == 1], own[codes == 0]).value
                for own, codes in zip(scores.T, hand[0].T, strict=True)
            ]
            found.append(np.mean(areas))
        print(f"{name:40}", *(f"{area:.3f}" for area in found))


def draws_for_hand_coding(codebook, texts, hand, embedder):
    """Print the number of codes with too few answers on a sheet, and the error of corrected shares, by draw.

    The error is computed for answers that are drawn independently with these probabilities, from the distance
    of the hand codes to the forecast that the draw uses.
    """
    likeness = Coder(codebook, embedder=embedder).score(texts).likeness
    readable = ~np.isnan(likeness).any(axis=1)
    likeness, labels, n = likeness[readable], hand[0][readable], int(readable.sum())
    gaps = (labels - probable_codes(likeness)) ** 2
    print(f"{'drawn':8} {'codes with fewer than 5':>24} {'mean error of shares':>22}")
    for way, alike in (("random", True), ("unsure", False)):
        draws = [draw_answers(likeness, DRAWN, alike=alike, seed=seed) for seed in range(DRAWS)]
        few = np.mean([(labels[drawn.rows].sum(axis=0) < FEWEST_OF_EACH).sum() for drawn in draws])
        spread = 1 / draws[0].all_probabilities - 1
        print(f"{way:8} {few:24.2f} {np.sqrt((gaps * spread[:, None]).sum(axis=0) / n**2).mean():22.4f}")


def main():
    parser = Options(__doc__)
    parser.add_size("--model", ["all-MiniLM-L6-v2", "e5-small"], quick=["e5-small"])
    given = parser.parse_args()
    codebook = load_codebook(EXAMPLE / "codes.yaml")
    texts, hand = coded_rows(codebook)
    for model in given.model:
        embedder = load_embedder(model)
        print(f"\n{model}: {len(texts)} answers, {len(codebook.codes)} codes")
        how_codes_hold(codebook, texts, hand, embedder)
        ways_to_score(codebook, texts, hand, embedder)
        draws_for_hand_coding(codebook, texts, hand, embedder)


if __name__ == "__main__":
    main()
