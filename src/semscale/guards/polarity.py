"""Signs of a text's content words, from negations and from the sides of opposites.

English only. A word's sign is its side of an axis (``closed`` is opposite to ``open``), reversed by every
negation that reaches the word. So "not disconnected" and "connected" have the same sign, and so do "not open"
and "closed". The negation guard and the opposite guard compare these signs.
"""

from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import NamedTuple

from semscale.guards.comparatives import Relation, may_compare, read_relations
from semscale.guards.lexicons import read_lexicon
from semscale.guards.opposites import is_listed, sides
from semscale.guards.words import TextWords, kind_of, stem

_REACH = 4
_NO_VERB = 3
_CONTENT, _CONTENT_IN_PLACE, _END, _PRESENCE, _ABSENCE, _CUE = 1, 2, 4, 8, 16, 32
_NEGATING = _ABSENCE  # and greater flags: a text without such a role contains no negation
_ANSWERS = frozenset(("yes", "yeah", "yep", "no", "nope"))
_SWITCHES = frozenset(("on", "off", "up", "down", "out"))
_BOUNDS = {"at": ("least", "most"), "or": ("more", "less", "fewer")}
_BOUND_WORDS = frozenset(word for words in _BOUNDS.values() for word in words)


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
        reached: for each negated word, the positions of its negations.

    Attributes:
        words: all words of the text.
        affirmed: the keys with sign 1.
        negated: the keys with sign -1.
    """

    def __init__(
        self, words: TextWords, content: Sequence[int], reached: Mapping[int, Sequence[int]]
    ) -> None:
        self.words = words
        self.affirmed: set[str] = set()
        self.negated: set[str] = set()
        self._content = content
        self._reached = reached
        texts, affirmed, negated = words.texts, self.affirmed, self.negated
        for at in content:
            turned = _turned(reached[at]) if at in reached else 1
            for key, side in sides(texts[at]):
                (affirmed if side == turned else negated).add(key)

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
    def compares(self) -> bool:
        """Whether the text may contain comparisons."""
        return may_compare(self.words)

    @cached_property
    def relations(self) -> list[Relation]:
        """The text's comparisons and orders."""
        return read_relations(self.words)

    def has(self, key: str, sign: int) -> bool:
        """Tell whether a key occurs with a sign."""
        return key in (self.affirmed if sign == 1 else self.negated)

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
    roles = list(map(_role, words.texts))
    content = [
        at
        for at, role in enumerate(roles)
        if role & _CONTENT or (role & _CONTENT_IN_PLACE and _is_content_here(words.texts, at))
    ]
    negates = max(roles, default=0) >= _NEGATING
    return Polarity(words, content, _reach(words.texts, roles, frozenset(content)) if negates else {})


def _turned(cues: Sequence[int]) -> int:
    """Return the sign of a word on side 1 that these negations reach."""
    return -1 if len(cues) % 2 else 1


def _reach(texts: list[str], roles: list[int], content: frozenset[int]) -> dict[int, list[int]]:
    """List the negations that reach each word."""
    reached: dict[int, list[int]] = {}
    active: list[tuple[int, int]] = []
    for at, role in enumerate(roles):
        if role & _END:
            active = [] if active and _ends_clause(texts, at) else active
        elif role & _CUE and _is_cue(texts, at):
            kept = [] if texts[at] in ("nor", "neither") else active
            active = [*kept, (at, 1 if texts[at] == "non" else _REACH)]
        elif active and at in content:
            reached[at] = reached.get(at, []) + [cue for cue, _ in active]
            active = [(cue, left - 1) for cue, left in active if left > 1]
        if role & (_PRESENCE | _ABSENCE):
            _negate_subject(texts, roles, at, reached)
    return reached


def _negate_subject(texts: list[str], roles: list[int], at: int, reached: dict[int, list[int]]) -> None:
    """Apply "is absent" and "is not present" to the words before them in the clause."""
    if texts[at] == "out":
        cues = [at] if _is_ruled(texts, at) else []
    else:
        cues = [at] * (texts[at] in _rules()["backward_absent"]) + reached.get(at, [])
    if not cues:
        return
    for before in range(_clause_start(texts, roles, at), at):
        if (
            kind_of(texts[before]) == "w"
            and not set(cues) <= set(reached.get(before, []))
            and before not in cues
        ):
            reached.setdefault(before, []).extend(cue for cue in cues if cue > before)


def _clause_start(texts: list[str], roles: list[int], at: int) -> int:
    """Return where the clause of a word begins."""
    before = range(at - 1, -1, -1)
    return next((end + 1 for end in before if roles[end] & _END and _ends_clause(texts, end)), 0)


def _is_ruled(texts: list[str], at: int) -> bool:
    return at > 1 and texts[at - 1] == "ruled" and texts[at - 2] in ("was", "were", "been", "be", "is")


def _is_cue(texts: list[str], at: int) -> bool:
    """Tell whether a word negates the words after it."""
    rules, text = _rules(), texts[at]
    following = texts[at + 1] if at + 1 < len(texts) else ""
    if text in rules["forward_before"]:
        return following in rules["forward_before"][text].split()
    if text not in rules["forward"] and not text.endswith("n't"):
        return False
    if following in rules["pseudo"].get(text, "").split():
        return False
    if text == "no" and (not following or not following[0].isalpha()):
        return False
    return not (text == "not" and at and texts[at - 1] in rules["idle_after"])


def _ends_clause(texts: list[str], at: int) -> bool:
    text = texts[at]
    if kind_of(text) == "p":
        return text in ".;:?!()" or (text == "," and not _is_list(texts, at))
    if text == "and":
        following = texts[at + 1] if at + 1 < len(texts) else "."
        return kind_of(following) != "w" or following in _rules()["clause_starts"]
    return text in _rules()["clause_ends"]


def _is_list(texts: list[str], at: int) -> bool:
    """Tell whether a comma is part of a list that ends in "or": no fever, chills, or cough."""
    ahead = texts[at + 1 : at + 9]
    stops = [place for place, text in enumerate(ahead) if text in ".;:?!" or text in _rules()["clause_ends"]]
    ahead = ahead[: stops[0]] if stops else ahead
    return "or" in ahead[: _NO_VERB + 1] or ("," in ahead[:_NO_VERB] and "or" in ahead)


@lru_cache(maxsize=65536)
def _role(text: str) -> int:
    """Return the possible roles of a word in any position, as a sum of flags."""
    rules = _rules()
    is_word = text[0].isalpha()
    role = 0
    if text in _ANSWERS or text in _SWITCHES or text in _BOUND_WORDS:
        role |= _CONTENT_IN_PLACE
    elif is_word and ((len(text) > 1 and text not in rules["stop"] and "'" not in text) or is_listed(text)):
        role |= _CONTENT
    if text in rules["forward"] or text in rules["forward_before"] or text.endswith("n't"):
        role |= _CUE
    if text in rules["clause_ends"] or text == "and" or not is_word:
        role |= _END
    if text in rules["backward_absent"] or text == "out":
        role |= _ABSENCE
    elif text in rules["backward_present"]:
        role |= _PRESENCE
    return role


def _is_bound(texts: list[str], at: int) -> bool:
    """Tell whether a word belongs to a numeric bound: at least 5, 5 or more."""
    before = texts[at - 1] if at else ""
    return texts[at] in _BOUNDS.get(before, ())


def _is_content_here(texts: list[str], at: int) -> bool:
    if texts[at] in _BOUND_WORDS:
        return not _is_bound(texts, at)
    return _is_answer(texts, at) if texts[at] in _ANSWERS else _is_switch(texts, at)


def _is_answer(texts: list[str], at: int) -> bool:
    """Tell whether a yes or no is an answer: at the start, with no word directly after it."""
    return at == 0 and (len(texts) == 1 or kind_of(texts[1]) == "p")


def _is_switch(texts: list[str], at: int) -> bool:
    """Tell whether on, off, up or down describes a state and is no preposition."""
    ends = at + 1 == len(texts) or kind_of(texts[at + 1]) == "p" or texts[at + 1] in ("and", "or", "because")
    before = stem(texts[at - 1]) if at and kind_of(texts[at - 1]) == "w" else ""
    return ends or before in ("turn", "switch", "go", "goe", "went", "gone", "move")


@cache
def _rules() -> dict[str, dict[str, str]]:
    """Read the rules of negation; lists of words become dictionaries for fast look-up."""
    return {
        name: entry if isinstance(entry, dict) else dict.fromkeys(entry.split(), "")
        for name, entry in read_lexicon("negation").items()
    }
