"""The certainty guard: reports what one text states plainly, and the other as possible, said or doubted."""

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.counterparts import are_counterparts, are_turned
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, alignment, first_of, kinds_of
from semscale.guards.clauses import sentence_end
from semscale.guards.reading import AnalysedText

OTHER_CERTAINTY = "other-certainty"
_DOUBTED, _UNKNOWN, _HEDGED = "doubted", "unknown", "hedged"
_CERTAIN = "certain"
_OPINION = "opinion"
_OPEN = "open"
_PLAIN = "plain"
_BY_WEIGHT = (_DOUBTED, _UNKNOWN, _HEDGED, _OPINION, _OPEN, _CERTAIN)
_AGREEING = (
    {_PLAIN, _CERTAIN},
    {_PLAIN, _OPINION},
    {_HEDGED, _OPINION},
    {_HEDGED, _UNKNOWN},
    {_DOUBTED, _UNKNOWN},
)
_ALIKE, _ALIKE_BOTH = 0.75, 0.7


class CertaintyGuard(ClaimGuard):
    """Finds statements that one text makes plainly, and the other hedges or doubts.

    An opinion ("I think", "it seems") beside a plain statement is none.

    Example:
        >>> found = CertaintyGuard().check("The patch may fix the crash.", "The patch fixes the crash.")
        >>> found[0].kind, found[0].prediction.text
        ('other-certainty', 'may')
        >>> CertaintyGuard().check("Perhaps it rains.", "It may rain.")
        []
    """

    name = "certainty"
    kinds = (OTHER_CERTAINTY,)
    difference = "One text is more certain than the other"

    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        cues = _cue(ours.wording), _cue(theirs.wording)
        levels = [_PLAIN if cue is None else cue.kind for cue in cues]
        if are_counterparts(self.name, *levels) and are_turned(ours, theirs):
            return None
        if not _differ(*levels) or not _are_alike(ours, theirs, _PLAIN in levels):
            return None
        return cues if _is_shared(ours, cues[0], theirs) and _is_shared(theirs, cues[1], ours) else None


def _cue(wording: Wording) -> Cue | None:
    """Return the phrase that decides how certain a text is."""
    cues = wording.cues(CertaintyGuard.name)
    kinds = kinds_of(cues)
    level = next((level for level in _BY_WEIGHT if level in kinds), None) if kinds else None
    return None if level is None else first_of(cues, (level,))


def _differ(one: str, other: str) -> bool:
    return one != other and _OPEN not in (one, other) and {one, other} not in _AGREEING


def _is_shared(text: AnalysedText, cue: Cue | None, other: AnalysedText) -> bool:
    """Tell whether the other text, too, speaks of what a phrase hedges: the next word of its sentence."""
    if cue is None:
        return True
    content, end = text.wording.content, sentence_end(text.words.texts, cue.last)
    hedged = next((content[at] for at in range(cue.last + 1, end) if at in content), None)
    return hedged is None or hedged in other.wording.counts


def _are_alike(ours: AnalysedText, theirs: AnalysedText, one_is_plain: bool) -> bool:
    least = _ALIKE if one_is_plain else _ALIKE_BOTH
    return alignment(ours.wording, theirs.wording, CertaintyGuard.name) >= least
