"""Files that are read as a whole have one limit of bytes and cells, and batches that of cells."""

import json
import zipfile

import polars as pl
import pytest
from tests.store.readers.spss_files import write_spss

from semscale.errors import InputError
from semscale.store import evaluation_logs, spreadsheets, statistical_files, table
from semscale.store.child_process import Opening
from semscale.store.formats import open_here
from semscale.store.reading import open_table
from semscale.store.writing import write_table

ROWS = pl.DataFrame({"id": range(10), "text": [f"Answer {n}." for n in range(10)]})
SAMPLES = [{"id": n, "input": "Why?", "output": {"completion": "So."}} for n in range(4)]


@pytest.fixture
def limits(monkeypatch):
    """Sets the limits."""

    def set_limits(**values):
        for module in (evaluation_logs, spreadsheets, statistical_files, table):
            for name, value in values.items():
                monkeypatch.setattr(module, name, value)

    return set_limits


def workbook(folder):
    write_table(ROWS, folder / "a.xlsx")
    return folder / "a.xlsx"


def spss(folder):
    return write_spss(folder / "a.sav")


def inspect_log(folder):
    path = folder / "a.json"
    path.write_text(json.dumps({"eval": {}, "samples": SAMPLES}))
    return path


def packed_inspect_log(folder):
    path = folder / "a.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("header.json", json.dumps({"status": "success"}))
        for sample in SAMPLES:
            package.writestr(f"samples/{sample['id']}.json", json.dumps(sample))
    return path


def promptfoo_log(folder):
    path = folder / "a.json"
    path.write_text(json.dumps({"results": {"results": [{"testIdx": n} for n in range(4)]}}))
    return path


def openai_log(folder):
    path = folder / "a.jsonl"
    events = [
        {"sample_id": str(n), "type": "sampling", "data": {"prompt": "Why?", "sampled": ["So."]}}
        for n in range(4)
    ]
    path.write_text("".join(json.dumps(event) + "\n" for event in [{"spec": {}}, *events]))
    return path


WHOLE = [
    # The header of a sheet is a row with cells, too.
    (workbook, "xlsx", 22),
    pytest.param(spss, "sav", 4 * 5, marks=pytest.mark.needs("spss")),
    (inspect_log, "inspect", 4 * 8),
    (packed_inspect_log, "inspect", 4 * 8),
    (promptfoo_log, "promptfoo", 4 * 8),
    (openai_log, "openai-evals", 4 * 5),
]


def open_file(path, kind):
    """Open a file in this process: the limits of a child cannot be set from here."""
    return open_here(Opening(path, str(path), kind, {}))


@pytest.mark.parametrize(("make", "kind", "cells"), WHOLE)
def test_a_file_that_is_read_as_a_whole_has_a_limit_of_cells(tmp_path, limits, make, kind, cells):
    path = make(tmp_path)
    limits(MOST_CELLS=cells)
    n_rows = open_file(path, kind).n_rows
    limits(MOST_CELLS=cells - 1)
    with pytest.raises(
        InputError, match=rf"^.*a\.\w+ has {cells} cells .*, and at most {cells - 1} are allowed"
    ):
        open_file(path, kind)
    assert n_rows in (4, 10)


@pytest.mark.parametrize(("make", "kind", "cells"), WHOLE)
def test_a_file_that_is_read_as_a_whole_has_a_limit_of_bytes(tmp_path, limits, make, kind, cells):
    path = make(tmp_path)
    limits(MOST_BYTES=50)
    with pytest.raises(InputError, match=r"^.*a\.\w+ has [\d,]+ bytes.*, and at most 50 are allowed; \w+"):
        open_file(path, kind)


@pytest.mark.parametrize("extension", ["csv", "jsonl", "parquet"])
def test_batches_of_a_wide_table_have_fewer_rows(tmp_path, limits, extension):
    path = tmp_path / f"a.{extension}"
    write_table(ROWS, path)
    limits(MOST_CELLS=6, MOST_BYTES=1)
    batches = list(open_table(path).batches(10))
    assert [batch.height for batch in batches] == [3, 3, 3, 1]
    assert pl.concat(batches)["text"].to_list() == ROWS["text"].to_list()


def test_columns_that_are_left_out_take_no_room(tmp_path, limits):
    write_table(ROWS, tmp_path / "a.csv")
    limits(MOST_CELLS=6)
    assert [batch.height for batch in open_table(tmp_path / "a.csv").batches_with(["text"], 10)] == [6, 4]


WIDE = [f"c{n}" for n in range(10_001)]


def wide_csv(folder, names):
    (folder / "a.csv").write_text(",".join(names) + "\n" + ",".join("x" * len(names)) + "\n")
    return folder / "a.csv"


def wide_json_lines(folder, names):
    (folder / "a.jsonl").write_text(json.dumps(dict.fromkeys(names, "x")) + "\n")
    return folder / "a.jsonl"


def json_lines_of_many_keys(folder, names):
    lines = (json.dumps({"text": "x", name: 1}) for name in names[1:])
    (folder / "a.jsonl").write_text("\n".join(lines))
    return folder / "a.jsonl"


def wide_parquet(folder, names):
    pl.DataFrame({name: ["x"] for name in names}).write_parquet(folder / "a.parquet")
    return folder / "a.parquet"


@pytest.mark.parametrize("make", [wide_csv, wide_json_lines, json_lines_of_many_keys, wide_parquet])
@pytest.mark.exhaustive
def test_a_table_has_a_limit_of_columns(tmp_path, make):
    path = make(tmp_path, WIDE)
    with pytest.raises(InputError, match="has 10,001 columns, and at most 10,000 are allowed; leave columns"):
        list(open_table(path).batches(20_000))
    if make is wide_csv:
        assert len(open_table(make(tmp_path, WIDE[1:])).columns) == 10_000
