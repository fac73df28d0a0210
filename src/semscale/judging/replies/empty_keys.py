"""Finds score words that are followed by something else than a level: ``Score: high``."""

from collections.abc import Iterator, Sequence
from itertools import takewhile

from semscale.judging.replies.decision import Statement
from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.roles import STANDING, Role
from semscale.judging.replies.grammar.stating_rules import rank
from semscale.judging.replies.grammar.tokens import BOUNDARIES, Token
from semscale.judging.replies.mentions import ReplyTokens
from semscale.judging.replies.quotations import within

_KEY = class_pattern("^ (open any{1,8} close)? colon+ (a | the | adverb | plain | open | dash)*")
_NEAR = 14
_LONGEST_VALUE = 5
_DOUBTS = frozenset({"not", "bound", "maybe", "between", "or"})


def empty_keys(found: ReplyTokens, text: str, quoted: Sequence[tuple[int, int]]) -> Iterator[Statement]:
    """Find score words with a colon and a short value that is no level.

    Args:
        found: tokens and mentions of the reply.
        text: as ``readable`` gives it.
        quoted: where others speak.

    Yields:
        A doubtful statement for each.
    """
    tokens = found.tokens
    places = {mention.start for mention in found.mentions}
    for at, token in enumerate(tokens):
        if token.kind != "score_word" or within(quoted, token.start):
            continue
        key = _KEY.match(sequence(other.kind for other in tokens[at + 1 : at + _NEAR]))
        if key is None:
            continue
        after = at + 1 + key[0].count(" ")
        value = tokens[after : after + _NEAR]
        line = list(takewhile(lambda other: other.kind not in BOUNDARIES, value))
        leveled = (
            not line
            or line[0].kind in {"score_word", "final"}
            or any(other.start in places for other in line)
        )
        if leveled or _is_sentence(value) or rank(_before(tokens, at)) not in STANDING:
            continue
        line_end = text.find("\n", token.end)
        rest = text[tokens[after - 1].end : len(text) if line_end < 0 else line_end]
        if rest.strip(" \t\"'{}[]|,."):
            yield Statement(token.start, Role.DOUBTFUL, None)


def _is_sentence(tokens: Sequence[Token]) -> bool:
    """Whether more words follow than a value has."""
    line = list(takewhile(lambda token: token.kind != "line", tokens))
    return len(line) > _LONGEST_VALUE and not any(token.kind in _DOUBTS for token in line[:3])


def _before(tokens: Sequence[Token], at: int) -> str:
    before = takewhile(lambda token: token.kind not in BOUNDARIES, reversed(tokens[max(0, at - 8) : at]))
    return sequence(reversed([token.kind for token in before]))
