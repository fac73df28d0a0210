"""Languages of the texts that are rated."""

from collections.abc import Sequence

import numpy as np

from semscale.embedding.languages.identification import identified_languages
from semscale.embedding.languages.language_names import ENGLISH, LANGUAGE_NAMES
from semscale.embedding.languages.plain_english import is_plainly_english
from semscale.embedding.languages.scripts import language_of_script
from semscale.errors import InputError
from semscale.signature import Signature
from semscale.types import ObjectArray
from semscale.weights.model_lookup import languages_read, model_name


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
        identified = identified_languages([texts[row] for row in unclear])
        languages[unclear] = [
            code or language_of_script(texts[row]) for row, code in zip(unclear, identified, strict=True)
        ]
    return languages


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
