"""Correction for the number of tests, within families: all items first, then each metric's groups."""

from collections.abc import Hashable, Sequence

import numpy as np

from semscale.drift.gate.mean_drifts import About
from semscale.stats.drift_tests import ExchangeTest, adjusted_discrete
from semscale.stats.significance import Correction
from semscale.types import Floats


def adjusted_in_families(
    asked: Sequence[About], found: Sequence[ExchangeTest], correction: Correction, alpha: float
) -> Floats:
    """Adjust p-values within families, so that tests of groups cost those of all items nothing.

    The tests over all items are one family. The groups of one kind in one metric are another, which is below
    the metric's test over all items: no group has a smaller adjusted p-value than that. If some group drifts,
    the metric is not without drift over all items, so that the chance of any false alarm stays at most alpha
    over all families together, as far as single p-values keep it: mid-p-values do on average, and where few
    items differ the chance is up to .09 at an alpha of .05.

    Args:
        asked: what each test is about; every metric is tested over all items.
        found: its p-value, and the smallest that it could have.
        correction: correction within a family.
        alpha: level of all tests together.

    Returns:
        Shape (tests,); NaN where a test, or the one above it, has no p-value.

    References:
        Meinshausen (2008), Biometrika 95(2), 265-278, doi 10.1093/biomet/asn007: hierarchical testing.

    Example:
        >>> asked = [("match", None), ("match", ("topic", "a")), ("match", ("topic", "b"))]
        >>> tests = [ExchangeTest(p, 0.0) for p in (0.03, 0.01, 0.02)]
        >>> adjusted_in_families(asked, tests, "holm", 0.05).tolist()
        [0.03, 0.03, 0.03]
    """
    families: dict[Hashable, list[int]] = {}
    for place, (metric, group) in enumerate(asked):
        families.setdefault(None if group is None else (metric, group[0]), []).append(place)
    p_values = np.array([test.p_value for test in found], dtype=np.float64)
    least = np.array([test.least for test in found], dtype=np.float64)
    shown = np.full(len(asked), np.nan)
    for places in families.values():
        shown[places] = adjusted_discrete(p_values[places], least[places], correction, alpha)
    above = {metric: shown[place] for place, (metric, group) in enumerate(asked) if group is None}
    return np.asarray(np.maximum(shown, [above[metric] for metric, _ in asked]))  # NaN if either is
