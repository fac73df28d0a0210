"""Reads a level name that is used as a question with its answer, as in ``Correct: no``, or that is none."""

import re

from semscale.judging.replies.decision import Statement
from semscale.judging.replies.grammar.class_patterns import class_pattern
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.mentions import LevelMention
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_YES = ("yes", "true", "yep", "1", "ja", "oui", "sí", "si", "sim", "tak", "да", "是", "はい")
_NO = ("no", "false", "nope", "0", "nein", "non", "nee", "não", "nie", "нет", "否", "いいえ")
_UNSURE = ("uncertain", "unsure", "unclear")
_CROSSES, _TICKS = "❌✗✘🚫⛔👎❎☒", "✅✓✔👍☑"
_SAID = "|".join(sorted((*_YES, *_NO, *_UNSURE), key=len, reverse=True))
_ASKS = class_pattern(
    "^ (dash | open | bar)* (the | this | judge)? (word | answer | be | this | the | outcome)* $"
)
_ANSWERED = re.compile(
    rf"[\w ]+?(?:ness)?[\"')]*[ \t]*(?:answer|response)?[\"')]*[ \t]*"
    rf"(?:[(\[][^()\[\]\n]{{1,20}}[)\]][ \t]*)?[:=?|]+[\s\"'|–—-]*"
    rf"(?P<said>(?:{_SAID})(?!\w)|[{_CROSSES}{_TICKS}])[\"')\]}}]*"
    r"(?=[ \t]*(?:$|[.!;\n(|}#—–-]|,(?![ \t]*(?:but|and|or|no|yes|not|maybe|partly)\b)"
    r"|(?:because|since|as)\b))",
    re.IGNORECASE,
)
_ASKED = re.compile(r"[ \t]*[:=]+[ \t]*(?P<rest>[^\n]*)")
_HEDGE = re.compile(
    r"\W*(?:unsure|unknown|uncertain|unclear|n/?a|none|null|part\w*|mostly|largely|somewhat|maybe|perhaps|probably|"
    r"possibly|half|yes|no|not|depends|it[ ]depends|hard[ ]to|cannot|can't|undecided|both|neither"
    r"|either|tbd|\?)(?!\w)",
    re.IGNORECASE,
)
_OF_CORRECT_ANSWER = re.compile(
    r"[ \t]*(?:answer|response|value|solution|result|option|choice|spelling|number|date|name|word)s?[ \t]*"
    r"(?:[:=]|(?:is|was|would|should|being|reads)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"[ \t]*(?:[-–—,]|\.{2,}|…)*[ \t]*\b(?:not|no|nope|nah)\b[ \t]*(?:$|[.!\n])", re.IGNORECASE
)
_LONE_NO = re.compile(r"(?:^|[.!?…\n])[ \t]*(?:not|no|nope|nah)[ \t]*(?=[.!\n]|$)", re.IGNORECASE)
_KEY = re.compile(
    r"(?:^|\n|[{(])\W*(?:(?:the|this)[_ ])?(?:(?:answer|response|student)[_ ])?(?:(?:is|was)[_ ])?"
    r"correct(?:ness)?[\"'*]*[ \t]*[:=][ \t\"'*]*\Z",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(
    r"(?:^|[.!\n])[ \t]*(?:(?:the[ ]|this[ ])?(?:answer|response|it|this|that)[ ])?"
    r"(?:is|was)(?:n't|[ ]not)[ \t]+\Z",
    re.IGNORECASE,
)
_CLAUSE_ENDS = re.compile(r"[\"'*]*[ \t]*(?:$|[.!\n]|,?[ \t]*(?:because|since|as)\b)", re.IGNORECASE)
_BEFORE = 80
_FEWEST_WORDS = 3


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
    ends = _CLAUSE_ENDS.match(text, level.end) is not None
    if ends and _KEY.search(before):
        return Statement(mention.start, Role.STATED, level, opens=True, end=level.end)
    asks = mention.opens or _ASKS.search(mention.left)
    replied = _replied(text, mention, level, reader) if asks else None
    if replied is None and _OF_CORRECT_ANSWER.match(text, level.end):
        return Statement(mention.start, Role.CONTENT, None)
    if ends and _NOT_BEFORE.search(before) and text[level.start : level.end].casefold() == "correct":
        return _stated(mention, reader.opposite("correct") if len(reader.template.levels) == 2 else None)  # noqa: PLR2004 - right and wrong
    return replied or (_doubted(text, mention, level, reader) if asks else None)


def _stated(mention: LevelMention, score: float | None, start: int = 0, end: int = 0) -> Statement | None:
    if score is None or mention.level is None:
        return None
    end = end or mention.level.end
    return Statement(
        mention.start,
        Role.STATED,
        StatedLevel(score, start or end, end, end, named=True),
        opens=True,
        end=end,
    )


def _replied(text: str, mention: LevelMention, level: StatedLevel, reader: LevelReader) -> Statement | None:
    """``Correct: no``."""
    found = _ANSWERED.match(text, mention.start)
    if found is None:
        return None
    name, said = text[mention.start : level.end], found["said"].lower()
    if said.isdecimal() and _OF_CORRECT_ANSWER.match(text, level.end):
        return None
    affirmed = said in _YES or said in _TICKS
    score = reader.name_score(name) if affirmed else reader.opposite(name)
    if not affirmed and score == reader.name_score("true"):
        return _open(mention)
    if said in _UNSURE:
        score = reader.name_score("uncertain")
    start, end = found.span("said")
    return _stated(mention, score, start if reader.name_score(said) == score else end, end) or _open(mention)


def _doubted(text: str, mention: LevelMention, level: StatedLevel, reader: LevelReader) -> Statement | None:
    """A name before another reply than yes or no, or beside a sign or a word against it."""
    asked = _ASKED.match(text, level.end)
    rest = asked["rest"] if asked is not None else ""
    if rest.strip() and (_HEDGE.match(rest) or len(rest.split()) < _FEWEST_WORDS):
        return _open(mention)
    affirms = level.score == reader.name_score("true")
    line = text[text.rfind("\n", 0, level.start) + 1 :].partition("\n")[0]
    own, others = (_TICKS, _CROSSES) if affirms else (_CROSSES, _TICKS)
    marked = not set(line).isdisjoint(others) and set(line).isdisjoint(own)
    denied = affirms and (_DENIED.match(text, level.end) or _LONE_NO.search(text))
    return _open(mention) if marked or denied else None


def _open(mention: LevelMention) -> Statement:
    return Statement(mention.start, Role.DOUBTFUL, None, hard=True)
