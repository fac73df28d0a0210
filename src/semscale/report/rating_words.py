"""Sentences of a rating report: how to read the headline, and what a comparison with humans shows."""

import math
from dataclasses import dataclass

from semscale.rating.human.comparison import RatingComparison
from semscale.rating.summary import RatingSummary
from semscale.report.rating_reasons import reasons_left_out
from semscale.report.wording import (
    MISSING,
    bracket,
    count,
    counted,
    coverage,
    has_interval,
    listed,
    number,
    one_line,
    plain,
)
from semscale.results.estimates import Estimates
from semscale.stats.intervals.estimates import Estimate


@dataclass(frozen=True)
class Evidence:
    """One figure about the agreement with humans, and what it can and cannot show."""

    name: str
    value: str
    interval: str
    meaning: str


def headline(summary: RatingSummary, digits: int) -> str:
    """Say in one sentence how to read the mean and its interval, or why there is none."""
    estimates, points = summary.estimates, summary.scale.points
    mean = estimates.overall.mean
    if mean is None:
        return nothing_scored(summary)
    ends = (
        f"On this scale {plain(points[0].value)} is “{one_line(points[0].label)}” and "
        f"{plain(points[-1].value)} is “{one_line(points[-1].label)}”"
    )
    if not has_interval(mean):
        single = "respondent" if estimates.clustered else "text"
        return (
            f"{ends}. One {single} alone does not show how far another would differ, so there is no interval."
        )
    what = "respondents" if estimates.clustered else "texts"
    return (
        f"{ends}. Had other {what} been drawn in the same way, the mean would plausibly lie between "
        f"{number(mean.low, digits)} and {number(mean.high, digits)} ({coverage(estimates.interval)} "
        "interval); this covers chance in who answered, not errors of the method."
    )


def nothing_scored(summary: RatingSummary) -> str:
    """Say why there is no figure at all."""
    if summary.n == 0:
        return "The input has no rows, so there is nothing to rate."
    parts = [f"{count(n)} {status}" for status, n in reasons_left_out(summary).items()]
    why = f": {listed(parts)}" if parts else ""
    rows = "The only row" if summary.n == 1 else f"None of the {count(summary.n)} rows"
    verb = "could not be" if summary.n == 1 else "could be"
    return f"{rows} {verb} rated{why}. Missing is not 0, so no figure is shown."


def interval_method(estimates: Estimates) -> str:
    """Say how the intervals were made, if there are any."""
    mean = estimates.overall.mean
    if mean is None or math.isnan(mean.low):
        return f"no intervals: it takes at least 2 {'respondents' if estimates.clustered else 'texts'}"
    unit = "respondents, all rows of one together" if estimates.clustered else "texts"
    if estimates.method == "bootstrap":
        return (
            f"{count(estimates.replicates)} bootstrap resamples of {unit}, seed {estimates.seed}, "
            "percentiles expanded for few clusters (Hesterberg 2015)"
        )
    return f"linearised (Taylor) variance of the mean PMF over {unit}, quantiles of the t distribution"


def evidence(comparison: RatingComparison) -> tuple[Evidence, ...]:
    """List ranking, distribution, ceiling and null together; what is missing says why."""
    rows = [
        _known("Pearson r", comparison.pearson, "ranking: do texts that people score higher get more?"),
        _known("Spearman ρ", comparison.spearman, "the same on ranks: the spacing of scores is ignored"),
        _evidence(
            "KS similarity",
            comparison.ks_similarity,
            "distribution: 1 means the same share on every point; it says nothing about ranking",
            "human values could not be laid on this scale",
        ),
        _evidence(
            "Human ceiling",
            comparison.ceiling,
            "how reliable the mean of all raters is: split halves of the raters, Spearman–Brown; "
            "the highest r to expect is its square root. Its interval keeps the splits fixed",
            "one human value a text does not show how far people agree",
        ),
        _evidence(
            "Null: equal shares",
            comparison.null_ks,
            "the KS similarity that the same share on every point reaches; a distribution that does no "
            "better has read nothing",
            "human values could not be laid on this scale",
        ),
        _evidence(
            "Null: text length",
            comparison.null_length,
            "what the number of characters alone reaches; a rating that does no better has read nothing",
            "no texts were given",
        ),
    ]
    return tuple(rows)


def verdict_on(comparison: RatingComparison) -> str:
    """Put the agreement with humans in words, without more than the figures carry."""
    pearson, null = comparison.pearson, comparison.null_length
    if not has_interval(pearson):
        return "Too few texts, or scores that never differ: no agreement can be measured."
    ranking = f"the ratings follow the human means with r = {number(pearson.value)}"
    sentences = [f"Over {compared_texts(comparison)} {ranking}{_against_ceiling(comparison.ceiling)}."]
    if pearson.low <= 0:
        sentences.append("The interval includes 0, so the ranking may be chance.")
    if null is not None and has_interval(null):
        sentences.append(_against_null(pearson, null))
    ks, equal = comparison.ks_similarity, comparison.null_ks
    if ks is not None:
        shown = number(ks.value)
        sentences.append(
            f"The distributions coincide to {shown} (KS similarity), a separate question from ranking."
        )
        if equal is not None:
            sentences.append(_against_equal_shares(ks, equal))
    return " ".join(sentences)


def compared_texts(comparison: RatingComparison) -> str:
    """Count the texts that were compared, and say so if they are a sample."""
    texts = counted(comparison.n, "text")
    sampled = comparison.n < comparison.n_eligible
    return f"a sample of {texts} of {count(comparison.n_eligible)}" if sampled else texts


def _against_ceiling(ceiling: Estimate | None) -> str:
    if ceiling is None or not has_interval(ceiling):
        return ""
    return f", where the mean of the people has a reliability of {number(ceiling.value)}"


def _against_null(pearson: Estimate, null: Estimate) -> str:
    reached = f"Text length alone reaches r = {number(null.value)}"
    furthest = max(abs(null.low), abs(null.high))
    if pearson.low > furthest:
        return f"{reached}, clearly less."
    if pearson.value > abs(null.value):
        return f"{reached}; the intervals overlap, so the advantage over it is not certain."
    return f"{reached}, which the ratings do not beat."


def _against_equal_shares(ks: Estimate, equal: Estimate) -> str:
    reached = f"Equal shares on every point, which read nothing, reach {number(equal.value)}"
    if ks.value <= equal.value:
        return f"{reached}, which the ratings do not beat."
    if has_interval(ks) and has_interval(equal) and ks.low > equal.high:
        return f"{reached}, clearly less."
    return f"{reached}; the advantage over them is not certain."


def _known(name: str, estimate: Estimate, meaning: str) -> Evidence:
    return Evidence(name, number(estimate.value), bracket(estimate), meaning)


def _evidence(name: str, estimate: Estimate | None, meaning: str, absent: str) -> Evidence:
    return Evidence(name, MISSING, MISSING, absent) if estimate is None else _known(name, estimate, meaning)
