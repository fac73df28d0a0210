"""Rules for numbers and level names that state no score of the answer; most are passed over, some block."""

from semscale.judging.replies.grammar import role_patterns as patterns
from semscale.judging.replies.grammar.roles import Role, Surroundings
from semscale.judging.replies.mentions import LevelMention


def by_place(mention: LevelMention, around: Surroundings) -> Role | None:
    """Quotations, numbers of list items, and descriptions of a scale."""
    if around.quoted:
        return Role.QUOTED
    if around.supposed and mention.level is not None:
        return Role.HYPOTHETICAL
    numbered = patterns.EDIT_NUMBER.search(mention.left) and mention.right.startswith("colon ")
    if mention.marks_item or numbered:
        return Role.LIST_NUMBER
    if around.scale is not None:
        unreal = patterns.IF.search(clause(mention.left)) or patterns.UNREAL_AFTER.search(mention.right)
        if not around.scale and unreal:
            return Role.HYPOTHETICAL
        return Role.SCALE if around.scale else Role.OFF_SCALE
    return None


def said_to_fit(mention: LevelMention, around: Surroundings) -> Role | None:
    """``A 4 is fair``, ``the 30 that I gave``."""
    if mention.level is None or mention.named or mention.spelled:
        return None
    left, right = mention.left, mention.right
    if not patterns.APT.search(right) or "if " in left + right or not patterns.FITTING.search(left):
        return None
    against = (patterns.NOT, patterns.BOUND, patterns.SAID, patterns.OTHER)
    return None if any(pattern.search(left) for pattern in against) else Role.STATED


def number(mention: LevelMention, around: Surroundings) -> Role | None:
    """Numbers of things, certainties, drafts, and what is taken off."""
    if mention.named:
        return None
    left, right = mention.left, mention.right
    keyed = patterns.KEY.search(left) is not None
    if not around.numbered and not keyed:
        return Role.CONTENT
    for role, before, after in _NUMBERS:
        if (before is not None and before.search(left)) or (after is not None and after.search(right)):
            return role
    if keyed:
        return None
    if patterns.COUNTED.search(right):
        return Role.CONTENT
    return Role.DEDUCTION if patterns.DEDUCT.search(left) and around.numbered else None


_NUMBERS = (
    (Role.DEDUCTION, None, patterns.DEDUCTED_LATER),
    (Role.SCALE, None, patterns.SCALE_AFTER),
)


def of_others(mention: LevelMention, around: Surroundings) -> Role | None:
    """Scores of other answers, words of others, and scores that are denied."""
    left = mention.left
    near = own_words(clause(left))
    if patterns.OTHER.search(near) or patterns.FOR_OTHER.search(left):
        return Role.OF_ANOTHER
    replaces = patterns.NOT_BUT.search(left) and ends_clause(mention)
    if around.standing and mention.level is not None and patterns.NOT_ABOVE.search(near):
        return Role.DOUBTFUL
    if patterns.NOT.search(near) and not replaces:
        return Role.WITHDRAWN if around.standing and _of_this(mention) else Role.DENIED
    said = patterns.PER.search(left) or patterns.SAID.search(near)
    return Role.ATTRIBUTED if said else None


def doubt(mention: LevelMention, around: Surroundings) -> Role | None:
    """Bounds, guesses, and one of several levels."""
    left = mention.left
    if mention.level is None and not patterns.KEY.search(left):
        return None
    found = patterns.BOUND.search(left)
    if found is None:
        return None
    key = left[: found.start()]
    if patterns.KEY.search(key) and not key.endswith("score_word "):
        return Role.DOUBTFUL
    if speaks(mention):
        return Role.DOUBTFUL
    word = mention.named and mention.words == 1
    return Role.DOUBTFUL if patterns.AFTER_LEVEL.search(left) and not word else None


def hypothetical(mention: LevelMention, around: Surroundings) -> Role | None:
    """Scores that would hold under a condition, and examples."""
    left, near = mention.left, clause(mention.left)
    if patterns.WOULD_BE.search(left) and "score_word " not in left:
        return Role.HYPOTHETICAL
    decided = "judge " in near and "would " not in near
    first = patterns.IF_FIRST.search(left) and not decided
    conditional = patterns.IF.search(near) or first or patterns.IF_AFTER.search(mention.right)
    return Role.HYPOTHETICAL if conditional and not patterns.NOT_BUT.search(left) else None


def left_over(mention: LevelMention, around: Surroundings) -> Role:
    """The role of what no other rule explains: content, unless the judge gives it, or uses it as a score."""
    left, right = mention.left, mention.right
    if mention.spelled or mention.level is None:
        return Role.CONTENT
    if mention.named:
        return _left_over_name(mention, around)
    parallel = patterns.PARALLEL.search(left) and "score_word " in left and right.startswith("for ")
    changed = around.earlier and patterns.CHANGED.search(left)
    blocks = speaks(mention) or parallel or changed
    return Role.UNEXPLAINED if blocks else Role.CONTENT


def _left_over_name(mention: LevelMention, around: Surroundings) -> Role:
    left, long = mention.left, mention.words > 1
    if patterns.PROSE_AFTER.search(mention.right):
        return Role.CONTENT
    if long and around.standing and ends_clause(mention):
        return Role.AGREEING
    said = long and "answer " in left and "be " in left
    return Role.UNEXPLAINED if said else Role.CONTENT


def speaks(mention: LevelMention) -> bool:
    """Whether a number is used as a score, and not to count something: ``a 4``, ``the 4``."""
    if mention.named or mention.spelled or patterns.A_LEVEL.search(mention.left) is None:
        return False
    return patterns.ENDS.search(mention.right) is not None


def _of_this(mention: LevelMention) -> bool:
    """Whether a denied level is one that this answer might have had."""
    return speaks(mention) or (mention.named and "answer " in mention.left)


def ends_clause(mention: LevelMention) -> bool:
    """Whether a clause ends with a mention, which is not a number of things then."""
    return patterns.ENDS.search(mention.right) is not None


def clause(left: str) -> str:
    """The classes before a mention from where the judge begins to speak of this answer."""
    resets = list(patterns.RESET.finditer(left))
    return left[resets[-1].start() :].partition(" ")[2] if resets else left


def own_words(left: str) -> str:
    """The classes before a mention, with what the judge says as what the judge gives."""
    return patterns.OWN_WORDS.sub(lambda found: found[0].replace("say ", "give "), left)
