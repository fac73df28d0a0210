"""Must-pass items: each of them fails the gate alone when it becomes worse than reruns explain."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from semscale.drift.limits.broken_items import BrokenItems
from semscale.drift.limits.chance_at_items import beyond_any_item, losses_of_whole_reruns
from semscale.drift.limits.checks import LimitRule, whole_in_reruns
from semscale.drift.limits.kinds import LIMITS
from semscale.drift.limits.results import MustPassCheck
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.errors import UnknownNameError
from semscale.history.runs import Run
from semscale.messages import did_you_mean, shortened
from semscale.types import Floats, Integers, Mask

_ROUNDING = 1e-12
_BY_GUARDS = ("contradictions", "changed_numbers")
_LOST, _CHANGED = "the candidate lacks it", "the candidate was asked something else"


def check_ids(baseline: Run, ids: Sequence[str]) -> None:
    """Check that the baseline has the must-pass items.

    Raises:
        UnknownNameError: it lacks one; the message names the nearest id.
    """
    known = {item.id for item in baseline.items}
    for one in ids:
        if one not in known:
            said = (
                f"names {shortened(one)}, which no item of the baseline has as its id"
                f"{did_you_mean(one, known) or '; take an id of the baseline'}"
            )
            raise UnknownNameError(f"must_pass {said}", in_shell=f"--must-pass (in a file: must_pass) {said}")


def check_must_pass(
    comparison: Comparison,
    ids: Sequence[str],
    margins: Mapping[str, Floats],
    rules: Sequence[LimitRule],
    broken: Mapping[str, BrokenItems],
) -> tuple[MustPassCheck, ...]:
    """Check must-pass items one by one.

    An item fails if it breaks a limit, whatever number of items may break it, or if the candidate lacks it or
    was asked something else; one that lost all outputs fails even where a rerun lost them as well. It also
    fails if its loss in a metric is greater than its greatest loss of the reruns by the margin or more, as
    far as chance does not explain it (``beyond_any_item``). What guards find, contradictions and other
    numbers, counts likewise, or if the item has at least two findings more than in any rerun: guards err, and
    rarely twice at one item. Without a rerun similarities, contradictions and changed numbers are not judged,
    as nobody knows how far a rewording may go. A rerun does not count at an item at which it lost all
    outputs, its answer or a field.

    Args:
        comparison: a candidate measured against the baseline.
        ids: of the must-pass items.
        margins: for each tested metric, shape (n,), each item's margin.
        rules: the limits in force.
        broken: the items that break each limit.

    Raises:
        UnknownNameError: the baseline lacks an item.
    """
    matching = comparison.matching
    lost = dict.fromkeys(matching.lost, _LOST) | dict.fromkeys(matching.changed, _CHANGED)
    check_ids(comparison.baseline, [one for one in ids if one not in lost])
    places = {item.id: place for place, item in enumerate(comparison.baseline.items)}
    judged = [name for name in margins if _is_judged(comparison, name)]
    whole = whole_in_reruns(comparison)
    excess = {name: _beyond_reruns(comparison, name, margins[name], whole) for name in judged}
    explained = _numbers_by_chance(comparison, whole)
    checks = []
    for one in ids:
        if one in lost:
            checks.append(MustPassCheck(one, (lost[one],)))
            continue
        place = places[one]
        reasons = [
            *_limits_broken(place, rules, broken, explained),
            *_losses(comparison, place, excess, margins),
        ]
        checks.append(MustPassCheck(one, tuple(reasons)))
    return tuple(checks)


def _is_judged(comparison: Comparison, name: str) -> bool:
    return bool(comparison.reruns) or not (comparison.metrics[name].is_similarity or name in _BY_GUARDS)


def _beyond_reruns(comparison: Comparison, name: str, margins: Floats, whole: Mask) -> Floats:
    """Return by how much each item's loss exceeds the reruns' greatest, shape (n,); NaN if it does not count.

    It counts from the margin on, unless chance explains it.
    """
    reruns = losses_of_whole_reruns(comparison, name, whole)
    excess = comparison.losses(name) - reruns.max(axis=0, initial=0.0)
    counts = excess >= margins - _ROUNDING
    if len(reruns):
        unlike_others = beyond_any_item(comparison, name, margins, whole)
        counts &= unlike_others | _found_twice(comparison) if name in _BY_GUARDS else unlike_others
    return np.where(counts, excess, np.nan)


def _found_twice(comparison: Comparison) -> Mask:
    """Tell for each item whether guards find at least two things more than in any rerun, shape (n,)."""
    n = len(comparison.baseline.items)
    of_reruns = [_n_findings(rerun, n) for rerun in comparison.reruns]
    return np.asarray(_n_findings(comparison.measured, n) - np.max(of_reruns, axis=0) > 1)


def _n_findings(run: MeasuredRun, n: int) -> Integers:
    counted = Counter[int]()
    for pair in run.pairs:
        counted[pair.item] += len(pair.findings)
    return np.array([counted[place] for place in range(n)], dtype=np.int64)


def _numbers_by_chance(comparison: Comparison, whole: Mask) -> Mask:
    """Tell for each item whether chance may explain other numbers, shape (n,): reruns have some at any item.

    Without a rerun nobody knows.
    """
    if not comparison.reruns:
        return np.ones(len(comparison.baseline.items), dtype=bool)
    if not (losses_of_whole_reruns(comparison, "changed_numbers", whole) > 0).any():
        return np.zeros(len(comparison.baseline.items), dtype=bool)
    return ~_found_twice(comparison)


def _limits_broken(
    place: int, rules: Sequence[LimitRule], broken: Mapping[str, BrokenItems], explained: Mask
) -> Iterator[str]:
    """Name the limits that an item breaks; other numbers only where chance does not explain them.

    What a rerun breaks as well is excused, but for the loss of all outputs.
    """
    for rule in rules:
        if rule.name in _BY_GUARDS and explained[place]:
            continue
        found = broken[rule.name]
        if found.counts is not None or not rule.inside[place]:  # a total is not broken by an item
            continue
        if found.broken[place] or (rule.name == "silenced" and found.excused[place]):
            yield LIMITS[rule.name].said(rule.lost_share)


def _losses(
    comparison: Comparison, place: int, excess: Mapping[str, Floats], margins: Mapping[str, Floats]
) -> Iterator[str]:
    for name, values in excess.items():
        if not np.isnan(values[place]):
            than = "the worst rerun" if comparison.rerun_losses(name) else "the baseline"
            yield (
                f"{comparison.metrics[name].label} lost {values[place]:.3f} more than {than}, margin "
                f"{margins[name][place]:.3f}"
            )
