"""Totals over items: how many outputs or numbers the candidate has, beside baseline and reruns."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.drift.limits.kinds import most_allowed
from semscale.drift.limits.stated_numbers import n_numbers
from semscale.history.items import Item
from semscale.stats.drift_tests import exchange_test
from semscale.types import Floats, Mask

CHANCE = 0.01
"""The greatest probability that an unchanged model breaks a limit that chance may break."""


@dataclass(frozen=True)
class LostTotal:
    """What the candidate has of a total.

    Attributes:
        before: mean total of the baseline and its reruns.
        now: the candidate's total.
    """

    before: float
    now: float

    @property
    def n_lost(self) -> int:
        """The number that is missing, at least 0."""
        return max(0, round(self.before) - round(self.now))

    def exceeds(self, allowed: float) -> bool:
        """Tell whether more is missing than allowed: a share below 1, else a number."""
        return self.before - self.now > most_allowed(allowed, self.before)


def lost_total(counts: Floats) -> LostTotal:
    """Compare the candidate's total with those of baseline and reruns.

    Args:
        counts: shape (n, k), k >= 2: of n items in the candidate, the baseline and its reruns.

    Example:
        >>> lost_total(np.array([[2.0, 3.0, 4.0]] * 10))
        LostTotal(before=35.0, now=20.0)
    """
    totals = counts.sum(axis=0)
    return LostTotal(float(totals[1:].mean()), float(totals[0]))


def chance_of_total(counts: Floats) -> float:
    """Give the probability that a run of an unchanged model has so little; NaN without an item.

    If the model is unchanged, each item's counts could as well be exchanged between the runs, so that the
    p-value is exact (``exchange_test``). That holds without a rerun, too: of two runs of one model, either is
    as likely to have fewer.

    Args:
        counts: as for ``lost_total``.

    Example:
        >>> chance_of_total(np.array([[2.0, 3.0, 3.0]] * 4))  # (1 / 3) ** 4 / 2
        0.00617...
    """
    return exchange_test(-counts).p_value


def counts_of_outputs(runs: Sequence[Sequence[Item]]) -> Floats:
    """Count each item's outputs in each of k runs, shape (n, k)."""
    counts = [[len(item.outputs_with_text) for item in items] for items in runs]
    return np.array(counts, dtype=np.float64).T


def counts_of_numbers(runs: Sequence[Sequence[Item]]) -> Floats:
    """Count the numbers that each item's outputs state in each of k runs, shape (n, k)."""
    return np.array([n_numbers(items) for items in runs]).T


def with_fewest(counts: Floats) -> Mask:
    """Tell for each item whether the first run has less than every other one, shape (n,)."""
    return np.asarray(counts[:, 0] < counts[:, 1:].min(axis=1))
