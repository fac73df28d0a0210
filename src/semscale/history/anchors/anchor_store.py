"""Anchor sets and their readings in the database of a history."""

from collections.abc import Sequence

from sqlalchemy import Connection, Select, select

from semscale.errors import InputError
from semscale.history.anchors.anchor_rows import MOVED, read_readings, read_set, readings_row, set_row
from semscale.history.anchors.anchor_set import AnchorReadings, AnchorSet
from semscale.history.databases.database import Database, insert_rows
from semscale.history.entries import readings_entry, set_entry
from semscale.history.recorded_runs import refuse_known
from semscale.history.recorded_seals import check_entries, seal_entry
from semscale.history.tables import ANCHOR_READINGS, ANCHOR_SETS


class AnchorStore:
    """Keeps anchor sets and readings of them; entries are added and never changed or deleted.

    Args:
        database: of a history.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    def freeze(self, anchors: AnchorSet, readings: Sequence[AnchorReadings] = ()) -> None:
        """Store an anchor set with its first readings: all of it, or nothing.

        Raises:
            InputError: the dataset has a set of this name, or the history cannot be written.
        """
        row = set_row(anchors)
        with self._database.writing() as connection:
            # Sets of one name that two machines froze apart can meet in a merge; here there is one.
            named = select(ANCHOR_SETS.c.id).where(
                ANCHOR_SETS.c.dataset == anchors.dataset, ANCHOR_SETS.c.name == anchors.name
            )
            if connection.execute(named).first() is not None:
                raise InputError(
                    f"dataset {anchors.dataset[:60]!r} has an anchor set {anchors.name[:60]!r}: it never "
                    "changes, so give this one another name"
                )
            refuse_known(connection, ANCHOR_SETS, anchors.id, "an anchor set")
            insert_rows(connection, ANCHOR_SETS, [row])
            seal_entry(connection, set_entry(row))
            _add(connection, readings)

    def add(self, readings: Sequence[AnchorReadings]) -> None:
        """Store readings of a set that is there: all of them, or none.

        Raises:
            InputError: the history cannot be written.
        """
        with self._database.writing() as connection:
            _add(connection, readings)

    def sets(self, dataset: str) -> list[AnchorSet]:
        """List the anchor sets of a dataset, the oldest first.

        Raises:
            InputError: one was changed since it was frozen.
        """
        columns = ANCHOR_SETS.c
        query = select(ANCHOR_SETS).where(columns.dataset == dataset).order_by(columns.frozen, columns.id)
        with self._database.reading() as connection:
            found = connection.execute(query).mappings().all()
            check_entries(connection, [set_entry(each) for each in found])
            return [read_set(each) for each in found]

    def readings(self, set_id: str, *, signature: str | None = None) -> list[AnchorReadings]:
        """List the readings of a set, the oldest first.

        Args:
            set_id: id of the set.
            signature: only those of a ruler with this signature.

        Raises:
            InputError: one was changed since it was stored.
        """
        columns = ANCHOR_READINGS.c
        query = select(ANCHOR_READINGS).where(columns.set_id == set_id)
        if signature is not None:
            query = query.where(columns.signature == signature)
        with self._database.reading() as connection:
            found = connection.execute(query.order_by(columns.measured, columns.id)).mappings().all()
            check_entries(connection, [readings_entry(each) for each in found])
            return [read_readings(each) for each in found]


def comparisons_moved(connection: Connection, of: Select[tuple[str]]) -> set[str]:
    """List the comparisons that were measured while their ruler had moved, by their last readings.

    Args:
        connection: to the history's database.
        of: selects ids of comparisons.

    Raises:
        InputError: their readings were changed since they were stored.
    """
    columns = ANCHOR_READINGS.c
    marked = select(columns.comparison_id).where(
        columns.comparison_id.in_(of), columns.body.contains(MOVED, autoescape=True)
    )
    query = select(ANCHOR_READINGS).where(columns.comparison_id.in_(marked))
    found = connection.execute(query.order_by(columns.measured, columns.id)).mappings().all()
    check_entries(connection, [readings_entry(each) for each in found])
    last = {each["comparison_id"]: read_readings(each).has_moved for each in found}
    return {name for name, has_moved in last.items() if has_moved}


def _add(connection: Connection, readings: Sequence[AnchorReadings]) -> None:
    for one in readings:
        row = readings_row(one)
        refuse_known(connection, ANCHOR_READINGS, one.id, "readings")
        insert_rows(connection, ANCHOR_READINGS, [row])
        seal_entry(connection, readings_entry(row))
