"""Texts with HTML: recognised by tags and entities, and converted to the text that a browser shows."""

import re
from html import unescape
from html.entities import html5

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
    r"(?:\s+|(?<=[\"']))(?:[\w:.@-]+\s*=\s*(?:\"[^\"<]*\"|'[^'<]*'|[^\s\"'<>=]+)"
    r"|(?:allowfullscreen|checked|controls|disabled|hidden|multiple|nowrap|open|readonly|required|selected)\b"
    r"|data-[\w-]+(?!\s*=))"
)
_OF_WORD = r"(?:[mouvwx]\d?|st\d):\w{1,30}"
"""Names of elements that Word pastes, such as ``o:p`` and ``st1:City``."""
_TAG = re.compile(
    rf"<(?P<close>/?)(?P<name>{'|'.join(sorted(_BLOCK_ELEMENTS | _INLINE_ELEMENTS, key=len, reverse=True))}"
    rf"|{_OF_WORD})"
    rf"(?:{_ATTRIBUTE})*\s*/?>",
    re.IGNORECASE,
)
_UNSHOWN = tuple(
    (re.compile(begin, re.IGNORECASE), re.compile(end, re.IGNORECASE))
    for begin, end in (
        ("<!--", "-->"),
        (r"<\?xml\b", r"\?>"),
        (r"<!doctype\b", ">"),
        (r"<!\[(?:if|endif)\b", r"\]>"),  # Word writes these around the signs of lists
        (rf"<svg(?:{_ATTRIBUTE})*\s*>", r"</svg\s*>"),
        (rf"<head(?:{_ATTRIBUTE})*\s*>", r"</head\s*>"),
        (rf"<script(?:{_ATTRIBUTE})*\s*>", r"</script\s*>"),
        (rf"<style(?:{_ATTRIBUTE})*\s*>", r"</style\s*>"),
    )
)
"""Begin and end of what a browser does not show."""

_TYPED = str.maketrans("‘’“”", "''\"\"", "\u00ad\u200b\u2060\ufeff")
_ENTITY = re.compile(r"&(?:(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});|nbsp(?!;))")
_CDATA = re.compile(r"<!\[CDATA\[(?P<text>(?:(?!<!\[CDATA\[|\]\]>).)*)\]\]>", re.DOTALL)


def has_html(text: str) -> bool:
    """Return whether a text contains tags or entities of HTML.

    Examples:
        >>> [has_html(text) for text in ("<p>good</p>", "R&amp;D", "I <3 it", "a < b and c > d", "AT&T; R&D")]
        [True, True, False, False, False]
    """
    if "<" in text and (_TAG.search(text) or _CDATA.search(text) or "-->" in text.partition("<!--")[2]):
        return True
    return "&" in text and any(_is_entity(match[0]) for match in _ENTITY.finditer(text))


def html_text(text: str) -> str:
    r"""Return the text that a browser shows: no tags, entities as characters, a line for each block.

    Other uses of ``<`` and ``&`` stay as they are. Entities are resolved once; those of typographic quotation
    marks, which editors insert, become plain ones, and those of characters without width are left out.

    Examples:
        >>> html_text("<p>I don&rsquo;t like it<br>&amp; it&nbsp;broke</p>")
        "I don't like it\n& it broke"
    """
    text = _CDATA.sub(r"\g<text>", text)
    for begin, end in _UNSHOWN:
        text = _without_parts(text, begin, end)
    if any(tag["name"].casefold() in _BLOCK_ELEMENTS for tag in _TAG.finditer(text)):
        text = re.sub(r"\s+", " ", text)  # elements begin lines, not the line breaks between them
    lines = _ENTITY.sub(_character, _TAG.sub(_shown_tag, text)).split("\n")
    return "\n".join(filter(None, (" ".join(line.split()) for line in lines)))


def plain_label(text: str) -> str:
    r"""Return a label of a question or an answer in one line, without HTML.

    Examples:
        >>> plain_label("How <b>good</b>&nbsp;is it?<br>Please choose."), plain_label("a\\n b < c")
        ('How good is it? Please choose.', 'a\\n b < c')
    """
    return " ".join(html_text(text).split()) if has_html(text) else text


def _without_parts(text: str, begin: re.Pattern[str], end: re.Pattern[str]) -> str:
    """Remove the parts of a text from each mark to the next end mark."""
    shown, position = [], 0
    while (start := begin.search(text, position)) and (stop := end.search(text, start.end())):
        shown.append(text[position : start.start()])
        position = stop.end()
    return "".join([*shown, text[position:]])


def _is_entity(entity: str) -> bool:
    return entity[1] == "#" or entity[1:] in html5 or entity == "&nbsp"


def _shown_tag(tag: re.Match[str]) -> str:
    return "\n" if tag["name"].casefold() in _BLOCK_ELEMENTS else ""


def _character(entity: re.Match[str]) -> str:
    return unescape(entity[0]).translate(_TYPED) if _is_entity(entity[0]) else entity[0]
