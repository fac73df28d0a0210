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
    """Give a chart its row labels, its size, the page's look, and last its data, which Altair would copy."""
    import altair as alt

    sized = chart.properties(**size) if size else chart
    look = (
        sized.add_params(alt.param(name="names", value=[lines_of(name, room) for name in names]))
        .configure(background="transparent", aria=False, padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            labelFontSize=FONT_SIZE,
            titleColor=MUTED,
            titleFontSize=FONT_SIZE,
            titleFontWeight="normal",
            gridColor=GRID,
            domainColor=GRID,
            tickColor=GRID,
            domain=False,
            ticks=False,
        )
        .configure_concat(spacing=14)
    )
    specification: Specification = look.to_dict(validate=False)
    return specification | {"datasets": datasets}
