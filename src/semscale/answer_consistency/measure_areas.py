"""How well each measure tells right answers from wrong ones, on its own answers and on common ones."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from semscale.stats.intervals.estimates import Estimate
from semscale.stats.intervals.roc_areas import roc_area
from semscale.types import Floats


@dataclass(frozen=True)
class MeasureAreas:
    """Areas under the ROC curve of several measures.

    Attributes:
        own: of each measure on the labelled answers that have it; NaN where these are of one kind.
        n: of each measure, how many these are.
        common: of each measure on the labelled answers that have all measures, so that measures are compared
            on the same answers; empty where ``own`` is that already.
        n_common: labelled answers that have all measures. A measure that no labelled answer has does not
            count here.
    """

    own: Mapping[str, Estimate]
    n: Mapping[str, int]
    common: Mapping[str, Estimate] = field(default_factory=dict)
    n_common: int = 0

    @property
    def compared(self) -> Mapping[str, Estimate]:
        """The areas to compare measures by: on common answers where these are of both kinds."""
        is_known = any(not np.isnan(area.value) for area in self.common.values())
        return self.common if is_known else self.own


def measure_areas(measures: Mapping[str, Floats], labels: Floats, *, interval: float = 0.95) -> MeasureAreas:
    """Estimate how often a right answer has the higher value than a wrong one, for each measure.

    Args:
        measures: of n answers, each of shape (n,), NaN where there is none.
        labels: shape (n,), 1 right, 0 wrong, NaN not known.
        interval: coverage of DeLong's intervals.

    Example:
        >>> nan = np.nan
        >>> found = measure_areas(
        ...     {"a": np.array([0.1, 0.9, 0.2, 0.8]), "b": np.array([0.3, 0.4, nan, nan])},
        ...     np.array([0.0, 1, 1, 0]),
        ... )
        >>> found.own["a"].value, found.n["b"], found.n_common, found.common["a"].value
        (0.75, 2, 2, 1.0)
    """
    known = ~np.isnan(labels)
    there = {name: known & ~np.isnan(values) for name, values in measures.items()}
    n = {name: int(rows.sum()) for name, rows in there.items()}
    own = {name: _area(values, labels, interval) for name, values in measures.items()}
    found = [there[name] for name in measures if n[name]]
    if not found:
        return MeasureAreas(own, n)
    every = np.all(found, axis=0)
    n_common = int(every.sum())
    if set(n.values()) <= {0, n_common}:
        return MeasureAreas(own, n, n_common=n_common)
    shown = np.where(every, labels, np.nan)
    common = {name: _area(values, shown, interval) for name, values in measures.items()}
    return MeasureAreas(own, n, common, n_common)


def _area(values: Floats, labels: Floats, interval: float) -> Estimate:
    right, wrong = (values[(labels == side) & ~np.isnan(values)] for side in (1, 0))
    return roc_area(right, wrong, interval=interval)
