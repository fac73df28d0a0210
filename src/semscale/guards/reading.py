"""Texts as the guards read them, their events, and counterparts of their words in the other text."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, product
from typing import NamedTuple

from semscale.guards.findings import Span
from semscale.guards.names import Name, read_names
from semscale.guards.phrases import Cue, Wording, kinds_of
from semscale.guards.polarity import Conflict, Mention, Polarity, read_polarity
from semscale.guards.quantities import Quantity, read_quantities
from semscale.guards.words import (
    MOST_COMPARED,
    TextWords,
    is_english_script,
    same_but_for_marks,
    sentence_end,
    sentence_start,
    word_list,
)


class AnalysedText:
    """A text's words, wording, polarity, quantities and names; each is computed when it is first needed.

    Attributes:
        text: the text.
        is_english_script: whether most letters are Latin (see ``words.is_english_script``).
        words: its words; none if the letters are not Latin.
    """

    __slots__ = ("_names", "_polarity", "_quantities", "_wording", "is_english_script", "text", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.is_english_script = is_english_script(text)
        self.words = TextWords(text if self.is_english_script else "")
        self._polarity: Polarity | None = None
        self._quantities: list[Quantity] | None = None
        self._names: list[Name] | None = None
        self._wording: Wording | None = None

    @property
    def wording(self) -> Wording:
        """Its phrases and content words for the guards of claims."""
        if self._wording is None:
            self._wording = Wording(self.words)
        return self._wording

    @property
    def polarity(self) -> Polarity:
        """The signs of its content words."""
        if self._polarity is None:
            self._polarity = read_polarity(self.words)
        return self._polarity

    @property
    def quantities(self) -> list[Quantity]:
        """Its numbers and labels."""
        if self._quantities is None:
            self._quantities = read_quantities(self.words)
        return self._quantities

    @property
    def names(self) -> list[Name]:
        """Its names."""
        if self._names is None:
            names = read_names(self.words)
            self._names = self._apart_from_quantities(names) if names else names
        return self._names

    def _apart_from_quantities(self, names: list[Name]) -> list[Name]:
        """Drop what only looks like a name: the unit in "5 mM", the label in "chapter IV", an ordinal."""
        taken = {at for one in self.quantities if one.unit or one.label for at in range(one.start, one.end)}
        ordinals = {(one.start, one.end) for one in self.quantities if one.weak}
        return [
            name
            for name in names
            if taken.isdisjoint(range(name.start, name.end))
            and (name.kind == "month" or (name.start, name.end) not in ordinals)
        ]

    def span(self, first: int, last: int) -> Span:
        """Return the span of the words from the first to the last position, both included."""
        return self.place(*self.words.place(first, last))

    def place(self, start: int, end: int) -> Span:
        """Return the span from one character up to, without, another."""
        return Span(start, end, self.text[start:end])


@lru_cache(maxsize=4096)
def analyse(text: str) -> AnalysedText:
    """Return the analysis of a text; recent ones are cached.

    Example:
        >>> [quantity.shown for quantity in analyse("take 5 mg").quantities]
        ['5 mg']
    """
    return AnalysedText(text)


def comparable(prediction: AnalysedText, reference: AnalysedText) -> bool:
    """Tell whether guards check a pair: its texts differ, and both are in Latin letters."""
    return prediction.text != reference.text and prediction.is_english_script and reference.is_english_script


@lru_cache(maxsize=512)
def differ(prediction: AnalysedText, reference: AnalysedText) -> bool:
    """Tell whether a pair differs in more than case, white space and marks; if not, nothing is reported.

    This check takes longer than most guards' own search, so they call it last.
    """
    return not same_but_for_marks(prediction.text, reference.text)


_MOST_BEFORE = 0
_TIMES = word_list("times")
_DENIALS = word_list("denials")


class ClauseParts(NamedTuple):
    """The two parts of a sentence.

    Attributes:
        main: positions of the words of the main clause.
        sub: positions of the words of the clause behind the cue.
    """

    main: range
    sub: range


def parts_at(wording: Wording, cue: Cue) -> ClauseParts:
    """Split the sentence of a cue: "A before B", "before B, A".

    A part is empty if no comma shows where it begins.

    Args:
        wording: a text.
        cue: one of its phrases.

    Example:
        >>> from semscale.guards.words import TextWords
        >>> parts_at(Wording(TextWords("Before lunch, wash your hands.")), Cue("before", 0, 0))
        ClauseParts(main=range(3, 6), sub=range(1, 2))
    """
    texts = wording.words.texts
    start = sentence_start(texts, cue.first)
    end = sentence_end(texts, cue.last)
    comma = next((at for at in range(cue.last + 1, end) if texts[at] == ","), end)
    before = [texts[at] for at in range(start, cue.first) if at in wording.content]
    if sum(not is_time(text) for text in before) <= _MOST_BEFORE:
        return ClauseParts(range(comma + 1, end), range(cue.last + 1, comma))
    own = next((at + 1 for at in range(cue.first - 2, start, -1) if texts[at] == ","), start)
    return ClauseParts(range(own, cue.first), range(cue.last + 1, comma))


def is_denied(wording: Wording, places: range) -> bool:
    """Tell whether an odd number of negations stands in a part of a text."""
    return denials(wording, places) % 2 == 1


def denials(wording: Wording, places: Iterable[int]) -> int:
    """Count the negations in a part of a text, without "nobody but" and the like, which deny nothing."""
    denying = wording.denials
    return sum(at in denying for at in places) if denying else 0


def says_no(text: str) -> bool:
    """Tell whether a word negates by itself, as "not" and "nobody" do, and "omit" does not."""
    return text in _DENIALS or text.endswith("n't")


def is_negated(wording: Wording, places: Iterable[int]) -> bool:
    """Tell whether an odd number of such words stands in a part of a text; "nobody but" is none."""
    texts = wording.words.texts
    return sum(says_no(texts[at]) and not wording.cue_at("exclusivity", at) for at in places) % 2 == 1


def denied_otherwise(left: Wording, right: Wording) -> bool:
    """Tell whether one of two texts has more negations: "only if it is", "not if it is not"."""
    return len(left.denials) != len(right.denials)


def crossing(first: tuple[set[str], set[str]], second: tuple[set[str], set[str]]) -> bool:
    """Tell whether the first part of each text is rather the second part of the other one.

    Args:
        first: stems of the two parts of one text.
        second: those of the other text.
    """
    straight = len(first[0] & second[0]) + len(first[1] & second[1])
    crossed = len(first[0] & second[1]), len(first[1] & second[0])
    return all(crossed) and sum(crossed) > straight


def is_time(text: str) -> bool:
    """Tell whether a word only says how long before or after: "ten minutes before"."""
    return text in _TIMES or not text[0].isalpha() or text in word_list("number_words")


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
        for cue in wording.cues(_GUARD)[:MOST_COMPARED]
    ]
    return [order for order in orders if order.earlier and order.later]


@lru_cache(maxsize=512)
def turned_orders(left: Wording, right: Wording) -> list[tuple[EventOrder, EventOrder]] | None:
    """Pair the orders of two texts that put the same events the other way round.

    Returns:
        The pairs, none if an order agrees with one of the other text; ``None`` if a text has no order.
    """
    pairs = list(product(read_orders(left), read_orders(right)))
    if not pairs:
        return None
    turned = [(first, second) for first, second in pairs if crossing(first[1:], second[1:])]
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


_COUNTERPARTS = {
    "quantity": ("none all", "none some", "few most", "few many", "few nearly_all", "minority most")
    + ("not_all some", "half half"),
    "exclusivity": ("only except",),
    "certainty": ("hedged doubted", "hedged unknown"),
}
_PAIRS = {
    guard: frozenset(frozenset(pair.split()) for pair in pairs) for guard, pairs in _COUNTERPARTS.items()
}
_LEVELS = ("certain", "doubted", "unknown", "hedged")
_CLAUSE_STARTS = word_list("after_certainty")
_FARTHEST_CERTAIN = 3
_ONLY_IF, _NONE = "only_if", "none"
_CONTRAST, _EXCEPT = "contrast", "except"
_OWN_OPPOSITES = ("certainty", "order")
_UNTIL = frozenset(("until", "till"))
_COMPLEMENTS = (("above", "at_most"), ("below", "at_least"))
_CONDITIONS = frozenset(("if", "when", "provided", "unless", "without", "only_if"))
_BOUNDS = ("at_most", "at_least")
_BY_DENIAL = (*_BOUNDS, "many")
_DENIED_AMOUNTS = ("not_all", "few")
_ONLY = "only"
_ELSEWHERE = word_list("elsewhere")


def are_counterparts(guard: str, first: str, second: str) -> bool:
    """Tell whether a negation turns phrases of one class into those of another.

    Args:
        guard: the guard whose classes these are: ``quantity``, ``exclusivity`` or ``certainty``.
        first: a class of its phrases.
        second: another one.

    Example:
        >>> are_counterparts("quantity", "few", "most"), are_counterparts("quantity", "few", "some")
        (True, False)
    """
    return frozenset((first, second)) in _PAIRS[guard]


@lru_cache(maxsize=512)
def are_turned(left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether an odd number of negations and opposites stands between two texts.

    What belongs to a phrase for how many, for "only" or for certainty is not counted, and a bound beside
    its complement ("more than one", "at most one") counts once.
    """
    skipped = _covered(left.wording), _covered(right.wording)
    count = sum(_denials(text, of) for text, of in zip((left, right), skipped, strict=True))
    here, there = _sides(left, skipped[0]), _sides(right, skipped[1])
    opposed = sum(len(here[key]) == len(there.get(key, ())) == 1 and here[key] != there[key] for key in here)
    return (count + opposed + _have_complements(left.wording, right.wording)) % 2 == 1


def make_up(left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether two texts have counterparts, and the one negation or opposite that these ask for."""
    return any(_have_counterparts(guard, left.wording, right.wording) for guard in _PAIRS) and are_turned(
        left, right
    )


def is_left_to_claims(conflict: Conflict, left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether a conflict is one of phrases that a guard of claims compares with each other.

    Opposites are if both are parts of such phrases ("probably", "unlikely"), a negation if it is part of one.
    """
    if conflict.cause == "opposite":
        guard = next((guard for guard in _OWN_OPPOSITES if _are_inside(conflict, left, right, guard)), "")
        return bool(guard) and (guard != "order" or orders_agree(left, right))
    return _is_of_phrase(conflict.prediction, left.wording, right.wording) or _is_of_phrase(
        conflict.reference, right.wording, left.wording
    )


def orders_agree(left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether both texts put the same events in an order, and in the same one."""
    return turned_orders(left.wording, right.wording) == []


def _have_counterparts(guard: str, left: Wording, right: Wording) -> bool:
    here, there = (kinds_of(text.cues(guard)) for text in (left, right))
    return any(are_counterparts(guard, first, second) for first in here for second in there)


def _is_of_phrase(negated: Mention, here: Wording, there: Wording) -> bool:
    if not negated.cues:
        return False
    denial = negated.cues[-1]
    return (
        _sets_bound(here, denial)
        or _is_amount_beside_another(here, there, denial)
        or (says_no(here.words.texts[denial]) and _is_about_others(here, there))
        or _excepts_otherwise(here, there, denial)
        or _denies_certainty(here, denial)
        or _delays(here, there, denial)
        or _is_condition_turned(here, there)
    )


def _sets_bound(wording: Wording, denial: int) -> bool:
    """Tell whether a negation is part of a bound, or of a great amount: "no more than", "no shortage of"."""
    cue = wording.cue_at("quantity", denial)
    return cue is not None and cue.kind in _BY_DENIAL


def _is_amount_beside_another(here: Wording, there: Wording, denial: int) -> bool:
    """Tell whether a negation is part of a word for how many, and the other text has such a word, too."""
    cue = here.cue_at("quantity", denial)
    return cue is not None and cue.kind in _DENIED_AMOUNTS and bool(there.cues("quantity"))


@lru_cache(maxsize=512)
def _is_about_others(here: Wording, there: Wording) -> bool:
    """Tell whether one text denies of others what is only of one thing: "by day only", "not at night"."""
    texts = there.words.texts
    for cue in there.cues("exclusivity"):
        if cue.kind == _ONLY:
            end = sentence_end(texts, cue.last)
            behind = (there.content[at] for at in range(cue.last + 1, end) if at in there.content)
            before = (there.content[at] for at in range(cue.first - 1, -1, -1) if at in there.content)
            focus = next(behind, None) or next(before, None)
            if focus is not None and (
                focus not in here.counts or not _ELSEWHERE.isdisjoint(here.words.distinct)
            ):
                return True
    return False


def _are_inside(conflict: Conflict, left: AnalysedText, right: AnalysedText, guard: str) -> bool:
    here = left.wording.cue_at(guard, conflict.prediction.at)
    return bool(here and right.wording.cue_at(guard, conflict.reference.at))


def _excepts_otherwise(here: Wording, there: Wording, denial: int) -> bool:
    """Tell whether one sentence has "only" and the other an exception: "only A may", "none may but A".

    Nor is "no one else" a negation beside another phrase for "only".
    """
    others = kinds_of(there.cues("exclusivity")) - {_CONTRAST}
    around = here.cue_at("exclusivity", denial)
    if around is not None:  # "but not this one" beside "all except this one"
        return bool(others) if around.kind != _CONTRAST else _EXCEPT in others
    kinds = _kinds_around(here, "exclusivity", denial) - {_CONTRAST}
    return bool(kinds and others) and kinds.isdisjoint(others)


def _denies_certainty(wording: Wording, denial: int) -> bool:
    """Tell whether a negation only says how certain a clause is: "it is not certain that", "no doubt"."""
    near = (wording.cue_at("certainty", denial + ahead) for ahead in range(_FARTHEST_CERTAIN + 1))
    return any(cue is not None and cue.kind in _LEVELS and _has_clause(wording, cue) for cue in near)


def _has_clause(wording: Wording, cue: Cue) -> bool:
    texts = wording.words.texts
    return not _CLAUSE_STARTS.isdisjoint(texts[cue.last : cue.last + 2])


def _delays(here: Wording, there: Wording, denial: int) -> bool:
    """Tell whether a negation only says when: "do not cut it before you wash it", "wash it, then cut it".

    "It worked until noon" and "after noon it did not work" agree, too.
    """
    kinds = _kinds_around(here, "order", denial)
    if "before" in kinds and says_no(here.words.texts[denial]):
        turned = turned_orders(here, there)
        return turned == [] if turned is not None else bool(there.cues("order"))
    return "after" in kinds and not _UNTIL.isdisjoint(there.words.distinct)


def _is_condition_turned(here: Wording, there: Wording) -> bool:
    """Tell whether both texts deny as much, one with "only if": "no pay if late", "pay only if not late"."""
    kinds = [kinds_of(text.cues("condition")) for text in (here, there)]
    one_each = all(len(of) == 1 and of <= _CONDITIONS for of in kinds)
    return one_each and _ONLY_IF in kinds[0] ^ kinds[1] and not denied_otherwise(here, there)


def _kinds_around(wording: Wording, guard: str, at: int) -> set[str]:
    """Return the classes of a guard's phrases in the sentence of a word."""
    texts = wording.words.texts
    sentence = range(sentence_start(texts, at), sentence_end(texts, at))
    cues = (wording.cue_at(guard, position) for position in sentence)
    return {cue.kind for cue in cues if cue is not None and cue.first in sentence}


def _denials(text: AnalysedText, skipped: set[int]) -> int:
    """Count the negations that belong to no phrase, "without" included."""
    return len(text.wording.denials - skipped) + text.words.texts.count("without")


def _have_complements(left: Wording, right: Wording) -> bool:
    here, there = (kinds_of(text.cues("quantity")) for text in (left, right))
    return any(
        (first in here and second in there) or (second in here and first in there)
        for first, second in _COMPLEMENTS
    )


def _covered(wording: Wording) -> set[int]:
    """Return the positions of phrases; beside another amount, "no" only denies: "some have no key"."""
    amounts = wording.cues("quantity")
    if not kinds_of(amounts) <= {_NONE, *chain(*_COMPLEMENTS)}:
        amounts = [cue for cue in amounts if cue.kind != _NONE]
    cues = chain(amounts, wording.cues("exclusivity"), wording.cues("certainty"))
    return {at for cue in cues for at in range(cue.first, cue.last + 1)}


def _sides(text: AnalysedText, skipped: set[int]) -> dict[str, set[int]]:
    """Return the named sides of each axis, without words that count as negations already."""
    sides: dict[str, set[int]] = {}
    for mention in text.polarity.mentions:
        if mention.at not in skipped and not denials(text.wording, (mention.at,)):
            sides.setdefault(mention.key, set()).add(mention.side)
    return sides
