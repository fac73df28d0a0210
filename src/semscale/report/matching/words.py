"""Sentences of a matching report: statuses, unrelated pairs, costly tokens and cautions."""

from typing import TYPE_CHECKING

import polars as pl

from semscale.report.formatting import counted, number, percent
from semscale.report.sentences import STATUS_MEANINGS
from semscale.results.reasons import UNREAD
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.matching.match_summary import MatchSummary

MEANINGS = STATUS_MEANINGS | {
    "missing": "no prediction: the cell is empty or null",
    "not-text": "a number or something else that is not text stands in the column of predictions",
    "empty": "the prediction is nothing but white space",
    "no-reference": "no reference holds a text to match with",
    "weightless": f"{UNREAD}; or no token of the texts counts",
}


def cautions(summary: "MatchSummary") -> tuple[str, ...]:
    """List the limits of the figures that a reader must know; empty where there are none."""
    said = []
    separation = summary.separation
    if separation is not None and separation.is_weak:
        said.append(
            f"These scores hardly tell the pairs from unrelated ones: only {percent(separation.share)} lie "
            "above, and 50 % would by chance. Look at the pairs before trusting the mean, or try another "
            "--method."
        )
    if summary.n_flagged and not summary.weighs_findings:
        said.append(
            f"Guards found something in {counted(summary.n_flagged, 'row')}; "
            "this method's scores do not take it into account."
        )
    return tuple(said)


def empty_words(summary: "MatchSummary") -> str | None:
    """Say what empty predictions count as; ``None`` where there are none."""
    if summary.n_empty_as_wrong:
        return f"{counted(summary.n_empty_as_wrong, 'empty prediction')} scored 0, as wrong"
    left_out = sum(summary.counts.get(status, 0) for status in (Status.MISSING, Status.EMPTY))
    if left_out:
        predictions = counted(left_out, "empty prediction")
        return f"{predictions} left out of the mean; match --empty wrong would give them the score 0"
    return None


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


def costly_tokens(tokens: pl.DataFrame | None, n: int = 4) -> tuple[str, ...]:
    """Name the tokens that cost a pair most: those with weight whose best counterpart is unlike them.

    Args:
        tokens: as ``semscale.matching.methods.Explains`` lays them out.
        n: how many at most.

    Returns:
        Such as ``"wheel" (reference) met only "expel", .42``; nothing without tokens.
    """
    if tokens is None:
        return ()
    lost = (
        tokens.with_columns(cost=pl.col("weight") * (1 - pl.col("similarity")))
        .filter(pl.col("cost") > 0.005)  # noqa: PLR2004 - less than half a hundredth is not seen in a score
        .sort("cost", descending=True, maintain_order=True)
        .head(n)
    )
    return tuple(
        f'"{row["token"]}" ({row["side"]}) met only "{row["matched_token"]}", {number(row["similarity"])}'
        for row in lost.to_dicts()
    )


def part_name(name: str) -> str:
    """Write the name of a part of a score as words."""
    return name.replace("_", " ")


def mean_name(figure: str) -> str:
    """Name the mean of a figure that is estimated of matches or BERTScores.

    Example:
        >>> [mean_name(figure) for figure in ("score", "f1", "recall")]
        ['mean match', 'mean F1', 'mean recall']
    """
    return f"mean {_FIGURES.get(figure, figure)}"


_FIGURES = {"score": "match", "f1": "F1"}
