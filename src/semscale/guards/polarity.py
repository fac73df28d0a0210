"""Signs of a text's content words, from negations and from the sides of opposites.

English only. A word's sign is its side of an axis (``closed`` is opposite to ``open``), reversed by every
negation that reaches the word. So "not disconnected" and "connected" have the same sign, and so do "not open"
and "closed". The negation guard and the opposite guard compare these signs.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from semscale.guards.clauses import clause_start
from semscale.guards.comparatives import Relation, may_compare, read_relations
from semscale.guards.converses import Exchange, read_exchanges
from semscale.guards.negation_reach import Reach, negation_reach
from semscale.guards.opposites import sides
from semscale.guards.roles import CONTENT, CONTENT_IN_PLACE, NEGATING, is_content, role_of, rules_of_negation
from semscale.guards.words import TextWords, kind_of, stem


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
        """Whether a negation reaches a word of the text."""
        return bool(self._reached)

    @property
    def compares(self) -> bool:
        """Whether the text may contain comparisons."""
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
