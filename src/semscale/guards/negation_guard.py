"""The negation guard: reports negations in only one of two texts ("safe" and "not safe" or "unsafe").

English only; texts in other scripts give no findings.
"""

from semscale.guards.claims.counterparts import is_left_to_claims, make_up
from semscale.guards.conflicts import Conflict, find_conflicts
from semscale.guards.findings import Finding, Span
from semscale.guards.polarity import Mention
from semscale.guards.reading import AnalysedText, analyse, comparable, differ

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
        ours, theirs = analyse(prediction), analyse(reference)
        if not comparable(ours, theirs):
            return []
        conflicts = [
            conflict
            for conflict in find_conflicts(ours.polarity, theirs.polarity)
            if conflict.cause == "negation" and not is_left_to_claims(conflict, ours, theirs)
        ]
        if not conflicts or make_up(ours, theirs) or not differ(ours, theirs):
            return []
        return [_finding(conflict, ours, theirs) for conflict in conflicts]


def _finding(conflict: Conflict, ours: AnalysedText, theirs: AnalysedText) -> Finding:
    here, there = _span(conflict.prediction, ours), _span(conflict.reference, theirs)
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
    places = [mention.at, *mention.cues[-1:]]
    return reading.span(min(places), max(places))
