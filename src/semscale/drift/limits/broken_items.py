"""Which items break a hard limit: they lost their outputs, most of them, a field, or have other numbers."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from semscale.chat.declining import declines_to_answer
from semscale.drift.directions import ASKED_FIELDS
from semscale.drift.limits.stated_numbers import has_compared_numbers, states_any_number
from semscale.drift.limits.totals import counts_of_numbers, counts_of_outputs, with_fewest
from semscale.drift.runs import number_of
from semscale.embedding.texts import has_emoji, is_wordless
from semscale.history.items import Item, Output
from semscale.types import Floats, Integers, Mask

_NO_WORDS = frozenset({"null", "nan", "undefined"})
"""What programs write for a text that they do not have."""


@dataclass(frozen=True)
class RunOutputs:
    """What one run gave for the baseline's n items.

    Attributes:
        items: the n items with the run's outputs.
        changed_numbers: shape (n,), share of aligned outputs with another number than the baseline's; NaN
            where nothing can be said. ``None`` if that was not measured.
    """

    items: Sequence[Item]
    changed_numbers: Floats | None = None


@dataclass(frozen=True)
class BrokenItems:
    """The items that break one limit, each shape (n,).

    Attributes:
        counted: whether an item can break it, such as having outputs to lose.
        broken: whether it breaks it.
        excused: whether it would, but a rerun of the baseline does, too.
        counts: shape (n, k), for the limit of a total: what each run has, the candidate first; such a limit
            is broken by all items together.
        unchecked: whether it could break it, but nothing is known of it; ``None`` where all is known.
    """

    counted: Mask
    broken: Mask
    excused: Mask
    counts: Floats | None = None
    unchecked: Mask | None = None


def broken_items(
    baseline: Sequence[Item],
    run: RunOutputs,
    reruns: Sequence[RunOutputs],
    *,
    lost_share: float,
    silence_checked: Mask,
) -> dict[str, BrokenItems]:
    """Find the items that break each limit.

    Args:
        baseline: the approved outputs of n items.
        run: what the candidate gave for them.
        reruns: what reruns of the baseline gave; what one of them does as well is chance.
        lost_share: share of an item's outputs that may be missing.
        silence_checked: shape (n,), whether ``silenced`` is in force for an item; elsewhere a list of several
            outputs that became empty is a lost list.

    Returns:
        For each limit by name; without those on numbers if ``changed_numbers`` was not measured.
    """
    run = _without_wordless(baseline, run)
    reruns = [_without_wordless(baseline, rerun) for rerun in reruns]
    found = {
        "silenced": _by_item(baseline, run, reruns, _is_silenced),
        "refused": _by_item(baseline, run, reruns, _is_refused),
        "lost_outputs": _lost_outputs(baseline, run, reruns, lost_share, silence_checked),
        "lost_fields": _by_item(baseline, run, reruns, _lost_fields),
    }
    with_fields = [
        bool(fields_of(before) and after.outputs_with_text)
        for before, after in zip(baseline, run.items, strict=True)
    ]
    found["lost_fields"] = _counting(found["lost_fields"], with_fields)
    runs = [run.items, baseline, *(rerun.items for rerun in reruns)]
    heard = ~(found["silenced"].broken & silence_checked)
    found["fewer_outputs"] = _of_total(counts_of_outputs(runs), heard)
    numbers = _changed_numbers(baseline, run, reruns)
    if numbers is None:
        return found
    fewer = _of_total(counts_of_numbers(runs), heard)
    return {**found, "changed_numbers": numbers, "fewer_numbers": fewer}


def fields_of(item: Item) -> frozenset[str]:
    """Name the fields that every output of an item with a text has a number for.

    What an output took is none of them: another model's price may not be known.

    Example:
        >>> from semscale.history.items import Output
        >>> sorted(fields_of(Item("1", (Output("Good.", {"credits": 1.0, "cost": math.nan}),))))
        ['credits']
    """
    held = [
        {name for name in output.fields if not math.isnan(number_of(output, name))}
        for output in item.outputs_with_text
    ]
    return frozenset(set.intersection(*held)) - {*ASKED_FIELDS} if held else frozenset()


def _without_wordless(baseline: Sequence[Item], run: RunOutputs) -> RunOutputs:
    """Take outputs without words for silent ones, in items in which the baseline has words."""
    items = [
        replace(after, outputs=tuple(output for output in after.outputs if _has_words(output)))
        if any(map(_has_words, before.outputs)) and not all(map(_has_words, after.outputs))
        else after
        for before, after in zip(baseline, run.items, strict=True)
    ]
    return replace(run, items=items)


def _has_words(output: Output) -> bool:
    """Tell whether a text has a letter, digit or emoji, and is no program's word for a missing text."""
    text = output.text or ""
    return text.strip().casefold() not in _NO_WORDS and (not is_wordless(text) or has_emoji(text))


def _of_total(counts: Floats, counted: Mask) -> BrokenItems:
    """Count a total over some items, without those whose silence another limit counts."""
    broken = counted & with_fewest(counts)
    return BrokenItems(counted, broken, np.zeros_like(broken), counts)


def _by_item(
    baseline: Sequence[Item],
    run: RunOutputs,
    reruns: Sequence[RunOutputs],
    lost: Callable[[Item, Item], frozenset[str]],
) -> BrokenItems:
    """Compare item by item; what a rerun lost as well does not count."""
    now = [lost(before, after) for before, after in zip(baseline, run.items, strict=True)]
    by_chance = [
        frozenset[str]().union(*(lost(before, rerun.items[place]) for rerun in reruns))
        for place, before in enumerate(baseline)
    ]
    beyond = np.array([bool(one - chance) for one, chance in zip(now, by_chance, strict=True)], dtype=bool)
    return BrokenItems(
        counted=np.array([bool(item.outputs_with_text) for item in baseline], dtype=bool),
        broken=beyond,
        excused=np.array([bool(one) for one in now], dtype=bool) & ~beyond,
    )


def _counting(found: BrokenItems, counted: Sequence[bool]) -> BrokenItems:
    return BrokenItems(np.array(counted, dtype=bool), found.broken, found.excused)


def _is_silenced(before: Item, after: Item) -> frozenset[str]:
    is_lost = bool(before.outputs_with_text) and not after.outputs_with_text
    return frozenset({"outputs"}) if is_lost else frozenset()


def _is_refused(before: Item, after: Item) -> frozenset[str]:
    refuses = bool(after.outputs_with_text) and all(map(_declines, after.outputs_with_text))
    answered = not all(map(_declines, before.outputs_with_text))
    return frozenset({"answer"}) if refuses and answered else frozenset()


def _declines(output: Output) -> bool:
    return declines_to_answer(output.text or "")


def _lost_outputs(
    baseline: Sequence[Item],
    run: RunOutputs,
    reruns: Sequence[RunOutputs],
    share: float,
    silence_checked: Mask,
) -> BrokenItems:
    """Compare each list with the shortest of baseline and reruns.

    An empty list is the matter of ``silenced``. Where that is not checked, a list of several outputs that
    became empty is lost; a single output is no list.
    """
    before, now = _n_outputs(baseline), _n_outputs(run.items)
    shortest = np.min([before, *(_n_outputs(rerun.items) for rerun in reruns)], axis=0)
    counted = (before > 0) & ((now > 0) | (~silence_checked & (before > 1)))
    is_lost = counted & (before - now > share * before)
    broken = is_lost & (shortest - now > share * shortest)
    return BrokenItems(counted, broken, is_lost & ~broken)


def _n_outputs(items: Sequence[Item]) -> Integers:
    return np.array([len(item.outputs_with_text) for item in items], dtype=np.int64)


def _lost_fields(before: Item, after: Item) -> frozenset[str]:
    """Name the fields of all of the baseline's outputs that none of the other's outputs has.

    A silent item has lost none: silence is another limit's matter.
    """
    if not after.outputs_with_text:
        return frozenset()
    kept = {
        name
        for output in after.outputs_with_text
        for name in output.fields
        if not math.isnan(number_of(output, name))
    }
    return fields_of(before) - kept


def _changed_numbers(
    baseline: Sequence[Item], run: RunOutputs, reruns: Sequence[RunOutputs]
) -> BrokenItems | None:
    """Find items with other numbers than the baseline's, or without any.

    An item counts if the baseline states a number in it, and the run says something. A paraphrase may leave
    a number out, so that only an item without any number breaks the limit, and only where a rerun shows that
    chance does not do it.
    """
    if run.changed_numbers is None:
        return None
    said = has_compared_numbers(baseline) & (_n_outputs(run.items) > 0)
    counted = said & ~np.isnan(run.changed_numbers)
    changed = counted & (_with_changed_numbers(run) | (_without_numbers(run) & bool(reruns)))
    by_reruns = [_with_changed_numbers(rerun) | _without_numbers(rerun) for rerun in reruns]
    by_chance = np.any([np.zeros_like(changed), *by_reruns], axis=0)
    return BrokenItems(counted, changed & ~by_chance, changed & by_chance, unchecked=said & ~counted)


def _with_changed_numbers(run: RunOutputs) -> Mask:
    """Which items have outputs with other numbers; silent ones, whose loss is the greatest, have none."""
    if run.changed_numbers is None:
        return np.zeros(len(run.items), dtype=bool)
    return (_n_outputs(run.items) > 0) & (run.changed_numbers > 0)


def _without_numbers(run: RunOutputs) -> Mask:
    """Tell which items have outputs and state no number in them, not even a vague one."""
    return np.asarray((_n_outputs(run.items) > 0) & ~states_any_number(run.items))
