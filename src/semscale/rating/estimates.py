"""Estimates about many ratings, as a whole and by group, with what is needed to repeat them."""

from dataclasses import dataclass

import polars as pl

from semscale.rating.few_clusters import few_groups_note, few_note
from semscale.rating.mass_names import mass_names
from semscale.signature import Signature
from semscale.stats.intervals.estimates import Estimate, GroupEstimate, Method


@dataclass(frozen=True)
class Estimates:
    """Figures about all ratings, and about each group.

    Attributes:
        overall: everything together.
        groups: in order of first appearance; empty unless groups were asked for.
        interval: coverage that the intervals aim at, such as 0.95.
        method: how the intervals of everything together were made; each group says its own.
        seed: of the bootstrap; ``None`` where nothing is random.
        replicates: of the bootstrap; 0 where there are none.
        clustered: whether respondents were resampled as a whole, instead of single rows.
        values: of the scale's points.
        signature: the rater's, and how the intervals were made.
    """

    overall: GroupEstimate
    groups: tuple[GroupEstimate, ...]
    interval: float
    method: Method
    seed: int | None
    replicates: int
    clustered: bool
    values: tuple[float, ...]
    signature: Signature

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about intervals that a reader should know of: those made from few rows or respondents."""
        unit = "respondent" if self.clustered else "row"
        whole = few_note(self.overall.n_clusters, unit) if self.overall.n else ""
        sizes = [group.n_clusters for group in self.groups if group.n]
        # Where everything together is few, so is every group, and nothing new is said of them.
        groups = "" if whole else few_groups_note(sizes, unit)
        return tuple(note for note in (whole, groups) if note)

    def to_frame(self) -> pl.DataFrame:
        """Lay the estimates out as a table, one row per figure: the whole first, then groups.

        Returns:
            Columns ``scope`` (``overall`` or ``group``), ``group``, ``n``, ``effective_n``, ``figure``,
            ``value``, ``low``, ``high``; the mass of each point is the figure ``p_<value>``.
        """
        rows = [
            ("overall" if part is self.overall else "group", part.group, part.n, part.effective_n, *figure)
            for part in (self.overall, *self.groups)
            for figure in self._named(part)
        ]
        floats = dict.fromkeys(["value", "low", "high"], pl.Float64)
        schema = {"scope": pl.String, "group": pl.String, "n": pl.Int64, "effective_n": pl.Float64}
        table = pl.DataFrame(rows, schema={**schema, "figure": pl.String, **floats}, orient="row")
        return table.with_columns(pl.col(*floats).fill_nan(None))

    def _named(self, part: GroupEstimate) -> list[tuple[str, float, float, float]]:
        named: dict[str, Estimate | None] = {
            "mean": part.mean,
            "top_2_box": part.top_2_box,
            "bottom_2_box": part.bottom_2_box,
            "net": part.net,
            "nps": part.nps,
            **dict(zip(mass_names(self.values), part.pmf, strict=False)),
        }
        return [(name, one.value, one.low, one.high) for name, one in named.items() if one is not None]
