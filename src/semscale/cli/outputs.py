"""The pages and files that commands write beside their tables."""

from pathlib import Path

from semscale.errors import InputError
from semscale.store.atomic import check_writable, replacing

_PAGES = (".html", ".htm")


def check_report(report: Path | None) -> None:
    """Check, before anything is read or loaded, that a report can be written.

    Raises:
        InputError: another extension, or a file or folder that does not serve.
    """
    if report is None:
        return
    if report.suffix.lower() not in _PAGES:
        raise InputError(f"report must end in {' or '.join(_PAGES)}, got {report.name!r}")
    check_writable(report, "report")


def check_input(file: str, report: Path | None) -> None:
    """Check that an input is named, and that the report is not to take its place.

    Raises:
        InputError: it is not, or it is.
    """
    if not file:
        raise InputError("FILE must not be empty: name a file, or - for standard input")
    if report is not None and report.exists() and Path(file).exists() and report.samefile(file):
        raise InputError(f"report must not be the input itself, got {report.name!r}")


def write_page(path: Path, page: str) -> None:
    """Write a page, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8", newline="\n")
