"""Whether the texts of a table are in a language that the model does not read."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.embedding.languages.identification import LONGEST, has_enough_letters, identified_languages
from semscale.embedding.languages.joined_texts import joined_language
from semscale.embedding.languages.language_names import ENGLISH, LANGUAGE_NAMES
from semscale.embedding.languages.plain_english import is_plainly_english
from semscale.signature import Signature
from semscale.stats.sampling import RowSample, priorities
from semscale.types import Integers
from semscale.weights.model_lookup import languages_read, model_name

SAMPLED_TEXTS = 200
"""Texts of a table whose language is looked at."""
FEWEST_TEXTS = 5
"""Texts in other languages from which on anything is said."""

_CLEAR_SHARE = 1 / 3  # of texts that are long enough: a list of names has a few that seem to be clear


@dataclass(frozen=True)
class UnreadLanguage:
    """A language that most texts are in, and that the model does not read.

    Attributes:
        code: of the most frequent such language, ISO 639-1.
        name: its English name.
        share: texts in languages that the model does not read, as a share of ``n``; ``None`` where single
            texts are too short to tell, and the language is that of all of them together.
        n: texts whose language is clear, among at most 200; where ``share`` is ``None``, texts that were
            read together.
        model: name of the model.
    """

    code: str
    name: str
    share: float | None
    n: int
    model: str


class LanguageSample:
    """Keeps the beginnings of 200 texts of a table, drawn by their rows, whatever the size of its parts."""

    def __init__(self) -> None:
        self._texts = RowSample[str](SAMPLED_TEXTS, seed=0)

    def add(self, rows: Integers, text: Callable[[int], object], first_row: int = 0) -> None:
        """Take rows of the next part.

        Args:
            rows: places of texts in the part.
            text: gives the text at a place.
            first_row: place of the part's first row in the table.
        """
        first = rows[np.argsort(priorities(first_row + rows, 0), kind="stable")[:SAMPLED_TEXTS]]
        self._texts.add((first_row + row, str(text(row))[:LONGEST]) for row in first.tolist())

    def unread_language(self, signature: Signature) -> UnreadLanguage | None:
        """Say in which language the texts are, if the model that a signature names does not read it.

        Returns:
            ``None`` where the model reads most texts, where too few texts are long enough to tell, and where
            it is not known which languages the model reads.
        """
        read = languages_read(signature)
        return unread_language(self._texts.items, read, model_name(signature)) if read else None

    def other_language(self, said: str, signature: Signature) -> UnreadLanguage | None:
        """Say in which language the texts are, if it is another one than the user says.

        Args:
            said: ISO 639-1 code.
            signature: names the model.
        """
        return unread_language(self._texts.items, {said}, model_name(signature))


def unread_language(texts: Sequence[str], read: Collection[str], model: str) -> UnreadLanguage | None:
    """Say in which language texts are, if a model does not read it.

    At least 5 texts must surely be in other languages than the model's: more than half of those whose
    language is clear, and more than a third of those that are long enough. Where too few texts are clear,
    all of them are joined, and read as one (``joined_language``).

    Args:
        texts: a sample.
        read: ISO 639-1 codes of the languages that the model reads.
        model: its name.
    """
    worded = [text for text in texts if any(sign.isalpha() for sign in text)]
    if ENGLISH in read and 2 * sum(map(is_plainly_english, worded)) >= len(worded):
        return None
    longer = [text for text in worded if has_enough_letters(text)]
    clear = [code for code in identified_languages(longer) if code is not None]
    others = Counter(code for code in clear if code not in read)
    n = others.total()
    if len(clear) >= FEWEST_TEXTS and 2 * n <= len(clear):
        return None
    if n < FEWEST_TEXTS or n <= _CLEAR_SHARE * len(longer):
        return _joined(worded, read, model)
    ((code, _),) = others.most_common(1)
    return UnreadLanguage(code, LANGUAGE_NAMES[code], n / len(clear), len(clear), model)


def _joined(texts: Sequence[str], read: Collection[str], model: str) -> UnreadLanguage | None:
    code = joined_language(texts)
    if code is None or code in read:
        return None
    return UnreadLanguage(code, LANGUAGE_NAMES[code], None, len(texts), model)
