"""Writing texts as YAML so that they are read as they were."""

from typing import Any

import yaml
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from semscale.errors import InputError
from semscale.yaml_reading import parse_yaml

WIDTH = 100
"""Characters after which a line is folded."""

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
