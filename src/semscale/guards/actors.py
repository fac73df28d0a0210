"""Who acts, "we" or "you": "we pay" and "you pay" differ, "we pay" and "you do not pay" agree."""

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

from semscale.guards.text import Text
from semscale.guards.words import RECENT_TEXTS, kind_of, read_lexicon

_SUBJECTS = ("we", "you")
_AFTER_BY = {"us": "we", "you": "you"}
_OWNERS = {"our": "we", "your": "you"}
PAY = "pay"
"""Stem of all verbs of paying."""
_FARTHEST_VERB = 3
_FORMS = frozenset(subject + ending for subject in _SUBJECTS for ending in ("", "'ll", "'ve", "'d", "'re"))
_WORDS = _FORMS | _AFTER_BY.keys() | _OWNERS.keys()


class Actor(NamedTuple):
    """A verb with who does it.

    Attributes:
        verb: stem of the verb; all verbs of paying have the same.
        person: ``we`` or ``you``.
        is_denied: whether they are said not to do it.
        at: position of the verb among the words.
        first: position of the first word that states it.
        last: position of the last one.
    """

    verb: str
    person: str
    is_denied: bool
    at: int
    first: int
    last: int


@lru_cache(maxsize=RECENT_TEXTS)
def read_actors(text: Text) -> tuple[Actor, ...]:
    """Find what "we" and "you" do.

    Examples:
        >>> actors = read_actors(Text("We pay the fee; the cable is provided by you."))
        >>> [(actor.verb, actor.person) for actor in actors]
        [('pay', 'we'), ('provid', 'you')]
    """
    if _WORDS.isdisjoint(text.distinct):
        return ()
    positions = (at for at, word in enumerate(text.words) if word in _WORDS)
    return tuple(actor for at in positions if (actor := _actor_at(text, at)) is not None)


def find_other_actors(left: Text, right: Text) -> Iterator[tuple[Actor, Actor]]:
    """Yield pairs of the same verb of which one text says that "we", the other that "you" do it.

    Verbs with both actors in a text are left out, and so are texts about other things.

    Examples:
        >>> pairs = find_other_actors(Text("You pay."), Text("We pay."))
        >>> [(here.person, there.person) for here, there in pairs]
        [('you', 'we')]
    """
    if not (read_actors(left) and read_actors(right)):
        return
    here, there = _by_verb(left), _by_verb(right)
    for verb, actors in here.items():
        others = there.get(verb, [])
        persons = {actor.person for actor in actors}, {actor.person for actor in others}
        if others and persons[0].isdisjoint(persons[1]) and _have_same_subject(left, right, verb):
            yield actors[0], others[0]


def _by_verb(text: Text) -> dict[str, list[Actor]]:
    actors: dict[str, list[Actor]] = {}
    for actor in read_actors(text):
        actors.setdefault(actor.verb, []).append(actor)
    return actors


def _have_same_subject(left: Text, right: Text, verb: str) -> bool:
    """Tell whether two texts share a content word besides the verb, or one of them has no other."""
    here, there = ({_verb(text, at) for at in text.content} - {verb} for text in (left, right))
    return not (here and there) or not here.isdisjoint(there)


def _actor_at(text: Text, at: int) -> Actor | None:
    """Return the actor that a word states, as a subject, after "by" or in "at our expense"."""
    words = text.words
    word, _, contracted = words[at].partition("'")
    if word in _SUBJECTS and _begins_clause(words, at):
        verb = _verb_after(text, at)
        if verb is None or (contracted == "re" and not words[verb].endswith("ing")):
            return None
        is_denied = any(position in text.denying for position in range(at, verb))
        return Actor(_verb(text, verb), word, is_denied, verb, at, verb)
    before = words[at - 1] if at else ""
    if before == "by" and word in _AFTER_BY:
        reach = range(at - 2, max(at - 2 - _FARTHEST_VERB, -1), -1)
        verb = next((position for position in reach if position in text.content), None)
        if verb is None:
            return None
        is_denied = any(position in text.denying for position in range(max(verb - _FARTHEST_VERB, 0), verb))
        return Actor(_verb(text, verb), _AFTER_BY[word], is_denied, verb, verb, at)
    if word in _OWNERS and before in _words("before_expenses"):
        noun = at + 2 if words[at + 1 : at + 2] == ["own"] else at + 1
        if words[noun : noun + 1] and words[noun] in _words("expenses"):
            is_denied = at - 2 in text.denying
            return Actor(PAY, _OWNERS[word], is_denied, noun, at - 1, noun)
    return None


def _begins_clause(words: list[str], at: int) -> bool:
    return at == 0 or kind_of(words[at - 1]) == "p" or words[at - 1] in _words("before_subjects")


def _verb_after(text: Text, at: int) -> int | None:
    """Return the position of the verb of a subject; ``None`` if a form of "be" or no verb follows."""
    for position in range(at + 1, len(text.words)):
        word = text.words[position]
        if word in _words("before_verbs") or position in text.denying:
            continue
        return position if position in text.content and word.isalpha() else None
    return None


def _verb(text: Text, at: int) -> str:
    return PAY if text.words[at] in _words("payments") else text.content[at]


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(read_lexicon("actors")[name].split())
