"""Decisions about the texts of a file: each distinct text that has a rating is asked about once."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from semscale.chat.decisions.answers import DecisionAnswer
from semscale.chat.decisions.deciding import DecidingChat
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.rating.decided import (
    DecidedComparison,
    DecidedRatings,
    MissingDecisions,
    check_points,
    compare_with_decisions,
    decide_ratings,
)
from semscale.rating.ratings import Ratings
from semscale.scales import Scale
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.writing import PREFIX
from semscale.types import Floats, Status

_NOBODY = -1
_COLUMNS = f"{PREFIX}decided_"


@dataclass
class FileDecisions:
    """Decisions about the texts of a file, and their columns row by row.

    It keeps the distinct texts, and a number for each row, in memory.

    Args:
        scale: of 2 to 10 points.
        model: who decides.
        plan: how intervals are made.
        running: settings of the runner, by name.

    Raises:
        InputError: more points than decisions take.
    """

    scale: Scale
    model: DecidingChat
    plan: IntervalPlan
    running: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_points(self.scale)
        self._places: dict[str, int] = {}
        self._pmf: list[Floats] = []
        self._rows: list[np.ndarray[tuple[int], np.dtype[np.int32]]] = []
        self._found: pl.DataFrame | None = None

    def add(self, texts: Sequence[object], ratings: Ratings) -> None:
        """Take the next rows.

        Args:
            texts: n cells.
            ratings: of these; texts without a rating are not asked about.
        """
        rows = np.full(len(texts), _NOBODY, dtype=np.int32)
        for row in map(int, np.flatnonzero(ratings.scored)):
            text = str(texts[row])
            if text not in self._places:
                self._places[text] = len(self._places)
                self._pmf.append(ratings.pmf[row])
            rows[row] = self._places[text]
        self._rows.append(rows)

    def compared(self, set_agreement: Floats) -> tuple[DecidedComparison, Signature] | MissingDecisions:
        """Decide about all texts that were taken, and compare with their ratings by similarity.

        Args:
            set_agreement: shape (s, s), correlations of the means under each anchor set.

        Returns:
            The comparison, and the signature of the decisions. Where the run stopped early, why: no row has a
            decision then.

        Raises:
            InputError: no text has a rating.
        """
        if not self._places:
            raise InputError("no text has a rating, so there is nothing to decide about")
        try:
            decided = decide_ratings(list(self._places), self.scale, self.model, **self.running)
        except (InterruptedRunError, ReplyError) as error:
            self._found = self._without_decisions(error)
            return MissingDecisions(self.model.name, str(error), isinstance(error, InterruptedRunError))
        self._found = decided.to_frame(self.scale)
        comparison = compare_with_decisions(
            np.array(self._pmf),
            decided,
            self.scale.values,
            set_agreement,
            model=self.model.name,
            plan=self.plan,
        )
        return comparison, decided.signature

    def frame(self, start: int, stop: int) -> pl.DataFrame:
        """Lay out the columns of some rows, after ``compared``.

        Returns:
            The columns of ``DecidedRatings.to_frame`` with the prefix ``semscale_decided_``; null where
            nobody was asked, as the row has no rating.
        """
        if self._found is None:
            raise RuntimeError("rows have columns once their texts are decided about")
        rows = np.concatenate(self._rows)[start:stop]
        places = pl.Series([None if row == _NOBODY else int(row) for row in rows], dtype=pl.UInt32)
        return self._found.select(pl.all().gather(places)).rename(lambda name: _COLUMNS + name)

    def _without_decisions(self, error: InterruptedRunError | ReplyError) -> pl.DataFrame:
        n, k = len(self._places), len(self.scale.points)
        lost = DecidedRatings(np.full((n, k), np.nan), "", {}, "", math.nan, answers=(DecisionAnswer(),) * n)
        status = Status.UNFINISHED if isinstance(error, InterruptedRunError) else Status.FAILED
        return lost.to_frame(self.scale).with_columns(
            pl.lit(str(status)).alias("status"), pl.lit(str(error)).alias("reason")
        )
