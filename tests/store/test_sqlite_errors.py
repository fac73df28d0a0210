"""Codes of SQLite's errors, without what tells kinds of one error apart."""

import sqlite3

import pytest

from semscale.store.sqlite_errors import primary_code


def test_the_code_of_a_kind_of_error_is_that_of_the_error():
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t (x UNIQUE)")
    with pytest.raises(sqlite3.Error) as caught:
        connection.execute("INSERT INTO t VALUES (1), (1)")
    connection.close()
    # SQLITE_CONSTRAINT_UNIQUE is 2067 = 19 + 8 * 256; 19 is SQLITE_CONSTRAINT.
    assert caught.value.sqlite_errorcode == 2067
    assert primary_code(caught.value) == 19


def test_an_error_that_never_reached_sqlite_has_no_code():
    connection = sqlite3.connect(":memory:")
    connection.close()
    with pytest.raises(sqlite3.ProgrammingError) as caught:
        connection.execute("SELECT 1")
    assert primary_code(caught.value) is None
