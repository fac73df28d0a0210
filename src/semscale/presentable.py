"""Summaries that show themselves: as a document, a report, JSON, and in a notebook.

This is the one place where a lower layer reaches up to ``report``. It does so by name and when asked, so that
a summary can be made without anything that draws.
"""

from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semscale.report.document.document import Document


class Presentable:
    """What every summary of an instrument can do beside holding numbers."""

    source: str

    def __repr__(self) -> str:
        return f"{type(self).__name__}(source={self.source!r})"

    def record(self) -> dict[str, Any]:
        """Lay the numbers out by name, for JSON: estimates, counts, texts and lists of these."""
        raise TypeError(f"{type(self).__name__} has no record")

    def document(self) -> "Document":
        """Turn the summary into a document, which any renderer can show."""
        document: Document = _presenting().document_of(self)
        return document

    def report(self, path: str | PathLike[str], *, figures: str | PathLike[str] | None = None) -> None:
        """Write a report.

        Args:
            path: a file that ends in ``.html``, ``.md`` or ``.xlsx``.
            figures: folder to save the figures in, as SVG and PNG.

        Raises:
            InputError: another ending, or a path that cannot be written.
        """
        _presenting().write(self.document(), Path(path), None if figures is None else Path(figures))

    def to_json(self) -> str:
        """Write the numbers as a JSON object; what does not exist is null."""
        text: str = _presenting().as_json(self)
        return text

    def _repr_html_(self) -> str:
        """Show a notebook the headline, a small table and the first picture."""
        shown: str = _presenting().notebook(self.document())
        return shown


def _presenting() -> Any:  # noqa: ANN401 - a module
    return import_module("semscale.report.presenting")
