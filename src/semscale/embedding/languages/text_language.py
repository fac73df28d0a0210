"""The language of a single text, by its words and by its script."""

from functools import lru_cache

from semscale.embedding.languages.identification import has_enough_letters, identified_languages
from semscale.embedding.languages.language_names import ENGLISH
from semscale.embedding.languages.plain_english import is_plainly_english
from semscale.embedding.languages.scripts import language_of_script


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
    return identified or language_of_script(text)
