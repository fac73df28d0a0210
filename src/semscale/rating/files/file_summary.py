"""Collection of a file's rated parts for their summary, in memory that does not grow with the file."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from semscale.rating.cells import HumanRating, humans_in, inclusion_in, numbers_in
from semscale.rating.files.columns import FileColumns
from semscale.rating.files.human_sample import HumanSample
from semscale.rating.human import RatingComparison
from semscale.rating.labelling import FilledSheet
from semscale.rating.rater import Rater
from semscale.rating.ratings import Ratings
from semscale.rating.summary import RatingSummary, RunningSummary
from semscale.results.tallies import Tallies
from semscale.results.weights import as_weights
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.stats.mass_names import mass_names
from semscale.store.columns import column_in, groups_in
from semscale.store.writing import PREFIX
from semscale.types import Floats, Status

SET_MEANS = f"{PREFIX}set_means"
"""Column of a part that its run keeps for itself: the means under each anchor set."""

SEEN = f"{PREFIX}seen"
"""Likewise: whether the calibration was fitted to the text."""

REFITS = f"{PREFIX}refits"
"""Likewise: the masses under each refit of the calibration, one refit after another."""


def rated_frame(ratings: Ratings) -> pl.DataFrame:
    """Lay ratings out as columns of a part: those of ``to_frame``, and what a run keeps for itself."""
    columns = ratings.to_frame().rename(lambda name: PREFIX + name)
    kept = [pl.Series(SET_MEANS, ratings.set_means)]
    if ratings.seen is not None:
        kept.append(pl.Series(SEEN, ratings.seen))
    if ratings.refits is not None:
        n, b, k = ratings.refits.shape
        kept.append(pl.Series(REFITS, ratings.refits.reshape(n, b * k)))
    return columns.with_columns(*kept)


def ratings_of(frame: pl.DataFrame, rater: Rater) -> Ratings:
    """Read ratings back from the columns of ``rated_frame``."""
    unlike = f"{PREFIX}unlike_labels"
    masses = frame.select(PREFIX + name for name in mass_names(rater.scale.values)).to_numpy()
    n, k = masses.shape
    return Ratings(
        scale=rater.scale,
        pmf=masses.astype(np.float64),
        similarity=frame[f"{PREFIX}similarity"].to_numpy().astype(np.float64),
        set_means=frame[SET_MEANS].to_numpy(),
        status=np.array([Status(status) for status in frame[f"{PREFIX}status"]], dtype=object),
        windows=frame[f"{PREFIX}windows"].to_numpy(),
        language=np.array(frame[f"{PREFIX}language"].to_list(), dtype=object),
        signature=rater.signature,
        floor=rater.floor,
        own_anchors=rater.anchor_languages.translations,
        calibration=rater.calibration,
        unlike=None if rater.calibration is None else frame[unlike].to_numpy(),
        seen=None if rater.calibration is None else frame[SEEN].to_numpy(),
        refits=frame[REFITS].to_numpy().reshape(n, -1, k) if REFITS in frame.columns else None,
    )


@dataclass
class Collector:
    """Takes rated parts in the order of the file, whether just made or read back, and sums them up.

    Attributes:
        rater: the rater that rated them.
        columns: names of the columns.
        seed: of the sample, the bootstrap and the comparison.
        labels: human ratings in a sheet, in the place of a column.
    """

    rater: Rater
    columns: FileColumns
    seed: int = 0
    labels: FilledSheet | None = None

    def __post_init__(self) -> None:
        rater = self.rater
        n_labels = None if rater.calibration is None else rater.calibration.labels.n
        figures = [figures_of(rater.scale.values)]
        self._tallies = {
            by: Tallies(figures, rater.signature, n_labels=n_labels)
            for by in (self.columns.by, *self.columns.further_by)
        }
        self._running = RunningSummary(
            rater.scale,
            rater.floor,
            own_anchors=rater.anchor_languages.translations,
            seed=self.seed,
            calibration=rater.calibration,
        )
        column = f"human: column '{self.columns.human}'"
        source = column if self.labels is None else f"labels: {self.labels.name}"
        self._humans = HumanSample(self.seed, rater.scale.values, source)

    @property
    def n(self) -> int:
        """Rows so far."""
        return self._running.n

    def add(self, frame: pl.DataFrame) -> None:
        """Add the next part.

        Args:
            frame: the input's columns, mixed ones as text, and those of ``rated_frame``.

        Raises:
            InputError: a weight or human rating that is none, or too many groups.
        """
        ratings = ratings_of(frame, self.rater)
        self._tally(frame, ratings)
        found = self._human_ratings(frame)
        if found is not None:
            humans, inclusion = found
            texts = column_in(frame, self.columns.text).cast(pl.String)
            self._humans.add(
                self.n,
                ratings.pmf,
                humans,
                lengths=texts.str.len_chars().fill_null(0).to_list(),
                respondents=self._respondents(frame),
                weights=self._weights(frame),
                inclusion=inclusion,
                seen=ratings.seen,
            )
        self._running.add(ratings, column_in(frame, self.columns.text).to_list())

    def summary(self, source: str, interval: float) -> RatingSummary:
        """Estimate and sum up everything that was added.

        Args:
            source: name of the file; its folders are left out.
            interval: coverage of the intervals, between 0 and 1.

        Raises:
            InputError: weights that sum to 0, or human ratings outside their range.
        """
        first, *further = (
            tallies.estimates(interval=interval, seed=self.seed) for tallies in self._tallies.values()
        )
        summary = self._running.summary(
            first,
            comparison=self._comparison(interval),
            lint=None,
            source=Path(source).name,
            by=self.columns.by,
            weight=self.columns.weight,
            respondent=self.columns.respondent,
        )
        return replace(summary, further_groups=dict(zip(self.columns.further_by, further, strict=True)))

    def _tally(self, frame: pl.DataFrame, ratings: Ratings) -> None:
        weights, respondents = self._weights(frame), self._respondents(frame)
        for by, tallies in self._tallies.items():
            tallies.add(
                ratings.pmf,
                ratings.status,
                weights=weights,
                by=None if by is None else groups_in(column_in(frame, by)),
                respondents=respondents,
                refits=ratings.refits,
            )

    def _weights(self, frame: pl.DataFrame) -> Floats | None:
        if self.columns.weight is None:
            return None
        return as_weights(
            numbers_in(column_in(frame, self.columns.weight), "weight", self.n), first_row=self.n
        )

    def _human_ratings(self, frame: pl.DataFrame) -> tuple[list[HumanRating | None], Floats | None] | None:
        """Give people's ratings of a part, and the probabilities of their draw where these are known."""
        columns = self.columns
        if self.labels is not None:
            return self.labels.part(self.n, frame.height)
        if columns.human is None:
            return None
        humans = humans_in(column_in(frame, columns.human), self.n, columns.human_range)
        if columns.inclusion is None:
            return humans, None
        return humans, inclusion_in(column_in(frame, columns.inclusion), humans, self.n)

    def _respondents(self, frame: pl.DataFrame) -> list[str | None] | None:
        if self.columns.respondent is None:
            return None
        return groups_in(column_in(frame, self.columns.respondent)).to_list()

    def _comparison(self, interval: float) -> RatingComparison | None:
        if self.columns.human is None and self.labels is None:
            return None
        found = self._humans.compared(
            self.rater.scale.values, self.columns, interval=interval, signature=self.rater.signature
        )
        if self.labels is None:
            return found
        note = self.labels.note
        return replace(found, notes=(*found.notes, note) if note else found.notes, sheet=self.labels.name)
