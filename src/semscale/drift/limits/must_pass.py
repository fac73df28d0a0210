"""Must-pass items: each of them fails the gate alone when it becomes worse than reruns explain."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from semscale.drift.limits.broken_items import BrokenItems
from semscale.drift.limits.checks import LimitRule
from semscale.drift.limits.kinds import LIMITS
from semscale.drift.limits.results import MustPassCheck
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.errors import UnknownNameError
from semscale.history.runs import Run
from semscale.messages import did_you_mean, shortened
from semscale.types import Floats, Integers, Mask

ENOUGH_RERUNS = 3
"""Reruns that show how far an item varies by chance; with fewer, an item must go beyond it by the margin."""

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
    was asked something else. It also fails if its loss in a metric is greater than its greatest loss of the
    reruns by the margin or more, as far as chance does not explain it: of many items some rewording is always
    unlike those of one or two reruns. So the item's drift must be greater than that which baseline or a rerun
    has in the candidate's place at any item, by the margin if there are fewer than ``ENOUGH_RERUNS``. What
    guards find, contradictions and other numbers, counts likewise, or if the item has at least two findings
    more than in any rerun: guards err, and rarely twice at one item. Without a rerun similarities,
    contradictions and changed numbers are not judged, as nobody knows how far a rewording may go.

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
    excess = {name: _beyond_reruns(comparison, name, margins[name]) for name in judged}
    explained = _numbers_by_chance(comparison)
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


def _beyond_reruns(comparison: Comparison, name: str, margins: Floats) -> Floats:
    """Return by how much each item's loss exceeds the reruns' greatest, shape (n,); NaN if it does not count.

    It counts from the margin on, unless chance explains it.
    """
    reruns = [np.nan_to_num(losses) for losses in comparison.rerun_losses(name)]
    greatest = np.max(reruns, axis=0) if reruns else np.zeros(len(comparison.baseline.items))
    excess = comparison.losses(name) - greatest
    counts = excess >= margins - _ROUNDING
    if reruns:
        unlike_others = _beyond_any_item(comparison, name, margins)
        counts &= unlike_others | _found_twice(comparison) if name in _BY_GUARDS else unlike_others
    return np.where(counts, excess, np.nan)


def _beyond_any_item(comparison: Comparison, name: str, margins: Floats) -> Mask:
    """Tell for each item whether its drift is beyond that of baseline and reruns in the candidate's place."""
    roles = np.nan_to_num(comparison.drifts_by_role(name))
    others = float(roles[:, 1:].max(initial=0.0))
    if len(comparison.reruns) < ENOUGH_RERUNS:
        return np.asarray(roles[:, 0] >= others + margins - _ROUNDING)
    return np.asarray(roles[:, 0] > others + _ROUNDING)


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


def _numbers_by_chance(comparison: Comparison) -> Mask:
    """Tell for each item whether chance may explain other numbers, shape (n,): reruns have some at any item.

    Without a rerun nobody knows.
    """
    if not comparison.reruns:
        return np.ones(len(comparison.baseline.items), dtype=bool)
    if not any((np.nan_to_num(losses) > 0).any() for losses in comparison.rerun_losses("changed_numbers")):
        return np.zeros(len(comparison.baseline.items), dtype=bool)
    return ~_found_twice(comparison)


def _limits_broken(
    place: int, rules: Sequence[LimitRule], broken: Mapping[str, BrokenItems], explained: Mask
) -> Iterator[str]:
    """Name the limits that an item breaks; other numbers only where chance does not explain them."""
    for rule in rules:
        if rule.name in _BY_GUARDS and explained[place]:
            continue
        of_items = broken[rule.name].counts is None  # a total is not broken by an item
        if of_items and rule.inside[place] and broken[rule.name].broken[place]:
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
