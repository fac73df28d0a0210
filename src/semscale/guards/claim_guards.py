"""Guards that find claims changed in certainty, quantity, exclusivity, order, condition or roles."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import ClassVar, NamedTuple

from semscale.guards.findings import Finding, Span
from semscale.guards.phrases import (
    Cue,
    Wording,
    alignment,
    coverage,
    exchanged_alternatives,
    first_of,
    kinds_of,
    most_shared,
    similarity,
)
from semscale.guards.polarity import find_conflicts
from semscale.guards.reading import (
    AnalysedText,
    ClauseParts,
    analyse,
    are_counterparts,
    are_turned,
    comparable,
    crossing,
    denied_otherwise,
    differ,
    is_denied,
    parts_at,
    says_no,
    turned_orders,
)
from semscale.guards.relations import exchanged_places, turned_voice
from semscale.guards.words import (
    MOST_COMPARED,
    begins_sentence,
    read_lexicon,
    sentence_end,
    sentence_start,
    word_list,
)


def report(
    guard: str,
    kind: str,
    texts: tuple[AnalysedText, AnalysedText],
    cues: tuple[Cue | None, Cue | None],
    difference: str,
) -> list[Finding]:
    """Return one finding about the phrases of two texts, or none if the texts differ in marks alone.

    Args:
        guard: the guard's name.
        kind: the kind of difference.
        texts: the prediction and the reference.
        cues: the phrase in either; ``None`` if there is none.
        difference: what differs, without the full stop.
    """
    if not differ(*texts):
        return []
    here, there = (_span(text, cue) for text, cue in zip(texts, cues, strict=True))
    return [Finding(guard, kind, f"{difference}: {_beside(here, there)}.", here, there)]


def _span(text: AnalysedText, cue: Cue | None) -> Span | None:
    return None if cue is None else text.span(cue.first, cue.last)


def _beside(here: Span | None, there: Span | None) -> str:
    if here and there:
        return f'the prediction says "{here.text}", the reference "{there.text}"'
    if here:
        return f'the prediction says "{here.text}", the reference does not'
    return f'the reference says "{there.text}", the prediction does not' if there else "in other words"


class ClaimGuard(ABC):
    """A guard that looks for one kind of difference between two claims of nearly the same words.

    Attributes:
        name: the guard's name in findings.
        kinds: the one kind of its findings.
        difference: what differs, without the full stop.
    """

    name: ClassVar[str]
    kinds: ClassVar[tuple[str]]
    difference: ClassVar[str]

    def check(self, prediction: str, reference: str) -> list[Finding]:
        """Return a finding if the texts say nearly the same, but for what the guard looks for.

        Args:
            prediction: the text to be judged.
            reference: the text that it should agree with.

        Returns:
            At most one finding.
        """
        left, right = analyse(prediction), analyse(reference)
        conflict = self._conflict(left, right) if comparable(left, right) else None
        if conflict is None:
            return []
        return report(self.name, self.kinds[0], (left, right), conflict, self.difference)

    @abstractmethod
    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        """Return the phrases that differ, ``None`` for a text without one; ``None`` if nothing differs."""


OTHER_CERTAINTY = "other-certainty"
_OPEN, _PLAIN = "open", "plain"
_BY_WEIGHT = ("doubted", "unknown", "hedged", "opinion", _OPEN, "certain")
_AGREEING = tuple(
    set(pair.split())
    for pair in ("plain certain", "plain opinion", "hedged opinion", "hedged unknown", "doubted unknown")
)
_CERTAINTY_ALIKE, _CERTAINTY_ALIKE_BOTH = 0.75, 0.7


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

    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        cues = _certainty_cue(left.wording), _certainty_cue(right.wording)
        levels = [_PLAIN if cue is None else cue.kind for cue in cues]
        if are_counterparts(self.name, *levels) and are_turned(left, right):
            return None
        if not _levels_differ(*levels) or not _are_alike(left, right, _PLAIN in levels):
            return None
        return cues if _is_shared(left, cues[0], right) and _is_shared(right, cues[1], left) else None


def _certainty_cue(wording: Wording) -> Cue | None:
    """Return the phrase that decides how certain a text is."""
    cues = wording.cues(CertaintyGuard.name)
    kinds = kinds_of(cues)
    level = next((level for level in _BY_WEIGHT if level in kinds), None) if kinds else None
    return None if level is None else first_of(cues, (level,))


def _levels_differ(first: str, second: str) -> bool:
    return first != second and _OPEN not in (first, second) and {first, second} not in _AGREEING


def _is_shared(text: AnalysedText, cue: Cue | None, other: AnalysedText) -> bool:
    """Tell whether the other text, too, speaks of what a phrase hedges: the next word of its sentence."""
    if cue is None:
        return True
    content, end = text.wording.content, sentence_end(text.words.texts, cue.last)
    hedged = next((content[at] for at in range(cue.last + 1, end) if at in content), None)
    return hedged is None or hedged in other.wording.counts


def _are_alike(left: AnalysedText, right: AnalysedText, one_is_plain: bool) -> bool:
    least = _CERTAINTY_ALIKE if one_is_plain else _CERTAINTY_ALIKE_BOTH
    return alignment(left.wording, right.wording, CertaintyGuard.name) >= least


OTHER_CONDITION = "other-condition"
_IF = frozenset(("if", "when", "provided", "unless", "without", "only_if"))
_TELLING_CONDITIONS = frozenset(("if", "provided", "unless", "only_if"))
_NEEDS = word_list("needs")
_DENYING = frozenset(("unless", "without"))
_CONDITION_ALIKE, _CONDITION_ALIKE_ALONE, _COVERED, _FEWEST = 0.7, 0.75, 0.9, 4


class _Condition(NamedTuple):
    """A condition: whether it is denied, whether what depends on it is, and the stems of both."""

    cue: Cue
    denied: bool
    outcome_denied: bool
    stems: tuple[set[str], set[str]]


class ConditionGuard(ClaimGuard):
    """Finds conditions that exclude each other, are turned round, or stand in only one of the texts.

    Example:
        >>> found = ConditionGuard().check("Run it if the cache is cold.", "Run it unless the cache is cold.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-condition', 'if', 'unless')
        >>> ConditionGuard().check("Do not run it unless asked to.", "Run it only if asked to.")
        []
    """

    name = "condition"
    kinds = (OTHER_CONDITION,)
    difference = "The texts set another condition"

    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        here, there = left.wording.cues(self.name), right.wording.cues(self.name)
        if not (here or there):
            return None
        if not (here and there):
            return self._alone(left.wording, right.wording)
        if similarity(left.wording, right.wording, self.name) < _CONDITION_ALIKE:
            return None
        first, second = _condition(left.wording, here[0]), _condition(right.wording, there[0])
        if _conditions_exclude(first, second):
            return first.cue, second.cue
        is_negated = bool(
            find_conflicts(left.polarity, right.polarity)
        )  # what the guard of negations reports
        is_denied = not is_negated and _is_outcome_denied(left.wording, right.wording)
        return (first.cue, second.cue) if is_denied else None

    def _alone(self, left: Wording, right: Wording) -> tuple[Cue | None, Cue | None] | None:
        """Return a condition that only one of two texts has, if they say the same otherwise."""
        first, second = _telling_cue(left), _telling_cue(right)
        having, lacking, cue = (left, right, first) if first else (right, left, second)
        if cue is None or _is_said(having, lacking, cue):
            return None
        if _is_rest(having, lacking, cue):
            return first, second
        if denied_otherwise(left, right) or _is_needed(left) != _is_needed(right):
            return None
        return (first, second) if self._are_alike(left, right) else None

    def _are_alike(self, left: Wording, right: Wording) -> bool:
        fewest = min(len(left.content), len(right.content))
        if fewest < _FEWEST or alignment(left, right, self.name) < _CONDITION_ALIKE_ALONE:
            return False
        return coverage(left, right, self.name) >= _COVERED


def _is_rest(having: Wording, lacking: Wording, cue: Cue) -> bool:
    """Tell whether a text without its condition is the other text, word by word."""
    main = [having.words.texts[at] for at in parts_at(having, cue).main]
    return [one for one in main if one[0].isalnum()] == [
        one for one in lacking.words.texts if one[0].isalnum()
    ]


def _is_said(having: Wording, lacking: Wording, cue: Cue) -> bool:
    """Tell whether the other text speaks of the condition in other words: "with a ticket"."""
    sub = parts_at(having, cue).sub
    return having.stems(sub.start, sub.stop) <= lacking.counts.keys()


def _is_needed(wording: Wording) -> bool:
    """Tell whether a text says that something must be, which another text may say by a condition."""
    return not _NEEDS.isdisjoint(wording.words.distinct)


def _telling_cue(wording: Wording) -> Cue | None:
    """Return the first condition that tells something in one text alone.

    It stands behind what depends on it: at the start of a sentence it often only repeats what is spoken of.
    """
    cues = (cue for cue in wording.cues(ConditionGuard.name) if cue.kind in _TELLING_CONDITIONS)
    return next((cue for cue in cues if not begins_sentence(wording.words.texts, cue.first)), None)


def _condition(wording: Wording, cue: Cue) -> _Condition:
    parts: ClauseParts = parts_at(wording, cue)
    denied, outcome_denied = is_denied(wording, parts.sub), is_denied(wording, parts.main)
    if cue.kind in _DENYING:
        denied = not denied
    if cue.kind == "only_if":  # "only if it rains" is "not if it does not rain"
        denied, outcome_denied = not denied, not outcome_denied
    stems = (
        wording.stems(parts.main.start, parts.main.stop),
        wording.stems(parts.sub.start, parts.sub.stop),
    )
    return _Condition(cue, denied, outcome_denied, stems)


def _conditions_exclude(first: _Condition, second: _Condition) -> bool:
    kinds = {first.cue.kind, second.cue.kind}
    if len(kinds) == 1:
        return kinds <= _IF and crossing(first.stems, second.stems)
    if not kinds <= _IF:
        return (
            bool(first.stems[0] and second.stems[0]) and not _IF.isdisjoint(kinds) and "without" not in kinds
        )
    if (first.denied != second.denied) != (first.outcome_denied != second.outcome_denied):
        return True
    return kinds == {"if", "only_if"} and first.denied != second.denied


def _is_outcome_denied(left: Wording, right: Wording) -> bool:
    """Tell whether only a denial parts two texts with "unless" or "without": "without it you cannot enter".

    The guard of negations leaves these open, as "without" may turn a denial into a condition.
    """
    kinds = kinds_of(left.cues(ConditionGuard.name) + right.cues(ConditionGuard.name))
    if len(kinds) > 1 or not kinds <= _DENYING or not denied_otherwise(left, right):
        return False
    here, there = (
        [stem for at, stem in text.content.items() if at not in text.denials] for text in (left, right)
    )
    return here == there


OTHER_EXCLUSIVITY = "other-exclusivity"
_ONLY = "only"
_EXCEPTING = ("except", "besides")
_CONTRAST = "contrast"
_SOFT = word_list("soft")
_TELLING = ("only", "except", "also", "even")
_TURNED = frozenset(("only", "except"))
_CONFLICTS = {_TURNED} | {frozenset((limit, kind)) for limit in _TURNED for kind in ("also", "even", "")}
_EXCLUSIVITY_ALIKE, _EXCLUSIVITY_ALIKE_BOTH = 0.8, 0.6
_CLAUSE_STARTS = word_list("before_only")


class ExclusivityGuard(ClaimGuard):
    """Finds restrictions to one thing that the other text lacks, lifts or turns round.

    Example:
        >>> found = ExclusivityGuard().check("Only admins can log in.", "Even admins can log in.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-exclusivity', 'Only', 'Even')
        >>> ExclusivityGuard().check("Only admins can log in.", "Nobody but admins can log in.")
        []
    """

    name = "exclusivity"
    kinds = (OTHER_EXCLUSIVITY,)
    difference = "One text excludes what the other does not"

    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        cues = _cues(left.wording), _cues(right.wording)
        if not any(cues):
            return None
        first = first_of(cues[0], _TELLING), first_of(cues[1], _TELLING)
        return first if _limits_differ(left, right, cues, first) else None


def _cues(wording: Wording) -> list[Cue]:
    """Return the phrases of a text; "nothing except this" says "only this"."""
    return [
        cue._replace(kind=_ONLY) if cue.kind in _EXCEPTING and _is_denied_around(wording, cue) else cue
        for cue in wording.cues(ExclusivityGuard.name)
    ]


def _is_denied_around(wording: Wording, cue: Cue) -> bool:
    texts = wording.words.texts
    return any(
        says_no(text) for text in texts[sentence_start(texts, cue.first) : sentence_end(texts, cue.last)]
    )


def _limits_differ(
    left: AnalysedText,
    right: AnalysedText,
    cues: tuple[list[Cue], list[Cue]],
    first: tuple[Cue | None, Cue | None],
) -> bool:
    kinds = frozenset(cue.kind if cue else "" for cue in first)
    one, other = first
    if one and other and one.kind == other.kind == _ONLY:
        return _moved((left.wording, one), (right.wording, other)) and _are_aligned(left, right)
    if kinds_of(cues[0]) & kinds_of(cues[1]) or kinds not in _CONFLICTS:
        return False
    if kinds == _TURNED and are_turned(left, right):
        return False
    if not any(
        cue and not _is_soft(text.wording, cue) for text, cue in zip((left, right), first, strict=True)
    ):
        return False
    if None in first:
        lacking, having = (left, right) if one is None else (right, left)
        said = _ONLY in kinds and _says_it_otherwise(lacking, having)
        excused = said or _is_excused(left, right, cues[first.index(None)])
        return not excused and _are_aligned(left, right)
    return similarity(left.wording, right.wording, ExclusivityGuard.name) >= _EXCLUSIVITY_ALIKE_BOTH


def _is_excused(left: AnalysedText, right: AnalysedText, cues: list[Cue]) -> bool:
    """Tell whether the text without a telling phrase says it by a contrast, or by another negation."""
    return _CONTRAST in kinds_of(cues) or denied_otherwise(left.wording, right.wording)


def _says_it_otherwise(text: AnalysedText, other: AnalysedText) -> bool:
    """Tell whether a text without a telling phrase restricts in a weaker way: "just", "requires"."""
    words = text.words.distinct
    return not words.isdisjoint(_SOFT) or (_is_needed(text.wording) and not _is_needed(other.wording))


def _are_aligned(left: AnalysedText, right: AnalysedText) -> bool:
    return alignment(left.wording, right.wording, ExclusivityGuard.name) >= _EXCLUSIVITY_ALIKE


def _is_soft(wording: Wording, cue: Cue) -> bool:
    """Tell whether a phrase is often said for emphasis alone: "just try it"."""
    return wording.words.texts[cue.first] in _SOFT


def _moved(one: tuple[Wording, Cue], other: tuple[Wording, Cue]) -> bool:
    """Tell whether "only" restricts the subject in one text, and something behind it in the other.

    "I only ate two" and "I ate only two" say the same; "only I ate two" does not.
    """
    if one[1].first != one[1].last or other[1].first != other[1].last or _begins(*one) == _begins(*other):
        return False
    (first, cue), (second, moved) = (one, other) if _begins(*one) else (other, one)
    subject = next((stem for at, stem in first.content.items() if at > cue.last), "")
    return subject in second.stems(0, moved.first)


def _begins(wording: Wording, cue: Cue) -> bool:
    """Tell whether a word stands at the start of its clause."""
    before = wording.words.texts[cue.first - 1] if cue.first else "."
    return not before[0].isalnum() or before in _CLAUSE_STARTS


OTHER_ORDER = "other-order"
_ORDER_ALIKE = 0.6


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

    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        if not (left.wording.cues(self.name) and right.wording.cues(self.name)):
            return None
        if similarity(left.wording, right.wording, self.name) < _ORDER_ALIKE:
            return None
        turned = turned_orders(left.wording, right.wording)
        if turned:
            return turned[0][0].cue, turned[0][1].cue
        spans = exchanged_alternatives(left.wording, right.wording, ("span",))
        return None if are_turned(left, right) else spans


OTHER_QUANTITY = "other-quantity"
_BOUNDS = frozenset(("at_most", "at_least", "above", "below"))
_UPPER = frozenset(("at_most", "below"))
_TELLING_QUANTITIES = frozenset(("half", "not_all", "minority"))
_PERSON = "person"
_PEOPLE = word_list("people")
_PERSONS = ("one", "body")
_HEAD_WITHIN, _FARTHEST_NUMBER = 5, 6
_SHARES_ALIKE, _ALIKE_HEAD, _SHARES_ALIKE_ALONE, _ALIKE_TURN = 0.7, 0.5, 0.85, 0.9


class _Amount(NamedTuple):
    """A word for how many, and the stem of the thing that it counts ("" if none is near)."""

    cue: Cue
    head: str


class QuantityGuard(ClaimGuard):
    """Finds words for how many that exclude each other.

    Example:
        >>> found = QuantityGuard().check("Most tests passed.", "Few of the tests passed.")
        >>> found[0].kind, found[0].prediction.text, found[0].reference.text
        ('other-quantity', 'Most', 'Few of')
        >>> QuantityGuard().check("All tests passed.", "Every test passed.")
        []
    """

    name = "quantity"
    kinds = (OTHER_QUANTITY,)
    difference = "The texts speak of another share"

    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        if not (left.wording.cues(self.name) or right.wording.cues(self.name)):
            return None
        return next(_conflicts(left, right), None)


def _conflicts(left: AnalysedText, right: AnalysedText) -> Iterator[tuple[Cue | None, Cue | None]]:
    here, there = _amounts(left.wording), _amounts(right.wording)
    if _are_told_in_turn(here, there) and not _alike(left, right, _ALIKE_TURN):
        return
    if here and there:
        yield from _between(here, there, (left, right))
        return
    alone: list[tuple[Cue | None, Cue | None]] = [(first.cue, None) for first in here if _tells_alone(first)]
    alone += [(None, second.cue) for second in there if _tells_alone(second)]
    if (
        alone
        and _alike(left, right, _SHARES_ALIKE_ALONE)
        and not denied_otherwise(left.wording, right.wording)
    ):
        yield from alone


def _are_told_in_turn(here: list[_Amount], there: list[_Amount]) -> bool:
    """Tell whether two texts have the same words for several shares: "some are red, most are blue"."""
    kinds = sorted(first.cue.kind for first in here)
    return len(set(kinds)) > 1 and kinds == sorted(second.cue.kind for second in there)


def _tells_alone(amount: _Amount) -> bool:
    return amount.cue.kind in _TELLING_QUANTITIES


def _alike(left: AnalysedText, right: AnalysedText, least: float) -> bool:
    return alignment(left.wording, right.wording, QuantityGuard.name) >= least


def _between(
    here: list[_Amount], there: list[_Amount], texts: tuple[AnalysedText, AnalysedText]
) -> Iterator[tuple[Cue, Cue]]:
    """Compare words for how many of the same things; one word in either text may count unlike things."""
    pairs = [
        (first, second) for first in here for second in there if first.head and first.head == second.head
    ]
    least = _ALIKE_HEAD if pairs else _SHARES_ALIKE
    if not pairs and len(here) == len(there) == 1:
        pairs = [(here[0], there[0])]
    agreeing = [pair for pair in pairs if not _quantities_exclude(pair[0].cue.kind, pair[1].cue.kind)]
    settled = {first for pair in agreeing for first in pair}
    left = [pair for pair in pairs if settled.isdisjoint(pair)]
    for first, second in left if left and _alike(*texts, least) else ():
        if not _is_made_up(first.cue.kind, second.cue.kind, *texts):
            yield first.cue, second.cue


def _quantities_exclude(first: str, second: str) -> bool:
    """Tell whether no share of things is meant by both of two classes."""
    if not _BOUNDS.isdisjoint((first, second)):
        return {first, second} <= _BOUNDS and (first in _UPPER) != (second in _UPPER)
    shares: dict[str, tuple[float, float]] = read_lexicon("shares")
    (low, high), (least, most) = shares[first], shares[second]
    return high < least or most < low


def _is_made_up(first: str, second: str, left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether another negation, or an opposite, makes up for another share.

    "All agree" and "none failed to agree", "few were polite" and "most were rude".
    """
    if first in _BOUNDS:  # "none has more than one" is "each has at most one"
        here, there = (kinds_of(text.wording.cues(QuantityGuard.name)) for text in (left, right))
        return "none" in here ^ there
    return are_counterparts(QuantityGuard.name, first, second) and are_turned(left, right)


def _amounts(wording: Wording) -> list[_Amount]:
    """List the words for how many; a bound counts only before a number."""
    cues = wording.cues(QuantityGuard.name)[:MOST_COMPARED]
    amounts = [_Amount(cue, _head(wording, cue)) for cue in cues]
    return [one for one in amounts if one.cue.kind not in _BOUNDS or _is_number_beside(wording, one.cue)]


def _is_number_beside(wording: Wording, cue: Cue) -> bool:
    texts = wording.words.texts
    beside = texts[max(cue.first - _FARTHEST_NUMBER, 0) : cue.first] + texts[cue.last + 1 : cue.last + 3]
    return any(text[0].isdecimal() or text in word_list("number_words") for text in beside)


def _head(wording: Wording, cue: Cue) -> str:
    """Return the stem of what a word for how many counts."""
    texts, content = wording.words.texts, wording.content
    if texts[cue.last].endswith(_PERSONS):
        return _PERSON
    ahead = range(cue.last + 1, min(cue.last + 1 + _HEAD_WITHIN, len(texts)))
    stem = next((content[at] for at in ahead if at in content), "")
    return _PERSON if stem in _PEOPLE else stem


EXCHANGED = "exchanged"
_LEAST_SHARED, _FEWEST_WORDS, _MOST_WORDS = 0.8, 2, 400


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

    def _conflict(self, left: AnalysedText, right: AnalysedText) -> tuple[Cue | None, Cue | None] | None:
        if not _nearly_same_words(left.wording, right.wording):
            return None
        exchanged = None if _are_opposed(left, right) else exchanged_places(left.wording, right.wording)
        exchanged = exchanged or turned_voice(left.wording, right.wording)
        if exchanged is None:
            return None
        here, there = (Cue(EXCHANGED, min(positions), max(positions)) for positions in exchanged)
        return here, there


def _nearly_same_words(left: Wording, right: Wording) -> bool:
    first, second = left.content, right.content
    total = len(first) + len(second)
    if min(len(first), len(second)) < _FEWEST_WORDS or total > _MOST_WORDS:
        return False
    if 2 * min(len(first), len(second)) < _LEAST_SHARED * total:
        return False
    if 2 * most_shared(left, right) < _LEAST_SHARED * total:
        return False
    return 2 * (left.counts & right.counts).total() >= _LEAST_SHARED * total


def _are_opposed(left: AnalysedText, right: AnalysedText) -> bool:
    """Tell whether an opposite ("more", "less") or a negation of one text may turn the roles back."""
    here, there = left.polarity, right.polarity
    undecided = (here.affirmed & here.negated) | (there.affirmed & there.negated)
    return bool(((here.affirmed & there.negated) | (here.negated & there.affirmed)) - undecided)
