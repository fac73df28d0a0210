"""Comparisons in the database of a history: recording and loading them within a transaction."""

from collections import defaultdict
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, select

from semscale.errors import UnknownNameError
from semscale.history.anchors.anchor_store import comparisons_moved
from semscale.history.column_values import Found
from semscale.history.comparison_rows import comparison_rows, pack, read_comparison, unpack
from semscale.history.databases.database import insert_rows
from semscale.history.entries import comparison_entry, scores_hash
from semscale.history.name_lookup import near_id
from semscale.history.recorded_runs import load_run_rows, refuse_known
from semscale.history.recorded_seals import check_entries, refuse_lost, seal_entry
from semscale.history.seals import EntryKind
from semscale.history.stored_comparison import StoredComparison
from semscale.history.tables import COMPARISONS, FIGURES, RUNS, SCORES, SEALS
from semscale.types import Floats


def record_comparison(connection: Connection, comparison: StoredComparison) -> None:
    """Store a comparison with its figures and scores.

    Raises:
        InputError: the history has a comparison with this id, or cannot store a value.
    """
    row, figures, scores = comparison_rows(comparison)
    refuse_known(connection, COMPARISONS, comparison.id, "a comparison")
    insert_rows(connection, COMPARISONS, [row])
    insert_rows(connection, FIGURES, figures)
    insert_rows(connection, SCORES, scores)
    packed = {metric: pack(values) for metric, values in comparison.scores.items()}
    seal_entry(connection, comparison_entry(row, figures, scores_hash(packed)))


def load_comparisons(
    connection: Connection, *, dataset: str | None, baseline_id: str | None
) -> list[StoredComparison]:
    """Load comparisons with their figures, but without scores, oldest first.

    Args:
        connection: to the history's database.
        dataset: only comparisons of this dataset.
        baseline_id: only comparisons with this baseline.

    Raises:
        InputError: a comparison or its candidate was changed since it was stored, or one was deleted.
    """
    lost = [SEALS.c.kind == str(EntryKind.COMPARISON)]
    if dataset is not None:
        lost.append(SEALS.c.dataset == dataset)
    if baseline_id is not None:
        lost.append(SEALS.c.dataset.in_(select(RUNS.c.dataset).where(RUNS.c.id == baseline_id)))
    refuse_lost(connection, *lost)
    wanted = [
        column == value
        for column, value in ((COMPARISONS.c.dataset, dataset), (COMPARISONS.c.baseline_id, baseline_id))
        if value is not None
    ]
    query = select(COMPARISONS).where(*wanted).order_by(COMPARISONS.c.compared, COMPARISONS.c.id)
    found = connection.execute(query).mappings().all()
    figures = load_figures(connection, *wanted)
    check_entries(connection, [comparison_entry(each, figures[each["id"]]) for each in found])
    of_candidates = select(RUNS).where(RUNS.c.id.in_(select(COMPARISONS.c.candidate_id).where(*wanted)))
    digests = {run["id"]: run["digest"] for run in load_run_rows(connection, of_candidates)}
    moved = comparisons_moved(connection, select(COMPARISONS.c.id).where(*wanted))
    return [
        replace(
            read_comparison(each, figures[each["id"]], candidate_digest=digests.get(each["candidate_id"])),
            ruler_moved=each["id"] in moved,
        )
        for each in found
    ]


def load_figures(connection: Connection, *wanted: ColumnElement[bool]) -> dict[str, list[Found]]:
    """Load the figures of comparisons, in their order, by the comparison's id."""
    query = select(FIGURES).join(COMPARISONS).where(*wanted).order_by(FIGURES.c.position)
    figures = defaultdict[str, list[Found]](list)
    for figure in connection.execute(query).mappings():
        figures[figure["comparison_id"]].append(figure)
    return figures


def load_scores(connection: Connection, comparison_id: str) -> dict[str, Floats]:
    """Load the scores of a comparison: for each metric, shape (n,); NaN for an item without one.

    Raises:
        UnknownNameError: there is no such comparison.
        InputError: it was changed since it was stored.
    """
    wanted = COMPARISONS.c.id == comparison_id
    row = connection.execute(select(COMPARISONS).where(wanted)).mappings().one_or_none()
    if row is None:
        ids = sorted(connection.execute(select(COMPARISONS.c.id)).scalars())
        raise UnknownNameError(f"unknown comparison {comparison_id[:60]!r}{near_id(comparison_id, ids)}")
    packed = load_packed(connection, comparison_id)
    figures = load_figures(connection, wanted)[comparison_id]
    check_entries(connection, [comparison_entry(row, figures, scores_hash(packed))])
    return {metric: unpack(body) for metric, body in packed.items()}


def load_packed(connection: Connection, comparison_id: str) -> dict[str, bytes]:
    """Load the packed scores of a comparison by metric, sorted."""
    query = select(SCORES.c.metric, SCORES.c.packed).where(SCORES.c.comparison_id == comparison_id)
    return {row.metric: bytes(row.packed) for row in connection.execute(query.order_by(SCORES.c.metric))}
