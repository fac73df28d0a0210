"""Codebooks: codes with definitions and examples, nets above codes, and the YAML file with them."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from semscale.errors import InputError, MistakesError
from semscale.messages import did_you_mean
from semscale.yaml_reading import YamlFile

MIN_CODES = 2
"""Fewest codes of a codebook, as a score compares a code with the others."""

NO_CODE = "none"
"""Entry of human coders for an answer to which no code applies; no code may have this name."""

ANSWER_COLUMNS = ("outcome", "reason", "chat_status")
"""Columns of coded tables about the whole answer; no code may have such a name."""

COLUMN_ENDINGS = ("_p", "_likeness", "_evidence", "_reason", "_sentiment")
"""Endings of a code's further columns."""

SUGGESTED_DEFINITION = "Says something about "
"""Beginning of a definition that a person has not written."""

_NO_EXAMPLE = "needs at least one example, and none may be empty"


@dataclass(frozen=True)
class Code:
    """One code.

    Attributes:
        name: name in columns and tables.
        definition: condition for an answer to get the code.
        examples: one or more answers with the code; none for a net, which all answers with a code below it
            get.
        negative_examples: answers that seem to have the code and do not.
        keywords: words that answers with the code use.
        parent: name of the wider code above it; ``None`` without one.

    Raises:
        InputError: no name or definition, or an empty example.
    """

    name: str
    definition: str
    examples: tuple[str, ...]
    negative_examples: tuple[str, ...] = ()
    parent: str | None = None
    keywords: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        mistakes = list(self._mistakes())
        if mistakes:
            raise MistakesError(mistakes[0], mistakes)

    def _mistakes(self) -> Iterator[str]:
        if not self.name.strip() or self.name.casefold() == NO_CODE:
            yield f"name must name a code, and {NO_CODE!r} means that no code applies"
        if self.name.strip().casefold() in ANSWER_COLUMNS:
            yield f"code {self.name!r} would share a column of the table: rename it"
        if ";" in self.name:
            yield f"code {self.name!r}: a name must not contain ';', which separates hand codes"
        if not self.definition.strip():
            yield f"code {self.name!r} needs a definition: describe what it covers"
        if not all(example.strip() for example in self.examples):
            yield f"code {self.name!r} {_NO_EXAMPLE}"
        for keyword in self.keywords:
            if not any(map(str.isalpha, keyword)):
                yield f"code {self.name!r}: keyword {keyword!r} has no letter"

    @property
    def is_net(self) -> bool:
        """True for a net: it has no examples, and all answers with a code below it get it."""
        return not self.examples

    @property
    def prototypes(self) -> tuple[str, ...]:
        """The texts for comparison with answers: the examples, then the definition; none for a net."""
        return () if self.is_net else (*self.examples, self.definition)

    @property
    def texts(self) -> tuple[str, ...]:
        """Name, definition, examples and keywords."""
        return (self.name, self.definition, *self.examples, *self.keywords)

    def merge(self, other: "Code") -> "Code":
        """Merge another code into this one: definitions and examples of both, name and parent of this."""
        return replace(
            self,
            definition=f"{self.definition.rstrip()} {other.definition.lstrip()}",
            examples=tuple(dict.fromkeys((*self.examples, *other.examples))),
            negative_examples=tuple(dict.fromkeys((*self.negative_examples, *other.negative_examples))),
            keywords=tuple(dict.fromkeys((*self.keywords, *other.keywords))),
        )


@dataclass(frozen=True)
class Codebook:
    """Codes for the answers to one question.

    Attributes:
        name: name of the codebook.
        codes: two or more codes with different names.

    Raises:
        InputError: fewer than two codes, two codes with the same name or a common text, or a parent that does
            not exist or is below its own child.
    """

    name: str
    codes: tuple[Code, ...]

    def __post_init__(self) -> None:
        mistakes = [message for _, message in _mistakes(self.codes)]
        if mistakes:
            raise MistakesError(mistakes[0], mistakes)

    @property
    def names(self) -> tuple[str, ...]:
        """The codes' names, in order."""
        return tuple(code.name for code in self.codes)

    @property
    def nets(self) -> frozenset[str]:
        """Names of the codes that have other codes below them, with or without examples of their own."""
        return frozenset(code.parent for code in self.codes if code.parent is not None)

    @property
    def content_hash(self) -> str:
        """Hash (8 hex digits of SHA-256) of everything that affects scores."""
        content = [
            [code.name, code.definition, code.examples, code.negative_examples, code.parent, code.keywords]
            for code in self.codes
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]

    def ancestors(self, name: str) -> tuple[str, ...]:
        """List the names of the codes above a code, the nearest first.

        Examples:
            >>> wide = Code("price", "cost", ("dear",))
            >>> narrow = Code("fees", "what is added", ("a fee",), parent="price")
            >>> Codebook("mine", (wide, narrow)).ancestors("fees")
            ('price',)
        """
        return _ancestors(name, self.codes)

    def are_related(self, name: str, other: str) -> bool:
        """Return whether two codes are the same, or one is above the other."""
        return name == other or other in self.ancestors(name) or name in self.ancestors(other)


def _ancestors(name: str, codes: Sequence[Code]) -> tuple[str, ...]:
    parents = {code.name: code.parent for code in codes}
    names: list[str] = []
    parent = parents[name]
    while parent is not None and parent not in names:
        names.append(parent)
        parent = parents[parent]
    return tuple(names)


_Mistakes = Iterator[tuple[int | None, str]]
"""Mistakes: the position of a code, or ``None`` for the whole codebook, and a message."""


def _mistakes(codes: Sequence[Code]) -> _Mistakes:
    """Yield the mistakes in the codes of a codebook."""
    if len(codes) < MIN_CODES:
        yield None, f"a codebook needs at least {MIN_CODES} codes, got {len(codes)}"
    yield from _name_mistakes(codes)
    yield from _parent_mistakes(codes)
    parents = {code.parent for code in codes}
    for position, code in enumerate(codes):
        if code.is_net and code.name not in parents:
            yield position, f"code {code.name!r} {_NO_EXAMPLE}"
    owners: dict[str, str] = {}
    for position, code in enumerate(codes):
        for text in {" ".join(text.casefold().split()) for text in code.prototypes}:
            owner = owners.setdefault(text, code.name)
            if owner != code.name:
                shared = f"codes {owner!r} and {code.name!r} share the text {text!r:.60}"
                yield position, f"{shared}: it can be used for one code only"


def _name_mistakes(codes: Sequence[Code]) -> _Mistakes:
    names: dict[str, str] = {}
    for position, code in enumerate(codes):
        key = code.name.strip().casefold()
        if key in names:
            yield position, f"codes {names[key]!r} and {code.name!r} have the same name: rename one"
        names[key] = code.name
    for position, code in enumerate(codes):
        for ending in COLUMN_ENDINGS:
            other = names.get(code.name.strip().casefold().removesuffix(ending))
            if other not in (None, code.name):
                both = f"codes {other!r} and {code.name!r}"
                yield position, f"{both} would share a column of the table: rename one"


def _parent_mistakes(codes: Sequence[Code]) -> _Mistakes:
    names = [code.name for code in codes]
    for position, code in enumerate(codes):
        if code.parent is not None and code.parent not in names:
            near = did_you_mean(code.parent, names)
            yield position, f"code {code.name!r}: there is no code {code.parent!r}, its parent{near}"
    if any(code.parent not in (None, *names) for code in codes):
        return
    for position, code in enumerate(codes):
        above = _ancestors(code.name, codes)
        if code.name in above:
            yield position, f"code {code.name!r} is its own parent, by way of {above[0]!r}"


def load_codebook(path: str | Path) -> Codebook:
    """Read a codebook from a YAML file.

    The file has ``name`` and ``codes``. Each code has ``name``, ``definition``, ``examples`` (one or more)
    and, optionally, ``negative_examples``, ``keywords`` and ``parent``. Two optional lists come before the
    codes: ``merge`` has a list of names for codes that become one, with the first name; ``nets`` has names of
    nets, each with the names of its ``codes``.

    Raises:
        InputError: the file cannot be read or is not a codebook; the message names the line.
    """
    file = YamlFile.read(path, "codebook")
    return parse_codebook(file.content, source=file.source)


def parse_codebook(content: bytes, *, source: str) -> Codebook:
    r"""Parse a codebook from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.

    Raises:
        InputError: as ``load_codebook``.

    Examples:
        >>> text = b"name: b\ncodes: [{name: a, definition: d, exmples: [x]}]"
        >>> parse_codebook(text, source="b.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 'b.yaml', line 2: unknown key 'exmples' in codes; did you mean 'exam...
    """
    file = YamlFile(content, source)
    entry = file.validate(_CodebookEntry, file.keys("a codebook, name and codes"))
    codes = []
    for position, code in enumerate(entry.codes):
        with file.locate_errors("codes", position):
            examples, negative = tuple(code.examples), tuple(code.negative_examples)
            keywords = tuple(code.keywords)
            codes.append(Code(code.name.strip(), code.definition, examples, negative, code.parent, keywords))
    for mistaken, message in _mistakes(codes):
        raise file.error(("codes",) if mistaken is None else ("codes", mistaken), message)
    for position, names in enumerate(entry.merge):
        with file.locate_errors("merge", position):
            codes = merge_codes(codes, names)
    for position, net in enumerate(entry.nets):
        with file.locate_errors("nets", position):
            codes = _under_net(codes, net.name.strip(), net.codes)
    nets = [code for code in codes if code.is_net]
    with file.locate_errors("nets" if entry.nets else "merge" if entry.merge else "codes"):
        return Codebook(entry.name, (*nets, *(code for code in codes if not code.is_net)))


def merge_codes(codes: Sequence[Code], names: Sequence[str]) -> list[Code]:
    """Merge several codes into one; the codes below any of them move below the merged code.

    Args:
        codes: all codes of a codebook.
        names: names of those to merge; the first one stays.

    Raises:
        InputError: fewer than two codes are named, one is unknown, or they are below different codes.
    """
    if len(names) < 2:
        raise InputError("merge", f"needs the names of two codes or more, got {', '.join(names) or 'none'}")
    by_name = {code.name: code for code in codes}
    for name in names:
        if name not in by_name:
            raise InputError("merge", f": there is no code {name!r}{did_you_mean(name, tuple(by_name))}")
    first, *others = names
    merged = by_name[first]
    for other in others:
        if merged.parent in names or by_name[other].parent not in (merged.parent, None, *names):
            raise InputError("merge", f": {first!r} and {other!r} are below different codes")
        merged = merged.merge(by_name[other])
    remaining = [merged if code.name == first else code for code in codes if code.name not in others]
    return [replace(code, parent=first) if code.parent in others else code for code in remaining]


def net_definition(names: Sequence[str]) -> str:
    """Define a net by the names of its codes.

    Examples:
        >>> net_definition(["price", "fees"])
        'At least one of: price, fees.'
    """
    return f"At least one of: {', '.join(names)}."


def _under_net(codes: Sequence[Code], net: str, names: Sequence[str]) -> list[Code]:
    """Put codes below a net."""
    known = [code.name for code in codes]
    for name in names:
        if name not in known:
            raise InputError(f"net {net!r}: there is no code {name!r}{did_you_mean(name, known)}")
        parent = next(code.parent for code in codes if code.name == name)
        if parent is not None:
            raise InputError(f"net {net!r}: code {name!r} is below {parent!r} already")
    above = Code(net, net_definition(names), ())
    return [*(replace(code, parent=net) if code.name in names else code for code in codes), above]


class _CodeEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    definition: str = Field(min_length=1)
    examples: list[str] = Field(min_length=1)
    negative_examples: list[str] = Field(default_factory=list)
    keywords: list[str] = Field(default_factory=list)
    parent: str | None = None


class _NetEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    codes: list[str] = Field(min_length=1)


class _CodebookEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1)
    nets: list[_NetEntry] = Field(default_factory=list)
    merge: list[list[str]] = Field(default_factory=list)
    codes: list[_CodeEntry] = Field(min_length=1)
