"""Options of every command that reads a table."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import INPUT, option

if TYPE_CHECKING:
    from semscale.store.reading import TableSettings
    from semscale.store.table import Table

Format = Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "inspect", "promptfoo", "openai-evals"]

File = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, JSONL, Parquet or Excel, or an evaluation log; - is standard input.",
    ),
]


@option_group
class TableOptions:
    """How a table is read, as ``open_table`` takes it."""

    encoding: Annotated[
        str | None, option(INPUT, "Encoding of CSV, TSV and JSONL; UTF-8 unless given.", "NAME")
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
        from semscale.store.reading import open_table

        return open_table(file, **self.settings)
