"""The child process that reads a table for ``child_process``."""

import json
import os
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

import polars as pl

from semscale.errors import InputError, SemscaleError
from semscale.store.child_process import (
    LENGTH,
    Opening,
    describe_table,
    encode_error,
    encode_frame,
    with_texts,
)
from semscale.store.columnar import FRAME_BYTES, content_bytes
from semscale.store.formats import open_here
from semscale.store.table import MOST_BYTES, Table

_PENDING = 4  # passes over a table that go on at a time
_RESERVED = 1 << 30  # bytes of addresses that libraries reserve and do not use

Request = dict[str, Any]
Piece = tuple[pl.DataFrame, list[str], bool]
"""Rows, the names of columns whose cells are JSON, and whether the rows end a batch."""


def main() -> None:
    """Open the table of the first request, answer the others, and end with the parent process."""
    out = _open_answers()
    requests: SimpleQueue[Request] = SimpleQueue()
    threading.Thread(target=_receive, args=(requests,), daemon=True).start()
    first = requests.get()
    opening = Opening.from_request(first)
    _limit(opening)
    reader = _Reader(opening, out)
    reader.answer({"open": True})
    while True:
        reader.answer(requests.get())


def _open_answers() -> IO[bytes]:
    """Return standard output for answers, and let nothing else write to it."""
    out = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return out


def _receive(requests: "SimpleQueue[Request]") -> None:
    for line in sys.stdin.buffer:
        requests.put(json.loads(line))
    os._exit(0)  # the parent has ended, and the reader may be busy


def _limit(opening: Opening) -> None:
    """Limit the memory of this process; Windows has no such limit, and macOS does not apply it."""
    with suppress(OSError):  # not Linux: this process is ended first where a machine has no memory left
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    try:
        import resource
    except ImportError:  # Windows
        return
    path = opening.path
    if opening.held is not None:
        files = [opening.held.path(name) for name in opening.held.descriptors]
    else:
        files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    mapped = sum(file.stat().st_size for file in files)
    for limit, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_DATA, opening.memory),
        (resource.RLIMIT_AS, opening.memory + mapped + _RESERVED),
    ):
        _, hard = resource.getrlimit(limit)
        lower = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):  # macOS refuses some values
            resource.setrlimit(limit, (lower, lower))


class _Reader:
    """Answers requests about one table."""

    def __init__(self, opening: Opening, out: IO[bytes]) -> None:
        self._opening, self._out = opening, out
        self._table: Table | None = None
        self._pending: dict[tuple[object, ...], Iterator[Piece]] = {}

    def answer(self, request: Request) -> None:
        """Send the answers to a request, or the error that prevented them."""
        try:
            self._answer(request)
        except (SemscaleError, OSError) as error:
            self._send(encode_error(error))
        except BaseException as error:
            if isinstance(error, MemoryError) or type(error).__name__ == "PanicException":
                self._send(encode_error(self._opening.crash("failed")))
            else:
                self._send({"bug": traceback.format_exc()})

    def _answer(self, request: Request) -> None:
        if self._table is None:
            self._table = open_here(self._opening)
            self._send(describe_table(self._table))
        elif "hint" in request:
            self._send({"text": self._table.hint(request["hint"])})
        elif self._table.identity is not None and "identity" in request:
            self._send({"text": self._table.identity()})
        else:
            self._send_batch(self._table, request["size"], request["skip"], request["titles"])

    def _send_batch(self, table: Table, size: int, skip: int, titles: list[str] | None) -> None:
        """Send a batch in pieces; the next one continues where it ends, without reading rows again."""
        columns = None if titles is None else tuple(titles)
        pieces = self._pending.pop((size, skip, columns), None) or _pieces(table, size, skip, titles)
        for piece, mixed, is_last in pieces:
            self._send({"mixed": mixed, "is_last": False}, encode_frame(piece))
            skip += piece.height
            if is_last:
                break
        self._send({})
        self._pending[size, skip, columns] = pieces
        while len(self._pending) > _PENDING:
            del self._pending[next(iter(self._pending))]

    def _send(self, head: dict[str, Any], content: bytes = b"") -> None:
        fields = json.dumps({"is_last": True, **head, "n_bytes": len(content)}).encode()
        for part in (len(fields).to_bytes(LENGTH), fields, content):
            self._out.write(part)
        self._out.flush()


def _pieces(table: Table, size: int, skip: int, titles: list[str] | None) -> Iterator[Piece]:
    """Cut the rows after the first ``skip`` into pieces; pieces and batches have a limit of bytes."""
    n_rows = n_bytes = 0
    for whole in table.batches(size, skip) if titles is None else _columns(table, size, skip, titles):
        frame, mixed = with_texts(whole)
        while frame.height:
            head, frame = frame.head(size - n_rows % size), frame.slice(size - n_rows % size)
            for piece, more in _cut(head, table.name, skip + n_rows):
                n_rows, n_bytes = n_rows + piece.height, n_bytes + more
                is_last = n_rows % size == 0 or n_bytes >= MOST_BYTES
                n_bytes = 0 if is_last else n_bytes
                yield piece, mixed, is_last


def _columns(table: Table, size: int, skip: int, titles: list[str]) -> Iterator[pl.DataFrame]:
    """Read some columns of the rows after the first ``skip``, and at least one, which shows their number."""
    for frame in table.batches_with(titles, size):
        chosen = [title for title in frame.columns if title in titles] or frame.columns[:1]
        yield frame.select(chosen).slice(min(skip, frame.height))
        skip = max(0, skip - frame.height)


def _cut(frame: pl.DataFrame, name: str, before: int) -> Iterator[tuple[pl.DataFrame, int]]:
    """Cut a frame in halves until no piece has more than ``FRAME_BYTES``; yield pieces with their bytes.

    Raises:
        InputError: a single row has more.
    """
    n_bytes = content_bytes(frame)
    if n_bytes <= FRAME_BYTES:
        yield frame, n_bytes
    elif frame.height == 1:
        raise InputError(
            f"{name}: row {before + 1:,} has {n_bytes:,} bytes, and at most {FRAME_BYTES:,} are allowed; "
            "shorten its texts"
        )
    else:
        half = frame.height // 2
        yield from _cut(frame.head(half), name, before)
        yield from _cut(frame.slice(half), name, before + half)
