"""Entries that a history has already: a run or a comparison with the same content under another id."""

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select

from semscale.history.column_values import Row
from semscale.history.tables import COMPARISONS, FIGURES, RUNS

_RUN = ("dataset", "model", "signature", "revision", "digest", "rerun_of", "note")
_COMPARISON = ("baseline_id", "candidate_id", "model", "dataset", "signature", "outcome", "checks")
_FIGURE = tuple(column.name for column in FIGURES.columns if column.name != "comparison_id")


def same_run_id(connection: Connection, run: Row, *, besides: Collection[str] = ()) -> str | None:
    """Find the first run with the same items, outputs, model, revision and note, a rerun of the same run.

    Args:
        connection: to the history's database.
        run: the row of a run, as ``run_rows`` makes it; its id and time do not count.
        besides: ids of runs that are not meant.

    Returns:
        The id, or ``None`` if there is no such run.
    """
    query = select(RUNS.c.id).where(*(RUNS.c[name].is_not_distinct_from(run[name]) for name in _RUN))
    query = query.where(RUNS.c.id.not_in(list(besides))).order_by(RUNS.c.recorded, RUNS.c.id)
    found: str | None = connection.execute(query).scalars().first()
    return found


def same_comparison_id(connection: Connection, comparison: Row, figures: Sequence[Row]) -> str | None:
    """Find the first comparison of the same two runs with the same signature, outcome, checks and figures.

    Args:
        connection: to the history's database.
        comparison: the row of a comparison, as ``comparison_rows`` makes it; its id and time do not count.
        figures: the rows of its figures.

    Returns:
        The id, or ``None`` if there is no such comparison.
    """
    columns = COMPARISONS.c
    query = select(columns.id).where(
        *(columns[name].is_not_distinct_from(comparison[name]) for name in _COMPARISON)
    )
    wanted = [tuple(figure[name] for name in _FIGURE) for figure in figures]
    for found in connection.execute(query.order_by(columns.compared, columns.id)).scalars().all():
        kept = select(*(FIGURES.c[name] for name in _FIGURE)).where(FIGURES.c.comparison_id == found)
        if [tuple(row) for row in connection.execute(kept.order_by(FIGURES.c.position))] == wanted:
            return str(found)
    return None
