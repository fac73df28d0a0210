"""Reads the level that is ticked where a reply lists levels with boxes: ``[ ] 3 [x] 4``, ``1 2 [3]``."""

import re
from collections.abc import Iterator

from semscale.judging.replies.decision import Statement
from semscale.judging.replies.grammar.roles import Role
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

_BOX = re.compile(r"[(\[][ \t]*(?P<mark>[xX✓✔✗•●*]?)[ \t]*[)\]]|(?P<ticked>[☑☒●◉⦿■🔘])|[☐○◯□⬜]")
_ENDS = re.compile(r"[ \t]*(?:$|[\n;|,)(\[]|[-–—:.](?!\d)|[☑☒●◉⦿■🔘☐○◯□⬜])")
_FEWEST = 2
_LONGEST_SCALE = 11


def ticked_level(text: str, reader: LevelReader) -> tuple[str, Statement | None]:
    """Find the boxes beside levels, and blank them with their levels.

    Args:
        text: as ``readable`` gives it.
        reader: of the template's levels.

    Returns:
        A text of the same length, and what the boxes say: a level if exactly one is ticked. ``None`` if there
        are no boxes beside levels.
    """
    options = list(_options(text, reader)) or list(_circled(text, reader))
    chosen = [level for level, ticked in options if ticked]
    if not options:
        return text, None
    start, end = min(level.start for level, _ in options), max(level.after for level, _ in options)
    if len(chosen) == 1:
        statement = Statement(chosen[0].start, Role.STATED, chosen[0], opens=True, end=end)
    else:
        statement = Statement(start, Role.DOUBTFUL, None, hard=True)
    for level, _ in options:
        text = text[: level.start] + " " * (level.after - level.start) + text[level.after :]
    return _BOX.sub(lambda found: " " * len(found[0]), text), statement


def _options(text: str, reader: LevelReader) -> Iterator[tuple[StatedLevel, bool]]:
    """Levels beside boxes: each box belongs to the level after it, or each to the level before it."""
    boxes = list(_BOX.finditer(text))
    after = [(_level_at(text, box.end(), reader), _is_ticked(box)) for box in boxes]
    ends = [0, *(box.end() for box in boxes)]
    before = [
        (_level_between(text, end, box.start(), reader), _is_ticked(box))
        for end, box in zip(ends, boxes, strict=False)
    ]
    named_before = sum(level is not None for level, _ in before)
    first = before[0][0] if before else None
    pairs = before if first is not None and named_before >= _FEWEST else after
    for level, ticked in pairs:
        if level is not None:
            yield level, ticked


def _is_ticked(box: re.Match[str]) -> bool:
    return bool(box["mark"] or box["ticked"])


def _level_at(text: str, at: int, reader: LevelReader) -> StatedLevel | None:
    blank = re.compile(r"[ \t]*").match(text, at)
    level = reader.read(text, blank.end() if blank else at, keyed=True)
    return level if level is not None and _ENDS.match(text, level.after) else None


def _level_between(text: str, last: int, at: int, reader: LevelReader) -> StatedLevel | None:
    """The level that is all there is between a box and the box or the line before it."""
    last = max(last, text.rfind("\n", last, at) + 1)
    blank = re.compile(r"[ \t(\-]*").match(text, last)
    level = reader.read(text, blank.end() if blank else last, keyed=True)
    return level if level is not None and not text[level.after : at].strip(" \t:)-") else None


def _circled(text: str, reader: LevelReader) -> Iterator[tuple[StatedLevel, bool]]:
    """All numbers of the scale in a row, with one of them in brackets."""
    if reader.ends is None or reader.signed or not 1 <= reader.ends[1] - reader.ends[0] < _LONGEST_SCALE:
        return
    numbers = [str(number) for number in range(int(reader.ends[0]), int(reader.ends[1]) + 1)]
    row = re.compile(r"[ \t|,/–-]+".join(rf"([(\[]?)[ \t]*({number})[ \t]*[)\]]?" for number in numbers))
    for found in row.finditer(text):
        marked = [place for place in range(len(numbers)) if found[2 * place + 1]]
        for place, number in enumerate(numbers):
            level = reader.read(number, 0)
            if len(marked) == 1 and level is not None:
                yield level.moved(found.start(2 * place + 2)), place in marked
