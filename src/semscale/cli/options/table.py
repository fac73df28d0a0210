"""Options of every command that reads a table and writes tables and reports."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from semscale.cli.options.model import option


class Format(StrEnum):
    """What kind of file the input is."""

    CSV = "csv"
    TSV = "tsv"
    JSONL = "jsonl"
    PARQUET = "parquet"
    XLSX = "xlsx"


COLUMNS, INPUT, OUTPUT, RUN = "Columns", "Input", "Output", "Run"
"""Panels of the help."""

File = Annotated[
    str, typer.Argument(metavar="FILE", help="CSV, TSV, JSONL, Parquet or Excel; - is standard input.")
]
By = Annotated[str | None, option(COLUMNS, "--by", "Names of groups to compare.", metavar="COLUMN")]
Encoding = Annotated[
    str | None, option(INPUT, "--encoding", "Of CSV, TSV and JSONL; UTF-8 unless given.", metavar="NAME")
]
FormatName = Annotated[Format | None, option(INPUT, "--format", "What the input is, whatever its name says.")]
Sheet = Annotated[
    str | None,
    option(INPUT, "--sheet", "Sheet of an Excel file; the first one unless given.", metavar="NAME"),
]
Report = Annotated[
    Path | None, option(OUTPUT, "--report", "Report with pictures: .html, .md or .xlsx.", metavar="FILE")
]
Figures = Annotated[
    Path | None, option(OUTPUT, "--figures", "Folder for the pictures, as SVG and PNG.", metavar="FOLDER")
]
Json = Annotated[bool, option(OUTPUT, "--json", "Print JSON instead of a table.")]
Interval = Annotated[
    float, option(RUN, "--interval", "Coverage of the intervals.", shown=True, metavar="NUMBER")
]
Seed = Annotated[int, option(RUN, "--seed", "Of everything that is random.", shown=True, metavar="NUMBER")]
PartRows = Annotated[
    int,
    option(RUN, "--part-rows", "Rows that are finished and kept at once.", shown=True, metavar="NUMBER"),
]
Restart = Annotated[bool, option(RUN, "--restart", "Drop what an earlier run has finished.")]
