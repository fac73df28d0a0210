"""Section of a rating report on whether the scale can be trusted: linter, other measures, anchor sets."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from semscale.rating.expected import DOUBTFUL, LABELS_TO_CHECK
from semscale.rating.label_progress import FEWEST_LABELS
from semscale.report import parts
from semscale.report.document import Block, Decision, Level, Paragraph, Quoted
from semscale.report.formatting import (
    LONGEST,
    count_of,
    has_interval,
    join_list,
    number,
    one_line,
    percent,
)
from semscale.report.lint import VERDICTS, correlation_with_range, correlations_figure, findings
from semscale.spelling import hint

if TYPE_CHECKING:
    from semscale.rating.expected import ExpectedCorrelation
    from semscale.rating.lint import DiscriminantCheck
    from semscale.rating.summary import RatingSummary
    from semscale.scales import Scale
    from semscale.stats.intervals import Estimate
    from semscale.stats.variance_components import CrossedComponents

_SEVERAL_WORDINGS = (
    "1 means that two sets order the texts alike. Where two sets order them differently, the wording of the "
    "anchors decides, not the texts."
)
_EXPECTED = (
    "It is an estimate (Pearson’s r) from how much the ratings differ, learned from other scales and texts "
    "that people rated. Only labels of these texts show how well this scale works here."
)
_ERROR_DIGITS = 3


def not_measured(scale: "Scale") -> Decision:
    """Return the headline of a report without means."""
    return Decision("probably not measured", "warn", ("“", Quoted(scale.title), "” in these texts"))


def doubt_warnings(summary: "RatingSummary") -> Iterator[str]:
    """Warn that the scale probably does not measure its construct in these texts."""
    if summary.expected is None or not summary.is_doubtful:
        return
    labels = None if summary.comparison is None else summary.comparison.pearson
    measured = (
        ""
        if labels is None or math.isnan(labels.value)
        else f" The labels so far do not show otherwise (r {number(labels.value)})."
    )
    hidden = ""
    if summary.withholds_means:
        hidden = " Its means are not shown" + hint("; to show them: `show_anyway=True`") + "."
    yield (
        f"This scale probably does not measure “{one_line(summary.scale.title)}” in these texts; label "
        f"{LABELS_TO_CHECK} texts to find out{hint(' (semscale label)')}. The ratings hardly differ, so the "
        f"expected correlation with people is {correlation_with_range(summary.expected)}.{measured}{hidden}"
    )


def expected_sentence(summary: "RatingSummary") -> str | None:
    """State the expected correlation with people; ``None`` if it is unknown, warned of, or measured."""
    if summary.expected is None or summary.is_doubtful or summary.comparison is not None:
        return None
    stated = correlation_with_range(summary.expected, "1 is perfect")
    return f"Expected correlation with people: {stated}. No text was labelled to check it."


def unchecked_sentence(expected: "ExpectedCorrelation") -> str:
    """State for a page that no label shows the correlation with people, and the values it may have."""
    value, low, high = (number(end) for end in (expected.value, expected.low, expected.high))
    return (
        "No text was labelled, so nobody knows how well these ratings agree with people. Their correlation "
        f"may be anything from {low} to {high} ({value} is expected, 1 is perfect)."
    )


def observed_correlation(summary: "RatingSummary") -> "Estimate | None":
    """Return the correlation with labels; ``None`` with too few of them, or if ratings are warned of."""
    compared = summary.comparison
    if compared is None or compared.n < FEWEST_LABELS or summary.is_doubtful:
        return None
    return None if math.isnan(compared.pearson.value) else compared.pearson


def observed_sentence(summary: "RatingSummary") -> str | None:
    """State the agreement of ratings and labels and what to use; ``None`` with too few labels."""
    r, compared = observed_correlation(summary), summary.comparison
    if r is None or compared is None:
        return None
    stated = f"agree with r = {number(r.value)}, at least {number(r.low)}"
    if not r.low > 0:
        ends = f" ({number(r.low)} to {number(r.high)})" if has_interval(r) else ""
        stated = f"correlate by r = {number(r.value)}{ends}"
    use = "label more texts before you use the order of groups and texts"
    if r.low >= DOUBTFUL:
        use = "use the order of groups and texts"
    elif r.high < DOUBTFUL:
        use = "do not use the order of groups and texts"
    error = math.nan if compared.progress is None else compared.progress.error
    level = "" if math.isnan(error) else f"; the level (the corrected mean) is known to ± {number(error)}"
    texts = count_of(compared.n, "labelled text")
    return f"{texts}: ratings and labels {stated}; {use}{level}."


def trust_level(summary: "RatingSummary") -> tuple[str, Level | None] | None:
    """Return the mark of the section: the correlation with labels, the expected one, or the linter's verdict.

    A correlation passes only if its whole interval is above doubtful values, and has no level until then.
    """
    expected, observed = summary.expected, observed_correlation(summary)
    if observed is not None:
        ends = f" ({number(observed.low)} to {number(observed.high)})" if has_interval(observed) else ""
        stated = f"correlation with labels {number(observed.value)}{ends}"
        if observed.high < DOUBTFUL:
            return stated, "warn"
        return stated, "pass" if observed.low >= DOUBTFUL else None
    if expected is None:
        return None if summary.lint is None else (VERDICTS[summary.lint.verdict], summary.lint.verdict)
    stated = f"expected correlation {correlation_with_range(expected)}"
    if summary.is_doubtful:
        return stated, "warn"
    return stated, "pass" if expected.low >= DOUBTFUL else None


def trust_blocks(summary: "RatingSummary") -> Iterator[Block | str]:
    """Build the blocks on the linter's findings and the agreement of anchor sets on these texts."""
    lint, n_sets = summary.lint, len(summary.set_names)
    if observed := observed_sentence(summary):
        yield Paragraph(observed)
        if summary.expected is not None:
            expected = correlation_with_range(summary.expected)
            yield Paragraph(f"Without labels, a correlation of {expected} was expected.", "note")
    elif summary.expected is not None:
        expected = correlation_with_range(summary.expected)
        yield Paragraph(f"The expected correlation of these ratings with those of people is {expected}.")
        yield _EXPECTED
    if summary.scale.notes:
        yield Paragraph(("What the scale measures: ", Quoted(summary.scale.notes, LONGEST)), "note")
    if lint is not None:
        yield Paragraph("Do the anchors fit the scale?", "heading")
        yield (
            "The check of the scale (the linter) compares its anchors with each other, and rates sentences "
            "whose order is known."
        )
        yield findings(lint.worst_first, with_sets=True)
    yield Paragraph("Do the ratings measure more than sentiment and length?", "heading")
    yield _discriminant_sentence(summary.discriminant)
    if sets := correlations_figure(summary.set_names, summary.set_agreement, _SEVERAL_WORDINGS):
        yield Paragraph("Do the anchor sets agree?", "heading")
        yield sets
        yield from _variance_blocks(summary.set_variances)
    elif n_sets == 1:
        yield Paragraph("One anchor set was used, so the effect of another wording is not known.")
    else:
        yield Paragraph(
            f"The agreement of the {n_sets} anchor sets is not known: it takes two rated texts with means "
            "that differ."
        )


def _discriminant_sentence(check: "DiscriminantCheck") -> str:
    """State the known correlations of the ratings with plain sentiment and text length."""
    measures = (("ratings on the scale quality", check.sentiment), ("the length of the text", check.length))
    stated = [f"{number(r)} with {name}" for name, r in measures if not math.isnan(r)]
    if not stated:
        return "Nothing to compare: this is the scale of plain sentiment, or ratings do not vary."
    return f"Their correlation is {join_list(stated)}. Near 1 or −1 they would measure nothing else."


def _variance_blocks(components: "CrossedComponents | None") -> Iterator[Block | str]:
    """Build the blocks on the variances of texts and anchor sets, and on how to lower the mean's error."""
    if components is None:
        return
    yield Paragraph("More texts, or other anchors?", "heading")
    yield Paragraph(variance_advice(components))
    variances = parts.variance_table(
        {
            count_of(components.n, "text"): components.respondent,
            count_of(components.n_sets, "anchor set"): components.anchor_set,
            "the rest": components.residual,
        }
    )
    yield replace(variances, folded="How much texts and anchor sets differ", note=_variance_note(components))


def _variance_note(components: "CrossedComponents") -> str:
    """Explain the table of variances."""
    return (
        f"Differences between texts are {percent(components.icc)} of the variance if one set rates them, and "
        f"{percent(components.icc_of_all)} if all sets do: intraclass correlations ICC(2,1) and ICC(2,k). "
        "The rest is disagreement of the sets about the order of the texts. Variances are of the means under "
        "single sets, before calibration and without weights, in squared units of the scale. Estimates below "
        "0 are noise, and count as 0."
    )


def variance_advice(components: "CrossedComponents") -> str:
    """State whether more texts or other anchors would make the mean more precise."""
    errors = (components.error(), components.error(respondents=2), components.error(sets=2))
    if not errors[0] > 0:
        return "The mean is the same under all sets and for all texts."
    remedy = "improve the anchors or add anchor sets" if errors[2] < errors[1] else "rate more texts"
    now, texts, sets = (number(error, _ERROR_DIGITS) for error in errors)
    return (
        f"Over other texts and other anchor sets, the mean has a standard error of {now}. Twice the texts "
        f"would lower it to {texts}, twice the anchor sets to {sets}: {remedy}. Intervals in the rest of "
        "this report are over other texts alone."
    )
