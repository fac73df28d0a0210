"""Labels that were drawn in several rounds: one probability each, so that a corrected mean stays unbiased."""

from typing import NamedTuple

import numpy as np

from semscale.types import Floats


class NextDraw(NamedTuple):
    """How a further draw among the rows that were not drawn before is joined with the earlier ones.

    Rows drawn before, with probabilities q, estimate a total by ``sum y / q``. With rows drawn from the rest
    with probabilities p it is also ``sum (before) y + sum (now) y / p``. Each mix of both, by a share that no
    draw has changed, is unbiased, too: ``share`` of the first one and the rest of the second one. Its weights
    are those of ``joined_before`` and ``joined_now``, as 1 / probability.

    Attributes:
        share: of the first estimate, at least 0 and below 1.

    References:
        Raj (1956), Some estimators in sampling with varying probabilities without replacement, Journal of the
        American Statistical Association 51, 269-284: totals of successive draws, and their mean.
    """

    share: float

    @property
    def most(self) -> float:
        """Greatest probability of the new draw, so that no joined one exceeds 1."""
        return 1 - self.share

    @classmethod
    def after(cls, before: Floats, n: int) -> "NextDraw":
        """Plan a further draw; earlier draws get the share of their rows among all drawn ones.

        Args:
            before: shape (m,), probability with which each row was drawn; NaN where it was not, and 0 where
                the row was drawn and nobody knows how.
            n: rows to draw, at least 1 and at most those with NaN.

        Example:
            >>> NextDraw.after(np.r_[np.full(10, 0.1), np.full(90, np.nan)], 30).share
            0.25
        """
        n_before, n_left = int((~np.isnan(before)).sum()), int(np.isnan(before).sum())
        if (before == 0).any() or not n_before:
            return cls(0.0)
        return cls(min(n_before / (n_before + n), 1 - n / n_left))

    def joined_before(self, before: Floats) -> Floats:
        """Probabilities of the rows that were drawn before; NaN stays.

        Example:
            >>> NextDraw(0.25).joined_before(np.array([0.2, np.nan])).tolist()
            [0.5, nan]
            >>> NextDraw(0.0).joined_before(np.array([0.2, 0.0])).tolist()
            [1.0, 1.0]
        """
        known = np.where(before == 0, 1.0, before)
        return 1 / (self.share / known + 1 - self.share)

    def joined_now(self, drawn: Floats) -> Floats:
        """Probabilities of the rows that are drawn now.

        Example:
            >>> NextDraw(0.25).joined_now(np.array([0.375])).tolist()
            [0.5]
        """
        return np.minimum(drawn / (1 - self.share), 1.0)
