"""All that a report needs about ratings, whether they lie in memory or in a file of ten million rows."""

from dataclasses import dataclass
from datetime import datetime

import polars as pl

from semscale.rating.comparison import Comparison
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.estimates import Estimates
from semscale.types import Floats


@dataclass(frozen=True)
class RatingSummary:
    """What a report shows.

    The four tables share their columns: ``row`` (place in the input, from 0), ``text``, ``status``, ``mean``,
        ``mode``,
    ``entropy``, ``similarity`` and ``pmf`` (a list).

    Attributes:
        scale: the scale that was used.
        signature: what was applied, from the ratings.
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
