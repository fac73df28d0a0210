"""Units as they are spelt in texts, and their conversion by pint, which is loaded when first needed.

References:
    pint, a library for physical quantities: https://pint.readthedocs.io
"""

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from semscale.guards.lexicons import read_lexicon

if TYPE_CHECKING:
    from pint import UnitRegistry

_OFFSET_TEST = 1.0
_PREFIXES = {
    "p": "pico", "n": "nano", "u": "micro", "µ": "micro", "μ": "micro", "m": "milli", "c": "centi",
    "d": "deci", "h": "hecto", "k": "kilo", "M": "mega", "G": "giga", "T": "tera",
}  # fmt: skip
_PER = {"s": "second"}
"""Symbols that stand for a unit only after a slash."""


class UnitConversion(NamedTuple):
    """Conversion of a unit into the base unit of its dimension: base = factor * value + offset.

    Attributes:
        factor: base units in one unit.
        offset: the value 0 in base units; 0 except for temperatures.
        dimension: the dimension, such as a length; units of different dimensions cannot be compared.
    """

    factor: float
    offset: float
    dimension: str


def unit_name(spelling: str) -> str:
    """Return pint's name for a spelling of a unit, or "" if it is none.

    Args:
        spelling: the unit in a text, such as ``mg``, ``hours`` or ``mg/dL``.

    Example:
        >>> unit_name("mg/dL"), unit_name("hours"), unit_name("cats")
        ('milligram / deciliter', 'hour', '')
    """
    first, *others = (part.strip() for part in spelling.split("/"))
    names = [_simple_name(first), *(_PER.get(part) or _simple_name(part) for part in others)]
    return " / ".join(names) if all(names) else ""


@cache
def conversion_of(name: str) -> UnitConversion:
    """Return the conversion of a unit into its base unit.

    Args:
        name: a name from ``unit_name``; "" for a number without a unit.

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
    """Tell whether two units can be converted into each other; equal ones need no pint, which loads slowly.

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
    name = words.get(word) or words.get(word.removesuffix("s"), "")
    return name or _prefixed_word(word.removesuffix("s"), words)


def _prefixed_word(word: str, words: dict[str, str]) -> str:
    """Read a written-out unit with a written-out prefix, such as "millimolar"."""
    table: dict[str, str] = read_lexicon("units", "semscale.guards.numbers")["prefixed_word"]
    for prefix in table["prefixes"].split():
        bare = word.removeprefix(prefix)
        if bare != word and bare in table["words"].split():
            return prefix + words[bare]
    return ""


@cache
def _spellings() -> tuple[dict[str, str], dict[str, str]]:
    tables = read_lexicon("units", "semscale.guards.numbers")
    return tables["exact"] | dict(_prefixed(tables["prefixed"])), tables["word"]


def _prefixed(table: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield pint's name for every symbol, alone and with the prefixes that may stand before it."""
    for name, line in table.items():
        symbols, prefixes = line.split(":")
        for shown in symbols.split():
            symbol = shown.strip("()")
            if symbol == shown:
                yield symbol, name
            yield from ((prefix + symbol, _PREFIXES[prefix] + name) for prefix in prefixes.split())


@cache
def _registry() -> "UnitRegistry[float]":
    import pint

    return pint.UnitRegistry()
