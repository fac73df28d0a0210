"""The vocabulary of texts: each distinct word has a number, by which its vector and weight are found."""

from collections.abc import Sequence

import numpy as np

from semscale.types import Ids, Integers

Word = tuple[str, ...]
"""A word's pieces."""

Numbers = Ids | Integers
"""Numbers of words, or of tokens."""

Shown = str | tuple[str, ...]
"""A word as it stands in a text; followed by its tokens as they stand there unless it is one token itself."""


class Vocabulary:
    """Words and how a tokenizer splits them.

    Attributes:
        words: lower case.
        pieces: the pieces of each, lower case.

    Example:
        >>> vocabulary = Vocabulary()
        >>> vocabulary.numbers(["The", ("Unlike", "Un", "like"), "the"]).tolist()
        [0, 1, 0]
        >>> vocabulary.words, vocabulary.pieces
        (['the', 'unlike'], [('the',), ('un', 'like')])
    """

    def __init__(self) -> None:
        self.words: list[str] = []
        self.pieces: list[Word] = []
        self._numbers: dict[tuple[str, Word], int] = {}
        self._shown: dict[Shown, int] = {}

    def __len__(self) -> int:
        return len(self.words)

    def numbers(self, shown: Sequence[Shown]) -> Ids:
        """Return the numbers of words; new words get the next ones.

        Args:
            shown: k words.

        Returns:
            Shape (k,).
        """
        known = self._shown
        for each in dict.fromkeys(shown):
            if each not in known:
                known[each] = self._number(each)
        return np.fromiter(map(known.__getitem__, shown), np.int32, len(shown))

    def _number(self, shown: Shown) -> int:
        word, pieces = (shown, (shown,)) if isinstance(shown, str) else (shown[0], shown[1:])
        entry = word.lower(), tuple(piece.strip().lower() for piece in pieces)
        if entry not in self._numbers:
            self._numbers[entry] = len(self.words)
            self.words.append(entry[0])
            self.pieces.append(entry[1])
        return self._numbers[entry]
