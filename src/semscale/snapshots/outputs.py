"""Reading of the outputs that a test passes: a text, or a list of texts with or without numbers."""

import math
from collections.abc import Mapping

from semscale.errors import InputError
from semscale.history.items import Output

_FORMS = "a text, or a list of texts or of {'text': ..., 'credits': 1.0}"


def read_outputs(actual: object) -> tuple[Output, ...]:
    """Read a model's outputs.

    Args:
        actual: a text, a mapping with ``text`` and numbers by name, or a list of these.

    Raises:
        InputError: the value has another form, or a number is invalid.

    Example:
        >>> read_outputs(["Well done.", {"text": "Name the unit.", "credits": -0.5}])[1].fields
        {'credits': -0.5}
    """
    if isinstance(actual, str | Mapping):
        return (_output(actual),)
    if isinstance(actual, list | tuple):
        return tuple(_output(each) for each in actual)
    if callable(actual):
        raise InputError(f"a snapshot must be of {_FORMS}, got {actual!r:.60}: pass what it returns")
    raise InputError(f"a snapshot must be of {_FORMS}, got {type(actual).__name__}: {actual!r:.60}")


def _output(given: object) -> Output:
    if isinstance(given, str):
        return Output(_encodable(given))
    if not isinstance(given, Mapping) or not isinstance(given.get("text"), str):
        raise InputError(f"a snapshot must be of {_FORMS}, got {given!r:.60} in the list")
    fields = {str(name): _number(str(name), value) for name, value in given.items() if name != "text"}
    return Output(_encodable(given["text"]), fields)


def _encodable(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"a snapshot's text must be valid Unicode, got an unpaired surrogate in {text!r:.60}"
        ) from error
    return text


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name} must be a number, like all fields besides the text, got {value!r:.60}")
    return float(value)
