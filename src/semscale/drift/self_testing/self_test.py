"""Self-test of a gate: its rate of detection of known damage, and its rate of false alarms."""

import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.damage import DAMAGES, damaged
from semscale.drift.gate.decision import GateDecision, Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.measured import MeasuredRun
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.runs import check_rerun
from semscale.drift.self_testing.draws import FEWEST_RUNS, Versions, compare_drawn, draw_items
from semscale.drift.self_testing.results import INTERVAL, SelfTest, SelfTestRow
from semscale.errors import InputError, UnknownNameError
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.stats.intervals import check_seed, wilson_interval
from semscale.types import Progress, Status

SHARES = (0.1, 1 / 3, 1.0)
"""Shares of the items that are damaged by default: three of 30, a third, and all."""

REPLICATES = 100
"""The most bootstrap replicates for each of the thousands of decisions: intervals decide nothing."""


@dataclass(frozen=True)
class _Plan:
    """Settings of the draws and of the gate."""

    items: int
    shares: tuple[float, ...]
    draws: int
    seed: int
    settings: GateSettings


@dataclass(frozen=True)
class MeasuredChange:
    """One kind of change, applied to each available run of the model."""

    kind: str
    is_harmful: bool
    versions: Versions


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
    """Damage a run in known ways, and count how often a gate detects it.

    Every kind of change is measured once, applied to all items that it can change. Then ``items`` items are
    drawn with replacement, ``draws`` times. A share of them has the losses of the changed version, the others
    those of the unchanged one, and the gate decides on these losses.

    Baseline and reruns are of one model, so that each of them may be the candidate. With two or more reruns
    chance says for each drawn item which of the runs is the candidate, which the baseline, and the others are
    reruns: the gate that is tested has one rerun fewer than were recorded. One rerun is not enough to be
    candidate and reference at once. Then false alarms of an unchanged model cannot be known, and are not
    drawn; changes are made to one of the two runs and judged by what they add to its noise. Without reruns
    the baseline itself is damaged, without the model's own noise.

    With ``over_runs``, each draw counts as the first run against its baseline.

    Args:
        baseline: the approved run.
        reruns: reruns of the baseline's model and prompt, with the same items.
        meter: measures the losses; ``DriftMeter()`` by default.
        settings: settings of the gate, by default the default ones; its bootstrap uses at most ``REPLICATES``
            replicates; must-pass items and slices are left out.
        kinds: kinds of change, of ``DAMAGES``; all by default.
        items: number of items in each draw; ``None`` for as many as the run has.
        shares: shares of the drawn items that are changed, each above 0 and at most 1.
        draws: number of draws for each kind and share.
        seed: seed of the damage and the draws.
        progress: called while items are compared, and while the gate decides about draws.

    Raises:
        UnknownNameError: a kind of change does not exist.
        InputError: a setting is out of range, or a rerun is invalid; see ``check_rerun``.
    """
    chosen = _checked_kinds(kinds)
    plan = _plan(baseline, settings or GateSettings(), items=items, shares=shares, draws=draws, seed=seed)
    runs = (baseline, *(check_rerun(baseline, rerun) for rerun in reruns))
    changes = measure_changes(runs, chosen, meter or DriftMeter(), seed, progress)
    unchanged = replace(changes[0], kind="rerun" if reruns else "identity", is_harmful=False)
    asked = [(unchanged, 0.0), *((change, share) for change in changes for share in plan.shares)]
    rows = []
    for done, (change, share) in enumerate(asked, 1):
        rows.append(_row(change, share, plan))
        if progress:
            progress("deciding draws", done * plan.draws, len(asked) * plan.draws)
    rows.sort(key=lambda row: row.is_harmful)
    whole = draw_items(unchanged.versions.can_be, items=1, n_damaged=0, rng=np.random.default_rng(seed))
    decided = decide(compare_drawn(unchanged.versions, whole), plan.settings).signature
    signature = Signature.of(
        "self-test",
        kinds="+".join(chosen),
        items=plan.items,
        draws=draws,
        damage_seed=seed,
        reruns=len(reruns),
    )
    return SelfTest(tuple(rows), len(reruns), signature.extended(decided), plan.settings.alpha, INTERVAL)


def _checked_kinds(kinds: Sequence[str] | None) -> list[str]:
    chosen = list(dict.fromkeys(DAMAGES if kinds is None else kinds))
    unknown = [kind for kind in chosen if kind not in DAMAGES]
    if unknown or not chosen:
        raise UnknownNameError(f"kinds must be of {', '.join(DAMAGES)}, got {', '.join(unknown) or 'none'}")
    return chosen


def _plan(  # noqa: PLR0913 - checks each setting
    baseline: Run,
    settings: GateSettings,
    *,
    items: int | None,
    shares: Sequence[float],
    draws: int,
    seed: int,
) -> _Plan:
    check_seed(seed)
    if items is not None and items < 1:
        raise InputError(
            f"items must be at least 1, or None for all, got {items}",
            in_shell=f"--n-items must be at least 1, got {items}",
        )
    if draws < 1:
        raise InputError(f"draws must be at least 1, got {draws}")
    outside = [share for share in shares if not 0 < share <= 1]
    if outside or not shares:
        raise InputError(f"shares must lie above 0 and be at most 1, got {outside or 'none'}")
    return _Plan(items or len(baseline.items), tuple(shares), draws, seed, _quick(settings))


def _quick(settings: GateSettings) -> GateSettings:
    """Return the settings with at most ``REPLICATES`` replicates, without must-pass items and slices.

    Drawn items have new ids, and a draw may miss a group.
    """
    quick = {"replicates": min(settings.replicates, REPLICATES), "must_pass": (), "slices": {}}
    return settings.model_copy(update=quick)


def measure_changes(
    runs: tuple[Run, ...],
    kinds: Sequence[str],
    meter: DriftMeter,
    seed: int,
    progress: Progress | None = None,
) -> list[MeasuredChange]:
    """Measure unchanged runs and all changed versions of them against the unchanged runs; read texts once.

    Args:
        runs: v runs of one model, with the same items.
        kinds: kinds of change, of ``DAMAGES``.
        meter: measures the losses.
        seed: seed of the damage.
        progress: called while items are compared.
    """
    v = len(runs)
    changed = [[damaged(run, kind, seed=seed) for run in runs] for kind in kinds]
    others = [*runs[1:], *(run for of_kind in changed for run, _ in of_kind)]
    # Each is a version of run ``own``; every version but a run's own is measured against it.
    own = [*range(1, v), *(list(range(v)) * len(kinds))]
    further = [
        (first - 1, place)
        for first in range(1, v)
        for place in range(len(others))
        if own[place] != first and (place >= v - 1 or own[place] > first)
    ]
    measured = meter.measure_pairs(runs[0], others, further, progress=progress)
    pairs = [(0, place) for place in range(len(others))]
    pairs += [(first + 1, place) for first, place in further]
    found = {(first, place): one for (first, place), one in zip(pairs, measured, strict=True)}
    return [
        MeasuredChange(kind, DAMAGES[kind].is_harmful, _versions(runs, of_kind, found, (v - 1) + at * v))
        for at, (kind, of_kind) in enumerate(zip(kinds, changed, strict=True))
    ]


def _versions(
    runs: tuple[Run, ...],
    changed: Sequence[tuple[Run, npt.NDArray[np.bool_]]],
    found: Mapping[tuple[int, int], MeasuredRun],
    start: int,
) -> Versions:
    """Sort what was measured by version, first and second run.

    Args:
        runs: the v unchanged runs.
        changed: their damaged versions, and which items these damage.
        found: measured runs, by number of the first run and position of the second among all others.
        start: position of the first damaged version.
    """
    v, n = len(runs), len(runs[0].items)
    template = next(iter(found.values()))
    losses = {name: np.full((2, v, v, n), np.nan) for name in template.losses}
    status = np.full((2, v, v, n), Status.SCORED, dtype=object)
    for first in range(v):
        for second in range(v):
            places = {0: (min(first, second), max(first, second) - 1), 1: (first, start + second)}
            for part, place in places.items():
                if place in found and (first != second or (v == 1 and part)):
                    status[part, first, second] = found[place].status
                    for name, values in found[place].losses.items():
                        losses[name][part, first, second] = values
    if v == 1:  # the only run is its own candidate, and loses nothing
        status[0] = status[1]
        losses = {name: np.array([0.0 * values[1], values[1]]) for name, values in losses.items()}
    can_be = np.array([which for _, which in changed])
    return Versions((runs, tuple(run for run, _ in changed)), losses, status, can_be, template)


def _row(change: MeasuredChange, share: float, plan: _Plan) -> SelfTestRow:
    """Draw items and decide, ``draws`` times."""
    can_be = change.versions.can_be
    rng = np.random.default_rng([plan.seed, zlib.crc32(f"{change.kind} {share}".encode())])
    n_damaged = max(1, int(share * plan.items + 0.5)) if share else 0
    outcomes: Counter[Outcome] = Counter()
    failing: Counter[str] = Counter()
    is_known = can_be.any() if share else change.versions.n + 1 != FEWEST_RUNS
    n_draws = plan.draws if is_known else 0
    for _ in range(n_draws):
        draw = draw_items(can_be, items=plan.items, n_damaged=n_damaged, rng=rng)
        decision = decide(compare_drawn(change.versions, draw), plan.settings)
        outcomes[decision.outcome] += 1
        for name, failed in _failed(decision):
            failing[name] += failed
    rates = {outcome: wilson_interval(outcomes[outcome], n_draws, INTERVAL) for outcome in Outcome}
    return SelfTestRow(
        kind=change.kind,
        is_harmful=change.is_harmful,
        share=share,
        items=plan.items,
        n_eligible=int(can_be.any(axis=0).sum()) if share else can_be.shape[1],
        n_draws=n_draws,
        failed=rates[Outcome.FAIL],
        passed=rates[Outcome.PASS],
        undecided=rates[Outcome.UNDECIDED],
        by_metric={name: failing[name] / n_draws for name in failing if failing[name]},
    )


def _failed(decision: GateDecision) -> list[tuple[str, bool]]:
    """Return the metrics (over all items), thresholds and hard limits that failed, in the gate's order."""
    tested = [(test.metric, test.outcome is Outcome.FAIL) for test in decision.tests if test.group is None]
    tested += [(f"limit {check.name}", not check.passed) for check in decision.limits]
    return tested + [(check.name, not check.passed) for check in decision.thresholds]
