"""The name guard: reports names that the prediction leaves out or invents.

English only. Texts in other scripts give no findings; texts without capitals give findings for codes only.
"""

import re
from functools import cached_property, lru_cache

from semscale.guards.findings import Finding
from semscale.guards.lexicons import read_lexicon, word_list
from semscale.guards.names import Name, normal
from semscale.guards.reading import AnalysedText, analyse, comparable, differ
from semscale.guards.words import kind_of, stem

MISSING = "missing-name"
INVENTED = "invented-name"

_SAME = tuple(frozenset(group.split()) for group in read_lexicon("wordlists")["same_names"])
_PREFIX = 4
_ENDING = 4
_LONGEST_ACRONYM = 6
_SHARED = 2
_LONG = 15
_IDLE = word_list("not_in_acronyms")
_RUN = re.compile(r"[^\W_]+")


class NameGuard:
    """Finds names, acronyms, codes and short quotations that the other text does not contain.

    Example:
        >>> found = NameGuard().check("It is a substrate of CYP2D6.", "It is a substrate of CYP3A4.")
        >>> [(finding.kind, (finding.prediction or finding.reference).text) for finding in found]
        [('invented-name', 'CYP2D6'), ('missing-name', 'CYP3A4')]
        >>> NameGuard().check("He has TB.", "He has tuberculosis.")
        []
    """

    name = "name"
    kinds = (MISSING, INVENTED)

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Report invented names, then missing ones, each in the order of its text.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            Findings with a span on one side only.
        """
        ours, theirs = analyse(prediction), analyse(reference)
        if not comparable(ours, theirs) or not (ours.names or theirs.names):
            return []
        invented, missing = _absent(ours, theirs), _absent(theirs, ours)
        if not (invented or missing) or not differ(ours, theirs):
            return []
        return [_finding(INVENTED, name, ours) for name in invented] + [
            _finding(MISSING, name, theirs) for name in missing
        ]


def _finding(kind: str, name: Name, reading: AnalysedText) -> Finding:
    place = reading.place(name.start, name.end)
    if kind == INVENTED:
        return Finding("name", kind, f'The reference does not name "{name.shown}".', place, None)
    return Finding("name", kind, f'The prediction does not name "{name.shown}".', None, place)


class NameIndex:
    """A text's words in the forms that are needed to look up names of the other text.

    Attributes:
        words: all words, folded.
        acronyms: acronyms of the text, folded.
        has_month: whether the text names a month.
    """

    def __init__(self, reading: AnalysedText) -> None:
        self._reading = reading
        self._listed = [normal(word) for word in reading.words.texts if kind_of(word) != "p"]
        self.words = frozenset(self._listed) | {part for name in reading.names for part in name.parts}
        self.acronyms = tuple(name.parts[0] for name in reading.names if name.kind == "acronym")
        self.has_month = any(name.kind == "month" for name in reading.names)

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


def _absent(here: AnalysedText, there: AnalysedText) -> list[Name]:
    if not here.names:
        return []
    index = name_index(there)
    absent = [name for name in here.names if not _is_present(name, index)]
    if _is_detail(absent, here):
        return []
    if any(len(one.cues) % 2 for one in there.polarity.mentions):
        return absent  # "not Paris" beside "not London" differ in what they name
    denied = denied_names(here)
    return [name for name in absent if name not in denied]


def denied_names(reading: AnalysedText) -> list[Name]:
    """Give the names that a negation reaches: who says "not Paris" does not say Paris.

    Example:
        >>> [name.shown for name in denied_names(analyse("It is not Paris but Rome."))]
        ['Paris']
    """
    starts = reading.words.starts
    denied = [starts[one.at] for one in reading.polarity.mentions if len(one.cues) % 2]
    return [name for name in reading.names if any(name.start <= at < name.end for at in denied)]


def _is_detail(absent: list[Name], here: AnalysedText) -> bool:
    """Tell whether the only missing name is a detail of a long sentence that shares two or more names."""
    shared = len(here.names) - len(absent)
    return (
        len(absent) == 1 and shared >= _SHARED and len(here.words.texts) >= _LONG and absent[0].kind != "code"
    )


def _is_present(name: Name, index: NameIndex) -> bool:
    if name.kind == "code":
        return _has_code(name.parts[0], index.squeezed)
    if name.kind == "month":
        return not index.has_month or name.parts[0] in index.words
    if name.kind == "acronym":
        return _has_acronym(name.parts[0], index)
    if name.kind == "quoted":
        return any(_has_word(part, index) for part in name.parts)
    here = [_has_word(part, index) for part in name.parts]
    return here[-1] or sum(here) * 2 > len(here) or _is_abbreviated(name.parts, index)


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
    if word in index.words or stem(word) in index.stems or (len(word) > _PREFIX and word in index.squeezed):
        return True
    if any(word in group and group & index.words for group in _SAME):
        return True
    near = len(word) >= _PREFIX
    return near and any(
        len(other) >= _PREFIX and other[0] == word[0] and _is_form(word, other) for other in index.words
    )


def _is_form(word: str, other: str) -> bool:
    shared = next(
        (at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other))
    )
    if min(len(word), len(other)) > _PREFIX and sorted(word[: _PREFIX + 1]) == sorted(other[: _PREFIX + 1]):
        return True
    return max(len(word), len(other)) - shared <= _ENDING and shared >= max(
        _PREFIX, max(len(word), len(other)) / 2
    )


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
