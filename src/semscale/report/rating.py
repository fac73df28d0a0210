"""Documents of rated texts: of one column, and of several columns of a table."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from semscale.rating.anchors import language_setting
from semscale.rating.calibration import SHARE_BELOW
from semscale.rating.expected import DOUBTFUL
from semscale.rating.settings import UNRELATED
from semscale.report import chart_data, figures, parts, sentences
from semscale.report.calibration import (
    CORRECTED,
    PROBIT,
    REVERSED,
    comparison_blocks,
    correction_sentence,
    correction_texts,
    ranking_warnings,
)
from semscale.report.chart_data import ChartData
from semscale.report.chart_kit import NARROW_LIMIT, mass_heads, point_names, scale_digits
from semscale.report.document import (
    Citation,
    DataTable,
    Document,
    Figure,
    Label,
    Line,
    Notice,
    Number,
    Paragraph,
    Quoted,
    Quotes,
    Section,
    Share,
    Value,
    Verbatim,
    Verbatims,
    estimate_cell,
    mark_findings,
    notices,
    share_cell,
    stamp,
)
from semscale.report.formatting import (
    LONGEST,
    capitalise,
    count,
    count_of,
    coverage,
    has_interval,
    join_list,
    number,
    one_line,
    percent,
    plain,
    with_sign,
)
from semscale.report.lint import SSR, discriminant_warnings, lint_warning
from semscale.report.parts import Columns, section, table, table_of, without_none
from semscale.report.rating_groups import groups_section
from semscale.report.row_charts import strips
from semscale.report.scale_trust import (
    doubt_warnings,
    expected_sentence,
    not_measured,
    observed_correlation,
    observed_sentence,
    trust_blocks,
    trust_level,
    unchecked_sentence,
)
from semscale.report.sentences import STATUS_MEANINGS, language_name
from semscale.results.result import UNREAD
from semscale.scales.library import languages_in
from semscale.spelling import hint
from semscale.stats.intervals import mass_names
from semscale.stats.prediction_powered import FEWEST_IN_GROUP
from semscale.store.missing_codes import OTHER_NUMBERS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.rating.calibration import Calibration
    from semscale.rating.decisions import DecidedComparison
    from semscale.rating.human import RatingComparison
    from semscale.rating.summary import LanguageTexts, RatingSummaries, RatingSummary
    from semscale.scales import Scale

MEANINGS = STATUS_MEANINGS | {
    "missing": "no answer: the cell is empty or null, or holds a code for a missing answer",
    "uninformative": "no letter, no digit and no emoji that the model reads",
    "weightless": UNREAD,
    "other-language": "the model does not read the language of the text",
    "off-topic": "not more similar to any anchor than unrelated sentences are",
    "not-about": "no part of the text is about the aspect of the scale",
    "no-weight": "rated, but without a weight",
    "zero-weight": "rated, but with a weight of 0",
    "no-respondent": "rated, but the respondent is not known",
}
NPS_CAUTION = (
    "This net promoter score comes from probabilities, which spread over all points: use it to compare "
    "groups, and do not compare it with an NPS from numeric answers."
)
RANKING = "Use this mean to compare groups and texts, not as an absolute level."
"""Caution on a mean without calibration."""

_UNCORRECTED_RANKING = RANKING.replace("this mean", "the uncorrected mean")

_READOUTS = {
    "ssr": "ssr: the more similar an anchor, the more mass its point gets",
    "ordinal": "ordinal: the position of the text between the lower and the upper anchors, by a cumulative "
    "probit model",
    "combined": "combined: the mean of the ordinal readout and of a softmax of centred similarities",
}
_ANCHORS = (
    "Texts are rated with the scale's own anchors if the scale has no translated anchors in their language, "
    "or if these have not passed their check."
)
_COMPARED_WITH_DECISIONS = (
    "Reliability of the means by similarity comes from the agreement of the anchor sets, that of the "
    "decisions from the agreement of the orders in which the points were read (Spearman-Brown); it is not "
    "known with one set, or one order. The corrected correlation is what it would be without that error; the "
    "error of a side that is not corrected still lowers it. ICC(2,1) asks for equal means and not only for "
    "an equal order: a difference between the two methods lowers it."
)
_BOOTSTRAP = Citation(
    "Hesterberg, T. C. (2015).",
    "What teachers should know about the bootstrap",
    "The American Statistician 69(4), 371–386",
    "intervals: percentiles expanded for few clusters",
)
_ORDINAL = (
    replace(PROBIT, use="readout: a cumulative model with the probit link"),
    Citation(
        "An, J., Kwak, H., Ahn, Y.-Y. (2018).",
        "SemAxis: a lightweight framework to characterize domain-specific word semantics beyond sentiment",
        "Proceedings of ACL 2018, 2450–2461",
        "readout: positions on an axis between opposite anchors",
    ),
)
_SHOWN_CODES = 6
_MOST_QUOTES = 5  # on a slide
_MOST_UNLIKE = 0.1  # share of texts unlike the labelled ones; 2 % of the labelled ones are so themselves
_NAMED_LANGUAGES = 4  # languages in a sentence
_DARKEST_SHARE = 0.35  # least probability of the heat map's darkest colour, so that flat PMFs look flat


def rating_document(summary: "RatingSummary") -> Document:
    """Turn ratings into a document."""
    scale, estimates = summary.scale, summary.estimates
    values, digits = tuple(scale.values.tolist()), scale_digits(scale)
    readout = dict(summary.signature.fields).get("readout", "")
    lead = None
    if not summary.withholds_means:
        lead = parts.headline(
            estimates,
            "mean score",
            (values[0], values[-1]),
            digits=digits,
            ticks=values,
            advice=mean_advice(summary),
        )
        if lead is not None:
            lead = replace(lead, correction=correction_sentence(summary.comparison, digits) or "")
    return Document(
        kind="rating report",
        name=one_line(scale.title),
        title=Quoted(scale.title),
        source=_source(summary),
        lead=not_measured(scale) if summary.withholds_means else lead,
        introduction=without_none(
            *_introduction(summary), Paragraph(lead.advice, detail="brief") if lead else None
        ),
        notices=notices(
            warnings=_warnings(summary),
            cautions=[*estimates.notes_about("row"), *_cautions(summary)],
            notes=parts.estimate_notes(estimates, n_windowed=summary.n_windowed),
        ),
        facts=parts.facts(*_facts(summary)),
        sections=without_none(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            *parts.column_settings(summary, by="Groups", further_groups="Groups"),
            *parts.column_settings(summary, weight="Weights", respondent="Respondents"),
            *_settings(summary, readout),
            ("Intervals", sentences.estimate_method(estimates)),
        ),
        citations=without_none(
            SSR,
            *(_ORDINAL if readout in {"ordinal", "combined"} else ()),
            _BOOTSTRAP if estimates.overall.method == "bootstrap" else None,
        ),
        signature=summary.signature,
        measured=tuple(_measured(summary)),
    )


def _measured(summary: "RatingSummary") -> Iterator[str]:
    """Yield what was rated, how many texts count, the input and the date."""
    low, high = (f"{summary.scale.values[end]:g}" for end in (0, -1))
    of = f" of “{one_line(summary.text)}”" if summary.text else ""
    yield f"Texts{of}, rated from {low} to {high}"
    included = summary.estimates.overall.n
    counted = count_of(summary.n, "text")
    if included != summary.n:
        counted = f"{count(included)} of {counted}"
    yield f"{counted}, {'not weighted' if summary.weight is None else 'weighted'}"
    yield parts.input_line(summary)


def _source(summary: "RatingSummary") -> tuple[Line, ...]:
    """Return file, question and date."""
    if not summary.text:
        return parts.input_and_date(summary)
    file, *others = parts.input_and_date(summary)
    return file, ("ratings of “", Quoted(summary.text, 120), "”"), *others


def _introduction(summary: "RatingSummary") -> Iterator[Paragraph]:
    """Yield what qualifies the mean, the number of rated texts, and the meaning of the mean's interval."""
    digits = scale_digits(summary.scale)
    for qualification in without_none(
        observed_sentence(summary),
        correction_sentence(summary.comparison, digits),
        missing_anchors_sentence(summary),
    ):
        yield Paragraph(qualification, detail="both")
    scored = parts.scored_rows(summary)
    interval = None if summary.withholds_means else interval_sentence(summary)
    if interval is None:
        yield scored
    else:
        yield replace(scored, detail="brief")
        yield Paragraph(interval)
    if summary.expected is not None and (brief := expected_sentence(summary)):
        yield Paragraph(unchecked_sentence(summary.expected), detail="both", brief=brief)
    if codes := codes_hint(summary.possible_codes):
        yield Paragraph(f"{capitalise(codes)}.", detail="both", brief=f"hint: {codes}")
    if calibration := calibration_line(summary):
        yield Paragraph(f"calibration: {calibration}", detail="brief")


def _facts(summary: "RatingSummary") -> Iterator[parts.Fact]:
    scored, included = summary.counts.get(Status.SCORED, 0), summary.estimates.overall.n
    yield "Rows", summary.n
    yield "Rated", scored
    if included != scored:
        yield "Counted", included
    yield "Left out", summary.n - included
    if summary.n_windowed:
        yield "Read in windows", summary.n_windowed
    if summary.calibration is not None:
        yield "Unlike the labelled", summary.n_unfamiliar
    if (observed := observed_correlation(summary)) is not None:
        yield "Correlation with labels", estimate_cell(observed)
    elif summary.expected is not None and expected_sentence(summary) is None:
        yield "Expected correlation with people", estimate_cell(summary.expected)


def _settings(summary: "RatingSummary", readout: str) -> Iterator[parts.Setting]:
    scale, compared = summary.scale, summary.comparison
    described = f", {scale.n_points} points, {scale.language}, content {scale.content_hash}"
    yield "Scale", (Quoted(scale.name), described)
    yield "Anchor sets", Quoted(", ".join(summary.set_names), LONGEST)
    yield "Readout", _READOUTS.get(readout)
    yield "Calibration", calibration_line(summary)
    yield "Off-topic floor", _floor_text(summary)
    if summary.n_distinct is not None:
        yield "Distinct texts", f"{count(summary.n_distinct)}, with those that could not be rated"
    if compared is not None:
        yield "Labels", parts.quote_file_name(compared.sheet) if compared.sheet else None
        yield "Comparison", Quoted(compared.signature, LONGEST)


def _floor_text(summary: "RatingSummary") -> str:
    if summary.floor is None:
        return "none"
    if dict(summary.signature.fields).get("floor", "").startswith(UNRELATED):
        return f"cosine with unrelated sentences {with_sign(number(summary.floor, 3))}"
    return f"cosine {number(summary.floor, 3)}"


def _sections(summary: "RatingSummary") -> Iterator[Section | None]:
    if not summary.withholds_means:
        yield from _estimate_sections(summary)
    yield _languages(summary)
    compared, decided = summary.comparison, summary.decided
    if compared is not None and (compared.n or not compared.n_in_calibration):
        yield section("humans", "Comparison with human ratings", *comparison_blocks(compared, summary.scale))
    if decided is not None:
        title = f"Comparison with typed decisions of {one_line(decided.model)}"
        yield section("decided", title, _decisions_table(decided), _COMPARED_WITH_DECISIONS)
    if not summary.withholds_means:
        yield from _text_sections(summary)
    windowed = sentences.windows_note(summary.n_windowed)
    yield parts.left_out_section(summary, MEANINGS, f"{windowed}." if windowed else None)
    yield section("scale", "Can the scale be trusted?", *trust_blocks(summary), level=trust_level(summary))


def _estimate_sections(summary: "RatingSummary") -> Iterator[Section | None]:
    """Build the sections with means and shares of all texts, and of groups."""
    if summary.estimates.overall.mean is None:
        yield parts.nothing_section("distribution")
    else:
        estimates = _estimate_table(summary)
        yield section(
            "distribution",
            "Expected share of each point",
            replace(estimates, detail="brief"),
            _pmf_figure(summary),
            replace(estimates, detail="full"),
            _weights_sentence(summary),
        )
    if summary.estimates.groups:
        yield groups_section("groups", summary)
    for position, (by, further) in enumerate(summary.further_groups.items(), start=2):
        yield groups_section(f"groups-{'i' * position}", replace(summary, by=by, estimates=further))


def _weights_sentence(summary: "RatingSummary") -> str | None:
    """State what is weighted, and how precise the mean is; ``None`` without weights."""
    if summary.weight is None:
        return None
    effective = number(summary.estimates.overall.effective_n, 0)
    return (
        "Means and shares are weighted; numbers of texts are not. With these weights, the mean is about as "
        f"precise as that of {effective} texts of equal weight (effective n)."
    )


def _text_sections(summary: "RatingSummary") -> Iterator[Section | None]:
    """Build the sections with single texts."""
    yield section("texts", "All ratings at a glance", _heat_figure(summary))
    if extreme := verbatims(summary):
        shown = section(
            "verbatims",
            "The clearest and the vaguest",
            "Bars show how probable each point is for a text, from the lowest to the highest; the tallest "
            f"means {percent(extreme.tallest, 0)}. Entropy measures how vague a rating is, from 0 if one "
            f"point is certain to {number(math.log(summary.scale.n_points))} if all are equally probable.",
            extreme,
        )
        yield None if shown is None else replace(shown, quotes=_texts_across_range(summary))


# Several columns of texts


def several_texts_document(summaries: "RatingSummaries") -> Document:
    """Combine the documents of all texts below a table of their means."""
    documents = {text: rating_document(summary) for text, summary in summaries.texts.items()}
    first = next(iter(summaries.texts.values()))
    sections = [Section("texts-overview", "All texts", (_texts_overview(summaries),))]
    for position, (text, document) in enumerate(documents.items(), start=1):
        heading = Paragraph(
            (Quoted(text), ", scale ", Quoted(summaries.texts[text].scale.name)), detail="brief"
        )
        top, *further = (_of_text(part, text, position) for part in document.sections)
        sections += [replace(top, blocks=(heading, *top.blocks)), *further]
    signatures = (
        f"signature of {one_line(text)}: {summary.signature}" for text, summary in summaries.texts.items()
    )
    return Document(
        kind="rating report",
        name="Ratings",
        title=("Ratings of ", parts.quote_file_name(summaries.source)),
        source=(parts.quote_file_name(summaries.source), stamp(summaries.created)),
        introduction=tuple(
            _name_text(text, paragraph)
            for text, document in documents.items()
            for paragraph in document.introduction
        ),
        notices=(
            *_join_notices({text: document.notices for text, document in documents.items()}),
            *notices(notes=signatures),
        ),
        facts=parts.facts(("Texts", len(documents)), ("Rows", first.n)),
        sections=tuple(sections),
    )


def _name_text(text: str, paragraph: Paragraph) -> Paragraph:
    """Return a paragraph that begins with the text it is about."""
    brief = _prefix_line(text, paragraph.brief) if paragraph.brief else ""
    return replace(paragraph, text=_prefix_line(text, paragraph.text), brief=brief)


def _texts_overview(summaries: "RatingSummaries") -> DataTable:
    columns: Columns[tuple[str, RatingSummary]] = (
        ("text", lambda row: Quoted(row[0])),
        ("scale", lambda row: Quoted(row[1].scale.name)),
        ("rows", lambda row: row[1].estimates.overall.n),
        ("left out", lambda row: row[1].n - row[1].estimates.overall.n),
        ("mean", lambda row: _shown_mean(row[1])),
        ("expected r", lambda row: None if row[1].expected is None else row[1].expected.value),
    )
    estimates = [summary.estimates for summary in summaries.texts.values()]
    means = (estimate.overall.mean for estimate in estimates)
    title = f"Means{parts.coverage_suffix(means, estimates[0].interval)}"
    return table_of(summaries.texts.items(), columns, title=title, noun="text")


def _shown_mean(summary: "RatingSummary") -> Value:
    if summary.withholds_means:
        return Label("probably not measured")
    return estimate_cell(summary.estimates.overall.mean, scale_digits(summary.scale))


def _of_text(part: Section, text: str, position: int) -> Section:
    """Return a section with the text in its title and the text's number, in letters, in its name."""
    return replace(part, name=f"text-{'i' * position}-{part.name}", title=_prefix_line(text, part.title))


def _prefix_line(text: str, line: Line) -> Line:
    rest = line if isinstance(line, tuple) else (line,)
    return (Quoted(text), ": ", *rest)


def _join_notices(by_text: Mapping[str, tuple[Notice, ...]]) -> tuple[Notice, ...]:
    """Join equal notices; each starts with its texts, unless it applies to all texts."""
    texts: dict[Notice, list[str]] = {}
    for text, stated in by_text.items():
        for notice in stated:
            texts.setdefault(notice, []).append(one_line(text))
    return tuple(
        notice if len(names) == len(by_text) else replace(notice, text=f"{', '.join(names)}: {notice.text}")
        for notice, names in texts.items()
    )


# Sentences


def interval_sentence(summary: "RatingSummary") -> str | None:
    """Explain the mean and its interval in one sentence; ``None`` without a mean."""
    estimates, points = summary.estimates, summary.scale.points
    mean = estimates.overall.mean
    if mean is None:
        return None
    labels = (
        f"On this scale {plain(points[0].value)} is “{one_line(points[0].label)}” and "
        f"{plain(points[-1].value)} is “{one_line(points[-1].label)}”"
    )
    unit = "respondent" if estimates.clustered else "text"
    if not has_interval(mean):
        return f"{labels}. One {unit} does not show the spread: there is no interval."
    limits = "Errors of the ratings are not in it."
    if estimates.refits:
        limits = "Chance in the calibration's labels is in it, other errors of the ratings are not."
    return (
        f"{labels}. If these {unit}s are a random sample, the mean of all {unit}s plausibly lies in the "
        f"interval. {limits}"
    )


def mean_advice(summary: "RatingSummary") -> str:
    """State the use of the mean: to compare, or as a level if human labels calibrated it."""
    if summary.is_doubtful:
        return "Do not use this mean until labels show what the scale measures."
    calibration, compared = summary.calibration, summary.comparison
    if _is_reversed(calibration, compared):
        return "Do not use this mean until the direction of the labels is clear."
    observed = observed_correlation(summary)
    if calibration is None and observed is not None and not observed.low >= DOUBTFUL:
        return "The labels do not show that this mean orders groups and texts."
    if calibration is None or not calibration.error.is_clear:
        has_corrected = correction_sentence(compared, scale_digits(summary.scale)) is not None
        return _UNCORRECTED_RANKING if has_corrected else RANKING
    texts = count_of(calibration.labels.n, "labelled text")
    if not calibration.error.has_ranking:
        return f"Calibrated by {texts}: do not rank texts or groups by it."
    return f"Calibrated by {texts}: a level for texts like these."


def _is_reversed(calibration: "Calibration | None", compared: "RatingComparison | None") -> bool:
    """Return true if ratings decrease with the labels, in the calibration or in these texts."""
    if calibration is not None and calibration.error.is_reversed:
        return True
    return compared is not None and compared.pearson.high < 0


def calibration_line(summary: "RatingSummary") -> str | None:
    """State the calibration, and its error unless a warning states it; ``None`` without a calibration."""
    calibration = summary.calibration
    if calibration is None:
        return None
    texts = count_of(calibration.labels.n, "labelled text")
    if not calibration.error.is_clear:
        return texts
    return f"{texts}; on texts that were not used to fit it, {_errors(calibration)}"


def _errors(calibration: "Calibration") -> str:
    error = calibration.error
    return (
        f"the ranked probability score was {number(error.calibrated, 3)} with it and "
        f"{number(error.uncalibrated, 3)} without (less is better)"
    )


def _warnings(summary: "RatingSummary") -> Iterator[str]:
    yield from doubt_warnings(summary)
    yield from discriminant_warnings(summary.discriminant)
    yield from calibration_warnings(summary.calibration)
    if _is_reversed(None, summary.comparison):
        yield REVERSED
    yield from sentences.language_warnings(summary, "text", lack="rating")
    yield from _language_warnings(summary)
    yield from sentences.off_topic_warnings(summary.counts)
    yield from sentences.unread_warnings(summary.counts, "text")
    if summary.expected is None and summary.lint and (warning := lint_warning(summary.lint)):
        yield warning


def calibration_warnings(calibration: "Calibration | None") -> Iterator[str]:
    """Warn of a calibration with reversed labels, without a ranking, or without a clear gain."""
    if calibration is None:
        return
    error = calibration.error
    yield from ranking_warnings(error)
    if error.is_clear:
        return
    if error.is_worse:
        yield (
            "This calibration makes ratings worse: on texts that were not used to fit it, "
            f"{_errors(calibration)}. Rate without it"
            + hint(" (`calibration`)")
            + ", or label more texts and calibrate again."
        )
        return
    gain = ""
    if error.gain_low is not None and error.gain_high is not None:
        gain = f"; the gain lies between {number(error.gain_low, 3)} and {number(error.gain_high, 3)}"
    yield (
        "It is not clear that this calibration helps: on texts that were not used to fit it, "
        f"{_errors(calibration)}"
        f"{gain}. Label more texts before you rely on it."
    )


def _language_warnings(summary: "RatingSummary") -> Iterator[str]:
    """Warn of texts that seem to be in another language than stated."""
    other, stated = summary.other_language, language_setting(summary.signature)
    if other is None or stated is None or summary.unread_language is not None:
        return
    texts = (
        f"Read together, the {count(other.n)} sampled texts seem to be {other.name}"
        if other.share is None
        else f"{percent(other.share, 0)} of the {count(other.n)} sampled texts whose language is clear seem "
        f"to be in other languages, most often {other.name}"
    )
    yield (
        f"{texts}, but the stated language is {language_name(stated)}. Do not trust these figures, and have "
        "the language of each text recognised" + hint(" (`language='auto'`)") + "."
    )


def _cautions(summary: "RatingSummary") -> Iterator[str]:
    if summary.estimates.overall.nps is not None:
        yield NPS_CAUTION
    scored, unlike = summary.counts.get(Status.SCORED, 0), summary.n_unfamiliar
    if summary.calibration is not None and unlike > _MOST_UNLIKE * scored:
        yield (
            f"{count(unlike)} of {count_of(scored, 'rated text')} are unlike those that the calibration was "
            f"fitted to ({SHARE_BELOW:.0%} would be usual): label some of them and calibrate again."
        )
    if summary.comparison is not None:
        yield from summary.comparison.notes
    yield from sentences.unseen_codes_note(summary.unseen_codes, summary.text)
    if summary.decided is not None:
        yield from decision_cautions(summary.decided)
    if summary.undecided is not None:
        model, reason = one_line(summary.undecided.model), one_line(summary.undecided.reason).rstrip(".")
        yield f"No text has a decision of {model}; ratings by similarity are complete: {reason}."


def codes_hint(codes: Mapping[str, int], noun: str = "rated text") -> str:
    """State that texts seem to be codes for missing answers, with the options that exclude them.

    Args:
        codes: number of texts with each code.
        noun: singular of the texts.
    """
    if not codes:
        return ""
    shown, n = list(codes.items())[:_SHOWN_CODES], sum(codes.values())
    listing = ", ".join(f"{count(times)} × {one_line(code)}" for code, times in shown)
    listing += ", ..." if len(codes) > len(shown) else ""
    options = "` `".join(f"missing={one_line(code)!r}" for code, _ in shown if code != OTHER_NUMBERS)
    verb, them = ("seems", "it") if n == 1 else ("seem", "them")
    return f"{count_of(n, noun)} {verb} to mean “no answer” ({listing})" + hint(
        f"; to leave {them} out: `{options}`"
    )


def missing_anchors_sentence(summary: "RatingSummary") -> str | None:
    """State that texts were rated with anchors in another language than ``--language`` states."""
    affected = summary.without_anchors
    if not affected:
        return None
    rated, n = sum(texts.rated for texts in affected), summary.counts.get(Status.SCORED, 0)
    ratings = f"their {count(rated)} of {count_of(n, 'rating')}"
    if rated == n:
        ratings = "the rating" if n == 1 else "all ratings"
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
    """List languages by name; a long list ends with the number of others."""
    names = [language_name(texts.language) for texts in languages]
    most = _NAMED_LANGUAGES - 1
    return join_list(
        names if len(names) <= _NAMED_LANGUAGES else [*names[:most], f"{len(names) - most} others"]
    )


# All texts, and groups of them


def _estimate_table(summary: "RatingSummary") -> DataTable:
    """Build the table of figures over all texts, with explanations."""
    overall, values = summary.estimates.overall, [plain(value) for value in summary.scale.values]
    digits = scale_digits(summary.scale)
    rows: list[tuple[str, Value, str]] = [
        (f"mean, from {values[0]} to {values[-1]}", estimate_cell(overall.mean, digits), "mean of all texts")
    ]
    compared = summary.comparison
    if compared is not None and (corrected := compared.corrected) is not None:
        mean = estimate_cell(corrected, digits, note=corrected.note or "")
        meaning = f"the mean that people would give to {correction_texts(compared)}"
        rows.append((f"mean of all texts, {CORRECTED}", mean, meaning))
    shares = (
        ("top 2 points", "top_2_box", f"top-2-box: probability of {' or '.join(values[-2:])}"),
        ("bottom 2 points", "bottom_2_box", f"bottom-2-box: probability of {' or '.join(values[:2])}"),
        ("net (top minus bottom)", "net", "top-2-box minus bottom-2-box, before rounding"),
        ("NPS", "nps", "net promoter score: probability of 9 or 10 minus that of 0 to 6"),
    )
    corrected_figures = {} if compared is None else compared.figures_by(None)
    for name, share, meaning in shares:
        if share in overall.figures:
            rows.append((name, share_cell(overall.figures[share]), f"{meaning}{_correction_note(summary)}"))
        if (figure := corrected_figures.get((None, share))) is not None:
            rows.append((f"{name}, {CORRECTED}", share_cell(figure), "as people would rate"))
    covered = parts.coverage_suffix((value for _, value, _ in rows), summary.estimates.interval)
    return table(("", "estimate", "meaning"), rows, title=f"Altogether{covered}", explained=True)


def _correction_note(summary: "RatingSummary") -> str:
    """Note at a figure that labels do not correct it, if they correct only the mean."""
    compared = summary.comparison
    if compared is None or compared.corrected is None or compared.corrected.n_labelled >= FEWEST_IN_GROUP:
        return ""
    return f"; not corrected by the labels, which takes {FEWEST_IN_GROUP}"


def _pmf_figure(summary: "RatingSummary") -> Figure:
    """Draw the survey PMF, with the highest point at the top."""
    names, masses = point_names(summary.scale), summary.estimates.overall.pmf
    corrected = {} if summary.comparison is None else summary.comparison.figures_by(None)
    has_corrected = all((None, name) in corrected for name in mass_names(summary.scale.values))
    rows = [
        (
            Quoted(f"{plain(point.value)} {point.label}"),
            share_cell(mass),
            *([share_cell(corrected[None, name])] if has_corrected else ()),
        )
        for point, mass, name in zip(
            summary.scale.points, masses, mass_names(summary.scale.values), strict=True
        )
    ]
    heads = ("point", "share", *([CORRECTED] if has_corrected else ()))
    about_labels = (
        f" The bars are not corrected by the labels{'; the table has both' if has_corrected else ''}."
    )
    lines = f"; the thin line is its {coverage(summary.estimates.interval)} interval"
    return Figure(
        "distribution",
        *figures.bar_chart(list(zip(names, masses, strict=True))[::-1], about="Bars: share of each point"),
        table(heads, rows, title="Distribution", bars=tuple(mass.value for mass in masses)),
        caption="Each bar is the expected share of texts at a point: its probability, averaged over all "
        "rated texts"
        f"{lines if any(map(has_interval, masses)) else ''}."
        f"{about_labels if has_corrected or _correction_note(summary) else ''}",
        finding=_distribution_finding(summary),
        data=(
            ChartData(
                "columns",
                *chart_data.estimates("share of each point", zip(names, masses, strict=True)),
                order=figures.scale_order(summary.scale),
                coverage=summary.estimates.interval,
            ),
        ),
    )


def _distribution_finding(summary: "RatingSummary") -> str:
    """State the mean on its scale, with its interval in words."""
    mean, digits = summary.estimates.overall.mean, scale_digits(summary.scale)
    if mean is None:
        return ""
    low, high = (plain(summary.scale.values[end]) for end in (0, -1))
    stated = f"The mean is {number(mean.value, digits)} on a scale from {low} to {high}"
    if not has_interval(mean):
        return stated
    return f"{stated}, plausibly between {number(mean.low, digits)} and {number(mean.high, digits)}"


def _languages(summary: "RatingSummary") -> Section | None:
    """Build the section with the number of texts by language; ``None`` if all have the scale's language."""
    if all(texts.language in {summary.scale.language, None} for texts in summary.languages):
        return None
    rows = [
        (
            language_name(texts.language),
            texts.texts,
            texts.rated,
            "–" if texts.anchors is None else language_name(texts.anchors),
        )
        for texts in summary.languages
    ]
    heads = ("language", "texts", "rated", "anchors")
    return parts.language_section(heads, rows, "Texts by language", _ANCHORS)


# Single texts


def _heat_figure(summary: "RatingSummary") -> Figure | None:
    """Draw the sampled PMFs in order of their means; ``None`` for fewer than two."""
    sample = summary.sample.sort("mean", "row")
    if sample.height < 2:
        return None
    scale, digits = summary.scale, scale_digits(summary.scale)
    pmf, means = np.array(sample["pmf"].to_list(), dtype=np.float64), sample["mean"].to_numpy()
    darkest = max(float(pmf.max()), _DARKEST_SHARE)
    low, middle, high = (number(float(level), digits) for level in (means[0], np.median(means), means[-1]))
    scored = summary.counts.get(Status.SCORED, 0)
    sampled = f"A random sample of {count(sample.height)} of the {count_of(scored, 'rated text')}"
    texts = "Every rated text" if sample.height == scored else sampled
    levels, names = (pmf.T / darkest)[::-1], point_names(scale)[::-1]

    def ticks(width: int) -> list[tuple[int, str]]:
        n = min(5 if width < NARROW_LIMIT else 9, len(means))
        columns = np.linspace(0, len(means) - 1, n).round().astype(int).tolist()
        return [(column, number(means[column], digits)) for column in columns]

    rows = (
        (Quoted(text, 90), row + 1, Number(mean, digits), *map(Share, masses))
        for text, row, mean, masses in sample.select("text", "row", "mean", "pmf").iter_rows()
    )
    return Figure(
        "texts",
        lambda width: strips(levels, names, ticks(width), width=width),
        f"Heat map of {count_of(sample.height, 'rating')} by mean: {low} to {high}, median {middle}.",
        table(("text", "row", "mean", *mass_heads(scale)), rows, detail="full"),
        finding=f"Scores from {low} to {high}, half of them below {middle}",
        caption=f"{texts}: one column per text, sorted by mean score (below the picture). "
        "The stronger a cell's colour, the more probable that point is for the text, up to "
        f"{percent(darkest, 0)}.",
        style="heat",
    )


def verbatims(summary: "RatingSummary") -> Verbatims | None:
    """Return the texts with the least and the greatest entropy, each once; ``None`` without texts."""
    most, least = (rows.drop_nulls("text") for rows in (summary.most_certain, summary.least_certain))
    ranks = [{row: rank for rank, row in enumerate(rows["row"])} for rows in (most, least)]
    # If there are few texts, both lists have the same rows; each row stays in the list in which it ranks
    # higher.
    nearer_most = [row for row, rank in ranks[0].items() if rank <= ranks[1].get(row, rank)]
    titled = (
        ("most certain", most.filter(pl.col("row").is_in(nearer_most))),
        ("least certain", least.filter(~pl.col("row").is_in(nearer_most))),
    )
    columns = tuple((title, tuple(_verbatims(rows, summary.scale))) for title, rows in titled if rows.height)
    return Verbatims(columns) if columns else None


def _texts_across_range(summary: "RatingSummary") -> Quotes | None:
    """Return sampled texts at equal distances in the order of their means, from the highest to the lowest."""
    sample = summary.sample.drop_nulls("text").sort("mean", "row", descending=[True, False])
    digits = scale_digits(summary.scale)
    picked = np.linspace(0, sample.height - 1, min(_MOST_QUOTES, sample.height)).round().astype(int)
    rows = sample.select("text", "mean").rows()
    texts = tuple(
        (f"Rated {number(rows[row][1], digits)}", mark_findings(rows[row][0])) for row in picked.tolist()
    )
    return (
        Quotes("Answers across the range of ratings, from the highest to the lowest", texts)
        if texts
        else None
    )


def _verbatims(rows: pl.DataFrame, scale: "Scale") -> Iterator[Verbatim]:
    digits, values = scale_digits(scale), [plain(value) for value in scale.values]
    for text, row, mean, entropy, pmf in rows.select("text", "row", "mean", "entropy", "pmf").iter_rows():
        masses = ", ".join(f"{value}: {percent(mass, 0)}" for value, mass in zip(values, pmf, strict=True))
        yield Verbatim(
            Quoted(text),
            row + 1,
            Number(mean, digits),
            Number(entropy),
            tuple(pmf),
            f"Probabilities: {masses}",
        )


# Decisions of a chat model


def _decisions_table(decided: "DecidedComparison") -> DataTable:
    """Build the table that compares ratings by similarity with ratings by typed decisions."""
    corrected = {(): "neither side’s error", ("similarity", "decisions"): "the error of both sides"}
    sides = corrected.get(decided.corrected_for) or f"the error of {decided.corrected_for[0]} alone"
    order_bias = decided.ratings.order_bias
    rows: tuple[tuple[str, Value] | None, ...] = (
        ("distinct texts with both ratings", decided.n),
        ("mean by similarity", decided.rated),
        ("mean by decisions", decided.decided),
        ("decision minus similarity", estimate_cell(decided.difference, signed=True)),
        ("correlation of the texts’ means", decided.correlation),
        ("reliability of the means by similarity", decided.reliability),
        ("reliability of the means by decisions", decided.decided_reliability),
        (f"correlation, corrected for {sides}", decided.corrected),
        ("agreement of the texts’ means, ICC(2,1)", decided.intraclass),
        ("KS similarity of both distributions", decided.ks),
        ("order bias of the decisions", Share(order_bias, 0)) if order_bias >= 0 else None,
    )
    return table(("", "value"), without_none(*rows), brief_title="Comparison with decisions")


def decision_cautions(decided: "DecidedComparison") -> Iterator[str]:
    """Return cautions on missing decisions, substitutes for decisions, and normalised probabilities."""
    name, ratings = one_line(decided.model), decided.ratings
    if n := ratings.counts["unusable"]:
        yield sentences.unusable_answers_note(name, n, "text", ratings.reason)
    if n := ratings.counts["refused"]:
        yield f"{name} declined to answer about {count_of(n, 'text')}."
    if ratings.form == "next-token":
        yield f"{name} takes no typed decisions, so probabilities of the points’ letters replace them."
        reasons = "; ".join(f"{form}: {reason}" for form, reason in ratings.refused_forms.items())
        yield from sentences.forms_notes(name, reasons)
    if n := ratings.counts["normalised"]:
        yield sentences.normalisation_note(name, n)
