"""Parsing of scales from YAML, with errors that name the line."""

from collections.abc import Hashable
from typing import Any

import yaml

from semscale.errors import InputError
from semscale.messages import shortened
from semscale.scales.scale import Scale


class _StrictLoader(yaml.SafeLoader):
    """A YAML loader that refuses duplicate keys, and whose errors name the line of a wrong value or key."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:  # noqa: ANN401 - any value
        try:
            return super().construct_object(node, deep=deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # PyYAML passes on exceptions of int(), date() and other constructors.
            kind = node.tag.rpartition(":")[2]
            raise _error(node, f"{shortened(node.value)} is no valid {kind}; put text in quotes") from error

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key_node, yaml.ScalarNode):
                raise _error(key_node, "a key must be a single word, not a list or a mapping")
            if key_node.value in keys:
                raise _error(key_node, f"key {key_node.value!r} is given twice")
            keys.add(key_node.value)
        return super().construct_mapping(node, deep=deep)


def _error(node: yaml.Node, problem: str) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


def parse_scale(content: bytes, *, source: str) -> Scale:
    """Parse a scale from the bytes of a YAML file.

    Args:
        content: The file, UTF-8.
        source: The file's name in messages.

    Raises:
        InputError: it is not UTF-8, not YAML (the message names the line), or no valid scale.

    Example:
        >>> parse_scale(b"name: [", source="mine.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 'mine.yaml', line 1: not readable as YAML: expected the node content...
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a scale (name, points, ...), got {shortened(fields)}"
        )
    named = {str(key): value for key, value in fields.items()}
    try:
        return Scale(**named)
    except InputError as error:
        raise InputError(f"{source!r}: {error}") from None


def _decode(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"{source!r}, line {line}: not UTF-8: save the file as UTF-8") from None


def parse_yaml(content: bytes, *, source: str) -> object:
    """Parse a YAML file; a duplicate key is an error.

    Args:
        content: The file, UTF-8.
        source: The file's name in messages.

    Raises:
        InputError: it is not UTF-8 or not YAML; the message names the line.

    Example:
        >>> parse_yaml(b"alpha: 0.01", source="gate.yaml")
        {'alpha': 0.01}
    """
    text = _decode(content, source)
    try:
        loader = _StrictLoader(text)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        raise InputError(f"{source!r}, line {line}: not readable as YAML: {error.reason}") from None
    try:
        return loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{source!r}, line {line}: not readable as YAML: {error.problem}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError):
        line = loader.line + 1
        raise InputError(f"{source!r}, line {line}: not readable as YAML: correct this line") from None
    except RecursionError:
        raise InputError(f"{source!r}: not readable as YAML: nested too deeply") from None
