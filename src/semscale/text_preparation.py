"""Preparation of texts before they are measured: a model's reasoning, and HTML.

Models and servers write reasoning before the answer in many forms, such as ``<think>...</think>Paris``. It
is recognised at the start of a text only, so that an answer that mentions such a tag stays as it is.
"""

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from html.entities import html5
from typing import Annotated, Any, Literal, Self

from pydantic import Field

from semscale.settings import Option, Settings, Signed

TEXTS = "Texts"
"""Title of the options' panel in the help."""

Reasoning = Annotated[
    Literal["remove", "keep"],
    Field(description="Reasoning of a model before its answer, such as <think>...</think>: remove or keep."),
    Option(TEXTS, rare=True),
    Signed(unless_default=True),
]
Html = Annotated[
    Literal["keep", "text"],
    Field(description="HTML in texts: keep, or text to measure the text without tags and entities."),
    Option(TEXTS, rare=True),
    Signed(unless_default=True),
]


class TextWarning(UserWarning):
    """Texts have parts that are probably not meant to be measured."""


@dataclass
class TextCounts:
    """Numbers of texts by what they contain.

    Attributes:
        texts: number of texts.
        reasoning: number of those that begin with reasoning.
        unanswered: number of those that consist of reasoning.
        html: number of those with HTML.
    """

    texts: int = 0
    reasoning: int = 0
    unanswered: int = 0
    html: int = 0

    def add(self, other: "TextCounts") -> None:
        """Add the numbers of further texts."""
        self.texts += other.texts
        self.reasoning += other.reasoning
        self.unanswered += other.unanswered
        self.html += other.html


@dataclass(frozen=True)
class TextPreparation:
    """Treatment of reasoning and HTML in texts.

    Attributes:
        reasoning: ``remove`` or ``keep``.
        html: ``keep``, or ``text`` for the text without tags and entities.

    Examples:
        >>> TextPreparation("remove", "text").prepare(["<think>So.</think>Fish &amp; chips", None, 3])
        ['Fish & chips', None, 3]
    """

    reasoning: Literal["remove", "keep"] = "keep"
    html: Literal["keep", "text"] = "keep"

    @classmethod
    def from_settings(cls, settings: Settings) -> Self:
        """Return the preparation that an instrument's settings name."""
        return cls(getattr(settings, "reasoning", "keep"), getattr(settings, "html", "keep"))

    def prepare(self, cells: Any, counts: TextCounts | None = None) -> Any:  # noqa: ANN401 - any cells
        """Prepare a text, or all texts in nested lists and tuples; other values are returned unchanged.

        Args:
            cells: the texts.
            counts: numbers to which those of the texts are added.
        """
        if hasattr(cells, "__len__") and not isinstance(cells, str | list | tuple):
            to_list = getattr(cells, "tolist", None) or getattr(cells, "to_list", None)
            cells = cells if to_list is None else to_list()  # an array or a series
        if isinstance(cells, list):
            return [self.prepare(cell, counts) for cell in cells]
        if isinstance(cells, tuple):
            values = [self.prepare(cell, counts) for cell in cells]
            return type(cells)(*values) if hasattr(cells, "_fields") else tuple(values)
        return self._prepare_text(cells, counts or TextCounts()) if isinstance(cells, str) else cells

    def _prepare_text(self, text: str, counts: TextCounts) -> str:
        counts.texts += not text.isspace() and bool(text)
        answer = split_reasoning(text)[1]
        if answer != text:
            counts.reasoning += 1
            counts.unanswered += not answer
            text = answer if self.reasoning == "remove" else text
        if not has_html(text):
            return text
        counts.html += 1
        return html_text(text) if self.html == "text" else text

    def prepare_and_warn(self, cells: Any) -> Any:  # noqa: ANN401 - any cells
        """Prepare texts, and warn a caller in Python of reasoning or HTML that is measured.

        Args:
            cells: see ``prepare``.
        """
        counts, remedies = TextCounts(), []
        prepared = self.prepare(cells, counts)
        if counts.reasoning and self.reasoning == "keep":
            start = f"{counts.reasoning:,} of {counts.texts:,} texts begin with a model's reasoning"
            remedies.append(f"{start}: reasoning='remove' leaves it out")
        if counts.html and self.html == "keep":
            start = f"{counts.html:,} of {counts.texts:,} texts contain HTML"
            remedies.append(f"{start}: html='text' leaves out tags and entities")
        if remedies:
            warnings.warn("; ".join(remedies), TextWarning, stacklevel=3)
        return prepared

    def notes(self, counts: TextCounts, columns: Iterable[str]) -> tuple[str, ...]:
        """Return sentences on the reasoning and HTML in the texts of columns; none without any.

        Args:
            counts: numbers of the columns' texts.
            columns: names of the columns.

        Examples:
            >>> TextPreparation().notes(TextCounts(3, html=2), ["comment"])[0][:44]
            '2 of 3 texts in column ‘comment’ contain HTM'
        """
        named = [f"‘{column}’" for column in columns]
        where = f"of {counts.texts:,} texts in column{'s' * (len(named) > 1)} {' and '.join(named)}"
        notes = []
        if counts.reasoning:
            start = (
                f"{counts.reasoning:,} {where} begin with a model's reasoning, such as <think>...</think>, "
            )
            empty = f" {counts.unanswered:,} of them have no answer after it." * bool(counts.unanswered)
            notes.append(
                f"{start}which was removed; `reasoning='keep'` measures it, too.{empty}"
                if self.reasoning == "remove"
                else f"{start}which is measured like an answer; `reasoning='remove'` leaves it out.{empty}"
            )
        if counts.html:
            start = f"{counts.html:,} {where} contain HTML (tags, or entities such as &amp;)"
            notes.append(
                f"{start}, which was removed."
                if self.html == "text"
                else f"{start}, which changes their results; `html='text'` measures the text alone."
            )
        return tuple(notes)


# Reasoning

_NAMES = (
    "think|thinking|thought|thoughts|reasoning|reason|reflection|analysis|scratchpad|seed:think"
    "|internal_monologue|inner_monologue|chain_of_thought"
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
    rf"(?:[{_BLANKS}]|<[|｜](?:im_start|start|begin|begin_of_text|start_header_id|Assistant)[|｜]>"
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
_PLAIN_CHANNEL, _PLAIN_FINAL = re.compile(r"analysis(?=[^\sa-z])"), "assistantfinal"
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


# HTML

_BLOCK_ELEMENTS = frozenset(
    """
    address article aside blockquote body br caption center col colgroup dd details div dl dt fieldset
    figcaption figure footer form h1 h2 h3 h4 h5 h6 head header hr html li link main menu meta nav o:p ol
    option p pre section select summary table tbody td tfoot th thead title tr ul
    """.split()  # noqa: SIM905 - a list of words is easier to read
)
_INLINE_ELEMENTS = frozenset(
    """
    a abbr acronym audio b bdi bdo big button canvas cite code data del dfn em embed font i iframe img input
    ins kbd label legend mark math nobr object picture q s samp script small source span strike strong style
    sub sup svg textarea time tt u var video wbr
    """.split()  # noqa: SIM905 - as above
)
_ATTRIBUTE = (
    r"\s+(?:[\w:.@-]+\s*=\s*(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>=]+)"
    r"|(?:allowfullscreen|checked|controls|disabled|hidden|multiple|nowrap|open|readonly|required|selected)\b)"
)
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>{'|'.join(sorted(_BLOCK_ELEMENTS | _INLINE_ELEMENTS, key=len, reverse=True))})"
    rf"(?:{_ATTRIBUTE})*\s*/?>",
    re.IGNORECASE,
)
_UNSHOWN = tuple(
    (re.compile(begin, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for begin, end in (
        ("<!--", "-->"),
        (rf"<script(?:{_ATTRIBUTE})*\s*>", r"</script\s*>"),
        (rf"<style(?:{_ATTRIBUTE})*\s*>", r"</style\s*>"),
    )
)
"""Begin and end of what a browser does not show."""

_TYPED = str.maketrans("‘’“”", "''\"\"")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def has_html(text: str) -> bool:
    """Return whether a text contains tags or entities of HTML.

    Examples:
        >>> [has_html(text) for text in ("<p>good</p>", "R&amp;D", "I <3 it", "a < b and c > d", "AT&T; R&D")]
        [True, True, False, False, False]
    """
    if "<" in text and (_TAG.search(text) or "-->" in text.partition("<!--")[2]):
        return True
    return "&" in text and any(_is_entity(match[0]) for match in _ENTITY.finditer(text))


def html_text(text: str) -> str:
    r"""Return the text that a browser shows: no tags, entities as characters, a line for each block.

    Other uses of ``<`` and ``&`` stay as they are. Entities are resolved once; those of typographic quotation
    marks, which editors insert, become plain ones.

    Examples:
        >>> html_text("<p>I don&rsquo;t like it<br>&amp; it&nbsp;broke</p>")
        "I don't like it\n& it broke"
    """
    for begin, end in _UNSHOWN:
        text = _without_parts(text, begin, end)
    if any(tag["name"].casefold() in _BLOCK_ELEMENTS for tag in _TAG.finditer(text)):
        text = re.sub(r"\s+", " ", text)  # elements begin lines, not the line breaks between them
    lines = _ENTITY.sub(_character, _TAG.sub(_shown_tag, text)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def _without_parts(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> str:
    """Remove the parts of a text from each mark to the next end mark."""
    shown, position = [], 0
    while (start := begin.search(text, position)) and (stop := end.search(text, start.end())):
        shown.append(text[position : start.start()])
        position = stop.end()
    return "".join([*shown, text[position:]])


def _is_entity(entity: str) -> bool:
    return entity[1] == "#" or entity[1:] in html5


def _shown_tag(tag: re.Match[str]) -> str:
    return "\n" if tag["name"].casefold() in _BLOCK_ELEMENTS else ""


def _character(entity: re.Match[str]) -> str:
    return unescape(entity[0]).translate(_TYPED) if _is_entity(entity[0]) else entity[0]
