"""Rules for numbers and level names that state a score: after a key, in a sentence, or alone on a line."""

import re

from semscale.judging.replies.grammar import role_patterns as patterns
from semscale.judging.replies.grammar.passing_rules import ends_clause, own_words
from semscale.judging.replies.grammar.roles import STANDING, Role, Surroundings
from semscale.judging.replies.mentions import LevelMention

_RANKS = {
    "final": Role.FINAL, "corrected": Role.CORRECTED, "amend": Role.CORRECTED,
    "pause": Role.CORRECTED, "draft": Role.DRAFT,
    "other": Role.OF_ANOTHER, "confidence": Role.CONFIDENCE, "maximum": Role.SCALE, "scale": Role.SCALE,
    "word": Role.PART, "numbered": Role.PART, "number": Role.PART, "level": Role.PART,
    "inject": Role.ATTRIBUTED, "say": Role.ATTRIBUTED, "deduct": Role.DEDUCTION,
    "bound": Role.DOUBTFUL, "maybe": Role.DOUBTFUL,
}  # fmt: skip
_COLOURING = frozenset({"plain", "adverb", "a", "the", "judge", "for", "this"})
_SIGNS = frozenset({"dash", "open", "plus"})
_OPENING_WORDS = frozenset({"so", "amend", "pause", "better", "adverb", "comma", "colon", "final", "dash"})
_SHORT = 4
_GIVING = (patterns.GIVEN, patterns.EARNED, patterns.THATS, patterns.MAKES)


def correction(mention: LevelMention, around: Surroundings) -> Role | None:
    """A score that replaces one that was said before: ``no, 3``, ``make that 3``, ``3 is better``."""
    left, right = mention.left, mention.right
    if not around.earlier or mention.level is None:
        return None
    if patterns.IS_BETTER.search(right) and not mention.named and not patterns.NOT.search(left):
        return Role.DOUBTFUL if around.other_scale or right.endswith("question ") else Role.CORRECTED
    if patterns.DENIED_THEN.search(left) or patterns.REPLACED.search(left):
        return settled(mention, around, Role.CORRECTED)
    if patterns.NOT_BUT.search(left) and ends_clause(mention):
        role = settled(mention, around, Role.CORRECTED)
        return role if role is Role.CORRECTED else None
    return None


def keyed(mention: LevelMention, around: Surroundings) -> Role | None:
    """A score after its key: ``Score: 4``, ``my final rating is 4``, ``a score of 4``."""
    key = patterns.KEY.search(mention.left)
    if key is None:
        return None
    before = mention.left[: key.start()]
    role = rank(before)
    if role not in STANDING:
        return role
    if mention.level is None:
        return Role.CONTENT if around.standing and patterns.ASIDE.search(before) else Role.OFF_SCALE
    listed = not before and mention.left.endswith("score_word ")
    if listed and mention.right.startswith(("number ", "level ")):
        return Role.DOUBTFUL
    return settled(mention, around, role)


def rank(before: str) -> Role:
    """What a score is, by the classes before its score word.

    Example:
        >>> rank("judge final "), rank("the word "), rank("")
        (<Role.FINAL: 'final'>, <Role.PART: 'part'>, <Role.STATED: 'stated'>)
    """
    kinds = before.split()
    while len(kinds) > 1 and kinds[-1] in _COLOURING:
        kinds.pop()
    return _RANKS.get(kinds[-1], Role.STATED) if kinds else Role.STATED


def sentence(mention: LevelMention, around: Surroundings) -> Role | None:
    """A score that a sentence gives: ``I rate it 4``, ``it deserves a 4``, ``that's a 4``, ``Overall: 4``."""
    left = own_words(mention.left)
    if mention.level is None:
        given = (patterns.GIVEN, patterns.OVERALL)
        named = "judge " in left or "a " in left
        return Role.OFF_SCALE if named and any(pattern.search(left) for pattern in given) else None
    if patterns.OVERALL.search(left):
        return settled(mention, around, Role.FINAL)
    for pattern in _GIVING:
        found = pattern.search(left)
        if found is not None and not (mention.named and pattern is patterns.MAKES):
            return _given(mention, around, left, found)
    if "level " not in left and implied(mention, around, patterns.IT_IS):
        return Role.IMPLIED
    announced = (patterns.MINE, patterns.NOTE_KEY, patterns.OUTCOME, patterns.CONCLUDED, patterns.KEY_FAR)
    if any(pattern.search(left) for pattern in announced):
        return settled(mention, around, Role.STATED)
    return None


def implied(mention: LevelMention, around: Surroundings, pattern: re.Pattern[str]) -> bool:
    """Whether a number that ends the first or the last sentence stands for the score: ``it's 3``."""
    concludes = mention.last and (
        "so " in mention.left or "judge " in mention.left or "other " in mention.left
    )
    if (
        not (mention.opening or concludes)
        or mention.level is None
        or mention.named
        or mention.spelled
        or not pattern.search(mention.left)
    ):
        return False
    ends = patterns.IT_IS_ENDS.search(mention.right) is not None
    return ends and settled(mention, around, Role.STATED) is Role.STATED


def compared(mention: LevelMention, around: Surroundings) -> Role | None:
    """The number that ends a comparison and the reply: ``Worse than the reference (5): 3``."""
    beside = mention.last and "other " in mention.left and "if " not in mention.left
    return Role.IMPLIED if beside and implied(mention, around, patterns.COMPARED) else None


def _given(mention: LevelMention, around: Surroundings, left: str, found: re.Match[str]) -> Role:
    """A score that is given: to the answer, or to a part of it."""
    for_part = not mention.named and patterns.FOR_PART.search(mention.right)
    if for_part or patterns.PART_BEFORE.search(left[: found.start()]):
        return Role.PART
    return settled(mention, around, Role.STATED)


def remark(mention: LevelMention, around: Surroundings) -> Role | None:
    """A level name that is said of the answer, as in ``The answer is mostly correct``."""
    if not mention.named or not patterns.REMARK.search(mention.left):
        return None
    if around.filler and around.standing and "answer " not in mention.left:
        return Role.CONTENT
    right = mention.right.removeprefix("answer ")
    if patterns.PROSE_AFTER.search(right):
        loose = mention.words > 1 and not right.startswith(("prose ", "this ", "to "))
        return Role.AGREEING if loose else Role.CONTENT
    role = settled(mention, around, Role.STATED)
    if role is not Role.STATED:
        return role
    of_answer = around.denied or "answer " in mention.left or "so " in mention.left
    opens = mention.opening and patterns.OPENING_REMARK.search(mention.left) is not None
    return role if opens or of_answer else Role.AGREEING


def bare(mention: LevelMention, around: Surroundings) -> Role | None:
    """A level that opens its line: alone, or at the beginning of the reply with words after it."""
    kinds = set(mention.left.split())
    if (
        mention.level is None
        or not mention.opens
        or not kinds <= _SIGNS
        or ("dash" in kinds and around.signed)
    ):
        return None
    if mention.named and patterns.PROSE_AFTER.search(mention.right.removeprefix("answer ")):
        return Role.UNEXPLAINED if mention.first else Role.CONTENT
    if mention.closes:
        return _alone(mention, around)
    return _before_words(mention, around) if mention.first else None


def _alone(mention: LevelMention, around: Surroundings) -> Role:
    """A level that is a line by itself."""
    if not mention.free and not mention.spelled:
        return Role.CONTENT
    role = settled(mention, around, Role.STATED)
    if role is not Role.STATED:
        return role
    if mention.spelled and not (mention.first and mention.last):
        return Role.STATED if _has_top(mention) else Role.CONTENT
    last = mention.last and (around.score_last or mention.named)
    return Role.STATED if mention.first or last else Role.AGREEING


def _before_words(mention: LevelMention, around: Surroundings) -> Role:
    """A level that opens the reply, with words after it on its line."""
    right = mention.right.removeprefix("answer ")
    if not mention.named and patterns.FOR_PART.search(right):
        return Role.UNEXPLAINED
    if mention.spelled and not _has_top(mention):
        ends = patterns.SPELLED_ENDS.search(right)
        return settled(mention, around, Role.STATED) if ends else Role.CONTENT
    if around.filler or (not mention.free and not mention.spelled):
        return Role.AGREEING if right.startswith("stop ") else Role.CONTENT
    if mention.named and mention.level is not None and not mention.level.paired:
        loose = right.startswith("comma ") and not right.startswith("comma because ")
        if loose or (mention.words == 1 and not patterns.NAME_ENDS.search(right)):
            return Role.UNEXPLAINED
    return settled(mention, around, Role.STATED)


def _has_top(mention: LevelMention) -> bool:
    """Whether ``out of five`` follows a numeral."""
    return mention.level is not None and mention.level.after - mention.level.end > _SHORT


def last_sentence(mention: LevelMention, around: Surroundings) -> Role | None:
    """A level that is the last sentence of a line, as in ``Not 80, as a theorem is missing. 60.``."""
    inside = mention.right.startswith("close ")
    alone = not inside and set(mention.left.split()) <= _OPENING_WORDS and mention.last and not mention.opens
    if not alone or not mention.free or around.filler or not (around.earlier or mention.words > 1):
        return None
    if around.attributed and not mention.left:
        return Role.UNEXPLAINED
    return settled(mention, around, Role.STATED)


def with_article(mention: LevelMention, around: Surroundings) -> Role | None:
    """A level that an article makes a score: ``A 2, since ...``."""
    if mention.level is None or mention.named:
        return None
    if not (patterns.BARE_A.search(mention.left) and patterns.BARE_A_ENDS.search(mention.right)):
        return None
    role = settled(mention, around, Role.STATED)
    return Role.AGREEING if role is Role.STATED and around.standing else role


def settled(mention: LevelMention, around: Surroundings, role: Role) -> Role:
    """The role, unless what follows a level or its sentence leaves it in doubt."""
    if around.other_scale:
        return Role.OFF_SCALE
    right = mention.right
    if mention.explicit:
        right = "" if patterns.DASH_COUNT.search(right) else right.removeprefix("dash ")
    doubtful = right.endswith("question ")
    if mention.named:
        right = right.removeprefix("answer ")
    elif around.signed:
        doubtful = doubtful or patterns.MINUS.search(mention.left) is not None
    if doubtful or patterns.DOUBT_AFTER.search(right):
        return Role.DOUBTFUL
    return role if patterns.CLEAN_AFTER.search(right) else Role.UNEXPLAINED
