"""Names in texts, and their look-up in another text."""

import os.path
import re
from collections.abc import Iterable, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple, TypeVar

from semscale.guards.quantities import read_quantities
from semscale.guards.text import Text
from semscale.guards.words import (
    CONTENT,
    RECENT_TEXTS,
    RECENT_WORDS,
    kind_of,
    read_lexicon,
    role_of,
    stem,
    word_list,
)

_INNER_CAPITAL = re.compile(r"[A-Z](?<=[a-z][A-Z])")
_INNER_DIGIT = re.compile(r"\d(?<=[A-Za-z-]\d)")
_CODE = re.compile(r"(?<![\w-])(?=[A-Za-z0-9-]*\d)[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*(?![\w])")
_PLAIN_AND_NUMBER = re.compile(r"[a-z]{4,}\d+[a-z]*|(?:[A-Za-z]?[a-z]+-)+\d+(?:[a-z]+)?|[a-z]-\d+", re.ASCII)
# The check before a name follows its first letter in the pattern, as possible first letters are found fast.
_ACRONYM = re.compile(r"[A-Z](?<![\w.-][A-Z])(?:\.(?:[A-Z]\.)+|[A-Z]{1,5}s?(?![\w]))")
_MIXED = re.compile(r"(?<![\w-])[A-Za-z]*[a-z][A-Z][A-Za-z]*(?!\w)")
_CAPITALISED = re.compile(r"[A-Z](?<!\w[A-Z])(?:['’][A-Z])?[a-zà-ɏ]+(?:['’][A-Z][a-z]+|-[A-Z][a-z]+)*")
_INITIAL = re.compile(r"\s(?:[A-Z]\.\s)?")
_QUOTED = re.compile(r"[\"'“‘](?<!\w[\"'“‘])([^\s\"'“”‘’][^\"'“”‘’]{1,40})[\"'”’](?!\w)")
_ABBREVIATED = "".join(
    rf"(?<!\b{title})" for title in ("Dr", "Mr", "Ms", "St", "Mrs", "Prof", "Sen", "Gen", "[A-Z]")
)
_SENTENCE_START = re.compile(
    rf"(?:^|{_ABBREVIATED}\.|[?!:;\n|•*/(\[]|[.?!]['\"”’)]|(?<!\w)['\"“‘`]+|[-–—](?=\s))\s*$"
)
_Entry = TypeVar("_Entry")
_MARK = re.compile(r"[\W_]")
_POSSESSIVE = re.compile(r"['’]s$")
_PART = re.compile(r"[\w'’-]+")
_ORDINARY = word_list("ordinary_capitals")
_MONTHS = word_list("months")
_SHORT_MONTHS = frozenset(" ".join(read_lexicon("wordlists")["months_in_order"]).split()) - _MONTHS
_WEEKDAYS = frozenset(" ".join(read_lexicon("wordlists")["weekdays"]).split())
_BESIDE_NUMBER = re.compile(r"^\d|\d(?:st|nd|rd|th)?\s\w+\W|\.?\s\d")
_MOSTLY = 0.6
_LOOK_BACK = 16
_QUOTED_WORDS = 3
_FEW = 3
_LONGEST = 100
"""Largest number of characters in a name; a longer run of capitalised words is several names."""


class Name(NamedTuple):
    """A name with its position.

    Attributes:
        kind: ``name``, ``acronym``, ``code``, ``month``, ``weekday`` or ``quoted``.
        parts: its words in lower case, without marks.
        start: its first character.
        end: the character after its last one.
        shown: the name as it is written.
        opens: whether its first word begins a sentence, so that it may be no name.
    """

    kind: str
    parts: tuple[str, ...]
    start: int
    end: int
    shown: str
    opens: bool = False

    @property
    def certain_parts(self) -> tuple[str, ...]:
        """Words of the name; a first word that opens a sentence may be left out: "Yesterday Obama"."""
        doubtful = self.opens and len(self.parts) > 1 and not is_known_name(self.parts[0])
        return self.parts[1:] if doubtful else self.parts


@lru_cache(maxsize=RECENT_TEXTS)
def read_names(text: Text) -> list[Name]:
    """Find the names in a text, in order, without units ("5 mM"), labels ("chapter IV") and ordinals.

    Examples:
        >>> [(name.kind, name.shown) for name in read_names(Text("The drug Metformin inhibits MATE2-K."))]
        [('name', 'Metformin'), ('code', 'MATE2-K')]
    """
    names = _find_marked_names(text)
    if not names:
        return names
    quantities = read_quantities(text)
    measured = {at for one in quantities if one.unit or one.label for at in range(one.start, one.end)}
    ordinals = {(one.start, one.end) for one in quantities if one.weak}
    return [
        name
        for name in names
        if measured.isdisjoint(range(name.start, name.end))
        and (name.kind == "month" or (name.start, name.end) not in ordinals)
    ]


def _find_marked_names(text: Text) -> list[Name]:
    """Find names that are marked by digits, capitals or quotation marks."""
    source = text.source
    is_lower = source.islower()
    if not text.words or (is_lower and not text.has_digits):
        return []
    names = _codes(source) if text.has_digits else []
    if is_lower:
        return names
    by_capitals = _by_capitals(source)
    if by_capitals and not _is_shouted(text):
        names += by_capitals
    names = [name for name in names if name.parts and not _is_ordinary(name) and not _is_source(name, source)]
    return _without_overlaps(names)


def _codes(source: str) -> list[Name]:
    # The first digit of a code has a letter or a hyphen before it.
    if not _INNER_DIGIT.search(source):
        return []
    return [_name("code", match) for match in _CODE.finditer(source) if _is_code(match[0])]


def _by_capitals(source: str) -> list[Name]:
    """Find names that are marked by capitals or quotation marks."""
    names = [_name("acronym", match) for match in _ACRONYM.finditer(source)]
    if _INNER_CAPITAL.search(source):
        names += [_name("name", match) for match in _MIXED.finditer(source)]
    names += _find_capitalised(source)
    return names + [_name("quoted", match) for match in _QUOTED.finditer(source) if _is_short(match[1])]


def normal(word: str) -> str:
    """Fold a word for comparison: lower case, without marks and possessive.

    Examples:
        >>> normal("O'Neill's"), normal("MATE2-K"), normal("U.S.")
        ('oneill', 'mate2k', 'us')
    """
    folded = word.lower()
    return folded if folded.isalnum() else _MARK.sub("", _POSSESSIVE.sub("", folded))


def _name(kind: str, match: re.Match[str]) -> Name:
    return _build_name(kind, match[0], match.start())


def _build_name(kind: str, shown: str, start: int) -> Name:
    parts = [shown] if kind in ("code", "acronym") else _PART.findall(shown)
    if kind == "acronym" and shown.endswith("s"):
        parts = [shown[:-1]]
    return Name(kind, tuple(filter(None, map(normal, parts))), start, start + len(shown), shown)


def _is_ordinary(name: Name) -> bool:
    return all(part in _ORDINARY or part.removesuffix("s") in _ORDINARY for part in name.parts)


def _is_source(name: Name, source: str) -> bool:
    """Tell whether a name at the end of a text only states the source: "..., Reuters said"."""
    before, after = (
        source[max(name.start - _LOOK_BACK, 0) : name.start].rstrip(),
        source[name.end :].strip(" ."),
    )
    return (after in ("said", "says", "reported") and before.endswith(",")) or (
        not after and before.endswith(":")
    )


def _is_code(shown: str) -> bool:
    """Tell whether a word is a code (CYP3A4) and not a plain word with a number (under-12, terminal4)."""
    return any(map(str.isdigit, shown)) and not _PLAIN_AND_NUMBER.fullmatch(shown)


def _is_shouted(text: Text) -> bool:
    """Tell whether capitals say nothing about names: in a headline, or if most words are in capitals."""
    n_long = sum(len(word) > _FEW and word[0].isalpha() for word in text.words)
    if not n_long or sum(map(str.isupper, text.source)) <= _MOSTLY * n_long:
        return False  # too few capitals for either
    shown = [
        text.source[start : start + len(word)]
        for word, start in zip(text.words, text.starts, strict=True)
        if kind_of(word) == "w"
    ]
    long = [word for word in shown if len(word) > _FEW]
    capitalised = sum(word[0].isupper() for word in long)
    if n_long > _FEW and capitalised > _MOSTLY * n_long and _is_title(long):
        return True
    return len(shown) > 1 and sum(word.isupper() for word in shown if len(word) > 1) > _MOSTLY * len(shown)


def _is_title(long: list[str]) -> bool:
    """Tell whether only small words such as "with" have no capital, as in a headline."""
    return all(word[0].isupper() or role_of(word.lower()) & CONTENT == 0 for word in long)


@cache
def _name_lexicon() -> frozenset[str]:
    lexicon = read_lexicon("known_names")
    return frozenset(
        name for group in ("countries", "cities", "given", "others") for name in lexicon[group].split()
    )


def is_known_name(word: str) -> bool:
    """Tell whether a word is in the list of names that are recognised where a sentence begins.

    Examples:
        >>> is_known_name("norway"), is_known_name("yesterday")
        (True, False)
    """
    return word in _name_lexicon()


def _find_capitalised(source: str) -> list[Name]:
    """Find capitalised words; adjacent ones form one name. A sentence's first word alone is no name."""
    runs: list[_Run] = []
    opening: _Run | None = None
    for match in _CAPITALISED.finditer(source):
        lower = match[0].lower()
        before = runs[-1] if runs and runs[-1].kind == "name" else None
        here = _Run(_kind_of_capital(match, source), match.start(), match.end(), False)
        if lower in _ORDINARY:
            opening = None
        elif (
            before
            and here.end - before.start <= _LONGEST
            and _INITIAL.fullmatch(source[before.end : here.start])
        ):
            runs[-1] = before._replace(end=here.end)
        elif opening and here.kind == "name" and _INITIAL.fullmatch(source[opening.end : here.start]):
            runs.append(here._replace(start=opening.start, opens=True))
        elif not _starts_sentence(source, here.start):
            runs.append(here)
        elif is_known_name(normal(match[0])):
            runs.append(here._replace(opens=True))
        else:
            opening = here if role_of(lower) & CONTENT else None
    return [
        _build_name(run.kind, source[run.start : run.end], run.start)._replace(opens=run.opens)
        for run in runs
    ]


class _Run(NamedTuple):
    """Adjacent capitalised words: kind of name, position, and whether the first word begins a sentence."""

    kind: str
    start: int
    end: int
    opens: bool


def _kind_of_capital(match: re.Match[str], source: str) -> str:
    """Return ``weekday``, ``month`` (short forms only next to a number, as in Jan 5) or ``name``."""
    lower = match[0].lower()
    if lower.removesuffix("s") in _WEEKDAYS:
        return "weekday"
    short = lower in _SHORT_MONTHS and _BESIDE_NUMBER.search(
        source[max(0, match.start() - 4) : match.end() + 4]
    )
    return "month" if lower in _MONTHS or short else "name"


def _starts_sentence(source: str, at: int) -> bool:
    before = source[max(0, at - _LOOK_BACK) : at]
    # Most capitals inside a sentence follow a letter and a blank, which needs no closer check.
    return not before.rstrip(" ")[-1:].isalnum() and _SENTENCE_START.search(before) is not None


def _is_short(quoted: str) -> bool:
    return 0 < len(quoted.split()) <= _QUOTED_WORDS


def _without_overlaps(names: list[Name]) -> list[Name]:
    """Keep the longest of overlapping names, in order of position."""
    kept: list[Name] = []
    for name in sorted(names, key=lambda name: (name.start, -name.end)):
        if not kept or name.start >= kept[-1].end:
            kept.append(name)
    return kept


_ALIASES = tuple(
    frozenset(group.split())
    for group in (*read_lexicon("wordlists")["same_names"], *read_lexicon("known_names")["short_forms"])
)
_CALENDAR = {
    form: forms
    for groups in ("months_in_order", "weekdays")
    for group in read_lexicon("wordlists")[groups]
    for forms in [frozenset(name + ending for name in group.split() for ending in ("", "s"))]
    for form in forms
}
_PREFIX = 4
_ENDING = 4
_LONGEST_ACRONYM = 6
_IDLE = word_list("not_in_acronyms")
_RUN = re.compile(r"[^\W_]+")


class NameIndex:
    """Index of a text's words, for the look-up of the other text's names.

    Args:
        text: a text.
        names: its names.

    Attributes:
        words: all words, folded.
        acronyms: acronyms of the text, folded.
        kinds: the kinds of names in the text.
    """

    def __init__(self, text: Text, names: Sequence[Name]) -> None:
        self._text = text
        words = {normal(word) for word in text.distinct if kind_of(word) != "p"}
        self.words = frozenset(words.union(*(name.parts for name in names)))
        self.acronyms = tuple(dict.fromkeys(name.parts[0] for name in names if name.kind == "acronym"))
        self.kinds = frozenset(name.kind for name in names)
        self._full_names = {name.certain_parts for name in names if name.kind == "name"}

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of the words."""
        return frozenset(map(stem, self.words))

    @cached_property
    def squeezed(self) -> str:
        """The text without white space and marks."""
        return "".join(_RUN.findall(self._text.source.lower()))

    @cached_property
    def initials(self) -> tuple[str, str]:
        """First letters of the words: one string for all words, and one without small words."""
        letters = [word for word in self._text.words if word[0].isalpha()]
        return (
            "".join(word[0] for word in letters),
            "".join(word[0] for word in letters if word.removesuffix("'s") not in _IDLE),
        )

    @cached_property
    def _by_form(self) -> dict[str, list[str]]:
        return _group_by_key((form, word) for word in self.words for form in _forms(word))

    @cached_property
    def _by_letter(self) -> dict[str, list[str]]:
        return _group_by_key((word[0], word) for word in self.words if word)

    @cached_property
    def _full_names_by_form(self) -> dict[str, list[tuple[str, ...]]]:
        return _group_by_key(
            (form, parts)
            for parts in self._full_names
            if len(parts) > 1
            for part in parts
            for form in _index_keys(part)
        )

    def has_word(self, word: str) -> bool:
        """Look up a word: unchanged, by its stem, in another form (Iraq, Iraqi), or as an alias."""
        if word in self.words or stem(word) in self.stems:
            return True
        if len(word) > _PREFIX and not is_known_name(word) and word in self.squeezed:
            return True
        similar = (other for form in _forms(word) for other in self._by_form.get(form, ()))
        return any(_are_forms(word, other) for other in similar)

    def has_code(self, code: str) -> bool:
        """Look up a code that is not part of a longer number."""
        at = self.squeezed.find(code)
        while at >= 0:
            end = at + len(code)
            around = self.squeezed[max(0, at - 1) : at] + self.squeezed[end : end + 1]
            if not any(map(str.isdecimal, around)):
                return True
            at = self.squeezed.find(code, end)
        return False

    def has_acronym(self, acronym: str) -> bool:
        """Look up an acronym: unchanged, as initials of successive words, or inside one word (TB)."""
        if self.has_word(acronym) or any(acronym in initials for initials in self.initials):
            return True
        return len(acronym) <= _LONGEST_ACRONYM and any(
            len(word) >= 2 * len(acronym) + 2 and _is_subsequence(acronym, word)
            for word in self._by_letter.get(acronym[0], ())
        )

    def is_rivalled(self, parts: tuple[str, ...]) -> bool:
        """Tell whether all names that share a word differ in another word: John Smith, John Brown."""
        sharing = {
            other
            for part in parts
            for form in _sought_forms(part)
            for other in self._full_names_by_form.get(form, ())
            if any(_are_same(part, word) for word in other)
        }
        return bool(sharing) and all(_leftover(parts, other) and _leftover(other, parts) for other in sharing)


def is_present(name: Name, index: NameIndex) -> bool:
    """Tell whether a text contains a name of the other text, perhaps in another form."""
    parts = name.certain_parts
    if name.kind == "code":
        return index.has_code(parts[0])
    if name.kind in ("month", "weekday"):
        return name.kind not in index.kinds or not index.words.isdisjoint(_CALENDAR.get(parts[0], parts))
    if name.kind == "acronym":
        return index.has_acronym(parts[0])
    if name.kind == "quoted":
        return any(map(index.has_word, parts))
    if len(parts) > 1 and index.is_rivalled(parts):
        return False
    present = list(map(index.has_word, parts))
    is_shortened = present[0] and is_known_name(parts[0])  # Michelangelo Buonarroti
    return present[-1] or sum(present) * 2 > len(present) or is_shortened or _is_abbreviated(parts, index)


def _group_by_key(entries: Iterable[tuple[str, _Entry]]) -> dict[str, list[_Entry]]:
    grouped: dict[str, list[_Entry]] = {}
    for key, entry in entries:
        grouped.setdefault(key, []).append(entry)
    return grouped


@lru_cache(maxsize=RECENT_WORDS)
def _forms(word: str) -> tuple[str, ...]:
    """Return keys for a name; two forms of one name share at least one key."""
    aliases = tuple(f"#{number}" for number in _alias_groups().get(word, ()))
    if len(word) <= _PREFIX:
        return (*aliases, word[:_PREFIX])
    return (*aliases, word[:_PREFIX], "".join(sorted(word[: _PREFIX + 1])))


def _index_keys(part: str) -> tuple[str, ...]:
    """Return the keys for listing a word of a full name; its first letter is one of them."""
    return (*_forms(part), f"{part[0]}-") if len(part) > 1 else (*_forms(part), f"{part}.", f"{part}-")


def _sought_forms(part: str) -> tuple[str, ...]:
    """Return the keys for looking a word up; an initial may be any word with that letter."""
    return (*_forms(part), f"{part[0]}." if len(part) > 1 else f"{part}-")


@cache
def _alias_groups() -> dict[str, list[int]]:
    return _group_by_key((word, number) for number, group in enumerate(_ALIASES) for word in group)


def _leftover(parts: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Tell whether a name has a word that the other lacks, initials included."""
    return not all(any(_are_same(part, other) for other in others) for part in parts)


def _are_same(first: str, second: str) -> bool:
    """Tell whether two words are the same name: equal, initial and name, or full and short form."""
    if first == second or (1 in (len(first), len(second)) and first[0] == second[0]):
        return True
    return _are_forms(first, second)


def _are_forms(first: str, second: str) -> bool:
    """Tell whether two words are aliases or forms of one name; two known names are different names."""
    groups = _alias_groups()
    if first in groups and not set(groups[first]).isdisjoint(groups.get(second, ())):
        return True
    if min(len(first), len(second)) < _PREFIX or first[0] != second[0]:
        return False
    if first != second and is_known_name(first) and is_known_name(second):
        return False
    return _share_beginning(first, second)


def _share_beginning(first: str, second: str) -> bool:
    """Tell whether two words begin with the same letters, in any order, and end shortly after them."""
    shortest, longest = sorted((len(first), len(second)))
    if shortest > _PREFIX and sorted(first[: _PREFIX + 1]) == sorted(second[: _PREFIX + 1]):
        return True
    shared = len(os.path.commonprefix((first, second)))
    return longest - shared <= _ENDING and shared >= max(_PREFIX, longest / 2)


def _is_abbreviated(parts: tuple[str, ...], index: NameIndex) -> bool:
    """Tell whether an acronym in the other text stands for the name or for a longer name that contains it."""
    if len(parts) > 1:
        initials = "".join(part[0] for part in parts)
        return any(initials in acronym for acronym in index.acronyms)
    return any(acronym[0] == parts[0][0] and _is_subsequence(acronym, parts[0]) for acronym in index.acronyms)


def _is_subsequence(letters: str, word: str) -> bool:
    rest = iter(word)
    return all(letter in rest for letter in letters)
