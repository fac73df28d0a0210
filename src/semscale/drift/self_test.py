"""Tests a gate on known damage: how often it notices, and how often it cries wolf."""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from semscale.drift.comparison import Comparison
from semscale.drift.damage import DAMAGES, damaged
from semscale.drift.decision import GateDecision, Outcome
from semscale.drift.gate import decide
from semscale.drift.gate_settings import GateSettings
from semscale.drift.meter import DriftMeter
from semscale.drift.self_test_draws import compare_drawn, draw_items
from semscale.drift.self_test_results import SelfTest, SelfTestRow
from semscale.errors import InputError, UnknownNameError
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.stats.resampling import check_seed
from semscale.stats.shares import wilson_interval
from semscale.types import Progress

REPLICATES = 1000
"""Bootstrap replicates of a decision, at most: of thousands of decisions none needs finer intervals."""


@dataclass(frozen=True)
class _Plan:
    """What is drawn, and who decides."""

    items: int
    shares: tuple[float, ...]
    draws: int
    seed: int
    settings: GateSettings


@dataclass(frozen=True)
class _Candidate:
    """A candidate in which every item is changed that can be."""

    kind: str
    is_harmful: bool
    comparison: Comparison
    is_eligible: npt.NDArray[np.bool_]


def self_test(  # noqa: PLR0913 - runs, how they are measured and decided, and what is drawn
    baseline: Run,
    *,
    reruns: Sequence[Run] = (),
    meter: DriftMeter | None = None,
    settings: GateSettings | None = None,
    kinds: Sequence[str] | None = None,
    items: int | None = 30,
    shares: Sequence[float] = (0.1, 0.25, 0.5, 1.0),
    draws: int = 200,
    seed: int = 0,
    progress: Progress | None = None,
) -> SelfTest:
    """Damage a run in known ways, and count how often a gate notices.

    Every kind of change is measured once, with all items changed that can be. Then ``items`` items are drawn
    with replacement, again and again; a share of them brings the losses of its changed version, the others
    those of the unchanged one, and the gate decides on these.

    With reruns of the baseline the last one is what is damaged, as a candidate of an unchanged model would
    be; the gate's reference are the others, or that same one where it is the only one. Without a rerun the
    baseline itself is damaged: then false alarms are those that harmless rewriting and order raise, and say
    nothing about a model's own noise.

    Args:
        baseline: the approved run.
        reruns: runs of the baseline's model and prompt, unchanged, with the same items.
        meter: how it is measured; as ``DriftMeter`` has it by default.
        settings: the gate as configured; the default gate unless given. Of its bootstrap at most
            ``REPLICATES`` replicates are used.
        kinds: of change, of ``DAMAGES``; all unless given.
        items: of each draw; as many as the run has with ``None``.
        shares: of the drawn items that are changed, each above 0 and at most 1.
        draws: of each kind and share.
        seed: of the damage and the draws.
        progress: called while items are compared, and while draws are decided.

    Raises:
        UnknownNameError: no change has one of these names.
        InputError: a setting outside its range, or a rerun with other items.
    """
    chosen = _checked_kinds(kinds)
    plan = _plan(baseline, settings or GateSettings(), items=items, shares=shares, draws=draws, seed=seed)
    clean, candidates = _measured(baseline, reruns, chosen, meter or DriftMeter(), seed, progress)
    everyone = np.ones(len(baseline.items), dtype=np.bool_)
    unchanged = _Candidate("rerun" if reruns else "identity", False, clean, everyone)
    asked = [(unchanged, 0.0), *((candidate, share) for candidate in candidates for share in plan.shares)]
    rows = []
    for done, (candidate, share) in enumerate(asked, 1):
        rows.append(_row(clean, candidate, share, plan))
        if progress:
            progress("deciding draws", done * plan.draws, len(asked) * plan.draws)
    signature = Signature.of(
        "self-test",
        kinds="+".join(chosen),
        items=plan.items,
        draws=draws,
        damage_seed=seed,
        reruns=len(reruns),
    )
    rows.sort(key=lambda row: row.is_harmful)
    return SelfTest(tuple(rows), len(reruns), signature.extended(_decided(clean, plan).signature))


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
        raise InputError(f"items must be at least 1, or None for all, got {items}")
    if draws < 1:
        raise InputError(f"draws must be at least 1, got {draws}")
    outside = [share for share in shares if not 0 < share <= 1]
    if outside or not shares:
        raise InputError(f"shares must lie above 0 and be at most 1, got {outside or 'none'}")
    return _Plan(items or len(baseline.items), tuple(shares), draws, seed, _quick(settings))


def _quick(settings: GateSettings) -> GateSettings:
    """The same gate with a bootstrap of at most ``REPLICATES`` replicates."""
    return settings.model_copy(update={"replicates": min(settings.replicates, REPLICATES)})


def _measured(  # noqa: PLR0913 - all that is measured at once
    baseline: Run,
    reruns: Sequence[Run],
    kinds: Sequence[str],
    meter: DriftMeter,
    seed: int,
    progress: Progress | None,
) -> tuple[Comparison, list[_Candidate]]:
    """Measure the unchanged candidate and one of each kind, reading every text once."""
    candidate = reruns[-1] if reruns else baseline
    references = (reruns[:-1] or reruns) if reruns else ()
    changed = [damaged(candidate, kind, seed=seed) for kind in kinds]
    runs = [candidate, *references, *(run for run, _ in changed)]
    measured = meter.measure(baseline, runs, progress=progress)
    first = 1 + len(references)
    clean = Comparison(baseline, candidate, measured[0], tuple(measured[1:first]))
    candidates = [
        _Candidate(kind, DAMAGES[kind].is_harmful, replace(clean, candidate=run, measured=found), which)
        for kind, (run, which), found in zip(kinds, changed, measured[first:], strict=True)
    ]
    return clean, candidates


def _row(clean: Comparison, candidate: _Candidate, share: float, plan: _Plan) -> SelfTestRow:
    """Draw items and decide, as often as the plan says."""
    eligible = np.flatnonzero(candidate.is_eligible)
    rng = np.random.default_rng([plan.seed, zlib.crc32(f"{candidate.kind} {share}".encode())])
    n_damaged = max(1, int(share * plan.items + 0.5)) if share else 0
    outcomes: Counter[Outcome] = Counter()
    failing: Counter[str] = Counter()
    n_draws = plan.draws if len(eligible) else 0
    for _ in range(n_draws):
        draw = draw_items(len(clean.baseline.items), eligible, items=plan.items, n_damaged=n_damaged, rng=rng)
        decision = _decided(compare_drawn(clean, candidate.comparison, draw), plan)
        outcomes[decision.outcome] += 1
        failing.update(_failing(decision))
    rates = {outcome: wilson_interval(outcomes[outcome], n_draws) for outcome in Outcome}
    return SelfTestRow(
        kind=candidate.kind,
        is_harmful=candidate.is_harmful,
        share=share,
        items=plan.items,
        n_eligible=len(eligible),
        n_draws=n_draws,
        failed=rates[Outcome.FAIL],
        passed=rates[Outcome.PASS],
        undecided=rates[Outcome.UNDECIDED],
        by_metric={name: n / n_draws for name, n in failing.most_common()},
    )


def _decided(comparison: Comparison, plan: _Plan) -> GateDecision:
    return decide(comparison, plan.settings)


def _failing(decision: GateDecision) -> set[str]:
    """Name what failed: metrics over all items, and absolute thresholds."""
    metrics = {test.metric for test in decision.tests if test.outcome is Outcome.FAIL and test.group is None}
    return metrics | {check.name for check in decision.thresholds if not check.passed}
