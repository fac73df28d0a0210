"""What would decide an undecided gate: more items or more reruns, whichever takes fewer answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from semscale.drift.gate.decision import FEWEST_TO_PASS, MOST_TIMES, DriftTest, GateDecision, Outcome
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.roles import drifts_of_losses, drifts_of_pairs
from semscale.drift.sizing.simulated_nights import (
    NightNoise,
    added_by_nights,
    drawn_items,
    items_of_nights,
    night_share,
)
from semscale.drift.sizing.simulated_runs import losses_with_reruns, pairs_with_reruns
from semscale.drift.sizing.simulated_tests import (
    DriftMoments,
    GateLevel,
    decided,
    exchange_p_values,
    moments_of_drawn,
    moments_of_runs,
)
from semscale.stats.acceptance import smallest_enough
from semscale.types import Floats

DRAWS = 200
"""Simulated comparisons for each number of items or reruns."""

POWER = 0.8
"""Share of the simulated comparisons that must be decided."""

MOST_RERUNS = 10
"""Further reruns that are simulated at most: more hardly narrow anything."""

_MOST_CELLS = 4_000_000  # losses of pairs of runs that are simulated at once


@dataclass(frozen=True)
class SizeForecast:
    """What would decide a gate in ``POWER`` of simulated comparisons, if the drift stayed what it is.

    Attributes:
        n_items: items of the dataset.
        reruns: reruns so far.
        items_needed: items that would do, the present ones included; ``None`` where 100 times as many do not.
        more_reruns: further reruns that would do; ``None`` where 10 do not.
        draws: simulated comparisons for each number.
        seed: their seed.
    """

    n_items: int
    reruns: int
    items_needed: int | None
    more_reruns: int | None
    draws: int = DRAWS
    seed: int = 0

    @property
    def answers_by_items(self) -> float:
        """Answers of a model that the further items take: one in each run; infinite if none would do."""
        if self.items_needed is None:
            return float("inf")
        return float((self.items_needed - self.n_items) * (self.reruns + 2))

    @property
    def answers_by_reruns(self) -> float:
        """Answers of a model that the further reruns take: one for each item; infinite if none would do."""
        return float("inf") if self.more_reruns is None else float(self.more_reruns * self.n_items)

    @property
    def says_reruns(self) -> bool:
        """Whether reruns take fewer answers than items, or as many."""
        return self.more_reruns is not None and self.answers_by_reruns <= self.answers_by_items

    @property
    def cheapest_words(self) -> str:
        """Say what to do at the least cost; empty if neither would do.

        Example:
            >>> SizeForecast(n_items=30, reruns=1, items_needed=80, more_reruns=2).cheapest_words
            'record 2 more reruns of the baseline (60 answers)'
        """
        if self.says_reruns and self.more_reruns is not None:
            runs = f"{self.more_reruns} more rerun{'s' * (self.more_reruns > 1)}"
            return f"record {runs} of the baseline ({self.answers_by_reruns:,.0f} answers)"
        if self.items_needed is not None:
            return f"gather about {self.items_needed:,} items (there are {self.n_items:,})"
        return ""


def forecast(comparison: Comparison, decision: GateDecision) -> SizeForecast | None:
    """Simulate what would decide the tests over all items that are undecided.

    *More items*: the further ones are drawn from the present ones, with replacement. *More reruns*: the
    present items stay, and each further rerun adds to an item's losses what a run added at some item
    (``pairs_with_reruns``). Earlier nights that count in a test's noise give further items, each as it came
    out in one of the nights (``items_of_nights``), and what their runs added (``added_by_nights``), as often
    as their weight in the noise says (``night_share``).

    Each simulated comparison is decided as the gate does, with the exchange test's normal distribution
    corrected for skewness, at the level of the strictest test, which is lowered where that distribution makes
    this comparison itself more significant than it is. It counts as decided if one of these tests fails or
    all pass, by the bound of their drift: that a metric may also pass by its shift is left out, so that the
    forecast rather asks for too much.

    Args:
        comparison: what was measured.
        decision: the gate's.

    Returns:
        The forecast; ``None`` where nothing is undecided or nothing can be simulated: where a metric has no
        rerun, with fewer than 10 items, and where all runs together decide.

    References:
        Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 25.4: sample sizes by drawing
        more than there is.
    """
    tests = [test for test in decision.overall if test.outcome is Outcome.UNDECIDED]
    if not tests or not comparison.reruns or decision.sequence:
        return None
    if any(test.drift.n < FEWEST_TO_PASS or not comparison.rerun_losses(test.metric) for test in tests):
        return None
    settings = decision.settings
    simulation = _Simulation(comparison, tests, decision)
    n = len(comparison.baseline.items)
    return SizeForecast(
        n_items=n,
        reruns=len(comparison.reruns),
        items_needed=smallest_enough(lambda size: simulation.of_items(size) >= POWER, n + 1, MOST_TIMES * n),
        more_reruns=smallest_enough(lambda more: simulation.of_reruns(more) >= POWER, 1, MOST_RERUNS),
        seed=settings.seed,
    )


@dataclass(frozen=True)
class _Simulation:
    """Simulated comparisons of the undecided tests."""

    comparison: Comparison
    tests: Sequence[DriftTest]
    decision: GateDecision

    def of_items(self, size: int) -> float:
        """Return the share of comparisons of ``size`` items that are decided."""
        n, rows = len(self.comparison.baseline.items), self._items
        rng = np.random.default_rng(self.decision.settings.seed)
        shares = [night_share(test.nights_as_reruns) for test in self.tests]
        drawn = drawn_items(n, len(rows[0]), size - n, DRAWS, shares, rng)
        return self._share([moments_of_drawn(one, counts) for one, counts in zip(rows, drawn, strict=True)])

    @cached_property
    def _items(self) -> list[Floats]:
        """Items to draw from in each test: the present ones, then those of nights, as many in each test."""
        found = []
        for test in self.tests:
            roles = self.comparison.drifts_by_role(test.metric)
            nights = self._nights(test)
            still = np.tile(roles[:, 0], (self.decision.nights.n, 1))
            found.append(items_of_nights(roles, still if nights is None else nights))
        n_rows = min(map(len, found))
        return [rows[:n_rows] for rows in found]

    def _nights(self, test: DriftTest) -> Floats | None:
        """Return the drifts of earlier nights, shape (t, n), if they count in the test's noise."""
        if not night_share(test.nights_as_reruns) > 0:
            return None
        return self.decision.nights.drifts[test.metric]

    def of_reruns(self, more: int) -> float:
        """Return the share of comparisons with so many further reruns that are decided; 0 if too large."""
        runs = 2 + len(self.comparison.reruns) + more
        draws = min(DRAWS, _MOST_CELLS // (len(self.comparison.baseline.items) * runs**2))
        if not draws:
            return 0.0
        rng = np.random.default_rng(self.decision.settings.seed)
        return self._share([self._with_reruns(test, more, draws, rng) for test in self.tests])

    def _with_reruns(self, test: DriftTest, more: int, draws: int, rng: np.random.Generator) -> DriftMoments:
        known = ~np.isnan(self.comparison.drifts(test.metric))
        pairs, nights = self.comparison.pair_losses(test.metric), self._nights(test)
        added = None
        if nights is not None:
            added = NightNoise(added_by_nights(nights[:, known]), night_share(test.nights_as_reruns))
        if pairs is not None:
            found = pairs_with_reruns(pairs[known], more, draws, rng, of_nights=added)
            return moments_of_runs(map(drifts_of_pairs, found))
        losses = self.comparison.losses_of_runs(test.metric)[known]
        found = losses_with_reruns(losses, more, draws, rng, of_nights=added)
        return moments_of_runs(map(drifts_of_losses, found))

    @cached_property
    def _levels(self) -> list[GateLevel]:
        """Levels of the tests, lowered where the simulated ones are too sure of this comparison."""
        levels, alpha = [], self.decision.settings.alpha
        for test in self.tests:
            roles = self.comparison.drifts_by_role(test.metric)
            here = exchange_p_values(moments_of_drawn(roles, np.ones((1, len(roles)), dtype=np.int64)))[0]
            lowered = min(1.0, float(here) / test.p_value) if test.p_value > 0 else 1.0
            strictest = alpha / len(self.decision.overall) * lowered
            levels.append(GateLevel(test.margin, test.tolerance, alpha=alpha, strictest=strictest))
        return levels

    def _share(self, moments: Sequence[DriftMoments]) -> float:
        found = [decided(one, level) for one, level in zip(moments, self._levels, strict=True)]
        fails = np.any([fails for fails, _ in found], axis=0)
        passes = np.all([passes for _, passes in found], axis=0)
        return float((fails | passes).mean())
