"""Names of the columns that hold the mass of each point."""

from collections.abc import Iterable

MASS_PREFIX = "p_"


def mass_names(values: Iterable[float]) -> tuple[str, ...]:
    """Name a column for each point after its value, exactly, so that no two points share one.

    Args:
        values: of the scale's points; whole numbers lose their ``.0``.

    Example:
        >>> mass_names([1.0, 2.5, 1000001.0])
        ('p_1', 'p_2.5', 'p_1000001')
    """
    numbers = map(float, values)
    return tuple(f"{MASS_PREFIX}{int(number) if number.is_integer() else repr(number)}" for number in numbers)
