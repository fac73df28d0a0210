"""Guards that find negations, opposites and names on one side alone."""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import islice, pairwise

from semscale.guards.findings import Finding, Span
from semscale.guards.names import Name, NameIndex, is_present
from semscale.guards.phrases import exchanged_alternatives
from semscale.guards.polarity import Conflict, Mention, contradicting_findings, find_conflicts
from semscale.guards.reading import (
    AnalysedText,
    analyse,
    are_turned,
    comparable,
    differ,
    is_left_to_claims,
    make_up,
    orders_agree,
)
from semscale.guards.relations import exchanged_ends, reversals
from semscale.guards.words import MOST_REPORTED

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
_GROUPS = ("rate", "excess", "season")
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
        if not (conflicts or turned or clashes):
            return self._alternatives(left, right)
        if not differ(left, right):
            return []
        positions = {(conflict.prediction.at, conflict.reference.at): OPPOSED for conflict in conflicts}
        positions |= dict.fromkeys(clashes, OPPOSED)
        return [
            _opposite_finding(kind, at, left, right)
            for at, kind in sorted({**dict.fromkeys(turned, REVERSED), **positions}.items())
        ]

    def _alternatives(self, left: AnalysedText, right: AnalysedText) -> list[Finding]:
        """Return a finding for a phrase in whose place the other text has another one of its group."""
        cues = exchanged_alternatives(left.wording, right.wording, _GROUPS)
        if cues is None or are_turned(left, right) or not differ(left, right):
            return []
        here, there = (text.span(cue.first, cue.last) for text, cue in zip((left, right), cues, strict=True))
        reason = f'The prediction says "{here.text}", the reference "{there.text}".'
        return [Finding(self.name, OPPOSED, reason, here, there)]


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
    """List the names of a text that another one lacks; of many, only the first ones."""
    if not here.names:
        return []
    index = name_index(there)
    distinct = {(name.kind, name.certain_parts): name for name in here.names}
    unknown = (key for key, name in distinct.items() if not is_present(name, index))
    lacking = set(islice(unknown, MOST_REPORTED))
    absent = [name for name in here.names if (name.kind, name.certain_parts) in lacking]
    absent = [name for name in absent if not _is_apposition(name, here, there)]
    if _is_detail(absent, here):
        return []
    if any(len(mention.cues) % 2 for mention in there.polarity.mentions):
        return absent  # "not Paris" beside "not London" differ in the names
    denied = denied_names(here)
    return [name for name in absent if name not in denied]


@lru_cache(maxsize=4096)
def name_index(reading: AnalysedText) -> NameIndex:
    """Return the index of a text, in which names of the other text are looked up."""
    return NameIndex(reading.words, reading.names)


def denied_names(reading: AnalysedText) -> set[Name]:
    """Return the names that a negation reaches: who says "not Paris" does not say Paris.

    Example:
        >>> [name.shown for name in denied_names(analyse("It is not Paris but Rome."))]
        ['Paris']
    """
    starts = reading.words.starts
    denied = sorted(starts[mention.at] for mention in reading.polarity.mentions if len(mention.cues) % 2)
    next_denied = ((name, bisect_left(denied, name.start)) for name in reading.names)
    return {name for name, at in next_denied if at < len(denied) and denied[at] < name.end}


def _is_apposition(name: Name, here: AnalysedText, there: AnalysedText) -> bool:
    """Tell whether a name only says more about the name before it: "Munich, Germany" beside "Munich"."""
    before = _names_before(here).get(name)
    if not before or len(name.parts) > 1 or _LISTED.match(here.text, name.end):
        return False
    return before.parts[-1] not in _rivals(there) and is_present(before, name_index(there))


@lru_cache(maxsize=512)
def _names_before(reading: AnalysedText) -> dict[Name, Name]:
    """Return for each name the name from which only a comma parts it."""
    return {
        name: before
        for before, name in pairwise(reading.names)
        if reading.text[before.end : name.start] == ", "
    }


@lru_cache(maxsize=512)
def _rivals(reading: AnalysedText) -> frozenset[str]:
    """Return the last words of the names that another name follows in this way."""
    return frozenset(before.parts[-1] for before in _names_before(reading).values())


def _is_detail(absent: list[Name], here: AnalysedText) -> bool:
    """Tell whether the only missing name is a detail of a long sentence that shares two or more names."""
    shared = len(here.names) - len(absent)
    return (
        len(absent) == 1 and shared >= _SHARED and len(here.words.texts) >= _LONG and absent[0].kind != "code"
    )
