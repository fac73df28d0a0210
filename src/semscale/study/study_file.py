"""The file of a study: a new one, and writing its keys so that comments and unchanged sections stay."""

from collections.abc import Mapping
from importlib import resources
from io import StringIO
from typing import Any, cast

import yaml
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import LiteralScalarString

from semscale.errors import InputError
from semscale.yaml_reading import YamlFile
from semscale.yaml_writing import comment_keeping_yaml, text_node, update_mapping


def new_study(file_name: str, name: str = "") -> str:
    """Return the content of a new study: a commented example for a small model of this machine.

    Args:
        file_name: name of its file, which the comments name.
        name: name of the study; by default that of the example.
    """
    text = (resources.files("semscale.study") / "new_study.yaml.txt").read_text(encoding="utf-8")
    text = text.replace("study.yaml", file_name)
    return text.replace("name: snack bars", f"name: {_line(text_node(name))}", 1) if name else text


def study_text(fields: Mapping[str, Any], content: bytes, *, source: str) -> str:
    r"""Write the keys of a study; sections that are equal stay as they are written, with all comments.

    Args:
        fields: the keys and their values, which need not be a valid study.
        content: the existing file.
        source: its name in messages.

    Raises:
        InputError: the existing file is no YAML, or cannot be changed without losing something.

    Examples:
        >>> file = b"name: tea  # ours\npanel: {size: 2}\n\n# asked\nquestions:\n  - name: taste\n"
        >>> questions = [{"name": "taste"}, {"name": "price", "methods": ["ssr", "dlr"]}]
        >>> fields = {"name": "tea", "panel": {"size": 3}, "questions": questions}
        >>> print(study_text(fields, file, source="study.yaml"), end="")
        name: tea  # ours
        panel: {size: 3}
        <BLANKLINE>
        # asked
        questions:
          - name: taste
          - name: price
            methods: [ssr, dlr]
    """
    stated = YamlFile(content, source).keys("a study")
    blocks = _sections(content)
    for name in stated:
        if name not in fields:
            blocks[name] = _comments_of(blocks[name])
        elif fields[name] != stated[name]:
            blocks[name] = _section(blocks[name], name, fields[name])
    added = [_section("", name, value) for name, value in fields.items() if name not in stated]
    rest = blocks.pop("\n")
    text = "".join([*blocks.values(), *added, rest])
    if YamlFile(text.encode(), source).keys("a study") != fields:
        raise InputError(f"{source!r} cannot be changed by Semscale: write the change with an editor")
    return text


def _sections(content: bytes) -> dict[str, str]:
    """Cut a file into its sections, by key; what stands before the first key has an empty one.

    Comments and blank lines before a key belong to its section.
    """
    text = content.decode("utf-8-sig").replace("\r\n", "\n")
    lines = (text if text.endswith("\n") else f"{text}\n").splitlines(keepends=True)
    pairs = cast("yaml.MappingNode", yaml.compose(text, Loader=yaml.SafeLoader)).value
    sections, before = {"": "".join(lines[: pairs[0][0].start_mark.line])}, pairs[0][0].start_mark.line
    for key, value in pairs:
        end = _end_line(value)
        sections[str(key.value)] = "".join(lines[before:end])
        before = end
    sections["\n"] = "".join(lines[before:])
    return sections


def _end_line(node: yaml.Node) -> int:
    """Return the number of lines up to the end of a value, without comments after it."""
    if isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        return _end_line(last[1] if isinstance(last, tuple) else last)
    return int(node.end_mark.line + (node.end_mark.column > 0))


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _comments_of(section: str) -> str:
    """Return the comments and blank lines at the beginning of a section."""
    lines = section.splitlines(keepends=True)
    n = next((n for n, line in enumerate(lines) if not _is_comment(line)), len(lines))
    return "".join(lines[:n])


def _section(section: str, name: str, value: Any) -> str:
    """Return a section with a new value of its key."""
    comments = _comments_of(section)
    writer = comment_keeping_yaml()
    try:
        document = writer.load(section.removeprefix(comments)) or CommentedMap()
    except YAMLError:  # for example, an alias to another section
        document = CommentedMap()
    update_mapping(document, {name: value}, _new_node)
    stream = StringIO()
    writer.dump(document, stream)
    return comments + stream.getvalue()


def _new_node(_key: str, value: Any) -> Any:
    """Return a value as ruamel.yaml writes it: texts in lists, and shares, on one line."""
    if isinstance(value, Mapping):
        mapping = CommentedMap({text_node(name): _new_node(name, entry) for name, entry in value.items()})
        if value and not any(isinstance(entry, str | Mapping | list) for entry in value.values()):
            mapping.fa.set_flow_style()
        return mapping
    if isinstance(value, list):
        entries = CommentedSeq([_new_node("", entry) for entry in value])
        if not any(isinstance(entry, Mapping) for entry in value):
            entries.fa.set_flow_style()
        return entries
    if isinstance(value, str):
        return LiteralScalarString(value) if "\n" in value else text_node(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _line(node: str) -> str:
    """Return a text as a single line of YAML."""
    stream = StringIO()
    comment_keeping_yaml().dump(CommentedMap({"name": node}), stream)
    return stream.getvalue().removeprefix("name: ").rstrip("\n")
