"""Entailment as a method of matching: does each text say what the other says, sentence by sentence?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import polars as pl

from semscale.matching.entailment.explanation import explain_sentences
from semscale.matching.entailment.probabilities import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    EntailmentModel,
    entailments_by,
)
from semscale.matching.entailment.sentence_support import SentenceSupport, support
from semscale.matching.entailment.sentences import worded_sentences
from semscale.matching.pairs import Pairs
from semscale.matching.recall_share import checked_recall_share
from semscale.matching.scored_pairs import ScoredPairs
from semscale.signature import Signature
from semscale.types import Floats, Progress

RECALL_SHARE = 0.5
"""Both directions count alike."""
TOGETHER = 8192
"""Pairs of sentences that are given to the model in one call, unless one pair of texts has more."""


@dataclass(frozen=True)
class JudgedPair:
    """A prediction and its reference, sentence by sentence.

    Attributes:
        prediction: its sentences.
        reference: its sentences.
        of_prediction: how far each sentence of the prediction is backed by the reference.
        of_reference: how far each sentence of the reference is said by the prediction.
        cut: share of the pairs of sentences that were too long for the model.
    """

    prediction: list[str]
    reference: list[str]
    of_prediction: SentenceSupport
    of_reference: SentenceSupport
    cut: float

    @property
    def parts(self) -> list[float]:
        """The numbers of ``PARTS``, in their order; NaN where the model cannot read one of the texts."""
        backed, said = self.of_prediction.mean, self.of_reference.mean
        worst = max(self.of_prediction.worst, self.of_reference.worst)
        order = [ENTAILMENT, NEUTRAL, CONTRADICTION]
        return [*backed[order].tolist(), *said[order].tolist(), worst, self.cut]


PARTS = (
    "reference_entails",
    "reference_neutral",
    "reference_contradicts",
    "prediction_entails",
    "prediction_neutral",
    "prediction_contradicts",
    "contradiction",
    "cut",
)
"""Parts of a score: what the reference says of the prediction, what the prediction says of the reference, the
most contradicted sentence of both, and the share of pairs of sentences that were cut."""


class EntailmentMatch:
    """Matches by how far the reference entails the prediction, and the prediction the reference.

    The score is the mean of the two probabilities of entailment. Texts of several sentences are compared
    sentence by sentence: each sentence of one text counts as entailed as far as its best sentence of the
    other text entails it, and a text as the mean of its sentences.

    Args:
        model: gives the probabilities of pairs.
        recall_share: weight of the direction from prediction to reference (is all of the reference said?),
            0 to 1; the rest is that of the other one (is all that is said backed by the reference?).

    Raises:
        InputError: ``recall_share`` is not from 0 to 1.

    References:
        Both directions and their mean: Lin, Trivedi and Sun 2024, Generating with confidence, section 4,
        arXiv:2305.19187. Sentences: Laban et al. 2022, SummaC, section 3, doi:10.1162/tacl_a_00453.
    """

    def __init__(self, model: EntailmentModel, *, recall_share: float | None = None) -> None:
        self._model = model
        self._recall_share = RECALL_SHARE if recall_share is None else checked_recall_share(recall_share)

    @property
    def signature(self) -> Signature:
        """What is applied."""
        settings = Signature.of(
            "match", method="entailment", recall_share=self._recall_share, sentences="max/mean"
        )
        return settings.extended(self._model.signature)

    def score(self, pairs: Pairs, progress: Progress | None = None) -> ScoredPairs:
        """Score every pair, 0 to 1; NaN where the model cannot read a text."""
        rows = range(len(pairs.item))
        parts = np.full((len(rows), len(PARTS)), np.nan)
        for row, judged in enumerate(self._judged(pairs, rows)):
            parts[row] = judged.parts
            if progress and (row % TOGETHER == 0 or row + 1 == len(rows)):
                progress("comparing", row + 1, len(rows))
        components = dict(zip(PARTS, parts.T.copy(), strict=True))
        backed, said = components["reference_entails"], components["prediction_entails"]
        score: Floats = (1 - self._recall_share) * backed + self._recall_share * said
        windows = np.ones(len(rows), np.int64)
        return ScoredPairs(score, components, windows, self.signature, unread=np.isnan(score))

    def explain(self, pairs: Pairs, rows: Sequence[int]) -> list[pl.DataFrame]:
        """Explain some pairs sentence by sentence; see ``explain_sentences``."""
        shares = (1 - self._recall_share, self._recall_share)
        return [
            explain_sentences(
                (judged.prediction, judged.reference), (judged.of_prediction, judged.of_reference), shares
            )
            for judged in self._judged(pairs, rows)
        ]

    def _judged(self, pairs: Pairs, rows: Sequence[int]) -> Iterator[JudgedPair]:
        """Judge pairs of texts in order, many pairs of sentences in one call."""
        sentences: dict[int, list[str]] = {}

        def of(text: int) -> list[str]:
            return sentences.setdefault(text, worded_sentences(pairs.texts[text]))

        waiting: list[tuple[list[str], list[str]]] = []
        count = 0
        for row in rows:
            both = of(int(pairs.prediction[row])), of(int(pairs.reference[row]))
            more = 2 * len(both[0]) * len(both[1])
            if waiting and count + more > TOGETHER:
                yield from self._judge(waiting)
                waiting, count = [], 0
            waiting.append(both)
            count += more
        yield from self._judge(waiting)

    def _judge(self, texts: Sequence[tuple[list[str], list[str]]]) -> Iterator[JudgedPair]:
        """Judge pairs of texts whose sentences are given to the model in one call."""
        asked: list[tuple[str, str]] = []
        for prediction, reference in texts:
            asked += ((premise, hypothesis) for hypothesis, premise in product(prediction, reference))
            asked += ((premise, hypothesis) for hypothesis, premise in product(reference, prediction))
        if not asked:
            return
        found = entailments_by(self._model, [one for one, _ in asked], [other for _, other in asked])
        values = np.where(found.unread[:, None], np.nan, found.values)
        at = 0
        for prediction, reference in texts:
            size = len(prediction) * len(reference)
            backed = values[at : at + size].reshape(len(prediction), len(reference), -1)
            said = values[at + size : at + 2 * size].reshape(len(reference), len(prediction), -1)
            cut = float(found.truncated[at : at + 2 * size].mean())
            yield JudgedPair(prediction, reference, support(backed), support(said), cut)
            at += 2 * size
