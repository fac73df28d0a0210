"""The models that read pairs of texts, so that each text is embedded and each pair is judged once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.answer_consistency.meanings.sentence_entailment import SentenceEntailment
from semscale.matching.cosines import Cosines
from semscale.matching.entailment.probabilities import (
    RELATIONS,
    EntailmentModel,
    Entailments,
    entailments_by,
)
from semscale.signature import Signature
from semscale.types import Floats


class MemoizedEntailment:
    """Asks another model of entailment, and for each pair of texts only once.

    Args:
        model: gives the probabilities.
    """

    def __init__(self, model: EntailmentModel) -> None:
        self._model = model
        self._rows: dict[tuple[str, str], int] = {}
        none = np.zeros(0, np.bool_)
        self._known = Entailments(np.zeros((0, len(RELATIONS))), none, none)

    @property
    def signature(self) -> Signature:
        """The model's own."""
        return self._model.signature

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of p pairs, as the model does."""
        return self.entailments(premises, hypotheses).values

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Give the probabilities of p pairs; those that are new are asked for in one call."""
        pairs = list(zip(premises, hypotheses, strict=True))
        fresh = list(dict.fromkeys(pair for pair in pairs if pair not in self._rows))
        if fresh:
            found = entailments_by(self._model, [one for one, _ in fresh], [other for _, other in fresh])
            self._rows |= {pair: len(self._rows) + at for at, pair in enumerate(fresh)}
            self._known = Entailments(
                np.concatenate([self._known.values, found.values]),
                np.concatenate([self._known.truncated, found.truncated]),
                np.concatenate([self._known.unread, found.unread]),
            )
        rows = np.array([self._rows[pair] for pair in pairs], np.int64)
        known = self._known
        return Entailments(known.values[rows], known.truncated[rows], known.unread[rows])


@dataclass(frozen=True)
class PairReaders:
    """What reads the pairs of one call.

    Attributes:
        cosines: between texts; ``None`` if no measure needs them.
        entailment: says whether texts contradict or entail each other; ``None`` if no measure needs it.
        whole: the same model, which reads texts of several sentences as a whole.
    """

    cosines: Cosines | None = None
    entailment: SentenceEntailment | MemoizedEntailment | None = None
    whole: MemoizedEntailment | None = None
