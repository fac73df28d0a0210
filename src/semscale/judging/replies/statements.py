"""Finds all places of a reply that state a score.

A statement is a score word with a level (``Score: 4``), a verb of giving (``I rate it 4/5``), a sentence
about the answer (``The answer is mostly correct.``), or a line that is a level and nothing else.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from semscale.judging.replies import statement_patterns as patterns
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel

NEAR = 100
"""Characters before a statement that are looked at."""


@dataclass(frozen=True)
class Statement:
    """A place of a reply that states a score.

    Attributes:
        level: the level; ``None`` if something is said that is no level, or not for certain.
        rank: 2 for a final or overall score, 1 for a plain one, 0 for one of a part ("Style score: 3").
        whole: whether it can stand by itself: nothing right after it takes it back.
        end: where what follows it begins.
    """

    level: StatedLevel | None
    rank: int
    whole: bool
    end: int


def statements(text: str, reader: LevelReader) -> list[Statement]:
    """Find all statements of a reply, bare lines apart.

    Args:
        text: as ``readable`` gives it.
        reader: of the template's levels.
    """
    found = [*_keyed(text, reader), *_given(text, reader), *_said_of_answer(text, reader)]
    return sorted(found, key=lambda statement: statement.end)


def is_conclusive(text: str, level: StatedLevel, reader: LevelReader, *, bare: bool = False) -> bool:
    """Whether a stated level is final: nothing on the rest of its line takes it back or offers another.

    Args:
        text: the reply.
        level: the level that was read.
        reader: of the template's levels.
        bare: whether no score word goes before: then ``4. text`` may be an item of a list.
    """
    if _of_other_top(text, level, reader):
        return False
    if patterns.CLEAN_END.match(text, level.after):
        return True
    between = patterns.SEPARATED.match(text, level.after)
    if between is None or patterns.TURN.match(text, between.end()) or reader.read(text, between.end()):
        return False
    if bare and not level.named and (between[0].strip() == "." or _begins_list(text, level)):
        return False
    return not _alternative(text, level, reader)


def _of_other_top(text: str, level: StatedLevel, reader: LevelReader) -> bool:
    """Whether the same sentence names another scale: ``4 (out of 10)``, ``4 - on a 1-10 scale``."""
    top = patterns.OTHER_TOP.match(text, level.end)
    if top is not None and not reader.is_top(top[1] or top[2]):
        return (top[2] or "") != text[level.start : level.end]
    scale = patterns.SCALE.search(text, level.end, _sentence_end(text, level.end))
    return scale is not None and not reader.is_range(*(end for end in scale.groups() if end is not None))


def _begins_list(text: str, level: StatedLevel) -> bool:
    """Whether a number opens a list: ``1: it is right``, and below it ``2: it is short``."""
    number, mark = text[level.start : level.end], text[level.end : level.end + 4].strip()[:1]
    if not number.isdecimal() or not mark:
        return False
    following = rf"\n[ \t]*{int(number) + 1}[ \t]*{re.escape(mark)}"
    return re.compile(following).search(text, level.after) is not None


def _sentence_end(text: str, at: int) -> int:
    sentence = re.compile(r"[^\n]*?(?=[.!?](?:\s|\Z)|\n|\Z)").match(text, at)
    return sentence.end() if sentence else at


def _alternative(text: str, level: StatedLevel, reader: LevelReader) -> bool:
    """Whether another level is offered in the same sentence: ``4, maybe 5``."""
    offers = patterns.ALTERNATIVE.finditer(text, level.after, _sentence_end(text, level.after))
    others = (reader.read(text, offer.end()) for offer in offers)
    return any(other is not None and other.score != level.score for other in others)


def _keyed(text: str, reader: LevelReader) -> Iterator[Statement]:
    for key in patterns.KEY.finditer(text):
        before, separator = _words_before(text, key.start()), key["sep"].strip().lower()
        if not _is_statement(text, key, before, separator, reader):
            continue
        first = key.start("article") if key["article"] else key.end()
        level = reader.read(text, first, keyed=True) or reader.read(text, key.end(), keyed=True)
        if not separator and (before.strip() or level is None):
            continue
        if level is None and not _says_something(text, key.end(), separator):
            continue
        denied = (
            patterns.NEGATED.search(before)
            or not _fits(key["range"], reader)
            or _other_scale(text, key.start(), reader)
        )
        if denied:
            level = None
        whole = level is not None and is_conclusive(text, level, reader) and _is_meant(text, key.start())
        yield Statement(level, _rank(before), whole, key.end() if level is None else level.after)


def _is_meant(text: str, at: int) -> bool:
    """Whether the words before a place leave a score there one that is given to the answer."""
    line = text[max(0, at - NEAR) : at].rpartition("\n")[2]
    return not patterns.NOT_MEANT.search(line) and not patterns.OF_ANOTHER.search(line)


def _words_before(text: str, at: int) -> str:
    """The words of the same clause that go before a place, six at most."""
    clause = re.split(r"[\n.,;:!?(){}\[\]|<>]|\s-\s", text[max(0, at - NEAR) : at])[-1]
    return " ".join(word.strip("\"'") for word in clause.lower().split()[-6:] if word.strip("\"'"))


def _other_scale(text: str, at: int, reader: LevelReader) -> bool:
    """Whether the sentence speaks of another scale first, as in ``On a 1-10 scale I give it a 5``."""
    sentence = re.split(r"[.!?]\s|\n", text[max(0, at - NEAR) : at])[-1]
    scale = patterns.SCALE.search(sentence)
    return scale is not None and not reader.is_range(*(end for end in scale.groups() if end is not None))


def _is_statement(text: str, key: re.Match[str], before: str, separator: str, reader: LevelReader) -> bool:
    """Whether a score word is used to state a score, not to speak of scores."""
    if patterns.SUPPOSED.search(before) and separator in {"of", "is", "would be", ""}:
        return False
    if separator == "of":
        return patterns.GIVING.search(before) is not None
    if separator in {"-", "–", "—"} and reader.signed:
        return False
    return separator != "would be" or reader.read(text, key.end()) is not None


def _says_something(text: str, at: int, separator: str) -> bool:
    """Whether what stands in the place of a level was meant as one."""
    if patterns.DOUBT.match(text, at):
        return True
    line = re.compile(r"[^\n]*").match(text, at)
    return separator[:1] in {":", "="} and line is not None and bool(line[0].strip(" \t\"'{}[]|,"))


def _fits(bounds: str | None, reader: LevelReader) -> bool:
    """Whether a range after the score word, as in ``Score (1-5)``, is the template's own."""
    if bounds is None:
        return True
    numbers = re.findall(r"\d+(?:\.\d+)?", bounds)
    if len(numbers) == 2:  # noqa: PLR2004 - both ends
        return reader.is_range(*numbers)
    return not numbers or (len(numbers) == 1 and reader.is_top(numbers[0]))


def _rank(before: str) -> int:
    words = before.split()
    if not words or words[-1] in patterns.PLAIN:
        return 2 if patterns.FOR_ALL & set(words) else 1
    return 2 if words[-1] in patterns.FOR_ALL else 0


def _given(text: str, reader: LevelReader) -> Iterator[Statement]:
    for pattern in (patterns.GIVE, patterns.EARN, patterns.CHANGE, patterns.SECOND_THOUGHT):
        for verb in pattern.finditer(text):
            before = text[max(0, verb.start() - 40) : verb.start()].rpartition("\n")[2]
            if patterns.SUPPOSED.search(before.rpartition(". ")[2]):
                continue
            level = reader.read(text, verb.end(), keyed=True)
            if level is None:
                continue
            ends = (
                is_conclusive(text, level, reader)
                and _is_meant(text, verb.start())
                and not _other_scale(text, verb.start(), reader)
            )
            if pattern is patterns.SECOND_THOUGHT and not ends:
                continue
            yield Statement(level, 1, ends and pattern in {patterns.GIVE, patterns.EARN}, level.after)


def _said_of_answer(text: str, reader: LevelReader) -> Iterator[Statement]:
    for said in patterns.ANSWER_IS.finditer(text):
        level = reader.read(text, said.end())
        if level is not None and level.named:
            yield Statement(level, 1, is_conclusive(text, level, reader, bare=True), level.after)
