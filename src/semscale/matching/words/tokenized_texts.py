"""Texts with their tokens and words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from semscale.matching.words.text_means import tokens_left_out
from semscale.matching.words.token_spans import find_words
from semscale.matching.words.vocabulary import Numbers, Vocabulary
from semscale.types import Ids, Integers

if TYPE_CHECKING:
    from semscale.embedding.tokens.token_states import TokenEncoder

_TOGETHER = 256  # texts whose words are found together


@dataclass(frozen=True)
class TokenWords:
    """The k words of a text.

    Attributes:
        numbers: shape (k,), in the vocabulary.
        starts: shape (k,), first token of each word.
        ends: shape (k,), the token after its last one.
    """

    numbers: Ids
    starts: Numbers
    ends: Numbers

    def __len__(self) -> int:
        return len(self.numbers)


class TokenizedTexts:
    """Texts with their tokens and words.

    Args:
        texts: distinct texts.
        encoder: has the tokenizer.
        words: whether to find all words at once; otherwise ``spell`` finds those of single texts.

    Attributes:
        tokens: tokens of all texts.
        vocabulary: all words that were found.
        words: words of each text, by its number.
        left_out: how many of each text's first and last tokens do not count in the mean of its states.
    """

    def __init__(self, texts: Sequence[str], encoder: "TokenEncoder", *, words: bool = True) -> None:
        self._texts = texts
        self._spelled = encoder.reader.spell_all(texts)
        self.tokens = self._spelled.tokens
        self.vocabulary = Vocabulary()
        self.words: dict[int, TokenWords] = {}
        self.left_out = tokens_left_out(encoder.reader)
        if words:
            self.spell(range(len(texts)))

    def spell(self, texts: Iterable[int]) -> None:
        """Find the words of the texts, as far as they are not known yet."""
        new = [text for text in texts if text not in self.words]
        for start in range(0, len(new), _TOGETHER):
            self._spell(new[start : start + _TOGETHER])

    def forget(self, texts: Iterable[int]) -> None:
        """Release the words of some texts from memory."""
        for text in texts:
            self.words.pop(text, None)

    def joined(self, texts: Sequence[int]) -> tuple[TokenWords, Integers]:
        """Join the words of n texts end to end, and count those of each text."""
        words = [self.words[text] for text in texts]
        counts = np.array([len(own) for own in words])
        lengths = self.tokens.lengths_of(texts)
        before = np.repeat(np.cumsum(lengths) - lengths, counts)
        return TokenWords(
            np.concatenate([own.numbers for own in words]),
            np.concatenate([own.starts for own in words]) + before,
            np.concatenate([own.ends for own in words]) + before,
        ), counts

    def text(self, text: int) -> str:
        """Give a text by its number."""
        return self._texts[text]

    def words_of(self, text: int) -> list[str]:
        """Give a text's words in their order, lower case."""
        return [self.vocabulary.words[number] for number in self.words[text].numbers.tolist()]

    def _spell(self, texts: Sequence[int]) -> None:
        offsets, special = zip(*(self._spelled.places(text) for text in texts), strict=True)
        lengths = self.tokens.lengths_of(texts)
        found = find_words(
            [self._texts[text] for text in texts], np.concatenate(offsets), np.concatenate(special), lengths
        )
        before = np.repeat(np.cumsum(lengths) - lengths, found.counts)
        columns = np.array(
            [self.vocabulary.numbers(found.shown), found.starts - before, found.ends - before], np.int32
        )
        ends: Integers = np.cumsum(found.counts)
        for text, start, end in zip(texts, (ends - found.counts).tolist(), ends.tolist(), strict=True):
            self.words[text] = TokenWords(*columns[:, start:end])
