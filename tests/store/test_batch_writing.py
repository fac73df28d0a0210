"""Tables written batch by batch."""

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.store.reading import open_table
from semscale.store.writing import write_batches

BATCHES = [pl.DataFrame({"a": [1, 2], "b": ["x", "=1"]}), pl.DataFrame({"a": [0.5], "c": ["late"]})]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx", "t.jsonl"])
def test_batches_are_joined_with_columns_that_differ(tmp_path, name):
    write_batches(iter(BATCHES), tmp_path / name)
    (rows,) = open_table(tmp_path / name).batches(10)
    assert rows.columns == ["a", "b", "c"]
    assert [float(cell) for cell in rows["a"]] == [1, 2, 0.5]
    assert rows["c"][-1] == "late"
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_an_error_in_a_batch_leaves_no_file(tmp_path):
    def batches():
        yield BATCHES[0]
        raise InputError("stop")

    with pytest.raises(InputError, match="stop"):
        write_batches(batches(), tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []
