"""Scores as a judged table has them: the templates that fit its columns, and what labels of people show."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Self

import numpy as np
import polars as pl

from semscale.errors import InputError
from semscale.judging.human_labels import mean_labels, nearest
from semscale.judging.templates import Template
from semscale.stats.further_labels import STEP, ExpectedWidth, enough_labels
from semscale.stats.sampling import SampleDesign, validate_inclusion
from semscale.store.columns import floats_in, floats_in_columns
from semscale.store.writing import PREFIX
from semscale.types import Floats

FEWEST_LABELS = 10
"""Number of labels below which neither agreement nor the error of the mean is stated."""

_MASSES = f"{PREFIX}p_"
_SCORES = (f"{PREFIX}expected", f"{PREFIX}mean")
_MARKS = (f"{PREFIX}provenance", f"{PREFIX}n_judges")


def is_judged(columns: Collection[str]) -> bool:
    """Return true if a table has the columns of a judge or of a panel."""
    return any(name in columns for name in _MARKS)


def fits(template: Template, columns: Collection[str]) -> bool:
    """Return true if a judged table may have been judged by a template.

    A judge by levels writes the mass of each of them. A judge by a range and a panel write none.

    Args:
        template: the template.
        columns: columns of the table.

    Examples:
        >>> from semscale.judging.templates import load_template
        >>> columns = ["semscale_provenance", "semscale_p_Incorrect", "semscale_p_Correct"]
        >>> fits(load_template("true_false"), columns), fits(load_template("likert"), columns)
        (True, False)
    """
    masses = {name for name in columns if name.startswith(_MASSES)}
    if masses:
        return masses == set(_mass_columns(template))
    return template.highest is not None or f"{PREFIX}n_judges" in columns


def _mass_columns(template: Template) -> list[str]:
    ordered = sorted(template.levels, key=lambda level: level.score)
    return [f"{_MASSES}{level.shown}" for level in ordered]


@dataclass(frozen=True)
class StoredScores:
    """Scores of n items, as a judged table has them; see ``label_draws.ScoredItems``.

    Attributes:
        template: the judge's levels.
        expected: shape (n,), expected scores from 0 to 1, of a panel their means; NaN without a score.
        masses: shape (n, k), masses of the template's scores; NaN without a score. Where the table has no
            masses, all mass is on the score that is nearest to the expected one.
    """

    template: Template
    expected: Floats
    masses: Floats

    @classmethod
    def from_table(cls, table: pl.DataFrame, template: Template) -> Self:
        """Read the scores of a table.

        Raises:
            InputError: the table has no scores by this template.
        """
        title = next((name for name in _SCORES if name in table.columns), None)
        if title is None or not fits(template, table.columns):
            raise InputError(f"the table has no scores by {template.name!r}: judge its answers again")
        expected = floats_in(table[title])
        titles = _mass_columns(template)
        if titles and set(titles) <= set(table.columns):
            return cls(template, expected, floats_in_columns(table.select(titles)))
        scores = template.scores
        masses = (nearest(expected, scores)[:, None] == scores[None, :]).astype(np.float64)
        masses[np.isnan(expected)] = np.nan
        return cls(template, expected, masses)

    @property
    def deviation(self) -> Floats:
        """Shape (n,), standard deviations of the scores, 0 to 0.5; NaN without a score."""
        means = self.masses @ self.template.scores
        squares = self.masses @ self.template.scores**2
        deviation: Floats = np.sqrt(np.maximum(squares - means**2, 0))
        return deviation


def label_advice(expected: Floats, labels: Floats, inclusion: Floats | None = None) -> str:
    """State in a sentence how many further labels are worth it.

    The interval of the corrected mean is narrow enough if 25 more labels narrow it by less than half a
    percent of the scale.

    Args:
        expected: shape (n,), the judge's scores from 0 to 1, NaN without a score.
        labels: shape (n, raters), as ``label_table`` returns them.
        inclusion: shape (n,), probability with which each item was drawn for a label; equal by default.

    Examples:
        >>> label_advice(np.array([0.5, 1.0]), np.array([[0.5], [np.nan]]))
        'Label 9 more answers to see how far people agree with the judge.'
    """
    means = mean_labels(labels)
    n = int((~np.isnan(means) & ~np.isnan(expected)).sum())
    if n < FEWEST_LABELS:
        answers = "answer" if n == FEWEST_LABELS - 1 else "answers"
        return f"Label {FEWEST_LABELS - n} more {answers} to see how far people agree with the judge."
    drawn = None if inclusion is None else validate_inclusion(inclusion, ~np.isnan(means))
    design = SampleDesign(inclusion=drawn)
    width = ExpectedWidth.from_labels(expected, means, bounds=(0.0, 1.0), design=design)
    if width is None:
        return f"Label about {STEP} more answers. So far, the corrected mean is not known."
    error = f"the corrected mean is known to ± {width.half(n):.2f}"
    enough = enough_labels(width.half, n, width.n_items) or width.n_items
    if enough <= n:
        return f"These labels are enough: {error}."
    return f"Label about {enough - n:,} more answers. So far, {error}."
