"""Logits of pairs of texts, as a cross-encoder gives them."""

from dataclasses import dataclass

from semscale.types import Mask, Vectors


@dataclass(frozen=True)
class PairLogits:
    """What a cross-encoder gives for p pairs of texts.

    Attributes:
        values: shape (p, classes), float32, in the order of the model's classes.
        truncated: shape (p,), whether the pair was too long for the model and was cut.
        unread: shape (p,), whether the model cannot read one of the two texts.
    """

    values: Vectors
    truncated: Mask
    unread: Mask
