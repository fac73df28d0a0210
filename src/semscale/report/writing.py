"""Reports and pictures as files; the ending of a report's name chooses its renderer."""

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path, PurePath
from typing import Protocol

import numpy as np

from semscale.errors import InputError
from semscale.report.chart_kit import rasterized
from semscale.report.document import Document, Figure, Histogram, ScoreGroup
from semscale.report.formatting import ends, number
from semscale.report.row_charts import HistogramRow, bin_counts, bin_edges, histograms
from semscale.store.atomic import replacing
from semscale.types import Floats

_WRITERS = {
    ".html": ("semscale.report.html", "write_page"),
    ".htm": ("semscale.report.html", "write_page"),
    ".md": ("semscale.report.markdown", "write_markdown"),
    ".xlsx": ("semscale.report.workbook", "write_report_workbook"),
}
"""Every ending that a report can have, with the ``ReportWriter`` that writes it."""


class ReportWriter(Protocol):
    """The function of a renderer that writes a document to a file."""

    def __call__(self, document: Document, file: Path, pictures: Mapping[int, PurePath]) -> None:
        """Write a document.

        Args:
            document: what to show.
            file: where to.
            pictures: the document's figures that lie as files beside the report, by the identity of each
                figure; a renderer that draws figures into its file leaves them aside.

        Raises:
            OSError: the file cannot be written.
        """
        ...


def check_ending(path: Path, parameter: str = "report") -> None:
    """Check that a report's ending names a renderer.

    Raises:
        InputError: it does not.
    """
    if path.suffix.lower() not in _WRITERS:
        *others, last = _WRITERS
        raise InputError(f"{parameter} must end in {', '.join(others)} or {last}, got {path.name!r}")


def picture_folder(report: Path | None, figures: Path | None) -> Path | None:
    """Name the folder of a report's pictures: the one chosen, or one beside Markdown, which cannot hold them.

    Example:
        >>> picture_folder(Path("drift.md"), None).name, picture_folder(Path("drift.html"), None)
        ('drift.files', None)
    """
    if figures is None and report is not None and report.suffix.lower() == ".md":
        return report.with_suffix(".files")
    return figures


def write_report(document: Document, path: Path, *, figures: Path | None = None) -> None:
    """Write a document as a page, as Markdown or as a workbook, whole or not at all.

    Args:
        document: what to show.
        path: the file.
        figures: folder where the document's figures lie as files; Markdown links to them.

    Raises:
        InputError: another ending.
        OSError: the file cannot be written.
    """
    check_ending(path)
    module, function = _WRITERS[path.suffix.lower()]
    write: ReportWriter = getattr(import_module(module), function)
    pictures = {} if figures is None else _linked_pictures(document, path, figures)
    with replacing(path) as temporary:
        write(document, temporary, pictures)


def _linked_pictures(document: Document, path: Path, figures: Path) -> dict[int, PurePath]:
    """Name the files of a document's figures as seen from the folder of its report."""
    from semscale.report.writing import picture_names

    folder = Path(os.path.relpath(figures, path.parent))
    return {key: folder / f"{name}.svg" for key, name in picture_names(document).items()}


WIDE = 860
"""Pixels of a drawing for desktops and paper."""
NARROW = 348
"""Pixels of a drawing for telephones."""


def picture_names(document: Document) -> dict[int, str]:
    """Name the files of a document's figures, without their endings, by the identity of each figure.

    Figures that share a name are numbered.
    """
    names: dict[int, str] = {}
    for _, figure in document.figures():
        taken, name = set(names.values()), figure.name
        number = 2
        while name in taken:
            name, number = f"{figure.name}-{number}", number + 1
        names[id(figure)] = name
    return names


def save_pictures(document: Document, folder: Path) -> list[Path]:
    """Save each figure of a document as an SVG and as a PNG file.

    Args:
        document: with the figures.
        folder: is made where it does not exist; files of the same names are replaced.

    Returns:
        The files, in the order of the figures.

    Raises:
        OSError: a file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    names, files = picture_names(document), []
    for _, figure in document.figures():
        source = figure_svg(figure)
        for ending, content in (("svg", source.encode()), ("png", rasterized(source))):
            file = folder / f"{names[id(figure)]}.{ending}"
            with replacing(file) as temporary:
                temporary.write_bytes(content)
            files.append(file)
    return files


def figure_svg(figure: Figure | Histogram) -> str:
    """Draw a figure as an SVG document, with its legend."""
    drawn = as_figure(figure)
    return drawn.chart(WIDE).document(drawn.description, drawn.legend, is_crisp=drawn.style == "heat")


_BINS = 20


def as_figure(histogram: Figure | Histogram) -> Figure:
    """Lay a histogram out as a figure, without groups that have no score; a figure stays as it is."""
    if isinstance(histogram, Figure):
        return histogram
    groups = [group for group in histogram.groups if len(group.scores)]
    edges = bin_edges(np.concatenate([group.scores for group in groups]), histogram.bounds, bins=_BINS)
    rows = [_row(group, edges) for group in groups]
    described = "; ".join(f"{row.name}: mean {number(row.mean)}" for row in rows)
    return Figure(
        name=histogram.name,
        chart=lambda width: histograms(rows, edges, title=histogram.axis, width=width),
        description=f"Histograms of {histogram.axis}. {described}.",
        table=histogram.table,
        caption=histogram.caption,
    )


def _row(group: ScoreGroup, edges: Floats) -> HistogramRow:
    shares = bin_counts(group.scores, edges) / len(group.scores)
    low, high = ends(group.low, group.high)
    return HistogramRow(group.name, shares, group.mean, low, high, group.colour)
