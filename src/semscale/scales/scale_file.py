"""The file of a scale: writing a scale as YAML so that comments and unchanged entries stay."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

from semscale.errors import InputError
from semscale.scales.scale import Scale, parse_scale
from semscale.yaml_writing import text_node

_WIDTH = 10_000  # a sentence stays on its line
_IN_ONE_LINE = frozenset({"points", "probes", "sets_by_model"})


def scale_text(scale: Scale, content: bytes | None = None, *, source: str = "the scale's file") -> str:
    """Write a scale as YAML.

    Args:
        scale: the scale.
        content: the existing file, whose comments and unchanged entries stay; ``None`` for a new one.
        source: the existing file's name in messages.

    Raises:
        InputError: the existing file cannot be changed without losing something.

    Examples:
        >>> tea = Scale(
        ...     name="tea", title="Tea", question="How is it?", provenance="an example",
        ...     points=({"value": 1, "label": "No"}, {"value": 2, "label": "Good"}),
        ...     anchor_sets={"plain": ("Bad tea.", "Good tea.")},
        ... )
        >>> print(scale_text(tea).partition("points:")[2].partition("provenance")[0].strip())
        - {value: 1, label: "No"}
          - {value: 2, label: Good}
        anchor_sets:
          plain:
            - Bad tea.
            - Good tea.
    """
    yaml = YAML()
    yaml.preserve_quotes, yaml.width = True, _WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    try:
        document = CommentedMap() if content is None else yaml.load(content.decode("utf-8-sig"))
    except YAMLError as error:
        raise InputError(f"{source!r} cannot be changed without losing comments: {error}") from error
    _update(document, scale.model_dump(mode="json", exclude_defaults=True))
    stream = StringIO()
    yaml.dump(document, stream)
    text = stream.getvalue()
    if parse_scale(text.encode(), source=source) != scale:
        raise InputError(f"{source!r} cannot be changed by Semscale: write the change with an editor")
    return text


def _update(node: CommentedMap, fields: Mapping[str, Any]) -> None:
    """Bring the keys of a mapping to new values; equal ones stay as they are written."""
    for key in [key for key in node if key not in fields]:
        del node[key]
    for key, value in fields.items():
        node[key] = _merge(node.get(key), value, in_one_line=key in _IN_ONE_LINE)


def _merge(node: Any, value: Any, *, in_one_line: bool = False) -> Any:
    """Return a node with a new value: the old node with its comments, as far as it can be changed."""
    if node == value and type(node) is not bool:
        return node
    if isinstance(node, CommentedMap) and isinstance(value, Mapping):
        _update(node, value)
        return node
    if isinstance(node, CommentedSeq) and isinstance(value, Sequence) and len(node) == len(value):
        for position, entry in enumerate(value):
            node[position] = _merge(node[position], entry, in_one_line=in_one_line)
        return node
    return _new(value, in_one_line=in_one_line)


def _new(value: Any, *, in_one_line: bool) -> Any:
    """Return a value as ruamel.yaml writes it: points and probes on one line each, texts in quotes if needed.

    Whole numbers are written without a decimal point.
    """
    if isinstance(value, Mapping):
        mapping = CommentedMap({key: _new(entry, in_one_line=in_one_line) for key, entry in value.items()})
        if in_one_line:
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, str):
        return text_node(value)
    if isinstance(value, Sequence):
        return CommentedSeq([_new(entry, in_one_line=in_one_line) for entry in value])
    return int(value) if isinstance(value, float) and value.is_integer() else value
