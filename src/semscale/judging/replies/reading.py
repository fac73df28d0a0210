"""Reads a judge's reply strictly: one level, stated beyond doubt, or no score at all."""

import re
from dataclasses import dataclass
from typing import Literal

from semscale.judging.prompts.template import Template
from semscale.judging.replies.json_reply import json_replies
from semscale.judging.replies.refusals import is_refusal
from semscale.judging.replies.reply_text import readable, without_reasoning
from semscale.judging.replies.stated_levels import LevelReader, StatedLevel
from semscale.judging.replies.statement_patterns import WITHDRAWN
from semscale.judging.replies.statements import Statement, is_conclusive, statements

_EXPLANATION = re.compile(
    r"(?im)^[ \t\"']*(?:explanation|reasoning|reason|rationale|justification)[\"']?[ \t]*[:=-][ \t]*"
)
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_KEY_AT_END = re.compile(
    r"[\s*_`#\"']*(?:\w+[ \t]+){0,2}(?:score|rating|verdict|grade|judge?ment|level)[\s*_`:=\"'(\[]*\Z",
    re.IGNORECASE,
)
_MARKUP = " \t\r\n*_`#"
_EDGES = " \t\n.,;:!|-–—}{\"'"


@dataclass(frozen=True)
class ReplyReading:
    """The score that was read from a reply, or why none was.

    Attributes:
        score: from 0 to 1; ``None`` if no level is stated beyond doubt.
        status: ``scored``, ``unparsable``, ``refused``, or ``empty`` for a reply with nothing in it.
        explanation: the judge's words about the score, empty if there are none.
        span: where the level stands in the reply, for the probabilities of its tokens.
    """

    score: float | None
    status: Literal["scored", "unparsable", "refused", "empty"]
    explanation: str = ""
    span: tuple[int, int] | None = None


def read_reply(
    reply: str, template: Template, *, score_last: bool = False, cut: bool = False
) -> ReplyReading:
    r"""Read the score that a reply states.

    A reply is read if everything in it that states a score states the same one, and at least one statement
    leaves no doubt. Nothing is ever guessed: a score that is returned stands in the reply.

    Args:
        reply: as the model gave it.
        template: what the judge was asked.
        score_last: whether the explanation was asked for first; a level alone on the last line then counts.
        cut: whether the reply was cut at its longest; a number at its very end may then begin another.

    Example:
        >>> from semscale.judging.prompts.template import load_template
        >>> likert = load_template("likert")
        >>> [read_reply(reply, likert).score for reply in ("Score: 4\n1. minor omission", "4 or 5", "4/5")]
        [0.75, None, 0.75]
    """
    text = readable(reply)
    if not text.strip():
        return ReplyReading(None, "empty" if not reply.strip() else "unparsable")
    reader = LevelReader(template)
    objects = json_replies(without_reasoning(reply), reader)
    explanation = next((item.explanation for item in objects if item.explanation), "")
    for item in objects:
        text = text[: item.start] + "\n" * (item.end - item.start) + text[item.end :]
    found = [Statement(item.level, 1, item.level is not None, item.end) for item in objects]
    found += statements(text, reader)
    level = _agreed(found, _bare(text, reader, score_last=score_last))
    if level is not None and WITHDRAWN.search(
        text, max([level.after, *(statement.end for statement in found)])
    ):
        level = None
    if level is not None and (cut or _is_open(text)) and not text[level.end :].strip():
        level = None
    if level is None:
        refused = not any(statement.whole for statement in found) and is_refusal(readable(reply))
        return ReplyReading(None, "refused" if refused else "unparsable", explanation)
    # A place in the rewritten text is the same place in the reply.
    return ReplyReading(
        level.score, "scored", explanation or _explanation(reply, text, level), (level.start, level.end)
    )


def _is_open(text: str) -> bool:
    """Whether JSON begins and does not end."""
    return text.lstrip().startswith("{") and "}" not in text


def _agreed(found: list[Statement], bare: list[Statement]) -> StatedLevel | None:
    """The level on which all statements agree; those on parts of the matter yield to a final one."""
    if any(statement.rank == 2 for statement in found):  # noqa: PLR2004 - final or overall
        found = [statement for statement in found if statement.rank]
    everything = found + bare
    if any(statement.level is None for statement in everything):
        return None
    levels = [statement.level for statement in everything if statement.level is not None]
    if len({level.score for level in levels}) != 1:
        return None
    standing = [s.level for s in everything if s.whole and s.rank and s.level is not None]
    return standing[0] if standing else None


def _bare(text: str, reader: LevelReader, *, score_last: bool) -> list[Statement]:
    """Levels that are the first line, or a line of their own anywhere."""
    lines = list(_LINE.finditer(text))
    found = []
    for place, line in enumerate(lines):
        level = reader.read(text, line.start() + len(line[0]) - len(line[0].lstrip()))
        if level is None:
            found += [] if place else _said_first(text, line, reader)
            continue
        alone = not text[level.after : line.end()].strip(" \t.!|")
        if not alone and place > 0:
            continue
        first = place == 0 and is_conclusive(text, level, reader, bare=True)
        last = place == len(lines) - 1 and alone and (score_last or level.named)
        if alone or first:
            found.append(Statement(level, 1, first or last, level.after))
    return found


def _said_first(text: str, line: re.Match[str], reader: LevelReader) -> list[Statement]:
    """A sentence that opens the reply with a name such as ``False``: no score, but none against it either."""
    level = reader.read(text, line.start() + len(line[0]) - len(line[0].lstrip()), keyed=True)
    if level is None or not text[level.after : line.end()].startswith((".", "!")):
        return []
    return [Statement(level, 1, whole=False, end=level.after)]


def _explanation(reply: str, text: str, level: StatedLevel) -> str:
    """The judge's words: after the word ``Explanation``, else after the score, else before it."""
    marked = _EXPLANATION.search(text)
    if marked is not None:
        stop = level.start if marked.end() <= level.start else len(reply)
        words = reply[marked.end() : stop]
        return _without_key(words) if stop == level.start else words.strip().rstrip("}\"'").strip()
    after = reply[level.after :].lstrip(_EDGES + "*_`)]/").rstrip(_MARKUP)
    if after:
        return after
    first = re.search(r"\S", text)
    return _without_key(reply[first.start() if first else 0 : level.start])


def _without_key(words: str) -> str:
    """Take the score word off the end of the words before a score."""
    return _KEY_AT_END.sub("", words).lstrip(_EDGES + _MARKUP).rstrip(_MARKUP)
