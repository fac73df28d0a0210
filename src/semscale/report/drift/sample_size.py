"""Sentences about sample size: how many items would decide, and what so few leave open."""

from collections.abc import Sequence

from semscale.drift.gate.decision import (
    FEWEST_TO_PASS,
    MOST_TIMES,
    DriftTest,
    is_out_of_reach,
    items_needed,
)
from semscale.drift.gate.drift_summary import DriftSummary
from semscale.report.formatting import count, counted, coverage, listed, one_line, percent
from semscale.stats.intervals.exact_shares import clopper_pearson_upper

_MORE_RUNS = (
    "All runs against this baseline decide what is beyond chance, good ones among them, so that more runs "
    "may decide it; for one bad run by itself set a threshold, such as min_match"
)


def needed_words(tests: Sequence[DriftTest], *, over_runs: bool, n_items: int) -> str:
    """Say how many items would decide tests, or that no number of them would.

    Args:
        tests: undecided ones.
        over_runs: whether all runs together decide, so that more runs may.
        n_items: number of items of the dataset.
    """
    needed, few = items_needed(tests), [test.drift.n for test in tests if test.has_few_items]
    said = []
    if few:
        said.append(
            f"A test takes at least {FEWEST_TO_PASS} items to pass, and here are {count(min(few))}: add at "
            f"least {FEWEST_TO_PASS - min(few)}"
        )
    if needed is not None and is_out_of_reach(needed, n_items):
        said.append(
            f"More items than this dataset can give would be needed: over {MOST_TIMES} times its "
            f"{counted(n_items, 'item')}"
        )
    elif needed is not None and needed != FEWEST_TO_PASS:
        said.append(f"About {count(needed)} items would decide it if mean and spread stayed as they are")
    if not said:
        said.append(_MORE_RUNS if over_runs else "More items like these would hardly decide it")
    return ". ".join(said)


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
