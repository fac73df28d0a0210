"""Reads a judge's reply strictly: one level, stated beyond doubt, or no score at all."""

from dataclasses import dataclass
from typing import Literal

from semscale.chat.declining import declines_to_score
from semscale.judging.replies.afterwords import unsettles
from semscale.judging.replies.decision import decide
from semscale.judging.replies.explanation import explanation_of
from semscale.judging.replies.first_person import is_uneasy
from semscale.judging.replies.grammar.roles import STANDING
from semscale.judging.replies.json_reply import json_replies, long_values, schema_reply
from semscale.judging.replies.quotations import quotations
from semscale.judging.replies.remarks import contradicts
from semscale.judging.replies.reply_text import readable, without_reasoning
from semscale.judging.replies.stated_levels import LevelReader
from semscale.judging.replies.statements import statements_of
from semscale.judging.replies.sums import blank_sums
from semscale.judging.replies.tick_boxes import ticked_level
from semscale.judging.templates import Template

LONGEST = 50_000
"""Characters of a reply, reasoning and blanks apart, above which nobody could say what it states."""
MOST_MENTIONS = 1_000
"""Numbers and level names above which a reply is no verdict."""


@dataclass(frozen=True)
class ReplyReading:
    """The score that was read from a reply, or why none was.

    Attributes:
        score: from 0 to 1; ``None`` if no level is stated beyond doubt.
        status: ``scored``, ``unparsable``, ``refused``, or ``empty`` for a reply with nothing in it.
        explanation: the judge's words about the score, empty if there are none.
        span: where the level stands in the reply, for the probabilities of its tokens; ``None`` where it is
            said by ``yes`` or ``no``.
    """

    score: float | None
    status: Literal["scored", "unparsable", "refused", "empty"]
    explanation: str = ""
    span: tuple[int, int] | None = None


def read_reply(
    reply: str,
    template: Template,
    *,
    score_last: bool = False,
    cut: bool = False,
    structured: bool = False,
) -> ReplyReading:
    r"""Read the score that a reply states.

    Every number and every name of a level in the reply gets a role. A score is read if at least one of them
    states it, all that state one agree, and nothing is left without a role where scores are spoken of.

    Args:
        reply: as the model gave it.
        template: what the judge was asked.
        score_last: whether the explanation was asked for first; a level alone on the last line then counts.
        cut: whether the reply was cut at its longest; a number at its very end may then begin another.
        structured: whether the model was held to a schema; the value of a reply that follows it is taken as
            it is, whatever its explanation says.

    Example:
        >>> from semscale.judging.templates import load_template
        >>> likert = load_template("likert")
        >>> [read_reply(reply, likert).score for reply in ("Score: 4\n1. minor omission", "4 or 5", "4/5")]
        [0.75, None, 0.75]
    """
    text = readable(reply)
    if not text.strip():
        return ReplyReading(None, "empty" if not reply.strip() else "unparsable")
    if sum(map(len, text.split())) > LONGEST:
        return ReplyReading(None, "unparsable")
    reader = LevelReader(template)
    held = schema_reply(without_reasoning(reply), reader) if structured else None
    if held is not None and held.level is not None:
        place = (held.level.start, held.level.end)
        return ReplyReading(held.level.score, "scored", held.explanation, place)
    if sum(1 for _ in reader.mentioned.finditer(text)) > MOST_MENTIONS:
        return ReplyReading(None, "unparsable")
    objects = json_replies(without_reasoning(reply), reader)
    explanation = next((item.explanation for item in objects if item.explanation), "")
    for item in objects:
        text = text[: item.start] + long_values(text[item.start : item.end]) + text[item.end :]
    text, ticked = ticked_level(text, reader)
    quoted = quotations(reply, text)
    text = blank_sums(text)
    statements, withdrawals = statements_of(text, quoted, reader, objects, score_last=score_last)
    statements += [ticked] if ticked is not None else []
    level = decide(statements, withdrawals)
    if level is not None:
        clashes = contradicts(text, level.score, quoted, withdrawals.last_before(level.start))
        may_go_on = (cut or _is_open(text)) and not text[level.end :].strip()
        unsettled = not objects and unsettles(text, level, quoted, reader)
        since = withdrawals.last_before(level.start)
        begin = next((item.start for item in objects if item.level is level), level.after)
        sure = level.score != reader.name_score("uncertain")
        uneasy = (
            sure
            and since == 0
            and not any(item.settled for item in objects)
            and is_uneasy(text, begin, quoted)
        )
        level = None if clashes or unsettled or uneasy or may_go_on else level
    if level is None:
        refused = not any(item.role in STANDING for item in statements) and declines_to_score(readable(reply))
        return ReplyReading(None, "refused" if refused else "unparsable", explanation)
    # A place in the rewritten text is the same place in the reply.
    span = (level.start, level.end) if level.end > level.start else None
    return ReplyReading(level.score, "scored", explanation or explanation_of(reply, text, level), span)


def _is_open(text: str) -> bool:
    """Whether JSON begins and does not end."""
    return text.lstrip().startswith("{") and "}" not in text
