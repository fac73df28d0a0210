"""The document of rated texts."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.report.chart_kit import scale_digits
from semscale.report.document import (
    Badge,
    Block,
    Cell,
    Citation,
    Count,
    Document,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Subheading,
)
from semscale.report.formatting import LONGEST, capitalised, number, one_line, percent
from semscale.report.lint.words import SSR, VERDICTS, findings
from semscale.report.parts import estimated_document, estimated_settings, headline, nothing_section
from semscale.report.rating.comparison import comparison_blocks, corrected_words
from semscale.report.rating.decided import decided_blocks, decided_title
from semscale.report.rating.figures import (
    estimate_table,
    group_estimate_table,
    groups_figure,
    heat_figure,
    pmf_figure,
    sets_figure,
    verbatims,
)
from semscale.report.rating.languages import (
    other_language_warnings,
    rated_languages,
    said_language_warnings,
    without_anchors_words,
)
from semscale.report.rating.set_spread import spread_blocks
from semscale.report.rating.words import (
    MEANINGS,
    advice,
    calibration_warnings,
    calibration_words,
    cautions,
    codes_hint,
    reading,
    readout,
    readout_words,
    scale_warnings,
)
from semscale.report.sentences import (
    language_warnings,
    left_out_section,
    off_topic_warnings,
    unread_warnings,
    windowed_words,
)

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummary

_BOOTSTRAP = Citation(
    "Hesterberg, T. C. (2015).",
    "What teachers should know about the bootstrap",
    "The American Statistician 69(4), 371–386",
    "intervals: percentiles expanded for few clusters",
)

_ORDINAL = (
    Citation(
        "McCullagh, P. (1980).",
        "Regression models for ordinal data",
        "Journal of the Royal Statistical Society B 42(2), 109–142",
        "readout: a cumulative model with the probit link",
    ),
    Citation(
        "An, J., Kwak, H., Ahn, Y.-Y. (2018).",
        "SemAxis: a lightweight framework to characterize domain-specific word semantics beyond sentiment",
        "Proceedings of ACL 2018, 2450–2461",
        "readout: places on an axis between opposite anchors",
    ),
)


def rating_document(summary: "RatingSummary") -> Document:
    """Turn ratings into a document."""
    scale, hint, read = summary.scale, codes_hint(summary), reading(summary)
    values = tuple(scale.values.tolist())
    ends, digits = (values[0], values[-1]), scale_digits(scale)
    base = estimated_document(
        summary,
        kind="rating report",
        name=one_line(scale.title),
        title=Quoted(scale.title),
        n_windowed=summary.n_windowed,
    )
    lead = headline(summary.estimates, "mean score", ends, digits=digits, ticks=values)
    anchors = [said for said in [without_anchors_words(summary)] if said is not None]
    corrected = [said for said in [corrected_words(summary.comparison, digits)] if said is not None]
    bootstrapped = summary.estimates.overall.method == "bootstrap"
    return replace(
        base,
        lead=None if lead is None else replace(lead, advice=advice(summary)),
        warnings=(
            *calibration_warnings(summary),
            *other_language_warnings(summary),
            *language_warnings(summary.unread_language),
            *said_language_warnings(summary),
            *off_topic_warnings(summary.counts),
            *unread_warnings(summary.counts, "text"),
            *scale_warnings(summary),
        ),
        counting=(
            *corrected,
            *anchors,
            *base.counting,
            *([f"hint: {hint}"] if hint else []),
            *([f"calibration: {applied}"] if (applied := calibration_words(summary)) else []),
            *([] if lead is None else [advice(summary)]),
        ),
        reading=(
            *corrected,
            *anchors,
            *(base.reading if read is None else (read,)),
            *([f"{capitalised(hint)}."] if hint else []),
        ),
        facts=_facts(summary),
        cautions=(*base.cautions, *cautions(summary)),
        sections=tuple(_sections(summary)),
        settings=_settings(summary),
        citations=(
            SSR,
            *(_ORDINAL if readout(summary) == "ordinal" else ()),
            *([_BOOTSTRAP] if bootstrapped else []),
        ),
    )


def _facts(summary: "RatingSummary") -> tuple[tuple[str, Cell], ...]:
    scored, counting = summary.counts.get("scored", 0), summary.estimates.overall.n
    facts: list[tuple[str, Cell]] = [("Texts", Count(summary.n)), ("Rated", Count(scored))]
    facts += [("Counted", Count(counting))] if counting != scored else []
    facts.append(("Left out", Count(summary.n - counting)))
    facts += [("Distinct", Count(summary.n_distinct))] if summary.n_distinct is not None else []
    facts += [("Read in windows", Count(summary.n_windowed))] if summary.n_windowed else []
    facts += [] if summary.calibration is None else [("Unlike the labelled", Count(summary.n_unlike))]
    effective = Number(summary.estimates.overall.effective_n, 0)
    return (*facts, ("Effective n", effective)) if summary.weight is not None else tuple(facts)


def _sections(summary: "RatingSummary") -> Iterator[Section]:
    overall, groups = summary.estimates.overall, groups_figure(summary)
    if overall.mean is None:
        yield nothing_section("distribution")
    else:
        table = estimate_table(summary)
        blocks = (replace(table, detail="brief"), pmf_figure(summary), replace(table, detail="full"))
        yield Section("distribution", "How the ratings are spread", blocks)
    if summary.estimates.groups:
        drawn = groups or Paragraph("No group has a rated text.")
        yield Section(
            "groups", ("By ", Quoted(summary.by or "group")), (group_estimate_table(summary), drawn)
        )
    for place, (by, estimates) in enumerate(summary.further_groups.items(), start=2):
        yield _further_groups(replace(summary, by=by, estimates=estimates), place)
    yield from rated_languages(summary)
    if summary.comparison is not None and (summary.comparison.n or not summary.comparison.n_seen):
        compared = comparison_blocks(summary.comparison, summary.scale)
        yield Section("humans", "Against human ratings", compared)
    if summary.decided is not None:
        yield Section("decided", decided_title(summary.decided), decided_blocks(summary.decided))
    yield from _texts(summary)
    windowed = windowed_words(summary.n_windowed)
    yield left_out_section(
        overall.left_out,
        summary.n,
        MEANINGS,
        lambda status: summary.left_out.filter(status=status).select("row", "text").iter_rows(),
        further=[Paragraph(f"{windowed}.", "note")] if windowed else [],
    )
    yield Section("scale", "Can the scale be trusted?", tuple(_trust(summary)))


def _further_groups(summary: "RatingSummary", place: int) -> Section:
    """Show the groups of a further column."""
    by = ("By ", Quoted(summary.by or "group"))
    drawn = groups_figure(summary)
    blocks = (
        replace(group_estimate_table(summary), title=by),
        drawn or Paragraph("No group has a rated text."),
    )
    return Section(f"groups-{'i' * place}", by, blocks)


def _texts(summary: "RatingSummary") -> Iterator[Section]:
    if heat := heat_figure(summary):
        yield Section("texts", "Text by text", (heat,))
    if extreme := verbatims(summary):
        how = (
            "Bars show a text's PMF from the lowest point to the highest; the tallest stands for "
            f"{percent(extreme.tallest, 0)}. Entropy is 0 nats when all mass lies on one point and "
            f"{number(math.log(summary.scale.n_points))} when it lies evenly on all."
        )
        yield Section("verbatims", "The clearest and the vaguest", (Paragraph(how, "note"), extreme))


def _trust(summary: "RatingSummary") -> Iterator[Block]:
    """Say what the linter says, and how far anchor sets agree on these texts."""
    lint, n_sets = summary.lint, len(summary.set_names)
    if lint is not None:
        yield Badge(VERDICTS[lint.verdict], lint.verdict, "This scale")
        how = "The linter compares the anchors with each other and tries them on a ladder of sentences."
        yield Paragraph(how, "note")
        yield findings(lint.worst_first, with_sets=True)
    if summary.scale.notes:
        yield Paragraph(Quoted(summary.scale.notes, LONGEST), "note")
    if sets := sets_figure(summary):
        yield Subheading("Do the anchor sets agree?")
        yield sets
        yield from spread_blocks(summary)
    elif n_sets == 1:
        yield Paragraph(
            "One anchor set was used, so nothing shows whether another wording would rate the texts alike."
        )
    else:
        yield Paragraph(
            f"Whether the {n_sets} anchor sets agree cannot be said: it takes two rated texts whose means "
            "differ."
        )


def _settings(summary: "RatingSummary") -> tuple[tuple[str, Line], ...]:
    scale, compared = summary.scale, summary.comparison
    described = f", {scale.n_points} points, {scale.language}, content {scale.content_hash}"
    further: list[tuple[str, Line]] = [
        ("Scale", (Quoted(scale.name), described)),
        ("Anchor sets", Quoted(", ".join(summary.set_names), LONGEST)),
        *([("Readout", said)] if (said := readout_words(summary)) else []),
        *([("Calibration", applied)] if (applied := calibration_words(summary)) else []),
        ("Off-topic floor", "none" if summary.floor is None else f"cosine {number(summary.floor, 3)}"),
        *([("Labels", Quoted(compared.sheet))] if compared is not None and compared.sheet else []),
        *([("Comparison", Quoted(compared.signature, LONGEST))] if compared is not None else []),
    ]
    columns = (
        *(("Groups", by) for by in (summary.by, *summary.further_groups)),
        ("Weights", summary.weight),
        ("Respondents", summary.respondent),
    )
    return estimated_settings(summary, columns, further)
