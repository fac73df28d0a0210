"""Labels: numbers and letters that tell things of one kind apart (terminal 4, bulbs A and C, stage IV)."""

import re
from string import ascii_lowercase
from typing import NamedTuple

from semscale.guards.lexicons import word_list
from semscale.guards.words import TextWords

_NOUNS = {
    form: noun
    for noun in word_list("labelled")
    for form in (noun, f"{noun}s", f"{noun}es", f"{noun[:-1]}ies")
}
_NUMERALS = (
    *("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv", "xvi"),
    *("xvii", "xviii", "xix", "xx", "xxi", "xxii", "xxiii"),
)
_JOINING = frozenset((",", "and", "or", "&", "/", "to", "through", "nor"))
_BEFORE_BARE_A = frozenset(
    ("and", "or", "is", "was", "will", "has", "does", "are", "burns", "to", "from", "nor", "but")
)
_ROMAN = {numeral: float(number) for number, numeral in enumerate(_NUMERALS, start=1)}
_LETTERS = frozenset((*_ROMAN, *ascii_lowercase))
_ALONE = re.compile(r"[A-HJ-Z](?<!\w[A-Z])(?!\w)")


class Label(NamedTuple):
    """A label with its position.

    Attributes:
        at: position among the words.
        noun: the noun that it labels; ``?`` if there is none.
        values: the letter, and the number if it is a Roman numeral; empty for a number in digits.
        weak: whether it may be the article: an A that begins a sentence; only beside other labels.
    """

    at: int
    noun: str
    values: tuple[float | str, ...]
    weak: bool = False


def read_labels(words: TextWords, numbers: set[int], taken: set[int]) -> list[Label]:
    """Find the labels of a text: letters, Roman numerals, and numbers after a noun such as "terminal".

    Args:
        words: the words of a text.
        numbers: start positions of its numbers without a unit.
        taken: positions of characters that belong to a number with its unit.

    Example:
        >>> [(label.noun, label.values) for label in read_labels(TextWords("bulbs A and C"), set(), set())]
        [('bulb', ('a',)), ('bulb', ('c',))]
    """
    bare = _may_have_bare_letters(words.text)
    numbered = not _ROMAN.keys().isdisjoint(words.distinct)
    if not (bare or numbered) and _NOUNS.keys().isdisjoint(words.distinct):
        return []
    texts = words.texts
    counting = {at for at, start in enumerate(words.starts) if start in numbers} if numbers else set()
    single = {text for text in words.distinct if text in _LETTERS or (len(text) == 1 and text.isalpha())}
    letters = {at for at, text in enumerate(texts) if text in single}
    found: list[Label] = []
    for at in sorted(counting | letters):
        noun = _noun_before(texts, at, found) or _numbered_name(words, at)
        if not (noun or bare) or (taken and words.starts[at] in taken):
            continue
        if at in counting:
            if noun:
                found.append(Label(at, noun, ()))
        elif _is_letter(words, at, noun):
            found.append(Label(at, noun or "?", _letter_values(texts[at], bool(noun))))
        elif bare and _may_be_article(words, at):
            found.append(Label(at, "?", ("a",), weak=True))
    return found if any(not label.weak for label in found) else []


def _may_have_bare_letters(text: str) -> bool:
    """Check quickly for letters that may be labels without a noun: capitals other than I."""
    return not text.isascii() or _ALONE.search(text) is not None


def _noun_before(texts: list[str], at: int, found: list[Label]) -> str:
    """Return the noun that a label labels: the noun before it, or that of the label it is joined to."""
    before = at - 1
    while before > 0 and texts[before] in ("#", ".", "no", "number"):
        before -= 1
    if before < 0:
        return ""
    if texts[before] in _NOUNS:
        return _NOUNS[texts[before]]
    back = at - 1
    while back > 0 and texts[back] in _JOINING:
        back -= 1
    joined = back < at - 1 and found and found[-1].at == back and found[-1].noun != "?"
    return found[-1].noun if joined else ""


def _numbered_name(words: TextWords, at: int) -> str:
    """Return the name that a Roman numeral of several letters numbers: Henry VIII, World War II."""
    if at == 0 or len(words.texts[at]) == 1 or words.texts[at] not in _ROMAN:
        return ""
    before, start = words.texts[at - 1], words.starts[at - 1]
    shown = words.text[start : start + len(before)]
    return before if len(before) > 1 and shown.istitle() else ""


def _is_letter(words: TextWords, at: int, noun: str) -> bool:
    """Tell whether a letter is a label and no article, pronoun, initial or piece of a word."""
    text, texts = words.text, words.texts
    word, (start, end) = texts[at], words.place(at, at)
    shown = text[start:end]
    behind = text[end : end + 1]
    around = text[max(0, start - 1) : start] + behind
    if any(mark in "'’\"-&°^_/" or mark.isdecimal() for mark in around) or around[:1] == ".":
        return False
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if len(word) > 1:
        return bool(noun) and shown.isupper()
    if noun:
        return (
            word != "a" or not following.isalpha() or following in _BEFORE_BARE_A or (shown == "A" and at > 0)
        )
    if (
        not shown.isupper()
        or shown == "I"
        or (text.isupper() and len(texts) > 1)
        or (behind == "." and at + 2 < len(texts))
    ):
        return False
    return not _begins_as_article(words, at) or following in _BEFORE_BARE_A or following == ","


def _may_be_article(words: TextWords, at: int) -> bool:
    """Tell whether an A before a word, not all in capitals, begins a sentence: "A precedes B", "A bulb"."""
    is_before_word = at + 1 < len(words.texts) and words.texts[at + 1].isalpha()
    return is_before_word and _begins_as_article(words, at) and not words.text.isupper()


def _begins_as_article(words: TextWords, at: int) -> bool:
    start, end = words.place(at, at)
    return words.text[start:end] == "A" and (at == 0 or words.texts[at - 1] in ".?!:")


def _letter_values(letter: str, has_noun: bool) -> tuple[float | str, ...]:
    roman = _ROMAN.get(letter) if has_noun else None
    values: list[float | str] = [letter] if len(letter) == 1 else []
    return tuple(values + ([roman] if roman is not None else []))
