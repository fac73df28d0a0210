"""What shows that a drift is small: a bound of the drift, or bounds of a shift and of the scatter."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from semscale.drift.gate.decision import MeanShift
from semscale.drift.gate.equivalence import DriftBound, equivalence
from semscale.types import Floats

SIDE_SHARE = 0.5
"""Share of alpha at which each side of a shift is tested."""

SCATTER = 1.5
"""Drift that is tolerated where there is no shift, as a multiple of the tolerance."""

SizeNeeded = Callable[[float, DriftBound, float, float], int | None]
"""Gives the size with which a bound would do: of a mean, its spread, the tolerance and the level."""


@dataclass(frozen=True)
class ShiftBound:
    """How far a mean shift is known, from both sides.

    Attributes:
        mean: mean shift, above 0 where the candidate has more.
        more: how far it is known that the candidate does not have more.
        fewer: how far it is known that it does not have less; the shift's sign is turned.
    """

    mean: float
    more: DriftBound
    fewer: DriftBound

    @property
    def found(self) -> MeanShift:
        """The shift with the bound of its size, and the p-value at the level of the gate."""
        bound = float(np.maximum(self.more.bound, self.fewer.bound))
        p_value = float(np.minimum(1.0, np.maximum(self.more.p_value, self.fewer.p_value) / SIDE_SHARE))
        return MeanShift(self.mean, bound, p_value)


def shift_bound(by_role: Floats | None, tolerated: float, alpha: float) -> ShiftBound | None:
    """Test whether a mean shift lies between minus and plus what is tolerated, by ``equivalence``.

    Each side is tested at half of alpha, as the shift's test is the second one by which a metric may pass.

    Args:
        by_role: shape (n, k), ``shifts_by_role``; ``None`` where no shift is known.
        tolerated: shift that is tolerated.
        alpha: level of the gate's bounds.

    References:
        Schuirmann (1987), Journal of Pharmacokinetics and Biopharmaceutics 15(6), 657-680, doi
        10.1007/BF01068419: two one-sided tests.
    """
    if by_role is None or np.isnan(by_role[:, 0]).all():
        return None
    more, fewer = (equivalence(sign * by_role, tolerated, SIDE_SHARE * alpha) for sign in (1.0, -1.0))
    return ShiftBound(float(np.nanmean(by_role[:, 0])), more, fewer)


@dataclass(frozen=True)
class PassTest:
    """The test of one metric that decides whether it passes.

    The drift must be shown to lie below the tolerance. Where a shift is known, it is enough that the shift is
    shown to lie within the tolerance, and the drift below ``SCATTER`` times as much: the drift of a model
    that rather scatters than loses or gains is not all harm, and its bound is wide where few items have it.

    Attributes:
        mean: the mean drift.
        drift: how far it is known.
        tolerance: drift below which it must be shown to lie.
        shift: how far the shift is known; ``None`` where the metric has none.
    """

    mean: float
    drift: DriftBound
    tolerance: float
    shift: ShiftBound | None = None

    @property
    def passes(self) -> bool:
        """Whether the drift is shown to be small."""
        return self.drift.bound < self.tolerance or self.passes_by_shift

    @property
    def passes_by_shift(self) -> bool:
        """Whether the shift is shown to be small, and the drift not to be much greater than tolerated."""
        if self.shift is None:
            return False
        return self.shift.found.bound < self.tolerance and self.drift.bound < SCATTER * self.tolerance

    def fewest(self, needed: SizeNeeded, alpha: float) -> int | None:
        """Find the least size with which it would pass if means and spreads stayed the same.

        Args:
            needed: gives the size with which one bound would do.
            alpha: level of the gate's bounds.

        Returns:
            The size; ``None`` where none would do.
        """
        sizes = [needed(self.mean, self.drift, self.tolerance, alpha)]
        if self.shift is not None:
            each = [
                needed(self.mean, self.drift, SCATTER * self.tolerance, alpha),
                needed(self.shift.mean, self.shift.more, self.tolerance, SIDE_SHARE * alpha),
                needed(-self.shift.mean, self.shift.fewer, self.tolerance, SIDE_SHARE * alpha),
            ]
            known = [size for size in each if size is not None]
            sizes.append(max(known) if len(known) == len(each) else None)
        return min((size for size in sizes if size is not None), default=None)
