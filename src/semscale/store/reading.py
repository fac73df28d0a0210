"""Opening of input tables: recognition of the format, and checks that the file can be read."""

import shutil
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Unpack
from urllib.parse import urlsplit

from semscale.errors import InputError, SpecialFileError
from semscale.input_files import check_regular
from semscale.messages import shorten
from semscale.store.child_process import HeldFiles, Opening, open_in_child
from semscale.store.columnar import open_remote_folder, open_remote_parquet
from semscale.store.delimited import encoding_name
from semscale.store.evaluation_logs import is_openai_log, is_promptfoo_lines
from semscale.store.formats import open_here, with_rows
from semscale.store.places import (
    explain_errors,
    fetch,
    is_url,
    open_filesystem,
    redact,
    scheme_of,
    temporary_folder,
    url_name,
)
from semscale.store.table import Table
from semscale.store.table_settings import EXTENSIONS, FORMATS, TableKeywords, TableSettings
from semscale.types import Progress

_OF_OTHER_PROGRAMS = {
    ".por": "SPSS",
    ".rds": "R",
    ".rdata": "R",
}
_OTHER_WORKBOOKS = {".ods": "LibreOffice", ".xls": "Excel", ".xlsb": "Excel"}
_STANDARD_INPUT = "standard input"
_BEGINNINGS = {b"{": "jsonl", b"PAR1": "parquet", b"$FL2": "sav", b"$FL3": "sav"}
_STATISTICAL = ("sav", "dta", "sas7bdat", "xpt")
_BINARY = ("xlsx", "parquet", *_STATISTICAL)


def open_table(
    path: str | Path,
    *,
    progress: Progress | None = None,
    untrusted: bool = False,
    held: HeldFiles | None = None,
    **settings: Unpack[TableKeywords],
) -> Table:
    """Open a local or remote table of any format; ``-`` is standard input.

    Standard input is first copied to a temporary file, which is removed with the table. It is read as CSV,
    unless it begins like JSON lines, Parquet or SPSS, or ``format`` is set. Parquet behind a URL is read by
    row groups; other formats are copied to a temporary file once.

    A child process with limits of memory and time (``child_process``) reads Excel and Parquet files, and
    those of SPSS, Stata and SAS.

    Args:
        path: a file, a folder of Parquet files with the same columns, a URL of either that fsspec supports,
            or ``-``.
        progress: called while a file behind a URL is copied.
        untrusted: whether the child reads the other formats, too, as the file comes from somebody else.
        held: the files of an untrusted table, if they are open already; whatever has their names is not read.
        settings: format, encoding, sheet and header, see ``TableKeywords``.

    Raises:
        InputError: the file does not exist, cannot be read, is empty, has no rows, has another format, or
            exceeds a limit; a file of a folder has other columns than the first; or an untrusted table is not
            a local file.
        MissingExtraError: the URL needs ``semscale[cloud]``.
    """
    chosen = TableSettings(**settings)
    if untrusted and (str(path) == "-" or is_url(str(path))):
        raise InputError(f"an untrusted table must be a local file, got {redact(str(path))}")
    if str(path) == "-":
        return _open_standard_input(chosen)
    if isinstance(path, str) and is_url(path):
        if scheme_of(path) != "file":
            return _open_url(path, chosen, progress)
        from urllib.request import url2pathname  # slow to import

        path = url2pathname(urlsplit(path).path)
    path = Path(path)
    if held is not None:
        return _open_held(path, chosen, held)
    _check_readable(path)
    if path.is_dir():
        _check_folder(str(path), chosen)
        return _open(path, str(path), "parquet", chosen)
    return _open(path, str(path), chosen.format or _format_of(path, str(path)), chosen, untrusted=untrusted)


def _open_held(path: Path, chosen: TableSettings, held: HeldFiles) -> Table:
    """Open a table whose files are open already; ``path`` only names it."""
    if "" not in held.descriptors:
        _check_folder(str(path), chosen)
        return _open(path, str(path), "parquet", chosen, held=held)
    kind = chosen.format or _format_of(path, str(path), held.path())
    return _open(path, str(path), kind, chosen, untrusted=True, held=held)


def check_choices(format: str, /, **settings: Unpack[TableKeywords]) -> None:
    """Check the format and settings of a table before its file exists.

    Args:
        format: see ``open_table``.
        settings: see ``open_table``.

    Raises:
        InputError: the format has none of these, or Python knows no such encoding.
    """
    chosen = TableSettings(**settings)
    chosen.check(format)
    if chosen.encoding is not None and format not in _STATISTICAL:
        encoding_name(chosen.encoding)


def _open_url(url: str, chosen: TableSettings, progress: Progress | None) -> Table:
    """Open a remote table: Parquet by row groups if its server supports ranges, others as a copy."""
    system, path = open_filesystem(url, "read")
    name = url_name(url)
    is_parquet = (chosen.format or EXTENSIONS.get(Path(name).suffix)) == "parquet"
    with explain_errors(url, "read"):
        is_web = scheme_of(url) in ("http", "https")
        is_folder = not is_web and (url.endswith("/") or system.isdir(path))
        is_ranged = not is_web or bool(system.info(path).get("partial"))
    if is_folder:
        _check_folder(redact(url), chosen)
        return with_rows(open_remote_folder(url, system, path))
    if is_parquet and is_ranged:
        chosen.check("parquet")
        return with_rows(open_remote_parquet(url, system, path).table)

    def open_copy(folder: Path) -> Table:
        copy = fetch(url, system, path, folder, progress)
        return _open(copy, redact(url), chosen.format or _format_of(copy, redact(url)), chosen)

    return _open_temporary(open_copy)


def _open_standard_input(chosen: TableSettings) -> Table:
    def open_copy(folder: Path) -> Table:
        copy = folder / "input"
        with copy.open("wb") as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        with copy.open("rb") as content:
            head = content.read(64).removeprefix(b"\xef\xbb\xbf").lstrip()
        guessed = next((kind for start, kind in _BEGINNINGS.items() if head.startswith(start)), "csv")
        return _open(copy, _STANDARD_INPUT, chosen.format or guessed, chosen)

    return _open_temporary(open_copy)


def _open_temporary(open_copy: Callable[[Path], Table]) -> Table:
    """Open a table from a copy in a temporary folder, which is removed with the table."""
    folder = temporary_folder()
    try:
        table = open_copy(Path(folder.name))
    except BaseException:
        folder.cleanup()
        raise
    weakref.finalize(table.read, folder.cleanup)  # tables that derive from this one read by it, too
    return table


def _check_folder(name: str, chosen: TableSettings) -> None:
    if chosen.format not in (None, "parquet"):
        raise InputError(
            f"{name} is a folder, and a folder must contain Parquet files, not {chosen.format}; name a file"
        )
    chosen.check("parquet")


def _open(
    path: Path,
    name: str,
    format: str,
    chosen: TableSettings,
    *,
    untrusted: bool = False,
    held: HeldFiles | None = None,
) -> Table:
    chosen.check(format)
    settings = {title: value for title, value in chosen if title != "format"}
    opening = Opening(path, name, format, settings, held=held)
    if not opening.is_folder and opening.readable_path.stat().st_size == 0:
        raise InputError(f"{name} is empty; a table with a header and rows is needed")
    return open_in_child(opening) if untrusted or format in _BINARY else open_here(opening)


def _check_readable(path: Path) -> None:
    try:
        exists = path.exists()
    except OSError as error:
        raise InputError(
            f"the name {shorten(path.name)} cannot be read ({error.strerror}); check it"
        ) from error
    if not exists:
        raise InputError(f"{path} does not exist; check the name of the file")
    try:
        if path.is_dir():
            next(path.iterdir(), None)
            return
        check_regular(path)
        with path.open("rb"):
            pass
    except SpecialFileError as error:
        raise InputError(f"{error}, or pass - and redirect it to standard input") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror}); check its permissions") from error


def _format_of(path: Path, name: str, content: Path | None = None) -> str:
    extension = path.suffix.lower()
    if extension in _OF_OTHER_PROGRAMS:
        program = _OF_OTHER_PROGRAMS[extension]
        raise InputError(
            f"{name} is a file of {program}, which is not supported: save it as CSV in {program}"
        )
    if extension in _OTHER_WORKBOOKS:
        program = _OTHER_WORKBOOKS[extension]
        raise InputError(
            f"{name}: workbooks that end in {extension} are not supported; save it as .xlsx in {program}"
        )
    if extension not in EXTENSIONS:
        shown = f"the extension '{path.suffix}'" if path.suffix else "no extension"
        raise InputError(f"{name} has {shown}; say what it is with `format`: {', '.join(FORMATS)}")
    known = EXTENSIONS[extension]
    if known != "jsonl":
        return known
    if is_openai_log(content or path):
        return "openai-evals"
    return "promptfoo" if is_promptfoo_lines(content or path) else known
