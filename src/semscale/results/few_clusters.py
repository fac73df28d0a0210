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


def few_groups_note(sizes: Sequence[int], unit: str) -> str:
    """Write the note about groups with few clusters; empty where all have enough.

    Args:
        sizes: number of clusters of each group.
        unit: name of a cluster in the singular, such as ``row``.

    Example:
        >>> few_groups_note([1, 12, 7], "row")
        '2 groups have fewer than 10 rows: wide intervals by t quantiles, and none for 1 with a single row'
    """
    few, single = sum(m < FEWEST_CLUSTERS for m in sizes), sum(m < 2 for m in sizes)  # noqa: PLR2004
    if not few:
        return ""
    groups = "1 group has" if few == 1 else f"{few} groups have"
    without = f", and none for {single} with a single {unit}" if single else ""
    return f"{groups} fewer than {FEWEST_CLUSTERS} {unit}s: wide intervals by t quantiles{without}"
