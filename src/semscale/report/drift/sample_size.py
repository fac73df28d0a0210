"""Sentences about sample size: how many items would decide, and what so few leave open."""

from collections.abc import Sequence
from math import isnan

from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    MOST_TIMES,
    DriftTest,
    GateDecision,
    Outcome,
    is_out_of_reach,
    items_needed,
)
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.drift.measure.metrics import metric_label
from semscale.drift.nights.night_noise import FEWEST_NIGHTS
from semscale.drift.sizing.forecast import MOST_RERUNS, POWER, SizeForecast
from semscale.report.formatting import capitalised, count, counted, coverage, listed, one_line, percent
from semscale.stats.intervals.exact_shares import clopper_pearson_upper

_NO_RERUN = (
    "Without a rerun of the baseline nothing tells this from the model's own noise: record one "
    "(--rerun-of baseline)"
)
_MORE_RUNS = (
    "All runs against this baseline decide what is beyond chance, good ones among them, so that more runs "
    "may decide it; for one bad run by itself set a threshold, such as min_match"
)


def forecast_words(found: SizeForecast) -> str:
    """Say what would decide a gate by simulation, the cheaper way first.

    Example:
        >>> forecast_words(SizeForecast(n_items=30, reruns=1, items_needed=None, more_reruns=2))
        '2 more reruns of the baseline (60 answers) would decide it in 80 % of simulated comparisons'
    """
    said = []
    if found.more_reruns is not None:
        runs = counted(found.more_reruns, "more rerun")
        said.append(f"{runs} of the baseline ({count(int(found.answers_by_reruns))} answers)")
    if found.items_needed is not None:
        answers = count(int(found.answers_by_items))
        said.append(f"about {count(found.items_needed)} items ({answers} more answers)")
    if not said:
        return (
            f"Neither {MOST_RERUNS} more reruns nor {MOST_TIMES} times as many items would decide it in most "
            "simulated comparisons"
        )
    ways = capitalised(" or ".join(said if found.says_reruns else said[::-1]))
    return f"{ways} would decide it in {100 * POWER:g} % of simulated comparisons"


def noise_words(decision: GateDecision, model: str, reruns: int) -> str:
    """Say how far earlier nights helped to estimate the noise.

    Args:
        decision: the gate's, with earlier nights.
        model: the baseline's, whose runs these nights are.
        reruns: number of reruns of the baseline.
    """
    here = counted(reruns, "rerun") if reruns else "no rerun"
    n = decision.nights.n
    nights = f"{here} here; {counted(n, 'earlier run')} of {one_line(model)}"
    if n < FEWEST_NIGHTS:
        return f"{nights} {'does' if n == 1 else 'do'} not count yet, as it takes at least {FEWEST_NIGHTS}"
    worth = {test.metric: f"{test.nights_as_reruns:.1f}" for test in decision.overall}
    least, most = min(worth.values(), key=float), max(worth.values(), key=float)
    if float(most) == 0:
        return f"{nights} do not count, as their noise differs too much, among them or from that of this run"
    if least == most:
        return f"{nights} count as {most} reruns more"
    undecided = [test.metric for test in decision.overall if test.outcome is Outcome.UNDECIDED]
    where = ", ".join(f"{metric_label(name)} {worth[name]}" for name in undecided)
    return f"{nights} count as {least} to {most} reruns more, by metric{where and f' (undecided: {where})'}"


def needed_words(tests: Sequence[DriftTest], *, over_runs: bool, n_items: int, reruns: int) -> str:
    """Say what would decide tests at the least cost: more items, more reruns, or nothing of the kind.

    A new item costs an answer in each run, and a new rerun one for each item.

    Args:
        tests: undecided ones.
        over_runs: whether all runs together decide, so that more runs may.
        n_items: number of items of the dataset.
        reruns: number of reruns so far.
    """
    needed, few = items_needed(tests), [test.drift.n for test in tests if test.has_few_items]
    said = []
    if few:
        said.append(
            f"A test takes at least {FEWEST_TO_PASS} items to pass, and here are {count(min(few))}: add at "
            f"least {FEWEST_TO_PASS - min(few)}"
        )
    if needed is not None and needed != FEWEST_TO_PASS:
        said.append(_cheapest(tests, needed, n_items, reruns))
    if needed is None and not reruns and any(isnan(test.p_value) for test in tests):
        said.append(_NO_RERUN)
    if not said:
        said.append(_MORE_RUNS if over_runs else "More items like these would hardly decide it")
    return ". ".join(said)


def _cheapest(tests: Sequence[DriftTest], needed: int, n_items: int, reruns: int) -> str:
    """Name the cheaper of more items and more reruns, in answers of a model."""
    n = max(test.drift.n for test in tests)
    more = [test.reruns_needed for test in tests]
    further = max((one for one in more if one is not None), default=0) if None not in more else None
    if further and further * n < (needed - n) * (reruns + 2):
        return (
            f"{capitalised(counted(further, 'more rerun'))} of the baseline would decide it if mean and "
            f"spread stayed as they are ({count(further * n)} answers; or about {count(needed)} items)"
        )
    if is_out_of_reach(needed, n_items):
        return (
            f"More items than this dataset can give would be needed: over {MOST_TIMES} times its "
            f"{counted(n_items, 'item')}"
        )
    return f"About {count(needed)} items would decide it if mean and spread stayed as they are"


def unvaried_words(summary: DriftSummary) -> str | None:
    """Say which metrics have the same drift in every item, and how many items may differ all the same.

    Items that are all alike have no spread to make an interval of. Yet of 30 items none differs in one of
    five samples even where 5 % of all items do.

    Returns:
        One sentence, and where a gate was asked another about how it decides; ``None`` where every metric
        varies. The bound is Clopper and Pearson's, one-sided, for the fewest items that one of them counts.
    """
    alike: dict[int, list[str]] = {}
    for figure in summary.overall:
        is_shown = summary.decision is None or figure.test is not None
        if is_shown and figure.drift.method == "exact":
            alike.setdefault(figure.drift.n, []).append(one_line(figure.metric.label))
    if not alike:
        return None
    bound = percent(clopper_pearson_upper(0, min(alike), summary.plan.interval))
    (most, names), *fewer = sorted(alike.items(), reverse=True)
    said = [f"All {counted(most, 'item')} are alike in {listed(names)}"]
    said += [f"all {count(n)} that have a value in {listed(others)}" for n, others in fewer]
    sure = f"{coverage(summary.plan.interval)} confidence"
    still = f"{', '.join(said)}; up to {bound} of items like these may differ all the same ({sure})."
    if summary.decision is None:
        return still
    return f"{still} Intervals show this; the gate goes by the drift itself, from {FEWEST_TO_PASS} items on."
