"""Blocks that are drawn: pictures, histograms and parts of a whole."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from semscale.report.document.tables import DataTable
from semscale.report.document.values import Detail
from semscale.types import Floats


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
class Shares:
    """Parts of a whole as one bar.

    Attributes:
        parts: name, colour and share of each; shares sum to 1.
    """

    parts: tuple[tuple[str, str, float], ...]
