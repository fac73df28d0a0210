"""Some rows of a table, wherever they stand."""

import numpy as np
import polars as pl
import pytest

from semscale.store import table as tables
from semscale.store.reading import open_table
from semscale.store.table import picked_rows


@pytest.mark.parametrize("kind", ["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("titles", [(), ("n",)])
def test_rows_come_in_order_with_their_places(tmp_path, monkeypatch, kind, titles):
    monkeypatch.setattr(tables, "_PICKED", 4)
    path = tmp_path / f"numbers.{kind}"
    frame = pl.DataFrame({"n": range(20), "other": "x"})
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[kind](path)
    wanted = np.array([3, 4, 5, 13, 19])
    found = list(picked_rows(open_table(path), wanted, titles))
    assert [int(number) for batch, _ in found for number in batch["n"]] == wanted.tolist()
    assert np.concatenate([places for _, places in found]).tolist() == wanted.tolist()
    assert list(picked_rows(open_table(path), wanted[:0], titles)) == []
