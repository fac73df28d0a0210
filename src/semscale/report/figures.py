"""What a page shows for one picture: the drawing in two widths, what it says in words, and its numbers."""

from collections.abc import Callable
from dataclasses import dataclass

from markupsafe import Markup

from semscale.report.charts.svg import draw
from semscale.report.charts.theme import Specification

WIDE = 860
NARROW = 348


@dataclass(frozen=True)
class Table:
    """Numbers behind a picture, ready to read and copy.

    Attributes:
        columns: headings; the first column names the row.
        rows: one tuple of shown values a row, as long as ``columns``.
        note: what the table leaves out, if anything.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


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
        wide: the drawing for desktops and paper.
        narrow: the drawing for telephones; ``None`` where the wide one serves for both.
        description: the figures in words, which is also the drawing's ``aria-label``.
        table: the numbers, shown beneath.
        caption: one or two sentences on how to read the picture.
        legend: colours, where the drawing itself does not name them.
    """

    wide: Markup
    narrow: Markup | None
    description: str
    table: Table
    caption: str = ""
    legend: tuple[Swatch, ...] = ()

    @classmethod
    def drawn(
        cls,
        chart: Callable[[int], Specification],
        description: str,
        table: Table,
        *,
        caption: str = "",
        legend: tuple[Swatch, ...] = (),
    ) -> "Figure":
        """Draw a chart for both widths; ``chart`` takes the width in pixels."""
        wide, narrow = draw(chart(WIDE), description), draw(chart(NARROW), description)
        return cls(wide, narrow, description, table, caption, legend)

    @classmethod
    def once(
        cls,
        chart: Specification,
        description: str,
        table: Table,
        *,
        caption: str = "",
        legend: tuple[Swatch, ...] = (),
    ) -> "Figure":
        """Draw a chart that is small enough for every screen, or that scrolls sideways on a narrow one."""
        return cls(draw(chart, description), None, description, table, caption, legend)
