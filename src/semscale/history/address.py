"""Where a history is: a file of SQLite, or a database on a PostgreSQL server."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from semscale.errors import InputError

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgresql+pg8000://", "postgres://")


@dataclass(frozen=True)
class Address:
    """Where a history is.

    Attributes:
        shown: as people may see it, without a password.
        path: of the file; ``None`` on a server.
        url: of the database on a server; ``None`` for a file. It may hold a password.
    """

    shown: str
    path: Path | None = None
    url: str | None = field(default=None, repr=False)


def read_address(where: str | Path) -> Address:
    """Understand where somebody says that the history is.

    Args:
        where: a path, ``sqlite:///path``, or ``postgresql://user@host/database``.

    Raises:
        InputError: none of these, or a folder.

    Example:
        >>> read_address("postgresql://ana:secret@db.example.org/team").shown
        'postgresql://ana@db.example.org/team'
    """
    text = str(where)
    if text.startswith(_POSTGRES):
        return Address(shown=_without_password(text), url=text)
    if text.startswith(_SQLITE):
        text = text.removeprefix(_SQLITE).partition("?")[0]
    elif "://" in text:
        raise InputError(
            f"history must be a path, sqlite:///... or postgresql://..., got {_without_password(text)!r}"
        )
    if not text.strip() or text == ":memory:":
        raise InputError(f"history must be a file that lasts, got {text!r}: name one, such as history.sqlite")
    path = Path(text).expanduser()
    if os.path.isdir(path):  # noqa: PTH112 - Path.is_dir raises where a folder above may not be looked into
        raise InputError(f"history {path} is a folder: name a file in it, such as {path / 'history.sqlite'}")
    return Address(shown=str(path), path=path)


def _without_password(url: str) -> str:
    scheme, _, rest = url.partition("://")
    account, at, place = rest.rpartition("@")  # a password may have any character, even @ and ?
    user, database = account.partition(":")[0].partition("?")[0], place.partition("?")[0]
    return f"{scheme}://{user}{at}{database}"
