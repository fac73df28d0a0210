"""Presentation of a summary: as a document, a report, JSON, and in a notebook.

This is the only module that uses ``report``, a layer above it. It imports that package by name when a
method is called, so that creating a summary loads no code for figures.
"""

from abc import ABC, abstractmethod
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from semscale.spelling import notes_from

if TYPE_CHECKING:
    from semscale.report.document import Document


class Presentable(ABC):
    """A summary that can show its numbers as a document, a report or JSON.

    Attributes:
        input_notes: sentences on how the table was read; the document shows them among the cautions.
    """

    input_notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        # Summaries are frozen.
        object.__setattr__(self, "input_notes", notes_from(self.input_notes))

    @abstractmethod
    def __repr__(self) -> str:
        """Name the summary in one short line, such as ``MatchSummary(source='a.csv', n=8)``."""

    @abstractmethod
    def record(self) -> dict[str, Any]:
        """Return the numbers by name, for JSON: estimates, counts, texts, and lists of these."""

    def document(self) -> "Document":
        """Return the summary as a document, which any renderer can show.

        The function that builds it is in ``semscale.report``; ``_DOCUMENTS`` in ``report/presenting.py``
        names it by the class of the summary.
        """
        document: Document = _presenting().document_of(self)
        return document

    def report(
        self,
        path: str | PathLike[str],
        *,
        figures: str | PathLike[str] | None = None,
        template: str | PathLike[str] | None = None,
    ) -> None:
        """Write a report; both paths are checked before any work is done.

        Args:
            path: a file that ends in ``.html``, ``.md``, ``.xlsx`` or ``.pptx`` (extra ``slides``).
            figures: folder for the figures as SVG and PNG; created if it does not exist.
            template: PowerPoint file with the layouts, fonts and colours of slides.

        Raises:
            InputError: the ending is another one, the file or folder cannot be written, or the template
                cannot be used.
            MissingExtraError: slides need the extra ``slides``.
        """
        folder, layout = (None if part is None else Path(part) for part in (figures, template))
        _presenting().write(self, Path(path), folder, layout)

    def to_json(self) -> str:
        """Return the numbers and their cautions as a JSON object; missing numbers are null."""
        text: str = _presenting().as_json(self)
        return text

    def _repr_html_(self) -> str:
        """Return HTML for a notebook: the headline, a small table and the first figure."""
        shown: str = _presenting().notebook(self.document())
        return shown


def _presenting() -> Any:
    return import_module("semscale.report.presenting")
