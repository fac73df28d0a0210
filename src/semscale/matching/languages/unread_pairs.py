"""Pairs with a text in a language that a model does not read: they have no score."""

import numpy as np

from semscale.embedding.languages.identification import has_enough_letters
from semscale.embedding.languages.other_languages import in_other_languages
from semscale.embedding.languages.text_language import language_of
from semscale.matching.pairs import Pairs
from semscale.signature import Signature
from semscale.types import Mask, ObjectArray
from semscale.weights.model_lookup import languages_read

_FEWEST_WORDS, _FEWEST_SMALL = 4, 2
_AFTER_LATIN = "\u0250"  # where the Latin letters end


def in_other_language(pairs: Pairs, *signatures: Signature) -> Mask:
    """Say which pairs have a text that is surely in a language that a model does not read, shape (p,).

    Nothing is said of texts that are too short to show their language, nor of those that may be names or
    titles: those in Latin letters with fewer than four words, or with fewer than two words in small letters,
    and those of a word or two in another script.

    Args:
        pairs: p pairs.
        signatures: of the models that read them. Of a model of which it is not known what it reads, nothing
            is said.
    """
    unread = np.zeros(len(pairs.texts), np.bool_)
    known = [signature for signature in signatures if languages_read(signature)]
    if known:
        places = [place for place, text in enumerate(pairs.texts) if not may_be_name(text)]
        texts = [pairs.texts[place] for place in places]
        languages: ObjectArray = np.full(len(texts), None, dtype=object)
        languages[:] = [language_of(text) for text in texts]
        for signature in known:
            unread[places] |= in_other_languages(texts, languages, signature)
    return unread[pairs.prediction] | unread[pairs.reference]


def may_be_name(text: str) -> bool:
    """Say whether a text may be a name or a title, whose language says nothing about who reads it.

    Example:
        >>> may_be_name("Søren Kierkegaard"), may_be_name("Der Name der Rose"), may_be_name("Цюрих")
        (True, True, True)
        >>> may_be_name("Das ist nicht sicher."), may_be_name("不是很好吃，太贵了")
        (False, False)
    """
    letters = [sign for sign in text if sign.isalpha()]
    if 2 * sum(sign < _AFTER_LATIN for sign in letters) <= len(letters):
        return not has_enough_letters(text)
    words = [word for word in text.split() if word[0].isalpha()]
    return len(words) < _FEWEST_WORDS or sum(word[0].islower() for word in words) < _FEWEST_SMALL
