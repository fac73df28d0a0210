"""Sentences of a rating report: how to read the mean, statuses, codes for missing answers, cautions."""

import shlex
from typing import TYPE_CHECKING

from semscale.rating.calibration import SHARE_BELOW
from semscale.report.chart_kit import scale_digits
from semscale.report.formatting import (
    count,
    counted,
    coverage,
    has_interval,
    number,
    one_line,
    plain,
)
from semscale.report.lint.words import lint_caution
from semscale.report.rating.decided import decided_cautions, undecided_cautions
from semscale.report.sentences import STATUS_MEANINGS
from semscale.results.reasons import UNREAD
from semscale.store.missing_codes import OTHER_NUMBERS

if TYPE_CHECKING:
    from semscale.rating.calibration import Calibration, HonestError
    from semscale.rating.summary import RatingSummary

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

REVERSED = (
    "On the labelled texts the ratings run against the labels: was the scale filled in the wrong way round? "
    "A calibration by such labels turns the ratings round."
)
NO_RANKING = (
    "The calibrated ratings are not shown to tell texts apart: on texts that the calibration had not seen, "
    "the interval of their correlation with people reaches 0."
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
    said = lint_caution(summary.lint) if summary.lint else None
    return () if said is None else (said,)


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


def ranking_warnings(error: "HonestError") -> tuple[str, ...]:
    """Warn of ratings that run against the labels, and of calibrated ones that do not follow them.

    Ratings that a calibration turned round follow the labels, so both can hold.
    """
    return (*([REVERSED] if error.is_reversed else []), *([] if error.has_ranking else [NO_RANKING]))


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
    scored, unlike = summary.counts.get("scored", 0), summary.n_unlike
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
    named = ", ".join(f"{one_line(code)} {count(times)}" for code, times in shown)
    named += ", ..." if len(codes) > len(shown) else ""
    quoted = [shlex.quote(one_line(code)) for code, _ in shown if code != OTHER_NUMBERS]
    options = " ".join(f"--missing {code}" for code in quoted)
    verb, them = ("looks like a code", "it") if n == 1 else ("look like codes", "them")
    texts = counted(n, "rated text")
    return f"{texts} {verb} for a missing answer ({named}); to leave {them} out: {options}"
