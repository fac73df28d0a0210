"""Finds where a judge takes a score back, doubts it, or reopens it, in words that name no other one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.tokens import BOUNDARIES, Token

_AGAINST = frozenset(
    {"withdraw", "pause", "faulted", "edit", "amend", "ought", "corrected", "maybe", "might", "or", "deny"}
)
_TAKES_BACK = class_pattern(
    "withdraw (?! to | for) | (^ | comma | dash | but | open) pause (?! to | for)"
    "| score_word ((?! because) any){0,6} (faulted | amend | edit)"
    "| (?<! because) judge (word | adverb | will | would | have | be | to | ought | if){0,3}"
    "  (amend | not{0,1} any? faulted)"
    "| (so | comma | but) this (be | might) (be | a | adverb)* faulted (stop | line) $"
    "| level faulted"
    "| ^ (open | dash)* edit any* (refuse any{0,3} bound | score_word | faulted | ought | not a? level)"
    "| ^ (adverb | but | so | and | amend | edit | pause | maybe | colon | comma)*"
    "  (amend (stop | line) $ | this (be | might be | ought) adverb* faulted | faulted colon"
    "  | adverb* faulted any{0,2} (stop | question | line) $)"
)
_DOUBTS = class_pattern(
    "(faulted | maybe) judge be (stop | line | comma)"
    "| judge (adverb | be | settle | have)* (maybe | might (?! not))"
    "| ^ (but | or | and | maybe | adverb)* be this any* question $"
    "| score_word any{0,4} (maybe | might) | (maybe | might) any{0,6} score_word"
)
_DENIES_FIRST = class_pattern("^ (but | and | adverb | amend | pause)* deny")
_DOUBTS_FIRST = class_pattern(
    "^ (but | and | adverb)* (or | maybe | might)"
    "  (any{0,3} (stop | question | line) $ | any* (level | number | score_word | faulted))"
    "| ^ (but | and | adverb)* if any* (faulted | amend | deduct | maybe)"
)
_STAYS = class_pattern(
    "unchanged | level be (stop | line) | score_word any{0,3} not (be | adverb)* (corrected | amend | edit)"
)
_REOPENS = class_pattern("^ (open | dash)* (edit | amend | pause)")
_UPDATES = class_pattern("^ (open | dash)* edit any{0,7} (colon | dash | close)")
_COSMETIC = class_pattern("cosmetic")
_PASSED = frozenset({"close", "dash", "comma"})


@dataclass(frozen=True)
class Withdrawals:
    """Places of words against a score.

    Attributes:
        taken_back: after which another score may take its place, and must.
        doubted: after which nothing is certain.
        reopened: after which another score may take its place, and need not.
    """

    taken_back: tuple[int, ...] = ()
    doubted: tuple[int, ...] = ()
    reopened: tuple[int, ...] = ()

    def last_before(self, place: int) -> int:
        """Where the words about the score at a place begin: after the last one that was taken back."""
        return max((each for each in (*self.taken_back, *self.reopened) if each < place), default=0)


@dataclass(frozen=True)
class _Sentence:
    """A sentence of a reply.

    Attributes:
        tokens: without the sign that ends it, at least one.
        kinds: their classes with that of the sign.
        after_level: whether the sentence before it, on the same line, ends on a level.
    """

    tokens: Sequence[Token]
    kinds: str
    after_level: bool

    def is_against(self, anywhere: re.Pattern[str], at_once: re.Pattern[str]) -> bool:
        """Whether a pattern applies, or one that needs a level just before it."""
        at_once_too = self.after_level and at_once.search(self.kinds) is not None
        return at_once_too or anywhere.search(self.kinds) is not None

    def updates(self) -> bool:
        """Whether it opens a later addition that is about more than the wording."""
        own = sequence(token.kind for token in self.tokens)
        return _UPDATES.search(own) is not None and _COSMETIC.search(self.kinds) is None

    def place(self) -> int:
        """Where the first word against a score stands; after a level of the same sentence if there is one."""
        levels = [token.start for token in self.tokens if token.kind == "level"]
        against = [token.start for token in self.tokens if token.kind in _AGAINST]
        later = [place for place in against if not levels or place > levels[0]]
        return (later or against or [self.tokens[0].start])[0]


def withdrawals(tokens: Sequence[Token]) -> Withdrawals:
    """Find the places of such words, without those before a sentence that says that the score stays.

    Args:
        tokens: of a reply, without the words of others.
    """
    sentences = list(_sentences(tokens))
    taken_back = [each.place() for each in sentences if each.is_against(_TAKES_BACK, _DENIES_FIRST)]
    doubted = [each.place() for each in sentences if each.is_against(_DOUBTS, _DOUBTS_FIRST)]
    taken_back += [each.place() for each in sentences if each.updates()]
    kept = max((each.tokens[-1].start for each in sentences if _STAYS.search(each.kinds)), default=-1)
    return Withdrawals(
        tuple(place for place in taken_back if place > kept),
        tuple(place for place in doubted if place > kept),
        tuple(each.tokens[0].start for each in sentences if _REOPENS.search(each.kinds)),
    )


def _sentences(tokens: Sequence[Token]) -> Iterator[_Sentence]:
    ended_on = ""
    sentence: list[Token] = []
    for token in [*tokens, Token(0, 0, "line")]:
        if token.kind not in BOUNDARIES:
            sentence.append(token)
            continue
        if sentence:
            kinds = sequence(item.kind for item in [*sentence, token])
            yield _Sentence(sentence, kinds, ended_on == "level")
            ended_on = next((item.kind for item in reversed(sentence) if item.kind not in _PASSED), "")
        elif token.kind == "line":
            ended_on = ""
        sentence = []
