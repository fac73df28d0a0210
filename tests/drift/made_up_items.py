"""Items of two runs with aligned outputs, made of numbers that a test names."""

from collections.abc import Sequence

import numpy as np

from semscale.drift.measure.item_losses import AlignedItem
from semscale.drift.metrics import ItemTexts, PairScores
from semscale.guards.findings import Finding


def item_texts(n: int, *, numbers: Sequence[float] = (), characters: int = 10) -> ItemTexts:
    """Texts 0 to n - 1; with numbers, of one field."""
    columns = np.array(numbers, np.float64).reshape(n, -1) if n else np.empty((0, int(bool(numbers))))
    return ItemTexts(tuple(range(n)), tuple(range(n)), columns, characters if n else 0)


def pair_scores(match: float, *, negated: bool = False) -> PairScores:
    finding = Finding("negation", "negated-prediction", "One text negates.", None, None)
    scores = {"match": match, "bertscore_f1": match, "cosine": match}
    return PairScores(scores, (finding,) if negated else ())


def aligned(baseline: ItemTexts, candidate: ItemTexts, *scores: PairScores) -> AlignedItem:
    """The first outputs paired with the first."""
    pairs = np.array([[place, place] for place in range(len(scores))], np.int64).reshape(-1, 2)
    return AlignedItem(baseline, candidate, pairs, scores)
