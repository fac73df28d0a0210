"""Document of coded answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from semscale.coding.code_shares import FEWEST_TO_CORRECT
from semscale.coding.coding import UNSURE, CodingOutcome
from semscale.coding.settings import BY_LIKENESS, CodeSettings
from semscale.guards.findings import Span
from semscale.report import figures, parts
from semscale.report.chart_data import ChartData, Series, estimates
from semscale.report.chart_kit import ACCENT
from semscale.report.coding_chat import chat_section, reply_cautions, reply_table
from semscale.report.coding_labels import advice_section
from semscale.report.document import (
    Block,
    Citation,
    Count,
    DataTable,
    Document,
    Figure,
    Interval,
    Marked,
    Number,
    Paragraph,
    Quoted,
    Quotes,
    Section,
    Share,
    Swatch,
    Value,
    estimate_cell,
    mark_findings,
    notices,
    p_cell,
    share_cell,
)
from semscale.report.formatting import (
    count,
    count_of,
    coverage,
    has_interval,
    join_list,
    name_with_base,
    number,
    one_line,
    percent,
    with_sign,
)
from semscale.report.parts import Column, Columns, section, table, table_of, without_none
from semscale.report.row_charts import PALE
from semscale.report.sentences import sample_caution, unseen_codes_note
from semscale.spelling import hint
from semscale.stats.calibration import FEWEST_OF_EACH
from semscale.stats.prediction_powered import FEWEST_IN_GROUP
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.coding.code_shares import CodeShare, Driver, Drivers, GroupTest
    from semscale.coding.codebook import Codebook
    from semscale.coding.coding import CodeCalibration
    from semscale.coding.summary import CodingSummary, Quote
    from semscale.stats.agreement import AgreementEstimate

_NAME = 60
_HEAD = 24
_MOST_PAIRS = 20
_MOST_QUOTES = 6  # on a slide
_WEAK = 0.667
"""Krippendorff's lower bound for tentative conclusions."""

_ALPHA = Citation(
    "Hayes, A. F., & Krippendorff, K. (2007).",
    "Answering the call for a standard reliability measure for coding data",
    "Communication Methods and Measures 1, 77–89",
    "alpha",
)
UNCHECKED = (
    "Not checked by people: no answer was coded by hand, so nobody knows how often the codes are wrong."
)
"""Caution on codes without hand codes."""

UNREADABLE, NO_ANSWER = "cannot be read", "no answer"
"""Outcomes as reports name them."""

OUTCOMES = {
    CodingOutcome.CODED: "at least one code applies",
    CodingOutcome.OTHER: "no code applies",
    UNSURE: "no code applies surely, and one or more may",
    UNREADABLE: "there is nothing that the model could read",
    NO_ANSWER: "the cell is blank, a code for a missing answer, or no text",
}
"""Meaning of the outcomes as reports name them: they tell unsure answers from those that cannot be read."""
_REASONS = {
    "unsure": "a code lies between the two thresholds",
    "empty": "no answer: nothing but white space",
    "too-long": "cannot be read: more than 100,000 characters",
    "uninformative": "cannot be read: neither a letter nor a digit",
    "weightless": "cannot be read: the model knows none of it",
    "other-language": "cannot be read: the model does not read the language",
    "missing": "no answer: the cell is empty, or a code for a missing answer",
    "not-text": "no answer: a number or something else that is not text",
}
_TESTS = {
    "corrected": (
        "Welch’s test of the corrected shares, each corrected by the hand-coded answers of its group."
    ),
    "counted": (
        "Pearson’s test of the codes that were assigned; where counts are small, by 10,000 random tables "
        "with the same margins."
    ),
    "counted, weighted": (
        "Rao and Scott’s test of the codes that were assigned, which allows for weights, strata and "
        "respondents."
    ),
}
_QUALITY = (
    "Area: chance that an answer with the code scores above one without it. Brier score: mean squared error "
    "of probabilities by curves that were fitted without the answer; it should be below that of the share "
    "alone. Alpha is Krippendorff’s, nominal, of codes that five answers or more have, and five or more do "
    "not."
)
_REASON_NOTE = (
    "The marked sentence or clause decided (evidence). “Decided by” names the strongest kind of evidence. "
    "Similar meaning: to the definition or an example. Keyword, codebook word: a word of the code. Similar "
    "word: near to one of these in meaning. Other answers, hand codes: learned from them."
)
_PAIRS = (
    "How many answers have both codes, compared with chance: at 1 a pair is as frequent as if its codes had "
    "nothing to do with each other, at 2 twice as frequent, at 0.5 half as frequent."
)
_STANDARD_ERRORS = {
    "HC3": "HC3 standard errors",
    "CR2": "CR2 standard errors, which allow for rows that belong together",
}

_COUNTED_TESTS = (
    "Groups are compared by the codes that were assigned: if more of them are wrong in one group, a "
    f"difference may be due to that. With {FEWEST_IN_GROUP} hand-coded answers in each of two groups, shares "
    "are corrected before they are compared."
)
_NOT_CORRECTED = (
    f"Shares of groups are as counted; correcting them takes {FEWEST_IN_GROUP} hand-coded answers per group."
)


def coding_document(summary: "CodingSummary") -> Document:
    """Turn coded answers into a document."""
    outcomes = _count_outcomes(summary)
    counting = f"{count_of(summary.n, 'row')}: {_outcome_list(summary)}"
    has_alpha = summary.agreement.people or summary.agreement.runs
    named, other_run = summary.columns, summary.agreement.other_run
    n_codes = len(summary.codebook.codes) - len(summary.codebook.nets)
    return Document(
        kind="coding report",
        name="Code",
        title=("Codes of the answers in “", Quoted(named.heading(named.text)), "”"),
        source=(*parts.input_and_date(summary), ("codebook ", Quoted(summary.codebook.name))),
        introduction=(
            Paragraph(counting, detail="brief"),
            Paragraph(_basis(summary)),
        ),
        notices=notices(cautions=_cautions(summary)),
        facts=parts.facts(
            ("Codes", n_codes),
            *((("Nets", len(summary.codebook.nets)),) if summary.codebook.nets else ()),
            ("Rows", summary.n),
            ("No answer", outcomes[NO_ANSWER]),
            ("Cannot be read", outcomes[UNREADABLE]),
            ("Coded", outcomes[CodingOutcome.CODED]),
            ("Other", outcomes[CodingOutcome.OTHER]),
            ("Unsure", outcomes[UNSURE]),
            ("Coded by hand", summary.n_hand),
        ),
        sections=without_none(*_sections(summary)),
        settings=parts.run_settings(
            summary,
            ("Answers", parts.in_column(named.text)),
            *(("Coded by hand", parts.in_column(name)) for name in summary.people),
            *(("Groups", parts.in_column(by)) for by in named.by),
            ("Weights", parts.in_column(named.weight)),
            ("Clusters", parts.in_column(named.respondent)),
            ("Strata", parts.in_column(named.strata)),
            ("Other run", Quoted(other_run) if other_run else None),
            ("Chat model", None if summary.asked is None else Quoted(summary.asked.model)),
        ),
        citations=without_none(parts.CORRECTION if summary.n_hand else None, _ALPHA if has_alpha else None),
        signature=summary.signature,
        measured=(
            f"Topics of answers, by {count_of(n_codes, 'code')}",
            f"{count_of(summary.n_readable, 'answer')} that can be read, of {count_of(summary.n, 'row')}, "
            f"{'weighted' if named.weight else 'not weighted'}",
            parts.input_line(summary),
        ),
    )


def _count_outcomes(summary: "CodingSummary") -> dict[str, int]:
    """Return the number of answers with each outcome, as reports name it."""
    counts, n_unsure = summary.outcomes, summary.reasons.get(UNSURE, 0)
    numbers = (
        counts.get(CodingOutcome.CODED, 0),
        counts.get(CodingOutcome.OTHER, 0),
        n_unsure,
        counts.get(CodingOutcome.CANNOT_TELL, 0) - n_unsure,
        counts.get(CodingOutcome.NO_ANSWER, 0),
    )
    return dict(zip(OUTCOMES, numbers, strict=True))


def found_outcomes(summary: "CodingSummary") -> dict[str, int]:
    """Return the outcomes that some answers have, with their numbers."""
    return {outcome: n for outcome, n in _count_outcomes(summary).items() if n}


def _outcome_list(summary: "CodingSummary") -> str:
    return join_list([f"{count(n)} {outcome}" for outcome, n in found_outcomes(summary).items()])


def _basis(summary: "CodingSummary") -> str:
    readable = f"{count_of(summary.n_readable, 'answer')} that can be read"
    if summary.columns.weight:
        readable += ", with a weight above 0"
    return f"Shares are of the {readable}; an answer may have several codes."


def _sections(summary: "CodingSummary") -> Iterator[Section | None]:
    yield _share_section(summary)
    yield _sentiment_section(summary)
    for position, by in enumerate(summary.columns.by, start=1):
        shares = [share for share in summary.group_shares if share.by == by]
        tests = [test for test in summary.tests if test.by == by]
        if not (summary.corrects_shares and _can_be_corrected(shares, tests)):
            shares = _as_counted(shares)
        title = summary.columns.heading(by)
        listed = _group_table(summary, title, _overall_shares(summary, shares), shares, tests)
        note = _group_note(summary, shares, tests)
        listed = replace(listed, note=note)
        charts, finding = _group_data(summary, shares), _group_finding(summary, shares, tests)
        caption = f"Lines are {coverage(summary.plan.interval)} intervals"
        if _have_unsure(shares):
            caption += ", whose upper ends count unsure answers as if they had the code"
        figure = figures.charts_figure("groups", charts, listed, finding=finding, caption=f"{caption}.")
        yield section(
            "groups" if position == 1 else f"groups-{position}",
            ("Shares by ", Quoted(title)),
            replace(figure, shows_table=False) if charts else listed,
            Paragraph(note, "note", detail="brief"),
            Paragraph(_COUNTED_TESTS, "note", detail="both")
            if any(test.kind != "corrected" for test in tests)
            else None,
        )
    if summary.n_hand or summary.agreement.runs:
        yield section("quality", "Quality of the codes", _quality(summary), _QUALITY)
    yield advice_section(summary.advice)
    yield chat_section(summary)
    if summary.drivers is not None:
        yield _driver_section(summary, summary.drivers)
    yield section(
        "pairs", "Codes that occur together", Paragraph(_PAIRS, "lead"), _pairs(summary), _matrix(summary)
    )
    quoted = section("quotes", "Examples of each code", *_quotes(summary))
    yield None if quoted is None else replace(quoted, quotes=_typical_quotes(summary))
    yield section("outcomes", "What coded, other and unsure mean", *_outcomes(summary))


def _share_section(summary: "CodingSummary") -> Section | None:
    """Build the section with the share of each code, the most frequent first."""
    order = _by_frequency(_main_shares(summary))
    corrected = {share.code: share.corrected for share in summary.shares}
    charted = [share for share in order if share.code not in _repeated_nets(summary.codebook)]
    counts, shares = _weighting(summary)
    columns: Columns[CodeShare] = (
        ("code", lambda share: Quoted(_label(summary.codebook, share.code), _NAME)),
        (f"assigned{counts}", lambda share: Count(share.n_assigned, is_small=share.has_small_base)),
        (f"unsure{counts}", lambda share: share.n_unsure),
        (f"counted share{shares}", lambda share: share_cell(share.counted)),
        (f"corrected share{shares}", lambda share: share_cell(corrected[share.code]))
        if summary.n_hand
        else None,
        (f"positive{shares}", lambda share: share_cell(_positive(share))) if summary.scale else None,
    )
    notes = [
        "Counted share: part of all readable answers that has the code. An unsure answer counts by its "
        "probability. If there are no probabilities, it counts as one without the code, and at the upper end "
        "of the interval as one with it. Other errors of the coder are not in the interval."
    ]
    if summary.n_hand:
        notes.append(
            "Corrected share: part of all readable answers to which people would assign the code, estimated "
            f"with {count(summary.n_hand)} hand-coded answers (prediction-powered inference)."
        )
    if summary.scale is not None:
        notes.append(
            "Positive: of the answers that judge the topic, the part whose sentences and clauses about it "
            f"are rated on the good half of the scale ‘{one_line(summary.scale.name)}’ on average. Answers "
            "that only name it, such as “the price”, are left out. Errors of these ratings are not in the "
            "interval."
        )
    title = f"Codes ({coverage(summary.plan.interval)} intervals)"
    listed = table_of(order, columns, noun="code", brief_title=title)
    figure = _shares_figure(summary, charted, listed)
    return section("shares", "Share of answers with each code", figure, *notes)


def _positive(share: "CodeShare") -> Interval | None:
    return None if share.sentiment is None else share.sentiment.positive


def _sentiment_section(summary: "CodingSummary") -> Section | None:
    """Build the section with the sentiment of each code, the most positive first."""
    rated = {
        share.code: share.sentiment
        for share in summary.shares
        if share.sentiment is not None and share.sentiment.n
    }
    if not rated or summary.scale is None:
        return None
    order = sorted(rated, key=lambda code: -rated[code].positive.value)
    charted = [code for code in order if code not in _repeated_nets(summary.codebook)] or order
    low, high = summary.scale.values[[0, -1]]
    counts, shares = _weighting(summary)
    columns: Columns[str] = (
        ("code", lambda code: Quoted(_label(summary.codebook, code), _NAME)),
        (f"answers that judge it{counts}", lambda code: rated[code].n),
        (f"positive{shares}", lambda code: share_cell(rated[code].positive)),
        (f"mean, {low:g} to {high:g}{shares}", lambda code: estimate_cell(rated[code].mean)),
    )
    figure = figures.shares_figure(
        "sentiment",
        [(_label(summary.codebook, code), rated[code].positive) for code in charted],
        head="code",
        quantity="positive, of answers that judge it",
        measure="share",
        numbers=table_of(order, columns, noun="code", detail="full"),
    )
    note = (
        "Shares are of the answers that judge the topic; answers that only name it are left out. An answer "
        "is positive if its sentences and clauses about the topic are rated positive on average."
    )
    data = tuple(replace(chart, coverage=summary.plan.interval, note=note) for chart in figure.data)
    compared = [code for code in charted if code not in summary.codebook.nets] or charted
    finding = _sentiment_finding(summary.codebook, {code: rated[code].positive for code in compared})
    return section(
        "sentiment",
        "Sentiment of each code",
        replace(
            figure,
            data=data,
            finding=finding,
            caption=f"Dots are shares, lines their {coverage(summary.plan.interval)} intervals.",
        ),
        Paragraph(note, "note"),
    )


def _sentiment_finding(codebook: "Codebook", positive: Mapping[str, Interval]) -> str:
    """State the topics that are praised most and least, as far as their intervals are apart from others.

    Args:
        codebook: the codes.
        positive: share of positive answers of each code, the most positive first.
    """
    named = {code: f"‘{one_line(code)}’" for code in positive}
    shown = {code: percent(share.value) for code, share in positive.items()}
    first, last = list(positive)[0], list(positive)[-1]
    if first == last:
        return f"{shown[first]} of the answers that judge {named[first]} are positive"
    is_most = _is_apart(codebook, first, positive, lambda share, other: share.low > other.high)
    is_least = _is_apart(codebook, last, positive, lambda share, other: share.high < other.low)
    if is_most and is_least:
        return (
            f"{named[first]} is praised most ({shown[first]} positive), {named[last]} least ({shown[last]})"
        )
    if is_most:
        return f"{named[first]} is praised most ({shown[first]} positive)"
    if is_least:
        return f"{named[last]} is praised least ({shown[last]} positive)"
    better = [code for code, share in positive.items() if share.low > positive[last].high]
    if better:
        praised = join_list([f"{named[code]} ({shown[code]})" for code in better[:3]])
        return f"{named[last]} ({shown[last]} positive) is praised less than {praised}"
    return "No topic is clearly praised most or least"


def _is_apart(
    codebook: "Codebook",
    code: str,
    estimates: Mapping[str, Interval],
    exceeds: Callable[[Interval, Interval], bool],
) -> bool:
    """Return whether a code's interval is apart from those of all codes that are not above or below it."""
    others = [other for other in estimates if not codebook.are_related(code, other)]
    return bool(others) and all(exceeds(estimates[code], estimates[other]) for other in others)


def _shares_figure(summary: "CodingSummary", order: "Sequence[CodeShare]", numbers: DataTable) -> Figure:
    """Draw the share of each code; the thick end of its interval is due to unsure answers alone."""
    is_corrected = summary.corrects_shares
    pale_from = [] if is_corrected else [share.high_without_unsure for share in order]
    level = coverage(summary.plan.interval)
    quantity = "weighted share of answers" if summary.columns.weight else "share of answers"
    figure = figures.shares_figure(
        "shares",
        [(_label(summary.codebook, share.code), _best(share)) for share in order],
        head="code",
        quantity=f"{quantity}, corrected" if is_corrected else quantity,
        measure="share",
        numbers=numbers,
        pale_from=pale_from,
    )
    data = tuple(
        replace(chart, coverage=summary.plan.interval, note=_chart_note(summary, order))
        for chart in figure.data
    )
    legend: tuple[Swatch, ...] = ()
    caption = f"Dots are shares, lines their {level} intervals."
    if _have_unsure(order):
        legend = (
            Swatch(ACCENT, "share of answers with the code", "dot"),
            Swatch(ACCENT, f"{level} interval", "line"),
            Swatch(PALE, "thick: if unsure answers have the code, too", "line"),
        )
        caption = (
            f"The thin line is the {level} interval of a share. The thick line lengthens it, in case all "
            "unsure answers have the code, too; intervals in numbers include it. Other errors of the coder "
            "are not included."
        )
    finding = _shares_finding(summary.codebook, _without_nets(summary.codebook, order))
    return replace(figure, data=data, finding=finding, caption=caption, legend=legend)


def _have_unsure(shares: "Sequence[CodeShare]") -> bool:
    """Return true if upper ends of intervals of counted shares depend on unsure answers."""
    return any(share.corrected is None and share.high_without_unsure < share.counted.high for share in shares)


def _chart_note(summary: "CodingSummary", order: "Sequence[CodeShare]") -> str:
    """State the number of answers, and whether shares are corrected by hand codes, for readers of a slide."""
    is_corrected = any(share.corrected is not None for share in order)
    answers = _answers(summary, is_corrected=is_corrected)
    unsure = _unsure(_without_nets(summary.codebook, order))
    return f"Share of answers with each code; an answer can have several. {answers}{unsure}"


def _unsure(shares: "Sequence[CodeShare]") -> str:
    """State the number of unsure answers of the codes with most of them."""
    unsure = sorted((share for share in shares if share.n_unsure), key=lambda share: -share.n_unsure)
    if not unsure:
        return ""
    named = [f"{count(share.n_unsure)} for ‘{one_line(share.code)}’" for share in unsure[:3]]
    most = "Most unsure" if len(unsure) > len(named) else "Unsure"
    return f" {most} answers: {join_list(named)}."


def _answers(summary: "CodingSummary", *, is_corrected: bool) -> str:
    """State the number of answers, and whether shares are corrected by hand codes."""
    answers = f"{count_of(summary.n_readable, 'answer')} that can be read"
    if summary.n_hand and not summary.corrects_shares:
        return f"{answers}. {_too_few(summary)}"
    if summary.n_hand and not is_corrected:
        return f"{answers}. {_NOT_CORRECTED}"
    if summary.n_hand:
        return f"{answers}, corrected by {count_of(summary.n_hand, 'answer')} coded by hand."
    return f"{answers}. Codes were not compared with hand-coded answers: their error rate is unknown."


def _shares_finding(codebook: "Codebook", order: "Sequence[CodeShare]") -> str:
    """State the most frequent codes, and whether intervals show that the first one leads."""
    known = [share for share in order if np.isfinite(_best(share).value)]
    if not known:
        return "No code has a share"
    first, *others = known
    best = _best(first)
    name, stated = f"‘{one_line(first.code)}’", percent(best.value)
    if has_interval(best):
        stated += f", plausibly {percent(best.low)} to {percent(best.high)}"
    if not others:
        return f"{name} is the only topic ({stated})"
    named = [f"‘{one_line(share.code)}’ ({percent(_best(share).value)})" for share in others[:2]]
    shares = {share.code: _best(share) for share in known}
    if _is_apart(codebook, first.code, shares, lambda share, other: share.low > other.high):
        return f"{name} is the most frequent topic ({stated}), before {join_list(named)}"
    return f"Most frequent are {join_list([f'{name} ({stated})', *named])}; their order is not certain"


def _weighting(summary: "CodingSummary") -> tuple[str, str]:
    """Return what headings of counts and of shares add if there are weights."""
    return (", unweighted", ", weighted") if summary.columns.weight else ("", "")


def _best(share: "CodeShare") -> Interval:
    """Return the corrected share if there is one, otherwise the counted share."""
    return share.counted if share.corrected is None else share.corrected


def _main_shares(summary: "CodingSummary") -> "Sequence[CodeShare]":
    """Return the shares of all answers, without their correction if hand codes are too few for it."""
    return summary.shares if summary.corrects_shares else _as_counted(summary.shares)


def _too_few(summary: "CodingSummary") -> str:
    """State that hand codes are too few to correct shares, and about how many are needed."""
    verb = "is" if summary.n_hand == 1 else "are"
    return (
        f"{count_of(summary.n_hand, 'hand-coded answer')} {verb} too few to correct shares, for which about "
        f"{FEWEST_TO_CORRECT} are needed: shares are as counted."
    )


def main_caution(summary: "CodingSummary") -> str:
    """Return the caution on shares that people did not check, or too little; empty if they are corrected."""
    if not summary.n_hand:
        return UNCHECKED
    if summary.corrects_shares:
        return ""
    return f"{_too_few(summary)} The table of codes shows corrected shares with their wide intervals as well."


def _can_be_corrected(shares: "Sequence[CodeShare]", tests: "Sequence[GroupTest]") -> bool:
    """Return true if groups are compared by corrected shares, or each of them has enough hand codes."""
    corrected = [share.corrected for share in shares]
    return any(test.kind == "corrected" for test in tests) or all(
        share is not None and share.n_labelled >= FEWEST_IN_GROUP for share in corrected
    )


def _as_counted(shares: "Sequence[CodeShare]") -> "list[CodeShare]":
    """Return shares without their correction by hand codes."""
    return [replace(share, corrected=None) for share in shares]


def _by_frequency(shares: "Sequence[CodeShare]") -> "list[CodeShare]":
    """Sort shares of all answers, the most frequent code first."""
    return sorted(shares, key=lambda share: -np.nan_to_num(_best(share).value))


def _repeated_nets(codebook: "Codebook") -> frozenset[str]:
    """Return nets with a single code, whose figures are those of the code: charts show the code alone."""
    below = Counter(code.parent for code in codebook.codes if code.parent is not None)
    return frozenset(code.name for code in codebook.codes if code.is_net and below[code.name] == 1)


def _label(codebook: "Codebook", code: str) -> str:
    """Return the name of a code as charts and tables show it, which marks nets."""
    return f"{code} (net)" if code in codebook.nets else code


def _without_nets(codebook: "Codebook", shares: "Sequence[CodeShare]") -> "list[CodeShare]":
    """Return the shares of codes that can be compared: a net is at least as frequent as each of its codes."""
    return [share for share in shares if share.code not in codebook.nets]


def _base(share: "CodeShare") -> Count:
    """Return the number of answers behind a share, marked if small."""
    return Count(share.n_readable, is_small=share.n_readable < share.min_base)


def _overall_shares(summary: "CodingSummary", shares: "Sequence[CodeShare]") -> "list[CodeShare]":
    """Return shares of all answers, corrected if those of groups are, the most frequent code first."""
    is_corrected = any(share.corrected is not None for share in shares)
    return _by_frequency(summary.shares if is_corrected else _as_counted(summary.shares))


def _group_table(
    summary: "CodingSummary",
    title: str,
    overall: "Sequence[CodeShare]",
    shares: "Sequence[CodeShare]",
    tests: "Sequence[GroupTest]",
) -> DataTable:
    """Build the table of shares by code and group, with tests of codes and asterisks at small groups.

    Args:
        summary: the codes, and whether there are weights.
        title: title of the groups.
        overall: shares of all answers, in the order of the rows.
        shares: shares of a column of groups.
        tests: their tests.
    """
    counts, _ = _weighting(summary)
    groups = {share.group: share for share in shares}
    heads = ("no group" if name is None else Quoted(name, _HEAD) for name in groups)
    bases = map(_base, groups.values())
    by_cell = {(share.code, share.group): share for share in shares}
    rows: list[Sequence[Value]] = [(f"answers{counts}", *bases, "")]
    by_code = {test.code: test for test in tests}
    for test in (by_code[share.code] for share in overall):
        cells = (share_cell(_best(by_cell[test.code, name])) for name in groups)
        rows.append((Quoted(_label(summary.codebook, test.code), _NAME), *cells, p_cell(test.adjusted)))
    return table(
        ("code", *heads, "p (Holm)"),
        rows,
        noun="code",
        brief_title=f"Shares by {one_line(title)}",
        is_crosstab=True,
        keeps_last=True,
    )


def _group_data(summary: "CodingSummary", shares: "Sequence[CodeShare]") -> tuple[ChartData, ...]:
    """Return the share of each code in all answers and in each group, the most frequent code first."""
    nets = _repeated_nets(summary.codebook)
    overall = [share for share in _overall_shares(summary, shares) if share.code not in nets]
    codes = [share.code for share in overall]
    by_cell = {(share.code, share.group): share for share in shares}
    groups = dict.fromkeys(share.group for share in shares)

    def series(name: str, cells: "Sequence[CodeShare]") -> Series:
        rows = [(_label(summary.codebook, cell.code), _best(cell)) for cell in cells]
        _, (entry,) = estimates(name_with_base(name, _base(cells[0])), rows)
        return entry

    named = [
        series("no group" if group is None else one_line(group), [by_cell[code, group] for code in codes])
        for group in groups
    ]
    if not codes or not named:
        return ()
    # Counted shares of all answers would contradict the corrected ones of the first chart.
    has_total = not summary.corrects_shares or any(share.corrected is not None for share in shares)
    return (
        ChartData(
            "bars",
            tuple(_label(summary.codebook, code) for code in codes),
            ((series("All", overall), *named) if has_total else tuple(named)),
            quantity="share of answers",
            has_total=has_total,
            coverage=summary.plan.interval,
            note=_chart_note(summary, overall),
        ),
    )


def _group_finding(
    summary: "CodingSummary", shares: "Sequence[CodeShare]", tests: "Sequence[GroupTest]"
) -> str:
    """State the code whose shares differ most clearly between the groups; or that none does."""
    alpha = 1 - summary.plan.interval
    nets = summary.codebook.nets
    clear = [test for test in tests if test.adjusted < alpha and test.code not in nets]
    clear.sort(key=lambda test: test.adjusted)
    if not clear:
        return (
            "Over all groups together, no topic’s share differs more than chance explains; tables compare "
            "the groups in pairs"
        )
    test = clear[0]
    cells = [
        share
        for share in shares
        if share.code == test.code and share.group in test.groups and np.isfinite(_best(share).value)
    ]
    cells.sort(key=lambda share: -_best(share).value)
    (most, high), (least, low) = (
        (one_line(str(share.group)), percent(_best(share).value, 0)) for share in (cells[0], cells[-1])
    )
    more = [f"‘{one_line(other.code)}’" for other in clear[1:4]]
    others = f"; {join_list(more)} {'differs' if len(more) == 1 else 'differ'} as well" if more else ""
    return (
        f"‘{one_line(test.code)}’ is most frequent for {most} ({high}) and least for {least} ({low}), "
        f"more than chance explains{others}"
    )


def _group_note(summary: "CodingSummary", shares: "Sequence[CodeShare]", tests: "Sequence[GroupTest]") -> str:
    """Describe how shares of groups were compared, which groups were left out, and the signs of the table."""
    kinds = list(dict.fromkeys(test.kind for test in tests))
    sentences = [_TESTS[kind] for kind in kinds]
    if summary.corrects_shares and all(share.corrected is None for share in shares):
        sentences.insert(0, _NOT_CORRECTED)
    if len(kinds) > 1:
        codes = (test.code for test in tests if test.kind != "corrected")
        sentences.append(f"The second is that of {_quote_names(codes)}.")
    if "corrected" in kinds:
        tested = {name for test in tests for name in test.groups}
        names = dict.fromkeys(share.group for share in shares if share.group is not None)
        if left_out := [name for name in names if name not in tested]:
            sentences.append(
                f"Left out, with fewer than {count_of(summary.settings.min_base, 'answer')}, or "
                f"{FEWEST_IN_GROUP} hand-coded ones: {_quote_names(left_out)}."
            )
    alone = ", in each column of groups by itself" if len(summary.columns.by) > 1 else ""
    sentences.append(
        f"p is the chance of such differences if groups were alike, adjusted by Holm’s "
        f"method for testing all codes at once{alone}."
    )
    least = count_of(summary.settings.min_base, "answer")
    if any(share.n_readable < summary.settings.min_base for share in shares):
        sentences.append(f"* fewer than {least}: shown, not tested.")
    untested = [test.code for test in tests if len(test.groups) <= 1]
    if untested:
        sentences.append(
            f"Not tested, with fewer than {least} in all groups but one: {_quote_names(untested)}."
        )
    return " ".join(sentences)


def _quote_names(names: Iterable[str]) -> str:
    """List names in quotation marks."""
    return join_list([f"“{one_line(name)}”" for name in names])


def _quality(summary: "CodingSummary") -> DataTable:
    """List the quality of each code's probability, and the agreement of decisions."""
    calibrations, agreement = summary.calibrations, summary.agreement
    of_calibration: Columns[int] = (
        ("coded by hand: yes", lambda code: calibrations[code].n_with),
        ("no", lambda code: calibrations[code].n_without),
        ("area", lambda code: estimate_cell(calibrations[code].area)),
        ("Brier score", lambda code: estimate_cell(_brier(calibrations[code])[0], 3)),
        ("of the share alone", lambda code: Number(_brier(calibrations[code])[1], 3)),
    )
    columns: Columns[int] = (
        ("code", lambda code: Quoted(_label(summary.codebook, summary.codebook.names[code]), _NAME)),
        *(of_calibration if summary.n_hand else ()),
        _alpha("alpha with people", agreement.people),
        _alpha("alpha between people", agreement.between_people),
        _alpha("alpha between runs", agreement.runs),
    )
    return table_of(range(len(calibrations)), columns, noun="code", brief_title="Quality of the codes")


def _brier(calibration: "CodeCalibration") -> tuple[Interval | None, float | None]:
    """Return the Brier scores of a code's probability and of its constant share."""
    measured = calibration.figures
    return (None, None) if measured is None else (measured.brier, measured.brier_of_share)


def _alpha(head: str, estimates: "Sequence[AgreementEstimate]") -> Column[int] | None:
    if not estimates:
        return None
    return head, lambda code: estimate_cell(estimates[code], note=estimates[code].note or "")


def _driver_section(summary: "CodingSummary", drivers: "Drivers") -> Section | None:
    """Build the section on how ratings differ by code, with and without holding other codes constant."""
    counts, _ = _weighting(summary)
    columns: Columns[Driver] = (
        ("code", lambda driver: Quoted(_label(summary.codebook, driver.code), _NAME)),
        (f"answers with it{counts}", lambda driver: driver.n_with),
        (f"without it{counts}", lambda driver: driver.n_without),
        ("mean with", lambda driver: driver.mean_with),
        ("mean without", lambda driver: driver.mean_without),
        ("difference", lambda driver: estimate_cell(driver.difference, signed=True)),
        ("p (Holm)", lambda driver: p_cell(driver.p_value)),
        ("adjusted for other codes", lambda driver: estimate_cell(driver.joint, signed=True)),
        ("p (Holm)", lambda driver: p_cell(driver.joint_p_value)),
    )
    order = sorted(drivers.drivers, key=lambda driver: -np.nan_to_num(driver.difference.value, nan=-np.inf))
    nets = _repeated_nets(summary.codebook)
    charted = [driver for driver in order if driver.code not in nets]
    compared = [driver for driver in order if driver.code not in summary.codebook.nets]
    is_column = drivers.rating == summary.columns.rating
    rating = one_line(summary.columns.heading(drivers.rating) if is_column else drivers.rating)
    joint = ""
    if drivers.n:
        basis = "probabilities of codes" if drivers.by_probability else "codes that were assigned"
        joint = (
            f"Adjusted for other codes: a linear model of {basis}, with {count(drivers.n)} answers, that "
            f"explains {percent(drivers.r_squared, 0)} of the variance. "
        )
        if summary.codebook.nets:
            joint += "Nets are not in the model, as their answers have the codes below them. "
    note = (
        "The difference compares mean ratings with and without a code "
        f"({_STANDARD_ERRORS[drivers.standard_errors]}). {joint}Both show association with the rating, not "
        "causation."
    )
    title = f"Drivers of {rating} ({coverage(summary.plan.interval)} intervals)"
    return section(
        "drivers",
        ("Drivers of “", Quoted(rating), "”"),
        replace(
            table_of(order, columns, noun="code", brief_title=title),
            data=_driver_data(summary, charted),
            finding=_driver_finding(compared, 1 - summary.plan.interval),
        ),
        Paragraph(note, "note", detail="both"),
    )


def _driver_data(summary: "CodingSummary", drivers: "Sequence[Driver]") -> tuple[ChartData, ...]:
    """Return the difference of ratings with and without each code."""
    rows = [
        (_label(summary.codebook, driver.code), driver.difference)
        for driver in drivers
        if np.isfinite(driver.difference.value)
    ]
    if not rows:
        return ()
    return (
        ChartData(
            "bars",
            *estimates("difference", rows),
            "+0.00;\N{MINUS SIGN}0.00;0.00",
            "difference of mean ratings",
            coverage=summary.plan.interval,
            note="Mean rating of answers with the topic minus that of answers without it. Differences show "
            "association with the rating, not causation.",
        ),
    )


def _driver_finding(drivers: "Sequence[Driver]", alpha: float) -> str:
    """State the codes with clearly higher and clearly lower ratings."""
    clear = [driver for driver in drivers if driver.p_value < alpha]
    if not clear:
        return "No topic goes with clearly higher or lower ratings; the differences may be chance"
    stated = []
    for driver, direction in ((clear[0], "higher"), (clear[-1], "lower")):
        difference = driver.difference.value
        if (difference > 0) == (direction == "higher"):
            shown = with_sign(number(difference))
            stated.append(f"{direction} with ‘{one_line(driver.code)}’ ({shown})")
    return f"Answers are rated {join_list(stated)} than without it, more than chance explains"


def _pairs(summary: "CodingSummary") -> DataTable:
    """List the pairs of codes that occur together most often, without a net and its own codes."""
    codebook, counts, lift = summary.codebook, summary.pairs.counts, summary.pairs.lift
    names, labels = codebook.names, [_label(codebook, name) for name in codebook.names]
    pairs = [
        (int(counts[first, second]), first, second)
        for second in range(len(names))
        for first in range(second)
        if counts[first, second] and not codebook.are_related(names[first], names[second])
    ]
    pairs.sort(key=lambda pair: -pair[0])
    rows = [
        (Quoted(labels[first], _NAME), Quoted(labels[second], _NAME), both, lift[first, second])
        for both, first, second in pairs[:_MOST_PAIRS]
    ]
    listed = table(
        ("code", "and", "answers with both", "times as often as by chance"),
        rows,
        note=f"the {_MOST_PAIRS} most frequent of {len(pairs)} pairs" if len(pairs) > _MOST_PAIRS else "",
        noun="pair",
        detail="full",
    )
    compared = [pair for pair in pairs if codebook.nets.isdisjoint((names[pair[1]], names[pair[2]]))]
    if not compared:
        return listed
    most, first, second = compared[0]
    both = f"‘{one_line(names[first])}’ and ‘{one_line(names[second])}’"
    return replace(listed, finding=f"Most often {both}, in {count_of(most, 'answer')}")


def _matrix(summary: "CodingSummary") -> DataTable:
    """Return the number of answers with each pair of codes, and with each code on the diagonal."""
    names = [_label(summary.codebook, name) for name in summary.codebook.names]
    rows = ((Quoted(name, _NAME), *row) for name, row in zip(names, summary.pairs.counts, strict=True))
    heads: tuple[str | Quoted, ...] = ("code", *(Quoted(name, _HEAD) for name in names))
    return replace(
        table(heads, rows, noun="code", detail="full"),
        folded="All pairs, with the answers of each code on the diagonal",
    )


def _quotes(summary: "CodingSummary") -> Iterator[Block]:
    """List typical and borderline answers of each code."""
    yield Paragraph(_value_note(summary), "lead")
    yield Paragraph(_REASON_NOTE, "note")
    decisions = {None: "unsure", True: "yes", False: "no"}
    for code, quotes in zip(summary.codebook.codes, summary.quotes, strict=True):
        rows = (
            (
                quote.kind,
                quote.row,
                quote.value,
                decisions[quote.assigned],
                *(() if summary.scale is None else (quote.sentiment,)),
                quote.reason or "",
                "" if quote.evidence is None else Quoted(quote.evidence),
                _mark_unit(quote.text, quote.evidence),
            )
            for quote in quotes
        )
        value = "likeness" if code.name in summary.not_calibrated else "probability"
        yield Paragraph(Quoted(_label(summary.codebook, code.name)), "heading")
        yield Paragraph(Quoted(code.definition))
        sentiment = () if summary.scale is None else ("sentiment",)
        heads = ("kind", "row", value, "code", *sentiment, "decided by", "evidence", "answer")
        listed = table(heads, rows, noun="answer", detail="full")
        yield (
            replace(listed, folded=f"{count_of(len(quotes), 'answer')} with what decided")
            if quotes
            else listed
        )


def _mark_unit(text: str, unit: str | None) -> Marked:
    """Mark the unit that decided in its answer."""
    start = text.find(unit) if unit else -1
    span = None if start < 0 or not unit else Span(start, start + len(unit), unit)
    return mark_findings(text, [("evidence", span)])


def _typical_quotes(summary: "CodingSummary") -> Quotes | None:
    """Return the chosen answers; without any, a typical one of each of the most frequent codes, each once."""
    if summary.chosen:
        chosen = summary.chosen[:_MOST_QUOTES]
        first = f"The first {len(chosen)} of {len(summary.chosen)} answers"
        return Quotes(
            f"{first if len(chosen) < len(summary.chosen) else 'Answers'} that were chosen for this report",
            tuple((one_line(code), _mark_unit(text, unit)) for code, text, unit in chosen),
        )
    quotes = dict(zip(summary.codebook.names, summary.quotes, strict=True))
    shown: dict[str, Quote] = {}
    for share in _without_nets(summary.codebook, _by_frequency(summary.shares)):
        known = {quote.text for quote in shown.values()}
        typical = (quote for quote in quotes[share.code] if quote.kind == "typical")
        quote = next((quote for quote in typical if quote.text not in known), None)
        if quote is not None:
            shown[share.code] = quote
    if not shown:
        return None
    texts = tuple((code, _mark_unit(quote.text, quote.evidence)) for code, quote in shown.items())
    return Quotes("A typical answer for each of the most frequent topics", texts[:_MOST_QUOTES])


def _value_note(summary: "CodingSummary") -> str:
    """Explain the values of quotes, and the thresholds at which a code is assigned."""
    sentences = []
    if len(summary.not_calibrated) < len(summary.codebook.codes):
        least, unsure = summary.settings.given_from, summary.settings.unsure_from
        sentences.append(
            f"A code is assigned if its probability is at least {least:g}, and undecided from {unsure:g} to "
            f"{least:g}."
        )
    if summary.not_calibrated:
        sentences.append(
            "A code that is not calibrated has a likeness from 0 to 1, which is not a probability. From "
            f"{BY_LIKENESS.given_from:g} on it is assigned: there, wrong and missed codes are about equally "
            f"frequent. From {BY_LIKENESS.unsure_from:g} to {BY_LIKENESS.given_from:g} it is unsure."
        )
    return " ".join(sentences)


def _outcomes(summary: "CodingSummary") -> Iterator[Block | None]:
    """List outcomes and reasons with counts, and an example of each kind of unusable reply."""
    n = summary.n
    listed = table(
        ("outcome", "answers", "share", "meaning"),
        (
            (outcome, answers, Share(answers / n if n else None), OUTCOMES[outcome])
            for outcome, answers in _count_outcomes(summary).items()
        ),
        explained=True,
        brief_title="Outcomes",
    )
    yield listed
    if summary.reasons:
        yield table(
            ("reason", "answers", "share", "meaning"),
            (
                (name.replace("-", " "), rows, Share(rows / n), _REASONS.get(name, name))
                for name, rows in summary.reasons.items()
            ),
            title="Why answers have no code",
            explained=True,
            detail="full",
        )
    if summary.asked is not None and summary.asked.lost:
        yield Paragraph(("Without codes from “", Quoted(summary.asked.model), "”"), "heading")
        yield reply_table(summary.asked)


def _threshold_cautions(summary: "CodingSummary") -> Iterator[str]:
    """State that thresholds of probabilities were changed although no code has a probability."""
    settings, usual = summary.settings, CodeSettings()
    if (settings.given_from, settings.unsure_from) != (usual.given_from, usual.unsure_from):
        yield (
            "The thresholds of probabilities had no effect, as no code has a probability"
            + hint(" (`given_from`, `unsure_from`)")
            + f": codes were assigned from a likeness of {BY_LIKENESS.given_from:g}, and are "
            f"undecided from {BY_LIKENESS.unsure_from:g}."
        )


def _cautions(summary: "CodingSummary") -> Iterator[str]:
    """Yield the limits of the figures."""
    if not summary.n_hand:
        yield UNCHECKED + hint(" semscale label draws answers to code.")
        yield from _threshold_cautions(summary)
    else:
        if not summary.corrects_shares:
            yield main_caution(summary)
        yield from _calibration_cautions(summary)
    yield from language_cautions(summary.reasons)
    if summary.asked is not None:
        yield from reply_cautions(summary.asked)
    yield from unseen_codes_note(summary.unseen_codes, summary.columns.text)
    yield from _sample_cautions(summary)
    if summary.columns.weight:
        weighted = without_none(
            "Shares",
            "tests between groups" if summary.tests else None,
            "drivers" if summary.drivers is not None else None,
        )
        others = without_none(
            "Numbers of answers",
            "pairs of codes",
            "calibration" if summary.n_hand else None,
            "alpha" if summary.agreement.people or summary.agreement.runs else None,
        )
        yield f"{join_list([*weighted])} are weighted. {join_list([*others])} are not."
    if summary.columns.strata and summary.drivers is not None:
        yield "Drivers ignore strata, which makes their intervals too wide rather than too narrow."
    if summary.drivers is not None:
        yield "Drivers are associated with the rating; this does not show that they cause it."


def language_cautions(reasons: Mapping[str, int]) -> Iterator[str]:
    """State how many answers are in a language that the model does not read.

    Args:
        reasons: number of answers without a code by reason.
    """
    n = reasons.get(Status.OTHER_LANGUAGE, 0)
    if n:
        yield (
            f"{count_of(n, 'answer')} {'is' if n == 1 else 'are'} in a language that the model does not "
            "read, and left out of shares." + hint(" Code them with e5-small (`embedder`).")
        )


def _calibration_cautions(summary: "CodingSummary") -> Iterator[str]:
    if summary.not_calibrated:
        verb = "is" if len(summary.not_calibrated) == 1 else "are"
        yield (
            f"{_quote_names(summary.not_calibrated)} {verb} not calibrated: a code needs {FEWEST_OF_EACH} "
            f"hand-coded answers that have it and {FEWEST_OF_EACH} that do not."
        )
    alphas = zip(summary.codebook.names, summary.agreement.people, strict=True)
    weak = [name for name, alpha in alphas if alpha.value < _WEAK]
    if weak:
        yield (
            f"Agreement with people is weak (alpha below {_WEAK:g}) for {_quote_names(weak)}: "
            + ("rely on corrected shares, and " if summary.corrects_shares else "")
            + "improve examples and definitions."
        )
    if not summary.is_drawn:
        yield (
            "Corrected shares are unbiased only if the hand-coded answers are a random sample"
            + hint("; tables of semscale label have the probabilities of their draw (`inclusion`)")
            + "."
        )


def _sample_cautions(summary: "CodingSummary") -> Iterator[str]:
    """State which figures are computed from a sample of rows."""
    if summary.sampled is None:
        return
    is_designed = bool(summary.columns.weight or summary.columns.respondent or summary.columns.strata)
    shares = [name for name, used in (("counted", is_designed), ("corrected", summary.n_hand)) if used]
    figures = [f"{' and '.join(shares)} shares"] if shares else []
    if summary.scale is not None:
        figures.append("means of sentiment" if not is_designed else "sentiment")
    if shares and summary.columns.by:
        figures.append("their tests between groups")
    if summary.agreement.runs:
        figures.append("agreement between runs")
    if summary.drivers is not None:
        figures.append("drivers")
    if figures:
        coded = "hand-coded rows" if summary.n_hand else ""
        yield sample_caution(figures, summary.sampled, summary.n, coded)
