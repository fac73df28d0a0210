"""Tallies of rows' values, added part by part, and the estimates made from them."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.results.estimates import Estimates
from semscale.results.respondents import NOBODY, numbered
from semscale.results.weights import as_weights
from semscale.signature import Signature
from semscale.stats.intervals.estimates import (
    Basis,
    Estimate,
    GroupEstimate,
    IntervalPlan,
    Method,
    UsedMethod,
    estimate_group,
)
from semscale.stats.intervals.pmf_figures import Figures
from semscale.stats.intervals.refits import allowing_for_refits
from semscale.stats.intervals.tally import Tally
from semscale.store.columns import as_names
from semscale.types import Floats, Integers, Refits, Status

MAX_GROUPS = 1000

NO_WEIGHT = "no-weight"
ZERO_WEIGHT = "zero-weight"
NO_RESPONDENT = "no-respondent"
NO_VALUE = "no-value"


@dataclass
class _Group:
    """One group's tallies, one for each set of figures, and counts of the rows left out of the main one."""

    tallies: Sequence[Tally]
    left_out: Counter[str] = field(default_factory=Counter)


class Tallies:
    """Adds up the values of rows part by part, and estimates figures from the sums.

    Args:
        figures: sets of figures to estimate: that of a scale, which has a column for each point (see
            ``figures_of``), or several with one column each (see ``value_figure``).
        signature: the instrument's; the settings of the estimates are added to it.
        main: place of the set whose first figure is the main one, from 0.
        n_labels: labelled items that a calibration was fitted to, for the intervals with ``refits``.

    Example:
        >>> from semscale.stats.intervals.pmf_figures import figures_of
        >>> tallies = Tallies([figures_of(np.array([1.0, 2.0]))], Signature.of("rate"))
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
    ) -> None:
        self._signature = signature
        self._n_labels = n_labels
        self._figures = tuple(figures)
        self._main = main
        widths = [lot.matrix.shape[1] for lot in self._figures]
        ends = np.cumsum(widths).tolist()
        self._columns = [slice(end - width, end) for end, width in zip(ends, widths, strict=True)]
        self._overall = self._empty()
        self._groups: dict[str | None, _Group] = {}
        self._n = 0
        self._by: str | None = None
        self._clustered = self._weighted = False
        self._n_refits = 0

    def add(  # noqa: PLR0913 - columns of the rows
        self,
        values: Floats,
        status: object,
        *,
        weights: object = None,
        by: object = None,
        respondents: object = None,
        refits: Refits | None = None,
    ) -> None:
        """Add a part; each of the columns must be given for all parts or for none.

        Args:
            values: shape (m, k), a column for each number that the figures are made from; not looked at where
                the status is not ``scored``, and NaN where a row has no value.
            status: shape (m,), of each row.
            weights: shape (m,), finite and not negative, or missing.
            by: shape (m,), names of groups, or missing.
            respondents: shape (m,), whose text it is, or missing; an empty name is missing.
            refits: shape (m, b, k), ``values`` under each of b refits of the function that gave them, such as
                a calibration; the intervals then allow for its error. Only with one set of figures.

        Raises:
            InputError: a column of the wrong length, a wrong weight, or more than 1,000 groups.
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
            clusters = numbered(respondents, m)
            _leave_out(reasons, clusters == NOBODY, NO_RESPONDENT)
        self._n += m
        self._clustered, self._weighted = clusters is not None, weights is not None
        self._n_refits = 0 if refits is None else refits.shape[1]
        lots = [values[:, columns] for columns in self._columns]
        part = _Part(lots, reasons, row_weights, clusters, refits)
        part.pour(np.arange(m), self._overall, self._main)
        if by is not None:
            self._add_groups(part, as_names(by, "by"))
            self._by = self._by or _title(by)

    def estimates(
        self,
        *,
        interval: float = 0.95,
        method: Method = "bootstrap",
        seed: int = 0,
        replicates: int = 2000,
    ) -> Estimates:
        """Estimate from everything added so far.

        Up to 20,000 clusters (rows, or respondents where they are named) intervals are bootstrapped, above
        they are linearized, for all groups alike; but a group of fewer than 10 clusters is always linearized,
        because percentiles of a bootstrap would be too narrow.

        Args:
            interval: coverage that the intervals aim at, between 0 and 1.
            method: ``linearized`` for intervals that draw nothing at random.
            seed: seed of the bootstrap.
            replicates: resamples of the bootstrap, at least 100.

        Raises:
            InputError: a setting out of range, or weights that sum to 0 although rows were scored.
        """
        overall = self._overall.tallies[self._main]
        if self._overall.left_out[ZERO_WEIGHT] and not overall.weight > 0:
            raise InputError("weights must not all be 0: nothing is left to estimate from")
        plan = IntervalPlan(interval, method if overall.exact else "linearized", seed, replicates)
        whole = self._estimate(None, self._overall, plan)
        used = _used_method(whole) or plan.method
        bootstrapped = used == "bootstrap"
        return Estimates(
            overall=whole,
            groups=tuple(self._estimate(name, group, plan) for name, group in self._groups.items()),
            by=self._by,
            interval=interval,
            method=used,
            seed=seed if bootstrapped else None,
            replicates=replicates if bootstrapped else 0,
            clustered=self._clustered,
            refits=self._n_refits,
            signature=self._signed(
                interval=interval,
                method=used,
                replicates=replicates if bootstrapped else None,
                seed=seed if bootstrapped else None,
                clusters="respondents" if self._clustered else "rows",
                weights=self._weighted,
                **({"refits": self._n_refits} if self._n_refits else {}),
            ),
        )

    def _signed(self, **settings: object) -> Signature:
        """Add the settings of the estimates, under names that the instrument has not taken."""
        return self._signature.with_settings("estimate", settings)

    def _estimate(self, name: str | None, group: _Group, plan: IntervalPlan) -> GroupEstimate:
        """Estimate the main figures, then those of the other sets, in the order of the sets."""
        left_out = dict(group.left_out)
        lots = [
            allowing_for_refits(
                estimate_group(name, tally, left_out, figures, plan),
                tally.refit_means,
                figures,
                plan.interval,
                self._n_labels,
            )
            for tally, figures in zip(group.tallies, self._figures, strict=True)
        ]
        main = lots[self._main]
        found: dict[str, Estimate] = {}
        bases: dict[str, Basis] = {}
        for lot, figures in zip(lots, self._figures, strict=True):
            found |= lot.figures
            basis = Basis(lot.n, lot.n_clusters, lot.method)
            if basis != Basis(main.n, main.n_clusters, main.method):
                bases |= dict.fromkeys(figures.names, basis)
            bases |= lot.bases
        return replace(main, figures=found, bases=bases)

    def _empty(self) -> _Group:
        return _Group([Tally(figures.matrix.shape[1]) for figures in self._figures])

    def _add_groups(self, part: "_Part", names: list[str | None]) -> None:
        _check_length(len(names), len(part.reasons), "by")
        rows: dict[str | None, list[int]] = {}
        for row, name in enumerate(names):
            rows.setdefault(name, []).append(row)
        check_groups(rows.keys() | self._groups.keys())
        for name, members in rows.items():
            group = self._groups.setdefault(name, self._empty())
            part.pour(np.array(members), group, self._main)


@dataclass(frozen=True)
class _Part:
    """Rows that were added together."""

    values: list[Floats]
    reasons: np.ndarray
    weights: Floats
    clusters: Integers | None
    refits: Refits | None

    def pour(self, rows: Integers, group: _Group, main: int) -> None:
        """Add some of the rows to a group."""
        reasons = self.reasons[rows]
        counting = reasons == Status.SCORED
        group.left_out.update(map(str, reasons[~counting]))
        scored = rows[counting]
        for place, (values, tally) in enumerate(zip(self.values, group.tallies, strict=True)):
            lacking = np.isnan(values[scored]).any(axis=1)
            if place == main and lacking.any():
                group.left_out[NO_VALUE] += int(lacking.sum())
            kept = scored[~lacking]
            clusters = None if self.clusters is None else self.clusters[kept]
            refits = None if self.refits is None else self.refits[kept]
            tally.add(values[kept], self.weights[kept], clusters, refits)


def _used_method(whole: GroupEstimate) -> UsedMethod | None:
    """Say how the intervals were made: ``exact`` where all of them are bounds, and nothing was drawn."""
    used = {whole.basis(figure).method for figure in whole.figures}
    return "exact" if used == {"exact"} else whole.method


def check_groups(names: Collection[str | None]) -> None:
    """Refuse more than 1,000 groups.

    Raises:
        InputError: more than 1,000 names.
    """
    if len(names) > MAX_GROUPS:
        raise InputError(f"by must name at most {MAX_GROUPS} groups, got more: choose a coarser column")


def _title(column: object) -> str | None:
    """Name of a column of groups, where it has one, as series do."""
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else None


def _leave_out(reasons: np.ndarray, rows: npt.NDArray[np.bool_], reason: str) -> None:
    """Give the marked rows a reason not to count, unless they have one."""
    reasons[rows & (reasons == Status.SCORED)] = reason


def _check_length(length: int, expected: int, name: str) -> None:
    if length != expected:
        raise InputError(f"{name} must have {expected} rows, one for each row of the result, got {length}")
