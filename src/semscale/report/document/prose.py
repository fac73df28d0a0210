"""Blocks of words: paragraphs, headings, findings, judgements and names with their meanings."""

from dataclasses import dataclass
from typing import Literal

from semscale.report.document.values import Cell, Detail, Level, Line


@dataclass(frozen=True)
class Paragraph:
    """A paragraph.

    Attributes:
        text: what it says.
        style: ``lead`` opens a section, ``note`` explains what stands beside it.
        detail: which renderings have it.
    """

    text: Line
    style: Literal["plain", "lead", "note"] = "plain"
    detail: Detail = "full"


@dataclass(frozen=True)
class Subheading:
    """A heading inside a section."""

    text: Line


@dataclass(frozen=True)
class Findings:
    """What was found, each with how grave it is."""

    items: tuple[tuple[Level, Line], ...]


@dataclass(frozen=True)
class Badge:
    """A judgement in a word or a few."""

    text: str
    level: Level
    before: str = ""


@dataclass(frozen=True)
class Definitions:
    """Names with what they stand for: settings, or facts about one thing."""

    entries: tuple[tuple[Line, Cell], ...]
    title: str = ""
