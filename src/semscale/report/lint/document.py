"""The document of a linted scale, and that of many scales."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from semscale.report.document import (
    Block,
    Cell,
    Count,
    Decision,
    Document,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Subheading,
)
from semscale.report.formatting import LONGEST, count, counted, listed, one_line
from semscale.report.lint.figures import (
    anchor_table,
    correlations_figure,
    cosine_figure,
    finding_table,
    ladder_figure,
    n_probes,
    sets_table,
    translation_table,
    verdict_table,
)
from semscale.report.lint.words import SSR, VERDICTS, findings, reading
from semscale.report.parts import signature_fields
from semscale.report.sentences import language_name
from semscale.scales.library import MEASURED_WITH, sets_that_rate

if TYPE_CHECKING:
    from semscale.rating.lint import LintReport
    from semscale.scales import Scale

_LEADS = {"pass": "passes", "warn": "warns", "fail": "fails"}


def lint_document(report: "LintReport") -> Document:
    """Turn the linter's findings about a scale into a document."""
    scale = report.scale
    rating = sets_that_rate(scale)
    said = (reading(report), *([] if rating is None else [_use_in_its_language(scale, rating)]))
    return Document(
        kind="lint report",
        name="Lint",
        title=Quoted(scale.title),
        source=(Quoted(scale.name), f"content {scale.content_hash}"),
        signature=report.signature,
        lead=Decision(_LEADS[report.verdict], report.verdict, "the linter’s verdict on this scale"),
        counting=said,
        reading=said,
        facts=_facts(report),
        sections=(_overview([report]), *_translation(scale, rating), *_sections(report)),
        notes=_without_probes([report]),
        settings=signature_fields(report.signature),
        citations=(SSR,),
    )


def lint_overview(reports: "Sequence[LintReport]") -> Document:
    """Turn the linter's findings about many scales into a document for the screen."""
    verdicts = Counter(report.verdict for report in reports)
    said = [f"{count(n)} {verdict}" for verdict, n in verdicts.items()]
    return Document(
        kind="lint report",
        name="Lint",
        title="Scales",
        source=(counted(len(reports), "scale"),),
        signature=None,
        counting=(listed(said),),
        sections=(_overview(reports),),
        notes=_without_probes(reports),
    )


def _overview(reports: "Sequence[LintReport]") -> Section:
    found = finding_table(reports)
    return Section("overview", "", (verdict_table(reports), *([found] if found.rows else [])))


def _use_in_its_language(scale: "Scale", rating: Sequence[str]) -> str:
    """Say with which sets a translation rates texts in its language."""
    texts = f"{language_name(scale.language)} texts"
    if not rating:
        return f"rate does not use it: it does not rate {texts} as the English scale rates English ones."
    return f"With {MEASURED_WITH}, rate --language auto rates {texts} with its sets {listed(list(rating))}."


def _translation(scale: "Scale", rating: Sequence[str] | None) -> Iterator[Section]:
    if rating is not None:
        yield Section("translation", "", (translation_table(scale, rating),))


def _without_probes(reports: "Sequence[LintReport]") -> tuple[str, ...]:
    return tuple(
        f"{one_line(report.scale.name)} has no probes of its own and was tried on "
        f"{counted(len(report.probes), 'probe')} of the library"
        for report in reports
        if not report.scale.probes
    )


def _facts(report: "LintReport") -> tuple[tuple[str, Cell], ...]:
    return (
        ("Points", Count(report.scale.n_points)),
        ("Anchor sets", Count(len(report.sets))),
        ("Probes", n_probes(report)),
        ("Rank r with levels", Number(report.ladder.spearman)),
        ("Spread of the ends", Share(report.ladder.spread)),
        ("Reliability (alpha)", Number(report.reliability)),
    )


def _sections(report: "LintReport") -> Iterator[Section]:
    scale = report.scale
    if together := [one for one in report.worst_first if one.anchor_set is None]:
        yield Section("together", "All sets together", (findings(together),))
    how = (
        "Neighbouring anchors should differ, the ends most of all; each point must win mass from some probe; "
        "the spread is how far the highest probes stand above the lowest, as a share of the scale."
    )
    yield Section("sets", "Set by set", (Paragraph(how, "note"), sets_table(report)))
    if ladder := ladder_figure(report):
        yield Section("ladder", "The ladder of probes", (ladder,))
    names = [one.name for one in report.sets]
    caption = "Pearson r of the means that two sets give to the probes."
    if agreement := correlations_figure(names, report.agreement, caption):
        yield Section("agreement", "Do the anchor sets agree?", (agreement,))
    for place, one in enumerate(report.sets, start=1):
        blocks = (findings(one.findings), cosine_figure(one, scale), anchor_table(one, scale))
        level = (VERDICTS[one.verdict], one.verdict)
        yield Section(f"set-{place}", Quoted(one.name), blocks, level)
    notes: list[Block] = [Subheading("Notes"), Paragraph(Quoted(scale.notes, LONGEST))] if scale.notes else []
    provenance = (Subheading("Provenance"), Paragraph(Quoted(scale.provenance, LONGEST)))
    yield Section("scale", "About the scale", (*notes, *provenance))
