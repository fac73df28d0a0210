"""Word vectors of a text with their weights, and the comparison of two texts word by word."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from semscale.matching.calibrated.arithmetic import clip_cosines, word_matches
from semscale.matching.unit_rows import Rows
from semscale.matching.words.vocabulary import Numbers
from semscale.types import Floats

MEASURES = 5
"""How many values a pair has."""


@dataclass(frozen=True)
class WordVectors:
    """One text of k words.

    Attributes:
        layers: shape (2, k, hidden), unit rows: its words by themselves, and in their context.
        text: shape (hidden,), the whole text, of length 1.
        weights: shape (k,), what its words count.
        to_pronoun: shape (k,), what they count beside a text that has a pronoun for the subject.
        is_pronoun: whether it has a pronoun for the subject itself.
    """

    layers: npt.NDArray[Any]
    text: Floats
    weights: Floats
    to_pronoun: Floats
    is_pronoun: bool

    def __len__(self) -> int:
        return len(self.weights)

    def weights_beside(self, other: "WordVectors") -> Floats:
        """Weights of the words; those of the subject are nearly 0 if the other text has a pronoun for it."""
        return self.to_pronoun if other.is_pronoun else self.weights


def _cosines(ours: Floats, theirs: Floats) -> Floats:
    return ours @ theirs.swapaxes(-1, -2)


def compare_words(
    pairs: Sequence[tuple[WordVectors, WordVectors]], cosines: Callable[[Any, Any], Any] = _cosines
) -> Floats:
    """Compute precision and recall of words alone and of words in context, and the cosine of the texts.

    Args:
        pairs: p predictions and their references.
        cosines: of all unit rows of one text's layers with all of another's.

    Returns:
        Shape (p, 5), 0 to 1, exactly 1 where every word has its equal; all NaN where a text has no word.
    """
    values = np.full((len(pairs), MEASURES), np.nan)
    worded = [at for at, (ours, theirs) in enumerate(pairs) if len(ours) and len(theirs)]
    if not worded:
        return values
    sides = [pairs[at] for at in worded]
    weights = [(ours.weights_beside(theirs), theirs.weights_beside(ours)) for ours, theirs in sides]
    words = word_matches((cosines(ours.layers, theirs.layers) for ours, theirs in sides), weights)
    values[worded, :4] = np.concatenate(words, axis=-1)
    texts = np.array([(ours.text, theirs.text) for ours, theirs in sides])
    values[worded, 4] = clip_cosines(np.einsum("ph,ph->p", texts[:, 0], texts[:, 1]))
    return values


def word_means(states: npt.NDArray[Rows], starts: Numbers, ends: Numbers) -> npt.NDArray[Rows]:
    """Give each word the mean of its tokens' states, added up in their order.

    Args:
        states: shape (t, hidden).
        starts: shape (k,), first token of each word.
        ends: shape (k,), the token after its last one.

    Returns:
        Shape (k, hidden).

    Example:
        >>> word_means(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1]), np.array([1, 3])).tolist()
        [[1.0], [3.0]]
    """
    means = states[starts]
    counts = ends - starts
    longer = several = np.flatnonzero(counts > 1)
    place = 1
    while len(longer):
        means[longer] += states[starts[longer] + place]
        place += 1
        longer = longer[counts[longer] > place]
    means[several] /= counts[several, None].astype(states.dtype)
    return means
