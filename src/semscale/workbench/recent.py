"""Projects that were opened before, in the user's folder of states."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from semscale.input_files import state_folder
from semscale.store.atomic import create_private_folder, replacing

_MOST = 20


@dataclass(frozen=True)
class RecentProject:
    """A project that was opened before.

    Attributes:
        folder: its folder.
        opened: the last time.
    """

    folder: Path
    opened: datetime

    @property
    def is_there(self) -> bool:
        """False if the folder was moved or removed."""
        return self.folder.is_dir()

    @property
    def id(self) -> str:
        """The name by which a page and the stored entry refer to it."""
        return hashlib.sha256(str(self.folder).encode()).hexdigest()[:32]


class RecentProjects:
    """The last projects, each in an entry of its own, so that two workbenches lose none."""

    def __init__(self) -> None:
        self._folder = state_folder("projects")

    def listed(self) -> list[RecentProject]:
        """Return the projects, the last one first."""
        projects = []
        for path in self._folder.glob("*.json"):
            with suppress(OSError, ValueError, KeyError, TypeError):  # of another version, or damaged
                entry = json.loads(path.read_text(encoding="utf-8"))
                opened = datetime.fromtimestamp(path.stat().st_mtime).astimezone()
                projects.append(RecentProject(Path(entry["folder"]), opened))
        return sorted(projects, key=lambda project: project.opened, reverse=True)

    def find(self, name: str) -> RecentProject | None:
        """Return the project with this ID; ``None`` if it was forgotten."""
        return next((project for project in self.listed() if project.id == name), None)

    def add(self, folder: Path) -> None:
        """Note that a project was opened, and forget the oldest beyond 20."""
        project = RecentProject(folder, datetime.now().astimezone())
        with suppress(OSError):  # the project opens all the same
            create_private_folder(self._folder)
            with replacing(self._path(project), private=True) as temporary:
                temporary.write_text(json.dumps({"folder": str(folder)}), encoding="utf-8")
            for old in self.listed()[_MOST:]:
                self.forget(old)

    def forget(self, project: RecentProject) -> None:
        """Remove a project from the list; its folder stays."""
        self._path(project).unlink(missing_ok=True)

    def _path(self, project: RecentProject) -> Path:
        return self._folder / f"{project.id}.json"
