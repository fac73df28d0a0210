"""Runs over tables: the look at all rows, parts of any size, stopped and resumed, cut short by a cap."""

from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

from semscale.errors import InputError, InterruptedRunError, ModelError
from semscale.store import writing
from semscale.store.parts import store_part
from semscale.store.places import files_of, target_of
from semscale.store.reading import open_table
from semscale.store.runs import PartSettings, TableRun, WorkedPart, look_through, needs_counting


@pytest.fixture
def answers(tmp_path):
    path = tmp_path / "answers.csv"
    pl.DataFrame({"text": list("abcde"), "by": list("vwxyz")}).write_csv(path)
    return open_table(path)


def test_every_row_is_visited_with_its_index(answers):
    seen = []
    look_through(answers, ["by"], 2, lambda batch, row: seen.append((row, batch["by"].to_list())))
    assert seen == [(0, ["v", "w"]), (2, ["x", "y"]), (4, ["z"])]


def test_interrupted_column_check_is_reported(answers):
    def stop(*_):
        raise KeyboardInterrupt

    with pytest.raises(InterruptedRunError, match="stopped while the columns were checked, before any text"):
        look_through(answers, ["by"], 2, stop)


def test_rows_are_counted_where_a_sheet_could_end(answers, monkeypatch):
    assert needs_counting(answers, Path("out.xlsx"))
    assert not needs_counting(answers, Path("out.csv"))
    assert not needs_counting(answers, None)
    monkeypatch.setattr(writing, "MAX_ROWS", 3)
    look_through(answers, ["by"], 2, lambda *_: None)
    with pytest.raises(InputError, match="Excel"):
        look_through(answers, ["by"], 2, lambda *_: None, counting=True)


ROWS = 10


@dataclass
class Doubling:
    """Doubles the numbers of a table; its summary is their sum, and each row's share of it comes late."""

    table: object
    failure: BaseException | None = None
    after: int = 99
    capped: int = 99
    failing: int = 99
    times: int = 2
    doubled_rows: list = field(default_factory=list)
    total: int = 0
    stored = "nothing else"
    stage = "doubling"
    private = ("semscale_place",)

    def key(self):
        return {"times": str(self.times)}

    def parts(self, size, skip):
        start = skip
        for batch in self.table.batches(size, skip):
            if start >= self.after:
                raise self.failure
            doubled = batch["n"] * self.times
            frame = batch.with_columns(
                semscale_double=doubled, semscale_place=pl.Series(range(start, start + batch.height))
            )
            start += batch.height
            notes = {"first": int(batch["n"][0])}
            has_failed = start > self.failing
            yield WorkedPart(frame, notes, is_finished=start <= self.capped, has_failed_calls=has_failed)

    def add(self, frame, notes):
        assert frame["n"][0] == notes["first"]
        self.doubled_rows += frame["semscale_place"].to_list()
        self.total += int(frame["semscale_double"].sum())

    def summary(self):
        return self.total

    def is_repeated(self, notes):
        return False

    def late(self, start, stop):
        return pl.DataFrame({"semscale_share": [self.total - row for row in range(start, stop)]})


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "numbers.parquet"
    pl.DataFrame({"n": range(1, ROWS + 1)}).write_parquet(path)
    return open_table(path)


def run(table, out, part_rows=3, *, restart=False, progress=None, **settings):
    work = Doubling(table, **settings)
    result = TableRun(table, PartSettings(part_rows, restart), progress).run(work, out)
    assert work.doubled_rows == list(range(ROWS))
    return result


def test_parts_can_be_computed_by_workers(table, tmp_path):
    asked = []

    class Elsewhere:
        def parts(self, work, given, size, skip, place):
            asked.append((given, size, skip, place))
            return work.parts(size, skip)

    out, here = tmp_path / "there.parquet", tmp_path / "here.parquet"
    run(table, here)
    TableRun(table, PartSettings(3, workers=Elsewhere())).run(Doubling(table), out)
    assert out.read_bytes() == here.read_bytes()
    assert asked == [(table, 3, 0, None)]


class Storing:
    """Makes parts that it stores itself, if it sees the folder, and gives their numbers back alone."""

    def __init__(self, *, sees):
        self.sees_it, self.made, self.done = sees, [], []

    def sees(self, place):
        return self.sees_it

    def parts(self, work, table, size, skip, place):
        for number, part in enumerate(work.parts(size, skip), start=skip // size):
            self.made.append((number, place))
            if place is None:
                yield part
                continue
            stored = store_part(files_of(place), "_semscale/", number, part.frame, part.notes)
            needed = part.frame.select("n", "semscale_double", "semscale_place")
            yield part._replace(frame=needed, stored=stored)

    def each(self, work, items):
        for item in items:
            self.done.append(item.part.name)
            yield work(item)


@pytest.mark.parametrize("sees", [True, False])
def test_workers_that_see_the_folder_write_it(table, tmp_path, sees, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run(table, target_of("here/"))
    workers = Storing(sees=sees)
    TableRun(table, PartSettings(3, workers=workers)).run(Doubling(table), target_of("there/"))
    assert files_in(tmp_path / "there") == files_in(tmp_path / "here")
    # The workers find the folder by its whole path, as they may work in another one.
    place = target_of(f"{tmp_path}/there/") if sees else None
    assert [(number, at and Path(at.address)) for number, at in workers.made] == [
        (number, place and Path(place.address)) for number in range(4)
    ]
    assert workers.done == ([f"part-{number:06d}.parquet" for number in range(4)] if sees else [])


def test_parts_stored_by_workers_count_when_the_run_resumes(table, tmp_path):
    out, workers = target_of(f"{tmp_path}/out/"), Storing(sees=True)
    fails = Doubling(table, failure=ModelError("no reply"), after=6)
    with pytest.raises(ModelError):
        TableRun(table, PartSettings(3, workers=workers)).run(fails, out)
    TableRun(table, PartSettings(3, workers=workers)).run(Doubling(table), out)
    assert [number for number, _ in workers.made] == [0, 1, 2, 3]
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
