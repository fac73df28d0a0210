"""Strict parsing of the YAML files that users write, with errors that name the line."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args

import yaml

from semscale.errors import InputError
from semscale.input_files import read_input
from semscale.json_reading import MOST_LEVELS, encodable, levels
from semscale.messages import did_you_mean, first_mistake, shorten, unreadable

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

    Model = TypeVar("Model", bound=BaseModel)

_MOST_VALUES = 200_000
"""Largest number of values in a file. Each use of an alias counts: a few nested aliases can mean billions."""

_BEING_COUNTED = -1
"""Marks a node whose values are being counted; an alias to such a node would never end."""

_MOST_BYTES = 200_000
"""Largest size of a file in bytes. PyYAML takes about 5 s per MB; its C parser crashes on deep nesting."""


class _StrictLoader(yaml.SafeLoader):
    """A YAML loader that rejects duplicate keys; its errors name the line of a wrong value or key."""

    def get_single_node(self) -> yaml.Node | None:
        node: yaml.Node | None = super().get_single_node()
        if node is not None and _values(node, {}) > _MOST_VALUES:
            raise _error(node, f"its aliases expand to more than {_MOST_VALUES:,} values")
        return node

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # PyYAML passes on exceptions of int(), date() and other constructors.
            kind = node.tag.rpartition(":")[2]
            raise _error(node, f"{shorten(node.value)} is not a valid {kind}; put text in quotes") from error

    def construct_scalar(self, node: yaml.ScalarNode | yaml.MappingNode) -> Any:
        # Escapes can write a character in halves, as JSON does, or half of one.
        value = super().construct_scalar(node)
        return encodable(value) if isinstance(value, str) else value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys: set[Any] = set()
        for key_node, _ in node.value if isinstance(node, yaml.MappingNode) else ():
            if not isinstance(key_node, yaml.ScalarNode):
                raise _error(key_node, "a key must be a single word, not a list or a mapping")
            if key_node.value in keys:
                raise _error(key_node, f"key {key_node.value!r} is given twice")
            keys.add(key_node.value)
        return super().construct_mapping(node, deep=deep)


class _TextLoader(_StrictLoader):
    """A loader that reads each value as the text that the file has: ``Yes``, ``01`` and ``1.0`` stay so."""

    def resolve(self, kind: type[yaml.Node], value: Any, implicit: Any) -> Any:
        """Read a scalar as text, and lists and mappings as they are."""
        if kind is yaml.ScalarNode:
            return self.DEFAULT_SCALAR_TAG
        return super().resolve(kind, value, implicit)  # type: ignore[no-untyped-call]


def _error(node: yaml.Node, problem: str) -> yaml.constructor.ConstructorError:
    return yaml.constructor.ConstructorError(None, None, problem, node.start_mark)


def _values(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the values below a node; values behind an alias count once for each use."""
    if id(node) not in known:
        known[id(node)] = _BEING_COUNTED
        inside: list[yaml.Node] = []
        if isinstance(node, yaml.MappingNode):
            inside = [part for pair in node.value for part in pair]
        elif isinstance(node, yaml.SequenceNode):
            inside = node.value
        known[id(node)] = 1 + sum(_values(part, known) for part in inside)
    if known[id(node)] == _BEING_COUNTED:
        raise _error(node, "an alias is inside the value that it names; remove it")
    return known[id(node)]


def _decode(content: bytes, source: str) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError(f"{source!r}, line {line}: not UTF-8: save the file as UTF-8") from None


def _check_bytes(n: int, most_bytes: int, source: str) -> None:
    """Refuse a file that is too large for a file that people write.

    Raises:
        InputError: it has more than ``most_bytes`` bytes.
    """
    if n > most_bytes:
        raise InputError(
            f"{source!r} has {n:,} bytes, and such a file has at most {most_bytes:,}; "
            "check that it is the right file"
        )


def parse_yaml(
    content: bytes, *, source: str, as_texts: bool = False, most_bytes: int = _MOST_BYTES
) -> object:
    """Parse a YAML file; a duplicate key is an error.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.
        as_texts: whether each value is read as the text that the file has, such as ``Yes`` and ``1.0``.
        most_bytes: largest size of the file.

    Raises:
        InputError: it is not UTF-8, not YAML, or has more than ``most_bytes`` or 100 levels of lists and
            mappings; the message has the line.

    Examples:
        >>> parse_yaml(b"alpha: 0.01", source="gate.yaml")
        {'alpha': 0.01}
    """
    _check_bytes(len(content), most_bytes, source)
    text = _decode(content, source)
    try:
        loader = (_TextLoader if as_texts else _StrictLoader)(text)
    except yaml.reader.ReaderError as error:
        line = text[: error.position].count("\n") + 1
        problem = f"{error.reason}; remove the character"
        raise InputError(f"{source!r}, line {line}: not readable as YAML: {problem}") from None
    try:
        document: object = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = f"{_problem(error)}{_remedy(error)}"
        raise InputError(f"{source!r}, line {line}: not readable as YAML: {problem}") from None
    except (ArithmeticError, LookupError, TypeError, ValueError):
        line = loader.line + 1
        raise InputError(f"{source!r}, line {line}: not readable as YAML: correct this line") from None
    except RecursionError:
        raise _too_deep(source) from None
    if levels(document) > MOST_LEVELS:
        raise _too_deep(source)
    return document


def _too_deep(source: str) -> InputError:
    return InputError(
        f"{source!r}: not readable as YAML: more than {MOST_LEVELS} levels of lists and mappings"
    )


def _problem(error: yaml.MarkedYAMLError) -> str:
    """Return PyYAML's message, which has its beginning in the context of some errors."""
    problem = str(error.problem)
    return f"{error.context}, {problem}" if problem.startswith("but ") and error.context else problem


_REMEDIES = {
    "'\\t'": "indent with blanks, not with tabs",
    "but got '<stream end>'": "close the bracket or the quotes",
    "unexpected end of stream": "close the quotes",
    "but found another document": "leave out the line ---",
    "expected <block end>": "align the lines of an entry, with a blank after each - and :",
    "constructor for the tag": "put texts that begin with ! in quotes, and leave out other tags",
    "but got": "put texts with signs such as ? : , # in quotes",
    "is given twice": "leave out one of them",
}
"""Remedies for mistakes in YAML, by a part of PyYAML's message; the first one that occurs applies."""


def _remedy(error: yaml.MarkedYAMLError) -> str:
    """Return the remedy of a mistake; YAML often reads a sign in a text, such as ``?``, as syntax."""
    problem = str(error.problem)
    remedy = next((remedy for part, remedy in _REMEDIES.items() if part in problem), "")
    if not remedy and isinstance(error, yaml.scanner.ScannerError):
        remedy = _REMEDIES["but got"]
    return f"; {remedy}" if remedy else ""


def line_of(content: bytes, path: Sequence[str | int]) -> int:
    r"""Find the line, from 1, on which a value of a YAML file begins.

    Args:
        content: the file, which ``parse_yaml`` has read.
        path: keys and positions in lists, from 0, that lead to the value. If the file lacks the end of the
            path, the line of the last existing part is returned.

    Examples:
        >>> line_of(b"name: a\nlist:\n  - first\n  - second", ["list", 1])
        4
        >>> line_of(b"name: a\nlist: []", ["list", 7, "text"])
        2
    """
    node = _StrictLoader(content.decode("utf-8-sig")).get_single_node()
    line = 0 if node is None else node.start_mark.line
    for step in path:
        if isinstance(step, int) and isinstance(node, yaml.MappingNode):
            continue  # a single entry that is written without a list
        child = None if node is None else _child(node, step)
        if child is None:
            break
        mark, node = child
        line = mark.line
    return line + 1


def _child(node: yaml.Node, step: str | int) -> tuple[yaml.Mark, yaml.Node] | None:
    """Find a value in a mapping or a list; return the position where it or its key begins, and the value."""
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        value = node.value[step]
        return value.start_mark, value
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return key.start_mark, value
    return None


class MisplacedError(ValueError):
    """A mistake that a validator of a whole file finds within it.

    Args:
        message: the mistake.
        path: keys and positions in lists, from 0, that lead to the value.
    """

    def __init__(self, message: str, path: Sequence[str | int]) -> None:
        super().__init__(message)
        self.path = tuple(path)


@dataclass(frozen=True)
class YamlFile:
    """A YAML file that a user wrote; its errors name file and line.

    Attributes:
        content: the file, UTF-8.
        source: its name in messages.
    """

    content: bytes
    source: str

    @classmethod
    def read(cls, path: str | Path, noun: str, *, most_bytes: int = _MOST_BYTES) -> Self:
        """Read the bytes of a file.

        Args:
            path: path of the file.
            noun: the kind of file, such as ``study file``.
            most_bytes: largest size of the file; a larger one is not read.

        Raises:
            InputError: it cannot be read, or is larger.
        """
        try:
            _check_bytes(Path(path).stat().st_size, most_bytes, str(path))
            return cls(read_input(path), str(path))
        except OSError as error:
            raise unreadable(f"{noun} {str(path)!r}", error) from None

    def keys(self, form: str) -> dict[str, Any]:
        """Parse the file into its keys and values.

        Args:
            form: description of a valid file for the message, such as ``a rubric, name and criteria``.

        Raises:
            InputError: as ``parse_yaml``, or the file has no keys.
        """
        fields = parse_yaml(self.content, source=self.source)
        if not isinstance(fields, dict):
            raise InputError(f"{self.source!r} must hold the keys of {form}, got {shorten(fields)}")
        return {str(key): value for key, value in fields.items()}

    def validate(
        self,
        model: "type[Model]",
        fields: dict[str, Any],
        describe: "Callable[[ValidationError], str] | None" = None,
    ) -> "Model":
        """Check the file's keys with a pydantic model that forbids unknown keys.

        Unknown keys are reported first, because a mistyped key is often the reason for a missing one.

        Args:
            model: the pydantic model.
            fields: keys and values from ``keys``.
            describe: writes the message about any mistake but an unknown key; default ``first_mistake``.

        Raises:
            InputError: the first mistake, with its line.
        """
        from pydantic import ValidationError

        try:
            return model.model_validate(fields, by_alias=True, by_name=False)
        except ValidationError as error:
            details = error.errors()
            unknown = next((detail for detail in details if detail["type"] == "extra_forbidden"), None)
            if unknown is None:
                message = first_mistake(error, ()) if describe is None else describe(error)
                cause = details[0].get("ctx", {}).get("error")
                path = cause.path if isinstance(cause, MisplacedError) else ()
                raise self.error((*details[0]["loc"], *path), message) from None
            path = unknown["loc"]
            key, section = str(path[-1]), f" in {path[0]}" if len(path) > 1 else ""
            known = _keys_at(model, path[:-1])
            listed = f"{did_you_mean(key, known)} (known: {', '.join(known)})"
            raise self.error(path, f"unknown key {key!r}{section}{listed}") from None

    def error(self, path: Sequence[str | int], message: object) -> InputError:
        """Build the error about the value at a path of keys and positions, with file, line and message."""
        return InputError(f"{self.source!r}, line {line_of(self.content, path)}: {message}")

    @contextmanager
    def locate_errors(self, *path: str | int) -> Iterator[None]:
        """Add file and line to errors that are raised inside the ``with`` block."""
        try:
            yield
        except InputError as error:
            raise self.error(path, error) from error


def _keys_at(model: "type[BaseModel]", path: Sequence[str | int]) -> list[str]:
    """List the keys that a file may have at a path."""
    for step in path:
        field = model.model_fields.get(str(step))
        if field is not None:
            model = next(part for part in _types_in(field.annotation) if hasattr(part, "model_fields"))
    return [info.alias or name for name, info in model.model_fields.items()]


def _types_in(annotation: Any) -> Iterator[Any]:
    yield annotation
    for part in get_args(annotation):
        yield from _types_in(part)
