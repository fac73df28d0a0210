"""The document: results of an instrument as a tree of nodes, independent of the output format.

The attribute ``detail`` of a block selects its renderings: all, only full ones (a page, Markdown, a
workbook), or only brief ones (the screen). Blocks without it appear in full renderings.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

import numpy as np
from markupsafe import Markup

from semscale.report.chart_data import ChartData, ScatterData
from semscale.signature import Signature

if TYPE_CHECKING:
    from semscale.guards.findings import Span

Level = Literal["pass", "warn", "fail"]
"""Level of a finding, verdict or decision."""

Detail = Literal["both", "full", "brief"]
"""Renderings that include a block: all, only full ones, or only the screen."""


@runtime_checkable
class Interval(Protocol):
    """Figure with an interval, such as ``semscale.stats.intervals.Estimate``."""

    @property
    def value(self) -> float:
        """The figure."""
        ...

    @property
    def low(self) -> float:
        """Lower end of the interval; NaN without an interval."""
        ...

    @property
    def high(self) -> float:
        """Upper end of the interval; NaN without an interval."""
        ...


@dataclass(frozen=True)
class Number:
    """A number; ``None`` or NaN if it does not exist.

    Attributes:
        value: the number.
        digits: number of decimals; ``None`` shows as many as its author wrote.
        signed: true to show a plus sign.
        least: smaller numbers are shown as "< least", as for p-values.
        most: greater numbers are shown as "> most".
    """

    value: float | None
    digits: int | None = 2
    signed: bool = False
    least: float | None = None
    most: float | None = None


@dataclass(frozen=True)
class Change:
    """A number before and after a change; ``None`` or NaN if one does not exist.

    Attributes:
        before: the earlier number.
        after: the later number.
        digits: number of decimals; ``None`` shows as many as their author wrote, and the difference.
    """

    before: float | None
    after: float | None
    digits: int | None = None


@dataclass(frozen=True)
class Count:
    """A count.

    Attributes:
        value: the number; ``None`` if unknown.
        is_small: true if too few things were counted to rely on; shown with an asterisk.
    """

    value: int | None
    is_small: bool = False


@dataclass(frozen=True)
class Share:
    """A share from -1 to 1, shown in percent; ``None`` or NaN if it does not exist.

    Attributes:
        value: the share.
        digits: decimals of the percentage.
    """

    value: float | None
    digits: int = 1


@dataclass(frozen=True)
class WithInterval:
    """A figure with its interval; NaN for an end that does not exist.

    Attributes:
        value: the figure.
        low: lower end.
        high: upper end.
        digits: decimals that are shown.
        is_share: true if it is a share, shown in percent.
        note: reason for a missing interval, if known.
        signed: true if a plus sign is shown.
        percent_digits: decimals of a share in percent.
    """

    value: float
    low: float
    high: float
    digits: int = 2
    is_share: bool = False
    note: str = ""
    signed: bool = False
    percent_digits: int = 1


def estimate_cell(
    estimate: Interval | None,
    digits: int = 2,
    *,
    is_share: bool = False,
    note: str = "",
    signed: bool = False,
) -> WithInterval:
    """Convert an estimate to a cell; a dash for ``None``."""
    if estimate is None:
        return WithInterval(np.nan, np.nan, np.nan, digits, is_share, note)
    return WithInterval(estimate.value, estimate.low, estimate.high, digits, is_share, note, signed)


def share_cell(share: Interval | None, *, signed: bool = False) -> WithInterval:
    """Convert an estimate of a share to a cell in percent; a dash for ``None``."""
    return estimate_cell(share, 1, is_share=True, signed=signed)


def p_cell(p_value: float | None) -> Number:
    """Convert a p-value to a cell."""
    return Number(p_value, 3, least=0.001)


@dataclass(frozen=True)
class Compared:
    """A figure of a crosstab with the result of a test; narrow layouts omit its interval.

    Attributes:
        figure: the figure with its interval.
        mark: letters of columns with significantly lower values, or the p-value of a change; empty for
            neither.
        is_small: true if its base is too small for a test; shown with an asterisk.
    """

    figure: WithInterval
    mark: str = ""
    is_small: bool = False


@dataclass(frozen=True)
class Label:
    """A phrase written by Semscale; it starts in lower case, as a page can capitalise it.

    Attributes:
        text: the phrase.
        note: short explanation below the phrase, if there is room.
        brief: text for brief renderings, such as the name used in options.
    """

    text: str
    note: str = ""
    brief: str = ""


@dataclass(frozen=True)
class Quoted:
    """A user's text, shown unchanged except for characters that would break the output.

    Attributes:
        text: the text; ``None`` without one.
        limit: number of characters shown before the text is expanded.
        wraps: true to wrap the whole text in a table on the screen; otherwise its middle is omitted.
    """

    text: object
    limit: int = 220
    wraps: bool = False


@dataclass(frozen=True)
class Flag:
    """An outcome in one word, with its level."""

    text: str
    level: Level


@dataclass(frozen=True)
class Piece:
    """A part of a text, marked with a guard's finding or unmarked.

    Attributes:
        text: the part.
        guard: guard that marks the part; ``None`` if unmarked.
    """

    text: str
    guard: str | None


@dataclass(frozen=True)
class Marked:
    """A user's text with marked parts, in order."""

    pieces: tuple[Piece, ...]


Cell = Number | Change | Count | Share | WithInterval | Compared | Label | Quoted | Flag | Marked
"""Content of a table cell, a fact or a setting."""

Value = Cell | Interval | float | str | None
"""A cell, or a plain value that ``as_cell`` converts."""


def as_cell(value: Value) -> Cell:
    """Convert a plain value to a cell; return a cell unchanged.

    A user's text is not a plain value; wrap it in ``Quoted``.

    Args:
        value: a phrase of Semscale, a whole number (``Count``), a number (``Number``, two decimals), an
            estimate (``WithInterval``, two decimals), or ``None`` for a missing number.

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
"""One line of text: Semscale's text, a user's text, or parts of both."""


@dataclass(frozen=True)
class Paragraph:
    """A paragraph.

    Attributes:
        text: the sentences.
        style: ``lead`` introduces a section, ``heading`` introduces a part of it, ``note`` explains its other
            blocks.
        detail: renderings that include the block.
        brief: text of a brief rendering, if it differs.
    """

    text: Line
    style: Literal["plain", "lead", "heading", "note"] = "plain"
    detail: Detail = "full"
    brief: Line = ""


@dataclass(frozen=True)
class Findings:
    """Findings, each with its level.

    Attributes:
        items: level and sentence of each.
        detail: renderings that include the findings.
    """

    items: tuple[tuple[Level, Line], ...]
    detail: Detail = "full"


@dataclass(frozen=True)
class DataTable:
    """Rows of values; the first column names the row.

    Attributes:
        columns: headings; empty for a column that needs none.
        rows: rows of cells, one cell per column.
        title: title above the table.
        note: note on what the table omits, if anything.
        explained: true if the last column explains the others; brief renderings omit it.
        bars: lengths from 0 to 1, one per row, that a brief rendering draws next to the rows.
        most: greatest number of rows in a brief rendering.
        noun: name of a row.
        detail: renderings that include the block.
        brief_title: title of the table in a brief rendering; a page shows the section's title instead.
        brief: number of columns, from the first, in a brief rendering; by default all.
        folded: label of the collapsed table on a page; if empty, the table is not collapsed.
        is_crosstab: true to keep the first column visible while the others scroll; intervals are below their
            figures on a page.
        keeps_last: true to keep the last column of a crosstab visible as well, such as the p-value.
        data: data of native charts of the table; empty for none.
        finding: sentence with the main result, the title of a slide with its chart.
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
    keeps_last: bool = False
    data: tuple[ChartData, ...] = ()
    finding: str = ""


@dataclass(frozen=True)
class Reason:
    """Rows that were left out for one reason.

    Attributes:
        status: the reason in one word.
        meaning: explanation of the reason.
        n: number of rows.
        share: share of all rows.
        examples: row numbers from 1, with their texts.
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
        reasons: the reasons, the most frequent first.
        noun: name of a row.
    """

    reasons: tuple[Reason, ...]
    noun: str = "row"

    @property
    def finding(self) -> str:
        """Number of rows with each reason."""
        return ", ".join(f"{reason.n:,} {reason.status}" for reason in self.reasons)


@dataclass(frozen=True)
class Swatch:
    """One entry of a legend: a colour, its meaning, and the shape of the mark.

    Attributes:
        colour: colour of the mark.
        label: its meaning.
        shape: ``dot``, ``ring``, ``diamond``, ``line`` or ``dashed``; empty for a square.
    """

    colour: str
    label: str
    shape: str = ""


class Picture(Protocol):
    """A chart that was drawn for a width."""

    def inline(self, label: str) -> Markup:
        """Return the picture as an SVG element for a page, with a text alternative."""
        ...

    def document(self, description: str, legend: Sequence[Swatch] = (), *, is_crisp: bool = False) -> str:
        """Return the picture as an SVG document with its text alternative and its legend."""
        ...


Chart = Callable[[int], Picture]
"""Function that draws a chart for a width in pixels."""


@dataclass(frozen=True)
class Figure:
    """A chart with its description, table, caption and legend.

    Attributes:
        name: file name without extension, in lower-case letters and hyphens.
        chart: function that draws the chart.
        description: text alternative with the figures.
        table: table of the numbers; a brief rendering shows it if the table's ``detail`` allows.
        caption: one or two sentences on how to read it.
        legend: colours, if the chart itself does not label them.
        style: layout on a page: ``square``, ``heat`` or ``matrix``; empty for full width.
        is_narrow: true if one drawing serves narrow and wide screens.
        data: data of native charts with the same figures; empty if Excel and PowerPoint have no such chart.
        scatter: data of a native chart with two axes; ``None`` for other charts.
        finding: sentence with the main result, the title of a slide with the chart.
        shows_table: true to show the table below the chart on a page; otherwise it is collapsed.
    """

    name: str
    chart: Chart
    description: str
    table: DataTable
    caption: str = ""
    legend: tuple[Swatch, ...] = ()
    style: Literal["", "square", "heat", "matrix"] = ""
    is_narrow: bool = False
    data: tuple[ChartData, ...] = ()
    scatter: ScatterData | None = None
    finding: str = ""
    shows_table: bool = False


@dataclass(frozen=True)
class JudgeReply:
    """The reply of one judge.

    Attributes:
        judge: its name.
        score: the judge's score.
        masses: probability of each score, if there is more than one.
        words: the judge's explanation, or the reason for a missing score.
        status: reason for a missing score; empty if there is one.
    """

    judge: Quoted
    score: Cell
    masses: tuple[tuple[Cell, float], ...]
    words: Quoted
    status: str = ""


@dataclass(frozen=True)
class ItemCard:
    """One item with its texts and findings.

    Attributes:
        row: row number, from 1.
        score: the item's score.
        labels: short facts about it, such as its group.
        texts: texts by name.
        findings: guards, each with its reason.
        parts: parts of the score.
        replies: replies of judges.
        details: lines of a collapsible part: the heading, then the lines.
        brief: cells of a brief rendering after the row and the score, one for each of ``Items.heads``.
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
    """Items to review, with marked texts.

    Attributes:
        items: the items, the most important first.
        guards: legend of the marks: guard, its meaning, and the number of items with a finding.
        brief_title: title in a brief rendering; if empty, a brief rendering omits the items.
        heads: heads of the brief rendering's columns.
        most: greatest number of items in a brief rendering.
        noun: noun for an item.
        is_explained: true if a brief rendering lists parts, findings and details of the items below the
            table.
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
    """Respondents' texts in titled columns, each with a small chart of its PMF, all on one scale."""

    columns: tuple[tuple[str, tuple[Verbatim, ...]], ...]

    @property
    def tallest(self) -> float:
        """Greatest mass of a point in any PMF."""
        return max((max(text.pmf) for _, column in self.columns for text in column), default=1.0)


@dataclass(frozen=True)
class ComparedPair:
    """An output of the baseline with the candidate's; ``None`` for an output without a partner.

    Attributes:
        baseline: the baseline's output.
        candidate: the candidate's output.
        names: names of the two sides.
        absent: text shown for a missing output.
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
        id: id of the item.
        labels: groups of the item.
        input: the item's input.
        pairs: aligned outputs.
        n_more: number of pairs that are not shown.
        brief: cells of a brief rendering, one for each of ``ComparedItems.heads``.
        anchor: name of its place in the page, for links; empty without one.
    """

    id: Quoted
    labels: tuple[Quoted, ...]
    input: Quoted | None
    pairs: tuple[ComparedPair, ...]
    n_more: int
    brief: tuple[Cell, ...] = ()
    anchor: str = ""


@dataclass(frozen=True)
class ComparedItems:
    """Items with changed outputs, the worst first."""

    items: tuple[ComparedItem, ...]
    guards: tuple[tuple[str, str, int | None], ...] = ()
    brief_title: str = ""
    heads: tuple[str, ...] = ()
    most: int = 6


LONGEST = 900
"""Number of characters shown of a marked text."""


def mark_findings(
    text: str, findings: Iterable[tuple[str, "Span | None"]] = (), *, limit: int = LONGEST
) -> Marked:
    """Split a text at the findings of guards; of overlapping findings, the first is marked.

    Args:
        text: the whole text.
        findings: guards, each with the span of its finding; ``None`` marks nothing.
        limit: number of characters to show, from the start or, if the first finding would be cut off, from
            some words before it; an ellipsis marks a cut.

    Returns:
        The text as a sequence of pieces.

    Examples:
        >>> from semscale.guards.findings import Span
        >>> text = mark_findings("not well", [("negation", Span(0, 3, "not"))])
        >>> [(piece.text, piece.guard) for piece in text.pieces]
        [('not', 'negation'), (' well', None)]
    """
    spans = [(guard, span) for guard, span in findings if span is not None]
    spans.sort(key=lambda item: (item[1].start, -item[1].end))
    end = 0
    if spans and spans[0][1].end > limit:
        end = max(text.rfind(" ", 0, max(spans[0][1].start - limit // 3, 0)) + 1, 0)
    cut = [Piece("… ", None)] if end else []
    limit += end
    for guard, span in spans:
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
    """Columns of blocks, which are stacked on a narrow screen.

    Attributes:
        columns: blocks of each column.
        style: ``pair`` for charts, ``equals`` for charts of equal width that are compared.
    """

    columns: "tuple[tuple[Block, ...], ...]"
    style: Literal["pair", "equals"] = "pair"


Block = Paragraph | DataTable | Figure | Items | Verbatims | Findings | SideBySide | ComparedItems | Reasons
"""All kinds of blocks; every renderer handles each of them."""


@dataclass(frozen=True)
class Headline:
    """The main figure of a document, on a ruler with its range.

    Attributes:
        name: name of the figure, such as "mean match".
        value: the figure with its interval.
        bounds: least and greatest possible value.
        coverage: coverage of the interval, between 0 and 1.
        ticks: marked values of the ruler.
        advice: sentence on the limits of the figure's meaning, if any.
        correction: sentence with the corrected figure, if any, for renderings without an introduction.
    """

    name: str
    value: WithInterval
    bounds: tuple[float, float]
    coverage: float
    ticks: tuple[float, ...] = ()
    advice: str = ""
    correction: str = ""


@dataclass(frozen=True)
class Decision:
    """The decision that a document presents.

    Attributes:
        text: the decision in one word.
        level: level of the decision, good or bad.
        about: description of what was decided.
    """

    text: str
    level: Level
    about: Line


Severity = Literal["warning", "caution", "note"]
"""Severity of a notice: a reason not to trust the lead, a limit of the figures, or how they were made."""


@dataclass(frozen=True)
class Notice:
    """A sentence that qualifies the figures of a document.

    Attributes:
        text: the sentence.
        severity: every rendering shows warnings, before the lead, and cautions. Only a brief rendering shows
            notes, at its end; a full rendering has their content next to the figures or among the settings.
        brief: the sentence with its hint, such as an option to use; empty if it is the same. Full renderings
            show the hint in the block on how the document was made, see ``Document.hints``.
    """

    text: str
    severity: Severity
    brief: str = ""


def notices(
    warnings: Iterable[str | None] = (),
    cautions: Iterable[str | None] = (),
    notes: Iterable[str | None] = (),
) -> tuple[Notice, ...]:
    """Build the notices of a document; ``None`` and empty sentences are dropped.

    Examples:
        >>> notices(cautions=["few rows", None])
        (Notice(text='few rows', severity='caution', brief=''),)
    """
    stated: tuple[tuple[Severity, Iterable[str | None]], ...] = (
        ("warning", warnings),
        ("caution", cautions),
        ("note", notes),
    )
    return tuple(Notice(text, severity) for severity, sentences in stated for text in sentences if text)


@dataclass(frozen=True)
class Quotes:
    """A few texts of respondents for a slide.

    Attributes:
        about: phrase that states which texts they are.
        texts: what each text is an example of, and the text, with the part that shows it marked, if it is
            known.
    """

    about: str
    texts: tuple[tuple[str, Marked], ...]


@dataclass(frozen=True)
class Section:
    """A part of a document.

    Attributes:
        name: identifier, unique in the document: lower-case letters and hyphens.
        title: title of the section.
        blocks: blocks in order.
        level: verdict next to the title, if any: its text, and its level, if that is clear.
        quotes: texts for a slide of their own; ``None`` without any.
    """

    name: str
    title: Line
    blocks: tuple[Block, ...]
    level: tuple[str, Level | None] | None = None
    quotes: Quotes | None = None

    @property
    def full(self) -> tuple[Block, ...]:
        """Blocks of a full rendering."""
        return tuple(block for block in self.blocks if detail_of(block) != "brief")

    @property
    def findings(self) -> tuple[str, ...]:
        """Main results of the blocks, in sentences."""
        blocks = (block for block in flat(self.full) if isinstance(block, Figure | DataTable | Reasons))
        return tuple(block.finding for block in blocks if block.finding)


@dataclass(frozen=True)
class Citation:
    """A work to cite.

    Attributes:
        authors: authors with the year.
        title: title of the work.
        place: publication in which the work appeared.
        use: purpose of the citation.
        url: address of the work, if any.
    """

    authors: str
    title: str
    place: str
    use: str
    url: str = ""


@dataclass(frozen=True)
class Document:
    """The results of an instrument, in the order of reading.

    Attributes:
        kind: kind of the document, such as "rating report".
        name: name on the screen, such as "Match".
        title: title of the document, a sentence or a name.
        source: name of the input, and short facts about the creation of the document.
        lead: main number, decision or chart; ``None`` without one.
        introduction: paragraphs next to the lead, such as the number of scored and of excluded rows. A brief
            rendering shows the decisive ones in bold, those with the style ``lead``.
        next_step: sentence on what to do next, after the lead and its explanation.
        brief_next_step: the same with its hint; empty if it is the same.
        next_links: parts of ``next_step``, each with the name of the section that it is about.
        notices: reasons not to trust the lead, limits of the figures, and how they were made.
        facts: counts, by name.
        sections: sections in order.
        settings: settings by name.
        citations: works to cite.
        signature: signature for reproducing the figures; ``None`` if nothing was measured, so that there is
            nothing to reproduce and cite.
        ending: last line of a brief rendering, if any.
        hints: sentences that name an option or a command to use. A full rendering shows them at its end with
            the settings, the citations and the signature, as "How this was made", and nowhere else.
        measured: what was measured, of how many, from which input and when, for the first slide of a deck; by
            default the counts and the source.
    """

    kind: str
    name: str
    title: Line
    source: tuple[Line, ...]
    lead: Headline | Decision | Figure | None = None
    introduction: tuple[Paragraph, ...] = ()
    next_step: str = ""
    brief_next_step: str = ""
    next_links: tuple[tuple[str, str], ...] = ()
    notices: tuple[Notice, ...] = ()
    facts: tuple[tuple[str, Cell], ...] = ()
    sections: tuple[Section, ...] = ()
    settings: tuple[tuple[str, Line], ...] = ()
    citations: tuple[Citation, ...] = ()
    signature: Signature | None = None
    ending: tuple[str, Level] | None = None
    hints: tuple[str, ...] = ()
    measured: tuple[str, ...] = ()

    @property
    def full_introduction(self) -> tuple[Line, ...]:
        """Sentences of the introduction in a full rendering."""
        return tuple(paragraph.text for paragraph in self.introduction if paragraph.detail != "brief")

    @property
    def brief_introduction(self) -> tuple[Line, ...]:
        """Lines of the introduction in a brief rendering, without the decisive ones."""
        return tuple(
            brief_text(paragraph)
            for paragraph in self.introduction
            if paragraph.detail != "full" and paragraph.style != "lead"
        )

    def sentences(self, severity: Severity) -> tuple[str, ...]:
        """Return the notices of a severity in a full rendering, in order; some are hints as a whole."""
        return tuple(notice.text for notice in self.notices if notice.severity == severity and notice.text)

    def brief_sentences(self, severity: Severity) -> tuple[str, ...]:
        """Return the notices of a severity with their hints, in order."""
        return tuple(notice.brief or notice.text for notice in self.notices if notice.severity == severity)

    def figures(self) -> Iterator[Figure]:
        """Yield all figures, in order."""
        if isinstance(self.lead, Figure):
            yield self.lead
        for section in self.sections:
            for block in flat(section.blocks):
                if isinstance(block, Figure):
                    yield block


def stamp(moment: datetime) -> str:
    """Format a time of creation, to the minute."""
    return moment.strftime("%Y-%m-%d %H:%M %Z").strip()


def brief_text(paragraph: Paragraph) -> Line:
    """Return the text of a paragraph in a brief rendering."""
    return paragraph.brief or paragraph.text


def detail_of(block: Block) -> Detail:
    """Return the renderings that include a block."""
    return block.detail if isinstance(block, DataTable | Paragraph | Findings) else "full"


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield all blocks in order, including those in columns."""
    for block in blocks:
        if isinstance(block, SideBySide):
            for column in block.columns:
                yield from flat(column)
        else:
            yield block
