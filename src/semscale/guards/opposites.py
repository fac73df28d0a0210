"""The lexicon of opposites: axes of opposed words with their inflections, and opposed prefixes."""

from functools import cache, lru_cache
from typing import NamedTuple

from semscale.guards.lexicons import read_lexicon, word_list
from semscale.guards.words import stem

_VOWELS = "aeiou"
_SHORTEST_REST = 4


class Side(NamedTuple):
    """The position of a word on an axis of opposites.

    Attributes:
        key: the axis, or the word's stem if it is on no axis.
        side: 1 or -1.
    """

    key: str
    side: int


@lru_cache(maxsize=65536)
def sides(word: str) -> tuple[Side, ...]:
    """Return a word's axes with its sides; a word on no axis forms its own, with its negated form as side -1.

    Args:
        word: the word in lower case.

    Example:
        >>> sides("systolic"), sides("diastolic")
        ((Side(key='medicine.0', side=1),), (Side(key='medicine.0', side=-1),))
        >>> sides("unlabeled")
        (Side(key='label', side=-1),)
    """
    listed = _lexicon().get(word)
    if listed:
        return listed
    opposed = _by_prefix(word)
    if opposed:
        return (opposed,)
    bare = bare_word(word)
    if bare in _lexicon():
        return tuple(Side(place.key, -place.side) for place in _lexicon()[bare])
    return (Side(base_stem(bare), -1),) if bare else (Side(base_stem(word), 1),)


def is_listed(word: str) -> bool:
    """Tell whether a word is on an axis of the lexicon."""
    return word in _lexicon()


def bare_word(word: str) -> str:
    """Remove the negating prefix un-, dis- or non- from a word; return "" if there is none.

    Example:
        >>> bare_word("unsafe"), bare_word("display"), bare_word("safe")
        ('safe', '', '')
    """
    for prefix in ("un", "dis", "non"):
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _SHORTEST_REST - (prefix == "un") and word not in _not_prefixed():
            return "" if stem(word) in _not_prefixed() else rest
    return ""


def regular_forms(word: str) -> set[str]:
    """Return the regular inflections of an English verb or adjective.

    Example:
        >>> sorted(regular_forms("reduce"))
        ['reduce', 'reduced', 'reducely', 'reducer', 'reduces', 'reducest', 'reducing']
    """
    if word.endswith("e"):
        endings = {word + ending for ending in ("s", "d", "r", "st", "ly")} | {word[:-1] + "ing"}
    elif word.endswith("y") and word[-2] not in _VOWELS:
        endings = {word[:-1] + ending for ending in ("ies", "ied", "ier", "iest", "ily")} | {word + "ing"}
    else:
        plural = "es" if word.endswith(("s", "sh", "ch", "x", "z")) else "s"
        endings = {word + ending for ending in (plural, "ed", "ing", "er", "est", "ly")}
    return endings | {word}


def base_stem(word: str) -> str:
    """Return a word's stem, for an irregular form of a verb that of its base form (paid, pay)."""
    return stem(_base_forms().get(word, word))


@cache
def _base_forms() -> dict[str, str]:
    """Return the base form for each irregular form of a verb."""
    listed = (line.split() for line in read_lexicon("irregular_verbs")["verbs"])
    return {form: base for base, *forms in listed for form in forms}


@cache
def _lexicon() -> dict[str, tuple[Side, ...]]:
    """Read the axes from the file: for every word its positions on all of its axes."""
    found: dict[str, set[Side]] = {}
    for group, entry in read_lexicon("opposites").items():
        if group == "prefix":
            continue
        for number, line in enumerate(entry["sides"]):
            for side, words in zip((1, -1), line.split("|"), strict=True):
                for word in words.split():
                    forms = regular_forms(word[:-1]) if word.endswith("~") else {word}
                    for form in forms:
                        found.setdefault(form, set()).add(Side(f"{group}.{number}", side))
    return {word: tuple(sorted(places)) for word, places in found.items()}


@cache
def _prefixes() -> list[tuple[str, Side]]:
    """List the opposed prefixes; each pair forms an axis."""
    pairs = [line.split("|") for line in read_lexicon("opposites")["prefix"]["sides"]]
    return [
        (prefix.strip(), Side(f"prefix.{number}", side))
        for number, pair in enumerate(pairs)
        for side, prefix in zip((1, -1), pair, strict=True)
    ]


def _by_prefix(word: str) -> Side | None:
    for prefix, place in _prefixes():
        rest = word.removeprefix(prefix)
        if rest != word and len(rest) >= _SHORTEST_REST:
            return Side(f"{place.key}.{stem(rest)}", place.side)
    return None


@cache
def _not_prefixed() -> frozenset[str]:
    """Return the words that only seem to have a negating prefix, with their stems."""
    words = word_list("not_prefixed")
    return words | frozenset(stem(word) for word in words)
