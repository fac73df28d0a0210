"""Negations, opposites and names that only one of two texts has."""

import re
from bisect import bisect_left
from functools import lru_cache
from itertools import islice, pairwise

from semscale.guards.actors import PAY, Actor, find_other_actors
from semscale.guards.claims import LIMITING_CONDITIONS, are_turned, is_left_to_claims, make_up, orders_agree
from semscale.guards.dates import character_positions, compare_dates, weekdays_in
from semscale.guards.findings import Finding, Span
from semscale.guards.formulas import ChangedFormula, Formula, compare_formulas
from semscale.guards.names import Name, NameIndex, is_present, read_names
from semscale.guards.polarity import (
    ANSWERS,
    Conflict,
    Mention,
    contradicting_findings,
    find_conflicts,
    read_polarity,
)
from semscale.guards.quantities import read_quantities
from semscale.guards.relations import find_exchanged_ends, reversals
from semscale.guards.text import Text, differ, find_exchanged_alternatives, kinds_of
from semscale.guards.words import MOST_REPORTED, RECENT_TEXTS, sides, word_list

NEGATED_PREDICTION = "negated-prediction"
NEGATED_REFERENCE = "negated-reference"


def negation_findings(left: Text, right: Text) -> list[Finding]:
    """Find content words that one text affirms and the other negates.

    Args:
        left: the prediction.
        right: the reference.

    Returns:
        Findings in the order of the prediction; spans reach from the negation to the negated word.

    Examples:
        >>> texts = Text("Aspirin is not indicated."), Text("Aspirin is indicated.")
        >>> [(item.kind, item.prediction.text, item.reference.text) for item in negation_findings(*texts)]
        [('negated-prediction', 'not indicated', 'indicated')]
        >>> negation_findings(Text("They are not disconnected."), Text("They are connected."))
        []
    """
    conflicts = _conflicts("negation", left, right)
    if not conflicts or make_up(left, right) or not differ(left, right):
        return []
    return [_negation_finding(conflict, left, right) for conflict in conflicts]


def _conflicts(cause: str, left: Text, right: Text) -> list[Conflict]:
    """Find conflicts with a given cause, except those that the guards of claims compare.

    Opposed statements about different times agree: "open by day", "closed at night".
    """
    conflicts = find_conflicts(read_polarity(left), read_polarity(right))
    if not conflicts or _are_of_other_days(left, right) or _is_of_other_time(conflicts):
        return []
    formulas, _ = compare_formulas(left, right)
    payers = {(here.at, there.at) for here, there in _other_payers(left, right)}
    return [
        conflict
        for conflict in conflicts
        if conflict.cause == cause
        and (conflict.prediction.at, conflict.reference.at) not in payers
        and not is_left_to_claims(conflict, left, right)
        and not any(_is_within(conflict, left, right, *pair) for pair in formulas)
    ]


def _other_payers(left: Text, right: Text) -> list[tuple[Actor, Actor]]:
    """List who pays where one text says "we", the other "you"."""
    return [pair for pair in find_other_actors(left, right) if pair[0].verb == PAY]


def _conditions(text: Text) -> set[str]:
    """Return the classes of the conditions of a text that limit what it says."""
    return kinds_of(text.cues["condition"]) & LIMITING_CONDITIONS


def _is_within(conflict: Conflict, left: Text, right: Text, here: Formula, there: Formula) -> bool:
    """Tell whether both words of a conflict are parts of equal formulas: "!done" and "not done"."""
    positions = left.starts[conflict.prediction.at], right.starts[conflict.reference.at]
    return here.start <= positions[0] < here.end and there.start <= positions[1] < there.end


_PARTS_OF_TIME = frozenset(
    key for word in ("day", "morning", "summer", "noon", "dawn") for key, _ in sides(word)
)


def _is_of_other_time(conflicts: tuple[Conflict, ...]) -> bool:
    """Tell whether one of two opposites is the time: "open by day", "closed at night"."""
    axes = {conflict.prediction.key for conflict in conflicts if conflict.cause == "opposite"}
    return len(conflicts) == len(axes) == 2 and len(axes & _PARTS_OF_TIME) == 1


@lru_cache(maxsize=512)
def _are_of_other_days(left: Text, right: Text) -> bool:
    """Tell whether opposed statements are about different days: "open on weekdays", "closed on Sundays".

    One of them must be about several days: the same event may be reported for two different days.
    """
    here = weekdays_in(left.words)
    there = weekdays_in(right.words) if here else here
    if not there or here & there or len(here) == len(there) == 1:
        return False
    return bool(find_conflicts(read_polarity(left), read_polarity(right)))


def _negation_finding(conflict: Conflict, left: Text, right: Text) -> Finding:
    here, there = _span(conflict.prediction, left), _span(conflict.reference, right)
    if here.text.casefold() == there.text.casefold():  # "not shipped free of charge", "free of charge"
        here, there = _whole_span(conflict.prediction, left), _whole_span(conflict.reference, right)
    if _weight(conflict.prediction) > _weight(conflict.reference):
        reason = f'The prediction says "{here.text}", the reference "{there.text}".'
        return Finding("negation", NEGATED_PREDICTION, reason, here, there)
    reason = f'The reference says "{there.text}", the prediction "{here.text}".'
    return Finding("negation", NEGATED_REFERENCE, reason, here, there)


def _weight(mention: Mention) -> tuple[int, int, int]:
    """Return a sort key that puts mentions in order of negativity: by sign, then by their negation."""
    return -mention.sign * mention.side, len(mention.cues), -mention.side


def _span(mention: Mention, text: Text) -> Span:
    positions = [mention.at, *mention.cues[-1:]]
    return text.span(min(positions), max(positions))


def _whole_span(mention: Mention, text: Text) -> Span:
    positions = [mention.at, *mention.cues]
    return text.span(min(positions), max(positions))


_TIMES = ("before", "after")
_GROUPS = ("excess", "season")
OPPOSED = "opposed"
REVERSED = "reversed-order"


def opposite_findings(left: Text, right: Text) -> list[Finding]:
    """Find words of which the other text has only the opposite, and comparisons in reverse order.

    Formulas with another operator, function or variable count, too, and payments by "you" instead of "us".

    Args:
        left: the prediction.
        right: the reference.

    Returns:
        Findings in the order of the prediction.

    Examples:
        >>> texts = Text("The left lung is affected."), Text("The right lung is affected.")
        >>> [(item.kind, item.prediction.text, item.reference.text) for item in opposite_findings(*texts)]
        [('opposed', 'left', 'right')]
        >>> opposite_findings(Text("The switch is not open."), Text("The switch is closed."))
        []
    """
    conflicts = _conflicts("opposite", left, right)
    if conflicts and make_up(left, right):
        conflicts = [conflict for conflict in conflicts if conflict.prediction.key == ANSWERS]
    here, there = read_polarity(left), read_polarity(right)
    turned = _reversals(left, right) if here.compares and there.compares else []
    turned += find_exchanged_ends(here.exchanges, there.exchanges)
    clashes = contradicting_findings(here, there)
    _, formulas = compare_formulas(left, right)
    if formulas:
        return [_formula_finding(formula) for formula in formulas]
    payers = [pair for pair in _other_payers(left, right) if pair[0].is_denied == pair[1].is_denied]
    if payers and _conditions(left) == _conditions(right):  # "we pay if it is faulty" leaves the rest open
        return [_payer_finding(*pair, left, right) for pair in payers]
    if not (conflicts or turned or clashes):
        return _other_alternatives(left, right)
    if not differ(left, right):
        return []
    kinds = dict.fromkeys(turned, REVERSED) | dict.fromkeys(clashes, OPPOSED)
    kinds |= {(conflict.prediction.at, conflict.reference.at): OPPOSED for conflict in conflicts}
    return [_opposite_finding(kind, at, left, right) for at, kind in sorted(kinds.items())]


def _formula_finding(changed: ChangedFormula) -> Finding:
    kind = REVERSED if changed.is_reversed else OPPOSED
    reason = f'The prediction says "{changed.left.text}", the reference "{changed.right.text}".'
    return Finding("opposite", kind, reason, changed.left, changed.right)


def _payer_finding(first: Actor, second: Actor, left: Text, right: Text) -> Finding:
    here, there = left.span(first.first, first.last), right.span(second.first, second.last)
    reason = f'The prediction says "{here.text}", the reference "{there.text}".'
    return Finding("opposite", OPPOSED, reason, here, there)


def _other_alternatives(left: Text, right: Text) -> list[Finding]:
    """Return a finding for a phrase that the other text replaces by another phrase of the same group."""
    cues = find_exchanged_alternatives(left, right, _GROUPS)
    if cues is None or are_turned(left, right) or not differ(left, right):
        return []
    here, there = (text.span(cue.first, cue.last) for text, cue in zip((left, right), cues, strict=True))
    reason = f'The prediction says "{here.text}", the reference "{there.text}".'
    return [Finding("opposite", OPPOSED, reason, here, there)]


def _reversals(left: Text, right: Text) -> list[tuple[int, int]]:
    """Find comparisons in reverse order, without orders of time that agree."""
    reversed_pairs = reversals(read_polarity(left).relations, read_polarity(right).relations)
    if reversed_pairs and orders_agree(left, right):
        return [positions for positions in reversed_pairs if left.words[positions[0]] not in _TIMES]
    return reversed_pairs


def _opposite_finding(kind: str, at: tuple[int, int], left: Text, right: Text) -> Finding:
    here, there = left.span(at[0], at[0]), right.span(at[1], at[1])
    reason = (
        f'The prediction says "{here.text}", the reference the opposite, "{there.text}".'
        if kind == OPPOSED
        else f'The two things next to "{here.text}" and "{there.text}" are exchanged.'
    )
    return Finding("opposite", kind, reason, here, there)


MISSING = "missing-name"
INVENTED = "invented-name"

_SHARED = 2
_LONG = 15
_LABELLED = word_list("labelled")
_LISTED = re.compile(r",?\s(?:and|or)\b|,\s[A-Z]")


def name_findings(left: Text, right: Text) -> list[Finding]:
    """Find names, acronyms, codes and short quotations that the other text does not contain.

    Args:
        left: the prediction.
        right: the reference.

    Returns:
        Invented names, then missing ones, each in the order of its text, with a span on one side only.

    Examples:
        >>> texts = Text("It is a substrate of CYP2D6."), Text("It is a substrate of CYP3A4.")
        >>> [(item.kind, (item.prediction or item.reference).text) for item in name_findings(*texts)]
        [('invented-name', 'CYP2D6'), ('missing-name', 'CYP3A4')]
        >>> name_findings(Text("He has TB."), Text("He has tuberculosis."))
        []
    """
    if not (read_names(left) or read_names(right)):
        return []
    invented, missing = _absent(left, right), _absent(right, left)
    if invented or missing:
        invented, missing = _drop_compared_names(invented, missing, left, right)
    if not (invented or missing) or not differ(left, right):
        return []
    findings = []
    for name in invented:
        reason, span = f'The reference does not name "{name.shown}".', left.span_at(name.start, name.end)
        findings.append(Finding("name", INVENTED, reason, span, None))
    for name in missing:
        reason, span = f'The prediction does not name "{name.shown}".', right.span_at(name.start, name.end)
        findings.append(Finding("name", MISSING, reason, None, span))
    return findings


def _drop_compared_names(
    invented: list[Name], missing: list[Name], left: Text, right: Text
) -> tuple[list[Name], list[Name]]:
    """Leave out what the guard of numbers compares (dates, numbered names), and days that agree."""
    same, changed = compare_dates(left.source, right.source)
    dates = [character_positions(pair) for pair in zip(*same, *changed, strict=True)] or [set(), set()]
    invented = [name for name in invented if dates[0].isdisjoint(range(name.start, name.end))]
    missing = [name for name in missing if dates[1].isdisjoint(range(name.start, name.end))]
    if any(name.parts[-1] in _LABELLED for name in invented + missing):  # World War I
        labels = set.intersection(*({one.label for one in read_quantities(text)} for text in (left, right)))
        invented = [name for name in invented if name.parts[-1] not in labels]
        missing = [name for name in missing if name.parts[-1] not in labels]
    if _are_of_other_days(left, right):
        invented = [name for name in invented if name.kind != "weekday"]
        missing = [name for name in missing if name.kind != "weekday"]
    return invented, missing


def _absent(here: Text, there: Text) -> list[Name]:
    """List the first names of a text that the other text lacks."""
    names = read_names(here)
    if not names:
        return []
    index = name_index(there)
    distinct = {(name.kind, name.certain_parts): name for name in names}
    unknown = (key for key, name in distinct.items() if not is_present(name, index))
    lacking = set(islice(unknown, MOST_REPORTED))
    absent = [name for name in names if (name.kind, name.certain_parts) in lacking]
    absent = [name for name in absent if not _is_apposition(name, here, there)]
    if _is_detail(absent, here):
        return []
    if read_polarity(there).negated_positions:
        return absent  # "not Paris" beside "not London" differ in the names
    denied = find_denied_names(here)
    return [name for name in absent if name not in denied]


@lru_cache(maxsize=RECENT_TEXTS)
def name_index(text: Text) -> NameIndex:
    """Return the index of a text for the look-up of the other text's names."""
    return NameIndex(text, read_names(text))


def find_denied_names(text: Text) -> set[Name]:
    """Return the names in the reach of a negation: "not Paris" does not state Paris.

    Examples:
        >>> [name.shown for name in find_denied_names(Text("It is not Paris but Rome."))]
        ['Paris']
    """
    denied = [text.starts[at] for at in read_polarity(text).negated_positions]
    next_denied = ((name, bisect_left(denied, name.start)) for name in read_names(text))
    return {name for name, at in next_denied if at < len(denied) and denied[at] < name.end}


def _is_apposition(name: Name, here: Text, there: Text) -> bool:
    """Tell whether a name only adds to the name before it: "Munich, Germany" agrees with "Munich"."""
    before = _names_before(here).get(name)
    if not before or len(name.parts) > 1 or _LISTED.match(here.source, name.end):
        return False
    return before.parts[-1] not in _rivals(there) and is_present(before, name_index(there))


@lru_cache(maxsize=512)
def _names_before(text: Text) -> dict[Name, Name]:
    """Map each name to the name before it, if only a comma separates them."""
    return {
        name: before
        for before, name in pairwise(read_names(text))
        if text.source[before.end : name.start] == ", "
    }


@lru_cache(maxsize=512)
def _rivals(text: Text) -> frozenset[str]:
    """Return the last words of the names that another name follows after a comma."""
    return frozenset(before.parts[-1] for before in _names_before(text).values())


def _is_detail(absent: list[Name], text: Text) -> bool:
    """Tell whether the only missing name is a detail of a long sentence that shares two or more names."""
    if len(absent) != 1 or absent[0].kind == "code":
        return False
    return len(read_names(text)) - 1 >= _SHARED and len(text.words) >= _LONG
