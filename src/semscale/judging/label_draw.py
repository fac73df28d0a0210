"""Which rows people should label next: those whose verdicts are widest, each with its probability."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.verdicts import Verdicts
from semscale.stats.calibration.drawing import draw_texts, worth_at_random
from semscale.types import Floats, Integers

HUMAN, INCLUSION = "human", "inclusion"
"""Columns of the table to fill in: a row's label, and the probability with which it was drawn."""


@dataclass(frozen=True)
class LabelDraw:
    """Rows that were drawn for labels.

    Attributes:
        rows: shape (m,), their places, in random order.
        probability: shape (m,), with which each was drawn, above 0 to 1.
        n_scored: rows that could be drawn.
        worth: labels drawn at random that would correct the mean as well, if the verdicts' widths are right.
    """

    rows: Integers
    probability: Floats
    n_scored: int
    worth: float

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Lay the input out for labelling: drawn rows first, with an empty label and their probability.

        Args:
            rows: the n rows of the input.

        Raises:
            InputError: the input has a column of one of these names.
        """
        taken = [name for name in (HUMAN, INCLUSION) if name in rows.columns]
        if taken:
            raise InputError(f"the input has a column {taken[0]!r}, which the labels need: rename it")
        inclusion = np.full(rows.height, np.nan)
        inclusion[self.rows] = self.probability
        others = np.setdiff1d(np.arange(rows.height), self.rows)
        laid = rows.with_columns(
            pl.lit(None, pl.String).alias(HUMAN), pl.Series(INCLUSION, inclusion, nan_to_null=True)
        )
        order: list[int] = np.concatenate([self.rows, others]).tolist()
        return laid.select(pl.all().gather(order))


def draw_rows(verdicts: Verdicts, n: int, *, alike: bool = False, seed: int = 0) -> LabelDraw:
    """Draw rows for people to label.

    Half of each probability is the same for all rows, half goes with the standard deviation of the verdict's
    score, as ``Verdict.deviation`` has it; so every row with a score may be drawn, and a mean that is
    corrected by 1 / probability stays unbiased.

    Args:
        verdicts: on all rows; those without a score are never drawn.
        n: rows to draw.
        alike: whether all rows are drawn with the same probability.
        seed: of the draw.

    Raises:
        InputError: fewer than one row to draw, or none with a score.

    References:
        Zrnic and Candes (2024), Active statistical inference, arXiv 2403.03208: labels where the model is
        least sure, with probabilities above 0, in a prediction-powered mean.
    """
    deviation = verdicts.deviation
    drawn = draw_texts(
        verdicts.masses,
        verdicts.template.scores,
        n,
        by_interest=not alike,
        deviation=deviation,
        seed=seed,
    )
    scored = ~np.isnan(deviation)
    return LabelDraw(
        drawn.rows,
        drawn.probability,
        int(scored.sum()),
        worth_at_random(deviation[scored], drawn.all_probabilities),
    )
