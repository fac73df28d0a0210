"""The file of a scale: writing a scale as YAML so that comments and unchanged entries stay."""

from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

from semscale.errors import InputError
from semscale.scales.scale import Scale, parse_scale
from semscale.yaml_writing import comment_keeping_yaml, text_node, update_mapping

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
    yaml = comment_keeping_yaml()
    try:
        document = CommentedMap() if content is None else yaml.load(content.decode("utf-8-sig"))
    except YAMLError as error:
        raise InputError(f"{source!r} cannot be changed without losing comments: {error}") from error
    update_mapping(document, scale.model_dump(mode="json", exclude_defaults=True), _new_under)
    stream = StringIO()
    yaml.dump(document, stream)
    text = stream.getvalue()
    if parse_scale(text.encode(), source=source) != scale:
        raise InputError(f"{source!r} cannot be changed by Semscale: write the change with an editor")
    return text


def _new_under(key: str, value: Any) -> Any:
    return _new(value, in_one_line=key in _IN_ONE_LINE)


def _new(value: Any, *, in_one_line: bool) -> Any:
    """Return a value as ruamel.yaml writes it: points and probes on one line each, texts in quotes if needed.

    Whole numbers are written without a decimal point.
    """
    if isinstance(value, Mapping):
        entries = {text_node(key): _new(entry, in_one_line=in_one_line) for key, entry in value.items()}
        mapping = CommentedMap(entries)
        if in_one_line:
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, str):
        return text_node(value)
    if isinstance(value, Sequence):
        return CommentedSeq([_new(entry, in_one_line=in_one_line) for entry in value])
    return int(value) if isinstance(value, float) and value.is_integer() else value
