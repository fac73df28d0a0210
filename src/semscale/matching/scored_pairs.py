"""Scores of pairs, before the best of an item's references is chosen."""

from collections.abc import Mapping
from dataclasses import dataclass

from semscale.signature import Signature
from semscale.types import Floats, Integers, Mask


@dataclass(frozen=True)
class ScoredPairs:
    """Scores of p pairs.

    Attributes:
        score: shape (p,).
        components: parts of the score, by name, each of shape (p,).
        windows: shape (p,), the most windows that one of the two texts was read in.
        signature: the settings that were applied.
        bounds: the least and the greatest score that the method can give.
        weighs_findings: whether findings of guards lower the scores.
        unread: shape (p,), whether the model cannot read one of the two texts; ``None`` where it
            can read all.
    """

    score: Floats
    components: Mapping[str, Floats]
    windows: Integers
    signature: Signature
    bounds: tuple[float, float] = (0.0, 1.0)
    weighs_findings: bool = False
    unread: Mask | None = None
