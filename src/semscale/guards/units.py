"""Units as texts spell them, and their conversion by pint, loaded when two spellings must be compared.

References:
    pint, a library for physical quantities: https://pint.readthedocs.io
"""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from semscale.guards.lexicons import read_lexicon

if TYPE_CHECKING:
    from pint import UnitRegistry

_OFFSET_TEST = 1.0


class UnitConversion(NamedTuple):
    """How a unit is turned into the base unit of its dimension: base = factor * value + offset.

    Attributes:
        factor: what one unit is in base units.
        offset: what zero is in base units; 0 except for temperatures.
        dimension: what it measures; units of different dimensions cannot be compared.
    """

    factor: float
    offset: float
    dimension: str


def unit_name(spelling: str) -> str:
    """Give pint's name for a unit as it is written, or "" for what is no unit.

    Args:
        spelling: such as ``mg``, ``hours``, ``mg/dL``.

    Example:
        >>> unit_name("mg/dL"), unit_name("hours"), unit_name("cats")
        ('milligram / deciliter', 'hour', '')
    """
    names = [_simple_name(part.strip()) for part in spelling.split("/")]
    return " / ".join(names) if all(names) else ""


@cache
def conversion_of(name: str) -> UnitConversion:
    """Say how a unit converts.

    Args:
        name: as ``unit_name`` gives it; "" is a bare number.

    Example:
        >>> conversion_of("milligram").factor == conversion_of("gram").factor / 1000
        True
        >>> conversion_of("dollar")
        UnitConversion(factor=1.0, offset=0.0, dimension='dollar')
    """
    import pint

    if not name:
        return UnitConversion(1.0, 0.0, "dimensionless")
    try:
        zero = _registry().Quantity(0.0, name).to_base_units()
        one = _registry().Quantity(_OFFSET_TEST, name).to_base_units()
    except (pint.UndefinedUnitError, pint.OffsetUnitCalculusError):
        return UnitConversion(1.0, 0.0, name)
    offset = float(zero.magnitude)
    return UnitConversion(float(one.magnitude) - offset, offset, str(one.dimensionality))


def measure_the_same(one: str, other: str) -> bool:
    """Tell whether two units convert into each other; a unit beside itself needs no pint, which loads slowly.

    Example:
        >>> measure_the_same("milligram", "gram"), measure_the_same("gram", "hour")
        (True, False)
    """
    return one == other or conversion_of(one).dimension == conversion_of(other).dimension


def _simple_name(spelling: str) -> str:
    exact, words = _spellings()
    if spelling in exact:
        return exact[spelling]
    word = spelling.lower()
    return words.get(word) or words.get(word.removesuffix("s"), "")


@cache
def _spellings() -> tuple[dict[str, str], dict[str, str]]:
    tables = read_lexicon("units")
    return tables["exact"], tables["word"]


@cache
def _registry() -> "UnitRegistry[float]":
    import pint

    return pint.UnitRegistry()
