"""Probabilities of entailment, neutrality and contradiction for pairs of texts, by any model."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import Floats, Mask

ENTAILMENT, NEUTRAL, CONTRADICTION = 0, 1, 2
"""Columns of probabilities."""
RELATIONS = ("entailment", "neutral", "contradiction")
"""Names of the columns, in their order."""

_TOLERANCE = 1e-3  # of a sum of three probabilities


@runtime_checkable
class EntailmentModel(Protocol):
    """Says how probable it is that a premise entails a hypothesis, contradicts it, or does neither."""

    @property
    def signature(self) -> Signature:
        """Model, weights' hash and precision."""
        ...

    def probabilities(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Floats:
        """Give the probabilities of p pairs, in one call for as many pairs as there are.

        Args:
            premises: p texts.
            hypotheses: p texts.

        Returns:
            Shape (p, 3), columns as in ``RELATIONS``; each row sums to 1.
        """
        ...


@dataclass(frozen=True)
class Entailments:
    """Probabilities of p pairs.

    Attributes:
        values: shape (p, 3), columns as in ``RELATIONS``; each row sums to 1.
        truncated: shape (p,), whether the pair was too long for the model and was cut.
        unread: shape (p,), whether the model cannot read one of the two texts.
    """

    values: Floats
    truncated: Mask
    unread: Mask


@runtime_checkable
class SaysWhatItRead(Protocol):
    """A model of entailment that also says which pairs it cut, and which it cannot read."""

    def entailments(self, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
        """Give the probabilities of p pairs, as ``EntailmentModel.probabilities`` has them."""
        ...


def entailments_by(model: EntailmentModel, premises: Sequence[str], hypotheses: Sequence[str]) -> Entailments:
    """Ask a model for p pairs, and check what comes.

    Args:
        model: any model of entailment.
        premises: p texts.
        hypotheses: p texts.

    Raises:
        InputError: what came has another shape, or is no probability.
    """
    if isinstance(model, SaysWhatItRead):
        return model.entailments(premises, hypotheses)
    values = np.asarray(model.probabilities(premises, hypotheses), np.float64)
    n = len(premises)
    if values.shape != (n, len(RELATIONS)):
        raise InputError(f"nli must give 3 probabilities for each of {n} pairs, got shape {values.shape}")
    if not ((values >= 0).all() and (np.abs(values.sum(axis=1) - 1) < _TOLERANCE).all()):
        raise InputError("nli must give probabilities that sum to 1 for each pair, got others")
    return Entailments(values, np.zeros(n, np.bool_), np.zeros(n, np.bool_))
