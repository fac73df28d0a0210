"""Runs of ``semscale drift history``: merge other histories, and sum up what is stored."""

from pathlib import Path
from typing import TYPE_CHECKING

from semscale.cli.drift.command_options import HistoryViewOptions
from semscale.cli.drift.run_lookup import dataset_of
from semscale.drift.nights.history_summary import HistorySummary, summarize_history
from semscale.errors import InputError
from semscale.history.databases.opening import open_history
from semscale.history.summaries import Merged

if TYPE_CHECKING:
    from semscale.history.history import History
    from semscale.history.verification import Verification


def read_history(options: HistoryViewOptions) -> HistorySummary:
    """Merge other histories into this one, and sum it up.

    Raises:
        InputError: a history that cannot be opened or merged, or nothing to follow for a report.
    """
    options.outputs.check()
    if options.heads:
        raise InputError("--head belongs to --verify: add it")
    others, dataset, reported = options.merge or [], options.history.dataset, bool(options.outputs.named)
    with options.history.open(create=bool(others)) as history:
        merged = dict(_merged(history, other) for other in others)
        one = dataset is not None or reported
        names = [dataset_of(history, dataset)] if one else None
        summary = summarize_history(history, names, merged)
    if reported and summary.datasets[0].trends is None:
        raise InputError(
            f"report needs a comparison, and {summary.datasets[0].name!r} has none: first "
            "semscale drift gate CANDIDATE"
        )
    return summary


def verify_history(options: HistoryViewOptions) -> "Verification":
    """Check every entry of a history.

    Raises:
        InputError: a history that cannot be opened, a head that is too short, or an option of a listing.
    """
    options.outputs.check()
    for name, given in (("merge", options.merge), ("dataset", options.history.dataset)):
        if given:
            raise InputError(f"--verify checks the whole history: take it without --{name}")
    with options.history.open() as history:
        return history.verify(options.heads or ())


def _merged(history: "History", other: str) -> tuple[str, Merged]:
    """Merge another history; return its place, without a password, and what was merged."""
    with open_history(other, create=False) as there:
        if _is_same(history.where, there.where):
            raise InputError(f"merge: {there.where} is the history itself, got {other!r}: name another one")
        return there.where, history.merge(there)


def _is_same(one: str, other: str) -> bool:
    """Say whether two places are one history: the same URL or the same file."""
    paths = Path(one), Path(other)
    return one == other or (all(path.is_file() for path in paths) and paths[0].samefile(paths[1]))
