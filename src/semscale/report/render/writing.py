"""Writes reports to files; the ending of the name chooses the renderer."""

import os
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path, PurePath
from typing import Protocol

from semscale.errors import InputError
from semscale.report.document.document import Document
from semscale.store.atomic import replacing

_WRITERS = {
    ".html": ("semscale.report.render.html", "write_page"),
    ".htm": ("semscale.report.render.html", "write_page"),
    ".md": ("semscale.report.render.markdown", "write_markdown"),
    ".xlsx": ("semscale.report.render.workbook", "write_report_workbook"),
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
    from semscale.report.render.pictures import picture_names

    folder = Path(os.path.relpath(figures, path.parent))
    return {key: folder / f"{name}.svg" for key, name in picture_names(document).items()}
