"""The look that all charts share, and the data that goes with them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from semscale.report.charts.labels import lines_of
from semscale.report.charts.palette import GRID, INK, MUTED

if TYPE_CHECKING:
    import altair as alt

Specification = dict[str, Any]
"""A Vega-Lite chart with its data inside."""

FONT_SIZE = 13

_LOOK = {
    "background": "transparent",
    "aria": False,
    "padding": 4,
    "axis": {
        "labelColor": INK,
        "labelFontSize": FONT_SIZE,
        "titleColor": MUTED,
        "titleFontSize": FONT_SIZE,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": GRID,
        "tickColor": GRID,
        "domain": False,
        "ticks": False,
    },
    "concat": {"spacing": 14},
}


def marks_of(dataset: str) -> "alt.Chart":
    """Begin marks, one for each row of a dataset that ``themed`` adds."""
    import altair as alt

    return alt.Chart(alt.NamedData(name=dataset))


def themed(
    chart: Any,  # noqa: ANN401 - Altair's charts share no useful base
    names: Sequence[str],
    room: int,
    datasets: dict[str, list[dict[str, Any]]],
    **size: float,
) -> Specification:
    """Give a chart its row labels, its size, the page's look and its data.

    All of it is added to the finished specification: Altair copies a whole chart for each thing added to it.
    """
    specification: Specification = chart.to_dict(validate=False)
    labels = {"name": "names", "value": [lines_of(name, room) for name in names]}
    view = specification["config"]["view"] | {"stroke": None}
    return (
        specification
        | size
        | {
            "params": [*specification.get("params", ()), labels],
            "config": specification["config"] | _LOOK | {"view": view},
            "datasets": datasets,
        }
    )
