"""Runs in the database of a history: recording, finding and loading them within a transaction."""

from collections.abc import Sequence

from sqlalchemy import Connection, Select, Table, select

from semscale.errors import InputError, UnknownNameError
from semscale.history.column_values import Found
from semscale.history.databases.database import insert_rows
from semscale.history.entries import run_entry
from semscale.history.item_json import digest_bodies
from semscale.history.name_lookup import find_id, near_id
from semscale.history.recorded_seals import check_entries, seal_entry
from semscale.history.run_rows import read_run, run_rows
from semscale.history.runs import Run
from semscale.history.tables import ITEMS, RUNS


def record_run(connection: Connection, run: Run) -> None:
    """Store a run with all its items.

    Raises:
        InputError: the history has a run with this id, or cannot store a value.
        UnknownNameError: ``rerun_of`` names no run.
    """
    row, items = run_rows(run)
    if run.rerun_of is not None:
        _refuse_lone_rerun(connection, run)
    refuse_known(connection, RUNS, run.id, "a run")
    insert_rows(connection, RUNS, [row])
    insert_rows(connection, ITEMS, items)
    seal_entry(connection, run_entry(row, str(row["digest"])))


def refuse_known(connection: Connection, table: Table, name: str, noun: str) -> None:
    """Refuse an id that the table has already.

    Raises:
        InputError: it has.
    """
    if connection.execute(select(table.c.id).where(table.c.id == name)).first() is not None:
        raise InputError(
            f"the history has {noun} {name!r} already: nothing is ever replaced, so give another id"
        )


def _refuse_lone_rerun(connection: Connection, run: Run) -> None:
    known = datasets_of_runs(connection)
    original = run.rerun_of or ""
    if original not in known:
        raise UnknownNameError(
            f"rerun_of names no run, got {original[:60]!r}{near_id(original, list(known))}"
        )
    if known[original] != run.dataset:
        raise InputError(
            f"rerun_of must name a run of dataset {run.dataset!r}, got {original!r} of {known[original]!r}"
        )


def datasets_of_runs(connection: Connection) -> dict[str, str]:
    """List the dataset of each run by its id, sorted by id."""
    found = connection.execute(select(RUNS.c.id, RUNS.c.dataset)).all()
    return {row.id: row.dataset for row in sorted(found, key=lambda row: row.id)}


def find_run(connection: Connection, name: str) -> str:
    """Find the whole id of a run.

    Raises:
        UnknownNameError: the name fits no run or several.
    """
    return find_id(name, sorted(connection.execute(select(RUNS.c.id)).scalars()), "run")


def load_run(connection: Connection, run_id: str) -> Run:
    """Load a run by its whole id.

    Raises:
        InputError: it was changed since it was recorded.
    """
    found = connection.execute(select(RUNS).where(RUNS.c.id == run_id)).mappings().one()
    bodies = load_bodies(connection, run_id)
    run = read_run(found, bodies)
    check_entries(connection, [run_entry(found, digest_bodies(bodies))])
    return run


def load_bodies(connection: Connection, run_id: str) -> Sequence[str]:
    """Load the JSON of a run's items, in their order."""
    query = select(ITEMS.c.body).where(ITEMS.c.run_id == run_id).order_by(ITEMS.c.position)
    return connection.execute(query).scalars().all()


def load_run_rows(connection: Connection, query: Select[tuple[object, ...]]) -> Sequence[Found]:
    """Load rows of runs, without their items.

    Args:
        connection: to the history's database.
        query: selects whole rows of runs.

    Raises:
        InputError: a run was changed since it was recorded.
    """
    found = connection.execute(query).mappings().all()
    check_entries(connection, [run_entry(each) for each in found])
    return found
