"""The basket of a project: its file, its changes, and the workbook, slides and page that are made of it."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Self

from semscale.errors import InputError
from semscale.serving.background import BackgroundWork, Task, current_task
from semscale.survey.description import Survey
from semscale.tabulation.basket import (
    FILE_NAME,
    Basket,
    TableEntry,
    basket_text,
    parse_basket,
    tabulate_basket,
)
from semscale.workbench.changes import Change, content_of
from semscale.workbench.project import RESULTS, Project, changed_elsewhere, version_of_content
from semscale.workbench.runs import PageRun, file_stem, replace_run
from semscale.workbench.survey_view import SurveyReader, SurveyView
from semscale.workbench.table_results import ProjectResults, Waves

KINDS = {"xlsx": "Excel workbook", "pptx": "slides", "html": "web page"}
"""Files that are made of a basket, by their endings."""


@dataclass(frozen=True)
class StoredBasket:
    """The basket as it is stored.

    Attributes:
        content: bytes of the file; ``None`` if there is none.
        basket: the basket.
        problem: the reason why the file cannot be read; empty if it can.
        page: address to which undoing a change leads.
    """

    content: bytes | None
    basket: Basket
    problem: str = ""
    page: str = "/tables"

    @classmethod
    def read(cls, project: Project, query: str = "") -> Self:
        """Read the basket of a project.

        Args:
            project: the project.
            query: fields of the page's address.
        """
        content = content_of(project.folder / FILE_NAME)
        page = f"/tables?{query}"
        try:
            basket = Basket() if content is None else parse_basket(content, source=FILE_NAME)
        except InputError as error:
            return cls(content, Basket(), str(error), page)
        return cls(content, basket, page=page)

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        """The entries in order."""
        return self.basket.entries

    @property
    def version(self) -> str:
        """Hash of the file, by which a change on an outdated page is noticed."""
        return version_of_content(self.content or b"")

    @cached_property
    def keys(self) -> list[str]:
        """An ID of each entry, which stays when others are changed."""
        return _keys([entry.model_dump_json() for entry in self.entries])

    @cached_property
    def element_ids(self) -> list[str]:
        """An ID of each entry, which stays when its title or others are changed."""
        return _keys([entry.model_dump_json(exclude={"title"}) for entry in self.entries])

    def has(self, entry: TableEntry) -> bool:
        """Return whether an entry has the same tables, by whatever title."""
        untitled = [stored.model_dump(exclude={"title"}) for stored in self.entries]
        return entry.model_dump(exclude={"title"}) in untitled

    def position(self, key: str) -> int:
        """Return the position of an entry, from 0.

        Args:
            key: its ID on the page that was shown.

        Raises:
            ConflictError: it was changed or removed since.
            InputError: the file cannot be read.
        """
        if self.problem:
            raise InputError(self.problem)
        if key not in self.keys:
            raise changed_elsewhere(FILE_NAME)
        return self.keys.index(key)

    def check_version(self, version: str) -> None:
        """Check that the basket is the one that a page showed.

        Raises:
            ConflictError: it was changed since.
            InputError: the file cannot be read.
        """
        if self.problem:
            raise InputError(self.problem)
        if version != self.version:
            raise changed_elsewhere(FILE_NAME)

    def compare(self, project: Project, earlier: Sequence[str], pair_by: str) -> None:
        """Name the files of earlier waves, the oldest first, and the column by which people are paired."""
        change = f"tables compared with {', '.join(earlier)}" if earlier else "tables of one wave"
        self._write(project, replace(self.basket, earlier=tuple(earlier), pair_by=pair_by), change)

    def name(self, project: Project, title: str, waves: Mapping[str, str]) -> None:
        """Give the basket a title and waves names; an empty one takes it away.

        Args:
            project: the project.
            title: title of the workbook, the slides and the page.
            waves: names of waves by their files; those of other files stay.
        """
        names = {file: name for file, name in {**self.basket.waves, **waves}.items() if name}
        self._write(project, replace(self.basket, title=title, waves=names), "title and names of waves")

    def save(self, project: Project, entry: TableEntry, position: int | None) -> None:
        """Add an entry at the end, or put it in the place of another.

        Args:
            project: the project.
            entry: the entry.
            position: position of the entry that it replaces, from 0; ``None`` to add it.
        """
        entries = list(self.entries)
        if position is None:
            entries.append(entry)
        else:
            if position >= len(entries):
                raise InputError("position", f"must be below {len(entries)}, got {position}")
            entries[position] = entry
        verb = "added" if position is None else "changed"
        self._list(project, entries, f"{verb} tables of {entry.name}")

    def rename(self, project: Project, position: int, title: str) -> None:
        """Give an entry another title."""
        entries = list(self.entries)
        entries[position] = entries[position].with_values(title=title)
        self._list(project, entries, f"title of {entries[position].name}")

    def move(self, project: Project, position: int, to: int) -> list[int]:
        """Move an entry to another position, from 0; return the former positions in the new order."""
        entry, order = self.entries[position], list(range(len(self.entries)))
        order.insert(to, order.pop(position))
        self._list(project, [self.entries[place] for place in order], f"moved tables of {entry.name}")
        return order

    def remove(self, project: Project, position: int) -> list[int]:
        """Remove an entry; return the positions of the others."""
        entry = self.entries[position]
        order = [place for place in range(len(self.entries)) if place != position]
        self._list(project, [self.entries[place] for place in order], f"removed tables of {entry.name}")
        return order

    def _list(self, project: Project, entries: Sequence[TableEntry], change: str) -> None:
        self._write(project, replace(self.basket, entries=tuple(entries)), change)

    def _write(self, project: Project, basket: Basket, change: str) -> None:
        text = basket_text(basket, self.content, source=FILE_NAME)
        path = project.folder / FILE_NAME
        project.save_file(Change(change, path, self.content, text.encode(), self.page))


def _keys(contents: Sequence[str]) -> list[str]:
    """Return a hash of each content; equal ones are numbered."""
    hashes = [version_of_content(content.encode()) for content in contents]
    return [f"{key}-{hashes[:position].count(key)}" for position, key in enumerate(hashes)]


@dataclass(frozen=True)
class BasketRun(PageRun[list[str]]):
    """A run that makes files of a basket; its result are the command's options for results of texts.

    Attributes:
        file: the file with the answers.
        described: the description of the open file, with inferred entries.
        outs: the files that it makes.
        written: the command's options for these files.
    """

    stopped = "stopped"
    file: Path
    described: Survey
    outs: tuple[Path, ...]
    written: Sequence[str]

    @property
    def command(self) -> str:
        """The command that does the same."""
        return _command(self.file, self.result or (), self.written)


def check_kinds(kind: str) -> tuple[str, ...]:
    """Return the endings of the files to make; all of them if none is named.

    Raises:
        InputError: there is no such kind.
    """
    if kind and kind not in KINDS:
        raise InputError("kind", f"must be one of {', '.join(KINDS)}, got {kind!r:.20}")
    return (kind,) if kind else tuple(KINDS)


@dataclass(frozen=True)
class FilesToMake:
    """Files that are made of a basket.

    Attributes:
        source: the file with the answers.
        view: the survey, whose description is that of the file.
        earlier: files of earlier waves, the oldest first.
        kinds: endings of the files to make.
        template: name of the presentation whose layouts slides take; empty for none.
    """

    source: Path
    view: SurveyView
    earlier: Sequence[Path]
    kinds: tuple[str, ...]
    template: str


def make_tables(
    known: ProjectResults,
    reader: SurveyReader,
    work: BackgroundWork,
    before: Task[list[str]] | None,
    basket: Basket,
    files: FilesToMake,
) -> BasketRun:
    """Start to make files of a basket.

    Args:
        known: finds ratings and codes of the project's files.
        reader: reads its files.
        work: threads for runs.
        before: the run before, which is stopped; ``None`` for the first.
        basket: the basket.
        files: the files.
    """
    project = known.project
    folder = project.folder / RESULTS
    outs = tuple(folder / f"{file_stem(files.source.stem)}-tables.{kind}" for kind in files.kinds)
    layout = project.folder / files.template if files.template and "pptx" in files.kinds else None

    def run() -> list[str]:
        task = current_task()
        waves = known.of_waves(files.view, files.source, files.earlier, reader, basket.waves)
        table, prepared = waves.prepare(basket)
        tables = tabulate_basket(table, prepared, files.view.stored.survey, task.report)
        folder.mkdir(exist_ok=True)
        for number, out in enumerate(outs):
            task.report("writing files", number, len(outs))
            tables.report(out, template=layout if out.suffix == ".pptx" else None)
        return waves.result_words(_questions(basket))

    written = [word for out in outs for word in ("--out", f"{RESULTS}/{out.name}")]
    written += ["--template", files.template] if layout is not None else []
    return BasketRun(files.source, files.view.survey, outs, written, task=replace_run(work, before, run))


def basket_command(file: Path, basket: Basket, waves: Waves) -> str:
    """Return the command that makes files of a basket.

    Args:
        file: the file with the answers.
        basket: the basket.
        waves: the file and those of earlier waves, with their ratings and codes.
    """
    outs = [word for kind in KINDS for word in ("--out", f"tables.{kind}")]
    return _command(file, waves.result_words(_questions(basket)), outs)


def _command(file: Path, further: Sequence[str], written: Sequence[str]) -> str:
    return shlex.join(["semscale", "tables", file.name, "--basket", FILE_NAME, *further, *written])


def _questions(basket: Basket) -> list[str]:
    return [name for entry in basket.entries for name in entry.all_questions]
