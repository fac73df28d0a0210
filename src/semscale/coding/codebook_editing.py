"""Changes of a codebook: codes changed, deleted, merged, split and put into nets; and its file written anew.

Every function returns a new codebook. A net without codes is left out, and the definition of a net names its
codes, as in a codebook that is read.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from io import StringIO
from textwrap import indent
from typing import Any

import yaml
from ruamel.yaml.comments import CommentedMap

from semscale.coding.codebook import (
    MIN_CODES,
    SUGGESTED_DEFINITION,
    Code,
    Codebook,
    merge_codes,
    net_definition,
    parse_codebook,
)
from semscale.coding.typical_words import MAX_NAME
from semscale.errors import InputError, UnknownNameError
from semscale.messages import did_you_mean, shorten
from semscale.yaml_writing import WIDTH, comment_keeping_yaml, text_node, yaml_block

_LISTS = ("examples", "negative_examples", "keywords")

_Entry = dict[str, Any]
"""Keys and values of an entry of the file."""


def code_named(codebook: Codebook, name: str) -> Code:
    """Return a code.

    Raises:
        UnknownNameError: there is none of that name.
    """
    code = next((code for code in codebook.codes if code.name == name), None)
    if code is None:
        near = did_you_mean(name, codebook.names)
        raise UnknownNameError("code", f": there is no code {shorten(name)}{near}")
    return code


def change_code(codebook: Codebook, name: str, /, **fields: Any) -> Codebook:
    """Change fields of a code; codes below it follow a new name.

    Args:
        codebook: the codebook.
        name: name of the code.
        fields: fields of ``Code`` with their new values.

    Raises:
        InputError: there is no such code, or the codebook cannot have the changed one.
    """
    code = code_named(codebook, name)
    new = replace(code, **fields)
    if new.is_net and not code.is_net:
        raise InputError("examples", f"must have at least one text for {shorten(name)}")
    if len(new.name) > MAX_NAME:
        raise InputError("name", f"must have at most {MAX_NAME} characters, got {len(new.name)}")
    codes = [new if code.name == name else code for code in codebook.codes]
    return _codebook(
        codebook, (replace(code, parent=new.name) if code.parent == name else code for code in codes)
    )


def take_examples(codebook: Codebook, name: str, texts: Sequence[str]) -> Codebook:
    """Remove examples of all codes but one, which gets them.

    Args:
        codebook: the codebook.
        name: name of the code that gets them, which need not exist yet.
        texts: the examples; case and spaces do not matter.

    Raises:
        InputError: another code would have no example.
    """
    taken = {_same(text) for text in texts}
    for code in codebook.codes:
        rest = tuple(text for text in code.examples if _same(text) not in taken)
        if code.name != name and rest != code.examples:
            codebook = change_code(codebook, code.name, examples=rest)
    return codebook


def _same(text: str) -> str:
    return " ".join(text.casefold().split())


def add_code(
    codebook: Codebook, name: str, texts: Sequence[str], definition: str = "", keywords: Sequence[str] = ()
) -> Codebook:
    """Add a code after all others.

    Args:
        codebook: the codebook.
        name: name of the code.
        texts: its examples.
        definition: its definition; by default a sentence that names the code.
        keywords: its keywords.

    Raises:
        InputError: it has no example, or the codebook cannot have it.
    """
    if not texts:
        raise InputError("examples", f"must have at least one text for {shorten(name)}")
    new = _new_code(name, definition, texts, keywords=tuple(keywords))
    return change_code(_codebook(codebook, (*codebook.codes, new)), new.name)  # checks the length of the name


def _new_code(name: str, definition: str, texts: Sequence[str], **further: Any) -> Code:
    """Return a code; without a definition, a sentence that names it is its definition."""
    name = name.strip()
    stated = definition.strip() or f"{SUGGESTED_DEFINITION}{name}."
    return Code(name, stated, tuple(dict.fromkeys(texts)), **further)


def delete_code(codebook: Codebook, name: str) -> Codebook:
    """Delete a code, or a net without its codes; codes below it move up.

    Raises:
        InputError: there is no such code, or fewer than two codes would be left.
    """
    above = code_named(codebook, name).parent
    codes = (code for code in codebook.codes if code.name != name)
    return _codebook(
        codebook, (replace(code, parent=above) if code.parent == name else code for code in codes)
    )


def merge_in(codebook: Codebook, names: Sequence[str]) -> Codebook:
    """Merge two codes or more into the first, which keeps its name and net.

    Args:
        codebook: the codebook.
        names: names of the codes.

    Raises:
        InputError: fewer than two codes are named, one is unknown, or one is a net.
    """
    codes = [code_named(codebook, name) for name in dict.fromkeys(names)]
    if nets := [code.name for code in codes if code.is_net]:
        raise InputError("merge", f": {shorten(nets[0])} is a net: only codes can be merged")
    parent = codes[0].parent if codes else None
    moved = [replace(code, parent=parent) if code in codes else code for code in codebook.codes]
    return _codebook(codebook, merge_codes(moved, [code.name for code in codes]))


def split_code(
    codebook: Codebook, name: str, new_name: str, texts: Sequence[str], definition: str = ""
) -> Codebook:
    """Split a code: some of its examples, or other texts, become those of a new code after it.

    Args:
        codebook: the codebook.
        name: name of the code.
        new_name: name of the new code.
        texts: examples of the new code.
        definition: its definition; by default a sentence that names the code.

    Raises:
        InputError: there is no such code, no text is chosen, no example is left to the code, or the codebook
            cannot have the new one.
    """
    code = code_named(codebook, name)
    if not texts:
        raise InputError("texts", "must be chosen: the examples of the new code")
    examples = tuple(example for example in code.examples if example not in texts)
    if not examples:
        raise InputError("texts", f"must leave at least one example to {shorten(name)}")
    new = _new_code(new_name, definition, texts, parent=code.parent)
    position = codebook.codes.index(code) + 1
    codes = (*codebook.codes[:position], new, *codebook.codes[position:])
    split = _codebook(
        codebook, (replace(code, examples=examples) if entry is code else entry for entry in codes)
    )
    return change_code(split, new.name)  # which checks the length of the name


def put_under_net(codebook: Codebook, names: Collection[str], net: str) -> Codebook:
    """Put codes below a net, which is added if the codebook lacks it.

    Args:
        codebook: the codebook.
        names: names of the codes.
        net: name of the net; empty to take the codes out of theirs.

    Raises:
        InputError: there is no such code, or the codebook cannot have the net.
    """
    net = net.strip()
    if len(net) > MAX_NAME:
        raise InputError("net", f"must have at most {MAX_NAME} characters, got {len(net)}")
    moved = {code_named(codebook, name).name for name in names}
    codes = [replace(code, parent=net or None) if code.name in moved else code for code in codebook.codes]
    is_new = bool(net) and net not in codebook.names
    return _codebook(codebook, [*codes, Code(net, net_definition([*moved]), ())] if is_new else codes)


def _codebook(before: Codebook, codes: Iterable[Code]) -> Codebook:
    """Return a codebook with these codes: nets first, as a codebook that is read has them."""
    entries = list(codes)
    n = sum(not code.is_net for code in entries)
    if n < MIN_CODES:
        raise InputError(f"a codebook needs at least {MIN_CODES} codes, got {n}")
    while empty := [code for code in entries if code.is_net and not _below(code, entries)]:
        entries = [code for code in entries if code not in empty]
    nets = [
        replace(code, definition=net_definition(_below(code, entries))) for code in entries if code.is_net
    ]
    return Codebook(before.name, (*nets, *(code for code in entries if not code.is_net)))


def _below(net: Code, codes: Iterable[Code]) -> list[str]:
    return [code.name for code in codes if code.parent == net.name]


def codebook_text(codebook: Codebook, content: bytes | None = None) -> str:
    """Write a codebook as YAML.

    Args:
        codebook: the codebook.
        content: the file of the codebook from which it was made, if any. Entries that say the same stay as
            they are written, and so do comments: those before a code go with it. Merged codes are written as
            one. A file in another style, such as with ``codes`` in brackets, is written anew.

    Raises:
        InputError: the codebook cannot be written so that it is read the same.
    """
    updated = (
        "" if content is None else _update_file(codebook, content.decode("utf-8-sig").replace("\r\n", "\n"))
    )
    text = updated if updated and _is_read_as(codebook, updated) else _new_file(codebook)
    if not _is_read_as(codebook, text):
        raise InputError("codebook", ": a name or text has signs that a YAML file cannot hold")
    return text


def _is_read_as(codebook: Codebook, text: str) -> bool:
    try:
        return parse_codebook(text.encode(), source="codebook") == codebook
    except InputError:  # the file has a style that cannot be changed entry by entry
        return False


def _new_file(codebook: Codebook) -> str:
    nets = _nets(codebook)
    named_nets = {"nets": nets} if nets else {}
    return yaml_block({"name": codebook.name, **named_nets, "codes": _entries(codebook)})


def _nets(codebook: Codebook) -> list[_Entry]:
    return [{"name": net.name, "codes": _below(net, codebook.codes)} for net in codebook.codes if net.is_net]


def _entries(codebook: Codebook) -> list[_Entry]:
    """Return the keys of each code as the file has them."""
    nets = {code.name for code in codebook.codes if code.is_net}
    entries = []
    for code in codebook.codes:
        if not code.is_net:
            parent = {} if code.parent is None or code.parent in nets else {"parent": code.parent}
            lists = {key: list(getattr(code, key)) for key in _LISTS if getattr(code, key)}
            entries.append({"name": code.name, "definition": code.definition, **parent, **lists})
    return entries


def _update_file(codebook: Codebook, text: str) -> str:
    """Bring a file to a changed codebook; empty if its style does not allow it."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode) or root.flow_style:
        return ""
    keys = [key.value for key, _ in root.value]
    codes = root.value[keys.index("codes")][1]
    if codes.flow_style:
        return ""
    known: _Entry = yaml.safe_load(text)
    lines = text.splitlines(keepends=True)
    begins = _begins(lines, [key.start_mark.line for key, _ in root.value])
    parts = dict(zip(keys, _cut(lines, begins), strict=True))
    starts = [node.start_mark.line - begins[keys.index("codes")] for node in codes.value]
    parts["codes"] = _update_codes(parts["codes"], starts, known["codes"], _entries(codebook))
    if known.get("merge"):
        parts["merge"] = _comments(parts["merge"]) + "merge: []\n"
    nets = _nets(codebook)
    if nets != known.get("nets", []):
        parts["nets"] = _comments(parts.get("nets", "")) + yaml_block({"nets": nets})
    order = keys if "nets" in keys else [*keys, "nets"]
    return "".join(part if part.endswith("\n") else part + "\n" for part in map(parts.get, order) if part)


def _update_codes(
    part: str, starts: Sequence[int], known: Sequence[_Entry], entries: Sequence[_Entry]
) -> str:
    """Bring the part of a file with its codes to new entries.

    Args:
        part: the lines of the part.
        starts: the line of each code in them.
        known: the keys of each code in the file.
        entries: those that it is to have.
    """
    lines = part.splitlines(keepends=True)
    end = len(lines)
    while _is_comment(lines[end - 1]):
        end -= 1
    head, *blocks = _cut(lines[:end], _begins(lines, [0, *starts]))
    written = {entry["name"].strip(): (entry, block) for entry, block in zip(known, blocks, strict=True)}
    gone = written.keys() - {entry["name"] for entry in entries}
    added = [entry["name"] for entry in entries if entry["name"] not in written]
    if len(gone) == len(added) == 1:  # a code has a new name
        written[added[0]] = written.pop(gone.pop())
    first = blocks[0].removeprefix(_comments(blocks[0]))
    column = " " * (len(first) - len(first.lstrip(" ")))
    new = []
    for entry in entries:
        before, block = written.get(entry["name"], ({}, ""))
        if {key: value for key, value in before.items() if value} == entry:
            new.append(block if block.endswith("\n") else block + "\n")
        elif block:
            new.append(_comments(block) + _update_entry(block.removeprefix(_comments(block)), entry, column))
        else:
            new.append(indent(yaml_block([entry]), column))
    return "".join([head, *new, *lines[end:]])


def _update_entry(block: str, entry: _Entry, column: str) -> str:
    """Bring the lines of a code to its new keys; keys with the same value, and comments, stay."""
    style = comment_keeping_yaml(WIDTH)
    document = style.load(re.sub(f"(?m)^{column}", "", block))
    node: CommentedMap = document[0]
    for key in [key for key in node if key not in entry]:
        del node[key]
    for key, value in entry.items():
        if node.get(key) != value:
            node[key] = [text_node(text) for text in value] if isinstance(value, list) else text_node(value)
    stream = StringIO()
    style.dump(document, stream)
    return indent(re.sub("(?m)^  ", "", stream.getvalue()), column)


def _begins(lines: Sequence[str], starts: Sequence[int]) -> list[int]:
    """Return where blocks begin: at the comments before their first lines, and the first at the top."""
    begins = [0]
    for start in starts[1:]:
        begin = start
        while _is_comment(lines[begin - 1]):
            begin -= 1
        begins.append(begin)
    return begins


def _cut(lines: Sequence[str], begins: Sequence[int]) -> list[str]:
    return ["".join(lines[begin:end]) for begin, end in zip(begins, [*begins[1:], len(lines)], strict=True)]


def _is_comment(line: str) -> bool:
    """Return true for a comment and for a blank line."""
    return not line.strip() or line.lstrip().startswith("#")


def _comments(block: str) -> str:
    """Return the comments and blank lines at the beginning of a block."""
    match = re.match(r"(?:[ \t]*(?:#.*)?\n)*", block)
    return match[0] if match else ""
