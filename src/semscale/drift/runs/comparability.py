"""Checks that two runs can be compared: same dataset, items, inputs, groups and fields."""

from dataclasses import replace

from semscale.drift.asking.answers import ASKED_FIELDS
from semscale.errors import InputError
from semscale.history.items import Item
from semscale.history.runs import Run, named, short_id


def check_comparable(baseline: Run, candidate: Run) -> Run:
    """Check that a candidate can be compared with a baseline.

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
    if baseline.dataset != candidate.dataset:
        raise InputError(
            f"dataset: the baseline is of {baseline.dataset!r}, the candidate of {candidate.dataset!r}; "
            "runs of one dataset can be compared"
        )
    theirs = {item.id: item for item in candidate.items}
    _check_ids(baseline, candidate)
    ordered = replace(candidate, items=tuple(theirs[item.id] for item in baseline.items))
    _check_inputs(baseline.items, ordered.items)
    _check_groups(baseline.items, ordered.items)
    _check_fields(baseline, ordered)
    differing = baseline.signature.differences(ordered.signature)
    if differing:
        name, (ours, other) = next(iter(differing.items()))
        raise InputError(
            f"{name}: the baseline has {ours}, the candidate {other}; record and approve a baseline anew"
        )
    return ordered


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


def _check_ids(baseline: Run, candidate: Run) -> None:
    ours, theirs = ({item.id: None for item in run.items} for run in (baseline, candidate))
    lacking = [name for name in ours if name not in theirs]
    if lacking:
        raise InputError(
            f"items: the candidate lacks {named(lacking)} of the baseline; record every item, with no "
            "outputs where the model gave none"
        )
    extra = [name for name in theirs if name not in ours]
    if extra:
        raise InputError(
            f"items: the baseline lacks {named(extra)} of the candidate; leave them out, or record every "
            "item and approve a baseline anew"
        )


def _check_inputs(ours: tuple[Item, ...], theirs: tuple[Item, ...]) -> None:
    pairs = list(zip(ours, theirs, strict=True))
    unknown = [item.id for item, other in pairs if (item.input is None) != (other.input is None)]
    if unknown:
        raise InputError(
            f"inputs: only one of the runs has those of {named(unknown)}; record both with inputs, or both "
            "without"
        )
    other_inputs = [item.id for item, other in pairs if item.input != other.input]
    if other_inputs:
        raise InputError(
            f"inputs: the candidate was asked something else in {named(other_inputs)}; ask the same, or "
            "record and approve a baseline anew"
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
