"""Paths of snapshot files."""

from pathlib import Path

FOLDER = "__semantic_snapshots__"


def snapshot_file(module: Path) -> Path:
    """Return the path of the snapshots of a test module.

    Example:
        >>> snapshot_file(Path("tests/test_tutor.py")).as_posix()
        'tests/__semantic_snapshots__/test_tutor.json'
    """
    return module.parent / FOLDER / f"{module.stem}.json"
