"""Measured tables from which texts can be drawn for labels, their columns, and sheets with labels."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import polars as pl
from pydantic import BaseModel

from semscale.errors import InputError
from semscale.messages import shorten
from semscale.results.facts import Measured, read_facts
from semscale.results.label_sheets import HUMAN
from semscale.store.columnar import open_parquet
from semscale.store.reading import open_table
from semscale.store.writing import PREFIX
from semscale.tabulation.text_results import results_start, results_title
from semscale.workbench.label_measures import Kind
from semscale.workbench.project import LABELS, RESULTS, Project
from semscale.workbench.runs import file_stem

TABLE = ".parquet"
"""Ending of the tables."""

_KEPT = 4


@dataclass(frozen=True)
class LabelSource:
    """A measured table from which texts can be drawn; what is probably meant comes first in each list.

    Attributes:
        table: its name in ``results``.
        kind: whether its texts are rated, coded or judged.
        texts: names of questions or columns that may be the texts, with their headings.
        measures: names of scales, codebooks or templates that fit, with their titles.
        n_texts: number of rows of the table whose text can be labelled.
        prompts: columns that may have the questions of judged texts.
        references: columns that may have correct answers; empty for none.
    """

    table: str
    kind: Kind
    texts: Mapping[str, str]
    measures: Mapping[str, str]
    n_texts: int
    prompts: Sequence[str] = ()
    references: Sequence[str] = ()


class StatedColumns(BaseModel):
    """Columns of a table that a form states.

    Attributes:
        text: question or column with the texts.
        prompt: column with the questions that judged texts answer.
        reference: column with correct answers; empty without one.
    """

    text: str = ""
    prompt: str = ""
    reference: str = ""

    def check(self, source: LabelSource) -> None:
        """Check that the columns are those of a table.

        Raises:
            InputError: one is not on its list, or has two purposes.
        """
        offered = {"text": source.texts, "prompt": source.prompts, "reference": source.references}
        for name, choices in offered.items():
            value = getattr(self, name)
            if value not in (choices or [""]):
                raise InputError(name, f"must be one of the list, got {shorten(value)}")
        if self.text in (self.prompt, self.reference) or (self.prompt and self.prompt == self.reference):
            raise InputError(
                "text", "must be another column than that of the questions and the correct answers"
            )


class LabelTables:
    """Tables of results, the last ones of which stay in memory.

    Args:
        folder: the folder ``results``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[tuple[str, int, int], pl.DataFrame] = {}

    def names(self) -> list[str]:
        """List the tables."""
        paths = self._folder.glob(f"*{TABLE}")
        return sorted(path.name for path in paths if path.is_file() and not path.name.startswith("."))

    def columns(self, name: str) -> dict[str, pl.DataType]:
        """Return the columns of a table with their types.

        Raises:
            InputError: it cannot be read.
        """
        with _reading(name):
            return dict(self._scan(name).collect_schema())

    def count(self, name: str, has_text: pl.Expr) -> int:
        """Return the number of rows of a table with a text.

        Args:
            name: name of the table.
            has_text: true for these rows.

        Raises:
            InputError: it cannot be read.
        """
        with _reading(name):
            return int(self._scan(name).select(has_text.sum()).collect().item())

    def text(self, name: str) -> str:
        """Return the column with the measured texts of a table; empty if the table does not state it.

        Raises:
            InputError: it cannot be read.
        """
        with _reading(name):
            return self._facts(name)[0]

    def read(self, name: str) -> pl.DataFrame:
        """Read a table.

        Raises:
            InputError: there is none of that name, or it cannot be read.
        """
        if name not in self.names():
            raise InputError("table", f"must be a table in {RESULTS}, got {shorten(name)}")
        state = (self._folder / name).stat()
        key = (name, state.st_mtime_ns, state.st_size)
        if key not in self._read:
            with _reading(name):
                table = self._scan(name).collect()
            self._read = {**dict(list(self._read.items())[1 - _KEPT :]), key: table}
        return self._read[key]

    def _scan(self, name: str) -> pl.LazyFrame:
        """Scan a table as if its file had no results of another text, which would be taken for its own."""
        table = pl.scan_parquet(self._folder / name, glob=False)
        titles = table.collect_schema().names()
        text, measured = self._facts(name)
        start = results_start(text)
        if not text or results_title(text, measured) not in titles:
            return table
        others = [title for title in titles if title.startswith(PREFIX) and not title.startswith(start)]
        plain = {title: PREFIX + title.removeprefix(start) for title in titles if title.startswith(start)}
        return table.drop(title for title in others if title != text).rename(plain)

    def _facts(self, name: str) -> tuple[str, Measured]:
        """Return the column with the measured texts, empty if it is not stated, and what was measured."""
        facts = read_facts(open_parquet(self._folder / name, name))
        return (facts[-1].text, facts[-1].measured) if facts else ("", "ratings")


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Name the table in an error of polars."""
    try:
        yield
    except pl.exceptions.PolarsError as error:
        raise InputError(f"{RESULTS}/{name} cannot be read: {shorten(str(error))}") from error


def label_sheets(folder: Path, columns: Collection[str]) -> dict[str, list[str]]:
    """Return the columns of labels in each sheet of a project that has some columns.

    Args:
        folder: the project's folder.
        columns: columns that a sheet must have.
    """
    sheets = {}
    for path in sorted((folder / LABELS).glob("*.csv")):
        try:
            titles = open_table(path).columns
        except InputError:  # a file of something else, or one that is being written
            continue
        labels = [name for name in titles if name == HUMAN or name.startswith(f"{HUMAN}-")]
        if labels and set(columns) <= set(titles):
            sheets[f"{LABELS}/{path.name}"] = labels
    return sheets


def other_file_of(sheet: str, file: Path, project: Project) -> str:
    """Return the file after which a sheet is named; empty for the open file, and for a sheet of another name.

    Args:
        sheet: the sheet.
        file: the open file.
        project: the project, whose pages name a sheet after the file of its texts.
    """
    name = PurePosixPath(sheet).stem
    stems = {other: file_stem(Path(other).stem) for other in project.files()}
    named = [other for other, stem in stems.items() if name.startswith(f"{stem}-")]
    longest = max(named, key=lambda other: len(stems[other]), default=file.name)
    return "" if stems.get(longest) == file_stem(file.stem) or not named else longest


def check_file_of(sheet: str, file: Path, project: Project) -> None:
    """Check that a sheet is not named after another file than the open one.

    Raises:
        InputError: it is; the message says of which file its labels are.
    """
    if other := other_file_of(sheet, file, project):
        raise InputError("labels", f": these labels are of {other}; the open file is {file.name}")


def check_sheet(sheet: str, sheets: Collection[str], file: Path, project: Project) -> None:
    """Check that a sheet is one of those that are offered for the open file.

    Raises:
        InputError: it is not; the message says of which file its labels are, if its name states that.
    """
    if sheet in sheets:
        return
    check_file_of(sheet, file, project)
    raise InputError("labels", f"must be one of the list, got {shorten(sheet)}")
