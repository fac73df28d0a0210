"""The cosine of unrelated sentences, from which the linter's bounds on cosines are measured.

Models differ in how alike they find two sentences that have nothing to do with each other: all-MiniLM-L6-v2
gives them .06 on average, multilingual-e5-small .78. A cosine says little until that is taken off. It differs
between languages, too: two sentences in Arabic are nearer each other than two in English.
"""

import numpy as np

from semscale.embedding.languages.language_names import ENGLISH
from semscale.rating.anchors.floor import FLOOR_GROUPS, unrelated_probes
from semscale.types import Floats


def unrelated_sentences(language: str = ENGLISH) -> tuple[str, ...]:
    """List the shipped everyday and factual sentences, of which no two are about the same thing.

    Args:
        language: ISO 639-1 code; the sentences are English where they are not translated into it.

    Example:
        >>> len(unrelated_sentences()), unrelated_sentences("de")[0]
        (50, 'Der Bus zum Hafen fährt von Bahnsteig sechs.')
    """
    return tuple(sentence for group in FLOOR_GROUPS for sentence in unrelated_probes(language)[group])


def random_pair_cosine(vectors: Floats) -> float:
    """Mean cosine of all pairs of unrelated sentences, and 0 where it is negative.

    Args:
        vectors: shape (n, d), two or more, each of length 1.

    Returns:
        0 to 1.

    Example:
        >>> random_pair_cosine(np.array([[1.0, 0.0], [0.6, 0.8]]))
        0.6
    """
    pairs = np.triu_indices(len(vectors), 1)
    return max(0.0, float((vectors @ vectors.T)[pairs].mean()))


def cosine_at(share: float, random_cosine: float) -> float:
    """Say which cosine lies at a share of the way from random pairs to equal texts.

    The inverse of BERTScore's rescaling ``(cosine - random) / (1 - random)``.

    Args:
        share: 0 is the cosine of random pairs, 1 that of equal texts.
        random_cosine: of random pairs, 0 to 1.

    References:
        Zhang et al. (2020), BERTScore, arXiv 1904.09675, section "Baseline Rescaling".

    Example:
        >>> round(cosine_at(0.9, 0.78), 3)
        0.978
    """
    return random_cosine + share * (1 - random_cosine)
