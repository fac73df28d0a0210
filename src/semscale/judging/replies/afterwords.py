"""Finds words right after a score that speak of the score itself: a change, a source, another scale."""

import re
from collections.abc import Iterator, Sequence

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.lexicon import classes_of, numerals
from semscale.judging.replies.quotations import within
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_LONGEST_REMARK = 7
_SENTENCE = re.compile(r"(?:[^.!?\n]|[.!?](?=[\w]))+")
_REST = re.compile(r"(?:[^.!?\n]|[.!?](?=[\w]))*")
_LEAD = "^ amount? (comma | open | dash | adverb)*"
_CLAUSE_ENDS = "(close | comma | $)"
_CHANGED = class_pattern(
    f"{_LEAD} (be | adverb)* changed (adverb | direction)* {_CLAUSE_ENDS}"
    f"| {_LEAD} direction number amount? {_CLAUSE_ENDS}"
    f"| {_LEAD} taken_off number for? | (^ (comma | open) | ^ any{{0,2}} adverb) dash number"
    f"| (with | comma | open) the* (number | amount)+ taken_off | (comma "
    f"| open) the? now number {_CLAUSE_ENDS}"
)
_EXPLAINED = class_pattern("^ open number amount* taken_off for")
_UNEARNED = class_pattern(
    f"{_LEAD} (which | this | score | adverb | be | the | party)* not (be | adverb)* earn {_CLAUSE_ENDS} "
    f"| {_LEAD} (which | this | score | be)* unearned "
    f"{_CLAUSE_ENDS}"
)
_SOURCE = class_pattern(
    "^ (comma | open | dash)+ (source | the)* source (source | the)* party (claim | the "
    "| source)* (close | $)"
    "| ^ (comma | open | dash)+ the* party the* claim (close | $)"
)
_RANKING = class_pattern(
    f"^ (comma | open | dash)+ (word | the | source){{0,2}} ranking (word | number){{0,2}} {_CLAUSE_ENDS}"
)
_TENTATIVE = class_pattern(
    f"^ (comma | open | dash)+ adverb* (tentative | question) | {_LEAD} not? tentative $"
)
_FALLS = class_pattern(
    "score (be | adverb | which)* not (be | adverb)* (earn | stands) | score be adverb* unearned"
)
_HANDLED = class_pattern(
    "^ (not | adverb | which)* (handle | change | stands) word? source? (this | score) | ^ adverb* pending"
)
_REMARKS = class_pattern(
    "^ adverb* ignore (this | score | adverb)* (comma | $)"
    "| ^ adverb* ((this | score) adverb* be)? direction adverb* $"
    "| ^ adverb* change (this | score) (source | amount | the | number | direction | adverb)* (direction "
    "| taken_off | amount | number) $"
    "| ^ correction (be | adverb)* pending $ | ^ number $"
)
_SPELLED_REASON = re.compile(r"[ \t]*(?:explanation|reasoning|reason|rationale)[ \t]*:", re.IGNORECASE)
_BOUND_BEFORE = re.compile(r"\b(?:under|beneath|past|within|over|below|above)[ \t]+\Z", re.IGNORECASE)
_WOULD_BE = re.compile(r"\bwould[ \t]+be[ \t]+\Z", re.IGNORECASE)
_EXAMPLE_ABOVE = re.compile(r"(?:^|\n)\W*example\b[^\n]{0,20}\n[^\n]{0,30}\Z", re.IGNORECASE)
_OF = re.compile(
    r"[ \t]*[,(\[]?[ \t]*(?:\w+[ \t]+)?(?:out[ \t]+)?of[ \t]+(?P<article>the[ \t]+)?"
    r"(?P<top>\w+)\b(?P<noun>[ \t]+[^\W\d_]+)?"
)
_BEST = r"(?:the[ \t]+)?(?:best|excellent|perfect|very[ \t]+good|outstanding|top|highest|flawless)"
_WORST = (
    r"(?:the[ \t]+)?(?:worst|terrible|poor|bad|lowest|useless|awful|insufficient|failing|fail|very[ \t]+poor)"
)
_TICKED = re.compile(
    r"[(\[][ \t]*\d[ \t]*[)\]][^\n]{0,40}?[(\[][ \t]*[xX✓✔☒☑][ \t]*[)\]]"
    r"|[(\[][ \t]*[xX✓✔☒☑][ \t]*[)\]][ \t]*[(\[]\d"
)


def unsettles(text: str, level: StatedLevel, quoted: Sequence[tuple[int, int]], reader: LevelReader) -> bool:
    """Whether what stands right beside a score takes it back, ascribes it to others, or names another scale.

    Args:
        text: as ``readable`` gives it.
        level: the score that was read.
        quoted: words of others, in order.
        reader: of the template's levels.

    Example:
        >>> from semscale.judging.templates import load_template
        >>> reader = LevelReader(load_template("likert"))
        >>> level = StatedLevel(1.0, 7, 8, 8, named=False)
        >>> replies = "Score: 5 (from the answer)", "Score: 5 (no errors)"
        >>> [unsettles(reply, level, [], reader) for reply in replies]
        [True, False]
    """
    line = text[text.rfind("\n", 0, level.start) + 1 : _line_end(text, level.after)]
    rest = _REST.match(text, level.end)
    tail = rest[0] if rest else ""
    kinds = sequence(classes_of(tail, "afterwords"))
    if _EXAMPLE_ABOVE.search(text, 0, level.start):
        return True
    if _WOULD_BE.search(text, 0, level.start) and kinds.startswith("with "):
        return True
    changed = not level.named and not _EXPLAINED.search(kinds) and _CHANGED.search(kinds)
    if changed or any(pattern.search(kinds) for pattern in (_UNEARNED, _SOURCE, _RANKING, _TENTATIVE)):
        return True
    if not level.named and (
        _BOUND_BEFORE.search(text, 0, level.start) or _is_turned(line, reader) or _TICKED.search(line)
    ):
        return True
    return _counts(tail, level, reader) or any(
        _FALLS.search(said) or _HANDLED.search(said) or (short and _REMARKS.search(said))
        for said, short in _remarks(text, level, quoted)
    )


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _counts(tail: str, level: StatedLevel, reader: LevelReader) -> bool:
    """Whether a score is so many of some things, or of another highest score: ``4 of the 6 points``."""
    found = _OF.match(tail)
    if found is None or level.named:
        return False
    top = found["top"].casefold()
    number = float(top) if top.isdecimal() else numerals().get(top)
    if number is None:
        return False
    return not reader.is_top(top) or (found["article"] is not None and found["noun"] is not None)


def _is_turned(line: str, reader: LevelReader) -> bool:
    """Whether the lowest number is called the best, or the highest the worst."""
    if reader.ends is None:
        return False
    low, high = (f"{end:g}" for end in reader.ends)
    joined = r"(?:[ \t]*(?:=|:|is|being|means|as)[ \t]*|[ \t]+)"
    turned = rf"(?<![\d.,/]){low}{joined}{_BEST}\b|(?<![\d.,/]){high}{joined}{_WORST}\b"
    return re.search(turned, line, re.IGNORECASE) is not None


def _remarks(text: str, level: StatedLevel, quoted: Sequence[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Classes of each sentence after a score, and whether it is short."""
    for found in _SENTENCE.finditer(text, level.after):
        if within(quoted, found.start()):
            continue
        said = _SPELLED_REASON.sub("", found[0])
        kinds = list(classes_of(said.strip(" \t\"'*"), "afterwords"))
        short = len(kinds) <= _LONGEST_REMARK
        if kinds and not said.strip().isdecimal():
            yield sequence(kinds), short
