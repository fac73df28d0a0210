"""Documents of scales: linter reports on one or many scales, the list of scales, and one scale in full."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from semscale.report import parts
from semscale.report.chart_kit import correlation_colour, mass_heads, point_names, scale_digits, sequential
from semscale.report.document import (
    Citation,
    DataTable,
    Decision,
    Document,
    Figure,
    Findings,
    Flag,
    Level,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Value,
    estimate_cell,
    notices,
)
from semscale.report.figures import matrix_chart, matrix_table
from semscale.report.formatting import LONGEST, count, count_of, join_list, number, one_line, plain
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.sentences import language_name
from semscale.scales.library import MEASURED_WITH, sets_that_rate
from semscale.spelling import hint
from semscale.types import Floats
from semscale.weights.known import DEFAULT_RATING_MODEL

if TYPE_CHECKING:
    from semscale.rating.expected import ExpectedCorrelation
    from semscale.rating.growing import Growth
    from semscale.rating.lint import DiscriminantCheck, LintFinding, LintReport, SetLint
    from semscale.rating.validity import Validity
    from semscale.scales import Scale

VERDICTS = {"pass": "passes", "warn": "passes with warnings", "fail": "fails"}
"""Predicate of a scale for each verdict of the linter."""

SSR = Citation(
    "Maier, B. F., Aslak, U., Fiaschi, L., Rismal, N., Fletcher, K., Luhmann, C. C., Dow, R., Pappas, K., & "
    "Wiecki, T. V. (2025).",
    "LLMs reproduce human purchase intent via semantic similarity elicitation of Likert ratings",
    "arXiv:2510.08338",
    "the rating method",
    "https://arxiv.org/abs/2510.08338",
)
_CRITERIA = (
    "Neighbouring anchors should differ, and the two ends most of all. Peak mass is the greatest share of a "
    "probe’s mass that a point gets: a point with little peak mass is hardly ever the answer. Spread is the "
    "distance between the highest and the lowest probes, as a share of the scale."
)
_LEADS = {"pass": "passes", "warn": "warns", "fail": "fails"}
_DRAWN_PROBES = 40
_DARKEST_SHARE = 0.4


# The linter's reports


def lint_document(report: "LintReport") -> Document:
    """Turn the linter's findings about a scale into a document."""
    scale, rating = report.scale, sets_that_rate(report.scale)
    return Document(
        kind="lint report",
        name="Lint",
        title=Quoted(scale.title),
        source=(Quoted(scale.name), f"content {scale.content_hash}"),
        lead=Decision(_LEADS[report.verdict], report.verdict, "the linter’s verdict on this scale"),
        introduction=tuple(
            Paragraph(sentence, detail="both")
            for sentence in without_none(verdict_sentence(report), _translation_sentence(scale, rating))
        ),
        notices=notices(
            warnings=discriminant_warnings(report.discriminant, "probes"),
            notes=_without_probes([report]),
        ),
        facts=parts.facts(
            ("Points", scale.n_points),
            ("Anchor sets", len(report.sets)),
            ("Probes", _n_probes(report)),
            ("Rank r with levels", report.ladder.spearman),
            ("Spread of the ends", Share(report.ladder.spread)),
            ("Reliability (alpha)", report.reliability),
        ),
        sections=without_none(*_sections(report, rating)),
        settings=parts.signature_fields(report.signature),
        citations=(SSR,),
        signature=report.signature,
    )


def lint_overview(reports: "Sequence[LintReport]") -> Document:
    """Turn the linter's findings about many scales into a document for the screen."""
    verdicts = Counter(report.verdict for report in reports)
    outcomes = join_list([f"{count(n)} {verdict}" for verdict, n in verdicts.items()])
    return Document(
        kind="lint report",
        name="Lint",
        title="Scales",
        source=(count_of(len(reports), "scale"),),
        introduction=(Paragraph(outcomes, detail="both"),),
        notices=notices(notes=_without_probes(reports)),
        sections=without_none(section("overview", "", _verdict_table(reports), finding_table(reports))),
    )


def _sections(report: "LintReport", rating: Sequence[str] | None) -> Iterator[Section | None]:
    scale = report.scale
    yield section("overview", "", _verdict_table([report]), finding_table([report]))
    yield section("translation", "", None if rating is None else _translation_table(scale, rating))
    if joint := [finding for finding in report.worst_first if finding.anchor_set is None]:
        yield section("together", "All sets together", findings(joint, scale))
    yield section("sets", "Set by set", _CRITERIA, _sets_table(report))
    yield section("ladder", "The ladder of probes", _ladder_figure(report))
    names = tuple(entry.name for entry in report.sets)
    caption = "Pearson r of the means that two sets give to the probes."
    agreement = correlations_figure(names, report.agreement, caption)
    yield section("agreement", "Do the anchor sets agree?", agreement)
    for position, entry in enumerate(report.sets, start=1):
        blocks = (findings(entry.findings, scale), _cosine_figure(entry, scale), _anchor_table(entry, scale))
        level = (VERDICTS[entry.verdict], entry.verdict)
        yield Section(f"set-{position}", Quoted(entry.name), blocks, level)
    yield section(
        "scale",
        "About the scale",
        *((Paragraph("Notes", "heading"), Paragraph(Quoted(scale.notes, LONGEST))) if scale.notes else ()),
        Paragraph("Provenance", "heading"),
        Paragraph(Quoted(scale.provenance, LONGEST)),
    )


def verdict_sentence(report: "LintReport") -> str:
    """State the meaning of the verdict, or the expected correlation, and that no change is advised if so."""
    is_without_advice = report.findings and not any(finding.advice for finding in report.findings)
    unadvised = (
        " No change is advised: in trials, changes after such findings hardly raised agreement with people."
    )
    return _meaning(report) + (unadvised if is_without_advice else "")


def _meaning(report: "LintReport") -> str:
    if report.expected is not None:
        stated = f"the expected correlation with people is {correlation_with_range(report.expected)}"
        if report.expected.is_doubtful:
            return f"It cannot be relied upon for these texts: their ratings hardly differ, and {stated}."
        return f"For these texts {stated}."
    if report.verdict == "pass":
        return "Every criterion is met with this embedding model."
    blamed = [one_line(entry.name) for entry in report.sets if entry.verdict == report.verdict]
    sets = f", on {'set' if len(blamed) == 1 else 'sets'} {join_list(blamed)}" if blamed else ""
    missed = "clearly missed" if report.verdict == "fail" else "not met"
    return (
        f"Criteria are {missed} with this embedding model{sets}. This hardly shows whether the scale "
        "measures its construct; ratings of your own texts do" + hint(" (`file`, `text`)") + "."
    )


def correlation_with_range(expected: "ExpectedCorrelation", meaning: str = "") -> str:
    """Format an expected correlation with its interval, and with what its values mean, if that is given."""
    value, low, high = (number(end) for end in (expected.value, expected.low, expected.high))
    return f"{value} ({low} to {high}; {meaning})" if meaning else f"{value} ({low} to {high})"


def _translation_sentence(scale: "Scale", rating: Sequence[str] | None) -> str | None:
    """State the sets with which a translation rates texts in its language; ``None`` for other scales."""
    if rating is None:
        return None
    texts = f"{language_name(scale.language)} texts"
    if not rating:
        return f"rate does not use it: it does not rate {texts} as the English scale rates English ones."
    return (
        f"With {MEASURED_WITH}, {texts} are rated with its sets {join_list(list(rating))}"
        + hint(" (semscale rate `language='auto'`)")
        + "."
    )


def lint_warning(lint: "LintReport") -> str | None:
    """State the worst finding of a scale that misses criteria clearly; ``None`` for other verdicts.

    Examples:
        >>> from types import SimpleNamespace
        >>> reasons = ("fail: x: too alike", "warn: y: z")
        >>> from semscale.spelling import with_hints
        >>> print(with_hints(lint_warning(SimpleNamespace(verdict="fail", reasons=reasons))))
        This scale fails the linter (fail: x: too alike; and 1 more: semscale scales lint)
        >>> lint_warning(SimpleNamespace(verdict="warn", reasons=("warn: y: z",)))
    """
    if lint.verdict != "fail":
        return None
    first, more = lint.reasons[0], len(lint.reasons) - 1
    others = f"; and {more:,} more" + hint(": semscale scales lint") if more else ""
    return f"This scale fails the linter ({one_line(first)}{others})"


def _without_probes(reports: "Sequence[LintReport]") -> tuple[str, ...]:
    return tuple(
        f"{one_line(report.scale.name)} has no probes of its own and was tested on "
        f"{count_of(len(report.probes), 'probe')} of the library"
        for report in reports
        if not report.scale.probes
    )


def _n_probes(report: "LintReport") -> Value:
    return len(report.probes) if report.scale.probes else "none of its own"


def findings(
    unmet: "Sequence[LintFinding]", scale: "Scale | None" = None, *, with_sets: bool = False
) -> Findings | Paragraph:
    """Return the criteria that are not met.

    Args:
        unmet: the findings.
        scale: names the sentences that a finding is about.
        with_sets: true to start each finding with its anchor set, if no heading names it.
    """
    if not unmet:
        return Paragraph("Every criterion is met.", "note")
    items: list[tuple[Level, Line]] = []
    for finding in unmet:
        lead = f"{finding.anchor_set or 'all sets'}: " if with_sets else ""
        about = [] if scale is None else sentences_of(scale, finding)
        quoted = [part for sentence in about for part in (", ", "“", Quoted(sentence), "”")][1:]
        ending = (" (", *quoted, ")") if quoted else ()
        items.append((finding.verdict, (one_line(f"{lead}{finding}"), *ending)))
    return Findings(tuple(items))


def sentences_of(scale: "Scale", finding: "LintFinding") -> list[str]:
    """Return the anchors of the points that a finding of one set names, or both ends of a set."""
    if finding.anchor_set is None:
        return []
    anchors = scale.anchor_sets[finding.anchor_set]
    if finding.criterion == "ends":
        return [anchors[0], anchors[-1]]
    named = zip(scale.labels, anchors, strict=True)
    return [anchor for label, anchor in named if repr(label) in finding.reason]


def _verdict_table(reports: "Sequence[LintReport]") -> DataTable:
    columns: Columns[LintReport] = (
        ("scale", lambda report: Quoted(report.scale.name)),
        ("verdict", lambda report: Flag(report.verdict, report.verdict)),
        ("sets", lambda report: len(report.sets)),
        ("probes", _n_probes),
        ("order", lambda report: report.ladder.spearman),
        ("spread", lambda report: report.ladder.spread),
        ("reliability", lambda report: report.reliability),
    )
    return table_of(reports, columns, detail="brief")


def finding_table(reports: "Sequence[LintReport]") -> DataTable:
    """List the criteria that each scale does not meet, the worst first, for the screen."""
    unmet = [(report, finding) for report in reports for finding in report.worst_first]
    columns: Columns[tuple[LintReport, LintFinding]] = (
        ("scale", lambda row: Quoted(row[0].scale.name)),
        ("", lambda row: Flag(row[1].verdict, row[1].verdict)),
        ("set", lambda row: Quoted(row[1].anchor_set) if row[1].anchor_set else "all sets"),
        ("finding", lambda row: one_line(str(row[1]))),
        ("sentences", lambda row: Quoted(" / ".join(sentences_of(row[0].scale, row[1])), wraps=True)),
    )
    return table_of(unmet, columns, title="Findings", most=len(unmet), detail="brief")


def _translation_table(scale: "Scale", rating: Sequence[str]) -> DataTable:
    """List the anchors of a translated scale, and the sets that rate texts in its language."""
    rows: list[tuple[Value, ...]] = []
    for name, anchors in scale.anchor_sets.items():
        points = [(Quoted(point), Quoted(a)) for point, a in zip(point_names(scale), anchors, strict=True)]
        rows.append((Quoted(name), "yes" if name in rating else "no", *points[0]))
        rows += [("", "", *point) for point in points[1:]]
    title = f"{language_name(scale.language)} anchors, translated by a machine"
    return table(("set", "rates", "point", "anchor"), rows, title=title, most=len(rows), detail="brief")


def _sets_table(report: "LintReport") -> DataTable:
    """Build the table of the measurements behind each set's verdict."""
    columns: Columns[SetLint] = (
        ("set", lambda entry: Quoted(entry.name)),
        ("verdict", lambda entry: Flag(entry.verdict, entry.verdict)),
        ("neighbours, at most", lambda entry: float(entry.neighbours.max())),
        ("ends", lambda entry: entry.ends),
        ("peak mass, at least", lambda entry: Share(float(entry.ladder.peak_mass.min()))),
        ("spread", lambda entry: Share(entry.ladder.spread)),
        ("rank r", lambda entry: entry.ladder.spearman),
    )
    return table_of(report.sets, columns, detail="full")


def _ladder_figure(report: "LintReport") -> Figure | None:
    """Draw the ratings of the probes by all sets together, from low to high; ``None`` without probes."""
    n_probes, digits, ladder = len(report.probes), scale_digits(report.scale), report.ladder
    if n_probes == 0:
        return None
    drawn = np.unique(np.linspace(0, n_probes - 1, min(n_probes, _DRAWN_PROBES)).round().astype(int))
    pmf = ladder.pmf[drawn]
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    order = (
        "One row per probe, from the lowest to the highest; mass on each point in percent. "
        "The strong colours should move from left to right."
    )
    if np.isnan(report.levels).any():
        order = (
            "One row per probe, mass on each point in percent. The scale has no probes of its own, so these "
            "are the library's, so their levels have no meaning here; every point should get mass from "
            "some probe."
        )
    part = (
        f" {count(len(drawn))} of {count_of(n_probes, 'probe')} are drawn." if len(drawn) < n_probes else ""
    )
    lowest, highest = (number(float(end), digits) for end in (ladder.means.min(), ladder.means.max()))
    columns = (report.probes, report.levels.tolist(), ladder.means.tolist(), ladder.pmf.tolist())
    rows: Iterator[tuple[Value, ...]] = (
        (Quoted(probe, 120), Number(level, digits), Number(mean, digits), *map(Share, masses))
        for probe, level, mean, masses in zip(*columns, strict=True)
    )
    return Figure(
        "ladder",
        matrix_chart(
            [one_line(report.probes[row]) for row in drawn],
            list(map(plain, report.scale.values)),
            pmf.tolist(),
            lambda mass: sequential(mass / darkest),
            lambda mass: number(100 * mass, 0),
        ),
        f"PMFs of {count(len(drawn))} probes, from low to high. Means run from {lowest} to {highest}.",
        table(("probe", "level", "mean", *mass_heads(report.scale)), rows, detail="full"),
        caption=f"{order}{part}",
        style="matrix",
    )


def correlations_figure(names: Sequence[str], agreement: Floats, caption: str) -> Figure | None:
    """Draw Pearson's r between anchor sets; ``None`` if none is defined.

    Args:
        names: names of s sets.
        agreement: shape (s, s), NaN if undefined.
        caption: caption after the range of r.
    """
    pairs = agreement[np.triu_indices(len(names), 1)]
    known = pairs[np.isfinite(pairs)]
    if known.size == 0:
        return None
    lowest, highest, mean = (number(float(r)) for r in (known.min(), known.max(), known.mean()))
    spread = f"Anchor sets correlate (r) by {lowest} to {highest}, on average by {mean}."
    return Figure(
        "agreement-of-sets",
        matrix_chart(names, names, agreement.tolist(), correlation_colour),
        f"Matrix of Pearson correlations between anchor sets. {spread}",
        matrix_table("set", names, names, agreement.tolist()),
        caption=f"{spread} {caption}",
        style="matrix",
    )


def _cosine_figure(entry: "SetLint", scale: "Scale") -> Figure:
    """Draw the cosines between a set's anchors; on a good set they fall with the distance between points."""
    lowest, highest = number(entry.neighbours.min()), number(entry.neighbours.max())
    near, ends = f"Neighbours {lowest} to {highest}", number(entry.ends)
    names, points, cosines = point_names(scale), list(map(plain, scale.values)), entry.cosines.tolist()
    return Figure(
        "cosines",
        matrix_chart(names, points, cosines, lambda cosine: sequential(max(cosine, 0.0) ** 2)),
        f"Cosines between the anchors of set {one_line(entry.name)}. {near}; ends {ends}.",
        matrix_table("point", names, points, cosines),
        caption=f"{near}, ends {ends}. The colour should fade with distance from the diagonal.",
        style="matrix",
    )


def _anchor_table(entry: "SetLint", scale: "Scale") -> DataTable:
    """Build the table of a set's anchors with the set's mean for each of them and for those of other sets."""
    digits = scale_digits(scale)
    columns = (point_names(scale), entry.own_scores.tolist(), entry.other_scores.tolist(), entry.anchors)
    rows = (
        (Quoted(name), Number(itself, digits), Number(other, digits), Quoted(anchor))
        for name, itself, other, anchor in zip(*columns, strict=True)
    )
    return table(
        ("point", "scores itself", "scores the others", "anchor"),
        rows,
        title="Anchors, and the mean this set gives to each of its own and to those of the other sets",
        explained=True,
        detail="full",
    )


# Sets that were proposed, and a scale beside people


def growth_document(growth: "Growth") -> Document:
    """Build the document of proposed anchor sets for review, with the linter's findings."""
    scale = growth.scale
    to_review = f"{count_of(len(growth.sets), 'set')} to review: remove those that no respondent would write."
    return Document(
        kind="proposed anchor sets",
        name="Grow",
        title=("Anchor sets proposed for ", Quoted(scale.title)),
        source=(Quoted(scale.name), one_line(growth.source)),
        introduction=(Paragraph(to_review, detail="both"),),
        notices=notices(cautions=(f"left out: {one_line(reason)}" for reason in growth.left_out)),
        sections=without_none(
            *(
                section(
                    f"set-{position}",
                    Quoted(entry.name),
                    _scale_anchors(scale, entry.name, entry.anchors),
                    findings(entry.findings),
                    level=(VERDICTS[entry.verdict], entry.verdict),
                )
                for position, entry in enumerate(growth.sets, start=1)
            )
        ),
        settings=parts.signature_fields(growth.lint.signature),
        signature=growth.lint.signature,
    )


def validity_document(validity: "Validity") -> Document:
    """Build the document on the agreement of a scale's ratings with people and with scale-free baselines."""
    compared, check = validity.comparison, validity.discriminant
    listed_figures = (
        ("r with the human means", compared.pearson, "ranking: do texts that people score higher get more?"),
        (
            "ceiling: reliability of the humans",
            compared.ceiling,
            "highest r to expect: its square root",
        ),
        (
            "baseline: r of plain sentiment",
            validity.sentiment,
            "ratings on the shipped scale quality instead",
        ),
        ("baseline: r of text length", compared.null_length, "the number of characters instead"),
        ("KS similarity of distributions", compared.ks_similarity, "1 means the same share on every point"),
        ("baseline: KS of a uniform distribution", compared.null_ks, "the same share on every point"),
    )
    rows = [(name, estimate_cell(estimate), meaning) for name, estimate, meaning in listed_figures]
    covering = parts.coverage_suffix((row[1] for row in rows), compared.interval)
    own = (
        ("plain sentiment", Number(check.sentiment)),
        ("text length", Number(check.length)),
    )
    return Document(
        kind="validity report",
        name="Validity",
        title=Quoted(validity.scale.title),
        source=(Quoted(validity.source), f"{count_of(compared.n, 'text')} compared, {validity.n} labelled"),
        notices=notices(
            warnings=discriminant_warnings(check),
            cautions=compared.notes,
        ),
        sections=without_none(
            section(
                "agreement",
                "Agreement with people",
                table(("", "estimate", "meaning"), rows, title=f"Agreement{covering}", explained=True),
            ),
            section(
                "discriminant",
                "Discriminant check",
                table(("measure", "r"), own, title="Correlation of these ratings with other measures"),
            ),
        ),
        settings=parts.signature_fields(validity.signature),
        signature=validity.signature,
    )


def discriminant_warnings(check: "DiscriminantCheck", texts: str = "texts") -> Iterator[str]:
    """Warn of ratings that order the texts like plain sentiment or text length."""
    measures = {"sentiment": "plain sentiment does", "length": "their length does"}
    for measure, r in check.same_as.items():
        direction = "" if r > 0 else ", in reverse"
        yield f"These ratings order the {texts} as {measures[measure]}{direction} (r {number(r)})."


# Scales themselves


def library_document(scales: "Sequence[Scale]") -> Document:
    """Build the list of scales with their points and the anchor sets for the default model."""
    columns: Columns[Scale] = (
        ("scale", lambda scale: Quoted(scale.name)),
        ("points", lambda scale: scale.n_points),
        ("from", lambda scale: Quoted(scale.labels[0])),
        ("to", lambda scale: Quoted(scale.labels[-1])),
        ("sets", lambda scale: len(scale.anchor_sets)),
        ("hash", lambda scale: scale.content_hash),
    )
    served = [scale.for_model(DEFAULT_RATING_MODEL) for scale in scales]
    return Document(
        kind="list of scales",
        name="Scales",
        title="Scales that ship with Semscale",
        source=(count_of(len(scales), "scale"), f"sets and hashes for {DEFAULT_RATING_MODEL}"),
        sections=(Section("scales", "", (table_of(served, columns),)),),
    )


def scale_document(scale: "Scale") -> Document:
    """Build the document of a scale: points, anchors of each set, provenance and notes."""
    texts = without_none(scale.provenance, scale.notes)
    return Document(
        kind="scale",
        name=one_line(scale.title),
        title=Quoted(scale.title),
        source=(f"{one_line(scale.name)}, {one_line(scale.language)}, hash {scale.content_hash}",),
        introduction=(Paragraph(("Question: ", Quoted(scale.question)), detail="both"),),
        sections=without_none(
            *(
                section(f"set-{position}", Quoted(name), _scale_anchors(scale, name, anchors))
                for position, (name, anchors) in enumerate(scale.anchor_sets.items(), start=1)
            ),
            section("models", "", _models_table(scale)) if scale.sets_by_model else None,
            section("about", "", *(Paragraph(one_line(text), detail="brief") for text in texts)),
        ),
    )


def _scale_anchors(scale: "Scale", name: str, anchors: Sequence[str]) -> DataTable:
    rows = (
        (plain(point.value), one_line(point.label), one_line(anchor))
        for point, anchor in zip(scale.points, anchors, strict=True)
    )
    return table(("value", "label", "anchor"), rows, title=Quoted(name))


def _models_table(scale: "Scale") -> DataTable:
    """Build the table of anchor sets for each model."""
    rows: list[tuple[Value, ...]] = [
        (Quoted(model), Quoted(join_list(list(names))), scale.for_model(model).content_hash)
        for model, names in scale.sets_by_model.items()
    ]
    other = scale.for_model(DEFAULT_RATING_MODEL)
    sets = "all sets" if other is scale else f"those of {DEFAULT_RATING_MODEL}"
    rows.append(("any other", sets, other.content_hash))
    return table(("model", "sets", "hash"), rows, title="Sets used for a model")
