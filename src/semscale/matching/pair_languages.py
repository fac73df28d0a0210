"""Languages of the two texts of a pair: where guards look, and where single words can be compared."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from semscale.embedding.languages.identification import (
    LONGEST,
    has_enough_letters,
    identified_languages,
    identifier_name,
)
from semscale.embedding.languages.language_names import ENGLISH
from semscale.guards.lexicons import word_list
from semscale.guards.registry import Guards, Mode
from semscale.signature import Signature
from semscale.weights.model_lookup import languages_read

_PLAINLY_ENGLISH = word_list("plainly_english")
_LANGUAGES_OF_SCRIPTS = {
    "CJK": "zh", "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "ARABIC": "ar", "DEVANAGARI": "hi",
    "CYRILLIC": "ru", "GREEK": "el", "HEBREW": "he", "THAI": "th", "BENGALI": "bn", "TAMIL": "ta",
}  # fmt: skip
"""The most frequent language of each script, for texts that are too short to be identified."""
_FEWEST_LETTERS = 2
_FEWEST_ENGLISH = 2  # words that show a text to be English, so that nothing need be identified


@lru_cache(maxsize=65536)
def language_of(text: str) -> str | None:
    """Give the language of a text as an ISO 639-1 code; ``None`` where it is not clear, as in a word or two.

    Example:
        >>> language_of("It is not safe."), language_of("Das ist nicht sicher."), language_of("Paris")
        ('en', 'de', None)
        >>> language_of("不安全")
        'zh'
    """
    if is_plainly_english(text):
        return ENGLISH
    identified = identified_languages([text])[0] if has_enough_letters(text) else None
    return identified or _language_of_script(text[:LONGEST])


def is_plainly_english(text: str) -> bool:
    """Say whether two words of a text show that it is English, so that nothing need be identified.

    Example:
        >>> is_plainly_english("It is not safe."), is_plainly_english("Safe!")
        (True, False)
    """
    words = re.findall(r"[a-z]+", text[:LONGEST].lower())
    return sum(word in _PLAINLY_ENGLISH for word in words) >= _FEWEST_ENGLISH


def _language_of_script(text: str) -> str | None:
    """Give the language that uses a script most; ``None`` for Latin letters, and for a single letter."""
    letters = [sign for sign in text if sign.isalpha()]
    scripts = Counter(unicodedata.name(sign, "").partition(" ")[0] for sign in letters)
    known = Counter({name: n for name, n in scripts.items() if name in _LANGUAGES_OF_SCRIPTS})
    if known.total() < _FEWEST_LETTERS or 2 * known.total() <= len(letters):
        return None
    if known.keys() & {"HIRAGANA", "KATAKANA"}:  # Japanese has Chinese signs, too
        return "ja"
    ((script, _),) = known.most_common(1)
    return _LANGUAGES_OF_SCRIPTS[script]


def guards_read(prediction: str, reference: str) -> bool:
    """Tell whether guards look at a pair: they read English, and texts whose language is not clear.

    Example:
        >>> guards_read("It is safe.", "It is not safe."), guards_read("Das ist sicher.", "It is not safe.")
        (True, False)
    """
    return all(language_of(text) in {None, ENGLISH} for text in (prediction, reference))


def with_identifier(signature: Signature) -> Signature:
    """Add what identifies languages to the settings of something that depends on them, unless it is there.

    Example:
        >>> named = with_identifier(with_identifier(Signature.of("match")))
        >>> [(name, value.partition("-")[0]) for name, value in named.fields]
        [('language', 'any+py3langid')]
    """
    if "language" in dict(signature.fields):
        return signature
    return signature.extended(Signature.of("language", language=f"any+{identifier_name()}"))


def with_guards(signature: Signature, guards: Guards) -> Signature:
    """Add guards to the settings of a match, and what identifies the languages in which they look.

    Example:
        >>> off = Guards(dict.fromkeys(("negation", "opposite", "number", "name"), "off"))
        >>> dict(with_guards(Signature.of("match"), off).fields)
        {'findings': 'none'}
    """
    signed = signature.extended(guards.signature)
    looking = any(mode is not Mode.OFF for mode in guards.modes.values())
    return with_identifier(signed) if looking else with_read_languages(signed)


def with_read_languages(signature: Signature) -> Signature:
    """Add what identifies languages where it is known which ones the model reads: others have no score."""
    return with_identifier(signature) if languages_read(signature) else signature


def are_across(prediction: str, reference: str, languages: frozenset[str]) -> bool:
    """Tell whether two texts are in different languages, both of which the model reads.

    Their words have no equals then, and only the texts as wholes can be compared.

    Args:
        prediction: one text.
        reference: the other one.
        languages: that the model reads.

    Example:
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"de", "en"}))
        True
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"en"}))
        False
    """
    if len(languages) <= 1:
        return False
    ours, theirs = language_of(prediction), language_of(reference)
    return ours != theirs and ours in languages and theirs in languages
