"""Finds sentences after a score in which the judge does what judges who keep their score do not do."""

import re
from collections.abc import Sequence

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.lexicon import classes_of
from semscale.judging.replies.quotations import without

_SENTENCE = re.compile(r"(?:[^.!?;\n]|[.!?](?=\w|,))+[?]?")
_PAST_ACT = re.compile(
    r"\b(?!mis|over|under|confus|sway|press|rush|mix|bias|influenc|impress|fool|tempt|decid|convinc|satisf|persuad)[^\W\d_]{2,}ed\b",
    re.IGNORECASE,
)
"""Acts of the past other than slips; a judge who names one gives a reason."""
_ACTS = class_pattern(
    "uneasy | (?<! relative ) i (?! stop) (helper | not | number)* "
    "(?! harmless | helper | not | number | sure | own_thing | comma | close | $)"
)
_UNSURE = class_pattern("i helper* not (helper | not)* sure | (^ | comma) not (relative i)? helper* sure")
_NOUN = class_pattern("my helper* (?! harmless | helper | own_thing | comma | close | $)")
_LET = class_pattern("let_me (?! harmless | helper)")


def is_uneasy(text: str, since: int, quoted: Sequence[tuple[int, int]]) -> bool:
    """Whether the judge acts in a sentence after a score in a way that no known verb of judging explains.

    Args:
        text: as ``readable`` gives it.
        since: where the score ends.
        quoted: words of others, in order.

    Example:
        >>> sentences = "I checked each date.", "I pressed the wrong key.", "I am not convinced."
        >>> [is_uneasy(sentence, 0, []) for sentence in sentences]
        [False, True, True]
    """
    for found in _SENTENCE.finditer(without(text, quoted), since):
        said = _PAST_ACT.sub("checked", found[0])
        kinds = sequence(classes_of(said, "first_person"))
        if any(pattern.search(kinds) for pattern in (_ACTS, _UNSURE, _NOUN, _LET)):
            return True
    return False
