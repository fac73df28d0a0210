"""What is compared of one text word by word, and the comparison of two."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from semscale.matching.calibrated import settled, word_match
from semscale.types import Floats


@dataclass(frozen=True)
class WordVectors:
    """One text of k words.

    Attributes:
        static: shape (k, hidden), its words by themselves, unit rows.
        context: shape (k, hidden), its words in their context, unit rows.
        text: shape (hidden,), the whole text, of length 1.
        weights: shape (k,), what its words count.
        to_pronoun: shape (k,), what they count beside a text that has a pronoun for the subject.
        is_pronoun: whether it has a pronoun for the subject itself.
    """

    static: Floats
    context: Floats
    text: Floats
    weights: Floats
    to_pronoun: Floats
    is_pronoun: bool

    def weights_beside(self, other: "WordVectors") -> Floats:
        """What the words count: the subject's next to nothing if the other text has a pronoun for it."""
        return self.to_pronoun if other.is_pronoun else self.weights


def _cosines(ours: Floats, theirs: Floats) -> Floats:
    return ours @ theirs.T


def compare_words(
    ours: WordVectors, theirs: WordVectors, cosines: Callable[[Any, Any], Any] = _cosines
) -> tuple[float, ...]:
    """Give precision and recall of words, the same of words in context, and the cosine of the texts.

    Args:
        ours: the prediction.
        theirs: the reference.
        cosines: of all rows of one matrix of unit rows with all rows of another.

    Returns:
        Five values, 0 to 1; all NaN where a text has no word.
    """
    if not len(ours.weights) or not len(theirs.weights):
        return (np.nan,) * 5
    sides = ours.weights_beside(theirs), theirs.weights_beside(ours)
    return (
        *word_match(cosines(ours.static, theirs.static), *sides),
        *word_match(cosines(ours.context, theirs.context), *sides),
        float(settled(ours.text @ theirs.text)),
    )
