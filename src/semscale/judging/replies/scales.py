"""Finds where a reply names a scale, its own or another one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from semscale.judging.replies.stated_levels import LevelReader

# A number is taken whole or not at all, so that a long one does not cost the square of its length.
_DIGITS = r"(?<!\d)\d++"
_NUMBER = rf"[+-]?+{_DIGITS}"
_NAMED = re.compile(
    rf"""
    (?P<low>{_NUMBER}) [ \t]* (?:-|–|to|\.\.+) [ \t]* (?P<high>{_NUMBER}) (?:[ \t]*-?[ \t]*point)? [ \t]+
      (?:scale|range|rubric|system|points?)\b
    | \b(?: scale | range | scheme | system | rating | score | grade | marks? | number | integer | value
        | levels? | points | from | between ) [ \t]* [:(\[,]? [ \t]*
      (?: (?: of | from | is | was | used | between | goes | runs | here | asked[ \t]+for
        | in[ \t]+the[ \t]+range | a[ \t]+number | being | ranging | on ) [ \t:,(\[]* ){{0,3}}
      (?P<low2>{_NUMBER}) [ \t]* (?:\([^()\n]{{1,40}}\))? [ \t]* (?:-|–|—|to|through|and|\.\.+) [ \t]*
      (?P<high2>{_NUMBER}) (?:[ \t]*\([^()\n]{{1,40}}\))? (?![\d.,]*\d) (?![ \t]*%)
    | [(\[] [ \t]* (?P<low3>{_NUMBER}) [ \t]* (?:-|–|to) [ \t]* (?P<high3>{_NUMBER}) [ \t]* (?:scale)? [)\]]
    | (?P<top>{_DIGITS}) [ \t]* -? [ \t]* (?:point|grade|level|star|step)s? [ \t-]+
      (?:scale|system|rubric|likert|scheme)
    | \b(?:scale|out)[ \t]+of[ \t]+ (?:a[ \t]+possible[ \t]+)? (?P<top2>{_DIGITS})
      (?![ \t]*(?:-|–|to)[ \t]*\d) (?![ \t]+[^\W\d_]{{3,}}s\b)
    | (?P<top3>{_DIGITS}) [ \t]+ (?:being|is|=|as|meaning|means) [ \t]+ (?:the[ \t]+)?
      (?:best|highest|top|perfect|max\w*|excellent|flawless)
    | \bmax (?:imum)?\.? (?:[ \t]+(?:score|of|possible|is|points))* [ \t:=]+ (?P<top4>{_DIGITS})
    | (?P<low4>{_DIGITS}) [ \t]+ is[ \t]+(?:the[ \t]+)?(?:best|top|highest) [^.\n]{{1,30}}?
      (?P<high4>{_DIGITS}) [ \t]+ (?:is[ \t]+)?(?:the[ \t]+)?(?:worst|lowest)
    | (?P<school>\b(?:percent(?:age)?[ \t]+scale|school[ \t]+marks))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_SCORE_WORD = re.compile(r"(?:score|rating|grade|marks?|level|value)s?[ \t]*:?", re.IGNORECASE)
_LEGEND = re.compile(
    rf"(?P<number>{_DIGITS})[ \t]*(?:=|means|is|:)[ \t]*"
    r"(?:bad|good|poor|acceptable|excellent|perfect|terrible|weak|fair|average|ok)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class NamedScale:
    """A scale that a reply names.

    Attributes:
        start: where its words begin.
        end: where they end.
        own: whether it is the template's.
        both_ends: whether its lowest and its highest number are named.
    """

    start: int
    end: int
    own: bool
    both_ends: bool = True


def named_scales(text: str, reader: LevelReader) -> Iterator[NamedScale]:
    """Find all scales that are named by their ends or their top.

    Args:
        text: as ``readable`` gives it.
        reader: of the template's levels.
    """
    for found in _NAMED.finditer(text):
        ends = [value for name, value in found.groupdict().items() if value and name != "school"]
        if found["school"]:
            own = False
        elif len(ends) == 2:  # noqa: PLR2004 - low and high
            own = reader.is_range(ends[0], ends[1])
            if not own and not _declares(found):
                continue
        else:
            own = reader.is_top(ends[0])
        yield NamedScale(found.start(), found.end(), own, both_ends=len(ends) == 2)  # noqa: PLR2004 - low and high
    legend = [found for found in _LEGEND.finditer(text)]
    if len(legend) > 1 and reader.ends is not None:
        low, high = float(legend[0]["number"]), float(legend[-1]["number"])
        yield NamedScale(legend[0].start(), legend[-1].end(), {low, high} == set(reader.ends))


def _declares(found: re.Match[str]) -> bool:
    """Whether words say that the range is a scale; "from 3 to 4" alone may be any range."""
    return re.search(
        r"\b(?:scale|scheme|system|rubric|point|rating|grade|marks?)\b|\Ascore[ \t]*[(\[]",
        found[0],
        re.IGNORECASE,
    ) is not None or bool(found["low4"])


def blank_own_scales(text: str, scales: Sequence[NamedScale]) -> str:
    """Blank where the ends of the template's own scale are repeated; a score word before them stays.

    Args:
        text: as ``readable`` gives it.
        scales: the scales that it names.

    Returns:
        A text of the same length.
    """
    for scale in scales:
        if not (scale.own and scale.both_ends):
            continue
        key = _SCORE_WORD.match(text, scale.start, scale.end)
        start = key.end() if key else scale.start
        opened = text.count("(", start, scale.end) + text.count("[", start, scale.end) > 0
        end = scale.end + (opened and text[scale.end : scale.end + 1] in {")", "]"})
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
    return text
