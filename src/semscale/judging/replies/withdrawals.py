"""Finds where a judge takes a score back, or doubts it, in words that name no other one."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.tokens import BOUNDARIES, Token

_AGAINST = frozenset(
    {"withdraw", "pause", "faulted", "edit", "amend", "ought", "corrected", "maybe", "might", "or", "deny"}
)
_TAKES_BACK = class_pattern(
    "withdraw (?! to | for) | (^ | comma | dash | but | open) pause (?! to | for) "
    "| score_word any{0,6} (faulted | amend | edit) | (faulted | amend) any{0,6} score_word"
    "| judge (will | would | ought | adverb)* deduct"
    "| judge (word | adverb | will | would | have | be | to | ought){0,3} (amend | not{0,1} any? faulted)"
    "| judge any{0,5} (other | corrected) score_word ((?! level) any)*$"
    "| ^ (pause | amend) comma? this be | score_word be adverb* draft | level faulted | ^ (open | dash)* edit any*"
    "  (refuse any{0,3} bound | score_word | faulted | ought | not a? level)"
    "| ^ (adverb | but | so | and | amend | edit | pause | maybe | colon | comma)*"
    "  this (be | might be | ought) adverb* faulted"
)
_HEADING = class_pattern("^ (open | dash)* edit")
_STAYS = class_pattern("unchanged | score_word any{0,3} not (be | adverb)* (corrected | amend | edit)")
_REOPENS = class_pattern("^ (open | dash)* (edit | amend | pause)")
_DOUBTS = class_pattern(
    "judge (adverb | be)* (maybe | might (?! not))"
    "| ^ (but | or | and | maybe | adverb)* be this any* question $"
    "| score_word any{0,4} (maybe | might) | (maybe | might) any{0,6} score_word"
)
_DENIES_FIRST = class_pattern("^ (but | and | adverb | amend | pause)* deny")
_DOUBTS_FIRST = class_pattern(
    "^ (but | and | adverb)* (or | maybe | might) (any{0,4} $ | any* (level | number | score_word | faulted))"
)
_PASSED = frozenset({"close", "dash", "comma"})


@dataclass(frozen=True)
class Withdrawals:
    """Places of words against a score.

    Attributes:
        taken_back: after which another score may take its place.
        doubted: after which nothing is certain.
        reopened: after which another score may take its place, and need not.
    """

    taken_back: tuple[int, ...] = ()
    doubted: tuple[int, ...] = ()
    reopened: tuple[int, ...] = ()


def withdrawals(tokens: Sequence[Token]) -> Withdrawals:
    """Find the places of such words, without those before a sentence that says that the score stays.

    Args:
        tokens: of a reply, without the words of others.
    """
    taken_back: list[int] = []
    doubted: list[int] = []
    reopened: list[int] = []
    kept = -1
    sentence: list[Token] = []
    ended_on = heading = ""
    for token in [*tokens, Token(0, 0, "line")]:
        if token.kind not in BOUNDARIES:
            sentence.append(token)
            continue
        if sentence:
            kinds = heading + sequence(item.kind for item in [*sentence, token])
            after_level = ended_on == "level"
            if _is_against(kinds, _TAKES_BACK, _DENIES_FIRST if after_level else None):
                taken_back.append(_place(sentence))
            if _is_against(kinds, _DOUBTS, _DOUBTS_FIRST if after_level else None):
                doubted.append(_place(sentence))
            if _STAYS.search(kinds):
                kept = sentence[-1].start
            if _REOPENS.search(kinds):
                reopened.append(sentence[0].start)
            heading = "edit " if _HEADING.search(kinds) else ""
            ended_on = next((item.kind for item in reversed(sentence) if item.kind not in _PASSED), "")
        elif token.kind == "line":
            ended_on = ""
        if token.kind == "line":
            heading = ""
        sentence = []
    return Withdrawals(
        tuple(place for place in taken_back if place > kept),
        tuple(place for place in doubted if place > kept),
        tuple(reopened),
    )


def _is_against(kinds: str, *patterns: re.Pattern[str] | None) -> bool:
    return any(pattern is not None and pattern.search(kinds) for pattern in patterns)


def _place(sentence: Sequence[Token]) -> int:
    """Where the first word against a score stands; after a level of the same sentence if there is one."""
    levels = [token.start for token in sentence if token.kind == "level"]
    against = [token.start for token in sentence if token.kind in _AGAINST]
    later = [place for place in against if not levels or place > levels[0]]
    return (later or against or [sentence[0].start])[0]
