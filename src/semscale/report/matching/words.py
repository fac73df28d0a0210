"""Sentences of a matching report: statuses, unrelated pairs, costly tokens and cautions."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from semscale.matching.layered import PRESETS
from semscale.report.formatting import count, counted, number, percent
from semscale.report.sentences import STATUS_MEANINGS
from semscale.results.reasons import UNREAD
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.matching.summary import MatchedItem, MatchSummary

MEANINGS = STATUS_MEANINGS | {
    "missing": "no prediction: the cell is empty or null",
    "not-text": "the cell holds a number or something else that is not text of predictions",
    "empty": "the prediction is nothing but white space",
    "no-reference": "no reference holds a text to match with",
    "other-language": "the prediction or the reference is in a language that the model does not read",
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
    if summary.n_unguarded:
        said.append(
            f"Guards read English alone: they did not look at {counted(summary.n_unguarded, 'row')} in other "
            "languages, where nothing is known of negations, numbers and names."
        )
    if summary.n_by_text_alone:
        said.append(
            f"In {counted(summary.n_by_text_alone, 'row')} the texts are in different languages: only the "
            "layer of whole texts counts there, as words have no equals."
        )
    if summary.n_cut:
        said.append(
            f"In {counted(summary.n_cut, 'row')} sentences were longer than the model of entailment reads: "
            "their ends were left out."
        )
    if misfit := _misfit_words(summary):
        said.append(misfit)
    if other := _fitted_to_another(summary):
        said.append(
            f"The weights of calibrated were fitted to {other}, not to this model: compare its scores among "
            "themselves only."
        )
    return tuple(said)


def _misfit_words(summary: "MatchSummary") -> str | None:
    """Say that a layered preset's published constants do not fit the model; ``None`` where they do."""
    separation = summary.separation
    if separation is None or summary.method not in PRESETS:
        return None
    mean = float(separation.unrelated.mean())
    if mean <= _UNRELATED_HIGH:
        return None
    return (
        f"Unrelated pairs score {number(mean)} on average: the constants of {summary.method} were published "
        "for all-MiniLM-L6-v2 and do not fit these vectors. Use --method calibrated."
    )


def _fitted_to_another(summary: "MatchSummary") -> str | None:
    """Name the model that a method's weights were fitted to; ``None`` where it is the one that was used."""
    fields = dict(summary.signature.fields)
    fitted, model = (fields.get(name, "").partition("#")[0] for name in ("weights", "model"))
    return fitted if fields.get("method") == "calibrated" and fitted != model else None


def empty_words(summary: "MatchSummary") -> str | None:
    """Say what empty predictions count as; ``None`` where there are none."""
    if summary.n_empty_as_wrong:
        return f"{counted(summary.n_empty_as_wrong, 'empty prediction')} scored 0, as wrong"
    left_out = sum(summary.counts.get(status, 0) for status in (Status.MISSING, Status.EMPTY))
    if left_out:
        predictions = counted(left_out, "empty prediction")
        return f"{predictions} left out of the mean; match --empty wrong would give them the score 0"
    return None


def contradicted_words(summary: "MatchSummary") -> str | None:
    """Say in how many rows one text contradicts a sentence of the other; ``None`` where nobody looked."""
    if summary.n_contradicted is None:
        return None
    rows = counted(summary.n_contradicted, "row")
    return f"{rows} with a sentence that the other text contradicts (probability above {number(0.5)})"


def sampled_words(summary: "MatchSummary") -> str | None:
    """Say what is counted in a sample; ``None`` where all rows are."""
    if not summary.is_sampled:
        return None
    return (
        f"histograms, thirds and the comparison with unrelated pairs are of a random sample of "
        f"{count(SAMPLED_ROWS)} rows; means and counts are of all rows"
    )


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
        Such as ``"wheel" (reference) met only "expel", .42``; nothing without tokens, or where each has its
        equal. Tokens of long texts cost little each: those are named that cost half as much as the first.
    """
    if tokens is None:
        return ()
    costs = tokens.with_columns(cost=pl.col("weight") * (1 - pl.col("similarity")))
    lost = (
        costs.filter(pl.col("similarity") < _EQUAL)
        .filter(pl.col("cost") > pl.min_horizontal(_SEEN, pl.col("cost").max() / 2))
        .sort("cost", descending=True, maintain_order=True)
        .head(n)
    )
    return tuple(map(_cost_in_words, lost.to_dicts()))


def details_title(tokens: pl.DataFrame | None) -> str:
    """Name what ``costly_tokens`` lists: words, or sentences where entailment was judged."""
    sentences = tokens is not None and "contradiction" in tokens.columns
    return f"{'sentences' if sentences else 'words'} that cost most"


def _cost_in_words(row: Mapping[str, Any]) -> str:
    token, similarity = f'"{row["token"]}" ({row["side"]})', number(row["similarity"])
    if row.get("contradiction", 0.0) > row["similarity"]:
        return f'{token} is contradicted by "{row["matched_token"]}", {number(row["contradiction"])}'
    if "contradiction" in row:
        return f'{token} is entailed only {similarity}, by "{row["matched_token"]}"'
    if row["token"] == row["matched_token"]:
        return f"{token} met itself in another context, {similarity}"
    return f'{token} met only "{row["matched_token"]}", {similarity}'


def part_name(name: str) -> str:
    """Write the name of a part of a score as words.

    Example:
        >>> part_name("findings"), part_name("context")
        ('kept after findings', 'context')
    """
    return _PARTS.get(name, name.replace("_", " "))


def shown_parts(item: "MatchedItem") -> dict[str, float]:
    """Give the parts of an item's score by name, without those that say nothing about this item.

    What findings leave of a score is shown where there are findings, and what was cut where something was.
    """
    known = {name: part for name, part in item.components.items() if not math.isnan(part)}
    silent = {"findings" if not item.findings else "", "cut" if not known.get("cut") else ""}
    return {name: part for name, part in known.items() if name not in silent}


def mean_name(figure: str) -> str:
    """Name the mean of a figure that is estimated of matches or BERTScores.

    Example:
        >>> [mean_name(figure) for figure in ("score", "f1", "recall")]
        ['mean match', 'mean F1', 'mean recall']
    """
    return f"mean {_FIGURES.get(figure, figure)}"


_PARTS = {"findings": "kept after findings", "cut": "share cut off"}
_UNRELATED_HIGH = 0.4
"""Mean score of unrelated pairs above which a layered preset says little; with MiniLM it is below .11."""
_SEEN = 0.005
"""Cost of a token from which on it is seen in a score of two digits."""
_EQUAL = 0.995
"""Similarity from which on two digits show 1."""
_FIGURES = {"score": "match", "f1": "F1"}
