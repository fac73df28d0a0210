"""Polarity of the words of texts, and conflicts between two texts."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cache, cached_property, lru_cache
from itertools import islice, product
from typing import Literal, NamedTuple

from semscale.guards.relations import (
    Exchange,
    Relation,
    find_restatements,
    may_compare,
    read_exchanges,
    read_relations,
    same_events,
)
from semscale.guards.text import Text
from semscale.guards.words import (
    ABSENCE,
    CONTENT,
    CONTENT_IN_PLACE,
    CUE,
    END,
    MOST_COMPARED,
    NEGATING,
    PRESENCE,
    RECENT_TEXTS,
    bare_word,
    begins_sentence,
    clause_start,
    denies_before,
    denies_next,
    ends_clause,
    is_answer,
    is_content,
    kind_of,
    read_lexicon,
    rules_of_negation,
    sentence_end,
    sides,
    stem,
    weakens_next,
)


class Mention(NamedTuple):
    """A content word with its sign.

    Attributes:
        key: an axis of the lexicon, or the word's stem.
        side: 1 or -1, the word's side of the axis.
        sign: 1 or -1, the side reversed by each negation.
        cues: positions of the negations that reach it, among the words of the text.
        at: its position among the words of the text.
    """

    key: str
    side: int
    sign: int
    cues: tuple[int, ...]
    at: int


class Reach(NamedTuple):
    """The words that negations reach.

    Attributes:
        negated: for each negated word the positions of its negations, by the word's position.
        doubtful: positions of words that may or may not be denied, such as a place after a denied noun.
        taken_up: the position up to which a negated "do it" refers to earlier words; 0 if there is none.
    """

    negated: dict[int, list[int]]
    doubtful: set[int]
    taken_up: int


class Polarity:
    """The signs of a text's content words.

    Args:
        text: the text.
        content: positions of its content words.
        reach: the words that its negations reach.

    Attributes:
        text: the text.
        content: positions of its content words.
        affirmed: the keys with sign 1.
        negated: the keys with sign -1.
    """

    def __init__(self, text: Text, content: Sequence[int], reach: Reach) -> None:
        self.text = text
        self.content = content
        self.affirmed: set[str] = set()
        self.negated: set[str] = set()
        self._reached = reach.negated
        words, affirmed, negated, reached = text.words, self.affirmed, self.negated, reach.negated
        for at in content:
            turned = _sign_from_cues(reached[at]) if at in reached else 1
            for key, side in sides(words[at]):
                (affirmed if side == turned else negated).add(key)
                if at < reach.taken_up or at in reach.doubtful:
                    (negated if side == turned else affirmed).add(key)

    def mentions(self, positions: Iterable[int] | None = None) -> Iterator[Mention]:
        """Yield the mentions of content words, all or at some positions; a word has one per axis."""
        words = self.text.words
        for at in self.content if positions is None else positions:
            cues = tuple(self._reached.get(at, ()))
            turned = _sign_from_cues(cues)
            for key, side in sides(words[at]):
                yield Mention(key, side, side * turned, cues, at)

    def mentions_of(self, keys: Set[str]) -> dict[str, list[Mention]]:
        """Return the mentions of some keys, in the order of their first mention."""
        words = self.text.words
        positions = (at for at in self.content if any(key in keys for key, _ in sides(words[at])))
        mentions: dict[str, list[Mention]] = {}
        for mention in self.mentions(positions):
            if mention.key in keys:
                mentions.setdefault(mention.key, []).append(mention)
        return mentions

    def mentions_reached(self, cue: int) -> list[Mention]:
        """Return the mentions that the negation at a position reaches."""
        return list(self.mentions(self._reached_by_cue.get(cue, ())))

    @cached_property
    def _reached_by_cue(self) -> dict[int, list[int]]:
        content = set(self.content)
        return _positions_by_cue({at: self._reached[at] for at in sorted(self._reached) if at in content})

    @cached_property
    def negated_positions(self) -> list[int]:
        """Positions of the content words that an odd number of negations reaches."""
        return [at for at in self.content if self.is_negated(at)] if self._reached else []

    @property
    def negates(self) -> bool:
        """True if a negation reaches a word of the text."""
        return bool(self._reached)

    @property
    def compares(self) -> bool:
        """True if the text may contain comparisons."""
        return may_compare(self.text)

    @cached_property
    def relations(self) -> list[Relation]:
        """Comparisons and orders of the text."""
        return read_relations(self.text)

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """Events and relations of the text that a converse word ("buy", "parent") states."""
        return read_exchanges(self.text)

    def has(self, key: str, sign: int) -> bool:
        """Tell whether a key occurs with a sign."""
        return key in (self.affirmed if sign == 1 else self.negated)

    def is_negated(self, at: int) -> bool:
        """Tell whether an odd number of negations reaches the word at a position."""
        return len(self._reached.get(at, ())) % 2 == 1

    def is_condition(self, at: int) -> bool:
        """Tell whether a word is in a clause that begins with "if" or a similar word."""
        words = self.text.words
        start = clause_start(words, self.text.roles, at)
        return start > 0 and words[start - 1] in rules_of_negation()["conditional"]

    def mention_at(self, at: int) -> Mention | None:
        """Return the first mention of the word at a position; ``None`` if it is not a content word."""
        position = bisect_left(self.content, at)
        is_content = self.content[position : position + 1] == [at]
        return next(self.mentions((at,)), None) if is_content else None

    def keys_at(self, at: int) -> set[str]:
        """Return the keys of the word at a position."""
        return {key for key, _ in sides(self.text.words[at])}

    def speaks_of(self, key: str) -> bool:
        """Tell whether a key occurs with any sign."""
        return key in self.affirmed or key in self.negated

    def noun_after(self, mention: Mention) -> str:
        """Return the stem of the content word after a mention; "" if the clause has none."""
        words = self.text.words
        position = bisect_right(self.content, mention.at)
        following = self.content[position : position + 1]
        if not following or any(kind_of(word) == "p" for word in words[mention.at + 1 : following[0]]):
            return ""
        return stem(words[following[0]])


@lru_cache(maxsize=RECENT_TEXTS)
def read_polarity(text: Text) -> Polarity:
    """Determine the signs of a text's content words.

    Args:
        text: a text.

    Examples:
        >>> polarity = read_polarity(Text("The bulb is not lit"))
        >>> [(mention.key, mention.sign) for mention in polarity.mentions()]
        [('bulb', 1), ('lit', -1)]
    """
    words, roles = text.words, text.roles
    content = [
        at
        for at, role in enumerate(roles)
        if role & CONTENT or (role & CONTENT_IN_PLACE and is_content(words, at))
    ]
    negates = max(roles, default=0) >= NEGATING
    reach = negation_reach(words, roles, frozenset(content)) if negates else Reach({}, set(), 0)
    return Polarity(text, content, reach)


def _sign_from_cues(cues: Sequence[int]) -> int:
    """Return the sign of a word on side 1, given the negations that reach it."""
    return -1 if len(cues) % 2 else 1


_MOST_NEGATIONS = 8
"""Largest number of negations that may reach one word."""
_EXCEPTIONS = ("unless", "without", "until")


def lift_exceptions(
    words: list[str], roles: Sequence[int], negated: dict[int, list[int]], doubtful: set[int]
) -> None:
    """Remove the negations of a clause with an exception, and of the exception itself.

    After "not ... until" the words of the clause become doubtful.

    Args:
        words: the words of a text.
        roles: the role of each word.
        negated: for each negated word the positions of its negations; changed in place.
        doubtful: positions of words that may or may not be denied; changed in place.

    Examples:
        >>> from semscale.guards.words import role_of
        >>> negated, words = {3: [2], 7: [4]}, "it is not valid unless it is positive".split()
        >>> lift_exceptions(words, [role_of(word) for word in words], negated, set())
        >>> negated
        {}
    """
    exceptions = [at for at, word in enumerate(words) if word in _EXCEPTIONS]
    reached = _positions_by_cue(negated) if exceptions else {}
    for at in exceptions:
        main = _main_clause(words, roles, at, reached.get(at, []))
        denying = {position for position in main if roles[position] & CUE and denies_next(words, position)}
        if not denying:
            continue
        for position in {position for cue in (*denying, at) for position in reached.get(cue, ())}:
            remaining = [cue for cue in negated.pop(position, ()) if cue not in denying and cue != at]
            if remaining:
                negated[position] = remaining
            if words[at] == "until" or (words[at] == "without" and main.start > at):
                doubtful.add(position)


def _positions_by_cue(negated: dict[int, list[int]]) -> dict[int, list[int]]:
    """Return the positions of the words that each negation reaches."""
    reached: dict[int, list[int]] = {}
    for position, cues in negated.items():
        for cue in cues:
            reached.setdefault(cue, []).append(position)
    return reached


def _main_clause(words: list[str], roles: Sequence[int], at: int, excepted: list[int]) -> range:
    """Return the clause with an exception: the one before it, or the next if it begins the sentence."""
    if not begins_sentence(words, at):
        return range(clause_start(words, roles, at), at)
    end = sentence_end(words, at)
    commas = [words.index(",", at, end)] if "," in words[at:end] else []
    first = max(excepted + commas, default=at)
    return range(first + 1, end)


_REACH = 4


def negation_reach(words: list[str], roles: Sequence[int], content: frozenset[int]) -> Reach:
    """Find the words that the negations of a text reach.

    Args:
        words: the words of a text.
        roles: the role of each word.
        content: positions of its content words.

    Examples:
        >>> from semscale.guards.words import role_of
        >>> words = ["it", "is", "not", "safe"]
        >>> negation_reach(words, [role_of(word) for word in words], frozenset((3,))).negated
        {3: [2]}
    """
    reach = Reach({}, set(), 0)
    active: list[tuple[int, int]] = []
    taken_up = 0
    for at, role in enumerate(roles):
        if not active and role < PRESENCE:
            continue  # no negation here, and none active
        if active and at in content and not role & END:
            _enter(reach, at, active)
        active = _still_active(words, at, role, at in content, active)
        if active and _takes_up(words, at):
            taken_up = at
        if role & (PRESENCE | ABSENCE):
            _negate_subject(words, roles, at, reach)
    lift_exceptions(words, roles, reach.negated, reach.doubtful)
    return reach._replace(taken_up=taken_up)


def _enter(reach: Reach, at: int, active: Iterable[tuple[int, int]]) -> None:
    """Record the active negations that reach a word, or may reach it."""
    in_force = [cue for cue, left in active if left > 0]
    if in_force:
        reach.negated[at] = reach.negated.get(at, []) + in_force
    if any(left < 0 for _, left in active):
        reach.doubtful.add(at)


def _still_active(
    words: list[str], at: int, role: int, is_content: bool, active: list[tuple[int, int]]
) -> list[tuple[int, int]]:
    """List the negations that are active after a word, each with the number of words that it still reaches.

    The number is negative if these words may or may not be denied.
    """
    if role & CUE and denies_next(words, at):
        active = [] if role & END or words[at] in ("nor", "neither") else active[-_MOST_NEGATIONS:]
        return [*active, (at, 1 if words[at] == "non" else _REACH)]
    if role & END:
        return [] if active and ends_clause(words, at) else active
    if role & CUE and weakens_next(words, at):
        return [*active[-_MOST_NEGATIONS:], (at, -_REACH)]
    if active and is_content:
        return _after_content(words, at, active)
    return _after_small_word(words, at, active) if active else active


def _after_small_word(words: list[str], at: int, active: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Mark words in a phrase of place as doubtful, and end "without ..." where the main clause begins."""
    if _begins_main_clause(words, at, active):
        return []
    if _names_a_place(words, at):
        return [(cue, -abs(left) if _denies_a_noun(words, cue, left) else left) for cue, left in active]
    return active


def _after_content(words: list[str], at: int, active: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Count a content word for a negation; "not the same path" denies "same" but not "path"."""
    going_on = [(cue, left - 1 if left > 0 else left + 1) for cue, left in active if abs(left) > 1]
    return [(cue, -abs(left)) for cue, left in going_on] if words[at] == "same" else going_on


def _begins_main_clause(words: list[str], at: int, active: list[tuple[int, int]]) -> bool:
    """Tell whether an opening "without ..." ends before this word: "without tests | the code is unsafe"."""
    cue, left = active[0]
    return (
        words[cue] == "without"
        and left < _REACH
        and begins_sentence(words, cue)
        and words[at] in rules_of_negation()["definite"]
        and words[at - 1] not in rules_of_negation()["stop"]
    )


def _names_a_place(words: list[str], at: int) -> bool:
    """Tell whether a preposition begins a phrase of place that is not denied: no gap "in the circuit"."""
    rules = rules_of_negation()
    if (
        words[at] not in rules["before_places"]
        or at + 1 == len(words)
        or words[at + 1] not in rules["definite"]
    ):
        return False
    return words[at - 1] not in rules["evidence"]


def _denies_a_noun(words: list[str], cue: int, left: int) -> bool:
    """Tell whether a negation that denies only a noun has reached one."""
    return words[cue] in ("no", "without") and left < _REACH


def _takes_up(words: list[str], at: int) -> bool:
    """Tell whether "do it" refers to an earlier verb."""
    rules = rules_of_negation()
    return words[at] in rules["pro_verbs"] and words[at + 1 : at + 2] in (["it"], ["so"], ["this"], ["that"])


def _has_more_to_say(words: list[str], at: int) -> bool:
    """Tell whether an object or a degree follows, so that the word states no presence of its subject."""
    return at + 1 < len(words) and words[at + 1] in rules_of_negation()["not_after_presence"]


def _negate_subject(words: list[str], roles: Sequence[int], at: int, reach: Reach) -> None:
    """Apply "is absent" and "is not present" to the words before them in the clause."""
    absent = denies_before(words, at)
    if absent is None and (not roles[at] & PRESENCE or _has_more_to_say(words, at)):
        return
    first = at if absent is None else absent
    cues = [at] * (absent is not None) + reach.negated.get(first, [])
    before = [
        position
        for position in range(clause_start(words, roles, at), first)
        if kind_of(words[position]) == "w" and not is_answer(words, position)
    ]
    if first in reach.doubtful and not cues:
        reach.doubtful.update(before)
    for position in before if cues else ():
        own = reach.negated.get(position, [])
        if len(own) < _MOST_NEGATIONS and not set(cues) <= set(own) and position not in cues:
            reach.negated[position] = own + [cue for cue in cues if cue > position]


Cause = Literal["negation", "opposite"]

ANSWERS = sides("yes")[0].key
"""Key of the answers "yes" and "no", which nothing cancels."""
_ORDERS = frozenset(("before", "after", "prior"))
_FARTHEST_TIME = 3
_BEFORE, _UNTIL = "before", frozenset(("until", "till", "wait", "waited", "waits", "waiting"))


class Conflict(NamedTuple):
    """A key that has one sign in the prediction and the other in the reference.

    Attributes:
        cause: ``negation`` if one text negates the word or has a negating prefix, else ``opposite``.
        prediction: the word in the prediction.
        reference: the word in the reference.
    """

    cause: Cause
    prediction: Mention
    reference: Mention


@lru_cache(maxsize=512)
def find_conflicts(prediction: Polarity, reference: Polarity) -> tuple[Conflict, ...]:
    """Find the contradictions between the signs of two texts.

    A key with both signs in one text, such as "positive" in a text about both poles, is never a conflict. An
    opposition and a negation cancel out, except for the answers yes and no, which apply to the whole
    question. A negation is no conflict if another word in its reach has the same sign in the other text: "not
    connected to the positive" agrees with "connected to the negative".
    """
    clashes = _clashes(prediction, reference)
    events = same_events(prediction.exchanges, reference.exchanges)
    if not (clashes or events):
        return ()
    settled = find_restatements(prediction.relations, reference.relations)
    for first, second in events:
        settled |= prediction.keys_at(first.at) & reference.keys_at(second.at)
        settled |= first.source | first.goal | second.source | second.goal
    right = reference.mentions_of(clashes - settled)
    conflicts = [
        conflict
        for key, mentions in prediction.mentions_of(clashes - settled).items()
        for conflict in _conflict(prediction, reference, (mentions, right[key]))
        if not _is_excused(conflict, prediction, reference)
    ]
    answers = [conflict for conflict in conflicts if conflict.prediction.key == ANSWERS]
    others = [conflict for conflict in conflicts if conflict.prediction.key != ANSWERS]
    denied = [_find_denial_conflict(prediction, first.at, reference, second.at) for first, second in events]
    return tuple(_nearest(answers + _cancel_conflicts(others, prediction) + list(filter(None, denied))))


def _find_denial_conflict(prediction: Polarity, at: int, reference: Polarity, there: int) -> Conflict | None:
    """Return the conflict of two converse words for one event if only one text denies the event."""
    if prediction.is_negated(at) == reference.is_negated(there):
        return None
    left, right = prediction.mention_at(at), reference.mention_at(there)
    return Conflict("negation", left, right) if left and right else None


def _clashes(prediction: Polarity, reference: Polarity) -> set[str]:
    """Find the keys that have one sign in one text, and only the opposite sign in the other."""
    clashes = (prediction.affirmed & reference.negated) | (prediction.negated & reference.affirmed)
    if clashes:
        clashes -= prediction.affirmed & prediction.negated
        clashes -= reference.affirmed & reference.negated
    return clashes


def _conflict(
    prediction: Polarity, reference: Polarity, mentions: tuple[list[Mention], list[Mention]]
) -> Iterator[Conflict]:
    """Pair two mentions of a key that are about the same thing; return at most one conflict."""
    pairs = (
        (first, second)
        for first, second in product(*(listed[:MOST_COMPARED] for listed in mentions))
        if not _differently_attached(first, second, prediction, reference)
    )
    for first, second in islice(pairs, 1):
        yield Conflict(_cause(first, second, prediction, reference), first, second)


def _cause(first: Mention, second: Mention, prediction: Polarity, reference: Polarity) -> Cause:
    if first.side == second.side:
        return "negation"
    words = prediction.text.words[first.at], reference.text.words[second.at]
    stems = [stem(bare_word(word) or word) for word in words]
    return "negation" if stems[0] == stems[1] else "opposite"


def _differently_attached(first: Mention, second: Mention, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether the words describe two different things of both texts: a large dog, a small ball."""
    if first.side == second.side:
        return False
    left, right = prediction.noun_after(first), reference.noun_after(second)
    if not left or not right or left == right:
        return False
    return reference.speaks_of(left) and prediction.speaks_of(right)


def _is_excused(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether another word in a negation's reach has the same sign in the other text.

    There is no conflict either if one of the words is only part of a condition: "eat", "if you do not eat".
    The guard of conditions tells "if" from "unless".
    """
    left, right = (
        prediction.is_condition(conflict.prediction.at),
        reference.is_condition(conflict.reference.at),
    )
    if left and right and _is_of_unless(conflict, prediction, reference):
        return True
    if conflict.cause == "opposite" and _lasts_until_end(conflict, prediction, reference):
        return True
    if conflict.cause == "negation" and (
        left != right
        or _is_of_order(conflict, prediction, reference)
        or _is_until(conflict.prediction, prediction, reference)
        or _is_until(conflict.reference, reference, prediction)
    ):
        return True
    sides = (conflict.prediction, prediction, reference), (conflict.reference, reference, prediction)
    return any(_is_answered(*side) or _denies_something_else(*side) for side in sides)


def _lasts_until_end(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether one text states the end of a state, and the other the beginning of its opposite.

    An example is "open until eight" and "closes at eight".
    """
    rules = rules_of_negation()
    behind = (
        prediction.text.words[conflict.prediction.at + 1 :][:_FARTHEST_TIME],
        reference.text.words[conflict.reference.at + 1 :][:_FARTHEST_TIME],
    )
    lasts = [not rules["before_last_times"].keys().isdisjoint(words) for words in behind]
    ends = [not rules["before_times"].keys().isdisjoint(words) for words in behind]
    return lasts[0] != lasts[1] and ends[lasts.index(False)]


def _is_of_unless(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether "unless" is the only negation of one of two words."""
    cues = [prediction.text.words[at] for at in conflict.prediction.cues]
    cues += [reference.text.words[at] for at in conflict.reference.cues]
    return cues == ["unless"]


def _is_of_order(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether the denied word is "before" or "after", which belongs to the words that follow."""
    words = prediction.text.words[conflict.prediction.at], reference.text.words[conflict.reference.at]
    return not _ORDERS.isdisjoint(words)


def _is_until(negated: Mention, here: Polarity, there: Polarity) -> bool:
    """Tell whether one text denies something before a time, and the other has it from that time on.

    "Not before noon" states nothing about the time from noon on, like "not until noon".
    """
    words = here.text.words
    return (
        bool(negated.cues)
        and _BEFORE in words[negated.cues[0] : sentence_end(words, negated.at)]
        and not _UNTIL.isdisjoint(there.text.distinct)
    )


def _is_answered(negated: Mention, here: Polarity, there: Polarity) -> bool:
    return any(
        there.has(mention.key, mention.sign)
        for cue in negated.cues
        for mention in here.mentions_reached(cue)
        if mention.key != negated.key
    )


def _denies_something_else(negated: Mention, here: Polarity, there: Polarity) -> bool:
    """Tell whether both texts deny something, and this one first denies a word that the other text lacks.

    An example is "I have no complaint about the food" and "the food gave me nothing to grumble about":
    neither denies the food.
    """
    if not negated.cues or negated.cues[-1] > negated.at or not there.negates:
        return False
    denied = [mention for mention in here.mentions_reached(negated.cues[-1]) if mention.at > negated.cues[-1]]
    return bool(denied) and not any(there.speaks_of(one.key) for one in denied if one.at == denied[0].at)


def _cancel_conflicts(conflicts: list[Conflict], prediction: Polarity) -> list[Conflict]:
    """Let a negation cancel an opposition: "not connected to plus" agrees with "connected to minus".

    It does not cancel it if the denied word is on the axis itself: "connected, without a gap" and "separated
    by a gap".
    """
    causes = sorted(_nearest(conflicts), key=lambda conflict: conflict.cause)
    if [conflict.cause for conflict in causes] != ["negation", "opposite"]:
        return conflicts
    negation, opposition = causes
    same_matter = opposition.prediction.key in prediction.keys_at(negation.prediction.at)
    return conflicts if same_matter or _negates(opposition, negation) else []


def _negates(opposition: Conflict, negation: Conflict) -> bool:
    """Tell whether the opposed word is itself the negation: "stopped working" and "started working"."""
    return (
        opposition.prediction.at in negation.prediction.cues
        or opposition.reference.at in negation.reference.cues
    )


def _nearest(conflicts: list[Conflict]) -> list[Conflict]:
    """Keep all oppositions, and for each negation only the first conflict in the prediction."""
    seen: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()
    kept = []
    for conflict in sorted(conflicts, key=lambda conflict: conflict.prediction.at):
        mark = conflict.prediction.cues, conflict.reference.cues
        if conflict.cause == "opposite" or mark == ((), ()) or mark not in seen:
            kept.append(conflict)
        seen.add(mark)
    return kept


_PICTURE = "picture"


class BodyStatement(NamedTuple):
    """A statement on a part of the body.

    Attributes:
        at: position of its word among the words of the text.
        says_finding: whether it states a finding ("an infiltrate", "not clear") or none ("clear").
    """

    at: int
    says_finding: bool


def may_state_findings(polarity: Polarity) -> bool:
    """Check quickly whether a text may call a part of the body clear or state a finding."""
    distinct = polarity.text.distinct
    return not (distinct.isdisjoint(_words("clear")) and distinct.isdisjoint(_words("findings")))


def contradicting_findings(prediction: Polarity, reference: Polarity) -> list[tuple[int, int]]:
    """Find parts of the body that one text calls clear and the other states a finding for.

    Returns positions of the two statements.

    Examples:
        >>> from semscale.guards.polarity import read_polarity
        >>> from semscale.guards.text import Text
        >>> texts = "The lung is clear.", "There is an infiltrate."
        >>> contradicting_findings(*(read_polarity(Text(text)) for text in texts))
        [(3, 3)]
    """
    if not (may_state_findings(prediction) and may_state_findings(reference)):
        return []
    turned = [(there, here) for here, there in _clashing_statements(reference, prediction)]
    return sorted({*_clashing_statements(prediction, reference), *turned})


def _clashing_statements(clear: Polarity, finding: Polarity) -> list[tuple[int, int]]:
    """Pair statements "clear" of one text with findings of the other, if both name the same part."""
    clears, findings = _statements(clear, "clear"), _statements(finding, "findings")
    mixed = _statements(clear, "findings") or _statements(finding, "clear")
    if not clears or mixed or len({first.says_finding for first in findings}) != 1:
        return []
    where, there = _parts(clear), _parts(finding)
    if not where or (there and not where & there and _PICTURE not in where | there):
        return []
    pairs = ((first, second) for first in clears[:MOST_COMPARED] for second in findings[:1])
    return [(first.at, second.at) for first, second in pairs if first.says_finding != second.says_finding]


def _statements(polarity: Polarity, group: str) -> list[BodyStatement]:
    """List the statements with words of a group; negations reverse them."""
    listed = _words(group)
    return [
        BodyStatement(at, polarity.is_negated(at) == (group == "clear"))
        for at, word in enumerate(polarity.text.words)
        if word in listed
    ]


def _parts(polarity: Polarity) -> frozenset[str]:
    """Return the parts of the body that a text names, each by the first word of its line in the lexicon."""
    known = _part_names()
    return frozenset(known[word] for word in polarity.text.distinct if word in known)


@cache
def _part_names() -> dict[str, str]:
    lexicon = read_lexicon("body_findings")
    lines = [line.split() for line in lexicon["parts"]]
    return {word: line[0] for line in lines for word in line} | dict.fromkeys(
        lexicon["pictures"].split(), _PICTURE
    )


@cache
def _words(group: str) -> frozenset[str]:
    return frozenset(read_lexicon("body_findings")[group].split())
