"""Texts whose words show that they are English, so that nothing need be identified."""

import re

from semscale.embedding.languages.identification import LONGEST

FEWEST_WORDS = 2
"""Words that English alone has, from which on a text is taken as English."""

_ENGLISH_WORDS = frozenset(
    {
        "the", "and", "this", "that", "with", "would", "you", "they", "because", "your", "it",
        "are", "not", "to", "for", "have", "has", "does", "which", "there", "their", "when", "if",
        "from", "by", "been", "at", "my", "our", "he", "she", "his", "her", "what", "who", "how",
        "all", "more", "than", "only", "very",
    }
)  # fmt: skip


def is_plainly_english(text: str) -> bool:
    """Say whether two words of a text show that it is English.

    Example:
        >>> is_plainly_english("It is not safe."), is_plainly_english("Safe!")
        (True, False)
    """
    words = re.findall(r"[a-z]+", text[:LONGEST].lower())
    return sum(word in _ENGLISH_WORDS for word in words) >= FEWEST_WORDS
