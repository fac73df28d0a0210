"""Addresses of histories: SQLite files, or databases on a PostgreSQL server."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from semscale.errors import InputError

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgresql+pg8000://", "postgres://")


@dataclass(frozen=True)
class Address:
    """The address of a history.

    Attributes:
        shown: the address for messages, without a password.
        path: path of the file; ``None`` for a server.
        url: URL of the database on a server, which may contain a password; ``None`` for a file.
    """

    shown: str
    path: Path | None = None
    url: str | None = field(default=None, repr=False)


def read_address(where: str | Path) -> Address:
    """Parse the address of a history.

    Args:
        where: a path, ``sqlite:///path``, or ``postgresql://user@host/database``.

    Raises:
        InputError: the address has another form, or is a folder.

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
