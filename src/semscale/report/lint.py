"""Documents of scales: the linter's report on one or many, the library's list, one scale with its anchors."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from semscale.report.chart_kit import correlation_colour, mass_heads, point_names, scale_digits, sequential
from semscale.report.document import (
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Decision,
    Document,
    Figure,
    Findings,
    Flag,
    Label,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Subheading,
)
from semscale.report.formatting import LONGEST, count, counted, listed, number, one_line, plain
from semscale.report.parts import Columns, signature_fields, table_of
from semscale.report.plane_charts import MatrixCell, matrix
from semscale.report.sentences import language_name
from semscale.scales.library import MEASURED_WITH, sets_that_rate
from semscale.types import Floats
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.rating.lint import LintFinding, LintReport, SetLint
    from semscale.scales import Scale


VERDICTS = {"pass": "passes", "warn": "passes with warnings", "fail": "fails"}
"""What a scale does, for each verdict of the linter."""

SSR = Citation(
    "Maier, B. F., Aslak, U., Fiaschi, L., Rismal, N., Fletcher, K., Luhmann, C. C., Dow, R., Pappas, K., & "
    "Wiecki, T. V. (2025).",
    "LLMs reproduce human purchase intent via semantic similarity elicitation of Likert ratings",
    "arXiv:2510.08338",
    "the rating method",
    "https://arxiv.org/abs/2510.08338",
)

DRAWN_PROBES = 40

_DARKEST_SHARE = 0.4

_LEADS = {"pass": "passes", "warn": "warns", "fail": "fails"}


def lint_document(report: "LintReport") -> Document:
    """Turn the linter's findings about a scale into a document."""
    scale = report.scale
    rating = sets_that_rate(scale)
    sentences = (
        verdict_sentence(report),
        *([] if rating is None else [_use_in_its_language(scale, rating)]),
    )
    return Document(
        kind="lint report",
        name="Lint",
        title=Quoted(scale.title),
        source=(Quoted(scale.name), f"content {scale.content_hash}"),
        signature=report.signature,
        lead=Decision(_LEADS[report.verdict], report.verdict, "the linter’s verdict on this scale"),
        counting=sentences,
        reading=sentences,
        facts=_facts(report),
        sections=(_lint_overview([report]), *_translation(scale, rating), *_sections(report)),
        notes=_without_probes([report]),
        settings=signature_fields(report.signature),
        citations=(SSR,),
    )


def lint_overview(reports: "Sequence[LintReport]") -> Document:
    """Turn the linter's findings about many scales into a document for the screen."""
    verdicts = Counter(report.verdict for report in reports)
    tallies = [f"{count(n)} {verdict}" for verdict, n in verdicts.items()]
    return Document(
        kind="lint report",
        name="Lint",
        title="Scales",
        source=(counted(len(reports), "scale"),),
        signature=None,
        counting=(listed(tallies),),
        sections=(_lint_overview(reports),),
        notes=_without_probes(reports),
    )


def library_document(scales: "Sequence[Scale]") -> Document:
    """List scales, each with its points and the anchor sets that serve the default model."""
    columns: Columns[Scale] = (
        ("scale", lambda scale: Quoted(scale.name)),
        ("points", lambda scale: Count(scale.n_points)),
        ("from", lambda scale: Quoted(scale.labels[0])),
        ("to", lambda scale: Quoted(scale.labels[-1])),
        ("sets", lambda scale: Count(len(scale.anchor_sets))),
        ("hash", lambda scale: Label(scale.content_hash)),
    )
    served = [scale.for_model(DEFAULT_RATING_MODEL) for scale in scales]
    return Document(
        kind="list of scales",
        name="Scales",
        title="Scales that ship with Semscale",
        source=(counted(len(scales), "scale"), f"sets and hashes for {DEFAULT_RATING_MODEL}"),
        signature=None,
        sections=(Section("scales", "", (table_of(served, columns),)),),
    )


def scale_document(scale: "Scale") -> Document:
    """Show a scale: its points, the anchors of each set in full, where they come from, what to know."""
    notes = [Paragraph(one_line(scale.notes), detail="brief")] if scale.notes else []
    return Document(
        kind="scale",
        name=one_line(scale.title),
        title=Quoted(scale.title),
        source=(f"{one_line(scale.name)}, {one_line(scale.language)}, hash {scale.content_hash}",),
        signature=None,
        counting=(("Question: ", Quoted(scale.question)),),
        sections=(
            *(
                Section(f"set-{position}", Quoted(name), (_scale_anchors(scale, name, anchors),))
                for position, (name, anchors) in enumerate(scale.anchor_sets.items(), start=1)
            ),
            *_serving(scale),
            Section("about", "", (Paragraph(one_line(scale.provenance), detail="brief"), *notes)),
        ),
    )


def _lint_overview(reports: "Sequence[LintReport]") -> Section:
    unmet = finding_table(reports)
    return Section("overview", "", (verdict_table(reports), *([unmet] if unmet.rows else [])))


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
    if joint := [finding for finding in report.worst_first if finding.anchor_set is None]:
        yield Section("together", "All sets together", (findings(joint),))
    how = (
        "Neighbouring anchors should differ, the ends most of all; each point must win mass from some probe; "
        "the spread is how far the highest probes stand above the lowest, as a share of the scale."
    )
    yield Section("sets", "Set by set", (Paragraph(how, "note"), sets_table(report)))
    if ladder := ladder_figure(report):
        yield Section("ladder", "The ladder of probes", (ladder,))
    names = [entry.name for entry in report.sets]
    caption = "Pearson r of the means that two sets give to the probes."
    if agreement := correlations_figure(names, report.agreement, caption):
        yield Section("agreement", "Do the anchor sets agree?", (agreement,))
    for position, entry in enumerate(report.sets, start=1):
        blocks = (findings(entry.findings), cosine_figure(entry, scale), anchor_table(entry, scale))
        level = (VERDICTS[entry.verdict], entry.verdict)
        yield Section(f"set-{position}", Quoted(entry.name), blocks, level)
    notes: list[Block] = [Subheading("Notes"), Paragraph(Quoted(scale.notes, LONGEST))] if scale.notes else []
    provenance = (Subheading("Provenance"), Paragraph(Quoted(scale.provenance, LONGEST)))
    yield Section("scale", "About the scale", (*notes, *provenance))


def verdict_sentence(report: "LintReport") -> str:
    """Say what the verdict means, and which anchor sets cause it."""
    if report.verdict == "pass":
        return "Every criterion is met with this embedding model."
    blamed = [one_line(entry.name) for entry in report.sets if entry.verdict == report.verdict]
    sets = f"{'set' if len(blamed) == 1 else 'sets'} {listed(blamed)}"
    if report.verdict == "warn":
        which = f" on {sets}" if blamed else ""
        return f"It can be used with this embedding model, with reservations{which}."
    return f"It cannot be relied upon with this embedding model{f', because of {sets}' if blamed else ''}."


def findings(unmet: "Sequence[LintFinding]", *, with_sets: bool = False) -> Findings | Paragraph:
    """List the criteria that are not met, with their anchor sets where no heading names these."""
    if not unmet:
        return Paragraph("Every criterion is met.", "note")
    leads = [f"{finding.anchor_set or 'all sets'}: " if with_sets else "" for finding in unmet]
    return Findings(
        tuple(
            (finding.verdict, one_line(f"{lead}{finding.reason}"))
            for lead, finding in zip(leads, unmet, strict=True)
        )
    )


def lint_warning(lint: "LintReport") -> str | None:
    """Say in one line what the linter found; ``None`` for a plain pass.

    Example:
        >>> from types import SimpleNamespace
        >>> reasons = ("fail: x: too alike", "warn: y: z")
        >>> lint_warning(SimpleNamespace(verdict="fail", reasons=reasons))
        'This scale fails (fail: x: too alike; and 1 more: semscale scales lint)'
        >>> lint_warning(SimpleNamespace(verdict="pass", reasons=("every criterion is met",)))
    """
    if lint.verdict == "pass":
        return None
    first, more = lint.reasons[0], len(lint.reasons) - 1
    others = f"; and {more:,} more: semscale scales lint" if more else ""
    return f"This scale {VERDICTS[lint.verdict]} ({one_line(first)}{others})"


def verdict_table(reports: "Sequence[LintReport]") -> DataTable:
    """List each scale's verdict with what it rests on, for the screen."""
    columns: Columns[LintReport] = (
        ("scale", lambda report: Quoted(report.scale.name)),
        ("verdict", lambda report: Flag(report.verdict, report.verdict)),
        ("sets", lambda report: Count(len(report.sets))),
        ("probes", n_probes),
        ("order", lambda report: Number(report.ladder.spearman)),
        ("spread", lambda report: Number(report.ladder.spread)),
        ("reliability", lambda report: Number(report.reliability)),
    )
    return table_of(reports, columns, detail="brief")


def finding_table(reports: "Sequence[LintReport]") -> DataTable:
    """List what each scale does not meet, the worst first, for the screen."""
    rows = tuple(
        (
            Quoted(report.scale.name),
            Flag(finding.verdict, finding.verdict),
            Quoted(finding.anchor_set) if finding.anchor_set else Label("all sets"),
            Label(one_line(finding.reason)),
        )
        for report in reports
        for finding in report.worst_first
    )
    heads = ("scale", "", "set", "finding")
    return DataTable(heads, rows, title="Findings", most=len(rows), detail="brief")


def translation_table(scale: "Scale", rating: Sequence[str]) -> DataTable:
    """List the anchors of a translated scale, and which sets rate texts in its language, for the screen."""
    rows = tuple(
        (
            Quoted(name) if row == 0 else Label(""),
            Label(("yes" if name in rating else "no") if row == 0 else ""),
            Quoted(point),
            Quoted(anchor),
        )
        for name, anchors in scale.anchor_sets.items()
        for row, (point, anchor) in enumerate(zip(point_names(scale), anchors, strict=True))
    )
    heads = ("set", "rates", "point", "anchor")
    title = f"{language_name(scale.language)} anchors, translated by a machine"
    return DataTable(heads, rows, title=title, most=len(rows), detail="brief")


def n_probes(report: "LintReport") -> Cell:
    """Count the scale's own probes; say so where it has none."""
    return Count(len(report.probes)) if report.scale.probes else Label("none of its own")


def cosine_figure(entry: "SetLint", scale: "Scale") -> Figure:
    """Draw the cosines between a set's anchors; on a good set they fall with the distance between points."""
    names, values = point_names(scale), [plain(value) for value in scale.values]
    cosines = entry.cosines.tolist()
    cells = [[MatrixCell(sequential(max(r, 0.0) ** 2), number(r)) for r in row] for row in cosines]
    near = f"Neighbours {number(entry.neighbours.min())} to {number(entry.neighbours.max())}"
    return Figure(
        "cosines",
        lambda width: matrix(cells, names, values, width=width),
        f"Cosines between the anchors of set {one_line(entry.name)}. {near}; ends {number(entry.ends)}.",
        DataTable(("point", *values), _numbered(names, cosines), detail="full"),
        caption=f"{near}, ends {number(entry.ends)}. Away from the diagonal the colour should fade.",
    )


def anchor_table(entry: "SetLint", scale: "Scale") -> DataTable:
    """List a set's anchors with the mean that the set gives to each of them, and to the other sets'."""
    digits = scale_digits(scale)
    columns = (point_names(scale), entry.own_scores.tolist(), entry.other_scores.tolist(), entry.anchors)
    rows = tuple(
        (Quoted(name), Number(itself, digits), Number(other, digits), Quoted(anchor))
        for name, itself, other, anchor in zip(*columns, strict=True)
    )
    return DataTable(
        ("point", "scores itself", "scores the others", "anchor"),
        rows,
        title="Anchors, and the mean this set gives to each of its own and to those of the other sets",
        explained=True,
        detail="full",
    )


def ladder_figure(report: "LintReport") -> Figure | None:
    """Draw how all sets together rate the probes, from low to high; ``None`` without probes."""
    n_probes, digits = len(report.probes), scale_digits(report.scale)
    if n_probes == 0:
        return None
    values = [plain(value) for value in report.scale.values]
    drawn = np.unique(np.linspace(0, n_probes - 1, min(n_probes, DRAWN_PROBES)).round().astype(int))
    pmf = report.ladder.pmf[drawn]
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    names = [one_line(report.probes[row]) for row in drawn]
    cells = [[MatrixCell(sequential(p / darkest), number(100 * p, 0)) for p in row] for row in pmf]
    part = (
        "" if len(drawn) == n_probes else f" {count(len(drawn))} of {counted(n_probes, 'probe')} are drawn."
    )
    lowest, highest = (
        number(float(end), digits) for end in (report.ladder.means.min(), report.ladder.means.max())
    )
    return Figure(
        "ladder",
        lambda width: matrix(cells, names, values, width=width),
        f"PMFs of {count(len(drawn))} probes, from low to high. Means run from {lowest} to {highest}.",
        _ladder_table(report, digits),
        caption=f"{_order(report)}{part}",
    )


def sets_table(report: "LintReport") -> DataTable:
    """List the measurements of each set that its verdict rests on."""
    columns: Columns[SetLint] = (
        ("set", lambda entry: Quoted(entry.name)),
        ("verdict", lambda entry: Flag(entry.verdict, entry.verdict)),
        ("neighbours, at most", lambda entry: Number(float(entry.neighbours.max()))),
        ("ends", lambda entry: Number(entry.ends)),
        ("peak mass, at least", lambda entry: Share(float(entry.ladder.peak_mass.min()))),
        ("spread", lambda entry: Share(entry.ladder.spread)),
        ("rank r", lambda entry: Number(entry.ladder.spearman)),
    )
    return table_of(report.sets, columns, detail="full")


def correlations_figure(names: Sequence[str], agreement: Floats, caption: str) -> Figure | None:
    """Draw Pearson's r between anchor sets; ``None`` where none is defined.

    Args:
        names: of s sets.
        agreement: shape (s, s), NaN where it is not defined.
        caption: what else to say of it.
    """
    pairs = agreement[np.triu_indices(len(names), 1)]
    known = pairs[np.isfinite(pairs)]
    if known.size == 0:
        return None
    lowest, highest, mean = (number(float(r)) for r in (known.min(), known.max(), known.mean()))
    spread = f"Between two sets r runs from {lowest} to {highest}, mean {mean}."
    cells = [[MatrixCell(correlation_colour(r), number(r)) for r in row] for row in agreement.tolist()]
    return Figure(
        "agreement-of-sets",
        lambda width: matrix(cells, names, names, width=width),
        f"Matrix of Pearson correlations between anchor sets. {spread}",
        DataTable(("set", *map(Quoted, names)), _numbered(names, agreement.tolist()), detail="full"),
        caption=f"{spread} {caption}",
        style="matrix",
    )


def _numbered(names: Sequence[str], numbers: Sequence[Sequence[float]]) -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = [
        (Quoted(name), *map(Number, row)) for name, row in zip(names, numbers, strict=True)
    ]
    return tuple(rows)


def _order(report: "LintReport") -> str:
    if np.isnan(report.levels).any():
        return (
            "One row a probe, mass on each point in percent. The scale has no probes of its own, so these "
            "are the library's, whose levels mean nothing here; every point should win mass from some."
        )
    return (
        "One row a probe, from the lowest to the highest; mass on each point in percent. "
        "The strong colours should step from the left to the right."
    )


def _ladder_table(report: "LintReport", digits: int) -> DataTable:
    ladder = report.ladder
    columns = (report.probes, report.levels.tolist(), ladder.means.tolist(), ladder.pmf.tolist())
    rows: list[tuple[Cell, ...]] = [
        (Quoted(probe, 120), Number(level, digits), Number(mean, digits), *map(Share, pmf))
        for probe, level, mean, pmf in zip(*columns, strict=True)
    ]
    return DataTable(("probe", "level", "mean", *mass_heads(report.scale)), tuple(rows), detail="full")


def _serving(scale: "Scale") -> Iterator[Section]:
    """Say which sets serve which model, where the scale does."""
    if scale.sets_by_model:
        rows = tuple(
            (Quoted(model), Quoted(listed(list(names))), Label(scale.for_model(model).content_hash))
            for model, names in scale.sets_by_model.items()
        )
        other = scale.for_model(DEFAULT_RATING_MODEL)
        sets = "all sets" if other is scale else f"those of {DEFAULT_RATING_MODEL}"
        others = (Label("any other"), Label(sets), Label(other.content_hash))
        table = DataTable(("model", "sets", "hash"), (*rows, others), title="Sets that serve a model")
        yield Section("models", "", (table,))


def _scale_anchors(scale: "Scale", name: str, anchors: Sequence[str]) -> DataTable:
    rows = tuple(
        (Label(plain(point.value)), Label(one_line(point.label)), Label(one_line(anchor)))
        for point, anchor in zip(scale.points, anchors, strict=True)
    )
    return DataTable(("value", "label", "anchor"), rows, title=Quoted(name))
