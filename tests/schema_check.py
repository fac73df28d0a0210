"""The schema in ``docs/schema``, and a check of printed JSON against it."""

import json
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).parents[1] / "docs" / "schema" / "semscale-1.json"


@cache
def schema_validator():
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def check_json(text):
    """Fail with all positions at which printed JSON differs from the schema."""
    content = json.loads(text)
    faults = sorted(
        schema_validator().iter_errors(content), key=lambda fault: list(map(str, fault.absolute_path))
    )
    messages = [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message[:300]}" for fault in faults]
    assert not messages, "\n".join(messages)
