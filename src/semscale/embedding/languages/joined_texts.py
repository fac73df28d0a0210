"""The language of short texts, read together: a few words each may say nothing, all of them do."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.languages.identification import identified_languages
from semscale.stats.sampling import priorities

FEWEST_TEXTS = 5
"""Distinct texts with letters below which nothing is said; also the number of joined readings."""
LONGEST = 100
"""Characters of each text that are joined at most."""


def joined_language(texts: Sequence[str]) -> str | None:
    """Identify the language of texts that are joined into one.

    The distinct texts are divided at random, always in the same way, into five parts. They are joined and
    identified five times, each time without another part, and all five readings must agree: so one odd text
    never decides. Of a long text no more is taken than twice the median length.

    Args:
        texts: any number; those without a letter, and repetitions, are passed over.

    Returns:
        An ISO 639-1 code, or ``None`` where the readings differ, where one of them is not clear, and with
        fewer than 5 distinct texts.

    Example:
        >>> joined_language(["gut", "schlecht", "zu teuer", "geht so", "weiß nicht", "nein danke"])
        'de'
    """
    distinct = _distinct_texts(texts)
    if len(distinct) < FEWEST_TEXTS:
        return None
    longest = min(LONGEST, 2 * int(np.median([len(text) for text in distinct])))
    order = np.argsort(priorities(np.arange(len(distinct)), 0), kind="stable").tolist()
    drawn = [distinct[row][:longest] for row in order]
    readings = [
        " ".join(text for place, text in enumerate(drawn) if place % FEWEST_TEXTS != left_out)
        for left_out in range(FEWEST_TEXTS)
    ]
    # All of a reading is looked at: the five are not cut as single texts are.
    found = set(identified_languages(readings, longest=None))
    return found.pop() if len(found) == 1 else None


def _distinct_texts(texts: Sequence[str]) -> list[str]:
    """Keep the texts that have a letter, each once, in the order of their first appearance."""
    cut = (text[:LONGEST].strip().casefold() for text in texts)
    return [text for text in dict.fromkeys(cut) if any(sign.isalpha() for sign in text)]
