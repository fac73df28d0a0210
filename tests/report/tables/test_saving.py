"""Files of tables, by their endings."""

import json

import polars as pl
import pytest

from semscale.errors import InputError
from semscale.report.tables.saving import ENDINGS, check_place


def test_cells_are_written_one_a_row(tables, tmp_path):
    for ending, read in ((".csv", pl.read_csv), (".parquet", pl.read_parquet), (".jsonl", pl.read_ndjson)):
        path = tmp_path / f"cells{ending}"
        tables.report(path)
        assert read(path).height == tables.to_frame().height


def test_json_and_pages_are_written(tables, tmp_path):
    tables.report(tmp_path / "tables.json")
    assert len(json.loads((tmp_path / "tables.json").read_text())["tables"]) == 4
    tables.report(tmp_path / "tables.html")
    assert "<html" in (tmp_path / "tables.html").read_text()
    tables.report(tmp_path / "tables.md")
    assert (tmp_path / "tables.md").read_text().startswith("# Tables")


def test_other_endings_are_refused(tmp_path):
    with pytest.raises(InputError, match="out must end in .xlsx, .pptx.*got 'tables.doc'"):
        check_place(tmp_path / "tables.doc")
    for ending in set(ENDINGS) - {".pptx"}:
        check_place(tmp_path / f"tables{ending}")
