"""A seeded sample of a file's rows that have both a rating and a human rating, to compare the two."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.rating.cells import HumanRating
from semscale.rating.files.columns import FileColumns
from semscale.rating.human import (
    RatingComparison,
    compare,
    corrected_by,
    human_table,
    labels_on,
    notes_of_seen,
)
from semscale.results.respondents import numbered
from semscale.results.weights import in_unit
from semscale.signature import Signature
from semscale.stats.calibration.labels_hash import labels_hash
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS, CorrectedMean
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.sampling import RowSample
from semscale.types import Floats, Integers, Mask

COMPARED_ROWS = 20_000


class _Row(NamedTuple):
    """A row that may be compared, and its places in the file and among all rated rows that count."""

    row: int
    place: int
    pmf: Floats
    human: HumanRating
    length: int
    respondent: str | None
    weight: float
    inclusion: float


class _RatedPart(NamedTuple):
    """Rated rows of a part that count: their means, weights and respondents, shape (n,) each."""

    means: Floats
    weights: Floats | None
    respondents: Integers | None


class HumanSample:
    """Takes parts of a file, and keeps up to 20,000 rows whose choice does not depend on the parts.

    Args:
        seed: of the choice, and of the comparison.
        values: shape (k,), of the scale's points; with them the means of all rated texts are kept, 8 bytes
            each, for the mean of all texts, and 8 more for a weight and for a respondent.
        source: where the human ratings stand, for messages.
    """

    def __init__(self, seed: int, values: Floats | None = None, source: str = "human") -> None:
        self._seed, self._values, self._source = seed, values, source
        self._rows = RowSample[_Row](COMPARED_ROWS, seed)
        self._rated: list[_RatedPart] = []
        self._n_rated = self._n_seen = 0
        self._uses_inclusion = False

    def add(  # noqa: PLR0913 - a part's columns
        self,
        first_row: int,
        pmf: Floats,
        humans: Sequence[HumanRating | None],
        *,
        lengths: Sequence[int],
        respondents: Sequence[str | None] | None,
        weights: Floats | None = None,
        inclusion: Floats | None = None,
        seen: Mask | None = None,
    ) -> None:
        """Add the next part.

        Rows without a rating or a human rating are passed over, and so are those that the estimates leave
        out: without a known respondent, or with no weight or a weight of 0. Texts that a calibration was
        fitted to (``seen``) are only counted.
        """
        heavy = np.ones(len(humans)) if weights is None else np.nan_to_num(weights, nan=0.0)
        drawn = np.ones(len(humans)) if inclusion is None else inclusion
        names = [None] * len(humans) if respondents is None else respondents
        counted = ~np.isnan(pmf[:, 0]) & (heavy > 0)
        if respondents is not None:
            counted &= np.array([bool(name) for name in names], dtype=np.bool_)
        comparable = counted & np.array([human is not None for human in humans], dtype=np.bool_)
        if seen is not None:
            self._n_seen += int((comparable & seen).sum())
            counted, comparable = counted & ~seen, comparable & ~seen
        self._uses_inclusion |= inclusion is not None
        places = self._n_rated + np.cumsum(counted) - 1
        self._rows.add(
            (
                first_row + row,
                _Row(
                    first_row + row,
                    int(places[row]),
                    pmf[row].copy(),  # a view of a row would keep the array of its part
                    human,
                    lengths[row],
                    names[row],
                    float(heavy[row]),
                    float(drawn[row]),
                ),
            )
            for row, human in enumerate(humans)
            if human is not None and comparable[row]
        )
        self._n_rated += int(counted.sum())
        if self._values is not None:
            people = None if respondents is None else numbered(respondents, len(humans))[counted]
            kept = None if weights is None else heavy[counted]
            self._rated.append(_RatedPart(pmf[counted] @ self._values, kept, people))

    def compared(
        self, values: Floats, columns: FileColumns, *, interval: float, signature: Signature
    ) -> RatingComparison:
        """Compare what was kept.

        Args:
            values: shape (k,), of the scale's points.
            columns: their names and the range of the human ratings.
            interval: coverage that the intervals aim at, between 0 and 1.
            signature: signature of the ratings.

        Raises:
            InputError: nothing can be compared.
        """
        rows = self._rows.items
        if not rows and not self._n_seen:
            needed = {
                " and whose respondent is known": columns.respondent,
                " and that has a weight above 0": columns.weight,
            }
            raise InputError(
                f"{self._source} has no rating for any text that was scored"
                f"{''.join(words for words, column in needed.items() if column)}; "
                "name another, or leave it out"
            )
        inclusion = [row.inclusion for row in rows] if self._uses_inclusion else None
        compared = compare(
            np.array([row.pmf for row in rows]).reshape(-1, len(values)),
            [row.human for row in rows],
            values=values,
            lengths=[row.length for row in rows],
            human_range=columns.human_range,
            respondents=None if columns.respondent is None else [row.respondent for row in rows],
            weights=None if columns.weight is None else [row.weight for row in rows],
            inclusion=inclusion,
            interval=interval,
            seed=self._seed,
            signature=signature.extended(Signature.of("compare", eligible=self._rows.n)),
        )
        return replace(
            compared,
            signature=compared.signature.replaced({"labels": self._hash(rows, inclusion)}),
            n_eligible=self._rows.n,
            corrected=self._corrected(columns.human_range, interval),
            notes=(*notes_of_seen(self._n_seen, len(rows)), *compared.notes),
            n_seen=self._n_seen,
        )

    @staticmethod
    def _hash(rows: Sequence[_Row], inclusion: Sequence[float] | None) -> str:
        """Hash the labels with their places in the file, which the comparison does not know."""
        places = np.array([row.row for row in rows], dtype=np.int64)
        drawn = None if inclusion is None else np.array(inclusion, dtype=np.float64)
        return labels_hash(places, human_table([row.human for row in rows]), drawn)

    def _corrected(self, human_range: tuple[float, float] | None, interval: float) -> CorrectedMean | None:
        """Correct the mean of all rated texts; ``None`` where all have a label, or too few are left."""
        rows = self._rows.items
        if not self._rated or self._rows.n == self._n_rated:
            return None
        if self._values is None or (self._n_seen and len(rows) < FEWEST_LABELS):
            return None
        means = np.concatenate([part.means for part in self._rated])
        known = labels_on(human_table([row.human for row in rows]), self._values, human_range)
        if known is None:
            return None
        places = np.array([row.place for row in rows], dtype=np.int64)
        labels = _placed(known, places, len(means))
        design = self._design(places, [row.inclusion for row in rows])
        return corrected_by(labels, means, self._values, design=design, interval=interval)

    def _design(self, places: Integers, inclusion: Sequence[float]) -> SampleDesign:
        weights = [part.weights for part in self._rated if part.weights is not None]
        people = [part.respondents for part in self._rated if part.respondents is not None]
        n = self._n_rated
        return SampleDesign(
            in_unit(np.concatenate(weights)) if weights else None,
            _placed(np.array(inclusion), places, n) if self._uses_inclusion else None,
            np.concatenate(people) if people else None,
        )


def _placed(numbers: Floats, places: Integers, n: int) -> Floats:
    """Put numbers at their places among n, NaN elsewhere."""
    column = np.full(n, np.nan)
    column[places] = numbers
    return column
