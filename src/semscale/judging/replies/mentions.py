"""Finds every number and every level name of a reply, each with the classes of the words around it."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.tokens import BOUNDARIES, Token, tokenize
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel
from semscale.judging.replies.tables import Row, value_rows

NEAR = 40
"""Tokens beside a mention that are looked at."""

_FEW = 4
_LIST_MARK = re.compile(r"(?m)^[ \t]*\(?(\d{1,2})[.)](?=[ \t]+[^\W\d_])")
_NUMERIC = re.compile(
    r"[+-]?\d+(?:[.,]\d+)*(?:[ \t]*[-–/][ \t]*\d+(?:[.,]\d+)*|[ \t]*%|[ \t]+(?:out[ \t]+)?of[ \t]+\d+)*"
)
_ENDS_ON_KEY = class_pattern(
    "score_word ((for | of) (the | this | judge)* answer)? (open any{1,6} close)? "
    "(colon | be | bar | dash)* $"
)


_HEADS_COLUMNS = class_pattern("^ score_word comma reason $")


@dataclass(frozen=True)
class LevelMention:
    """A number or a level name in a reply.

    Attributes:
        start: where it begins.
        after: where reading goes on behind it.
        level: the level it names; ``None`` for a number that is no level as it is written.
        left: classes of its sentence before it, as ``sequence`` joins them.
        right: classes of its sentence after it, with the sign that ends the sentence.
        left_start: where its sentence begins.
        opens: whether its line begins with it, list marks and brackets apart.
        closes: whether its line ends with it, punctuation apart.
        first: whether nothing stands before it.
        last: whether nothing stands after it.
        marks_item: whether it is the number of an item of a list.
        opening: whether its sentence is the first one.
        free: whether it can be a level without a score word before it: ``Four`` and ``True`` cannot.
        words: number of words that name the level.
        explicit: whether points or the top of the scale are named with it: ``4/5``, ``4 points``.
    """

    start: int
    after: int
    level: StatedLevel | None
    left: str
    right: str
    left_start: int
    opens: bool
    closes: bool
    first: bool
    last: bool
    marks_item: bool
    opening: bool
    free: bool
    words: int
    explicit: bool

    @property
    def named(self) -> bool:
        """Whether a name states the level, not a number or a numeral."""
        return self.level is not None and self.level.named

    @property
    def spelled(self) -> bool:
        """Whether a numeral states the level: ``four``."""
        return self.level is not None and self.level.spelled

    @property
    def score(self) -> float | None:
        """The level's score; ``None`` if it is none."""
        return None if self.level is None else self.level.score


@dataclass(frozen=True)
class ReplyTokens:
    """A reply's tokens, with one token for each mention.

    Attributes:
        tokens: in order.
        mentions: in order.
    """

    tokens: Sequence[Token]
    mentions: Sequence[LevelMention]


def find_mentions(text: str, reader: LevelReader) -> ReplyTokens:
    """Find all numbers and level names, from the first to the last.

    Args:
        text: as ``readable`` gives it.
        reader: of the template's levels.
    """
    places = list(_places(text, reader))
    marks = {match.start(1) for match in _LIST_MARK.finditer(text)}
    items = {start for start, _, level in places if _marks_item(text, start, level, marks)}
    tokens = _merged(text, places, items)
    starts = [token.start for token in tokens]
    kinds = [token.kind for token in tokens]
    rows = value_rows(text)
    found = []
    for start, after, level in places:
        at, behind = bisect_right(starts, start) - 1, bisect_left(starts, after)
        left_at = _sentence_start(kinds, at)
        line_at = _line_start(kinds, at)
        left = _heading(rows, start) or _left(kinds, left_at, at)
        left_start = starts[left_at] if left_at < len(starts) else start
        opens = (
            all(kind in {"dash", "open", "number", "plus"} for kind in kinds[line_at:at])
            and at - line_at < _FEW
        )
        found.append(
            LevelMention(
                start=start,
                after=after,
                level=level,
                left=sequence(left),
                right=sequence(_right(kinds, behind)),
                left_start=left_start,
                opens=opens and "number" not in kinds[line_at:at],
                closes=_closes(kinds, behind),
                first=all(kind in {"dash", "open", "line", "plus"} for kind in kinds[max(0, at - NEAR) : at])
                and at < NEAR,
                last=all(kind in {"close", "line", "stop"} for kind in kinds[behind : behind + NEAR]),
                marks_item=start in items,
                opening=not kinds[:left_at]
                or set(kinds[max(0, left_at - NEAR) : left_at]) <= {"line", "stop", "dash"}
                and left_at < NEAR,
                free=level is not None and reader.read(text, start) is not None,
                explicit=level is not None
                and not level.named
                and re.search(r"[/\w]", text[level.end : after]) is not None,
                words=len(text[start : level.end].split()) if level is not None else 1,
            )
        )
    return ReplyTokens(tokens, found)


def _marks_item(text: str, start: int, level: StatedLevel | None, marks: set[int]) -> bool:
    if level is not None and not level.named and not text[:start].strip() and _begins_list(text, level):
        return True
    if start not in marks or (level is not None and level.named):
        return False
    return bool(text[:start].strip()) or len(text[start : start + 2].strip(".) ")) == 1


def _begins_list(text: str, level: StatedLevel) -> bool:
    """Whether a number opens a list: ``1: it is right``, and below it ``2: it is short``."""
    number, mark = text[level.start : level.end], text[level.end : level.end + 4].strip()[:1]
    if not number.isdecimal() or not mark:
        return False
    following = rf"\n[ \t]*{int(number) + 1}[ \t]*{re.escape(mark)}"
    return re.compile(following).search(text, level.after) is not None


def _places(text: str, reader: LevelReader) -> list[tuple[int, int, StatedLevel | None]]:
    """Where mentions stand."""
    found: list[tuple[int, int, StatedLevel | None]] = []
    at = 0
    for place in reader.mentioned.finditer(text):
        if place.start() < at:
            continue
        level = reader.read(text, place.start(), keyed=True)
        if level is not None:
            at = level.after
        elif (numeric := _NUMERIC.match(text, place.start())) is not None:
            at = max(place.end(), numeric.end())
        else:
            continue
        found.append((place.start(), at, level))
    return found


def _merged(
    text: str, places: list[tuple[int, int, StatedLevel | None]], items: Collection[int]
) -> list[Token]:
    """Put one token in the place of those that a mention covers; numerals keep their own."""
    tokens = tokenize(text)
    merged: list[Token] = []
    at = 0
    for start, after, level in places:
        while at < len(tokens) and tokens[at].end <= start:
            merged.append(tokens[at])
            at += 1
        inside = at
        while inside < len(tokens) and tokens[inside].start < after:
            inside += 1
        kind = "number" if level is None else "level"
        if level is not None and level.spelled and inside > at:
            kind = tokens[at].kind if inside == at + 1 else "level"
        merged.append(Token(start, after, "item" if start in items else kind))
        if inside > at and tokens[inside - 1].end > after + 1:
            tail = [token for token in tokenize(text[after : tokens[inside - 1].end])]
            merged += [Token(after + token.start, after + token.end, token.kind) for token in tail]
        at = max(at, inside)
    return merged + tokens[at:]


def _sentence_start(kinds: list[str], at: int) -> int:
    start = at
    while start > 0 and at - start < NEAR and kinds[start - 1] not in BOUNDARIES:
        if kinds[start - 1] == "item" or kinds[start - 1 : start + 1] == ["close", "item"]:
            break
        if kinds[start - 1] == "colon" and start > 1 and kinds[start - 2] == "reason":
            break
        start -= 1
    return start


def _line_start(kinds: list[str], at: int) -> int:
    start = at
    while start > 0 and at - start < NEAR and kinds[start - 1] != "line":
        start -= 1
    return start


def _left(kinds: list[str], start: int, at: int) -> list[str]:
    """Classes before a mention; a key that ends the lines before belongs to one that opens its line."""
    if start < at and kinds[start] == "close" and start > 0 and kinds[start - 1] == "item":
        start += 1
    left = kinds[start:at]
    if any(kind not in {"dash", "open", "bar"} for kind in left) or (
        start > 0 and kinds[start - 1] != "line"
    ):
        return left
    above = start
    while above > 0 and start - above < NEAR and kinds[above - 1] in {"line", "dash", "bar"}:
        above -= 1
    begin = _sentence_start(kinds, above)
    before = kinds[begin:above]
    if _HEADS_COLUMNS.search(sequence(before)):
        return ["score_word", "colon"]
    return [*before, *left] if _ENDS_ON_KEY.search(sequence(before)) else left


def _heading(rows: Sequence[Row], place: int) -> list[str]:
    """Classes of the heading above a cell, as a key; empty where it is no score word."""
    for row in rows:
        if row.start <= place < row.end:
            kinds = [token.kind for token in tokenize(row.heading(place))]
            return [*kinds, "colon"] if _ENDS_ON_KEY.search(sequence(kinds)) else []
    return []


def _right(kinds: list[str], behind: int) -> list[str]:
    """Classes after a mention, and what follows a question mark."""
    right: list[str] = []
    for kind in kinds[behind : behind + NEAR]:
        if kind == "line" and (not right or right[-1] != "question"):
            right.append(kind)
            break
        right.append(kind)
        if kind in {"stop", "item"} or (
            right[-1] != "question" and "question" in right and len(right) >= _FEW
        ):
            break
    return right


def _closes(kinds: list[str], behind: int) -> bool:
    for kind in kinds[behind : behind + NEAR]:
        if kind == "line":
            return True
        if kind not in {"close", "stop", "bar", "comma"}:
            return False
    return True
