"""Why rows have no rating or do not count, in words."""

from semscale.rating.summary import RatingSummary

MEANINGS = {
    "missing": "nobody answered: the cell is empty or null",
    "not-text": "a number or something else that is not text stands in the column",
    "empty": "nothing but white space",
    "off-topic": "no anchor is closer than unrelated sentences are",
    "no-weight": "rated, but without a weight",
    "zero-weight": "rated, but with a weight of 0",
    "no-respondent": "rated, but nobody knows whose answer it is",
}


def reasons_left_out(summary: RatingSummary) -> dict[str, int]:
    """Count the rows that do not count, by reason, the most frequent first."""
    reasons = {status: n for status, n in summary.counts.items() if status != "scored" and n}
    for reason, n in summary.estimates.overall.left_out.items():
        if n and reason not in summary.counts:
            reasons[reason] = n
    return dict(sorted(reasons.items(), key=lambda item: -item[1]))
