"""Numbers and letters that name one thing among its kind: terminal 4, bulbs A and C, type 2, stage IV."""

from typing import NamedTuple

from semscale.guards.lexicons import word_list
from semscale.guards.words import Word

_NOUNS = {
    form: noun
    for noun in word_list("labelled")
    for form in (noun, f"{noun}s", f"{noun}es", f"{noun[:-1]}ies")
}
_NUMERALS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii", "xiii", "xiv", "xv")
_JOINING = frozenset((",", "and", "or", "&", "/", "to", "through", "nor"))
_BEFORE_BARE_A = frozenset(
    ("and", "or", "is", "was", "will", "has", "does", "are", "burns", "to", "from", "nor", "but")
)
_ROMAN = {numeral: float(number) for number, numeral in enumerate(_NUMERALS, start=1)}


class Label(NamedTuple):
    """A label in its place.

    Attributes:
        at: its position among the words.
        noun: the noun it stands with; ``?`` where there is none.
        values: a letter, or a number for a Roman numeral.
    """

    at: int
    noun: str
    values: tuple[float | str, ...]


def read_labels(text: str, words: list[Word], numbers: set[int], taken: set[int]) -> list[Label]:
    """Find labels.

    Args:
        text: the text, for the case of its letters.
        words: its words.
        numbers: where its numbers without a unit start.
        taken: characters that belong to a number with its unit.

    Example:
        >>> from semscale.guards.words import read_words
        >>> text = "bulbs A and C"
        >>> [(label.noun, label.values) for label in read_labels(text, read_words(text), set(), set())]
        [('bulb', ('a',)), ('bulb', ('c',))]
    """
    found: list[Label] = []
    candidates = [
        at
        for at, word in enumerate(words)
        if (len(word.text) == 1 and word.kind == "w") or word.start in numbers or word.text in _ROMAN
    ]
    for at in candidates:
        word = words[at]
        is_number = word.start in numbers
        if word.start in taken:
            continue
        noun = _noun_before(words, at, found)
        if is_number:
            if noun:
                found.append(Label(at, noun, ()))
        elif _is_letter(text, words, at, noun):
            found.append(Label(at, noun or "?", _letter_values(word.text, bool(noun))))
    return found


def _noun_before(words: list[Word], at: int, found: list[Label]) -> str:
    """Say what a label labels: the noun before it, or that of the label it is joined to."""
    before = at - 1
    while before > 0 and words[before].text in ("#", ".", "no", "number"):
        before -= 1
    if before < 0:
        return ""
    if words[before].text in _NOUNS:
        return _NOUNS[words[before].text]
    back = at - 1
    while back > 0 and words[back].text in _JOINING:
        back -= 1
    joined = back < at - 1 and found and found[-1].at == back and found[-1].noun != "?"
    return found[-1].noun if joined else ""


def _is_letter(text: str, words: list[Word], at: int, noun: str) -> bool:
    """Tell a label from an article, a pronoun, an initial or a piece of a word."""
    word = words[at]
    shown = text[word.start : word.end]
    behind = text[word.end : word.end + 1]
    around = text[max(0, word.start - 1) : word.start] + behind
    if any(mark in "'’\"-&°^_/" or mark.isdecimal() for mark in around) or around[:1] == ".":
        return False
    following = words[at + 1].text if at + 1 < len(words) else ""
    if len(word.text) > 1:
        return bool(noun) and shown.isupper()
    if noun:
        return (
            word.text != "a"
            or not following.isalpha()
            or following in _BEFORE_BARE_A
            or (shown == "A" and at > 0)
        )
    if (
        not shown.isupper()
        or shown == "I"
        or (text.isupper() and len(words) > 1)
        or (behind == "." and at + 2 < len(words))
    ):
        return False
    starts = at == 0 or words[at - 1].text in ".?!:"
    return not (starts and shown == "A") or following in _BEFORE_BARE_A or following == ","


def _letter_values(letter: str, has_noun: bool) -> tuple[float | str, ...]:
    roman = _ROMAN.get(letter) if has_noun else None
    values: list[float | str] = [letter] if len(letter) == 1 else []
    return tuple(values + ([roman] if roman is not None else []))
