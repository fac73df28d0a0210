"""Entailment of texts of several sentences, read sentence by sentence as ``match`` reads them."""

from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np

from semscale.matching.entailment.probabilities import EntailmentModel, Entailments, entailments_by
from semscale.matching.entailment.sentence_support import SentenceSupport, support
from semscale.matching.entailment.sentences import worded_sentences
from semscale.signature import Signature
from semscale.types import Floats

_TOGETHER = 65_536
"""Pairs of sentences that are given to the model in one call, unless one pair of texts has more."""


class SentenceEntailment:
    """Asks a model of entailment about pairs of sentences, and gives probabilities of pairs of texts.

    Each sentence of the hypothesis is entailed as far as the premise's best sentence entails it, and
    contradicted as far as one contradicts it, but no further than what is not entailed; a text has the mean
    of its sentences. Texts of one sentence are read as they are.

    Args:
        model: asked about each pair of sentences; one that keeps what it has read is asked for less.

    References:
        Laban et al. 2022, SummaC, section 3, doi:10.1162/tacl_a_00453.
    """

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model

    @property
    def signature(self) -> Signature:
        """The model's own."""
        return self._model.signature

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of p pairs, shape (p, 3); NaN for a text that it cannot read."""
        return self.entailments(premises, hypotheses).values

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Give the probabilities of p pairs, and say which have a sentence that was cut, or are not read."""
        values, cut = np.full((len(premises), 3), np.nan), np.zeros(len(premises), np.bool_)
        for row, (found, is_cut) in enumerate(self._supports(premises, hypotheses)):
            values[row], cut[row] = found.mean, is_cut
        return Entailments(values, cut, np.isnan(values).any(axis=1))

    def contradictions(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probability that the most contradicted sentence of each hypothesis is contradicted.

        Returns:
            Shape (p,), 0 to 1; NaN where the model cannot read one of the texts.
        """
        return np.array([found.worst for found, _ in self._supports(premises, hypotheses)], np.float64)

    def _supports(
        self, premises: Sequence[str], hypotheses: Sequence[str]
    ) -> Iterator[tuple[SentenceSupport, bool]]:
        """Judge pairs of texts in their order, many pairs of sentences in one call."""
        sentences: dict[str, list[str]] = {}

        def of(text: str) -> list[str]:
            return sentences.setdefault(text, worded_sentences(text))

        waiting: list[tuple[list[str], list[str]]] = []
        count = 0
        for premise, hypothesis in zip(premises, hypotheses, strict=True):
            both = of(premise), of(hypothesis)
            more = len(both[0]) * len(both[1])
            if waiting and count + more > _TOGETHER:
                yield from self._judged(waiting)
                waiting, count = [], 0
            waiting.append(both)
            count += more
        yield from self._judged(waiting)

    def _judged(self, texts: Sequence[tuple[list[str], list[str]]]) -> Iterator[tuple[SentenceSupport, bool]]:
        asked = [pair for premise, hypothesis in texts for pair in product(hypothesis, premise)]
        if not asked:
            return
        found = entailments_by(self._model, [one for _, one in asked], [other for other, _ in asked])
        values = np.where(found.unread[:, None], np.nan, found.values)
        at = 0
        for premise, hypothesis in texts:
            end = at + len(premise) * len(hypothesis)
            block = values[at:end].reshape(len(hypothesis), len(premise), -1)
            yield support(block), bool(found.truncated[at:end].any())
            at = end
