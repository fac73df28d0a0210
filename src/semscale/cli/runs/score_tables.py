"""Tables on the screen that every instrument with one score an item shows: spread, groups, guards."""

from collections.abc import Mapping

from rich.table import Table
from rich.text import Text

from semscale.report.charts.score_bins import bin_counts, bin_edges
from semscale.report.render.fitting import fitted
from semscale.report.render.grids import bar, figure_grid
from semscale.report.wording import counted, number, with_interval
from semscale.stats.intervals.means import MeanEstimate
from semscale.types import Floats

NAME_CELLS = 30
"""Terminal cells that a name may take."""

_BAR = 24
_GROUPS = 50


def spread_table(score: Floats, bounds: tuple[float, float], *, heads: tuple[str, str], title: str) -> Table:
    """Lay out how many items have which score, the highest first.

    Args:
        score: shape (m,), of the items that have one.
        bounds: least and greatest score that there can be.
        heads: what is scored, and what an item is called.
        title: of the table.
    """
    table = figure_grid(*heads, "", title=title)
    table.columns[2].justify = "left"
    edges = bin_edges(score, bounds, bins=10)
    counts = bin_counts(score, edges)
    most = max(int(counts.max()), 1)
    for low, high, n in reversed(list(zip(edges[:-1], edges[1:], counts.tolist(), strict=True))):
        shown = Text(bar(n / most, _BAR), style="cyan")
        table.add_row(f"{number(low, 1)} to {number(high, 1)}", f"{n:,}", shown)
    return table


def group_table(groups: Mapping[str, MeanEstimate], *, by: str | None, items: str) -> Table:
    """Lay out the mean of each group.

    Args:
        groups: the means, by name.
        by: column that names the groups.
        items: what items are called.
    """
    heads = [fitted(by or "group", NAME_CELLS), items, "left out", "mean"]
    table = figure_grid(*heads, title="\nBy group")
    for name, estimate in list(groups.items())[:_GROUPS]:
        cells = [f"{estimate.n:,}", f"{estimate.n_left_out:,}", with_interval(estimate)]
        table.add_row(fitted(name, NAME_CELLS) or "(blank)", *cells)
    if len(groups) > _GROUPS:
        more = counted(len(groups) - _GROUPS, "more group", "more groups")
        table.add_row(f"... and {more}; --json has all")
    return table


def guard_table(found: Mapping[str, int], meanings: Mapping[str, str], *, items: str, title: str) -> Table:
    """Lay out in how many items each guard found something, and what that means."""
    table = figure_grid("guard", items, "", title=title)
    table.columns[2].justify = "left"
    for guard, n in found.items():
        table.add_row(guard, f"{n:,}", meanings.get(guard, ""))
    return table
