"""Output of summaries of all instruments: documents, files, images, JSON and notebook fragments."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path, PurePath
from typing import Protocol

from semscale.errors import InputError
from semscale.extras import require
from semscale.presentable import Presentable
from semscale.report.document import (
    Block,
    DataTable,
    Document,
    Figure,
    Findings,
    Line,
    Notice,
    Paragraph,
    Reasons,
    SideBySide,
    brief_text,
    notices,
)
from semscale.report.formatting import capitalise
from semscale.report.json_encoding import to_json
from semscale.spelling import Spelling, as_option, has_hint, spelled, without_hints
from semscale.store.atomic import check_folder, check_writable, replacing

_DOCUMENTS = {
    "AgreementSummary": ("semscale.report.consistency", "agreement_document"),
    "ApprovedBaseline": ("semscale.report.drift_history", "approval_document"),
    "AuditSummary": ("semscale.report.judging", "audit_document"),
    "BasketTables": ("semscale.report.tables_basket", "basket_document"),
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
    "RecordedRun": ("semscale.report.drift_history", "record_document"),
    "RejectedRun": ("semscale.report.drift_history", "rejection_document"),
    "RunReview": ("semscale.report.drift_review", "review_document"),
    "SelfTest": ("semscale.report.drift_history", "self_test_document"),
    "StudyComparison": ("semscale.report.study_comparison", "study_comparison_document"),
    "StudySummary": ("semscale.report.study", "study_document"),
    "SuggestionSummary": ("semscale.report.coding_suggestions", "suggestion_document"),
    "SystemComparison": ("semscale.report.judging", "comparison_document"),
    "Validity": ("semscale.report.lint", "validity_document"),
    "Verification": ("semscale.report.drift_history", "verification_document"),
}
"""Function that creates the document for each kind of summary."""


_WRITERS = {
    ".html": ("semscale.report.html", "write_page"),
    ".htm": ("semscale.report.html", "write_page"),
    ".md": ("semscale.report.markdown", "write_markdown"),
    ".xlsx": ("semscale.report.workbook", "write_report_workbook"),
    ".pptx": ("semscale.report.document_slides", "write_report_deck"),
}
"""Extensions of reports, each with its ``ReportWriter``."""


SLIDES = ".pptx"
"""Extension of slides."""


class ReportWriter(Protocol):
    """Function of a renderer that writes a document to a file."""

    def __call__(self, document: Document, file: Path, pictures: Mapping[int, PurePath]) -> None:
        """Write a document.

        Args:
            document: the document.
            file: file to write to.
            pictures: image files of the document's figures, by identity of the figure; renderers with inline
                figures ignore them.

        Raises:
            OSError: the file cannot be written.
        """
        ...


def document_of(summary: Presentable, spelling: Spelling = as_option) -> Document:
    """Create the document of a summary.

    Args:
        summary: the summary.
        spelling: how settings are named in the document's sentences.

    Raises:
        TypeError: no function creates a document of this kind of summary.
    """
    kind = type(summary).__name__
    if kind not in _DOCUMENTS:
        raise TypeError(f"{kind} has no document: enter the function that makes it in {__name__}")
    module, function = _DOCUMENTS[kind]
    document: Document = getattr(import_module(module), function)(summary)
    return word_document(document, summary.input_notes, spelling)


def word_document(document: Document, input_notes: Iterable[str], spelling: Spelling = as_option) -> Document:
    """Name settings in a document's sentences, list its hints, and add the notes on its input.

    Args:
        document: the document.
        input_notes: sentences on how the input was read.
        spelling: how settings are named.
    """
    stated = (*notices(cautions=input_notes), *document.notices)
    return _Wording(spelling).document(replace(document, notices=stated))


class _Wording:
    """Settings and hints in the sentences of a document: full renderings leave hints out, brief ones do not.

    Args:
        spelling: how settings are named.
    """

    def __init__(self, spelling: Spelling) -> None:
        self._spelling = spelling
        self._hints: dict[str, None] = {}

    def document(self, document: Document) -> Document:
        """Word the sentences of a document, and list those with hints after the document's own."""
        self._hints |= dict.fromkeys(document.hints)
        step = self._full(document.next_step)
        return replace(
            document,
            next_step=step,
            ending=document.ending and (self._brief(document.ending[0]), document.ending[1]),
            brief_next_step=self._brief(document.next_step),
            notices=tuple(map(self._notice, document.notices)),
            introduction=tuple(map(self._paragraph, document.introduction)),
            lead=self._figure(document.lead) if isinstance(document.lead, Figure) else document.lead,
            sections=tuple(
                replace(section, blocks=tuple(map(self._block, section.blocks)))
                for section in document.sections
            ),
            hints=tuple(self._hints),
        )

    def _full(self, text: str) -> str:
        if has_hint(text):
            self._hints[capitalise(self._brief(text))] = None
        return spelled(without_hints(text), self._spelling)

    def _brief(self, text: str) -> str:
        return spelled(text, self._spelling)

    def _line(self, line: Line, word: Callable[[str], str]) -> Line:
        if isinstance(line, tuple):
            return tuple(word(part) if isinstance(part, str) else part for part in line)
        return word(line) if isinstance(line, str) else line

    def _notice(self, notice: Notice) -> Notice:
        return replace(notice, text=self._full(notice.text), brief=self._brief(notice.text))

    def _paragraph(self, paragraph: Paragraph) -> Paragraph:
        brief = self._line(brief_text(paragraph), self._brief)
        return replace(paragraph, text=self._line(paragraph.text, self._full), brief=brief)

    def _table(self, table: DataTable) -> DataTable:
        return replace(table, note=self._full(table.note))

    def _figure(self, figure: Figure) -> Figure:
        return replace(figure, caption=self._full(figure.caption), table=self._table(figure.table))

    def _block(self, block: Block) -> Block:
        match block:
            case Paragraph():
                block = self._paragraph(block)
            case DataTable():
                block = self._table(block)
            case Figure():
                block = self._figure(block)
            case Findings(items):
                findings = tuple((level, self._line(line, self._full)) for level, line in items)
                block = replace(block, items=findings)
            case Reasons(reasons):
                reasons = tuple(replace(reason, meaning=self._full(reason.meaning)) for reason in reasons)
                block = replace(block, reasons=reasons)
            case SideBySide(columns):
                block = replace(block, columns=tuple(tuple(map(self._block, column)) for column in columns))
        return block


def as_json(summary: Presentable, spelling: Spelling = as_option) -> str:
    """Encode the numbers of a summary as JSON, with the warnings and cautions of its document.

    Args:
        summary: the summary.
        spelling: how settings are named in its sentences.
    """
    return to_json(summary, document_of(summary, spelling))


def notebook(document: Document) -> str:
    """Render the HTML fragment of a document for a notebook."""
    from semscale.report.html import notebook_fragment

    return str(notebook_fragment(document))


def write(summary: Presentable, path: Path, figures: Path | None, template: Path | None = None) -> None:
    """Write the report of a summary, and its figures if a folder is stated.

    Raises:
        InputError: the extension is unknown, or the file or folder cannot be written.
    """
    check_ending(path)
    check_template(template, [path])
    check_writable(path, "report")
    if (folder := picture_folder([path], figures)) is not None:
        check_folder(folder, "figures")
    write_files(document_of(summary), [path], figures, template)


def write_files(
    document: Document, reports: Sequence[Path], figures: Path | None, template: Path | None = None
) -> Path | None:
    """Write reports and their figures to the stated paths, which the caller has checked.

    Returns:
        The folder of the figures: the stated one, or the default folder next to Markdown.
    """
    folder = picture_folder(reports, figures)
    if figures is None and not any(document.figures()):
        folder = None
    if folder is not None:
        save_pictures(document, folder)
    for report in reports:
        write_report(document, report, figures=folder, template=template)
    return folder


def write_report(
    document: Document, path: Path, *, figures: Path | None = None, template: Path | None = None
) -> None:
    """Write a document as a page, Markdown, workbook or slides; a failed write leaves no partial file.

    Args:
        document: the document.
        path: the file.
        figures: folder of the figures' image files, to which Markdown links.
        template: presentation with the layouts, fonts and colours of slides.

    Raises:
        InputError: the extension is unknown.
        OSError: the file cannot be written.
    """
    check_ending(path)
    module, function = _WRITERS[path.suffix.lower()]
    writer = getattr(import_module(module), function)
    write: ReportWriter = writer if template is None else partial(writer, template=template)
    pictures = {} if figures is None else _picture_links(document, path, figures)
    with replacing(path) as temporary:
        write(document, temporary, pictures)


def check_ending(path: Path, parameter: str = "report") -> None:
    """Check that a renderer exists for a report's extension.

    Raises:
        InputError: no renderer exists.
        MissingExtraError: slides need the extra ``slides``.
    """
    if path.suffix.lower() not in _WRITERS:
        *endings, last = _WRITERS
        raise InputError(parameter, f"must end in {', '.join(endings)} or {last}, got {path.name!r}")
    if path.suffix.lower() == SLIDES:
        require("slides")


def check_template(template: Path | None, reports: Iterable[Path | None]) -> None:
    """Check that a template can be used, and that there are slides to use it for.

    Raises:
        InputError: the template is no presentation, none of its layouts has a title, or no report is slides.
        MissingExtraError: slides need the extra ``slides``.
    """
    if template is None:
        return
    if not any(path is not None and path.suffix.lower() == SLIDES for path in reports):
        raise InputError("template", "serves slides alone: name a report that ends in .pptx, or leave it out")
    import_module("semscale.report.slides").check_template(template)


def picture_folder(reports: Iterable[Path], figures: Path | None) -> Path | None:
    """Return the folder of images: the stated one, or for Markdown a folder next to the first such report.

    Examples:
        >>> picture_folder([Path("a.html"), Path("drift.md")], None).name
        'drift.files'
    """
    beside = (report.with_suffix(".files") for report in reports if report.suffix.lower() == ".md")
    return next(beside, None) if figures is None else figures


def picture_names(document: Document) -> dict[int, str]:
    """Return the file names of a document's figures, without extensions, by identity of the figure.

    Figures with the same name are numbered.
    """
    names: dict[int, str] = {}
    for figure in document.figures():
        name, number = figure.name, 2
        while name in names.values():
            name, number = f"{figure.name}-{number}", number + 1
        names[id(figure)] = name
    return names


def save_pictures(document: Document, folder: Path) -> list[Path]:
    """Save each figure of a document as an SVG file and a PNG file.

    Args:
        document: document with the figures.
        folder: folder to write to; created if it does not exist. Existing files are replaced.

    Returns:
        The files, in the order of the figures.

    Raises:
        OSError: a file cannot be written.
    """
    from semscale.report.chart_kit import figure_svg, rasterize

    folder.mkdir(parents=True, exist_ok=True)
    names, files = picture_names(document), []
    for figure in document.figures():
        source = figure_svg(figure)
        for ending, content in (("svg", source.encode()), ("png", rasterize(source))):
            file = folder / f"{names[id(figure)]}.{ending}"
            with replacing(file) as temporary:
                temporary.write_bytes(content)
            files.append(file)
    return files


def _picture_links(document: Document, path: Path, figures: Path) -> dict[int, PurePath]:
    """Return the paths of a document's image files relative to the folder of its report."""
    folder = Path(os.path.relpath(figures, path.parent))
    return {key: folder / f"{name}.svg" for key, name in picture_names(document).items()}
