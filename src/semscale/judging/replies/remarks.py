"""Finds what a judge says of the whole answer in words, and whether a score goes with it."""

import re
from collections.abc import Iterator, Sequence

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.lexicon import classes_of
from semscale.judging.replies.quotations import without

_NEAR = 10
_FEWEST_WORDS = 3
_LOWEST, _MIDDLE, _HIGH, _HIGHEST = 0.1, 0.5, 0.75, 0.9
_SEGMENT = re.compile(r"(?:[^.!?;:\n—–-]|\.(?=\w)|(?<=\w)-(?=\w))+[?]?")
_NUMBERED = re.compile(r"\d[ \t]*[:=][ \t]*\Z")
_IDENTIFIER = re.compile(r"\w+_\w+")
_OF_ANSWER = "^ adverb* (answer be adverb*)?"
_FLAWLESS = class_pattern(
    f"{_OF_ANSWER} wholly right | {_OF_ANSWER} wholly? flawless"
    f" | ^ adverb* whole (?! comma) any{{0,3}} right"
    f" | answer adverb* match any{{0,5}} wholly | none word? error adverb* (comma | $)"
)
_WORTHLESS = class_pattern(
    f"{_OF_ANSWER} wholly (wrong | aside) | worthless"
    f" | ((^ | answer) any{{0,3}}) none (?! comma) any{{0,3}} right"
    f" | whole ((?! comma) any){{0,5}} be adverb* wrong"
)
_POOR = class_pattern("(^ | answer) (be | adverb)* aside")
_DENIED = "(none | not) any{0,3}"
_GOOD_WORD = "(praise | right | flawless)"
_BAD_WORD = "(blame | wrong | worthless | aside | error)"
_PRAISE = class_pattern(f"^ ((?! none | not) any)* {_GOOD_WORD}")
_BLAME = class_pattern(f"^ ((?! none | not) any)* {_BAD_WORD} | {_DENIED} {_GOOD_WORD}")
_CONTRADICTED = (
    (_FLAWLESS, 0.0, _MIDDLE),
    (_WORTHLESS, _MIDDLE, 1.0),
    (_POOR, _HIGH, 1.0),
)
"""Remarks, with the lowest and the highest of the scores that they contradict."""


def contradicts(text: str, score: float, quoted: Sequence[tuple[int, int]], since: int) -> bool:
    """Whether the judge says of the whole answer what does not go with a score.

    Args:
        text: as ``readable`` gives it.
        score: from 0 to 1.
        quoted: words of others, in order.
        since: where the words about this score begin.

    Example:
        >>> contradicts("Score: 5. Everything in it is wrong.", 1.0, [], 0)
        True
        >>> contradicts("Score: 4. The first step is completely wrong.", 0.75, [], 0)
        False
    """
    clauses = list(_clauses(text, quoted, since))
    whole = [kinds.partition("say ")[0] for kinds in clauses if "limit " not in kinds]
    said = any(
        lowest <= score <= highest and remark.search(kinds)
        for kinds in whole
        for remark, lowest, highest in _CONTRADICTED
    )
    return said or (since == 0 and _clashes(clauses, whole, score))


def _clashes(clauses: Sequence[str], whole: Sequence[str], score: float) -> bool:
    """Whether all is praise beside the lowest score, or all is blame beside the highest."""
    if not _HIGHEST > score > _LOWEST:
        for_it, against = (_PRAISE, _BLAME) if score >= _HIGHEST else (_BLAME, _PRAISE)
        evident = any(against.search(kinds) for kinds in whole if kinds.count(" ") >= _FEWEST_WORDS)
        return evident and not any(for_it.search(kinds) for kinds in clauses)
    return False


def _clauses(text: str, quoted: Sequence[tuple[int, int]], since: int) -> Iterator[str]:
    """Classes of the judge's own clauses."""
    text = without(text, quoted)
    for found in _SEGMENT.finditer(text, since):
        before = text[max(0, found.start() - _NEAR) : found.start()]
        if found[0].endswith("?") or _NUMBERED.search(before):
            continue
        yield sequence(classes_of(_IDENTIFIER.sub(" ", found[0]), "remarks"))
