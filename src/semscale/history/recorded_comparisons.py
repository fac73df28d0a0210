"""Comparisons in the database of a history: recording and loading them within a transaction."""

from collections import defaultdict

from sqlalchemy import Connection, select

from semscale.errors import UnknownNameError
from semscale.history.column_values import Found
from semscale.history.comparison_rows import comparison_rows, read_comparison, unpack
from semscale.history.databases.database import insert_rows
from semscale.history.name_lookup import near_id
from semscale.history.recorded_runs import refuse_known
from semscale.history.stored_comparison import StoredComparison
from semscale.history.tables import COMPARISONS, FIGURES, RUNS, SCORES
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


def load_comparisons(
    connection: Connection, *, dataset: str | None, baseline_id: str | None
) -> list[StoredComparison]:
    """Load comparisons with their figures, but without scores, oldest first.

    Args:
        connection: to the history's database.
        dataset: only comparisons of this dataset.
        baseline_id: only comparisons with this baseline.
    """
    wanted = [
        column == value
        for column, value in ((COMPARISONS.c.dataset, dataset), (COMPARISONS.c.baseline_id, baseline_id))
        if value is not None
    ]
    digest = RUNS.c.digest.label("candidate_digest")
    query = select(COMPARISONS, digest).outerjoin(RUNS, RUNS.c.id == COMPARISONS.c.candidate_id)
    query = query.where(*wanted).order_by(COMPARISONS.c.compared, COMPARISONS.c.id)
    of_figures = select(FIGURES).join(COMPARISONS).where(*wanted).order_by(FIGURES.c.position)
    figures = defaultdict[str, list[Found]](list)
    for figure in connection.execute(of_figures).mappings():
        figures[figure["comparison_id"]].append(figure)
    found = connection.execute(query).mappings()
    return [
        read_comparison(each, figures[each["id"]], candidate_digest=each["candidate_digest"])
        for each in found
    ]


def load_scores(connection: Connection, comparison_id: str) -> dict[str, Floats]:
    """Load the scores of a comparison: for each metric, shape (n,); NaN for an item without one.

    Raises:
        UnknownNameError: there is no such comparison.
    """
    query = select(SCORES.c.metric, SCORES.c.packed).where(SCORES.c.comparison_id == comparison_id)
    found = connection.execute(query.order_by(SCORES.c.metric)).all()
    if not found:
        ids = sorted(connection.execute(select(COMPARISONS.c.id)).scalars())
        if comparison_id not in ids:
            raise UnknownNameError(f"unknown comparison {comparison_id[:60]!r}{near_id(comparison_id, ids)}")
    return {row.metric: unpack(row.packed) for row in found}
