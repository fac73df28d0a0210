"""Decisions of another run, read in step with this one."""

import numpy as np
import polars as pl
import pytest

from semscale.coding.coder import Coder
from semscale.coding.coding import code_answers
from semscale.coding.other_runs import OtherRun
from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.writing import write_table

ALL_TEXT = np.zeros(2, dtype=bool)


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_it_is_read_from_its_table_some_rows_at_a_time(book, key_words, tmp_path, ending):
    texts = ["the battery", "=price", None, "- a screen", "hello"]
    found = code_answers(Coder(book, embedder=key_words).score(texts))
    path = tmp_path / f"coded.{ending}"
    write_table(pl.concat([pl.DataFrame({"text": texts}), found.to_frame()], how="horizontal"), path)
    other = OtherRun(open_table(path), book, "text", path.name)
    read = [other.take(texts[:2], ALL_TEXT), other.take(texts[2:], np.zeros(3, dtype=bool))]
    other.check_ended()
    assert np.array_equal(np.concatenate(read), found.decisions.given, equal_nan=True)


@pytest.fixture
def other(book, tmp_path):
    """A run that had one of three codes, on two answers."""
    pl.DataFrame({"text": ["a", "b"], "semscale_cost": [1, 0]}).write_csv(tmp_path / "t.csv")
    return lambda: OtherRun(open_table(tmp_path / "t.csv"), book, "text", "t.csv")


@pytest.mark.parametrize("texts", [["a", "c"], ["a", "b", "c"]])
def test_other_answers_are_refused(other, texts):
    with pytest.raises(InputError, match="t.csv must have the same answers in the same order"):
        other().take(texts, np.zeros(len(texts), dtype=bool))


def test_more_answers_are_refused(other):
    run = other()
    run.take(["a"], ALL_TEXT[:1])
    with pytest.raises(InputError, match="must have the same answers"):
        run.check_ended()


def test_a_code_that_it_did_not_have_is_not_known(other):
    assert other().take(["a", "b"], ALL_TEXT)[:, 1].tolist() == [1, 0]
    assert np.isnan(other().take(["a", "b"], ALL_TEXT)[:, [0, 2]]).all()


def test_a_cell_that_is_no_text_here_is_not_compared(other):
    assert other().take([None, "b"], np.array([True, False])).shape == (2, 3)
    with pytest.raises(InputError, match="must have the same answers"):
        other().take([None, "c"], np.array([True, False]))


def test_a_table_without_any_of_the_codes_is_refused(book, tmp_path):
    (tmp_path / "t.csv").write_text("text\na\n")
    with pytest.raises(InputError, match="no column semscale_power and no other code"):
        OtherRun(open_table(tmp_path / "t.csv"), book, "text", "t.csv")
