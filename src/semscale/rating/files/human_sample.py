"""A seeded sample of a file's rows that have both a rating and a human rating, to compare the two."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from semscale.errors import InputError
from semscale.rating.files.columns import FileColumns
from semscale.rating.human.comparison import RatingComparison, compare
from semscale.rating.human.comparison_notes import notes_of_seen
from semscale.rating.human.corrected_mean import corrected_mean
from semscale.rating.human.values import human_table
from semscale.results.row_sampling import RowSample
from semscale.signature import Signature
from semscale.stats.calibration.prediction_powered import FEWEST_LABELS, CorrectedMean
from semscale.types import Floats, Mask

COMPARED_ROWS = 20_000

HumanRating = float | list[float]


class _Row(NamedTuple):
    """A row that may be compared."""

    pmf: Floats
    human: HumanRating
    length: int
    respondent: str | None
    weight: float


class HumanSample:
    """Takes parts of a file, and keeps up to 20,000 rows whose choice does not depend on the parts.

    Args:
        seed: of the choice, and of the comparison.
        values: shape (k,), of the scale's points; with them the means of rated texts without a human rating
            are kept, 8 bytes each, for the mean of all texts.
    """

    def __init__(self, seed: int, values: Floats | None = None) -> None:
        self._seed, self._values = seed, values
        self._rows = RowSample[_Row](COMPARED_ROWS, seed)
        self._unlabelled: list[Floats] = []
        self._n_seen = 0

    def add(  # noqa: PLR0913 - a part's columns
        self,
        first_row: int,
        pmf: Floats,
        humans: Sequence[HumanRating | None],
        *,
        lengths: Sequence[int],
        respondents: Sequence[str | None] | None,
        weights: Floats | None = None,
        seen: Mask | None = None,
    ) -> None:
        """Add the next part.

        Rows without a rating or a human rating are passed over, and so are those that the estimates leave
        out: without a known respondent, or with no weight or a weight of 0. Texts that a calibration was
        fitted to (``seen``) are only counted.
        """
        heavy = np.ones(len(humans)) if weights is None else np.nan_to_num(weights, nan=0.0)
        scored = ~np.isnan(pmf[:, 0]) & (heavy > 0)
        fitted = np.zeros(len(humans), dtype=np.bool_) if seen is None else seen
        names = [None] * len(humans) if respondents is None else respondents
        if self._values is not None and respondents is None and weights is None:
            without = scored & ~fitted & np.array([human is None for human in humans], dtype=bool)
            self._unlabelled.append(pmf[without] @ self._values)
        comparable = scored & np.array([human is not None for human in humans], dtype=np.bool_)
        if respondents is not None:
            comparable &= np.array([bool(name) for name in names], dtype=np.bool_)
        self._rows.add(
            # A view of a row would keep the array of its part.
            (first_row + row, _Row(pmf[row].copy(), human, lengths[row], names[row], float(heavy[row])))
            for row, human in enumerate(humans)
            if human is not None and comparable[row] and not fitted[row]
        )
        self._n_seen += int((comparable & fitted).sum())

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
                f"human: column '{columns.human}' has no rating for any text that was scored"
                f"{''.join(words for words, column in needed.items() if column)}; "
                "name another column, or leave it out"
            )
        compared = compare(
            np.array([row.pmf for row in rows]).reshape(-1, len(values)),
            [row.human for row in rows],
            values=values,
            lengths=[row.length for row in rows],
            human_range=columns.human_range,
            respondents=None if columns.respondent is None else [row.respondent for row in rows],
            weights=None if columns.weight is None else [row.weight for row in rows],
            interval=interval,
            seed=self._seed,
            signature=signature.extended(Signature.of("compare", eligible=self._rows.n)),
        )
        return replace(
            compared,
            n_eligible=self._rows.n,
            corrected=self._corrected(columns.human_range, interval),
            notes=(*notes_of_seen(self._n_seen, len(rows)), *compared.notes),
            n_seen=self._n_seen,
        )

    def _corrected(self, human_range: tuple[float, float] | None, interval: float) -> CorrectedMean | None:
        """Correct the mean of all rated texts; ``None`` where it is not known which these are."""
        if self._values is None or not any(map(len, self._unlabelled)):
            return None
        rows = self._rows.items
        others = np.concatenate(self._unlabelled)
        if self._n_seen and len(rows) < FEWEST_LABELS:
            return None
        means = np.concatenate([[row.pmf @ self._values for row in rows], others])
        humans = [*(row.human for row in rows), *([None] * len(others))]
        table = human_table(humans)
        return corrected_mean(means, table, self._values, human_range=human_range, interval=interval)
