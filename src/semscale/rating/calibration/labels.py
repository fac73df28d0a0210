"""Labels that a caller gives: rows with people's ratings, whole or in part, and their groups."""

from collections.abc import Sequence
from itertools import compress
from typing import Any, NamedTuple, TypedDict

import numpy as np

from semscale.errors import InputError
from semscale.rating.calibration.fitting import LabelledTexts
from semscale.rating.human.values import check_human_range, human_table
from semscale.stats.intervals.resampling import check_interval, check_seed
from semscale.store.columns import as_list, as_names
from semscale.types import Floats, Integers, Status, Statuses, are_scored


class LabelSettings(TypedDict, total=False):
    """Settings of a calibration.

    Attributes:
        human_range: lowest and highest value that people could give; the scale's own unless given.
        by: shape (n,), names of groups, such as surveys or products; whole groups are then left out for the
            choice and the error, so that both hold for texts of a new group. Rows without a name form one.
        interval: coverage that the intervals aim at, between 0 and 1; .95 unless given.
        seed: of folds, draws and intervals; 0 unless given.
        source: where the texts come from, such as the name of a file.
    """

    human_range: tuple[float, float] | None
    by: object
    interval: float
    seed: int
    source: str


class LabelledCells(NamedTuple):
    """Cells of texts that people rated, with their ratings.

    Attributes:
        cells: n cells.
        answers: shape (n, raters), NaN where there is none.
        groups: shape (n,), numbers of groups; ``None``: each text by itself.
        settings: of the calibration.
    """

    cells: Sequence[Any]
    answers: Floats
    groups: Integers | None
    settings: LabelSettings

    def with_ratings(self, status: Statuses) -> LabelledTexts:
        """Keep the texts that have a rating, and count the others by why they have none."""
        kept = are_scored(status)
        left_out: dict[str, int] = {}
        for one in status[~kept]:
            left_out[str(Status(one))] = left_out.get(str(Status(one)), 0) + 1
        return LabelledTexts(
            texts=list(compress(self.cells, kept)),
            answers=self.answers[kept],
            groups=None if self.groups is None else self.groups[kept],
            left_out=left_out,
            human_range=self.settings.get("human_range"),
            source=self.settings.get("source", "texts in memory"),
        )


def labelled_cells(texts: object, ratings: object, settings: LabelSettings) -> LabelledCells:
    """Take the texts that people rated.

    Args:
        texts: shape (n,).
        ratings: shape (n,): for each text a number, a list of numbers, or missing.
        settings: of the calibration.

    Raises:
        InputError: lengths differ, a rating is no number, or a setting is out of range.

    Example:
        >>> labels = labelled_cells(["good", "bad", "so"], [5, None, [3, 4]], {})
        >>> labels.cells, labels.answers.tolist()
        (['good', 'so'], [[5.0, nan], [3.0, 4.0]])
    """
    check_interval(settings.get("interval", 0.95))
    check_seed(settings.get("seed", 0))
    ends = settings.get("human_range")
    check_human_range(ends)
    cells, answers = as_list(texts, "texts"), human_table(ratings)
    if len(answers) != len(cells):
        raise InputError(f"ratings must have {len(cells)} rows, as many as texts, got {len(answers)}")
    there = ~np.isnan(answers).all(axis=1)
    groups = None
    if settings.get("by") is not None:
        names = as_names(settings["by"], "by")
        if len(names) != len(cells):
            raise InputError(f"by must have {len(cells)} rows, as many as texts, got {len(names)}")
        places = {name: place for place, name in enumerate(dict.fromkeys(names))}
        groups = np.array([places[name] for name in names], dtype=np.int64)[there]
    kept = [cells[row] for row in np.flatnonzero(there)]
    return LabelledCells(kept, answers[there], groups, settings)
