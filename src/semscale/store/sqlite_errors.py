"""Codes of SQLite's errors."""

import sqlite3


def primary_code(error: sqlite3.Error) -> int | None:
    """Return the primary result code of an error, without the bits of its extended code.

    Returns:
        A code such as ``sqlite3.SQLITE_BUSY``; ``None`` for an error of Python's module itself, such as one
        about a closed connection, which has no code.

    Examples:
        >>> try:
        ...     _ = sqlite3.connect(":memory:").execute("SELECT")
        ... except sqlite3.Error as error:
        ...     primary_code(error) == sqlite3.SQLITE_ERROR
        True
    """
    code: int | None = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF
