"""Writes reports to files; the ending of the name chooses the renderer."""

import os
from pathlib import Path

from semscale.errors import InputError
from semscale.report.document.document import Document
from semscale.store.atomic import replacing

ENDINGS = (".html", ".htm", ".md", ".xlsx")
"""Endings that a report can have."""


def check_ending(path: Path, parameter: str = "report") -> None:
    """Check that a report's ending names a renderer.

    Raises:
        InputError: it does not.
    """
    if path.suffix.lower() not in ENDINGS:
        endings = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise InputError(f"{parameter} must end in {endings}, got {path.name!r}")


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
    ending = path.suffix.lower()
    with replacing(path) as temporary:
        if ending == ".xlsx":
            from semscale.report.render.workbook import write_report_workbook

            write_report_workbook(document, temporary)
        else:
            text = _markdown(document, path, figures) if ending == ".md" else _page(document)
            temporary.write_text(text, encoding="utf-8", newline="\n")


def _page(document: Document) -> str:
    from semscale.report.render.html import page

    return page(document)


def _markdown(document: Document, path: Path, figures: Path | None) -> str:
    from semscale.report.render.markdown import markdown

    if figures is None:
        return markdown(document)
    from semscale.report.render.pictures import picture_names

    folder = Path(os.path.relpath(figures, path.parent))
    names = picture_names(document)
    return markdown(document, pictures={key: folder / f"{name}.svg" for key, name in names.items()})
