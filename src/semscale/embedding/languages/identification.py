"""Identification of the language of single texts, with py3langid and the model in its wheel."""

from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING

from semscale.embedding.languages.language_names import LANGUAGE_NAMES, WIDESPREAD

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

FEWEST_LETTERS = 12
"""Bytes of letters in UTF-8 that a text needs: a word or two say little. A Chinese sign has three."""
SURE = 0.5
"""Probability from which on a language is taken as known."""
RARE_WEIGHT = 0.1
"""Share of its probability that a rare language keeps where it is the most probable: "schlecht" is German."""

LONGEST = 500
"""Characters of a text that are looked at."""

_VARIANTS = {"yue": "zh", "wuu": "zh", "arz": "ar"}
_NEVER_CLEAR = {"la"}  # Latin: terms of medicine and biology, in texts of any language
_LOADING = Lock()


def has_enough_letters(text: str) -> bool:
    """Say whether a text is long enough to show its language.

    Example:
        >>> has_enough_letters("good!"), has_enough_letters("Das ist gut."), has_enough_letters("太贵了吧")
        (False, False, True)
    """
    return sum(len(sign.encode("utf-8", "replace")) for sign in text if sign.isalpha()) >= FEWEST_LETTERS


def identified_languages(texts: Sequence[str], *, longest: int | None = LONGEST) -> list[str | None]:
    """Give the language of each text: an ISO 639-1 code, or ``None`` where it is not clear.

    Few words of a language that many write in may look like a rare relative, as German like Luxembourgish. So
    a rare language needs ten times the evidence.

    Args:
        texts: any number.
        longest: characters of each text that are looked at; ``None`` for all.

    Example:
        >>> identified_languages(["Ich würde es sofort kaufen.", "John Smith"])
        ['de', None]
    """
    return [_identified(text[:longest]) for text in texts]


def probability_of(text: str, languages: Collection[str]) -> float:
    """Give the probability that a text is in one of some languages, 0 to 1.

    Args:
        text: any text; its first 500 characters are looked at.
        languages: ISO 639-1 codes.

    Example:
        >>> probability_of("Ich würde es sofort kaufen.", {"en", "fr"}) < 0.01
        True
    """
    ranked = _identifier().rank(text[:LONGEST])
    return float(sum(share for code, share in ranked if _VARIANTS.get(code, code) in languages))


def load_identifier() -> None:
    """Load the identifier in a thread of its own, beside other work: it takes .7 s, most of it unpacking."""
    Thread(target=_load_ahead, daemon=True).start()


def _load_ahead() -> None:
    with suppress(OSError):  # where it cannot be unpacked, whoever needs it first meets the same error
        _identifier()


def identifier_name() -> str:
    """Name what identifies languages, for signatures: the library, and the weight of rare languages.

    Example:
        >>> library, _, rule = identifier_name().partition("/")
        >>> library.partition("-")[0], rule
        ('py3langid', 'rare-0.1')
    """
    return f"py3langid-{version('py3langid')}/rare-{RARE_WEIGHT:g}"


def _identified(text: str) -> str | None:
    code = _if_clear(*_identifier().classify(text))
    return code if code is None or code in WIDESPREAD else _identified_again(text)


def _identified_again(text: str) -> str | None:
    """Identify a text that seems to be in a rare language, for which more evidence is wanted."""
    shares: Counter[str] = Counter()
    for variant, share in _identifier().rank(text):
        code = _VARIANTS.get(variant, variant)
        shares[code] += share if code in WIDESPREAD else RARE_WEIGHT * share
    ((code, most),) = shares.most_common(1)
    return _if_clear(code, most / shares.total())


def _if_clear(variant: str, probability: float) -> str | None:
    code = _VARIANTS.get(variant, variant)
    is_clear = probability >= SURE and code in LANGUAGE_NAMES and code not in _NEVER_CLEAR
    return code if is_clear else None


def _identifier() -> "LanguageIdentifier":
    with _LOADING:  # the thread of `load_identifier` may be at it
        return _loaded()


@cache
def _loaded() -> "LanguageIdentifier":
    import py3langid
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_modelpath(Path(py3langid.__file__).parent / MODEL_FILE, norm_probs=True)
