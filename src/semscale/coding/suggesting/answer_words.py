"""Words of an answer, and pieces of it where a language has no spaces between words."""

import re
from collections import Counter
from collections.abc import Iterable, Set

_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_KANA = "\u3040-\u30ff\uff66-\uff9f"
_SPACELESS_ALPHABETS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, with their signs of vowels and tones."""

_SPACELESS = re.compile(f"[{_IDEOGRAPHS}{_KANA}{_SPACELESS_ALPHABETS}]")
_WORD = re.compile(r"[\uac00-\ud7a3]{2,}|[^\W\d_]{3,}")
_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc\uff66-\uff9f]{2,}")
_RUNS = (
    (re.compile(f"[{_IDEOGRAPHS}]{{2,}}"), range(2, 5)),
    (re.compile(f"[{_SPACELESS_ALPHABETS}]{{3,}}"), range(3, 7)),
)
_MOSTLY = 0.8


def words_in(text: str) -> set[str]:
    """Find the words of an answer, in lower case.

    A word is a run of three letters or more, of two in Korean. Of Chinese characters each run of two to four
    counts, of Thai, Lao, Burmese and Khmer each of three to six; of Japanese kana words in katakana do, as
    hiragana is grammar for the most part.

    Example:
        >>> sorted(words_in("The battery died"))
        ['battery', 'died', 'the']
        >>> sorted(words_in("バッテリーが切れた")), sorted(words_in("电池坏"))
        (['バッテリー'], ['池坏', '电池', '电池坏'])
    """
    found = set(_WORD.findall(_SPACELESS.sub(" ", text.lower()))) | set(_KATAKANA.findall(text))
    for runs, sizes in _RUNS:
        for run in runs.findall(text):
            found |= {run[start : start + size] for size in sizes for start in range(len(run) - size + 1)}
    return found


def is_piece(word: str) -> bool:
    """Whether a word was cut out of a text without spaces, so that it may be no word.

    Example:
        >>> is_piece("电池"), is_piece("battery")
        (True, False)
    """
    return _SPACELESS.match(word) is not None


def without_parts(counts: Counter[str]) -> set[str]:
    """Leave out pieces that mostly stand in a longer one.

    Args:
        counts: answers with each word.

    Example:
        >>> sorted(without_parts(Counter({"充电": 9, "充电器": 8, "电器": 8, "电池": 20})))
        ['充电器', '电池']
    """
    parts = {
        part
        for piece, n in counts.items()
        if is_piece(piece)
        for part in (piece[1:], piece[:-1])
        if n >= _MOSTLY * counts.get(part, float("inf"))
    }
    return set(counts) - parts


def overlaps(word: str, others: Iterable[str]) -> bool:
    """Whether a piece holds one of the others, or lies in one; words that are no pieces never do."""
    return is_piece(word) and any(word in other or other in word for other in others)


def are_pieces(words: Iterable[Set[str] | tuple[str, ...]]) -> bool:
    """Whether any of several lists of words has a piece."""
    return any(is_piece(word) for some in words for word in some)
