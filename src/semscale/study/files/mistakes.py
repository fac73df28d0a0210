"""Errors in a study's file, with the line and the nearest known key."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from pydantic import ValidationError

from semscale.errors import InputError
from semscale.messages import did_you_mean, first_mistake
from semscale.study.files.written import SECTIONS
from semscale.yaml_reading import line_of

Path = Sequence[str | int]
"""Keys and places in lists, from 0."""


@dataclass(frozen=True)
class StudyText:
    """The text of a study's file.

    Attributes:
        content: the file.
        source: its name in messages.
    """

    content: bytes
    source: str

    def error(self, path: Path, words: str) -> InputError:
        """Make the error about a value: file, line, and what is wrong."""
        return InputError(f"{self.source!r}, line {self._line_of(path)}: {words}")

    def _line_of(self, path: Path) -> int:
        """Find a line; a single model stands where a list of them may, and has no place in it."""
        found = line_of(self.content, path)
        return max(found, line_of(self.content, ["model", *path[2:]])) if path[:1] == ("model",) else found

    def error_of(self, error: ValidationError) -> InputError:
        """Make the error about an unknown key, as its right name may be missing, or the first mistake."""
        found = error.errors()
        detail = next((each for each in found if each["type"] == "extra_forbidden"), found[0])
        path = detail["loc"]
        if detail["type"] != "extra_forbidden":
            return self.error(path, first_mistake(error, ()))
        key, section = str(path[-1]), str(path[0]) if len(path) > 1 else ""
        known = [name for part, model in SECTIONS.items() if part == section for name in model.model_fields]
        where = f" in {section}" if section else ""
        return self.error(
            path, f"unknown key {key!r}{where}{did_you_mean(key, known)} (known: {', '.join(known)})"
        )

    @contextmanager
    def located(self, *path: str | int) -> Iterator[None]:
        """Say file and line of a value whose use fails.

        Raises:
            InputError: the error of what is done inside, with the line.
        """
        try:
            yield
        except InputError as error:
            raise self.error(path, str(error)) from error
