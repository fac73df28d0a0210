"""Names and colours of a scale's points in charts and tables."""

from semscale.report.charts.palette import ordinal, ramp
from semscale.report.formatting import digits_for, one_line, plain
from semscale.scales import Scale


def point_names(scale: Scale) -> list[str]:
    """Name each point by value and label, from the lowest to the highest."""
    names = []
    for point in scale.points:
        value, label = plain(point.value), one_line(point.label)
        names.append(value if label == value else f"{value} · {label}")
    return names


def mass_heads(scale: Scale) -> tuple[str, ...]:
    """Name the columns of a table that hold the mass of each point."""
    return tuple(f"on {plain(value)}" for value in scale.values)


def point_colours(scale: Scale) -> tuple[str, ...]:
    """Choose a colour a point: orange for the unwelcome end, one ramp where neither end is welcome."""
    if scale.polarity == "neutral":
        return ramp(scale.n_points)
    return ordinal(scale.n_points, flipped=scale.polarity == "ascending-bad")


def scale_digits(scale: Scale) -> int:
    """Choose the decimals of means on a scale."""
    return digits_for(scale.points[0].value, scale.points[-1].value)
