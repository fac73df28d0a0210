"""JSON form of items in the database; it preserves every text that a model can produce."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from semscale.errors import InputError
from semscale.history.items import Item, Output


def dump_item(item: Item) -> str:
    r"""Write an item as one line of JSON.

    Returns:
        The JSON. NUL and unpaired surrogates, which databases refuse, are escaped; NaN becomes ``null``.

    Raises:
        InputError: a number is infinite.

    Example:
        >>> dump_item(Item("a", (Output("fine\0", {"credits": float("nan")}),)))
        '{"id": "a", "outputs": [{"text": "fine\\u0000", "fields": {"credits": null}}]}'
    """
    body: dict[str, object] = {"id": item.id}
    if item.input is not None:
        body["input"] = item.input
    if item.groups:
        body["groups"] = dict(item.groups)
    if item.reference is not None:
        body["reference"] = item.reference
    body["outputs"] = [_output_body(item, output) for output in item.outputs]
    text = json.dumps(body, ensure_ascii=False)
    return json.dumps(body) if has_surrogates(text) else text


def load_item(text: str) -> Item:
    """Parse an item from :func:`dump_item`.

    Example:
        >>> load_item('{"id": "a", "outputs": [{"text": null}]}')
        Item(id='a', outputs=(Output(text=None, fields={}),), input=None, groups={}, reference=None)
    """
    body: dict[str, Any] = json.loads(text)
    outputs = tuple(Output(each["text"], _loaded(each.get("fields", {}))) for each in body["outputs"])
    return Item(body["id"], outputs, body.get("input"), body.get("groups", {}), body.get("reference"))


def has_surrogates(text: str) -> bool:
    """Tell whether a text contains unpaired surrogates, which no database accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _output_body(item: Item, output: Output) -> dict[str, object]:
    fields = {name: _number(item, name, value) for name, value in output.fields.items()}
    return {"text": output.text, "fields": fields} if fields else {"text": output.text}


def _number(item: Item, name: str, value: float) -> float | None:
    if math.isinf(value):
        raise InputError(f"{name} of item {item.id!r} must be finite, got {value}")
    return None if math.isnan(value) else float(value)


def _loaded(fields: Mapping[str, float | None]) -> dict[str, float]:
    return {name: float("nan") if value is None else value for name, value in fields.items()}


def digest_bodies(bodies: Iterable[str]) -> str:
    """Hash the JSON of items in their order."""
    found = hashlib.sha256()
    for body in bodies:
        found.update(body.encode())
        found.update(b"\n")
    return found.hexdigest()


def digest_items(items: Iterable[Item]) -> str:
    """Hash items with their outputs, in their order; it is the digest that a history keeps of a run."""
    return digest_bodies(map(dump_item, items))
