"""Identification of the language of single texts, with py3langid and the model in its wheel."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.embedding.languages.language_names import LANGUAGE_NAMES

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

FEWEST_LETTERS = 12
"""Bytes of letters in UTF-8 that a text needs: a word or two say little. A Chinese sign has three."""
SURE = 0.5
"""Probability from which on a language is taken as known."""

LONGEST = 500
"""Characters of a text that are looked at."""

_CHINESE = {"yue": "zh", "wuu": "zh"}


def has_enough_letters(text: str) -> bool:
    """Say whether a text is long enough to show its language.

    Example:
        >>> has_enough_letters("good!"), has_enough_letters("Das ist gut."), has_enough_letters("太贵了吧")
        (False, False, True)
    """
    return sum(len(sign.encode("utf-8", "replace")) for sign in text if sign.isalpha()) >= FEWEST_LETTERS


def identified_languages(texts: Sequence[str], *, longest: int | None = LONGEST) -> list[str | None]:
    """Give the language of each text: an ISO 639-1 code, or ``None`` where it is not clear.

    Args:
        texts: any number.
        longest: characters of each text that are looked at; ``None`` for all.

    Example:
        >>> identified_languages(["Ich würde es sofort kaufen.", "John Smith"])
        ['de', None]
    """
    return [_identified(text[:longest]) for text in texts]


def _identified(text: str) -> str | None:
    code, probability = _identifier().classify(text)
    code = _CHINESE.get(code, code)
    return str(code) if probability >= SURE and code in LANGUAGE_NAMES else None


@cache
def _identifier() -> "LanguageIdentifier":
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_modelpath(Path(py3langid.__file__).parent / MODEL_FILE, norm_probs=True)
