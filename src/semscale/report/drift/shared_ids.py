"""Sentences about the ids that a run has in common with an earlier one."""

from semscale.drift.runs.shared_ids import SharedIds
from semscale.history.runs import short_id
from semscale.report.formatting import count, one_line


def shared_words(shared: SharedIds) -> str:
    """Say how many ids a run has in common with an earlier one.

    Example:
        >>> shared_words(SharedIds("4c44e2e2d1", True, 12, 30))
        '12 of the 30 of the baseline 4c44e2e2'
    """
    return f"{count(shared.n)} of the {count(shared.n_earlier)} of {_earlier_words(shared)}"


def former_words(shared: SharedIds) -> str:
    """Say how many ids a new baseline has in common with the former one."""
    former = f"the former baseline {short_id(shared.run)}"
    return f"ids in common with {former}: {count(shared.n)} of {count(shared.n_earlier)}"


def none_shared_words(shared: SharedIds, dataset: str) -> str:
    """Say that a run has no id in common with an earlier one of its dataset."""
    return (
        f"no id is in common with {_earlier_words(shared)} of dataset “{one_line(dataset)}”, so that nothing "
        "can be compared with it: check the file, or name another dataset with --dataset"
    )


def _earlier_words(shared: SharedIds) -> str:
    return f"the {'baseline' if shared.is_baseline else 'latest run'} {short_id(shared.run)}"
