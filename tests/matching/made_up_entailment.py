"""An entailment model that knows a few pairs by heart, and finds all others neutral."""

from collections.abc import Mapping, Sequence

import numpy as np

from semscale.signature import Signature

NEUTRAL = (0.0, 1.0, 0.0)


class KnownPairs:
    """Gives the probabilities that it was told; a text entails itself.

    Args:
        known: probabilities of entailment, neutrality and contradiction by premise and hypothesis.
    """

    signature = Signature.of("classify", model="by heart")

    def __init__(self, known: Mapping[tuple[str, str], tuple[float, float, float]]) -> None:
        self._known = known
        self.asked: list[list[tuple[str, str]]] = []

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> np.ndarray:
        pairs = list(zip(premises, hypotheses, strict=True))
        self.asked.append(pairs)
        rows = [
            (1.0, 0.0, 0.0) if first == second else self._known.get((first, second), NEUTRAL)
            for first, second in pairs
        ]
        return np.array(rows).reshape(-1, 3)
