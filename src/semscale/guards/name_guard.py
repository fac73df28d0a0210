"""The name guard: reports names that the prediction leaves out or invents.

English only. Texts in other scripts give no findings; texts without capitals give findings for codes only.
"""

import re
from functools import lru_cache
from itertools import pairwise

from semscale.guards.findings import Finding
from semscale.guards.name_index import is_present, name_index
from semscale.guards.names import Name
from semscale.guards.reading import AnalysedText, analyse, comparable, differ

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
