"""What earlier nights change in the gate: outcomes with and without a history, on the same draws.

Run with ``python bench/drift_history.py``. Datasets are those of ``drift_self_test.py --with-reruns``: five
runs of one model. For each drawn item, chance says which run is the candidate, the baseline and the one
rerun; each earlier night has one of the two runs that are left, so that nights are honest reruns. The
candidate is unchanged, or a third of its items is damaged. The gate decides twice, and the nights tell the
second one the noise.
"""

from collections import Counter
from dataclasses import replace
from datetime import date, timedelta
from itertools import product

import numpy as np

from drift_self_test import ATHENA, REMADE, athena, every_other, percent, remade, written_runs
from measuring import Options, machine
from semscale.drift.gate.decision import Outcome
from semscale.drift.gate.gate import decide
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.self_testing.draws import compare_drawn, draw_items
from semscale.drift.self_testing.self_test import REPLICATES, measure_changes
from semscale.history.runs import now
from semscale.history.stored_comparison import StoredComparison
from semscale.stats.intervals import wilson_interval

KINDS, ITEMS, DAMAGED, RUNS = ("paraphrase", "negate", "drop", "swap"), 30, 10, 3
SETTINGS = GateSettings(replicates=REPLICATES)


def night(comparison, versions, draw, place, rng):
    """An earlier night against the same baseline and rerun, with a run of its own at each item."""
    left = draw.roles[:, RUNS:]
    which = left[np.arange(len(left)), rng.integers(left.shape[1], size=len(left))]
    roles = np.column_stack([which, draw.roles[:, 1:RUNS]])
    honest = replace(draw, roles=roles, are_damaged=np.zeros(len(left), dtype=bool))
    other = compare_drawn(versions, honest)
    return StoredComparison(
        baseline_id=comparison.baseline.id,
        candidate_id=f"night-{place}",
        model=comparison.baseline.model,
        dataset=comparison.baseline.dataset,
        signature=str(comparison.signature),
        outcome=str(Outcome.PASS),
        figures=(),
        scores={name: other.mean_losses(name) for name in other.metrics},
        compared=now() - timedelta(days=place + 1),
    )


def outcomes(change, damaged, asked):
    """Outcomes of each draw without and with the history, and what the nights were worth."""
    rng, alone, told, worth = np.random.default_rng(0), Counter(), Counter(), []
    for _ in range(asked.draws):
        draw = draw_items(change.versions.can_be, items=ITEMS, n_damaged=damaged, rng=rng)
        comparison = compare_drawn(change.versions, replace(draw, roles=draw.roles[:, :RUNS]))
        nights = [night(comparison, change.versions, draw, place, rng) for place in range(asked.nights)]
        alone[decide(comparison, SETTINGS).outcome] += 1
        decision = decide(comparison, SETTINGS, earlier=nights)
        told[decision.outcome] += 1
        worth += [test.nights_as_reruns for test in decision.overall]
    return alone, told, np.mean(worth)


def cell(counted, draws):
    shares = [wilson_interval(counted[one], draws, 0.95) for one in (Outcome.FAIL, Outcome.UNDECIDED)]
    return " / ".join(map(percent, shares))


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 200, quick=1, help="of each kind of change")
    parser.add_size("--nights", 14, quick=3, help="earlier nights of each draw")
    parser.add_size("--halves", [1, 0], quick=[1], choices=(0, 1), help="of items")
    asked = parser.parse_args()
    print(f"{date.today()}, {machine()}; % of {asked.draws} draws that failed / were left undecided")
    sets = [written_runs()]
    if ATHENA.exists():
        sets.append([athena(), *(remade(athena(), seed) for seed in REMADE)])
    for runs, half in product(sets, asked.halves):
        halves = tuple(every_other(run, half) for run in runs)
        changes = measure_changes(halves, KINDS, DriftMeter(), seed=0)
        print(f"\n## {runs[0].dataset}, half {half}: 1 rerun, {asked.nights} nights\n")
        print("| a third changed | without nights | with nights | reruns that nights count as |")
        print("|---|---|---|---|")
        for kind, change, damaged in [
            ("none", changes[0], 0),
            *((change.kind, change, DAMAGED) for change in changes),
        ]:
            alone, told, worth = outcomes(change, damaged, asked)
            cells = cell(alone, asked.draws), cell(told, asked.draws)
            print(f"| {kind} | {cells[0]} | {cells[1]} | {worth:.2f} |", flush=True)


if __name__ == "__main__":
    main()
