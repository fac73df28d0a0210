"""The file ``survey.yaml``: reading a description, and writing one so that comments and edits stay."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from io import StringIO
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError

from semscale.errors import InputError
from semscale.messages import first_mistake, shorten
from semscale.store.atomic import replacing
from semscale.survey.description import Question, Survey
from semscale.yaml_reading import YamlFile, parse_yaml
from semscale.yaml_writing import comment_keeping_yaml, escape_line_breaks

FILE_NAME = "survey.yaml"
"""Name of the file that commands read if it lies beside the data."""

_MOST_BYTES = 2_000_000
_FORM = "the description of a survey: ‘survey: 1’ and ‘questions:’ with a list"
_WIDTH = 110
_HEADING = (
    "What the columns of the file mean. Correct what is wrong, and set 'from' to 'user' there. Commands\n"
    "read this file beside the data, or by --survey. Writing it again keeps your entries and comments."
)
_LEFT_OUT = "Entries that named columns which the file lacks:"
_EXAMPLES: Mapping[str | int, str] = {
    "questions": "{name: q1, kind: scale}",
    "values": "{value: 1, label: Very bad}",
    "options": "{label: Tea, column: q1_1}",
}
"""Entries of lists, for messages."""
_NAMED_NODE = re.compile(r"(?:^|[\s\[{,])[&*]\S")  # an anchor or an alias, which other entries may use
_LISTS = ("values", "options")
"""Lists whose entries take a line each."""


def read_survey(path: str | Path) -> Survey:
    """Read the description of a survey.

    Args:
        path: a YAML file; each value is read as it is written, so that ``Yes`` and ``01`` need no quotes.

    Raises:
        InputError: the file cannot be read or is no description; the message names the line.
    """
    file = _open(path)
    return parse_survey(file.content, source=file.source)


def error_in_entry(path: str | Path, position: int, message: str) -> InputError:
    """Build the error about an entry of a description, with file and line.

    Args:
        path: the file, which ``read_survey`` has read.
        position: position of the entry in the list of questions, from 0.
        message: the mistake and its remedy.
    """
    return _open(path).error(("questions", position), message)


def error_in_key(path: str | Path, error: InputError) -> InputError:
    """Return an error about an expression of a description, with file and line.

    Args:
        path: the file, which ``read_survey`` has read.
        error: the error, which begins with the key ``derive`` or ``where``; any other is returned as it is.
    """
    key = error.parameter
    if key not in ("derive", "where"):
        return error
    return _open(path).error((key,), str(error))


def _open(path: str | Path) -> YamlFile:
    return YamlFile.read(path, "survey description", most_bytes=_MOST_BYTES)


def parse_survey(content: bytes, *, source: str) -> Survey:
    r"""Parse the description of a survey from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.

    Raises:
        InputError: as ``read_survey``.

    Examples:
        >>> parse_survey(b"questions:\n- {name: q, kind: nps, missing: [9]}", source="s").questions[0].missing
        {'9': 'no answer'}
        >>> parse_survey(b"questions:\n- {name: q1, kind: npp}", source="s.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 's.yaml', line 2: question 1, kind must be open, single, scale, multipl...
    """
    return _parse(content, source)


# A command needs the same description for how its file is read, for its questions, and to write it anew.
@lru_cache(maxsize=4)
def _parse(content: bytes, source: str) -> Survey:
    return _parse_anew(content, source)


def _parse_anew(content: bytes, source: str) -> Survey:
    file = YamlFile(content, source)
    fields = parse_yaml(content, source=source, as_texts=True, most_bytes=_MOST_BYTES)
    if not isinstance(fields, dict):
        raise InputError(f"{source!r} must hold the keys of {_FORM}, got {shorten(fields or '')}")
    return file.validate(Survey, fields, _describe)


def _describe(error: ValidationError) -> str:
    """Describe the first mistake; an entry that is no mapping is shown an example."""
    detail = error.errors()[0]
    lists = [step for step in detail["loc"] if step in _EXAMPLES]
    is_plain = detail["type"] == "model_type" and bool(lists)
    return first_mistake(error, ()) + (f"; write entries such as {_EXAMPLES[lists[-1]]}" if is_plain else "")


def write_survey(survey: Survey, path: Path) -> None:
    """Write the description of a survey; comments and unchanged entries of an existing file stay.

    Entries of the existing file that the description lacks become comments.

    Args:
        survey: the description.
        path: the file.

    Raises:
        InputError: the existing file is no description, or the file cannot be written.
    """
    content = path.read_bytes() if path.exists() else b""
    text = survey_text(survey, content if content.strip() else None, source=str(path))
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def survey_text(survey: Survey, content: bytes | None = None, *, source: str = FILE_NAME) -> str:
    """Write the description of a survey as YAML.

    Args:
        survey: the description.
        content: the existing file, whose comments and unchanged entries stay; ``None`` for a new one.
        source: the existing file's name in messages.

    Raises:
        InputError: the existing file is no description.
    """
    yaml = comment_keeping_yaml(_WIDTH)
    if content is None:
        document = CommentedMap()
        document.yaml_set_start_comment(_HEADING)
        known: dict[str, Question] = {}
    else:
        known = parse_survey(content, source=source).by_name
        try:
            document = yaml.load(content.decode("utf-8-sig"))
        except YAMLError as error:
            raise InputError(f"{source!r} cannot be changed without losing comments: {error}") from error
    _update(document, _plain(survey, "questions"))
    nodes = {str(node["name"]): node for node in document.get("questions") or ()}
    left_out = [nodes[name] for name, question in known.items() if _is_left_out(question, survey)]
    comments = _comments(yaml, left_out)
    document["questions"] = _entries(document.get("questions"), survey, nodes, known)
    return _dump(yaml, document) + comments


def replace_entry(
    content: bytes, before: Survey, after: Survey, *, source: str = FILE_NAME
) -> tuple[bytes, Survey] | None:
    """Rewrite the only question of a description that differs; all other lines stay as they are.

    A description of a thousand questions takes more than a second to read and to write as a whole.

    Args:
        content: the file.
        before: the description that it has.
        after: the new description.
        source: the file's name in messages.

    Returns:
        The new file and the description as it is read from it; ``None`` if more than the entry of a question
        differs, or its lines cannot be told from others with certainty: the file is then to be written as a
        whole.
    """
    changed = [pair for pair in zip(before.questions, after.questions, strict=False) if pair[0] != pair[1]]
    others = (name for name in Survey.model_fields if name != "questions")
    is_alone = len(changed) == 1 and all(getattr(before, name) == getattr(after, name) for name in others)
    if not is_alone or len(before.questions) != len(after.questions):
        return None
    ((old, new),) = changed
    lines = content.decode("utf-8-sig").splitlines(keepends=True)
    entries = _entry_lines(lines)
    if old.name != new.name or _is_left_out(old, after) or len(entries) != len(before.questions):
        return None
    entry = entries[before.questions.index(old)]
    head = "questions:\n"
    block = head + "".join(lines[entry])
    if _NAMED_NODE.search(block) or _questions_in(block, source) != (old,):
        return None
    yaml = comment_keeping_yaml(_WIDTH)
    document = yaml.load(block)
    _update(document["questions"][0], _plain(new))
    written = _dump(yaml, document)
    read = _questions_in(written, source)
    if not written.startswith(head) or [_plain(question) for question in read] != [_plain(new)]:
        return None
    if _indent(written.removeprefix(head)) != _indent(lines[entry.start]):  # a list by hand may have none
        return None
    text = "".join(lines[: entry.start]) + written.removeprefix(head) + "".join(lines[entry.stop :])
    if read != (new,):
        questions = [read[0] if question is new else question for question in after.questions]
        after = after.with_fields(questions=questions)
    return text.encode(), after


def _entry_lines(lines: Sequence[str]) -> list[slice]:
    """Return the lines of each question, without blank lines and comments at its end.

    Only a file in the form that ``survey_text`` writes is read; from another one, the entries are none or
    wrong, which is noticed when they are parsed.
    """
    heads = [position for position, line in enumerate(lines) if line.rstrip() == "questions:"]
    if len(heads) != 1:
        return []
    start = heads[0] + 1
    first = next((n for n in range(start, len(lines)) if lines[n].lstrip().startswith("- ")), len(lines))
    indent = "" if first == len(lines) else lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    is_below = [line.startswith((f"{indent} ", f"{indent}- ")) or _is_without_keys(line) for line in lines]
    end = next((n for n in range(first, len(lines)) if not is_below[n]), len(lines))
    starts = [n for n in range(first, end) if lines[n].startswith(f"{indent}- ")]
    entries = []
    for begin, after in pairwise([*starts, end]):
        stop = after
        while _is_without_keys(lines[stop - 1]):
            stop -= 1
        entries.append(slice(begin, stop))
    return entries


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))


def _is_without_keys(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith("#")


def _questions_in(text: str, source: str) -> tuple[Question, ...]:
    try:
        return _parse_anew(text.encode(), source).questions
    except InputError:
        return ()


def _dump(yaml: YAML, node: CommentedMap | list[CommentedMap]) -> str:
    stream = StringIO()
    yaml.dump(node, stream)
    return stream.getvalue()


def _is_left_out(question: Question, survey: Survey) -> bool:
    """Return whether a description lacks an entry, or columns of an entry that the user states."""
    entry = survey.by_name.get(question.name)
    if entry is None:
        return True
    return question.source == "user" and not set(question.all_columns) <= set(entry.all_columns)


def _comments(yaml: YAML, entries: list[CommentedMap]) -> str:
    """Write entries as comments for the end of the file, so that nothing that somebody wrote is lost."""
    if not entries:
        return ""
    lines = [_LEFT_OUT, *_dump(yaml, entries).rstrip().splitlines()]
    return "".join(["\n", *(f"# {line}".rstrip() + "\n" for line in lines)])


def _entries(
    before: CommentedSeq | None,
    survey: Survey,
    nodes: Mapping[str, CommentedMap],
    known: Mapping[str, Question],
) -> CommentedSeq:
    """Return the list of questions: unchanged entries as they are, changed ones updated, new ones added."""
    entries = before if before is not None and list(nodes) == list(survey.by_name) else CommentedSeq()
    for position, question in enumerate(survey.questions):
        node = nodes.get(question.name)
        if node is None or known.get(question.name) != question:
            node = CommentedMap() if node is None else node
            _update(node, _plain(question))
        if position < len(entries):
            entries[position] = node
        else:
            entries.append(node)
            entries.yaml_set_comment_before_after_key(
                position, before="\n" if position and question.name not in nodes else None
            )
    return entries


def _plain(entry: Survey | Question, *without: str) -> dict[str, Any]:
    """Return an entry's keys and values as the file has them, without those that have their defaults."""
    fields = entry.model_dump(by_alias=True, exclude_defaults=True, exclude=set(without))
    if isinstance(entry, Question) and entry.columns == (entry.name,):
        fields.pop("columns")
    if isinstance(entry, Question) and entry.has_option_columns:
        fields.pop("columns", None)
    kind = {"survey": entry.survey} if isinstance(entry, Survey) else {}
    return {**kind, **fields}


def _update(node: CommentedMap, fields: Mapping[str, Any]) -> None:
    """Bring the keys of a node to new values; equal ones stay as they are written."""
    for key in [key for key in node if key not in fields and key != "questions"]:
        del node[key]
    is_new = not node
    for position, (key, value) in enumerate(fields.items()):
        written = _node(value, in_lines=key in _LISTS)
        if key not in node:
            # A comment below an entry belongs to its last key, so a new key comes before that one.
            node.insert(position if is_new else min(position, len(node) - 1), key, written)
        elif _texts(node[key]) != _texts(written):
            node[key] = written


def _node(value: Any, *, in_lines: bool = False) -> Any:
    """Return a value as ruamel.yaml writes it: short lists and mappings on one line."""
    if isinstance(value, Mapping):
        node = CommentedMap({key: _node(entry) for key, entry in value.items()})
        node.fa.set_flow_style()
        return node
    if isinstance(value, Sequence) and not isinstance(value, str):
        entries = CommentedSeq([_node(entry) for entry in value])
        if not in_lines:
            entries.fa.set_flow_style()
        return entries
    return escape_line_breaks(value) if isinstance(value, str) else value


def _texts(value: Any) -> Any:
    """Return a value with all parts as texts, as ``parse_survey`` reads them."""
    if isinstance(value, Mapping):
        return {str(key): _texts(entry) for key, entry in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_texts(entry) for entry in value]
    return str(value)
