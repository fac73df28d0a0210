"""Counts of texts by language: how many there are, how many were rated, and with whose anchors."""

from collections.abc import Collection
from dataclasses import dataclass

from semscale.embedding.languages.language_counts import LanguageCount, LanguageCounter
from semscale.types import ObjectArray, Statuses


@dataclass(frozen=True)
class LanguageTexts:
    """Texts of one language.

    Attributes:
        language: ISO 639-1 code; ``None`` for texts whose language is not clear.
        texts: how many there are, whether rated or not.
        rated: how many have a rating.
        anchors: language of the anchors that they are rated with; ``None`` where none of them has a rating.
        unread: how many have no rating because the model does not read their language.
    """

    language: str | None
    texts: int
    rated: int
    anchors: str | None
    unread: int = 0

    @property
    def has_own_anchors(self) -> bool:
        """Whether anchors in this language rate the texts; so it is, too, where their language is not clear.

        Example:
            >>> [LanguageTexts("de", 2, 2, anchors).has_own_anchors for anchors in ("en", "de-AT")]
            [False, True]
        """
        return self.language is None or (self.anchors or "").partition("-")[0] == self.language


class LanguageTally:
    """Counts the languages of rows, part by part.

    Args:
        language: of the scale's own anchors.
        own_anchors: languages whose texts are rated with anchors of their own.
    """

    def __init__(self, language: str, own_anchors: Collection[str]) -> None:
        self._language = language
        self._own_anchors = own_anchors
        self._counter = LanguageCounter()

    def add(self, languages: ObjectArray, statuses: Statuses) -> None:
        """Take the next rows; those without a word are passed over.

        Args:
            languages: shape (n,), codes, or ``None`` where the language is not clear.
            statuses: shape (n,).
        """
        self._counter.add(([code] for code in languages), statuses)

    @property
    def counts(self) -> tuple[LanguageTexts, ...]:
        """Languages from the most frequent to the rarest; texts without a clear language come last.

        Example:
            >>> import numpy as np
            >>> from semscale.types import Status
            >>> tally = LanguageTally("en", ["de"])
            >>> tally.add(np.array(["de", None, "en", "en"]), np.array([Status.SCORED] * 4))
            >>> [(found.language, found.texts, found.anchors) for found in tally.counts]
            [('en', 2, 'en'), ('de', 1, 'de'), (None, 1, 'en')]
        """
        return tuple(map(self._of_anchors, self._counter.counts))

    def _of_anchors(self, found: LanguageCount) -> LanguageTexts:
        (code,) = found.languages
        anchors = code if code in self._own_anchors else self._language
        anchors = anchors if found.scored else None
        return LanguageTexts(code, found.rows, found.scored, anchors, found.unread)
