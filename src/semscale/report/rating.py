"""Documents of rated texts: of one column, and of several columns of a table."""

import math
import shlex
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from semscale.rating.anchors import stated_language
from semscale.rating.calibration import SHARE_BELOW
from semscale.report.calibration import (
    CORRECTED,
    comparison_blocks,
    corrected_words,
    ranking_warnings,
    rated_texts,
)
from semscale.report.chart_kit import NARROW_LIMIT, mass_heads, point_colours, point_names, scale_digits
from semscale.report.document import (
    Badge,
    Block,
    Cell,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Label,
    Line,
    Number,
    Paragraph,
    Quoted,
    Section,
    Share,
    Subheading,
    Swatch,
    Verbatim,
    Verbatims,
    WithInterval,
    estimate_cell,
    stamp,
)
from semscale.report.formatting import (
    LONGEST,
    capitalised,
    count,
    counted,
    coverage,
    ends,
    has_interval,
    listed,
    number,
    one_line,
    percent,
    percent_with_interval,
    plain,
)
from semscale.report.lint import SSR, VERDICTS, correlations_figure, findings, lint_caution
from semscale.report.parts import (
    Columns,
    altogether_title,
    base_of,
    covered,
    estimated_document,
    estimated_settings,
    group_label,
    group_name,
    group_table,
    headline,
    language_section,
    largest_groups,
    left_out_section,
    listed_groups,
    nothing_section,
    small_base_note,
    table_of,
    unlisted_note,
)
from semscale.report.row_charts import Bar, GroupRow, bars, group_rows, strips
from semscale.report.sentences import (
    STATUS_MEANINGS,
    foreign_warnings,
    language_name,
    language_warnings,
    off_topic_warnings,
    refused_forms_notes,
    unread_warnings,
    windows_note,
)
from semscale.results.reasons import UNREAD
from semscale.scales.library import languages_in
from semscale.store.missing_codes import OTHER_NUMBERS
from semscale.types import Floats, Status

if TYPE_CHECKING:
    from semscale.rating.calibration import Calibration
    from semscale.rating.decided import DecidedComparison, MissingDecisions
    from semscale.rating.summary import LanguageTexts, RatingSummaries, RatingSummary
    from semscale.results.estimates import Estimates
    from semscale.scales import Scale
    from semscale.stats.intervals.estimates import Estimate, GroupEstimate
    from semscale.stats.variance_components.crossed_means import CrossedComponents


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

MEANINGS = STATUS_MEANINGS | {
    "missing": "nobody answered: the cell is empty or null, or holds a code that was named",
    "uninformative": "no letter, no digit and no emoji that the model reads",
    "weightless": UNREAD,
    "other-language": "the model does not read the language that the text is in",
    "off-topic": "no anchor is closer than unrelated sentences are",
    "no-weight": "rated, but without a weight",
    "zero-weight": "rated, but with a weight of 0",
    "no-respondent": "rated, but nobody knows whose answer it is",
}

NPS_CAUTION = (
    "This net promoter score comes from probability mass, which spreads over all points: compare groups "
    "by it, and do not set it beside an NPS from answers in figures."
)

RANKING = "Read this mean as a ranking and a comparison between groups, not as a level."
"""How far the mean goes: it spreads less than people's, and its distribution is no better than chance."""

_READOUTS = {
    "ssr": "ssr: the more similar an anchor, the more mass its point gets; the other readout is ordinal",
    "ordinal": "ordinal: where the text lies between the lower and the upper anchors, by a cumulative probit "
    "model; the other readout is ssr",
}

_SHOWN_CODES = 6

_MOST_UNLIKE = 0.1  # share of texts unlike the labelled ones, of which 2 % themselves are

_NAMED_LANGUAGES = 4  # languages in a sentence

_ANCHORS = (
    "Texts in a language that has no translated anchors for this scale, or whose anchors have not passed "
    "their check, are rated with the scale's own."
)

_STAND_IN = "next-token"

_EXPLAINED = (
    "Reliability of the means by similarity comes from the agreement of the anchor sets, that of the "
    "decisions from the agreement of the orders in which the points were read (Spearman-Brown); it is not "
    "known with one set, or one order. The corrected correlation is what it would be without that error; the "
    "error of a side that is not corrected still lowers it. ICC(2,1) asks for equal means and not only for "
    "an equal order: a difference between the two methods lowers it."
)

CHARTED_GROUPS = 40

_DARKEST_SHARE = 0.35  # the heat map's darkest colour never stands for less, so that flat PMFs look flat

_COMMON_ERROR = (
    "The error of the calibration is largely common to all groups: do not compare groups by these intervals."
)

_ERROR_DIGITS = 3


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
    sentences = (corrected_words(summary.comparison, digits), without_anchors_words(summary))
    qualifications = [sentence for sentence in sentences if sentence is not None]
    bootstrapped = summary.estimates.overall.method == "bootstrap"
    counts = {str(status): n for status, n in summary.counts.items()}
    return replace(
        base,
        lead=None if lead is None else replace(lead, advice=advice(summary)),
        warnings=(
            *calibration_warnings(summary),
            *other_language_warnings(summary),
            *language_warnings(summary.unread_language),
            *stated_language_warnings(summary),
            *off_topic_warnings(counts),
            *unread_warnings(counts, "text"),
            *scale_warnings(summary),
        ),
        counting=(
            *qualifications,
            *base.counting,
            *([f"hint: {hint}"] if hint else []),
            *([f"calibration: {applied}"] if (applied := calibration_words(summary)) else []),
            *([] if lead is None else [advice(summary)]),
        ),
        reading=(
            *qualifications,
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
    scored, counting = summary.counts.get(Status.SCORED, 0), summary.estimates.overall.n
    facts: list[tuple[str, Cell]] = [("Texts", Count(summary.n)), ("Rated", Count(scored))]
    facts += [("Counted", Count(counting))] if counting != scored else []
    facts.append(("Left out", Count(summary.n - counting)))
    facts += [("Distinct", Count(summary.n_distinct))] if summary.n_distinct is not None else []
    facts += [("Read in windows", Count(summary.n_windowed))] if summary.n_windowed else []
    facts += [] if summary.calibration is None else [("Unlike the labelled", Count(summary.n_unlike))]
    effective = Number(summary.estimates.overall.effective_n, 0)
    return (*facts, ("Effective n", effective)) if summary.weight is not None else tuple(facts)


def _sections(summary: "RatingSummary") -> Iterator[Section]:
    overall = summary.estimates.overall
    if overall.mean is None:
        yield nothing_section("distribution")
    else:
        table = estimate_table(summary)
        shown = (replace(table, detail="brief"), pmf_figure(summary), replace(table, detail="full"))
        yield Section("distribution", "How the ratings are spread", shown)
    no_group = Paragraph("No group has a rated text.")
    if summary.estimates.groups:
        groups = (group_estimate_table(summary), groups_figure(summary) or no_group)
        yield Section("groups", ("By ", Quoted(summary.by or "group")), groups)
    for position, (by, estimates) in enumerate(summary.further_groups.items(), start=2):
        grouped, title = replace(summary, by=by, estimates=estimates), ("By ", Quoted(by))
        table = replace(group_estimate_table(grouped), title=title)
        yield Section(f"groups-{'i' * position}", title, (table, groups_figure(grouped) or no_group))
    yield from rated_languages(summary)
    if summary.comparison is not None and (summary.comparison.n or not summary.comparison.n_seen):
        compared = comparison_blocks(summary.comparison, summary.scale)
        yield Section("humans", "Against human ratings", compared)
    if summary.decided is not None:
        yield Section("decided", decided_title(summary.decided), decided_blocks(summary.decided))
    yield from _texts(summary)
    windowed = windows_note(summary.n_windowed)
    yield left_out_section(
        overall.left_out,
        summary.n,
        MEANINGS,
        lambda status: summary.left_out.get(status, ()),
        further=[Paragraph(f"{windowed}.", "note")] if windowed else [],
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
        *([("Readout", _READOUTS[name])] if (name := readout(summary)) else []),
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


def several_texts_document(summaries: "RatingSummaries") -> Document:
    """Put the documents of all texts below a table of their means."""
    documents = {text: rating_document(summary) for text, summary in summaries.texts.items()}
    first = next(iter(summaries.texts.values()))
    sections = [Section("texts-overview", "All texts", (_texts_overview(summaries),))]
    for position, (text, document) in enumerate(documents.items(), start=1):
        heading = Paragraph(
            (Quoted(text), ", scale ", Quoted(summaries.texts[text].scale.name)), detail="brief"
        )
        top, *further = (_of_text(section, text, position) for section in document.sections)
        sections += [replace(top, blocks=(heading, *top.blocks)), *further]
    return Document(
        kind="rating report",
        name="Ratings",
        title=("Ratings of ", Quoted(summaries.source)),
        source=(Quoted(summaries.source), stamp(summaries.created)),
        signature=None,
        counting=tuple(
            _prefixed(text, line) for text, document in documents.items() for line in document.counting
        ),
        reading=tuple(
            _prefixed(text, line) for text, document in documents.items() for line in document.introduction
        ),
        facts=(("Texts", Count(len(documents))), ("Rows", Count(first.n))),
        warnings=_sentences(documents, "warnings"),
        cautions=_sentences(documents, "cautions"),
        sections=tuple(sections),
        notes=(
            *_sentences(documents, "notes"),
            *(
                f"signature of {one_line(text)}: {summary.signature}"
                for text, summary in summaries.texts.items()
            ),
        ),
        settings=tuple(
            (f"{one_line(text)}: {name}", value)
            for text, document in documents.items()
            for name, value in document.settings
        ),
        citations=tuple(
            dict.fromkeys(cited for document in documents.values() for cited in document.citations)
        ),
    )


def _texts_overview(summaries: "RatingSummaries") -> DataTable:
    rows: list[tuple[Cell, ...]] = []
    for text, summary in summaries.texts.items():
        overall = summary.estimates.overall
        mean = estimate_cell(overall.mean, scale_digits(summary.scale))
        left_out = Count(summary.n - overall.n)
        rows.append((Quoted(text), Quoted(summary.scale.name), Count(overall.n), left_out, mean))
    interval = next(iter(summaries.texts.values())).estimates.interval
    title = f"Means{covered((row[-1] for row in rows), interval)}"
    return DataTable(("text", "scale", "rows", "left out", "mean"), tuple(rows), title=title, noun="text")


def _of_text(section: Section, text: str, number: int) -> Section:
    """Name the text in the title of a section, and its number, in letters, in the section's name."""
    return replace(section, name=f"text-{'i' * number}-{section.name}", title=_prefixed(text, section.title))


def _prefixed(text: str, line: Line) -> Line:
    rest = line if isinstance(line, tuple) else (line,)
    return (Quoted(text), ": ", *rest)


def _sentences(documents: dict[str, Document], field: str) -> tuple[str, ...]:
    """Collect sentences, each after its texts unless it is about all of them."""
    texts: dict[str, list[str]] = {}
    for text, document in documents.items():
        for sentence in getattr(document, field):
            texts.setdefault(sentence, []).append(one_line(text))
    return tuple(
        sentence if len(names) == len(documents) else f"{', '.join(names)}: {sentence}"
        for sentence, names in texts.items()
    )


def reading(summary: "RatingSummary") -> str | None:
    """Say in one sentence how to read the mean and its interval; ``None`` where there is no mean."""
    estimates, points = summary.estimates, summary.scale.points
    mean, digits = estimates.overall.mean, scale_digits(summary.scale)
    if mean is None:
        return None
    ends = (
        f"On this scale {plain(points[0].value)} is “{one_line(points[0].label)}” and "
        f"{plain(points[-1].value)} is “{one_line(points[-1].label)}”"
    )
    unit = "respondent" if estimates.clustered else "text"
    if not has_interval(mean):
        return (
            f"{ends}. One {unit} alone does not show how far another would differ, so there is no interval."
        )
    chance = "who answered" if estimates.clustered else "which texts came"
    beyond = "errors"
    if estimates.refits:
        chance, beyond = f"{chance} and which labels the calibration had", "other errors"
    return (
        f"{ends}. The mean of all {unit}s that these were drawn from plausibly lies between "
        f"{number(mean.low, digits)} and {number(mean.high, digits)} ({coverage(estimates.interval)} "
        f"interval); this covers chance in {chance}, not {beyond} of the method."
    )


def cautions(summary: "RatingSummary") -> tuple[str, ...]:
    """List the limits of the figures that a reader must know; empty where there are none."""
    comparison = summary.comparison
    nps = [NPS_CAUTION] if summary.estimates.overall.nps is not None else []
    unlike = unlike_caution(summary)
    notes = comparison.notes if comparison else ()
    decisions = (*decided_cautions(summary.decided), *undecided_cautions(summary.undecided))
    return (*nps, *unlike, *notes, *decisions)


def scale_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Say what the linter finds wrong with the scale; empty for a plain pass, and where it was not asked."""
    caution = lint_caution(summary.lint) if summary.lint else None
    return () if caution is None else (caution,)


def advice(summary: "RatingSummary") -> str:
    """Say how far the mean goes: as a ranking, or as a level where people's labels calibrated it."""
    calibration = summary.calibration
    if calibration is not None and calibration.error.is_reversed:
        return "Do not read this mean while it is open which way round the labels are."
    if calibration is None or not calibration.error.is_clear:
        return RANKING
    texts = counted(calibration.labels.n, "labelled text")
    if not calibration.error.has_ranking:
        return f"Calibrated by {texts} (method {calibration.method}): do not rank texts or groups by it."
    return f"Calibrated by {texts} (method {calibration.method}): a level for texts like these."


def calibration_words(summary: "RatingSummary") -> str | None:
    """Say what was applied, and its own error; ``None`` without a calibration."""
    calibration = summary.calibration
    if calibration is None:
        return None
    texts = counted(calibration.labels.n, "labelled text")
    return f"{calibration.method}, {texts}; on texts that it had not seen, {_errors(calibration)}"


def calibration_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of a calibration by reversed labels, without a ranking, or without a clear gain."""
    calibration = summary.calibration
    if calibration is None:
        return ()
    return (*ranking_warnings(calibration.error), *_gain_warnings(calibration))


def _gain_warnings(calibration: "Calibration") -> tuple[str, ...]:
    if calibration.error.is_clear:
        return ()
    error = calibration.error
    if not error.is_better:
        return (
            f"This calibration makes ratings worse: on texts that it had not seen, {_errors(calibration)}. "
            "Rate without --calibration, or label more texts and calibrate anew.",
        )
    ends = ""
    if error.gain_low is not None and error.gain_high is not None:
        ends = f"; the gain lies between {number(error.gain_low, 3)} and {number(error.gain_high, 3)}"
    return (
        f"Whether this calibration helps is not clear: on texts that it had not seen, {_errors(calibration)}"
        f"{ends}. Label more texts before you rely on it.",
    )


def _errors(calibration: "Calibration") -> str:
    with_it, without = (
        number(score, 3) for score in (calibration.error.calibrated, calibration.error.uncalibrated)
    )
    return f"the ranked probability score was {with_it} with it and {without} without (less is better)"


def unlike_caution(summary: "RatingSummary") -> tuple[str, ...]:
    """Say that many texts are unlike those that a calibration was fitted to; empty where few are."""
    if summary.calibration is None:
        return ()
    scored, unlike = summary.counts.get(Status.SCORED, 0), summary.n_unlike
    if unlike <= _MOST_UNLIKE * scored:
        return ()
    return (
        f"{count(unlike)} of {counted(scored, 'rated text')} are unlike those that the calibration was "
        f"fitted to ({SHARE_BELOW:.0%} would be usual): label some of them and calibrate anew.",
    )


def readout(summary: "RatingSummary") -> str | None:
    """Name the readout that was applied; ``None`` where the signature does not say."""
    return dict(summary.signature.fields).get("readout")


def readout_words(summary: "RatingSummary") -> str | None:
    """Say how similarities became ratings, and that there is another way."""
    name = readout(summary)
    return None if name is None else _READOUTS[name]


def codes_hint(summary: "RatingSummary") -> str | None:
    """Say that rated texts look like codes for a missing answer, and how to leave them out."""
    codes = summary.possible_codes
    if not codes:
        return None
    shown, n = list(codes.items())[:_SHOWN_CODES], sum(codes.values())
    listing = ", ".join(f"{one_line(code)} {count(times)}" for code, times in shown)
    listing += ", ..." if len(codes) > len(shown) else ""
    quoted = [shlex.quote(one_line(code)) for code, _ in shown if code != OTHER_NUMBERS]
    options = " ".join(f"--missing {code}" for code in quoted)
    verb, them = ("looks like a code", "it") if n == 1 else ("look like codes", "them")
    texts = counted(n, "rated text")
    return f"{texts} {verb} for a missing answer ({listing}); to leave {them} out: {options}"


def estimate_table(summary: "RatingSummary") -> DataTable:
    """List the figures about all texts, each with its interval and with what it is."""
    overall, values = summary.estimates.overall, [plain(value) for value in summary.scale.values]
    shares = (
        ("top 2 points", overall.top_2_box, f"top-2-box: mass on {' and '.join(values[-2:])}"),
        ("bottom 2 points", overall.bottom_2_box, f"bottom-2-box: mass on {' and '.join(values[:2])}"),
        ("net (top less bottom)", overall.net, "top-2-box minus bottom-2-box"),
        ("NPS", overall.nps, "net promoter score: mass on 9 and 10 minus mass on 0 to 6"),
    )
    mean = estimate_cell(overall.mean, scale_digits(summary.scale))
    rows = [(Label(name), _share(estimate), Label(meaning)) for name, estimate, meaning in shares if estimate]
    rows = [*_corrected_mean(summary), *rows]
    return DataTable(
        ("", "estimate", "what it is"),
        ((Label(f"mean, from {values[0]} to {values[-1]}"), mean, Label("expected value")), *rows),
        title=altogether_title((mean, *(share for _, share, _ in rows)), summary.estimates.interval),
        explained=True,
    )


def _corrected_mean(summary: "RatingSummary") -> list[tuple[Label, WithInterval, Label]]:
    """Give the mean that labels correct, where there are labels of a part of the texts."""
    corrected = None if summary.comparison is None else summary.comparison.corrected
    if corrected is None:
        return []
    figure = estimate_cell(corrected, scale_digits(summary.scale), note=corrected.note or "")
    meaning = f"what people would give to all {rated_texts(corrected)} rated texts"
    return [(Label(CORRECTED), figure, Label(meaning))]


def pmf_figure(summary: "RatingSummary") -> Figure:
    """Draw the survey PMF, the highest point on top, each bar with its interval."""
    names, masses = point_names(summary.scale), summary.estimates.overall.pmf
    drawn = [_bar(row, mass) for row, mass in enumerate(reversed(masses))]
    described = "; ".join(f"{n}: {percent_with_interval(m)}" for n, m in zip(names, masses, strict=True))
    rows = tuple(
        (Quoted(f"{plain(point.value)} {point.label}"), _share(mass))
        for point, mass in zip(summary.scale.points, masses, strict=True)
    )
    lines = f"; the thin line is its {coverage(summary.estimates.interval)} interval"
    return Figure(
        "distribution",
        lambda width: bars(drawn, names[::-1], width),
        f"Bars: share of each point. {described}.",
        DataTable(("point", "share"), rows, title="Distribution", bars=tuple(mass.value for mass in masses)),
        caption="Each bar is the probability mass that the rated texts put on a point, averaged over texts"
        f"{lines if any(map(has_interval, masses)) else ''}.",
    )


def group_estimate_table(summary: "RatingSummary") -> DataTable:
    """List each group's mean and top-2-box, for the screen."""
    estimates = summary.estimates
    has_boxes = any(group.top_2_box for group in estimates.groups)
    boxes: Columns[GroupEstimate] = (("top 2 points", lambda group: _share(group.top_2_box)),)
    table = group_table(
        estimates, noun="row", digits=scale_digits(summary.scale), further=boxes if has_boxes else ()
    )
    return replace(table, note=_groups_note(estimates), detail="brief")


def groups_figure(summary: "RatingSummary") -> Figure | None:
    """Draw means and distributions of the largest groups; ``None`` where no group has a figure."""
    estimates, scale = summary.estimates, summary.scale
    scored = [group for group in estimates.groups if group.mean is not None]
    if not scored or estimates.overall.mean is None:
        return None
    charted = largest_groups(scored, CHARTED_GROUPS)
    rows = [row for group in charted if (row := _group_row(group, summary.by)) is not None]
    reference, digits, colours = estimates.overall.mean.value, scale_digits(scale), point_colours(scale)
    described = "; ".join(f"{row.name}: {number(row.mean, digits)}" for row in rows)
    drawn = f"The {count(len(charted))} largest of {counted(len(scored), 'group')} are drawn, all are below. "
    return Figure(
        "groups",
        lambda width: group_rows(rows, colours, reference=reference, width=width),
        f"Mean of each group, highest first: {described}. All texts: {number(reference, digits)}.",
        _whole_group_table(summary),
        caption=(drawn if len(charted) < len(scored) else "")
        + f"Dots are means, lines their {coverage(estimates.interval)} intervals, the dashed line is the "
        "mean of all texts; the axis shows only the part of the scale that is needed. "
        f"Bars show the share of each point in percent. {_groups_note(estimates)}".rstrip(),
        legend=tuple(Swatch(*pair) for pair in zip(colours, point_names(scale), strict=True)),
    )


def heat_figure(summary: "RatingSummary") -> Figure | None:
    """Draw the sampled PMFs side by side, from the lowest mean to the highest; ``None`` below two of them."""
    sample = summary.sample.sort("mean", "row")
    if sample.height < 2:  # noqa: PLR2004 - one column is no map
        return None
    scale, digits = summary.scale, scale_digits(summary.scale)
    pmf, means = np.array(sample["pmf"].to_list(), dtype=np.float64), sample["mean"].to_numpy()
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    low, middle, high = (number(float(level), digits) for level in (means[0], np.median(means), means[-1]))
    scored = summary.counts.get(Status.SCORED, 0)
    sampled = f"A random sample of {count(sample.height)} of the {counted(scored, 'rated text')}"
    texts = "Every rated text" if sample.height == scored else sampled
    levels, names = (pmf.T / darkest)[::-1], point_names(scale)[::-1]
    return Figure(
        "texts",
        lambda width: strips(levels, names, _ticks(means, digits, width), width=width),
        f"Heat map of {counted(sample.height, 'PMF')} by mean: {low} to {high}, median {middle}.",
        _sample_table(sample, scale, digits),
        caption=f"{texts}: one column per text, sorted by mean score (below the picture). "
        "The stronger a cell's colour, the more mass the text puts on that point, up to "
        f"{percent(darkest, 0)}.",
        style="heat",
    )


def verbatims(summary: "RatingSummary") -> Verbatims | None:
    """Show the texts with the least and with the most entropy, each once; ``None`` without texts."""
    most, least = (rows.drop_nulls("text") for rows in (summary.most_certain, summary.least_certain))
    ranks = [{row: rank for rank, row in enumerate(rows["row"])} for rows in (most, least)]
    # Of few texts both lists have the same rows: each row stays where it is nearer to the top.
    nearer_most = [row for row, rank in ranks[0].items() if rank <= ranks[1].get(row, rank)]
    titled = (
        ("most certain", most.filter(pl.col("row").is_in(nearer_most))),
        ("least certain", least.filter(~pl.col("row").is_in(nearer_most))),
    )
    columns = tuple((title, _verbatims(rows, summary.scale)) for title, rows in titled if rows.height)
    return Verbatims(columns) if columns else None


def sets_figure(summary: "RatingSummary") -> Figure | None:
    """Draw the correlations between anchor sets; ``None`` where none is defined."""
    caption = (
        "Each set words the same points differently; where two sets order the texts differently, the wording "
        "decides, not the texts."
    )
    return correlations_figure(summary.set_names, summary.set_agreement, caption)


def _bar(row: int, mass: "Estimate") -> Bar:
    low, high = ends(mass.low, mass.high)
    return Bar(row, mass.value, low, high, percent_with_interval(mass), percent(mass.value))


def _share(estimate: "Estimate | None") -> WithInterval:
    return estimate_cell(estimate, 1, is_share=True)


def _whole_group_table(summary: "RatingSummary") -> DataTable:
    """List every group with all its figures; a group without a rated text has dashes."""
    overall = summary.estimates.overall
    everything = [overall, *listed_groups(summary.estimates)]
    columns: list[tuple[str | Quoted, Callable[[GroupEstimate], Cell]]] = [
        ("group", lambda group: Label("all texts") if group is overall else group_name(group, summary.by)),
        ("rated", lambda group: Count(group.n) if group is overall else base_of(group)),
    ]
    if any(not math.isclose(group.effective_n, group.n) for group in everything if group.n):
        columns.append(("effective n", lambda group: Number(group.effective_n, 1)))
    digits = scale_digits(summary.scale)
    columns += [
        ("left out", lambda group: Count(group.n_left_out)),
        ("mean", lambda group: estimate_cell(group.mean, digits)),
    ]
    if any(group.top_2_box for group in everything):
        columns += [
            ("top 2 points", lambda group: _share(group.top_2_box)),
            ("bottom 2 points", lambda group: _share(group.bottom_2_box)),
            ("net", lambda group: _share(group.net)),
        ]
    if any(group.nps for group in everything):
        columns.append(("NPS", lambda group: _share(group.nps)))
    columns += [(head, partial(_mass, point)) for point, head in enumerate(mass_heads(summary.scale))]
    return table_of(everything, columns, detail="full")


def _groups_note(estimates: "Estimates") -> str:
    """Explain the mark of small groups, and the effect of a calibration's error on comparisons."""
    compared = estimates.refits and sum(group.n > 0 for group in estimates.groups) > 1
    small, unlisted = small_base_note(estimates, "row"), unlisted_note(estimates)
    return " ".join(filter(None, (small, _COMMON_ERROR if compared else "", unlisted)))


def _mass(point: int, group: "GroupEstimate") -> Share:
    return Share(group.pmf[point].value if group.pmf else None)


def _group_row(group: "GroupEstimate", by: str | None) -> GroupRow | None:
    if group.mean is None:
        return None
    name, (low, high) = group_label(group, by), ends(group.mean.low, group.mean.high)
    return GroupRow(name, group.mean.value, low, high, tuple(mass.value for mass in group.pmf))


def _ticks(means: Floats, digits: int, width: int) -> list[tuple[int, str]]:
    """Choose columns at equal distances, the first and the last among them, with their means."""
    n = min(5 if width < NARROW_LIMIT else 9, len(means))
    columns = np.linspace(0, len(means) - 1, n).round().astype(int).tolist()
    return [(column, number(means[column], digits)) for column in columns]


def _sample_table(sample: pl.DataFrame, scale: "Scale", digits: int) -> DataTable:
    rows: list[tuple[Cell, ...]] = [
        (Quoted(text, 90), Count(row + 1), Number(mean, digits), *map(Share, pmf))
        for text, row, mean, pmf in sample.select("text", "row", "mean", "pmf").iter_rows()
    ]
    return DataTable(("text", "row", "mean", *mass_heads(scale)), tuple(rows), detail="full")


def _verbatims(rows: pl.DataFrame, scale: "Scale") -> tuple[Verbatim, ...]:
    shown, digits = [], scale_digits(scale)
    known = rows.select("text", "row", "mean", "entropy", "pmf")
    for text, row, mean, entropy, pmf in known.iter_rows():
        masses = (
            f"{plain(value)}: {percent(share, 0)}" for value, share in zip(scale.values, pmf, strict=True)
        )
        label = f"PMF: {', '.join(masses)}"
        shown.append(
            Verbatim(Quoted(text), row + 1, Number(mean, digits), Number(entropy), tuple(pmf), label)
        )
    return tuple(shown)


def spread_blocks(summary: "RatingSummary") -> Iterator[Block]:
    """Show the variances of texts and anchor sets, and say what would lower the error of the mean most."""
    components = summary.set_variances
    if components is None:
        return
    yield Subheading("More texts, or other anchors?")
    yield _spread_table(components)
    yield Paragraph(spread_advice(components))
    note = (
        f"Under one set texts are {percent(components.icc)} of the variance, under all sets "
        f"{percent(components.icc_of_all)} (intraclass correlations 2,1 and 2,k). Variances are of the means "
        "under single sets, before calibration and without weights, in squared units of the scale; the rest "
        "is how differently sets order texts. Estimates below 0 are noise, and count as 0. Intervals "
        "elsewhere in this report are over other texts alone."
    )
    yield Paragraph(note, "note")


def spread_advice(components: "CrossedComponents") -> str:
    """Say in a sentence whether more texts or other anchors would make the mean more exact."""
    errors = (components.error(), components.error(respondents=2), components.error(sets=2))
    if not errors[0] > 0:
        return "The mean is the same under all sets and for all texts."
    remedy = "improve the anchors or add anchor sets" if errors[2] < errors[1] else "rate more texts"
    now, texts, sets = (number(error, _ERROR_DIGITS) for error in errors)
    return (
        f"Over other texts and other anchor sets the standard error of the mean is {now}. With twice "
        f"the texts it is {texts}, with twice the sets {sets}: {remedy}."
    )


def _spread_table(components: "CrossedComponents") -> DataTable:
    parts = (
        (counted(components.n, "text"), components.respondent),
        (counted(components.n_sets, "anchor set"), components.anchor_set),
        ("the rest", components.residual),
    )
    whole = sum(max(variance.value, 0.0) for _, variance in parts)
    rows: list[tuple[Cell, ...]] = [
        (
            Label(name),
            estimate_cell(variance, _ERROR_DIGITS),
            Share(max(variance.value, 0.0) / whole if whole > 0 else None),
        )
        for name, variance in parts
    ]
    return DataTable(("between", "variance", "of all"), tuple(rows), detail="full")


def rated_languages(summary: "RatingSummary") -> Iterator[Section]:
    """Give the section about languages, where some text is in another one than the scale."""
    scale_language = summary.scale.language
    if all(texts.language in {scale_language, None} for texts in summary.languages):
        return
    rows = [
        (
            Label(language_name(texts.language)),
            Count(texts.texts),
            Count(texts.rated),
            Label("–" if texts.anchors is None else language_name(texts.anchors)),
        )
        for texts in summary.languages
    ]
    yield language_section(("language", "texts", "rated", "anchors"), rows, "Texts by language", _ANCHORS)


def other_language_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of texts in languages that the model does not read; they have no rating."""
    return foreign_warnings(summary.languages, "text", lack="rating")


def stated_language_warnings(summary: "RatingSummary") -> tuple[str, ...]:
    """Warn of texts that seem to be in another language than the user says."""
    other, stated = summary.other_language, stated_language(summary.signature)
    if other is None or stated is None or summary.unread_language is not None:
        return ()
    texts = (
        f"Read together, the {count(other.n)} sampled texts seem to be {other.name}"
        if other.share is None
        else f"{percent(other.share, 0)} of the {count(other.n)} sampled texts whose language is clear seem "
        f"to be in other languages, most often {other.name}"
    )
    return (
        f"{texts}, but --language says that all are {language_name(stated)}. Do not trust these figures, and "
        "use --language auto.",
    )


def without_anchors_words(summary: "RatingSummary") -> str | None:
    """Say that texts were rated with anchors in another language than ``--language`` asks for."""
    affected = summary.without_anchors
    if not affected:
        return None
    rated, n = sum(texts.rated for texts in affected), summary.counts.get(Status.SCORED, 0)
    ratings = (
        ("the rating" if n == 1 else "all ratings")
        if rated == n
        else f"their {count(rated)} of {counted(n, 'rating')}"
    )
    translated = set(languages_in(summary.scale))
    failed = [texts for texts in affected if texts.language in translated]
    untranslated = [texts for texts in affected if texts.language not in translated]
    lacking = [_language_names(untranslated)] if untranslated else []
    if failed:
        lacking.append(f"{_language_names(failed)} that passed their check with this model")
    return (
        f"This scale has no anchors in {', and none in '.join(lacking)}, so {ratings} "
        f"{'is' if rated == 1 else 'are'} by {language_name(affected[0].anchors)} anchors."
    )


def _language_names(languages: "Iterable[LanguageTexts]") -> str:
    """List languages by name, the last of many as a number."""
    names = [language_name(texts.language) for texts in languages]
    most = _NAMED_LANGUAGES - 1
    return listed(names if len(names) <= _NAMED_LANGUAGES else [*names[:most], f"{len(names) - most} others"])


def decided_blocks(decided: "DecidedComparison") -> tuple[Block, ...]:
    """Lay the comparison out as a table, with what the decisions left out."""
    rows: list[tuple[str, Cell]] = [
        ("distinct texts with both ratings", Count(decided.n)),
        ("mean by similarity", estimate_cell(decided.rated)),
        ("mean by decisions", estimate_cell(decided.decided)),
        ("decision less similarity", estimate_cell(decided.difference, signed=True)),
        ("correlation of the texts’ means", estimate_cell(decided.correlation)),
        ("reliability of the means by similarity", Number(decided.reliability)),
        ("reliability of the means by decisions", Number(decided.decided_reliability)),
        (f"correlation, corrected for {_corrected_for(decided)}", Number(decided.corrected)),
        ("agreement of the texts’ means, ICC(2,1)", estimate_cell(decided.intraclass)),
        ("KS similarity of both distributions", Number(decided.ks)),
    ]
    if decided.order_bias >= 0:
        rows.append(("order bias of the decisions", Share(decided.order_bias, 0)))
    table = DataTable(
        ("", "value"), tuple((Label(name), cell) for name, cell in rows), brief_title="Beside decisions"
    )
    return (table, Paragraph(_EXPLAINED, "note", detail="full"))


def decided_title(decided: "DecidedComparison") -> str:
    """Title the section."""
    return f"Beside typed decisions of {one_line(decided.model)}"


def _corrected_for(decided: "DecidedComparison") -> str:
    """Name the sides whose error the correction takes off."""
    phrases = {(): "neither side’s error", ("similarity", "decisions"): "the error of both sides"}
    return phrases.get(decided.corrected_for) or f"the error of {decided.corrected_for[0]} alone"


def decided_cautions(decided: "DecidedComparison | None") -> tuple[str, ...]:
    """Say which texts have no decision and why, what stood in for decisions, and what was mended."""
    if decided is None:
        return ()
    name = one_line(decided.model)
    sentences: list[str] = []
    if n := decided.counts["unusable"]:
        why = one_line(decided.reason).rstrip(".")
        sentences.append(
            f"{name} gave no usable answer about {counted(n, 'text')}, most often because: {why}."
        )
    if n := decided.counts["refused"]:
        sentences.append(f"{name} declined to answer about {counted(n, 'text')}.")
    if decided.form == _STAND_IN:
        sentences.append(
            f"{name} takes no typed decisions, so probabilities of the points’ letters stand in."
        )
        reasons = "; ".join(f"{form}: {why}" for form, why in decided.not_taken.items())
        sentences += refused_forms_notes(name, reasons)
    if n := decided.counts["normalised"]:
        sentences.append(
            f"The probabilities of {counted(n, 'decision')} of {name} did not sum to 1, within what rounding "
            "explains, and were made to."
        )
    return tuple(sentences)


def undecided_cautions(lost: "MissingDecisions | None") -> tuple[str, ...]:
    """Say that no text has a decision, and why; nothing where decisions came, or nobody was to decide."""
    if lost is None:
        return ()
    why = one_line(lost.reason).rstrip(".")
    return (f"No text has a decision of {one_line(lost.model)}; ratings by similarity are complete: {why}.",)
