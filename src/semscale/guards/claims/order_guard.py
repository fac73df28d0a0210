"""The order guard: reports events that one text puts in another order of time than the other."""

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.event_orders import turned_orders
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import similarity
from semscale.guards.reading import AnalysedText

OTHER_ORDER = "other-order"
_ALIKE = 0.6


class OrderGuard(ClaimGuard):
    """Finds two events in another order.

    Example:
        >>> found = OrderGuard().check("Wash it before you cut it.", "Cut it before you wash it.")
        >>> found[0].kind, found[0].prediction.text
        ('other-order', 'before')
        >>> OrderGuard().check("Wash it before you cut it.", "Cut it after you wash it.")
        []
    """

    name = "order"
    kinds = (OTHER_ORDER,)
    difference = "The texts put the events in another order"

    def _conflict(self, ours: AnalysedText, theirs: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        if not (ours.wording.cues(self.name) and theirs.wording.cues(self.name)):
            return None
        if similarity(ours.wording, theirs.wording, self.name) < _ALIKE:
            return None
        turned = turned_orders(ours.wording, theirs.wording)
        return (turned[0][0].cue, turned[0][1].cue) if turned else None
