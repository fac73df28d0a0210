"""JSON of summaries: one encoder, one shape for an estimate, and a schema number."""

import dataclasses
import json
import math
from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import singledispatch
from pathlib import PurePath
from typing import Any

import numpy as np

from semscale.presentable import Presentable
from semscale.signature import Signature
from semscale.stats.intervals.estimates import GroupEstimate
from semscale.stats.intervals.means import counted_mean

SCHEMA = 1
"""Number of the schema in ``docs/schema``; it grows when a key changes its meaning or goes."""

Json = dict[str, Any] | list[Any] | str | float | int | bool | None


def to_json(
    summary: Presentable, /, *, cautions: Iterable[str], warnings: Iterable[str] = (), **further: object
) -> str:
    """Write a summary as a JSON object.

    Args:
        summary: of any instrument.
        warnings: why its figures should not be trusted, as its document has them; they stand first.
        cautions: limits of its figures, as its document has them.
        further: what a command adds, such as the files it wrote.
    """
    stated = {"warnings": list(warnings)}
    return json_text({"schema": SCHEMA, **stated, **summary.record(), "cautions": list(cautions), **further})


def json_text(content: object) -> str:
    """Write anything that ``encoded`` takes as JSON, indented."""
    return json.dumps(encoded(content), ensure_ascii=False, indent=2, allow_nan=False)


@singledispatch
def encoded(value: object) -> Json:
    """Turn a value into what JSON can hold; a number that does not exist becomes null.

    A dataclass becomes an object with its fields, so every estimate has ``value``, ``low`` and ``high``. An
    enum, a path and a signature become their text, a moment its ISO form.

    Raises:
        TypeError: a value of another type.

    Example:
        >>> encoded({"mean": float("nan"), "rows": np.int64(3), "scores": np.array([0.5])})
        {'mean': None, 'rows': 3, 'scores': [0.5]}
    """
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if not field.name.startswith("_")]
        return {name: encoded(getattr(value, name)) for name in fields}
    raise TypeError(f"{type(value).__name__} has no JSON form")


@encoded.register
def _group(value: GroupEstimate) -> Json:
    """Give each figure of a group with the counts behind it, as a mean by itself has them."""
    return {
        "group": value.group,
        "n": value.n,
        "n_left_out": value.n_left_out,
        "left_out": encoded(value.left_out),
        "effective_n": encoded(value.effective_n),
        "small_base": value.has_small_base,
        "figures": {name: encoded(counted_mean(value, name)) for name in value.figures},
    }


@encoded.register(type(None))
@encoded.register(bool)
@encoded.register(int)
def _plain(value: bool | int | None) -> Json:
    return value


@encoded.register(str)
@encoded.register(PurePath)
@encoded.register(Signature)
def _text(value: object) -> Json:
    return str(value)


@encoded.register(float)
def _number(value: float) -> Json:
    return float(value) if math.isfinite(value) else None


@encoded.register(np.generic)
def _scalar(value: np.generic) -> Json:
    return encoded(value.item())


@encoded.register(datetime)
def _moment(value: datetime) -> Json:
    return value.isoformat(timespec="seconds")


@encoded.register(Mapping)
def _object(value: Mapping[object, object]) -> Json:
    return {str(name): encoded(item) for name, item in value.items()}


@encoded.register(list)
@encoded.register(tuple)
@encoded.register(set)
@encoded.register(np.ndarray)
def _array(value: Iterable[object]) -> Json:
    return [encoded(item) for item in value]
