"""The document: results of an instrument as a tree of few kinds of nodes, which knows no output.

A block with ``detail`` is meant for every rendering, only for a full one (a page, Markdown, a workbook), or
only for a brief one (the screen). Blocks without it belong to full renderings.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np

from semscale.signature import Signature

if TYPE_CHECKING:
    from semscale.guards.findings import Span
    from semscale.report.chart_kit import Drawing

Level = Literal["pass", "warn", "fail"]
"""How good something is."""

Detail = Literal["both", "full", "brief"]
"""Which renderings have a block: all, pages and other full ones, or the screen alone."""


@runtime_checkable
class Interval(Protocol):
    """A figure with the two ends of its interval, such as ``semscale.stats.intervals.Estimate``."""

    @property
    def value(self) -> float:
        """The figure itself."""
        ...

    @property
    def low(self) -> float:
        """Lower end of the interval; NaN where there is none."""
        ...

    @property
    def high(self) -> float:
        """Upper end of the interval; NaN where there is none."""
        ...


@dataclass(frozen=True)
class Number:
    """A number; ``None`` or NaN where it does not exist.

    Attributes:
        value: the number.
        digits: decimals that are shown; ``None`` shows as many as its author wrote.
        signed: whether a plus sign is shown.
        least: below it only that is shown, as for p-values.
        most: beyond it likewise.
    """

    value: float | None
    digits: int | None = 2
    signed: bool = False
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Change:
    """A number before and after; ``None`` or NaN where one does not exist.

    Attributes:
        before: the earlier number.
        after: the later number.
        digits: decimals that are shown; ``None`` shows as many as their author wrote, and the difference.
    """

    before: float | None
    after: float | None
    digits: int | None = None


@dataclass(frozen=True)
class Count:
    """A whole number of things.

    Attributes:
        value: the number; ``None`` where it is not known.
        is_small: whether too few things were counted to rely on; shown with an asterisk.
    """

    value: int | None
    is_small: bool = False


@dataclass(frozen=True)
class Share:
    """A share from -1 to 1, shown in percent; ``None`` or NaN where it does not exist.

    Attributes:
        value: the share.
        digits: decimals of the percentage.
    """

    value: float | None
    digits: int = 1


@dataclass(frozen=True)
class WithInterval:
    """A figure with its interval; an end that is NaN does not exist.

    Attributes:
        value: the figure.
        low: lower end.
        high: upper end.
        digits: decimals that are shown.
        is_share: whether it is a share, shown in percent.
        note: why there is no interval, where that is known.
        signed: whether a plus sign is shown.
    """

    value: float
    low: float
    high: float
    digits: int = 2
    is_share: bool = False
    note: str = ""
    signed: bool = False


def estimate_cell(
    estimate: Interval | None,
    digits: int = 2,
    *,
    is_share: bool = False,
    note: str = "",
    signed: bool = False,
) -> WithInterval:
    """Turn an estimate into a cell; a dash where there is none."""
    if estimate is None:
        return WithInterval(np.nan, np.nan, np.nan, digits, is_share, note)
    return WithInterval(estimate.value, estimate.low, estimate.high, digits, is_share, note, signed)


def share_cell(share: Interval | None, *, signed: bool = False) -> WithInterval:
    """Turn an estimate of a share into a cell in percent; a dash where there is none."""
    return estimate_cell(share, 1, is_share=True, signed=signed)


@dataclass(frozen=True)
class Compared:
    """A figure of a crosstab with the result of a test; without its interval where there is little room.

    Attributes:
        figure: the figure with its interval.
        mark: the letters of columns that it lies above, or the p-value of a change; empty for neither.
        is_small: whether its base is too small for a test; shown with an asterisk.
    """

    figure: WithInterval
    mark: str = ""
    is_small: bool = False


@dataclass(frozen=True)
class Label:
    """A phrase of Semscale itself, lower case at the start, as a page may capitalise it.

    Attributes:
        text: the phrase.
        note: a shorter explanation under it, where there is room.
        brief: what a brief rendering shows instead, such as a name that options take.
    """

    text: str
    note: str = ""
    brief: str = ""


@dataclass(frozen=True)
class Quoted:
    """A user's words, shown as they are but for what would break the output.

    Attributes:
        text: the words; ``None`` where there are none.
        limit: characters that are shown at once.
        wraps: whether a table on the screen has all of them, on several lines; else their middle is left out.
    """

    text: object
    limit: int = 220
    wraps: bool = False


@dataclass(frozen=True)
class Flag:
    """An outcome in a word, good or bad."""

    text: str
    level: Level


@dataclass(frozen=True)
class Piece:
    """A part of a text, marked by what was found in it, or unmarked.

    Attributes:
        text: the part.
        guard: what marks it; ``None`` where nothing does.
    """

    text: str
    guard: str | None


@dataclass(frozen=True)
class Marked:
    """A user's text with marked parts, in order."""

    pieces: tuple[Piece, ...]


Cell = Number | Change | Count | Share | WithInterval | Compared | Label | Quoted | Flag | Marked
"""Content of a cell of a table, of a fact or of a setting."""

Value = Cell | Interval | float | str | None
"""A cell, or a plain value that ``as_cell`` turns into one."""


def as_cell(value: Value) -> Cell:
    """Turn a plain value into a cell; a cell stays as it is.

    A text of a user is no plain value: it goes into ``Quoted``.

    Args:
        value: a phrase of Semscale, a whole number (``Count``), a number (``Number``, two decimals), an
            estimate (``WithInterval``, two decimals), or ``None`` where a number does not exist.

    Examples:
        >>> [type(as_cell(value)).__name__ for value in ("mean", 3, 0.25, None)]
        ['Label', 'Count', 'Number', 'Number']
    """
    if isinstance(value, Cell):
        return value
    match value:
        case None:
            return Number(None)
        case str():
            return Label(value)
        case int() | np.integer():
            return Count(int(value))
        case float() | np.floating():
            return Number(float(value))
        case _:
            return estimate_cell(value)


Line = str | Quoted | tuple[str | Quoted, ...]
"""One line of text: Semscale's words, a user's, or both in turn."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph.

    Attributes:
        text: the sentences.
        style: ``lead`` opens a section, ``heading`` a part of it, ``note`` explains its other blocks.
        detail: which renderings have it.
    """

    text: Line
    style: Literal["plain", "lead", "heading", "note"] = "plain"
    detail: Detail = "full"


@dataclass(frozen=True)
class Findings:
    """Findings, each with its level.

    Attributes:
        items: level and sentence of each.
        detail: which renderings have them.
    """

    items: tuple[tuple[Level, Line], ...]
    detail: Detail = "full"


@dataclass(frozen=True)
class DataTable:
    """Rows of values; the first column names the row.

    Attributes:
        columns: headings; empty for a column that needs none.
        rows: cells, as many per row as there are columns.
        title: above the table.
        note: what the table leaves out, if anything.
        explained: whether the last column explains the others, and is left out of brief renderings.
        bars: lengths from 0 to 1, one per row, that a brief rendering draws next to the rows.
        most: rows that a brief rendering shows.
        noun: name of a row.
        detail: which renderings have it.
        brief_title: above the table in a brief rendering, where a section's title says the same on a page.
        brief: how many columns, from the first, a brief rendering shows; all unless given.
        folded: words that a page shows in the table's place until a reader opens it; it is open if empty.
        is_crosstab: whether a page holds the first column in view while the others are scrolled.
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
    folded: str = ""
    is_crosstab: bool = False


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
    examples: tuple[tuple[int, Quoted], ...] = ()


@dataclass(frozen=True)
class Reasons:
    """Reasons why rows were left out, the most frequent first.

    Attributes:
        reasons: in that order.
        noun: name of a row.
    """

    reasons: tuple[Reason, ...]
    noun: str = "row"


@dataclass(frozen=True)
class Swatch:
    """One entry of a legend: a colour, its meaning, and the mark's shape where it is not a square.

    Attributes:
        colour: of the mark.
        label: its meaning.
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
        chart: draws it for a width in pixels.
        description: the figures in words, for readers who cannot see it.
        table: the numbers behind it; a brief rendering shows these if the table's ``detail`` says so.
        caption: one or two sentences on how to read it.
        legend: colours, where the picture itself does not name them.
        style: how a page sets it: ``square``, ``heat`` or ``matrix``; empty for full width.
        is_narrow: whether one drawing serves narrow and wide screens.
    """

    name: str
    chart: "Callable[[int], Drawing]"
    description: str
    table: DataTable
    caption: str = ""
    legend: tuple[Swatch, ...] = ()
    style: Literal["", "square", "heat", "matrix"] = ""
    is_narrow: bool = False


@dataclass(frozen=True)
class JudgeReply:
    """The reply of one judge.

    Attributes:
        judge: its name.
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
        parts: of the score.
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
        return max((max(text.pmf) for _, column in self.columns for text in column), default=1.0)


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
        labels: its groups.
        input: what was asked.
        pairs: its outputs that belong together.
        n_more: pairs that are not shown.
        brief: what a brief rendering shows, as many cells as ``ComparedItems.heads``.
    """

    id: Quoted
    labels: tuple[Quoted, ...]
    input: Quoted | None
    pairs: tuple[ComparedPair, ...]
    n_more: int
    brief: tuple[Cell, ...] = ()


@dataclass(frozen=True)
class ComparedItems:
    """Items whose outputs changed, the worst first."""

    items: tuple[ComparedItem, ...]
    guards: tuple[tuple[str, str, int | None], ...] = ()
    brief_title: str = ""
    heads: tuple[str, ...] = ()
    most: int = 6


LONGEST = 900
"""Characters of a marked text that are shown."""


def marked(text: str, findings: Iterable[tuple[str, "Span | None"]] = (), *, limit: int = LONGEST) -> Marked:
    """Cut a text where guards found something; where findings overlap, the first of them is marked.

    Args:
        text: the whole text.
        findings: guards, each with the span of its finding; ``None`` marks nothing.
        limit: characters that are shown; an ellipsis marks the cut.

    Returns:
        Pieces that together are the text.

    Examples:
        >>> from semscale.guards.findings import Span
        >>> text = marked("not well", [("negation", Span(0, 3, "not"))])
        >>> [(piece.text, piece.guard) for piece in text.pieces]
        [('not', 'negation'), (' well', None)]
    """
    cut: list[Piece] = []
    end = 0
    spans = [(guard, span) for guard, span in findings if span is not None]
    for guard, span in sorted(spans, key=lambda item: (item[1].start, -item[1].end)):
        start, stop = max(span.start, end), min(span.end, limit)
        if start >= stop:
            continue
        if start > end:
            cut.append(Piece(text[end:start], None))
        cut.append(Piece(text[start:stop], guard))
        end = stop
    if end < min(len(text), limit):
        cut.append(Piece(text[end:limit], None))
    return Marked((*cut, Piece("…", None)) if len(text) > limit else tuple(cut))


@dataclass(frozen=True)
class SideBySide:
    """Columns of blocks, which stand below each other on a narrow screen.

    Attributes:
        columns: blocks of each column.
        style: ``pair`` for pictures, ``equals`` for pictures that are to be compared and so have one width.
    """

    columns: "tuple[tuple[Block, ...], ...]"
    style: Literal["pair", "equals"] = "pair"


Block = Paragraph | DataTable | Figure | Items | Verbatims | Findings | SideBySide | ComparedItems | Reasons
"""Every kind of block; a renderer handles each of them."""


@dataclass(frozen=True)
class Headline:
    """The one figure that a document is about, on a ruler of all values it can have.

    Attributes:
        name: of the figure, such as "mean match".
        value: the figure with its interval.
        bounds: least and greatest value it can have.
        coverage: of the interval, between 0 and 1.
        ticks: values that are marked on the ruler.
        advice: what the figure must not be taken for, in a sentence below it, if there is anything.
    """

    name: str
    value: WithInterval
    bounds: tuple[float, float]
    coverage: float
    ticks: tuple[float, ...] = ()
    advice: str = ""


@dataclass(frozen=True)
class Decision:
    """A decision that a document is about.

    Attributes:
        text: the decision in a word.
        level: how good it is.
        about: who decided what.
    """

    text: str
    level: Level
    about: Line


@dataclass(frozen=True)
class Section:
    """A part of a document.

    Attributes:
        name: a short handle, unique in the document: lower-case letters and hyphens.
        title: what it is about.
        blocks: in order.
        level: a verdict beside the title, if there is one: its words and how good it is.
    """

    name: str
    title: Line
    blocks: tuple[Block, ...]
    level: tuple[str, Level] | None = None

    @property
    def full(self) -> tuple[Block, ...]:
        """Blocks that a full rendering has."""
        return tuple(block for block in self.blocks if detail_of(block) != "brief")


@dataclass(frozen=True)
class Citation:
    """A work to cite.

    Attributes:
        authors: with the year.
        title: of the work.
        place: where it appeared.
        use: what it is cited for.
        url: where it can be read, if anywhere.
    """

    authors: str
    title: str
    place: str
    use: str
    url: str = ""


@dataclass(frozen=True)
class Document:
    """The results of an instrument.

    Attributes:
        kind: such as "rating report".
        name: on the screen, such as "Match".
        title: a sentence or a name.
        source: what was read, and short facts about the making of the document.
        signature: what lets somebody else reproduce the figures; ``None`` where nothing was measured.
        lead: what the document is about: a number, a decision or a picture; ``None`` where there is nothing.
        next_step: what to do next, in a sentence that follows the lead and its reading.
        counting: how many rows count, and what was left out; lines at the head of a brief rendering.
        reading: how to read the lead, and all that ``counting`` says; sentences at the head of a full
            rendering, which has ``counting`` where there are none.
        facts: counts, by name.
        warnings: why the lead should not be trusted; every rendering says them before the lead.
        cautions: limits of the figures that a reader must know.
        sections: in order.
        notes: lines at the end of a brief rendering; what they say stands elsewhere in a full one.
        settings: by name.
        citations: works to cite.
        ending: the last line of a brief rendering, if there is one.
    """

    kind: str
    name: str
    title: Line
    source: tuple[Line, ...]
    signature: Signature | None
    lead: Headline | Decision | Figure | None = None
    next_step: str = ""
    counting: tuple[Line, ...] = ()
    reading: tuple[Line, ...] = ()
    facts: tuple[tuple[str, Cell], ...] = ()
    warnings: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    notes: tuple[str, ...] = ()
    settings: tuple[tuple[str, Line], ...] = ()
    citations: tuple[Citation, ...] = ()
    ending: tuple[str, Level] | None = None

    @property
    def introduction(self) -> tuple[Line, ...]:
        """The first sentences of a full rendering."""
        return self.reading or self.counting

    def figures(self) -> Iterator[Figure]:
        """Yield all pictures, in order."""
        if isinstance(self.lead, Figure):
            yield self.lead
        for section in self.sections:
            for block in flat(section.blocks):
                if isinstance(block, Figure):
                    yield block


def stamp(moment: datetime) -> str:
    """Write when something was made, to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M %Z").strip()


def detail_of(block: Block) -> Detail:
    """Say which renderings a block is meant for."""
    return block.detail if isinstance(block, DataTable | Paragraph | Findings) else "full"


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Give blocks one after the other, those in columns too."""
    for block in blocks:
        if isinstance(block, SideBySide):
            for column in block.columns:
                yield from flat(column)
        else:
            yield block
