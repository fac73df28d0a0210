"""Mean drift with 1, 2, 3 and 9 reruns: the same quantity, so that a margin has the same meaning.

Run with ``python bench/drift_reruns.py``. Rules create eleven runs of Athena's feedback (``drift_pool``), and
damage a third of the items. For each number of reruns, the runs in the roles of candidate, baseline and
reruns are drawn at random for each item. The table has the mean drift over draws, and its greatest difference
from that with nine reruns, as a share of the metric's margin. The standard error of a mean is below a
hundredth of a margin in the default size.
"""

from dataclasses import replace
from datetime import date

import numpy as np

from drift_pool import ATHENA, KINDS, remade
from measuring import Options, machine
from semscale.drift.athena_files import read_athena
from semscale.drift.comparison import DriftMeter
from semscale.drift.decision import margin_of
from semscale.drift.settings import GateSettings
from semscale.history.runs import Run

RUNS, RERUNS = 11, (1, 2, 3, 9)
DAMAGE = ("dropped", "negated", "a sentence added")


def pool_of(kinds):
    """Score all pairs of eleven runs, and of each with the damaged version of another run."""
    run = Run("athena", "gpt-4o", read_athena(ATHENA).items)
    runs = [remade(run, seed) for seed in range(1, RUNS + 1)]
    all_runs, damaged = list(runs), {}
    order = [(first, second) for first in range(RUNS) for second in range(first + 1, RUNS)]
    for kind in kinds:
        outputs = KINDS[kind][0](runs[0].items, np.random.default_rng(0))
        items = [
            item if new is None else replace(item, outputs=new)
            for item, new in zip(runs[0].items, outputs, strict=True)
        ]
        damaged[kind] = len(all_runs)
        order += [(clean, len(all_runs)) for clean in range(1, RUNS)]
        all_runs.append(replace(runs[0], items=tuple(items)))
    return DriftMeter().measure_pool(all_runs, order), damaged


def mean_drifts(pool, candidate, n_reruns, n_draws, rng):
    """Return the mean drift by tested metric; the run in the candidate's role is the same at all items."""
    n = len(pool.runs[0].items)
    sums = {name: 0.0 for name, metric in pool.metrics.items() if metric.is_usual}
    for _ in range(n_draws):
        others = rng.permuted(np.tile(np.arange(1, RUNS), (n, 1)), axis=1)[:, : n_reruns + 1].T
        hit = rng.permutation(n)[: n // 3] if candidate else []
        roles = np.zeros(n, dtype=np.int64)
        roles[hit] = candidate
        comparison = pool.comparison(np.arange(n), [roles, *others])
        for name in sums:
            sums[name] += float(np.nanmean(comparison.drifts(name))) / n_draws
    margins = {name: margin_of(comparison, GateSettings(), name) for name in sums}
    return sums, margins


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 400, quick=5, help="of roles, for each number of reruns")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if not ATHENA.exists():
        print(f"left out: Athena's feedback, as {ATHENA} is not there")
        return
    print(f"{date.today()}, {machine()}; mean drift over {options.draws} draws")
    pool, damaged = pool_of(DAMAGE)
    for kind, candidate in {"unchanged": 0, **damaged}.items():
        print(f"\n## {kind}\n\n| metric | {' | '.join(f'{n} reruns' for n in RERUNS)} | margin | bias |")
        rng = np.random.default_rng([options.seed, candidate])
        found = [mean_drifts(pool, candidate, n, options.draws, rng) for n in RERUNS]
        margins = found[-1][1]
        for name, margin in margins.items():
            means = [drifts[name] for drifts, _ in found]
            bias = max(abs(mean - means[-1]) for mean in means) / margin
            cells = " | ".join(f"{mean:.4f}" for mean in means)
            print(f"| {name} | {cells} | {margin:.3f} | {bias:.3f} |", flush=True)


if __name__ == "__main__":
    main()
