"""Documents as slides: a title, the headline with its distribution, a slide per chart, and the method."""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path, PurePath

from semscale.report import slide_charts
from semscale.report.chart_data import ChartData, Charts
from semscale.report.document import (
    DataTable,
    Decision,
    Document,
    Figure,
    Headline,
    Marked,
    Paragraph,
    Piece,
    Quotes,
    Section,
    flat,
)
from semscale.report.formatting import (
    capitalise,
    cell_text,
    coverage,
    has_interval,
    heading_text,
    join_list,
    line_text,
    number,
    one_line,
    percent,
)
from semscale.report.slides import METHOD_TITLE, Box, Deck, Slide, clip_to, text_lines, unbroken_line

_MOST_CHARTS = 8  # slides with charts; others are left to pages and workbooks
_NUMBER_SHARE = 0.32  # of the width, for the main figure
_BIG, _TEXT, _QUOTE, _WARNING = 60.0, 15.0, 14.0, 13.0
_QUOTED_NAME = 0.2  # of the width, for the name beside a quote
_MOST_WARNINGS, _MOST_LIMITS = 3, 4


def write_report_deck(
    document: Document,
    path: Path,
    _pictures: Mapping[int, PurePath] | None = None,
    template: Path | None = None,
) -> None:
    """Write a document as slides with native charts.

    Args:
        document: what to show.
        path: the file.
        template: presentation with the layouts, fonts and colours to use.

    Raises:
        MissingExtraError: the extra ``slides`` is not installed.
        InputError: the template cannot be used.
        OSError: the file cannot be written.
    """
    deck = Deck(template)
    _write_cover(deck, document)
    shown = list(_shown_blocks(document))
    lead = document.lead
    if isinstance(lead, Headline):
        _write_headline(deck, document, lead, shown)
    elif isinstance(lead, Decision) or not shown or not shown[0][1].finding:
        _write_statement(deck, document)
    n_charts = 0
    for section, block in shown:
        parts = list(slide_charts.parts_of(_in_order(block.data), deck))
        for position, part in enumerate(parts, start=1):
            if n_charts < _MOST_CHARTS:
                number_of_part = f"{position} of {len(parts)}" if len(parts) > 1 else ""
                _write_chart(deck, document, section, block, part, number_of_part)
            n_charts += 1
    for section in document.sections:
        if section.quotes is not None:
            _write_quotes(deck, document, section.quotes)
    _write_method(deck, document, n_charts - _MOST_CHARTS)
    deck.save(path, line_text(document.title), datetime.now(UTC))


def _shown_blocks(document: Document) -> Iterator[tuple[Section | None, Figure | DataTable]]:
    """Yield the blocks with data of native charts, each with its section."""
    if isinstance(document.lead, Figure) and document.lead.data:
        yield None, document.lead
    for section in document.sections:
        for block in flat(section.blocks):
            if isinstance(block, Figure | DataTable) and block.data:
                yield section, block


def _in_order(charts: tuple[ChartData, ...]) -> Charts:
    """Return the charts that a slide shows: a stack goes before the means of its rows."""
    return tuple(sorted(charts, key=lambda chart: chart.kind != "stack"))


# The title and the headline


def _write_cover(deck: Deck, document: Document) -> None:
    """Write the title: what was measured, of how many, from which input and when."""
    counts = ", ".join(f"{name.lower()} {cell_text(value)}" for name, value in document.facts[:4])
    source = " | ".join(one_line(line_text(line)) for line in document.source)
    lines = document.measured or (capitalise(counts), source)
    deck.add_cover(capitalise(one_line(line_text(document.title))), lines, notes=_notes(document)[1:])


def _write_headline(
    deck: Deck,
    document: Document,
    lead: Headline,
    shown: list[tuple[Section | None, Figure | DataTable]],
) -> None:
    """Write the main figure in large type, beside its distribution if the first chart shows one."""
    slide = deck.add(
        f"{_name(document)}: {_headline_sentence(lead)}",
        _source(document),
        notes=_notes(document),
    )
    _write_warnings(slide, document)
    slide.footnote(_headline_notes(document, lead))
    chart = None
    if shown and len(shown[0][1].data) == 1 and shown[0][1].data[0].kind == "columns":
        chart = shown.pop(0)[1].data[0]
    room = slide.room
    left = room if chart is None else room._replace(width=room.width * _NUMBER_SHARE)
    _write_number(slide, left, lead)
    if chart is not None:
        right = Box(left.right, room.top, room.width - left.width, room.height)
        slide.room = right
        slide_charts.draw(slide, (chart,))


def _headline_sentence(lead: Headline) -> str:
    """State the main figure with its interval, in words."""
    value, low, high = _parts(lead)
    scale = f" on a scale from {_bound(lead, 0)} to {_bound(lead, 1)}"
    if not low:
        return f"the {lead.name} is {value}{scale}"
    return f"the {lead.name} is {value}{scale}, plausibly between {low} and {high}"


def _parts(lead: Headline) -> tuple[str, str, str]:
    """Return the main figure and the ends of its interval; the ends are empty without an interval."""
    figure = lead.value
    ends = (figure.low, figure.high) if has_interval(figure) else ()
    value, *written = (
        percent(part) if figure.is_share else number(part, figure.digits) for part in (figure.value, *ends)
    )
    low, high = written or ("", "")
    return value, low, high


def _bound(lead: Headline, end: int) -> str:
    bound = lead.bounds[end]
    return percent(bound, 0) if lead.value.is_share else f"{bound:g}"


def _write_number(slide: Slide, box: Box, lead: Headline) -> None:
    unit = slide.deck.unit
    value, low, high = _parts(lead)
    top = box.top + 0.25 * box.height
    big = Box(box.left, top, box.width, 1.1 * unit)
    slide.text(big, [value], size=_BIG, colour=slide.deck.palette.high, is_bold=True)
    lines = [capitalise(lead.name)]
    if low:
        lines.append(f"{coverage(lead.coverage)} interval: {low} to {high}")
    lines.append(f"Scale from {_bound(lead, 0)} to {_bound(lead, 1)}")
    below = Box(box.left, big.bottom, box.width, 1.2 * unit)
    slide.text(below, lines, size=_TEXT, gap=0.15)


def _headline_notes(document: Document, lead: Headline) -> list[str]:
    """Return the corrected figure, how many rows count, and how to read the figure."""
    counts = ", ".join(f"{name.lower()} {cell_text(value)}" for name, value in document.facts[:4])
    return [*filter(None, [lead.correction]), f"{capitalise(counts)}.", lead.advice]


def _write_statement(deck: Deck, document: Document) -> None:
    """Write the decision of a document, or what it states, with its introduction."""
    title = "At a glance"
    if isinstance(document.lead, Decision):
        title = f"{line_text(document.lead.about)}: {document.lead.text}"
    slide = deck.add(capitalise(title), _source(document), notes=_notes(document))
    _write_warnings(slide, document)
    sentences = [line_text(line) for line in document.full_introduction]
    facts = [f"{name}: {cell_text(value)}" for name, value in document.facts]
    slide.text(slide.room, [line for line in (*sentences, *facts) if line], size=_TEXT, gap=0.5)


def _write_warnings(slide: Slide, document: Document) -> None:
    """Write the reasons not to trust the figures, in the colour of the bad end of a scale."""
    warnings = document.sentences("warning")[:_MOST_WARNINGS]
    if not warnings:
        return
    unit = slide.deck.unit
    width = slide.room.width - 0.2
    lines = sum(text_lines(text, width, _WARNING * unit) for text in warnings)
    box = slide.take_top((lines * 1.2 * _WARNING / 72 + 0.15) * unit)
    slide.text(box, warnings, size=_WARNING, colour=slide.deck.palette.low, is_bold=True)


# Charts


def _write_chart(
    deck: Deck,
    document: Document,
    section: Section | None,
    block: Figure | DataTable,
    part: slide_charts.Part,
    number_of_part: str,
) -> None:
    """Write a chart, or a part of it, such as "2 of 3"."""
    heading = heading_text(section.title) if section is not None else part.charts[0].quantity
    heading = heading or line_text(document.title)
    named = heading_text(block.title) if isinstance(block, DataTable) and block.title else ""
    title = block.finding or named or heading
    subtitle = heading if title != heading else _source(document)
    detail = "" if block.finding or section is None else _lead_of(section)
    notes = [*([detail] if detail else []), *_notes(document)]
    slide = deck.add(capitalise(title), subtitle, detail, part=number_of_part, notes=notes)
    slide.footnote([*([part.note] if part.note else []), *_legend_of(part.charts)])
    slide_charts.draw(slide, part.charts)


def _lead_of(section: Section) -> str:
    """Return the paragraph that introduces a section; empty without one."""
    leads = (block for block in section.full if isinstance(block, Paragraph) and block.style == "lead")
    return next((one_line(line_text(block.text)) for block in leads), "")


def _legend_of(charts: Iterable[ChartData]) -> Iterator[str]:
    """Yield the meaning of lines and brackets."""
    for chart in charts:
        level = f"{coverage(chart.coverage)} intervals" if chart.coverage else "intervals"
        if chart.kind == "points" and any(series.low for series in chart.series):
            yield f"Lines: {level}."
        if chart.kind == "bars" and len(chart.series) == 1 and chart.series[0].low:
            yield f"In brackets: {level}."
        if chart.has_panels and (widest := _widest_intervals(chart)):
            yield f"{capitalise(level)}: {widest}."
        if chart.note:
            yield chart.note


def _widest_intervals(chart: ChartData) -> str:
    """State how wide the intervals of shares in panels are at most, in the total and in a group."""
    stated = []
    for name, series in (("in the total", chart.series[:1]), ("in a group", chart.series[1:])):
        margins = [
            max(high - value, value - low)
            for entry in series
            for value, low, high in zip(entry.values, entry.low, entry.high, strict=False)
        ]
        if known := list(filter(math.isfinite, margins)):
            stated.append(f"at most ± {math.ceil(round(100 * max(known), 6))} points {name}")
    return join_list(stated)


def _write_quotes(deck: Deck, document: Document, quotes: Quotes) -> None:
    """Write texts of respondents, each beside what it is an example of."""
    slide = deck.add("In their own words", quotes.about, notes=_notes(document))
    unit = deck.unit
    slide.take_top(0.15 * unit)
    width = _QUOTED_NAME * slide.room.width
    height = min(slide.room.height / len(quotes.texts), 1.1 * unit)
    lines = max(int((height / unit - 0.14) * 72 / (_QUOTE * 1.2)), 1)
    for name, marked in quotes.texts:
        box = slide.take_top(height)
        named = box._replace(width=width)
        said = box._replace(left=named.right, width=box.width - width)
        slide.text(
            named,
            [clip_to(name, width - 0.3 * unit, _QUOTE * unit, lines)],
            size=_QUOTE,
            colour=deck.palette.high,
            is_bold=True,
        )
        slide.text(said, [_quotation(marked, said.width - 0.4 * unit, _QUOTE * unit, lines)], size=_QUOTE)


def _quotation(marked: Marked, width: float, size: float, lines: int) -> Marked:
    """Clip a text to some lines, so that its marked part is among them, and add quotation marks."""
    whole = unbroken_line("".join(piece.text for piece in marked.pieces))
    part = next((unbroken_line(piece.text) for piece in marked.pieces if piece.guard is not None), "")
    if not part or part == whole or part not in whole:
        return Marked((Piece(f"“{clip_to(whole, width, size, lines)}”", None),))
    lead, _, rest = whole.partition(part)
    ellipsis = ""
    end = " …”" if rest else "”"
    while lead and text_lines(f"“{ellipsis}{lead}{part}{end}", width, size) > lines:
        ellipsis, lead = "… ", lead.partition(" ")[2]
    least = f"{ellipsis}{lead}{part}"
    shown = clip_to(f"{least}{rest}", width, size, lines)
    if not shown.startswith(least) and text_lines(f"“{least}{end}", width, size) <= lines:
        shown = f"{least} …"
    start = len(ellipsis) + len(lead)
    before, quoted, after = shown[:start], shown[start : start + len(part)], shown[start + len(part) :]
    return Marked((Piece(f"“{before}", None), Piece(quoted, "evidence"), Piece(f"{after}”", None)))


# How it was measured


def _write_method(deck: Deck, document: Document, n_more: int) -> None:
    """Write the last slide: settings, limits and the signature's hash; its notes have whole signatures."""
    settings: dict[str, list[str]] = {}
    signatures: dict[str, str] = {}
    if document.signature is not None:
        signatures["Signature"] = str(document.signature)
    of_signature = {name for name, _ in document.signature.fields} if document.signature else set()
    for name, value in document.settings:
        text = line_text(value)
        if text.startswith("semscale ") and "|" in text:
            signatures[name] = text
        elif name not in of_signature:
            settings.setdefault(name, []).append(text)
    facts: list[tuple[str, str]] = [(name, ", ".join(values)) for name, values in settings.items()]
    counts = ", ".join(f"{name.lower()} {cell_text(value)}" for name, value in document.facts)
    facts.insert(min(1, len(facts)), ("Rows", capitalise(counts)))
    known = document.sentences("caution")[:_MOST_LIMITS]
    if known:
        facts.append(("Limits", " ".join(capitalise(text).rstrip(".") + "." for text in known)))
    if n_more > 0:
        facts.append(("Not shown", f"{n_more} further charts, which the page and the workbook have"))
    if document.signature is not None:
        facts.append(("Signature", f"{document.signature.digest}, in full in the notes of this slide"))
    deck.add_facts(METHOD_TITLE, facts, notes=[f"{name}: {text}" for name, text in signatures.items()])


def _name(document: Document) -> str:
    return one_line(document.name)


def _source(document: Document) -> str:
    """Return what was measured, or the input."""
    if document.measured:
        return document.measured[0]
    return one_line(line_text(document.source[0])) if document.source else ""


def _notes(document: Document) -> list[str]:
    """Return what the speaker's notes have: the document, its source and its signature."""
    signature = [] if document.signature is None else [f"Signature: {document.signature}"]
    return [line_text(document.title), *map(line_text, document.source), *signature]
