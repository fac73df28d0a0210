"""The dataset, run or baseline of a history that options name."""

from typing import TYPE_CHECKING

from semscale.errors import InputError, UnknownNameError
from semscale.history.name_lookup import near
from semscale.history.runs import named
from semscale.messages import did_you_mean

if TYPE_CHECKING:
    from semscale.history.history import History
    from semscale.history.runs import Approval, Run

LATEST, BASELINE = "latest", "baseline"


def dataset_of(history: "History", dataset: str | None) -> str:
    """Say which dataset is meant: the one that is named, or the only one.

    Raises:
        InputError: none is named and there are none or several.
        UnknownNameError: there is none of this name.
    """
    known = history.datasets()
    if dataset is not None:
        if dataset not in known:
            raise UnknownNameError(f"unknown dataset {dataset[:60]!r}{near(dataset, known)}")
        return dataset
    if not known:
        raise InputError(f"history {history.where} holds no run: record one with semscale drift record")
    if len(known) > 1:
        raise InputError(f"dataset must be named, as the history has {named(known)}: add --dataset NAME")
    return known[0]


def run_of(history: "History", name: str, dataset: str | None, *, skip_reruns: bool = False) -> "Run":
    """Load the run that is meant.

    Args:
        history: where it is.
        name: the beginning of its id, ``latest``, or ``baseline``.
        dataset: of which dataset the latest run or the baseline is meant; the only one unless given.
        skip_reruns: whether ``latest`` is the latest run that repeats no other one.

    Raises:
        UnknownNameError: there is no such run.
        InputError: the dataset is not clear, or is not that of the run.
    """
    if name == BASELINE:
        return history.baseline(dataset_of(history, dataset))[0]
    if name == LATEST:
        runs = history.runs(dataset_of(history, dataset))
        return history.run([run for run in runs if not (skip_reruns and run.rerun_of)][-1].id)
    try:
        run = history.run(name)
    except UnknownNameError as error:
        raise UnknownNameError(f"{error}{did_you_mean(name, (LATEST, BASELINE))}") from None
    if dataset not in {None, run.dataset}:
        raise InputError(f"run {name!r} is of dataset {run.dataset!r}, not of {dataset!r}: drop --dataset")
    return run


def baseline_of(history: "History", name: str | None, dataset: str) -> "tuple[Run, Approval | None]":
    """Load the run that a candidate is compared with, and its approval.

    Args:
        history: where both are.
        name: a run that is to stand in for the baseline, if one is named.
        dataset: of the candidate.

    Raises:
        InputError: no run is approved, or the approval has expired.
        UnknownNameError: there is no such run or dataset.
    """
    if name is None or name == BASELINE:
        return history.baseline(dataset_of(history, dataset))
    return run_of(history, name, dataset), None
