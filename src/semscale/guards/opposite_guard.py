"""The opposite guard: reports opposites (left and right, increase and decrease) and reversed comparisons.

English only; texts in other scripts give no findings.
"""

from semscale.guards.body_findings import contradicting_findings
from semscale.guards.claims.counterparts import is_left_to_claims, make_up, orders_agree
from semscale.guards.comparatives import reversals
from semscale.guards.conflicts import find_conflicts
from semscale.guards.converses import exchanged_ends
from semscale.guards.findings import Finding
from semscale.guards.reading import AnalysedText, analyse, comparable, differ

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
        ours, theirs = analyse(prediction), analyse(reference)
        if not comparable(ours, theirs):
            return []
        conflicts = [
            conflict
            for conflict in find_conflicts(ours.polarity, theirs.polarity)
            if conflict.cause == "opposite" and not is_left_to_claims(conflict, ours, theirs)
        ]
        if conflicts and make_up(ours, theirs):
            conflicts = []
        both_compare = ours.polarity.compares and theirs.polarity.compares
        turned = _reversals(ours, theirs) if both_compare else []
        turned += exchanged_ends(ours.polarity.exchanges, theirs.polarity.exchanges)
        found = contradicting_findings(ours.polarity, theirs.polarity)
        if not (conflicts or turned or found) or not differ(ours, theirs):
            return []
        places = {(conflict.prediction.at, conflict.reference.at): OPPOSED for conflict in conflicts}
        places |= dict.fromkeys(found, OPPOSED)
        return [
            _finding(kind, at, ours, theirs)
            for at, kind in sorted({**dict.fromkeys(turned, REVERSED), **places}.items())
        ]


def _reversals(ours: AnalysedText, theirs: AnalysedText) -> list[tuple[int, int]]:
    """Find comparisons in reverse order, without orders of time that agree."""
    found = reversals(ours.polarity.relations, theirs.polarity.relations)
    if found and orders_agree(ours, theirs):
        return [places for places in found if ours.words.texts[places[0]] not in _TIMES]
    return found


def _finding(kind: str, at: tuple[int, int], ours: AnalysedText, theirs: AnalysedText) -> Finding:
    here, there = ours.span(at[0], at[0]), theirs.span(at[1], at[1])
    reason = (
        f'The prediction says "{here.text}", the reference the opposite, "{there.text}".'
        if kind == OPPOSED
        else f'The two things beside "{here.text}" and "{there.text}" are exchanged.'
    )
    return Finding("opposite", kind, reason, here, there)
