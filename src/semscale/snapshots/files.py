"""Outputs of a test, and files of approved ones: one sorted JSON file for each test module."""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from semscale.errors import InputError
from semscale.history.items import Output
from semscale.input_files import read_input_text
from semscale.json_reading import parse_json
from semscale.store.atomic import replacing
from semscale.version import upgrade_advice
from semscale.weights.folders import cache_root

FORMAT = 1
_FORMS = "a text, or a list of texts or of {'text': ..., 'credits': 1.0}"


@dataclass(frozen=True)
class Snapshot:
    """Approved outputs.

    Attributes:
        outputs: the outputs in their order.
        measured_by: names and hashes of the model and weights that compared the texts when they were
            approved.
    """

    outputs: tuple[Output, ...]
    measured_by: Mapping[str, str]


Snapshots = dict[str, dict[str, Snapshot]]
"""Snapshots by test and name."""


def read_outputs(actual: object) -> tuple[Output, ...]:
    """Read a model's outputs.

    Args:
        actual: a text, a mapping with ``text`` and numbers by name, or a list of these.

    Raises:
        InputError: the value has another form, or a number is invalid.

    Examples:
        >>> read_outputs(["Well done.", {"text": "Name the unit.", "credits": -0.5}])[1].fields
        {'credits': -0.5}
    """
    if isinstance(actual, str | Mapping):
        return (_output(actual),)
    if isinstance(actual, list | tuple):
        return tuple(map(_output, actual))
    if callable(actual):
        raise InputError(f"a snapshot must be of {_FORMS}, got {actual!r:.60}: pass what it returns")
    raise InputError(f"a snapshot must be of {_FORMS}, got {type(actual).__name__}: {actual!r:.60}")


def read_snapshots(path: Path) -> Snapshots:
    """Read all snapshots of a file; return none if the file does not exist.

    Raises:
        InputError: the file is damaged, from a later version, or cannot be read.
    """
    try:
        stat = path.stat()
        parsed = _parse(path, (stat.st_ino, stat.st_mtime_ns, stat.st_size))
    except FileNotFoundError:
        return {}
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(
            f"{path} is damaged ({type(error).__name__}: {error}); take it from version control, or delete "
            "it and approve its snapshots again"
        ) from None
    return {test: dict(named) for test, named in parsed.items()}


@lru_cache(maxsize=4)
def _parse(path: Path, stamp: tuple[int, ...]) -> Snapshots:
    """Parse a file and cache the result until the file changes, as every test of a module needs it."""
    content = parse_json(read_input_text(path))
    if content["format"] > FORMAT:
        raise InputError(f"a later version of Semscale wrote it: {upgrade_advice()}")
    return {
        test: {name: _snapshot(entry) for name, entry in named.items()}
        for test, named in content["snapshots"].items()
    }


def write_snapshot(path: Path, test: str, name: str, snapshot: Snapshot) -> None:
    """Write one snapshot into its file; other processes may write to the file at the same time.

    Raises:
        InputError: the file is damaged, or cannot be written.
    """
    with _lock_file(path) as snapshots:
        snapshots.setdefault(test, {})[name] = snapshot
        _write(path, snapshots)


def remove_snapshots(path: Path, unused: Mapping[str, set[str]]) -> None:
    """Remove snapshots from their file, and the file if it becomes empty."""
    with _lock_file(path) as snapshots:
        for test, names in unused.items():
            left = {name: entry for name, entry in snapshots.pop(test, {}).items() if name not in names}
            if left:
                snapshots[test] = left
        if snapshots:
            _write(path, snapshots)
        else:
            path.unlink()


@contextmanager
def _lock_file(path: Path) -> Iterator[Snapshots]:
    from filelock import FileLock

    # The lock file is in another folder than the snapshots, as it does not belong under version control.
    locks = cache_root() / "locks"
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    try:
        locks.mkdir(parents=True, exist_ok=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(locks / f"{name}.lock"):
            yield read_snapshots(path)
    except OSError as error:
        raise InputError(f"snapshots cannot be written to {path}: {error.strerror or error}") from error


def _write(path: Path, snapshots: Snapshots) -> None:
    shown = {
        test: {name: _entry(snapshot) for name, snapshot in named.items()}
        for test, named in snapshots.items()
    }
    content = {"format": FORMAT, "snapshots": shown}
    with replacing(path) as temporary:
        text = json.dumps(content, ensure_ascii=False, indent=2, sort_keys=True)
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")


def _entry(snapshot: Snapshot) -> dict[str, object]:
    # A text of several lines is stored as a list of lines, so that a diff shows the changed line.
    outputs = [
        {"text": text.split("\n") if "\n" in text else text, **output.fields}
        for output in snapshot.outputs
        for text in [output.text or ""]
    ]
    return {"outputs": outputs, "measured_by": dict(snapshot.measured_by)}


def _snapshot(entry: Mapping[str, object]) -> Snapshot:
    listed, measured_by = entry["outputs"], entry["measured_by"]
    if not isinstance(listed, list) or not isinstance(measured_by, dict):
        raise TypeError("outputs must be a list and measured_by a mapping")
    outputs = [
        {**output, "text": "\n".join(output["text"]) if isinstance(output["text"], list) else output["text"]}
        for output in listed
    ]
    return Snapshot(read_outputs(outputs), {str(name): str(value) for name, value in measured_by.items()})


def _output(output: object) -> Output:
    if isinstance(output, str):
        return Output(_encodable(output)).separate_reasoning()
    if not isinstance(output, Mapping) or not isinstance(output.get("text"), str):
        raise InputError(f"a snapshot must be of {_FORMS}, got {output!r:.60} in the list")
    fields = {str(name): _number(str(name), value) for name, value in output.items() if name != "text"}
    return Output(_encodable(output["text"]), fields).separate_reasoning()


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"a snapshot's text must be valid Unicode, got an unpaired surrogate in {text!r:.60}"
        ) from error
    return text


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(name, f"must be a number, like all fields besides the text, got {value!r:.60}")
    return float(value)
