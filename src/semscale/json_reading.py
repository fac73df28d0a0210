"""Parsing of JSON from users, endpoints and earlier runs, levels of nesting, and unpaired surrogates."""

import json
import re
from itertools import chain
from typing import Any

MOST_LEVELS = 100
"""Largest number of nested lists and objects in a file: many functions call themselves for each level."""

_MOST_DIGITS = 308  # a float can hold every whole number with so many digits
_LONG_NUMBER = re.compile(rf"[0-9]{{{_MOST_DIGITS + 1}}}")
_STRING_OR_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[{]|[\]}]', re.DOTALL)


class _LongNumberError(ValueError):
    """A whole number has more digits than any reader can use."""


def parse_json(text: str) -> Any:
    r"""Parse a JSON document; ``NaN`` and ``Infinity`` are numbers, as in Python.

    Args:
        text: the document.

    Raises:
        json.JSONDecodeError: it is not JSON, has more than 100 levels of lists and objects, or has a whole
            number of more than 308 digits, which no float can hold. For these, ``json.loads`` raises three
            kinds of errors.

    Examples:
        >>> parse_json('{"score": 4}')
        {'score': 4}
        >>> parse_json("[" * 100_000)
        Traceback (most recent call last):
        json.decoder.JSONDecodeError: more than 100 levels of lists and objects: line 1 column 101 (char 100)
    """
    try:
        document = _DECODER.decode(text)
    except RecursionError:
        raise _too_deep(text) from None
    except _LongNumberError:
        long = _LONG_NUMBER.search(text)
        reason = f"a whole number of more than {_MOST_DIGITS} digits"
        raise json.JSONDecodeError(reason, text, long.start() if long else 0) from None
    if text.count("[") + text.count("{") > MOST_LEVELS and levels(document) > MOST_LEVELS:
        raise _too_deep(text)
    return document


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS + digits.startswith("-"):
        raise _LongNumberError
    return int(digits)


def levels(document: object) -> int:
    """Count the levels of nested lists and objects.

    Examples:
        >>> levels(1), levels([]), levels({"a": [1, {}]})
        (0, 1, 3)
    """
    n_levels, values = 0, [document]
    while values := [value for value in values if isinstance(value, list | dict)]:
        inner = (value.values() if isinstance(value, dict) else value for value in values)
        values = list(chain.from_iterable(inner))
        n_levels += 1
    return n_levels


def _too_deep(text: str) -> json.JSONDecodeError:
    """Build the error for too many levels, at the first bracket that opens one too many."""
    depth = 0
    for bracket in _STRING_OR_BRACKET.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(bracket[0], 0)
        if depth > MOST_LEVELS:
            break
    reason = f"more than {MOST_LEVELS} levels of lists and objects"
    return json.JSONDecodeError(reason, text, bracket.start())


_DECODER = json.JSONDecoder(parse_int=_whole)


def encodable(text: str) -> str:
    r"""Replace unpaired surrogates, which UTF-8 cannot encode, by U+FFFD.

    Examples:
        >>> encodable("good\ud83d") == "good\ufffd"
        True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def encodable_values(value: Any) -> Any:
    r"""Replace unpaired surrogates in all texts and keys of a JSON value by U+FFFD, as models read them.

    Raises:
        RecursionError: lists and objects are nested too deeply.

    Examples:
        >>> encodable_values({"texts": ["good\ud83d", None]}) == {"texts": ["good\ufffd", None]}
        True
    """
    match value:
        case str():
            return encodable(value)
        case list():
            return [encodable_values(item) for item in value]
        case dict():
            return {encodable(key): encodable_values(item) for key, item in value.items()}
    return value
