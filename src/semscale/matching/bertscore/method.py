"""BERTScore as a method of matching: the score is F1, its components are precision and recall."""

from collections.abc import Sequence

import polars as pl

from semscale.matching.bertscore.scorer import BertScorer
from semscale.matching.pairs import Pairs
from semscale.matching.scored_pairs import ScoredPairs
from semscale.signature import Signature
from semscale.types import Progress


class BertMatch:
    """Matches by the F1 of BERTScore; of several references the one with the highest F1 counts.

    Args:
        scorer: with its layer and its weights.
    """

    def __init__(self, scorer: BertScorer) -> None:
        self._scorer = scorer

    @property
    def signature(self) -> Signature:
        """What is applied."""
        return self._scorer.signature

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, -1 to 1; NaN where no token has a weight."""
        scored = self._scorer.score_pairs(pairs, progress=progress)
        precision, recall, f1 = scored.values.T.copy()
        parts = {"precision": precision, "recall": recall}
        return ScoredPairs(
            f1, parts, scored.windows, scored.signature, bounds=(-1.0, 1.0), unread=scored.unread
        )

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs token by token, each as a table like that of ``Explanation.to_frame``."""
        texts = ((pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]]) for row in rows)
        return [self._scorer.explain(prediction, reference).to_frame() for prediction, reference in texts]
