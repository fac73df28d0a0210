"""Claims changed in certainty, quantity, exclusivity, order, condition or roles.

Each function compares two texts with nearly the same words, and finds the phrases in which they differ.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from semscale.guards.claims import (
    are_counterparts,
    are_turned,
    crossing,
    differ_in_negations,
    find_reversed_orders,
    is_denial,
    is_denied,
    parts_at,
)
from semscale.guards.findings import Finding
from semscale.guards.polarity import find_conflicts, read_polarity
from semscale.guards.relations import find_exchange, find_voice_change
from semscale.guards.text import (
    Cue,
    Text,
    alignment,
    coverage,
    differ,
    find_exchanged_alternatives,
    first_of,
    kinds_of,
    most_shared,
    similarity,
)
from semscale.guards.words import (
    MOST_COMPARED,
    begins_sentence,
    read_lexicon,
    sentence_end,
    sentence_start,
    word_list,
)

Cues = tuple[Cue | None, Cue | None]
"""Phrases in which a prediction and a reference differ; ``None`` for a text without such a phrase."""


@dataclass(frozen=True)
class ClaimDifference:
    """One kind of difference that a guard looks for between two claims with nearly the same words.

    Attributes:
        guard: the guard's name.
        kind: the kind of its findings.
        difference: description of the difference, without the full stop.
        conflict: finds the phrases in which a prediction and a reference differ; ``None`` for none.
    """

    guard: str
    kind: str
    difference: str
    conflict: Callable[[Text, Text], Cues | None]

    def compare(self, left: Text, right: Text) -> list[Finding]:
        """Return at most one finding, if the texts agree in nearly all but the difference.

        Args:
            left: the prediction.
            right: the reference.
        """
        cues = self.conflict(left, right)
        if cues is None or not differ(left, right):
            return []
        here, there = (
            None if cue is None else text.span(cue.first, cue.last)
            for text, cue in zip((left, right), cues, strict=True)
        )
        if here and there:
            shown = f'the prediction says "{here.text}", the reference "{there.text}"'
        elif here:
            shown = f'the prediction says "{here.text}", the reference does not'
        else:
            shown = (
                f'the reference says "{there.text}", the prediction does not' if there else "in other words"
            )
        return [Finding(self.guard, self.kind, f"{self.difference}: {shown}.", here, there)]


_OPEN, _PLAIN = "open", "plain"
_CERTAINTY_BY_WEIGHT = ("doubted", "unknown", "hedged", "opinion", _OPEN, "certain")
_AGREEING_LEVELS = tuple(
    set(pair.split())
    for pair in ("plain certain", "plain opinion", "hedged opinion", "hedged unknown", "doubted unknown")
)
_CERTAINTY_ALIKE, _CERTAINTY_ALIKE_BOTH = 0.75, 0.7


def other_certainty(left: Text, right: Text) -> Cues | None:
    """Find a statement that is plain in one text and hedged or doubted in the other.

    An opinion ("I think", "it seems") agrees with a plain statement.

    Examples:
        >>> other_certainty(Text("The patch may fix the crash."), Text("The patch fixes the crash."))
        (Cue(kind='hedged', first=2, last=2), None)
        >>> other_certainty(Text("Perhaps it rains."), Text("It may rain."))
    """
    cues = _certainty_cue(left), _certainty_cue(right)
    levels = [_PLAIN if cue is None else cue.kind for cue in cues]
    if _OPEN in levels or levels[0] == levels[1] or set(levels) in _AGREEING_LEVELS:
        return None
    if are_counterparts("certainty", *levels) and are_turned(left, right):
        return None
    least = _CERTAINTY_ALIKE if _PLAIN in levels else _CERTAINTY_ALIKE_BOTH
    if alignment(left, right, "certainty") < least:
        return None
    return cues if _hedges_shared(left, cues[0], right) and _hedges_shared(right, cues[1], left) else None


def _certainty_cue(text: Text) -> Cue | None:
    """Return the phrase that decides how certain a text is."""
    cues = text.cues["certainty"]
    kinds = kinds_of(cues)
    level = next((level for level in _CERTAINTY_BY_WEIGHT if level in kinds), None)
    return None if level is None else first_of(cues, (level,))


def _hedges_shared(text: Text, cue: Cue | None, other: Text) -> bool:
    """Tell whether a phrase hedges something of the other text: the next content word of its sentence."""
    if cue is None:
        return True
    content, end = text.content, sentence_end(text.words, cue.last)
    hedged = next((content[at] for at in range(cue.last + 1, end) if at in content), None)
    return hedged is None or hedged in other.counts


_IF = frozenset(("if", "when", "provided", "unless", "without", "only_if"))
_STATED_ALONE = ("if", "provided", "unless", "only_if")
_NEEDS = word_list("needs")
_DENYING_CONDITIONS = frozenset(("unless", "without"))
_CONDITION_ALIKE, _CONDITION_ALIKE_ALONE, _COVERED, _FEWEST = 0.7, 0.75, 0.9, 4


class _Condition(NamedTuple):
    """A condition: flags for a denied condition and a denied outcome, and the stems of both."""

    cue: Cue
    denied: bool
    outcome_denied: bool
    stems: tuple[set[str], set[str]]


def other_condition(left: Text, right: Text) -> Cues | None:
    """Find conditions that exclude each other, are reversed, or appear in only one of the texts.

    Examples:
        >>> other_condition(Text("Run it if the cache is cold."), Text("Run it unless the cache is cold."))
        (Cue(kind='if', first=2, last=2), Cue(kind='unless', first=2, last=2))
        >>> other_condition(Text("Do not run it unless asked to."), Text("Run it only if asked to."))
    """
    here, there = left.cues["condition"], right.cues["condition"]
    if not (here or there):
        return None
    if not (here and there):
        return _condition_alone(left, right)
    if similarity(left, right, "condition") < _CONDITION_ALIKE:
        return None
    first, second = _condition(left, here[0]), _condition(right, there[0])
    if _conditions_exclude(first, second):
        return first.cue, second.cue
    is_negated = find_conflicts(
        read_polarity(left), read_polarity(right)
    )  # the guard of negations reports it
    return (first.cue, second.cue) if not is_negated and _is_outcome_denied(left, right) else None


def _condition_alone(left: Text, right: Text) -> Cues | None:
    """Return a condition that only one of two texts has, if they agree otherwise."""
    cues = _first_condition(left), _first_condition(right)
    having, lacking = (left, right) if cues[0] else (right, left)
    cue = cues[0] or cues[1]
    if cue is None:
        return None
    main, sub = parts_at(having, cue)
    if having.stems(sub) <= lacking.counts.keys():
        return None  # in other words: "with a ticket"
    if _without_marks(having.words[at] for at in main) == _without_marks(lacking.words):
        return cues
    if differ_in_negations(left, right) or _states_need(left) != _states_need(right):
        return None
    fewest = min(len(left.content), len(right.content))
    if fewest < _FEWEST or alignment(left, right, "condition") < _CONDITION_ALIKE_ALONE:
        return None
    return cues if coverage(left, right, "condition") >= _COVERED else None


def _without_marks(words: Sequence[str] | Iterator[str]) -> list[str]:
    return [word for word in words if word[0].isalnum()]


def _states_need(text: Text) -> bool:
    """Tell whether a text states a requirement, which the other text may state as a condition."""
    return not _NEEDS.isdisjoint(text.distinct)


def _first_condition(text: Text) -> Cue | None:
    """Return the first condition of a text that counts if the other text has none.

    Only a condition after its outcome counts: at the start of a sentence it often repeats the topic.
    """
    cues = (cue for cue in text.cues["condition"] if cue.kind in _STATED_ALONE)
    return next((cue for cue in cues if not begins_sentence(text.words, cue.first)), None)


def _condition(text: Text, cue: Cue) -> _Condition:
    main, sub = parts_at(text, cue)
    denied, outcome_denied = is_denied(text, sub), is_denied(text, main)
    if cue.kind in _DENYING_CONDITIONS:
        denied = not denied
    if cue.kind == "only_if":  # "only if it rains" is "not if it does not rain"
        denied, outcome_denied = not denied, not outcome_denied
    return _Condition(cue, denied, outcome_denied, (text.stems(main), text.stems(sub)))


def _conditions_exclude(first: _Condition, second: _Condition) -> bool:
    kinds = {first.cue.kind, second.cue.kind}
    if len(kinds) == 1:
        return kinds <= _IF and crossing(first.stems, second.stems)
    if not kinds <= _IF:
        have_outcomes = bool(first.stems[0] and second.stems[0])
        # What happens when it rains may well be reported to happen because it rains.
        may_agree = "without" in kinds or kinds == {"when", "because"}
        return have_outcomes and not _IF.isdisjoint(kinds) and not may_agree
    if (first.denied != second.denied) != (first.outcome_denied != second.outcome_denied):
        return True
    return kinds == {"if", "only_if"} and first.denied != second.denied


def _is_outcome_denied(left: Text, right: Text) -> bool:
    """Tell whether two texts with "unless" or "without" differ only in a denial.

    An example is "without it you cannot enter" and "without it you can enter". The guard of negations does
    not report these, because "without" may turn a denial into a condition.
    """
    kinds = kinds_of(left.cues["condition"] + right.cues["condition"])
    if len(kinds) > 1 or not kinds <= _DENYING_CONDITIONS or not differ_in_negations(left, right):
        return False
    here, there = (
        [stem for at, stem in text.content.items() if at not in text.denials] for text in (left, right)
    )
    return here == there


_ONLY, _EXCEPT, _CONTRAST = "only", "except", "contrast"
_EXCEPTING = (_EXCEPT, "besides")
_SOFT = word_list("soft")
_BEFORE_COUNTS = word_list("before_counts")
_LIMITS = (_ONLY, _EXCEPT, "also", "even")
_TURNED = frozenset((_ONLY, _EXCEPT))
_CONFLICTING_LIMITS = {_TURNED} | {
    frozenset((limit, kind)) for limit in _TURNED for kind in ("also", "even", "")
}
_EXCLUSIVITY_ALIKE, _EXCLUSIVITY_ALIKE_BOTH = 0.8, 0.6
_CLAUSE_STARTS = word_list("before_only")


def other_exclusivity(left: Text, right: Text) -> Cues | None:
    """Find a restriction to one thing that the other text lacks, lifts or reverses.

    Examples:
        >>> other_exclusivity(Text("Only admins can log in."), Text("Even admins can log in."))
        (Cue(kind='only', first=0, last=0), Cue(kind='even', first=0, last=0))
        >>> other_exclusivity(Text("Only admins can log in."), Text("Nobody but admins can log in."))
    """
    if not (left.cues["exclusivity"] or right.cues["exclusivity"]):
        return None
    cues = _limits(left), _limits(right)
    first = first_of(cues[0], _LIMITS), first_of(cues[1], _LIMITS)
    return first if _limits_differ((left, right), cues, first) else _find_lost_restriction(left, right)


_LONGEST_FOCUS = 3
_ANY = frozenset(("any", "anyone", "anybody"))


def _find_lost_restriction(left: Text, right: Text) -> Cues | None:
    """Find "only" in one text where the other says the same of others: "only admins", "all users".

    The texts are equal before and behind the phrases that "only" and "all" restrict. Without "all", only
    subjects are compared: "only admins may edit", "guests may edit".
    """
    for here, there in ((left, right), (right, left)):
        only = first_of(_limits(here), (_ONLY,))
        if only is None or _limits(there) or _is_emphasis(here.words, only):
            continue
        if differ_in_negations(left, right) or _restricts_softly(there, here):
            return None
        every = first_of(there.cues["quantity"], ("all",)) or _any_in(there)
        if (every or _begins_clause(here, only)) and _are_restricted(
            _outside(here, only), only, _outside(there, every), every
        ):
            return (only, every) if here is left else (every, only)
    return None


def _any_in(text: Text) -> Cue | None:
    at = next((at for at, word in enumerate(text.words) if word in _ANY), None)
    return None if at is None else Cue("all", at, at)


def _outside(text: Text, cue: Cue | None) -> list[tuple[int, str]]:
    """Return the content words outside a phrase with their positions."""
    covered = range(0) if cue is None else range(cue.first, cue.last + 1)
    return [(at, stem) for at, stem in text.content.items() if at not in covered]


def _are_restricted(
    here: list[tuple[int, str]], only: Cue, there: list[tuple[int, str]], every: Cue | None
) -> bool:
    """Tell whether two lists of words differ in one phrase, which "only" or "all" restricts in its text."""
    before = _n_equal(here, there)
    behind = min(_n_equal(here[::-1], there[::-1]), len(here) - before, len(there) - before)
    phrases = here[before : len(here) - behind], there[before : len(there) - behind]
    if not 0 < len(phrases[0]) <= _LONGEST_FOCUS or len(phrases[1]) > _LONGEST_FOCUS:
        return False
    if before + behind < (1 if every else 2) or not (every or phrases[1]):
        return False
    return _is_beside(phrases[0], only, here) and (every is None or _is_beside(phrases[1], every, there))


def _n_equal(here: list[tuple[int, str]], there: list[tuple[int, str]]) -> int:
    """Count the equal words at the start of two lists."""
    pairs = enumerate(zip(here, there, strict=False))
    return next((at for at, ((_, one), (_, other)) in pairs if one != other), min(len(here), len(there)))


def _is_beside(phrase: list[tuple[int, str]], cue: Cue, words: list[tuple[int, str]]) -> bool:
    """Tell whether at most one word, such as the noun of an adjective, is between a phrase and its cue."""
    if not phrase:
        return True
    first, last = phrase[0][0], phrase[-1][0]
    between = [at for at, _ in words if last < at < cue.first or cue.last < at < first]
    return len(between) <= 1


def _limits_differ(texts: tuple[Text, Text], cues: tuple[list[Cue], list[Cue]], first: Cues) -> bool:
    left, right = texts
    here, there = first
    limits = frozenset(cue.kind if cue else "" for cue in first)
    if here and there and limits == {_ONLY}:
        return _only_moved((left, here), (right, there)) and _are_aligned(left, right)
    if kinds_of(cues[0]) & kinds_of(cues[1]) or limits not in _CONFLICTING_LIMITS:
        return False
    if limits == _TURNED and are_turned(left, right):
        return False
    if all(cue is None or _is_emphasis(text.words, cue) for text, cue in zip(texts, first, strict=True)):
        return False
    if here and there:
        return similarity(left, right, "exclusivity") >= _EXCLUSIVITY_ALIKE_BOTH
    having, lacking = (left, right) if here else (right, left)
    restricts = _ONLY in limits and _restricts_softly(lacking, having)
    contrasts = _CONTRAST in kinds_of(cues[1] if here else cues[0])
    return not (restricts or contrasts or differ_in_negations(left, right)) and _are_aligned(left, right)


def _is_emphasis(words: Sequence[str], cue: Cue) -> bool:
    """Tell whether a limiting word may be mere emphasis: "just try it", "there are only three"."""
    following = words[cue.last + 1] if cue.last + 1 < len(words) else "."
    counts = following[0].isdecimal() or following in word_list("number_words")
    before = words[cue.first - 1] if cue.first else "."
    return (cue.kind == _ONLY and counts and before in _BEFORE_COUNTS) or words[cue.first] in _SOFT


def _limits(text: Text) -> list[Cue]:
    """Return the limiting phrases of a text; "nothing except this" counts as "only this"."""
    return [
        cue._replace(kind=_ONLY) if cue.kind in _EXCEPTING and _has_denial_around(text, cue) else cue
        for cue in text.cues["exclusivity"]
    ]


def _has_denial_around(text: Text, cue: Cue) -> bool:
    words = text.words
    return any(map(is_denial, words[sentence_start(words, cue.first) : sentence_end(words, cue.last)]))


def _restricts_softly(text: Text, other: Text) -> bool:
    """Tell whether a text without a limit restricts in a weaker way: "just", "requires"."""
    return not text.distinct.isdisjoint(_SOFT) or (_states_need(text) and not _states_need(other))


def _are_aligned(left: Text, right: Text) -> bool:
    return alignment(left, right, "exclusivity") >= _EXCLUSIVITY_ALIKE


def _only_moved(left: tuple[Text, Cue], right: tuple[Text, Cue]) -> bool:
    """Tell whether "only" restricts the subject in one text, and a later phrase in the other.

    "I only ate two" and "I ate only two" mean the same; "only I ate two" does not.
    """
    if left[1].first != left[1].last or right[1].first != right[1].last:
        return False
    if _begins_clause(*left) == _begins_clause(*right):
        return False
    (first, cue), (second, moved) = (left, right) if _begins_clause(*left) else (right, left)
    subject = next((stem for at, stem in first.content.items() if at > cue.last), "")
    return subject in second.stems(range(moved.first))


def _begins_clause(text: Text, cue: Cue) -> bool:
    before = text.words[cue.first - 1] if cue.first else "."
    return not before[0].isalnum() or before in _CLAUSE_STARTS


_ORDER_ALIKE = 0.6


def other_order(left: Text, right: Text) -> Cues | None:
    """Find two events that the texts put in different orders.

    Examples:
        >>> other_order(Text("Wash it before you cut it."), Text("Cut it before you wash it."))
        (Cue(kind='before', first=2, last=2), Cue(kind='before', first=2, last=2))
        >>> other_order(Text("Wash it before you cut it."), Text("Cut it after you wash it."))
    """
    if not (left.cues["order"] and right.cues["order"]) or similarity(left, right, "order") < _ORDER_ALIKE:
        return None
    turned = find_reversed_orders(left, right)
    if turned:
        return turned[0][0].cue, turned[0][1].cue
    spans = find_exchanged_alternatives(left, right, ("span",))
    return None if spans is None or are_turned(left, right) else spans


_BOUNDS = frozenset(("at_most", "at_least", "above", "below"))
_UPPER = frozenset(("at_most", "below"))
_AMOUNTS_ALONE = frozenset(("half", "not_all", "minority"))
_PERSON = "person"
_PEOPLE = word_list("people")
_PERSON_ENDINGS = ("one", "body")
_HEAD_WITHIN, _FARTHEST_NUMBER = 5, 6
_SHARES_ALIKE, _HEAD_ALIKE, _AMOUNT_ALIKE_ALONE, _SEVERAL_ALIKE = 0.7, 0.5, 0.85, 0.9


class _Amount(NamedTuple):
    """A quantity word, and the stem of the noun that it counts ("" if none is near)."""

    cue: Cue
    head: str


def other_quantity(left: Text, right: Text) -> Cues | None:
    """Find quantity words that exclude each other, such as "most" and "few".

    Examples:
        >>> other_quantity(Text("Most tests passed."), Text("Few of the tests passed."))
        (Cue(kind='most', first=0, last=0), Cue(kind='few', first=0, last=1))
        >>> other_quantity(Text("All tests passed."), Text("Every test passed."))
    """
    if not (left.cues["quantity"] or right.cues["quantity"]):
        return None
    here, there = _amounts(left), _amounts(right)
    kinds = sorted(amount.cue.kind for amount in here)
    several_in_both = len(set(kinds)) > 1 and kinds == sorted(amount.cue.kind for amount in there)
    if several_in_both and not _amounts_alike(left, right, _SEVERAL_ALIKE):
        return None  # "some are red, most are blue" and "most are blue, some are red"
    if here and there:
        return next(_excluding_amounts(here, there, left, right), None)
    alone: list[Cues] = [(amount.cue, None) for amount in here if amount.cue.kind in _AMOUNTS_ALONE]
    alone += [(None, amount.cue) for amount in there if amount.cue.kind in _AMOUNTS_ALONE]
    if not alone or differ_in_negations(left, right) or not _amounts_alike(left, right, _AMOUNT_ALIKE_ALONE):
        return None
    return alone[0]


def _amounts_alike(left: Text, right: Text, least: float) -> bool:
    return alignment(left, right, "quantity") >= least


def _excluding_amounts(
    here: list[_Amount], there: list[_Amount], left: Text, right: Text
) -> Iterator[tuple[Cue, Cue]]:
    """Compare quantity words for the same noun; a single word in each text is compared for any noun."""
    pairs = [
        (first, second) for first in here for second in there if first.head and first.head == second.head
    ]
    least = _HEAD_ALIKE if pairs else _SHARES_ALIKE
    if not pairs and len(here) == len(there) == 1:
        pairs = [(here[0], there[0])]
    agreeing = [pair for pair in pairs if not _quantities_exclude(pair[0].cue.kind, pair[1].cue.kind)]
    settled = {amount for pair in agreeing for amount in pair}
    excluding = [pair for pair in pairs if settled.isdisjoint(pair)]
    if not excluding or not _amounts_alike(left, right, least):
        return
    for first, second in excluding:
        if not _is_made_up(first.cue.kind, second.cue.kind, left, right):
            yield first.cue, second.cue


def _quantities_exclude(first: str, second: str) -> bool:
    """Tell whether two classes of quantity words have no share in common."""
    if not _BOUNDS.isdisjoint((first, second)):
        return {first, second} <= _BOUNDS and (first in _UPPER) != (second in _UPPER)
    shares: dict[str, tuple[float, float]] = read_lexicon("shares")
    (low, high), (least, most) = shares[first], shares[second]
    return high < least or most < low


def _is_made_up(first: str, second: str, left: Text, right: Text) -> bool:
    """Tell whether a further negation or an opposite compensates for a different quantity word.

    Examples are "all agree" and "none failed to agree", "few were polite" and "most were rude".
    """
    if first in _BOUNDS:  # "none has more than one" is "each has at most one"
        return "none" in kinds_of(left.cues["quantity"]) ^ kinds_of(right.cues["quantity"])
    return are_counterparts("quantity", first, second) and are_turned(left, right)


def _amounts(text: Text) -> list[_Amount]:
    """List the quantity words; a bound counts only near a number."""
    return [
        _Amount(cue, _head(text, cue))
        for cue in text.cues["quantity"][:MOST_COMPARED]
        if cue.kind not in _BOUNDS or _is_near_number(text.words, cue)
    ]


def _is_near_number(words: Sequence[str], cue: Cue) -> bool:
    near = (*words[max(cue.first - _FARTHEST_NUMBER, 0) : cue.first], *words[cue.last + 1 : cue.last + 3])
    return any(word[0].isdecimal() or word in word_list("number_words") for word in near)


def _head(text: Text, cue: Cue) -> str:
    """Return the stem of the noun that a quantity word counts."""
    words, content = text.words, text.content
    if words[cue.last].endswith(_PERSON_ENDINGS):
        return _PERSON
    ahead = range(cue.last + 1, min(cue.last + 1 + _HEAD_WITHIN, len(words)))
    stem = next((content[at] for at in ahead if at in content), "")
    return _PERSON if stem in _PEOPLE else stem


_LEAST_SHARED, _FEWEST_WORDS, _MOST_WORDS = 0.8, 2, 400


def find_exchanged_roles(left: Text, right: Text) -> Cues | None:
    """Find two words that exchanged their roles: "Ann hired Bob" and "Bob hired Ann".

    Returns:
        In each text, the range of words from the first of the two to the second.

    Examples:
        >>> find_exchanged_roles(Text("The dog chased the cat."), Text("The cat chased the dog."))
        (Cue(kind='exchanged', first=1, last=4), Cue(kind='exchanged', first=1, last=4))
        >>> find_exchanged_roles(Text("The dog chased the cat."), Text("The cat was chased by the dog."))
    """
    if not _have_nearly_same_words(left, right):
        return None
    exchanged = None if _are_opposed(left, right) else find_exchange(left, right)
    exchanged = exchanged or find_voice_change(left, right)
    if exchanged is None:
        return None
    here, there = (Cue("exchanged", min(positions), max(positions)) for positions in exchanged)
    return here, there


def _have_nearly_same_words(left: Text, right: Text) -> bool:
    sizes = len(left.content), len(right.content)
    least = _LEAST_SHARED * sum(sizes) / 2
    if min(sizes) < _FEWEST_WORDS or sum(sizes) > _MOST_WORDS or min(sizes) < least:
        return False
    return most_shared(left, right) >= least and (left.counts & right.counts).total() >= least


def _are_opposed(left: Text, right: Text) -> bool:
    """Tell whether an opposite ("more", "less") or a negation in one text may reverse the roles again."""
    if ("less" in left.distinct) != ("less" in right.distinct):
        return True  # "less dense than" and "denser than"
    here, there = read_polarity(left), read_polarity(right)
    undecided = (here.affirmed & here.negated) | (there.affirmed & there.negated)
    return bool(((here.affirmed & there.negated) | (here.negated & there.affirmed)) - undecided)


CLAIM_DIFFERENCES = (
    ClaimDifference("roles", "exchanged", "Subject and object are exchanged", find_exchanged_roles),
    ClaimDifference("quantity", "other-quantity", "The texts state different shares", other_quantity),
    ClaimDifference(
        "certainty", "other-certainty", "One text is more certain than the other", other_certainty
    ),
    ClaimDifference(
        "exclusivity", "other-exclusivity", "One text excludes what the other does not", other_exclusivity
    ),
    ClaimDifference("order", "other-order", "The texts put the events in another order", other_order),
    ClaimDifference("condition", "other-condition", "The texts set another condition", other_condition),
)
