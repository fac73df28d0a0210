"""How far the sentences of one text are backed by those of another: from pairs of sentences to texts."""

from dataclasses import dataclass

import numpy as np

from semscale.matching.entailment.probabilities import CONTRADICTION, ENTAILMENT
from semscale.types import Floats, Integers


@dataclass(frozen=True)
class SentenceSupport:
    """What the m sentences of one text say of the h sentences of another.

    Attributes:
        values: shape (h, 3): how far each sentence is entailed, neither, contradicted; each row sums to 1.
            NaN where the model can read the sentence beside no other.
        deciding: shape (h,), which of the m sentences decides: the one that contradicts most where that is
            more than what the best one entails, else the one that entails most; -1 where none is read.
    """

    values: Floats
    deciding: Integers

    @property
    def mean(self) -> Floats:
        """The mean of the sentences that were read, shape (3,); NaN without any."""
        read = self.values[~np.isnan(self.values[:, ENTAILMENT])]
        return read.mean(axis=0) if len(read) else np.full(3, np.nan)

    @property
    def worst(self) -> float:
        """The largest probability that a sentence is contradicted; NaN where none was read."""
        return float(np.fmax.reduce(self.values[:, CONTRADICTION]))


def support(probabilities: Floats) -> SentenceSupport:
    """Judge each sentence by the sentence that backs it best.

    A sentence is entailed as far as one of the others entails it (the maximum). It is contradicted as far as
    one of the others contradicts it, but no further than what is not entailed: what one sentence says,
    another one does not take back. The rest is neutral.

    Args:
        probabilities: shape (h, m, 3), with m premises for each of h hypotheses; NaN for a pair that the
            model cannot read.

    References:
        Laban et al. 2022, SummaC, section 3 (zero-shot: the maximum over premises, then the mean over
        hypotheses), doi:10.1162/tacl_a_00453. The rule for contradiction is ours.

    Example:
        >>> backed, denied = [[0.9, 0.1, 0.0], [0.1, 0.1, 0.8]], [[0.1, 0.9, 0.0], [0.0, 0.3, 0.7]]
        >>> found = support(np.array([backed, denied]))
        >>> found.values.round(2).tolist(), found.deciding.tolist()
        ([[0.9, 0.0, 0.1], [0.1, 0.2, 0.7]], [0, 1])
    """
    known = np.where(np.isnan(probabilities), -1.0, probabilities)
    rows = np.arange(len(known))
    best, against = known[:, :, ENTAILMENT].argmax(axis=1), known[:, :, CONTRADICTION].argmax(axis=1)
    entailed, contradicted = known[rows, best, ENTAILMENT], known[rows, against, CONTRADICTION]
    deciding = np.where(contradicted > entailed, against, best)
    contradicted = np.minimum(contradicted, 1 - entailed)
    values = np.column_stack([entailed, 1 - entailed - contradicted, contradicted])
    unread = entailed < 0
    values[unread], deciding[unread] = np.nan, -1
    return SentenceSupport(values, deciding)
