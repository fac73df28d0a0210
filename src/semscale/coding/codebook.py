"""Codebooks: codes with definitions and examples, codes below other codes, and the YAML file with them."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from semscale.errors import InputError
from semscale.messages import did_you_mean, shortened
from semscale.yaml_reading import line_of, parse_yaml

FEWEST_CODES = 2
"""A score compares a code with the other codes, so a codebook has at least two."""

NO_CODE = "none"
"""Written by people who code by hand where no code applies; no code may have this name."""

RESERVED_NAMES = ("outcome", "reason", "chat_status")
"""Columns of coded tables that belong to no code; no code may have such a name."""

_COLUMN_ENDINGS = ("_p", "_likeness")


@dataclass(frozen=True)
class Code:
    """One code.

    Attributes:
        name: in columns and tables.
        definition: what an answer must say to get the code.
        examples: one or more answers that have it.
        negative_examples: answers that seem to have it and do not.
        parent: name of the wider code that it belongs under; ``None`` for none.

    Raises:
        InputError: no name, definition or example.
    """

    name: str
    definition: str
    examples: tuple[str, ...]
    negative_examples: tuple[str, ...] = ()
    parent: str | None = None

    def __post_init__(self) -> None:
        if not self.name.strip() or self.name.casefold() == NO_CODE:
            raise InputError(f"name must name a code, and {NO_CODE!r} means that no code applies")
        if self.name.strip().casefold() in RESERVED_NAMES:
            raise InputError(f"code {self.name!r} would share a column of the table: rename it")
        if ";" in self.name:
            raise InputError(f"code {self.name!r}: a name must not contain ';', which separates hand codes")
        if not self.definition.strip():
            raise InputError(f"code {self.name!r} needs a definition: say what it stands for")
        if not self.examples or not all(example.strip() for example in self.examples):
            raise InputError(f"code {self.name!r} needs at least one example, and none may be empty")

    @property
    def prototypes(self) -> tuple[str, ...]:
        """The texts that answers are compared with: the examples, then the definition."""
        return (*self.examples, self.definition)


@dataclass(frozen=True)
class Codebook:
    """Codes for the answers to one question.

    Attributes:
        name: of the codebook.
        codes: two or more, with different names.

    Raises:
        InputError: fewer than two codes, two with one name or one text in common, or a parent that does not
            exist or is below its own child.
    """

    name: str
    codes: tuple[Code, ...]

    def __post_init__(self) -> None:
        if len(self.codes) < FEWEST_CODES:
            raise InputError(f"a codebook needs at least {FEWEST_CODES} codes, got {len(self.codes)}")
        self._check_names()
        self._check_parents()
        self._check_shared_texts()

    @property
    def names(self) -> tuple[str, ...]:
        """The codes' names, in order."""
        return tuple(code.name for code in self.codes)

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 over everything that affects scores."""
        content = [
            [code.name, code.definition, code.examples, code.negative_examples, code.parent]
            for code in self.codes
        ]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:8]

    def ancestors(self, name: str) -> tuple[str, ...]:
        """Name the codes above a code, the nearest first.

        Example:
            >>> wide = Code("price", "cost", ("dear",))
            >>> narrow = Code("fees", "what is added", ("a fee",), parent="price")
            >>> Codebook("mine", (wide, narrow)).ancestors("fees")
            ('price',)
        """
        parents = {code.name: code.parent for code in self.codes}
        names: list[str] = []
        parent = parents[name]
        while parent is not None and parent not in names:
            names.append(parent)
            parent = parents[parent]
        return tuple(names)

    def are_related(self, name: str, other: str) -> bool:
        """Return whether two codes are the same, or one is above the other."""
        return name == other or other in self.ancestors(name) or name in self.ancestors(other)

    def _check_names(self) -> None:
        names: dict[str, str] = {}
        for code in self.codes:
            key = code.name.strip().casefold()
            if key in names:
                raise InputError(f"codes {names[key]!r} and {code.name!r} have the same name: rename one")
            names[key] = code.name
        for key, name in names.items():
            for ending in _COLUMN_ENDINGS:
                other = names.get(key + ending)
                if other is not None:
                    raise InputError(
                        f"codes {name!r} and {other!r} would share a column of the table: rename one"
                    )

    def _check_parents(self) -> None:
        for code in self.codes:
            if code.parent is not None and code.parent not in self.names:
                near = did_you_mean(code.parent, self.names)
                raise InputError(f"code {code.name!r}: there is no code {code.parent!r}, its parent{near}")
        for name in self.names:
            if name in self.ancestors(name):
                raise InputError(f"code {name!r} is its own parent, by way of {self.ancestors(name)[0]!r}")

    def _check_shared_texts(self) -> None:
        owners: dict[str, str] = {}
        for code in self.codes:
            for text in {" ".join(text.casefold().split()) for text in code.prototypes}:
                owner = owners.setdefault(text, code.name)
                if owner != code.name:
                    raise InputError(
                        f"codes {owner!r} and {code.name!r} share the text {text!r:.60}: it can stand for one"
                    )


def load_codebook(path: str | Path) -> Codebook:
    """Read a codebook from a YAML file.

    The file has ``name`` and ``codes``. Each code has ``name``, ``definition``, ``examples`` (one or more)
    and, if you like, ``negative_examples`` and ``parent``.

    Raises:
        InputError: it cannot be read or is no codebook; the message names the line.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"codebook {str(path)!r} cannot be read: {error.strerror or error}") from None
    return parse_codebook(content, source=str(path))


def parse_codebook(content: bytes, *, source: str) -> Codebook:
    r"""Parse a codebook from the bytes of a YAML file.

    Args:
        content: the file, UTF-8.
        source: the file's name in messages.

    Raises:
        InputError: as ``load_codebook``.

    Example:
        >>> text = b"name: b\ncodes: [{name: a, definition: d, exmples: [x]}]"
        >>> parse_codebook(text, source="b.yaml")
        Traceback (most recent call last):
        semscale.errors.InputError: 'b.yaml', line 2: code 'a': unknown key 'exmples'; did you mean...
    """
    fields = parse_yaml(content, source=source)
    if not isinstance(fields, dict):
        raise InputError(
            f"{source!r} must hold the keys of a codebook, name and codes, got {shortened(fields)}"
        )

    def error_at(path: Sequence[str | int], message: object) -> InputError:
        return InputError(f"{source!r}, line {line_of(content, path)}: {message}")

    try:
        entry = _CodebookEntry(**{str(key): value for key, value in fields.items()})
    except ValidationError as error:
        # A mistyped key comes before the key that is missing for it.
        problem = min(error.errors(), key=lambda problem: problem["type"] != "extra_forbidden")
        raise error_at(problem["loc"], _description(problem, fields)) from None
    codes: list[Code] = []
    for position, code in enumerate(entry.codes):
        try:
            examples, negative = tuple(code.examples), tuple(code.negative_examples)
            codes.append(Code(code.name.strip(), code.definition, examples, negative, code.parent))
        except InputError as error:
            raise error_at(("codes", position), error) from None
    try:
        return Codebook(entry.name, tuple(codes))
    except InputError as error:
        raise error_at(("codes", *_code_at_fault(codes, str(error))), error) from None


class _CodeEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1, max_length=60)
    definition: str = Field(min_length=1)
    examples: list[str] = Field(min_length=1)
    negative_examples: list[str] = Field(default_factory=list)
    parent: str | None = None


class _CodebookEntry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str = Field(min_length=1)
    codes: list[_CodeEntry] = Field(min_length=1)


_KEYS = tuple(dict.fromkeys([*_CodebookEntry.model_fields, *_CodeEntry.model_fields]))
_REMEDIES = {
    "string_type": "must be text, in quotes if it reads like a number or like yes and no",
    "string_too_short": "must not be empty",
    "string_too_long": "must have at most 60 characters",
    "list_type": "must be a list",
    "too_short": "must have at least one entry",
    "model_type": "must be a code with its keys: name, definition, examples",
}


def _code_at_fault(codes: Sequence[Code], message: str) -> list[int]:
    """Find the position of the code that a message names first; of two codes the second, which repeats."""
    positions = {
        message.find(repr(code.name)): position
        for position, code in enumerate(codes)
        if repr(code.name) in message
    }
    named = [positions[start] for start in sorted(positions)]
    return named[1:2] if message.startswith("codes ") else named[:1]


def _description(problem: Any, fields: dict[Any, Any]) -> str:  # noqa: ANN401 - pydantic's own TypedDict
    path, kind = problem["loc"], problem["type"]
    code = ""
    match path:
        case ("codes", int(position), _, *_):
            entry = fields["codes"][position]
            name = entry.get("name") if isinstance(entry, dict) else None
            code = f"code {name!r}: " if isinstance(name, str) and name else f"code {position + 1}: "
    if kind == "extra_forbidden":
        return f"{code}unknown key {path[-1]!r}{did_you_mean(str(path[-1]).lower(), _KEYS)}"
    key = next((step for step in reversed(path) if isinstance(step, str)), "")
    if kind == "missing":
        return f"{code}{key} is missing: add it"
    return f"{code}{key} {_REMEDIES.get(kind, problem['msg'].lower())}, got {shortened(problem['input'])}"
