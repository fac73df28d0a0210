"""Journals of labels: what each person answered, in files to which lines are only ever added.

An answer is a line of JSON that is on the disk before the page is told so. Nothing is changed afterwards: a
later line about the same text replaces its label, and a line that undoes another one takes it back. A line
that was cut short when the process was killed is left aside.

The page of labels and the page of answers write the same journals. A person is led to a text by a random
draw, or picks it from a list, such as the worst answer. Each label states which, because only drawn texts
stand for the others.
"""

import hashlib
import json
import os
import threading
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from heapq import merge
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from semscale.errors import InputError
from semscale.json_reading import encodable
from semscale.store.atomic import replacing, sync
from semscale.workbench.project import ConflictError

ADJUDICATED = "adjudicated"
"""Name of the journal with decisions about labels on which people differ."""

PICKED = "-answers"
"""Ending of the folders with labels of answers that no other page labels, and of all in former versions."""

LONGEST_NAME, LONGEST_COMMENT = 60, 2000
_LONGEST_STEM = 40
_ENDING = ".jsonl"


class Entry(BaseModel):
    """A line of a journal.

    Attributes:
        id: the page's name for the answer, by which one that is sent twice counts once.
        rater: name of the person.
        act: whether the text is labelled, skipped for now, or an earlier entry is undone.
        row: row of the text in its table, from 1; 0 if an entry is undone.
        label: the label as a cell of a sheet has it; empty if the text says nothing on the question.
        comment: the person's remark.
        undoes: ID of the entry that is undone.
        time: time at which it was stored, in UTC.
        by: name of the person who decided about a difference; empty without a team.
        picked: whether the person picked the text from a list, instead of being led to it by a draw.
    """

    model_config = ConfigDict(frozen=True)

    id: Annotated[str, Field(min_length=1, max_length=100)]
    rater: str
    act: Literal["label", "skip", "undo"] = "label"
    row: int = 0
    label: str = ""
    comment: Annotated[str, Field(max_length=LONGEST_COMMENT)] = ""
    undoes: str = ""
    time: str = ""
    by: str = ""
    picked: bool = False


@dataclass(frozen=True)
class Labels:
    """The state that a journal describes.

    Attributes:
        labelled: the entries that hold, by row, of texts that are labelled.
        skipped: rows of texts that were skipped and have no label, the earliest first.
        last: the last entry that holds and whose text was not picked, by the name of who decided; there is
            one name except for decisions.
        ids: IDs of all entries.
        rater: name of the person; empty without any entry.
        n_unreadable: number of lines that were cut short.
    """

    labelled: Mapping[int, Entry]
    skipped: tuple[int, ...]
    last: Mapping[str, Entry]
    ids: frozenset[str]
    rater: str
    n_unreadable: int

    @property
    def cells(self) -> dict[int, str]:
        """Labels by row."""
        return {row: entry.label for row, entry in self.labelled.items()}

    @classmethod
    def fold(cls, entries: Sequence[Entry], n_unreadable: int = 0) -> "Labels":
        """Apply the entries in their order.

        Examples:
            >>> first = Entry(id="a", rater="Ada", row=7, label="3")
            >>> second = Entry(id="b", rater="Ada", row=7, label="4")
            >>> undo = Entry(id="c", rater="Ada", act="undo", undoes="b")
            >>> Labels.fold([first, second, undo]).labelled[7].label
            '3'
        """
        distinct = {entry.id: entry for entry in reversed(entries)}
        undone = {entry.undoes for entry in distinct.values() if entry.act == "undo"}
        held = [e for e in reversed(distinct.values()) if e.act != "undo" and e.id not in undone]
        by_row: dict[int, Entry] = {}
        for entry in held:
            by_row.pop(entry.row, None)  # the last entry of a row decides about its position as well
            by_row[entry.row] = entry
        return cls(
            {row: entry for row, entry in by_row.items() if entry.act == "label"},
            tuple(row for row, entry in by_row.items() if entry.act == "skip"),
            {entry.by: entry for entry in held if not entry.picked},
            frozenset(distinct),
            entries[-1].rater if entries else "",
            n_unreadable,
        )


class Journal:
    """The journal of one person.

    Args:
        path: its file, which the first entry creates.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._read: tuple[tuple[int, int], Labels] | None = None

    def labels(self) -> Labels:
        """Return the current state; the file is read again if its time or size has changed."""
        try:
            state = self.path.stat()
        except FileNotFoundError:
            return Labels.fold([])
        key = (state.st_mtime_ns, state.st_size)
        known = self._read
        if known is None or known[0] != key:
            known = self._read = key, _parse(self.path.read_bytes())
        return known[1]

    def add(self, entry: Entry, *, replaces: bool = True) -> None:
        """Store an entry on the disk, unless the journal has it.

        Args:
            entry: the entry; its time is added. An undo that names no entry undoes the last one.
            replaces: whether a label may replace another one of its text.

        Raises:
            ConflictError: the text has a label that must not be replaced.
        """
        with self._lock:
            labels = self.labels()
            if entry.id in labels.ids:
                return
            if not replaces and entry.act == "label" and entry.row in labels.labelled:
                other = labels.labelled[entry.row].by
                by = f" (by {other})" if other else ""
                raise ConflictError(
                    f"this difference was decided elsewhere{by} since the page was shown, so your decision "
                    "was not saved"
                )
            if entry.act == "undo" and not entry.undoes:
                if entry.by not in labels.last:
                    return
                entry = entry.model_copy(update={"undoes": labels.last[entry.by].id})
            now = datetime.now(UTC).isoformat(timespec="milliseconds")
            _append(self.path, entry.model_copy(update={"time": now}))

    def merge(self, lines: Sequence[tuple[str, bytes]]) -> None:
        """Add lines between those that the journal has, by their times, and replace the file at once.

        Args:
            lines: times and lines, in the order of the times.
        """
        with self._lock:
            here, time = [], ""
            for line in self.path.read_bytes().splitlines() if self.path.exists() else ():
                time = next((entry.time for entry in _entries(line)), time)
                here.append((time, line + b"\n"))
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with replacing(self.path) as temporary:
                temporary.write_bytes(b"".join(line for _, line in merge(here, lines, key=itemgetter(0))))


def _parse(content: bytes) -> Labels:
    entries = list(_entries(content))
    n_lines = sum(bool(line.strip()) for line in content.splitlines())
    return Labels.fold(entries, n_lines - len(entries))


def _entries(content: bytes) -> Iterator[Entry]:
    """Yield the entries of a journal without lines that were cut short."""
    for line in content.splitlines():
        with suppress(ValidationError):
            yield Entry.model_validate_json(line)


def _line(entry: Entry) -> bytes:
    return json.dumps(entry.model_dump(exclude_defaults=True)).encode() + b"\n"


def _append(path: Path, entry: Entry) -> None:
    """Write a line and flush it to the disk; a line that was cut short before it is ended first."""
    line = _line(entry)
    is_new = not path.exists()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line
        file.write(line)
        file.flush()
        os.fsync(file.fileno())
    if is_new:
        sync(path.parent)


class Journals:
    """The journals of a folder, one for each person.

    Args:
        folder: the folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._journals: dict[str, Journal] = {}

    def of_rater(self, name: str) -> Journal:
        """Return the journal of a person.

        Raises:
            InputError: the name is empty, too long, reserved, or has signs that cannot be shown.
        """
        return self._journal(journal_name(name))

    def adjudicated(self) -> Journal:
        """Return the journal of decisions about labels on which people differ."""
        return self._journal(ADJUDICATED)

    def by_rater(self) -> dict[str, Labels]:
        """Return the labels of each person who has labelled, by name."""
        paths = sorted(self._folder.glob(f"*{_ENDING}"))
        read = [self._journal(path.stem).labels() for path in paths if path.stem != ADJUDICATED]
        return {labels.rater: labels for labels in read if labels.labelled}

    def copy_picked(self, folder: Path) -> int:
        """Copy entries about picked texts from journals of another folder, unless they are there already.

        The entries of each person are put in the order of their times. The other folder stays as it is.

        Args:
            folder: the other folder.

        Returns:
            The number of entries that were copied.
        """
        n_copied = 0
        for source in sorted(folder.glob(f"*{_ENDING}")):
            journal = self._journal(source.stem)
            known = journal.labels().ids
            picked = [e.model_copy(update={"picked": True}) for e in _entries(source.read_bytes())]
            lines = [(e.time, _line(e)) for e in picked if e.id not in known]
            if lines:
                n_copied += len(lines)
                journal.merge(lines)
        return n_copied

    def _journal(self, stem: str) -> Journal:
        return self._journals.setdefault(stem, Journal(self._folder / f"{stem}{_ENDING}"))


def rater_name(name: str) -> str:
    """Return the name of a person with single spaces.

    Raises:
        InputError: it is empty, too long, reserved, or has signs that cannot be shown.

    Examples:
        >>> rater_name("  Ada   Lovelace ")
        'Ada Lovelace'
    """
    plain = " ".join(unicodedata.normalize("NFC", encodable(name)).split())
    if not plain or len(plain) > LONGEST_NAME or not plain.isprintable():
        raise InputError("rater", f"must be a name of 1 to {LONGEST_NAME} signs that can be shown")
    if plain.casefold() == ADJUDICATED:
        raise InputError("rater", f"must not be {ADJUDICATED!r}, which names the decided labels")
    return plain


def journal_name(rater: str) -> str:
    """Return the name of a person's file, without its ending: different for different people.

    It has letters, digits and hyphens only, so that no name leads to another folder. Names that differ in
    case are one person, as in many file systems.

    Raises:
        InputError: as ``rater_name``.

    Examples:
        >>> journal_name("Ada"), journal_name("../ada")
        ('ada', '---ada-60088279')
    """
    folded = unicodedata.normalize("NFC", rater_name(rater).casefold())
    stem = "".join(sign if sign.isalnum() else "-" for sign in folded)[:_LONGEST_STEM]
    return stem if stem == folded else f"{stem}-{hashlib.sha256(folded.encode()).hexdigest()[:8]}"
