"""Two events in an order of time, as a text states them: "A before B", "A, then B", "B after A"."""

from itertools import product
from typing import NamedTuple

from semscale.guards.claims.events import crossing, is_negated, is_time, parts_at
from semscale.guards.claims.phrases import Cue
from semscale.guards.claims.wording import Wording
from semscale.guards.clauses import sentence_end, sentence_start

_GUARD = "order"
_THEN = "then"
_JOINTS = ("and", ",", ";")
_MARKS = frozenset(("first",))


class EventOrder(NamedTuple):
    """Two events.

    Attributes:
        cue: the phrase that orders them.
        earlier: stems of the content words of the earlier one.
        later: those of the later one.
    """

    cue: Cue
    earlier: set[str]
    later: set[str]


def read_orders(wording: Wording) -> list[EventOrder]:
    """Find pairs of events; a phrase with no event on one side gives none.

    Example:
        >>> from semscale.guards.words import TextWords
        >>> (found,) = read_orders(Wording(TextWords("Wash it and cut it afterwards.")))
        >>> found.earlier, found.later
        ({'wash'}, {'cut'})
    """
    orders = [
        _joined(wording, cue) if cue.kind == _THEN else _subordinate(wording, cue)
        for cue in wording.cues(_GUARD)
    ]
    return [order for order in orders if order.earlier and order.later]


def turned_orders(ours: Wording, theirs: Wording) -> list[tuple[EventOrder, EventOrder]] | None:
    """Pair the orders of two texts that put the same events the other way round.

    Returns:
        The pairs, none if an order agrees with one of the other text; ``None`` if a text has no order.
    """
    pairs = list(product(read_orders(ours), read_orders(theirs)))
    if not pairs:
        return None
    turned = [(one, other) for one, other in pairs if crossing(one[1:], other[1:])]
    return turned if len(turned) == len(pairs) else []


def _joined(wording: Wording, cue: Cue) -> EventOrder:
    """Split at the "and" or comma before a "then"; at the start of a sentence, before that sentence."""
    texts = wording.words.texts
    start, end = sentence_start(texts, cue.first), sentence_end(texts, cue.last)
    joint = next((at for at in range(cue.first, start, -1) if texts[at] in _JOINTS), start - 1)
    if joint < start:
        start = sentence_start(texts, joint) if joint > 0 and cue.first == joint + 1 else start
    later = wording.stems(joint + 1, cue.first) | wording.stems(cue.last + 1, end)
    return EventOrder(cue, wording.stems(start, joint) - _MARKS, later)


def _subordinate(wording: Wording, cue: Cue) -> EventOrder:
    parts = parts_at(wording, cue)
    if all(is_time(wording.words.texts[at]) for at in parts.sub if at in wording.content):
        return EventOrder(cue, set(), set())  # "after two months" names no event
    main, sub = (wording.stems(part.start, part.stop) - _MARKS for part in parts)
    # "Not before the talk" is after it.
    main_first = (cue.kind != "after") != (cue.kind == "before" and is_negated(wording, parts.main))
    return EventOrder(cue, main, sub) if main_first else EventOrder(cue, sub, main)
