"""Estimates for all rows and for groups, the sums behind them, and notes on small samples."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypedDict, Unpack

import numpy as np
import numpy.typing as npt
import polars as pl

from semscale.errors import InputError
from semscale.results.weights import NOBODY, as_weights, respondent_numbers
from semscale.signature import Signature
from semscale.stats.groups import (
    Basis,
    GroupEstimate,
    GroupTally,
    Tally,
    estimate_group,
    mean_with_counts,
    refit_errors,
    widen_for_refits,
)
from semscale.stats.intervals import (
    FEWEST_CLUSTERS,
    Estimate,
    Figures,
    IntervalPlan,
    MeanEstimate,
    Method,
    UsedMethod,
    value_figure,
)
from semscale.store.columns import as_names
from semscale.survey.value_order import order_groups
from semscale.types import Floats, Integers, Refits, Status


@dataclass(frozen=True)
class GroupDifference:
    """The difference of two groups in the main figure, with a test.

    Attributes:
        first: name of the first group.
        second: name of the second group.
        difference: the first minus the second, with an interval for this comparison only.
        p_value: p-value of a two-sided t test; NaN if all rows of both groups have the same value.
        adjusted: p-value adjusted by Holm over all pairs of groups of the column.
    """

    first: str
    second: str
    difference: Estimate
    p_value: float
    adjusted: float


@dataclass(frozen=True)
class Grouping:
    """A column of groups.

    Attributes:
        column: its name.
        title: its title in the survey; may be empty.
        order: its groups in the order of the survey; those that are not known follow, see ``order_groups``.
    """

    column: str
    title: str = ""
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class Estimates:
    """Figures for all rows of a result, and for each group of rows.

    Attributes:
        overall: figures for all rows.
        groups: figures for each group, in the order of ``order_groups``; empty without groups.
        by: name of the column of groups; ``None`` without groups or without a name.
        interval: nominal coverage of the intervals, such as 0.95.
        method: method of the intervals for all rows, ``exact`` if all of them are exact bounds; each group
            states its own method.
        seed: seed of the bootstrap; ``None`` if nothing is random.
        replicates: number of bootstrap resamples; 0 without a bootstrap.
        clustered: whether respondents were resampled as a whole, instead of single rows.
        signature: signature of the instrument and of the intervals.
        refits: number of fits of a calibration, each without a part of its labels, by which the intervals
            account for its error; 0 without any.
        title: title of the column of groups in the survey; empty for its name.
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
    title: str = ""

    @property
    def group_title(self) -> str:
        """Title of the column of groups, or its name; ``group`` without one."""
        return self.title or self.by or "group"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences with caveats about intervals: from few rows, or from few rows that differ."""
        return self.notes_about("row")

    def notes_about(self, noun: str) -> tuple[str, ...]:
        """Return the notes with another word for a row, such as ``prompt``."""
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
        """Return a figure for all rows, with the counts behind it; by default the main figure."""
        return mean_with_counts(self.overall, figure)

    def to_frame(self) -> pl.DataFrame:
        """Return the estimates as a table, one row per figure: first for all rows, then for groups.

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
    """Write a summary's short form: the number of rows, and the main figure with its interval.

    Args:
        kind: name of the summary's class.
        source: source of the rows.
        n: number of rows.
        n_scored: number of rows with a score.
        estimates: estimates for the rows.
    """
    rows = f"source={source!r}, n={n:,}, n_scored={n_scored:,}"
    mean = f", {mean_in_words(estimates.overall_mean())}" if estimates.overall.n else ""
    return f"{kind}({rows}{mean})"


def mean_in_words(mean: MeanEstimate) -> str:
    """Write a mean for short forms, with its interval if available.

    Examples:
        >>> mean_in_words(MeanEstimate(0.5, 0.25, 0.75, 12, 0, 12, "bootstrap"))
        'mean=0.50 [0.25, 0.75]'
    """
    interval = "" if np.isnan(mean.low) else f" [{mean.low:.2f}, {mean.high:.2f}]"
    return f"mean={mean.value:.2f}{interval}"


def few_note(m: int, unit: str) -> str:
    """Write the note about an interval from m clusters; empty if there are enough.

    Args:
        m: number of clusters.
        unit: name of a cluster in the singular, such as ``row``.

    Examples:
        >>> few_note(1, "respondent")
        'no interval: it takes at least 2 respondents, and there is 1'
    """
    if m >= FEWEST_CLUSTERS:
        return ""
    if m < 2:
        return f"no interval: it takes at least 2 {unit}s, and there {'is' if m == 1 else 'are'} {m}"
    return f"wide intervals: {m} {unit}s allow only t quantiles; a bootstrap needs {FEWEST_CLUSTERS}"


def no_spread_note(m: int, unit: str) -> str:
    """Write the note about an interval of m clusters that all have the same value.

    Examples:
        >>> no_spread_note(10, "row")
        'all 10 rows have the same value: the interval is an exact bound'
    """
    return f"all {m:,} {unit}s have the same value: the interval is an exact bound"


def few_different_note(different: int, m: int, unit: str) -> str:
    """Write the note about an interval of m clusters, few or none of which differ much from the others.

    Examples:
        >>> few_different_note(1, 20, "row").partition(", and")[0]
        '19 of 20 rows have one value, or nearly one: the interval depends on the other'
        >>> few_different_note(0, 20, "row").partition(", and")[0]
        'all 20 rows have nearly the same value: the interval depends on small differences'
    """
    if not different:
        same = f"all {m:,} {unit}s have nearly the same value"
        return f"{same}: the interval depends on small differences, and is probably too narrow"
    rest = "other" if different == 1 else f"other {different:,}"
    same = f"{m - different:,} of {m:,} {unit}s have one value, or nearly one"
    return f"{same}: the interval depends on the {rest}, and is probably too narrow"


def groups_note(groups: Sequence[tuple[int, str | None]], unit: str, *, among_few: bool = False) -> str:
    """Write the note about groups with another method of intervals than usual; empty without such groups.

    Args:
        groups: number of clusters of each group, and the method of its main figure's interval.
        unit: name of a cluster in the singular, such as ``row``.
        among_few: whether all rows together are so few that another note already mentions t quantiles.

    Examples:
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

    Examples:
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


MOST_COMPARED_GROUPS = 30
"""Maximum number of groups of a column that are compared in pairs."""

MAX_GROUPS = 100_000
"""Maximum number of groups in a column."""

NO_WEIGHT = "no-weight"
ZERO_WEIGHT = "zero-weight"
NO_RESPONDENT = "no-respondent"
NO_VALUE = "no-value"


class _Groups:
    """Running sums of all groups for each set of figures, and counts of rows left out of the main set."""

    def __init__(self, widths: Sequence[int]) -> None:
        self.names: dict[str | None, int] = {}
        self.tallies = [Tally(width) for width in widths]
        self._left_out: dict[str, Integers] = {}

    def number_rows(self, names: list[str | None]) -> Integers:
        """Return the number of each row's group; a new name gets the next number."""
        known = self.names
        numbers = [known.setdefault(name, len(known)) for name in names]
        check_groups(known)
        return np.array(numbers, np.int64)

    def leave_out(self, groups: Integers, reason: str) -> None:
        """Count rows of groups that are left out for a reason."""
        counts = np.bincount(groups, minlength=len(self.names))
        before = self._left_out.get(reason, np.zeros(0, np.int64))
        counts[: len(before)] += before
        self._left_out[reason] = counts

    def in_order(
        self, order: Iterable[str]
    ) -> Iterator[tuple[str | None, Sequence[GroupTally], dict[str, int]]]:
        """Yield the name of each group, its sums, and its counts of left-out rows by reason."""
        lots = list(zip(*(tally.groups() for tally in self.tallies), strict=True))
        for name in order_groups(self.names, order):
            number = self.names[name]
            counted = {reason: int(n[number]) for reason, n in self._left_out.items() if number < len(n)}
            yield name, lots[number], {reason: n for reason, n in counted.items() if n}


class Tallies:
    """Running sums of the values of rows, part by part, from which figures are estimated.

    Args:
        figures: sets of figures to estimate: the set of a scale, with a column for each point (see
            ``scale_figures``), or several sets with one column each (see ``value_figure``).
        signature: signature of the instrument; the settings of the estimates are added to it.
        main: position of the set whose first figure is the main one, from 0.
        n_labels: number of labelled items that a calibration was fitted to, for intervals with ``refits``.
        grouping: the column of groups, if it is known.

    Examples:
        >>> from semscale.stats.intervals import scale_figures
        >>> tallies = Tallies([scale_figures(np.array([1.0, 2.0]))], Signature.of("rate"))
        >>> tallies.add(np.array([[0.5, 0.5], [0.0, 1.0]]), [Status.SCORED] * 2, by=["a", "b"])
        >>> estimates = tallies.estimates()
        >>> estimates.overall.mean.value, [group.group for group in estimates.groups]
        (1.75, ['a', 'b'])
    """

    def __init__(
        self,
        figures: Sequence[Figures],
        signature: Signature,
        *,
        main: int = 0,
        n_labels: int | None = None,
        grouping: Grouping | None = None,
    ) -> None:
        self._signature = signature
        self._title, self._order = ("", ()) if grouping is None else (grouping.title, grouping.order)
        self._n_labels = n_labels
        self._figures = tuple(figures)
        self._main = main
        widths = [lot.matrix.shape[1] for lot in self._figures]
        ends = np.cumsum(widths).tolist()
        self._columns = [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]
        self._overall = [Tally(width) for width in widths]
        self._left_out: Counter[str] = Counter()
        self._groups = _Groups(widths)
        self._n = 0
        self._by: str | None = None
        self._clustered = self._weighted = False
        self._n_refits = 0

    def add(
        self,
        values: Floats,
        status: object,
        *,
        weights: object = None,
        by: object = None,
        respondents: object = None,
        refits: Refits | None = None,
    ) -> None:
        """Add a part; each optional column must be present in all parts or in none.

        Args:
            values: shape (m, k), a column for each number behind the figures; ignored unless the status is
                ``scored``; NaN for a missing value.
            status: shape (m,), of each row.
            weights: shape (m,), finite and not negative, or missing.
            by: shape (m,), names of groups, or missing.
            respondents: shape (m,), respondent of each row, or missing; an empty name is missing.
            refits: shape (m, b, k), ``values`` by each of b refits of the function behind them, such as a
                calibration, so that the intervals account for its error. Only with one set of figures.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or more than 100,000 groups.
        """
        reasons = np.array(status, dtype=object)
        m = len(reasons)
        row_weights = np.ones(m)
        if weights is not None:
            row_weights = as_weights(weights, first_row=self._n)
            _check_length(len(row_weights), m, "weights")
            _leave_out(reasons, np.isnan(row_weights), NO_WEIGHT)
            _leave_out(reasons, row_weights == 0, ZERO_WEIGHT)
        clusters = None
        if respondents is not None:
            clusters = respondent_numbers(respondents, m)
            _leave_out(reasons, clusters == NOBODY, NO_RESPONDENT)
        self._n += m
        self._clustered, self._weighted = clusters is not None, weights is not None
        self._n_refits = 0 if refits is None else refits.shape[1]
        sets = [values[:, columns] for columns in self._columns]
        part = _Part(sets, reasons, row_weights, clusters, refits)
        for reason, rows in part.left_out(self._main):
            self._left_out[reason] += len(rows)
        part.add_to(self._overall)
        if by is not None:
            names = as_names(by, "by")
            _check_length(len(names), m, "by")
            numbers = self._groups.number_rows(names)
            for reason, rows in part.left_out(self._main):
                self._groups.leave_out(numbers[rows], reason)
            part.add_to(self._groups.tallies, numbers, len(self._groups.names))
            self._by = self._by or _title(by)

    def estimates(
        self,
        *,
        interval: float = 0.95,
        method: Method = "bootstrap",
        seed: int = 0,
        replicates: int = 2000,
        signature: Signature | None = None,
    ) -> Estimates:
        """Estimate from everything added so far.

        With up to 20,000 clusters (respondents if they are named, otherwise rows), intervals are
        bootstrapped; with more, they are linearized, in all groups. A group of fewer than 10 clusters is
        always linearized, because percentiles of a bootstrap would be too narrow.

        Args:
            interval: nominal coverage of the intervals, between 0 and 1.
            method: ``linearized`` for intervals without random draws.
            seed: seed of the bootstrap.
            replicates: number of bootstrap resamples, at least 100.
            signature: signature of the instrument, if it is known only now.

        Raises:
            InputError: a setting out of range, or weights that sum to 0 although rows were scored.
        """
        everything = [tally.whole() for tally in self._overall]
        overall = everything[self._main]
        if self._left_out[ZERO_WEIGHT] and not overall.weight > 0:
            raise InputError("weights", "must not all be 0: nothing is left to estimate from")
        plan = IntervalPlan(interval, method if overall.exact else "linearized", seed, replicates)
        whole = self._estimate(None, everything, self._left_out, plan)
        used = _used_method(whole) or plan.method
        bootstrapped = used == "bootstrap"
        settings = {
            "interval": interval,
            "method": used,
            "replicates": replicates if bootstrapped else None,
            "seed": seed if bootstrapped else None,
            "clusters": "respondents" if self._clustered else "rows",
            "weights": self._weighted,
            **({"refits": self._n_refits} if self._n_refits else {}),
        }
        return Estimates(
            overall=whole,
            groups=tuple(self._estimate(*group, plan) for group in self._groups.in_order(self._order)),
            by=self._by,
            interval=interval,
            method=used,
            seed=seed if bootstrapped else None,
            replicates=replicates if bootstrapped else 0,
            clustered=self._clustered,
            refits=self._n_refits,
            title=self._title,
            signature=(signature or self._signature).with_settings("estimate", settings),
        )

    def differences(self, interval: float = 0.95) -> tuple[GroupDifference, ...]:
        """Compare every two groups in the main figure; empty with more than 30 groups.

        Groups without a name, or with fewer than 10 rows (or respondents, if named), are left out. The
        variance of a difference is ``var_a + var_b - 2 cov_ab``, with a covariance for respondents in both
        groups, plus the variance of the difference over refits. Degrees of freedom are Welch's. Pairs have
        the order that the survey states, otherwise that of the rows.

        Args:
            interval: nominal coverage of the intervals, between 0 and 1.

        References:
            Welch (1947), doi 10.1093/biomet/34.1-2.28. Holm (1979), Scandinavian Journal of Statistics 6(2).
        """
        from semscale.stats.significance import SurveyDifferences

        tally, weights = self._groups.tallies[self._main], self._figures[self._main].matrix[0]
        numbers, tallies = self._groups.names, list(tally.groups())
        order = order_groups(numbers, self._order) if self._order else numbers
        groups = [
            (name, numbers[name], part)
            for name, part in ((name, tallies[numbers[name]]) for name in order)
            if name is not None and part.moments.n >= FEWEST_CLUSTERS and part.weight > 0
        ]
        if not 2 <= len(groups) <= MOST_COMPARED_GROUPS:
            return ()
        covariance = tally.covariance(weights, [number for _, number, _ in groups])
        first, second = np.triu_indices(len(groups), k=1)
        means = np.array([part.moments.mean @ weights for *_, part in groups])
        alone = covariance.diagonal()
        variances = alone[first] + alone[second] - 2 * covariance[first, second]
        refitted = [part.refit_means for *_, part in groups]
        if self._n_refits:
            by_refit = np.stack([part @ weights for part in refitted if part is not None], axis=1)
            variances += refit_errors(by_refit[:, first] - by_refit[:, second]) ** 2
        freedom = alone**2 / (np.array([part.moments.n for *_, part in groups]) - 1)
        both = freedom[first] + freedom[second]
        df = np.divide((alone[first] + alone[second]) ** 2, both, out=np.ones(len(first)), where=both > 0)
        compared = SurveyDifferences(means[first] - means[second], np.sqrt(np.maximum(variances, 0)), df)
        rows = zip(
            first.tolist(),
            second.tolist(),
            compared.values.tolist(),
            *(ends.tolist() for ends in compared.interval(interval)),
            compared.p_values.tolist(),
            compared.adjusted_p_values("holm").tolist(),
            strict=True,
        )
        names = [str(name) for name, *_ in groups]
        return tuple(
            GroupDifference(names[left], names[right], Estimate(value, low, high), p_value, holm)
            for left, right, value, low, high, p_value, holm in rows
        )

    def _estimate(
        self,
        name: str | None,
        tallies: Sequence[GroupTally],
        left_out: Mapping[str, int],
        plan: IntervalPlan,
    ) -> GroupEstimate:
        """Estimate the main figures, then those of the other sets, in the order of the sets."""
        without = replace(plan, method="linearized")  # for a group whose clusters were given up
        lots = [
            widen_for_refits(
                estimate_group(name, tally, dict(left_out), figures, plan if tally.exact else without),
                tally.refit_means,
                figures,
                plan.interval,
                self._n_labels,
            )
            for tally, figures in zip(tallies, self._figures, strict=True)
        ]
        main = lots[self._main]
        estimates: dict[str, Estimate] = {}
        bases: dict[str, Basis] = {}
        for lot, figures in zip(lots, self._figures, strict=True):
            estimates |= lot.figures
            basis = Basis(lot.n, lot.n_clusters, lot.method)
            if basis != Basis(main.n, main.n_clusters, main.method):
                bases |= dict.fromkeys(figures.names, basis)
            bases |= lot.bases
        return replace(main, figures=estimates, bases=bases)


@dataclass(frozen=True)
class _Part:
    """Rows that were added together."""

    values: list[Floats]
    reasons: np.ndarray
    weights: Floats
    clusters: Integers | None
    refits: Refits | None

    def left_out(self, main: int) -> Iterator[tuple[str, Integers]]:
        """Yield each reason for leaving rows out of the main set of figures, with these rows."""
        for reason in dict.fromkeys(self.reasons.tolist()):
            if reason != Status.SCORED:
                yield str(reason), np.flatnonzero(self.reasons == reason)
        if len(lacking := self._select_rows(main, has_values=False)):
            yield NO_VALUE, lacking

    def add_to(self, tallies: Sequence[Tally], numbers: Integers | None = None, n_groups: int = 1) -> None:
        """Add the scored rows to a tally for each set of figures.

        Args:
            tallies: sums of all rows, or of groups.
            numbers: shape (m,), number of each row's group; ``None`` for all rows together.
            n_groups: number of groups so far.
        """
        for position, tally in enumerate(tallies):
            rows = self._select_rows(position, has_values=True)
            tally.add(
                self.values[position][rows],
                self.weights[rows],
                None if self.clusters is None else self.clusters[rows],
                None if self.refits is None else self.refits[rows],
                groups=None if numbers is None else numbers[rows],
                n_groups=n_groups,
            )

    def _select_rows(self, position: int, *, has_values: bool) -> Integers:
        """Return the indices of scored rows that have, or lack, the values of a set of figures."""
        scored = np.flatnonzero(self.reasons == Status.SCORED)
        lacks = np.isnan(self.values[position][scored]).any(axis=1)
        return scored[~lacks if has_values else lacks]


def _used_method(whole: GroupEstimate) -> UsedMethod | None:
    """Return the method of the intervals: ``exact`` if all are exact bounds, without random draws."""
    used = {whole.basis(figure).method for figure in whole.figures}
    return "exact" if used == {"exact"} else whole.method


def check_groups(names: Collection[str | None]) -> None:
    """Refuse more than 100,000 groups.

    Raises:
        InputError: more than 100,000 names.
    """
    if len(names) > MAX_GROUPS:
        raise InputError("by", f"must name at most {MAX_GROUPS:,} groups, got more: choose a coarser column")


def _title(column: object) -> str | None:
    """Return the name of a column of groups, if it has one, like a series."""
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else None


def _leave_out(reasons: np.ndarray, rows: npt.NDArray[np.bool_], reason: str) -> None:
    """Set a reason for leaving out the marked rows, unless they have one."""
    reasons[rows & (reasons == Status.SCORED)] = reason


def _check_length(length: int, expected: int, name: str) -> None:
    if length != expected:
        raise InputError(name, f"must have {expected} rows, one for each row of the result, got {length}")


class IntervalSettings(TypedDict, total=False):
    """Keyword arguments that decide how intervals are made; all are optional.

    Attributes:
        interval: nominal coverage of the intervals, between 0 and 1; by default .95.
        method: ``bootstrap``, or ``linearized`` for intervals without random draws.
        seed: seed of the bootstrap; by default 0.
        replicates: number of bootstrap resamples, at least 100; by default 2,000.
    """

    interval: float
    method: Method
    seed: int
    replicates: int


class EstimateSettings(IntervalSettings, total=False):
    """Keyword arguments of every result's ``estimate``, including those of intervals; all are optional.

    Attributes:
        by: shape (n,), names of groups; rows without one form the group ``None``.
        weights: shape (n,), finite and not negative; rows without one, or with 0, are left out and counted.
        respondents: shape (n,), respondent of each row; a respondent's rows are resampled together, and rows
            without a name are left out and counted.
    """

    by: object
    weights: object
    respondents: object


def estimate_values(
    values: Mapping[str, Floats],
    status: object,
    *,
    bounds: Mapping[str, tuple[float, float]],
    signature: Signature,
    main: str | None = None,
    **settings: Unpack[EstimateSettings],
) -> Estimates:
    """Estimate the means of k values over all n rows and over each group.

    Rows that are not scored are left out, and counted by their status.

    Args:
        values: k names, each with an array of shape (n,); NaN where a row has no value.
        status: shape (n,), of each row.
        bounds: for each name the lowest and the highest possible value of a row.
        signature: signature of the result.
        main: name of the main figure; by default the first one.
        settings: ``by``, ``weights``, ``respondents``, and how intervals are made.

    Raises:
        InputError: a column of the wrong length, a wrong weight (the message names the rows), weights that
            sum to 0, more than 100,000 groups, or a setting out of range.

    Examples:
        >>> from semscale.types import Status
        >>> found = estimate_values(
        ...     {"score": np.array([0.2, np.nan, 0.4])},
        ...     [Status.SCORED, Status.EMPTY, Status.SCORED],
        ...     bounds={"score": (0, 1)},
        ...     signature=Signature.of("match"),
        ... ).overall
        >>> round(found.mean.value, 6), found.n, found.left_out
        (0.3, 2, {'empty': 1})
    """
    names = list(values)
    tallies = Tallies(
        [value_figure(name, bounds[name]) for name in names],
        signature,
        main=names.index(main or names[0]),
    )
    columns = np.column_stack([values[name] for name in names])
    return estimate_rows(tallies, columns, status, **settings)


def estimate_rows(
    tallies: Tallies,
    values: Floats,
    status: object,
    *,
    by: object = None,
    weights: object = None,
    respondents: object = None,
    refits: Refits | None = None,
    **settings: Unpack[IntervalSettings],
) -> Estimates:
    """Estimate any figures from n rows at once.

    Args:
        tallies: sums without any row.
        values: shape (n, k), see ``Tallies.add``.
        status: shape (n,), of each row.
        by: shape (n,), see ``EstimateSettings``.
        weights: shape (n,), see ``EstimateSettings``.
        respondents: shape (n,), see ``EstimateSettings``.
        refits: shape (n, b, k), see ``Tallies.add``.
        settings: how intervals are made.
    """
    tallies.add(values, status, by=by, weights=weights, respondents=respondents, refits=refits)
    return tallies.estimates(**settings)
