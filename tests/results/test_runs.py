"""Runs over tables: the look at all rows, parts of any size, stopped and resumed, cut short by a cap."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import polars as pl
import pytest

from semscale.errors import InputError, InterruptedRunError, ModelError
from semscale.results.instrument import TableInstrument, measure_part
from semscale.results.table_columns import CELL, Columns
from semscale.results.table_runs import PartSettings, TableRun, WorkedPart, inspect_rows, needs_counting
from semscale.store import table as store_table
from semscale.store import writing
from semscale.store.parts import store_part
from semscale.store.places import files_of, target_of
from semscale.store.reading import open_table


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame({"text": list("abcde"), "by": list("vwxyz")}).write_csv(path)
    return open_table(path)


def test_every_row_is_visited_with_its_index(answers):
    seen = []
    inspect_rows(answers, ["by"], 2, lambda batch, row: seen.append((row, batch["by"].to_list())))
    assert seen == [(0, ["v", "w"]), (2, ["x", "y"]), (4, ["z"])]


def test_interrupted_column_check_is_reported(answers):
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match="stopped while the columns were checked, before any text"):
        inspect_rows(answers, ["by"], 2, stop)


def test_rows_are_counted_where_a_sheet_could_end(answers, monkeypatch):
    assert needs_counting(answers, Path("out.xlsx"))
    assert not needs_counting(answers, Path("out.csv"))
    assert not needs_counting(answers, None)
    monkeypatch.setattr(writing, "MAX_ROWS", 3)
    inspect_rows(answers, ["by"], 2, lambda *_: None)
    with pytest.raises(InputError, match="Excel"):
        inspect_rows(answers, ["by"], 2, lambda *_: None, counting=True)


ROWS = 10


class NumberColumns(Columns):
    """A column of numbers."""

    n: Annotated[str, CELL]


@dataclass
class Doubled:
    """Numbers twice as large, and the rows that they belong to."""

    numbers: pl.Series
    rows: pl.Series

    def to_part(self):
        columns = {"semscale_double": self.numbers, "semscale_place": self.rows}
        return pl.DataFrame(columns), {"first": int(self.rows[0])}

    @classmethod
    def from_part(cls, frame, header):
        assert frame["semscale_place"][0] == header["first"]
        return cls(frame["semscale_double"], frame["semscale_place"])

    @classmethod
    def private_columns(cls):
        return ("semscale_place",)


class Doubling(TableInstrument):
    """Doubles the numbers of a table; its summary is their sum, and each row's share of it comes late."""

    stage = "doubling"
    stored = "nothing else"
    result = Doubled

    def __init__(self, failure=None, after=99, capped=99, failing=99, times=2):
        self.columns = NumberColumns(n="n")
        self.failure, self.after, self.capped, self.failing, self.times = (
            failure, after, capped, failing, times
        )  # fmt: skip
        self.doubled_rows, self.total = [], 0

    def key(self):
        return {"times": str(self.times)}

    def measure(self, cells):
        if cells.first_row >= self.after:
            raise self.failure
        rows = range(cells.first_row, cells.first_row + len(cells["n"]))
        return Doubled(pl.Series(cells["n"]) * self.times, pl.Series(rows))

    def is_finished(self, result):
        return result.rows[-1] < self.capped

    def has_failed_calls(self, result):
        return result.rows[-1] >= self.failing

    def add(self, cells, result):
        assert [2 * n for n in cells["n"]] == result.numbers.to_list() or self.times != 2
        assert cells.rows["semscale_double"].equals(result.numbers)
        self.doubled_rows += result.rows.to_list()
        self.total += int(result.numbers.sum())

    def summary(self):
        return self.total

    def final_columns(self, start, stop):
        return pl.DataFrame({"semscale_share": [self.total - row for row in range(start, stop)]})


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "numbers.parquet"
    pl.DataFrame({"n": range(1, ROWS + 1)}).write_parquet(path)
    return open_table(path)


def run(table, out, part_rows=3, *, restart=False, progress=None, workers=None, **settings):
    doubling = Doubling(**settings)
    parts = PartSettings(part_rows, restart, workers)
    (result,) = TableRun(table, [doubling], parts, progress).run(out)
    assert doubling.doubled_rows == list(range(ROWS))
    return result


def test_cells_of_a_part_are_read_once(table, tmp_path, monkeypatch):
    rows, read = [], NumberColumns.read
    monkeypatch.setattr(
        NumberColumns, "read", lambda *given, **how: rows.append(given[2]) or read(*given, **how)
    )
    run(table, tmp_path / "out.parquet")
    assert rows == [0, 3, 6, 9]


@pytest.mark.parametrize("cells", [["1", "x"], ["1", 2]])
def test_mixed_cells_are_summarized_as_a_resumed_run_reads_them(tmp_path, cells):
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(json.dumps({"n": cell}) + "\n" for cell in cells))
    seen = []

    class Noting(Doubling):
        def measure(self, cells):
            return Doubled(pl.Series([0.0, 0.0]), pl.Series([0, 1]))

        def add(self, cells, result):
            seen.append(cells["n"])

    TableRun(open_table(path), [Noting()], PartSettings()).run(None)
    assert seen == [list(map(str, cells))]


def test_parts_of_a_run_are_as_small_as_batches(table, tmp_path, monkeypatch):
    monkeypatch.setattr(store_table, "MOST_CELLS", 2)  # one column: batches of two rows
    events = []
    run(open_table(table.path), None, part_rows=5, progress=lambda _, done, __: events.append(done))
    assert events == [0, 2, 4, 6, 8, 10]


class Elsewhere:
    """Computes parts, and stores them itself if it sees the folder; then it returns only what a sum needs."""

    def __init__(self, *, sees, **settings):
        self.sees_it, self.settings, self.asked, self.created, self.done = sees, settings, [], [], []

    def sees(self, place):
        return self.sees_it

    def parts(self, instrument, table, size, skip, place):
        self.asked.append((instrument.stage, table, size, skip, place))
        doubling = Doubling(**self.settings)
        for number, batch in enumerate(table.batches(size, skip), start=skip // size):
            cells, _, notes = measure_part(doubling, batch, number * size, "numbers")
            self.created.append((number, place))
            if place is None:
                yield WorkedPart(cells.rows, notes)
                continue
            stored = store_part(files_of(place), "_semscale/", number, cells.rows, notes)
            yield WorkedPart(cells.rows.select("n", "semscale_double", "semscale_place"), notes, stored)

    def each(self, work, items):
        for item in items:
            self.done.append(item.part.name)
            yield work(item)


def test_parts_can_be_computed_by_workers(table, tmp_path):
    out, here = tmp_path / "there.parquet", tmp_path / "here.parquet"
    run(table, here)
    workers = Elsewhere(sees=False)
    run(table, out, workers=workers)
    assert out.read_bytes() == here.read_bytes()
    assert workers.asked == [("doubling", table, 3, 0, None)]


@pytest.mark.parametrize("sees", [True, False])
def test_workers_that_see_the_folder_write_it(table, tmp_path, sees, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(table, target_of("here/"))
    workers = Elsewhere(sees=sees)
    run(table, target_of("there/"), workers=workers)
    assert files_in(tmp_path / "there") == files_in(tmp_path / "here")
    # The workers find the folder by its whole path, as they may work in another one.
    place = target_of(f"{tmp_path}/there/") if sees else None
    assert [(number, at and Path(at.address)) for number, at in workers.created] == [
        (number, place and Path(place.address)) for number in range(4)
    ]
    assert workers.done == ([f"part-{number:06d}.parquet" for number in range(4)] if sees else [])


def test_parts_stored_by_workers_count_when_the_run_resumes(table, tmp_path):
    out = target_of(f"{tmp_path}/out/")
    failing, workers = Elsewhere(sees=True, failure=ModelError("no reply"), after=6), Elsewhere(sees=True)
    with pytest.raises(ModelError):
        run(table, out, workers=failing)
    run(table, out, workers=workers)
    assert [number for number, _ in [*failing.created, *workers.created]] == [0, 1, 2, 3]
    run(table, target_of(f"{tmp_path}/here/"))
    assert files_in(tmp_path / "out") == files_in(tmp_path / "here")


def files_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


EXPECTED = pl.DataFrame(
    {
        "n": range(1, ROWS + 1),
        "semscale_double": range(2, 2 * ROWS + 1, 2),
        "semscale_share": range(110, 100, -1),  # 2 * 55 less the row
    }
)


@pytest.mark.parametrize("part_rows", [1, 3, ROWS, 99])
def test_parts_of_any_size_give_the_same_output(table, tmp_path, part_rows):
    out = tmp_path / "out.parquet"
    assert run(table, out, part_rows) == 110
    assert pl.read_parquet(out).equals(EXPECTED)
    assert not (tmp_path / "out.parquet.parts").exists()
    assert run(table, None, part_rows) == 110


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), ModelError("no reply"), OSError("no room")])
def test_the_same_run_goes_on_after_the_last_finished_part(table, tmp_path, failure):
    out = tmp_path / "out.parquet"
    expected = InterruptedRunError if isinstance(failure, KeyboardInterrupt) else type(failure)
    with pytest.raises(expected):
        run(table, out, failure=failure, after=6)
    assert not out.exists()
    assert len(list((tmp_path / "out.parquet.parts").glob("*.parquet"))) == 2
    events = []
    assert run(table, out, progress=lambda *step: events.append(step)) == 110
    # The first call tells what is kept, and no part of it is told as done by this run.
    assert events == [("doubling", done, ROWS) for done in (6, 9, 10)] + [("writing", 0, None)]
    assert pl.read_parquet(out).equals(EXPECTED)


@pytest.mark.parametrize(
    ("out", "after", "message"),
    [
        (
            "out.csv",
            6,
            "stopped: 6 rows are finished and stored in out.csv.parts; the same command continues",
        ),
        (
            "out.csv",
            0,
            "stopped before the first part was finished; nothing else; the same command continues",
        ),
        (None, 6, "stopped after 6 rows; nothing else; with an output file the same command continues"),
    ],
)
def test_what_a_stopped_run_says(table, tmp_path, out, after, message):
    with pytest.raises(InterruptedRunError, match=message):
        run(table, None if out is None else tmp_path / out, failure=KeyboardInterrupt(), after=after)
    assert (tmp_path / "out.csv.parts").exists() == (out is not None and after > 0)


@pytest.mark.parametrize("failure", [InputError("a wrong cell"), ModelError("no reply")])
def test_a_run_that_fails_at_once_leaves_nothing(table, tmp_path, failure):
    with pytest.raises(type(failure)):
        run(table, tmp_path / "out.csv", failure=failure, after=0)
    assert [path.name for path in tmp_path.iterdir()] == ["numbers.parquet"]


def test_a_wrong_cell_far_down_keeps_what_an_earlier_run_finished(table, tmp_path):
    out = tmp_path / "out.csv"
    with pytest.raises(InputError):
        run(table, out, failure=InputError("a wrong cell"), after=6)
    assert not (tmp_path / "out.csv.parts").exists()  # parts of this run alone
    with pytest.raises(InterruptedRunError):
        run(table, out, failure=KeyboardInterrupt(), after=3)
    with pytest.raises(InputError):
        run(table, out, failure=InputError("a wrong cell"), after=6)
    assert len(list((tmp_path / "out.csv.parts").glob("*.parquet"))) == 2


@pytest.mark.exhaustive
def test_a_run_that_differs_is_refused_and_can_be_dropped(table, tmp_path):
    out = tmp_path / "out.csv"
    with pytest.raises(InterruptedRunError):
        run(table, out, failure=KeyboardInterrupt(), after=6)
    with pytest.raises(InputError, match="times was 2, now 3.*--restart"):
        run(table, out, times=3)
    with pytest.raises(InputError, match="part_rows was 3, now 4"):
        run(table, out, 4)
    pl.DataFrame({"n": range(ROWS)}).write_parquet(table.path)
    with pytest.raises(InputError, match="input was .*, now"):
        run(open_table(table.path), out)
    assert run(open_table(table.path), out, times=3, restart=True) == 135


def test_part_cut_short_by_a_cap_is_written_and_recomputed(table, tmp_path):
    out = tmp_path / "out.parquet"
    # Parts end at 3, 6, 9 and 10: the second one is cut short, and so is all that follows.
    assert run(table, out, capped=5) == 110
    assert pl.read_parquet(out).equals(EXPECTED)
    assert sorted(path.name for path in (tmp_path / "out.parquet.parts").glob("part*")) == [
        "part-000000.json",
        "part-000000.parquet",
    ]
    events = []
    assert run(table, out, progress=lambda _, done, __: events.append(done)) == 110
    assert events[0] == 3
    assert not (tmp_path / "out.parquet.parts").exists()


def test_a_cap_in_the_first_part_leaves_no_folder(table, tmp_path):
    out = tmp_path / "out.parquet"
    run(table, out, capped=2)
    assert pl.read_parquet(out).equals(EXPECTED)
    assert not (tmp_path / "out.parquet.parts").exists()


def test_parts_with_failed_calls_are_recomputed_after_a_stop(table, tmp_path):
    out = tmp_path / "out.parquet"
    # Calls of the second part, rows 4 to 6, fail; the run stops after the third.
    with pytest.raises(InterruptedRunError, match="3 rows are finished"):
        run(table, out, failure=KeyboardInterrupt(), after=9, failing=5)
    events = []
    assert run(table, out, progress=lambda _, done, __: events.append(done)) == 110
    assert events == [3, 6, 9, 10, 0]
    assert pl.read_parquet(out).equals(EXPECTED)


def test_parts_with_failed_calls_are_recomputed_after_a_cap(table, tmp_path):
    out = tmp_path / "out.parquet"
    run(table, out, capped=8, failing=5)
    assert len(list((tmp_path / "out.parquet.parts").glob("*.parquet"))) == 1
    run(table, out, capped=8, failing=2)
    # Parts that were finished before stay so: only the rows after them are made again.
    assert len(list((tmp_path / "out.parquet.parts").glob("*.parquet"))) == 1


def test_a_run_with_failed_calls_that_reached_its_end_leaves_no_parts(table, tmp_path):
    out = tmp_path / "out.parquet"
    assert run(table, out, failing=5) == 110
    assert pl.read_parquet(out).equals(EXPECTED)
    assert not (tmp_path / "out.parquet.parts").exists()


def test_a_part_needs_rows():
    with pytest.raises(InputError, match="part_rows must be at least 1, got 0"):
        PartSettings(0)
