"""Planning: how many items and reruns would decide, by simulating the gate's own tests on recorded runs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from semscale.drift.comparison import Comparison
from semscale.drift.decision import FEWEST_TO_PASS, Outcome, chosen_metrics, metric_tests
from semscale.drift.settings import GateSettings
from semscale.errors import InputError
from semscale.presentable import Presentable
from semscale.stats.intervals import check_seed
from semscale.types import Integers

ITEM_FACTORS = (1.5, 2.0, 3.0, 5.0)
"""Numbers of items that are tried, as multiples of the present number."""

MOST_RERUNS = 5
"""Most further reruns that are tried."""

DRAWS = 200
"""Simulated comparisons for each number of items and reruns."""

POWER = 0.8
"""Share of simulated comparisons that must be decided, unless another is set."""


@dataclass(frozen=True)
class PlannedSize:
    """Simulated decisions with a number of items and reruns.

    Attributes:
        items: number of items.
        reruns: number of reruns.
        further_answers: answers of a model that this takes beyond those recorded.
        passed: share of simulated comparisons that passed.
        failed: share that failed.
        undecided: share that stayed undecided.
    """

    items: int
    reruns: int
    further_answers: int
    passed: float
    failed: float
    undecided: float

    @property
    def decided(self) -> float:
        """Share of simulated comparisons that were decided."""
        return self.passed + self.failed


@dataclass(frozen=True, repr=False)
class GatePlan(Presentable):
    """Simulated decisions for several numbers of items and reruns.

    Attributes:
        items: number of items in the comparison.
        reruns: number of its reruns.
        is_unchanged: whether a rerun served as the candidate, so that the gate should pass.
        sizes: simulated decisions, the present numbers first, then the cheapest first.
        power: share of comparisons that should be decided.
        draws: number of simulated comparisons for each size.
        seed: seed of the simulation.
    """

    items: int
    reruns: int
    is_unchanged: bool
    sizes: tuple[PlannedSize, ...]
    power: float
    draws: int
    seed: int

    def __repr__(self) -> str:
        return f"GatePlan(items={self.items}, reruns={self.reruns}, sizes={len(self.sizes)})"

    @property
    def cheapest(self) -> PlannedSize | None:
        """The cheapest size that decides the wanted share of comparisons; ``None`` if no size does."""
        return next((size for size in self.sizes if size.decided >= self.power), None)

    @property
    def sentence(self) -> str:
        """The result in a sentence without its full stop."""
        size, kind = self.cheapest, "unchanged models" if self.is_unchanged else "such drifts"
        if size is None:
            most = max(self.sizes, key=lambda size: size.decided)
            return (
                f"no planned size decides {100 * self.power:.0f} % of {kind}: with {most.items} items and "
                f"{most.reruns} reruns {100 * most.decided:.0f} % are decided"
            )
        more = [
            f"{number} more {noun}{'s' * (number > 1)}"
            for number, noun in ((size.items - self.items, "item"), (size.reruns - self.reruns, "rerun"))
            if number
        ]
        with_these = f"with {' and '.join(more)}" if more else "with these items and reruns"
        return f"{with_these} {100 * size.decided:.0f} % of {kind} are decided"

    def record(self) -> dict[str, Any]:
        """Lay the plan out by name, for JSON."""
        sizes = [{**asdict(size), "decided": size.decided} for size in self.sizes]
        names = ("items", "reruns", "is_unchanged", "power", "draws", "seed")
        plan = {name: getattr(self, name) for name in names}
        return {"instrument": "drift plan", **plan, "sentence": self.sentence, "sizes": sizes}


def plan_gate(
    comparison: Comparison,
    settings: GateSettings | None = None,
    *,
    is_unchanged: bool = False,
    power: float = POWER,
    draws: int = DRAWS,
    seed: int = 0,
) -> GatePlan:
    """Simulate how many items and reruns would decide a comparison.

    Each simulated comparison draws its items from those recorded, with replacement. A further rerun takes at
    each item the losses of one of the recorded runs of the baseline's model, drawn at random; its loss
    against that run is the mean loss among these runs. Then the gate's own tests decide; groups, limits,
    thresholds and must-pass items are left out. So a drift stays about as large as it was measured.

    Args:
        comparison: a candidate, or a rerun in its stead, measured against the baseline and its reruns.
        settings: settings of the gate.
        is_unchanged: whether a rerun served as the candidate.
        power: share of comparisons that should be decided, above 0 and at most 1.
        draws: number of simulated comparisons for each size.
        seed: seed of the simulation.

    Raises:
        InputError: the comparison has no rerun, fewer than 2 items, or a setting is out of range.
    """
    check_seed(seed)
    n, reruns = len(comparison.baseline.items), len(comparison.reruns)
    if not reruns:
        raise InputError(
            "a plan needs a rerun of the baseline, which shows the noise: record one (--rerun-of)"
        )
    if n < 2:  # noqa: PLR2004 - nothing to draw from
        raise InputError(f"a plan needs at least 2 items, got {n}")
    if not 0 < power <= 1:
        raise InputError(f"power must be above 0 and at most 1, got {power:g}")
    if draws < 1:
        raise InputError(f"draws must be at least 1, got {draws}")
    chosen = (settings or GateSettings()).changed(by=(), slices={}, must_pass=(), limits={}, thresholds={})
    names = [
        name
        for name in chosen_metrics(comparison.metrics, chosen)
        if comparison.pair_losses[name].shape[1] == len(comparison.runs)  # a judge compares no rerun
    ]
    sizes = [_simulated(comparison, chosen, names, size, (draws, seed)) for size in _sizes(n, reruns)]
    return GatePlan(n, reruns, is_unchanged, tuple(sizes), power, draws, seed)


def _sizes(n: int, reruns: int) -> Iterator[tuple[int, int]]:
    """List numbers of items and reruns, the present ones first, then by the answers that they take."""
    more_items = [(max(FEWEST_TO_PASS, round(factor * n)), reruns) for factor in ITEM_FACTORS]
    more_reruns = [(n, reruns + more) for more in range(1, MOST_RERUNS + 1)]
    yield n, reruns
    yield from sorted([*more_items, *more_reruns], key=lambda size: _answers(*size) - _answers(n, reruns))


def _answers(items: int, reruns: int) -> int:
    """Return the answers of a model that a size takes: of the baseline, its reruns and a candidate."""
    return items * (reruns + 2)


def _simulated(
    comparison: Comparison,
    settings: GateSettings,
    names: Sequence[str],
    size: tuple[int, int],
    drawing: tuple[int, int],
) -> PlannedSize:
    (items, reruns), (draws, seed) = size, drawing
    n, recorded = len(comparison.baseline.items), len(comparison.reruns)
    rng = np.random.default_rng([seed, items, reruns])
    outcomes: Counter[Outcome] = Counter()
    for _ in range(draws):
        drawn = resampled(comparison, names, rng.integers(n, size=items), reruns - recorded, rng)
        tests = metric_tests(drawn, settings, names)
        outcomes[worst_outcome([test.outcome for test in tests])] += 1
    shares = (outcomes[outcome] / draws for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED))
    return PlannedSize(items, reruns, _answers(items, reruns) - _answers(n, recorded), *shares)


def worst_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Return ``fail`` if any outcome is, else ``undecided`` if any is, else ``pass``."""
    return next((worst for worst in (Outcome.FAIL, Outcome.UNDECIDED) if worst in outcomes), Outcome.PASS)


def resampled(
    comparison: Comparison,
    names: Sequence[str],
    items: Integers,
    further_reruns: int,
    rng: np.random.Generator,
) -> Comparison:
    """Return a simulated comparison of some items, with further reruns.

    Args:
        comparison: what was measured, with at least one rerun.
        names: metrics that the simulated comparison has.
        items: positions of items; an item may occur more than once.
        further_reruns: number of reruns to add.
        rng: random generator.
    """
    k = len(comparison.runs)
    copied = np.array([rng.integers(1, k, size=len(items)) for _ in range(further_reruns)], dtype=np.int64)
    sources = np.vstack([np.tile(np.arange(k)[:, None], len(items)), copied.reshape(-1, len(items))])
    rows = np.arange(len(items))
    references = ~np.eye(k, dtype=bool)
    references[0] = references[:, 0] = False
    pair_losses = {}
    for name in names:
        losses = comparison.pair_losses[name][items]
        alike = np.nan_to_num(losses[:, references], nan=0.0).mean(axis=1)
        new = losses[rows[:, None, None], sources.T[:, :, None], sources.T[:, None, :]]
        same = sources.T[:, :, None] == sources.T[:, None, :]
        pair_losses[name] = np.where(same, alike[:, None, None], new)
    drawn = list(enumerate(items.tolist()))
    runs = [
        replace(run, items=tuple(replace(run.items[index], id=str(row)) for row, index in drawn))
        for run in comparison.runs
    ]
    return replace(
        comparison,
        baseline=runs[1],
        candidate=runs[0],
        reruns=(*runs[2:], *(runs[1] for _ in range(further_reruns))),
        pair_losses=pair_losses,
        metrics={name: comparison.metrics[name] for name in names},
        status=comparison.status[items],
        windows=comparison.windows[items],
        pairs=(),
    )
