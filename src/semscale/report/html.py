"""Documents as HTML: one self-contained page without scripts and network access."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from importlib import resources
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from semscale.report.chart_kit import NARROW, WIDE, deepened
from semscale.report.document import (
    Block,
    Cell,
    Compared,
    DataTable,
    Document,
    Figure,
    Flag,
    Label,
    Line,
    Marked,
    Quoted,
    WithInterval,
)
from semscale.report.formatting import (
    capitalise,
    cell_text,
    clip_text,
    coverage,
    has_interval,
    heading_text,
    is_wordy,
    line_text,
    number,
    percent,
    percents_unbroken,
    plain,
    printable,
    unbroken,
)
from semscale.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

_FEWEST_LISTED = 5  # sections of a page with a list of contents
_LONGEST_ID = 24  # characters that fit a line of a phone
_MOST_OPEN = 5  # compared items before those that are folded
_NAMED = re.compile(r"‘[^’]{1,24}’")
_NUMBERED = re.compile(r"\b[A-Za-z]\w*(?:-\w+)*-\d+\b")  # an ID, such as item-18
_BREAKS, _PARTS = re.compile("[-/]"), re.compile("[^/]*/”?|[^/]+")  # a closing quote stays with its name


def page(document: Document) -> str:
    """Render a document as a page.

    Args:
        document: the document; all external text is escaped.

    Returns:
        A complete HTML document that needs no network and runs no script.
    """
    template = template_environment().get_template("document.html.j2")
    return template.render(document=document, version=__version__)


def write_page(document: Document, file: Path, _pictures: Mapping[int, PurePath]) -> None:
    """Write a document to a file as a page with inline figures."""
    file.write_text(page(document), encoding="utf-8", newline="\n")


def notebook_fragment(document: Document) -> Markup:
    """Render the headline, the facts and the first figure of a document for a notebook cell."""
    first = next(document.figures(), None)
    picture = None if first is None else drawings(first)[0]
    return Markup(
        template_environment().get_template("notebook.html.j2").render(document=document, picture=picture)
    )


def block_html(block: Block) -> Markup:
    """Render a block as HTML with the macro named after its kind."""
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", type(block).__name__).lower()
    return Markup(getattr(_blocks(), name)(block))  # the macros have escaped it


def cell_html(cell: Cell, *, is_name: bool = False) -> Markup:  # noqa: PLR0911 - one case for each kind
    """Render a cell as HTML.

    Args:
        cell: the cell.
        is_name: true if the cell names its row; phrases of Semscale then start with a capital.
    """
    match cell:
        case Label(text, note):
            shown = line_html(capitalise(text) if is_name else text)
            return Markup("{}<small>{}</small>").format(shown, line_html(note)) if note else shown
        case Quoted(text, limit):
            return quote_html("" if text is None else text, limit)
        case WithInterval(note=note) if note and not has_interval(cell):
            value = cell_text(replace(cell, note=""))
            return Markup('{}<small class="why">{}</small>').format(value, line_html(note))
        case Compared():
            return comparison_html(cell)
        case Flag(text, level):
            return Markup('<b class="flag {}">{}</b>').format(level, line_html(text))
        case Marked():
            return marks_html(cell)
        case _:
            return escape(printable(cell_text(cell)))


def line_html(line: Line) -> Markup:
    """Render a line as HTML; users' texts are isolated, as they may run from right to left.

    A name without spaces, such as a model's, is preferably broken after slashes.
    """
    match line:
        case str():
            shown = escape(printable(_NAMED.sub(_hold_together, percents_unbroken(line))))
            return Markup(_NUMBERED.sub(_hold_id, shown))
        case Quoted():
            return Markup("<bdi>{}</bdi>").format(_unbroken(line_text(line)))
        case _:
            return Markup("").join(_quotes_held(line))


def _hold_together(name: re.Match[str]) -> str:
    """Keep a short name, such as that of a code, on one line."""
    return name.group().replace(" ", "\u00a0")


def _hold_id(id_: re.Match[str]) -> str:
    """Keep an ID that is not long on one line."""
    name = id_.group()
    return f'<span class="id">{name}</span>' if len(name) <= _LONGEST_ID else name


def next_step_html(document: Document) -> Markup:
    """Render the next step of a document; its parts that are about a section lead there."""
    step = line_html(document.next_step)
    for part, section in document.next_links:
        shown = line_html(part)
        step = step.replace(shown, Markup('<a href="#{}">{}</a>').format(section, shown), 1)
    return step


def _quotes_held(line: tuple[Line, ...]) -> Iterator[str]:
    """Render the parts of a line; quotation marks stay attached to a breakable name."""
    parts = list(line)
    for index in range(1, len(parts) - 1):
        before, name, after = parts[index - 1 : index + 2]
        if not (isinstance(before, str) and isinstance(after, str) and isinstance(name, Quoted)):
            continue
        held = _unbroken(f"“{line_text(name)}”")
        if before.endswith("“") and after.startswith("”") and isinstance(held, Markup):
            parts[index - 1 : index + 2] = before[:-1], Markup("<bdi>{}</bdi>").format(held), after[1:]
    for part in parts:
        yield part if isinstance(part, Markup) else line_html(part)


def _unbroken(name: str) -> str | Markup:
    """Prevent breaks at hyphens in names; a text stays unchanged."""
    if any(character.isspace() for character in name) or not _BREAKS.search(name):
        return name
    parts = [Markup('<span class="name">{}</span>').format(part) for part in _PARTS.findall(name)]
    return Markup("").join(parts)


def quote_html(text: object, limit: int) -> Markup:
    """Render a user's text; the cut part can be expanded."""
    shown, full = clip_text(text, limit)
    if full is None:
        return escape(shown)
    folded = '{}<details class="more"><summary>full text</summary><p>{}</p></details>'
    return Markup(folded).format(shown, full)


def crosstab_cell_html(cell: Cell) -> Markup:
    """Render a cell of a crosstab as HTML; an interval is below its figure."""
    if isinstance(cell, WithInterval) and has_interval(cell):
        return comparison_html(Compared(cell))
    return cell_html(cell)


def comparison_html(cell: Compared) -> Markup:
    """Render a figure of a crosstab with its mark at the right and its interval below."""
    shown = escape(printable(cell_text(replace(cell, mark=""))))
    kind = "mark p" if cell.mark.startswith("(") else "mark"  # p-values have a line of their own
    mark = Markup(' <b class="{}">{}</b>').format(kind, printable(cell.mark)) if cell.mark else ""
    if not has_interval(cell.figure):
        return Markup("{}{}").format(shown, mark)
    ends = (
        cell_text(Compared(replace(cell.figure, value=end))) for end in (cell.figure.low, cell.figure.high)
    )
    interval = Markup('<small class="interval">{}</small>').format(printable(" to ".join(ends)))
    return Markup("{}{}{}").format(shown, mark, interval)


def marks_html(marked: Marked) -> Markup:
    """Render a text with its marks."""
    pieces = [
        escape(printable(piece.text))
        if piece.guard is None
        else Markup('<mark class="{}">{}</mark>').format(piece.guard, printable(piece.text))
        for piece in marked.pieces
    ]
    return Markup("").join(pieces)


def drawings(figure: Figure) -> tuple[Markup, Markup | None]:
    """Draw a figure for wide and for narrow screens; the latter is ``None`` if one drawing serves both."""
    wide = figure.chart(WIDE).inline(figure.description)
    return wide, None if figure.is_narrow else figure.chart(NARROW).inline(figure.description)


@cache
def template_environment() -> "Environment":
    """Return the environment of all templates, with the filters that render cells and lines."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_source),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_printable,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "cell": cell_html, "crosstab_cell": crosstab_cell_html, "line": line_html,
        "plain_line": lambda line: line_text(unbroken(line)),
        "next_step": next_step_html,
        "heading": lambda head: heading_text(unbroken(head)), "drawings": drawings,
        "capitalised": capitalise, "has_interval": has_interval, "percent": percent, "plain": plain,
        "coverage": lambda interval: percents_unbroken(coverage(interval)), "number": number,
        "position": _position, "deepened": deepened,
    }  # fmt: skip
    environment.globals |= {
        "block_html": block_html,
        "fewest_listed": _FEWEST_LISTED,
        "most_open": _MOST_OPEN,
        "wordy_columns": _wordy_columns,
        "kind_of": lambda value: type(value).__name__,
    }
    return environment


@cache
def _blocks() -> Any:
    return template_environment().get_template("blocks.html.j2").module


def _wordy_columns(table: DataTable) -> list[bool]:
    """Return true for each column of texts, except for the first, which names the rows."""
    return [index > 0 and is_wordy(table.rows, index) for index in range(len(table.columns))]


def _position(value: float, bounds: tuple[float, float]) -> float:
    """Return the position of a value between two bounds, in percent."""
    low, high = bounds
    return round(100 * (value - low) / (high - low), 2)


def _printable(value: object) -> object:
    """Replace invisible characters in a template's value; markup contains none."""
    return value if isinstance(value, Markup) else printable(value)


def _source(name: str) -> str | None:
    file = resources.files("semscale.report").joinpath("templates", name)
    return file.read_text(encoding="utf-8") if file.is_file() else None
