"""Names of the result's columns are free, and the output can be written, before any work is done."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.writing import check_free, check_output


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame({"text": ["good", "bad"]}).write_csv(path)
    return open_table(path)


def test_a_column_of_the_results_is_refused():
    check_free(["id", "my_semscale_mean"], "a.csv")
    with pytest.raises(InputError, match=r"a\.csv has a column 'semscale_mean', but names with semscale_"):
        check_free(["id", "semscale_mean"], "a.csv")


def test_an_output_beside_the_input(table, tmp_path):
    check_output(table, tmp_path / "rated.parquet")


def test_the_input_is_no_output(table):
    with pytest.raises(InputError, match="out must not be the input"):
        check_output(table, table.path)


@pytest.mark.parametrize(
    ("name", "words"),
    [("rated.doc", "out must end in one of"), ("missing/rated.csv", "missing does not exist")],
)
def test_an_output_that_cannot_be_written(table, tmp_path, name, words):
    with pytest.raises(InputError, match=words):
        check_output(table, tmp_path / name)


def test_more_rows_than_a_sheet_holds(table, tmp_path):
    import dataclasses

    check_output(dataclasses.replace(table, n_rows=1_048_575), tmp_path / "rated.xlsx")
    large = dataclasses.replace(table, n_rows=1_048_576)
    with pytest.raises(InputError, match="an Excel sheet holds 1,048,575 rows, but there are 1,048,576"):
        check_output(large, tmp_path / "rated.xlsx")
    check_output(large, tmp_path / "rated.csv")
