"""What an interval without width leaves open, where no item differs from another."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from semscale.drift.gate_settings import GateSettings
from semscale.report.drift_words import metric_label
from semscale.report.wording import coverage, listed, percent
from semscale.stats.shares import clopper_pearson_upper

if TYPE_CHECKING:
    from semscale.drift.decision import GateDecision
    from semscale.history.stored_comparison import StoredFigure
    from semscale.stats.means import MeanEstimate


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
        One sentence; ``None`` where every metric varies. The bound is Clopper and Pearson's, one-sided.
    """
    alike = {name: one.n for name, one in drifts.items() if one.n > 0 and one.low == one.high}
    if not alike:
        return None
    stated = {} if decision is None else dict(decision.signature.fields)
    interval = float(stated.get("interval", GateSettings().interval))
    n = min(alike.values())
    bound = percent(clopper_pearson_upper(0, n, interval))
    names = listed([metric_label(name) for name in alike])
    has = "its interval has" if len(alike) == 1 else "their intervals have"
    return (
        f"All {n} items are alike in {names}, so {has} no width; up to {bound} of items like these may "
        f"differ all the same ({coverage(interval)} confidence)."
    )
