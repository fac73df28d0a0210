"""Changes of a project's files that can be undone, also after the workbench was started again."""

import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from semscale.input_files import state_folder
from semscale.store.atomic import create_private_folder, replacing
from semscale.workbench.users import current_name

_MOST_UNDONE = 100


@dataclass(frozen=True)
class Change:
    """A change of a file.

    Attributes:
        name: the change, for the button that undoes it.
        path: the file.
        before: its content before; ``None`` if there was no file.
        after: its content after.
        page: address of the page that shows the file.
    """

    name: str
    path: Path
    before: bytes | None
    after: bytes
    page: str


@dataclass(frozen=True)
class MadeChange:
    """A change that was made.

    Attributes:
        entry: its entry in the journal.
        name: the change, for the button that undoes it.
        path: the file.
        before: its content before; ``None`` if there was no file.
        after: hash of its content after.
        page: address of the page that shows the file.
        version: hash of the entry.
        by: name of the person who made it; empty without a team.
    """

    entry: Path
    name: str
    path: Path
    before: bytes | None
    after: str
    page: str
    version: str
    by: str

    @property
    def is_current(self) -> bool:
        """Whether the file is as this change left it."""
        content = content_of(self.path)
        return content is not None and _hash(content) == self.after


class Changes:
    """Journal of the changes of a project's files, with a file per change, in the user's folder of states.

    Args:
        folder: the project's folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = state_folder("changes") / _hash(str(folder).encode())[:32]

    @property
    def last(self) -> MadeChange | None:
        """The last change; ``None`` if there is none, or its entry cannot be read."""
        entries = self._entries()
        if not entries:
            return None
        try:
            content = entries[-1].read_bytes()
            entry = json.loads(content)
            before = None if entry["before"] is None else entry["before"].encode("utf-8", "surrogateescape")
            name, after, page = str(entry["name"]), str(entry["after"]), str(entry["page"])
            by = str(entry["by"])
            return MadeChange(entries[-1], name, Path(entry["path"]), before, after, page, _hash(content), by)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):  # of another version, or damaged
            return None

    def add(self, change: Change) -> None:
        """Add a change that was made, and forget the oldest beyond 100."""
        with suppress(OSError):  # the change is made, and only cannot be undone
            create_private_folder(self._folder)
            entries = self._entries()
            number = int(entries[-1].stem) + 1 if entries else 1
            entry = {
                "name": change.name,
                "path": str(change.path),
                "before": None if change.before is None else change.before.decode("utf-8", "surrogateescape"),
                "after": _hash(change.after),
                "page": change.page,
                "by": current_name(),
            }
            with replacing(self._folder / f"{number:09}.json", private=True) as temporary:
                temporary.write_text(json.dumps(entry), encoding="utf-8")
            for path in entries[: 1 - _MOST_UNDONE]:
                path.unlink(missing_ok=True)

    def _entries(self) -> list[Path]:
        return sorted(self._folder.glob("[0-9]*.json"))


def content_of(path: Path) -> bytes | None:
    """Return the content of a file; ``None`` if there is none that could be changed."""
    try:
        return path.read_bytes()
    except OSError:
        return None


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
