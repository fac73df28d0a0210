"""JSON of summaries: one encoder, one shape for an estimate, and a schema number."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import PurePath
from typing import Any

import numpy as np

from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.groups import GroupEstimate, counted_mean

SCHEMA = 1
"""Number of the schema in ``docs/schema``; it grows when a key changes its meaning or is removed."""

Json = dict[str, Any] | list[Any] | str | float | int | bool | None


def to_json(
    summary: Presentable, /, *, cautions: Iterable[str], warnings: Iterable[str] = (), **further: object
) -> str:
    """Write a summary as a JSON object.

    Args:
        summary: of any instrument.
        warnings: why its figures should not be trusted, as its document has them; they stand first.
        cautions: limits of its figures, as its document has them.
        further: fields that a command adds, such as the files it wrote.
    """
    stated = {"warnings": list(warnings)}
    return json_text({"schema": SCHEMA, **stated, **summary.record(), "cautions": list(cautions), **further})


def json_text(content: object) -> str:
    """Write a value that ``encoded`` accepts as JSON, indented."""
    return json.dumps(encoded(content), ensure_ascii=False, indent=2, allow_nan=False)


def encoded(value: object) -> Json:  # noqa: C901, PLR0911 - one case for each kind of value
    """Turn a value into what JSON can hold; a number that does not exist becomes null.

    A dataclass becomes an object with its fields, so every estimate has ``value``, ``low`` and ``high``. An
    enum, a path and a signature become their text, a moment its ISO form.

    Raises:
        TypeError: a value of another type.

    Examples:
        >>> encoded({"mean": float("nan"), "rows": np.int64(3), "scores": np.array([0.5])})
        {'mean': None, 'rows': 3, 'scores': [0.5]}
    """
    match value:
        case float():
            return float(value) if math.isfinite(value) else None
        case None | int():
            return value
        case str() | PurePath() | Signature():
            return str(value)
        case np.generic():
            return encoded(value.item())
        case datetime():
            return value.isoformat(timespec="seconds")
        case Mapping():
            return {str(name): encoded(item) for name, item in value.items()}
        case list() | tuple() | set() | np.ndarray():
            return [encoded(item) for item in value]
        case GroupEstimate():
            return encoded(_group_record(value))
        case _ if dataclasses.is_dataclass(value):
            fields = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
            return {name: encoded(getattr(value, name)) for name in fields}
        case _:
            raise TypeError(f"{type(value).__name__} has no JSON form")


def _group_record(group: GroupEstimate) -> dict[str, object]:
    """List the figures of a group, each with the counts behind it, as a mean of its own has them."""
    return {
        "group": group.group,
        "n": group.n,
        "n_left_out": group.n_left_out,
        "left_out": group.left_out,
        "effective_n": group.effective_n,
        "small_base": group.has_small_base,
        "figures": {name: counted_mean(group, name) for name in group.figures},
    }
