"""Shares of answers with each code: as counted, and corrected by hand-coded answers."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.coding.coding_decisions import CodeDecisions
from semscale.stats.calibration.prediction_powered import CorrectedMean, prediction_powered_mean
from semscale.stats.calibration.sample_design import SampleDesign
from semscale.stats.calibration.weighted_prediction_powered import weighted_prediction_powered_mean
from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.shares import wilson_interval
from semscale.stats.tests.independence import independence_p_value
from semscale.stats.tests.multiple_testing import adjusted
from semscale.types import Floats, Mask

SMALL_BASE = 30
"""Groups with fewer decided answers are shown, marked and left out of the test."""


@dataclass(frozen=True)
class CodeShare:
    """How many answers have a code.

    Attributes:
        code: its name.
        n: answers about which the code was decided.
        n_given: that have it.
        n_unsure: readable answers about which it was not decided.
        counted: ``n_given / n``, with Wilson's interval, which knows nothing of the coder's errors.
        corrected: share of all readable answers that people would give the code; ``None`` without
            hand-coded ones.
    """

    code: str
    n: int
    n_given: int
    n_unsure: int
    counted: Estimate
    corrected: CorrectedMean | None

    @property
    def has_small_base(self) -> bool:
        """Whether fewer than 30 answers were decided."""
        return self.n < SMALL_BASE


@dataclass(frozen=True)
class GroupTest:
    """Whether a code's share differs between groups.

    Attributes:
        code: its name.
        p_value: of independence of code and group; NaN where fewer than two groups can be tested.
        adjusted: by Holm, over all codes.
    """

    code: str
    p_value: float
    adjusted: float


@dataclass(frozen=True)
class HandSample:
    """What people coded, for corrected shares.

    Attributes:
        held_out: shape (n, k), scores that no label of the same answer went into.
        labels: shape (n, k), share of people who gave the code; NaN where nobody coded.
        inclusion: shape (n,), probability with which answers were drawn; ``None`` for all alike.
    """

    held_out: Floats
    labels: Floats
    inclusion: Floats | None = None


def code_shares(
    decisions: CodeDecisions,
    codes: Sequence[str],
    rows: Mask,
    hand: HandSample | None,
    *,
    interval: float = 0.95,
) -> tuple[CodeShare, ...]:
    """Count the codes of some rows, and correct their shares.

    Args:
        decisions: about n answers and k codes.
        codes: k names.
        rows: shape (n,), which answers count; those that cannot be read never do.
        hand: what people coded; ``None`` where nobody did.
        interval: coverage of the intervals.

    References:
        Corrected shares: as ``prediction_powered_mean``.
    """
    base = rows & decisions.readable
    found = []
    for place, code in enumerate(codes):
        given = decisions.given[base, place]
        n, hits = int((~np.isnan(given)).sum()), int((given == 1).sum())
        corrected = None if hand is None else _corrected(hand, base, place, interval)
        counted = wilson_interval(hits, n, interval)
        found.append(CodeShare(code, n, hits, int(base.sum()) - n, counted, corrected))
    return tuple(found)


def group_tests(
    decisions: CodeDecisions, codes: Sequence[str], groups: Sequence[Mask], *, seed: int = 0
) -> tuple[GroupTest, ...]:
    """Test for each code whether its counted share differs between groups, and adjust by Holm.

    Args:
        decisions: about n answers and k codes.
        codes: k names.
        groups: of each group the rows, shape (n,); groups with fewer than 30 decided answers do not count.
        seed: of drawn tables, where counts are small.
    """
    p_values = []
    for place in range(len(codes)):
        known = [decisions.given[rows & decisions.readable, place] for rows in groups]
        known = [given[~np.isnan(given)] for given in known]
        counts = [((given == 1).sum(), (given == 0).sum()) for given in known if len(given) >= SMALL_BASE]
        table = np.array(counts, dtype=np.int64).reshape(-1, 2).T
        p_values.append(independence_p_value(table, seed=seed))
    p = np.array(p_values, dtype=np.float64)
    return tuple(map(GroupTest, codes, p.tolist(), adjusted(p, "holm").tolist()))


def _corrected(hand: HandSample, base: Mask, place: int, interval: float) -> CorrectedMean | None:
    scores, labels = hand.held_out[base, place], hand.labels[base, place]
    if np.isnan(labels).all():
        return None
    if hand.inclusion is None:
        return prediction_powered_mean(scores, labels, bounds=(0, 1), interval=interval)
    design = SampleDesign(inclusion=hand.inclusion[base])
    return weighted_prediction_powered_mean(scores, labels, bounds=(0, 1), design=design, interval=interval)
