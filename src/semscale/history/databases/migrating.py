"""Migration of a history's tables to the current version of Semscale, by Alembic revisions."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, inspect, text

from semscale.errors import InputError
from semscale.history.databases.database import Database
from semscale.history.tables import REVISION, SEALS, VERSION_TABLE
from semscale.history.verification import seal_old_entries

if TYPE_CHECKING:
    from alembic.script import ScriptDirectory


def bring_up_to_date(database: Database, *, create: bool, target: str = REVISION) -> None:
    """Create the tables if there are none, and migrate older ones.

    If several processes call it at once, one migrates and the others wait.

    Args:
        database: the history's database.
        create: whether to create tables if there are none.
        target: the revision to migrate to.

    Raises:
        InputError: the database belongs to another program or a newer version, is empty and ``create`` is
            false, or is read-only and of an older version.
    """
    with database.reading() as connection:
        found = stored_revision(connection, database.where)
    if found == target:
        return
    if found is None and not create:
        raise InputError(f"history {database.where} holds no history yet: record a run first")
    script = revisions()
    _check_known(script, found, database.where)
    try:
        with database.writing(alone=True) as connection:
            _upgrade(connection, script, database.where, target)
    except InputError as error:
        if found is not None and "is read-only" in str(error):
            raise InputError(
                f"history {database.where} is of an older Semscale and read-only, so it cannot be brought up "
                "to date: copy it to where you may write, and open the copy"
            ) from error
        raise


def stored_revision(connection: Connection, where: str) -> str | None:
    """Read the revision of a database; ``None`` if it contains no history.

    Raises:
        InputError: the database belongs to another program.
    """
    inspector = inspect(connection)
    if inspector.has_table(VERSION_TABLE):
        found = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()  # noqa: S608
        return None if found is None else str(found)
    if connection.dialect.name == "sqlite" and (tables := inspector.get_table_names()):
        raise InputError(
            f"history {where} is another program's database, with a table {tables[0]!r}: name another file"
        )
    return None


def revisions() -> "ScriptDirectory":
    """Return all revisions that this version knows."""
    from alembic.script import ScriptDirectory

    folder = Path(__file__).parents[2] / "migrations"
    return ScriptDirectory(str(folder), version_locations=[str(folder)])


def _check_known(script: "ScriptDirectory", found: str | None, where: str) -> None:
    known = {revision.revision for revision in script.walk_revisions()}
    if found is not None and found not in known:
        raise InputError(
            f"history {where} was made by a newer Semscale (its tables are of revision {found}, known are "
            f"those up to {REVISION}): pip install --upgrade semscale"
        )


def _upgrade(connection: Connection, script: "ScriptDirectory", where: str, target: str) -> None:
    from alembic.operations import Operations
    from alembic.runtime.migration import MigrationContext

    # Another process, even of a newer version, may have migrated the database meanwhile.
    found = stored_revision(connection, where)
    _check_known(script, found, where)
    context = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLE})
    has_seals = found is None or inspect(connection).has_table(SEALS.name)
    for step in reversed(list(script.iterate_revisions(target, found or "base"))):
        step.module.upgrade(Operations(context))
        context.stamp(script, step.revision)
    if target == REVISION and not has_seals:
        seal_old_entries(connection)
