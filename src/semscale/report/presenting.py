"""Summaries of all instruments as documents, files, pictures, JSON and fragments for notebooks."""

import os
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePath
from typing import Protocol

from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.report.document import Document
from semscale.report.json_encoding import to_json
from semscale.store.atomic import check_folder, check_writable, replacing

_DOCUMENTS = {
    "AgreementSummary": ("semscale.report.consistency", "agreement_document"),
    "ApprovedBaseline": ("semscale.report.drift_history", "approved_document"),
    "AuditSummary": ("semscale.report.judging", "audit_document"),
    "CalibrationSummary": ("semscale.report.calibration", "calibration_document"),
    "CodingSummary": ("semscale.report.coding", "coding_document"),
    "ColumnsSummary": ("semscale.report.preparation", "columns_document"),
    "ConsistencySummary": ("semscale.report.consistency", "consistency_document"),
    "Crosstabs": ("semscale.report.tables", "tables_document"),
    "DriftSummary": ("semscale.report.drift_gate", "drift_document"),
    "EmbeddingSummary": ("semscale.report.preparation", "embedding_document"),
    "EvaluationSummary": ("semscale.report.matching", "evaluation_document"),
    "ForecastSummary": ("semscale.report.preparation", "forecast_document"),
    "GatePlan": ("semscale.report.drift_history", "plan_document"),
    "GroundingSummary": ("semscale.report.consistency", "groundedness_document"),
    "Growth": ("semscale.report.lint", "growth_document"),
    "HistorySummary": ("semscale.report.drift_history", "history_document"),
    "JudgeSummary": ("semscale.report.judging", "judge_document"),
    "LayerCalibration": ("semscale.report.matching", "calibration_document"),
    "LintReport": ("semscale.report.lint", "lint_document"),
    "MatchSummary": ("semscale.report.matching", "match_document"),
    "RatingSummaries": ("semscale.report.rating", "several_texts_document"),
    "RatingSummary": ("semscale.report.rating", "rating_document"),
    "RecordedAnchors": ("semscale.report.drift_history", "anchors_document"),
    "RecordedRun": ("semscale.report.drift_history", "recorded_document"),
    "SelfTest": ("semscale.report.drift_history", "self_test_document"),
    "StudyComparison": ("semscale.report.study_comparison", "study_comparison_document"),
    "StudySummary": ("semscale.report.study", "study_document"),
    "SuggestionSummary": ("semscale.report.coding", "suggestion_document"),
    "SystemComparison": ("semscale.report.judging", "comparison_document"),
    "Validity": ("semscale.report.lint", "validity_document"),
    "Verification": ("semscale.report.drift_history", "verification_document"),
}
"""The function that makes a document of each kind of summary."""


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


def document_of(summary: Presentable) -> Document:
    """Create the document of a summary.

    Raises:
        TypeError: no function makes a document of this kind of summary.
    """
    kind = type(summary).__name__
    if kind not in _DOCUMENTS:
        raise TypeError(f"{kind} has no document: enter the function that makes it in {__name__}")
    module, function = _DOCUMENTS[kind]
    document: Document = getattr(import_module(module), function)(summary)
    return replace(document, cautions=(*summary.input_notes, *document.cautions))


def as_json(summary: Presentable) -> str:
    """Write the numbers of a summary as JSON, with the limits that its document states."""
    document = document_of(summary)
    return to_json(summary, cautions=document.cautions, warnings=document.warnings)


def notebook(document: Document) -> str:
    """Write the fragment of a document that a notebook shows."""
    from semscale.report.html import notebook_fragment

    return str(notebook_fragment(document))


def write(summary: Presentable, path: Path, figures: Path | None) -> None:
    """Write the report of a summary, and its figures if a folder is named for them.

    Raises:
        InputError: an ending that no renderer has, or a file or folder that cannot be written.
    """
    check_ending(path)
    check_writable(path, "report")
    if (folder := picture_folder(path, figures)) is not None:
        check_folder(folder, "figures")
    write_files(document_of(summary), path, figures)


def write_files(document: Document, report: Path | None, figures: Path | None) -> Path | None:
    """Write a report and its figures, as far as they are named; the caller has checked both places.

    Returns:
        The folder with the figures: the one that was named, or the one that Markdown has beside itself.
    """
    folder = picture_folder(report, figures)
    if figures is None and not any(document.figures()):
        folder = None
    if folder is not None:
        save_pictures(document, folder)
    if report is not None:
        write_report(document, report, figures=folder)
    return folder


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


def check_ending(path: Path, parameter: str = "report") -> None:
    """Check that a report's ending names a renderer.

    Raises:
        InputError: it does not.
    """
    if path.suffix.lower() not in _WRITERS:
        *endings, last = _WRITERS
        raise InputError(f"{parameter} must end in {', '.join(endings)} or {last}, got {path.name!r}")


def picture_folder(report: Path | None, figures: Path | None) -> Path | None:
    """Name the folder of a report's pictures: the one chosen, or one beside Markdown, which cannot hold them.

    Examples:
        >>> picture_folder(Path("drift.md"), None).name, picture_folder(Path("drift.html"), None)
        ('drift.files', None)
    """
    if figures is None and report is not None and report.suffix.lower() == ".md":
        return report.with_suffix(".files")
    return figures


def picture_names(document: Document) -> dict[int, str]:
    """Name the files of a document's figures, without their endings, by the identity of each figure.

    Figures that share a name are numbered.
    """
    names: dict[int, str] = {}
    for figure in document.figures():
        name, number = figure.name, 2
        while name in names.values():
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
    from semscale.report.chart_kit import figure_svg, rasterized

    folder.mkdir(parents=True, exist_ok=True)
    names, files = picture_names(document), []
    for figure in document.figures():
        source = figure_svg(figure)
        for ending, content in (("svg", source.encode()), ("png", rasterized(source))):
            file = folder / f"{names[id(figure)]}.{ending}"
            with replacing(file) as temporary:
                temporary.write_bytes(content)
            files.append(file)
    return files


def _linked_pictures(document: Document, path: Path, figures: Path) -> dict[int, PurePath]:
    """Name the files of a document's figures as seen from the folder of its report."""
    folder = Path(os.path.relpath(figures, path.parent))
    return {key: folder / f"{name}.svg" for key, name in picture_names(document).items()}
