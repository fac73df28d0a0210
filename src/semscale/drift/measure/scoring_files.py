"""Hash of the files that decide how a pair of outputs is scored."""

import hashlib
from functools import cache
from pathlib import Path

_FOLDERS = ("drift/measure", "guards", "matching", "stats")


@cache
def scoring_files_hash() -> str:
    """Hash the rules, word lists and formulas behind a pair's scores, 16 hexadecimal digits.

    The package's version stays the same while somebody edits a guard; this hash does not.

    Example:
        >>> len(scoring_files_hash())
        16
    """
    return files_hash([Path(__file__).parents[2] / folder for folder in _FOLDERS])


def files_hash(folders: list[Path]) -> str:
    """Hash names and content of all files in some folders but compiled ones, 16 hexadecimal digits."""
    hashed = hashlib.blake2b(digest_size=8)
    for folder in folders:
        for file in sorted(folder.rglob("*")):
            if file.is_file() and file.suffix != ".pyc":
                content = file.read_bytes()
                hashed.update(f"{file.relative_to(folder).as_posix()}:{len(content)}:".encode())
                hashed.update(content)
    return hashed.hexdigest()
