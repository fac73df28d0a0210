"""Style of a text: its length, sentences, punctuation, capitals and digits.

Vectors show these only weakly, but a formal text, a question or an excited one is known by them. A
calibration learns from them beside the vectors.
"""

import re
from collections.abc import Sequence

import numpy as np

from semscale.types import Floats

N_STYLES = 8
"""Number of measures of a text's style."""

_SENTENCE_END = re.compile(r"[.!?。！？؟]+(?:\s|$)")
_QUESTION = re.compile(r"[?？؟]")
_EXCLAMATION = re.compile(r"[!！]")
_PUNCTUATION = re.compile(r"[^\w\s]|_")
_DIGIT = re.compile(r"\d")

# With these factors, each measure has a standard deviation near 1 in most kinds of answers.
_FACTORS: Floats = np.array([1.0, 2.0, 1.0, 2.0, 2.0, 6.0, 6.0, 6.0])


def text_styles(texts: Sequence[str]) -> Floats:
    """Measure the style of texts.

    Args:
        texts: n texts.

    Returns:
        Shape (n, 8), in units of about one standard deviation: logarithms of the characters, of the
        characters per word and of the words per sentence; question and exclamation marks per sentence, at
        most 1; roots of the shares of capitals, of digits and of punctuation among the characters.

    Examples:
        Nine characters in three words and one sentence, with a question mark and a capital:

        >>> text_styles(["Is it ok?"])[0].round(2).tolist()
        [2.2, 2.2, 1.1, 2.0, 0.0, 2.0, 0.0, 2.0]
    """
    measures: Floats = np.array([_measures(text) for text in texts]).reshape(-1, N_STYLES)
    return measures * _FACTORS


def _measures(text: str) -> list[float]:
    characters, words = max(len(text), 1), max(len(text.split()), 1)
    sentences = max(len(_SENTENCE_END.findall(text)), 1)
    counts = (sum(map(str.isupper, text)), len(_DIGIT.findall(text)), len(_PUNCTUATION.findall(text)))
    return [
        np.log(characters),
        np.log(characters / words),
        np.log(words / sentences),
        min(len(_QUESTION.findall(text)) / sentences, 1.0),
        min(len(_EXCLAMATION.findall(text)) / sentences, 1.0),
        *(np.sqrt(count / characters) for count in counts),
    ]
