"""Summary of matches: estimates, scores, findings, and the items to look at."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from semscale.guards.findings import Finding
from semscale.matching.settings import MatchColumns
from semscale.results.summary import Summary
from semscale.stats.correlations import average_ranks
from semscale.stats.sampling import SAMPLED_ROWS
from semscale.types import Floats, Integers

SHOWN = 20
"""Number of items with the lowest scores, and of items with findings, in a summary."""

MOST_ITEMS = 300
"""Maximum number of items that are matched with the references of others."""

WEAK = 0.75
"""Share below which scores hardly tell related texts from unrelated ones."""

_FEWEST_UNRELATED = 10
_FEWEST_FOR_THIRDS = 6


@dataclass(frozen=True)
class Separation:
    """Comparison of the items' scores with scores of predictions and other items' references.

    Attributes:
        share: share of comparisons in which an item scores above an unrelated pair; a tie counts half. .5 is
            chance, 1 is best.
        unrelated: shape (m,), scores of the unrelated pairs.
    """

    share: float
    unrelated: Floats

    @property
    def is_weak(self) -> bool:
        """True if the scores hardly differ from those of unrelated pairs."""
        return self.share < WEAK


@dataclass(frozen=True)
class MatchedItem:
    """One item that has a score.

    Attributes:
        row: its position among all items, from 0.
        score: its score.
        prediction: the prediction; ``None`` where the texts are not known.
        reference: the reference behind the score; ``None`` likewise.
        group: name of its group, if it has one.
        components: parts of the score, by name.
        findings: findings of the guards; ``None`` where no guard checked it.
        tokens: its tokens in a table like that of ``semscale.matching.pairs.explained_side``, if requested.
    """

    row: int
    score: float
    prediction: str | None
    reference: str | None
    group: str | None
    components: Mapping[str, float]
    findings: tuple[Finding, ...] | None
    tokens: pl.DataFrame | None = None

    def record(self) -> dict[str, Any]:
        """Return everything by name, for JSON, where rows count from 1."""
        tokens = None if self.tokens is None else self.tokens.to_dicts()
        return {**vars(self), "row": self.row + 1, "tokens": tokens}


@dataclass(frozen=True, repr=False, kw_only=True)
class MatchSummary(Summary):
    """Summary of n matched items.

    Attributes:
        columns: names of the matched columns; ``None`` for texts in memory.
        bounds: the lowest and the highest score that the method can give.
        n_windowed: items with a text that was read in windows.
        n_empty_as_wrong: empty predictions that count as wrong, with the score 0.
        scores: shape (scored items,); with more than 100,000 items, of a sample of 100,000.
        group_scores: the same for each group in the sample; the key of items without a group is ``None``.
        thirds: mean of the score and of each of its parts in the lowest, middle and highest third of items;
            empty without parts, and with fewer than 6 scored items.
        guards: number of items with findings of each guard, by its name.
        n_flagged: number of items with findings; ``None`` where no guard checked any.
        n_unguarded: items that guards skipped because they read only English.
        n_by_text_alone: items whose two texts are in different languages, so that their words did not count.
        weighs_findings: whether findings of guards lower the scores.
        lowest: items with the lowest scores, the lowest first, at most 20.
        flagged: items with findings, the highest score first, at most 20.
        separation: comparison with the scores of unrelated pairs, if known.
        is_explained: whether explanations of the lowest scores were requested.
        n_contradicted: items with a sentence that the other text contradicts, by a probability above one
            half; ``None`` where the method estimates none.
        n_cut: items with sentences too long for the method's model, which read only their beginnings.
    """

    instrument = "match"
    language_of = ("prediction", "reference")

    columns: MatchColumns | None = None
    bounds: tuple[float, float]
    n_windowed: int
    n_empty_as_wrong: int
    scores: Floats
    group_scores: Mapping[str | None, Floats]
    thirds: Mapping[str, tuple[float, float, float]]
    guards: dict[str, int]
    n_flagged: int | None
    n_unguarded: int
    n_by_text_alone: int
    weighs_findings: bool
    lowest: tuple[MatchedItem, ...]
    flagged: tuple[MatchedItem, ...]
    separation: Separation | None = None
    is_explained: bool = False
    n_contradicted: int | None = None
    n_cut: int = 0

    @property
    def is_sampled(self) -> bool:
        """True if ``scores``, ``group_scores``, ``thirds`` and ``separation`` come from a sample."""
        return self.n > SAMPLED_ROWS

    @property
    def method(self) -> str:
        """The method's name from the signature; for BERTScore the instrument's name."""
        instrument = self.signature.instrument
        return dict(self.signature.fields)["method"] if instrument == "match" else instrument

    def instrument_record(self) -> dict[str, Any]:
        """Return the numbers of matching by name, for JSON."""
        separation = self.separation
        return {
            "method": self.method,
            "across_languages": self.n_across_languages,
            "windowed": self.n_windowed,
            "empty_as_wrong": self.n_empty_as_wrong,
            "bounds": self.bounds,
            "guards": self.guards,
            "unguarded": self.n_unguarded,
            "by_text_alone": self.n_by_text_alone,
            "contradicted": self.n_contradicted,
            "cut": self.n_cut,
            "separation": None
            if separation is None
            else {
                "share_above": separation.share,
                "unrelated_pairs": len(separation.unrelated),
                "unrelated_mean": separation.unrelated.mean(),
            },
            "lowest": [item.record() for item in self.lowest],
        }


def thirds(score: Floats, components: Mapping[str, Floats]) -> dict[str, tuple[float, float, float]]:
    """Return mean score, and mean of each component, in the lowest, middle and highest third of items.

    Args:
        score: shape (n,); NaN where there is none.
        components: by name, each of shape (n,).

    Returns:
        The three means by name: ``score`` and the components, except those missing in a whole third. Empty
        without components or with fewer than 6 scores.

    Examples:
        >>> scores = np.array([0.6, 0.1, 0.2, 0.3, 0.4, 0.5])
        >>> [tuple(np.round(means, 2).tolist()) for means in thirds(scores, {"word": 1 - scores}).values()]
        [(0.15, 0.35, 0.55), (0.85, 0.65, 0.45)]
    """
    known = np.flatnonzero(~np.isnan(score))
    rows = known[np.argsort(score[known], kind="stable")]
    if not components or len(rows) < _FEWEST_FOR_THIRDS:
        return {}
    low, middle, high = np.array_split(rows, 3)
    means = {
        name: (_mean_known(values[low]), _mean_known(values[middle]), _mean_known(values[high]))
        for name, values in {"score": score, **components}.items()
    }
    return {name: row for name, row in means.items() if not any(map(math.isnan, row))}


def _mean_known(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def scores_by_group(score: Floats, groups: Sequence[str | None]) -> dict[str | None, Floats]:
    """Collect the scores of each group, in order of first appearance.

    Args:
        score: shape (n,); NaN where there is none, and such items are left out.
        groups: n names; items without one form the group ``None``.

    Examples:
        >>> groups = scores_by_group(np.array([0.5, np.nan, 0.1, 0.2]), ["b", "b", "a", None])
        >>> {name: scores.tolist() for name, scores in groups.items()}
        {'b': [0.5], 'a': [0.1], None: [0.2]}
    """
    table = pl.DataFrame({"group": pl.Series(groups, dtype=pl.String), "score": score})
    parts = table.filter(pl.col("score").is_not_nan()).group_by("group", maintain_order=True)
    return {name: part["score"].to_numpy() for (name,), part in parts}


def separate(
    scores: Floats,
    predictions: Sequence[Any] | Mapping[int, Any],
    references: Sequence[Sequence[Any]] | Mapping[int, Sequence[Any]],
    match: Callable[[list[Any], list[Any]], Floats],
    *,
    seed: int = 0,
) -> Separation | None:
    """Match predictions with the references of other items, and compare the scores with the items'.

    At most 300 items are drawn. Items that share a reference are never paired.

    Args:
        scores: shape (n,), scores of the items with their own references; NaN if missing.
        predictions: n cells, or the cells at the positions that ``draw_items`` returns.
        references: n lists of cells, likewise.
        match: scores predictions with references, by the same method.
        seed: seed of the draw.

    Returns:
        ``None`` where fewer than 10 unrelated pairs can be formed.
    """
    items = draw_items(scores, seed)
    # Each item is paired with the one half a round further on.
    others = np.roll(items, len(items) // 2)
    texts = {item: {text for text in references[item] if isinstance(text, str)} for item in items.tolist()}
    pairs = [(item, other) for item, other in zip(items.tolist(), others.tolist(), strict=True)
             if not texts[item] & texts[other]]  # fmt: skip
    if len(pairs) < _FEWEST_UNRELATED:
        return None
    unrelated = match([predictions[item] for item, _ in pairs], [references[other] for _, other in pairs])
    unrelated = unrelated[~np.isnan(unrelated)]
    if len(unrelated) < _FEWEST_UNRELATED:
        return None
    return Separation(share_above(scores[~np.isnan(scores)], unrelated), unrelated)


def draw_items(scores: Floats, seed: int) -> Integers:
    """Draw items for unrelated pairs: at most 300 of those with a score.

    Args:
        scores: shape (n,); NaN where there is none.
        seed: seed of the draw.

    Returns:
        Their positions, in the order in which they were drawn.
    """
    scored = np.flatnonzero(~np.isnan(scores))
    return np.random.default_rng(seed).permutation(scored)[:MOST_ITEMS]


def share_above(scores: Floats, others: Floats) -> float:
    """Compute the share of pairs in which the first score is higher; ties count half (Mann-Whitney U).

    Args:
        scores: shape (n,), n at least 1.
        others: shape (m,), m at least 1.

    Returns:
        0 to 1; the area under the ROC curve.

    References:
        Mann and Whitney 1947, doi:10.1214/aoms/1177730491.

    Examples:
        >>> share_above(np.array([0.9, 0.5]), np.array([0.5, 0.1]))  # 3 wins and a tie among 4
        0.875
    """
    n, m = len(scores), len(others)
    ranks = average_ranks(np.concatenate([scores, others]))
    return float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
