"""A project: a folder with a survey's file and ``survey.yaml``, which pages and commands read and write."""

import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from semscale.errors import InputError
from semscale.history import HISTORY_FILE
from semscale.messages import shorten
from semscale.store.atomic import replacing
from semscale.store.places import is_url
from semscale.store.table_settings import EXTENSIONS, TableSettings
from semscale.survey.description import Question, Survey
from semscale.survey.survey_file import FILE_NAME, parse_survey, replace_entry, survey_text
from semscale.workbench.changes import Change, Changes, MadeChange, content_of

if TYPE_CHECKING:
    from semscale.chat.runner import Running
    from semscale.embedding.embedder import Embedder
    from semscale.history.history import History
    from semscale.results.table_runs import PartSettings
    from semscale.stats.intervals import IntervalPlan
    from semscale.types import Progress

RESULTS, LABELS, CODEBOOKS, SCALES = "results", "labels", "codebooks", "scales"
"""Folders of a project. RESULTS has the tables that runs wrote, and the reports that were downloaded."""

EXAMPLE = "semscale-demo"
"""Folder to which the example is copied."""

_LONGEST_NAME = 200
"""Bytes of a file's name without its extension; systems allow 255, with the ending of a temporary file."""


class ConflictError(InputError):
    """Something was changed elsewhere since the page was shown, so that a change was not saved."""


class NoFileError(InputError):
    """A page needs the project's file, but none is chosen."""


@dataclass(frozen=True)
class SharedSettings:
    """Settings that all runs of a project share, as commands in its folder read them.

    Attributes:
        stated: settings of the project's file and their values.
        load_embedder: loads the stated model, or else the one that is named, with the stated settings;
            ``None`` if nothing about models is stated.
        plan: how intervals are made; ``None`` for the defaults.
        parts: the parts of a run, likewise.
        reading: how files are read, if it is stated; it comes before what a description states.
        survey: the description of the survey; ``None`` for ``survey.yaml`` in the folder.
        open_history: opens the history of runs; ``None`` for the one in the folder.
        load_calls: returns the stated pace, caps, prices and ledger of calls to chat models; ``None`` if
            nothing about them is stated.
    """

    stated: Mapping[str, object] = field(default_factory=dict)
    load_embedder: "Callable[[str, Progress], Embedder] | None" = None
    plan: "IntervalPlan | None" = None
    parts: "PartSettings | None" = None
    reading: TableSettings = TableSettings()
    survey: Path | None = None
    open_history: "Callable[[], History] | None" = None
    load_calls: "Callable[[], Running] | None" = None


@dataclass(frozen=True)
class StoredSurvey:
    """The description as it is stored.

    Attributes:
        content: bytes of ``survey.yaml``; ``None`` if there is none.
        survey: the description; ``None`` likewise.
    """

    content: bytes | None = None
    survey: Survey | None = None


@dataclass
class Project:
    """A folder that the workbench shows.

    Attributes:
        folder: the folder.
        chosen: name of the file to describe, as long as no description names one.
        settings: settings of the project's file.
    """

    folder: Path
    chosen: str | None = None
    settings: SharedSettings = SharedSettings()
    _stored: StoredSurvey = StoredSurvey()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @classmethod
    def open(cls, path: Path) -> "Project":
        """Open a folder, or the folder of a file.

        Raises:
            InputError: the path does not exist.
        """
        if is_url(str(path)) or not path.exists():
            raise InputError(f"{path} does not exist: name a file with answers, or a folder")
        path = path.resolve()
        return cls(path) if path.is_dir() else cls(path.parent, path.name)

    @property
    def survey_path(self) -> Path:
        """The description of the survey."""
        return self.settings.survey or self.folder / FILE_NAME

    def open_history(self) -> "History":
        """Open the history of the project's runs; close it, or use it in a ``with`` statement.

        Raises:
            InputError: there is none, or it cannot be opened.
        """
        if self.settings.open_history is not None:
            return self.settings.open_history()
        from semscale.history.history import open_history

        return open_history(self.folder / HISTORY_FILE, create=False)

    def without_folder(self, text: str) -> str:
        """Return a sentence in which paths of this folder's files are their names."""
        return text.replace(f"{self.folder}{os.sep}", "")

    @property
    def survey_name(self) -> str:
        """Path of the description from the project's folder."""
        return os.path.relpath(self.survey_path, self.folder)

    def files(self) -> list[str]:
        """List the names of the folder's tables."""
        return sorted(
            path.name
            for path in self.folder.iterdir()
            if path.suffix.lower() in EXTENSIONS and path.is_file() and not path.name.startswith(".")
        )

    @property
    def first_page(self) -> str:
        """Address of the page to begin with: the jobs if there are results or runs but no description."""
        is_survey = bool(self.chosen) or (self.folder / self.survey_name).exists()
        has_other_work = any((self.folder / name).exists() for name in (RESULTS, HISTORY_FILE))
        return "/start" if has_other_work and not is_survey else "/data"

    def stored_survey(self) -> StoredSurvey:
        """Read the description.

        Raises:
            InputError: it cannot be read, is no description, or is a link to another folder.
        """
        path = self.survey_path
        if path.resolve().parent != path.parent.resolve():
            raise InputError(
                f"{self.survey_name} is a link to another folder, so neither pages nor commands read it: "
                "remove the link"
            )
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return StoredSurvey()
        except OSError as error:
            raise InputError(f"{self.survey_name} cannot be read ({error.strerror or error})") from None
        stored = self._stored  # parsing takes a second for a thousand questions
        if stored.content != content:
            stored = self._stored = StoredSurvey(content, parse_survey(content, source=self.survey_name))
        return stored

    def data_file(self, survey: Survey | None) -> Path | None:
        """Return the file that is described: the chosen one, the described one, or the only one."""
        files = self.files()
        stated = [self.chosen, None if survey is None else survey.file]
        name = next((name for name in stated if name in files), files[0] if len(files) == 1 else None)
        return None if name is None else self.folder / name

    def described_file(self) -> tuple[Path, StoredSurvey]:
        """Return the file that is described, and the description.

        Raises:
            NoFileError: no file is chosen.
            InputError: the description cannot be read.
        """
        stored = self.stored_survey()
        file = self.data_file(stored.survey)
        if file is None:
            raise NoFileError("file", "must be chosen first")
        return file, stored

    def path_of(self, name: str) -> Path:
        """Return the path of a table in the folder.

        Raises:
            InputError: the folder has no table of that name.
        """
        if name not in self.files():
            raise InputError("file", f": the folder has no table {shorten(name)}")
        return self.folder / name

    def save(self, survey: Survey, change: str, stored: StoredSurvey) -> None:
        """Write the description; comments and unchanged entries stay.

        Args:
            survey: the new description.
            change: what is changed, for the button that undoes it.
            stored: the description from which the new one was made.

        Raises:
            ConflictError: the file was changed in the meantime.
            InputError: it cannot be written.
        """
        content, known = stored.content, stored.survey
        with self._lock:
            replaced = None
            if content is not None and known is not None:
                replaced = replace_entry(content, known, survey, source=self.survey_name)
            text = survey_text(survey, content).encode() if replaced is None else replaced[0]
            self._write(Change(change, self.survey_path, content, text, "/data"))
            if replaced is not None:  # parsing the file again would take as long as writing all of it
                self._stored = StoredSurvey(*replaced)

    def save_file(self, change: Change) -> None:
        """Write a file of the project so that ``undo`` takes the change back.

        Args:
            change: the file before and after.

        Raises:
            ConflictError: the file was changed in the meantime.
            InputError: it cannot be written.
        """
        with self._lock:
            self._write(change)

    def _write(self, change: Change) -> None:
        if content_of(change.path) != change.before:
            raise changed_outside(change.path)
        if change.after == change.before:
            return
        change.path.parent.mkdir(exist_ok=True)
        with replacing(change.path) as temporary:
            temporary.write_bytes(change.after)
        self._changes.add(change)

    @property
    def _changes(self) -> Changes:
        return Changes(self.folder)

    @property
    def last_change(self) -> MadeChange | None:
        """The change that ``undo`` takes back; ``None`` if there is none, or its file was changed since."""
        change = self._changes.last
        return change if change is not None and change.is_current else None

    def undo(self, version: str = "") -> MadeChange:
        """Take back the last change of a file, and return it.

        Args:
            version: version of the change that the page showed; empty for any.

        Raises:
            ConflictError: there is none, it is another one, or the file was changed elsewhere since.
        """
        with self._lock:
            change = self._changes.last
            if change is None:
                raise ConflictError("there is nothing to undo")
            check_unchanged("the last change", change.version, version)
            if not change.is_current:
                raise changed_outside(change.path)
            if change.before is None:
                change.path.unlink()
            else:
                with replacing(change.path) as temporary:
                    temporary.write_bytes(change.before)
            change.entry.unlink()
            return change

    def add_file(self, name: str, content: BinaryIO) -> str:
        """Copy a file into the folder under a free name, and return that name.

        Args:
            name: the file's name as the browser states it.
            content: the file.

        Raises:
            InputError: the name has no extension of a table.
        """
        stem, suffix = plain_file_name(name)
        free, number = f"{stem}{suffix}", 1
        with self._lock:
            while (self.folder / free).exists():
                number += 1
                free = f"{stem} ({number}){suffix}"
            with replacing(self.folder / free) as temporary, temporary.open("wb") as target:
                shutil.copyfileobj(content, target)
        return free


def plain_file_name(name: str) -> tuple[str, str]:
    """Return the stem and the extension of a table's name that a browser states, without folders.

    Raises:
        InputError: the name has no extension of a table.
    """
    plain = name.replace("\\", "/").rpartition("/")[2]
    plain = "".join(sign for sign in plain if sign.isprintable()).strip().lstrip(".")
    stem = Path(plain).stem.encode()[:_LONGEST_NAME].decode(errors="ignore")
    suffix = Path(plain).suffix.lower()
    if suffix not in EXTENSIONS or not stem:
        known = ", ".join(sorted(EXTENSIONS))
        raise InputError("file", f": {shorten(plain or name)} must end in one of {known}")
    return stem, suffix


def changed_outside(path: Path) -> ConflictError:
    """Return the refusal of a change to a file that was changed since a page showed it."""
    return ConflictError(
        f"{path.name} was changed outside of this page, so nothing was saved: look at its current state"
    )


def version_of(entry: Question) -> str:
    """Return a hash of an entry, by which a change on an outdated page is noticed."""
    return version_of_content(entry.model_dump_json().encode())


def version_of_rows(survey: Survey | None) -> str:
    """Return a hash of the rows that count and the derived columns."""
    return _version_of_fields(survey, {"where", "derive", "leave_out"})


def version_of_file(survey: Survey | None) -> str:
    """Return a hash of the described file's name and of how it is read."""
    return _version_of_fields(survey, {"file", "reading"})


def _version_of_fields(survey: Survey | None, names: set[str]) -> str:
    stated = (survey or Survey(questions=())).model_dump_json(include=names)
    return version_of_content(stated.encode())


def version_of_content(content: bytes) -> str:
    """Return a hash of a content, by which a change on an outdated page is noticed."""
    return hashlib.sha256(content).hexdigest()[:16]


def check_unchanged(subject: str, current: str, shown: str) -> None:
    """Check that something is as a page showed it.

    Args:
        subject: its name.
        current: its version.
        shown: the version that the page showed; empty if it stated none.

    Raises:
        ConflictError: it was changed since.
    """
    if shown not in ("", current):
        raise changed_elsewhere(subject)


def check_version(entry: Question, version: str) -> None:
    """Check that an entry is the one that a page showed.

    Raises:
        ConflictError: it was changed since.
    """
    if version_of(entry) != version:
        raise changed_elsewhere(f"question {entry.name!r}")


def changed_elsewhere(subject: str) -> ConflictError:
    """Return the refusal of a change to something that was changed since a page showed it."""
    return ConflictError(
        f"{subject} was changed elsewhere since this page was shown, so your change was not saved: look at "
        "its current state"
    )
