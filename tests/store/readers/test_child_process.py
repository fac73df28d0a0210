"""A child process reads untrusted tables: same rows, same errors, and limits of memory and time."""

import datetime as dt
import gc
import io
import json
import multiprocessing
import os
import pickle
import re
import select
import signal
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
import xlsxwriter
from polars.testing import assert_frame_equal
from tests.store.readers.spss_files import write_spss

from semscale.errors import EmptyTableError, InputError, UnknownNameError
from semscale.store import child_process
from semscale.store.child_process import HeldFiles, Opening, decode_frame, encode_frame
from semscale.store.formats import open_here
from semscale.store.reading import open_table

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="reads /proc, or needs limits that Linux applies"
)


def children() -> set[int]:
    """Return the process IDs of this process's children."""
    gc.collect()
    tasks = Path("/proc/self/task").iterdir()
    return {int(number) for task in tasks for number in (task / "children").read_text().split()}


def has_ended(process: int) -> bool:
    """Return whether a process ends within some seconds."""
    try:
        handle = os.pidfd_open(process)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], 20)[0])
    finally:
        os.close(handle)


def workbook(folder):
    path = folder / "a.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("Info")
        sheet.write_row(0, 0, ["about", "mixed"])
        for row in range(1, 8):
            sheet.write_row(row, 0, [f"text {row}", row if row % 2 else "five"])
        sheet.write_datetime(8, 1, dt.datetime(2024, 3, 1), book.add_format({"num_format": "yyyy-mm-dd"}))
        book.add_worksheet("Data").write_column(0, 0, ["text", "good"])
    return path


def claiming_workbook(folder, n):
    """Write a workbook of 2 kB that claims to have n shared strings."""
    packed, path = io.BytesIO(), folder / "claims.xlsx"
    with xlsxwriter.Workbook(packed) as book:
        book.add_worksheet().write_column(0, 0, ["text", "good"])
    with zipfile.ZipFile(packed) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            content = old.read(name).replace(b'uniqueCount="2"', f'uniqueCount="{n}"'.encode())
            new.writestr(name, content)
    return path


def parquet(folder):
    path = folder / "a.parquet"
    pl.DataFrame({"n": range(2_500), "text": [f"text {n}" for n in range(2_500)]}).write_parquet(path)
    return path


def partitions(folder):
    path = folder / "parts"
    path.mkdir()
    for number in range(3):
        pl.DataFrame({"n": range(number, number + 5)}).write_parquet(path / f"{number}.parquet")
    return path


def csv(folder):
    path = folder / "a.csv"
    path.write_text("id;why\n1;good, mostly\n2;\n3;1,5\n", encoding="utf-16")
    return path


def json_lines(folder):
    path = folder / "a.jsonl"
    lines = [
        {"a": "x", "b": [1, {"c": None}]},
        {"a": 10**30, "b": "\ud83d"},
        {"a": 1.5, "b": True, "late": 1},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines * 700))
    return path


def log(folder):
    path = folder / "a.json"
    samples = [{"id": n, "input": "Why?", "output": {"completion": "So."}} for n in range(4)]
    path.write_text(json.dumps({"eval": {}, "status": "started", "samples": samples}))
    return path


FILES = [
    (workbook, "xlsx", {}),
    (workbook, "xlsx", {"sheet": "Data"}),
    (parquet, "parquet", {}),
    (partitions, "parquet", {}),
    (csv, "csv", {}),
    (json_lines, "jsonl", {}),
    (log, "inspect", {}),
    pytest.param(lambda folder: write_spss(folder / "a.sav"), "sav", {}, marks=pytest.mark.needs("spss")),
]


def test_a_child_starts_without_libraries_that_reading_does_not_need():
    program = (
        "import sys, semscale.store.child_reader\n"
        "print([name for name in ('openvino', 'pydantic', 'scipy', 'sqlalchemy') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert printed.stdout.strip() == "[]"


@pytest.mark.parametrize(("make", "kind", "settings"), FILES)
@pytest.mark.exhaustive
def test_a_child_reads_what_this_process_reads(tmp_path, make, kind, settings):
    path = make(tmp_path)
    here = open_here(Opening(path, str(path), kind, settings))
    table = open_table(path, untrusted=True, **settings)
    for field in ("name", "path", "columns", "n_rows", "settings", "labels", "notes"):
        assert getattr(table, field) == getattr(here, field)
    assert table.fingerprint() == here.fingerprint()
    for size, skip in ((2_000, 0), (700, 2)):
        pairs = zip_longest(table.batches(size, skip), here.batches(size, skip))
        if kind == "parquet":  # in this process, frames may be smaller
            assert_frame_equal(pl.concat(table.batches(size, skip)), pl.concat(here.batches(size, skip)))
            continue
        for batch, expected in pairs:
            assert batch.schema == expected.schema
            assert batch.to_dicts() == expected.to_dicts()


@pytest.mark.exhaustive
def test_batches_have_their_size_and_columns_are_left_out(tmp_path):
    table = open_table(parquet(tmp_path))
    assert [batch.height for batch in table.batches(1_100)] == [1_100, 1_100, 300]
    assert [batch.height for batch in table.batches(1_100, 2_000)] == [500]
    batches = list(table.batches_with({"text"}, 2_000))
    assert [(batch.columns, batch.height) for batch in batches] == [(["text"], 2_000), (["text"], 500)]
    rows = open_table(json_lines(tmp_path), untrusted=True)
    assert [batch.columns for batch in rows.batches_with({"late"}, 2_000)] == [["late"], ["late"]]


def test_several_passes_over_a_table_go_on_at_a_time(tmp_path):
    table = open_table(parquet(tmp_path))
    passes = [table.batches(250) for _ in range(6)]
    rows = [batch["n"][0] for batches in zip(*passes, strict=True) for batch in batches]
    assert rows == [start for start in range(0, 2_500, 250) for _ in passes]


def test_types_of_columns_survive():
    frame = pl.DataFrame(
        {
            "list": [["a"], None],
            "day": [dt.date(2024, 1, 2), None],
            "category": pl.Series(["x", None], dtype=pl.Categorical),
            "choice": pl.Series(["x", None], dtype=pl.Enum(["x", "y"])),
            "categories": pl.Series([["x"], None], dtype=pl.List(pl.Categorical)),
            "bytes": [b"\0", None],
            "struct": [{"a": 1, "b": "x"}, None],
            "nothing": [None, None],
            "amount": pl.Series([Decimal("1.20"), None]),
            "large": pl.Series([2**100, None], dtype=pl.Int128),
            "array": pl.Series([[1, 2], None], dtype=pl.Array(pl.Int8, 2)),
            "time": [dt.time(1, 2), None],
            "duration": [dt.timedelta(1), None],
            "zoned": pl.Series([dt.datetime(2024, 1, 1), None]).dt.replace_time_zone("Europe/Berlin"),
            "not a number": [float("nan"), None],
        }
    )
    assert_frame_equal(decode_frame(encode_frame(frame), []), frame)


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"sheet": "Dat"}, InputError, "sheet: .*a.xlsx has no sheet 'Dat'; did you mean 'Data'"),
        (
            {"header_row": 30},
            InputError,
            r"header_row must be a filled row of sheet 'Info' \(1 to 9\), got 30",
        ),
    ],
)
@pytest.mark.exhaustive
def test_an_error_of_a_reader_survives(tmp_path, settings, kind, message):
    with pytest.raises(kind, match=message):
        open_table(workbook(tmp_path), **settings)


@pytest.mark.exhaustive
def test_a_table_without_rows_and_a_missing_column_have_their_errors(tmp_path):
    pl.DataFrame({"a": []}, {"a": pl.String}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(EmptyTableError, match="a.parquet has a header but no rows"):
        open_table(tmp_path / "a.parquet")
    with pytest.raises(
        UnknownNameError, match="no column 'text'; sheet 'Data' has it, which sheet='Data' reads"
    ):
        open_table(workbook(tmp_path)).require("text", "text")


@pytest.mark.exhaustive
def test_a_file_that_vanishes_is_an_error_of_the_system(tmp_path):
    path = csv(tmp_path)
    table = open_table(path, untrusted=True)
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(table.batches(1))


@on_linux
@pytest.mark.parametrize("n", [4_294_967_295, 200_000_000])
def test_a_workbook_that_claims_many_strings_is_refused_or_read(tmp_path, n):
    message = (
        r"claims.xlsx cannot be read as an Excel workbook: its reader .* than 2 GB of memory; remove cells"
    )
    try:
        table = open_table(claiming_workbook(tmp_path, n))
        outcome = [frame["text"].to_list() for frame in table.batches(10)]
    except InputError as error:
        outcome = str(error)
    # Older versions of the reader reserve no memory for strings that are only claimed.
    assert outcome == [["good"]] or re.search(message, str(outcome))


@on_linux
@pytest.mark.exhaustive
def test_memory_has_a_limit(tmp_path, monkeypatch):
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"text": "a" * 40_000_000}) + "\n")
    assert open_table(path, untrusted=True).columns == ("text",)
    monkeypatch.setattr(child_process, "MOST_MEMORY", 150_000_000)
    with pytest.raises(
        InputError, match="a.jsonl cannot be read as jsonl: its reader .* more than 0.15 GB of"
    ):
        open_table(path, untrusted=True)


def test_time_has_a_limit(tmp_path, monkeypatch):
    monkeypatch.setattr(child_process, "MOST_SECONDS", 0.001)
    with pytest.raises(
        InputError, match="a.parquet cannot be read as Parquet: it takes more than 0.001 seconds"
    ):
        open_table(parquet(tmp_path))


@pytest.mark.exhaustive
def test_a_row_has_a_limit_of_bytes(tmp_path):
    pl.DataFrame({"t": ["good", "a" * 70_000_000]}).write_parquet(tmp_path / "a.parquet")
    table = open_table(tmp_path / "a.parquet")
    with pytest.raises(InputError, match="a.parquet: row 2 has 70,000,000 bytes, and at most 67,108,864 are"):
        list(table.batches(10))
    assert next(table.batches(1))["t"].to_list() == ["good"]


@pytest.mark.exhaustive
@pytest.mark.parametrize("is_nested", [False, True])
def test_batches_of_rows_that_share_a_long_text_have_a_limit_of_bytes(tmp_path, is_nested):
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * 3_000, pa.int32()), pa.array(["a" * 1_000_000]))
    if is_nested:
        texts = pa.ListArray.from_arrays(pa.array(range(3_001), pa.int32()), texts)
    pq.write_table(pa.table({"t": texts}), tmp_path / "a.parquet")
    assert (tmp_path / "a.parquet").stat().st_size < 100_000
    heights = [batch.height for batch in open_table(tmp_path / "a.parquet").batches(3_000)]
    # 1 GB, the limit of a batch, and less than 64 MiB more
    assert sum(heights) == 3_000
    assert all(height <= 1_068 for height in heights)


@on_linux
@pytest.mark.exhaustive
def test_a_child_ends_with_its_table(tmp_path):
    before = children()
    table = open_table(parquet(tmp_path))
    (child,) = children() - before
    del table
    assert children() == before
    assert has_ended(child)


@on_linux
@pytest.mark.exhaustive
def test_a_child_ends_with_a_killed_parent(tmp_path):
    program = (
        "import os, sys, pathlib; from semscale.store.reading import open_table; "
        "table = open_table(sys.argv[1]); task = pathlib.Path(f'/proc/self/task/{os.getpid()}/children'); "
        "print(task.read_text(), flush=True); sys.stdin.read()"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program, str(parquet(tmp_path))], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    child = int(parent.stdout.readline())
    parent.kill()
    parent.communicate()
    assert has_ended(child)


@on_linux
@pytest.mark.exhaustive
def test_a_killed_child_is_started_again(tmp_path):
    before = children()
    table = open_table(parquet(tmp_path))
    batches = table.batches(1_000)
    next(batches)
    (child,) = children() - before
    os.kill(child, signal.SIGKILL)
    assert has_ended(child)
    assert [batch["n"][0] for batch in batches] == [1_000, 2_000]


@pytest.mark.exhaustive
def test_a_table_is_read_after_an_interrupt(tmp_path, monkeypatch):
    table = open_table(parquet(tmp_path))

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(child_process, "decode_frame", interrupted)
        with pytest.raises(KeyboardInterrupt):
            next(table.batches(2_000))
    assert [batch.height for batch in table.batches(2_000)] == [2_000, 500]


@pytest.mark.exhaustive
def test_a_pickled_table_is_read_elsewhere(tmp_path):
    table = open_table(parquet(tmp_path))
    copy = pickle.loads(pickle.dumps(table))
    assert pl.concat(copy.batches(900)).equals(pl.concat(table.batches(2_500)))


def read_in_daemon(path, results):
    results.put(sum(batch.height for batch in open_table(path).batches(1_000)))


@pytest.mark.exhaustive
def test_table_is_read_in_threads_and_in_a_daemonic_process(tmp_path):
    path = parquet(tmp_path)
    with ThreadPoolExecutor(3) as threads:
        heights = threads.map(lambda _: sum(b.height for b in open_table(path).batches(1_000)), range(3))
        assert list(heights) == [2_500] * 3
    context = multiprocessing.get_context("spawn")
    results = context.Queue()
    process = context.Process(target=read_in_daemon, args=(path, results), daemon=True)
    process.start()
    assert results.get(timeout=120) == 2_500
    process.join()


@pytest.mark.exhaustive
def test_the_working_folder_and_the_environment_do_not_reach_the_child(tmp_path, monkeypatch):
    path = workbook(tmp_path)
    for name in ("polars", "python_calamine", "zipfile", "json", "semscale", "sitecustomize", "pyreadstat"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.syspath_prepend(str(tmp_path))
    started = []
    start = subprocess.Popen

    def recorded(*args, **settings):
        started.append(settings["env"])
        return start(*args, **settings)

    monkeypatch.setattr(subprocess, "Popen", recorded)
    assert open_table(path).n_rows == 8
    assert not (tmp_path / "ran").exists()
    assert "secret" not in started[0].values()
    assert not {name for name in started[0] if name.startswith("PYTHON")}


@pytest.mark.parametrize("source", ["-", "s3://bucket/a.parquet", "https://ann:pass@host/a.csv"])
def test_an_untrusted_table_is_a_local_file(source):
    with pytest.raises(InputError, match="an untrusted table must be a local file, got") as refused:
        open_table(source, untrusted=True)
    assert "pass" not in str(refused.value)


def test_a_program_that_names_no_python_states_the_remedy(tmp_path, monkeypatch):
    path = parquet(tmp_path)
    monkeypatch.setattr(sys, "executable", "")
    with pytest.raises(InputError, match="save the table as CSV or JSON lines, or set sys.executable"):
        open_table(path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    with pytest.raises(InputError, match=r"cannot be started \(No such file or directory\)"):
        open_table(path)


@on_linux
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.xlsx", "a.sav"])
@pytest.mark.exhaustive
def test_held_files_are_read_whatever_gets_their_names(tmp_path, name):
    path = tmp_path.resolve() / name
    frame = pl.DataFrame({"text": ["good", "bad"]})
    match path.suffix:
        case ".csv":
            frame.write_csv(path)
        case ".jsonl":
            frame.write_ndjson(path)
        case ".parquet":
            frame.write_parquet(path)
        case ".xlsx":
            frame.write_excel(path)
        case ".sav":
            pyreadstat.write_sav(frame, str(path))
    fingerprint = open_table(path, untrusted=True).fingerprint()
    held = HeldFiles.open({"": path})
    path.unlink()
    path.symlink_to("/dev/zero")
    table = open_table(path, untrusted=True, held=held)
    assert (table.name, table.fingerprint()) == (str(path), fingerprint)
    assert [batch["text"].to_list() for batch in table.batches(10)] == [["good", "bad"]]


@on_linux
@pytest.mark.exhaustive
def test_held_files_of_a_folder_are_read_and_closed_with_the_table(tmp_path):
    folder = tmp_path.resolve() / "survey"
    folder.mkdir()
    for number in (1, 2):
        pl.DataFrame({"n": [number]}).write_parquet(folder / f"{number}.parquet")
    held = HeldFiles.open({f"{number}.parquet": folder / f"{number}.parquet" for number in (1, 2)})
    descriptors = list(held.descriptors.values())
    folder.rename(tmp_path / "moved")
    table = open_table(folder, untrusted=True, held=held)
    assert [batch["n"].to_list() for batch in table.batches(10)] == [[1, 2]]
    del table, held
    gc.collect()
    for descriptor in descriptors:
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


@on_linux
@pytest.mark.parametrize("kind", ["link", "linked folder", "pipe", "folder"])
def test_files_are_not_held_through_a_link(tmp_path, kind):
    folder = tmp_path.resolve()
    (folder / "real").mkdir()
    (folder / "real" / "a.csv").write_text("text\ngood\n")
    path = folder / "a.csv"
    match kind:
        case "link":
            path.symlink_to("real/a.csv")
        case "linked folder":
            (folder / "link").symlink_to("real")
            path = folder / "link" / "a.csv"
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
    with pytest.raises(InputError, match="was replaced by"):
        HeldFiles.open({"": path})
