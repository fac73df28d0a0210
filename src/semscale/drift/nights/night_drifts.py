"""Drifts of earlier nights: runs that were held against the same baseline and reruns."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from semscale.types import Floats, Mask


@dataclass(frozen=True)
class EarlierNights:
    """The items' drift in earlier nights.

    Attributes:
        drifts: for each metric, shape (t, n), in the order of time; NaN for an item without one.
        name: number and hash of the nights, for signatures; ``None`` without a night.
        n: their number.
    """

    drifts: Mapping[str, Floats] = field(default_factory=lambda: MappingProxyType({}))
    name: str | None = None
    n: int = 0

    def of(self, metric: str, inside: Mask) -> Floats | None:
        """Return the drifts of some items in a metric, (t, m); ``None`` without a night that has it."""
        found = self.drifts.get(metric)
        return None if found is None else found[:, inside]
