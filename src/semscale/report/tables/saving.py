"""Writes crosstabs to a file, in the form that its ending names."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from semscale.errors import InputError
from semscale.extras import require
from semscale.report.writing import write_report
from semscale.store.atomic import check_writable, replacing
from semscale.store.writing import write_table

if TYPE_CHECKING:
    from semscale.tabulation.summary import Crosstabs

_PAGES = (".html", ".md")
_CELLS = (".csv", ".parquet", ".jsonl")
_OWN = {
    ".xlsx": ("semscale.report.tables.workbook", "write_tables_workbook"),
    ".pptx": ("semscale.report.tables.slides", "write_slides"),
}
ENDINGS = (".xlsx", ".pptx", ".html", ".md", ".csv", ".parquet", ".jsonl", ".json")
"""Endings of files that crosstabs can be written to."""


def check_place(path: Path) -> None:
    """Check, before anything is read, that tables can be written to a file.

    Raises:
        InputError: another ending, or a file that cannot be written.
        MissingExtraError: slides without the extra.
    """
    ending = path.suffix.lower()
    if ending not in ENDINGS:
        raise InputError(f"out must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, got {path.name!r}")
    if ending == ".pptx":
        require("slides")
    check_writable(path, "out")


def save_tables(summary: "Crosstabs", path: Path) -> None:
    """Write crosstabs, whole or not at all.

    Raises:
        InputError: another ending, or a file that cannot be written.
        MissingExtraError: slides without the extra.
    """
    check_place(path)
    ending = path.suffix.lower()
    if ending in _PAGES:
        write_report(summary.document(), path)
    elif ending in _CELLS:
        write_table(summary.to_frame(), path)
    elif ending in _OWN:
        module, function = _OWN[ending]
        with replacing(path) as temporary:
            getattr(import_module(module), function)(summary, temporary)
    else:
        with replacing(path) as temporary:
            temporary.write_text(summary.to_json() + "\n", encoding="utf-8", newline="\n")
