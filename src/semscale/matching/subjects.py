"""What a text is about: the words before its first auxiliary verb, and whether that is but a pronoun.

English only; in other texts no subject is found, and all their words count alike. What is asked about stands
in the subject and is known from the question; what is said of it decides. An answer such as "they are
connected" leaves it out altogether.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from semscale.guards.lexicons import word_list

_AUXILIARIES = word_list("auxiliaries")
_BEFORE_SUBJECTS = word_list("before_subjects")
_PRONOUNS = word_list("subject_pronouns")
_LONGEST = 9


@dataclass(frozen=True)
class SubjectWeights:
    """What a subject's words count: ``usual`` ones, and those that the other text has ``for_pronoun``."""

    usual: float
    for_pronoun: float


def subject_length(words: Sequence[str]) -> int:
    """Count the words before the first auxiliary verb; 0 if there is none, or only after more than nine.

    Example:
        >>> subject_length("the left lung is affected".split()), subject_length("no change".split())
        (3, 0)
    """
    ends = (at for at, word in enumerate(words[: _LONGEST + 1]) if word in _AUXILIARIES)
    return next(ends, 0)


def starts_with_pronoun(words: Sequence[str]) -> bool:
    """Tell whether a text speaks of its subject by a pronoun: "because they are connected".

    Example:
        >>> starts_with_pronoun(["because", "they", "are"]), starts_with_pronoun(["lungs", "are"])
        (True, False)
    """
    first = next((word for word in words if word not in _BEFORE_SUBJECTS), "")
    return first in _PRONOUNS
