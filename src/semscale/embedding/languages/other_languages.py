"""Single texts in languages that a model does not read."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.languages.identification import has_enough_letters, probability_of
from semscale.embedding.languages.scripts import language_of_script
from semscale.signature import Signature
from semscale.types import Mask, ObjectArray
from semscale.weights.model_lookup import languages_read

MOST_PROBABLE = 0.05
"""Probability of all languages that a model reads, up to which a text in a clear one is in none of them."""
MOST_PROBABLE_UNCLEAR = 0.002
"""The same of a text that may be in one of several languages, such as Spanish and Galician."""


def in_other_languages(texts: Sequence[str], languages: ObjectArray, signature: Signature) -> Mask:
    """Say which texts are in a language that a model does not read, shape (n,).

    Args:
        texts: n texts; one in Latin letters that is too short to show its language is never said to be in
            another.
        languages: shape (n,), ISO 639-1 codes, ``None`` where the language is not clear.
        signature: of the embedder. Of a model of which it is not known what it reads, nothing is said.
    """
    read = languages_read(signature)
    others = [
        bool(read) and code not in read and _is_in_none_of(read, text, is_clear=code is not None)
        for text, code in zip(texts, languages, strict=True)
    ]
    return np.array(others, np.bool_)


def _is_in_none_of(read: frozenset[str], text: str, *, is_clear: bool) -> bool:
    """Say that a text is surely in another language: what seems Luxembourgish may be German."""
    if not (has_enough_letters(text) or language_of_script(text)):
        return False
    return probability_of(text, read) <= (MOST_PROBABLE if is_clear else MOST_PROBABLE_UNCLEAR)
