"""Writing texts as YAML so that they are read as they were."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.emitter import RoundTripEmitter
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from semscale.errors import InputError
from semscale.yaml_reading import parse_yaml

WIDTH = 100
"""Characters after which a line is folded."""

_UNFOLDED = 10_000

NewNode = Callable[[str, Any], Any]
"""Function from a key and a new value to the node that ruamel.yaml writes."""

_LINE_BREAKS = frozenset("\x85\u2028\u2029")


def text_node(text: str) -> str:
    """Return a text as ruamel.yaml writes it: in quotes if YAML would not read it as text, like ``No``."""
    return text if _is_read_as_text(text) else DoubleQuotedScalarString(text)


def _is_read_as_text(text: str) -> bool:
    try:
        return not _has_line_break(text) and parse_yaml(text.encode(), source="a text") == text
    except InputError:
        return False


def escape_line_breaks(text: str) -> str:
    """Return a text as ruamel.yaml writes it in a file all of whose values are read as texts."""
    return DoubleQuotedScalarString(text) if _has_line_break(text) else text


def _has_line_break(text: str) -> bool:
    """Return whether a text has a sign at which YAML ends a line, and which writers do not escape."""
    return not _LINE_BREAKS.isdisjoint(text)


class _Emitter(RoundTripEmitter):
    """Quotes, between brackets, what readers of YAML 1.1 take for a key there, such as ``Why?``."""

    def analyze_scalar(self, scalar: Any) -> Any:
        analysis = super().analyze_scalar(scalar)
        if "?" in scalar or scalar.startswith(":"):
            analysis.allow_flow_plain = False
        return analysis


def comment_keeping_yaml(width: int = _UNFOLDED) -> YAML:
    """Return a reader and writer of YAML that keeps comments and quotes.

    Args:
        width: characters after which a line is folded.
    """
    yaml_of_files = YAML()
    yaml_of_files.Emitter = _Emitter
    yaml_of_files.preserve_quotes, yaml_of_files.width = True, width
    yaml_of_files.indent(mapping=2, sequence=4, offset=2)
    return yaml_of_files


def update_mapping(node: CommentedMap, fields: Mapping[str, Any], new: NewNode) -> None:
    """Bring the keys of a mapping to new values; equal ones and comments stay as they are written.

    Args:
        node: the mapping.
        fields: its new values, by key; other keys are deleted.
        new: returns the node of a value that is not in the file.
    """
    for key in [key for key in node if key not in fields]:
        del node[key]
    for key, value in fields.items():
        node[text_node(key)] = _updated_node(node.get(key), key, value, new)


def _updated_node(node: Any, key: str, value: Any, new: NewNode) -> Any:
    """Return a node with a new value: the old node with its comments, as far as it can be changed."""
    if node == value and type(node) is not bool:
        return node
    if isinstance(node, CommentedMap) and isinstance(value, Mapping):
        update_mapping(node, value, new)
        return node
    if isinstance(node, CommentedSeq) and isinstance(value, Sequence) and not isinstance(value, str):
        if len(node) != len(value) and not _bring_to_names(node, value):
            return new(key, value)
        for position, entry in enumerate(value):
            if position < len(node):
                node[position] = _updated_node(node[position], key, entry, new)
            else:
                node.append(new(key, entry))
        return node
    return new(key, value)


def _bring_to_names(node: CommentedSeq, entries: Sequence[Any]) -> bool:
    """Delete the entries of a list that new entries do not name; return whether the others begin the list."""
    if not all(isinstance(entry, Mapping) and "name" in entry for entry in (*node, *entries)):
        return False
    names = [entry["name"] for entry in entries]
    for position in reversed(range(len(node))):
        if node[position]["name"] not in names:
            del node[position]
    return [entry["name"] for entry in node] == names[: len(node)]


def yaml_block(content: object) -> str:
    """Write mappings, lists, texts and numbers as YAML, in the order that they have."""
    text: str = yaml.dump(content, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=WIDTH)
    return text


class _Dumper(yaml.SafeDumper):
    """A writer that escapes line breaks which it otherwise writes as they are."""


def _text(dumper: yaml.SafeDumper, text: str) -> Any:
    style = '"' if _has_line_break(text) else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)
