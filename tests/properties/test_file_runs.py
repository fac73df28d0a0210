"""Laws of every instrument that goes through a file: parts and stops change nothing, and no text is kept."""

import dataclasses
import gc
import json
import re

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from tests.support.file_instruments import FILE_INSTRUMENTS, ROWS, N

from semscale.errors import InterruptedRunError
from semscale.results.table_runs import PartSettings, TableRun
from semscale.store.reading import open_table

longer = pytest.mark.exhaustive
every_instrument = pytest.mark.parametrize(
    "instrument", FILE_INSTRUMENTS, ids=lambda instrument: instrument.name
)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    ROWS.write_csv(path)
    return open_table(path)


def shown(summary):
    """All that a summary holds, but for the moment at which it was made."""
    record = summary.record() if hasattr(summary, "record") else {}
    fields = {field.name: getattr(summary, field.name) for field in dataclasses.fields(summary)} | record
    text = json.dumps({name: value for name, value in fields.items() if name != "created"}, default=plain)
    return re.sub(r"\d\.\d{7,}(e-\d+)?", lambda number: f"{float(number[0]):.6f}", text)


def plain(value):
    """What JSON can hold of a value."""
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    if isinstance(value, np.ndarray):
        return value.tolist()
    return dict(vars(value)) if hasattr(value, "__dict__") else str(value)


@pytest.mark.exhaustive
@every_instrument
@pytest.mark.parametrize("part_rows", [5, pytest.param(1, marks=longer), pytest.param(N, marks=longer)])
def test_parts_of_any_size_give_the_same_output_and_summary(instrument, table, tmp_path, part_rows):
    folder = tmp_path / "kept"
    folder.mkdir()
    whole = instrument.run(table, tmp_path / "whole.parquet", PartSettings(), None, folder)
    parts = instrument.run(table, tmp_path / "parts.parquet", PartSettings(part_rows), None, folder)
    assert shown(parts) == shown(whole)
    assert shown(instrument.run(table, None, PartSettings(part_rows), None, folder)) == shown(whole)
    assert_frame_equal(
        pl.read_parquet(tmp_path / "parts.parquet"), pl.read_parquet(tmp_path / "whole.parquet"), abs_tol=1e-6
    )


@pytest.mark.exhaustive
@every_instrument
@pytest.mark.parametrize(
    "kind", ["csv", pytest.param("jsonl", marks=longer), pytest.param("parquet", marks=longer)]
)
def test_a_stopped_run_goes_on_and_ends_with_the_same_bytes(instrument, table, tmp_path, kind):
    settings, out, whole = PartSettings(2), tmp_path / f"out.{kind}", tmp_path / f"whole.{kind}"
    folders = [tmp_path / name for name in ("one", "other")]
    for folder in folders:
        folder.mkdir()
    expected = instrument.run(table, whole, settings, None, folders[0])
    stops = 0
    for after in (1, 1, 2, 3, 7):
        try:
            instrument.run(table, out, settings, after, folders[1])
        except InterruptedRunError:
            stops += 1
            assert not out.exists()
    assert stops >= 2
    got = instrument.run(table, out, settings, None, folders[1])
    assert out.read_bytes() == whole.read_bytes()
    assert shown(got) == shown(expected)
    assert not (tmp_path / f"out.{kind}.parts").exists()


@pytest.mark.exhaustive
@every_instrument
def test_file_runs_do_not_hold_texts_in_memory(instrument, tmp_path):
    path = tmp_path / "many.csv"
    many = pl.concat([ROWS] * 120).with_columns(
        text=pl.when(pl.col("text").is_not_null()).then(pl.col("text") + pl.int_range(pl.len()).cast(str))
    )
    many.write_csv(path)
    table = open_table(path)
    measuring = instrument.started(table, tmp_path)
    run = TableRun(table, [measuring], PartSettings(100))
    assert run.run(None)
    reachable_texts, frames = reachable(run, table)
    # 2,880 answers: 200 are looked at for their language, a rating keeps a sample of 400, and few are shown.
    assert len({text for text in reachable_texts if text.startswith("answer")}) < 650
    assert sum(frame.height for frame in frames) < 450


def reachable(start, *apart):
    """All strings and frames that an object holds on to, and not by way of some others."""
    seen, queue, texts, frames = {id(item) for item in apart}, [start], [], []
    while queue:
        held = queue.pop()
        if id(held) in seen or isinstance(held, type):
            continue
        seen.add(id(held))
        if isinstance(held, str):
            texts.append(held)
        elif isinstance(held, pl.DataFrame):
            frames.append(held)
        elif isinstance(held, pl.Series):
            frames.append(held.to_frame())
        elif type(held).__name__ != "module" and not callable(held):
            queue += gc.get_referents(held)
    return texts, frames
