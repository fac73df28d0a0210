"""Which rows people should label next: those whose verdicts are widest, each with its probability."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.verdicts import Verdicts
from semscale.stats.calibration.drawing import draw_texts, worth_at_random
from semscale.stats.calibration.sample_design import checked_inclusion
from semscale.stats.calibration.several_draws import NextDraw
from semscale.types import Floats, Integers

HUMAN, INCLUSION = "human", "inclusion"
"""Columns of the table to fill in: a row's label, and the probability with which it was drawn."""


@dataclass(frozen=True)
class LabelDraw:
    """Rows that were drawn for labels.

    Attributes:
        rows: shape (m,), their places, in random order.
        probability: shape (m,), of each label, above 0 to 1: with which it was drawn, or that which joins it
            with earlier draws, as ``NextDraw`` has it.
        n_scored: rows that could be drawn.
        worth: labels drawn at random that would correct the mean as well, if the verdicts' widths are right.
        earlier: shape (n,), joined probability of the rows that were drawn before, NaN for others; ``None``
            where none was.
    """

    rows: Integers
    probability: Floats
    n_scored: int
    worth: float
    earlier: Floats | None = None

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Lay the input out for labelling: rows without a label that were drawn, now or before, come first.

        Labels that the input has stay; each drawn row has its probability.

        Args:
            rows: the n rows of the input.

        Raises:
            InputError: the input has a column of one of these names, which no earlier draw has made.
        """
        taken = [name for name in (HUMAN, INCLUSION) if name in rows.columns]
        if taken and self.earlier is None:
            raise InputError(f"the input has a column {taken[0]!r}, which the labels need: rename it")
        inclusion = np.full(rows.height, np.nan) if self.earlier is None else self.earlier.copy()
        is_drawn = ~np.isnan(inclusion)
        inclusion[self.rows] = self.probability
        labels = rows[HUMAN] if HUMAN in rows.columns else pl.Series(HUMAN, [None] * rows.height, pl.String)
        is_empty = np.array([cell is None or not str(cell).strip() for cell in labels.to_list()], dtype=bool)
        first = np.concatenate([self.rows, np.flatnonzero(is_drawn & is_empty)])
        others = np.setdiff1d(np.arange(rows.height), first)
        laid = rows.with_columns(labels, pl.Series(INCLUSION, inclusion, nan_to_null=True))
        order: list[int] = np.concatenate([first, others]).tolist()
        return laid.select(pl.all().gather(order))


def earlier_draws(labels: Floats, inclusion: object) -> Floats:
    """Give the probabilities of rows that were drawn before, as ``NextDraw.after`` takes them.

    Args:
        labels: shape (n, raters), NaN where there is none.
        inclusion: shape (n,), probability with which each row was drawn; NaN or ``None`` where it was not, or
            ``None`` where nobody knows how labels came.

    Returns:
        Shape (n,): 0 where a row has a label and no probability, NaN where it was not drawn.

    Raises:
        InputError: a probability out of range.
    """
    labelled = ~np.isnan(labels).all(axis=1)
    unknown = np.full(len(labels), np.nan)
    nowhere = np.zeros(len(labels), dtype=bool)
    known = unknown if inclusion is None else checked_inclusion(inclusion, nowhere)
    return np.where(np.isnan(known) & labelled, 0.0, known)


def draw_rows(
    verdicts: Verdicts, n: int, *, alike: bool = False, seed: int = 0, earlier: Floats | None = None
) -> LabelDraw:
    """Draw rows for people to label.

    Half of each probability is the same for all rows, half goes with the standard deviation of the verdict's
    score, as ``Verdict.deviation`` has it; so every row with a score may be drawn, and a mean that is
    corrected by 1 / probability stays unbiased. Rows that were drawn before are not drawn again; their
    probabilities and the new ones are joined, so that the mean stays unbiased by the labels of all draws.

    Args:
        verdicts: on all rows; those without a score are never drawn.
        n: rows to draw.
        alike: whether all rows are drawn with the same probability.
        seed: of the draw.
        earlier: shape (rows,), of earlier draws, as ``earlier_draws`` gives them; none unless given.

    Raises:
        InputError: fewer than one row to draw, or none with a score that was not drawn before.

    References:
        Zrnic and Candes (2024), Active statistical inference, arXiv 2403.03208: labels where the model is
        least sure, with probabilities above 0, in a prediction-powered mean.
    """
    deviation = verdicts.deviation
    before = np.full(len(deviation), np.nan) if earlier is None else earlier
    scored = ~np.isnan(deviation)
    left = scored & np.isnan(before)
    if scored.any() and not left.any():
        raise InputError(
            "every row with a score has a label or was drawn for one: there is none left to draw"
        )
    plan = NextDraw.after(before[scored], max(1, min(n, int(left.sum())))) if left.any() else NextDraw(0.0)
    drawn = draw_texts(
        np.where(left[:, None], verdicts.masses, np.nan),
        verdicts.template.scores,
        n,
        by_interest=not alike,
        deviation=deviation,
        most=plan.most,
        seed=seed,
    )
    return LabelDraw(
        drawn.rows,
        plan.joined_now(drawn.probability),
        int(left.sum()),
        worth_at_random(deviation[left], drawn.all_probabilities),
        None if earlier is None else plan.joined_before(before),
    )
