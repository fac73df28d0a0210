"""The order guard: reports events that one text puts in another order of time than the other."""

from itertools import product
from typing import NamedTuple

from semscale.guards.claims.claim_guard import ClaimGuard
from semscale.guards.claims.events import crossing, is_denied, parts_at
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording, similarity
from semscale.guards.reading import AnalysedText

OTHER_ORDER = "other-order"
_ALIKE = 0.6


class _Order(NamedTuple):
    """Two events: stems of the earlier and of the later one."""

    cue: Cue
    earlier: set[str]
    later: set[str]


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
        pairs = list(product(_orders(ours.wording), _orders(theirs.wording)))
        crossed = [(one, other) for one, other in pairs if crossing(one[1:], other[1:])]
        if crossed and len(crossed) == len(pairs):
            return crossed[0][0].cue, crossed[0][1].cue
        return None


def _orders(wording: Wording) -> list[_Order]:
    found = []
    for cue in wording.cues(OrderGuard.name):
        parts = parts_at(wording, cue, to_end=cue.kind == "then")
        main, sub = (wording.stems(part.start, part.stop) for part in parts)
        # "Not before the talk" is after it.
        main_first = (cue.kind != "after") != (cue.kind == "before" and is_denied(wording, parts.main))
        found.append(_Order(cue, main, sub) if main_first else _Order(cue, sub, main))
    return [one for one in found if one.earlier and one.later]
