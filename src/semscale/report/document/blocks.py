"""The kinds of blocks that a section of a document is made of.

A block with ``detail`` is meant for every rendering, only for a full one (a page, Markdown, a workbook), or
only for a brief one (the screen). Blocks without it belong to full renderings.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

from semscale.report.document.values import Cell, Level, Line, Marked, Quoted
from semscale.types import Floats

Detail = Literal["both", "full", "brief"]


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
class DataTable:
    """Rows of values; the first column names the row.

    Attributes:
        columns: headings; empty for a column that needs none.
        rows: cells, as many a row as there are columns.
        title: above the table.
        note: what the table leaves out, if anything.
        explained: whether the last column explains the others, and is left out of brief renderings.
        bars: lengths from 0 to 1, one a row, that a brief rendering draws beside the rows.
        most: rows that a brief rendering shows.
        noun: what a row is called.
        detail: which renderings have it.
        brief_title: above the table in a brief rendering, where a section's title says the same on a page.
        brief: how many columns, from the first, a brief rendering shows; all unless given.
    """

    columns: tuple[str | Quoted, ...]
    rows: tuple[tuple[Cell, ...], ...]
    title: Line = ""
    note: str = ""
    explained: bool = False
    bars: tuple[float, ...] = ()
    most: int = 50
    noun: str = "row"
    detail: Detail = "both"
    brief_title: Line = ""
    brief: int | None = None


@dataclass(frozen=True)
class Swatch:
    """One entry of a legend: a colour, what it stands for, and the mark's shape where it is not a square.

    Attributes:
        colour: of the mark.
        label: what it stands for.
        shape: ``dot``, ``ring``, ``diamond``, ``line`` or ``dashed``; empty for a square.
    """

    colour: str
    label: str
    shape: str = ""


@dataclass(frozen=True)
class Figure:
    """A picture with everything that belongs to it.

    Attributes:
        name: of the file that it can be saved as: lower-case letters and hyphens.
        chart: draws it for a width in pixels: Vega-Lite, or an SVG document.
        description: the figures in words, for readers who cannot see it.
        table: the numbers behind it; a brief rendering shows these if the table's ``detail`` says so.
        caption: one or two sentences on how to read it.
        legend: colours, where the picture itself does not name them.
        style: how a page sets it: ``square``, ``heat`` or ``matrix``; empty for full width.
        is_narrow: whether one drawing serves narrow and wide screens.
    """

    name: str
    chart: Callable[[int], dict[str, Any] | str]
    description: str
    table: DataTable
    caption: str = ""
    legend: tuple[Swatch, ...] = ()
    style: Literal["", "square", "heat", "matrix"] = ""
    is_narrow: bool = False


@dataclass(frozen=True)
class ScoreGroup:
    """Scores that a histogram counts.

    Attributes:
        name: of the items that have them.
        scores: shape (n,), without NaN.
        colour: of its bars.
        low: lower end of the interval of their mean; NaN where there is none.
        high: upper end, likewise.
    """

    name: str
    scores: Floats
    colour: str
    low: float = float("nan")
    high: float = float("nan")

    @property
    def mean(self) -> float:
        """Mean of the scores; NaN without any."""
        return float(self.scores.mean()) if len(self.scores) else float("nan")


@dataclass(frozen=True)
class Histogram:
    """How scores are spread: one histogram a group, all on one axis; a brief rendering shows the first.

    Attributes:
        name: of the file that it can be saved as.
        groups: each drawn as a histogram, from top to bottom.
        bounds: least and greatest score that there can be.
        heads: what is scored, and what an item is called, in a brief rendering.
        table: the numbers, for full renderings.
        title: of the brief rendering.
        caption: how to read it.
        axis: what the axis shows.
        detail: which renderings have it.
    """

    name: str
    groups: tuple[ScoreGroup, ...]
    bounds: tuple[float, float]
    heads: tuple[str, str]
    table: DataTable
    title: str = "Scores"
    caption: str = ""
    axis: str = "score"
    detail: Detail = "both"


@dataclass(frozen=True)
class JudgeReply:
    """What one judge said.

    Attributes:
        judge: who.
        score: the score it gave.
        masses: probability of each score, where there is more than one.
        words: its explanation, or why there is no score.
        status: why there is no score; empty where there is one.
    """

    judge: Quoted
    score: Cell
    masses: tuple[tuple[Cell, float], ...]
    words: Quoted
    status: str = ""


@dataclass(frozen=True)
class ItemCard:
    """One item with its texts and what was found in them.

    Attributes:
        row: number of its row, from 1.
        score: what it came to.
        labels: short facts about it, such as its group.
        texts: its texts by name.
        findings: guards, each with its reason.
        parts: what the score is made of.
        replies: what judges said.
        details: lines behind a heading that a page folds: the heading, then the lines.
        brief: what a brief rendering shows after the row and the score; as many cells as ``Items.heads``.
    """

    row: int
    score: Cell
    labels: tuple[Line, ...] = ()
    texts: tuple[tuple[str, Quoted | Marked], ...] = ()
    findings: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[Line, Cell], ...] = ()
    replies: tuple[JudgeReply, ...] = ()
    details: tuple[str, tuple[str, ...]] = ("", ())
    brief: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class Items:
    """Items to look at, with marked texts.

    Attributes:
        items: in the order in which they are worth a look.
        guards: legend of the marks: guard, its meaning, and in how many items it found something.
        brief_title: of the brief rendering; empty leaves them out of it.
        heads: of the brief rendering's columns.
        most: items that a brief rendering shows.
        noun: what an item is called.
        is_explained: whether a brief rendering has parts, findings and details of the items below their list.
    """

    items: tuple[ItemCard, ...]
    guards: tuple[tuple[str, str, int | None], ...] = ()
    brief_title: str = ""
    heads: tuple[str, ...] = ()
    most: int = 6
    noun: str = "row"
    is_explained: bool = False


@dataclass(frozen=True)
class Verbatim:
    """One respondent's text with its probability mass function."""

    text: Quoted
    row: int
    mean: Cell
    entropy: Cell
    pmf: tuple[float, ...]
    label: str


@dataclass(frozen=True)
class Verbatims:
    """Respondents' texts in titled columns, each with a spark of its PMF; all sparks share one height."""

    columns: tuple[tuple[str, tuple[Verbatim, ...]], ...]

    @property
    def tallest(self) -> float:
        """The greatest mass of a point."""
        return max((max(one.pmf) for _, column in self.columns for one in column), default=1.0)


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
class Shares:
    """Parts of a whole as one bar.

    Attributes:
        parts: name, colour and share of each; shares sum to 1.
    """

    parts: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class Definitions:
    """Names with what they stand for: settings, or facts about one thing."""

    entries: tuple[tuple[Line, Cell], ...]
    title: str = ""


@dataclass(frozen=True)
class SideBySide:
    """Columns of blocks, which stand below each other on a narrow screen.

    Attributes:
        columns: blocks of each column.
        style: ``pair`` for pictures, ``settings`` for definitions.
    """

    columns: "tuple[tuple[Block, ...], ...]"
    style: Literal["pair", "settings"] = "pair"


@dataclass(frozen=True)
class ComparedPair:
    """An output of the baseline beside the candidate's; ``None`` where one has no partner.

    Attributes:
        baseline: the baseline's output.
        candidate: the candidate's.
        names: of the two sides.
        absent: what stands in place of a side without an output.
        findings: guards, each with its reason.
        figures: similarities and differences by name.
    """

    baseline: Marked | None
    candidate: Marked | None
    names: tuple[str, str]
    absent: tuple[str, str]
    findings: tuple[tuple[str, str], ...] = ()
    figures: tuple[tuple[Line, Cell], ...] = ()


@dataclass(frozen=True)
class ComparedItem:
    """An item's outputs in two runs.

    Attributes:
        id: of the item.
        harm: how much worse it came out.
        labels: its groups.
        input: what was asked.
        pairs: its outputs that belong together.
        n_more: pairs that are not shown.
        drifts: by how much it drifted in each metric.
        brief: what a brief rendering shows, as many cells as ``ComparedItems.heads``.
    """

    id: Quoted
    harm: Cell
    labels: tuple[Quoted, ...]
    input: Quoted | None
    pairs: tuple[ComparedPair, ...]
    n_more: int
    drifts: tuple[tuple[Line, Cell], ...]
    brief: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class ComparedItems:
    """Items whose outputs changed, the worst first."""

    items: tuple[ComparedItem, ...]
    guards: tuple[tuple[str, str, int | None], ...] = ()
    brief_title: str = ""
    heads: tuple[str, ...] = ()
    most: int = 6


@dataclass(frozen=True)
class Reason:
    """Rows that were left out for one reason.

    Attributes:
        status: the reason in a word.
        meaning: what it means.
        n: rows.
        share: of all rows.
        examples: numbers of rows from 1, with their texts.
    """

    status: str
    meaning: str
    n: int
    share: float
    examples: tuple[tuple[int, Quoted], ...] = field(default=())


@dataclass(frozen=True)
class Reasons:
    """Why rows were left out, the most frequent reason first.

    Attributes:
        reasons: in that order.
        noun: what a row is called.
    """

    reasons: tuple[Reason, ...]
    noun: str = "row"


Block = (
    Paragraph | Subheading | DataTable | Figure | Histogram | Items | Verbatims | Findings | Badge | Shares
    | Definitions | SideBySide | ComparedItems | Reasons
)  # fmt: skip
"""Every kind of block; a renderer handles each of them."""
