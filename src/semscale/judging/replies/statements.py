"""Gives everything in a reply that may be a score its role."""

import re
from collections.abc import Collection, Sequence

from semscale.judging.replies.affirmations import answered
from semscale.judging.replies.decision import Statement
from semscale.judging.replies.grammar.class_patterns import class_pattern
from semscale.judging.replies.grammar.lexicon import lexicon, split_words
from semscale.judging.replies.grammar.role_patterns import KEY
from semscale.judging.replies.grammar.role_rules import role_of
from semscale.judging.replies.grammar.roles import STANDING, Role, Surroundings
from semscale.judging.replies.grammar.tokens import tokenize
from semscale.judging.replies.json_reply import JsonReply
from semscale.judging.replies.mentions import LevelMention, ReplyTokens, find_mentions
from semscale.judging.replies.quotations import is_of_others, within
from semscale.judging.replies.scales import NamedScale, blank_own_scales, named_scales
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.replies.withdrawals import Withdrawals, withdrawals

_FEWEST_PAIRS = 3
_ENDS = {0.0, 1.0}
_LEAD = 300
_WITH_LEVEL = STANDING | {Role.IMPLIED, Role.WITHDRAWN, Role.UNEXPLAINED, Role.DOUBTFUL}
_STRONG = STANDING - {Role.AGREEING}
_OPENS_KEY = class_pattern(
    "^ (dash | open | bar | the | judge | final | so | plain | adverb | number | and |"
    "corrected | amend | pause | colon)* $"
)
_SUPPOSED = re.compile(
    r"(?:^|[.!?\n])\W*(?:(?:but|and|now|so)[ ])?(?:suppose|imagine|grant|picture|pretend|assume"
    r"|let(?:'s|[ ]us|[ ]me)[ ](?:say|assume|suppose|pretend|imagine|play)"
    r"|say[ ](?:the|that|you)|assuming)\b[^.!?\n]*[.!\n]\s*$",
    re.IGNORECASE,
)


def statements_of(
    text: str,
    quoted: Sequence[tuple[int, int]],
    reader: LevelReader,
    objects: Sequence[JsonReply],
    *,
    score_last: bool,
) -> tuple[list[Statement], Withdrawals]:
    """Find everything that may be a score, with its role.

    Args:
        text: as ``readable`` gives it, with the values of JSON objects on lines of their own.
        quoted: bounds of the words of others in it, in order.
        reader: of the template's levels.
        objects: the JSON objects of the reply.
        score_last: whether the explanation was asked for first.

    Returns:
        The statements, and the places where the judge takes a score back or doubts it.
    """
    scales = list(named_scales(text, reader))
    found = find_mentions(blank_own_scales(text, scales), reader)
    statements = [_of_object(item, text, quoted) for item in objects]
    legend = _legend(found.mentions)
    for at, mention in enumerate(found.mentions):
        plain_reply = answered(text, mention, reader) if not within(quoted, mention.start) else None
        around = Surroundings(
            quoted=within(quoted, mention.start),
            supposed=_SUPPOSED.search(text, max(0, mention.left_start - _LEAD), mention.left_start)
            is not None,
            scale=_described_scale(mention, scales, legend),
            other_scale=_in_other_scale(text, mention, scales),
            earlier=bool(objects) or _has_level(found, at),
            score_last=score_last,
            filler=mention.named and _is_filler(text[mention.start : mention.after]),
            signed=reader.signed,
            numbered=reader.ends is not None,
            standing=any(item.role in _STRONG for item in statements),
            denied=bool(statements) and statements[-1].role is Role.DENIED,
            attributed=bool(statements) and statements[-1].role is Role.ATTRIBUTED,
        )
        statements.append(plain_reply or _statement(mention, role_of(mention, around)))
    own = [token for token in found.tokens if not within(quoted, token.start)]
    return statements, withdrawals(own)


def _statement(mention: LevelMention, role: Role) -> Statement:
    key = KEY.search(mention.left)
    opens = mention.opens if key is None else _OPENS_KEY.search(mention.left[: key.start()]) is not None
    opens = opens or (role in _STRONG and ("settle " in mention.left or "so " in mention.left))
    hard = role is Role.OFF_SCALE or (role is Role.DOUBTFUL and key is not None)
    level = mention.level if role in _WITH_LEVEL else None
    return Statement(mention.start, role, level, opens, hard=hard)


def _has_level(found: ReplyTokens, at: int) -> bool:
    """Whether a level, or a number that opens the reply, goes before a mention."""
    before = found.mentions[:at]
    return any(mention.level is not None for mention in before) or (bool(before) and before[0].first)


def _is_filler(name: str) -> bool:
    """Whether a name often only opens a sentence, as ``Right`` does."""
    return lexicon().find(split_words(name), 0)[0] == "filler"


def _legend(mentions: Sequence[LevelMention]) -> Collection[int]:
    """Places where the reply repeats which name belongs to which number."""
    places: dict[float | None, int] = {}
    for mention in mentions:
        if mention.level is not None and mention.level.paired:
            places.setdefault(mention.score, mention.start)
    both_ends = places.keys() >= _ENDS and len(places) < len(mentions)
    return places.values() if both_ends or len(places) >= _FEWEST_PAIRS else ()


def _described_scale(
    mention: LevelMention, scales: Sequence[NamedScale], legend: Collection[int]
) -> bool | None:
    """Whether a mention describes a scale: the own one, another one, or none."""
    for scale in scales:
        if scale.start <= mention.start < scale.end:
            return scale.own
    return True if mention.start in legend and not KEY.search(mention.left) else None


def _in_other_scale(text: str, mention: LevelMention, scales: Sequence[NamedScale]) -> bool:
    """Whether another scale is named in the sentence or the line, and not the own one."""
    end = text.find("\n", mention.after)
    end = len(text) if end < 0 else end
    near = [scale.own for scale in scales if mention.left_start <= scale.start < end]
    return bool(near) and not any(near)


def _of_object(item: JsonReply, text: str, quoted: Sequence[tuple[int, int]]) -> Statement:
    """The statement of a JSON object, by its keys and by the words that lead to it."""
    lead = tokenize(text[: item.start].rstrip("\n `").rpartition("\n")[2][-_LEAD:])
    kinds = {token.kind for token in lead}
    role = item.role
    if within(quoted, item.start) or is_of_others(lead):
        role = Role.QUOTED
    elif {"amend", "pause", "withdraw", "corrected", "edit"} & kinds:
        role = Role.CORRECTED
    elif "example" in kinds and "judge" not in kinds:
        role = Role.HYPOTHETICAL
    if item.level is None and role in STANDING:
        return Statement(item.start, Role.OFF_SCALE, None, hard=True)
    end = item.end if item.level is None or item.settled else item.level.after
    return Statement(item.start, role, item.level, opens=True, end=end)
