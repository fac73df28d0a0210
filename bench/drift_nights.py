"""How soon the gate over runs sees damage that begins one night, on feedback whose reruns differ.

Run with ``python bench/drift_nights.py``. Datasets are those of ``drift_self_test.py --with-reruns``, in
halves of their items. For each item, chance says which of five runs are the baseline and its reruns; each
night draws one of the others. From the sixth night on a third of 30 drawn items is damaged. Shown are series
with an alarm within ten nights of that, and over 200 nights without damage: by the bets against the reruns
alone (half of alpha each for bound and bets), and by both kinds of bets, as ``--over-runs`` has them.
"""

import argparse
from math import log

import numpy as np
from scipy.special import ndtri

from drift_self_test import ATHENA, REMADE, athena, every_other, remade, written_runs
from semscale.drift.gate.decision import EVIDENCE_PARTS
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.measure.metrics import is_usual
from semscale.drift.measure.roles import drifts_of_pairs, reference_variance
from semscale.drift.self_testing.self_test import measure_changes
from semscale.stats.tests.betting import p_value_evidence, run_evidence
from semscale.stats.tests.conformal import conformal_p_values
from semscale.stats.tests.multiple_testing import adjusted

KINDS, ITEMS, DAMAGED, FIRST_BAD, NIGHTS, QUIET_NIGHTS = ("negate", "drop", "swap"), 30, 10, 5, 15, 200
SETTINGS = GateSettings()


class Series:
    """The losses of some nights, and those of the references among each other, of drawn items."""

    def __init__(self, versions, rng, *, reruns, nights, damaged):
        self.versions, self.nights, self.r = versions, nights, reruns
        n = versions.can_be.shape[1]
        self.items = rng.integers(n, size=ITEMS)
        if damaged:
            self.items[:damaged] = rng.choice(np.flatnonzero(versions.can_be.all(axis=0)), damaged)
        order = rng.permuted(np.tile(np.arange(versions.n), (ITEMS, 1)), axis=1)
        self.references, rest = order[:, : reruns + 1], order[:, reruns + 1 :]
        self.candidates = [
            rest[np.arange(ITEMS), rng.integers(rest.shape[1], size=ITEMS)] for _ in range(nights)
        ]
        self.damaged = np.arange(ITEMS) < damaged

    def losses(self, metric):
        """Mean losses against the references (nights, items), and of all pairs of these (items, k, k)."""
        losses, k = np.nan_to_num(self.versions.losses[metric]), self.r + 1
        pairs = np.zeros((ITEMS, k, k))
        for one, other in zip(*np.nonzero(~np.eye(k, dtype=bool)), strict=True):
            pairs[:, one, other] = losses[0, self.references[:, one], self.references[:, other], self.items]
        nights = []
        for night, candidate in enumerate(self.candidates):
            part = (self.damaged & (night >= FIRST_BAD)).astype(int)
            against = [losses[part, self.references[:, at], candidate, self.items] for at in range(k)]
            nights.append(np.mean(against, axis=0))
        return np.array(nights), pairs


def evidence(nights, pairs, span, n_metrics):
    """Evidence against the reruns and against the nights before, and whether each night is material."""
    n, k = pairs.shape[:2]
    of_pairs = pairs[:, *np.triu_indices(k, 1)]
    expected = of_pairs.mean(axis=1)
    if k > 2:  # noqa: PLR2004
        variance = reference_variance(pairs)
    else:
        three = np.zeros((n, 3, 3))
        three[:, 1:, 1:] = pairs
        three[:, 0, 1:] = three[:, 1:, 0] = nights[-1][:, None]
        variance = 2 / 3 * drifts_of_pairs(three).var(axis=1).mean()
    alpha = SETTINGS.alpha / 2 / n_metrics
    bound = -ndtri(alpha) * np.sqrt(variance / n) + span * log(1 / alpha) / (3 * n * k)
    shift, least = expected.mean() - expected, min((expected.mean() - expected).min(), 0.0) / span
    centred = [np.clip((night + shift) / span, least, 1 + abs(least)) for night in nights]
    allowed = (expected.mean() + bound) / span
    beyond = run_evidence(centred, allowed, least=least) if allowed > least else np.ones(len(nights))
    among = np.r_[1.0, p_value_evidence(conformal_p_values(nights)[1:])]
    return beyond, among, (nights - expected).mean(axis=1), np.sqrt((of_pairs**2).mean())


def first_alarms(series):
    """The first night with an alarm, by the bets against the reruns alone, and by both kinds of bets."""
    metrics = {name: one for name, one in series.versions.template.metrics.items() if is_usual(name)}
    old, new, material = [], [], []
    for name, metric in metrics.items():
        beyond, among, drift, rms = evidence(*series.losses(name), metric.span, len(metrics))
        old.append(np.minimum(1.0, 2 / beyond))
        new.append(np.minimum(1.0, EVIDENCE_PARTS / np.maximum(beyond, among)))
        material.append(drift >= SETTINGS.margin(metric.span, noise=rms if metric.is_similarity else None))
    found = []
    for p_values in (np.array(old), np.array(new)):
        corrected = np.column_stack([adjusted(night, "holm") for night in p_values.T])
        alarms = ((corrected < SETTINGS.alpha) & np.array(material)).any(axis=0)
        found.append(int(np.argmax(alarms)) if alarms.any() else np.inf)
    return found


def row(title, versions, asked, reruns, *, damaged, nights):
    """Print the share of series with an alarm within ten nights of damage; or at all, without any."""
    rng = np.random.default_rng(0)
    found = np.array(
        [
            first_alarms(Series(versions, rng, reruns=reruns, nights=nights, damaged=damaged))
            for _ in range(asked.series)
        ]
    )
    seen = (found >= FIRST_BAD) & (found < FIRST_BAD + 10) if damaged else np.isfinite(found)
    early = (found < FIRST_BAD).mean(axis=0) if damaged else np.zeros(2)
    shares = " | ".join(f"{100 * share:.0f} %" for share in (*seen.mean(axis=0), *early))
    print(f"| {title}, {reruns} rerun{'s' * (reruns > 1)} | {shares} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=50)
    asked = parser.parse_args()
    sets = [written_runs()]
    if ATHENA.exists():
        sets.append([athena(), *(remade(athena(), seed) for seed in REMADE)])
    for runs in sets:
        for half in (0, 1):
            changes = measure_changes(
                tuple(every_other(run, half) for run in runs), KINDS, DriftMeter(), seed=0
            )
            print(f"\n## {runs[0].dataset}, half {half}: alarms in % of {asked.series} series\n")
            print("| | reruns alone | both | before the damage, reruns alone | both |\n|---|---|---|---|---|")
            for change in changes:
                for reruns in (1, 2):
                    title = f"`{change.kind}`"
                    row(title, change.versions, asked, reruns, damaged=DAMAGED, nights=NIGHTS)
            row("none, 200 nights", changes[0].versions, asked, 2, damaged=0, nights=QUIET_NIGHTS)


if __name__ == "__main__":
    main()
