"""A history that an older version made is brought up to date on opening, with everything that is in it."""

import subprocess
import sys
from datetime import UTC, datetime, timedelta

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import bindparam, inspect, text
from stored_anchors import an_anchor_set
from stored_runs import START, a_comparison, a_run, an_approval

from semscale.errors import InputError
from semscale.history import recorded_seals
from semscale.history.comparison_rows import comparison_rows
from semscale.history.databases.database import Database
from semscale.history.databases.migrating import bring_up_to_date, revisions, stored_revision
from semscale.history.databases.opening import connect, open_history
from semscale.history.recorded_runs import record_run
from semscale.history.run_rows import approval_row, run_rows
from semscale.history.tables import (
    ANCHOR_READINGS,
    ANCHOR_SETS,
    APPROVALS,
    COMPARISONS,
    FIGURES,
    ITEMS,
    METADATA,
    REVISION,
    RUNS,
    SCORES,
    SEALS,
)
from semscale.store.databases.address import read_address

pytestmark = pytest.mark.exhaustive

RUN, OTHER = a_run(3, id="an-old-run"), a_run(2, id="another", dataset="feedback")
APPROVAL = an_approval(RUN, id="an-old-approval")
COMPARISON = a_comparison(id="an-old-comparison")
LATER = {"1": {"rerun_of", "note", "n_items", "expires", "checks"}, "2": {"expires", "checks"}}
"""The columns that came after each revision."""


@pytest.fixture
def raw(where):
    """A place's database, without what opening does."""
    database = connect(read_address(where), create=True)
    yield database
    database.close()


def fill_as_of(database: Database, revision: str) -> None:
    """Make an old database and write rows as that version did: without the columns that came later."""
    bring_up_to_date(database, create=True, target=revision)
    row, figures, scores = comparison_rows(COMPARISON)
    runs = [run_rows(run) for run in (RUN, OTHER)]
    written = (
        *((RUNS, head) for head, _ in runs),
        *((ITEMS, item) for _, items in runs for item in items),
        (APPROVALS, approval_row(APPROVAL)),
        (COMPARISONS, row),
        *((FIGURES, figure) for figure in figures),
        *((SCORES, score) for score in scores),
    )
    with database.writing() as connection:
        for table, each in written:
            known = {name: value for name, value in each.items() if name not in LATER[revision]}
            columns = ", ".join(known)
            places = ", ".join(f":{name}" for name in known)
            types = [table.c[name].type for name in known]
            statement = text(f"INSERT INTO {table.name} ({columns}) VALUES ({places})")
            binds = [bindparam(name, type_=type_) for name, type_ in zip(known, types, strict=True)]
            connection.execute(statement.bindparams(*binds), known)


@pytest.mark.parametrize("revision", ["1", "2"])
def test_an_old_history_keeps_what_it_has(raw, where, revision):
    fill_as_of(raw, revision)
    with raw.reading() as connection:
        assert stored_revision(connection, where) == revision
    with open_history(where) as history:
        assert history.run(RUN.id) == RUN
        assert history.baseline("answers") == (RUN, APPROVAL)
        assert {run.id: (run.n_items, run.rerun_of, run.note) for run in history.runs()} == {
            RUN.id: (3, None, None),
            OTHER.id: (2, None, None),
        }
        assert [each.figures[0] for each in history.comparisons()] == [COMPARISON.figures[0]]
        assert history.scores(COMPARISON.id)["match"].tolist() == [0.5, 0.0]
        # What the old version could not keep is kept now.
        history.record(rerun := a_run(rerun_of=RUN.id, note="once more"))
        assert history.reruns(RUN.id) == [rerun]
        history.approve(
            an_approval(RUN, approved=datetime.now(UTC), expires=datetime.now(UTC) + timedelta(1))
        )
        assert history.baseline("answers")[1].expires is not None
    with raw.reading() as connection:
        assert stored_revision(connection, where) == REVISION


def test_old_entries_are_sealed_and_said_to_be_sealed_late(raw, where):
    fill_as_of(raw, "2")
    with open_history(where) as history:
        found = history.verify()
        # Two runs, one approval and one comparison were there; a chain for each of two datasets.
        assert (found.holds, found.n_entries, found.n_late) == (True, 4, 4)
        assert {name: len(heads) for name, heads in found.heads.items()} == {"answers": 1, "feedback": 1}
        history.record(a_run())
        found = history.verify([*found.heads["answers"]])
        assert (found.holds, found.n_entries, found.n_late) == (True, 5, 4)
    with raw.writing() as connection:
        connection.execute(text("UPDATE semscale_approvals SET approved_by = 'Eve'"))
    with open_history(where) as history, pytest.raises(InputError, match="'an-old-approval' is not what was"):
        history.baseline("answers")


def test_sealed_comparisons_without_checks_keep_their_seals(raw, where):
    with open_history(where) as history:
        for run in (RUN, OTHER):
            history.record(run)
        history.keep(COMPARISON)
        heads = history.heads("answers")
    with raw.writing() as connection:  # as the version before checks left it
        connection.execute(text("ALTER TABLE semscale_comparisons DROP COLUMN checks"))
        connection.execute(text("UPDATE semscale_version SET version_num = '5'"))
    with open_history(where) as history:
        assert history.verify(heads).holds
        (found,) = history.comparisons()
        assert (found.id, found.checks, found.broken) == (COMPARISON.id, None, None)


def test_a_sealed_history_keeps_its_chain_and_takes_anchors(raw, where, monkeypatch):
    bring_up_to_date(raw, create=True, target="4")
    of_revision_4 = {
        kind: table for kind, table in recorded_seals.TABLES.items() if "anchor" not in table.name
    }
    with raw.writing() as connection, monkeypatch.context() as older:
        older.setattr(recorded_seals, "TABLES", of_revision_4)
        record_run(connection, RUN)
    with open_history(where) as history:
        assert history.run(RUN.id) == RUN
        heads = history.heads("answers")
        history.anchors.freeze(an_anchor_set())
        found = history.verify(heads)
        assert (found.holds, found.n_entries, found.n_late) == (True, 2, 0)


def test_two_copies_that_were_migrated_apart_become_one_history(new_place):
    places = new_place(), new_place()
    for place in places:
        database = connect(read_address(place), create=True)
        fill_as_of(database, "2")
        database.close()
    with open_history(places[0]) as ours, open_history(places[1]) as theirs:
        theirs.record(a_run(id="later"))
        assert ours.merge(theirs).runs == 1
        assert ours.verify().holds
        assert ours.heads("answers") == theirs.heads("answers")


@pytest.mark.parametrize("revision", [None, "1"])
def test_the_revisions_make_the_tables_that_the_code_has(raw, revision):
    if revision:
        fill_as_of(raw, revision)
    bring_up_to_date(raw, create=True)
    with raw.reading() as connection:
        context = MigrationContext.configure(connection, opts={"version_table": "semscale_version"})
        assert compare_metadata(context, METADATA) == []


def test_the_code_asks_for_the_last_revision():
    assert revisions().get_current_head() == REVISION


def test_processes_that_open_an_old_history_at_once(raw, where):
    fill_as_of(raw, "1")
    script = """
import sys
from semscale.history.databases.opening import open_history
sys.stdin.readline()
with open_history(sys.argv[1]) as history:
    assert history.runs()[0].n_items
"""
    command = [sys.executable, "-W", "error", "-c", script, where]
    opened = [subprocess.Popen(command, stdin=subprocess.PIPE, text=True) for _ in range(4)]
    for each in opened:
        each.stdin.write("go\n")
        each.stdin.flush()
    assert [(each.communicate(timeout=120), each.returncode)[1] for each in opened] == [0] * 4
    with open_history(where) as history:
        assert history.run(RUN.id) == RUN


def test_a_migration_that_is_interrupted_leaves_the_old_tables(raw, where, monkeypatch):
    fill_as_of(raw, "1")
    script = revisions()

    def interrupted(_op):
        raise KeyboardInterrupt

    monkeypatch.setattr(script.get_revision("3").module, "upgrade", interrupted)
    monkeypatch.setattr("semscale.history.databases.migrating.revisions", lambda: script)
    with pytest.raises(KeyboardInterrupt):
        bring_up_to_date(raw, create=True)
    with raw.reading() as connection:
        assert stored_revision(connection, where) == "1"
        columns = {column["name"] for column in inspect(connection).get_columns("semscale_runs")}
    assert "n_items" not in columns
    monkeypatch.undo()
    with open_history(where) as history:
        assert history.run(RUN.id) == RUN


def test_a_history_of_a_newer_version_is_left_alone(history, where, raw):
    history.record(a_run(recorded=START))
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
    database = connect(read_address(place), create=True)
    with database.writing() as connection:
        connection.execute(text("CREATE TABLE alembic_version (version_num text)"))
        connection.execute(text("INSERT INTO alembic_version VALUES ('theirs')"))
    with open_history(place) as history:
        history.record(a_run())
    with database.reading() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "theirs"
    database.close()


def test_rows_of_every_table_were_in_the_old_history():
    # A table that is added later must be filled above, too; seals came with revision 4, anchors with 5.
    old = {RUNS, ITEMS, APPROVALS, COMPARISONS, FIGURES, SCORES}
    assert set(METADATA.tables.values()) == {*old, SEALS, ANCHOR_SETS, ANCHOR_READINGS}
