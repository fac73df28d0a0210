"""All kinds of blocks that a section of a document is made of.

A block with ``detail`` is meant for every rendering, only for a full one (a page, Markdown, a workbook), or
only for a brief one (the screen). Blocks without it belong to full renderings.
"""

from dataclasses import dataclass
from typing import Literal

from semscale.report.document.compared_items import ComparedItem, ComparedItems, ComparedPair
from semscale.report.document.figures import Figure, Histogram, ScoreGroup, Shares, Swatch
from semscale.report.document.items import ItemCard, Items, JudgeReply, Verbatim, Verbatims
from semscale.report.document.prose import Badge, Definitions, Findings, Paragraph, Subheading
from semscale.report.document.tables import DataTable, Reason, Reasons

__all__ = [
    "Badge", "Block", "ComparedItem", "ComparedItems", "ComparedPair", "DataTable", "Definitions", "Figure",
    "Findings", "Histogram", "ItemCard", "Items", "JudgeReply", "Paragraph", "Reason", "Reasons",
    "ScoreGroup", "Shares", "SideBySide", "Subheading", "Swatch", "Verbatim", "Verbatims"
]  # fmt: skip


@dataclass(frozen=True)
class SideBySide:
    """Columns of blocks, which stand below each other on a narrow screen.

    Attributes:
        columns: blocks of each column.
        style: ``pair`` for pictures, ``equals`` for pictures that are to be compared and so have one width,
            ``settings`` for definitions.
    """

    columns: "tuple[tuple[Block, ...], ...]"
    style: Literal["pair", "equals", "settings"] = "pair"


Block = (
    Paragraph | Subheading | DataTable | Figure | Histogram | Items | Verbatims | Findings | Badge | Shares
    | Definitions | SideBySide | ComparedItems | Reasons
)  # fmt: skip
"""Every kind of block; a renderer handles each of them."""
