"""Files of studies in a project: their list, and a study as it is stored."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from semscale.errors import InputError
from semscale.messages import shorten
from semscale.workbench.project import ConflictError, Project, changed_outside, version_of_content
from semscale.yaml_reading import YamlFile

if TYPE_CHECKING:
    from semscale.study.questionnaire import StudyDesign

_MARKED = re.compile(rb"^(persona|concepts)\s*:", re.MULTILINE)
_MOST_STUDIES = 100
_LONGEST_NAME = 60


def study_files(project: Project) -> list[str]:
    """List the names of a project's files that describe a study."""
    paths = (path for path in sorted(project.folder.iterdir()) if path.suffix.lower() in {".yaml", ".yml"})
    return [path.name for path in paths if path.is_file() and _is_study(path)][:_MOST_STUDIES]


def _is_study(path: Path) -> bool:
    try:
        return _MARKED.search(path.read_bytes()) is not None
    except OSError:
        return False


def new_path(project: Project, name: str) -> Path:
    """Return the free path for a study of this name.

    Raises:
        InputError: the name has no letter.
        ConflictError: there is such a file.
    """
    stem = re.sub(r"[\W_]+", "-", name.lower()).strip("-")[:_LONGEST_NAME].strip("-")
    if not stem:
        raise InputError("name", f"must have a letter, got {shorten(name)}")
    path = project.folder / f"{stem}.yaml"
    if path.exists():
        raise ConflictError(f"{path.name} exists: choose another name")
    return path


@dataclass(frozen=True)
class StoredStudy:
    """A study as it is stored.

    Attributes:
        path: its file.
        content: the file's bytes.
    """

    path: Path
    content: bytes

    @classmethod
    def read(cls, project: Project, name: str) -> Self:
        """Read a file of the project.

        Raises:
            InputError: it is no study of the project.
        """
        if name not in study_files(project):
            raise InputError("file", f"must be a study of the folder, got {shorten(name)}")
        path = project.folder / name
        return cls(path, path.read_bytes())

    @property
    def version(self) -> str:
        """Hash of the file, by which a change in an editor is noticed."""
        return version_of_content(self.content)

    def check_version(self, version: str) -> None:
        """Check that the file is the one that a page showed.

        Raises:
            ConflictError: it was changed since.
        """
        if version != self.version:
            raise changed_outside(self.path)

    @property
    def results(self) -> Path:
        """Folder of the results, as the command names it."""
        return self.path.with_name(f"{self.path.stem}-results")

    def design(self, content: bytes | None = None) -> "StudyDesign":
        """Return the design that the file states.

        Args:
            content: another content of the file.

        Raises:
            InputError: it is no valid study; the message states the line.
        """
        from semscale.study.questionnaire import parse_study

        content = self.content if content is None else content
        return parse_study(content, source=self.path.name, folder=self.path.parent)

    @property
    def keys(self) -> dict[str, Any]:
        """Keys and values of the file.

        Raises:
            InputError: it is no YAML, or its keys are not those of a study.
        """
        from semscale.study.questionnaire import StudyKeys

        file = YamlFile(self.content, self.path.name)
        keys = file.keys("a study, such as concepts and questions")
        file.validate(StudyKeys, keys)
        return keys

    @property
    def has_form(self) -> bool:
        """Whether the form can show it; otherwise its text must be corrected first."""
        try:
            return bool(self.keys)
        except InputError:
            return False
