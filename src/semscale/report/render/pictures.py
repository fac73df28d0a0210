"""Saves figures as SVG and PNG files."""

from pathlib import Path

from semscale.report.charts.standalone import standalone_svg
from semscale.report.charts.svg import rasterized
from semscale.report.document.blocks import Figure, Histogram
from semscale.report.document.document import Document
from semscale.report.render.histograms import as_figure
from semscale.store.atomic import replacing

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
    is_crisp = drawn.style == "heat"
    return standalone_svg(drawn.chart(WIDE), drawn.description, drawn.legend, is_crisp=is_crisp)
