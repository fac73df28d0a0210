"""Must-pass items: each of them fails the gate alone when it becomes worse than any rerun."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from semscale.drift.limits.broken_items import BrokenItems
from semscale.drift.limits.checks import LimitRule
from semscale.drift.limits.kinds import LIMITS
from semscale.drift.limits.results import MustPassCheck
from semscale.drift.measure.comparison import Comparison
from semscale.errors import UnknownNameError
from semscale.history.runs import Run
from semscale.messages import did_you_mean, shortened
from semscale.types import Floats

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

    An item fails if its loss in a metric is greater than the greatest loss of the reruns by the margin or
    more, if it breaks a limit, whatever number of items may break it, or if the candidate lacks it or was
    asked something else. Without a rerun similarities, contradictions and changed numbers are not judged, as
    nobody knows how far a rewording may go, and guards find some in honest ones.

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
    excess = {name: _beyond_reruns(comparison, name) for name in margins if _is_judged(comparison, name)}
    judged_rules = [rule for rule in rules if comparison.reruns or rule.name not in _BY_GUARDS]
    checks = []
    for one in ids:
        if one in lost:
            checks.append(MustPassCheck(one, (lost[one],)))
            continue
        place = places[one]
        reasons = [
            *_limits_broken(place, judged_rules, broken),
            *_losses(comparison, place, excess, margins),
        ]
        checks.append(MustPassCheck(one, tuple(reasons)))
    return tuple(checks)


def _is_judged(comparison: Comparison, name: str) -> bool:
    return bool(comparison.reruns) or not (comparison.metrics[name].is_similarity or name in _BY_GUARDS)


def _beyond_reruns(comparison: Comparison, name: str) -> Floats:
    """Return by how much each item's loss exceeds the reruns' greatest, shape (n,); NaN without a loss."""
    losses = [np.nan_to_num(losses) for losses in comparison.rerun_losses(name)]
    greatest = np.max(losses, axis=0) if losses else np.zeros(len(comparison.baseline.items))
    return np.asarray(comparison.losses(name) - greatest)


def _limits_broken(
    place: int, rules: Sequence[LimitRule], broken: Mapping[str, BrokenItems]
) -> Iterator[str]:
    for rule in rules:
        of_items = broken[rule.name].counts is None  # a total is not broken by an item
        if of_items and rule.inside[place] and broken[rule.name].broken[place]:
            yield LIMITS[rule.name].said(rule.lost_share)


def _losses(
    comparison: Comparison, place: int, excess: Mapping[str, Floats], margins: Mapping[str, Floats]
) -> Iterator[str]:
    for name, values in excess.items():
        if values[place] >= margins[name][place] - _ROUNDING:
            than = "the worst rerun" if comparison.rerun_losses(name) else "the baseline"
            yield (
                f"{comparison.metrics[name].label} lost {values[place]:.3f} more than {than}, margin "
                f"{margins[name][place]:.3f}"
            )
