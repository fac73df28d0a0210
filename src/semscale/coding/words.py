"""Words of answers and codebooks: those that can carry a topic."""

import re
from functools import cache

from semscale.guards.words import read_lexicon

_WORD = re.compile(
    r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+)|(?P<katakana>[\u30a0-\u30ff]{2,})"
    r"|(?P<word>(?:(?![\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff])[^\W\d_])+(?:['’][^\W\d_]+)*)"
)
_ASCII_WORD = re.compile(r"[a-z]+(?:'[a-z]+)*")  # the same for most texts, in a third of the time
_LONGEST_COMPOUND = 4  # Chinese characters that are read as one word, as well as by pairs


def words_in(text: str) -> list[str]:
    """List the words of a text in lower case; Chinese characters that follow each other, also by pairs.

    Examples:
        >>> words_in("Don't buy 2 iPads!"), words_in("服务太慢"), words_in("スタッフは親切")
        (["don't", 'buy', 'ipads'], ['服务太慢', '服务', '务太', '太慢'], ['スタッフ', '親切'])
    """
    lower = text.lower()
    if lower.isascii():
        return _ASCII_WORD.findall(lower)
    words: list[str] = []
    for match in _WORD.finditer(lower.replace("’", "'")):
        word = match.group()
        if match["han"] is None:
            words.append(word)
            continue
        if len(word) <= _LONGEST_COMPOUND:
            words.append(word)
        if len(word) > 2:
            words += [word[start : start + 2] for start in range(len(word) - 1)]
    return words


def content_words(text: str, language: str) -> list[str]:
    """List the words of a text, in their order, without function words and single letters.

    Args:
        text: any text.
        language: ISO 639-1 code of the language whose function words are left out.

    Examples:
        >>> content_words("The staff was very rude to me", "en")
        ['staff', 'rude']
    """
    function_words = _words("function_words", language)
    return [word for word in words_in(text) if word not in function_words and _is_long_enough(word)]


def is_evaluation(word: str, language: str) -> bool:
    """Tell whether a word praises or blames anything, such as "great", and so names no topic."""
    return word in _words("evaluations", language)


def _is_long_enough(word: str) -> bool:
    return len(word) > 1 or word > "\u3400"  # a Chinese character is a word


@cache
def _words(kind: str, language: str) -> frozenset[str]:
    return frozenset(read_lexicon("languages", "semscale.coding")[kind].get(language, "").split())
