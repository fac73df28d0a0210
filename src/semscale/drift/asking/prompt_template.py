"""Templates of prompts: a text with the names of columns in braces."""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from semscale.errors import InputError
from semscale.messages import did_you_mean

ENDINGS = (".txt", ".md")
"""Endings of files that hold a template."""

_PLACE = re.compile(r"\{(\{[^\W\d][\w .-]*\})\}|\{([^\W\d][\w .-]*)\}")


@dataclass(frozen=True)
class PromptTemplate:
    """A prompt with places for the cells of an item.

    ``{question}`` stands for the cell of the column *question*. ``{{question}}`` is the word in braces
    itself. All other braces, such as those of JSON, stay as they are.

    Attributes:
        name: the file's name.
        text: the prompt.

    Example:
        >>> template = PromptTemplate("a.txt", 'Answer {question} as {"answer": ...}, not as {{question}}.')
        >>> template.fill({"question": "Is 7 prime?"})
        'Answer Is 7 prime? as {"answer": ...}, not as {question}.'
    """

    name: str
    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns that it reads, in the order in which they first stand."""
        return tuple(dict.fromkeys(self._named()))

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def check(self, known: Collection[str], source: str) -> None:
        """Check that it reads at least one column, and only such as there are.

        Args:
            known: names of the columns.
            source: the table's name, for messages.

        Raises:
            InputError: it reads none, or one that the table does not have.
        """
        if not self.columns:
            raise InputError(
                f"{self.name} names no column of {source} in braces, such as {{{next(iter(known))}}}, so "
                "that every item would get the same prompt"
            )
        for name in self.columns:
            if name not in known:
                hint = did_you_mean(name, known) or ";"
                raise InputError(
                    f"{self.name}: {source} has no column '{name}'{hint} its columns are {', '.join(known)}; "
                    f"write {{{{{name}}}}} for the word in braces itself"
                )

    def fill(self, cells: Mapping[str, str]) -> str:
        """Write the prompt of an item.

        Args:
            cells: the item's cells, by column.
        """
        return _PLACE.sub(lambda found: found[1] or cells[found[2]], self.text)

    def _named(self) -> Iterator[str]:
        return (found[2] for found in _PLACE.finditer(self.text) if found[2])


def is_template(path: str) -> bool:
    """Tell by its ending whether a file holds a template; other files are tables."""
    return path.lower().endswith(ENDINGS)


def read_template(path: str | Path) -> PromptTemplate:
    """Read a template from a file.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or is blank.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(f"the template {str(path)!r} cannot be read: {why}") from None
    if not text.strip():
        raise InputError(f"the template {str(path)!r} is empty: write the prompt into it")
    return PromptTemplate(Path(path).name, text.strip())
