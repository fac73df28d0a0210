"""The lines that an asking program reads and writes, one JSON object each."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from semscale.drift.asking.answers import COST, LATENCY, TOKENS, Answer
from semscale.drift.asking.items_to_ask import ItemToAsk
from semscale.drift.runs.output_cells import CellLocation, number_in, outputs_in
from semscale.errors import InputError
from semscale.history.items import Output
from semscale.json_reading import parse_json

_SHOWN = 80
_TAKEN = {"tokens": TOKENS, "cost": COST, "latency": LATENCY}


@dataclass(frozen=True)
class ProgramAnswer:
    """An answer of a program, and the line that it stands in.

    Attributes:
        id: of the item.
        answer: its outputs, or the reason why there are none.
        line: as the program wrote it.
        is_error: whether the program says that it failed, so that it is asked again another time.
    """

    id: str
    answer: Answer
    line: str
    is_error: bool = False


def line_for(item: ItemToAsk, prompt: str, rerun: int) -> str:
    """Write the line of an item: ``id``, ``prompt``, ``groups`` and ``rerun``, the number of the asking.

    Example:
        >>> line_for(ItemToAsk("q1", "Is 7 prime?"), "Is 7 prime?", 0)
        '{"id": "q1", "prompt": "Is 7 prime?", "groups": {}, "rerun": 0}'
    """
    content = {"id": item.id, "prompt": prompt, "groups": dict(item.groups), "rerun": rerun}
    return json.dumps(content, ensure_ascii=False)


def read_line(line: str, program: str, number: int) -> ProgramAnswer:
    """Read a line that a program wrote.

    It has the item's ``id``, and ``output`` (a text), ``outputs`` (a list of texts or of objects with a text
    and numbers), or ``error``, the reason why there is none. Beside a single output there may be ``tokens``,
    ``cost`` and ``latency`` in seconds.

    Args:
        line: without its end.
        program: for messages.
        number: of the line, from 1.

    Raises:
        InputError: it is no such object.

    Example:
        >>> read_line('{"id": "q1", "output": "Yes.", "latency": 0.5}', "ask.py", 1).answer.outputs
        (Output(text='Yes.', fields={'call_latency': 0.5}),)
    """
    content = _object(line, program, number)
    id_ = str(content["id"])
    error = content.get("error")
    if error is not None:
        reason = " ".join(str(error).split()) or "an error"
        return ProgramAnswer(id_, Answer(reason=reason), line, is_error=True)
    name = "outputs" if "outputs" in content else "output"
    outputs = tuple(outputs_in(content.get(name), CellLocation(program, number - 1, name)))
    outputs = _with_numbers(content, outputs, program, number)
    if all(output.is_silent for output in outputs):
        return ProgramAnswer(id_, Answer(reason="the program gave no output", is_silent=True), line)
    return ProgramAnswer(id_, Answer(outputs), line)


def _object(line: str, program: str, number: int) -> Mapping[str, Any]:
    try:
        content = parse_json(line)
    except json.JSONDecodeError:
        content = None
    if not isinstance(content, Mapping) or content.get("id") is None:
        raise InputError(
            f"{program} wrote a line {number} that is no JSON object with an 'id': {line[:_SHOWN]!r}; write "
            "one object for each item, and messages to standard error"
        )
    if not {"output", "outputs", "error"} & content.keys():
        raise InputError(
            f"{program} wrote a line {number} for {content['id']!r} without 'output', 'outputs' or 'error': "
            f"{line[:_SHOWN]!r}"
        )
    return content


def _with_numbers(
    content: Mapping[str, Any], outputs: tuple[Output, ...], program: str, number: int
) -> tuple[Output, ...]:
    """Give a single output the numbers that stand beside it."""
    there = [name for name in _TAKEN if content.get(name) is not None]
    if not there or not outputs:
        return outputs
    if len(outputs) > 1:
        raise InputError(
            f"{program} wrote a line {number} with '{there[0]}' beside {len(outputs)} outputs: write it into "
            'their objects, such as {"text": "Yes.", "call_cost": 0.01}'
        )
    (output,) = outputs
    read = {name: number_in(content[name], CellLocation(program, number - 1, name)) for name in there}
    known = {_TAKEN[name]: value for name, value in read.items() if value is not None}
    return (Output(output.text, {**known, **output.fields}),)
