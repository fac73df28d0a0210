"""All that a report needs about ratings, whether they lie in memory or in a file of ten million rows."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.rating.columns import as_list, is_missing
from semscale.rating.comparison import Comparison
from semscale.rating.estimates import Estimates
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.agreement import pearson
from semscale.types import Floats, Integers, Status

if TYPE_CHECKING:
    from semscale.rating.ratings import Ratings

SAMPLE_SIZE = 400
EXAMPLES = 8
EXAMPLES_PER_STATUS = 3

EXAMPLE_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = {
    "row": pl.Int64,
    "text": pl.String,
    "status": pl.String,
    "mean": pl.Float64,
    "mode": pl.Float64,
    "entropy": pl.Float64,
    "similarity": pl.Float64,
    "pmf": pl.List(pl.Float64),
}
"""Columns of every table of example rows in a summary."""


@dataclass(frozen=True)
class RatingSummary:
    """What a report shows.

    The four tables share their columns: ``row`` (place in the input, from 0), ``text``, ``status``, ``mean``,
        ``mode``,
    ``entropy``, ``similarity`` and ``pmf`` (a list).

    Attributes:
        scale: the scale that was used.
        signature: what was applied, from the estimates.
        estimates: figures with intervals, overall and by group.
        n: rows of the input.
        counts: rows by status.
        n_windowed: texts that were longer than the model reads at once.
        n_distinct: distinct texts; ``None`` where nobody counted.
        sample: a seeded sample of scored rows, at most 400, in order.
        most_certain: distinct texts with the lowest entropy, at most 8.
        least_certain: distinct texts with the highest entropy, at most 8.
        left_out: a few rows of each status that has no rating.
        set_agreement: shape (s, s), correlation of the means under each anchor set; NaN where undefined.
        set_names: the anchor sets, in the order of ``set_agreement``.
        floor: similarity below which a text was called off topic; ``None`` for no floor.
        comparison: agreement with human ratings, if there were any.
        source: name of the input, without folders.
        by: name of the column that names groups.
        weight: name of the column of weights.
        respondent: name of the column that names respondents.
        created: when the summary was made.
    """

    scale: Scale
    signature: Signature
    estimates: Estimates
    n: int
    counts: dict[str, int]
    n_windowed: int
    n_distinct: int | None
    sample: pl.DataFrame
    most_certain: pl.DataFrame
    least_certain: pl.DataFrame
    left_out: pl.DataFrame
    set_agreement: Floats
    set_names: tuple[str, ...]
    floor: float | None
    comparison: Comparison | None
    source: str
    by: str | None
    weight: str | None
    respondent: str | None
    created: datetime


class SummarySettings(TypedDict, total=False):
    """What a summary can be told beside the ratings and their texts; all of it optional."""

    estimates: Estimates | None
    comparison: Comparison | None
    source: str
    by: str | None
    weight: str | None
    respondent: str | None
    seed: int


def summarize(ratings: "Ratings", texts: object, **settings: Unpack[SummarySettings]) -> RatingSummary:
    """Collect what a report shows about ratings in memory.

    Args:
        ratings: n ratings.
        texts: shape (n,), the cells that were rated.
        settings: ``estimates`` (made from the ratings alone unless given), ``comparison``, names of the
            ``source`` and of the columns ``by``, ``weight`` and ``respondent``, and the ``seed`` of the
            sample.

    Raises:
        InputError: not as many texts as ratings.
    """
    cells = as_list(texts, "texts")
    if len(cells) != len(ratings):
        raise InputError(
            f"texts must have {len(ratings)} rows, as many as there are ratings, got {len(cells)}"
        )
    seed = settings.get("seed", 0)
    estimates = settings.get("estimates") or ratings.estimate(seed=seed)
    scored = np.flatnonzero(ratings.scored)
    entropy = ratings.entropy[scored]
    rising, falling = (scored[np.argsort(sign * entropy, kind="stable")] for sign in (1, -1))
    return RatingSummary(
        scale=ratings.scale,
        signature=estimates.signature,
        estimates=estimates,
        n=len(ratings),
        counts={str(status): count for status, count in ratings.counts.items()},
        n_windowed=int((ratings.windows > 1).sum()),
        n_distinct=len({cell for cell in cells if isinstance(cell, str)}),
        sample=example_rows(ratings, cells, sampled_rows(scored, seed)),
        most_certain=example_rows(ratings, cells, distinct_rows(rising, cells)),
        least_certain=example_rows(ratings, cells, distinct_rows(falling, cells)),
        left_out=example_rows(ratings, cells, left_out_rows(ratings.status)),
        set_agreement=set_agreement(ratings.set_means[scored]),
        set_names=tuple(ratings.scale.anchor_sets),
        floor=ratings.floor,
        comparison=settings.get("comparison"),
        source=settings.get("source", ""),
        by=settings.get("by"),
        weight=settings.get("weight"),
        respondent=settings.get("respondent"),
        created=datetime.now(UTC),
    )


def example_rows(ratings: "Ratings", cells: list[object], rows: Integers) -> pl.DataFrame:
    """Lay some rows out as ``EXAMPLE_SCHEMA`` says; what is missing is null, other cells as they print."""
    chosen = ratings.status[rows] == Status.SCORED
    masses = zip(ratings.pmf[rows].tolist(), chosen, strict=True)
    table = pl.DataFrame(
        {
            "row": rows,
            "text": [None if is_missing(cells[row]) else str(cells[row]) for row in rows],
            "status": [str(status) for status in ratings.status[rows]],
            "mean": ratings.mean[rows],
            "mode": ratings.mode[rows],
            "entropy": ratings.entropy[rows],
            "similarity": ratings.similarity[rows],
            "pmf": [row if is_scored else None for row, is_scored in masses],
        },
        schema=EXAMPLE_SCHEMA,
    )
    return table.with_columns(pl.col(pl.Float64).fill_nan(None))


def sampled_rows(scored: Integers, seed: int) -> Integers:
    """Choose at most 400 of the scored rows at random, in their order."""
    if len(scored) <= SAMPLE_SIZE:
        return scored
    return np.sort(np.random.default_rng(seed).choice(scored, SAMPLE_SIZE, replace=False))


def distinct_rows(rows: Integers, cells: list[object]) -> Integers:
    """Keep the first 8 rows whose texts differ."""
    first: dict[object, int] = {}
    for row in rows:
        first.setdefault(cells[row], int(row))
        if len(first) == EXAMPLES:
            break
    return np.array(list(first.values()), dtype=np.int64)


def left_out_rows(status: np.ndarray) -> Integers:
    """The first 3 rows of each status that has no rating, by status."""
    unscored = [kind for kind in Status if kind != Status.SCORED]
    return np.concatenate([np.flatnonzero(status == kind)[:EXAMPLES_PER_STATUS] for kind in unscored])


def set_agreement(set_means: Floats) -> Floats:
    """Pearson's correlation between anchor sets of the means under each.

    Args:
        set_means: shape (n, s), scored rows only.

    Returns:
        Shape (s, s); NaN where a set's means do not vary, or with fewer than two rows.

    Example:
        >>> set_agreement(np.array([[1.0, 2.0], [2.0, 1.0]])).tolist()
        [[1.0, -1.0], [-1.0, 1.0]]
    """
    s = set_means.shape[1]
    return np.array([[pearson(set_means[:, a], set_means[:, b]) for b in range(s)] for a in range(s)])
