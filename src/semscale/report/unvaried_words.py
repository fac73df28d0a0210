"""What an interval without width leaves open, where no item differs from another."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from semscale.drift.gate.signature import stated_plan
from semscale.report.drift_words import metric_label
from semscale.report.wording import count, coverage, listed, percent
from semscale.stats.intervals.shares import clopper_pearson_upper

if TYPE_CHECKING:
    from semscale.drift.gate.decision import GateDecision
    from semscale.history.stored_comparison import StoredFigure
    from semscale.stats.intervals.means import MeanEstimate


def unvaried_words(
    drifts: "Mapping[str, MeanEstimate | StoredFigure]", decision: "GateDecision | None"
) -> str | None:
    """Say which metrics have the same drift in every item, and how many items may differ all the same.

    A bootstrap of items that are all alike, and a t interval too, has no width: [0, 0]. Yet of 30 items none
    differs in one of five samples even where 5 % of all items do.

    Args:
        drifts: mean drifts over all items, by metric.
        decision: whose interval says how sure the bound is; 95 % without a gate.

    Returns:
        One sentence; ``None`` where every metric varies. The bound is Clopper and Pearson's, one-sided, for
        the fewest items that one of them counts.
    """
    alike: dict[int, list[str]] = {}
    for name, one in drifts.items():
        if one.n > 0 and one.low == one.high:
            alike.setdefault(one.n, []).append(metric_label(name))
    if not alike:
        return None
    interval = stated_plan(None if decision is None else decision.signature).interval
    bound = percent(clopper_pearson_upper(0, min(alike), interval))
    (most, names), *fewer = sorted(alike.items(), reverse=True)
    said = [f"All {count(most)} items are alike in {listed(names)}"]
    said += [f"all {count(n)} that have a value in {listed(others)}" for n, others in fewer]
    has = "its interval has" if sum(map(len, alike.values())) == 1 else "their intervals have"
    return (
        f"{', '.join(said)}, so {has} no width; up to {bound} of items like these may "
        f"differ all the same ({coverage(interval)} confidence)."
    )
