"""Subjects of texts: the words before the first auxiliary verb, and whether they are only a pronoun.

English only; in other texts no subject is found, and all their words count alike. What is asked about stands
in the subject and is known from the question; what is said of it decides. An answer such as "they are
connected" leaves it out altogether.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.guards.lexicons import word_list
from semscale.types import Integers

Roles = npt.NDArray[np.bool_]

_AUXILIARIES = word_list("auxiliaries")
_BEFORE_SUBJECTS = word_list("before_subjects")
_PRONOUNS = word_list("subject_pronouns")
_LONGEST = 9


@dataclass(frozen=True)
class SubjectWeights:
    """Weights of a subject's words: ``usual`` ones, and those for which the other text has a pronoun."""

    usual: float
    for_pronoun: float


def word_roles(words: Sequence[str]) -> Roles:
    """Tell for k words whether each is an auxiliary verb, can precede a subject, or is a pronoun for one.

    Returns:
        Shape (k, 3).
    """
    roles = [(word in _AUXILIARIES, word in _BEFORE_SUBJECTS, word in _PRONOUNS) for word in words]
    return np.array(roles, np.bool_).reshape(-1, 3)


def subject_lengths(roles: Roles, counts: Integers) -> Integers:
    """Count the words before a text's first auxiliary verb; 0 if there is none, or only after more than nine.

    Args:
        roles: shape (k, 3), of the words of n texts, end to end.
        counts: shape (n,), words of each text.

    Returns:
        Shape (n,).

    Example:
        >>> roles = word_roles("the left lung is affected no change".split())
        >>> subject_lengths(roles, np.array([5, 2])).tolist()
        [3, 0]
    """
    places = _first(roles[:, 0], counts)
    return np.where((places < counts) & (places <= _LONGEST), places, 0)


def start_with_pronoun(roles: Roles, counts: Integers) -> npt.NDArray[np.bool_]:
    """Tell which texts speak of their subject by a pronoun: "because they are connected".

    Args:
        roles: shape (k, 3), of the words of n texts, end to end.
        counts: shape (n,), words of each text.

    Returns:
        Shape (n,).

    Example:
        >>> roles = word_roles("because they are lungs are".split())
        >>> start_with_pronoun(roles, np.array([3, 2])).tolist()
        [True, False]
    """
    places = _first(~roles[:, 1], counts)
    words = np.cumsum(counts) - counts + places
    return np.asarray((places < counts) & np.append(roles[:, 2], False)[words])


def _first(found: npt.NDArray[np.bool_], counts: Integers) -> Integers:
    """Place of the first word of each text that was found; beyond its end where none was, shape (n,)."""
    starts = np.cumsum(counts) - counts
    words = np.append(np.flatnonzero(found), len(found))
    return np.asarray(words[np.searchsorted(words, starts)] - starts)
