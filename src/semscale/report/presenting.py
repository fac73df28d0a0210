"""Turns the summary of any instrument into a document, files, JSON or a notebook's fragment."""

from dataclasses import replace
from importlib import import_module
from pathlib import Path

from semscale.presentable import Presentable
from semscale.report.document import Document
from semscale.report.json_encoding import to_json
from semscale.store.atomic import check_folder, check_writable

_DOCUMENTS = {
    "AgreementSummary": ("semscale.report.consistency", "agreement_document"),
    "AnchorsSummary": ("semscale.report.drift_runs", "anchors_document"),
    "ApprovedBaseline": ("semscale.report.drift_runs", "approved_document"),
    "AskedMatrix": ("semscale.report.drift_runs", "asked_document"),
    "AuditSummary": ("semscale.report.judging", "audit_document"),
    "CalibrationSummary": ("semscale.report.calibration", "calibration_document"),
    "ColumnsSummary": ("semscale.report.columns", "columns_document"),
    "CodingSummary": ("semscale.report.coding", "coding_document"),
    "ConsistencySummary": ("semscale.report.consistency", "consistency_document"),
    "Crosstabs": ("semscale.report.tables", "tables_document"),
    "DriftSummary": ("semscale.report.drift", "drift_document"),
    "EmbeddingSummary": ("semscale.report.preparation", "embedding_document"),
    "EvaluationSummary": ("semscale.report.matching.submission", "evaluation_document"),
    "ForecastSummary": ("semscale.report.preparation", "forecast_document"),
    "GatePlan": ("semscale.report.drift_runs", "plan_document"),
    "GroundingSummary": ("semscale.report.consistency", "groundedness_document"),
    "HistorySummary": ("semscale.report.drift_runs", "history_document"),
    "JudgeSummary": ("semscale.report.judging", "judge_document"),
    "LayerCalibration": ("semscale.report.matching.layers", "calibration_document"),
    "LintReport": ("semscale.report.lint", "lint_document"),
    "MatchSummary": ("semscale.report.matching.document", "match_document"),
    "MatrixSummary": ("semscale.report.drift_runs", "matrix_document"),
    "RatingSummaries": ("semscale.report.rating", "several_texts_document"),
    "RatingSummary": ("semscale.report.rating", "rating_document"),
    "RecordedRun": ("semscale.report.drift_runs", "recorded_document"),
    "SelfTest": ("semscale.report.drift_runs", "self_test_document"),
    "StudyComparison": ("semscale.report.study_comparison", "study_comparison_document"),
    "StudySummary": ("semscale.report.study", "study_document"),
    "SuggestionSummary": ("semscale.report.coding", "suggestion_document"),
    "SystemComparison": ("semscale.report.judging", "comparison_document"),
    "Trends": ("semscale.report.drift_runs", "trend_document"),
    "Verification": ("semscale.report.drift_runs", "verification_document"),
}
"""The function that makes a document of each kind of summary."""


def document_of(summary: Presentable) -> Document:
    """Make the document of a summary.

    Raises:
        TypeError: no function makes a document of this kind of summary.
    """
    kind = type(summary).__name__
    if kind not in _DOCUMENTS:
        raise TypeError(f"{kind} has no document: enter the function that makes it in {__name__}")
    module, function = _DOCUMENTS[kind]
    document: Document = getattr(import_module(module), function)(summary)
    return replace(document, cautions=(*summary.input_notes, *document.cautions))


def write(summary: Presentable, path: Path, figures: Path | None) -> None:
    """Write the report of a summary, and its figures if a folder is named for them.

    Raises:
        InputError: an ending that no renderer has, or a file or folder that cannot be written.
    """
    from semscale.report.writing import check_ending, picture_folder

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
    from semscale.report.writing import picture_folder, write_report

    folder = picture_folder(report, figures)
    if figures is None and not any(document.figures()):
        folder = None
    if folder is not None:
        from semscale.report.writing import save_pictures

        save_pictures(document, folder)
    if report is not None:
        write_report(document, report, figures=folder)
    return folder


def as_json(summary: Presentable) -> str:
    """Write the numbers of a summary as JSON, with the limits that its document states."""
    document = document_of(summary)
    return to_json(summary, cautions=document.cautions, warnings=document.warnings)


def notebook(document: Document) -> str:
    """Write what a notebook shows of a document."""
    from semscale.report.html import notebook_fragment

    return str(notebook_fragment(document))
