"""JSON form of a gate's checks in the database."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from semscale.history.stored_comparison import StoredCheck

_NUMBERS = ("value", "allowed")
_LISTS = ("group", "items", "reasons")
_USUAL = {one.name: one.default for one in fields(StoredCheck)}


def dump_checks(checks: Sequence[StoredCheck] | None) -> str | None:
    """Write checks as one line of ASCII; what a check does not have is left out.

    Example:
        >>> dump_checks((StoredCheck("limit", "silenced", True, value=0.0, allowed=0.0),))
        '[{"kind": "limit", "name": "silenced", "passed": true, "value": 0.0, "allowed": 0.0}]'
    """
    return None if checks is None else json.dumps([_body(check) for check in checks])


def load_checks(text: str | None) -> tuple[StoredCheck, ...] | None:
    """Parse checks from :func:`dump_checks`.

    Example:
        >>> load_checks('[{"kind": "must_pass", "name": "q1", "passed": true}]')[0].name
        'q1'
    """
    return None if text is None else tuple(_check(body) for body in json.loads(text))


def _check(body: dict[str, Any]) -> StoredCheck:
    lists = {name: tuple(body[name]) for name in _LISTS if body.get(name) is not None}
    return StoredCheck(**{**body, **lists})


def _body(check: StoredCheck) -> dict[str, object]:
    known = asdict(check)
    for name in _NUMBERS:
        if math.isnan(known[name]):
            del known[name]
    return {name: value for name, value in known.items() if value != _USUAL[name]}
