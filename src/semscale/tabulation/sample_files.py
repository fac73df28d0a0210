"""Files that describe a sample: margins to rake to, and factors of replicates."""

from collections.abc import Mapping
from math import isfinite
from pathlib import Path

from semscale.errors import InputError
from semscale.store.columns import as_names
from semscale.yaml_reading import line_of, parse_yaml

_ROUNDING = 1e-6
_MIN_PERCENT, _MAX_PERCENT = 90, 110  # sums of percentages that miss 100
_FORM = "write a column, and below it a number for each of its categories, such as 'sex: {f: 0.51, m: 0.49}'"


def read_margins(path: Path) -> dict[str, dict[str, float]]:
    """Read margins: columns, each with the share or number of people in its categories.

    Args:
        path: a YAML file, such as ``sex: {f: 0.51, m: 0.49}``. Categories are values as the
            table has them, or their labels.

    Raises:
        InputError: the file cannot be read, has another form, or has shares that sum to neither 1 nor 100;
            the line is named.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError(f"raked_to: {path} cannot be read ({error.strerror}); check its name") from error
    columns = parse_yaml(content, source=path.name)
    if not isinstance(columns, dict) or not columns:
        raise InputError(f"raked_to: {path.name} has no margins; {_FORM}")
    margins: dict[str, dict[str, float]] = {}
    for column, goals in columns.items():
        line = f"{path.name}, line {line_of(content, [column])}"
        if not isinstance(goals, dict) or not goals:
            raise InputError(f"raked_to: '{column}' in {line} has no categories; {_FORM}")
        if any(isinstance(goal, dict) for goal in goals.values()):
            raise InputError(
                f"raked_to: '{column}' in {line} has lists of categories instead of categories: write "
                f"columns at the start of lines; {_FORM}"
            )
        names = as_names(list(goals), str(column))
        for category, (key, goal) in zip(names, goals.items(), strict=True):
            is_number = isinstance(goal, int | float) and not isinstance(goal, bool)
            if category is None or not is_number or not (isfinite(goal) and goal >= 0):
                raise InputError(
                    f"raked_to: '{column}', category '{category}' in {path.name}, line "
                    f"{line_of(content, [column, key])} must be a number >= 0, got {goal!r}"
                )
        margins[str(column)] = dict(zip(map(str, names), map(float, goals.values()), strict=True))
        check_sum(str(column), margins[str(column)], f" in {line},")
    return margins


def check_sum(column: str, goals: Mapping[str, float], position: str = "") -> None:
    """Refuse shares that do not sum to a whole; numbers of people may sum to anything."""
    total = sum(goals.values())
    is_whole = any(abs(total - whole) <= _ROUNDING * whole for whole in (1, 100))
    are_shares = total < _MAX_PERCENT and any(not float(goal).is_integer() for goal in goals.values())
    if not is_whole and (are_shares or _MIN_PERCENT < total < _MAX_PERCENT):
        raise InputError(
            f"raked_to: the shares of '{column}'{position} sum to {total:g}; they must sum to 1 or 100 "
            "(numbers of people are whole, and may have any sum)"
        )


def read_rscales(text: str) -> tuple[float, ...]:
    """Read the factors of replicates.

    Args:
        text: a single number for all replicates; numbers with commas between, in the order of the columns;
            or a file with one number per line.

    Raises:
        InputError: a part or line that is no number, or a file that cannot be read.

    Example:
        >>> read_rscales("0.5, 0.75")
        (0.5, 0.75)
    """
    try:
        return tuple(map(float, text.split(",")))
    except ValueError:
        path = Path(text)
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"rscales must be numbers with commas between, or a text file with one per line, got '{path}'"
        ) from error
    factors = []
    for number, line in enumerate(lines, start=1):
        try:
            factors += [float(line)] if line.strip() else []
        except ValueError as error:
            raise InputError(
                f"rscales: line {number:,} of {path.name} is no number: {line.strip()!r:.60}"
            ) from error
    if not factors:
        raise InputError(f"rscales: {path.name} has no numbers; write one per line")
    return tuple(factors)
