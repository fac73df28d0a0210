"""Languages of the texts that are rated, and those that a model does not read."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.languages.identification import (
    has_enough_letters,
    identified_languages,
    probability_of,
)
from semscale.embedding.languages.language_names import ENGLISH, LANGUAGE_NAMES
from semscale.errors import InputError
from semscale.matching.pair_languages import is_plainly_english
from semscale.signature import Signature
from semscale.types import Mask, ObjectArray
from semscale.weights.model_lookup import languages_read, model_name

MOST_PROBABLE = 0.05
"""Probability of all languages that a model reads, up to which a text is said to be in none of them."""


def text_languages(texts: Sequence[str], said: str | None = None) -> ObjectArray:
    """Give the language of each text, shape (n,): an ISO 639-1 code, or ``None`` where it is not clear.

    Args:
        texts: n texts.
        said: the language of all of them, where the user says it; none is identified then.
    """
    languages = np.full(len(texts), said, dtype=object)
    if said is None:
        unclear = [row for row, text in enumerate(texts) if not is_plainly_english(text)]
        languages[:] = ENGLISH
        languages[unclear] = identified_languages([texts[row] for row in unclear])
    return languages


def in_other_languages(texts: Sequence[str], languages: ObjectArray, signature: Signature) -> Mask:
    """Say which texts are in a language that a model does not read, shape (n,).

    Args:
        texts: n texts; one that is too short to show its language is never said to be in another.
        languages: shape (n,), as ``text_languages`` gives them.
        signature: of the embedder. Of a model of which it is not known what it reads, nothing is said.
    """
    read = languages_read(signature)
    others = [
        bool(read) and code is not None and code not in read and _is_in_none_of(read, text)
        for text, code in zip(texts, languages, strict=True)
    ]
    return np.array(others, np.bool_)


def _is_in_none_of(read: frozenset[str], text: str) -> bool:
    """Say that a text is surely in another language: what seems Luxembourgish may be German."""
    return has_enough_letters(text) and probability_of(text, read) <= MOST_PROBABLE


def check_reads(signature: Signature, language: str) -> None:
    """Refuse a language that an embedder's model is known not to read.

    Raises:
        InputError: the model does not read it.
    """
    read = languages_read(signature)
    if read and language not in read:
        name = LANGUAGE_NAMES.get(language, language)
        raise InputError(
            f"language is {language!r}, but {model_name(signature)} does not read {name}: "
            "use a model that does"
        )
