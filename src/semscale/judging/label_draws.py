"""Rows of a judged table that are drawn for people to label."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.templates import Template
from semscale.results.label_sheets import HUMAN, check_label_columns, with_label_columns
from semscale.stats.sampling import (
    NextDraw,
    draw_texts,
    validate_inclusion,
    worth_at_random,
)
from semscale.types import Floats, Integers


class ScoredItems(Protocol):
    """Scores of n items, as far as labels are drawn for them; see ``Verdicts``."""

    @property
    def template(self) -> Template:
        """The judge's levels."""
        ...

    @property
    def masses(self) -> Floats:
        """Shape (n, k), masses of the template's scores; NaN without a score."""
        ...

    @property
    def deviation(self) -> Floats:
        """Shape (n,), standard deviations of the scores, 0 to 0.5; NaN without a score."""
        ...


def draw_rows(
    verdicts: ScoredItems, n: int, *, alike: bool = False, seed: int = 0, earlier: Floats | None = None
) -> "LabelDraw":
    """Draw rows for people to label.

    Half of each probability is the same for all rows, half is proportional to the standard deviation of the
    verdict's score (``Verdict.deviation``). So every row with a score can be drawn, and a mean weighted by 1
    / probability is unbiased. Rows of earlier draws are not drawn again; old and new probabilities are
    joined, so that the mean over the labels of all draws is unbiased.

    Args:
        verdicts: verdicts on all rows; rows without a score are never drawn.
        n: rows to draw.
        alike: whether all rows are drawn with the same probability.
        seed: seed of the draw.
        earlier: shape (rows,), probabilities of earlier draws from ``earlier_draws``; none by default.

    Raises:
        InputError: fewer than one row to draw, or none with a score that was not drawn before.

    References:
        Zrnic and Candes (2024), Active statistical inference, arXiv 2403.03208: labels where the model is
        least sure, with probabilities above 0, in a prediction-powered mean.
    """
    deviation = verdicts.deviation
    before = np.full(len(deviation), np.nan) if earlier is None else earlier
    scored = ~np.isnan(deviation)
    undrawn = scored & np.isnan(before)
    n_undrawn = int(undrawn.sum())
    if scored.any() and not n_undrawn:
        raise InputError("every row with a score has a label or was already drawn: none is left to draw")
    plan = NextDraw.after(before[scored], max(1, min(n, n_undrawn))) if n_undrawn else NextDraw(0.0)
    drawn = draw_texts(
        np.where(undrawn[:, None], verdicts.masses, np.nan),
        verdicts.template.scores,
        n,
        by_interest=not alike,
        deviation=deviation,
        most=plan.most,
        seed=seed,
    )
    return LabelDraw(
        drawn.rows,
        plan.combine_now(drawn.probability),
        n_undrawn,
        worth_at_random(deviation[undrawn], drawn.all_probabilities),
        None if earlier is None else plan.combine_before(before),
    )


@dataclass(frozen=True)
class LabelDraw:
    """Rows that were drawn for labels.

    Attributes:
        rows: shape (m,), their indices, in random order.
        probability: shape (m,), probability of each row's draw, above 0 and up to 1, joined with earlier
            draws as in ``NextDraw``.
        n_scored: rows that could be drawn.
        worth: number of labels of a simple random sample that would correct the mean equally well, if the
            verdicts' deviations are right.
        earlier: shape (n,), joined probability of the rows that were drawn before, NaN for others; ``None``
            without an earlier draw.
    """

    rows: Integers
    probability: Floats
    n_scored: int
    worth: float
    earlier: Floats | None = None

    def table(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Return the input as a sheet for labels: drawn rows without a label come first.

        Existing labels stay; each drawn row has its probability.

        Args:
            rows: the n rows of the input.

        Raises:
            InputError: the input has a column of one of these names that is not from an earlier draw.
        """
        if self.earlier is None:
            check_label_columns(rows.columns)
        inclusion = np.full(rows.height, np.nan) if self.earlier is None else self.earlier.copy()
        was_drawn = ~np.isnan(inclusion)
        inclusion[self.rows] = self.probability
        table = with_label_columns(rows, inclusion)
        labels = table[HUMAN].to_list()
        is_empty = np.array([cell is None or not str(cell).strip() for cell in labels], dtype=bool)
        first = np.concatenate([self.rows, np.flatnonzero(was_drawn & is_empty)])
        rest = np.setdiff1d(np.arange(rows.height), first)
        order: list[int] = np.concatenate([first, rest]).tolist()
        return table.select(pl.all().gather(order))


def earlier_draws(labels: Floats, inclusion: object) -> Floats:
    """Return the probabilities of rows that were drawn before, for ``NextDraw.after``.

    Args:
        labels: shape (n, raters), NaN where there is none.
        inclusion: shape (n,), probability with which each row was drawn; NaN or ``None`` for rows not drawn.
            ``None`` instead of an array: the origin of the labels is unknown.

    Returns:
        Shape (n,): the probability, 0 for a row with a label but no probability, NaN for a row not drawn.

    Raises:
        InputError: a probability out of range.
    """
    labelled = ~np.isnan(labels).all(axis=1)
    probability = np.full(len(labels), np.nan)
    if inclusion is not None:
        probability = validate_inclusion(inclusion, np.zeros(len(labels), dtype=bool))
    return np.where(np.isnan(probability) & labelled, 0.0, probability)
