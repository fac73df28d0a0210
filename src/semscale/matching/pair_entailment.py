"""Entailment between two texts, as a model of natural language inference sees it."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Floats

ENTAILED, NEUTRAL, CONTRADICTED = 0, 1, 2
"""Columns of ``PairEntailment.probabilities``."""
ENTAILMENT_MODEL = "cross-encoder/nli-MiniLM2-L6-H768"
"""A model of entailment that messages name, small enough for a processor."""
_SUM_TOLERANCE = 1e-3


@runtime_checkable
class PairEntailment(Protocol):
    """Says how probable it is that a premise entails a hypothesis, or contradicts it."""

    @property
    def signature(self) -> Signature:
        """Model, weights' hash and precision."""
        ...

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of each pair.

        Args:
            premises: p texts.
            hypotheses: p texts.

        Returns:
            Shape (p, 3), each row sums to 1: the premise entails the hypothesis, neither, contradicts it.
        """
        ...


def pair_probabilities(
    entailment: PairEntailment, premises: Sequence[str], hypotheses: Sequence[str]
) -> Floats:
    """Ask for the probabilities of pairs, equal pairs once, in one call, and check them.

    Args:
        entailment: the model.
        premises: p texts.
        hypotheses: p texts.

    Returns:
        Shape (p, 3), as ``PairEntailment.probabilities`` gives them.

    Raises:
        InputError: what came has another shape, or is no probability.
    """
    numbers: dict[tuple[str, str], int] = {}
    rows = [numbers.setdefault(pair, len(numbers)) for pair in zip(premises, hypotheses, strict=True)]
    found = entailment.probabilities([pair[0] for pair in numbers], [pair[1] for pair in numbers])
    if found.shape != (len(numbers), 3):
        raise InputError(
            f"entailment must give 3 probabilities for each of {len(numbers)} pairs, got shape {found.shape}"
        )
    if not ((found >= 0).all() and (abs(found.sum(axis=1) - 1) < _SUM_TOLERANCE).all()):
        raise InputError("entailment must give probabilities that sum to 1 for each pair, got others")
    return found[rows]
