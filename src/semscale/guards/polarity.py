"""Polarity of the words of texts, and conflicts between two texts."""

from collections.abc import Iterator, Sequence
from functools import cache, cached_property, lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from semscale.guards.negation import Reach, negation_reach
from semscale.guards.relations import (
    Exchange,
    Relation,
    may_compare,
    read_exchanges,
    read_relations,
    restated,
    same_events,
)
from semscale.guards.words import (
    CONTENT,
    CONTENT_IN_PLACE,
    NEGATING,
    TextWords,
    bare_word,
    clause_start,
    is_content,
    kind_of,
    read_lexicon,
    role_of,
    rules_of_negation,
    sentence_end,
    sides,
    stem,
)


class Mention(NamedTuple):
    """A content word with its sign.

    Attributes:
        key: an axis of the lexicon, or the word's stem.
        side: 1 or -1, the word's side of the axis.
        sign: 1 or -1, the side reversed by each negation.
        cues: positions of the negations that reach it, among the words.
        at: position among the words.
    """

    key: str
    side: int
    sign: int
    cues: tuple[int, ...]
    at: int


class Polarity:
    """The signs of a text's content words.

    Args:
        words: all words of the text.
        content: positions of its content words.
        reach: the words that its negations reach.

    Attributes:
        words: all words of the text.
        affirmed: the keys with sign 1.
        negated: the keys with sign -1.
    """

    def __init__(self, words: TextWords, content: Sequence[int], reach: Reach) -> None:
        self.words = words
        self.affirmed: set[str] = set()
        self.negated: set[str] = set()
        self._content = content
        self._reached = reach.negated
        texts, affirmed, negated, reached = words.texts, self.affirmed, self.negated, reach.negated
        for at in content:
            turned = _turned(reached[at]) if at in reached else 1
            for key, side in sides(texts[at]):
                (affirmed if side == turned else negated).add(key)
                if at < reach.taken_up or at in reach.doubtful:
                    (negated if side == turned else affirmed).add(key)

    @cached_property
    def mentions(self) -> list[Mention]:
        """The content words; a word on several axes has one mention for each."""
        mentions = []
        for at in self._content:
            cues = tuple(self._reached.get(at, ()))
            turned = _turned(cues)
            mentions += [
                Mention(key, side, side * turned, cues, at) for key, side in sides(self.words.texts[at])
            ]
        return mentions

    @property
    def negates(self) -> bool:
        """True if a negation reaches a word of the text."""
        return bool(self._reached)

    @property
    def compares(self) -> bool:
        """True if the text may contain comparisons."""
        return may_compare(self.words)

    @cached_property
    def relations(self) -> list[Relation]:
        """The text's comparisons and orders."""
        return read_relations(self.words)

    @cached_property
    def exchanges(self) -> list[Exchange]:
        """The text's events and relations that a converse word states."""
        return read_exchanges(self.words)

    def has(self, key: str, sign: int) -> bool:
        """Tell whether a key occurs with a sign."""
        return key in (self.affirmed if sign == 1 else self.negated)

    def is_negated(self, at: int) -> bool:
        """Tell whether an odd number of negations reaches the word at a position."""
        return len(self._reached.get(at, ())) % 2 == 1

    def is_condition(self, at: int) -> bool:
        """Tell whether a word stands in a clause that begins with "if" and the like."""
        texts = self.words.texts
        start = clause_start(texts, [role_of(text) for text in texts], at)
        return start > 0 and texts[start - 1] in rules_of_negation()["conditional"]

    def keys_at(self, at: int) -> set[str]:
        """Return the keys of the word at a position."""
        return {key for key, _ in sides(self.words.texts[at])}

    def speaks_of(self, key: str) -> bool:
        """Tell whether a key occurs."""
        return key in self.affirmed or key in self.negated

    def noun_after(self, mention: Mention) -> str:
        """Return the stem of the content word after a mention; "" if the clause has none."""
        texts = self.words.texts
        following = next((at for at in self._content if at > mention.at), None)
        if following is None or any(kind_of(text) == "p" for text in texts[mention.at + 1 : following]):
            return ""
        return stem(texts[following])


def read_polarity(words: TextWords) -> Polarity:
    """Determine the signs of a text's content words.

    Args:
        words: the words of one text.

    Example:
        >>> [(m.key, m.sign) for m in read_polarity(TextWords("The bulb is not lit")).mentions]
        [('bulb', 1), ('lit', -1)]
    """
    texts = words.texts
    roles = list(map(role_of, texts))
    content = [
        at
        for at, role in enumerate(roles)
        if role & CONTENT or (role & CONTENT_IN_PLACE and is_content(texts, at))
    ]
    negates = max(roles, default=0) >= NEGATING
    reach = negation_reach(texts, roles, frozenset(content)) if negates else Reach({}, set(), 0)
    return Polarity(words, content, reach)


def _turned(cues: Sequence[int]) -> int:
    """Return the sign of a word on side 1 that these negations reach."""
    return -1 if len(cues) % 2 else 1


Cause = Literal["negation", "opposite"]

_ANSWERS = sides("yes")[0].key
_ORDERS = frozenset(("before", "after", "prior"))
_BEFORE, _UNTIL = "before", frozenset(("until", "till", "wait", "waited", "waits", "waiting"))


class Conflict(NamedTuple):
    """A key that has one sign in the prediction and the other in the reference.

    Attributes:
        cause: ``negation`` if one side negates or has a negating prefix, else ``opposite``.
        prediction: the word in the prediction.
        reference: the word in the reference.
    """

    cause: Cause
    prediction: Mention
    reference: Mention


@lru_cache(maxsize=512)
def find_conflicts(prediction: Polarity, reference: Polarity) -> tuple[Conflict, ...]:
    """Find the contradictions between the signs of two texts.

    A key that has both signs in one text, such as "positive" in a text about both poles, contradicts nothing.
    An opposition and a negation cancel out, except that yes and no answer the whole question.
    A negation is no conflict if another word in its reach has the same sign in the other text: "not connected
    to the positive" agrees with "connected to the negative".
    """
    clashes = _clashes(prediction, reference)
    events = same_events(prediction.exchanges, reference.exchanges)
    if not (clashes or events):
        return ()
    settled = restated(prediction.relations, reference.relations)
    for first, second in events:
        settled |= prediction.keys_at(first.at) & reference.keys_at(second.at)
        settled |= first.source | first.goal | second.source | second.goal
    conflicts = [
        conflict
        for key in dict.fromkeys(mention.key for mention in prediction.mentions)
        if key in clashes and key not in settled
        for conflict in _conflict(prediction, reference, key)
        if not _excused(conflict, prediction, reference)
    ]
    answers = [conflict for conflict in conflicts if conflict.prediction.key == _ANSWERS]
    others = [conflict for conflict in conflicts if conflict.prediction.key != _ANSWERS]
    denied = [_denied(prediction, first.at, reference, second.at) for first, second in events]
    return tuple(_nearest(answers + _uncancelled(others, prediction) + list(filter(None, denied))))


def _denied(prediction: Polarity, at: int, reference: Polarity, there: int) -> Conflict | None:
    """Return the conflict of two converse words for one event that only one of the texts denies."""
    if prediction.is_negated(at) == reference.is_negated(there):
        return None
    left = next((one for one in prediction.mentions if one.at == at), None)
    right = next((one for one in reference.mentions if one.at == there), None)
    return Conflict("negation", left, right) if left and right else None


def _clashes(prediction: Polarity, reference: Polarity) -> set[str]:
    """Find the keys that have one sign in one text, and only the opposite sign in the other."""
    clashes = (prediction.affirmed & reference.negated) | (prediction.negated & reference.affirmed)
    if clashes:
        clashes -= prediction.affirmed & prediction.negated
        clashes -= reference.affirmed & reference.negated
    return clashes


def _conflict(prediction: Polarity, reference: Polarity, key: str) -> Iterator[Conflict]:
    """Pair the mentions of one key, at most once, and only if they are about the same thing."""
    left = [mention for mention in prediction.mentions if mention.key == key]
    right = [mention for mention in reference.mentions if mention.key == key]
    pairs = (
        (first, second)
        for first in left
        for second in right
        if not _differently_attached(first, second, prediction, reference)
    )
    for first, second in islice(pairs, 1):
        yield Conflict(_cause(first, second, prediction, reference), first, second)


def _cause(first: Mention, second: Mention, prediction: Polarity, reference: Polarity) -> Cause:
    if first.side == second.side:
        return "negation"
    words = prediction.words.texts[first.at], reference.words.texts[second.at]
    stems = [stem(bare_word(word) or word) for word in words]
    return "negation" if stems[0] == stems[1] else "opposite"


def _differently_attached(first: Mention, second: Mention, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether the words describe different things that are in both texts: a large dog, a small ball."""
    if first.side == second.side:
        return False
    left, right = prediction.noun_after(first), reference.noun_after(second)
    if not left or not right or left == right:
        return False
    return reference.speaks_of(left) and prediction.speaks_of(right)


def _excused(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether another word in a negation's reach has the same sign in the other text.

    Nor is there a conflict if one of the words is a condition alone: "eat", "if you do not eat". Whether a
    condition is set by "if" or by "unless" is left to the guard of conditions.
    """
    left, right = (
        prediction.is_condition(conflict.prediction.at),
        reference.is_condition(conflict.reference.at),
    )
    if left and right and _is_of_unless(conflict, prediction, reference):
        return True
    if conflict.cause == "negation" and (
        left != right
        or _is_of_order(conflict, prediction, reference)
        or _is_until(conflict.prediction, prediction, reference)
        or _is_until(conflict.reference, reference, prediction)
    ):
        return True
    sides = (conflict.prediction, prediction, reference), (conflict.reference, reference, prediction)
    return any(_answered(*side) or _denies_something_else(*side) for side in sides)


def _is_of_unless(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether "unless" alone denies one of two words."""
    cues = [prediction.words.texts[at] for at in conflict.prediction.cues]
    cues += [reference.words.texts[at] for at in conflict.reference.cues]
    return cues == ["unless"]


def _is_of_order(conflict: Conflict, prediction: Polarity, reference: Polarity) -> bool:
    """Tell whether "before" or "after" is what is denied: no word of its own, but part of what follows."""
    words = prediction.words.texts[conflict.prediction.at], reference.words.texts[conflict.reference.at]
    return not _ORDERS.isdisjoint(words)


def _is_until(negated: Mention, here: Polarity, there: Polarity) -> bool:
    """Tell whether a text denies something before a time for which the other one waits.

    "Not before noon" leaves open what happens from noon on, as "not until noon" does.
    """
    texts = here.words.texts
    return (
        bool(negated.cues)
        and _BEFORE in texts[negated.cues[0] : sentence_end(texts, negated.at)]
        and not _UNTIL.isdisjoint(there.words.distinct)
    )


def _answered(negated: Mention, here: Polarity, there: Polarity) -> bool:
    return any(
        there.has(mention.key, mention.sign)
        for mention in here.mentions
        if mention.cues and set(mention.cues) & set(negated.cues) and mention.key != negated.key
    )


def _denies_something_else(negated: Mention, here: Polarity, there: Polarity) -> bool:
    """Tell whether both texts deny something, and this one first something that the other does not speak of.

    "I have no complaint about the food", "the food gave me nothing to grumble about": the food is denied in
    neither.
    """
    if not negated.cues or negated.cues[-1] > negated.at or not there.negates:
        return False
    denied = [one for one in here.mentions if negated.cues[-1] in one.cues and one.at > negated.cues[-1]]
    return bool(denied) and not any(there.speaks_of(one.key) for one in denied if one.at == denied[0].at)


def _uncancelled(conflicts: list[Conflict], prediction: Polarity) -> list[Conflict]:
    """Cancel a negation against an opposition: "not connected to plus" agrees with "connected to minus".

    They do not if the denied word is on the axis itself: "connected, without a gap" and "separated by a gap".
    """
    causes = sorted(_nearest(conflicts), key=lambda conflict: conflict.cause)
    if [conflict.cause for conflict in causes] != ["negation", "opposite"]:
        return conflicts
    negation, opposition = causes
    same_matter = opposition.prediction.key in prediction.keys_at(negation.prediction.at)
    return conflicts if same_matter or _negates(opposition, negation) else []


def _negates(opposition: Conflict, negation: Conflict) -> bool:
    """Tell whether the opposed word is the negation itself: "stopped working" and "started working"."""
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


_MOST_COMPARED = 50
_PICTURE = "picture"


class BodyStatement(NamedTuple):
    """A word about a part of the body.

    Attributes:
        at: position among the words.
        says_finding: whether it says that there is a finding: "an infiltrate", "not clear".
    """

    at: int
    says_finding: bool


def may_state_findings(polarity: Polarity) -> bool:
    """Check quickly whether a text may call a part of the body clear or state a finding."""
    distinct = polarity.words.distinct
    return not (distinct.isdisjoint(_words("clear")) and distinct.isdisjoint(_words("findings")))


def contradicting_findings(prediction: Polarity, reference: Polarity) -> list[tuple[int, int]]:
    """Find what is clear in one text and has a finding in the other, by positions of the words.

    Example:
        >>> from semscale.guards.polarity import read_polarity
        >>> from semscale.guards.words import TextWords
        >>> texts = "The lung is clear.", "There is an infiltrate."
        >>> contradicting_findings(*(read_polarity(TextWords(text)) for text in texts))
        [(3, 3)]
    """
    if not (may_state_findings(prediction) and may_state_findings(reference)):
        return []
    turned = [(there, here) for here, there in _clashing_statements(reference, prediction)]
    return sorted({*_clashing_statements(prediction, reference), *turned})


def _clashing_statements(clear: Polarity, finding: Polarity) -> list[tuple[int, int]]:
    """Compare what one text calls clear with the other's findings, if both speak of the same part."""
    clears, findings = _statements(clear, "clear"), _statements(finding, "findings")
    mixed = _statements(clear, "findings") or _statements(finding, "clear")
    if not clears or mixed or len({first.says_finding for first in findings}) != 1:
        return []
    where, there = _parts(clear), _parts(finding)
    if not where or (there and not where & there and _PICTURE not in where | there):
        return []
    pairs = ((first, second) for first in clears[:_MOST_COMPARED] for second in findings[:1])
    return [(first.at, second.at) for first, second in pairs if first.says_finding != second.says_finding]


def _statements(polarity: Polarity, group: str) -> list[BodyStatement]:
    """List the words of a group with what they say, negations counted."""
    words = _words(group)
    return [
        BodyStatement(at, polarity.is_negated(at) == (group == "clear"))
        for at, text in enumerate(polarity.words.texts)
        if text in words
    ]


def _parts(polarity: Polarity) -> frozenset[str]:
    """Return the parts of the body that a text names, by the first word of their lines."""
    known = _part_names()
    return frozenset(known[text] for text in polarity.words.distinct if text in known)


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
