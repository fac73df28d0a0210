"""Codebooks in YAML files that users write, with errors that name the line."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from semscale.coding.codebook import Code, CodeFrame
from semscale.errors import InputError
from semscale.messages import did_you_mean, shortened
from semscale.yaml_reading import line_of, parse_yaml


class _WrittenCode(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    definition: str = Field(min_length=1)
    examples: list[str] = Field(min_length=1)
    negative_examples: list[str] = Field(default_factory=list)
    parent: str | None = None


class _WrittenCodeFrame(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1)
    codes: list[_WrittenCode] = Field(min_length=1)


_KEYS = tuple(dict.fromkeys([*_WrittenCodeFrame.model_fields, *_WrittenCode.model_fields]))
_REMEDIES = {
    "string_type": "must be text, in quotes if it reads like a number or like yes and no",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most 60 characters",
    "list_type": "must be a list",
    "too_short": "must have at least one entry",
    "model_type": "must be a code with its keys: name, definition, examples",
}


def load_codebook(path: str | Path) -> CodeFrame:
    """Read a codebook from a YAML file.

    The file has ``name`` and ``codes``. Each code has ``name``, ``definition``, ``examples`` (one or more)
    and, if you like, ``negative_examples`` and ``parent``.

    Raises:
        InputError: it cannot be read or is no codebook; the message names the line.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"codebook {str(path)!r} cannot be read: {error.strerror or error}") from None
    return parse_codebook(content, source=str(path))


def parse_codebook(content: bytes, *, source: str) -> CodeFrame:
    r"""Parse a codebook from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.

    Raises:
        InputError: as ``load_codebook``.

    Example:
        >>> text = b"name: b\ncodes: [{name: a, definition: d, exmples: [x]}]"
        >>> parse_codebook(text, source="b.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 'b.yaml', line 2: code 'a': unknown key 'exmples'; did you mean...
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a codebook, name and codes, got {shortened(fields)}"
        )
    try:
        written = _WrittenCodeFrame(**{str(key): value for key, value in fields.items()})
    except ValidationError as error:
        found = _most_telling(error.errors())
        line = line_of(content, found["loc"])
        raise InputError(f"{source!r}, line {line}: {_described(found, fields)}") from None
    codes: list[Code] = []
    for place, each in enumerate(written.codes):
        try:
            codes.append(_code(each))
        except InputError as error:
            line = line_of(content, ("codes", place))
            raise InputError(f"{source!r}, line {line}: {error}") from None
    try:
        return CodeFrame(written.name, tuple(codes))
    except InputError as error:
        line = line_of(content, ("codes", *_at_fault(codes, str(error))))
        raise InputError(f"{source!r}, line {line}: {error}") from None


def _code(written: _WrittenCode) -> Code:
    return Code(
        written.name.strip(),
        written.definition,
        tuple(written.examples),
        tuple(written.negative_examples),
        written.parent,
    )


def _at_fault(codes: Sequence[Code], said: str) -> list[int]:
    """Find the code that a message begins with; of two codes the second, which repeats the first."""
    found = {said.find(repr(code.name)): place for place, code in enumerate(codes) if repr(code.name) in said}
    named = [found[position] for position in sorted(found)]
    return named[1:2] if said.startswith("codes ") else named[:1]


def _most_telling(errors: Sequence[Any]) -> Any:  # noqa: ANN401 - pydantic's own TypedDict
    """Choose the mistake to tell: a mistyped key before the key that is missing for it."""
    return min(errors, key=lambda error: error["type"] != "extra_forbidden")


def _described(error: Any, fields: dict[Any, Any]) -> str:  # noqa: ANN401 - pydantic's own TypedDict
    path = error["loc"]
    owner = _owner(path, fields)
    if error["type"] == "extra_forbidden":
        return f"{owner}unknown key {path[-1]!r}{did_you_mean(str(path[-1]).lower(), _KEYS)}"
    key = next((str(each) for each in reversed(path) if isinstance(each, str)), "")
    if error["type"] == "missing":
        return f"{owner}{key} is missing: add it"
    remedy = _REMEDIES.get(error["type"], error["msg"].lower())
    return f"{owner}{key} {remedy}, got {shortened(error['input'])}"


def _owner(path: Sequence[int | str], fields: dict[Any, Any]) -> str:
    """Name the code that a place belongs to, as its author did where that is possible."""
    match path:
        case ("codes", int(place), _, *_):
            written = fields["codes"][place]
            name = written.get("name") if isinstance(written, dict) else None
            return f"code {name!r}: " if isinstance(name, str) and name else f"code {place + 1}: "
        case _:
            return ""
