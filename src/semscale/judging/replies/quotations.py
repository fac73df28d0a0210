"""Finds the words of others in a judge's reply: quotations, copied marks, further conversations."""

import math
import re
from bisect import bisect_right
from collections.abc import Sequence

from semscale.judging.replies.grammar.class_patterns import class_pattern, sequence
from semscale.judging.replies.grammar.tokens import Token, tokenize

_DOUBLE = re.compile(r"\"([^\"\n]{2,600})\"(?![ \t]*:)")
_SINGLE = re.compile(r"(?<![\w'])'([^'\n]{2,300}(?:'\w[^'\n]{0,200}){0,6})'(?![\w'])(?![ \t]*:)")
_CODE = re.compile(r"`([^`\n]{2,300})`")
_COMMENT = re.compile(r"<!--.{0,2000}?-->", re.DOTALL)
_MARKED = re.compile(
    r"\[\s*begin\s+(?:of\s+)?(?:the\s+)?(\w+)[^\]\n]{0,40}\].*?(?:\[\s*end\s+(?:of\s+)?(?:the\s+)?\1[^\]\n]{0,40}\]|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_TAGGED = re.compile(
    r"<(student|submission|question|user|reference|quote|blockquote)\b[^>\n]{0,60}(?<!/)>.{0,4000}?</\1>",
    re.IGNORECASE | re.DOTALL,
)
_OWNER = (
    r"(?:(?:the|hidden|full|student'?s?|candidate'?s?|model'?s?)[ \t]+)?(?:answer|text|student"
    r"|response|candidate|submission|"
    r"essay|material|document)(?:[ \t]+(?:text|answer|response))?(?:[ \t]+of[ \t]+the[ \t]+\w+)?"
)
_BLOCKS = re.compile(
    rf"<(?P<tag>answer|response|text|candidate|essay|material|document|input)\b[^>\n]{{0,60}}(?<!/)>"
    r"(?P<inside>.{0,4000}?)</(?P=tag)>"
    rf"|^[ \t]*\[[ \t]*(?P<box>{_OWNER})[ \t]*\](?:.{{0,4000}}?\[[ \t]*(?:/"
    rf"|end[ \t]+(?:of[ \t]+)?)(?P=box)[ \t]*\]|[^\n]*\n(?:[^\n]*\S[^\n]*(?:\n|\Z)){{1,20}})"
    rf"|^[ \t]*(?P<rule>[-=~*#]{{3,}})[ \t]*(?:begin[ \t]+)?{_OWNER}[ \t]*(?P=rule)[ \t]*\n"
    r".{0,4000}?(?:^[ \t]*(?P=rule)[^\n]*$|\Z)"
    rf"|<<<[ \t]*(?P<heredoc>\w+).{{0,4000}}?(?:(?P=heredoc)[ \t]*>>>|\Z)"
    rf"|^[ \t]*begin[ \t]+{_OWNER}[ \t]*$.{{0,4000}}?(?:^[ \t]*end[ \t]+{_OWNER}|\Z)",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
_LABELLED = re.compile(
    rf"^[ \t]*(?:[\w']+[ \t]+)?{_OWNER}[ \t]*:[ \t]*\n?[ \t]*(?P<inside>(?:final[ \t]+)?(?:score"
    rf"|rating|verdict|grade)[ \t]*[:=][^\n]*)",
    re.IGNORECASE | re.MULTILINE,
)
_LEVEL_ALONE = re.compile(
    r"[\s\d/.,%*+-]*|[^\W\d_]+(?:[ _-][^\W\d_]+){0,3}[.!]?(?:[ \t]*\(\d+\))?"
    r"|\d+[^\w\n]+[^\W\d_]+[ _-][^\W\d_]+"
)
_EXPLAINED = re.compile(r"(?im)^[ \t]*(?:explanation|reason|reasoning|rationale|justification)[ \t]*:")
_REASONED = re.compile(r"</(?:think|thinking|reasoning|analysis|thought)", re.IGNORECASE)
_QUOTED_LINES = re.compile(r"(?:^[ \t]*>[^\n]*(?:\n|\Z))+", re.MULTILINE)
_FENCED = re.compile(r"^[ \t]*(?:```|~~~)[^\n]{0,80}\n.{0,4000}?(?:```|~~~|\Z)", re.DOTALL | re.MULTILINE)
_BLOCK = re.compile(r"\s*\n(?:[ \t]*\S[^\n]*(?:\n|\Z)){1,20}")
_NEXT_TURN = re.compile(
    r"""(?im) ^ [ \t#*>_-]* (?:
        (?: question | q | user | human | prompt | task | input | assistant | student[ \t]+answer
          | next[ \t]+(?:question|answer|item|example|task|one)
          | (?:new|another|second)[ \t]+(?:question|item|example|task)
          | (?:example|item|case|question|sample)[ \t]*\#?[2-9]
          | (?:explanation|score|rating|verdict)[ \t]+for[ \t]+(?:the[ \t]+)?(?:next|second|other)[ \t]+\w+
        ) [ \t*_]* [:\n]
      | you[ \t]+are[ \t]+(?:an?|the)[ \t] | \[inst\]
      | \#\#\#[ \t]*(?:instruction|question|user|human|input|next|example) )
    | (?:<\|(?:im_start|start_header_id|start)\|>|<start_of_turn>) [ \t]* (?:user|human) | \[INST\] """,
    re.VERBOSE,
)
_SPEAKS_OF_OTHERS = class_pattern("(^ | word | any) (say | inject | other) ")
_OWN = class_pattern("(judge | final | so | corrected) (any{0,3}) (score_word | outcome | give | settle)")
_NOTE = re.compile(
    r"(?im)^[^\n]{0,200}(?:(?:part of|from|in) the (?:answer|text|material)|copied|quot|injected"
    r"|\b(?:answer|response|student|text|submission|candidate)\b[^\n]{0,10}\b(?:contains?|contained|says|said|wrote|reads)\b"
    r"[ ]*(?:this|that|it)?[.!]?[ ]*$"
    r"|what (?:the|an?|this) \w+ (?:says?|said|wrote|writes|claims)|(?:not|n't) mine|belongs to)[^\n]*$"
)


def quotations(reply: str, text: str) -> list[tuple[int, int]]:
    """Find where a reply gives the words of others.

    A level alone between quotation marks, and a reply that is one quotation, are the judge's own words.

    Args:
        reply: as the model gave it.
        text: as ``readable`` gives it, of the same length.

    Returns:
        Bounds of each, in order.
    """
    found = [match.span() for pattern in (_MARKED, _TAGGED, _COMMENT) for match in pattern.finditer(reply)]
    found += [match.span() for match in _BLOCKS.finditer(reply) if _is_quoted(reply, match)]
    found += [match.span("inside") for match in _LABELLED.finditer(reply)]
    spoken = _SINGLE.sub("", _DOUBLE.sub("", text)).strip(" \t\n.,;{}[]")
    for pattern in (_DOUBLE, _SINGLE):
        for match in pattern.finditer(text):
            if spoken and not _LEVEL_ALONE.fullmatch(match[1].strip()):
                found.append(match.span())
    found += [
        match.span(1)
        for match in _CODE.finditer(reply)
        if not _LEVEL_ALONE.fullmatch(match[1].strip()) and not _opens_line(reply, match.start())
    ]
    found += _lines(reply, text)
    turn = _next_turn(text if "<|" not in reply else reply)
    if turn is not None:
        found.append((turn, len(text)))
    return _joined(found)


def _is_quoted(reply: str, block: re.Match[str]) -> bool:
    """Whether a block is the answer: its name says so, and it does not end reasoning or hold explanation."""
    inside = block["inside"]
    if inside is None:
        return True
    return (
        not _LEVEL_ALONE.fullmatch(inside.strip())
        and not _EXPLAINED.search(inside)
        and not _REASONED.search(reply, 0, block.start())
    )


def within(spans: Sequence[tuple[int, int]], place: int) -> bool:
    """Whether a place lies in one of some spans, which come in order and do not overlap."""
    before = bisect_right(spans, (place, math.inf)) - 1
    return before >= 0 and place < spans[before][1]


def without(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """A text of the same length, with blanks in place of some spans."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _joined(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join spans that overlap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def is_of_others(tokens: Sequence[Token]) -> bool:
    """Whether words speak of a text that somebody else wrote, and not of the judge's own score."""
    kinds = sequence(token.kind for token in tokens)
    return _SPEAKS_OF_OTHERS.search(kinds) is not None and _OWN.search(kinds) is None


def _opens_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t*_#>-")


def _next_turn(text: str) -> int | None:
    """Where the reply goes on with a question, an answer or a task that nobody gave."""
    turn = _NEXT_TURN.search(text)
    return None if turn is None else turn.start()


def _lines(reply: str, text: str) -> list[tuple[int, int]]:
    """Quoted lines and blocks that the words around them ascribe to others."""
    found = []
    for pattern in (_QUOTED_LINES, _FENCED):
        for match in pattern.finditer(reply):
            line_end = len(reply.rstrip()) <= match.end()
            rest = text[max(0, match.start() - 400) : match.start()].rstrip().rpartition("\n")[2]
            after = "" if line_end else text[match.end() : match.end() + 400].lstrip().partition("\n")[0]
            if is_of_others(tokenize(rest)) or _NOTE.search(after):
                found.append(match.span())
    for line in re.finditer(r"(?m)^[^\n]*:[ \t]*$", text):
        block = _BLOCK.match(text, line.end()) if is_of_others(tokenize(line[0][-400:])) else None
        if block is not None:
            found.append(block.span())
    return found
