"""Submissions to the ClinIQLink benchmark: seven task files, each with inputs and the replies to them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from semscale.errors import InputError
from semscale.json_reading import parse_json

TASKS = (
    "true_false",
    "multiple_choice",
    "list",
    "short",
    "multi_hop",
    "short_inverse",
    "multi_hop_inverse",
)
"""The tasks; each one's file is called ``<task>.json``."""

_THOUGHTS = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_UNFINISHED_THOUGHT = re.compile(r"<think>.*", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Task:
    """One task file.

    Attributes:
        name: one of ``TASKS``.
        inputs: n items, as the benchmark gives them.
        replies: n texts, without what stood between ``<think>`` marks.
    """

    name: str
    inputs: list[Mapping[str, Any]]
    replies: list[str]


def load_submission(folder: str | Path) -> dict[str, Task]:
    """Read the task files that a folder holds.

    Returns:
        The tasks by name, in the order of ``TASKS``; those without a file are absent.

    Raises:
        InputError: the folder holds no task file, or a file is not as it should be; it is named.
    """
    root = Path(folder)
    if not root.is_dir():
        raise InputError(f"{root} is not a folder; give the one that holds {TASKS[0]}.json and the others")
    tasks = {name: read_task(root / f"{name}.json") for name in TASKS if (root / f"{name}.json").is_file()}
    if not tasks:
        names = ", ".join(f"{name}.json" for name in TASKS)
        raise InputError(f"{root} holds none of the task files {names}")
    return tasks


def read_task(path: Path) -> Task:
    """Read one task file: ``{"inputs": [...], "responses": [...]}``, both of one length.

    Raises:
        InputError: no JSON, a key is missing, or the lists have unequal lengths.
    """
    try:
        content = parse_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path.name} cannot be read: {error}") from error
    if not isinstance(content, dict):
        raise InputError(
            f"{path.name} must hold an object with inputs and responses, got a {type(content).__name__}"
        )
    inputs, replies = (_list_of(content, key, path) for key in ("inputs", "responses"))
    if len(inputs) != len(replies):
        raise InputError(
            f"{path.name}: inputs and responses must have equal lengths, got {len(inputs)} inputs "
            f"and {len(replies)} responses"
        )
    for number, item in enumerate(inputs, start=1):
        if not isinstance(item, dict):
            raise InputError(f"{path.name}: input {number} must be an object, got {type(item).__name__}")
    return Task(path.stem, inputs, [without_thoughts(reply_text(reply)) for reply in replies])


def reply_text(reply: object) -> str:
    """Take the text out of a reply as pipelines nest it, in lists and under ``generated_text`` or ``text``.

    Example:
        >>> reply_text([{"generated_text": " True "}])
        'True'
    """
    if isinstance(reply, list | tuple):
        return " ".join(map(reply_text, reply)).strip()
    if isinstance(reply, dict):
        return str(reply.get("generated_text") or reply.get("text") or "").strip()
    return "" if reply is None else str(reply).strip()


def without_thoughts(reply: str) -> str:
    """Remove what a model wrote between ``<think>`` marks, also where the second mark never came.

    Example:
        >>> without_thoughts("<think>Is it?</think> True")
        'True'
    """
    return _UNFINISHED_THOUGHT.sub("", _THOUGHTS.sub("", reply)).strip()


def _list_of(content: Mapping[str, Any], key: str, path: Path) -> list[Any]:
    if not isinstance(content.get(key), list):
        raise InputError(f"{path.name} must hold a list {key!r}, got {type(content.get(key)).__name__}")
    found: list[Any] = content[key]
    return found
