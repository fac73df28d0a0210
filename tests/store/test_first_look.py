"""The look through a table before any work."""

from pathlib import Path

import polars as pl
import pytest

from semscale.errors import InputError, InterruptedRunError
from semscale.store import writing
from semscale.store.reading import open_table
from semscale.store.runs import look_through, needs_counting


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame({"text": list("abcde"), "by": list("vwxyz")}).write_csv(path)
    return open_table(path)


def test_every_row_is_looked_at_with_its_place(table):
    seen = []
    look_through(table, ["by"], 2, lambda batch, row: seen.append((row, batch["by"].to_list())))
    assert seen == [(0, ["v", "w"]), (2, ["x", "y"]), (4, ["z"])]


def test_a_stop_is_said(table):
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match="stopped while the columns were checked, before any text"):
        look_through(table, ["by"], 2, stop)


def test_rows_are_counted_where_a_sheet_could_end(table, monkeypatch):
    assert needs_counting(table, Path("out.xlsx"))
    assert not needs_counting(table, Path("out.csv"))
    assert not needs_counting(table, None)
    monkeypatch.setattr(writing, "MAX_ROWS", 3)
    look_through(table, ["by"], 2, lambda *_: None)
    with pytest.raises(InputError, match="Excel"):
        look_through(table, ["by"], 2, lambda *_: None, counting=True)
