"""Addresses of histories and ledgers: SQLite files, or databases on a PostgreSQL server."""

import os
from dataclasses import dataclass, field
from pathlib import Path

from semscale.errors import InputError

_SQLITE = "sqlite:///"
_POSTGRES = ("postgresql://", "postgresql+pg8000://", "postgres://")


@dataclass(frozen=True)
class Address:
    """The address of a database.

    Attributes:
        kind: kind of content, such as ``history``.
        shown: the address for messages, without a password.
        path: path of the file; ``None`` for a server.
        url: URL of the database on a server, which may contain a password; ``None`` for a file.
    """

    kind: str
    shown: str
    path: Path | None = None
    url: str | None = field(default=None, repr=False)

    @property
    def name(self) -> str:
        """Kind and address for messages, such as ``history postgresql://ana@db.example.org/team``."""
        return f"{self.kind} {self.shown}"


def read_address(where: str | Path, kind: str = "history") -> Address:
    """Parse the address of a database.

    Args:
        where: a path, ``sqlite:///path``, or ``postgresql://user@host/database``.
        kind: kind of content, for messages.

    Raises:
        InputError: the address has another form, or is a folder.

    Examples:
        >>> read_address("postgresql://ana:secret@db.example.org/team").shown
        'postgresql://ana@db.example.org/team'
    """
    text = str(where)
    if is_on_server(text):
        return Address(kind, redact_address(text), url=text)
    if text.startswith(_SQLITE):
        text = text.removeprefix(_SQLITE).partition("?")[0]
    elif "://" in text:
        raise InputError(
            f"{kind} must be a path, sqlite:///... or postgresql://..., got {redact_address(text)!r}"
        )
    if not text.strip() or text == ":memory:":
        raise InputError(f"{kind} must be a file on disk, got {text!r}: name one, such as {kind}.sqlite")
    path = Path(text).expanduser()
    if os.path.isdir(path):
        raise InputError(f"{kind} {path} is a folder: name a file in it, such as {path / f'{kind}.sqlite'}")
    return Address(kind, str(path), path=path)


def is_on_server(where: str | Path) -> bool:
    """Return whether an address is of a database on a server."""
    return str(where).startswith(_POSTGRES)


def redact_address(url: str) -> str:
    """Return a database's URL without the password and settings.

    Examples:
        >>> redact_address("postgresql://ana:p@ss@db/team?sslmode=require")
        'postgresql://ana@db/team'
    """
    scheme, _, rest = url.partition("://")
    account, at, location = rest.rpartition("@")  # a password may have any character, even @ and ?
    user, database = account.partition(":")[0].partition("?")[0], location.partition("?")[0]
    return f"{scheme}://{user}{at}{database}"
