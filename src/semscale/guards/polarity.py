"""What each content word of a text is worth: affirmed, negated, and on which side of an opposition it stands.

English only. A word has a sign: the side of its axis (``closed`` is the other side of ``open``), turned by
every negation in whose reach it stands. So "not disconnected" and "connected" have the same sign, and so have
"not open" and "closed". Both the negation guard and the opposite guard compare these signs.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

from semscale.guards.comparatives import Relation, read_relations
from semscale.guards.lexicons import read_lexicon
from semscale.guards.opposites import is_listed, sides
from semscale.guards.words import Word, stem

_REACH = 4
_NO_VERB = 3
_CONTENT, _CONTENT_IN_PLACE, _CUE, _END, _EXISTENCE = 1, 2, 4, 8, 16
_ANSWERS = frozenset(("yes", "yeah", "yep", "no", "nope"))
_SWITCHES = frozenset(("on", "off", "up", "down", "out"))
_BOUNDS = {"at": ("least", "most"), "or": ("more", "less", "fewer")}
_SIGNS = {sign: frozenset((sign,)) for sign in (1, -1)}
_BOUND_WORDS = frozenset(word for words in _BOUNDS.values() for word in words)


class Mention(NamedTuple):
    """A content word in its place.

    Attributes:
        key: what it is about: an axis of the lexicon, or its stem.
        side: 1 or -1, on which side of the axis the word itself stands.
        sign: the side, turned round by each negation.
        cues: which negations reach it, as positions among the words.
        at: its position among the words.
    """

    key: str
    side: int
    sign: int
    cues: tuple[int, ...]
    at: int


@dataclass(frozen=True, eq=False)
class Polarity:
    """The signs of a text's content words.

    Attributes:
        words: all words of the text.
        mentions: its content words; a word that stands on several axes is mentioned on each.
        signs: for each key the signs with which it occurs.
        relations: its comparisons and orders.
    """

    words: list[Word]
    mentions: list[Mention]
    signs: dict[str, frozenset[int]]
    relations: list[Relation]

    def noun_after(self, mention: Mention) -> str:
        """Give the stem of the content word after a mention; empty where there is none in the clause."""
        following = next((other.at for other in self.mentions if other.at > mention.at), None)
        if following is None or any(word.kind == "p" for word in self.words[mention.at + 1 : following]):
            return ""
        return stem(self.words[following].text)


def read_polarity(words: list[Word]) -> Polarity:
    """Find what is negated and what is not.

    Args:
        words: the words of one text.

    Example:
        >>> from semscale.guards.words import read_words
        >>> [(m.key, m.sign) for m in read_polarity(read_words("The bulb is not lit")).mentions]
        [('bulb', 1), ('lit', -1)]
    """
    roles = [_role(word.text) for word in words]
    content = [
        at
        for at, role in enumerate(roles)
        if role & _CONTENT or (role & _CONTENT_IN_PLACE and _is_content_here(words, at))
    ]
    negates = any(role & (_CUE | _EXISTENCE) for role in roles)
    reached = _reach(words, roles, frozenset(content)) if negates else {}
    mentions: list[Mention] = []
    for at in content:
        cues = tuple(reached.get(at, ()))
        turned = -1 if len(cues) % 2 else 1
        mentions += [Mention(key, side, side * turned, cues, at) for key, side in sides(words[at].text)]
    signs: dict[str, frozenset[int]] = {}
    for mention in mentions:
        known = signs.get(mention.key)
        signs[mention.key] = _SIGNS[mention.sign] if known is None else known | _SIGNS[mention.sign]
    return Polarity(words, mentions, signs, read_relations(words))


def _reach(words: list[Word], roles: list[int], content: frozenset[int]) -> dict[int, list[int]]:
    """List for each word the negations that reach it."""
    reached: dict[int, list[int]] = {}
    start = 0
    active: list[tuple[int, int]] = []
    for at, role in enumerate(roles):
        if role & _END and _ends_clause(words, at):
            active, start = [], at + 1
        elif role & _CUE and _is_cue(words, at):
            kept = [] if words[at].text in ("nor", "neither") else active
            active = [*kept, (at, 1 if words[at].text == "non" else _REACH)]
        elif at in content and active:
            reached[at] = reached.get(at, []) + [cue for cue, _ in active]
            active = [(cue, left - 1) for cue, left in active if left > 1]
        if role & _EXISTENCE:
            _negate_subject(words, at, start, reached)
    return reached


def _negate_subject(words: list[Word], at: int, start: int, reached: dict[int, list[int]]) -> None:
    """Carry "is absent" and "is not present" over to what comes before them in the clause."""
    rules, text = _rules(), words[at].text
    if text in rules["backward_absent"]:
        cues = [at, *reached.get(at, [])]
    elif text in rules["backward_present"] or (text == "out" and _is_ruled(words, at)):
        cues = [*reached.get(at, [])] if text != "out" else [at]
    else:
        return
    for before in range(start, at):
        if words[before].kind == "w" and not set(cues) <= set(reached.get(before, [])) and before not in cues:
            reached.setdefault(before, []).extend(cue for cue in cues if cue > before)


def _is_ruled(words: list[Word], at: int) -> bool:
    return (
        at > 1 and words[at - 1].text == "ruled" and words[at - 2].text in ("was", "were", "been", "be", "is")
    )


def _is_cue(words: list[Word], at: int) -> bool:
    """Tell whether a word negates what follows it."""
    rules, text = _rules(), words[at].text
    following = words[at + 1].text if at + 1 < len(words) else ""
    if text in rules["forward_before"]:
        return following in rules["forward_before"][text].split()
    if text not in rules["forward"] and not text.endswith("n't"):
        return False
    if following in rules["pseudo"].get(text, "").split():
        return False
    if text == "no" and (not following or not following[0].isalpha()):
        return False
    return not (text == "not" and at and words[at - 1].text in rules["idle_after"])


def _ends_clause(words: list[Word], at: int) -> bool:
    word = words[at]
    if word.kind == "p":
        return word.text in ".;:?!()" or (word.text == "," and not _is_list(words, at))
    if word.text == "and":
        following = words[at + 1] if at + 1 < len(words) else None
        return following is None or following.kind != "w" or following.text in _rules()["clause_starts"]
    return word.text in _rules()["clause_ends"]


def _is_list(words: list[Word], at: int) -> bool:
    """Tell whether a comma goes on with a list that ends in "or": no fever, chills, or cough."""
    ahead = [word.text for word in words[at + 1 : at + 9]]
    stops = [place for place, text in enumerate(ahead) if text in ".;:?!" or text in _rules()["clause_ends"]]
    ahead = ahead[: stops[0]] if stops else ahead
    return "or" in ahead[: _NO_VERB + 1] or ("," in ahead[:_NO_VERB] and "or" in ahead)


@lru_cache(maxsize=65536)
def _role(text: str) -> int:
    """Say what a word can be, wherever it stands, as a sum of flags."""
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
    if text in rules["backward_absent"] or text in rules["backward_present"] or text == "out":
        role |= _EXISTENCE
    return role


def _is_bound(words: list[Word], at: int) -> bool:
    """Tell whether a word only makes a number a bound: at least 5, 5 or more."""
    before = words[at - 1].text if at else ""
    return words[at].text in _BOUNDS.get(before, ())


def _is_content_here(words: list[Word], at: int) -> bool:
    if words[at].text in _BOUND_WORDS:
        return not _is_bound(words, at)
    return _is_answer(words, at) if words[at].text in _ANSWERS else _is_switch(words, at)


def _is_answer(words: list[Word], at: int) -> bool:
    """Tell whether a yes or no stands alone: at the start, with no word right after it."""
    return at == 0 and (len(words) == 1 or words[1].kind == "p")


def _is_switch(words: list[Word], at: int) -> bool:
    """Tell whether on, off, up or down is said of a state, and is no preposition."""
    ends = at + 1 == len(words) or words[at + 1].kind == "p" or words[at + 1].text in ("and", "or", "because")
    before = stem(words[at - 1].text) if at else ""
    return ends or before in ("turn", "switch", "go", "goe", "went", "gone", "move")


@cache
def _rules() -> dict[str, dict[str, str]]:
    """Read the rules; lists of words become dictionaries without values, for quick look-up."""
    return {
        name: entry if isinstance(entry, dict) else dict.fromkeys(entry.split(), "")
        for name, entry in read_lexicon("negation").items()
    }
