"""JSON of summaries: one encoder, one shape for an estimate, and a schema number."""

import dataclasses
import json
import math
from collections.abc import Mapping
from datetime import datetime
from pathlib import PurePath
from typing import Any

import numpy as np

from semscale.presentable import Presentable
from semscale.report.document import Document
from semscale.signature import Signature
from semscale.spelling import Note, with_hints
from semscale.stats.groups import GroupEstimate, mean_with_counts

SCHEMA = 1
"""Version of the schema in ``docs/schema``; it increases when a key changes its meaning or is removed."""

Json = dict[str, Any] | list[Any] | str | float | int | bool | None


def to_json(summary: Presentable, document: Document, further: Mapping[str, object] | None = None) -> str:
    """Encode a summary as a JSON object: the warnings of its document, its figures, and the cautions.

    Args:
        summary: summary of any instrument.
        document: its document.
        further: fields that a command adds, such as the files it wrote.
    """
    content = {
        "schema": SCHEMA,
        "warnings": document.brief_sentences("warning"),
        **summary.record(),
        "cautions": document.brief_sentences("caution"),
    }
    return json_text(content | dict(further or {}))


def json_text(content: object) -> str:
    """Encode a value that ``to_json_value`` accepts as indented JSON."""
    return json.dumps(to_json_value(content), ensure_ascii=False, indent=2, allow_nan=False)


def to_json_value(value: object) -> Json:  # noqa: C901, PLR0911 - one case for each kind of value
    """Convert a value to JSON types; a missing number becomes null, and a sentence has its hint.

    A dataclass becomes an object with its fields, so every estimate has ``value``, ``low`` and ``high``. An
    enum, a path and a signature become their text; a time becomes ISO 8601.

    Raises:
        TypeError: a value has another type.

    Examples:
        >>> to_json_value({"mean": float("nan"), "rows": np.int64(3), "scores": np.array([0.5])})
        {'mean': None, 'rows': 3, 'scores': [0.5]}
    """
    match value:
        case float():
            return float(value) if math.isfinite(value) else None
        case None | int():
            return value
        case Note():
            return str(value)
        case str():
            return with_hints(value)
        case PurePath() | Signature():
            return str(value)
        case np.generic():
            return to_json_value(value.item())
        case datetime():
            return value.isoformat(timespec="seconds")
        case Mapping():
            return {str(name): to_json_value(item) for name, item in value.items()}
        case list() | tuple() | set() | np.ndarray():
            return [to_json_value(item) for item in value]
        case GroupEstimate():
            return to_json_value(_group_record(value))
        case _ if dataclasses.is_dataclass(value):
            fields = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
            return {name: to_json_value(getattr(value, name)) for name in fields}
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")


def _group_record(group: GroupEstimate) -> dict[str, object]:
    """Return the figures of a group, each with its counts, in the form of a single mean."""
    return {
        "group": group.group,
        "n": group.n,
        "n_left_out": group.n_left_out,
        "left_out": group.left_out,
        "effective_n": group.effective_n,
        "small_base": group.has_small_base,
        "figures": {name: mean_with_counts(group, name) for name in group.figures},
    }
