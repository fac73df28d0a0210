"""The role guard: reports who and whom in exchanged places, in texts of nearly the same words."""

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.exchanges import exchanged_places, turned_voice
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, most_shared
from semscale.guards.reading import AnalysedText

EXCHANGED = "exchanged"
_LEAST_SHARED, _FEWEST, _MOST_WORDS = 0.8, 2, 400


class RoleGuard(ClaimGuard):
    """Finds two words that stand in each other's place, as in "Ann hired Bob" and "Bob hired Ann".

    A finding reaches from the first of the two words to the second.

    Example:
        >>> found = RoleGuard().check("The dog chased the cat.", "The cat chased the dog.")
        >>> found[0].kind, found[0].prediction.text
        ('exchanged', 'dog chased the cat')
        >>> RoleGuard().check("The dog chased the cat.", "The cat was chased by the dog.")
        []
    """

    name = "roles"
    kinds = (EXCHANGED,)
    difference = "Who and whom are exchanged"

    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        if not _nearly_same_words(ours.wording, theirs.wording):
            return None
        found = exchanged_places(ours, theirs) or turned_voice(ours.wording, theirs.wording)
        return None if found is None else (_cue(ours, found[0]), _cue(theirs, found[1]))


def _nearly_same_words(ours: Wording, theirs: Wording) -> bool:
    one, other = ours.content, theirs.content
    total = len(one) + len(other)
    if min(len(one), len(other)) < _FEWEST or total > _MOST_WORDS:
        return False
    if 2 * min(len(one), len(other)) < _LEAST_SHARED * total:
        return False
    if 2 * most_shared(ours, theirs) < _LEAST_SHARED * total:
        return False
    return 2 * (ours.counts & theirs.counts).total() >= _LEAST_SHARED * total


def _cue(text: AnalysedText, places: tuple[int, int]) -> Cue:
    return Cue(EXCHANGED, min(places), max(places))
