"""From ratings, in one piece or in many, to estimates about all of them and about groups."""

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.rating.cells import as_weights
from semscale.rating.estimates import Estimates
from semscale.rating.respondents import NOBODY, numbered
from semscale.signature import Signature
from semscale.stats.intervals.estimates import GroupEstimate, IntervalPlan, estimate_group
from semscale.stats.intervals.pmf_figures import figures_of
from semscale.stats.intervals.tally import Tally
from semscale.store.columns import as_names
from semscale.types import Floats, Integers, Status

MAX_GROUPS = 1000

NO_WEIGHT = "no-weight"
ZERO_WEIGHT = "zero-weight"
NO_RESPONDENT = "no-respondent"


@dataclass
class _Group:
    """One group's tally, and what was left out of it."""

    tally: Tally
    left_out: Counter[str] = field(default_factory=Counter)


class Tallies:
    """Collects ratings part by part, and estimates from what it has collected.

    Args:
        values: shape (k,), values of the scale's points.
        signature: of the rater; the estimates' settings are added to it.

    Example:
        >>> tallies = Tallies(np.array([1.0, 2.0]), Signature.of("rate"))
        >>> tallies.add(np.array([[0.5, 0.5], [0.0, 1.0]]), [Status.SCORED] * 2, by=["a", "b"])
        >>> estimates = tallies.estimates()
        >>> estimates.overall.mean.value, [group.group for group in estimates.groups]
        (1.75, ['a', 'b'])
    """

    def __init__(self, values: Floats, signature: Signature) -> None:
        self._values = tuple(values.tolist())
        self._signature = signature
        self._figures = figures_of(values)
        self._k = len(values)
        self._overall = _Group(Tally(self._k))
        self._groups: dict[str | None, _Group] = {}
        self._n = 0
        self._clustered = self._weighted = False

    def add(
        self,
        pmf: Floats,
        status: object,
        *,
        weights: object = None,
        by: object = None,
        respondents: object = None,
    ) -> None:
        """Add a part; each of the columns must be given for all parts or for none.

        Args:
            pmf: shape (m, k), not looked at where the status is not ``scored``.
            status: shape (m,), of each row.
            weights: shape (m,), finite and not negative, or missing.
            by: shape (m,), names of groups, or missing.
            respondents: shape (m,), whose text it is, or missing; an empty name is missing.

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
        part = _Part(pmf, reasons, row_weights, clusters)
        part.pour(np.arange(m), self._overall)
        if by is not None:
            self._add_groups(part, as_names(by, "by"))

    def estimates(self, *, interval: float = 0.95, seed: int = 0, replicates: int = 2000) -> Estimates:
        """Estimate from everything added so far.

        Up to 20,000 clusters (rows, or respondents where they are named) intervals are bootstrapped, above
        they are linearized, for all groups alike; but a group of fewer than 10 clusters is always linearized,
        because percentiles of a bootstrap would be too narrow.

        Args:
            interval: coverage that the intervals aim at, between 0 and 1.
            seed: of the bootstrap.
            replicates: of the bootstrap, at least 100.

        Raises:
            InputError: a setting out of range, or weights that sum to 0 although rows were scored.
        """
        overall = self._overall.tally
        if self._overall.left_out[ZERO_WEIGHT] and not overall.weight > 0:
            raise InputError("weights must not all be 0: nothing is left to estimate from")
        plan = IntervalPlan(interval, "bootstrap" if overall.exact else "linearized", seed, replicates)
        whole = self._estimate(None, self._overall, plan)
        method = whole.method or plan.method
        bootstrapped = method == "bootstrap"
        return Estimates(
            overall=whole,
            groups=tuple(self._estimate(name, group, plan) for name, group in self._groups.items()),
            interval=interval,
            method=method,
            seed=seed if bootstrapped else None,
            replicates=replicates if bootstrapped else 0,
            clustered=self._clustered,
            values=self._values,
            signature=self._signature.extended(
                Signature.of(
                    "estimate",
                    interval=interval,
                    method=method,
                    replicates=replicates if bootstrapped else None,
                    seed=seed if bootstrapped else None,
                    clusters="respondents" if self._clustered else "rows",
                    weights=self._weighted,
                )
            ),
        )

    def _estimate(self, name: str | None, group: _Group, plan: IntervalPlan) -> GroupEstimate:
        return estimate_group(name, group.tally, dict(group.left_out), self._figures, plan)

    def _add_groups(self, part: "_Part", names: list[str | None]) -> None:
        _check_length(len(names), len(part.reasons), "by")
        rows: dict[str | None, list[int]] = {}
        for row, name in enumerate(names):
            rows.setdefault(name, []).append(row)
        for name, members in rows.items():
            group = self._groups.setdefault(name, _Group(Tally(self._k)))
            part.pour(np.array(members), group)
        if len(self._groups) > MAX_GROUPS:
            raise InputError(f"by must name at most {MAX_GROUPS} groups, got more: choose a coarser column")


@dataclass(frozen=True)
class _Part:
    """Rows that were added together."""

    pmf: Floats
    reasons: np.ndarray
    weights: Floats
    clusters: Integers | None

    def pour(self, rows: Integers, group: _Group) -> None:
        """Add some of the rows to a group."""
        reasons = self.reasons[rows]
        counting = reasons == Status.SCORED
        group.left_out.update(map(str, reasons[~counting]))
        kept = rows[counting]
        clusters = None if self.clusters is None else self.clusters[kept]
        group.tally.add(self.pmf[kept], self.weights[kept], clusters)


def _leave_out(reasons: np.ndarray, rows: npt.NDArray[np.bool_], reason: str) -> None:
    """Give the marked rows a reason not to count, unless they have one."""
    reasons[rows & (reasons == Status.SCORED)] = reason


def _check_length(length: int, expected: int, name: str) -> None:
    if length != expected:
        raise InputError(f"{name} must have {expected} rows, as many as there are ratings, got {length}")
