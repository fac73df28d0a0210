"""Simulations of the gate: numbers of items and reruns for a decision, and detection of known damage.

Both apply the gate's tests to comparisons drawn from recorded runs.
"""

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.damage import DAMAGES, damage_run
from semscale.drift.comparison import Comparison, DriftMeter, RunPool
from semscale.drift.copied_runs import CopiedRun, without_copies
from semscale.drift.decision import FEWEST_TO_PASS, GateDecision, decide, metric_tests, metrics_to_test
from semscale.drift.runs import check_rerun
from semscale.drift.settings import GateSettings
from semscale.errors import InputError, UnknownNameError
from semscale.history.runs import Run
from semscale.history.stored_comparison import Outcome
from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals import Estimate, check_seed, wilson_interval
from semscale.types import Integers, Mask, Progress

if TYPE_CHECKING:
    import polars as pl

ITEM_FACTORS = (1.5, 2.0, 3.0, 5.0)
"""Simulated numbers of items, as multiples of the current number."""

MOST_RERUNS = 5
"""Greatest simulated number of further reruns."""

DRAWS = 200
"""Number of simulated comparisons for each size."""

POWER = 0.8
"""Default of the required share of decided comparisons."""


@dataclass(frozen=True)
class PlannedSize:
    """Simulated decisions for one number of items and reruns.

    Attributes:
        items: number of items.
        reruns: number of reruns.
        further_answers: number of model answers needed in addition to the recorded ones.
        passed: share of simulated comparisons that passed.
        failed: share of simulated comparisons that failed.
        undecided: share of simulated comparisons that stayed undecided.
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
        reruns: number of reruns in the comparison.
        is_unchanged: true if a rerun was used as the candidate, so that the gate should pass.
        sizes: simulated decisions: the current size first, then from the cheapest size on.
        power: required share of decided comparisons.
        draws: number of simulated comparisons for each size.
        seed: seed of the simulation.
        copies: reruns that repeat another run and are left out.
    """

    items: int
    reruns: int
    is_unchanged: bool
    sizes: tuple[PlannedSize, ...]
    power: float
    draws: int
    seed: int
    copies: tuple[CopiedRun, ...] = ()

    def __repr__(self) -> str:
        return f"GatePlan(items={self.items}, reruns={self.reruns}, sizes={len(self.sizes)})"

    @property
    def cheapest(self) -> PlannedSize | None:
        """Cheapest size that decides the required share of comparisons; ``None`` if no size does."""
        return next((size for size in self.sizes if size.decided >= self.power), None)

    @property
    def sentence(self) -> str:
        """The result in a sentence without a full stop."""
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
        """Return the plan by name, for JSON."""
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
    """Simulate the numbers of items and reruns that would decide a comparison.

    Each simulated comparison draws its items from the recorded items, with replacement. At each item, a
    further rerun gets the losses of a randomly drawn recorded run of the baseline's model; its loss against
    that run is the mean loss among these runs. Then the gate's tests decide, without groups, limits,
    thresholds and must-pass items. The simulated drift is therefore about as large as the measured drift.

    Args:
        comparison: a candidate, or a rerun in its place, measured against the baseline and its reruns.
        settings: settings of the gate.
        is_unchanged: true if a rerun served as the candidate.
        power: required share of decided comparisons, above 0 and at most 1.
        draws: number of simulated comparisons for each size.
        seed: seed of the simulation.

    Raises:
        InputError: the comparison has no rerun, fewer than 2 items, or a setting is out of range.
    """
    check_seed(seed)
    n, reruns = len(comparison.baseline.items), len(comparison.reruns)
    if not reruns:
        raise InputError(
            "a plan needs a rerun of the baseline, which shows the noise: record one (`rerun_of`)"
        )
    if n < 2:
        raise InputError(f"a plan needs at least 2 items, got {n}")
    if not 0 < power <= 1:
        raise InputError("power", f"must be above 0 and at most 1, got {power:g}")
    if draws < 1:
        raise InputError("draws", f"must be at least 1, got {draws}")
    chosen = (settings or GateSettings()).with_values(
        by=(), slices={}, must_pass=(), limits={}, thresholds={}
    )
    names = [
        name
        for name in metrics_to_test(comparison.metrics, chosen)
        if comparison.pair_losses[name].shape[1] == len(comparison.runs)  # a judge compares no rerun
    ]
    sizes = [_simulate(comparison, chosen, names, size, (draws, seed)) for size in _sizes(n, reruns)]
    return GatePlan(n, reruns, is_unchanged, tuple(sizes), power, draws, seed, comparison.copies)


def _sizes(n: int, reruns: int) -> Iterator[tuple[int, int]]:
    """Return numbers of items and reruns: the current ones first, then by the number of required answers."""
    more_items = [(max(FEWEST_TO_PASS, round(factor * n)), reruns) for factor in ITEM_FACTORS]
    more_reruns = [(n, reruns + more) for more in range(1, MOST_RERUNS + 1)]
    yield n, reruns
    yield from sorted([*more_items, *more_reruns], key=lambda size: _answers(*size) - _answers(n, reruns))


def _answers(items: int, reruns: int) -> int:
    """Return the number of model answers for a size: baseline, reruns and candidate."""
    return items * (reruns + 2)


def _simulate(
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
        drawn = resample_comparison(comparison, names, rng.integers(n, size=items), reruns - recorded, rng)
        tests = metric_tests(drawn, settings, names)
        outcomes[worst_outcome([test.outcome for test in tests])] += 1
    shares = (outcomes[outcome] / draws for outcome in (Outcome.PASS, Outcome.FAIL, Outcome.UNDECIDED))
    return PlannedSize(items, reruns, _answers(items, reruns) - _answers(n, recorded), *shares)


def worst_outcome(outcomes: Sequence[Outcome]) -> Outcome:
    """Return the worst outcome: ``fail``, then ``undecided``, then ``pass``."""
    return next((worst for worst in (Outcome.FAIL, Outcome.UNDECIDED) if worst in outcomes), Outcome.PASS)


def resample_comparison(
    comparison: Comparison,
    names: Sequence[str],
    items: Integers,
    further_reruns: int,
    rng: np.random.Generator,
) -> Comparison:
    """Return a simulated comparison of drawn items, with further reruns.

    Args:
        comparison: measured comparison with at least one rerun.
        names: metrics of the simulated comparison.
        items: indices of items; an item can occur more than once.
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


SHARES = (0.1, 1 / 3, 1.0)
"""Default shares of damaged items."""

INTERVAL = 0.95
"""Coverage of the intervals of rates; not configurable."""


@dataclass(frozen=True)
class SelfTestRow:
    """Results for one kind of change at one share of damaged items.

    Attributes:
        kind: one of ``DAMAGES``; ``identity`` for no change; ``rerun`` for a rerun of the baseline.
        is_harmful: true if the gate should fail.
        share: share of damaged items, 0 to 1.
        items: number of items in each draw.
        n_eligible: number of the run's items that can be changed in this way.
        n_draws: number of draws; 0 if no item is eligible.
        failed: share of draws in which the gate failed: detections for harmful changes, false alarms for
            harmless ones. Wilson's interval covers the random draws, not the choice of the dataset.
        passed: share of draws in which the gate passed.
        undecided: share of draws in which the gate was undecided.
        by_metric: share of draws in which a check failed over all items: metrics and absolute thresholds by
            name, and hard limits as ``limit`` with the name.
    """

    kind: str
    is_harmful: bool
    share: float
    items: int
    n_eligible: int
    n_draws: int
    failed: Estimate
    passed: Estimate
    undecided: Estimate
    by_metric: Mapping[str, float]

    @property
    def detected_by(self) -> str | None:
        """Check that failed most often; ``None`` if none failed."""
        best = max(self.by_metric, key=lambda name: self.by_metric[name], default=None)
        return best if best is not None and self.by_metric[best] > 0 else None


@dataclass(frozen=True, repr=False)
class SelfTest(Presentable):
    """Results of a gate on known damage and on harmless changes.

    Attributes:
        rows: one row for each kind and share, harmless changes first.
        n_reruns: number of reruns of the baseline's model; without reruns, ``identity`` and the harmless
            changes do not include the model's noise.
        signature: settings of measurement, decision and draws.
        alpha: allowed probability of a false alarm, as set for the gate.
        interval: coverage of the intervals of rates.
        copies: reruns that repeat another run and are left out.
    """

    rows: tuple[SelfTestRow, ...]
    n_reruns: int
    signature: Signature
    alpha: float = 0.05
    interval: float = INTERVAL
    copies: tuple[CopiedRun, ...] = ()

    def __repr__(self) -> str:
        kinds = len({row.kind for row in self.rows})
        return f"SelfTest(kinds={kinds}, rows={len(self.rows)}, n_reruns={self.n_reruns})"

    @property
    def false_alarms(self) -> tuple[SelfTestRow, ...]:
        """Rows of changes for which a gate should not fail."""
        return tuple(row for row in self.rows if not row.is_harmful)

    @property
    def detections(self) -> tuple[SelfTestRow, ...]:
        """Rows of changes for which a gate should fail."""
        return tuple(row for row in self.rows if row.is_harmful)

    def row(self, kind: str, share: float = 1.0) -> SelfTestRow:
        """Return the row of a kind and share.

        Raises:
            UnknownNameError: there is no such row.
        """
        for row in self.rows:
            if row.kind == kind and row.share == share:
                return row
        known = ", ".join(dict.fromkeys(f"{row.kind} at {row.share:g}" for row in self.rows))
        raise UnknownNameError(f"kind and share must be one of {known}, got {kind} at {share:g}")

    def to_frame(self) -> "pl.DataFrame":
        """Return the rows as a table.

        Returns:
            Columns ``kind``, ``is_harmful``, ``share``, ``items``, ``n_eligible``, ``n_draws``, then
            ``failed``, ``passed`` and ``undecided``, each with ``_low`` and ``_high``, and ``detected_by``;
            null if no item is eligible.
        """
        import polars as pl

        plain = ("kind", "is_harmful", "share", "items", "n_eligible", "n_draws")
        columns = [pl.Series(name, [getattr(row, name) for row in self.rows]) for name in plain]
        for name in ("failed", "passed", "undecided"):
            for end, suffix in (("value", ""), ("low", "_low"), ("high", "_high")):
                values = [getattr(getattr(row, name), end) for row in self.rows]
                columns.append(pl.Series(name + suffix, values, dtype=pl.Float64).fill_nan(None))
        columns.append(pl.Series("detected_by", [row.detected_by for row in self.rows], dtype=pl.String))
        return pl.DataFrame(columns)

    def record(self) -> dict[str, Any]:
        """Return the rows by name, for JSON."""
        names = ("kind", "is_harmful", "share", "items", "n_eligible", "n_draws", "failed", "passed",
                 "undecided", "detected_by")  # fmt: skip
        return {
            "instrument": "drift self-test",
            "rows": [{name: getattr(row, name) for name in names} for row in self.rows],
            "reruns": self.n_reruns,
            "alpha": self.alpha,
            "interval": self.interval,
            "signature": self.signature,
        }


def self_test(  # noqa: PLR0913 - runs, and how they are measured, drawn and decided
    baseline: Run,
    *,
    reruns: Sequence[Run] = (),
    meter: DriftMeter | None = None,
    settings: GateSettings | None = None,
    kinds: Sequence[str] | None = None,
    items: int | None = 30,
    shares: Sequence[float] = SHARES,
    draws: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
) -> SelfTest:
    """Apply known damage to a run, and estimate how often a gate detects it.

    Every kind of change is applied to all eligible items and measured once. Then, ``draws`` times, ``items``
    items are drawn without replacement, a share of them is damaged, and the gate decides.

    Baseline and reruns are from one model. With at least two reruns, the roles of candidate, baseline and
    reruns are assigned at random at each item, so the tested gate has one rerun fewer than recorded. With one
    rerun, there are too few runs for a candidate and a reference: false alarms are unknown and not drawn, and
    the damaged candidate is compared with its undamaged version as the rerun. Without reruns, the baseline is
    damaged, and results do not include the model's noise.

    Args:
        baseline: the approved run.
        reruns: further runs of its model; one that repeats another run is left out (see ``without_copies``).
        meter: measures the losses; ``DriftMeter()`` by default.
        settings: settings of the gate; must-pass items and slices are ignored.
        kinds: kinds of change from ``DAMAGES``; by default all.
        items: number of items in each draw, at most those of the run; ``None`` for all.
        shares: shares of the drawn items to change, each above 0 and at most 1.
        draws: number of draws for each kind and share.
        seed: seed of the damage and the draws.
        progress: called while items are compared, and while the gate decides on draws.

    Raises:
        UnknownNameError: a kind of change does not exist.
        InputError: a setting is out of range, or a rerun is invalid (see ``check_rerun``).
    """
    chosen = list(dict.fromkeys(DAMAGES if kinds is None else kinds))
    unknown = [kind for kind in chosen if kind not in DAMAGES]
    if unknown or not chosen:
        raise UnknownNameError(
            "kinds", f"must be of {', '.join(DAMAGES)}, got {', '.join(unknown) or 'none'}"
        )
    _check(items, shares, draws, seed)
    gate = (settings or GateSettings()).with_values(must_pass=(), slices={})
    reruns, copies = without_copies(
        baseline, [check_rerun(baseline, rerun) for rerun in reruns], deterministic=gate.deterministic
    )
    runs = (baseline, *reruns)
    measured = _Versions(runs, chosen, meter or DriftMeter(), seed, progress)
    n = min(items or len(baseline.items), len(baseline.items))
    rows, signature = [], Signature.of("drift")
    tasks = [
        ("rerun" if reruns else "identity", 0.0),
        *((kind, share) for kind in chosen for share in shares),
    ]
    for done, (kind, share) in enumerate(tasks, 1):
        rng = np.random.default_rng([seed, zlib.crc32(f"{kind} {share}".encode())])
        possible = measured.possible.get(kind, np.ones((len(runs), len(baseline.items)), dtype=bool))
        is_known = possible.any() if share else len(runs) != 2
        decisions = []
        for _ in range(draws if is_known else 0):
            decision = decide(measured.draw(kind, n, share, rng), gate)
            signature = decision.signature
            decisions.append(decision)
        rows.append(_row(kind, share, n, int(possible.any(axis=0).sum()), decisions))
        if progress:
            progress("deciding draws", done * draws, len(tasks) * draws)
    rows.sort(key=lambda row: row.is_harmful)
    drawn = Signature.of(
        "self-test", kinds="+".join(chosen), items=n, draws=draws, damage_seed=seed, reruns=len(reruns)
    )
    return SelfTest(
        tuple(rows), len(reruns), drawn.plus(signature), gate.alpha, INTERVAL, copies=tuple(copies)
    )


def _check(items: int | None, shares: Sequence[float], draws: int, seed: int) -> None:
    check_seed(seed)
    if items is not None and items < 1:
        raise InputError("items", f"must be at least 1, or none for all, got {items}")
    if draws < 1:
        raise InputError("draws", f"must be at least 1, got {draws}")
    outside = [share for share in shares if not 0 < share <= 1]
    if outside or not shares:
        raise InputError("shares", f"must be above 0 and at most 1, got {outside or 'none'}")


class _Versions:
    """Runs of one model and damaged versions of each, all measured against the undamaged runs.

    Args:
        runs: v runs of one model, with the same items.
        kinds: kinds of change, of ``DAMAGES``.
        meter: measures the losses.
        seed: seed of the damage.
        progress: called while items are compared.

    Attributes:
        possible: mask for each kind, shape (v, n), of the items of a run that can be changed.
    """

    def __init__(
        self,
        runs: Sequence[Run],
        kinds: Sequence[str],
        meter: DriftMeter,
        seed: int,
        progress: Progress | None,
    ) -> None:
        self._n_runs = v = len(runs)
        self.possible: dict[str, Mask] = {}
        self._first: dict[str, int] = {}  # number of a kind's first damaged run
        all_runs = list(runs)
        order = [(first, second) for first in range(v) for second in range(first + 1, v)]
        for kind in kinds:
            changed = [damage_run(run, kind, seed=seed) for run in runs]
            self._first[kind] = len(all_runs)
            self.possible[kind] = np.array([which for _, which in changed])
            for own, (run, _) in enumerate(changed):
                order += [(first, len(all_runs)) for first in range(v) if v <= 2 or first != own]
                all_runs.append(run)
        self._pool: RunPool = meter.measure_pool(all_runs, order, n_reruns=v - 1, progress=progress)

    def draw(self, kind: str, items: int, share: float, rng: np.random.Generator) -> Comparison:
        """Draw a comparison: items, the role of each run at each item, and the damaged items."""
        v, n = self._n_runs, len(self._pool.runs[0].items)
        positions = np.sort(rng.permutation(n)[:items])
        roles = rng.permuted(np.tile(np.arange(v), (items, 1)), axis=1).T
        candidate = roles[0].copy()
        if share:
            possible = np.flatnonzero(self.possible[kind][roles[0], positions])
            hit = rng.permutation(possible)[: max(1, int(share * items + 0.5))]
            candidate[hit] += self._first[kind]
        references: list[Integers] = [*roles[1:]]
        if v == 1:
            references = [roles[0]]
        elif v == 2:
            references = [roles[1], roles[0]]
        return self._pool.comparison(positions, [candidate, *references])


def _row(
    kind: str, share: float, items: int, n_eligible: int, decisions: Sequence[GateDecision]
) -> SelfTestRow:
    draws, failing = len(decisions), Counter[str]()
    outcomes = Counter(decision.outcome for decision in decisions)
    for decision in decisions:
        failing.update(test.metric for test in decision.overall if test.outcome is Outcome.FAIL)
        failing.update(f"limit {check.name}" for check in decision.broken_limits)
        failing.update(check.name for check in decision.thresholds if not check.passed)
    rates = {outcome: wilson_interval(outcomes[outcome], draws, INTERVAL) for outcome in Outcome}
    return SelfTestRow(
        kind=kind,
        is_harmful=kind in DAMAGES and DAMAGES[kind].is_harmful,
        share=share,
        items=items,
        n_eligible=n_eligible,
        n_draws=draws,
        failed=rates[Outcome.FAIL],
        passed=rates[Outcome.PASS],
        undecided=rates[Outcome.UNDECIDED],
        by_metric={name: count / draws for name, count in failing.items()},
    )
