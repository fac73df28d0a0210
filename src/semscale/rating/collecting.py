"""From rated parts of a file to the summary of all of them, in memory that does not grow with the file."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl

from semscale.rating.comparison import Comparison
from semscale.rating.estimating import Tallies
from semscale.rating.file_cells import groups_in, humans_in, numbers_in
from semscale.rating.file_columns import FileColumns
from semscale.rating.human_sample import HumanSample
from semscale.rating.mass_names import mass_names
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings
from semscale.rating.sampling import DistinctCount, priorities, set_correlations
from semscale.rating.summary import (
    EXAMPLES,
    EXAMPLES_PER_STATUS,
    SAMPLE_SIZE,
    RatingSummary,
    distinct_rows,
    example_rows,
    left_out_rows,
)
from semscale.stats.moments import Moments
from semscale.types import Integers, Status

PREFIX = "semscale_"
"""Stands before the name of every column that a run adds."""


def rated_frame(ratings: Ratings) -> pl.DataFrame:
    """Lay ratings out as the columns that a run adds: those of ``Ratings.to_frame``, each with the prefix."""
    return ratings.to_frame().rename(lambda name: PREFIX + name)


def ratings_of(frame: pl.DataFrame, rater: Rater) -> Ratings:
    """Read ratings back from the columns of ``rated_frame``, which lack the means under single sets."""
    masses = frame.select(PREFIX + name for name in mass_names(rater.scale.values)).to_numpy()
    return Ratings(
        scale=rater.scale,
        pmf=masses.astype(np.float64),
        similarity=frame[f"{PREFIX}similarity"].to_numpy().astype(np.float64),
        set_means=np.full((frame.height, len(rater.scale.anchor_sets)), np.nan),
        status=np.array([Status(status) for status in frame[f"{PREFIX}status"]], dtype=object),
        windows=frame[f"{PREFIX}windows"].to_numpy(),
        signature=rater.signature,
        floor=rater.floor,
    )


@dataclass
class Collector:
    """Takes rated parts in the order of the file, whether just made or read back, and sums them up.

    Attributes:
        rater: what rated them.
        columns: which column is what.
        seed: of the sample, the bootstrap and the comparison.
        n: rows so far.
    """

    rater: Rater
    columns: FileColumns
    seed: int = 0
    n: int = 0
    _examples: dict[str, pl.DataFrame] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._tallies = Tallies(self.rater.scale.values, self.rater.signature)
        self._counts = dict.fromkeys(Status, 0)
        self._n_windowed = 0
        self._distinct = DistinctCount()
        self._sets = Moments.empty(len(self.rater.scale.anchor_sets))
        self._humans = HumanSample(self.seed)

    def add(self, frame: pl.DataFrame, sets: Moments) -> None:
        """Add the next part.

        Args:
            frame: the input's columns, mixed ones as text, and those of ``rated_frame``.
            sets: of the part's means under each anchor set.

        Raises:
            InputError: a weight or human rating that is none, or too many groups.
        """
        ratings = ratings_of(frame, self.rater)
        self._tally(frame, ratings)
        for status, count in ratings.counts.items():
            self._counts[status] += count
        self._n_windowed += int((ratings.windows > 1).sum())
        self._count_distinct(frame)
        self._sets = self._sets.merged(sets)
        self._keep_examples(frame, ratings)
        if self.columns.human is not None:
            texts = _column(frame, self.columns.text).cast(pl.String)
            self._humans.add(
                self.n,
                ratings.pmf,
                humans_in(_column(frame, self.columns.human), self.n, self.columns.human_range),
                lengths=texts.str.len_chars().fill_null(0).to_list(),
                respondents=self._respondents(frame),
            )
        self.n += frame.height

    def summary(self, source: str, interval: float) -> RatingSummary:
        """Estimate and sum up everything that was added.

        Args:
            source: name of the file; its folders are left out.
            interval: coverage of the intervals, between 0 and 1.

        Raises:
            InputError: weights that sum to 0, or human ratings outside their range.
        """
        rater, columns = self.rater, self.columns
        estimates = self._tallies.estimates(interval=interval, seed=self.seed)
        return RatingSummary(
            scale=rater.scale,
            signature=estimates.signature,
            estimates=estimates,
            n=self.n,
            counts={str(status): count for status, count in self._counts.items() if count},
            n_windowed=self._n_windowed,
            n_distinct=self._distinct.count,
            sample=self._examples["sample"].drop("priority"),
            most_certain=self._examples["most_certain"],
            least_certain=self._examples["least_certain"],
            left_out=self._examples["left_out"],
            set_agreement=set_correlations(self._sets),
            set_names=tuple(rater.scale.anchor_sets),
            floor=rater.floor,
            comparison=self._comparison(interval),
            source=Path(source).name,
            by=columns.by,
            weight=columns.weight,
            respondent=columns.respondent,
            created=datetime.now(UTC),
        )

    def _tally(self, frame: pl.DataFrame, ratings: Ratings) -> None:
        columns = self.columns
        weights = by = None
        if columns.weight is not None:
            weights = numbers_in(_column(frame, columns.weight), "weight", self.n)
        if columns.by is not None:
            by = groups_in(_column(frame, columns.by))
        self._tallies.add(
            ratings.pmf, ratings.status, weights=weights, by=by, respondents=self._respondents(frame)
        )

    def _respondents(self, frame: pl.DataFrame) -> list[str | None] | None:
        if self.columns.respondent is None:
            return None
        return groups_in(_column(frame, self.columns.respondent)).to_list()

    def _count_distinct(self, frame: pl.DataFrame) -> None:
        is_text = ~frame[f"{PREFIX}status"].is_in([Status.MISSING, Status.NOT_TEXT])
        texts = _column(frame, self.columns.text).filter(is_text)
        if len(texts):  # a column without any, of numbers say, need not be one that can be cast
            self._distinct.add(texts.cast(pl.String))

    def _keep_examples(self, frame: pl.DataFrame, ratings: Ratings) -> None:
        cells: list[object] = _column(frame, self.columns.text).to_list()
        scored = np.flatnonzero(ratings.scored)
        entropy = ratings.entropy[scored]
        rising, falling = (scored[np.argsort(sign * entropy, kind="stable")] for sign in (1, -1))
        priority = priorities(self.n + scored, self.seed)
        sampled = scored[np.argsort(priority, kind="stable")[:SAMPLE_SIZE]]
        drawn = self._rows(ratings, cells, sampled)
        drawn = drawn.with_columns(priority=pl.Series(priorities(self.n + sampled, self.seed)))
        self._merge("sample", drawn, pl.col("priority"), SAMPLE_SIZE)
        lowest = self._rows(ratings, cells, distinct_rows(rising, cells))
        self._merge("most_certain", lowest, pl.col("entropy"), EXAMPLES)
        highest = self._rows(ratings, cells, distinct_rows(falling, cells))
        self._merge("least_certain", highest, -pl.col("entropy"), EXAMPLES)
        left_out = self._rows(ratings, cells, left_out_rows(ratings.status))
        known = self._examples.get("left_out", left_out.clear())
        self._examples["left_out"] = _first_per_status(pl.concat([known, left_out]))

    def _rows(self, ratings: Ratings, cells: list[object], rows: Integers) -> pl.DataFrame:
        return example_rows(ratings, cells, rows).with_columns(pl.col("row") + self.n)

    def _merge(self, name: str, rows: pl.DataFrame, key: pl.Expr, most: int) -> None:
        merged = pl.concat([self._examples.get(name, rows.clear()), rows]).sort(key, "row")
        if name == "sample":
            self._examples[name] = merged.head(most).sort("row")
        else:
            self._examples[name] = merged.unique("text", keep="first", maintain_order=True).head(most)

    def _comparison(self, interval: float) -> Comparison | None:
        if self.columns.human is None:
            return None
        return self._humans.compared(
            self.rater.scale.values, self.columns, interval=interval, signature=self.rater.signature
        )


def _column(frame: pl.DataFrame, name: str) -> pl.Series:
    """A column, or nulls where a part of a JSON lines file does not have it."""
    return frame[name] if name in frame.columns else pl.Series(name, [None] * frame.height, dtype=pl.Null)


def _first_per_status(rows: pl.DataFrame) -> pl.DataFrame:
    order = pl.col("status").replace_strict({str(status): place for place, status in enumerate(Status)})
    place = pl.int_range(pl.len()).over("status")
    return rows.filter(place < EXAMPLES_PER_STATUS).sort(order, "row")
