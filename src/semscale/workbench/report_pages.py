"""Reports on pages: what was found and the main figure, then its limits, then all other sections."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from semscale.report.document import Document, Figure, Line, Paragraph, Section


@dataclass(frozen=True)
class ReportPage:
    """A report in the order in which a page shows it.

    Attributes:
        document: the report.
        finding: the main result, in a sentence.
        first: the section that begins with the main figure, up to its notes; ``None`` if the report has a
            lead, which is shown instead.
        further: sentences of the introduction that the page shows with the limits.
        sections: the sections after the limits.
    """

    document: Document
    finding: Line
    first: Section | None
    further: tuple[Line, ...]
    sections: tuple[Section, ...]


def report_page(document: Document) -> ReportPage:
    """Put the parts of a report in the order of a page.

    Args:
        document: the report, with at least one section and one sentence of introduction.
    """
    introduction = document.full_introduction
    sections = tuple(section for section in document.sections if section.full)
    if document.lead is not None:
        return ReportPage(document, introduction[0], None, introduction[1:], sections)
    first, *others = sections
    blocks, n = first.full, _main_blocks(first)
    parts = first.title if isinstance(first.title, tuple) else (first.title,)
    title = ("Details of “", *parts, "”")
    details = replace(first, name=f"{first.name}-details", title=title, blocks=blocks[n:])
    shown = replace(first, blocks=blocks[:n])
    rest = (details, *others) if details.blocks else tuple(others)
    if shown.findings:
        return ReportPage(document, f"{shown.findings[0]}.", shown, introduction, rest)
    return ReportPage(document, introduction[0], shown, introduction[1:], rest)


def split_sections(
    sections: Iterable[Section], results: Collection[str]
) -> tuple[list[Section], list[Section]]:
    """Return the sections with results, and those with details, which a page folds.

    Args:
        sections: sections of a report.
        results: names of sections with results; the second of a kind has an ending, such as ``groups-2``.
    """
    shown = [section for section in sections if section.full]
    is_result = [section.name.partition("-")[0] in results for section in shown]
    return (
        [section for section, first in zip(shown, is_result, strict=True) if first],
        [section for section, first in zip(shown, is_result, strict=True) if not first],
    )


def _main_blocks(section: Section) -> int:
    """Return the number of blocks up to the first figure and the notes on it; all without a figure."""
    blocks = section.full
    n = next((index for index, block in enumerate(blocks, start=1) if isinstance(block, Figure)), len(blocks))
    while n < len(blocks) and isinstance(blocks[n], Paragraph):
        n += 1
    return n
