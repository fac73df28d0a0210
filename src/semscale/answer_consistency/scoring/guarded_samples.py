"""Samples that guards compare with an answer: they read English alone."""

from collections.abc import Sequence

from semscale.embedding.languages.language_names import ENGLISH
from semscale.embedding.languages.text_language import language_of


def guards_read_samples(answer: str, samples: Sequence[str]) -> list[bool]:
    """Tell with which samples guards compare an answer.

    Guards look at English, and at short texts whose language is not clear. Where the answer or a sample of it
    is clearly in another language, they do not look at the unclear ones either: "Hund" beside "Das ist ein
    Hund." is hardly English.

    Args:
        answer: the answer.
        samples: its usable samples.

    Example:
        >>> guards_read_samples("A dog", ["Wolf", "It is a wolf."])
        [True, True]
        >>> guards_read_samples("I think it is a dog.", ["Hund", "Das ist ein Hund.", "It is not a wolf."])
        [False, False, True]
    """
    ours, theirs = language_of(answer), [language_of(sample) for sample in samples]
    read = {ENGLISH, None} if {ours, *theirs} <= {ENGLISH, None} else {ENGLISH}
    return [ours in read and language in read for language in theirs]
