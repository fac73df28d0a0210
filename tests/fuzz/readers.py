"""What the fuzzers feed: each function gives the bytes of a file or a text to the reader that meets them.

A refusal (``SemscaleError``) is what a reader owes a broken file, and passes. Everything else that a reader
raises is a defect. Where a file passes, the readers of its cells get what is in it.
"""

import asyncio
import atexit
import json
import shutil
import sqlite3
import tempfile
import warnings
from collections.abc import Callable
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from semscale.chat.budget import PriceTable
from semscale.chat.endpoint import Scrubber, parse_reply
from semscale.chat.ledger import Ledger
from semscale.cli.judge import read_panel
from semscale.compat.athena import read_report
from semscale.drift.reading import read_items, read_run
from semscale.drift.settings import read_gate_settings
from semscale.embedding.cache import FILE_NAME, STATES_FILE, EmbeddingCache, StateCache
from semscale.embedding.cache_file import CacheWarning
from semscale.embedding.checkpoint import Q4Parameters, read_tensors
from semscale.errors import SemscaleError
from semscale.guards.registry import Guards
from semscale.history.history import open_history
from semscale.json_reading import parse_json
from semscale.judging.human_labels import label_table
from semscale.judging.replies import read_reply
from semscale.judging.settings import TEMPLATES
from semscale.judging.templates import load_template
from semscale.matching.bertscore import read_baseline
from semscale.matching.cliniqlink import read_task
from semscale.rating.calibration import hash_of, load_calibration
from semscale.rating.labelling import humans_in
from semscale.results.weights import weights_in
from semscale.scales.library import load_scale, parse_translation
from semscale.scales.scale import parse_scale
from semscale.snapshots.files import read_snapshots
from semscale.store.columns import as_names, cell_values, flat, groups_in, storable
from semscale.store.parts import Parts
from semscale.store.reading import open_table
from semscale.weights.folders import STAMP, read_stamps
from semscale.yaml_reading import parse_yaml

KEY = b"a key of 16 byte"
"""The key under which a ledger or a cache of the corpus keeps its entry."""
BATCH, COLUMNS, CELLS = 500, 12, 8

template = cache(load_template)
english = cache(load_scale)


@cache
def scratch() -> Path:
    """Make the folder in which this process puts the files that are read; it goes with the process."""
    in_memory = Path("/dev/shm")
    folder = Path(tempfile.mkdtemp(prefix="semscale-fuzz-", dir=in_memory if in_memory.is_dir() else None))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def written(content: bytes, name: str) -> Path:
    path = scratch() / name
    path.write_bytes(content)
    return path


def refused(read: Callable[[], object]) -> None:
    """Let a reader read or refuse; what follows is tried in either case."""
    with suppress(SemscaleError):
        read()


def rows(ending: str) -> Callable[[bytes], None]:
    """Read a table's rows alone."""

    def read(content: bytes) -> None:
        for _ in open_table(written(content, f"input{ending}")).batches(BATCH):
            pass

    return read


def table(ending: str) -> Callable[[bytes], None]:
    """Read a table as a command does: its rows in batches, then each column as what it may hold."""

    def read(content: bytes) -> None:
        path = written(content, f"input{ending}")
        for batch in open_table(path).batches(BATCH):
            read_columns(batch)
        refused(lambda: read_items(path))

    return read


def read_columns(batch: pl.DataFrame) -> None:
    refused(lambda: flat(batch))
    for column in batch.get_columns()[:COLUMNS]:
        read_list_cells(column.to_list()[:CELLS], column.name)
    for column in storable(batch).get_columns()[:COLUMNS]:
        refused(lambda column=column: humans_in(column))
        refused(lambda column=column: weights_in(column))
        refused(lambda column=column: as_names(groups_in(column.unique()), "by"))


def read_list_cells(cells: list[object], name: str) -> None:
    refused(lambda: label_table(cells, template("likert")))
    for row, cell in enumerate(cells):
        location = {"parameter": "sample", "column": name, "row": row}
        refused(lambda cell=cell, location=location: cell_values(cell, **location, only_nulls=False))


def scale(content: bytes) -> None:
    parse_scale(content, source="scale.yaml")


def translation(content: bytes) -> None:
    """Read a translation, and put it on the scale of which the corpus has one."""
    fields = parse_yaml(content, source="quality.yaml")
    parse_translation(fields, source="quality.yaml").translate(english("quality"))


def calibration(content: bytes) -> None:
    """Read a calibration whose hash is made to fit, so that a change of its content gets past that check."""
    loaded = load_calibration(written(with_its_hash(content), "calibration.json"))
    loaded.mark_unfamiliar(np.ones((2, len(loaded.familiarity.centre)), np.float32))


def with_its_hash(content: bytes) -> bytes:
    try:
        fields = parse_json(content.decode())
    except ValueError:
        return content
    if not isinstance(fields, dict):
        return content
    beside = ("format", "version", "signature", "hash")
    fields["hash"] = hash_of({name: value for name, value in fields.items() if name not in beside})
    return json.dumps(fields).encode()


def q4_weights(content: bytes) -> None:
    """Read every parameter of a file of 4-bit weights."""
    loaded = Q4Parameters(content, scratch() / "weights.bin")
    for name in loaded:
        loaded[name]
    loaded.words.floats()


def safetensors(content: bytes) -> None:
    read_tensors(bytearray(content), scratch() / "model.safetensors")


def gate(content: bytes) -> None:
    read_gate_settings(written(content, "gate.yaml"))


def prices(content: bytes) -> None:
    PriceTable.load(written(content, "prices.yaml")).find("gpt-4o-mini")


def panel(content: bytes) -> None:
    read_panel(written(content, "panel.yaml"))


def athena(content: bytes) -> None:
    path = written(content, "exercise.json")
    refused(lambda: read_items(path))
    read_run(path, model="model-a")


def athena_report(content: bytes) -> None:
    read_report(written(content, "quality_drift_report.json"))


def submission(content: bytes) -> None:
    read_task(written(content, "short.json"))


def snapshots(content: bytes) -> None:
    read_snapshots(written(content, "snapshots.json"))


def baseline(content: bytes) -> None:
    read_baseline(written(content, "baseline.tsv"))


def stamps(content: bytes) -> None:
    read_stamps(written(content, STAMP).parent)


def judge_reply(content: bytes) -> None:
    """Read a judge's reply under every template, as free text and as what a schema holds."""
    text = content.decode("utf-8", "surrogateescape")
    for name in TEMPLATES:
        read_reply(text, template(name))
    read_reply(text, template("quality"), structured=True, score_last=True)


def likert_reply(content: bytes) -> None:
    """Read a judge's reply once, as a judge does."""
    read_reply(content.decode("utf-8", "surrogateescape"), template("likert"))


def endpoint_reply(content: bytes) -> None:
    parse_reply(content.decode("utf-8", "replace"), Scrubber(["sk-0123456789abcdef"]), model="model-a")


def guard_pair(content: bytes) -> None:
    """Compare two texts, parted by the first line end."""
    first, _, second = content.decode("utf-8", "surrogateescape").partition("\n")
    Guards().check(first, second)


def parts(content: bytes) -> None:
    """Open the folder of an unfinished run: manifest, then the note beside its first part."""
    manifest, _, note = content.partition(b"\n")
    out = scratch() / "out.csv"
    folder = out.with_name("out.csv.parts")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "manifest.json").write_bytes(manifest)
    (folder / "part-000000.parquet").write_bytes(b"")
    (folder / "part-000000.json").write_bytes(note)
    with Parts.open(out, {"seed": "1"}) as loaded:
        list(loaded.read())
        loaded.remove()


def fresh(name: str) -> Path:
    """Return a path without a file, nor files that a database of this name keeps beside itself."""
    for left in scratch().glob(f"{name}*"):
        shutil.rmtree(left) if left.is_dir() else left.unlink()
    return scratch() / name


def ledger_file(content: bytes) -> None:
    path = fresh("ledger.sqlite")
    path.write_bytes(content)
    asyncio.run(use_ledger(path))


async def use_ledger(path: Path) -> None:
    with Ledger(path) as ledger:
        for use in (lambda: ledger.find(KEY), lambda: ledger.claim(KEY, 1)):
            with suppress(SemscaleError):
                await use()


@cache
def empty_ledger() -> bytes:
    path = fresh("empty.sqlite")
    asyncio.run(use_ledger(path))
    return path.read_bytes()


def ledger_entry(content: bytes) -> None:
    """Put the bytes into a sound ledger: the status of a call on the first line, its body on the others."""
    path = fresh("ledger.sqlite")
    path.write_bytes(empty_ledger())
    status, _, body = content.partition(b"\n")
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DELETE FROM semscale_claims")
        row = (KEY, 1, 1, 0.0, status.decode("utf-8", "replace"), body)
        file.execute("INSERT INTO semscale_attempts VALUES (?, ?, ?, ?, ?, CAST(? AS TEXT))", row)
    asyncio.run(use_ledger(path))


def cache_file(content: bytes) -> None:
    """Read and write both caches on files that hold the bytes; a damaged one is a warning, no error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CacheWarning)
        for name, kind in ((FILE_NAME, EmbeddingCache), (STATES_FILE, StateCache)):
            fresh(name).write_bytes(content)
            store = kind(scratch())
            refused(lambda store=store: store.get_many([KEY], 2))
            store.close()


def cache_entry(content: bytes) -> None:
    """Put the bytes into sound caches, as the entry that is looked up."""
    for name, kind in ((FILE_NAME, EmbeddingCache), (STATES_FILE, StateCache)):
        fresh(name)
        store = kind(scratch())
        store.store.write([KEY], [content])
        store.get_many([KEY], 2)
        store.close()


def history_file(content: bytes) -> None:
    """Open a history and load everything in it."""
    path = fresh("history.sqlite")
    path.write_bytes(content)
    with open_history(path) as history:
        refused(history.datasets)
        for loaded in history.runs():
            refused(lambda loaded=loaded: history.run(loaded.id))
            refused(lambda loaded=loaded: history.approvals(loaded.dataset))
        refused(history.comparisons)
