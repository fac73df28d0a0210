"""Intervals that allow for the error of a fitted function, from refits of it without a part of its data each.

References:
    Delete-a-group jackknife: Kott (2001), Journal of Official Statistics 17(4), 521-526; Wolter (2007),
    Introduction to Variance Estimation, chapter 4, doi 10.1007/978-0-387-35099-8.
"""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from semscale.stats.intervals.estimates import Estimate, GroupEstimate
from semscale.stats.intervals.exact_shares import clopper_pearson_ends
from semscale.stats.intervals.pmf_figures import Figures
from semscale.types import Floats


def refit_errors(values: Floats) -> Floats:
    """Standard errors of f figures from their values under b refits, each without one of b parts.

    The root of (b - 1) / b times the sum of squared deviations from the mean of the refits.

    Args:
        values: shape (b, f), at least two rows.

    Example:
        >>> refit_errors(np.array([[1.0], [2.0], [3.0]])).round(4).tolist()
        [1.1547]
    """
    b = len(values)
    errors: Floats = np.sqrt((b - 1) / b * ((values - values.mean(axis=0)) ** 2).sum(axis=0))
    return errors


def allowing_for_refits(
    group: GroupEstimate,
    means: Floats | None,
    figures: Figures,
    interval: float,
    n_labels: int | None = None,
) -> GroupEstimate:
    """Widen a group's intervals by the error of the fitted function, taken as independent of its rows.

    Where the rows include those that the function was fitted to, the intervals are a little wide.
    The distance from the figure to an end becomes the root of its square plus the square of t times the
    error, with b - 1 degrees of freedom. No end leaves the range of the figure; missing ones stay missing.

    No refit can show an answer that is not among the labels. So all figures but the first, the mean, take
    at least the exact interval of a share among the labels: a mass or box of m is taken as m of n labels.
    A difference of boxes is first mapped from its range to 0 to 1, where no figure varies more than a share.

    Args:
        group: its figures, those of ``figures`` alone.
        means: shape (b, k), the group's mean masses under each refit; ``None`` for no refits.
        figures: which figures there are.
        interval: coverage to aim at, between 0 and 1.
        n_labels: n, labelled items that the function was fitted to; ``None`` to go by the refits alone.

    References:
        Clopper and Pearson (1934), see ``clopper_pearson_ends``.
    """
    if means is None or not group.figures:
        return group
    errors = refit_errors(means @ figures.matrix.T)
    further = float(stdtrit(len(means) - 1, (1 + interval) / 2)) * errors
    values = np.array([one.value for one in group.figures.values()])
    below, above = np.maximum(further, _from_labels(values, figures, n_labels, interval))
    ends = zip(group.figures.items(), below, above, *figures.bounds, strict=True)
    return replace(
        group,
        figures={
            name: Estimate(
                one.value,
                max(one.value - float(np.hypot(one.value - one.low, down)), float(lowest)),
                min(one.value + float(np.hypot(one.high - one.value, up)), float(highest)),
            )
            for (name, one), down, up, lowest, highest in ends
        },
    )


def _from_labels(values: Floats, figures: Figures, n_labels: int | None, interval: float) -> Floats:
    """Distances to the exact interval's lower and upper ends, shape (2, f); 0 for the mean."""
    distances = np.zeros((2, len(values)))
    if n_labels is None:
        return distances
    least, greatest = figures.bounds
    width = greatest - least
    shares = np.clip((values - least) / width, 0, 1)
    low, high = clopper_pearson_ends(shares, n_labels, interval)
    distances[:, 1:] = np.stack([shares - low, high - shares])[:, 1:] * width[1:]
    return distances
