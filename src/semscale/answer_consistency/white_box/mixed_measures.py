"""Measures made of how far samples agree and of the probabilities of the answer's tokens."""

from collections.abc import Mapping
from dataclasses import dataclass

from semscale.types import Floats


@dataclass(frozen=True)
class MixedMeasure:
    """The product of a measure of pairs, averaged over samples, and a measure of the answer's tokens.

    Attributes:
        about: what it is, in one sentence.
        pairs: name of the measure of pairs.
        tokens: name of the measure of tokens.
        bounds: least and greatest value.
    """

    about: str
    pairs: str
    tokens: str
    bounds: tuple[float, float] = (0.0, 1.0)

    def values(self, measured: Mapping[str, Floats]) -> Floats:
        """Multiply the two measures of n items; NaN where one of them is missing.

        Args:
            measured: both measures by name, each of shape (n,).

        Returns:
            Shape (n,), 0 to 1.

        Example:
            >>> import numpy as np
            >>> parts = {
            ...     "cosine_sim": np.array([0.5, 1.0]),
            ...     "normalised_probability": np.array([0.5, np.nan]),
            ... }
            >>> MIXED_MEASURES["consistency_and_confidence"].values(parts).tolist()
            [0.25, nan]
        """
        return measured[self.pairs] * measured[self.tokens]


MIXED_MEASURES: dict[str, MixedMeasure] = {
    "consistency_and_confidence": MixedMeasure(
        "normalised cosine similarity times the geometric mean of the probabilities of the answer's tokens",
        "cosine_sim",
        "normalised_probability",
    ),
}
"""Every mixed measure by its name; the product is CoCoA's of uqlm 0.6 and of Vashurin et al. (2025), arXiv
2502.04964."""
