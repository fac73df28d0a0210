"""Decisions of the gate about unchanged runs and known damage, compared with a simple gate.

Run with ``python bench/drift_decisions.py``. Each draw takes items, a baseline, reruns and a candidate from
five runs of one model: feedback that was written five times in different words (``examples/drift`` and
``bench/data``), and five runs that rules create from Athena's feedback. All pairs of outputs are scored once;
``--pool FOLDER`` stores the scores for the next call. Margins were chosen on the exercises ``chosen`` of both
datasets, and not on ``reported``. ``--ablate`` leaves out one metric or
limit at a time. A second table has the coverage of the upper bound, which a pass needs below the margin.
"""

import pickle
from collections import Counter, defaultdict
from dataclasses import replace
from datetime import date
from pathlib import Path

import numpy as np

from drift_pool import (
    ATHENA,
    CHOSEN_ON,
    KINDS,
    REPORTED_ON,
    SOURCES,
    athena_runs,
    build,
    joined,
    written_runs,
)
from measuring import Options, machine
from semscale.drift.comparison import DriftMeter, RunPool, baseline_metrics, run_losses
from semscale.drift.decision import decide
from semscale.drift.exchange_test import correct_by_holm, drift_bounds, exchange_test
from semscale.drift.hard_limits import broken_items
from semscale.drift.settings import LIMITS, GateSettings
from semscale.history.stored_comparison import Outcome
from semscale.signature import Signature

UNCHANGED = "unchanged"
RERUNS = (1, 2, 3)
ITEMS = 27  # of a draw for coverage


class Draws:
    """Comparisons drawn from a pool of scored runs.

    All runs come from one model. For each item, the roles of candidate, baseline and reruns are drawn at
    random, so that the drawn runs are as exchangeable as those of a model that answers each item again.
    """

    def __init__(self, pool):
        self._possible, self._damaged = pool.possible, pool.damaged
        n, k = len(pool.runs[0].items), len(pool.runs)
        metrics, _, _ = baseline_metrics(pool.runs[0])
        losses = {name: np.full((n, k, k), np.nan) for name in metrics}
        for (first, second, item), outputs in pool.aligned.items():
            for name, metric in metrics.items():
                of_metric = losses[name][item]
                of_metric[first, second], of_metric[second, first] = metric.losses(outputs)
        self.pool = RunPool(pool.runs, metrics, losses, Signature.of("drift"))

    def comparison(self, kind, n_items, n_reruns, rng):
        """Draw items, the role of each run at each item, and the items that are damaged."""
        items = np.sort(rng.permutation(len(self.pool.runs[0].items))[:n_items])
        roles = rng.permuted(np.tile(SOURCES, (len(items), 1)), axis=1)[:, : n_reruns + 2]
        if kind != UNCHANGED:
            sources = roles[:, 0].tolist()
            able = [self._possible[kind, run][item] for run, item in zip(sources, items, strict=True)]
            possible = np.flatnonzero(able)
            damaged = rng.permutation(possible)[: int(np.ceil(KINDS[kind][1] * len(possible) - 1e-9))]
            roles[damaged, 0] = [self._damaged[kind, sources[row]] for row in damaged]
        return self.pool.comparison(items, list(roles.T))

    def sampled_drifts(self, kind, n_items, n_reruns, rng):
        """Draw items with replacement from the pool, which is the population, and damage each at random.

        Returns:
            The candidate's drifts, shape (n_items,), by tested metric.
        """
        items = rng.integers(len(self.pool.runs[0].items), size=n_items)
        roles = rng.permuted(np.tile(SOURCES, (n_items, 1)), axis=1)[:, : n_reruns + 2]
        for row in np.flatnonzero(rng.random(n_items) < KINDS[kind][1]) if kind != UNCHANGED else ():
            source = int(roles[row, 0])
            if self._possible[kind, source][items[row]]:
                roles[row, 0] = self._damaged[kind, source]
        rows = items[:, None, None], roles[:, :, None], roles[:, None, :]
        losses = {name: of_metric[rows] for name, of_metric in self.pool.losses.items()}
        every = np.arange(len(self.pool.runs[0].items))
        comparison = replace(
            self.pool.comparison(every, [np.full_like(every, run) for run in range(n_reruns + 2)]),
            pair_losses=losses,
        )
        usual = [name for name, metric in self.pool.metrics.items() if metric.is_usual]
        return {name: comparison.drifts(name) for name in usual}


def coverage(draws, kind, n_reruns, n_draws, seed):
    """Return the share of upper bounds that reach the true drift (mean over draws), by tested metric."""
    bounds, covered = defaultdict(list), {}
    for number in range(n_draws):
        rng = np.random.default_rng([seed, number, n_reruns, *kind.encode()])
        for name, drifts in draws.sampled_drifts(kind, ITEMS, n_reruns, rng).items():
            bounds[name].append((np.nanmean(drifts), drift_bounds(drifts)[1]))
    for name, of_metric in bounds.items():
        means, highs = np.array(of_metric).T
        covered[name] = float((highs >= means.mean() - 1e-12).mean())
    return covered


def simple_gate(comparison):
    """Decide with a simple gate: four metrics, the exchange test with Holm, one bound, four limits."""
    margins, p_values, drifts = [], [], []
    for name in ("match", "contradictions", "output_count", "credits_difference"):
        losses = np.nan_to_num(comparison.pair_losses[name], nan=0.0)
        mean, k = run_losses(losses), losses.shape[1]
        noise = (losses.sum(axis=(1, 2))[:, None] - (k - 1) * mean - losses.sum(axis=2)) / ((k - 1) * (k - 2))
        drifts.append(mean - noise)
        p_values.append(exchange_test(np.round(mean - noise, 12)))
        span = comparison.metrics[name].span
        margins.append(max(0.05 * span, noise[:, 0].mean() / 2))
    broken = broken_items(comparison)
    if any(broken[name].broken.any() for name in ("silenced", "refused", "lost_outputs", "lost_fields")):
        return Outcome.FAIL
    fails, passes = [], []
    for own, p, margin in zip(drifts, correct_by_holm(p_values), margins, strict=True):
        mean, error = own[:, 0].mean(), own[:, 0].std(ddof=1) / np.sqrt(len(own))
        fails.append(p < 0.05 and mean >= margin)
        passes.append(mean + 1.71 * error < margin)
    return Outcome.FAIL if any(fails) else Outcome.PASS if all(passes) else Outcome.UNDECIDED


def gate(settings=None):
    return lambda comparison: decide(comparison, settings).outcome


def counted(draws, kind, n_reruns, n_draws, deciders, seed):
    """Count the outcomes of several gates over the same draws."""
    counts = [Counter() for _ in deciders]
    for number in range(n_draws):
        rng = np.random.default_rng([seed, number, *kind.encode()])
        comparison = draws.comparison(kind, int(rng.integers(24, 31)), n_reruns, rng)
        for count, decider in zip(counts, deciders, strict=True):
            count[decider(comparison)] += 1
    return counts


HALVES = {"chosen": CHOSEN_ON, "reported": REPORTED_ON}


def load(name, folder, meter, kinds):
    if name in HALVES:
        return joined([load(each, folder, meter, kinds) for each in ("written", "athena")], HALVES[name])
    path = folder / f"{name}.pkl" if folder else None
    if path and path.exists():
        return pickle.loads(path.read_bytes())
    pool = build(written_runs() if name == "written" else athena_runs(), meter, kinds)
    if path:
        path.write_bytes(pickle.dumps(pool))
    return pool


def shares(count):
    return "/".join(f"{100 * count[outcome] / count.total():.0f}" for outcome in Outcome)


def main():
    parser = Options(__doc__)
    parser.add_size("--draws", 100, quick=2, help="of each kind of run, number of reruns and dataset")
    parser.add_size("--kinds", list(KINDS), quick=["dropped", "silence"], choices=KINDS, help="of damage")
    data = ("written", "athena", *HALVES)
    parser.add_size("--data", ["written", "athena", "reported"], quick=["written"], choices=data)
    parser.add_size("--coverage-draws", 400, quick=25, help="of each kind of run, reruns and dataset")
    parser.add_argument("--pool", type=Path, help="folder that stores the scores of these kinds")
    parser.add_argument("--ablate", action="store_true", help="leave out one metric or limit at a time")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print(f"{date.today()}, {machine()}; pass/fail/undecided in % of {options.draws} draws")
    for name in options.data:
        if name != "written" and not ATHENA.exists():
            print(f"left out: Athena's feedback, as {ATHENA} is not there")
            continue
        draws = Draws(load(name, options.pool, DriftMeter(), options.kinds))
        if options.ablate:
            ablate(draws, name, options)
            continue
        print(f"\n## {name}\n\n| runs | {' | '.join(f'{r} reruns | simplest' for r in RERUNS)} |")
        for kind in (UNCHANGED, *options.kinds):
            cells = []
            for n_reruns in RERUNS:
                cells += map(
                    shares, counted(draws, kind, n_reruns, options.draws, (gate(), simple_gate), options.seed)
                )
            print(f"| {kind} | {' | '.join(cells)} |", flush=True)
        print(f"\n## {name}: upper bounds at or above the true drift, mean over metrics (lowest)\n")
        for kind in (UNCHANGED, *options.kinds):
            cells = [shown(coverage(draws, kind, r, options.coverage_draws, options.seed)) for r in RERUNS]
            print(f"| {kind} | {' | '.join(cells)} |", flush=True)


def shown(covered):
    lowest = min(covered, key=covered.get)
    return f"{100 * np.mean(list(covered.values())):.1f} ({lowest} {100 * covered[lowest]:.1f})"


def ablate(draws, name, options):
    """Print the shares of draws that fail with 3 reruns, and pass with 1, without each metric and limit."""
    usual = [key for key, metric in draws.pool.metrics.items() if metric.is_usual]
    variants = {"all": GateSettings()}
    variants |= {
        f"without {key}": GateSettings(metrics=[one for one in usual if one != key]) for key in usual
    }
    variants |= {f"without limit {key}": GateSettings(limits={key: "off"}) for key in LIMITS}
    kinds = (UNCHANGED, *options.kinds)
    print(f"\n## {name}: fail with 3 reruns / pass with 1\n\n| | {' | '.join(kinds)} |")
    table = {variant: [] for variant in variants}
    for kind in kinds:
        deciders = [gate(settings) for settings in variants.values()]
        three, one = (counted(draws, kind, r, options.draws, deciders, options.seed) for r in (3, 1))
        for variant, failed, passed in zip(variants, three, one, strict=True):
            ends = failed[Outcome.FAIL], passed[Outcome.PASS]
            table[variant].append("/".join(f"{100 * n / options.draws:.0f}" for n in ends))
    for variant, cells in table.items():
        print(f"| {variant} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
