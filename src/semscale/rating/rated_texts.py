"""Ratings of distinct texts, before they are put into the rows that hold them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, Self, TypedDict

import numpy as np

from semscale.errors import InputError
from semscale.scales import Scale
from semscale.types import Floats, Integers, Mask, Refits, Status, Statuses, are_scored

if TYPE_CHECKING:
    from semscale.rating.ratings import Ratings
    from semscale.rating.readouts.array_checks import Reals
    from semscale.rating.readouts.vector_ratings import VectorRatings


@dataclass(frozen=True)
class RatedTexts:
    """Ratings of m distinct texts; arrays are filled group by group.

    Attributes:
        pmf: shape (m, k), NaN where there is no rating.
        set_means: shape (m, s), likewise.
        similarity: shape (m,), cosine with the most similar anchor; NaN where there is no vector.
        windows: shape (m,), windows that a text was read in; 0 where it was not read.
        status: shape (m,), why a text has a rating, or has none.
        unlike: shape (m,), texts unlike those that a calibration was fitted to; none without one.
        seen: shape (m,), texts that a calibration was fitted to; likewise.
        refits: shape (m, b, k), the masses under each refit of a calibration, NaN likewise; b is 0 without.
    """

    pmf: Floats
    set_means: Floats
    similarity: Floats
    windows: Integers
    status: Statuses
    unlike: Mask
    seen: Mask
    refits: Refits

    @classmethod
    def unrated(cls, m: int, scale: Scale, n_refits: int = 0) -> Self:
        """Start with texts of which none is read."""
        return cls(
            pmf=np.full((m, scale.n_points), np.nan),
            set_means=np.full((m, len(scale.anchor_sets)), np.nan),
            similarity=np.full(m, np.nan),
            windows=np.zeros(m, dtype=np.int64),
            status=np.full(m, Status.OTHER_LANGUAGE, dtype=object),
            unlike=np.zeros(m, dtype=np.bool_),
            seen=np.zeros(m, dtype=np.bool_),
            refits=np.full((m, n_refits, scale.n_points), np.nan, dtype=np.float32),
        )

    def put(
        self, rows: Integers, rated: "VectorRatings", *, windows: Integers, unread: Mask, floor: float | None
    ) -> None:
        """Take the ratings of some texts.

        Args:
            rows: shape (r,), their places.
            rated: with r rows.
            windows: shape (r,).
            unread: shape (r,), texts that the model cannot read.
            floor: cosine below which a text is off topic; ``None`` for none.
        """
        self.windows[rows] = windows
        self.similarity[rows] = np.where(unread, np.nan, rated.best_similarity)
        off_topic = np.zeros(len(rows), np.bool_) if floor is None else self.similarity[rows] < floor
        self.status[rows] = Status.SCORED
        self.status[rows[unread]] = Status.WEIGHTLESS
        self.status[rows[off_topic]] = Status.OFF_TOPIC
        scored = ~(unread | off_topic)
        self.pmf[rows[scored]] = rated.pmf[scored]
        self.set_means[rows[scored]] = rated.set_means[scored]

    def in_rows(self, status: Statuses, readable: Integers, place: Integers) -> "RatedTexts":
        """Put the texts into the rows that hold them.

        Args:
            status: shape (n,), of each row before reading; it stays where there is nothing to read.
            readable: shape (r,), the rows with a text.
            place: shape (r,), which of the m texts each of them holds.
        """
        n = len(status)
        spread: dict[str, np.ndarray] = {}
        for name, column in vars(self).items():
            blank = 0 if column.dtype.kind in "bi" else np.nan
            spread[name] = np.full((n, *column.shape[1:]), blank, dtype=column.dtype)
            spread[name][readable] = column[place]
        spread["status"] = status.copy()
        spread["status"][readable] = self.status[place]
        return RatedTexts(**spread)

    def calibration_columns(self, *, is_calibrated: bool) -> "CalibrationColumns":
        """What a calibration says of texts that have a rating; ``None`` without one."""
        if not is_calibrated:
            return {"unlike": None, "seen": None, "refits": None}
        scored = are_scored(self.status)
        refits = np.where(scored[:, None, None], self.refits, np.float32(np.nan))
        return {
            "unlike": self.unlike & scored,
            "seen": self.seen & scored,
            "refits": refits if refits.shape[1] else None,
        }


class CalibrationColumns(TypedDict):
    """Columns of ratings that only a calibration gives, as ``Ratings`` has them."""

    unlike: Mask | None
    seen: Mask | None
    refits: Refits | None


class RatedCells(NamedTuple):
    """Ratings of n cells, and the vectors that they were made from.

    Attributes:
        ratings: of the cells.
        vectors: shape (r, d), of the distinct texts that were read; ``None`` where they were not kept.
        place: shape (n,), the row of each cell's vector; -1 where there is none.
    """

    ratings: "Ratings"
    vectors: "Reals | None"
    place: Integers

    @property
    def scored_vectors(self) -> "Reals":
        """Vectors of the cells that have a rating, in their order.

        Raises:
            InputError: vectors were not kept.
        """
        if self.vectors is None:
            raise InputError("vectors were not kept: rate the cells with keep_vectors=True")
        return self.vectors[self.place[self.ratings.scored]]
