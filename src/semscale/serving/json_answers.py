"""Answers in JSON."""

from collections.abc import Mapping

from pydantic_core import to_json
from starlette.responses import Response

JSON, LINES = "application/json", "application/x-ndjson"
"""Types of content."""


def json_answer(content: object, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Make an answer of what JSON can hold."""
    return Response(to_json(content), status, dict(headers or {}), media_type=JSON)
