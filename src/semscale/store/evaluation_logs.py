"""JSON lines, and evaluation logs of inspect_ai, promptfoo and OpenAI's evals."""

import json
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from semscale.errors import InputError
from semscale.input_files import check_regular
from semscale.json_reading import encodable_values, parse_json
from semscale.reasoning import REASONING_PARTS, reasoning_of
from semscale.store.columns import column_of
from semscale.store.delimited import encoding_of, open_text
from semscale.store.format_names import JSON
from semscale.store.table import MOST_BYTES, MOST_CELLS, Table, check_columns, check_size, frame_reader

_FIRST_OBJECTS = 1_000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_SHOWN = 60


def open_jsonl(path: Path, name: str, *, encoding: str | None = None) -> Table:
    r"""Open a file with one JSON object on each line.

    The columns are the keys of the first 1,000 objects; a key that first appears later becomes a column in
    its own batch and later ones. A key that an object lacks is null. Blank lines are skipped.

    Raises:
        InputError: the file has no object, or a line is not a JSON object; the message names the line.

    Examples:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp(), "answers.jsonl")
        >>> _ = path.write_text('{"id": 1, "text": "good"}\n{"text": 5}\n')
        >>> next(open_jsonl(path, "answers.jsonl").batches(10)).rows()
        [(1, 'good'), (None, 5)]
    """
    codec, notes = encoding_of(path, name, encoding)
    with open_text(path, name, codec) as lines:
        head = list(islice(_objects(lines, name), _FIRST_OBJECTS))
    if not head:
        raise InputError(f"{name} is empty: one JSON object per line is needed")
    columns = tuple(dict.fromkeys(key for row in head for key in row))
    if not columns:
        raise InputError(f"{name} has only objects without keys; a key with the texts is needed")
    check_columns(len(columns), name)

    def read(size: int, skip: int) -> Iterator[pl.DataFrame]:
        with open_text(path, name, codec) as text:
            rows = islice(_objects(text, name), skip, None)
            while block := list(islice(rows, size)):
                yield _frame(block, columns, name)

    return Table(name, path, columns, read, settings=("jsonl", encoding or "detected"), notes=notes)


def _objects(lines: Iterator[str], name: str) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = parse_json(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{name}, line {number}: no valid JSON ({error.msg.removesuffix(' at')}): "
                f"{_shorten(line)}; one object per line is needed"
            ) from error
        if not isinstance(row, dict):
            raise InputError(
                f"{name}, line {number}: {_shorten(line)} is not a JSON object; write one {{...}} per line"
            )
        check_columns(len(row), name)
        if _SURROGATE.search(line):
            # Half of a surrogate pair is no character; texts from Python are read in the same way.
            row = encodable_values(row)
        yield row


def _frame(rows: list[dict[str, Any]], columns: tuple[str, ...], name: str) -> pl.DataFrame:
    titles = dict.fromkeys(columns)
    for row in rows:
        if not row.keys() <= titles.keys():
            titles.update(dict.fromkeys(row))
            check_columns(len(titles), name)
    return pl.DataFrame([column_of(title, [row.get(title) for row in rows]) for title in titles])


def _shorten(line: str) -> str:
    line = line.strip()
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


PROMPT_INDEX, RUN = "prompt_index", "run"
"""Columns of the number of a test's prompt, from 0, and of the ID of a run."""


class LogColumns(NamedTuple):
    """Names of columns of a log.

    Attributes:
        id: column of the sample's ID.
        input: column of the model's input.
        model: column of the model's name; ``None`` if rows do not name it.
        variants: columns that tell apart outputs to one sample that are no repetitions of each other.
    """

    id: str
    input: str
    model: str | None
    variants: tuple[str, ...] = ()


_COLUMNS = {
    "inspect": LogColumns("id", "input", "model"),
    "promptfoo": LogColumns("test", "prompt", "provider", (PROMPT_INDEX, "provider")),
    "openai-evals": LogColumns("sample_id", "prompt", None, (RUN,)),
}
_GRADES = {"C": "correct", "I": "incorrect"}  # as inspect_ai writes them
_HEAD = 4096
_BATCH = 20_000
_LOG_START = re.compile(r'\s*\{.*?"(?:eval|evalId|results)"\s*:', re.DOTALL)
_TOO_LARGE = "save a table of its samples as JSON lines (.jsonl) or CSV"

REASONING, REASON, EXPLANATION = "reasoning", "reason", "explanation_"
"""Columns of the reasoning that is stated apart from the output and of the reason of a score, and the
beginning of those with a scorer's explanation."""

_OPTIONAL = re.compile(rf"{REASONING}|{REASON}|cost|latency|tokens|{EXPLANATION}.*")

Row = dict[str, Any]


def open_log(path: Path, name: str, format: str = JSON) -> Table:
    """Open an evaluation log as a table, in memory, up to ``MOST_BYTES`` and ``MOST_CELLS``.

    Columns of ``inspect`` (``.eval``, ``.json``): ``id``, ``epoch``, ``input``, ``target``, ``output``,
    ``model``, ``error``, ``logprobs``, and ``score_NAME`` for each scorer, where C and I read ``correct`` and
    ``incorrect``. Columns of ``promptfoo`` (``.json``): ``test``, ``prompt_index``, ``prompt``, ``provider``,
    ``output``, ``success``, ``score``, ``error``, and ``var_NAME`` for each variable; its results may also be
    JSON lines (``.jsonl``). Columns of ``openai-evals`` (``.jsonl``): ``sample_id``, ``prompt``, ``output``,
    ``expected``, ``correct``; samplings with another prompt than the sample's first, such as a grader's, are
    left out.

    A log that has them also has the columns ``explanation_NAME`` and ``tokens`` (inspect), and ``reason`` of
    the score, ``cost`` and ``latency`` in seconds (promptfoo).

    Reasoning that a log states apart from the output is in a column ``reasoning``. Reasoning at the start of
    an output, such as ``<think>...</think>``, stays there: the setting ``reasoning`` decides whether it is
    measured. A log of several runs of OpenAI's evals has a column ``run``.

    Args:
        path: the file.
        name: its name in messages.
        format: one of ``LOG_FORMATS``; by default inspect or promptfoo, recognized by the content.

    Raises:
        InputError: the file is not such a log, has no samples, or exceeds a limit.
    """
    rows: list[Row]
    notes: tuple[str, ...] = ()
    if format == "openai-evals":
        rows = _openai_rows(path, name)
        notes = _note_mixed_runs(rows)
    else:
        document = _document(path, name)
        format = _kind(document, name) if format == JSON else format
        if format == "inspect":
            rows = _inspect_rows(document, name)
            notes = (*_note_unfinished(document), *_note_mixed_models(rows))
        else:
            rows = _promptfoo_rows(document, name)
            notes = (*_note_mixed_prompts(rows), *_note_mixed_providers(rows), *_note_repeated_tests(rows))
    rows = _without_empty_columns(rows)
    columns = tuple(dict.fromkeys(key for row in rows for key in row))
    if not rows:
        raise InputError(f"{name} holds no samples; an evaluation log with results is needed")
    n_cells = len(rows) * len(columns)
    check_size(n_cells, MOST_CELLS, "cells (rows times columns)", name, _TOO_LARGE)
    check_columns(len(columns), name)
    frame = _frame(rows, columns, name)
    return Table(
        name, path, columns, frame_reader(frame), n_rows=frame.height, settings=(format,), notes=notes
    )


def log_columns(table: Table) -> LogColumns | None:
    """Return the names of an evaluation log's columns; ``None`` for another table.

    Args:
        table: table from ``open_table``.
    """
    return _COLUMNS.get(table.settings[0]) if table.settings else None


def log_variants(table: Table) -> tuple[str, ...]:
    """Return the columns of a log that tell apart outputs to several prompts, of several models or runs.

    Args:
        table: table from ``open_table``.

    Returns:
        The columns with more than one value; none for another table.
    """
    log = log_columns(table)
    columns = () if log is None else tuple(column for column in log.variants if column in table.columns)
    values: dict[str, set[object]] = {column: set() for column in columns}
    for batch in table.batches_with(columns, _BATCH) if columns else ():
        for column in columns:
            values[column].update(batch[column].drop_nulls().unique().to_list())
    return tuple(column for column in columns if len(values[column]) > 1)


def looks_like_log(path: Path) -> bool:
    """Return whether a JSON file begins like a log of inspect_ai or promptfoo.

    Raises:
        SpecialFileError: it is no file.
    """
    check_regular(path)
    with path.open("rb") as file:
        head = file.read(_HEAD)
    text = head.decode(json.detect_encoding(head), errors="replace")
    return _LOG_START.match(text) is not None


def is_openai_log(path: Path) -> bool:
    """Return whether a file of JSON lines begins like a log of OpenAI's evals."""
    with path.open("rb") as file:
        return file.read(_HEAD).lstrip().startswith(b'{"spec"')


def is_promptfoo_lines(path: Path) -> bool:
    """Return whether a file of JSON lines begins with a result of promptfoo."""
    with path.open("rb") as file:
        return _is_result(_parse_or_none(file.readline(MOST_BYTES)))


def _is_result(value: object) -> bool:
    """Return whether a value is one result of promptfoo."""
    return isinstance(value, Mapping) and {"testIdx", "promptIdx", "prompt"} <= value.keys()


def _document(path: Path, name: str) -> Mapping[str, Any]:
    """Read a log of inspect_ai, zipped or not, or of promptfoo, whose results may be JSON lines."""
    with path.open("rb") as file:
        if file.read(2) == b"PK":
            return _unpack(path, name)
    content = _bytes_of(path, name)
    try:
        text = content.decode(json.detect_encoding(content))
        first, _, rest = text.strip().partition("\n")
        if rest and _is_result(_parse_or_none(first.encode())):
            return {"results": [parse_json(line) for line in text.split("\n") if line.strip()]}
        document = _mapping(parse_json(text))
        return {"results": [document]} if _is_result(document) else document
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{name} is not valid JSON: {error}; it may be damaged or cut off, so export it again"
        ) from error


def _kind(document: Mapping[str, Any], name: str) -> str:
    if "eval" in document and "samples" in document:
        return "inspect"
    if _results_of(document) is not None:
        return "promptfoo"
    if "eval" in document:
        reason = _mapping(document.get("error")).get("message") or "it may be only its header"
        raise InputError(
            f"{name} holds no samples, and the run that wrote it has the status "
            f"“{document.get('status')}” ({reason}); run it again, or export its samples"
        )
    raise InputError(
        f"{name} is not a log of inspect_ai or promptfoo with results, and other JSON files are not "
        "supported: save a table as JSON lines (.jsonl) or CSV"
    )


def _inspect_rows(document: Mapping[str, Any], name: str) -> list[Row]:
    samples = document.get("samples")
    if not isinstance(samples, list):
        raise InputError(f"{name} is not a log of inspect_ai with samples; write one with --log-format json")
    broken = [number for number, entry in enumerate(samples, start=1) if not isinstance(entry, Mapping)]
    if broken:
        raise InputError(
            f"{name}: sample {broken[0]} of {len(samples)} cannot be read; the log is damaged, write it again"
        )
    return [_inspect_row(sample) for sample in samples]


def _note_unfinished(document: Mapping[str, Any]) -> tuple[str, ...]:
    status = document.get("status", "success")
    if status == "success":
        return ()
    return (f"The run that wrote this log has the status “{status}”: samples may be missing.",)


def _unpack(path: Path, name: str) -> dict[str, Any]:
    """Read the samples and the status of a zipped log; a sample that is not JSON is ``None``."""
    try:
        with zipfile.ZipFile(path) as package:
            n_bytes = sum(member.file_size for member in package.infolist())
            check_size(n_bytes, MOST_BYTES, "bytes, unpacked", name, _TOO_LARGE)
            members = package.namelist()
            header = _parse_or_none(package.read("header.json")) if "header.json" in members else None
            samples = [
                _parse_or_none(package.read(title))
                for title in sorted(members)
                if title.startswith("samples/")
            ]
    except (NotImplementedError, zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{name} cannot be unpacked: it is damaged or cut off, or compressed in a way that Python cannot "
            "read; write it with --log-format json"
        ) from error
    return {**_mapping(header), "samples": samples}


def _inspect_row(sample: Mapping[str, Any]) -> Row:
    output = _mapping(sample.get("output"))
    choices = output.get("choices") or [{}]
    first = _mapping(choices[0])
    reply = _text(_mapping(first.get("message")).get("content")) or output.get("completion") or None
    error = _mapping(sample.get("error")).get("message") or output.get("error")
    target = sample.get("target")
    logprobs = _mapping(first.get("logprobs")).get("content")
    row: Row = {
        "id": None if sample.get("id") is None else str(sample["id"]),
        "epoch": sample.get("epoch"),
        "input": _conversation(sample.get("input")),
        "target": json.dumps(target, ensure_ascii=False) if isinstance(target, list) else target,
        "output": reply,
        "model": output.get("model"),
        "error": error,
        "logprobs": json.dumps(logprobs) if logprobs else None,
        REASONING: reasoning_of(_mapping(first.get("message"))),
    }
    for scorer, score in _mapping(sample.get("scores")).items():
        value = _mapping(score).get("value")
        row[f"score_{scorer}"] = _GRADES.get(value, value) if isinstance(value, str) else _plain(value)
        row[f"{EXPLANATION}{scorer}"] = _text(_mapping(score).get("explanation"))
    used = [_mapping(usage).get("total_tokens") for usage in _mapping(sample.get("model_usage")).values()]
    row["tokens"] = sum(n for n in used if isinstance(n, int)) or None
    return row


def _results_of(document: Mapping[str, Any]) -> list[Any] | None:
    """Return the results of promptfoo, which older versions write at the top; ``None`` without any."""
    results = document.get("results")
    inner = results if isinstance(results, list) else _mapping(results).get("results")
    return inner if isinstance(inner, list) else None


def _promptfoo_rows(document: Mapping[str, Any], name: str) -> list[Row]:
    results = _results_of(document)
    if results is None:
        raise InputError(
            f"{name} holds no results of promptfoo; write them with promptfoo eval -o results.json"
        )
    rows = []
    prompts: dict[str, list[object]] = {}
    tests: dict[str, int] = {}  # versions before 3 do not number them
    name_of = _provider_names(list(map(_mapping, results)))
    for number, result in enumerate(map(_mapping, results)):
        prompt, response = _mapping(result.get("prompt")), _mapping(result.get("response"))
        variables = json.dumps(result["vars"], sort_keys=True) if "vars" in result else f"row {number}"
        test = str(result.get("testIdx", tests.setdefault(variables, len(tests))))
        raw, of_test = prompt.get("raw"), prompts.setdefault(test, [])
        if raw not in of_test:
            of_test.append(raw)
        rows.append(
            {
                "test": test,
                PROMPT_INDEX: of_test.index(raw) if result.get("promptIdx") is None else result["promptIdx"],
                "prompt": _conversation(_from_json(raw)),
                "provider": name_of(result.get("provider")),
                "output": _text(response.get("output")),
                "success": result.get("success"),
                "score": result.get("score"),
                "error": result.get("error") or response.get("error"),
                REASONING: reasoning_of(response),
                REASON: _text(_mapping(result.get("gradingResult")).get("reason")),
                "cost": _number(result.get("cost")),
                "latency": _number(result.get("latencyMs"), 1000),
                **{f"var_{key}": _plain(value) for key, value in _mapping(result.get("vars")).items()},
            }
        )
    return rows


def _provider_names(results: list[Mapping[str, Any]]) -> Callable[[Any], str | None]:
    """Return the naming of providers: by ID, or by label if several of them share an ID."""
    labels: dict[str | None, set[str | None]] = {}
    for provider in (_mapping(result.get("provider")) for result in results):
        labels.setdefault(_text(provider.get("id")), set()).add(_text(provider.get("label")) or None)

    def name(provider: Any) -> str | None:
        if not isinstance(provider, Mapping):
            return _text(provider)
        own = _text(provider.get("id"))
        return (_text(provider.get("label")) if len(labels[own]) > 1 else None) or own

    return name


def _note_mixed_prompts(rows: list[Row]) -> tuple[str, ...]:
    """Note several prompts; promptfoo numbers each pair of a provider and a prompt."""
    prompts: dict[str | None, set[str]] = {}
    for row in rows:
        prompts.setdefault(row["provider"], set()).add(str(row[PROMPT_INDEX]))
    n = max(map(len, prompts.values()), default=0)
    return _note_if_mixed(
        n,
        f"Outputs to {n} prompts are in this log; rows of one test are answers to different prompts, and no "
        f"samples of each other. `where='{PROMPT_INDEX} == 0'` selects one.",
    )


def _note_repeated_tests(rows: list[Row]) -> tuple[str, ...]:
    """Note repetitions, each of which promptfoo numbers as a test of its own."""
    asked = {(row["provider"], row["prompt"], row["test"]) for row in rows}
    n = len(asked) - len({(provider, prompt) for provider, prompt, _ in asked})
    if not n or len(asked) < len(rows):
        return ()
    return (
        f"{n} rows repeat the prompt of another test, as promptfoo --repeat numbers each repetition as a "
        "test; the column ‘prompt’ names the item whose samples they are.",
    )


def _note_mixed_providers(rows: list[Row]) -> tuple[str, ...]:
    providers = _distinct(rows, "provider")
    return _note_if_mixed(
        len(providers),
        f"Outputs of {len(providers)} providers are in this log ({', '.join(providers)}); rows of one test "
        "are answers of different models, and no samples of each other. `where` selects one.",
    )


def _note_mixed_models(rows: list[Row]) -> tuple[str, ...]:
    models = _distinct(rows, "model")
    return _note_if_mixed(
        len(models),
        f"Outputs of {len(models)} models are in this log ({', '.join(models)}); rows of one sample may be "
        "answers of different models. `where` selects one.",
    )


def _note_mixed_runs(rows: list[Row]) -> tuple[str, ...]:
    runs = _distinct(rows, RUN)
    return _note_if_mixed(
        len(runs),
        f"Outputs of {len(runs)} runs are in this log ({', '.join(runs)}); rows of one sample are answers in "
        "different runs, and no samples of each other. `where` selects one.",
    )


def _distinct(rows: list[Row], column: str) -> list[str]:
    return sorted({str(row[column]) for row in rows if row.get(column) is not None})


def _note_if_mixed(n: int, note: str) -> tuple[str, ...]:
    return (note,) if n > 1 else ()


def _without_empty_columns(rows: list[Row]) -> list[Row]:
    """Remove the columns that few logs have, such as that of reasoning, if they are empty."""
    optional = {name for row in rows for name in row if _OPTIONAL.fullmatch(name)}
    empty = optional - {name for row in rows for name in optional if row.get(name)}
    return [
        {
            name: (value or None) if name in optional else value
            for name, value in row.items()
            if name not in empty
        }
        for row in rows
    ]


def _openai_rows(path: Path, name: str) -> list[Row]:
    rows: list[Row] = []
    prompts: dict[tuple[object, str], str | None] = {}
    ungraded: dict[tuple[object, str], list[Row]] = {}
    for number, line in enumerate(_bytes_of(path, name).splitlines(), start=1):
        event = _parse_or_none(line) if line.strip() else {}
        if not isinstance(event, Mapping):
            raise InputError(
                f"{name}: line {number} is no JSON object; a log of OpenAI's evals has one per line"
            )
        data, sample = _mapping(event.get("data")), str(event.get("sample_id"))
        in_run = event.get("run_id"), sample
        if event.get("type") == "sampling":
            prompt = _conversation(data.get("prompt"))
            if prompts.setdefault(in_run, prompt) == prompt:
                sampled = _rows_of_samples(event, sample, prompt)
                rows += sampled
                ungraded.setdefault(in_run, []).extend(sampled)
        elif event.get("type") == "match":
            for row in ungraded.pop(in_run, []):
                row |= {"expected": _plain(data.get("expected")), "correct": data.get("correct")}
    if _distinct(rows, RUN)[1:]:
        return rows
    return [{name: value for name, value in row.items() if name != RUN} for row in rows]


def _rows_of_samples(event: Mapping[str, Any], sample: str, prompt: str | None) -> list[Row]:
    """Return a row for each sampled text of an event, without a grade."""
    sampled = _mapping(event.get("data")).get("sampled")
    row: Row = {RUN: event.get("run_id"), "sample_id": sample, "prompt": prompt}
    texts = sampled if isinstance(sampled, list) else [sampled]
    return [{**row, "output": _text(text), "expected": None, "correct": None} for text in texts]


def _bytes_of(path: Path, name: str) -> bytes:
    check_size(path.stat().st_size, MOST_BYTES, "bytes", name, _TOO_LARGE)
    return path.read_bytes()


def _parse_or_none(content: bytes) -> Any:
    try:
        return parse_json(content.decode("utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None


def _from_json(text: Any) -> Any:
    """Parse a prompt that is a conversation in JSON; other texts are returned unchanged."""
    if isinstance(text, str) and text.lstrip().startswith("["):
        document = _parse_or_none(text.encode())
        return document if isinstance(document, list) else text
    return text


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _conversation(value: Any) -> str | None:
    """Write a prompt as text; several messages each begin with their role."""
    if not isinstance(value, list):
        return _text(value)
    messages = [_mapping(message) for message in value]
    if len(messages) == 1:
        return _text(messages[0].get("content"))
    return "\n".join(f"{turn.get('role', 'user')}: {_text(turn.get('content')) or ''}" for turn in messages)


def _text(value: Any) -> str | None:
    """Write a message's content as text: the text parts of a list; other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(part, Mapping) for part in value):
        parts = [part for part in value if part.get("type") not in REASONING_PARTS]
        return "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return json.dumps(value, ensure_ascii=False)


def _number(value: Any, unit: float = 1) -> float | None:
    """Return a number above 0 in another unit; ``None`` for anything else."""
    return value / unit if isinstance(value, int | float) and value > 0 else None


def _plain(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else value
