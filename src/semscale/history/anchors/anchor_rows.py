"""Conversion between anchor sets, their readings and database rows."""

import json
import math

import numpy as np

from semscale.history.anchors.anchor_set import AnchorReadings, AnchorSet, dump_pairs, load_pairs
from semscale.history.column_values import Found, Row, aware, plain
from semscale.types import Floats

MOVED = "ruler moved"
"""Marks readings of a moved ruler, beside the readings' names, which have no space."""


def set_row(anchors: AnchorSet) -> Row:
    """Convert an anchor set into its row.

    Raises:
        InputError: a name that no database can store, or a time without a time zone.
    """
    texts = plain(id=anchors.id, dataset=anchors.dataset, name=anchors.name, digest=anchors.digest)
    return {**texts, "frozen": aware("frozen", anchors.frozen), "body": dump_pairs(anchors.pairs)}


def read_set(found: Found) -> AnchorSet:
    """Build an anchor set from its row."""
    return AnchorSet(
        found["dataset"], found["name"], load_pairs(found["body"]), frozen=found["frozen"], id=found["id"]
    )


def readings_row(one: AnchorReadings) -> Row:
    """Convert readings into their row; NaN becomes ``null``.

    Raises:
        InputError: a text that no database can store, or a time without a time zone.
    """
    texts = plain(
        id=one.id,
        set_id=one.set_id,
        dataset=one.dataset,
        series=one.series,
        signature=one.signature,
        comparison_id=one.comparison_id,
    )
    values: dict[str, object] = {
        name: list(map(_or_null, read.tolist())) for name, read in one.readings.items()
    }
    body = json.dumps({**values, MOVED: True} if one.has_moved else values)
    measured = aware("measured", one.measured)
    return {**texts, "is_reference": one.is_reference, "measured": measured, "body": body}


def read_readings(found: Found) -> AnchorReadings:
    """Build readings from their row."""
    body: dict[str, list[float | None]] = json.loads(found["body"])
    has_moved = bool(body.pop(MOVED, False))
    return AnchorReadings(
        set_id=found["set_id"],
        dataset=found["dataset"],
        signature=found["signature"],
        readings={name: _array(values) for name, values in body.items()},
        series=found["series"],
        is_reference=bool(found["is_reference"]),
        comparison_id=found["comparison_id"],
        has_moved=has_moved,
        measured=found["measured"],
        id=found["id"],
    )


def _or_null(value: float) -> float | None:
    return None if math.isnan(value) else value


def _array(values: list[float | None]) -> Floats:
    return np.array([math.nan if value is None else value for value in values], dtype=np.float64)
