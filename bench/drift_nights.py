"""How soon the gate over runs sees damage that begins one night, on feedback whose reruns differ.

Run with ``python bench/drift_nights.py``. Datasets are those of ``drift_self_test.py --with-reruns``, in
halves of their items. For each item, chance says which of five runs are the baseline and its reruns; each
night draws one of the others. From the sixth night on a third of 30 drawn items is damaged. Shown are series
with an alarm within ten nights of that, and over 200 nights without damage, with Wilson's intervals at 95 %.
An alarm is a metric over all items that is material and, by the gate's ``sequence_tests``, significant; hard
limits are left out.
"""

from datetime import date
from time import process_time

import numpy as np

from drift_self_test import ATHENA, REMADE, athena, every_other, remade, written_runs
from measuring import Options, machine
from semscale.drift.gate.mean_drifts import mean_drifts
from semscale.drift.gate.metric_choice import chosen_metrics, margins
from semscale.drift.gate.settings import GateSettings
from semscale.drift.measure.meter import DriftMeter
from semscale.drift.nights.sequence import sequence_tests
from semscale.drift.self_testing.draws import Draw, compare_drawn
from semscale.drift.self_testing.self_test import REPLICATES, measure_changes
from semscale.history.stored_comparison import StoredComparison
from semscale.stats.intervals import wilson_interval

KINDS, ITEMS, DAMAGED, FIRST_BAD, NIGHTS = ("negate", "drop", "swap"), 30, 10, 5, 15
SETTINGS = GateSettings(over_runs=True, replicates=REPLICATES)


def series(versions, rng, *, reruns, nights, damaged):
    """Comparisons of successive nights with the same baseline and reruns, of drawn items."""
    items = rng.integers(versions.can_be.shape[1], size=ITEMS)
    if damaged:
        items[:damaged] = rng.choice(np.flatnonzero(versions.can_be.all(axis=0)), damaged)
    order = rng.permuted(np.tile(np.arange(versions.n), (ITEMS, 1)), axis=1)
    references, rest = order[:, : reruns + 1], order[:, reruns + 1 :]
    compared = []
    for night in range(nights):
        candidates = rest[np.arange(ITEMS), rng.integers(rest.shape[1], size=ITEMS)]
        are_damaged = (np.arange(ITEMS) < damaged) & (night >= FIRST_BAD)
        draw = Draw(items, np.column_stack([candidates, references]), are_damaged)
        compared.append(compare_drawn(versions, draw))
    return compared


def stored(comparison):
    """What a history keeps of a night, as far as tests over runs read it."""
    return StoredComparison(
        baseline_id=comparison.baseline.id,
        candidate_id=comparison.candidate.id,
        model=comparison.candidate.model,
        dataset=comparison.baseline.dataset,
        signature=str(comparison.signature),
        outcome=None,
        figures=(),
        scores={name: comparison.mean_losses(name) for name in comparison.metrics},
    )


def material(comparison, names):
    """Metrics that are material over all items, as the gate decides it."""
    limits = margins(comparison, SETTINGS, names)
    everything = {None: np.ones(ITEMS, dtype=bool)}
    found = mean_drifts(comparison, names, everything, SETTINGS.plan())
    return {name for name in names if found[name, None].mean.value >= limits[name]}


def significant(nights, earlier, night, names):
    """Metrics that are significant over all runs up to a night."""
    limits = margins(nights[night], SETTINGS, names)
    tests = sequence_tests(nights[night], earlier[:night], limits, SETTINGS)
    return {test.metric for test in tests if test.is_significant}


def first_alarm(nights, *, is_quiet):
    """The first night with an alarm, from 0 on; infinite where there is none.

    Args:
        nights: the comparisons of a series.
        is_quiet: ask the last night first, as most quiet series are not significant then: with two reruns
            or more evidence never falls, so that these never were. With one rerun each night's own noise
            counts in what is allowed.
    """
    names = chosen_metrics(nights[0], SETTINGS)
    earlier = [stored(night) for night in nights]
    if is_quiet and not significant(nights, earlier, len(nights) - 1, names):
        return np.inf
    for night, comparison in enumerate(nights):
        large = material(comparison, names)
        if large and large & significant(nights, earlier, night, names):
            return night
    return np.inf


def share(hits):
    found = wilson_interval(int(hits.sum()), len(hits))
    return f"{100 * found.value:.3g} % ({100 * found.low:.1f} to {100 * found.high:.1f} %)"


def alarms(versions, n, *, reruns, nights, damaged):
    """First alarms of n series, and the processor seconds that they took."""
    rng, start = np.random.default_rng(0), process_time()
    drawn = (series(versions, rng, reruns=reruns, nights=nights, damaged=damaged) for _ in range(n))
    found = np.array([first_alarm(one, is_quiet=reruns > 1 and not damaged) for one in drawn])
    return found, process_time() - start


def shown(title, reruns, n):
    return f"{title}, {reruns} rerun{'s' * (reruns > 1)}, {n} series"


def print_damaged(change, n, reruns):
    """Print the share of series with an alarm within ten nights of damage, and before it."""
    found, cost = alarms(change.versions, n, reruns=reruns, nights=NIGHTS, damaged=DAMAGED)
    seen = (found >= FIRST_BAD) & np.isfinite(found)
    night = f"{np.median(found[seen]) - FIRST_BAD + 1:.0f}" if seen.any() else ""
    title = shown(f"`{change.kind}`", reruns, n)
    print(f"| {title} | {share(seen)} | {night} | {share(found < FIRST_BAD)} | {cost:.0f} |", flush=True)


def print_quiet(versions, n, reruns, nights):
    """Print the share of series with an alarm in any of the nights without damage."""
    found, cost = alarms(versions, n, reruns=reruns, nights=nights, damaged=0)
    title = shown(f"none, {nights} nights", reruns, n)
    print(f"| {title} | {share(np.isfinite(found))} | | | {cost:.0f} |", flush=True)


def main():
    parser = Options(__doc__)
    parser.add_size("--series", 200, quick=1)
    parser.add_size("--sets", ["written", "athena"], quick=["written"], choices=("written", "athena"))
    parser.add_size("--quiet-nights", 200, quick=10, help="of series without damage")
    parser.add_size("--halves", [0, 1], quick=[1], choices=(0, 1), help="of items")
    parser.add_argument(
        "--quiet-reruns",
        nargs="*",
        type=int,
        choices=(1, 2),
        default=(2,),
        help="reruns of series without damage; with one a series asks the gate at many nights, which is slow",
    )
    asked = parser.parse_args()
    print(f"{date.today()}, {machine()}; series with an alarm (Wilson, 95 %), and processor seconds")
    sets = [written_runs()] if "written" in asked.sets else []
    if "athena" in asked.sets and ATHENA.exists():
        sets.append([athena(), *(remade(athena(), seed) for seed in REMADE)])
    for runs in sets:
        for half in asked.halves:
            changes = measure_changes(
                tuple(every_other(run, half) for run in runs), KINDS, DriftMeter(), seed=0
            )
            print(f"\n## {runs[0].dataset}, half {half}\n")
            print("| a third changed | within ten nights | half of these by night | before the damage | s |")
            print("|---|---|---|---|---|")
            for change in changes:
                for reruns in (1, 2):
                    print_damaged(change, asked.series, reruns)
            for reruns in asked.quiet_reruns:
                print_quiet(changes[0].versions, asked.series, reruns, asked.quiet_nights)


if __name__ == "__main__":
    main()
