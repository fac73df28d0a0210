"""Why rows have no rating or do not count, in words."""

import shlex

from semscale.rating.missing_codes import OTHER_NUMBERS
from semscale.rating.summary import RatingSummary
from semscale.report.wording import count, counted, one_line

MEANINGS = {
    "missing": "nobody answered: the cell is empty or null, or holds a code that was named",
    "not-text": "a number or something else that is not text stands in the column",
    "empty": "nothing but white space",
    "uninformative": "no letter and no digit: only punctuation, symbols, emoji or what cannot be seen",
    "off-topic": "no anchor is closer than unrelated sentences are",
    "no-weight": "rated, but without a weight",
    "zero-weight": "rated, but with a weight of 0",
    "no-respondent": "rated, but nobody knows whose answer it is",
}

_SHOWN_CODES = 6


def reasons_left_out(summary: RatingSummary) -> dict[str, int]:
    """Count the rows that do not count, by reason, the most frequent first."""
    reasons = {status: n for status, n in summary.counts.items() if status != "scored" and n}
    for reason, n in summary.estimates.overall.left_out.items():
        if n and reason not in summary.counts:
            reasons[reason] = n
    return dict(sorted(reasons.items(), key=lambda item: -item[1]))


def codes_hint(summary: RatingSummary) -> str | None:
    """Say that rated texts look like codes for a missing answer, and how to leave them out."""
    codes = summary.possible_codes
    if not codes:
        return None
    shown, n = list(codes.items())[:_SHOWN_CODES], sum(codes.values())
    listed = ", ".join(f"{one_line(code)} {count(times)}" for code, times in shown)
    listed += ", ..." if len(codes) > len(shown) else ""
    named = [shlex.quote(one_line(code)) for code, _ in shown if code != OTHER_NUMBERS]
    options = " ".join(f"--missing {code}" for code in named)
    verb, them = ("looks like a code", "it") if n == 1 else ("look like codes", "them")
    texts = counted(n, "rated text")
    return f"{texts} {verb} for a missing answer ({listed}); to leave {them} out: {options}"
