"""Options of every command that reads a table."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import INPUT, option

if TYPE_CHECKING:
    from semscale.store.deriving.derived_columns import Derivation
    from semscale.store.readers.survey_header import HeaderKind
    from semscale.store.reading import TableSettings
    from semscale.store.table import Table

Format = Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "sav", "inspect", "promptfoo", "openai-evals"]

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSONL, Parquet, Excel or SPSS, or an evaluation log; a folder of Parquet files; a "
        "URL, such as s3://bucket/answers.parquet; - is standard input.",
    ),
]


@option_group
class TableOptions:
    """How a table is read, as ``open_table`` takes it."""

    encoding: Annotated[
        str | None,
        option(
            INPUT, "Encoding of CSV, TSV and JSONL, UTF-8 unless given; of SPSS, as the file says.", "NAME"
        ),
    ] = None
    format: Annotated[Format | None, option(INPUT, "Format of the input, whatever its name says.")] = None
    sheet: Annotated[
        str | None, option(INPUT, "Sheet of an Excel file; the first one unless given.", "NAME")
    ] = None

    @property
    def settings(self) -> "TableSettings":
        """Keyword arguments of ``open_table``."""
        return {"encoding": self.encoding, "format": self.format, "sheet": self.sheet}

    def open(self, file: str) -> "Table":
        """Open a table; ``-`` is standard input."""
        return _opened(file, self.settings, "auto")


@option_group
class RowOptions:
    """How a table is read, which columns are made of its own, and which rows are kept."""

    source: TableOptions
    where: Annotated[
        str | None,
        option(
            INPUT,
            "Keep the rows that meet it, such as \"age >= 18 and country in ('DE', 'AT')\".",
            "CONDITION",
        ),
    ] = None
    header: Annotated[
        Literal["auto", "plain", "qualtrics", "surveymonkey", "limesurvey"],
        option(INPUT, "Whose header a CSV, TSV or Excel file has; its shape decides unless given."),
    ] = "auto"
    band: Annotated[
        list[str] | None,
        option(INPUT, "Bands of numbers: age=18,35,55 makes a column age_band; can be repeated.", "BANDS"),
    ] = None
    group: Annotated[
        list[str] | None,
        option(
            INPUT,
            "Groups of values: country=north:DK,SE;south:IT makes a column country_group; can be repeated.",
            "GROUPS",
        ),
    ] = None

    def open(self, file: str, *, is_reported: bool = False) -> "Table":
        """Open a table, add columns, and leave rows out.

        Args:
            file: its path; ``-`` is standard input.
            is_reported: whether the summary says how the table was read; otherwise standard error does.

        Raises:
            InputError: the file, bands, groups or the condition cannot be read, or no row is left.
        """
        from semscale.cli.errors import say
        from semscale.store.deriving.derived_columns import with_derived
        from semscale.store.filtering import filtered
        from semscale.store.unfinished import with_unfinished_counted

        derivations = self._derivations()
        table = with_derived(_opened(file, self.source.settings, self.header), derivations)
        if self.where is not None:
            table = filtered(table, self.where)
        table = with_unfinished_counted(table)
        if not is_reported:
            for note in table.notes:
                say(f"note: {note}")
        return table

    def _derivations(self) -> "list[Derivation]":
        from semscale.store.deriving.bands import Bands
        from semscale.store.deriving.value_groups import ValueGroups

        return [*map(Bands.read, self.band or ()), *map(ValueGroups.read, self.group or ())]


def _opened(file: str, settings: "TableSettings", header: "HeaderKind") -> "Table":
    """Open a table; a file behind a URL is copied with progress of its own."""
    from semscale.store.places.urls import is_url
    from semscale.store.reading import open_table

    if not is_url(file):
        return open_table(file, **settings, header=header)
    from semscale.cli.progress import progress_bars

    with progress_bars() as progress:
        return open_table(file, **settings, header=header, progress=progress)
