"""Options of a run over a table: its intervals, its seed and its parts."""

from typing import TYPE_CHECKING, Annotated

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import RUN, option, setting

if TYPE_CHECKING:
    from semscale.stats.intervals.estimates import IntervalPlan
    from semscale.store.runs.table_run import PartSettings


@option_group
class RunOptions:
    """How intervals are made, and how a table is cut into parts.

    Raises:
        InputError: a value out of range.
    """

    interval: Annotated[float, setting(RUN, "Coverage of the intervals.")] = 0.95
    seed: Annotated[int, setting(RUN, "Seed of everything that is random.")] = 0
    part_rows: Annotated[int, setting(RUN, "Rows that are finished and kept at once.")] = 50_000
    restart: Annotated[bool, option(RUN, "Drop what an earlier run has finished.")] = False

    def __post_init__(self) -> None:
        # Both refuse now what would be refused once a model is loaded.
        _ = self.plan, self.parts

    @property
    def plan(self) -> "IntervalPlan":
        """How intervals are made."""
        from semscale.stats.intervals.estimates import IntervalPlan

        return IntervalPlan(self.interval, seed=self.seed)

    @property
    def parts(self) -> "PartSettings":
        """How the table is cut into parts."""
        from semscale.store.runs.table_run import PartSettings

        return PartSettings(self.part_rows, self.restart)
