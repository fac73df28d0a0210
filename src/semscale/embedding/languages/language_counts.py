"""Counts of rows by the languages of their texts, for every result."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from semscale.embedding.languages.language_names import ENGLISH
from semscale.embedding.languages.text_language import language_of
from semscale.types import Status

Languages = tuple[str | None, ...]
"""ISO 639-1 code of each text of a row; ``None`` where a language is not clear."""

WORDLESS = frozenset(
    {Status.MISSING, Status.NOT_TEXT, Status.EMPTY, Status.UNINFORMATIVE, Status.NO_REFERENCE}
)
"""Statuses of rows that lack a text, or a word in it."""


@dataclass(frozen=True)
class LanguageCount:
    """Rows whose texts are in the same languages.

    Attributes:
        languages: of each text that is looked at, such as the prediction and the reference.
        rows: how many there are, whether scored or not.
        scored: how many have a score.
        unread: how many have none because the model does not read a language of theirs.
    """

    languages: Languages
    rows: int
    scored: int
    unread: int = 0

    @property
    def is_across(self) -> bool:
        """Whether two of the languages are clear, and differ."""
        return len(set(self.languages) - {None}) > 1

    def record(self, *names: str) -> dict[str, Any]:
        """Lay the counts out by name, for JSON.

        Args:
            names: what the languages are of, such as ``prediction`` and ``reference``.
        """
        codes = dict(zip(names, self.languages, strict=True))
        return {**codes, "rows": self.rows, "scored": self.scored, "unread": self.unread}


class LanguageCounter:
    """Counts rows by their languages, part by part."""

    def __init__(self) -> None:
        self._rows: Counter[Languages] = Counter()
        self._scored: Counter[Languages] = Counter()
        self._unread: Counter[Languages] = Counter()

    def add(self, languages: Iterable[Sequence[str | None]], statuses: Iterable[Status]) -> None:
        """Take the next rows; those without a word are passed over.

        Args:
            languages: of n rows, each of the same number of texts.
            statuses: of the n rows.
        """
        found = Counter(zip(map(tuple, languages), statuses, strict=True))
        for (codes, status), n in found.items():
            if status not in WORDLESS:
                self._rows[codes] += n
                self._scored[codes] += n * (status == Status.SCORED)
                self._unread[codes] += n * (status == Status.OTHER_LANGUAGE)

    def add_texts(self, rows: Iterable[Sequence[str]], statuses: Iterable[Status]) -> None:
        """Take the next rows by their texts, whose languages are identified; those that lack one are left."""
        worded = [
            (texts, one) for texts, one in zip(rows, statuses, strict=True) if all(map(str.strip, texts))
        ]
        self.add(([language_of(text) for text in texts] for texts, _ in worded), [one for _, one in worded])

    @property
    def counts(self) -> tuple[LanguageCount, ...]:
        """Languages from the most frequent to the rarest; those that are not clear come last.

        Example:
            >>> counter = LanguageCounter()
            >>> counter.add([["de"], [None], ["en"], ["en"]], [Status.SCORED] * 4)
            >>> [(*found.languages, found.rows) for found in counter.counts]
            [('en', 2), ('de', 1), (None, 1)]
        """
        ordered = sorted(self._rows, key=self._place)
        return tuple(
            LanguageCount(codes, self._rows[codes], self._scored[codes], self._unread[codes])
            for codes in ordered
        )

    def _place(self, codes: Languages) -> tuple[bool, int, Sequence[str]]:
        return None in codes, -self._rows[codes], [code or "" for code in codes]


def are_english(counts: Iterable[LanguageCount]) -> bool:
    """Say whether no text is clearly in another language than English.

    Example:
        >>> are_english([LanguageCount(("en", None), 3, 3)]), are_english([LanguageCount(("de",), 1, 1)])
        (True, False)
    """
    return all(set(found.languages) <= {ENGLISH, None} for found in counts)


def n_unguarded(languages: Iterable[LanguageCount]) -> int:
    """Count the scored rows whose first text is surely not in English, so that guards do not look.

    Args:
        languages: rows by language.
    """
    return sum(found.scored for found in languages if found.languages[0] not in {ENGLISH, None})
