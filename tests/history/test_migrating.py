"""The tables of a database: created once, refused where they are newer, beside those of other programs."""

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from stored_runs import a_run

from semscale.errors import InputError
from semscale.history.history import open_history
from semscale.store.databases.address import read_address
from semscale.store.databases.database import Database, open_database
from semscale.store.databases.schema import METADATA, REVISION

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def raw(where):
    """A place's database, without what opening does."""
    database = Database(read_address(where), create=True)
    yield database
    database.close()


def test_the_revisions_make_the_tables_that_the_code_has(where):
    database = open_database(read_address(where), create=True)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "semscale_version"})
        assert compare_metadata(context, METADATA) == []
        assert context.get_current_revision() == REVISION
    database.close()


def test_a_creation_that_is_interrupted_leaves_nothing(raw, where, monkeypatch):
    def interrupted(_bind):
        raise KeyboardInterrupt

    monkeypatch.setattr(METADATA, "create_all", interrupted)
    with pytest.raises(KeyboardInterrupt):
        open_history(where)
    with raw.reading() as connection:
        assert inspect(connection).get_table_names() == []
    monkeypatch.undo()
    with open_history(where) as history:
        history.record(run := a_run())
        assert history.run(run.id) == run


def test_a_history_of_a_newer_version_is_left_alone(history, where, raw):
    history.record(a_run())
    with raw.writing() as connection:
        connection.execute(text("UPDATE semscale_version SET version_num = '99'"))
    with pytest.raises(
        InputError, match=f"was made by a newer Semscale .* revision 99, known are those up to {REVISION}"
    ):
        open_history(where)


def test_an_empty_place_is_no_history_yet(where, raw):
    with raw.reading():
        pass  # the file is there, and empty
    with pytest.raises(InputError, match="holds no history yet: record a run first"):
        open_history(where, create=False)


def test_tables_of_others_on_the_same_server_stay(new_database):
    place = new_database()
    database = Database(read_address(place), create=True)
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num text)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('theirs')"))
    with open_history(place) as history:
        history.record(a_run())
    with database.reading() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "theirs"
    database.close()


@pytest.mark.exhaustive
def test_an_encoding_that_cannot_keep_every_text_is_refused(new_database):
    with pytest.raises(InputError) as caught:
        open_history(new_database(encoding="LATIN1"))
    assert str(caught.value).endswith(
        "has the encoding LATIN1, which cannot keep every text: create its database with createdb "
        "--encoding UTF8"
    )
