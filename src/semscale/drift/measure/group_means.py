"""Mean differences of many groups at once; groups of equal size share their bootstrap draws."""

from collections.abc import Hashable, Mapping
from math import ceil
from typing import TypeVar

import numpy as np

from semscale.stats.drift_tests import PairedMean, paired_means
from semscale.stats.intervals import IntervalPlan
from semscale.types import Floats

_Key = TypeVar("_Key", bound=Hashable)

_CELLS = 2_000_000  # the most replicates x figures in memory


def means_by_group(
    values: Mapping[_Key, Floats], *, bounds: Floats, plan: IntervalPlan, finest: int = 0
) -> dict[_Key, tuple[PairedMean, ...]]:
    """Estimate the means of k figures in every group; see ``paired_means``.

    Every group's draws start from the same seed and depend only on its size, so groups of equal size are
    drawn together. Each group's result is the same as alone.

    Args:
        values: for each group, shape (n, k), the differences of its n items in k figures.
        bounds: shape (k, 2), the least and the greatest possible difference.
        plan: how intervals are computed.
        finest: number of replicates that a small p-value needs.

    Returns:
        For each group one result for each of the k figures.
    """
    k = len(bounds)
    together = max(1, ceil(_CELLS / (plan.replicates * k)))
    by_size: dict[int, list[_Key]] = {}
    for key, differences in values.items():
        by_size.setdefault(len(differences), []).append(key)
    found: dict[_Key, tuple[PairedMean, ...]] = {}
    for keys in by_size.values():
        for start in range(0, len(keys), together):
            some = keys[start : start + together]
            side_by_side = np.hstack([values[key] for key in some])
            results = paired_means(
                side_by_side, bounds=np.tile(bounds, (len(some), 1)), plan=plan, finest=finest
            )
            found |= {key: results[at * k : (at + 1) * k] for at, key in enumerate(some)}
    return {key: found[key] for key in values}
