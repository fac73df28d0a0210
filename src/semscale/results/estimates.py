"""Estimates about all rows and about groups of them, and notes on intervals from few rows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from semscale.signature import Signature
from semscale.stats.groups import GroupEstimate, counted_mean
from semscale.stats.intervals import FEWEST_CLUSTERS, MeanEstimate, UsedMethod


@dataclass(frozen=True)
class Estimates:
    """Figures about all rows of a result, and about each group of them.

    Attributes:
        overall: everything together.
        groups: in order of first appearance; empty unless groups were asked for.
        by: name of the column of groups; ``None`` without groups or without a name.
        interval: coverage that the intervals aim at, such as 0.95.
        method: how the intervals of everything together were made, ``exact`` where all of them are bounds;
            each group says its own.
        seed: seed of the bootstrap; ``None`` where nothing is random.
        replicates: resamples of the bootstrap; 0 where there are none.
        clustered: whether respondents were resampled as a whole, instead of single rows.
        signature: the instrument's, and how the intervals were made.
        refits: fits of a calibration without a part of its labels, from which the intervals allow for its
            error; 0 for none.
    """

    overall: GroupEstimate
    groups: tuple[GroupEstimate, ...]
    by: str | None
    interval: float
    method: UsedMethod
    seed: int | None
    replicates: int
    clustered: bool
    signature: Signature
    refits: int = 0

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about intervals that a reader should know of: from few rows, or from few that differ."""
        return self.notes_about("row")

    def notes_about(self, noun: str) -> tuple[str, ...]:
        """Write the notes with another name for a row, such as ``prompt``."""
        unit = "respondent" if self.clustered else noun
        whole = few_note(self.overall.n_clusters, unit) if self.overall.n else ""
        if self.overall.basis(self.overall.main).method == "exact":
            whole = no_spread_note(self.overall.n_clusters, unit)
        elif self.overall.n_different is not None:
            whole = few_different_note(self.overall.n_different, self.overall.n_clusters, unit)
        methods = [(group.n_clusters, group.basis(group.main).method) for group in self.groups if group.n]
        groups = groups_note(methods, unit, among_few=self.overall.has_small_base)
        rare = few_different_groups_note(sum(part.n_different is not None for part in self.groups), unit)
        return tuple(note for note in (whole, groups, rare) if note)

    def overall_mean(self, figure: str | None = None) -> MeanEstimate:
        """A figure about everything together, with the counts behind it; the main one unless named."""
        return counted_mean(self.overall, figure)

    def to_frame(self) -> pl.DataFrame:
        """Lay the estimates out as a table, one row per figure: the whole first, then groups.

        Returns:
            Columns ``scope`` (``overall`` or ``group``), ``group``, ``n``, ``effective_n``, ``figure``,
            ``value``, ``low``, ``high``; the mass of each point of a scale is the figure ``p_<value>``.
        """
        rows = [
            (
                "overall" if part is self.overall else "group",
                part.group,
                part.basis(name).n,
                part.effective_n,
                name,
                figure.value,
                figure.low,
                figure.high,
            )
            for part in (self.overall, *self.groups)
            for name, figure in part.figures.items()
        ]
        floats = dict.fromkeys(["value", "low", "high"], pl.Float64)
        schema = {"scope": pl.String, "group": pl.String, "n": pl.Int64, "effective_n": pl.Float64}
        table = pl.DataFrame(rows, schema={**schema, "figure": pl.String, **floats}, orient="row")
        return table.with_columns(pl.col(*floats).fill_nan(None))


def summary_in_words(kind: str, source: str, n: int, n_scored: int, estimates: Estimates) -> str:
    """Write a summary's short form: how many rows it has, and the main figure with its interval.

    Args:
        kind: name of the summary's class.
        source: where the rows come from.
        n: how many rows there are.
        n_scored: how many of them have a score.
        estimates: made from them.
    """
    rows = f"source={source!r}, n={n:,}, n_scored={n_scored:,}"
    mean = f", {mean_in_words(estimates.overall_mean())}" if estimates.overall.n else ""
    return f"{kind}({rows}{mean})"


def mean_in_words(mean: MeanEstimate) -> str:
    """Write a mean as short forms show it, with its interval where there is one.

    Example:
        >>> mean_in_words(MeanEstimate(0.5, 0.25, 0.75, 12, 0, 12, "bootstrap"))
        'mean=0.50 [0.25, 0.75]'
    """
    interval = "" if np.isnan(mean.low) else f" [{mean.low:.2f}, {mean.high:.2f}]"
    return f"mean={mean.value:.2f}{interval}"


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
    rest = "other" if different == 1 else f"other {different:,}"
    same = f"{m - different:,} of {m:,} {unit}s have one value, or nearly one"
    return f"{same}: the interval rests on the {rest}, and is probably too narrow"


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
    notes = (
        f"{_groups_have(wide)} fewer than {FEWEST_CLUSTERS} {unit}s: wide intervals by t quantiles"
        if wide
        else "",
        f"{_groups_have(exact)} the same value in all {unit}s: exact bounds" if exact else "",
        f"{_groups_have(single)} a single {unit}: no interval" if single else "",
    )
    return "; ".join(filter(None, notes))


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
