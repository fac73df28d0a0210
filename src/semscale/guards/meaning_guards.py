"""Guards that find negations, opposites and names on one side alone."""

import re
from functools import cached_property, lru_cache
from itertools import pairwise

from semscale.guards.findings import Finding, Span
from semscale.guards.names import Name, is_known_name, normal
from semscale.guards.polarity import Conflict, Mention, contradicting_findings, find_conflicts
from semscale.guards.reading import (
    AnalysedText,
    analyse,
    comparable,
    differ,
    is_left_to_claims,
    make_up,
    orders_agree,
)
from semscale.guards.relations import exchanged_ends, reversals
from semscale.guards.words import kind_of, read_lexicon, stem, word_list

NEGATED_PREDICTION = "negated-prediction"
NEGATED_REFERENCE = "negated-reference"


class NegationGuard:
    """Finds content words that one text affirms and the other negates.

    Example:
        >>> found = NegationGuard().check("Aspirin is not indicated.", "Aspirin is indicated.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('negated-prediction', 'not indicated', 'indicated')
        >>> NegationGuard().check("They are not disconnected.", "They are connected.")
        []
    """

    name = "negation"
    kinds = (NEGATED_PREDICTION, NEGATED_REFERENCE)

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return a finding for each negation that the other text lacks.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            Findings in the order of the prediction; spans reach from the negation to the negated word.
        """
        left, right = analyse(prediction), analyse(reference)
        if not comparable(left, right):
            return []
        conflicts = _conflicts("negation", left, right)
        if not conflicts or make_up(left, right) or not differ(left, right):
            return []
        return [_negation_finding(conflict, left, right) for conflict in conflicts]


def _conflicts(cause: str, left: AnalysedText, right: AnalysedText) -> list[Conflict]:
    """Find conflicts of one cause, without those that the guards of claims decide."""
    return [
        conflict
        for conflict in find_conflicts(left.polarity, right.polarity)
        if conflict.cause == cause and not is_left_to_claims(conflict, left, right)
    ]


def _negation_finding(conflict: Conflict, left: AnalysedText, right: AnalysedText) -> Finding:
    here, there = _span(conflict.prediction, left), _span(conflict.reference, right)
    kind = (
        NEGATED_PREDICTION
        if _weight(conflict.prediction) > _weight(conflict.reference)
        else NEGATED_REFERENCE
    )
    sides = "prediction", "reference"
    negating, asserting = sides if kind == NEGATED_PREDICTION else sides[::-1]
    shown = (here.text, there.text) if kind == NEGATED_PREDICTION else (there.text, here.text)
    reason = f'The {negating} says "{shown[0]}", the {asserting} "{shown[1]}".'
    return Finding("negation", kind, reason, here, there)


def _weight(mention: Mention) -> tuple[int, int, int]:
    """Return a sort key that orders mentions by how negative they are: by sign, then by their negation."""
    return -mention.sign * mention.side, len(mention.cues), -mention.side


def _span(mention: Mention, reading: AnalysedText) -> Span:
    positions = [mention.at, *mention.cues[-1:]]
    return reading.span(min(positions), max(positions))


_TIMES = ("before", "after")
OPPOSED = "opposed"
REVERSED = "reversed-order"


class OppositeGuard:
    """Finds words for which the other text has only the opposite.

    Example:
        >>> found = OppositeGuard().check("The left lung is affected.", "The right lung is affected.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('opposed', 'left', 'right')
        >>> OppositeGuard().check("The switch is not open.", "The switch is closed.")
        []
    """

    name = "opposite"
    kinds = (OPPOSED, REVERSED)

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return findings for opposed words, and for comparisons of the same two things in reverse order.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            Findings in the order of the prediction.
        """
        left, right = analyse(prediction), analyse(reference)
        if not comparable(left, right):
            return []
        conflicts = _conflicts("opposite", left, right)
        if conflicts and make_up(left, right):
            conflicts = []
        both_compare = left.polarity.compares and right.polarity.compares
        turned = _reversals(left, right) if both_compare else []
        turned += exchanged_ends(left.polarity.exchanges, right.polarity.exchanges)
        clashes = contradicting_findings(left.polarity, right.polarity)
        if not (conflicts or turned or clashes) or not differ(left, right):
            return []
        positions = {(conflict.prediction.at, conflict.reference.at): OPPOSED for conflict in conflicts}
        positions |= dict.fromkeys(clashes, OPPOSED)
        return [
            _opposite_finding(kind, at, left, right)
            for at, kind in sorted({**dict.fromkeys(turned, REVERSED), **positions}.items())
        ]


def _reversals(left: AnalysedText, right: AnalysedText) -> list[tuple[int, int]]:
    """Find comparisons in reverse order, without orders of time that agree."""
    reversed_pairs = reversals(left.polarity.relations, right.polarity.relations)
    if reversed_pairs and orders_agree(left, right):
        return [positions for positions in reversed_pairs if left.words.texts[positions[0]] not in _TIMES]
    return reversed_pairs


def _opposite_finding(kind: str, at: tuple[int, int], left: AnalysedText, right: AnalysedText) -> Finding:
    here, there = left.span(at[0], at[0]), right.span(at[1], at[1])
    reason = (
        f'The prediction says "{here.text}", the reference the opposite, "{there.text}".'
        if kind == OPPOSED
        else f'The two things beside "{here.text}" and "{there.text}" are exchanged.'
    )
    return Finding("opposite", kind, reason, here, there)


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


def _are_same(first: str, second: str) -> bool:
    """Tell whether two words of names are equal, initial and name, or forms and short forms of one name."""
    if first == second or (1 in (len(first), len(second)) and first[0] == second[0]):
        return True
    if any(first in group and second in group for group in _SAME):
        return True
    return min(len(first), len(second)) >= _PREFIX and first[0] == second[0] and _is_form(first, second)


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


MISSING = "missing-name"
INVENTED = "invented-name"

_SHARED = 2
_LONG = 15
_LISTED = re.compile(r",?\s(?:and|or)\b|,\s[A-Z]")


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
        left, right = analyse(prediction), analyse(reference)
        if not comparable(left, right) or not (left.names or right.names):
            return []
        invented, missing = _absent(left, right), _absent(right, left)
        if not (invented or missing) or not differ(left, right):
            return []
        return [_name_finding(INVENTED, name, left) for name in invented] + [
            _name_finding(MISSING, name, right) for name in missing
        ]


def _name_finding(kind: str, name: Name, reading: AnalysedText) -> Finding:
    position = reading.place(name.start, name.end)
    if kind == INVENTED:
        return Finding("name", kind, f'The reference does not name "{name.shown}".', position, None)
    return Finding("name", kind, f'The prediction does not name "{name.shown}".', None, position)


def _absent(here: AnalysedText, there: AnalysedText) -> list[Name]:
    if not here.names:
        return []
    index = name_index(there)
    absent = [name for name in here.names if not is_present(name, index)]
    absent = [name for name in absent if not _is_apposition(name, here, there)]
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


def _is_apposition(name: Name, here: AnalysedText, there: AnalysedText) -> bool:
    """Tell whether a name only says more about the name before it: "Munich, Germany" beside "Munich"."""
    before = _names_before(here).get(name)
    if not before or len(name.parts) > 1 or _LISTED.match(here.text, name.end):
        return False
    rivals = {rival.parts[-1] for rival in _names_before(there).values()}
    return before.parts[-1] not in rivals and is_present(before, name_index(there))


@lru_cache(maxsize=512)
def _names_before(reading: AnalysedText) -> dict[Name, Name]:
    """Return for each name the name from which only a comma parts it."""
    return {
        name: before
        for before, name in pairwise(reading.names)
        if reading.text[before.end : name.start] == ", "
    }


def _is_detail(absent: list[Name], here: AnalysedText) -> bool:
    """Tell whether the only missing name is a detail of a long sentence that shares two or more names."""
    shared = len(here.names) - len(absent)
    return (
        len(absent) == 1 and shared >= _SHARED and len(here.words.texts) >= _LONG and absent[0].kind != "code"
    )
