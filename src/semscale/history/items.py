"""Items of a run: a model's outputs, with their input and groups, and their JSON form in the database."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.messages import shorten
from semscale.reasoning import split_reasoning


@dataclass(frozen=True)
class Output:
    """One output of a model.

    Attributes:
        text: the output's text; ``None`` or blank if it has none.
        fields: numbers of the output, such as credits, by name; fields without a value are absent.
        reasoning: the model's reasoning before the output; ``None`` if it has none or it is unknown.
    """

    text: str | None
    fields: Mapping[str, float] = field(default_factory=dict)
    reasoning: str | None = field(default=None, repr=False)

    def separate_reasoning(self) -> "Output":
        """Move reasoning at the start of the text, such as ``<think>...</think>``, to ``reasoning``.

        Examples:
            >>> output = Output("<think>2 + 2</think> 4").separate_reasoning()
            >>> output.text, output.reasoning
            ('4', '2 + 2')
        """
        reasoning, text = split_reasoning(self.text or "")
        if text == (self.text or ""):
            return self
        return replace(self, text=text, reasoning="\n\n".join(filter(None, [self.reasoning, reasoning])))

    @property
    def is_silent(self) -> bool:
        """True if it has no text to compare."""
        return self.text is None or not self.text.strip()


@dataclass(frozen=True)
class Item:
    """One item of a dataset with a model's outputs.

    Attributes:
        id: the item's name in every run.
        outputs: the model's outputs in order; empty if it gave none.
        input: the model's input; ``None`` if unknown.
        groups: names of the item's groups by their kind, such as ``{"exercise": "6715"}``.
        reference: a right answer; ``None`` without one. It is not part of the dataset's version, as it does
            not affect the model's input.
    """

    id: str
    outputs: tuple[Output, ...]
    input: str | None = None
    groups: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None

    @property
    def outputs_with_text(self) -> tuple[Output, ...]:
        """The outputs that have a text."""
        return tuple(output for output in self.outputs if not output.is_silent)


def dump_item(item: Item) -> str:
    r"""Write an item as one line of JSON.

    Returns:
        The JSON. NUL and unpaired surrogates, which databases refuse, are escaped; NaN becomes ``null``.

    Raises:
        InputError: a number is infinite.

    Examples:
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
    """Parse the JSON of :func:`dump_item`.

    Examples:
        >>> load_item('{"id": "a", "outputs": [{"text": null}]}')
        Item(id='a', outputs=(Output(text=None, fields={}),), input=None, groups={}, reference=None)
    """
    body = parse_body(text, "an item")
    outputs = tuple(
        Output(output["text"], _restore_fields(output.get("fields", {})), output.get("reasoning"))
        for output in body["outputs"]
    )
    return Item(body["id"], outputs, body.get("input"), body.get("groups", {}), body.get("reference"))


def parse_body(text: str, source: str) -> dict[str, Any]:
    """Parse the JSON object of a stored row.

    Args:
        text: the JSON.
        source: the row, for the message.

    Raises:
        InputError: it is no JSON object that Semscale stores.
    """
    try:
        body = parse_json(text)
    except ValueError as error:
        raise _damage_error(source, str(error)) from None
    if not isinstance(body, dict):
        raise _damage_error(source, f"it must be a JSON object, got {shorten(body)}")
    return body


def _damage_error(source: str, reason: str) -> InputError:
    return InputError(
        f"{source} of the history cannot be read ({reason}), so somebody changed the database: "
        "restore it from a copy"
    )


def has_surrogates(text: str) -> bool:
    """Return whether a text contains unpaired surrogates, which no database accepts."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _output_body(item: Item, output: Output) -> dict[str, object]:
    fields = {name: _number(item, name, value) for name, value in output.fields.items()}
    body: dict[str, object] = {"text": output.text}
    if fields:
        body["fields"] = fields
    if output.reasoning is not None:
        body["reasoning"] = output.reasoning
    return body


def _number(item: Item, name: str, value: float) -> float | None:
    if math.isinf(value):
        raise InputError(f"{name} of item {item.id!r} must be finite, got {value}")
    return None if math.isnan(value) else float(value)


def _restore_fields(fields: Mapping[str, float | None]) -> dict[str, float]:
    return {name: float("nan") if value is None else value for name, value in fields.items()}


def digest_bodies(bodies: Iterable[str]) -> str:
    """Hash the JSON of items in their order."""
    digest = hashlib.sha256()
    for body in bodies:
        digest.update(body.encode())
        digest.update(b"\n")
    return digest.hexdigest()


def digest_items(items: Iterable[Item]) -> str:
    """Hash items with their outputs, in their order; a history stores this hash with a run."""
    return digest_bodies(map(dump_item, items))
