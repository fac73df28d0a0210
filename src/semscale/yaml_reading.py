"""Strict parsing of the YAML files that users write, with errors that name the line."""

from collections.abc import Hashable, Sequence
from typing import Any

import yaml

from semscale.errors import InputError
from semscale.messages import shortened

_MOST_VALUES = 200_000
"""Values in a file, those behind each alias counted; a few aliases of aliases can stand for billions."""

_BEING_COUNTED = -1
"""In place of a node's count of values, until that is known; an alias that meets it would never end."""

_MOST_BYTES = 200_000
"""Bytes of a file. PyYAML takes about 5 s per MB; its parser in C is faster, but deep nesting crashes it."""


class _StrictLoader(yaml.SafeLoader):
    """A YAML loader that refuses duplicate keys, and whose errors name the line of a wrong value or key."""

    def get_single_node(self) -> yaml.Node | None:
        node: yaml.Node | None = super().get_single_node()
        if node is not None and _values(node, {}) > _MOST_VALUES:
            raise _error(node, f"its aliases stand for more than {_MOST_VALUES:,} values")
        return node

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


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the values below a node, as often as aliases name them."""
    if id(node) not in known:
        known[id(node)] = _BEING_COUNTED
        inside: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inside = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            inside = node.value
        known[id(node)] = 1 + sum(_values(part, known) for part in inside)
    if known[id(node)] == _BEING_COUNTED:
        raise _error(node, "an alias stands inside the value that it names; take it out")
    return known[id(node)]


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
        InputError: it is not UTF-8 or not YAML, with its line in the message, or has more than 200,000 bytes.

    Example:
        >>> parse_yaml(b"alpha: 0.01", source="gate.yaml")
        {'alpha': 0.01}
    """
    if len(content) > _MOST_BYTES:
        raise InputError(
            f"{source!r} has {len(content):,} bytes, and such a file has at most {_MOST_BYTES:,}; "
            "check that it is the right one"
        )
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
        problem = f"{error.problem}{_remedy(error)}"
        raise InputError(f"{source!r}, line {line}: not readable as YAML: {problem}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError):
        line = loader.line + 1
        raise InputError(f"{source!r}, line {line}: not readable as YAML: correct this line") from None
    except RecursionError:
        raise InputError(f"{source!r}: not readable as YAML: nested too deeply") from None


def _remedy(error: yaml.MarkedYAMLError) -> str:
    """Say what helps where a text's own signs, such as a question mark within braces, are read as YAML's."""
    is_sign = isinstance(error, yaml.scanner.ScannerError) or "but got" in str(error.problem)
    return "; put texts with signs such as ? : , # in quotes" if is_sign else ""


def line_of(content: bytes, path: Sequence[str | int]) -> int:
    r"""Find the line, from 1, on which a value of a YAML file stands.

    Args:
        content: the file, which ``parse_yaml`` has read.
        path: keys and places in lists, from 0, that lead to the value; where the file does not have the
            whole path, the last part of it that the file has counts.

    Example:
        >>> line_of(b"name: a\nlist:\n  - first\n  - second", ["list", 1])
        4
        >>> line_of(b"name: a\nlist: []", ["list", 7, "text"])
        2
    """
    node = _StrictLoader(content.decode("utf-8-sig")).get_single_node()
    line = 0 if node is None else node.start_mark.line
    for step in path:
        child = None if node is None else _child(node, step)
        if child is None:
            break
        mark, node = child
        line = mark.line
    return line + 1


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Mark, yaml.Node] | None:
    """Find a value in a mapping or a list: where it, or its key, begins, and the value."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        value = node.value[step]
        return value.start_mark, value
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return key.start_mark, value
    return None
