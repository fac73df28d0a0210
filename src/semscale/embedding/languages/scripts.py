"""Languages by the script of a text: it shows that a word or two are not English."""

import unicodedata
from collections import Counter

from semscale.embedding.languages.identification import LONGEST

_LANGUAGES_OF_SCRIPTS = {
    "CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "ARABIC": "ar", "DEVANAGARI": "hi",
    "CYRILLIC": "ru", "GREEK": "el", "HEBREW": "he", "THAI": "th", "BENGALI": "bn", "TAMIL": "ta",
}  # fmt: skip
"""The most frequent language of each script."""
_FEWEST_LETTERS = 2


def language_of_script(text: str) -> str | None:
    """Give the language that uses a text's script most; ``None`` for Latin letters, and for a single letter.

    Example:
        >>> language_of_script("太贵了"), language_of_script("дорого"), language_of_script("teuer")
        ('zh', 'ru', None)
    """
    letters = [sign for sign in text[:LONGEST] if sign.isalpha()]
    scripts = Counter(unicodedata.name(sign, "").partition(" ")[0] for sign in letters)
    known = Counter({name: n for name, n in scripts.items() if name in _LANGUAGES_OF_SCRIPTS})
    if known.total() < _FEWEST_LETTERS or 2 * known.total() <= len(letters):
        return None
    if known.keys() & {"HIRAGANA", "KATAKANA"}:  # Japanese has Chinese signs, too
        return "ja"
    ((script, _),) = known.most_common(1)
    return _LANGUAGES_OF_SCRIPTS[script]
