"""Hard limits and must-pass items of a comparison, by the gate's settings."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from semscale.drift.gate.metric_choice import margins
from semscale.drift.gate.settings import GateSettings
from semscale.drift.limits.checks import (
    excused_cautions,
    items_breaking,
    limit_cautions,
    limit_rules,
    missing_items,
    whole_in_reruns,
)
from semscale.drift.limits.must_pass import check_must_pass
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.drift.limits.slices import each_slice, slice_members
from semscale.drift.measure.comparison import Comparison
from semscale.history.runs import named
from semscale.types import Floats


@dataclass(frozen=True)
class HardLimits:
    """What is checked without statistics.

    Attributes:
        limits: one check for every limit in force, and for those of slices.
        must_pass: one check for every must-pass item.
        cautions: limits that a rerun of the baseline breaks, items that a rerun excuses, and what cannot be
            judged.
    """

    limits: tuple[LimitCheck, ...]
    must_pass: tuple[MustPassCheck, ...]
    cautions: tuple[str, ...]

    @property
    def hold(self) -> bool:
        """Whether every limit holds and no must-pass item became worse."""
        limits_hold = all(check.passed for check in self.limits)
        return limits_hold and all(check.passed for check in self.must_pass)

    @property
    def is_checked(self) -> bool:
        """Whether each limit looked at all items that could break it."""
        return not any(check.n_unchecked for check in self.limits)


def check_hard_limits(comparison: Comparison, settings: GateSettings, names: Sequence[str]) -> HardLimits:
    """Check hard limits and must-pass items.

    Args:
        comparison: a candidate measured against the baseline.
        settings: settings of the gate.
        names: of the tested metrics.

    Raises:
        UnknownNameError: a slice or a must-pass item does not exist.
    """
    rules = limit_rules(comparison, settings.limits, settings.slices, lost_share=settings.lost_share)
    broken = items_breaking(comparison, rules, settings.lost_share)
    missing = missing_items(comparison, settings.limits)
    limits = (*missing, *(rule.check(comparison, broken) for rule in rules))
    item_margins = _item_margins(comparison, settings, names) if settings.must_pass else {}
    must_pass = check_must_pass(comparison, settings.must_pass, item_margins, rules, broken)
    cautions = (*limit_cautions(comparison, rules), *excused_cautions(limits))
    if settings.must_pass:
        cautions += _must_pass_cautions(comparison)
    return HardLimits(limits, must_pass, cautions)


def _must_pass_cautions(comparison: Comparison) -> tuple[str, ...]:
    """Say what cannot be judged of must-pass items, and which reruns do not show chance."""
    if not comparison.reruns:
        return (
            "must_pass: without a rerun of the baseline nobody knows how far its texts vary by chance, so "
            "that these items are judged by their outputs and fields, and by limits other than that of "
            "changed numbers",
        )
    whole = np.asarray(whole_in_reruns(comparison).all(axis=0))
    lost = [item.id for item, is_whole in zip(comparison.baseline.items, whole, strict=True) if not is_whole]
    if not lost:
        return ()
    return (
        f"must_pass: at {named(lost)} a rerun of the baseline lost all outputs, its answer or a field; that "
        "is not taken for chance in must-pass items; see that the reruns are complete",
    )


def _item_margins(comparison: Comparison, settings: GateSettings, names: Sequence[str]) -> dict[str, Floats]:
    """Give each item's margin in each metric, shape (n,): that of its slice, the least of several."""
    n = len(comparison.baseline.items)
    overall = margins(comparison, settings, names)
    found = {name: np.full(n, np.inf) for name in names}
    members = slice_members(comparison, settings.slices)
    for group, own in each_slice(settings.slices):
        of_slice = margins(comparison, settings, names, group)
        for name in own.material.keys() & found.keys():
            inside = members[group]
            found[name][inside] = np.minimum(found[name][inside], of_slice[name])
    return {name: np.where(np.isinf(values), overall[name], values) for name, values in found.items()}
