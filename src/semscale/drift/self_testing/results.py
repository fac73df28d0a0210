"""Results of a self-test: how often the gate failed, passed or was undecided for each kind of change."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from semscale.errors import UnknownNameError
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import Estimate

if TYPE_CHECKING:
    import polars as pl

INTERVAL = 0.95
"""Coverage of the intervals of rates, which nobody chooses."""


@dataclass(frozen=True)
class SelfTestRow:
    """One kind of change at one share of damaged items.

    Attributes:
        kind: one of ``DAMAGES``; ``identity``: nothing was changed; ``rerun``: a rerun of the baseline.
        is_harmful: whether the gate should fail.
        share: share of damaged items, 0 to 1.
        items: number of items in each draw.
        n_eligible: number of the run's items that can be damaged this way.
        n_draws: number of draws; 0 if no item is eligible.
        failed: share of draws in which the gate failed: detections of harmful changes, or false alarms at
            harmless ones. Wilson's interval reflects the number of draws, not the choice of the dataset.
        passed: share of draws in which the gate passed.
        undecided: share of draws in which the gate was undecided.
        by_metric: share of draws in which each metric failed over all items, and each absolute threshold, by
            name, and each hard limit, as ``limit`` with its name.
    """

    kind: str
    is_harmful: bool
    share: float
    items: int
    n_eligible: int
    n_draws: int
    failed: Estimate
    passed: Estimate
    undecided: Estimate
    by_metric: Mapping[str, float]

    @property
    def detected_by(self) -> str | None:
        """The metric that failed most often; ``None`` if none failed."""
        best = max(self.by_metric, key=lambda name: self.by_metric[name], default=None)
        return best if best is not None and self.by_metric[best] > 0 else None


@dataclass(frozen=True, repr=False)
class SelfTest(Presentable):
    """Results of a gate on known damage and on harmless changes.

    Attributes:
        rows: one row for each kind and share, harmless changes first.
        n_reruns: number of reruns of the baseline's model; without any, ``identity`` and the harmless changes
            do not include the model's own noise.
        signature: settings of measurement, decision and draws.
        alpha: probability of a false alarm that the gate was set to allow.
        interval: coverage of the intervals of rates.
    """

    rows: tuple[SelfTestRow, ...]
    n_reruns: int
    signature: Signature
    alpha: float = 0.05
    interval: float = INTERVAL

    def __repr__(self) -> str:
        kinds = len({row.kind for row in self.rows})
        return f"SelfTest(kinds={kinds}, rows={len(self.rows)}, n_reruns={self.n_reruns})"

    @property
    def false_alarms(self) -> tuple[SelfTestRow, ...]:
        """Rows of changes for which a gate should not fail."""
        return tuple(row for row in self.rows if not row.is_harmful)

    @property
    def detections(self) -> tuple[SelfTestRow, ...]:
        """Rows of changes for which a gate should fail."""
        return tuple(row for row in self.rows if row.is_harmful)

    def row(self, kind: str, share: float = 1.0) -> SelfTestRow:
        """Return the row of a kind and share.

        Raises:
            UnknownNameError: there is no such row.
        """
        for row in self.rows:
            if row.kind == kind and row.share == share:
                return row
        known = ", ".join(dict.fromkeys(f"{row.kind} at {row.share:g}" for row in self.rows))
        raise UnknownNameError(f"kind and share must be one of {known}, got {kind} at {share:g}")

    def to_frame(self) -> "pl.DataFrame":
        """Return the rows as a table.

        Returns:
            Columns ``kind``, ``is_harmful``, ``share``, ``items``, ``n_eligible``, ``n_draws``, then
            ``failed``, ``passed`` and ``undecided``, each with ``_low`` and ``_high``, and ``detected_by``;
            null if no item is eligible.
        """
        import polars as pl

        plain = ("kind", "is_harmful", "share", "items", "n_eligible", "n_draws")
        columns = [pl.Series(name, [getattr(row, name) for row in self.rows]) for name in plain]
        for name in ("failed", "passed", "undecided"):
            for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                values = [getattr(getattr(row, name), end) for row in self.rows]
                columns.append(pl.Series(name + suffix, values, dtype=pl.Float64).fill_nan(None))
        columns.append(pl.Series("detected_by", [row.detected_by for row in self.rows], dtype=pl.String))
        return pl.DataFrame(columns)

    def record(self) -> dict[str, Any]:
        """Lay the rows out by name, for JSON."""
        names = ("kind", "is_harmful", "share", "items", "n_eligible", "n_draws", "failed", "passed",
                 "undecided", "detected_by")  # fmt: skip
        return {
            "instrument": "drift self-test",
            "rows": [{name: getattr(row, name) for name in names} for row in self.rows],
            "reruns": self.n_reruns,
            "alpha": self.alpha,
            "interval": self.interval,
            "signature": self.signature,
        }
