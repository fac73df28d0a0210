"""Reasons of codes: which kind of evidence decided about a unit."""

from collections.abc import Sequence
from enum import StrEnum

import numpy as np

from semscale.coding.codebook import Code
from semscale.coding.evidence import MEANING_FEATURES, WORD_FEATURES, SentenceEvidence, topic_words
from semscale.coding.words import content_words, words_in
from semscale.types import Floats, Integers


class Reason(StrEnum):
    """Kind of evidence with the largest part in the decision about a code."""

    MEANING = "similar meaning"  # to the definition or the examples
    KEYWORD = "keyword"  # of the codebook
    CODEBOOK_WORD = "codebook word"  # of the name, definition or an example
    SIMILAR_WORD = "similar word"  # to one of these
    OTHER_ANSWERS = "other answers"  # sentences of them with the code are similar
    HAND_CODES = "hand codes"  # learned from the hand-coded answers
    CHAT_MODEL = "chat model"


_MEANING, _WORDS, _ANSWERS, _HAND_CODES = range(4)


def find_sources(evidence: SentenceEvidence, adapted: Floats, learned: Floats) -> Integers:
    """Find the source of the largest part of each value, shape (m, k).

    A value is the sum of the evidence of meaning, the evidence of words, what the other answers add, and what
    the hand codes add. Length and intercept speak for no code.

    Args:
        evidence: the evidence in m sentences.
        adapted: shape (m, k), values after learning from the other answers.
        learned: shape (m, k), values after learning from hand codes.
    """
    parts = [
        evidence.part(MEANING_FEATURES),
        evidence.part(WORD_FEATURES),
        adapted - evidence.logits,
        learned - adapted,
    ]
    return np.asarray(np.argmax(parts, axis=0))


class ReasonNames:
    """Names the reason of a code in a unit.

    Args:
        codes: the codes of a codebook.
        language: ISO 639-1 code of its language.
    """

    def __init__(self, codes: Sequence[Code], language: str) -> None:
        self._language = language
        self._keywords = [{word for text in code.keywords for word in words_in(text)} for code in codes]
        self._words = [set(topic_words(code, code.texts, language)) for code in codes]

    def name(self, source: int, code: int, unit: str) -> Reason:
        """Return the reason.

        Args:
            source: entry of ``find_sources``.
            code: position of the code.
            unit: text of the unit.
        """
        if source == _WORDS:
            words = set(content_words(unit, self._language))
            if words & self._keywords[code]:
                return Reason.KEYWORD
            return Reason.CODEBOOK_WORD if words & self._words[code] else Reason.SIMILAR_WORD
        return {
            _MEANING: Reason.MEANING, _ANSWERS: Reason.OTHER_ANSWERS, _HAND_CODES: Reason.HAND_CODES
        }[source]  # fmt: skip
