"""How often a gate that runs every day raises a false alarm, and after how many days it sees a drift.

Run with ``python bench/daily_gate.py``. Items of a made-up dataset differ in how far outputs vary by chance;
the baseline has one rerun. Each day's run is tested by itself (a p-value below 5 %; and as the gate is set,
material too), and by the evidence of all days (``over_runs``).
"""

import argparse

import numpy as np

from semscale.drift.gate.settings import GateSettings
from semscale.stats.intervals.paired_bootstrap import paired_means
from semscale.stats.tests.betting import run_evidence

ITEMS = 30
DRIFTS = (0.0, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.4)
SETTINGS = GateSettings(replicates=1000)


def losses(rng, items, days):
    """Losses by chance alone, shape (items, days): how far an item's outputs vary is its own."""
    return rng.uniform(0.0, 0.6, items)[:, None] * rng.beta(1, 2, (items, days))


def first(alarms):
    """The first day of an alarm, counted from 1; infinite where there is none."""
    return int(np.argmax(alarms)) + 1 if alarms.any() else np.inf


def alarm_days(rng, items, days, drift):
    """First alarms of one dataset: of a p-value, of the gate for one run, and of the gate over runs."""
    chance = losses(rng, items, days + 1)
    rerun, runs = chance[:, 0], np.minimum(chance[:, 1:] + drift, 1.0)
    noise = rerun.mean()
    margin = SETTINGS.margin(1.0, noise=float(np.sqrt(np.mean(rerun**2))))
    found = paired_means(runs - rerun[:, None], plan=SETTINGS.plan())
    significant = np.array([day.p_value < SETTINGS.alpha for day in found])
    material = np.array([day.mean.value >= margin for day in found])
    means = runs.mean(axis=0)
    evidence = np.array(
        [run_evidence(means[:day], runs[:, day - 1], noise + margin)[-1] for day in range(1, days + 1)]
    )
    over_runs = (evidence > 1 / SETTINGS.alpha) & material
    return first(significant), first(significant & material), first(over_runs)


def shown(ends, days):
    """Share of datasets with an alarm, and the median day of the first where most have one."""
    share = np.isfinite(ends).mean()
    median = np.median(ends)
    return f"{100 * share:5.1f} %" + (f", day {median:3.0f}" if np.isfinite(median) else "         ")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--datasets", type=int, default=500)
    parser.add_argument("--days", type=int, default=400)
    parser.add_argument("--items", type=int, default=ITEMS)
    asked = parser.parse_args()
    print(f"{asked.datasets} datasets of {asked.items} items, one metric, {asked.days} daily runs each:")
    print("share with an alarm, and the median day of the first")
    names = ("a p-value a day", "gate, one run", "gate over runs")
    print(f"{'drift':>6}" + "".join(f"{name:>22}" for name in names))
    for drift in DRIFTS:
        rng = np.random.default_rng(0)
        ends = np.array(
            [alarm_days(rng, asked.items, asked.days, drift) for _ in range(asked.datasets)], dtype=float
        )
        print(f"{drift:>6}" + "".join(f"{shown(column, asked.days):>22}" for column in ends.T), flush=True)


if __name__ == "__main__":
    main()
