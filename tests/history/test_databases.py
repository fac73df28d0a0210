"""Databases of histories: tables, rights, locks, damage, and errors in one line."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import inspect, text
from sqlalchemy.exc import InterfaceError
from tests.support.stored_runs import a_comparison, a_run, an_approval

from semscale.errors import InputError
from semscale.history.history import open_history
from semscale.store.databases.address import read_address
from semscale.store.databases.database import Database, clear_errors, open_database
from semscale.store.databases.schema import METADATA, REVISION

NOBODY = 65534


@contextmanager
def ordinary_user():
    """Give up root's rights, to which what is read-only is not; anybody else has none to give up."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder():
    """A folder that every user may look into."""
    created = Path(tempfile.mkdtemp(prefix="semscale-history-"))
    created.chmod(0o755)
    yield created
    created.chmod(0o755)
    shutil.rmtree(created)


@pytest.fixture
def filled(folder):
    """A history with a run, an approval and a comparison."""
    path = folder / "history.sqlite"
    with open_history(path) as history:
        history.record(run := a_run(id="filled"))
        history.approve(an_approval(run))
        history.record_comparison(a_comparison(id="compared"))
    path.chmod(0o644)
    return path


posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="rights as of POSIX")


@posix
class TestReadOnly:
    @pytest.mark.parametrize("locked", ["file", "folder", "both"])
    def test_it_is_read_and_not_written(self, folder, filled, locked):
        if locked != "folder":
            filled.chmod(0o444)
        folder.chmod(0o777 if locked == "file" else 0o555)
        before = filled.read_bytes()
        with ordinary_user(), open_history(filled) as history:
            assert [run.id for run in history.runs()] == ["filled"]
            assert history.baseline("answers")[0].id == "filled"
            assert history.comparisons()[0].id == "compared"
            assert sorted(history.scores("compared")) == ["cosine", "match"]
            new_run, new_comparison = a_run(note="new"), a_comparison(outcome="pass")
            for write in (lambda: history.record(new_run), lambda: history.record_comparison(new_comparison)):
                with pytest.raises(
                    InputError, match=r"history .* is read-only: copy it to a folder that you can write to"
                ):
                    write()
        assert filled.read_bytes() == before

    @pytest.mark.exhaustive
    def test_another_process_wrote_and_was_killed(self, folder, filled):
        # What it had committed is in a second file, which nobody may carry over here.
        script = """
import os, sqlite3, sys
from semscale.drift import Item, Run, open_history
reader = sqlite3.connect(sys.argv[1])
reader.execute("SELECT * FROM semscale_entries").fetchall()
open_history(sys.argv[1]).record(Run("answers", "model-a", (Item("a", ()),), id="committed"))
os.kill(os.getpid(), 9)
"""
        subprocess.run([sys.executable, "-c", script, str(filled)], check=False)
        assert Path(f"{filled}-wal").stat().st_size
        for name in folder.iterdir():
            name.chmod(0o444)
        Path(f"{filled}-shm").unlink()
        folder.chmod(0o555)
        with ordinary_user(), pytest.raises(InputError, match="its last changes are in history.sqlite-wal"):
            open_history(filled)
        folder.chmod(0o755)
        with open_history(filled) as history:
            assert history.run("committed").model == "model-a"

    @pytest.mark.exhaustive
    def test_unreadable_history_is_refused(self, filled):
        filled.chmod(0o000)
        with ordinary_user(), pytest.raises(InputError, match="cannot be opened: check that file and folder"):
            open_history(filled)

    def test_a_folder_that_may_not_be_looked_into(self, folder, filled):
        folder.chmod(0o000)
        for create in (True, False):
            with ordinary_user(), pytest.raises(InputError, match=f"history {filled} "):
                open_history(filled, create=create)

    def test_new_history_in_a_read_only_folder_is_refused(self, folder):
        folder.chmod(0o555)
        with ordinary_user(), pytest.raises(InputError, match=r"cannot be (opened|created)"):
            open_history(folder / "history.sqlite")


class TestNoHistory:
    def test_a_file_that_is_missing(self, tmp_path):
        with pytest.raises(InputError, match="does not exist: record a run first, or name another file"):
            open_history(tmp_path / "history.sqlite", create=False)
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_that_is_missing(self, tmp_path):
        with pytest.raises(InputError, match=r"history: the folder .*b does not exist; create it, or choose"):
            open_history(tmp_path / "a" / "b" / "history.sqlite")
        assert list(tmp_path.iterdir()) == []

    def test_a_file_that_is_no_sqlite(self, tmp_path):
        path = tmp_path / "answers.csv"
        path.write_text("id,text\n" + "1,fine\n" * 200)
        with pytest.raises(InputError, match=r"answers\.csv is not an SQLite file"):
            open_history(path)
        assert path.read_text().startswith("id,text")

    def test_a_file_of_another_program(self, tmp_path):
        path = tmp_path / "other.sqlite"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE bookmarks (url TEXT)")
        before = path.read_bytes()
        with pytest.raises(InputError, match="is another program's database, with a table 'bookmarks'"):
            open_history(path)
        assert path.read_bytes() == before

    def test_a_folder(self, tmp_path):
        with pytest.raises(InputError, match="is a folder: name a file in it"):
            open_history(tmp_path)


class TestDamaged:
    def test_a_page_in_the_middle(self, tmp_path):
        path = tmp_path / "history.sqlite"
        with open_history(path) as history:
            for entry in range(20):
                history.record(a_run(200, id=f"run-{entry:04}", note=f"number {entry}"))
        size = path.stat().st_size
        with path.open("r+b") as file:
            file.seek(size // 4)
            file.write(b"\xa5" * (size // 2))
        with pytest.raises(InputError, match="is damaged: restore a backup"), open_history(path) as history:
            [history.run(run.id) for run in history.runs()]

    def test_a_file_that_ends_too_early(self, tmp_path):
        path = tmp_path / "history.sqlite"
        with open_history(path) as history:
            history.record(a_run(2000))
        os.truncate(path, 4096)
        with pytest.raises(InputError, match="is damaged"), open_history(path) as history:
            history.run(history.runs()[0].id)

    def test_a_text_with_broken_characters(self, tmp_path):
        path = tmp_path / "history.sqlite"
        with open_history(path) as history:
            history.record(a_run(id="broken"))
            with history._database.writing() as connection:
                connection.execute(text("UPDATE semscale_items SET body = CAST(x'22ff22' AS TEXT)"))
            with pytest.raises(InputError, match="is damaged"):
                history.run("broken")


def test_readers_go_on_while_somebody_writes(tmp_path):
    path = tmp_path / "history.sqlite"
    with open_history(path) as history:
        history.record(a_run(id="before"))
        with history._database.writing() as connection:
            connection.execute(text("DELETE FROM semscale_items"))
            assert [len(history.run(run.id).items) for run in history.runs()] == [3]


@posix
def test_a_new_history_is_private(tmp_path):
    path = tmp_path / "history.sqlite"
    with open_history(path) as history:
        history.record(a_run())
        with history._database.writing():
            rights = {file_path.name: file_path.stat().st_mode & 0o777 for file_path in tmp_path.iterdir()}
    assert set(rights.values()) == {0o600}


def test_closed_history_leaves_a_single_file(tmp_path):
    path = tmp_path / "history.sqlite"
    with open_history(path) as history:
        history.record(a_run())
    assert [file_path.name for file_path in tmp_path.iterdir()] == ["history.sqlite"]


def test_a_name_with_what_urls_give_a_meaning(tmp_path):
    path = tmp_path / "50 % of #1?mode=memory.sqlite"
    with open_history(path) as history:
        history.record(run := a_run())
    assert path.is_file()
    with open_history(path) as again:
        assert again.run(run.id) == run


@pytest.fixture
def raw(where):
    """A place's database, without what opening does."""
    database = Database(read_address(where), create=True)
    yield database
    database.close()


@pytest.mark.exhaustive
def test_the_revisions_make_the_tables_that_the_code_has(where):
    database = open_database(read_address(where), create=True)
    with database.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "semscale_version"})
        assert compare_metadata(context, METADATA) == []
        assert context.get_current_revision() == REVISION
    database.close()


@pytest.mark.exhaustive
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


@pytest.mark.exhaustive
def test_a_history_of_a_newer_version_is_left_alone(history, where, raw):
    history.record(a_run())
    with raw.writing() as connection:
        connection.execute(text("UPDATE semscale_version SET version_num = '99'"))
    with pytest.raises(
        InputError, match=f"was created by a newer Semscale .* revision 99, known are those up to {REVISION}"
    ):
        open_history(where)


@pytest.mark.exhaustive
def test_empty_file_contains_no_history_yet(where, raw):
    with raw.reading():
        pass  # the file is there, and empty
    with pytest.raises(InputError, match="contains no history yet: record a run first"):
        open_history(where, create=False)


@pytest.mark.exhaustive
def test_unrelated_tables_on_the_same_server_stay(new_database):
    entry = new_database()
    database = Database(read_address(entry), create=True)
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num text)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('theirs')"))
    with open_history(entry) as history:
        history.record(a_run())
    with database.reading() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "theirs"
    database.close()


@pytest.mark.exhaustive
@pytest.mark.exhaustive
def test_an_encoding_that_cannot_keep_every_text_is_refused(new_database):
    with pytest.raises(InputError) as caught:
        open_history(new_database(encoding="LATIN1"))
    assert str(caught.value).endswith(
        "has the encoding LATIN1, which cannot keep every text: create its database with createdb "
        "--encoding UTF8"
    )


def broken_pipe() -> InterfaceError:
    """What SQLAlchemy raises from a rollback or a commit, which are no statements."""
    error = Exception("network error")
    error.__cause__ = BrokenPipeError(32, "Broken pipe")
    return InterfaceError(None, None, error)


def test_a_connection_that_broke_outside_a_statement_was_lost():
    with pytest.raises(InputError, match="lost the connection"), clear_errors("h", connected=True):
        raise broken_pipe()


def test_broken_pipe_while_connecting_names_what_to_check():
    with pytest.raises(InputError, match=r"cannot be used \(Broken pipe\): check host"), clear_errors("h"):
        raise broken_pipe()
