"""Values of a column of groups that are codes for no answer, inferred if the survey is not described."""

from collections.abc import Iterable, Sequence

from semscale.spelling import hint
from semscale.store.column_profile import ColumnProfile, profiles_of
from semscale.store.missing_codes import code_key
from semscale.store.table import Table
from semscale.survey.description import Survey
from semscale.survey.inference import describe_columns


def group_codes(profile: ColumnProfile, export: str = "") -> tuple[str, ...]:
    """Return the values of a column of groups that are codes for no answer, sorted.

    Args:
        profile: counts of the column's cells.
        export: the tool that wrote the file; empty if it is unknown.

    Examples:
        >>> import polars as pl
        >>> profile = ColumnProfile("region")
        >>> profile.add(pl.Series(["North", "South", "-99", "N/A"] * 10))
        >>> group_codes(profile)
        ('-99', 'N/A')
    """
    reasons = describe_columns([profile], profile.name, export=export).missing_reasons
    return tuple(sorted(name for name in profile.values if code_key(name) in reasons))


def infer_group_codes(
    table: Table, columns: Sequence[str], survey: Survey | None
) -> dict[str, tuple[str, ...]]:
    """Return the codes for no answer of columns of groups that no description has.

    All rows of the file are read, whatever rows a condition keeps.

    Args:
        table: the input.
        columns: columns of groups.
        survey: the description; ``None`` without one.

    Returns:
        The codes as the cells have them, of each column with any.

    Raises:
        InputError: a row cannot be read.
    """
    names = undescribed(columns, survey)
    profiles = profiles_of(table.whole or table, names) if names else []
    codes = {profile.name: group_codes(profile, table.export) for profile in profiles}
    return {name: of_column for name, of_column in codes.items() if of_column}


def undescribed(columns: Iterable[str], survey: Survey | None) -> tuple[str, ...]:
    """Return the columns that no question of the description has."""
    return tuple(
        column for column in dict.fromkeys(columns) if survey is None or survey.of_column(column) is None
    )


def groups_note(column: str, codes: Iterable[str]) -> str:
    """State which values of a column are no groups."""
    return f"no groups of ‘{column}’, as they are read as no answer: {', '.join(codes)}" + hint(
        "; to compare one, list it in survey.yaml under values, not under missing"
    )
