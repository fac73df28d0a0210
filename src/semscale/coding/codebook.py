"""Codebooks: codes with definitions and examples, and how codes belong under other codes."""

import hashlib
import json
from dataclasses import dataclass

from semscale.errors import InputError
from semscale.messages import did_you_mean

FEWEST_CODES = 2
"""A score compares a code with the other ones, so a codebook has at least two."""

OTHER = "none"
"""Written by people who code by hand where no code applies; no code may have this name."""

TAKEN = ("outcome", "reason", "chat_status")
"""Columns of coded tables that are no code's; no code may have such a name."""

_ENDINGS = ("_p", "_likeness")


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
        if not self.name.strip() or self.name.casefold() == OTHER:
            raise InputError(f"name must name a code, and {OTHER!r} means that no code applies")
        if self.name.strip().casefold() in TAKEN:
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
class CodeFrame:
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
        """Eight hex digits of the SHA-256 over all that decides scores."""
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
            >>> CodeFrame("mine", (wide, narrow)).ancestors("fees")
            ('price',)
        """
        parents = {code.name: code.parent for code in self.codes}
        found: list[str] = []
        above = parents[name]
        while above is not None and above not in found:
            found.append(above)
            above = parents[above]
        return tuple(found)

    def _check_names(self) -> None:
        first: dict[str, str] = {}
        for code in self.codes:
            key = code.name.strip().casefold()
            if key in first:
                raise InputError(f"codes {first[key]!r} and {code.name!r} have the same name: rename one")
            first[key] = code.name
        for name, own in first.items():
            for ending in _ENDINGS:
                if name + ending in first:
                    other = first[name + ending]
                    raise InputError(
                        f"codes {own!r} and {other!r} would share a column of the table: rename one"
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
        first: dict[str, str] = {}
        for code in self.codes:
            for text in {" ".join(text.casefold().split()) for text in code.prototypes}:
                other = first.setdefault(text, code.name)
                if other != code.name:
                    raise InputError(
                        f"codes {other!r} and {code.name!r} share the text {text!r:.60}: it can stand for one"
                    )
