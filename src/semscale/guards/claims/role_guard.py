"""The role guard: reports who and whom in exchanged places, in texts of nearly the same words."""

from semscale.guards.claims.exchanges import exchanged_places, turned_voice
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.reporting import report
from semscale.guards.claims.wording import Wording
from semscale.guards.findings import Finding
from semscale.guards.reading import AnalysedText, analyse, comparable

EXCHANGED = "exchanged"
_DIFFERENCE = "Who and whom are exchanged"
_LEAST_SHARED, _FEWEST, _MOST_WORDS = 0.8, 2, 400


class RoleGuard:
    """Finds two words that stand in each other's place, as in "Ann hired Bob" and "Bob hired Ann".

    Example:
        >>> found = RoleGuard().check("The dog chased the cat.", "The cat chased the dog.")
        >>> found[0].kind, found[0].prediction.text
        ('exchanged', 'dog chased the cat')
        >>> RoleGuard().check("The dog chased the cat.", "The cat was chased by the dog.")
        []
    """

    name = "roles"
    kinds = (EXCHANGED,)

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return a finding if two words have exchanged their places in texts of nearly the same words.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            At most one finding; its spans reach from the first of the two words to the second.
        """
        ours, theirs = analyse(prediction), analyse(reference)
        if not comparable(ours, theirs) or not _nearly_same_words(ours.wording, theirs.wording):
            return []
        found = exchanged_places(ours, theirs) or turned_voice(ours.wording, theirs.wording)
        if found is None:
            return []
        cues = _cue(ours, found[0]), _cue(theirs, found[1])
        return report(self.name, EXCHANGED, (ours, theirs), cues, _DIFFERENCE)


def _nearly_same_words(ours: Wording, theirs: Wording) -> bool:
    one, other = ours.content, theirs.content
    total = len(one) + len(other)
    if min(len(one), len(other)) < _FEWEST or total > _MOST_WORDS:
        return False
    if 2 * min(len(one), len(other)) < _LEAST_SHARED * total:
        return False
    return 2 * (ours.counts & theirs.counts).total() >= _LEAST_SHARED * total


def _cue(text: AnalysedText, places: tuple[int, int]) -> Cue:
    return Cue(EXCHANGED, min(places), max(places))
