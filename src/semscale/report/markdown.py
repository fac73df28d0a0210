"""Documents as GitHub-flavoured Markdown."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import assert_never
from urllib.parse import quote

from semscale.report import document as blocks
from semscale.report.document import (
    Cell,
    Decision,
    Document,
    Flag,
    Headline,
    Label,
    Level,
    Line,
    Marked,
    Piece,
    Quoted,
    flat,
)
from semscale.report.formatting import (
    MISSING,
    capitalise,
    cell_text,
    clip_text,
    count_of,
    coverage,
    has_interval,
    heading_text,
    line_text,
    one_line,
    percent,
    percents_unbroken,
    printable,
    unbroken,
)

_MOST_NUMBERS = 50  # rows behind a picture; a scatter of a thousand points would bury what follows
_MARKS: dict[Level, str] = {"fail": "❌", "warn": "⚠️", "pass": "✅"}


def write_markdown(document: Document, file: Path, pictures: Mapping[int, PurePath]) -> None:
    """Write a document to a file as Markdown with links to its figures."""
    file.write_text(markdown(document, pictures=pictures), encoding="utf-8", newline="\n")


def markdown(document: Document, *, pictures: Mapping[int, PurePath] | None = None) -> str:
    """Render a document as Markdown.

    Args:
        document: the document; external text is escaped or in a code span, so that it cannot format, link or
            mention users.
        pictures: files of the figures by identity, as ``presenting`` names them. Figures without a file are
            shown as their numbers, without the caption.

    Returns:
        GitHub-flavoured Markdown.
    """
    parts = [*_head(document, pictures or {})]
    for section in document.sections:
        if section.full:
            parts.append(f"## {_line(section.title)}{_verdict(section.level)}")
            for block in flat(section.full):
                parts += _block(block, pictures or {})
    parts += _origin(document)
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdict(verdict: tuple[str, Level | None] | None) -> str:
    """Return what follows the title of a section with a verdict."""
    if verdict is None:
        return ""
    text, level = verdict
    return f"{f' {_MARKS[level]}' if level else ''} {escape_markdown(text)}"


def _head(document: Document, pictures: Mapping[int, PurePath]) -> Iterator[str]:
    mark = f"{_MARKS[document.lead.level]} " if isinstance(document.lead, Decision) else ""
    yield f"# {mark}{_line(document.title)}"
    yield " · ".join(["Semscale " + document.kind, *map(_line, document.source)])
    yield "\n".join(f"> ⚠️ **{_text(warning)}**\n>" for warning in document.sentences("warning")).removesuffix(
        "\n>"
    )
    match document.lead:
        case Headline(name, value, _, interval, advice=advice):
            of = _text(f"({coverage(interval)} interval)") if has_interval(value) else ""
            yield f"**{_text(capitalise(name))}: {_text(cell_text(value))}**{f' {of}' if of else ''}"
            yield _text(advice)
        case blocks.Figure() as figure:
            yield from _block(figure, pictures)
        case Decision(text, _, about):
            yield f"**{_text(capitalise(text))}**: {_line(about)}"
    yield "\n\n".join(map(_line, document.full_introduction))
    yield f"**What to do:** {_text(document.next_step)}" if document.next_step else ""
    yield "\n".join(f"- ⚠️ {_text(caution)}" for caution in document.sentences("caution"))
    yield " · ".join(f"{_text(name)}: {_cell(value)}" for name, value in document.facts)


def _block(  # noqa: C901, PLR0912 - one case for each kind of block
    block: blocks.Block, pictures: Mapping[int, PurePath]
) -> Iterator[str]:
    match block:
        case blocks.Paragraph(text, style):
            yield f"### {_line(text)}" if style == "heading" else _line(text)
        case blocks.DataTable():
            title = block.title or capitalise(block.folded)
            yield f"### {escape_markdown(heading_text(unbroken(title)))}" if title else ""
            yield from _table(block, most=_MOST_NUMBERS if block.folded else None)
        case blocks.Figure(description=description, caption=caption, table=table):
            if (file := pictures.get(id(block))) is not None:
                yield image(description, file)
                yield _text(caption)
            yield from _table(table, most=None if block.shows_table else _MOST_NUMBERS)
        case blocks.Items():
            yield _guards(block.guards)
            yield from (_item(item, block.noun) for item in block.items)
        case blocks.ComparedItems():
            yield _guards(block.guards)
            yield from map(_comparison_item, block.items)
        case blocks.Verbatims(columns):
            for title, texts in columns:
                yield f"### {_text(capitalise(title))}"
                heads = ("Text", "Row", "Mean", "Entropy", "Probabilities")
                yield _rows(heads, (
                    (
                        _cell(item.text), f"{item.row:,}", _cell(item.mean), _cell(item.entropy),
                        _text(item.label),
                    )
                    for item in texts
                ))  # fmt: skip
        case blocks.Findings(items):
            yield "\n".join(f"- {_MARKS[level]} {_line(reason)}" for level, reason in items)
        case blocks.Reasons(reasons, noun):
            yield _rows(("Reason", f"{capitalise(noun)}s", "Share", "Examples"), (
                (
                    f"{_text(item.status)}: {_text(item.meaning)}", f"{item.n:,}", _text(percent(item.share)),
                    "<br>".join(f"{_cell(text)} ({noun} {row:,})" for row, text in item.examples),
                )
                for item in reasons
            ))  # fmt: skip
        case blocks.SideBySide():
            for item in flat([block]):
                yield from _block(item, pictures)
        case _:
            assert_never(block)


def _table(table: blocks.DataTable, *, most: int | None = None) -> Iterator[str]:
    rows = [
        [_cell(cell, is_name=column == 0) for column, cell in enumerate(row)] for row in table.rows[:most]
    ]
    heads = [escape_markdown(heading_text(unbroken(head))) for head in table.columns]
    yield _rows(heads, rows)
    if more := len(table.rows) - len(rows):
        yield f"... and {count_of(more, f'more {table.noun}')}; a page or a workbook has all"
    yield _text(table.note)


def _rows(heads: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    heads = list(heads)
    return "\n".join([table_row(heads), table_row(["---"] * len(heads)), *map(table_row, rows)])


def _guards(guards: Iterable[tuple[str, str, int | None]]) -> str:
    return "\n".join(
        f"- **{_text(guard)}**: {_text(meaning)}{'' if n is None else f' ({n:,})'}"
        for guard, meaning, n in guards
    )


def _item(item: blocks.ItemCard, noun: str) -> str:
    labels = ", ".join([f"{noun} {item.row:,}", *map(_line, item.labels)])
    lines = [f"- **{_cell(item.score)}** ({labels})"]
    lines += [f"  - {_text(name) or 'also'}: {_cell(text)}" for name, text in item.texts]
    lines += [
        f"  - {_cell(item.judge)}: **{_cell(item.score)}** {_text(item.status)} {_cell(item.words)}".rstrip()
        for item in item.replies
    ]
    lines += _findings(item.findings)
    lines += [f"  - {_figures(item.parts)}"] if item.parts else []
    heading, details = item.details
    lines += [f"  - {_text(heading)}: {'; '.join(map(escape_markdown, details))}"] if details else []
    return "\n".join(lines)


def _comparison_item(item: blocks.ComparedItem) -> str:
    labels = ", ".join([code(item.id.text, item.id.limit), *map(_line, item.labels)])
    lines = [f"- {labels}"]
    lines += [f"  - asked: {_cell(item.input)}"] if item.input is not None else []
    for pair in item.pairs:
        for text, name, absent in zip((pair.baseline, pair.candidate), pair.names, pair.absent, strict=True):
            lines.append(f"  - {_text(name)}: {f'*{_text(absent)}*' if text is None else _cell(text)}")
        lines += _findings(pair.findings)
        lines += [f"  - {_figures(pair.figures)}"] if pair.figures else []
    lines += [f"  - and {item.n_more:,} more pairs, which differ less"] if item.n_more else []
    return "\n".join(lines)


def _figures(figures: Iterable[tuple[Line, Cell]]) -> str:
    return ", ".join(f"{_line(name)} {_cell(value)}" for name, value in figures)


def _findings(findings: Iterable[tuple[str, str]]) -> list[str]:
    return [f"  - **{_text(guard)}**: {escape_markdown(reason)}" for guard, reason in findings]


def _origin(document: Document) -> Iterator[str]:
    """Return the collapsed part on how the document was made: hints, settings, citations and signature."""
    parts = ["\n".join(f"- {_text(hint)}" for hint in document.hints)] if document.hints else []
    if document.settings:
        parts.append("\n".join(f"- {_text(name)}: {_setting(value)}" for name, value in document.settings))
    if document.signature is not None:
        cited = [
            f"- {_text(work.authors)} *{_text(work.title)}*. {_text(work.place)}. ({_text(work.use)})"
            for work in document.citations
        ]
        semscale = f"- Semscale, version {document.signature.version} [computer software]. Apache-2.0."
        parts += ["\n".join([*cited, semscale]), f"Signature: {code(str(document.signature))}"]
    if parts:
        yield "<details>\n<summary>How this was made</summary>"
        yield from parts
        yield "</details>"


def _setting(value: Line) -> str:
    return _cell(value) if isinstance(value, Quoted) else _line(value)


def _line(line: Line) -> str:
    return escape_markdown(line_text(unbroken(line)))


def _text(text: str) -> str:
    """Render a phrase of Semscale, with numbers and percent signs on one line."""
    return escape_markdown(percents_unbroken(text))


def _cell(cell: Cell, *, is_name: bool = False) -> str:
    match cell:
        case Quoted(text, limit):
            return code("" if text is None else text, limit)
        case Marked(pieces):
            return "".join(map(_piece, pieces)).strip()
        case Label(text, note):
            shown = _text(capitalise(text) if is_name else text)
            return f"{shown} ({_text(note)})" if note else shown
        case Flag(text, level):
            return f"{_MARKS[level]} {_text(text)}"
        case _:
            return escape_markdown(cell_text(cell))


def _piece(piece: Piece) -> str:
    """Render a part of a text; white space around it stays outside its mark."""
    shown = escape_markdown(piece.text)
    if not shown:
        return " " if piece.text else ""
    before, after = (" " if end.isspace() else "" for end in (piece.text[0], piece.text[-1]))
    return f"{before}{shown if piece.guard is None else f'**{shown}**'}{after}"


_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_BAR = re.compile(r"(?<!\\)\|")
_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_LINKING = re.compile(r"([@#]|https?:|www|ftp:)", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\u00a0]+")  # a no-break space holds what stands beside it on one line
_BREAK = "<!-- -->"  # ends what GitHub would read as a mention or a link, and is no part of what readers copy


def escape_markdown(text: object) -> str:
    r"""Escape a text so that Markdown shows it unchanged on one line.

    Examples:
        >>> escape_markdown("*a*_b_ <c> | d")
        '\\*a\\*\\_b\\_ &lt;c&gt; \\| d'
    """
    return _LINKING.sub(rf"\1{_BREAK}", _escape_formatting(text))


def image(description: str, file: PurePath) -> str:
    r"""Return the Markdown of an image; its description is escaped.

    Args:
        description: text alternative.
        file: path of the image, relative to the folder of the Markdown.

    Examples:
        >>> image("Bars of *a*", PurePath("my report.files/bars.svg"))
        '![Bars of \\*a\\*](my%20report.files/bars.svg)'
    """
    return f"![{_escape_formatting(description)}]({quote(file.as_posix())})"


def code(text: object, limit: int | None = None) -> str:
    """Return a text as a code span, in which nothing is formatted or linked.

    Args:
        text: any text; each run of white space becomes one space.
        limit: number of characters to show; an ellipsis marks a cut.

    Examples:
        >>> code("a `b` c")
        '`` a `b` c ``'
    """
    shown = one_line(text) if limit is None else clip_text(text, limit).shown
    if not shown:
        return MISSING
    longest = max((len(run) for run in re.findall("`+", shown)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return f"{fence}{pad}{shown}{pad}{fence}"


def table_row(cells: Iterable[str]) -> str:
    r"""Return a row of a table; pipes are escaped, even in code spans.

    Examples:
        >>> table_row(["a", "`b|c`"])
        '| a | `b\\|c` |'
    """
    inner = " | ".join(_BAR.sub(r"\\|", cell) for cell in cells)
    return f"| {inner} |"


def _escape_formatting(text: object) -> str:
    shown = _BLANKS.sub(" ", printable(text)).strip()
    return _SPECIAL.sub(r"\\\1", shown.translate(_HTML))
