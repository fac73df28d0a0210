"""Checks of an Excel file's package before it is read: what it unpacks to, and how far its cells reach."""

import re
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

from semscale.errors import InputError

_BLOCK = 1 << 20
_OVERLAP = 64  # bytes of a block that are read again with the next one, as a cell's name may be cut in two
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_CELL = re.compile(rb'\br="([A-Z]{0,3})([0-9]{1,7})"')
_SMALL = 100 * 1024 * 1024
_MOST_PACKED = 200
"""How many times smaller than its content a file may be; sheets of equal rows reach about 30."""
_BOX = 5_000_000
_SPARSE = 50
"""How many cells a sheet's rectangle may hold for each cell that is written."""


@dataclass
class _Extent:
    """How far a sheet's cells reach.

    Attributes:
        rows: number of the last row.
        columns: number of the last column.
        cells: how many cells are written.
    """

    rows: int = 0
    columns: int = 0
    cells: int = 0

    @property
    def is_sparse(self) -> bool:
        box = self.rows * self.columns
        return box > _BOX and box > _SPARSE * self.cells

    def add(self, block: bytes) -> None:
        self.cells += block.count(b"<c ") + block.count(b"<c>") + block.count(b":c ")
        for letters, digits in set(_CELL.findall(block)):
            self.rows = max(self.rows, int(digits))
            self.columns = max(self.columns, _column(letters))


def check_package(path: Path, name: str) -> None:
    """Refuse a workbook that would take the memory of the machine.

    Args:
        path: the file; one that is no package is left to its reader.
        name: the file's name in messages.

    Raises:
        InputError: it unpacks to over 100 MB and over 200 times its size, or cells of a sheet lie far apart.
    """
    try:
        with zipfile.ZipFile(path) as package:
            _check_size(package, path.stat().st_size, name)
            for member in package.infolist():
                if _SHEET.fullmatch(member.filename):
                    _check_extent(package, member, name)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise InputError(
            f"{name} cannot be read as an Excel workbook ({error}); save it again as .xlsx"
        ) from error


def _check_size(package: zipfile.ZipFile, packed: int, name: str) -> None:
    unpacked = sum(member.file_size for member in package.infolist())
    if unpacked > _SMALL and unpacked > _MOST_PACKED * packed:
        raise InputError(
            f"{name} unpacks to {unpacked / 1e6:,.0f} MB from {packed / 1e6:,.1f} MB, as no workbook does; "
            "save the sheet as .csv and read that"
        )


def _check_extent(package: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    extent, before = _Extent(), b""
    with package.open(member) as sheet:
        while block := sheet.read(_BLOCK):
            extent.add(before + block)
            before = block[-_OVERLAP:]
    if extent.is_sparse:
        raise InputError(
            f"{name}: the {extent.cells:,} cells of {member.filename} reach to row {extent.rows:,} and "
            f"column {extent.columns:,}, with almost nothing between; remove those far from the table"
        )


def _column(letters: bytes) -> int:
    """Number a column from its letters: 1 for A, 27 for AA, 0 for none.

    Example:
        >>> _column(b"A"), _column(b"AA"), _column(b"XFD")
        (1, 27, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
