"""Hard limits checked: each over all items, and those of slices over theirs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from semscale.drift.limits.broken_items import BrokenItems, RunOutputs, broken_items
from semscale.drift.limits.kinds import LIMITS, MISSING, limits_in_force
from semscale.drift.limits.results import LimitCheck
from semscale.drift.limits.slices import Group, Slices, each_slice, slice_members
from semscale.drift.limits.totals import chance_of_total, lost_total
from semscale.drift.measure.comparison import Comparison
from semscale.drift.measure.measured import MeasuredRun
from semscale.history.runs import named
from semscale.stats.drift_tests import exchange_test
from semscale.types import Floats, Mask

_LOST_WHOLLY = ("silenced", "refused", "lost_fields")


@dataclass(frozen=True)
class LimitRule:
    """A hard limit and the items that it holds for.

    Attributes:
        name: one of ``LIMITS``.
        allowed: items that may break it, a share of them if it is below 1.
        inside: shape (n,), the items that it holds for.
        group: kind and name of the slice with this limit; ``None`` where it is that of all other items.
        lost_share: share of an item's outputs that may be missing.
        outside: slices with limits of their own of this name; empty for the limit of a slice.
    """

    name: str
    allowed: float
    inside: Mask
    group: Group | None
    lost_share: float
    outside: tuple[Group, ...] = ()

    def check(self, comparison: Comparison, found: Mapping[str, BrokenItems], role: int = 0) -> LimitCheck:
        """Count the items that break it, or what is lost.

        Args:
            comparison: a candidate measured against the baseline.
            found: the items that break every limit.
            role: column of the run that is checked in ``drifts_by_role``: the candidate, or a rerun.
        """
        broken, ids = found[self.name], np.array([item.id for item in comparison.baseline.items], object)
        counted = broken.counted & self.inside
        total = None if broken.counts is None else lost_total(broken.counts[counted])
        is_any_lost = total is None or total.n_lost > 0
        return LimitCheck(
            name=self.name,
            allowed=self.allowed,
            n=int(counted.sum()) if total is None else round(total.before),
            items=tuple(ids[broken.broken & self.inside].tolist()) if is_any_lost else (),
            excused=tuple(ids[broken.excused & self.inside].tolist()),
            group=self.group,
            lost_share=self.lost_share,
            outside=self.outside,
            total=total,
            p_value=self._chance(comparison, broken, counted, role),
            n_unchecked=0 if broken.unchecked is None else int((broken.unchecked & self.inside).sum()),
        )

    def _chance(self, comparison: Comparison, broken: BrokenItems, counted: Mask, role: int) -> float | None:
        """Give the probability that an unchanged model does as badly, for limits that chance may break.

        These are totals, and a share of items with other numbers: of few items with numbers, one is soon more
        than that. Without a rerun nothing is known of the numbers that chance changes.
        """
        if broken.counts is not None:
            return chance_of_total(broken.counts[counted])
        if self.name == "changed_numbers" and 0 < self.allowed < 1 and comparison.reruns:
            roles = comparison.drifts_by_role(self.name)[counted]
            return exchange_test(np.column_stack([roles[:, role], np.delete(roles, role, axis=1)])).p_value
        return None


def items_breaking(
    comparison: Comparison, rules: Sequence[LimitRule], lost_share: float
) -> dict[str, BrokenItems]:
    """Find the items in which the candidate breaks each limit.

    Args:
        comparison: a candidate measured against the baseline.
        rules: the limits in force.
        lost_share: share of an item's outputs that may be missing.
    """
    candidate = RunOutputs(comparison.candidate.items, _changed(comparison.measured))
    return broken_items(
        comparison.baseline.items,
        candidate,
        _reruns(comparison),
        lost_share=lost_share,
        silence_checked=_silence_checked(comparison, rules),
    )


def whole_in_reruns(comparison: Comparison) -> Mask:
    """Tell at which items each rerun of the baseline lost neither all outputs, nor its answer, nor a field.

    Returns:
        Shape (r, n); true where the outputs of a rerun are not known.
    """
    n = len(comparison.baseline.items)
    whole = np.ones((len(comparison.reruns), n), dtype=bool)
    for place, rerun in enumerate(_reruns(comparison)):
        found = broken_items(
            comparison.baseline.items, rerun, [], lost_share=1.0, silence_checked=np.ones(n, dtype=bool)
        )
        whole[place] = ~np.any([found[name].broken for name in _LOST_WHOLLY], axis=0)
    return whole


def missing_items(comparison: Comparison, limits: Mapping[str, float | str]) -> tuple[LimitCheck, ...]:
    """Count the items of the baseline that the candidate lacks; nothing if that limit is ``off``.

    Args:
        comparison: a candidate measured against the baseline.
        limits: in place of the usual ones.
    """
    usual, matching = limits_in_force(limits), comparison.matching
    if MISSING not in usual:
        return ()
    n = matching.n_baseline or len(comparison.baseline.items)
    return (LimitCheck(MISSING, usual[MISSING], n, matching.lost),)


def limit_rules(
    comparison: Comparison, limits: Mapping[str, float | str], slices: Slices, *, lost_share: float
) -> tuple[LimitRule, ...]:
    """List the limits in force: those of all items, and those of slices, which replace them there.

    Missing items are counted by ``missing_items``.

    Args:
        comparison: a candidate measured against the baseline.
        limits: in place of the usual ones.
        slices: groups with limits of their own.
        lost_share: share of an item's outputs that may be missing.

    Raises:
        UnknownNameError: a slice does not exist.
    """
    members = slice_members(comparison, slices)
    own = {group: settings.limits for group, settings in each_slice(slices)}
    usual = limits_in_force(limits)
    rules = []
    for name in LIMITS:
        if name == MISSING:
            continue
        if name in ("changed_numbers", "fewer_numbers") and not _reads_numbers(comparison):
            continue
        outside = tuple(group for group, given in own.items() if name in given)
        nowhere = np.zeros(len(comparison.baseline.items), dtype=bool)
        others = ~np.any([nowhere, *(members[group] for group in outside)], axis=0)
        if name in usual and others.any():
            rules.append(LimitRule(name, usual[name], others, None, lost_share, outside))
        rules += [
            LimitRule(name, allowed, members[group], group, lost_share)
            for group, given in own.items()
            if not isinstance(allowed := given.get(name, "off"), str)
        ]
    return tuple(rules)


def limit_cautions(comparison: Comparison, rules: Sequence[LimitRule]) -> Iterator[str]:
    """Name the limits that a rerun of the baseline breaks itself.

    Each rerun is compared as if it were the candidate, and the other reruns excuse it.
    """
    outputs, silence_checked = _reruns(comparison), _silence_checked(comparison, rules)
    first = 2 if comparison.between else 1  # column of the first rerun
    worst: dict[int, LimitCheck] = {}
    for place, rerun in enumerate(outputs if rules else []):
        others = [*outputs[:place], *outputs[place + 1 :]]
        found = broken_items(
            comparison.baseline.items,
            rerun,
            others,
            lost_share=rules[0].lost_share,
            silence_checked=silence_checked,
        )
        for number, rule in enumerate(rules):
            if rule.name not in found:
                continue
            check = rule.check(comparison, found, first + place)
            if not check.passed and (number not in worst or check.n_broken > worst[number].n_broken):
                worst[number] = check
    for check in worst.values():
        more = "items" if check.total is None else check.about
        where = f" ({named(check.items)})" if check.items else ""
        yield (
            f"limit {check.name}={check.allowed:g} is broken by a rerun of the baseline itself, in "
            f"{check.n_broken} of {check.n} {check.about}{where}: an unchanged model may "
            f"break it, too; allow more {more}, or see that the rerun is complete"
        )


def excused_cautions(checks: Sequence[LimitCheck]) -> Iterator[str]:
    """Name the items that would break a limit, had not a rerun broken it as well, and those not checked.

    A limit that is exceeded, but no more than chance explains, is named, too.
    """
    for check in checks:
        if check.n_unchecked:
            yield (
                f"limit {check.name}: nothing is known of {check.n_unchecked} {check.about}, so that the "
                "gate cannot pass; measure the runs again"
            )
        if check.exceeded and check.passed:
            yield (
                f"limit {check.name}: {check.n_broken} of {check.n} {check.about} have {check.broken}, more "
                f"than the limit allows, but two runs of one model may differ as much (p = "
                f"{check.p_value:.3f}), so this does not count"
            )
        if check.excused:
            do = "they do" if len(check.excused) > 1 else "it does"
            yield (
                f"limit {check.name}: {named(check.excused)} would break it, but a rerun of the baseline "
                f"does, too, so {do} not count"
            )


def _silence_checked(comparison: Comparison, rules: Sequence[LimitRule]) -> Mask:
    """Tell for each item whether the limit ``silenced`` is in force there."""
    inside = [rule.inside for rule in rules if rule.name == "silenced"]
    return np.asarray(np.any([np.zeros(len(comparison.baseline.items), dtype=bool), *inside], axis=0))


def _reads_numbers(comparison: Comparison) -> bool:
    """Tell whether changed numbers were measured, and the guard that finds them was not off."""
    guards = dict(comparison.signature.fields).get("guards", "number")
    return "changed_numbers" in comparison.measured.losses and "number" in guards


def _reruns(comparison: Comparison) -> list[RunOutputs]:
    together = zip(comparison.rerun_items, comparison.reruns, strict=False)
    return [RunOutputs(items, _changed(measured)) for items, measured in together]


def _changed(measured: MeasuredRun) -> Floats | None:
    return measured.losses.get("changed_numbers")
