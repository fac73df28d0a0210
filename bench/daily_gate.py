"""How often a gate that runs every day raises a false alarm, and after how many days it sees a drift.

Run with ``python bench/daily_gate.py``. Outputs of a made-up dataset are points on a line, and a loss is how
far two of them are apart; items differ in how far outputs vary by chance. All runs are measured against each
other. Each day's run is tested by itself, and by the evidence of all days (``over_runs``). With ``--good``
the drift begins after so many days without one, and days are counted from then on.
"""

import numpy as np
from scipy.special import ndtri

from measuring import Options
from semscale.drift.gate.decision import EVIDENCE_PARTS
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.roles import drifts_of_pairs, reference_variance
from semscale.stats.drift_tests import conformal_p_values, exchange_test, p_value_evidence, run_evidence

ITEMS, METRICS = 30, 6
DRIFTS = (0.0, 0.025, 0.05, 0.1, 0.2, 0.4)
SETTINGS = GateSettings()


def losses(outputs):
    """Losses of all pairs of runs, shape (items, runs, runs), of outputs (items, runs)."""
    return np.minimum(np.abs(outputs[:, :, None] - outputs[:, None]), 1.0)


def first(alarms):
    """The first day of an alarm, counted from 1; infinite where there is none."""
    return int(np.argmax(alarms)) + 1 if alarms.any() else np.inf


def alarm_days(rng, asked, drift):
    """First alarms of one dataset: of a p-value, of the gate for one run, and of the gate over runs."""
    items, reruns = asked.items, asked.reruns
    spread = rng.uniform(0.0, 0.4, items)[:, None]
    references = spread * rng.normal(size=(items, reruns + 1))
    pairs = losses(references)
    expected = pairs[:, *np.triu_indices(reruns + 1, 1)].mean(axis=1)
    alpha = SETTINGS.alpha / 2 / METRICS
    p_values, runs = [], []
    for day in range(asked.good + asked.days):
        together = losses(np.column_stack([spread * rng.normal(size=(items, 1)), references]))
        together[:, 0, 1:] = together[:, 1:, 0] = np.minimum(
            together[:, 0, 1:] + drift * (day >= asked.good), 1.0
        )
        p_values.append(exchange_test(drifts_of_pairs(together)).p_value)
        runs.append(together[:, 0, 1:].mean(axis=1) - expected + expected.mean())
    if reruns > 1:
        variance = reference_variance(pairs)
    else:
        variance = 2 / 3 * drifts_of_pairs(together).var(axis=1).mean()
    bound = -ndtri(alpha) * np.sqrt(variance / items) + np.log(1 / alpha) / (3 * items * (reruns + 1))
    beyond = run_evidence(
        runs, expected.mean() + bound, least=min(float((expected.mean() - expected).min()), 0.0)
    )
    among = p_value_evidence(conformal_p_values(np.array(runs))[1:])
    evidence = np.maximum(beyond, np.r_[1.0, among])
    enough = EVIDENCE_PARTS * METRICS / SETTINGS.alpha
    significant = np.array(p_values) < SETTINGS.alpha / METRICS
    material = np.array([run.mean() for run in runs]) - expected.mean() >= SETTINGS.margin(1.0, noise=None)
    alarms = significant, significant & material, (evidence > enough) & material
    return [first(one[asked.good :]) for one in alarms]


def shown(ends, days):
    """Share of datasets with an alarm, and the median day of the first where most have one."""
    share = np.isfinite(ends).mean()
    median = np.median(ends)
    return f"{100 * share:5.1f} %" + (f", day {median:3.0f}" if np.isfinite(median) else "         ")


def main():
    parser = Options(__doc__)
    parser.add_size("--datasets", 400, quick=2)
    parser.add_size("--days", 200, quick=5)
    parser.add_argument("--items", type=int, default=ITEMS)
    parser.add_argument("--reruns", type=int, default=3)
    parser.add_argument("--good", type=int, default=0, help="days before the drift begins")
    asked = parser.parse_args()
    print(
        f"{asked.datasets} datasets of {asked.items} items, {asked.reruns} reruns, one of {METRICS} metrics, "
        f"{asked.days} daily runs each:"
    )
    print("share with an alarm, and the median day of the first")
    names = ("a p-value a day", "gate, one run", "gate over runs")
    print(f"{'drift':>6}" + "".join(f"{name:>22}" for name in names))
    for drift in DRIFTS:
        rng = np.random.default_rng(0)
        ends = np.array(
            [alarm_days(rng, asked, drift) for _ in range(asked.datasets)],
            dtype=float,
        )
        print(f"{drift:>6}" + "".join(f"{shown(column, asked.days):>22}" for column in ends.T), flush=True)


if __name__ == "__main__":
    main()
