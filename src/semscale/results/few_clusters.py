"""Notes about intervals from few rows or respondents."""

from collections.abc import Sequence

from semscale.stats.intervals.resampling import FEWEST_CLUSTERS


def few_note(m: int, unit: str) -> str:
    """Write the note about an interval from m clusters; empty where there are enough.

    Args:
        m: number of clusters.
        unit: name of a cluster in the singular, such as ``row``.

    Example:
        >>> few_note(1, "respondent")
        'no interval: it takes at least 2 respondents, and there is 1'
    """
    if m >= FEWEST_CLUSTERS:
        return ""
    if m < 2:  # noqa: PLR2004
        return f"no interval: it takes at least 2 {unit}s, and there {'is' if m == 1 else 'are'} {m}"
    return f"wide intervals: by t quantiles, from {m} {unit}s only; a bootstrap takes {FEWEST_CLUSTERS}"


def no_spread_note(m: int, unit: str) -> str:
    """Write the note about an interval of m clusters that all have the same value.

    Example:
        >>> no_spread_note(10, "row")
        'all 10 rows have the same value: the interval is an exact bound on what they do not show'
    """
    return f"all {m:,} {unit}s have the same value: the interval is an exact bound on what they do not show"


def few_different_note(different: int, m: int, unit: str) -> str:
    """Write the note about an interval of m clusters of which few, or none, differ by much from the others.

    Example:
        >>> few_different_note(1, 20, "row").partition(", and")[0]
        '19 of 20 rows have one value, or nearly one: the interval rests on the other'
        >>> few_different_note(0, 20, "row").partition(", and")[0]
        'all 20 rows have nearly the same value: the interval rests on small differences'
    """
    if not different:
        same = f"all {m:,} {unit}s have nearly the same value"
        return f"{same}: the interval rests on small differences, and is probably too narrow"
    others = "other" if different == 1 else f"other {different:,}"
    same = f"{m - different:,} of {m:,} {unit}s have one value, or nearly one"
    return f"{same}: the interval rests on the {others}, and is probably too narrow"


def groups_note(groups: Sequence[tuple[int, str | None]], unit: str, *, among_few: bool = False) -> str:
    """Write the note about groups whose intervals are not made as the others' are; empty without such groups.

    Args:
        groups: number of clusters of each group, and how the interval of its main figure was made.
        unit: name of a cluster in the singular, such as ``row``.
        among_few: whether everything together is as few, so that t quantiles are said of it already.

    Example:
        >>> groups_note([(1, None), (12, "bootstrap"), (7, "linearized")], "row")
        '1 group has fewer than 10 rows: wide intervals by t quantiles; 1 group has a single row: no interval'
        >>> groups_note([(5, "exact"), (12, "exact")], "row")
        '2 groups have the same value in all rows: exact bounds'
    """
    few = [method for m, method in groups if m < FEWEST_CLUSTERS]
    wide = 0 if among_few else few.count("linearized")
    exact, single = sum(method == "exact" for _, method in groups), few.count(None)
    said = (
        f"{_groups_have(wide)} fewer than {FEWEST_CLUSTERS} {unit}s: wide intervals by t quantiles"
        if wide
        else "",
        f"{_groups_have(exact)} the same value in all {unit}s: exact bounds" if exact else "",
        f"{_groups_have(single)} a single {unit}: no interval" if single else "",
    )
    return "; ".join(filter(None, said))


def few_different_groups_note(n: int, unit: str) -> str:
    """Write the note about n groups in which few clusters differ; empty without such groups.

    Example:
        >>> few_different_groups_note(2, "row").partition(":")[0]
        '2 groups have one value, or nearly one, in all but a few rows'
    """
    if not n:
        return ""
    whose = "its interval is" if n == 1 else "their intervals are"
    return (
        f"{_groups_have(n)} one value, or nearly one, in all but a few {unit}s: {whose} probably too narrow"
    )


def _groups_have(n: int) -> str:
    return "1 group has" if n == 1 else f"{n:,} groups have"
