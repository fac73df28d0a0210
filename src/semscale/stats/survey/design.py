"""How a survey's respondents were drawn: weights, strata, clusters and the size of the population."""

from dataclasses import dataclass
from functools import cached_property
from typing import get_args

import numpy as np
import numpy.typing as npt

from semscale.errors import InputError
from semscale.stats.survey.margin_calibration import MarginCalibration
from semscale.stats.survey.stages import Lonely, Stage, drawn_stages
from semscale.types import Floats, Integers


@dataclass(frozen=True, eq=False)
class SurveyDesign:
    """A stratified draw of clusters, in one stage or several; variances by Taylor linearisation.

    Attributes:
        weights: shape (n,), finite and not negative; ones for a plain sample.
        strata: shape (n,), or (n, stages): numbers or names of the strata; one stratum unless given.
        clusters: shape (n,), or (n, stages): numbers or names of what was drawn together; each row by
            itself unless given.
        fpc: shape (n,), or (n, stages): how many clusters the row's stratum has in the population, or the
            share that was drawn if at most 1. Without it clusters count as drawn with replacement, and the
            first stage alone gives the variance.
        lonely: what a stratum with a single cluster adds to the variance.
        nested: whether clusters are numbered within each stratum.
        calibration: the margins that the weights were raked to; ``raked_design`` gives it.

    Raises:
        InputError: a length or a value that does not fit; the first row is named.

    References:
        Binder (1983), International Statistical Review 51(3), 279-292, doi 10.2307/1402588. Särndal,
        Swensson and Wretman (1992), Model Assisted Survey Sampling, sections 4.3 and 5.5.

    Example:
        >>> SurveyDesign(np.ones(4), clusters=np.array(["a", "a", "b", "b"])).n
        4
    """

    weights: Floats
    strata: npt.ArrayLike | None = None
    clusters: npt.ArrayLike | None = None
    fpc: npt.ArrayLike | None = None
    lonely: Lonely = "fail"
    nested: bool = False
    calibration: MarginCalibration | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weights", checked_weights(self.weights))
        if self.lonely not in get_args(Lonely):
            raise InputError(f"lonely must be {' or '.join(get_args(Lonely))}, got {self.lonely!r}")
        _ = self.stages

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.weights)

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The stages that the variance is made from."""
        clusters = self._columns("clusters", self.clusters) or [np.arange(self.n)]
        strata = self._columns("strata", self.strata)
        strata += [np.zeros(self.n, dtype=np.int64)] * (len(clusters) - len(strata))
        if self.nested:
            clusters[0] = _codes(strata[0] * (int(clusters[0].max()) + 1) + clusters[0])
        fpc = self._populations(len(clusters))
        return drawn_stages(clusters, strata[: len(clusters)], fpc, self.lonely)

    def _columns(self, name: str, given: npt.ArrayLike | None) -> list[Integers]:
        if given is None:
            return []
        columns = np.asarray(given)
        self._check_rows(name, columns)
        return [_codes(column, name) for column in np.atleast_2d(columns.T)]

    def _populations(self, stages: int) -> list[Floats] | None:
        if self.fpc is None:
            return None
        populations = np.asarray(self.fpc, dtype=np.float64)
        self._check_rows("fpc", populations)
        columns = list(np.atleast_2d(populations.T))
        if any(np.isnan(column).any() for column in columns):
            raise InputError("fpc must be there in every row, but some are missing")
        if len(columns) > stages:
            raise InputError(f"fpc has {len(columns)} stages, but clusters has {stages}")
        # A later stage without a population adds nothing of its own.
        return columns + [np.ones(self.n)] * (stages - len(columns))

    def _check_rows(self, name: str, columns: npt.NDArray[np.generic]) -> None:
        if columns.shape[:1] != (self.n,):
            raise InputError(f"{name} must have {self.n} rows as weights has, got {len(columns)}")


def checked_weights(weights: npt.ArrayLike) -> Floats:
    """Take weights, shape (n,): finite numbers that are not negative, and not all 0.

    Raises:
        InputError: another shape, no rows, a value out of range (its row is named), or weights that sum to 0.
    """
    taken = np.asarray(weights, dtype=np.float64)
    if taken.ndim != 1 or not len(taken):
        raise InputError(f"weights must be a list of numbers with one row or more, got shape {taken.shape}")
    wrong = np.flatnonzero(~np.isfinite(taken) | (taken < 0))
    if len(wrong):
        raise InputError(f"weights must be finite and >= 0, got {taken[wrong[0]]:g} in row {wrong[0] + 1:,}")
    if not taken.sum() > 0:
        raise InputError("weights sum to 0: at least one must be above 0")
    return taken


def _codes(column: npt.NDArray[np.generic], name: str = "clusters") -> Integers:
    missing = np.flatnonzero(column != column)  # noqa: PLR0124 - NaN alone differs from itself
    if len(missing) or (column.dtype == object and any(one is None for one in column)):
        raise InputError(f"{name} must be there in every row, but some are missing")
    _, codes = np.unique(column, return_inverse=True)
    return np.asarray(codes, dtype=np.int64)
