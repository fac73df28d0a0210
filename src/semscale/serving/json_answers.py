"""Answers in JSON."""

from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter
from starlette.responses import Response

JSON, LINES = "application/json", "application/x-ndjson"
"""Types of content."""


_ANYTHING: TypeAdapter[Any] = TypeAdapter(Any)


def to_json(content: object) -> bytes:
    """Write what JSON can hold.

    Example:
        >>> to_json({"mean": None, "n": 2})
        b'{"mean":null,"n":2}'
    """
    return _ANYTHING.dump_json(content)


def json_answer(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Make an answer of what JSON can hold."""
    return Response(to_json(content), status, dict(headers or {}), media_type=JSON)
