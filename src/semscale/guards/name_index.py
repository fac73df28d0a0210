"""Looking up a name in the other text of a pair: as it is, inflected, shortened, or as initials."""

import re
from functools import cached_property, lru_cache

from semscale.guards.lexicons import read_lexicon, word_list
from semscale.guards.names import Name, is_known_name, normal
from semscale.guards.reading import AnalysedText
from semscale.guards.words import kind_of, stem

_SAME = tuple(
    frozenset(group.split())
    for group in (*read_lexicon("wordlists")["same_names"], *read_lexicon("known_names")["short_forms"])
)
_CALENDAR = {
    form: frozenset(group.split())
    for groups in ("months_in_order", "weekdays")
    for group in read_lexicon("wordlists")[groups]
    for form in group.split()
}
_PREFIX = 4
_ENDING = 4
_LONGEST_ACRONYM = 6
_IDLE = word_list("not_in_acronyms")
_RUN = re.compile(r"[^\W_]+")


class NameIndex:
    """A text's words in the forms that are needed to look up names of the other text.

    Attributes:
        words: all words, folded.
        acronyms: acronyms of the text, folded.
        kinds: the kinds of names in the text.
        full_names: the words of each of its names of several words.
    """

    def __init__(self, reading: AnalysedText) -> None:
        self._reading = reading
        self._listed = [normal(word) for word in reading.words.texts if kind_of(word) != "p"]
        self.words = frozenset(self._listed) | {part for name in reading.names for part in name.parts}
        self.acronyms = tuple(name.parts[0] for name in reading.names if name.kind == "acronym")
        self.kinds = frozenset(name.kind for name in reading.names)
        self.full_names = tuple(
            certain_parts(name)
            for name in reading.names
            if name.kind == "name" and len(certain_parts(name)) > 1
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of the words."""
        return frozenset(map(stem, self.words))

    @cached_property
    def squeezed(self) -> str:
        """The text without white space and marks."""
        return "".join(_RUN.findall(self._reading.text.lower()))

    @cached_property
    def initials(self) -> tuple[str, str]:
        """The first letters of the words: one string of all words, one without small words."""
        letters = [word for word in self._listed if word and not word[0].isdigit()]
        return (
            "".join(word[0] for word in letters),
            "".join(word[0] for word in letters if word not in _IDLE),
        )


@lru_cache(maxsize=4096)
def name_index(reading: AnalysedText) -> NameIndex:
    """Return the index of a text, in which names of the other text are looked up."""
    return NameIndex(reading)


def certain_parts(name: Name) -> tuple[str, ...]:
    """Return a name's words without a first one that may only begin the sentence: "Yesterday Obama"."""
    doubtful = name.opens and len(name.parts) > 1 and not is_known_name(name.parts[0])
    return name.parts[1:] if doubtful else name.parts


def is_present(name: Name, index: NameIndex) -> bool:
    """Tell whether a text names what a name of the other text does."""
    if name.kind == "code":
        return _has_code(name.parts[0], index.squeezed)
    if name.kind in ("month", "weekday"):
        form = name.parts[0]
        return name.kind not in index.kinds or not index.words.isdisjoint(_CALENDAR.get(form, {form}))
    if name.kind == "acronym":
        return _has_acronym(name.parts[0], index)
    if name.kind == "quoted":
        return any(_has_word(part, index) for part in name.parts)
    parts = certain_parts(name)
    if len(parts) > 1 and _is_rivalled(parts, index):
        return False
    here = [_has_word(part, index) for part in parts]
    return (
        here[-1] or sum(here) * 2 > len(here) or _is_shortened(parts, index) or _is_abbreviated(parts, index)
    )


def _is_rivalled(parts: tuple[str, ...], index: NameIndex) -> bool:
    """Tell whether each name that shares a word goes on differently: John Smith, John Brown."""
    sharing = [
        other for other in index.full_names if any(_are_same(part, word) for part in parts for word in other)
    ]
    return bool(sharing) and all(_leftover(parts, other) and _leftover(other, parts) for other in sharing)


def _leftover(parts: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether a name has a word that the other lacks, initials included."""
    return not all(any(_are_same(part, other) for other in others) for part in parts)


def _is_shortened(parts: tuple[str, ...], index: NameIndex) -> bool:
    """Tell whether the other text has the first word of a name alone: Michelangelo Buonarroti."""
    return _has_word(parts[0], index) and is_known_name(parts[0])


def _are_same(one: str, other: str) -> bool:
    """Tell whether two words of names are equal, initial and name, or forms and short forms of one name."""
    if one == other or (1 in (len(one), len(other)) and one[0] == other[0]):
        return True
    if any(one in group and other in group for group in _SAME):
        return True
    return min(len(one), len(other)) >= _PREFIX and one[0] == other[0] and _is_form(one, other)


def _has_code(code: str, squeezed: str) -> bool:
    """Look up a code that is not part of a longer number."""
    at = squeezed.find(code)
    while at >= 0:
        end = at + len(code)
        around = squeezed[max(0, at - 1) : at] + squeezed[end : end + 1]
        if not any(map(str.isdecimal, around)):
            return True
        at = squeezed.find(code, at + 1)
    return False


def _has_word(word: str, index: NameIndex) -> bool:
    """Look up a word: unchanged, by its stem, in another form (Iraq, Iraqi), or as an alias."""
    if word in index.words or stem(word) in index.stems:
        return True
    if len(word) > _PREFIX and not is_known_name(word) and word in index.squeezed:
        return True
    if any(word in group and group & index.words for group in _SAME):
        return True
    near = len(word) >= _PREFIX
    return near and any(
        len(other) >= _PREFIX and other[0] == word[0] and _is_form(word, other) for other in index.words
    )


def _is_form(word: str, other: str) -> bool:
    """Tell whether two words of four letters or more may be forms of one name; two known names are not."""
    if word != other and is_known_name(word) and is_known_name(other):
        return False
    shared = next(
        (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    if min(len(word), len(other)) > _PREFIX and sorted(word[: _PREFIX + 1]) == sorted(other[: _PREFIX + 1]):
        return True
    longest = max(len(word), len(other))
    return longest - shared <= _ENDING and shared >= max(_PREFIX, longest / 2)


def _has_acronym(acronym: str, index: NameIndex) -> bool:
    """Look up an acronym: unchanged, as initials of successive words, or inside one word (TB)."""
    if _has_word(acronym, index) or any(acronym in initials for initials in index.initials):
        return True
    return len(acronym) <= _LONGEST_ACRONYM and any(
        len(word) >= 2 * len(acronym) + 2 and word[0] == acronym[0] and _is_subsequence(acronym, word)
        for word in index.words
    )


def _is_abbreviated(parts: tuple[str, ...], index: NameIndex) -> bool:
    """Tell whether an acronym in the other text stands for the name or for a longer name that contains it."""
    initials = "".join(part[0] for part in parts)
    return any(initials in acronym for acronym in index.acronyms if len(initials) > 1) or any(
        len(parts) == 1 and _is_subsequence(acronym, parts[0]) and acronym[0] == parts[0][0]
        for acronym in index.acronyms
    )


def _is_subsequence(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
