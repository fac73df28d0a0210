"""The document of rated texts."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.report.document.blocks import Badge, Block, Paragraph, Subheading
from semscale.report.document.document import Citation, Document, Section
from semscale.report.document.values import Cell, Count, Line, Number, Quoted
from semscale.report.lint.words import SSR, VERDICTS, findings
from semscale.report.parts import headline, settings
from semscale.report.rating.comparison import comparison_blocks
from semscale.report.rating.figures import (
    estimate_table,
    group_table,
    groups_figure,
    heat_figure,
    pmf_figure,
    sets_figure,
    verbatims,
)
from semscale.report.rating.words import MEANINGS, cautions, codes_hint, reading
from semscale.report.scale_points import scale_digits
from semscale.report.sentences import interval_words, left_out_section, rows_that_count, windowed_words
from semscale.report.wording import number, one_line, percent

if TYPE_CHECKING:
    from semscale.rating.summary import RatingSummary

_LONGEST = 5000
_BOOTSTRAP = Citation(
    "Hesterberg, T. C. (2015).",
    "What teachers should know about the bootstrap",
    "The American Statistician 69(4), 371–386",
    "intervals: percentiles expanded for few clusters",
)


def rating_document(summary: "RatingSummary") -> Document:
    """Turn ratings into a document."""
    scale, estimates = summary.scale, summary.estimates
    values = tuple(scale.values.tolist())
    intervals = interval_words(estimates, estimates.overall.method)
    hint, windowed = codes_hint(summary), windowed_words(summary.n_windowed)
    return Document(
        kind="rating report",
        name=one_line(scale.title),
        title=Quoted(scale.title),
        source=(Quoted(summary.source), f"{summary.created:%Y-%m-%d}"),
        signature=summary.signature,
        lead=headline(
            estimates, "mean score", (values[0], values[-1]), digits=scale_digits(scale), ticks=values
        ),
        counting=(
            rows_that_count(estimates.overall.n, summary.n, estimates.overall.left_out),
            *([f"hint: {hint}"] if hint else []),
        ),
        reading=(reading(summary),),
        facts=_facts(summary),
        cautions=cautions(summary),
        sections=tuple(_sections(summary)),
        notes=(f"intervals: {intervals}", *([windowed] if windowed else [])),
        settings=_settings(summary, intervals),
        citations=(SSR, *([_BOOTSTRAP] if estimates.overall.method == "bootstrap" else [])),
    )


def _facts(summary: "RatingSummary") -> tuple[tuple[str, Cell], ...]:
    scored, counting = summary.counts.get("scored", 0), summary.estimates.overall.n
    facts: list[tuple[str, Cell]] = [("Texts", Count(summary.n)), ("Rated", Count(scored))]
    facts += [("Counted", Count(counting))] if counting != scored else []
    facts.append(("Left out", Count(summary.n - counting)))
    facts += [("Distinct", Count(summary.n_distinct))] if summary.n_distinct is not None else []
    facts += [("Read in windows", Count(summary.n_windowed))] if summary.n_windowed else []
    effective = Number(summary.estimates.overall.effective_n, 0)
    return (*facts, ("Effective n", effective)) if summary.weight is not None else tuple(facts)


def _sections(summary: "RatingSummary") -> Iterator[Section]:
    overall, groups = summary.estimates.overall, groups_figure(summary)
    if overall.mean is None:
        nothing = "No row counts, so there is nothing to estimate."
        yield Section("distribution", "", (Paragraph(nothing, detail="brief"),))
    else:
        table = estimate_table(summary)
        blocks = (replace(table, detail="brief"), pmf_figure(summary), replace(table, detail="full"))
        yield Section("distribution", "How the ratings are spread", blocks)
    if summary.estimates.groups:
        drawn = groups or Paragraph("No group has a rated text.")
        yield Section("groups", ("By ", Quoted(summary.by or "group")), (group_table(summary), drawn))
    if summary.comparison is not None:
        compared = comparison_blocks(summary.comparison, summary.scale)
        yield Section("humans", "Against human ratings", compared)
    yield from _texts(summary)
    hint, windowed = codes_hint(summary), windowed_words(summary.n_windowed)
    yield left_out_section(
        overall.left_out,
        summary.n,
        MEANINGS,
        lambda status: summary.left_out.filter(status=status).select("row", "text").iter_rows(),
        further=[Paragraph(said, "note") for said in (hint, windowed and f"{windowed}.") if said],
    )
    yield Section("scale", "Can the scale be trusted?", tuple(_trust(summary)))


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
        yield Paragraph(Quoted(summary.scale.notes, _LONGEST), "note")
    if sets := sets_figure(summary):
        yield Subheading("Do the anchor sets agree?")
        yield sets
    elif n_sets == 1:
        yield Paragraph(
            "One anchor set was used, so nothing shows whether another wording would rate the texts alike."
        )
    else:
        yield Paragraph(
            f"Whether the {n_sets} anchor sets agree cannot be said: it takes two rated texts whose means "
            "differ."
        )


def _settings(summary: "RatingSummary", intervals: str) -> tuple[tuple[str, Line], ...]:
    scale, compared = summary.scale, summary.comparison
    described = f", {scale.n_points} points, {scale.language}, content {scale.content_hash}"
    further: list[tuple[str, Line]] = [
        ("Scale", (Quoted(scale.name), described)),
        ("Anchor sets", Quoted(", ".join(summary.set_names), _LONGEST)),
        ("Off-topic floor", "none" if summary.floor is None else f"cosine {number(summary.floor, 3)}"),
        ("Intervals", intervals),
        *([("Comparison", Quoted(compared.signature, _LONGEST))] if compared is not None else []),
    ]
    columns = (
        ("Groups", summary.by), ("Weights", summary.weight), ("Respondents", summary.respondent),
    )  # fmt: skip
    return settings(summary.source, summary.created, columns, further, summary.signature)
