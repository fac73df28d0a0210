"""Summaries that show themselves: as a document, a report, JSON, and in a notebook.

Only here does a lower layer reach up to ``report``. It imports it by name when a method is called, so that
making a summary never loads what draws.
"""

from abc import ABC, abstractmethod
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from semscale.report.document import Document


class Presentable(ABC):
    """A summary that can show its numbers as a document, a report or JSON.

    Attributes:
        input_notes: sentences on how its table was read, which its document has among the cautions.
    """

    input_notes: tuple[str, ...] = ()

    @abstractmethod
    def __repr__(self) -> str:
        """Name the summary in one short line, such as ``MatchSummary(source='a.csv', n=8)``."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Give the numbers by name, for JSON: estimates, counts, texts and lists of these."""

    def document(self) -> "Document":
        """Make a document of the summary, which any renderer can show."""
        document: Document = _presenting().document_of(self)
        return document

    def report(self, path: str | PathLike[str], *, figures: str | PathLike[str] | None = None) -> None:
        """Write a report; both places are checked before any work is done.

        Args:
            path: a file that ends in ``.html``, ``.md`` or ``.xlsx``.
            figures: folder to save the figures in, as SVG and PNG; it is made where it does not exist.

        Raises:
            InputError: another ending, or a file or folder that cannot be written.
        """
        _presenting().write(self, Path(path), None if figures is None else Path(figures))

    def to_json(self) -> str:
        """Write the numbers and their cautions as a JSON object; what does not exist is null."""
        text: str = _presenting().as_json(self)
        return text

    def _repr_html_(self) -> str:
        """Show a notebook the headline, a small table and the first picture."""
        shown: str = _presenting().notebook(self.document())
        return shown


def _presenting() -> Any:  # noqa: ANN401 - a module
    return import_module("semscale.report.presenting")
