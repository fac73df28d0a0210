"""Reading of JSON lines: one object on each line, whose keys are the columns."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.store.cells import column_of
from semscale.store.readers.decoding import open_text
from semscale.store.table import Table

_HEAD = 1_000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN = 60


def open_jsonl(path: Path, name: str, *, encoding: str | None = None) -> Table:
    r"""Open a file with one JSON object on each line.

    The columns are the keys of the first 1,000 objects; a key that first appears later becomes a column in
    its own batch and later ones. A key that an object lacks is null. Blank lines are skipped.

    Raises:
        InputError: the file has no object, or a line, which the message names, is no JSON object.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.jsonl")
        >>> _ = path.write_text('{"id": 1, "text": "good"}\n{"text": 5}\n')
        >>> next(open_jsonl(path, "answers.jsonl").batches(10)).rows()
        [(1, 'good'), (None, 5)]
    """
    with open_text(path, name, encoding) as lines:
        head = list(islice(_objects(lines, name), _HEAD))
    if not head:
        raise InputError(f"{name} is empty: one JSON object a line is needed")
    columns = tuple(dict.fromkeys(key for row in head for key in row))
    if not columns:
        raise InputError(f"{name} has only objects without keys; a key with the texts is needed")

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        with open_text(path, name, encoding) as text:
            rows = islice(_objects(text, name), skip, None)
            while block := list(islice(rows, size)):
                yield _frame(block, columns)

    return Table(name, path, columns, read, settings=("jsonl", encoding or "detected"))


def _objects(lines: Iterator[str], name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{name}, line {number}: no valid JSON ({error.msg.removesuffix(' at')}): "
                f"{_shortened(line)}; one object a line is needed"
            ) from error
        if not isinstance(row, dict):
            raise InputError(
                f"{name}, line {number}: {_shortened(line)} is no JSON object; write one {{...}} a line"
            )
        if _SURROGATE.search(line):
            _check_text(row, number, name)
        yield row


def _frame(rows: list[dict[str, Any]], columns: tuple[str, ...]) -> pl.DataFrame:
    titles = dict.fromkeys(columns)
    for row in rows:
        if not row.keys() <= titles.keys():
            titles.update(dict.fromkeys(row))
    return pl.DataFrame([column_of(title, [row.get(title) for row in rows]) for title in titles])


def _check_text(row: dict[str, Any], number: int, name: str) -> None:
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{name}, line {number}: a text holds half of a surrogate pair (\\ud800 to \\udfff), "
            "which is no character; write the file again with whole characters"
        ) from None


def _shortened(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."
