"""Figures that documents of several instruments declare by their data."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from semscale.report.chart_kit import point_colours, point_names
from semscale.report.document import DataTable, Figure, Interval, Quoted, Swatch, Value
from semscale.report.formatting import ends, number, one_line, percent, percent_with_interval, with_interval
from semscale.report.parts import table
from semscale.report.plane_charts import MatrixCell, matrix
from semscale.report.row_charts import Bar, DotRow, ForestRow, GroupRow, bars, dots, forest, group_rows
from semscale.scales import Scale


def described(rows: Iterable[tuple[str, str]]) -> str:
    """Write rows of a picture for readers who cannot see it: each name with its figures.

    Example:
        >>> described([("north", "0.50"), ("south", "0.60")])
        'north: 0.50; south: 0.60'
    """
    return "; ".join(f"{name}: {figures}" for name, figures in rows)


def legend(colours: Sequence[str], labels: Sequence[str], shape: str = "") -> tuple[Swatch, ...]:
    """List colours with their meanings."""
    return tuple(Swatch(colour, label, shape) for colour, label in zip(colours, labels, strict=True))


def point_legend(scale: Scale) -> tuple[Swatch, ...]:
    """List the colours of a scale's points, from low to high."""
    return legend(point_colours(scale), point_names(scale))


def distributions_figure(
    name: str,
    rows: Sequence[tuple[str, Interval, Sequence[float]]],
    points: tuple[Swatch, ...],
    *,
    reference: float,
    about: str,
    digits: int = 2,
    **further: Any,  # noqa: ANN401 - fields of Figure
) -> Figure:
    """Draw the mean of each row with its interval, and its distribution over the points of a scale.

    Args:
        name: of the figure's file.
        rows: label, mean, and the mass of each point.
        points: colours and labels of the points, from low to high.
        reference: a mean that is drawn as a dashed line.
        about: begins the description.
        digits: decimals of means.
        further: other fields of ``Figure``: its table, its caption.
    """
    drawn = []
    for label, mean, masses in rows:
        low, high = ends(mean.low, mean.high)
        drawn.append(GroupRow(label, mean.value, low, high, tuple(masses)))
    colours = [point.colour for point in points]
    return Figure(
        name,
        lambda width: group_rows(drawn, colours, reference=reference, width=width),
        f"{about}: {described((row.name, number(row.mean, digits)) for row in drawn)}.",
        legend=points,
        **further,
    )


def bars_figure(
    name: str,
    rows: Sequence[tuple[str, Interval]],
    *,
    about: str,
    digits: int | None = None,
    **further: Any,  # noqa: ANN401 - fields of Figure
) -> Figure:
    """Draw a bar for each row, with its interval.

    Args:
        name: of the figure's file.
        rows: label and figure, from top to bottom.
        about: begins the description.
        digits: decimals of the figures; shares in percent unless given.
        further: other fields of ``Figure``: its table, its caption.
    """
    labels, drawn = [label for label, _ in rows], []
    for row, (_, figure) in enumerate(rows):
        low, high = ends(figure.low, figure.high)
        text, short = percent_with_interval(figure), percent(figure.value)
        if digits is not None:
            text, short = with_interval(figure, digits), number(figure.value, digits)
        drawn.append(Bar(row, figure.value, low, high, text, short))
    return Figure(
        name,
        lambda width: bars(drawn, labels, width),
        f"{about}. {described((label, bar.text) for label, bar in zip(labels, drawn, strict=True))}.",
        **further,
    )


def shares_figure(
    name: str, rows: Sequence[tuple[str, Interval]], *, head: str, quantity: str, measure: str
) -> Figure:
    """Draw a share with its interval for each row, as dots on one axis.

    Args:
        name: of the figure's file.
        rows: a user's label and the share.
        head: name of a row.
        quantity: what is measured, in full.
        measure: the same in a word or two.
    """
    drawn = []
    for label, share in rows:
        low, high = ends(share.low, share.high)
        short = percent(share.value, 0)
        text = percent_with_interval(share)
        drawn.append(ForestRow(one_line(label), share.value, low, high, 0.0, None, None, text, short))
    return Figure(
        name,
        lambda width: forest(drawn, quantity, width=width, percent=True),
        f"{quantity.capitalize()}: {'; '.join(f'{row.name} {row.text}' for row in drawn)}.",
        table((head, quantity), [(Quoted(row.name, 60), row.text) for row in drawn], detail="full"),
        caption=f"The dot is the {measure}, the line its interval.",
    )


def dots_figure(
    name: str,
    rows: Mapping[str, Sequence[float]],
    series: tuple[Swatch, ...],
    *,
    about: str,
    title: str = "mean",
    **further: Any,  # noqa: ANN401 - fields of Figure
) -> Figure:
    """Draw a dot for each series in each row.

    Args:
        name: of the figure's file.
        rows: values of each series, by the row's label.
        series: colours and labels of the series.
        about: begins the description.
        title: of the axis.
        further: other fields of ``Figure``: its table, its caption.
    """
    drawn = [DotRow(label, tuple(values)) for label, values in rows.items()]
    colours = [swatch.colour for swatch in series]
    described = "; ".join(f"{row.name} {', '.join(map(number, row.means))}" for row in drawn)
    return Figure(
        name,
        lambda width: dots(drawn, colours, title=title, width=width),
        f"{about}. {described}.",
        legend=series,
        **further,
    )


def matrix_figure(
    name: str,
    labels: tuple[str, Sequence[str], Sequence[str]],
    values: Sequence[Sequence[float]],
    colour: Callable[[float], str],
    *,
    text: Callable[[float], str] = number,
    numbers: DataTable | None = None,
    **further: Any,  # noqa: ANN401 - fields of Figure
) -> Figure:
    """Draw a matrix of coloured cells.

    Args:
        name: of the figure's file.
        labels: name of a row, labels of the rows, and labels of the columns.
        values: from top to bottom, row by row.
        colour: gives the colour of a value.
        text: writes a value.
        numbers: the table behind the picture, if it is not that of the values.
        further: other fields of ``Figure``: its description, its caption.
    """
    head, rows, columns = labels
    cells = [[MatrixCell(colour(value), text(value)) for value in row] for row in values]
    listed: list[tuple[Value, ...]] = [(Quoted(label), *row) for label, row in zip(rows, values, strict=True)]
    return Figure(
        name,
        lambda width: matrix(cells, rows, columns, width=width),
        table=numbers or table((head, *map(Quoted, columns)), listed, detail="full"),
        **further,
    )
