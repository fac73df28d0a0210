"""Checks that two runs can be compared: same dataset, and for the items in common same groups and fields."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from semscale.drift.asking.answers import ASKED_FIELDS
from semscale.drift.runs.item_matching import ItemMatching, match_items
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named, short_id

FEWEST_COMMON = 10
"""The fewest items in common with which a candidate that lacks some can be compared."""

LEAST_COMMON_SHARE = 0.5
"""The least share of the baseline's items that such a candidate must have."""


@dataclass(frozen=True)
class MatchedRuns:
    """Two runs with the items that both have.

    Attributes:
        baseline: the baseline, with the items in common.
        candidate: the candidate with the same items, in the baseline's order.
        matching: which items are in common, and which are not.
    """

    baseline: Run
    candidate: Run
    matching: ItemMatching


def match_runs(baseline: Run, candidate: Run) -> MatchedRuns:
    """Match a candidate with a baseline whose dataset may have changed since.

    Args:
        baseline: the approved run.
        candidate: the run to compare.

    Raises:
        InputError: too few items are in common, of the baseline's items at least ``FEWEST_COMMON`` and
            ``LEAST_COMMON_SHARE``; or runs differ in dataset, in inputs that only one has, or in groups; or
            the candidate's outputs lack a numeric field.
    """
    _check_dataset(baseline, candidate)
    matching = match_items(baseline, candidate)
    if matching.n_left_out:
        _check_enough(matching)
    return MatchedRuns(*_with_items(baseline, candidate, matching.common), matching)


def check_comparable(baseline: Run, candidate: Run) -> Run:
    """Check that a run has all items of a baseline, and no others.

    Args:
        baseline: the approved run.
        candidate: the run to compare.

    Returns:
        The candidate with its items in the baseline's order.

    Raises:
        InputError: the runs differ in dataset, ids, inputs, groups or signature, or the candidate's outputs
            lack a numeric field.

    Example:
        >>> from semscale.history.items import Output
        >>> first, second = (Item(name, (Output("Yes."),)) for name in "ab")
        >>> mixed = check_comparable(Run("exam", "m1", (first, second)), Run("exam", "m2", (second, first)))
        >>> [item.id for item in mixed.items]
        ['a', 'b']
    """
    _check_dataset(baseline, candidate)
    matching = match_items(baseline, candidate)
    _check_all_matched(matching)
    return _with_items(baseline, candidate, matching.common)[1]


def check_rerun(baseline: Run, rerun: Run) -> Run:
    """Check that a rerun can show how far the baseline's outputs differ by chance.

    Returns:
        The rerun with its items in the baseline's order.

    Raises:
        InputError: see ``check_comparable``; or the rerun has no texts although the baseline has some. With
            such a rerun, a candidate without texts would seem unchanged.
    """
    ordered = check_comparable(baseline, rerun)
    speaking = sum(bool(item.outputs_with_text) for item in baseline.items)
    if speaking and not any(item.outputs_with_text for item in rerun.items):
        raise InputError(
            f"rerun {short_id(rerun.id)} says nothing in any item, and the baseline something in {speaking}: "
            "no answer tells nothing about chance; ask the model again, and leave this one out"
        )
    return ordered


def outputs_equal(ours: Run, theirs: Run) -> bool:
    """Tell whether two runs have the same items, with the same outputs word for word."""
    given = [{item.id: item.outputs for item in run.items} for run in (ours, theirs)]
    return given[0] == given[1]


def _check_dataset(baseline: Run, candidate: Run) -> None:
    if baseline.dataset != candidate.dataset:
        raise InputError(
            f"dataset: the baseline is of {baseline.dataset!r}, the candidate of {candidate.dataset!r}; "
            "runs of one dataset can be compared"
        )


def _with_items(baseline: Run, candidate: Run, ids: Sequence[str]) -> tuple[Run, Run]:
    """Take some items of both runs, in the baseline's order, and check that they can be compared."""
    ours, theirs = ({item.id: item for item in run.items} for run in (baseline, candidate))
    whole = len(ids) == len(baseline.items)
    kept = baseline if whole else replace(baseline, items=tuple(ours[name] for name in ids))
    ordered = replace(candidate, items=tuple(theirs[name] for name in ids))
    _check_groups(kept.items, ordered.items)
    _check_fields(kept, ordered)
    differing = kept.signature.differences(ordered.signature)
    if differing:
        name, (mine, other) = next(iter(differing.items()))
        raise InputError(
            f"{name}: the baseline has {mine}, the candidate {other}; record and approve a baseline anew"
        )
    return kept, ordered


def _check_all_matched(matching: ItemMatching) -> None:
    if matching.lost:
        raise InputError(
            f"items: the candidate lacks {named(matching.lost)} of the baseline; record every item, with no "
            "outputs where the model gave none"
        )
    if matching.new:
        raise InputError(
            f"items: the baseline lacks {named(matching.new)} of the candidate; leave them out, or record "
            "every item and approve a baseline anew"
        )
    if matching.changed:
        raise InputError(
            f"inputs: the candidate was asked something else in {named(matching.changed)}; ask the same, or "
            "record and approve a baseline anew"
        )


def _check_enough(matching: ItemMatching) -> None:
    """Refuse a candidate that has too few of the baseline's items, and say why it has."""
    n, common = matching.n_baseline, len(matching.common)
    least = max(FEWEST_COMMON, ceil(LEAST_COMMON_SHARE * n))
    if common >= least:
        return
    if len(matching.moved) >= LEAST_COMMON_SHARE * n:
        ours, theirs = matching.moved[0]
        raise InputError(
            f"items: the dataset was renumbered: {len(matching.moved)} of the baseline's {n} inputs are in "
            f"the candidate under another id, such as {ours!r} under {theirs!r}; give the items their former "
            "ids, or approve a baseline with the new ones"
        )
    reasons = []
    if matching.lost:
        reasons.append(f"the candidate lacks {named(matching.lost)}")
    if matching.changed:
        reasons.append(f"it was asked something else in {named(matching.changed)}")
    nothing = "" if common else "nothing matches: "
    raise InputError(
        f"items: {nothing}{common} of the baseline's {n} can be compared, and at least {min(least, n)} are "
        f"needed: {' and '.join(reasons)}; record every item, with no outputs where the model gave none, or "
        "approve a baseline anew"
    )


def _check_groups(ours: tuple[Item, ...], theirs: tuple[Item, ...]) -> None:
    for item, other in zip(ours, theirs, strict=True):
        for kind in {**item.groups, **other.groups}:
            before, after = item.groups.get(kind), other.groups.get(kind)
            if before != after:
                raise InputError(
                    f"groups: {item.id!r} has {kind} {_shown(before)} in the baseline and {_shown(after)} in "
                    "the candidate; record both with the same groups"
                )


def _check_fields(baseline: Run, candidate: Run) -> None:
    # What an output took is no part of it: a price may be unknown, and a file says no latency.
    lacking = [name for name in baseline.fields if name not in (*candidate.fields, *ASKED_FIELDS)]
    if lacking and any(item.outputs_with_text for item in candidate.items):
        raise InputError(
            f"fields: the candidate has no {named(lacking)}, which the baseline has; record its outputs with "
            f"{'them' if len(lacking) > 1 else 'it'}, or a baseline without"
        )


def _shown(name: str | None) -> str:
    return "none" if name is None else repr(name)
