"""Splitting of English sentences into words that can be replaced."""

import re
from dataclasses import dataclass
from functools import cached_property

_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")


@dataclass(frozen=True)
class Sentence:
    """A sentence whose words can be read and replaced without changing the rest.

    Attributes:
        text: the sentence with its punctuation.
    """

    text: str

    @cached_property
    def spans(self) -> tuple[re.Match[str], ...]:
        """Matches of its words; a contraction is one word."""
        return tuple(_WORD.finditer(self.text))

    def word(self, at: int) -> str:
        """Return a word in lower case with straight apostrophes; "" beyond the ends of the sentence."""
        if not 0 <= at < len(self.spans):
            return ""
        return self.spans[at].group().lower().replace("’", "'")

    def before(self, at: int) -> str:
        """Return the text before a word."""
        return self.text[: self.spans[at].start()]

    def after(self, at: int) -> str:
        """Return the text after a word."""
        return self.text[self.spans[at].end() :]

    def put(self, at: int, new: str, *, words: int = 1) -> str:
        """Replace one or more words by new text with the capitals of the first."""
        return self.before(at) + cased_as(new, self.spans[at].group()) + self.after(at + words - 1)


def cased_as(word: str, model: str) -> str:
    """Give a word the capitals of the word that it replaces.

    Example:
        >>> cased_as("shows", "Demonstrates"), cased_as("film", "MOVIE"), cased_as("i", "I")
        ('Shows', 'FILM', 'I')
    """
    if model.isupper() and (len(model) > 1 or len(word) == 1):
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
