"""A model's reasoning before its answer: recognised at the start of a text, and in the fields of a message.

Models and servers write reasoning in many forms, such as ``<think>...</think>Paris``. An answer that mentions
such a tag elsewhere stays as it is.
"""

import re
from collections.abc import Mapping
from typing import Any

_NAMES = (
    r"(?:\w{1,20}[:_])?(?:think|thinking|thoughts?)(?:_process)?|antthinking|reasoning(?:_process)?|reason"
    "|reflection|analysis|scratchpad|internal_monologue|inner_monologue|chain_of_thought|cot"
)
_OPENING = re.compile(
    rf"(?:<|&lt;)(?P<name>{_NAMES})(?:\s[^<>]{{0,200}}?)?(?P<empty>/)?(?:>|&gt;)", re.IGNORECASE
)
_CLOSING = re.compile(
    rf"(?:<|&lt;)/\s*(?P<name>{_NAMES})\s*(?:>|&gt;)|\[/THINK\]|◁/think▷|<\|END_THINKING\|>", re.IGNORECASE
)
# Begin and end of reasoning in other forms than tags.
_MARKS = tuple(
    (re.compile(begin, re.DOTALL | re.MULTILINE), re.compile(end, re.MULTILINE))
    for begin, end in (
        (r"\[THINK\]", r"\[/THINK\]"),
        ("◁think▷", "◁/think▷"),
        (r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
        (r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
        (r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
        (r"<\|think\|>", r"<\|end\|>(?:<\|begin\|>assistant<\|content\|>)?"),
        (r"<\|channel>thought\b", r"<channel\|>"),
        (r"<\|(?:thinking|reasoning)\|>", r"<\|/(?:thinking|reasoning)\|>"),
        (r"<unused94>(?:thought\b)?", "<unused95>"),
        (r"\[unused16\]", r"\[unused17\]"),
        (r"Thinking\.\.\.[ \t]*\n(?=.*^\.\.\.done thinking\.)", r"^\.\.\.done thinking\.[ \t]*$"),
        (
            r"<details>\s{0,9}<summary>\s{0,9}(?:Thinking|Thought|Reasoning)\b[^<]{0,80}</summary>",
            "</details>",
        ),
        (r"<details\s[^<>]{0,80}type=[\"']reasoning[\"'][^<>]{0,200}>", "</details>"),
        (r":::[ \t]*thinking\b", r"^:::[ \t]*$"),
        (
            "Here(?:'s|’s| is) my thought process:(?=.*Here(?:'s|’s| is) my response:)",
            "Here(?:'s|’s| is) my response:",
        ),
        (r"Thinking:(?=.*?^Signature:[ \t]*\S+[ \t]*$)", r"^Signature:[ \t]*\S+[ \t]*$"),
    )
)
_BLANKS = " \t\r\n\v\f\xa0\ufeff\u200b\u2060"
# Tokens of chat templates that servers may leave before a reply and after it.
_LEADING = re.compile(
    rf"(?:[{_BLANKS}]|<[|｜](?:im_start|start|begin|begin[_▁]of[_▁]\w{{1,20}}|start_header_id|Assistant)[|｜]>"
    r"(?:assistant\b(?:<\|end_header_id\|>)?)?|<s>|<bos>)*"
)
_BEFORE_ANSWER = re.compile(rf"(?:[{_BLANKS}]|<\|(?:START_RESPONSE|START_TEXT|begin_of_solution)\|>)*")
_LAST_TOKEN = re.compile(
    r"(?:<[|｜](?:end|return|im_end|eot_id|END_RESPONSE|END_TEXT|end_of_solution|end[_▁]of[_▁]\w{1,20})[|｜]>"
    r"|</s>|<eos>)\Z"
)
_ANSWER_TAGS = re.compile(
    r"<(?P<name>answer|final_answer|final|output|response|solution)>(?P<answer>.*)</(?P=name)>",
    re.DOTALL | re.IGNORECASE,
)
# A text that begins with the name of a tag and goes on like this is about the tag.
_MENTION = re.compile(
    r"[ \t]+(?:is|are|was|were|and|or|tags?|tokens?|elements?|marks?|means?|blocks?|should|can)\b"
    r"|[,;/.:)`\"'”’]",
    re.IGNORECASE,
)
_CHANNEL = re.compile(
    r"(?:<\|start\|>assistant)?<\|channel\|>(?P<name>\w{1,20})[^<]{0,200}(?:<\|constrain\|>\w+)?<\|message\|>"
)
_MESSAGE_END = re.compile(r"<\|(?:end|return|call)\|>|(?=<\|(?:channel|start)\|>)")
# The same channels where a server has dropped the special tokens.
_PLAIN_CHANNEL, _PLAIN_FINAL = re.compile(r"analysis(?=[ \t]*[^\sa-z]|[ \t]*\n)"), "assistantfinal"
# Every form of reasoning has at least one of these; most texts have none of them.
_SIGN = re.compile(r"[<&\[◁:]|assistantfinal|\.done thinking")
_QUOTES = "`\"'“”‘’«»„"
_SENTENCE_ENDS = ".!?…。！？)]\"'”’"


def split_reasoning(text: str) -> tuple[str, str]:
    r"""Split a model's reply into its reasoning and its answer.

    Reasoning is recognised at the start of the text: tags such as ``<think>``, ``[THINK]`` and ``◁think▷``,
    channels of gpt-oss, and further forms of models and servers. A closing tag alone ends reasoning that the
    server's template began, unless it is quoted, in code, or within a sentence. Reasoning without an end was
    cut off, so there is no answer.

    Args:
        text: a reply.

    Returns:
        The reasoning, empty without any, and the answer, empty if the reply consists of reasoning. Without
        reasoning the answer is the text unchanged.

    Examples:
        >>> split_reasoning("<think>\nLyon? No.\n</think>\n\nParis")
        ('Lyon? No.', 'Paris')
        >>> split_reasoning("Lyon? No.\n</think>\n\nParis"), split_reasoning("<think>Lyon? N")
        (('Lyon? No.', 'Paris'), ('Lyon? N', ''))
        >>> split_reasoning("Put the steps into <think> tags.")
        ('', 'Put the steps into <think> tags.')
    """
    parts, end = _reasoning(text)
    if not end:
        return "", text
    stop = len(text.rstrip())
    while (token := _LAST_TOKEN.search(text, max(end, stop - 40), stop)) is not None:
        stop = token.start()
        while stop > end and text[stop - 1].isspace():
            stop -= 1
    answer = text[end:stop]
    tagged = _ANSWER_TAGS.fullmatch(answer)
    joined = "\n\n".join(filter(None, (part.strip(_BLANKS) for part in parts)))
    return joined, tagged["answer"].strip() if tagged else answer


def answer_start(text: str) -> int:
    """Return the position at which a reply's answer begins.

    Args:
        text: a reply.

    Returns:
        0 without reasoning, and the text's length if nothing follows the reasoning.

    Examples:
        >>> answer_start("<think>Yes.</think> 4"), answer_start("4")
        (20, 0)
    """
    return _reasoning(text)[1]


def _reasoning(text: str) -> tuple[list[str], int]:
    """Return the pieces of reasoning at the start of a text, and the answer's position; 0 without any."""
    if _SIGN.search(text) is None:
        return [], 0
    begin = _after_leading(text, 0)
    parts, end = _channels(text, begin)
    if not end:
        parts, end = _blocks(text, begin)
    if not end:
        return [], 0
    marks = _BEFORE_ANSWER.match(text, end)
    return parts, end if marks is None else marks.end()


def _after_leading(text: str, start: int) -> int:
    leading = _LEADING.match(text, start)
    return start if leading is None else leading.end()


def _channels(text: str, begin: int) -> tuple[list[str], int]:
    """Read the channels of gpt-oss, of which the final one has the answer."""
    channel = _CHANNEL.match(text, begin)
    if channel is None:
        start = _PLAIN_CHANNEL.match(text, begin)
        end = text.rfind(_PLAIN_FINAL) if start else -1
        return ([], 0) if start is None or end < 0 else ([text[start.end() : end]], end + len(_PLAIN_FINAL))
    parts: list[str] = []
    while channel is not None:
        if channel["name"] == "final":
            return parts, channel.end()
        message_end = _MESSAGE_END.search(text, channel.end())
        stop = len(text) if message_end is None else message_end.start()
        parts.append(text[channel.end() : stop])
        channel = None if message_end is None else _CHANNEL.search(text, message_end.end())
    return parts, len(text)


def _blocks(text: str, begin: int) -> tuple[list[str], int]:
    """Read blocks of reasoning, one after the other; a closing tag may follow those that are not balanced."""
    parts: list[str] = []
    end, may_close = 0, True  # the server's template may have opened the first block
    while (block := _block(text, begin) or (_unopened(text, begin) if may_close else None)) is not None:
        reasoning, end = block
        parts.append(reasoning)
        opened = _OPENING.search(reasoning)
        may_close = opened is not None and _CLOSING.search(reasoning, opened.end()) is None
        begin = _after_leading(text, end)
    return parts, end


def _block(text: str, begin: int) -> tuple[str, int] | None:
    """Return the content and the end of a block of reasoning that begins at a position, if one does."""
    opening = _OPENING.match(text, begin)
    if opening is not None:
        if _MENTION.match(text, opening.end()):
            return None
        if opening["empty"]:
            return "", opening.end()
        name = opening["name"].casefold()
        closings = _CLOSING.finditer(text, opening.end())
        end = next((tag for tag in closings if (tag["name"] or "").casefold() == name), None)
        return _content(text, opening.end(), end)
    for begins, ends in _MARKS:
        if (mark := begins.match(text, begin)) is not None:
            return _content(text, mark.end(), ends.search(text, mark.end()))
    return None


def _content(text: str, start: int, end: re.Match[str] | None) -> tuple[str, int]:
    return (text[start:], len(text)) if end is None else (text[start : end.start()], end.end())


def _unopened(text: str, begin: int) -> tuple[str, int] | None:
    """Return reasoning that ends in a closing tag without an opening one, and its end.

    The tag must begin its line, follow the end of a sentence, or adjoin a word.
    """
    closing = _CLOSING.search(text, begin)
    if closing is None:
        return None
    before, after = text[begin : closing.start()], text[closing.end() : closing.end() + 1]
    line = before.rpartition("\n")[2]
    is_opened = _OPENING.search(before) or "[THINK]" in before or "◁think▷" in before
    is_code = before.count("```") % 2 or line.count("`") % 2
    is_quoted = bool(before) and before[-1] in _QUOTES and after in set(_QUOTES)
    ends_sentence = line.rstrip()[-1:] in set(_SENTENCE_ENDS) or line == line.rstrip()
    if is_opened or is_code or is_quoted or (line.strip() and not ends_sentence):
        return None
    return before, closing.end()


REASONING_FIELDS = ("reasoning_content", "reasoning", "thinking")
"""Fields of a message with its reasoning."""
REASONING_PARTS = ("thinking", "reasoning", "thought")
"""Types of the parts of a message with reasoning."""
_PART_TEXTS = (*REASONING_PARTS, "reasoning_content", "summary", "text")


def reasoning_of(message: Mapping[str, Any]) -> str:
    """Return the reasoning of a message in the form of chat endpoints, apart from its text.

    Args:
        message: its reasoning may be in a field or in parts of its ``content``.

    Examples:
        >>> reasoning_of({"content": "4", "reasoning_content": "2 + 2"})
        '2 + 2'
        >>> parts = [{"type": "thinking", "thinking": "2 + 2"}, {"type": "text", "text": "4"}]
        >>> reasoning_of({"content": parts})
        '2 + 2'
    """
    stated = next(filter(None, (_part_text(message.get(name)) for name in REASONING_FIELDS)), "")
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    thoughts = [part for part in parts if isinstance(part, Mapping) and part.get("type") in REASONING_PARTS]
    return stated or "\n\n".join(filter(None, map(_part_text, thoughts)))


def _part_text(value: object) -> str:
    """Return the text in a field or a part with reasoning, which endpoints nest in different ways."""
    if isinstance(value, list):
        return "".join(map(_part_text, value))
    if isinstance(value, Mapping):
        return next(filter(None, (_part_text(value.get(name)) for name in _PART_TEXTS)), "")
    return value.strip() if isinstance(value, str) else ""
