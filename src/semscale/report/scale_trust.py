"""Section of a rating report on whether the scale can be trusted: linter, other measures, anchor sets."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.rating.expected import LABELS_TO_CHECK
from semscale.report import parts
from semscale.report.document import Block, Decision, Level, Paragraph, Quoted
from semscale.report.formatting import LONGEST, count_of, join_list, number, one_line, percent
from semscale.report.lint import VERDICTS, correlation_with_range, correlations_figure, findings
from semscale.spelling import hint

if TYPE_CHECKING:
    from semscale.rating.lint import DiscriminantCheck
    from semscale.rating.summary import RatingSummary
    from semscale.scales import Scale
    from semscale.stats.variance_components import CrossedComponents

_SEVERAL_WORDINGS = (
    "Each set words the same points differently; where two sets order the texts differently, the wording "
    "decides, not the texts."
)
_EXPECTED = (
    "The expected correlation (Pearson’s r) of these ratings with those of people follows from how much the "
    "ratings differ. It was learned from scales and texts that people rated."
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
    return f"Expected correlation with people: {correlation_with_range(summary.expected)}, without labels."


def trust_level(summary: "RatingSummary") -> tuple[str, Level] | None:
    """Return the mark of the section: the expected correlation, or else the linter's verdict."""
    if summary.expected is not None:
        stated = f"expected correlation {number(summary.expected.value)}"
        return stated, "warn" if summary.is_doubtful else "pass"
    return None if summary.lint is None else (VERDICTS[summary.lint.verdict], summary.lint.verdict)


def trust_blocks(summary: "RatingSummary") -> Iterator[Block | str]:
    """Build the blocks on the linter's findings and the agreement of anchor sets on these texts."""
    lint, n_sets = summary.lint, len(summary.set_names)
    if summary.expected is not None:
        yield f"{_EXPECTED} Here it is {correlation_with_range(summary.expected)}."
    if lint is not None:
        yield (
            "The linter, a check of the scale, compares the anchors with each other and rates sentences "
            "whose order is known."
        )
        yield findings(lint.worst_first, with_sets=True)
    if summary.scale.notes:
        yield Paragraph(Quoted(summary.scale.notes, LONGEST), "note")
    yield Paragraph("Do the ratings differ from sentiment and length?", "heading")
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
    return f"Their correlation is {join_list(stated)}. Near 1 or -1 the scale measures nothing else."


def _variance_blocks(components: "CrossedComponents | None") -> Iterator[Block | str]:
    """Build the blocks on the variances of texts and anchor sets, and on how to lower the mean's error."""
    if components is None:
        return
    yield Paragraph("More texts, or other anchors?", "heading")
    yield parts.variance_table(
        {
            count_of(components.n, "text"): components.respondent,
            count_of(components.n_sets, "anchor set"): components.anchor_set,
            "the rest": components.residual,
        }
    )
    yield Paragraph(variance_advice(components))
    yield (
        f"Under one set texts are {percent(components.icc)} of the variance, under all sets "
        f"{percent(components.icc_of_all)} (intraclass correlations 2,1 and 2,k). Variances are of the means "
        "under single sets, before calibration and without weights, in squared units of the scale; the rest "
        "is the disagreement of the sets about the order of the texts. Estimates below 0 are noise, and "
        "count as 0. Intervals elsewhere in this report are over other texts alone."
    )


def variance_advice(components: "CrossedComponents") -> str:
    """State whether more texts or other anchors would make the mean more precise."""
    errors = (components.error(), components.error(respondents=2), components.error(sets=2))
    if not errors[0] > 0:
        return "The mean is the same under all sets and for all texts."
    remedy = "improve the anchors or add anchor sets" if errors[2] < errors[1] else "rate more texts"
    now, texts, sets = (number(error, _ERROR_DIGITS) for error in errors)
    return (
        f"Over other texts and other anchor sets the standard error of the mean is {now}. With twice "
        f"the texts it is {texts}, with twice the sets {sets}: {remedy}."
    )
