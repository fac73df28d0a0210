"""Settings of opening a table, from which options and docs derive."""

from typing import Annotated, Literal, TypedDict, get_args

from pydantic import Field

from semscale.errors import InputError
from semscale.settings import INPUT, Option, Settings
from semscale.store.format_names import JSON, LOG_FORMATS, HeaderKind, LogFormat

FileFormat = Literal["csv", "tsv", "jsonl", "parquet", "xlsx", "sav", "dta", "sas7bdat", "xpt", LogFormat]
"""Formats that can be read: tables, also of SPSS (``sav``), Stata (``dta``) and SAS, and evaluation logs."""

FORMATS: tuple[str, ...] = get_args(FileFormat)

EXTENSIONS = {f".{name}": name for name in FORMATS if name not in LOG_FORMATS} | {
    ".ndjson": "jsonl",
    ".tab": "tsv",
    ".pq": "parquet",
    ".zsav": "sav",
    ".eval": "inspect",
    ".json": JSON,
}
"""Format of files by their extensions, which ``open_table`` reads without being told it."""

_WITH_HEADERS = ("csv", "tsv", "xlsx")
_WITH_ENCODING = ("csv", "tsv", "jsonl", "sav", "dta", "sas7bdat", "xpt")


class TableSettings(Settings):
    """Settings of ``open_table``.

    Raises:
        InputError: an unknown format, or a row below 1.
    """

    encoding: Annotated[
        str | None,
        Field(description="Encoding of the file (default: detected)."),
        Option(INPUT, "NAME", rare=True, configurable=True),
    ] = None
    format: Annotated[
        FileFormat | None,
        Field(description="Input format (default: by the extension)."),
        Option(INPUT, rare=True, configurable=True),
    ] = None
    sheet: Annotated[
        str | None,
        Field(description="Sheet of an Excel file (default: the first)."),
        Option(INPUT, "NAME", rare=True),
    ] = None
    header_row: Annotated[
        int | None,
        Field(ge=1, description="Row with the names of the columns (default: detected)."),
        Option(INPUT, rare=True),
    ] = None
    header: Annotated[
        HeaderKind, Field(description="Survey tool that exported the file."), Option(INPUT, rare=True)
    ] = "auto"

    def check(self, format: str) -> None:
        """Refuse settings that a format does not have.

        Raises:
            InputError: a setting does not apply to the format.
        """
        has_header = format in _WITH_HEADERS
        for name, is_stated, is_known, formats in (
            (
                "encoding",
                self.encoding is not None,
                format in _WITH_ENCODING,
                "csv, tsv, jsonl, sav, dta, sas7bdat and xpt",
            ),
            ("sheet", self.sheet is not None, format == "xlsx", "xlsx"),
            ("header", self.header != "auto", has_header, "csv, tsv and xlsx"),
            ("header_row", self.header_row is not None, has_header, "csv, tsv and xlsx"),
        ):
            if is_stated and not is_known:
                raise InputError(name, f"applies to {formats}, not to {format}; leave it out")


class TableKeywords(TypedDict, total=False):
    """Types of ``TableSettings`` as keyword arguments, for type checkers.

    Attributes:
        encoding: a Python codec for CSV, TSV and JSON lines; by default the bytes decide (``encoding_of``).
            For SPSS, Stata and SAS, the encoding of its texts if the file states a wrong one.
        format: one of ``FileFormat``; by default the extension decides, and for logs the content.
        sheet: name of a sheet of an Excel workbook; by default the first one.
        header_row: number of the row with the header in a CSV, TSV or Excel file, from 1; by default the
            first one, or the first below a title in Excel.
        header: header of a CSV, TSV or Excel file.
    """

    encoding: str | None
    format: str | None
    sheet: str | None
    header_row: int | None
    header: HeaderKind
