"""Reads a level name that is used as a question with its answer, as in ``Correct: no``, or that is none."""

import re

from semscale.judging.replies.decision import Statement
from semscale.judging.replies.grammar.class_patterns import class_pattern
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.mentions import LevelMention
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_FEWEST_WORDS = 3
_YES = frozenset({"yes", "true", "yep", "1", "ja", "oui", "sí", "si", "sim", "tak", "да", "是", "はい"})
_NO = frozenset({"no", "false", "nope", "0", "nein", "non", "nee", "não", "nie", "нет", "否", "いいえ"})
_UNSURE = ("uncertain", "unsure", "unclear")
_SAID = "|".join(sorted({*_YES, *_NO, *_UNSURE}, key=len, reverse=True))
_ASKS = class_pattern(
    "^ (dash | open | bar)* (the | this | judge)? (word | answer | be | this | the | outcome)* $"
)
_GAP = r"[\s\"'|–—-]*"
_QUESTION = r"[\"')]*[ \t]*(?:answer|response)?[\"')]*[ \t]*"
_ANSWERED = re.compile(
    rf"[\w ]+?(?:ness)?{_QUESTION}[:=?|]+{_GAP}(?P<said>{_SAID})(?!\w)[\"')\]}}]*"
    r"(?=[ \t]*(?:$"
    r"|[.!;\n(|}#—–-]|,(?![ \t]*(?:but|and|or|no|yes|not|maybe|partly)\b)|because\b|since\b|as\b))",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[ \t]*[:=]+[ \t]*(?P<rest>[^\n]*)")
_HEDGE = re.compile(
    r"\W*(?:unsure|unknown|uncertain|unclear|n/?a|none|null|part\w*|mostly|largely|somewhat|maybe|perhaps|probably|"
    r"possibly|half|yes|no|not|depends|it[ ]depends|hard[ ]to|cannot|can't|undecided|both|neither"
    r"|either|tbd|\?)(?!\w)",
    re.IGNORECASE,
)
_CORRECT_ANSWER = re.compile(
    r"[ \t]*(?:answer|response|value|solution|result|option|choice|spelling|number|date|name|word)s?[ \t]*"
    r"(?:[:=]|(?:is|was|would|should|being|reads)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"[ \t]*(?:[-–—,]|\.{2,}|…)*[ \t]*\b(?:not|no|nope|nah)\b[ \t]*(?:$|[.!\n])", re.IGNORECASE
)
_LONE_NO = re.compile(r"(?:^|[.!?…\n])[ \t]*(?:not|no|nope|nah)[ \t]*(?=[.!\n]|$)", re.IGNORECASE)
_KEY = re.compile(
    r"(?:^|\n"
    r"|[{(])\W*(?:(?:the|this)[_ ])?(?:(?:answer|response|student)[_ ])?(?:(?:is|was)[_ ])?correct(?:ness)?"
    r"[\"'*]*[ \t]*[:=][ \t\"'*]*\Z",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"(?:^|[.!\n])[ \t]*(?:(?:the[ ]|this[ ])?(?:answer|response|it|this|that)[ ])?(?:is|was)(?:n't"
    r"|[ ]not)[ \t]+\Z",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[\"'*]*[ \t]*(?:$|[.!\n]|,?[ \t]*(?:because|since|as)\b)", re.IGNORECASE)
_CROSSES, _TICKS = "❌✗✘🚫⛔👎❎☒", "✅✓✔👍☑"
_BEFORE = 80


def answered(text: str, mention: LevelMention, reader: LevelReader) -> Statement | None:
    """Find what a level name of a scale of right and wrong says where its own words are not the verdict.

    Args:
        text: as ``readable`` gives it.
        mention: a level name, or a number.
        reader: of the template's levels.

    Returns:
        What is stated; ``None`` where the name is to be read as all others are.
    """
    level = mention.level
    if level is None or not level.named or reader.opposite(text[level.start : level.end]) is None:
        return None
    before = text[max(0, level.start - _BEFORE) : level.start]
    if _KEY.search(before) and _CLAUSE_ENDS.match(text, level.end):
        return Statement(mention.start, Role.STATED, level, opens=True, end=level.end)
    if _CORRECT_ANSWER.match(text, level.end):
        return Statement(mention.start, Role.CONTENT, None)
    plain = text[level.start : level.end].casefold() == "correct"
    if plain and _NOT_BEFORE.search(before) and _CLAUSE_ENDS.match(text, level.end):
        return _denied(text, mention, level, reader)
    asks = mention.opens or _ASKS.search(mention.left)
    if asks and (reply := _replied(text, mention, level, reader)) is not None:
        return reply
    return _doubted(text, mention, level, reader) if asks else None


def _denied(text: str, mention: LevelMention, level: StatedLevel, reader: LevelReader) -> Statement | None:
    """``It is not correct``, on a scale that has nothing between right and wrong."""
    score = reader.opposite(text[level.start : level.end])
    affirms = level.score == reader.name_score("true")
    if score is None or not affirms or len(reader.template.levels) != 2:  # noqa: PLR2004 - right and wrong
        return None
    said = StatedLevel(score, level.end, level.end, level.end, named=True)
    return Statement(mention.start, Role.STATED, said, opens=True, end=level.end)


def _replied(text: str, mention: LevelMention, level: StatedLevel, reader: LevelReader) -> Statement | None:
    """``Correct: no``."""
    found = _ANSWERED.match(text, mention.start)
    if found is None:
        return None
    name, said = text[mention.start : level.end], found["said"].lower()
    score = reader.name_score(name) if said in _YES else reader.opposite(name)
    if said in _UNSURE:
        score = reader.name_score("uncertain")
    if score is None:
        return _open(mention)
    end = found.end("said")
    start = found.start("said") if reader.name_score(said) == score else end
    stated = StatedLevel(score, start, end, end, named=True)
    return Statement(mention.start, Role.STATED, stated, opens=True, end=end)


def _doubted(text: str, mention: LevelMention, level: StatedLevel, reader: LevelReader) -> Statement | None:
    """A name before another reply than yes or no, or beside a sign or a word against it."""
    asked = _ASKED.match(text, level.end)
    if asked is not None and asked["rest"].strip():
        rest = asked["rest"]
        if _HEDGE.match(rest) or len(rest.split()) < _FEWEST_WORDS:
            return _open(mention)
    affirms = level.score == reader.name_score("true")
    line = text[text.rfind("\n", 0, level.start) + 1 : _line_end(text, level.end)]
    others = _CROSSES if affirms else _TICKS
    own = _TICKS if affirms else _CROSSES
    marked = any(sign in line for sign in others) and not any(sign in line for sign in own)
    denied = affirms and (_DENIED.match(text, level.end) or _LONE_NO.search(text))
    return _open(mention) if marked or denied else None


def _open(mention: LevelMention) -> Statement:
    return Statement(mention.start, Role.DOUBTFUL, None, hard=True)


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end
