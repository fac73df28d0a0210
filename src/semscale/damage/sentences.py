"""Splitting of English texts into sentences, and of sentences into words that can be replaced."""

import re
from dataclasses import dataclass
from functools import cached_property

_SENTENCE = re.compile(
    r"""
    \s*
    (?:(?!\n).)*?                                  # within one line
    (?: (?<!\be\.g)(?<!\bi\.e)(?<!\betc)(?<!\bvs)(?<!\bcf)(?<!\bMr)(?<!\bDr)[.!?]+['"”’)\]]*(?=\s|$)
      | (?=\n) | $ )
    """,
    re.VERBOSE,
)
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


def sentences_of(text: str) -> list[str]:
    """Split a text after full stops, question and exclamation marks, and at line ends.

    White space belongs to the sentence after it, so that the joined pieces are the text again.

    Example:
        >>> sentences_of("Good, e.g. fast. Cheap!")
        ['Good, e.g. fast.', ' Cheap!']
    """
    found, at = [], 0
    while at < len(text):
        match = _SENTENCE.match(text, at)
        end = match.end() if match and match.end() > at else len(text)
        found.append(text[at:end])
        at = end
    if len(found) > 1 and not found[-1].strip():
        blank = found.pop()
        found[-1] += blank
    return found


def cased_as(word: str, model: str) -> str:
    """Give a word the capitals of the word that it replaces.

    Example:
        >>> cased_as("shows", "Demonstrates"), cased_as("film", "MOVIE"), cased_as("i", "I")
        ('Shows', 'FILM', 'I')
    """
    if model.isupper() and (len(model) > 1 or len(word) == 1):
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word
