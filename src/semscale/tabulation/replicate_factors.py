"""Factors of jackknife replicates, as numbers or in a file."""

from pathlib import Path

from semscale.errors import InputError


def read_rscales(written: str) -> tuple[float, ...]:
    """Read the factors of replicates.

    Args:
        written: one number for all replicates; numbers with commas between, in the order of the columns;
            or a file with one number a line.

    Raises:
        InputError: a part or line that is no number, or a file that cannot be read.

    Example:
        >>> read_rscales("0.5, 0.75")
        (0.5, 0.75)
    """
    try:
        return tuple(map(float, written.split(",")))
    except ValueError:
        return _from_file(Path(written))


def _from_file(path: Path) -> tuple[float, ...]:
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"rscales must be numbers with commas between, or a text file with one a line, got '{path}'"
        ) from error
    found = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            found.append(float(line))
        except ValueError as error:
            raise InputError(
                f"rscales: line {number:,} of {path.name} is no number: {line.strip()!r:.60}"
            ) from error
    if not found:
        raise InputError(f"rscales: {path.name} has no numbers; write one a line")
    return tuple(found)
