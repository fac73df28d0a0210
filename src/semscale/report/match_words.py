"""What matches mean, in words: the same on the screen, in JSON and in the report."""

from typing import TYPE_CHECKING

import polars as pl

from semscale.report.wording import count, counted, coverage, listed, number, percent

if TYPE_CHECKING:
    from semscale.matching.match_summary import MatchSummary

MEANINGS = {
    "missing": "no prediction: the cell is empty or null",
    "not-text": "a number or something else that is not text stands in the column of predictions",
    "empty": "the prediction is nothing but white space",
    "no-reference": "no reference holds a text to match with",
    "weightless": "no token of the texts counts, so there is nothing to compare",
}
GUARD_MEANINGS = {
    "negation": "one text denies what the other states",
    "number": "a number or a unit differs",
    "opposite": "a word has become its opposite, or the other side",
    "name": "a named thing is missing or invented",
}
_IN_WORDS = {"not-text": "not text", "no-reference": "without reference", "weightless": "without weight"}
_FEW = 10


def left_out(summary: "MatchSummary") -> dict[str, int]:
    """Count the rows without a score, by status, the most frequent first."""
    counts = {str(status): n for status, n in summary.matches.counts.items() if status != "scored"}
    return dict(sorted(counts.items(), key=lambda item: -item[1]))


def rows_that_count(summary: "MatchSummary") -> str:
    """Say how many rows have a score, and why the others have none: together they are all rows."""
    n = summary.estimates.overall_mean().n
    verb = "counts" if 1 in {n, summary.n} else "count"
    reasons = [f"{count(rows)} {_IN_WORDS.get(status, status)}" for status, rows in left_out(summary).items()]
    others = f"; left out: {listed(reasons)}" if reasons else ""
    return f"{count(n)} of {counted(summary.n, 'row')} {verb}{others}"


def cautions(summary: "MatchSummary") -> tuple[str, ...]:
    """List what the figures must not be taken for; empty where there is nothing to say."""
    said = []
    separation = summary.separation
    if separation is not None and separation.is_weak:
        said.append(
            f"These scores hardly tell the pairs from unrelated ones: only {percent(separation.share)} lie "
            "above, and 50 % would by chance. Look at the pairs before trusting the mean, or try another "
            "--method."
        )
    if summary.flagged and not weighs_findings(summary):
        said.append(
            f"Guards found something in {counted(summary.flagged, 'row')}; "
            "this method's scores do not take it into account."
        )
    return tuple(said)


def weighs_findings(summary: "MatchSummary") -> bool:
    """Tell whether the method lowers scores for findings."""
    return dict(summary.matches.signature.fields).get("guards", "none") != "none"


def interval_method(summary: "MatchSummary") -> str:
    """Say how the intervals were made."""
    estimate = summary.estimates.overall_mean()
    if estimate.method is None:
        return "none: it takes two rows with a score"
    if estimate.method == "bootstrap":
        return f"{coverage(summary.interval)}, 2,000 bootstrap resamples of rows, seed {summary.seed}"
    return f"{coverage(summary.interval)}, linearized variance over rows, t quantiles"


def separation_words(summary: "MatchSummary") -> str | None:
    """Say how the scores stand beside those of unrelated pairs; ``None`` where that is not known."""
    separation = summary.separation
    if separation is None:
        return None
    mean = number(float(separation.unrelated.mean()))
    pairs = counted(len(separation.unrelated), "such pair")
    return (
        f"a row scores above an unrelated pair {percent(separation.share)} of the time, and half of the time "
        f"by chance ({pairs}, mean {mean})"
    )


def dearest_tokens(tokens: pl.DataFrame, n: int = 4) -> list[str]:
    """Name the tokens that cost a pair most: those with weight whose best counterpart is unlike them.

    Args:
        tokens: as ``semscale.matching.methods.Explains`` lays them out.
        n: how many at most.

    Returns:
        Such as ``"wheel" (reference) met only "expel", .42``.
    """
    lost = (
        tokens.with_columns(cost=pl.col("weight") * (1 - pl.col("similarity")))
        .filter(pl.col("cost") > 0.005)  # noqa: PLR2004 - less than half a hundredth is not seen in a score
        .sort("cost", descending=True, maintain_order=True)
        .head(n)
    )
    return [
        f'"{row["token"]}" ({row["side"]}) met only "{row["matched_token"]}", {number(row["similarity"])}'
        for row in lost.to_dicts()
    ]
